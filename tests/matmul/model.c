#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <binade/arith.h>
#include <binade-lab/oracle.h>

static bnd_format fp32_format(void)
{
    static bnd_format f = {.precision = 0};
    if (f.precision == 0) {
        f = format_named("fp32");
    }
    return f;
}

bnd_accumulator accumulator_named(const char *name)
{
    bnd_accumulator a = {.promote = 0};
    bnd_error why;
    if (bnd_accumulator_parse(&a, name, &why) != BND_OK) {
        fprintf(stderr, "cannot test %s: %s\n", name, why.message);
        exit(EXIT_FAILURE);
    }
    return a;
}

/* Ends the test program if a call failed without which nothing can be tested. */
static void need(bnd_status status, const bnd_error *why)
{
    if (status != BND_OK) {
        fprintf(stderr, "cannot test products: %s\n", why->message);
        exit(EXIT_FAILURE);
    }
}

/* ---- numbers ---- */

static float normal(uint64_t random)
{
    double u = ((double)(random >> 32) + 1) / 4294967296.0, angle = (double)(uint32_t)random / 4294967296.0;
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * angle));
}

float number_of(data_kind kind, const bnd_format *f, uint64_t seed, uint64_t i)
{
    const uint64_t random = bnd_random(seed, 7, i), more = bnd_random(seed, 8, i);
    const float sign = (more & 1) != 0 ? -1.0f : 1.0f;
    switch (kind) {
    case DATA_NORMAL:
        return more % 17 == 0 ? 0.0f * sign : normal(random);
    case DATA_WIDE:
        return bndi_float_of_bits((uint32_t)random & 0x80ffffffu) * 0x1p-20f +
               sign * ldexpf(1.0f + (float)(random >> 41) * 0x1p-23f, (int)(more >> 8 & 63) - 32);
    case DATA_HARD:
        return bndi_float_of_bits((uint32_t)random);
    case DATA_CLOSE:
        return sign * (8.0f + (float)(random & 7)) * 0.125f;
    case DATA_EDGE: {
        const int neighbour = (int)(random % 3) - 1, fraction = f->precision < 24 ? f->precision - 1 : 22;
        return sign * ldexpf(1.0f + (float)neighbour * ldexpf(1.0f, -fraction), (int)(random >> 32 & 31) - 16);
    }
    default: { /* products of two of these are about the format's ends */
        int ends[4] = {f->emin / 2, f->emin - f->precision / 2, f->emax / 2, f->emax - 1};
        int exponent = ends[random & 3] + (int)(random >> 2 & 3) - 1;
        exponent = exponent < -140 ? -140 : exponent > 126 ? 126 : exponent;
        return sign * ldexpf(1.0f + (float)(random >> 41) * 0x1p-23f, exponent);
    }
    }
}

/* ---- arrays ---- */

typedef struct shape {
    bnd_strides strides;
    ptrdiff_t first;
    size_t size;
} shape;

static shape laid_out(size_t rows, size_t columns, unsigned layout)
{
    const ptrdiff_t r = (ptrdiff_t)rows, c = (ptrdiff_t)columns;
    switch (layout) {
    case 1:
        return (shape){.strides = {.row = 1, .column = r}, .size = rows * columns};
    case 2:
        return (shape){.strides = {.row = c + 3, .column = 1}, .size = rows * (columns + 3)};
    case 3:
        return (shape){.strides = {.row = -c, .column = -1}, .first = r * c - 1, .size = rows * columns};
    case 4:
        return (shape){.strides = {.row = 2 * c + 1, .column = 2}, .size = rows * (2 * columns + 1)};
    case ROWS_SHARE_A_SET: {
        const size_t row = (columns + 1023) / 1024 * 1024;
        return (shape){.strides = {.row = (ptrdiff_t)row, .column = 1}, .size = rows * row};
    }
    default:
        return (shape){.strides = {.row = c, .column = 1}, .size = rows * columns};
    }
}

void question_open(question *q, size_t m, size_t n, size_t k, const bnd_gemm *how, unsigned layout)
{
    shape a = laid_out(m, k, layout), b = laid_out(k, n, (layout + 1) / 2), c = laid_out(m, n, layout);
    *q = (question){.m = m, .n = n, .k = k, .how = *how};
    q->how.a = a.strides;
    q->how.b = b.strides;
    q->how.c = c.strides;
    if (layout == 0) { /* what all zero means */
        q->how.a = q->how.c = (bnd_strides){.row = 0, .column = 0};
    }
    q->a_size = a.size;
    q->b_size = b.size;
    q->c_size = c.size;
    q->a_first = m * k > 0 ? a.first : 0;
    q->b_first = k * n > 0 ? b.first : 0;
    q->c_first = m * n > 0 ? c.first : 0;
    q->a = memory_of(a.size * sizeof(float));
    q->b = memory_of(b.size * sizeof(float));
    q->c = memory_of(c.size * sizeof(float));
    q->start = memory_of(c.size * sizeof(float));
}

