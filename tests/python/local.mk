# binade.py, where there is a Python with numpy: `sizes` prints the library's types for its mirror of them.
check_PROGRAMS += tests/python/sizes
tests_python_sizes_LDADD =
tests_python_sizes_SOURCES = tests/python/sizes.c
TESTS += tests/python/lab.sh tests/python/run.sh tests/python/random.sh
EXTRA_DIST += \
	tests/python/lab.sh tests/python/lab.py tests/python/test_checkpoints.py \
	tests/python/random.sh tests/python/run.sh tests/python/test_binade.py tests/python/test_random.py
