UNIT_TESTS += tests/scan/test_scan
tests_scan_test_scan_SOURCES = \
	tests/scan/model.c tests/scan/model.h tests/scan/test_candidates.c tests/scan/test_figures.c tests/scan/test_results.c \
	tests/scan/test_counts.c tests/scan/test_scan.c tests/scan/test_sums.c tests/scan/tests.h
tests_scan_test_scan_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
TESTS += tests/scan/agree.sh
EXTRA_DIST += tests/scan/agree.sh tests/scan/agree_judge.py