void question_close(question *q)
{
    free(q->a);
    free(q->b);
    free(q->c);
    free(q->start);
}

static void fill(float *x, size_t n, data_kind kind, const bnd_format *f, const bnd_format *rounded, uint64_t seed)
{
    bnd_error why;
    for (size_t i = 0; i < n; i++) {
        x[i] = number_of(kind, f, seed, i);
    }
    if (rounded != NULL) {
        need(bnd_round_f32(x, x, n, rounded, NULL, NULL, &why), &why);
    }
}

void question_fill(question *q, data_kind kind, const bnd_format *f, uint64_t seed)
{
    const bool own = seed % 2 == 0 && kind != DATA_HARD;
    fill(q->a, q->a_size, kind, f, own ? f : NULL, 3 * seed);
    fill(q->b, q->b_size, kind, f, own ? f : NULL, 3 * seed + 1);
    fill(q->start, q->c_size, kind, f, NULL, 3 * seed + 2);
}

float *element_of_c(const question *q, float *c, size_t i, size_t j)
{
    const bool plain = q->how.c.row == 0 && q->how.c.column == 0;
    const ptrdiff_t row = plain ? (ptrdiff_t)q->n : q->how.c.row, column = plain ? 1 : q->how.c.column;
    return c + q->c_first + (ptrdiff_t)i * row + (ptrdiff_t)j * column;
}

static float operand(const question *q, bool of_a, size_t i, size_t j)
{
    const bnd_strides s = of_a ? q->how.a : q->how.b;
    const bool plain = s.row == 0 && s.column == 0;
    const ptrdiff_t row = plain ? (ptrdiff_t)(of_a ? q->k : q->n) : s.row, column = plain ? 1 : s.column;
    const float x = (of_a ? q->a + q->a_first : q->b + q->b_first)[(ptrdiff_t)i * row + (ptrdiff_t)j * column];
    const bnd_format *rounded = of_a ? q->how.round_a : q->how.round_b, fp32 = fp32_format();
    if (rounded == NULL) {
        return x;
    }
    bnd_exact value = bnd_round_exact(rounded, bnd_exact_float(x), (bnd_rule){.rounding = BND_ROUND_RNE}, 0).value;
    return bndi_float_of_bits((uint32_t)bnd_encode_exact(&fp32, value, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code);
}

bnd_status question_ask(question *q, bnd_error *why)
{
    memcpy(q->c, q->start, q->c_size * sizeof(float));
    return bnd_gemm_f32(q->c + q->c_first, q->m, q->n, q->a + q->a_first, q->b + q->b_first, q->k, &q->how, why);
}

/* ---- one step ---- */

static uint64_t operate(judge by, const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                        const uint64_t *codes, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_operate(to, operation, from, codes, rule, random);
    if (by == BY_ORACLE) {
        bnd_error why;
        need(bnd_oracle_operate(&r, to, bnd_operation_name(operation), from, codes, rule, random, &why), &why);
    }
    return r.code;
}

static uint64_t random_at(const question *q, uint64_t element)
{
    unsigned bits = bnd_rule_random_bits(q->how.accumulator.rule);
    return bits > 0 ? bnd_random_bits(q->how.seed, q->how.purpose, element, bits) : 0;
}

/* The sum in codes of a format. */
static uint64_t step(const question *q, const bnd_format *f, uint64_t s, float a, float b, uint64_t place, judge by)
{
    const bnd_format fp32 = fp32_format();
    const bnd_rule rule = q->how.accumulator.rule;
    const uint64_t x = bndi_bits_of_float(a), y = bndi_bits_of_float(b);
    if (q->how.accumulator.kind == BND_ACCUMULATE_FUSED) {
        return operate(by, f, BND_OP_FMA, (const bnd_format *const[]){&fp32, &fp32, f}, (uint64_t[]){x, y, s}, rule,
                       random_at(q, place));
    }
    uint64_t p = operate(by, f, BND_OP_MUL, (const bnd_format *const[]){&fp32, &fp32}, (uint64_t[]){x, y}, rule,
                         random_at(q, place));
    return operate(by, f, BND_OP_ADD, (const bnd_format *const[]){f, f}, (uint64_t[]){s, p}, rule,
                   random_at(q, place + (uint64_t)q->m * q->n * q->k));
}

/* An operand, flushed if the rule flushes inputs. */
static bnd_exact flushed(const bnd_format *f, bnd_exact x, bnd_rule rule)
{
    const bool to_zero = rule.flush_in && bnd_classify(f, x) == BND_CLASS_SUBNORMAL;
    return to_zero ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative} : x;
}

