/* What bulk/ shares between its files.
 *
 * An array is worked on in blocks that stay in the first cache. A block is a row of words: the bits of fp32 (32) or
 * fp64 (64) numbers. Every conversion is made of three kernels,
 *
 *     round    words to words that are values of the format
 *     encode   such words to codes
 *     decode   codes to words
 *
 * so that a format, a mode or a policy is data of a plan and never a kernel of its own. What a kernel cannot do (a
 * format beyond fp64, the uneven gap of a format without subnormals) it hands to the codec, one number at a time. */
#ifndef BINADE_SRC_BULK_H
#define BINADE_SRC_BULK_H

#include <binade/bulk.h>

/* The two types of words. */
typedef enum bndi_width { BNDI_WORDS_32, BNDI_WORDS_64 } bndi_width;

/* All that a kernel needs to know of a format and a rule, in terms of the words' own type (fp32 or fp64). Results for
 * what is not an ordinary number in range are asked of the codec once, so that no policy is written down twice. */
typedef struct bndi_plan {
    bnd_format format, words; /* words: fp32 or fp64 */
    bnd_rule rule;
    bndi_width width;
    bool exact;
    unsigned random_bits;
    unsigned drop;    /* fraction bits of the word that the format lacks */
    int32_t bottom;   /* the word's exponent field where the format's lowest normal binade is */
    bool code_parity; /* one bit of precision, ties by code: evenness is that of (field + parity_offset) */
    uint32_t parity_offset;
    bool keeps_payload;          /* NaNs keep sign and payload */
    bool nonnegative_only;       /* an unsigned format whose rule makes negative numbers something else: `negative` */
    uint64_t difficult;          /* magnitudes other than zero below this are the codec's */
    uint64_t max, normal, least; /* words of the format's limits */
    uint64_t overflow[2], infinity[2], nan[2], zero[2], negative; /* words of results, by the sign of the input */
} bndi_plan;

/* The plan for words of one type. `exact` in it is false where they cannot hold every value of the format: then only
 * the codec will do, and of the rest of the plan format, words, rule and random_bits are set. */
void bndi_plan_make(bndi_plan *plan, bndi_width width, const bnd_format *f, bnd_rule rule);

typedef void bndi_round_kernel(const bndi_plan *plan, void *out, const void *in, const uint64_t *random, size_t n);
typedef void bndi_encode_kernel(const bndi_plan *plan, uint64_t *codes, const void *in, size_t n);
typedef void bndi_decode_kernel(const bndi_plan *plan, void *out, const uint64_t *codes, size_t n);

/* One of each for either type of words. round: out may be in; random has an entry for each element where the rule is
 * stochastic, and is NULL elsewhere. */
typedef struct bndi_kernels {
    bndi_round_kernel *round[2];
    bndi_encode_kernel *encode[2];
    bndi_decode_kernel *decode[2];
} bndi_kernels;

/* Each back end fills in what it has; what it leaves is the next lower one's. */
void bndi_fill_portable(bndi_kernels *kernels);

/* One word by the codec: rounded to the format, as a word again. */
uint64_t bndi_round_word(const bndi_plan *plan, uint64_t word, uint64_t random);

/* One code by the codec: the nearest word to its value; NaNs quieted, sign and payload kept. */
uint64_t bndi_decode_word(const bndi_plan *plan, uint64_t code);

static inline uint64_t bndi_word_at(bndi_width width, const void *words, size_t i)
{
    return width == BNDI_WORDS_32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static inline void bndi_set_word(bndi_width width, void *words, size_t i, uint64_t word)
{
    if (width == BNDI_WORDS_32) {
        ((uint32_t *)words)[i] = (uint32_t)word;
    } else {
        ((uint64_t *)words)[i] = word;
    }
}

/* ---- how codes lie in memory ---- */

typedef struct bndi_storage {
    unsigned bits;  /* of a code as it is stored: 8, 16, 32, 64, or any other number where codes are packed */
    unsigned shift; /* tf32 stands in the upper bits of its word */
    bool packed;    /* codes that share bytes */
} bndi_storage;

bndi_storage bndi_storage_of(const bnd_format *f, uint8_t packing);

/* n codes from or to the element `at`; packed codes only from a multiple of 8 on. */
void bndi_load_codes(uint64_t *codes, const void *memory, bndi_storage storage, size_t at, ptrdiff_t stride, size_t n);
void bndi_store_codes(void *memory, const uint64_t *codes, bndi_storage storage, size_t at, ptrdiff_t stride, size_t n);

#endif
