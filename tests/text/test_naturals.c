/* Each function of naturals.h against GMP, with sizes and words at random and at the ends; and that the bound of a cut
 * number is one. */
#include "tests.h"

#include "text/powers_of_ten.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 48, CAPACITY = 2 * BNDI_CHUNKS_CAPACITY(3 * MOST) };

/* A number of both kinds. Behind it `words` has a pattern, to see what is read that should not be. */
typedef struct pair {
    uint64_t words[CAPACITY];
    bndi_natural own;
    mpz_t gmp;
} pair;

static void open_pair(pair *p)
{
    mpz_init(p->gmp);
}

static void close_pair(pair *p)
{
    mpz_clear(p->gmp);
}

/* Words of all kinds: random, zeros, ones, one bit, next to these. */
static uint64_t some_word(draw *from)
{
    uint64_t random = drawn(from);
    switch (drawn_below(from, 8)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << random % 64;
    case 3:
        return (UINT64_C(1) << random % 64) - 1;
    case 4:
        return 0 - (UINT64_C(1) << random % 64);
    case 5:
        return random >> random % 64;
    default:
        return random;
    }
}

static void set(pair *p, draw *from, size_t size)
{
    memset(p->words, 0xa5, sizeof p->words);
    p->own = (bndi_natural){.word = p->words};
    for (size_t i = 0; i < size; i++) {
        p->words[i] = some_word(from);
        p->own.size = p->words[i] != 0 ? i + 1 : p->own.size;
    }
    mpz_import(p->gmp, p->own.size, -1, sizeof(uint64_t), 0, 0, p->words);
}

static size_t some_size(draw *from)
{
    return (size_t)drawn_below(from, drawn_below(from, 4) == 0 ? MOST : 6);
}

static bool same(const bndi_natural *own, const mpz_t gmp)
{
    size_t size = mpz_size(gmp);
    bool trimmed = own->size == 0 || own->word[own->size - 1] != 0;
    bool equal = own->size == size && trimmed;
    for (size_t i = 0; equal && i < size; i++) {
        equal = own->word[i] == mpz_getlimbn(gmp, (mp_size_t)i);
    }
    return equal;
}

static uint64_t wrong;

static void expect(bool right, const char *what, uint64_t i)
{
    if (!right && worth_printing(&wrong)) {
        printf("%s, case %llu\n", what, (unsigned long long)i);
    }
}

/* ---- what is read of a number ---- */

static void check_bits(pair *a, pair *b, draw *from, uint64_t i)
{
    mpz_t x;
    mpz_init(x);
    uint64_t bits = mpz_sgn(a->gmp) == 0 ? 0 : mpz_sizeinbase(a->gmp, 2), count = drawn_below(from, bits + 130);
    expect(bndi_natural_bits(&a->own) == bits, "bits", i);
    expect(bndi_natural_zeros(&a->own) == (bits == 0 ? 0 : mpz_scan1(a->gmp, 0)), "zeros", i);
    int order = mpz_cmp(a->gmp, b->gmp);
    expect(bndi_natural_compare(&a->own, &b->own) == (order > 0) - (order < 0), "compare", i);
    mpz_tdiv_q_2exp(x, a->gmp, count);
    expect(bndi_natural_word_at(&a->own, count) == mpz_getlimbn(x, 0), "word_at", i);
    mpz_tdiv_r_2exp(x, a->gmp, count);
    expect(bndi_natural_has_below(&a->own, count) == (mpz_sgn(x) != 0), "has_below", i);
    uint64_t more = some_word(from);
    mpz_add_ui(x, x, more);
    bool carries = mpz_sgn(x) != 0 && mpz_sizeinbase(x, 2) > count;
    expect(bndi_natural_carries(&a->own, count, more) == carries, "carries", i);
    mpz_clear(x);
}