/* The sum in exact values, where there are no codes. */
static bnd_exact step_exact(const question *q, const bnd_format *f, bnd_exact s, float a, float b, uint64_t place)
{
    const bnd_rule rule = bnd_rule_of_operation(q->how.accumulator.rule);
    const bnd_format fp32 = fp32_format();
    uint32_t flags;
    bnd_exact x[3] = {flushed(&fp32, bnd_exact_float(a), rule), flushed(&fp32, bnd_exact_float(b), rule),
                      flushed(f, s, rule)};
    if (q->how.accumulator.kind == BND_ACCUMULATE_FUSED) {
        return bnd_round_exact(f, bnd_operate_exact(BND_OP_FMA, f, x, rule, 0, &flags), rule, random_at(q, place))
            .value;
    }
    bnd_exact p = bnd_operate_exact(BND_OP_MUL, f, x, rule, 0, &flags);
    bnd_exact terms[2] = {x[2], flushed(f, bnd_round_exact(f, p, rule, random_at(q, place)).value, rule)};
    return bnd_round_exact(f, bnd_operate_exact(BND_OP_ADD, f, terms, rule, 0, &flags), rule,
                           random_at(q, place + (uint64_t)q->m * q->n * q->k))
        .value;
}

/* ---- aligned groups, in integers ---- */

/* significand * 2^exponent, exactly. */
typedef struct term {
    int64_t significand;
    int exponent;
} term;

static term term_of(float x)
{
    const uint32_t u = bndi_bits_of_float(x), field = u >> 23 & 255, fraction = u & 0x7fffff;
    int64_t significand = field > 0 ? (int64_t)(fraction | 0x800000) : (int64_t)fraction;
    return (term){.significand = u >> 31 != 0 ? -significand : significand,
                  .exponent = (field > 0 ? (int)field : 1) - 150};
}

static int log2_of(term t)
{
    int64_t u = t.significand < 0 ? -t.significand : t.significand;
    return u == 0 ? -1000 : t.exponent + 63 - __builtin_clzll((unsigned long long)u);
}

/* Toward zero, in units of 2^unit. */
static int64_t in_units(term t, int unit)
{
    int down = unit - t.exponent;
    if (t.significand == 0) {
        return 0;
    }
    if (down <= 0) {
        return t.significand * ((int64_t)1 << -down);
    }
    return down > 62 ? 0 : t.significand / ((int64_t)1 << down);
}

static float group_of_terms(const float *a, const float *b, size_t n, float s, int bits)
{
    term terms[BND_GROUP_MAX + 1] = {term_of(s)};
    int most = log2_of(terms[0]) > -126 ? log2_of(terms[0]) : -126;
    double all = (double)s;
    for (size_t i = 0; i < n; i++) {
        term x = term_of(a[i]), y = term_of(b[i]);
        terms[i + 1] = (term){.significand = x.significand * y.significand, .exponent = x.exponent + y.exponent};
        most = log2_of(terms[i + 1]) > most ? log2_of(terms[i + 1]) : most;
        all += (double)a[i] * (double)b[i];
    }
    if (!isfinite(all)) {
        return (float)all;
    }
    int64_t sum = 0;
    for (size_t i = 0; i <= n; i++) {
        sum += in_units(terms[i], most - (bits - 1));
    }
    term total = {.significand = sum, .exponent = most - (bits - 1)};
    if (sum != 0) {
        int unit = log2_of(total) - (bits - 1);
        if (unit > total.exponent) {
            total = (term){.significand = in_units(total, unit), .exponent = unit};
        }
    }
    return log2_of(total) > 127 ? (sum < 0 ? -INFINITY : INFINITY)
                                : (float)ldexp((double)total.significand, total.exponent);
}

