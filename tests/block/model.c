/* The model: amax by the definition, scales and elements as exact fractions rounded once by the oracle. */
#include "model.h"

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16, GUARD_BYTE = 0x5a };

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

static uint64_t scale_code(const bnd_block *block, const void *scales, size_t i)
{
    uint64_t code = 0;
    for (size_t k = scale_bytes(block); k > 0; k--) {
        code = code << 8 | ((const unsigned char *)scales)[i * scale_bytes(block) + k - 1];
    }
    return code;
}

static double value_of_code(const bnd_format *f, uint64_t code)
{
    double value;
    bnd_oracle_kind kind = bnd_oracle_decode(&value, f, code);
    return kind == BND_ORACLE_FINITE || kind == BND_ORACLE_INFINITE ? value : nan("");
}

double scale_value(const bnd_block *block, const void *scales, size_t i)
{
    return value_of_code(&block->scale, scale_code(block, scales, i));
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

static double tensor_scale(const bnd_block *block, double amax)
{
    const bool four_six = block->rule == BND_SCALE_FOUR_SIX;
    double max = largest_of(&block->element), most = four_six ? 256 : largest_of(&block->scale);
    if (amax == 0) {
        return 1;
    }
    double scale = value_of_code(fp32(), encode_quotient(fp32(), amax, max, most, saturating, 0));
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
    while (value_of_code(f, nearest_scale(f, ldexp(1, s))) != ldexp(1, s)) {
        s++;
    }
    return s;
}

/* Can the rule give only powers of two? */
static bool gives_powers(const bnd_block *block)
{
    return block->scale.precision == 1 ||
           (block->rule != BND_SCALE_NEAREST && block->rule != BND_SCALE_MSE && block->rule != BND_SCALE_FOUR_SIX);
}

/* Attempt k of a rule that tries several scales; attempt 0 of the others. */
static uint64_t expected_attempt(const bnd_block *block, double amax, double tensor, int k)
{
    const bnd_format *f = &block->scale;
    if (amax != amax || isinf(amax)) {
        return f->nan_code;
    }
    if (gives_powers(block)) {
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
    return value_of_code(f, code) < least ? lowest : code;
}

/* ---- what an element must be ---- */

static uint64_t expected_element(const bnd_block *block, float x, double scale, double tensor, const bnd_array *how,
                                 size_t i)
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

static double value_of_element(const bnd_block *block, uint64_t code)
{
    return value_of_code(element_of(block), code);
}

static uint64_t stored_code(const bnd_block *block, uint64_t code)
{
    if (!block->integer) {
        return code;
    }
    return (uint64_t)(int64_t)(ldexp(value_of_element(block, code), -block->element.least_quantum)) & 0xff;
}

/* element * scale * tensor in fp32, as bits. */
static uint32_t expected_value(double element, double scale, double tensor)
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

/* ---- which of several scales ---- */

/* The lanes of a piece, added in pairs. */
static double sum_of_lanes(double lanes[16])
{
    for (size_t half = 8; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            lanes[i] += lanes[i + half];
        }
        memset(lanes + half, 0, half * sizeof *lanes);
    }
    double sum = lanes[0];
    lanes[0] = 0;
    return sum;
}

/* The squared error of the elements of a group under a scale, in the order of the definition. */
static double error_of(const float *x, bnd_shape shape, const bnd_block *block, size_t group, double scale,
                       double tensor)
{
    const bnd_array nearest = {.rule = {.rounding = BND_ROUND_RNE}};
    const size_t count = shape.outer * shape.length * shape.inner;
    double lanes[16] = {0}, error = 0;
    size_t length = 0; /* of the run of neighbours so far */
    for (size_t i = 0; i < count; i++) {
        if (scale_of(block, shape, i) != group) {
            error += length > 0 ? sum_of_lanes(lanes) : 0;
            length = 0;
            continue;
        }
        double element = value_of_element(block, expected_element(block, x[i], scale, tensor, &nearest, 0));
        uint32_t bits = expected_value(element, scale, tensor);
        float y;
        memcpy(&y, &bits, sizeof y);
        lanes[length++ % 16] += ((double)y - (double)x[i]) * ((double)y - (double)x[i]);
        if (length % 8192 == 0) {
            error += sum_of_lanes(lanes);
            length = 0;
        }
    }
    return error + (length > 0 ? sum_of_lanes(lanes) : 0);
}

static uint64_t expected_scale(const bnd_block *block, double amax, double tensor, const float *x, bnd_shape shape,
                               size_t group)
{
    const int attempts = block->rule == BND_SCALE_MSE && !gives_powers(block)                ? 49
                         : block->rule == BND_SCALE_MSE || block->rule == BND_SCALE_FOUR_SIX ? 2
                                                                                             : 1;
    uint64_t best = expected_attempt(block, amax, tensor, 0);
    if (attempts == 1 || !(amax > 0) || isinf(amax)) {
        return best;
    }
    double least = error_of(x, shape, block, group, value_of_code(&block->scale, best), tensor);
    for (int k = 1; k < attempts; k++) {
        const uint64_t code = expected_attempt(block, amax, tensor, k);
        const double error = error_of(x, shape, block, group, value_of_code(&block->scale, code), tensor);
        best = error < least ? code : best;
        least = error < least ? error : least;
    }
    return best;
}

/* ---- the comparison ---- */

typedef struct answer {
    size_t count, scale_count;
    unsigned char *codes, *scales;
    float *values, *fake;
    float tensor;
    size_t codes_size, scales_size;
} answer;

static bool guarded(const unsigned char *memory, size_t size)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (memory[size + i] != GUARD_BYTE) {
            return false;
        }
    }
    return true;
}

