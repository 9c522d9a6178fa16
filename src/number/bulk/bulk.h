/* Internal interface of bulk.
 *
 * An array is worked on in pieces. Its numbers are words: the bits of fp32 (32) or fp64 (64) numbers. Every call is
 * made of three kernels,
 *
 *     round    words to words that are values of the format
 *     encode   words to codes, with the same one rounding
 *     decode   codes to words
 *
 * so that a format, a mode or a policy is data of a plan and never a kernel of its own. Codes lie side by side between
 * the kernels, in words of 1, 2, 4 or 8 bytes. What a kernel cannot do (the uneven gap of a format without subnormals,
 * a NaN whose payload is kept) it leaves to the portable ones, one number at a time, and those leave numbers that do
 * not fit a word to the codec.
 *
 * A call goes down these levels:
 *   1. A plan turns a format and a rule into data for the kernels. What overflow, infinities, NaNs and zeros give is
 *      computed by the codec at the first such number, so that no policy is written twice.
 *   2. The array is cut into pieces, shared out over threads; sums of statistics are added in the order of the pieces.
 *      Kernels get whole pieces where memory is laid out plainly. Where codes share bytes, elements have a stride, or
 *      statistics or random bits are needed, pieces pass through buffers in the first-level cache.
 *   3. A back end is a file that fills slots of a table of function pointers, lowest first: portable, AVX2, AVX-512,
 *      NEON, wasm128. The vector kernels share one body (lanes_template.h) in the compiler's vector extension.
 *   4. A vector kernel does ordinary finite numbers at full speed and mends vectors with other numbers by blends. What
 *      blends cannot do goes to the portable kernels, and from there to the codec.
 * A call sets the floating-point environment once and restores it. threads.c is the only file that starts threads.
 * After fork() in a process that has used threads, the child uses one thread: the process number kept for this is the
 * only mutable variable of the library.
 *
 * Arrays of operations: arithmetic.c proves for which formats fp32 or fp64 compute an operation so that one later
 * rounding gives the right result: PLAIN, where the processor's own rounding is harmless, or ODD, where the exact
 * result is taken to odd. A chunk is decoded, computed, and rounded or encoded by the kernels of conversions, so that
 * modes, policies and random bits are written once. fp16 and bf16 go from codes to codes in one pass; other cases use
 * a table of results or one operation at a time. */
#ifndef BINADE_SRC_BULK_H
#define BINADE_SRC_BULK_H

#include <binade/bulk.h>

/* The two types of words. */
typedef enum bndi_width { BNDI_WORDS_32, BNDI_WORDS_64 } bndi_width;

/* How the vector kernels round: how the words of one format are computed from any words.
 *
 * FLOAT: x + M - M, M a power of two so large that the sum has no bit below the format's last one. Normal and
 * subnormal numbers alike, in the processor's own rounding modes; M must be a number.
 * UNIFORM: an addition and a mask on the bits. Numbers below the smallest normal one go to the portable kernel, but
 * where the format's lowest binade is that of the words: there the same bits are discarded from them.
 * PORTABLE: neither; one bit of precision. */
typedef enum bndi_family { BNDI_PORTABLE, BNDI_UNIFORM, BNDI_FLOAT } bndi_family;

/* The steps of the vector kernels. FLOAT_*: x + M in the rounding mode that is set; then an addition to the bits below
 * the last one, or an odd bit. BITS_*: additions to the bits of x. */
typedef enum bndi_step {
    FLOAT_MODE,
    FLOAT_ADD,
    FLOAT_ODD,
    BITS_NEAREST,
    BITS_ADD,
    BITS_SIGNED,
    BITS_ODD,
    BITS_RANDOM
} bndi_step;

/* Results for inputs that are special or out of range, by the sign of the input. The codec computes them, so that no
 * policy is implemented twice, and only at the first such number, since most arrays have none. */
typedef struct bndi_results {
    bool asked;
    uint64_t overflow[2], infinity[2], nan[2], zero[2], negative;
} bndi_results;

/* What the kernels compute on demand for a plan, kept by a caller with many short arrays of one plan (converter.c): the
 * results for special numbers, and codes of at most 8 bits as words. */
typedef struct bndi_known {
    bndi_results words, codes;
    bool upper_halves;               /* all that is in the words of the codes 0 .. 127: two bytes of each */
    uint8_t third[128], fourth[128]; /* of the bytes of a word, the lowest first */
} bndi_known;