/* The exponent of x in a format whose least is given; far below everything for 0. */
static int exponent_of(float x, int least)
{
    const int e = log2_of(term_of(x));
    return x == 0 ? -100000 : e > least ? e : least;
}

/* Up or down to the even one of two neighbours, in units of 2^unit. */
static int64_t nearest_in_units(term t, int unit)
{
    const int64_t low = in_units(t, unit);
    const int down = unit - t.exponent;
    if (down <= 0 || down > 60) { /* a term is less than 2^59 */
        return low;
    }
    const int64_t one = (int64_t)1 << down, rest = t.significand - low * one, twice = 2 * (rest < 0 ? -rest : rest);
    const bool up = twice > one || (twice == one && low % 2 != 0);
    return low + (up ? (t.significand < 0 ? -1 : 1) : 0);
}

/* BND_ACCUMULATE_TENSOR: operands of formats with these least exponents. */
static float group_of_tensor(const float *a, const float *b, size_t n, float s, const bnd_accumulator *acc, int least_a,
                             int least_b)
{
    const bnd_format *f = &acc->format;
    term terms[BND_GROUP_MAX + 1] = {term_of(s)};
    int most = exponent_of(s, f->emin) > f->emin - 7 ? exponent_of(s, f->emin) : f->emin - 7;
    double all = (double)s;
    for (size_t i = 0; i < n; i++) {
        term x = term_of(a[i]), y = term_of(b[i]);
        terms[i + 1] = (term){.significand = x.significand * y.significand, .exponent = x.exponent + y.exponent};
        const int e = exponent_of(a[i], least_a) + exponent_of(b[i], least_b);
        most = e > most ? e : most;
        all += (double)a[i] * (double)b[i];
    }
    if (!isfinite(all)) {
        return (float)all;
    }
    term total = {.significand = 0, .exponent = most - acc->fraction};
    for (size_t i = 0; i <= n; i++) {
        total.significand += in_units(terms[i], total.exponent);
    }
    if (total.significand == 0) {
        return 0;
    }
    const int e = log2_of(total) > f->emin ? log2_of(total) : f->emin, unit = e - (f->precision - 1);
    const bool nearest = f->emin != -126;
    const int64_t kept = nearest ? nearest_in_units(total, unit) : in_units(total, unit);
    const double r = ldexp((double)kept, unit);
    return fabs(r) >= ldexp(1, f->emax + 1) ? (r < 0 ? -INFINITY : INFINITY) : (float)r + 0.0f;
}

/* ---- an element ---- */

static float one_nan(float x)
{
    return isnan(x) ? bndi_float_of_bits(0x7fc00000) : x;
}

static float to_fp32(const bnd_format *f, uint64_t code)
{
    const bnd_format fp32 = fp32_format();
    return bndi_float_of_bits((uint32_t)bnd_convert(&fp32, f, code, (bnd_rule){.nan = BND_NAN_CANONICAL}, 0).code);
}

static bnd_format format_of_sums(const question *q)
{
    return q->how.accumulator.format.precision > 0 ? q->how.accumulator.format : fp32_format();
}

/* A sum: a code of the format of sums; its value, where that is a value set. */
typedef struct sum {
    uint64_t code;
    bnd_exact value;
} sum;

