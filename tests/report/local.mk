# The report's JSON, read by Python: its parts, hostile names, long runs.
TESTS += tests/report/report.sh
EXTRA_DIST += tests/report/report.sh tests/report/report_judge.py