static unsigned char *guarded_memory(size_t size)
{
    unsigned char *memory = memory_of(size + GUARD);
    memset(memory, GUARD_BYTE, size + GUARD);
    return memory;
}

static void close_answer(answer *a)
{
    free(a->codes);
    free(a->scales);
    free(a->values);
    free(a->fake);
}

/* The same with given scales, which stay as they are. */
static bool call_given(answer *a, const float *x, bnd_shape shape, const bnd_block *block,
                       const bnd_given_scales *given, const bnd_array *how)
{
    a->count = shape.outer * shape.length * shape.inner;
    a->scale_count = bnd_block_scales(block, shape);
    a->scales_size = bnd_block_scales_size(block, shape);
    a->codes_size = bnd_block_codes_size(block, shape, (bnd_packing)how->packing_out);
    a->codes = guarded_memory(a->codes_size);
    a->scales = guarded_memory(a->scales_size);
    a->values = (float *)(void *)guarded_memory(4 * a->count);
    a->fake = (float *)(void *)guarded_memory(4 * a->count);
    memcpy(a->scales, given->scales, a->scales_size);
    memcpy(a->fake, x, 4 * a->count);
    a->tensor = block->tensor ? *given->tensor_scale : 1;
    return bnd_quantize_given_f32(a->codes, NULL, NULL, x, shape, block, given, how, NULL, NULL) == BND_OK &&
           bnd_dequantize_f32(a->values, a->codes, given->scales, a->tensor, shape, block, how, NULL) == BND_OK &&
           bnd_fake_quantize_given_f32(a->fake, a->fake, shape, block, given, how, NULL, NULL) == BND_OK &&
           guarded(a->codes, a->codes_size) && memcmp(a->scales, given->scales, a->scales_size) == 0 &&
           guarded((unsigned char *)a->values, 4 * a->count) && guarded((unsigned char *)a->fake, 4 * a->count);
}

static bool call_all(answer *a, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    a->count = shape.outer * shape.length * shape.inner;
    a->scale_count = bnd_block_scales(block, shape);
    a->scales_size = bnd_block_scales_size(block, shape);
    a->codes_size = bnd_block_codes_size(block, shape, (bnd_packing)how->packing_out);
    a->codes = guarded_memory(a->codes_size);
    a->scales = guarded_memory(a->scales_size);
    a->values = (float *)(void *)guarded_memory(4 * a->count);
    a->fake = (float *)(void *)guarded_memory(4 * a->count);
    memcpy(a->fake, x, 4 * a->count);
    return bnd_quantize_f32(a->codes, a->scales, &a->tensor, x, shape, block, how, NULL, NULL) == BND_OK &&
           bnd_dequantize_f32(a->values, a->codes, a->scales, a->tensor, shape, block, how, NULL) == BND_OK &&
           bnd_fake_quantize_f32(a->fake, a->fake, shape, block, how, NULL, NULL) == BND_OK &&
           guarded(a->codes, a->codes_size) && guarded(a->scales, a->scales_size) &&
           guarded((unsigned char *)a->values, 4 * a->count) && guarded((unsigned char *)a->fake, 4 * a->count);
}

static void find_amax(double *amax, const float *x, size_t count, bnd_shape shape, const bnd_block *block, bool flush)
{
    for (size_t i = 0; i < count; i++) {
        double *largest = &amax[scale_of(block, shape, i)];
        double magnitude = fabs((double)x[i]);
        magnitude = flush && magnitude < 0x1p-126 ? 0 : magnitude;
        if (magnitude != magnitude || magnitude > *largest) { /* a NaN stays: nothing is larger */
            *largest = magnitude;
        }
    }
}

static bool same_value(uint32_t a, uint32_t b)
{
    bool nan_a = (a & 0x7fffffff) > 0x7f800000, nan_b = (b & 0x7fffffff) > 0x7f800000;
    return (nan_a && nan_b) || a == b;
}

