UNIT_TESTS += tests/block/test_block
tests_block_test_block_SOURCES = \
	tests/block/attempts.c tests/block/attempts.h tests/block/compare.c tests/block/model.c tests/block/model.h tests/block/test_block.c tests/block/test_dynamic.c \
	tests/block/test_gguf.c tests/block/test_given.c tests/block/test_hadamard.c tests/block/test_names.c tests/block/test_normal.c \
	tests/block/test_quantize.c tests/block/test_refusals.c tests/block/test_same.c tests/block/test_special.c \
	tests/block/tests.h
