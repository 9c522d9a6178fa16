UNIT_TESTS += tests/format/test_format
tests_format_test_format_SOURCES = \
	tests/format/limits.def tests/format/test_custom.c tests/format/test_dialects.c tests/format/test_format.c \
	tests/format/test_limits.c tests/format/test_names.c tests/format/test_p3109.c tests/format/test_rules.c \
	tests/format/test_value_sets.c tests/format/tests.h
