UNIT_TESTS += tests/store/test_store
tests_store_test_store_SOURCES = \
	tests/store/folder.c tests/store/test_answer_line.c tests/store/test_files.c tests/store/test_json_writer.c tests/store/test_read.c tests/store/test_refused.c \
	tests/store/test_safetensors.c tests/store/test_safetensors_refused.c tests/store/test_safetensors_write.c tests/store/test_store.c \
	tests/store/test_write.c tests/store/tests.h
tests_store_test_store_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

# tests/store/safetensors.sh runs this program.
check_PROGRAMS += tests/store/safetensors_through
tests_store_safetensors_through_SOURCES = tests/store/safetensors_through.c
TESTS += tests/store/numpy.sh tests/store/safetensors.sh
EXTRA_DIST += \
	tests/store/numpy.sh tests/store/numpy_judge.py tests/store/safetensors.sh tests/store/safetensors_judge.py
