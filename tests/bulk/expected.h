/* What a call on an array must give, element by element: the codec's answer, and codes laid down bit by bit. */
#ifndef TESTS_BULK_EXPECTED_H
#define TESTS_BULK_EXPECTED_H

#include <binade/bulk.h>

#include "../codec/driver.h"

/* Numbers as bits: fp32 (in the lower half) or, where `wide`, fp64. */
typedef struct numbers {
    bool wide;
    size_t count;
    uint64_t *bits;
} numbers;

/* `count` operands for the format; its own stratified ones, and every kind of NaN. */
numbers numbers_for(const bnd_format *f, bool wide, size_t count, uint64_t seed);
void numbers_free(numbers *n);

/* As the calls take them, side by side. `memory` has room for count * (4 or 8) bytes. */
void numbers_write(void *memory, const numbers *n);
uint64_t number_at(const void *memory, bool wide, size_t i);

/* The random bits of element i. */
uint64_t random_of(const bnd_array *how, size_t i);

/* The answers for element i of an array. */
bnd_result expected_code(const bnd_format *f, bool wide, uint64_t bits, const bnd_array *how, size_t i);
uint64_t expected_rounded(const bnd_format *f, bool wide, uint64_t bits, const bnd_array *how, size_t i);
uint64_t expected_decoded(const bnd_format *f, bool wide, uint64_t code);

/* How codes lie in memory, written down once more: bits an element, and how far up the code stands in them. */
unsigned stored_bits(const bnd_format *f, uint8_t packing);
unsigned stored_shift(const bnd_format *f, uint8_t packing);
void put_code(void *memory, const bnd_format *f, uint8_t packing, size_t place, uint64_t code); /* into zeros */
uint64_t get_code(const void *memory, const bnd_format *f, uint8_t packing, size_t place);

/* The calls, by the type of their numbers. */
bnd_status encode_any(bool wide, void *codes, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                      bnd_stats *stats, bnd_error *why);
bnd_status decode_any(bool wide, void *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                      bnd_error *why);
bnd_status round_any(bool wide, void *y, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                     bnd_stats *stats, bnd_error *why);

/* Compares whole calls with the answers. Formats without codes are rounded to and no more. */
void check_numbers(bench *b, const bnd_format *f, const numbers *x, const bnd_array *how);
void check_decode(bench *b, const bnd_format *f, bool wide, const uint64_t *codes, size_t n, const bnd_array *how);
void check_convert(bench *b, const bnd_format *to, const bnd_format *from, const uint64_t *codes, size_t n,
                   const bnd_array *how);

/* A failure in words. */
void print_difference(const char *call, const bnd_format *f, const bnd_array *how, size_t i, uint64_t in, uint64_t got,
                      uint64_t want);

/* Memory that ends the test program where there is none. */
void *memory_of(size_t bytes);

/* Every row, the P3109 family up to 8 bits, and custom formats; then the value sets. */
typedef struct format_list {
    size_t count, with_codes;
    bnd_format *at;
} format_list;
format_list all_formats(void);

#endif
