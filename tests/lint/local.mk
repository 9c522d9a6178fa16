UNIT_TESTS += tests/lint/test_lint
tests_lint_test_lint_SOURCES = \
	tests/lint/cases.c tests/lint/test_lint.c tests/lint/test_memory.c tests/lint/test_numbers.c tests/lint/tests.h
tests_lint_test_lint_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
