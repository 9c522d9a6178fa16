UNIT_TESTS += tests/cost/test_cost
tests_cost_test_cost_SOURCES = \
	tests/cost/test_by_hand.c tests/cost/test_cost.c tests/cost/test_measured.c tests/cost/test_numbers.c \
	tests/cost/pytorch.def tests/cost/test_pytorch.c tests/cost/test_rows.c tests/cost/tests.h
