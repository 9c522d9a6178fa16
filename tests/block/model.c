/* The model: amax by the definition, scales and elements as exact fractions rounded once by the oracle. */
#include "attempts.h"

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bnd_block block_named(const char *name)
{
    bnd_block block;
    bnd_error why;
    if (bnd_block_parse(&block, name, &why) != BND_OK) {
        fprintf(stderr, "%s\n", why.message);
        exit(EXIT_FAILURE);
    }
    return block;
}

float normal_number(uint64_t seed, uint64_t i)
{
    double u = ((double)(bnd_random(seed, 1, i) >> 11) + 0.5) * 0x1p-53;
    double v = (double)(bnd_random(seed, 2, i) >> 11) * 0x1p-53;
    return (float)(sqrt(-2 * log(u)) * cos(2 * acos(-1) * v));
}

/* Looked up once: names are searched for. */
static const bnd_format *fp32(void)
{
    static bnd_format f;
    if (f.width == 0) {
        f = format_named("fp32");
    }
    return &f;
}

/* The format that an integer element counts in: the same numbers, with codes. The last one is remembered. */
static const bnd_format *element_of(const bnd_block *block)
{
    static bnd_format integer;
    static char last[32];
    char name[32];
    if (!block->integer) {
        return &block->element;
    }
    const int fraction_bits = block->element.precision - 1;
    snprintf(name, sizeof name, "e1m%db%dnone", fraction_bits, 1 - fraction_bits - (int)block->element.least_quantum);
    if (strcmp(name, last) != 0) {
        integer = format_named(name);
        memcpy(last, name, sizeof last);
    }
    return &integer;
}

static size_t scale_bytes(const bnd_block *block)
{
    return block->scale.width / 8u;
}

uint64_t model_scale_code(const bnd_block *block, const void *scales, size_t i)
{
    uint64_t code = 0;
    for (size_t k = scale_bytes(block); k > 0; k--) {
        code = code << 8 | ((const unsigned char *)scales)[i * scale_bytes(block) + k - 1];
    }
    return code;
}

double model_value_of_code(const bnd_format *f, uint64_t code)
{
    double value;
    bnd_oracle_kind kind = bnd_oracle_decode(&value, f, code);
    return kind == BND_ORACLE_FINITE || kind == BND_ORACLE_INFINITE ? value : nan("");
}

double scale_value(const bnd_block *block, const void *scales, size_t i)
{
    return model_value_of_code(&block->scale, model_scale_code(block, scales, i));
}

