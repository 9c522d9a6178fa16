# A program for each kind of file and text that is read. Without libFuzzer, each makes its own random inputs: every compiler
# can build that, and `make check` runs it.
FUZZ_SHARED = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
check_PROGRAMS += \
	tests/fuzz/fuzz_calc_random tests/fuzz/fuzz_checkpoint_random tests/fuzz/fuzz_gguf_random \
	tests/fuzz/fuzz_index_random tests/fuzz/fuzz_npy_random \
	tests/fuzz/fuzz_parse_random tests/fuzz/fuzz_records_random tests/fuzz/fuzz_safetensors_random \
	tests/fuzz/fuzz_tokenizer_random tests/fuzz/fuzz_vectors_random tests/fuzz/fuzz_weights_random
tests_fuzz_fuzz_calc_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_calc.c
tests_fuzz_fuzz_checkpoint_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_checkpoint.c
tests_fuzz_fuzz_gguf_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_gguf.c tests/checkpoint/gguf_bytes.c tests/checkpoint/gguf_bytes.h
tests_fuzz_fuzz_index_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_index.c
tests_fuzz_fuzz_npy_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_npy.c
tests_fuzz_fuzz_parse_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_parse.c
tests_fuzz_fuzz_records_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_records.c
tests_fuzz_fuzz_safetensors_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_safetensors.c
tests_fuzz_fuzz_tokenizer_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_tokenizer.c
tests_fuzz_fuzz_vectors_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_vectors.c
tests_fuzz_fuzz_weights_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_weights.c
TESTS += tests/fuzz/run.sh tests/fuzz/simulator.sh
EXTRA_DIST += tests/fuzz/run.sh tests/fuzz/simulator.py tests/fuzz/simulator.sh

# `make fuzz`: the same programs with libFuzzer, and the libraries built once more with its instruments.
if HAVE_LIBFUZZER
FUZZ_CFLAGS = $(AM_CFLAGS) $(BND_FUZZ_FLAGS) -DBND_WITH_LIBFUZZER
EXTRA_LTLIBRARIES = libbinade-fuzz.la
CLEANFILES += libbinade-fuzz.la
libbinade_fuzz_la_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES)
libbinade_fuzz_la_CPPFLAGS = $(LAB_CPPFLAGS)
libbinade_fuzz_la_CFLAGS = $(FUZZ_CFLAGS)
libbinade_fuzz_la_LIBADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
FUZZERS = \
	tests/fuzz/fuzz_calc tests/fuzz/fuzz_checkpoint tests/fuzz/fuzz_gguf tests/fuzz/fuzz_index tests/fuzz/fuzz_npy \
	tests/fuzz/fuzz_parse \
	tests/fuzz/fuzz_records tests/fuzz/fuzz_safetensors tests/fuzz/fuzz_tokenizer tests/fuzz/fuzz_vectors tests/fuzz/fuzz_weights
EXTRA_PROGRAMS += $(FUZZERS)
CLEANFILES += $(FUZZERS)
tests_fuzz_fuzz_calc_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_calc_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_calc_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_calc.c
tests_fuzz_fuzz_checkpoint_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_checkpoint_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_checkpoint_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_checkpoint.c
tests_fuzz_fuzz_gguf_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_gguf_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_gguf_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_gguf.c tests/checkpoint/gguf_bytes.c tests/checkpoint/gguf_bytes.h
tests_fuzz_fuzz_index_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_index_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_index_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_index.c
tests_fuzz_fuzz_npy_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_npy_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_npy_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_npy.c
tests_fuzz_fuzz_parse_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_parse_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_parse_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_parse.c
tests_fuzz_fuzz_records_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_records_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_records_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_records.c
tests_fuzz_fuzz_safetensors_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_safetensors_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_safetensors_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_safetensors.c
tests_fuzz_fuzz_tokenizer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_tokenizer_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_tokenizer_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_tokenizer.c
tests_fuzz_fuzz_vectors_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_vectors_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_vectors_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_vectors.c
tests_fuzz_fuzz_weights_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_weights_LDADD = libbinade-fuzz.la
tests_fuzz_fuzz_weights_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_weights.c
fuzz: $(FUZZERS)
	@echo 'Run tests/fuzz/fuzz_KIND, KIND being one of calc, checkpoint, gguf, index, npy, parse, records, safetensors, tokenizer, vectors, weights (-help=1 for their options).'
else
fuzz:
	@echo 'make fuzz needs clang and its libFuzzer (Debian, Ubuntu: libclang-rt-VERSION-dev): configure with CC=clang.'
	@exit 1
endif
.PHONY: fuzz
