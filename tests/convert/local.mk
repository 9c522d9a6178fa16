UNIT_TESTS += tests/convert/test_convert
tests_convert_test_convert_SOURCES = \
	tests/convert/convert.h tests/convert/models.c tests/convert/test_changes.c tests/convert/test_codes.c tests/convert/test_convert.c tests/convert/test_experts.c tests/convert/test_names.c \
	tests/convert/test_plan.c tests/convert/test_relayout.c tests/convert/test_run.c
tests_convert_test_convert_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
