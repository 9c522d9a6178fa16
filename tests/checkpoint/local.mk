UNIT_TESTS += tests/checkpoint/test_opening
tests_checkpoint_test_opening_SOURCES = \
	tests/checkpoint/files.c tests/checkpoint/files.h tests/checkpoint/test_damage.c tests/checkpoint/test_opening.c
tests_checkpoint_test_opening_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
