/* Sums of fp32 numbers with every addition rounded. The result is that of the additions made one by one. */
#include "bench.h"

#include <stdio.h>

static bool open_sum(bench_run *run)
{
    run->bytes_in = run->elements * sizeof(float);
    run->bytes_out = sizeof(float);
    run->from = bench_allocate(run->bytes_in);
    run->to = bench_allocate(run->bytes_out);
    return run->from != NULL && run->to != NULL;
}

static bool fill_sum(bench_run *run)
{
    bench_repeat(run->from, run->bytes_in, run);
    return true;
}

static bool sum_up(float *sum, const bench_run *run, size_t n)
{
    const bnd_operand x = {.data = run->from};
    bnd_error why;
    bnd_status status = bnd_sum_f32(sum, run->what->summation, &x, n, &run->format, &run->how, &why);
    if (status != BND_OK) {
        fprintf(stderr, "binade bench: %s\n", why.message);
    }
    return status == BND_OK;
}

static bool pass_sum(bench_run *run, bnd_stats *stats)
{
    (void)stats;
    return sum_up((float *)(void *)run->to, run, run->elements);
}

/* ---- the additions one by one ---- */

typedef struct part {
    uint64_t code;
    const bnd_format *format;
} part;

static part element(const bench_run *run, size_t i)
{
    return (part){bench_element(run->from, &run->in, i, BND_PACKING_PACKED), &run->in};
}

static part operate(const bench_run *run, bnd_operation operation, part a, part b, uint64_t index)
{
    const bnd_format *from[] = {a.format, b.format};
    const unsigned bits = bnd_rule_random_bits(run->how.rule);
    uint64_t codes[] = {a.code, b.code}, random = bits > 0 ? bnd_random_bits(run->how.seed, 0, index, bits) : 0;
    return (part){bnd_operate(&run->format, operation, from, codes, run->how.rule, random).code, &run->format};
}

static part in_pairs(const bench_run *run, size_t from, size_t n)
{
    size_t half = 1;
    if (n == 1) {
        return element(run, from);
    }
    while (2 * half < n) {
        half *= 2;
    }
    part left = in_pairs(run, from, half), right = in_pairs(run, from + half, n - half);
    return operate(run, BND_OP_ADD, left, right, from + half);
}

static part in_order(const bench_run *run, size_t n)
{
    part sum = element(run, 0);
    for (size_t i = 1; i < n; i++) {
        sum = operate(run, BND_OP_ADD, sum, element(run, i), i);
    }
    return sum;
}

static part compensated(const bench_run *run, size_t n)
{
    part sum = {bnd_encode(&run->format, 0, run->how.rule, 0).code, &run->format}, c = sum;
    for (size_t i = 0; i < n; i++) {
        part y = operate(run, BND_OP_SUB, element(run, i), c, 4 * i), t = operate(run, BND_OP_ADD, sum, y, 4 * i + 1);
        c = operate(run, BND_OP_SUB, operate(run, BND_OP_SUB, t, sum, 4 * i + 2), y, 4 * i + 3);
        sum = t;
    }
    return sum;
}

/* Of long arrays the first part. */
static size_t wrong_sum(bench_run *run)
{
    enum { MOST = 65536 };
    const size_t n = run->elements < MOST ? run->elements : MOST;
    const bnd_summation way = run->what->summation;
    float sum = 0;
    if (!sum_up(&sum, run, n)) {
        return 1;
    }
    part want = way == BND_SUM_KAHAN && n > 0 ? compensated(run, n)
                : way == BND_SUM_PAIRWISE     ? in_pairs(run, 0, n)
                                              : in_order(run, n);
    bnd_rule keep_nan = {.nan = BND_NAN_PROPAGATE};
    uint64_t got = bench_element((const unsigned char *)&sum, &run->out, 0, BND_PACKING_PACKED);
    return bnd_convert(&run->out, want.format, want.code, keep_nan, 0).code != got;
}

const bench_kind bench_sums = {open_sum, fill_sum, pass_sum, wrong_sum};
