/* What a call on an array must give, element by element: the codec's answer, codes laid down bit by bit, and what the
 * statistics owe. Nothing here knows of back ends. */
#ifndef TESTS_BULK_EXPECTED_H
#define TESTS_BULK_EXPECTED_H

#include <binade/bulk.h>

#include "tests/support/comparison.h"
#include "tests/support/memory.h"

/* ---- how codes lie in memory, written down once more ---- */

/* Bits an element, and how far up the code stands in them. fp32 and fp64 numbers are the codes of these formats. */
unsigned stored_bits(const bnd_format *f, uint8_t packing);
unsigned stored_shift(const bnd_format *f, uint8_t packing);
size_t stored_bytes(const bnd_format *f, uint8_t packing, size_t n);
void put_code(void *memory, const bnd_format *f, uint8_t packing, size_t place, uint64_t code); /* into zeros */
uint64_t get_code(const void *memory, const bnd_format *f, uint8_t packing, size_t place);

/* n elements side by side, whatever stood there. */
void put_codes(void *memory, const bnd_format *f, uint8_t packing, const uint64_t *codes, size_t n);

/* Elements in whole words `stride` apart (0 means 1), as the calls count: bytes of them and of what lies between; which
 * place element i of n has, counted from the lowest; and n elements put down, the rest filled. Returns where element 0
 * stands. */
size_t strided_bytes(const bnd_format *f, uint8_t packing, size_t n, ptrdiff_t stride);
size_t strided_place(size_t i, size_t n, ptrdiff_t stride);
void *put_strided(void *memory, const bnd_format *f, uint8_t packing, const uint64_t *codes, size_t n,
                  ptrdiff_t stride);

/* ---- the calls ---- */

typedef enum call_kind { ENCODE, DECODE, ROUND, CONVERT } call_kind;

/* One of the calls of bulk.h. */
typedef struct call {
    call_kind kind;
    bool wide;          /* numbers are fp64 */
    const char *name;   /* "encode_f32" */
    bnd_format in, out; /* what the elements are */
    bnd_format f;       /* what is rounded to, or decoded */
} call;

call encode_call(const bnd_format *f, bool wide);
call decode_call(const bnd_format *f, bool wide);
call round_call(const bnd_format *f, bool wide);
call convert_call(const bnd_format *to, const bnd_format *from);

/* The latest call that was made: what to say where it ends the program. */
typedef struct attempt {
    const call *c;
    bnd_array how;
    size_t n;
} attempt;
extern attempt latest;

/* Decoding has no statistics, and `stats` is not looked at there. */
bnd_status run_call(const call *c, void *out, const void *in, size_t n, const bnd_array *how, bnd_stats *stats);

/* ---- the answers ---- */

/* The number nearest to a value, with a NaN's sign and payload: how every result becomes fp32 or fp64. */
uint64_t number_nearest_to(const bnd_format *type, bnd_exact value);

/* The random bits of element i. */
uint64_t random_of(const bnd_array *how, size_t i);

/* Element i, whose input is this code (or number). */
uint64_t answer_of(const call *c, uint64_t in, const bnd_array *how, size_t i);
uint32_t flags_of(const call *c, uint64_t in, const bnd_array *how, size_t i);

/* What the statistics of a call owe: counts, and sums in the order that bulk.h lays down. */
typedef struct tally {
    bnd_stats stats;
    double error[16], input[16]; /* of the piece that is being counted */
} tally;

/* The next element; and the end of the call. */
void count_element(tally *t, const call *c, uint64_t in, uint64_t out, uint32_t flags);
void end_tally(tally *t);

/* ---- operands ---- */

/* `count` of them (to be freed): for numbers the format's own stratified ones and every kind of NaN, for codes random
 * ones with exponent fields all zeros and all ones. */
uint64_t *operands_of(const call *c, size_t count, uint64_t seed);

/* Many of them, as they lie in memory: some thousands over and over, since to compute them takes longer than a call. */
unsigned char *many_operands(const call *c, uint8_t packing, size_t n, uint64_t seed);

/* Every row, the P3109 family up to 8 bits and some of the wider ones, and custom formats; then the value sets. */
typedef struct format_list {
    size_t count, with_codes;
    bnd_format *at;
} format_list;
format_list all_formats(void);

/* A format for each width of a code in memory, and for each way of going through a word. */
enum { LAYOUTS = 16 };
bnd_format layout_at(size_t i);

/* The calls that a format takes part in; `other` is what it is converted from and to. */
enum { CALLS = 8 };
void calls_of(call calls[CALLS], const bnd_format *f, const bnd_format *other);

#endif
