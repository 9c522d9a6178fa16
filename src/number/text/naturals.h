/* Natural numbers of any size, in words that the caller provides: nothing here allocates or fails. The range of the
 * formats bounds the words of a result, and each function documents how many words it writes. */
#ifndef BINADE_SRC_TEXT_NATURALS_H
#define BINADE_SRC_TEXT_NATURALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `size` words, the least significant first, the last one not 0. Zero has no words. */
typedef struct bndi_natural {
    uint64_t *word;
    size_t size;
} bndi_natural;

/* The number of words for `bits` bits. */
#define BNDI_NATURAL_WORDS(bits) (((bits) + 63) / 64)

/* high * 2^64 + low. Writes 2 words. */
bndi_natural bndi_natural_of(uint64_t *words, uint64_t high, uint64_t low);

uint64_t bndi_natural_bits(const bndi_natural *a);  /* up to the leading one; 0 of zero */
uint64_t bndi_natural_zeros(const bndi_natural *a); /* below the last one; 0 of zero */
int bndi_natural_compare(const bndi_natural *a, const bndi_natural *b);

/* The 64 bits from the bit `from` up. */
uint64_t bndi_natural_word_at(const bndi_natural *a, uint64_t from);
/* Is one of the lowest `count` bits set? */
bool bndi_natural_has_below(const bndi_natural *a, uint64_t count);
/* Is (a mod 2^count) + more >= 2^count: does adding `more` change the bits above the lowest `count`? */
bool bndi_natural_carries(const bndi_natural *a, uint64_t count, uint64_t more);

void bndi_natural_add(bndi_natural *a, const bndi_natural *b);      /* a += b: one word more than the longer one */
void bndi_natural_subtract(bndi_natural *a, const bndi_natural *b); /* a -= b, where a >= b */
void bndi_natural_subtract_word(bndi_natural *a, uint64_t word);    /* a -= word, where a >= word */
void bndi_natural_shift_left(bndi_natural *a, uint64_t bits);       /* one word more than the result has */
bool bndi_natural_shift_right(bndi_natural *a, uint64_t bits);      /* true where a one was shifted out */
void bndi_natural_keep_below(bndi_natural *a, uint64_t count);      /* a mod 2^count */

/* a * factor + more, with one word more at most. */
void bndi_natural_multiply_word(bndi_natural *a, uint64_t factor, uint64_t more);
/* a / divisor, in place; returns the remainder. */
uint64_t bndi_natural_divide_word(bndi_natural *a, uint64_t divisor);
/* out = a * b, neither of which lies in out. Writes a.size + b.size words. */
void bndi_natural_multiply(bndi_natural *out, const bndi_natural *a, const bndi_natural *b);
/* quotient = a / b, which is not 0, and a becomes the remainder. a and b have room for one word more each, quotient for
 * a.size - b.size + 1. The time is proportional to (quotient's words) * (b's words). */
void bndi_natural_divide(bndi_natural *quotient, bndi_natural *a, const bndi_natural *b);

enum { BNDI_FIVES_IN_WORD = 27 }; /* 5^27 < 2^63 */
uint64_t bndi_power_of_five_word(unsigned exponent);
/* a *= 5^exponent. Writes the words of the result and one more. */
void bndi_natural_multiply_fives(bndi_natural *a, uint64_t exponent);

/* ---- digits ---- */

/* a = a * base^count + the number that the digits denote; base 10 or 16. */
void bndi_natural_read(bndi_natural *a, const char *digits, size_t count, unsigned base);

/* Nineteen decimal digits fit in a word. */
enum { BNDI_CHUNK_DIGITS = 19 };
#define BNDI_CHUNK_POWER UINT64_C(10000000000000000000)

/* Converts a number to decimal digits, nineteen per word. The chunks overwrite it, filling its `capacity` words from
 * the end, and are in order with the most significant first. Returns the first of *count chunks. Per step the number
 * loses 63.1 bits and the chunks grow by 64, so the capacity must be at least BNDI_CHUNKS_CAPACITY of its words.
 * BNDI_CHUNKS_AT_ONCE chunks are made per step. */
enum { BNDI_CHUNKS_AT_ONCE = 4 };
#define BNDI_CHUNKS_CAPACITY(words) ((words) + (words) / 64 + 2 + BNDI_CHUNKS_AT_ONCE)
uint64_t *bndi_natural_to_chunks(bndi_natural *a, size_t capacity, size_t *count);

/* Writes nineteen digits, leading zeros too. */
void bndi_chunk_digits(char *out, uint64_t chunk);

/* ---- two words by one ---- */

/* Divides (high, low) by a divisor with its top bit set, high < divisor. `reciprocal` is that of the divisor. */
uint64_t bndi_word_reciprocal(uint64_t divisor);
uint64_t bndi_divide_words(uint64_t high, uint64_t low, uint64_t divisor, uint64_t reciprocal, uint64_t *remainder);

#endif