uint64_t code_at(const void *codes, const bnd_block *block, bnd_packing packing, size_t i)
{
    unsigned width = block->integer ? 8 : block->element.width, stored = width;
    if (packing == BND_PACKING_UNPACKED) {
        for (stored = 8; stored < width;) {
            stored *= 2;
        }
    }
    uint64_t code = 0;
    for (size_t bit = 0; bit < width; bit++) {
        size_t at = i * stored + bit;
        code |= (uint64_t)(((const unsigned char *)codes)[at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

/* ---- who shares ---- */

static size_t size_or_all(size_t size, size_t all)
{
    return size == 0 || size > all ? all : size;
}

size_t scale_of(const bnd_block *block, bnd_shape shape, size_t i)
{
    if (block->sharing == BND_SHARE_TENSOR) {
        return 0;
    }
    size_t z = i % shape.inner, y = i / shape.inner % shape.length, x = i / shape.inner / shape.length;
    size_t along = size_or_all(block->along, shape.length);
    size_t across = block->sharing == BND_SHARE_TILE ? size_or_all(block->across, shape.inner) : 1;
    size_t down = (shape.length + along - 1) / along, wide = (shape.inner + across - 1) / across;
    return (x * down + y / along) * wide + z / across;
}

/* ---- what a scale must be ---- */

static double largest_of(const bnd_format *f)
{
    return ldexp((double)f->max_significand, f->max_quantum);
}

static int floor_log2(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent - 1;
}

static int exponent_by_rule(const bnd_block *block, double amax)
{
    double max = largest_of(&block->element);
    int emax = floor_log2(max), s = floor_log2(amax) - emax;
    mpfr_t rounded;
    switch (block->rule) {
    case BND_SCALE_CEIL:
        return ldexp(1, s + emax) < amax ? s + 1 : s;
    case BND_SCALE_EVEN:
        mpfr_init2(rounded, block->element.precision);
        mpfr_set_d(rounded, amax, MPFR_RNDN);
        s = (int)mpfr_get_exp(rounded) - 1 - emax;
        mpfr_clear(rounded);
        return s;
    case BND_SCALE_CT:
        return ldexp(1.75, s + emax) <= amax ? s + 1 : s;
    case BND_SCALE_RCEIL:
    case BND_SCALE_MSE:
        s -= 2;
        while (ldexp(max, s) < amax) {
            s++;
        }
        return s;
    default:
        return s;
    }
}

/* A fraction, rounded once by the oracle. */
static uint64_t encode_fraction(const bnd_format *f, const mpq_t q, bnd_rule rule, uint64_t random)
{
    bnd_result result = {0};
    char *digits = memory_of(mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 3);
    gmp_sprintf(digits, "%Zd/%Zd", mpq_numref(q), mpq_denref(q));
    if (bnd_oracle_encode_text(&result, f, digits, rule, random, NULL) != BND_OK) {
        fprintf(stderr, "the oracle does not read %s\n", digits);
        exit(EXIT_FAILURE);
    }
    free(digits);
    return result.code;
}

/* numerator / (a * b) */
static uint64_t encode_quotient(const bnd_format *f, double numerator, double a, double b, bnd_rule rule,
                                uint64_t random)
{
    mpq_t q, factor;
    mpq_inits(q, factor, NULL);
    mpq_set_d(q, numerator);
    mpq_set_d(factor, a);
    mpq_div(q, q, factor);
    mpq_set_d(factor, b);
    mpq_div(q, q, factor);
    uint64_t code = encode_fraction(f, q, rule, random);
    mpq_clears(q, factor, NULL);
    return code;
}

static uint64_t encode_product(const bnd_format *f, double a, double b, double c)
{
    mpq_t q, factor;
    mpq_inits(q, factor, NULL);
    mpq_set_d(q, a);
    mpq_set_d(factor, b);
    mpq_mul(q, q, factor);
    mpq_set_d(factor, c);
    mpq_mul(q, q, factor);
    uint64_t code = encode_fraction(f, q, (bnd_rule){.rounding = BND_ROUND_RNE}, 0);
    mpq_clears(q, factor, NULL);
    return code;
}

static const bnd_rule saturating = {.overflow = BND_OVERFLOW_SATURATE};

double model_tensor_scale(const bnd_block *block, double amax)
{
    const bool four_six = block->rule == BND_SCALE_FOUR_SIX;
    double max = largest_of(&block->element), most = four_six ? 256 : largest_of(&block->scale);
    if (amax == 0) {
        return 1;
    }
    double scale = model_value_of_code(fp32(), encode_quotient(fp32(), amax, max, most, saturating, 0));
    return scale < 0x1p-126 ? 0x1p-126 : scale;
}

static uint64_t nearest_scale(const bnd_format *f, double x)
{
    return bnd_oracle_encode(f, x, saturating, 0).code;
}

/* The lowest normal power of two that the format has; dlfloat16 has none in its lowest binade. */
static int lowest_power(const bnd_format *f)
{
    int s = f->emin;
    while (model_value_of_code(f, nearest_scale(f, ldexp(1, s))) != ldexp(1, s)) {
        s++;
    }
    return s;
}

/* Can the rule give only powers of two? */
bool model_gives_powers(const bnd_block *block)
{
    return block->scale.precision == 1 ||
           (block->rule != BND_SCALE_NEAREST && block->rule != BND_SCALE_MSE && block->rule != BND_SCALE_FOUR_SIX);
}

/* Attempt k of a rule that tries several scales; attempt 0 of the others. */
uint64_t model_attempt(const bnd_block *block, double amax, double tensor, int k)
{
    const bnd_format *f = &block->scale;
    if (amax != amax || isinf(amax)) {
        return f->nan_code;
    }
    if (model_gives_powers(block)) {
        int lowest = lowest_power(f), s = amax == 0 ? (f->has_zero ? 0 : lowest) : exponent_by_rule(block, amax) - k;
        s = s < lowest ? lowest : s > f->emax ? f->emax : s;
        return nearest_scale(f, ldexp(1, s));
    }
    double least = ldexp(1, block->least);
    uint64_t lowest = nearest_scale(f, least);
    if (amax == 0) {
        return block->tensor ? lowest : nearest_scale(f, 1);
    }
    /* amax times 32, 56, 55 .. 33, 31 .. 8, or 48, in parts of 32 */
    const int parts = k == 0 ? 32 : block->rule == BND_SCALE_FOUR_SIX ? 48 : k < 25 ? 57 - k : 56 - k;
    /* Rounding is monotonic, and the bound is one of its results: the larger of both. */
    uint64_t code = encode_quotient(f, amax * parts / 32, largest_of(&block->element), tensor, saturating, 0);
    return model_value_of_code(f, code) < least ? lowest : code;
}

/* ---- what an element must be ---- */

uint64_t model_element(const bnd_block *block, float x, double scale, double tensor, const bnd_array *how, size_t i)
{
    const bnd_format *f = element_of(block);
    bnd_rule rule = how->rule;
    rule.overflow = rule.overflow == BND_OVERFLOW_FORMAT ? BND_OVERFLOW_SATURATE : rule.overflow;
    unsigned bits = bnd_rule_random_bits(rule);
    uint64_t random = bits > 0 ? bnd_random_bits(how->seed, how->purpose, how->first + i, bits) : 0;
    bool flushed = rule.flush_in && fabsf(x) < 0x1p-126f;
    rule.flush_in = false;
    const double product = scale * tensor, sign = copysign(1, (double)x) * copysign(1, product);
    if (product != product) {
        return bnd_oracle_encode(f, nan(""), rule, 0).code;
    }
    if (x != x) {
        return block->integer ? bnd_oracle_encode(f, nan(""), rule, 0).code : bnd_encode_float(f, x, rule, random).code;
    }
    if (x == 0 || flushed || product == 0 || isinf(product)) {
        return bnd_oracle_encode(f, copysign(0, sign), rule, random).code;
    }
    if (isinf(x)) {
        return bnd_oracle_encode(f, sign * HUGE_VAL, rule, random).code;
    }
    return encode_quotient(f, (double)x, scale, tensor, rule, random);
}

double model_value_of_element(const bnd_block *block, uint64_t code)
{
    return model_value_of_code(element_of(block), code);
}

uint64_t model_stored_code(const bnd_block *block, uint64_t code)
{
    if (!block->integer) {
        return code;
    }
    return (uint64_t)(int64_t)(ldexp(model_value_of_element(block, code), -block->element.least_quantum)) & 0xff;
}

/* element * scale * tensor in fp32, as bits. */
uint32_t model_value(double element, double scale, double tensor)
{
    const double product = element * scale * tensor; /* an infinity or a zero, or its sign is what counts */
    if (product != product) {
        return 0x7fc00000;
    }
    if (element == 0 || isinf(product) || scale == 0 || tensor == 0) {
        return (uint32_t)bnd_oracle_encode(fp32(), product, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
    }
    return (uint32_t)encode_product(fp32(), element, scale, tensor);
}
