UNIT_TESTS += tests/tensor/test_tensor
tests_tensor_test_tensor_SOURCES = \
	tests/tensor/battery.c tests/tensor/battery.h tests/tensor/casts.c tests/tensor/casts.h \
	tests/tensor/gradients.c tests/tensor/gradients.h tests/tensor/graphs.c tests/tensor/graphs.h \
	tests/tensor/test_accuracy.c tests/tensor/test_attention.c tests/tensor/test_environment.c tests/tensor/test_failures.c \
	tests/tensor/test_files.c tests/tensor/test_gains.c tests/tensor/test_golden.c \
	tests/tensor/test_gradients.c tests/tensor/test_graphs.c tests/tensor/test_maths.c \
	tests/tensor/test_memory.c tests/tensor/test_named.c tests/tensor/test_policies.c \
	tests/tensor/test_products.c tests/tensor/test_safetensors.c tests/tensor/test_same.c \
	tests/tensor/test_scaling.c tests/tensor/test_segments.c tests/tensor/test_statistics.c \
	tests/tensor/test_tape.c tests/tensor/test_tensor.c tests/tensor/test_views.c tests/tensor/tests.h
tests_tensor_test_tensor_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

# tests/tensor/numpy.sh and rationals.sh run these programs.
check_PROGRAMS += tests/tensor/npy_through
tests_tensor_npy_through_SOURCES = tests/tensor/npy_through.c
check_PROGRAMS += tests/tensor/cast_through
tests_tensor_cast_through_SOURCES = tests/tensor/cast_through.c
TESTS += tests/tensor/numpy.sh tests/tensor/rationals.sh
EXTRA_DIST += \
	tests/tensor/golden/casts.txt tests/tensor/golden/graphs.txt tests/tensor/golden/operations.txt \
	tests/tensor/numpy.sh tests/tensor/numpy_judge.py tests/tensor/rationals.sh tests/tensor/rationals_judge.py
