UNIT_TESTS += tests/text/test_text
tests_text_test_text_SOURCES = \
	tests/text/support.c tests/text/test_allocations.c tests/text/test_differences.c tests/text/test_grammar.c \
	tests/text/test_midpoints.c tests/text/test_mutations.c tests/text/test_naturals.c tests/text/test_reading.c \
	tests/text/test_shortest.c tests/text/test_text.c tests/text/test_writing.c tests/text/tests.h
tests_text_test_text_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