static void check_carries_at_the_edge(void)
{
    uint64_t words[5] = {0};
    for (uint64_t count = 0; count <= 256; count++) { /* all ones below, and one less */
        for (int ones = 0; ones < 2; ones++) {
            mpz_t x;
            mpz_init_set_ui(x, 1);
            mpz_mul_2exp(x, x, count);
            mpz_sub_ui(x, x, 1);
            if (ones == 0 && count > 0) {
                mpz_clrbit(x, count - 1);
            }
            memset(words, 0, sizeof words);
            mpz_export(words, NULL, -1, sizeof words[0], 0, 0, x);
            bndi_natural a = {.word = words, .size = mpz_size(x)};
            expect(bndi_natural_carries(&a, count, 1) == (ones != 0 || count == 0), "carries at the edge", count);
            expect(!bndi_natural_carries(&a, count, 0), "nothing carries", count);
            mpz_clear(x);
        }
    }
}

/* ---- what is done to it ---- */

static void check_sums(pair *a, pair *b, draw *from, uint64_t i)
{
    bndi_natural_add(&a->own, &b->own);
    mpz_add(a->gmp, a->gmp, b->gmp);
    expect(same(&a->own, a->gmp), "add", i);
    bndi_natural_subtract(&a->own, &b->own);
    mpz_sub(a->gmp, a->gmp, b->gmp);
    expect(same(&a->own, a->gmp), "subtract", i);
    uint64_t word = some_word(from);
    if (mpz_cmp_ui(a->gmp, word) >= 0) {
        bndi_natural_subtract_word(&a->own, word);
        mpz_sub_ui(a->gmp, a->gmp, word);
        expect(same(&a->own, a->gmp), "subtract_word", i);
    }
}

static void check_shifts(pair *a, draw *from, uint64_t i)
{
    uint64_t left = drawn_below(from, 300), right = drawn_below(from, 500), kept = drawn_below(from, 2000);
    bndi_natural_shift_left(&a->own, left);
    mpz_mul_2exp(a->gmp, a->gmp, left);
    expect(same(&a->own, a->gmp), "shift_left", i);
    bool lost = mpz_sgn(a->gmp) != 0 && mpz_scan1(a->gmp, 0) < right;
    expect(bndi_natural_shift_right(&a->own, right) == lost, "shift_right says what it lost", i);
    mpz_tdiv_q_2exp(a->gmp, a->gmp, right);
    expect(same(&a->own, a->gmp), "shift_right", i);
    bndi_natural_keep_below(&a->own, kept);
    mpz_tdiv_r_2exp(a->gmp, a->gmp, kept);
    expect(same(&a->own, a->gmp), "keep_below", i);
}

static void check_products(pair *a, pair *b, pair *product, draw *from, uint64_t i)
{
    product->own = (bndi_natural){.word = product->words};
    bndi_natural_multiply(&product->own, &a->own, &b->own);
    mpz_mul(product->gmp, a->gmp, b->gmp);
    expect(same(&product->own, product->gmp), "multiply", i);
    uint64_t factor = some_word(from), more = some_word(from), fives = drawn_below(from, 200);
    bndi_natural_multiply_word(&a->own, factor, more);
    mpz_mul_ui(a->gmp, a->gmp, factor);
    mpz_add_ui(a->gmp, a->gmp, more);
    expect(same(&a->own, a->gmp), "multiply_word", i);
    bndi_natural_multiply_fives(&a->own, fives);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 5, fives);
    mpz_mul(a->gmp, a->gmp, power);
    expect(same(&a->own, a->gmp), "multiply_fives", i);
    mpz_clear(power);
}

static void check_quotients(pair *a, pair *b, pair *quotient, draw *from, uint64_t i)
{
    uint64_t word = some_word(from) | (uint64_t)(i & 1) << 63;
    if (word != 0) {
        uint64_t rest = bndi_natural_divide_word(&a->own, word);
        expect(rest == mpz_tdiv_q_ui(a->gmp, a->gmp, word), "remainder by a word", i);
        expect(same(&a->own, a->gmp), "divide_word", i);
    }
    if (b->own.size > 0) {
        quotient->own = (bndi_natural){.word = quotient->words};
        bndi_natural_divide(&quotient->own, &a->own, &b->own);
        mpz_tdiv_qr(quotient->gmp, a->gmp, a->gmp, b->gmp);
        expect(same(&quotient->own, quotient->gmp), "quotient", i);
        expect(same(&a->own, a->gmp), "remainder", i);
        expect(same(&b->own, b->gmp), "the divisor stays", i);
    }
}

