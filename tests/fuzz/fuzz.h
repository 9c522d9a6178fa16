/* What every fuzzing program is made of. Each has one function for any bytes, LLVMFuzzerTestOneInput, which ends the
 * program where a promise is broken, and one that makes inputs of its own, fuzz_random.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined -DBND_WITH_LIBFUZZER. Without it, the main takes files,
 * `-n COUNT [SEED]` for that many inputs of its own, or `-w FOLDER COUNT [SEED]`, which writes these into a folder for
 * libFuzzer to begin with. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <binade/base.h>
#include <stdbool.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Hands fuzz_input so many inputs, which depend on nothing but these numbers. */
void fuzz_random(uint64_t count, uint64_t seed);
void fuzz_input(const uint8_t *data, size_t size);

/* A byte in place of another: one of `alphabet`, which means something to the grammar, or in one of 16 cases any. */
uint8_t fuzz_byte(uint64_t random, const char *alphabet);

/* The size of input `i`: one in 32 is cut short. */
size_t fuzz_cut(size_t size, uint64_t seed, uint64_t i);

void require(bool promise, const char *what);

/* A refusal says why, and where in an input of this size. */
void require_explained(bnd_status status, const bnd_error *why, size_t size);

/* Memory, and a copy of bytes in memory of just their size, where a sanitizer sees a byte too many. */
void *fuzz_memory(size_t count, size_t size);
void *tight_copy(const void *data, size_t size);

#endif