static void print_place(const bnd_block *block, bnd_shape shape, const bnd_array *how, size_t i)
{
    printf("    %s rule=%s %s N=%u packing=%u shape %zu x %zu x %zu, %zu:", block->name,
           bnd_scale_rule_name((bnd_scale_rule)block->rule), bnd_rounding_name(bnd_rule_rounding(how->rule)),
           how->rule.random_bits, how->packing_out, shape.outer, shape.length, shape.inner, i);
}

static void compare_scales(comparison *b, const answer *a, const float *x, const double *amax, double tensor,
                           bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    for (size_t g = 0; g < a->scale_count; g++) {
        uint64_t got = scale_code(block, a->scales, g), want = expected_scale(block, amax[g], tensor, x, shape, g);
        if (comparison_note(b, got == want)) {
            print_place(block, shape, how, g);
            printf(" amax %a: scale 0x%llx, not 0x%llx\n", amax[g], (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static void compare_element(comparison *b, const answer *a, size_t i, float x, double tensor, bnd_shape shape,
                            const bnd_block *block, const bnd_array *how)
{
    size_t g = scale_of(block, shape, i);
    double scale = scale_value(block, a->scales, g);
    uint64_t want = expected_element(block, x, scale, tensor, how, i);
    uint64_t got = code_at(a->codes, block, (bnd_packing)how->packing_out, i);
    if (comparison_note(b, got == stored_code(block, want))) {
        print_place(block, shape, how, i);
        printf(" %a / (%a * %a): code 0x%llx, not 0x%llx\n", (double)x, scale, tensor, (unsigned long long)got,
               (unsigned long long)stored_code(block, want));
    }
    /* An int8 has one zero: its values come from the code. */
    double element = value_of_element(block, want) + (block->integer ? 0.0 : -0.0);
    uint32_t value = expected_value(element, scale, tensor);
    uint32_t back = bndi_bits_of_float(a->values[i]), fake = bndi_bits_of_float(a->fake[i]);
    if (comparison_note(b, same_value(back, value) && same_value(fake, value))) {
        print_place(block, shape, how, i);
        printf(" %a / (%a * %a): value 0x%08x in place 0x%08x, not 0x%08x\n", (double)x, scale, tensor, back, fake,
               value);
    }
}

void check_block(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    answer a = {.tensor = 1};
    bool called = call_all(&a, x, shape, block, how);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call failed, or wrote behind its output\n");
    }
    double *amax = memory_of(a.scale_count * sizeof(double)), tensor = 1, largest = 0;
    find_amax(amax, x, a.count, shape, block, how->rule.flush_in);
    for (size_t g = 0; g < a.scale_count; g++) {
        largest = amax[g] > largest && !isinf(amax[g]) ? amax[g] : largest;
    }
    if (block->tensor) {
        tensor = tensor_scale(block, largest);
        if (comparison_note(b, (double)a.tensor == tensor)) {
            print_place(block, shape, how, 0);
            printf(" tensor's scale %a, not %a\n", (double)a.tensor, tensor);
        }
    }
    compare_scales(b, &a, x, amax, tensor, shape, block, how);
    for (size_t i = 0; i < a.count; i++) {
        compare_element(b, &a, i, x[i], tensor, shape, block, how);
    }
    free(amax);
    close_answer(&a);
}

void check_given(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_given_scales *given,
                 const bnd_array *how)
{
    answer a = {.tensor = 1};
    bool called = call_given(&a, x, shape, block, given, how);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call with given scales failed, or wrote behind its output\n");
    }
    for (size_t i = 0; i < a.count; i++) {
        compare_element(b, &a, i, x[i], (double)a.tensor, shape, block, how);
    }
    close_answer(&a);
}

void check_scales(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, float tensor,
                  const bnd_array *how)
{
    answer a = {.tensor = tensor, .count = shape.outer * shape.length * shape.inner};
    const bnd_given_scales given = {.tensor_scale = &tensor};
    a.scale_count = bnd_block_scales(block, shape);
    a.scales_size = bnd_block_scales_size(block, shape);
    a.scales = guarded_memory(a.scales_size);
    double *amax = memory_of(a.scale_count * sizeof(double));
    bool called = bnd_quantize_given_f32(NULL, a.scales, NULL, x, shape, block, &given, how, NULL, NULL) == BND_OK &&
                  guarded(a.scales, a.scales_size);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call for scales failed, or wrote behind its output\n");
    }
    find_amax(amax, x, a.count, shape, block, how->rule.flush_in);
    compare_scales(b, &a, x, amax, block->tensor ? (double)tensor : 1, shape, block, how);
    free(amax);
    close_answer(&a);
}
