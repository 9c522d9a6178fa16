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

#if defined(__cplusplus)
#define BND_AS(type, value) static_cast<type>(value)
#else
#define BND_AS(type, value) ((type)(value))
#endif

/* ---- the version: of these headers, and of the library that is loaded ---- */

#define BND_VERSION_MAJOR  0
#define BND_VERSION_MINOR  1
#define BND_VERSION_PATCH  0
#define BND_VERSION_STRING "0.1.0"
/* For #if: BND_VERSION_NUMBER >= 100 is "0.1.0 or newer". */
#define BND_VERSION_NUMBER (10000 * BND_VERSION_MAJOR + 100 * BND_VERSION_MINOR + BND_VERSION_PATCH)

/* The version of the library that is loaded. A program can compare it with BND_VERSION_STRING, the version of the
 * headers that it was compiled with.
 *
 * Returns: BND_VERSION_STRING as it was when the library was compiled: "0.1.0". Never NULL. */
const char *bnd_version(void);

/* ---- status and messages ---- */

typedef enum bnd_status {
    BND_OK = 0,
    BND_BAD_NAME,     /* no format, rounding mode, policy or dialect of this name */
    BND_BAD_SYNTAX,   /* text that is not a number, or a name of the right kind with impossible parts */
    BND_BAD_ARGUMENT, /* a value that the call does not accept */
    BND_NO_MEMORY,
    BND_BAD_FILE,  /* the contents are not valid for a file of this kind */
    BND_BAD_STREAM /* a file that cannot be opened, read or written */
} bnd_status;

/* The name of a status as this header spells it.
 *
 * Returns: "BND_BAD_NAME" and the like; "" for a number that is not a status. Never NULL.
 * Arguments: `status`: any number. */
const char *bnd_status_name(bnd_status status);

enum { BND_MESSAGE_SIZE = 320 };

/* The description of a failure. A caller that does not need it passes NULL. */
typedef struct bnd_error {
    bnd_status status;
    size_t where;                   /* offset in bytes into the text that was read, 0 where there is none */
    char message[BND_MESSAGE_SIZE]; /* one sentence without a final newline; cut with "..." if it is too long */
} bnd_error;

/* Fills an error and returns its status, so that a caller can end with `return bnd_fail(...)`.
 *
 * Returns: `status`.
 * Arguments: `why` (out): the error, or NULL. `status`, `where`: copied into it. `message`: a format string with %s
 *     %.*s %c %d %u %zu %lld %llu %llx %% and nothing else, followed by its arguments. A message that is too long ends
 *     with "...". */
bnd_status bnd_fail(bnd_error *why, bnd_status status, size_t where, const char *message, ...) BND_PRINTF(4, 5);

/* ---- random bits by index ---- */

/* One block of Philox4x32, the counter-based random number generator (Salmon et al. 2011).
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `out` (out): the block. `counter`: its number. `key`: the stream. `rounds`: 10 is the authors' choice. */
void bnd_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2], int rounds);

/* 64 random bits. They depend on these three numbers only.
 *
 * Returns: The bits. Cannot fail.
 * Arguments: `seed`: the seed of the run. `purpose`: keeps different uses of a seed apart. `element`: the index. */
uint64_t bnd_random(uint64_t seed, uint64_t purpose, uint64_t element);

/* The random bits of one stochastic rounding. They depend on these numbers only, not on the order of calls.
 *
 * Philox4x32-10 with the seed as its key. A block of 128 bits, numbered (block, purpose), serves 8 elements of up to 16
 * bits, 4 of up to 32, or 2 of up to 64. Element e takes the lowest bits of field e mod k of block e / k, where k is
 * that number of elements; fields are counted from the lowest bits of the lowest word up.
 *
 * Returns: `bits` random bits, in the lowest places. Cannot fail.
 * Arguments: `seed`, `purpose`, `element`: as in bnd_random. `bits`: 1 .. 64. */
uint64_t bnd_random_bits(uint64_t seed, uint64_t purpose, uint64_t element, unsigned bits);

/* bnd_random_bits for the elements first .. first + count - 1, faster than one call each.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `out` (out): `count` numbers. `seed`, `purpose`, `first`, `bits`: as in bnd_random_bits. */
void bnd_random_fill(uint64_t *out, size_t count, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits);

#ifdef __cplusplus
}
#endif
#endif