/* All that a kernel needs to know of a format and a rule, in terms of the words' own type (fp32 or fp64): made by
 * conversion_plan.c, read by every kernel. Limits are magnitudes, as words; u is the magnitude of a number.
 *
 * The limits and constants, with their values for fp16 in fp32 words, to nearest even. fp16 has 10 fraction bits, emin
 * -14, and 65504 as its largest number:
 *
 *   member            fp16 in fp32                  meaning
 *   family            FLOAT                         x + M - M rounds, in the processor's own mode (mode_to_set)
 *   decode_family     FLOAT                         a subnormal code is 1.f 2^e - 2^e
 *   drop              13                            23 - 10: fraction bits of the word that the format lacks
 *   bottom            113                           -14 + 127: the word's exponent field of 2^emin
 *   code_bottom       113                           a normal code is (u >> drop) - ((code_bottom - 1) << 10)
 *   max               477fe000   65504              the largest number
 *   normal            38800000   2^-14              the smallest normal one
 *   least             33800000   2^-24              the smallest one above zero
 *   codec_below       0                             0 < u < this: the codec's. `least` in formats without subnormals,
 *                                                   whose lowest gap is wider than the rest; 00800000 where `least` is
 *                                                   a subnormal word; at least `normal` where tiny results become zero
 *   portable_below    0                             0 < u < this: the portable kernel's. At least codec_below; `normal`
 *                                                   for UNIFORM, whose subnormals discard other bits; 00800000 with
 *                                                   flush_in; `least` without a zero
 *   plain_low         0                             u - plain_low <= plain_span: the vector kernel suffices.
 *                                                   At least portable_below; `normal` with flush_out; `least` without
 *                                                   a negative zero (a result of -0 must be mended)
 *   plain_span        477fe000                      max - plain_low
 *   overflow_from     47800000   65536              from here on all modes overflow; from max to here by mode
 *   magic             06800000   13 << 23           added to the exponent field of u: M is 2^13 times its power
 *   code_magic        06803c00   and 3c00           3c00 = -(113 << 10) mod 2^15: the code offset, in the low bits of M
 *   code_low          0                             a code's magnitude c is plain where c - code_low <= code_span
 *   code_span         7bff                          the code of 65504
 *   extra             0                             8 for SRA with 8 random bits: then magic is 02800000
 *
 * So 1.0007324 (3f801800) has M = 3f800000 + 06800000 = 46000000 (8192), and x + M - M = 3f802000. Its code: with
 * code_magic M is 46003c00, x + M = 46004001; plus 3f800000 >> 13 that is 46023c01, whose low 15 bits are 3c01. */
typedef struct bndi_plan {
    bnd_format format;
    const bnd_format *words; /* fp32 or fp64 */
    bnd_rule rule;
    bndi_width width;
    bool exact;            /* words hold every value of the format; else only the members above and random_* are set */
    uint8_t family;        /* bndi_family, of round and encode */
    uint8_t decode_family; /* FLOAT: subnormal numbers by a difference */
    unsigned random_bits;
    unsigned random_bytes; /* of an entry of the random array: 2, 4 or 8; 0 where there is none */
    unsigned code_bytes;   /* of a code between kernels: 1, 2, 4, 8 */
    unsigned code_shift;   /* position of the code in it: tf32 */
    bool upper_half;       /* a finite code of 16 bits is the upper half of the rounded word of fp32 */
    bool stream;           /* stores bypass the caches; outputs are aligned to 64 bytes */
    unsigned drop;
    int32_t bottom;
    int32_t code_bottom; /* one more than `bottom` in formats without subnormals */
    bool code_parity;    /* one bit of precision, ties by code: evenness is that of (field + parity_offset) */
    uint32_t parity_offset;
    bool keeps_payload;    /* NaNs keep sign and payload */
    bool nonnegative_only; /* an unsigned format whose rule makes negative numbers something else: `negative` */
    uint64_t codec_below, max, normal, least;

    /* For the vector kernels. */
    uint64_t plain_low, plain_span, overflow_from, portable_below;
    uint64_t magic, code_magic;   /* of FLOAT */
    uint64_t code_low, code_span; /* of decode */
    unsigned extra;               /* FLOAT: bits kept below the format's last one, for the random ones */
    unsigned mode_to_set;         /* bnd_rounding that FLOAT's additions take */

    const bndi_known *known; /* NULL: nothing yet */
} bndi_plan;