/* The sum of steps first .. last - 1, from `start`. */
static sum sum_of(const question *q, size_t i, size_t j, float start, size_t first, size_t last, judge by)
{
    const bnd_accumulator *acc = &q->how.accumulator;
    const bnd_format f = format_of_sums(q);
    bnd_rule begin = acc->rule;
    begin.rounding = BND_ROUND_RNE;
    const uint64_t place = (uint64_t)i * q->k * q->n + j;
    if (acc->kind == BND_ACCUMULATE_ALIGNED || acc->kind == BND_ACCUMULATE_TENSOR) {
        const bnd_format fp32 = fp32_format();
        const bnd_format *of_a = q->how.round_a != NULL ? q->how.round_a : &fp32;
        const bnd_format *of_b = q->how.round_b != NULL ? q->how.round_b : &fp32;
        const bool cuts = f.emin == -126;
        const size_t group = acc->group != 0 ? acc->group : 32;
        float s = to_fp32(
            &f, bnd_encode_float(&f, start, (bnd_rule){.rounding = cuts ? BND_ROUND_RTZ : BND_ROUND_RNE}, 0).code);
        for (size_t k = first; k < last; k += group) {
            float a[BND_GROUP_MAX], b[BND_GROUP_MAX];
            size_t n = last - k < group ? last - k : group;
            for (size_t t = 0; t < n; t++) {
                a[t] = operand(q, true, i, k + t);
                b[t] = operand(q, false, k + t, j);
            }
            s = one_nan(acc->kind == BND_ACCUMULATE_ALIGNED ? group_of_terms(a, b, n, s, f.precision)
                                                            : group_of_tensor(a, b, n, s, acc, of_a->emin, of_b->emin));
        }
        return (sum){.code = bnd_encode_float(&f, s, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code};
    }
    if (f.width == 0) {
        bnd_exact s = bnd_round_exact(&f, bnd_exact_float(start), begin, 0).value;
        for (size_t k = first; k < last; k++) {
            s = step_exact(q, &f, s, operand(q, true, i, k), operand(q, false, k, j), place + k * q->n);
        }
        return (sum){.value = s};
    }
    uint64_t s = bnd_encode_exact(&f, bnd_exact_float(start), begin, 0).code; /* flush_in is for the steps' operands */
    for (size_t k = first; k < last; k++) {
        s = step(q, &f, s, operand(q, true, i, k), operand(q, false, k, j), place + k * q->n, by);
    }
    return (sum){.code = s};
}

static float stored(const question *q, sum s)
{
    const bnd_format f = format_of_sums(q), fp32 = fp32_format();
    if (f.width > 0) {
        return to_fp32(&f, s.code);
    }
    return bndi_float_of_bits((uint32_t)bnd_encode_exact(&fp32, s.value, (bnd_rule){.nan = BND_NAN_CANONICAL}, 0).code);
}

/* c + s, the exact sum rounded once to fp32. */
static float promoted(const question *q, float c, sum s, judge by)
{
    const bnd_format f = format_of_sums(q), fp32 = fp32_format();
    const bnd_rule nearest = {.rounding = BND_ROUND_RNE, .nan = BND_NAN_CANONICAL};
    if (f.width > 0) {
        const uint64_t codes[2] = {bndi_bits_of_float(c), s.code};
        return bndi_float_of_bits(
            (uint32_t)operate(by, &fp32, BND_OP_ADD, (const bnd_format *const[]){&fp32, &f}, codes, nearest, 0));
    }
    uint32_t flags;
    const bnd_exact terms[2] = {bnd_exact_float(c), s.value};
    bnd_exact exact = bnd_operate_exact(BND_OP_ADD, &fp32, terms, nearest, 0, &flags);
    return bndi_float_of_bits((uint32_t)bnd_encode_exact(&fp32, exact, nearest, 0).code);
}

float expected(const question *q, size_t i, size_t j, judge by)
{
    const size_t promote = q->how.accumulator.promote;
    float c = q->how.add ? *element_of_c(q, q->start, i, j) : 0.0f;
    if (promote == 0) {
        return stored(q, sum_of(q, i, j, c, 0, q->k, by));
    }
    for (size_t k = 0; k < q->k; k += promote) {
        c = promoted(q, c, sum_of(q, i, j, 0.0f, k, q->k - k < promote ? q->k : k + promote, by), by);
    }
    return one_nan(c); /* also with k = 0 */
}

size_t differences(const question *q, const char *what, judge by)
{
    size_t different = 0, touched = 0;
    float *copy = memory_of(q->c_size * sizeof(float));
    memcpy(copy, q->c, q->c_size * sizeof(float));
    for (size_t i = 0; i < q->m; i++) {
        for (size_t j = 0; j < q->n; j++) {
            float got = *element_of_c(q, q->c, i, j), want = expected(q, i, j, by);
            *element_of_c(q, copy, i, j) = *element_of_c(q, q->start, i, j);
            different += bndi_bits_of_float(got) != bndi_bits_of_float(want);
            if (bndi_bits_of_float(got) != bndi_bits_of_float(want) && different <= 3) {
                char name[BND_ACCUMULATOR_NAME_SIZE];
                bnd_accumulator_name(name, sizeof name, &q->how.accumulator);
                printf("%s, %s: %zu x %zu x %zu, element (%zu, %zu) is %a (%08x), not %a (%08x)\n", what, name, q->m,
                       q->n, q->k, i, j, (double)got, bndi_bits_of_float(got), (double)want, bndi_bits_of_float(want));
            }
        }
    }
    touched = memcmp(copy, q->start, q->c_size * sizeof(float)) != 0;
    if (touched != 0) {
        printf("%s: memory between the elements of C has changed\n", what);
    }
    free(copy);
    return different + touched;
}
