#include "base/bits.h"
#include "sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
    uint64_t code;
    const bnd_format *format;
} part;

static part added(const sum_question *s, bnd_operation operation, part a, part b, uint64_t index)
{
    const bnd_format *from[2] = {a.format, b.format};
    uint64_t codes[2] = {a.code, b.code}, random = random_of(&s->how, (size_t)(index - s->how.first));
    return (part){bnd_operate(&s->f, operation, from, codes, s->how.rule, random).code, &s->f};
}

static part element(const sum_question *s, size_t i)
{
    return (part){s->x[i], &s->of_x};
}

static part naive(const sum_question *s)
{
    part sum = element(s, 0);
    for (size_t i = 1; i < s->n; i++) {
        sum = added(s, BND_OP_ADD, sum, element(s, i), s->how.first + i);
    }
    return sum;
}

static part pairwise(const sum_question *s, size_t from, size_t n)
{
    size_t half = 1;
    if (n == 1) {
        return element(s, from);
    }
    while (2 * half < n) {
        half *= 2;
    }
    return added(s, BND_OP_ADD, pairwise(s, from, half), pairwise(s, from + half, n - half),
                 s->how.first + from + half);
}

static part kahan(const sum_question *s)
{
    bnd_format fp64 = format_named("fp64");
    part sum = {0, &fp64}, c = sum;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t index = 4 * (s->how.first + i);
        part y = added(s, BND_OP_SUB, element(s, i), c, index);
        part t = added(s, BND_OP_ADD, sum, y, index + 1);
        c = added(s, BND_OP_SUB, added(s, BND_OP_SUB, t, sum, index + 2), y, index + 3);
        sum = t;
    }
    return sum;
}

static uint64_t wanted(const sum_question *s)
{
    if (s->n == 0) {
        return bnd_encode(&s->f, 0, s->how.rule, 0).code;
    }
    if (s->n == 1 && s->way != BND_SUM_KAHAN) {
        return bnd_convert(&s->f, &s->of_x, s->x[0], s->how.rule, random_of(&s->how, 0)).code;
    }
    return (s->way == BND_SUM_KAHAN ? kahan(s) : s->way == BND_SUM_PAIRWISE ? pairwise(s, 0, s->n) : naive(s)).code;
}

/* What a call returns: the code, or the bits of a number. */
static bool call_sum(const sum_question *s, const bnd_array *how, const void *data, uint64_t *got)
{
    const bnd_format type = format_named(s->type == TO_DOUBLES ? "fp64" : "fp32");
    const bool numbers = s->type != TO_CODES && bnd_format_same(&s->of_x, &type);
    const bnd_operand x = {
        .data = data, .format = numbers ? NULL : &s->of_x, .packing = s->packing, .stride = s->stride};
    float narrow = 0;
    double wide = 0;
    uint32_t bits;
    bnd_status status = BND_OK;
    switch (s->type) {
    case TO_CODES:
        return bnd_sum_codes(got, &s->f, s->way, &x, s->n, how, NULL) == BND_OK;
    case TO_FLOATS:
        status = bnd_sum_f32(&narrow, s->way, &x, s->n, &s->f, how, NULL);
        memcpy(&bits, &narrow, sizeof bits);
        *got = bits;
        break;
    default:
        status = bnd_sum_f64(&wide, s->way, &x, s->n, &s->f, how, NULL);
        *got = bndi_bits_of_double(wide);
    }
    return status == BND_OK;
}

static void print_sum(const sum_question *s, const bnd_array *how)
{
    const bnd_rule *r = &how->rule;
    printf("    %s: sum in way %d of %zu %s to %s%s, %s overflow=%s nan=%s N=%u no_nan=%u negative=%u zero=%u ties=%u"
           "%s%s%s stride=%td: ",
           context_name(how->context), (int)s->way, s->n, s->of_x.name, s->f.name,
           s->type == TO_CODES    ? ""
           : s->type == TO_FLOATS ? " in fp32"
                                  : " in fp64",
           bnd_rounding_name(r->rounding), bnd_overflow_name(r->overflow), bnd_nan_name(r->nan), r->random_bits,
           r->no_nan, r->negative, r->zero, r->tie_rule, r->flush_in ? " flush_in" : "",
           r->flush_out ? " flush_out" : "", r->tiny_before ? " tiny_before" : "", s->stride);
}

void check_sum(comparison *b, const sum_question *s)
{
    const bnd_format type = format_named(s->type == TO_DOUBLES ? "fp64" : "fp32");
    unsigned char *memory = memory_of(strided_bytes(&s->of_x, s->packing, s->n, s->stride));
    const void *data = put_strided(memory, &s->of_x, s->packing, s->x, s->n, s->stride);
    uint64_t want = wanted(s);
    if (s->type != TO_CODES) {
        want = number_nearest_to(&type, bnd_unpack(&s->f, want));
    }
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        bnd_array how = s->how;
        uint64_t got = 0;
        how.context = &back_ends_here()->at[i];
        bool called = call_sum(s, &how, data, &got);
        if (comparison_note(b, called && got == want)) {
            print_sum(s, &how);
            printf("0x%llx, not 0x%llx\n", (unsigned long long)got, (unsigned long long)want);
        }
    }
    free(memory);
}

uint64_t *terms_of(const bnd_format *f, size_t n, uint64_t seed)
{
    call c = decode_call(f, true);
    uint64_t *x = operands_of(&c, n, seed);
    for (size_t i = 0; i < n; i++) {
        double size = ((double)(bnd_random(seed, 3, i) >> 11) * 0x1p-53 - 0.4) * exp2((double)(seed % 9) - 4);
        if (seed % 4 != 0 || i % 64 != 1) {
            x[i] = bnd_encode(f, f->is_signed ? size : fabs(size), (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
        }
    }
    return x;
}
