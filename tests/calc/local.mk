UNIT_TESTS += tests/calc/test_calc
tests_calc_test_calc_SOURCES = \
	tests/calc/test_calc.c tests/calc/test_random.c tests/calc/test_values.c tests/calc/tests.h
