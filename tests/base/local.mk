UNIT_TESTS += tests/base/test_base
tests_base_test_base_SOURCES = \
	tests/base/test_base.c tests/base/test_messages.c tests/base/test_nearest.c \
	tests/base/test_random.c tests/base/test_verify.c tests/base/tests.h
