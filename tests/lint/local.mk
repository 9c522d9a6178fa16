UNIT_TESTS += tests/lint/test_lint
tests_lint_test_lint_SOURCES = tests/lint/test_lint.c