/* The plan for words of one type. `exact` in it is false where they cannot hold every value of the format: then only
 * the codec will do, and of the rest of the plan format, words, rule and the random_ members are set. */
void bndi_plan_make(bndi_plan *plan, bndi_width width, const bnd_format *f, bnd_rule rule);

/* The results as words or as codes; the first call gets them from the codec. */
void bndi_ask(const bndi_plan *plan, bool as_codes, bndi_results *results);

/* Which codes the kernels read and write. */
void bndi_plan_codes(bndi_plan *plan, unsigned code_bytes, unsigned code_shift);

/* fp32 or fp64. */
const bnd_format *bnd_lab_format_of_words(bndi_width width);

/* Can words of this type hold every value of f, and the power of two where its normal numbers begin? */
bool bnd_lab_words_hold(bndi_width width, const bnd_format *f);

/* Is a plan for words of this type exact? Formats count, too, of which only the least number is a subnormal word. */
bool bndi_words_convert(bndi_width width, const bnd_format *f);

/* ---- statistics of a piece of an array, on their way into bnd_stats ---- */

enum { BNDI_LANES = 16, BNDI_BINS = 64, BNDI_BIN_BATCH = 512 };

/* Counts; magnitudes as words of double; sums in sixteen lanes, element i of the piece in lane i mod 16. */
typedef struct bndi_tally {
    uint64_t elements, exact, inexact, underflows, to_zero, overflows, saturated;
    uint64_t infinities_in, nans_in, nans_out, compared;
    uint64_t largest, smallest; /* bits of doubles; smallest 0 where there is none */
    double error[BNDI_LANES], input[BNDI_LANES];
    uint64_t bins[BNDI_BINS];
} bndi_tally;

/* ---- kernels ---- */

/* They run in an environment that environment.h has set: rounding to mode_to_set (tally: to nearest even).
 *
 * round and encode: random has an entry of random_bytes for each element where the rule is stochastic, and is NULL
 * elsewhere. y may be x. */
typedef void bndi_round_kernel(const bndi_plan *plan, void *y, const void *x, const void *random, size_t n);
typedef void bndi_encode_kernel(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n);
typedef void bndi_decode_kernel(const bndi_plan *plan, void *y, const void *codes, size_t n);

/* The random bits of elements first .. first + n - 1, as entries of 2, 4 or 8 bytes for up to 16, 32 or 64 bits. */
typedef void bndi_random_kernel(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits);

/* Whole blocks of that field by their numbers, 16 bytes each; n is a multiple of BNDI_RANDOM_UNIT. */
enum { BNDI_RANDOM_UNIT = 32 };
typedef void bndi_random_blocks_kernel(void *out, const uint64_t *blocks, size_t n, uint64_t seed, uint64_t purpose,
                                       unsigned bits);

/* Runs of neighbouring blocks: `rows` of them `row` blocks apart, and that `steps` times `step` blocks apart. `run` (4,
 * 8 or 16) blocks in each; rows a multiple of 4. They come one after another, with room for BNDI_RANDOM_UNIT blocks
 * after the last. False where a back end cannot: nothing is written then. */
typedef struct bndi_runs {
    uint64_t first, row, step;
    size_t rows, steps, run;
} bndi_runs;
typedef bool bndi_random_runs_kernel(void *out, const bndi_runs *runs, uint64_t seed, uint64_t purpose, unsigned bits);

/* Counts n elements, x rounded to y (words of the plan's format). Calls follow each other in the order of the elements,
 * all but the last with n a multiple of BNDI_LANES. */
typedef void bndi_tally_kernel(const bndi_plan *plan, bndi_tally *tally, const void *x, const void *y,
                               const void *random, size_t n);

/* Rounding or encoding, and the tally, in one pass, for plans that `counts` accepts; none of these needs random bits.
 * The mode is mode_to_set. y may be x. Numbers that it cannot do go to the other kernels of `kernels`. */
