# The npm package: `native` writes what the native library answers, and compare.mjs compares.
check_PROGRAMS += tests/npm/native
tests_npm_native_SOURCES = tests/npm/native.c tests/npm/native.h tests/npm/native_arrays.c tests/npm/native_numbers.c
# Not a test: times of the package and of the library. node tests/npm/speed.mjs in a folder with the package.
EXTRA_PROGRAMS += tests/npm/speed
tests_npm_speed_SOURCES = tests/npm/speed.c
TESTS += tests/npm/run.sh
EXTRA_DIST += \
	tests/npm/api.mjs \
	tests/npm/compare.mjs \
	tests/npm/element.mjs \
	tests/npm/examples.mjs \
	tests/npm/run.sh \
	tests/npm/speed.mjs
