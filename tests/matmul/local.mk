UNIT_TESTS += tests/matmul/test_matmul
tests_matmul_test_matmul_SOURCES = \
	tests/matmul/h200.def tests/matmul/model.c tests/matmul/model.h tests/matmul/test_card.c tests/matmul/test_known.c tests/matmul/test_matmul.c \
	tests/matmul/test_names.c tests/matmul/test_products.c tests/matmul/test_refusals.c \
	tests/matmul/test_same.c tests/matmul/test_symmetric.c tests/matmul/test_zeros.c \
	tests/matmul/tests.h
tests_matmul_test_matmul_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
