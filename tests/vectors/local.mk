UNIT_TESTS += tests/vectors/test_vectors
tests_vectors_test_vectors_SOURCES = \
	tests/vectors/support.c tests/vectors/test_answers.c tests/vectors/test_coverage.c \
	tests/vectors/test_dialects.c tests/vectors/test_faults.c tests/vectors/test_lines.c tests/vectors/test_rules.c \
	tests/vectors/test_vectors.c tests/vectors/tests.h