typedef struct bndi_kernels bndi_kernels;
typedef bool bndi_counts_kernel(const bndi_plan *plan, bool to_codes);
typedef void bndi_count_kernel(const bndi_kernels *kernels, const bndi_plan *plan, bndi_tally *tally, bool to_codes,
                               void *y, const void *x, size_t n);

/* Codes in words of code_bytes to codes of `bits` bits back to back, and the reverse. */
typedef void bndi_pack_kernel(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n);
typedef void bndi_unpack_kernel(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n);

/* ---- operations ---- */

/* How words compute an operation. ODD: the exact result rounded to odd in the words' precision; any later rounding of
 * it is correct. PLAIN: the processor's own result, if that rounding is innocuous. arithmetic.c derives when. */
typedef enum bndi_arithmetic_way { BNDI_BY_CODEC, BNDI_PLAIN, BNDI_ODD } bndi_arithmetic_way;

/* Of a reciprocal root in fp64, as many leading bits are on the right side of every number of as many. */
enum { BNDI_RSQRT_BITS = 40 };

/* Codes that have kernels of their own, which decode, compute and encode in one go. */
typedef enum bndi_fused { BNDI_NOT_FUSED, BNDI_FUSED_HALF, BNDI_FUSED_UPPER } bndi_fused;

typedef struct bndi_arithmetic {
    bnd_operation operation;
    unsigned operands;
    bndi_width width;
    uint8_t way;                   /* bndi_arithmetic_way */
    uint8_t fused;                 /* bndi_fused */
    unsigned mode;                 /* bnd_rounding that the operation is computed in */
    bool minus_zero;               /* exact zeros of sums are negative */
    bool stream;                   /* stores go past the caches */
    uint64_t high;                 /* magnitudes of results from here on may be wrong */
    uint64_t low_result, low_from; /* nor, unless an operand is zero, those of results (of fma: products) below the
                                      first, or where that of the operand that is divided, or whose root is taken, is
                                      below the second */
} bndi_arithmetic;

/* Chooses how `operation` is computed for operands of these formats, with the result rounded to `to`. `odd`: only
 * BNDI_ODD is allowed. The way is BNDI_BY_CODEC if words of this width are not enough. */
void bndi_arithmetic_make(bndi_arithmetic *a, bndi_width width, bnd_operation operation, const bnd_format *to,
                          const bnd_format *const *from, bnd_rule rule, bool odd);

/* Words of the operands to words of results. A result that may be wrong becomes NaN; returns true if there is one. */
typedef bool bndi_compute_kernel(const bndi_arithmetic *a, void *result, const void *const *operands, size_t n);

/* Codes to codes, in the mode of `a`. Returns the number of elements done; it stops before a group with a result that
 * is infinite or NaN, and before the last few. steps: from one element to the next, 0 or 1: an operand that stays the
 * same is repeated BNDI_FUSED_GROUP times. */
enum { BNDI_FUSED_GROUP = 64 };
typedef size_t bndi_fused_kernel(const bndi_arithmetic *a, void *result, const void *const *operands,
                                 const size_t *steps, size_t n);

/* A back end: one kernel of each kind for both types of words. NULL: the back end does not have this kernel. */
struct bndi_kernels {
    bndi_compute_kernel *compute[2];
    bndi_fused_kernel *fused;
    bndi_round_kernel *round[2];
    bndi_encode_kernel *encode[2];
    bndi_decode_kernel *decode[2];
    bndi_tally_kernel *tally[2];
    bndi_counts_kernel *counts; /* of fp32 words; NULL where there is none */
    bndi_count_kernel *count;
    bndi_random_kernel *random;
    bndi_random_blocks_kernel *random_blocks;
    bndi_random_runs_kernel *random_runs; /* NULL where there is none */
    bndi_pack_kernel *pack;
    bndi_unpack_kernel *unpack;
};

/* Each back end fills in the kernels that it has; the others remain those of the back end below it. */
void bndi_fill_portable(bndi_kernels *kernels);
void bndi_fill_avx2(bndi_kernels *kernels);
void bndi_fill_avx512(bndi_kernels *kernels);
void bndi_fill_neon(bndi_kernels *kernels);
void bndi_fill_wasm128(bndi_kernels *kernels);

