/* The terms of running sums, and their exact totals. */
#include "sum.h"

#include "text/leading_bits.h"
#include "text/scanned.h"

#include <stdlib.h>
#include <string.h>

enum { HARMONIC_BITS = 256, RANDOM_BITS = 24, EXPONENT_MOST = 400, CERTAIN_DIGITS = 30 };

bnd_status sum_series_open(sum_series *out, const char *text, uint64_t count, uint64_t seed, bnd_error *why)
{
    sum_series s = {.text = text, .count = count, .seed = seed};
    if (count < 1 || count > SUM_COUNT_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the number of terms must be from 1 to %d, not %llu",
                        (int)SUM_COUNT_MAX, (unsigned long long)count);
    }
    if (strcmp(text, "1/k") == 0 || strcmp(text, "random") == 0) {
        s.kind = text[0] == '1' ? SERIES_HARMONIC : SERIES_RANDOM;
        *out = s;
        return BND_OK;
    }
    size_t length = strlen(text);
    bndi_scanned scanned;
    bnd_status status =
        length <= SUM_TEXT_MAX
            ? bnd_parse_exact_n(&s.value, text, length, why)
            : bnd_fail(why, BND_BAD_SYNTAX, 0, "the number must have at most %d characters", (int)SUM_TEXT_MAX);
    if (status == BND_OK && s.value.kind != BND_KIND_FINITE && s.value.kind != BND_KIND_ZERO) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the terms must be finite");
    }
    if (status == BND_OK) {
        status = bnd_lab_scan_number(&scanned, text, length, why);
    }
    bool far = status == BND_OK && scanned.count > 0 &&
               (scanned.exponent > 4 * EXPONENT_MOST || scanned.exponent < -4 * EXPONENT_MOST);
    if (far) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the number is too large or too small to be added here");
    }
    if (status == BND_OK) {
        *out = s;
    }
    return status;
}

static uint64_t random_of(const sum_series *s, bnd_rule rule, uint64_t k)
{
    unsigned bits = bnd_rule_random_bits(rule);
    return bits > 0 ? bnd_random_bits(s->seed, SUM_PURPOSE_TERMS, s->kind == SERIES_CONSTANT ? 0 : k, bits) : 0;
}

/* A uniform number below 1, in units of 2^-24. */
static uint64_t uniform(const sum_series *s, uint64_t k)
{
    enum { PURPOSE = 7 };
    return bnd_random_bits(s->seed, PURPOSE, k, RANDOM_BITS);
}

uint64_t sum_series_term(const sum_series *s, uint64_t k, const bnd_format *f, bnd_rule rule)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64), *const formats[BND_OPERANDS_MAX] = {fp64, fp64};
    uint64_t random = random_of(s, rule, k);
    if (s->kind == SERIES_CONSTANT) {
        return bnd_encode_exact(f, s->value, rule, random).code;
    }
    if (s->kind == SERIES_RANDOM) {
        bnd_exact x = bnd_exact_uint64(uniform(s, k));
        x.exponent -= RANDOM_BITS;
        return bnd_encode_exact(f, x, rule, random).code;
    }
    uint64_t codes[BND_OPERANDS_MAX] = {bnd_encode_uint64(fp64, 1, (bnd_rule){0}, 0).code,
                                        bnd_encode_uint64(fp64, k + 1, (bnd_rule){0}, 0).code};
    return bnd_operate(f, BND_OP_DIV, formats, codes, rule, random).code;
}

/* ---- exact totals ---- */

void sum_series_add(sum_series *s, uint64_t k)
{
    uint64_t words[6] = {0, 0, 0, 0, 1, 0};
    bndi_natural more = {.word = words, .size = 5}, total = {.word = s->total, .size = 6};
    if (s->kind == SERIES_RANDOM) {
        s->total[0] += uniform(s, k);
    }
    if (s->kind != SERIES_HARMONIC) {
        return;
    }
    (void)bndi_natural_divide_word(&more, k + 1);
    while (total.size > 0 && total.word[total.size - 1] == 0) {
        total.size--;
    }
    bndi_natural_add(&total, &more);
    for (size_t i = total.size; i < 6; i++) {
        s->total[i] = 0;
    }
}

static bnd_exact total_as_exact(const sum_series *s)
{
    size_t size = 6;
    while (size > 0 && s->total[size - 1] == 0) {
        size--;
    }
    uint64_t words[6];
    memcpy(words, s->total, sizeof words);
    bndi_natural natural = {.word = words, .size = size};
    int64_t exponent = s->kind == SERIES_HARMONIC ? -HARMONIC_BITS : -RANDOM_BITS;
    bnd_exact x = bndi_exact_from_natural(false, &natural, exponent, false);
    x.sticky = false;
    return x;
}

double sum_series_total(const sum_series *s, uint64_t terms)
{
    return s->kind == SERIES_CONSTANT ? exact_double(s->value) * (double)terms : exact_double(total_as_exact(s));
}

static char *constant_text(const sum_series *s)
{
    uint64_t words[SUM_TEXT_MAX / 16 + 3];
    bndi_scanned scanned;
    if (bnd_lab_scan_number(&scanned, s->text, strlen(s->text), NULL) != BND_OK) {
        return NULL;
    }
    exact_total total = {.magnitude = bndi_digits_as_natural(words, &scanned, scanned.count),
                         .negative = scanned.negative};
    bndi_natural_multiply_word(&total.magnitude, s->count, 0);
    *(scanned.kind == BNDI_NUMBER_HEX ? &total.two : &total.ten) = scanned.count > 0 ? scanned.exponent : 0;
    return exact_total_text(&total);
}

char *sum_series_exact(const sum_series *s, bnd_number *number)
{
    bnd_exact exact = s->kind == SERIES_CONSTANT ? s->value : total_as_exact(s);
    char *text;
    if (s->kind == SERIES_CONSTANT) {
        text = constant_text(s);
    } else {
        size_t size = bnd_print_exact(NULL, 0, exact, BND_NOTATION_AUTO) + 8;
        text = malloc(size);
        if (text != NULL && s->kind == SERIES_HARMONIC && s->count > 2) {
            size_t length = bnd_print_digits(text, size, exact, CERTAIN_DIGITS);
            memcpy(text + length, "...", length + 4 <= size ? 4 : 0);
        } else if (text != NULL) {
            bnd_print_exact(text, size, exact, BND_NOTATION_AUTO);
        }
    }
    if (text == NULL || s->kind != SERIES_CONSTANT || bnd_number_parse_n(number, text, strlen(text), NULL) != BND_OK) {
        *number = bnd_number_of_exact(exact);
    }
    return text;
}
