/* Layer 1: status and messages, random bits by index. Freestanding: no libc. */
#ifndef BINADE_BASE_H
#define BINADE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BND_CHECKED             __attribute__((warn_unused_result))
#define BND_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BND_CHECKED
#define BND_PRINTF(text, first)
#endif

/* ---- the version: of these headers, and of the library that is loaded ---- */

#define BND_VERSION_MAJOR  0
#define BND_VERSION_MINOR  1
#define BND_VERSION_PATCH  0
#define BND_VERSION_STRING "0.1.0"
/* For #if: #if BND_VERSION >= 100 is "0.1.0 or newer". */
#define BND_VERSION (10000 * BND_VERSION_MAJOR + 100 * BND_VERSION_MINOR + BND_VERSION_PATCH)

/* BND_VERSION_STRING as it was when the library was compiled. A program can compare the two. */
const char *bnd_version(void);

/* ---- status and messages ---- */

typedef enum bnd_status {
    BND_OK = 0,
    BND_BAD_NAME,     /* no format, rounding mode, policy or dialect of this name */
    BND_BAD_SYNTAX,   /* text that is not a number, or a name of the right kind with impossible parts */
    BND_BAD_ARGUMENT, /* a value outside of what the call takes */
    BND_NO_MEMORY,
    BND_BAD_FILE,  /* bytes that a file of this kind cannot have */
    BND_BAD_STREAM /* a file that cannot be opened, read or written */
} bnd_status;

/* The name in this header, "BND_BAD_NAME"; "" for a number that is not a status. */
const char *bnd_status_name(bnd_status status);

enum { BND_MESSAGE_SIZE = 320 };

/* What went wrong. A caller that does not want to know passes NULL. */
typedef struct bnd_error {
    bnd_status status;
    size_t where;                   /* offset in bytes into the text that was read, 0 where there is none */
    char message[BND_MESSAGE_SIZE]; /* one sentence without a final newline; cut with "..." if it is too long */
} bnd_error;

/* Fills `why` (unless it is NULL) and returns `status`, so that a caller can end with `return bnd_fail(...)`.
 * Takes %s %.*s %c %d %u %zu %lld %llu %llx %% and nothing else. */
bnd_status bnd_fail(bnd_error *why, bnd_status status, size_t where, const char *message, ...) BND_PRINTF(4, 5);

/* ---- random bits by index ---- */

/* Philox4x32 with `rounds` rounds (10 is the authors' choice): block number `counter` of the stream `key`. */
void bnd_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2], int rounds);

/* 64 random bits that depend on nothing but these three numbers. */
uint64_t bnd_random(uint64_t seed, uint64_t purpose, uint64_t element);

/* The bits of stochastic rounding: `bits` random bits (1 .. 64) that depend on nothing but these numbers: Philox4x32-10
 * with the seed as its key. A block of 128 bits, numbered (block, purpose), serves 8 elements of up to 16 bits, 4 of up
 * to 32, or 2 of up to 64: element e takes the lowest bits of field e mod k of block e / k, the fields counted from the
 * lowest word's lowest bits up. */
uint64_t bnd_random_bits(uint64_t seed, uint64_t purpose, uint64_t element, unsigned bits);

/* The same for the elements first .. first + count - 1. */
void bnd_random_fill(uint64_t *out, size_t count, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits);

#ifdef __cplusplus
}
#endif
#endif