/* x, or NULL in a build without the back end. */
#if defined(BNDI_WITH_AVX2)
#define BNDI_AVX2(x) (x)
#else
#define BNDI_AVX2(x) NULL
#endif
#if defined(BNDI_WITH_AVX512)
#define BNDI_AVX512(x) (x)
#else
#define BNDI_AVX512(x) NULL
#endif
#if defined(BNDI_WITH_NEON)
#define BNDI_NEON(x) (x)
#else
#define BNDI_NEON(x) NULL
#endif
#if defined(BNDI_WITH_WASM128)
#define BNDI_WASM128(x) (x)
#else
#define BNDI_WASM128(x) NULL
#endif

/* The rows of other kernels, for bnd_lab_row_of: those that one file makes, compiled for each back end of x86. */
#define BNDI_ROWS(name)                                                                                                \
    {                                                                                                                  \
        [BND_BACKEND_PORTABLE] = &name##_portable, [BND_BACKEND_AVX2] = BNDI_AVX2(&name##_avx2),                       \
        [BND_BACKEND_AVX512] = BNDI_AVX512(&name##_avx512)                                                             \
    }

/* The row of the back end that serves a context, or of the next one below it that has a row. rows[BND_BACKEND_PORTABLE]
 * is not NULL. A context of NULL, or one whose back end is not here, means the best back end. The environment is not
 * read. */
const void *bnd_lab_row_of(const bnd_context *context, const void *const rows[BND_BACKEND_COUNT]);

/* Is there everything that a call is told to use? */
bnd_status bndi_check_choices(const bnd_array *how, bnd_error *why);
/* What calls on arrays refuse of a context; NULL is fine. */
bnd_status bnd_lab_check_context(const bnd_context *context, bnd_error *why);

/* Refuses a value other than zero in the reserved members, ORed together, of a structure of this type. */
bnd_status bndi_check_reserved(uint64_t reserved, const char *type, bnd_error *why);

/* The kernels of the back end that serves a context, as bnd_lab_row_of chooses it. */
bndi_kernels bnd_lab_kernels_of(const bnd_context *context);

/* Are this many bytes, read and written, better written past the caches? The limit was measured
 * (doc/dev/performance-notes.md), since a machine does not say how much of a shared cache a process has. */
static inline bool bndi_beyond_the_caches(size_t bytes)
{
    return bytes >= (size_t)32 << 20;
}

bndi_round_kernel bndi_round_32, bndi_round_64;
bndi_encode_kernel bndi_encode_32, bndi_encode_64;
bndi_decode_kernel bndi_decode_32, bndi_decode_64;
bndi_tally_kernel bndi_tally_32, bndi_tally_64;
bndi_random_kernel bndi_random;
bndi_random_blocks_kernel bndi_random_blocks;
bndi_pack_kernel bndi_pack_bits;
bndi_unpack_kernel bndi_unpack_bits;

/* The flags of one rounding that the kernels have done already, and their counts. */
uint32_t bndi_flags_of(const bndi_plan *plan, uint64_t in, uint64_t out, uint64_t random);
void bndi_tally_flags(bndi_tally *tally, uint32_t flags); /* of a finite number: exact where none says otherwise */
void bndi_tally_instead(bndi_tally *tally, uint32_t counted, uint32_t flags); /* ... which was counted with others */

/* For the vector kernels, in words of the plan. The smallest magnitude that is not tiny, and the smallest one that
 * overflows, by sign; where random bits decide, the smallest one that perhaps is not tiny, or perhaps overflows. And
 * the extremes of the magnitudes other than zero (largest 0: there were none). */
uint64_t bndi_not_tiny_from(const bndi_plan *plan, bool negative);
uint64_t bndi_overflows_from(const bndi_plan *plan, bool negative);
void bndi_tally_extremes(bndi_tally *tally, bndi_width width, uint64_t largest, uint64_t smallest);

void bnd_lab_count_scale(bnd_stats *stats, double scale); /* if positive and finite */

/* Adds a tally to the caller's statistics. */
void bnd_lab_tally_add(bnd_stats *stats, const bndi_tally *tally);

/* ---- conversions made ready once, for many short arrays (converter.c) ---- */

/* Between numbers and codes that lie side by side in whole words, by a rule that needs no random bits. */
typedef struct bndi_ready {
    bndi_kernels kernels;
    bndi_plan plan; /* points at `known`: a copy would not */
    bndi_known known;
} bndi_ready;

/* False: these need a call, with all that it looks after; *r is as it was. */
bool bnd_lab_ready_make(bndi_ready *r, bndi_width width, const bnd_format *f, bnd_rule rule,
                        const bnd_context *context);
bool bnd_lab_ready_for(const bndi_ready *r, bndi_width width, const bnd_format *f, bnd_rule rule);

void bnd_lab_ready_encode(const bndi_ready *r, void *codes, const void *x, size_t n);
void bnd_lab_ready_decode(const bndi_ready *r, void *x, const void *codes, size_t n);
void bnd_lab_ready_round(const bndi_ready *r, void *y, const void *x, size_t n);
/* x, which became y: both are numbers of the width. */
void bnd_lab_ready_count(const bndi_ready *r, bndi_tally *tally, const void *x, const void *y, size_t n);

/* One element by flags that the codec gave: for what no word can hold. */
void bndi_tally_one(bndi_tally *tally, const bnd_format *from, uint64_t in, const bnd_format *to, bnd_result result);

/* One word by the codec: rounded to the format, as a word again. */
uint64_t bndi_round_word(const bndi_plan *plan, uint64_t word, uint64_t random);

/* One code by the codec: the nearest word to its value; NaNs quieted, sign and payload kept. */
uint64_t bndi_decode_word(const bndi_plan *plan, uint64_t code);

/* ---- words of 1, 2, 4 or 8 bytes in memory, at any alignment ---- */

static inline uint64_t bndi_get(const void *memory, unsigned bytes, size_t i)
{
    uint8_t w8;
    uint16_t w16;
    uint32_t w32;
    uint64_t w64;
    switch (bytes) {
    case 1:
        __builtin_memcpy(&w8, (const char *)memory + i, 1);
        return w8;
    case 2:
        __builtin_memcpy(&w16, (const char *)memory + 2 * i, 2);
        return w16;
    case 4:
        __builtin_memcpy(&w32, (const char *)memory + 4 * i, 4);
        return w32;
    default:
        __builtin_memcpy(&w64, (const char *)memory + 8 * i, 8);
        return w64;
    }
}

static inline void bndi_put(void *memory, unsigned bytes, size_t i, uint64_t word)
{
    uint8_t w8 = (uint8_t)word;
    uint16_t w16 = (uint16_t)word;
    uint32_t w32 = (uint32_t)word;
    switch (bytes) {
    case 1:
        __builtin_memcpy((char *)memory + i, &w8, 1);
        break;
    case 2:
        __builtin_memcpy((char *)memory + 2 * i, &w16, 2);
        break;
    case 4:
        __builtin_memcpy((char *)memory + 4 * i, &w32, 4);
        break;
    default:
        __builtin_memcpy((char *)memory + 8 * i, &word, 8);
        break;
    }
}

static inline size_t bndi_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The word of fp32 or fp64 nearest to any value; NaNs keep sign and payload, and are quiet. */
static inline uint64_t bndi_nearest_word(const bnd_format *words, bnd_exact value)
{
    return bnd_encode_exact(words, value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

/* ---- how codes lie in memory ---- */

typedef struct bndi_storage {
    unsigned bits;  /* of a code as it is stored: 8, 16, 32, 64, or any other number where codes are packed */
    unsigned shift; /* tf32 is in the upper bits of its word */
    bool packed;    /* codes that share bytes */
} bndi_storage;

bndi_storage bnd_lab_storage_of(const bnd_format *f, uint8_t packing);

/* n elements of 1, 2, 4 or 8 bytes from or to the element `at` of an array whose elements are `stride` apart. */
void bnd_lab_gather(void *words, const void *array, unsigned bytes, size_t at, ptrdiff_t stride, size_t n);
void bnd_lab_scatter(void *array, const void *words, unsigned bytes, size_t at, ptrdiff_t stride, size_t n);

/* The first of n words of 1, 2, 4 or 8 bytes, as memory has them, that has one of these bits; n where none has. */
size_t bndi_first_with(const void *array, unsigned bytes, ptrdiff_t stride, uint64_t bits, size_t n);

/* The bytes of each word turned round: codes are little-endian in memory on every machine. */
void bnd_lab_swap(void *words, unsigned bytes, size_t n);

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BNDI_BIG_ENDIAN 1
#else
#define BNDI_BIG_ENDIAN 0
#endif

#endif
