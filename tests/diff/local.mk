UNIT_TESTS += tests/diff/test_diff
tests_diff_test_diff_SOURCES = \
	tests/diff/made.c tests/diff/test_codes.c tests/diff/test_diff.c tests/diff/test_distance.c tests/diff/test_experts.c tests/diff/test_memory.c tests/diff/test_scales.c tests/diff/test_search.c \
	tests/diff/tests.h
tests_diff_test_diff_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

# How checkpoints were made, of a model in Python that makes them.
TESTS += tests/diff/provenance.sh tests/diff/relayout.sh tests/diff/scan.sh
EXTRA_DIST += tests/diff/provenance.py tests/diff/provenance.sh tests/diff/relayout.py tests/diff/relayout.sh tests/diff/scan.py tests/diff/scan.sh
