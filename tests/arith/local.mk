UNIT_TESTS += tests/arith/test_arith
tests_arith_test_arith_SOURCES = \
	tests/arith/driver.c tests/arith/driver.h tests/arith/test_arith.c tests/arith/test_comparison.c \
	tests/arith/test_elementary.c tests/arith/test_formats.c tests/arith/test_halves.c \
	tests/arith/test_hardware.c tests/arith/test_known.c tests/arith/test_narrow.c tests/arith/test_quick.c \
	tests/arith/test_wide.c tests/arith/tests.h
