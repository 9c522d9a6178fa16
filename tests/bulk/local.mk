# Shared with tests/exhaustive/arrays: whole calls against the answers.
BULK_MODEL = \
	tests/bulk/compare.c tests/bulk/compare.h tests/bulk/expected.c tests/bulk/expected.h tests/bulk/operands.c \
	tests/bulk/operations.c tests/bulk/operations.h tests/bulk/pages.c tests/bulk/pages.h tests/bulk/sums.c \
	tests/bulk/sums.h
UNIT_TESTS += tests/bulk/test_bulk
tests_bulk_test_bulk_SOURCES = \
	$(BULK_MODEL) tests/bulk/test_bits.c tests/bulk/test_bulk.c tests/bulk/test_chosen_operands.c tests/bulk/test_context.c \
	tests/bulk/test_environment.c tests/bulk/test_memory.c tests/bulk/test_operate.c tests/bulk/test_places.c \
	tests/bulk/test_ready.c tests/bulk/test_refusals.c tests/bulk/test_stats.c tests/bulk/test_stochastic.c \
	tests/bulk/test_stream.c tests/bulk/test_sum.c tests/bulk/test_threads.c tests/bulk/tests.h