/* A dividend for which the estimate of a digit is too large: quotient * divisor + divisor - 1 and next to it. */
static void check_hard_quotients(pair *a, pair *b, pair *quotient, draw *from, uint64_t i)
{
    set(quotient, from, 1 + some_size(from));
    mpz_mul(a->gmp, quotient->gmp, b->gmp);
    switch (i % 3) {
    case 0:
        mpz_add(a->gmp, a->gmp, b->gmp);
        break;
    case 1:
        mpz_add_ui(a->gmp, a->gmp, 1);
        break;
    default:
        break;
    }
    if (mpz_sgn(a->gmp) > 0) {
        mpz_sub_ui(a->gmp, a->gmp, 1);
    }
    memset(a->words, 0xa5, sizeof a->words);
    mpz_export(a->words, NULL, -1, sizeof a->words[0], 0, 0, a->gmp);
    a->own = (bndi_natural){.word = a->words, .size = mpz_size(a->gmp)};
    check_quotients(a, b, quotient, from, i);
}

/* ---- digits ---- */

static void check_digits(pair *a, draw *from, uint64_t i)
{
    static char text[CAPACITY * 20], own[CAPACITY * 20];
    unsigned base = drawn_below(from, 2) == 0 ? 10 : 16;
    mpz_get_str(text, (int)base, a->gmp);
    size_t length = strlen(text), first = (size_t)drawn_below(from, length + 1);
    bndi_natural read = {.word = a->words + CAPACITY / 2};
    bndi_natural_read(&read, text, first, base);
    bndi_natural_read(&read, text + first, length - first, base);
    expect(same(&read, a->gmp), base == 10 ? "decimal digits" : "hexadecimal digits", i);
    mpz_get_str(text, 10, a->gmp);
    size_t count, capacity = BNDI_CHUNKS_CAPACITY(a->own.size);
    uint64_t behind = a->words[capacity];
    const uint64_t *chunk = bndi_natural_to_chunks(&a->own, capacity, &count);
    for (size_t k = 0; k < count; k++) {
        bndi_chunk_digits(own + k * BNDI_CHUNK_DIGITS, chunk[k]);
    }
    own[count * BNDI_CHUNK_DIGITS] = '\0';
    size_t zeros = strspn(own, "0");
    bool zero = mpz_sgn(a->gmp) == 0;
    expect(zero ? count == 0 : zeros < BNDI_CHUNK_DIGITS && strcmp(own + zeros, text) == 0, "chunks", i);
    expect(a->words[capacity] == behind, "chunks stay within their capacity", i);
}

static void agrees_with_gmp(void)
{
    static pair a, b, c;
    open_pair(&a);
    open_pair(&b);
    open_pair(&c);
    uint64_t cases = scaled(100000);
    wrong = 0;
    check_carries_at_the_edge();
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 40, .element = i * 1000};
        set(&a, &from, some_size(&from));
        set(&b, &from, some_size(&from));
        check_bits(&a, &b, &from, i);
        check_sums(&a, &b, &from, i);
        check_shifts(&a, &from, i);
        check_quotients(&a, &b, &c, &from, i);
        check_hard_quotients(&a, &b, &c, &from, i);
        set(&a, &from, some_size(&from));
        check_products(&a, &b, &c, &from, i);
        set(&a, &from, some_size(&from));
        check_digits(&a, &from, i);
    }
    close_pair(&c);
    close_pair(&b);
    close_pair(&a);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Digits of the largest natural that becomes any: the chunks grow by 1.4 % of its words. */
static void makes_long_naturals_digits(void)
{
    enum { WORDS = 5200 };
    size_t capacity = BNDI_CHUNKS_CAPACITY(WORDS), count;
    uint64_t *words = malloc((capacity + 1) * sizeof *words);
    CU_ASSERT_PTR_NOT_NULL_FATAL(words);
    memset(words, 0xff, WORDS * sizeof *words);
    words[capacity] = 77;
    mpz_t number;
    mpz_init(number);
    mpz_import(number, WORDS, -1, sizeof *words, 0, 0, words);
    bndi_natural a = {.word = words, .size = WORDS};
    const uint64_t *chunk = bndi_natural_to_chunks(&a, capacity, &count);
    char *text = mpz_get_str(NULL, 10, number), digits[BNDI_CHUNK_DIGITS];
    size_t length = strlen(text), first = length - (count - 1) * BNDI_CHUNK_DIGITS;
    CU_ASSERT_EQUAL_FATAL(count, (length + BNDI_CHUNK_DIGITS - 1) / BNDI_CHUNK_DIGITS);
    bool equal = words[capacity] == 77;
    for (size_t k = 0; k < count; k++) {
        bndi_chunk_digits(digits, chunk[k]);
        equal = equal && (k == 0 ? memcmp(digits + BNDI_CHUNK_DIGITS - first, text, first) == 0
                                 : memcmp(digits, text + first + (k - 1) * BNDI_CHUNK_DIGITS, BNDI_CHUNK_DIGITS) == 0);
    }
    CU_ASSERT(equal);
    free(text);
    mpz_clear(number);
    free(words);
}

static void divides_words(void)
{
    uint64_t cases = scaled(300000);
    wrong = 0;
    mpz_t x, quotient;
    mpz_init(x);
    mpz_init(quotient);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 41, .element = i * 20};
        uint64_t divisor = some_word(&from) | UINT64_C(1) << 63, high = some_word(&from) % divisor;
        uint64_t low = some_word(&from), rest = 0;
        high = i % 5 == 0 ? divisor - 1 : high;
        mpz_set_ui(x, UINT64_MAX);
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, UINT64_MAX);
        mpz_tdiv_q_ui(quotient, x, divisor);
        uint64_t reciprocal = bndi_word_reciprocal(divisor);
        expect(reciprocal == mpz_getlimbn(quotient, 0), "reciprocal", i); /* less 2^64 */
        mpz_set_ui(x, high);
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, low);
        uint64_t left = mpz_tdiv_q_ui(quotient, x, divisor);
        uint64_t own = bndi_divide_words(high, low, divisor, reciprocal, &rest);
        expect(own == mpz_get_ui(quotient) && rest == left, "two words by one", i);
    }
    mpz_clear(quotient);
    mpz_clear(x);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- cut numbers ---- */

static void rational_of_cut(mpq_t out, const bndi_cut *x)
{
    mpq_set_ui(out, 0, 1);
    mpz_import(mpq_numref(out), x->natural.size, -1, sizeof(uint64_t), 0, 0, x->natural.word);
    if (x->exponent >= 0) {
        mpq_mul_2exp(out, out, (mp_bitcnt_t)x->exponent);
    } else {
        mpq_div_2exp(out, out, (mp_bitcnt_t)-x->exponent);
    }
}

/* Is natural < x <= natural (1 + error d), or natural == x without an error? The width is at least what that allows. */
static bool bounds(const bndi_cut *cut, const mpq_t x, size_t words)
{
    mpq_t low, high;
    mpq_init(low);
    mpq_init(high);
    rational_of_cut(low, cut);
    bool right = cut->error == 0 ? mpq_equal(low, x) : mpq_cmp(low, x) < 0;
    bndi_cut above = *cut;
    uint64_t copy[64];
    memcpy(copy, cut->natural.word, cut->natural.size * sizeof *copy);
    above.natural.word = copy;
    uint64_t width = bndi_cut_width(cut);
    bndi_natural more = {.word = &width, .size = width != 0};
    bndi_natural_add(&above.natural, &more);
    rational_of_cut(high, &above);
    right = right && mpq_cmp(x, high) <= 0;
    mpz_ui_pow_ui(mpq_numref(high), 2, 64 * words - 1);
    mpz_ui_pow_ui(mpq_denref(high), 2, 64 * words - 1);
    mpz_add_ui(mpq_numref(high), mpq_numref(high), cut->error);
    mpq_mul(high, high, low);
    right = right && mpq_cmp(x, high) <= 0;
    mpq_clear(high);
    mpq_clear(low);
    return right && bndi_natural_bits(&cut->natural) <= 64 * words;
}

static void bounds_products_and_quotients(void)
{
    static const size_t sizes[] = {4, 5, 9, 40};
    uint64_t memory[BNDI_ROOM_WORDS(40)], cases = scaled(20000);
    mpq_t x;
    mpz_t power;
    mpq_init(x);
    mpz_init(power);
    wrong = 0;
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 42, .element = i * 100};
        size_t words = sizes[i % 4];
        bndi_room room = bndi_room_in(memory, words);
        int64_t exponent = (int64_t)drawn_below(&from, i % 8 == 0 ? 6000 : 700);
        exponent = drawn_below(&from, 2) == 0 ? exponent : -exponent;
        bndi_cut cut = {.natural = {.word = room.number}, .exponent = (int64_t)drawn_below(&from, 200) - 100};
        size_t size = (size_t)drawn_below(&from, words + 1);
        for (size_t k = 0; k < size || cut.natural.size == 0; k++) {
            room.number[k] = some_word(&from);
            cut.natural.size = room.number[k] != 0 ? k + 1 : cut.natural.size;
        }
        rational_of_cut(x, &cut);
        mpz_ui_pow_ui(power, 10, (unsigned long)(exponent < 0 ? -exponent : exponent));
        mpz_ptr part = exponent < 0 ? mpq_denref(x) : mpq_numref(x);
        mpz_mul(part, part, power);
        mpq_canonicalize(x);
        bndi_cut five = bndi_cut_power_of_five(&room, (uint64_t)(exponent < 0 ? -exponent : exponent));
        bndi_cut_times_ten(&cut, &room, exponent, &five);
        expect(bounds(&cut, x, words), "bounds", i);
        expect(cut.error < (UINT64_C(1) << 24), "the bound is a narrow one", i);
    }
    mpz_clear(power);
    mpq_clear(x);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* 5^n up to the largest exponents that there are, against MPFR's power rounded down. */
static void bounds_large_powers(void)
{
    static const uint64_t exponents[] = {28, 55, 56, 165, 1000, 16431, 33162, 1000003, 99999999, 161700000, 377300130};
    uint64_t memory[BNDI_ROOM_WORDS(BNDI_FEW_WORDS)];
    bndi_room room = bndi_room_in(memory, BNDI_FEW_WORDS);
    mpfr_t low, own;
    mpfr_init2(low, 400);
    mpfr_init2(own, 400);
    mpz_t natural;
    mpz_init(natural);
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        bndi_cut cut = bndi_cut_power_of_five(&room, exponents[i]);
        int ternary = mpfr_ui_pow_ui(low, 5, (unsigned long)exponents[i], MPFR_RNDD);
        mpz_import(natural, cut.natural.size, -1, sizeof(uint64_t), 0, 0, cut.natural.word);
        mpfr_set_z_2exp(own, natural, cut.exponent, MPFR_RNDD);
        CU_ASSERT(cut.error == 0 ? ternary == 0 && mpfr_equal_p(own, low) : mpfr_cmp(own, low) < 0);
        mpz_add_ui(natural, natural, bndi_cut_width(&cut));
        mpfr_set_z_2exp(own, natural, cut.exponent, MPFR_RNDD);
        CU_ASSERT(mpfr_cmp(own, low) >= 0);
        CU_ASSERT(cut.error < UINT64_C(1) << 32);
    }
    mpz_clear(natural);
    mpfr_clear(own);
    mpfr_clear(low);
    mpfr_free_cache();
}

CU_TestInfo naturals_tests[] = {
    {"every function against GMP", agrees_with_gmp},
    {"two words by one", divides_words},
    {"long naturals as digits", makes_long_naturals_digits},
    {"bounds of products and quotients", bounds_products_and_quotients},
    {"bounds of large powers", bounds_large_powers},
    CU_TEST_INFO_NULL,
};
