/* Single operations through their public calls, compared with a call of the C library's fmaf through a pointer: the
 * cost per number of a loop that chooses its format at run time. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 4096 };

typedef struct call_case {
    bnd_operation operation;
    const char *format;
} call_case;

static const call_case cases[] = {
    {BND_OP_ADD, "fp16"},  {BND_OP_SUB, "fp16"}, {BND_OP_MUL, "fp16"}, {BND_OP_DIV, "fp16"}, {BND_OP_FMA, "fp16"},
    {BND_OP_SQRT, "fp16"}, {BND_OP_ADD, "bf16"}, {BND_OP_MUL, "bf16"}, {BND_OP_FMA, "bf16"}, {BND_OP_ADD, "e4m3"},
    {BND_OP_MUL, "e4m3"},  {BND_OP_FMA, "e4m3"}, {BND_OP_ADD, "fp32"}, {BND_OP_MUL, "fp32"}, {BND_OP_FMA, "fp32"},
    {BND_OP_ADD, "fp64"},  {BND_OP_MUL, "fp64"}, {BND_OP_DIV, "fp64"}, {BND_OP_FMA, "fp64"}, {BND_OP_SQRT, "fp64"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void name_case(char name[BENCH_NAME_SIZE], const call_case *what)
{
    snprintf(name, BENCH_NAME_SIZE, "call %s %s", bnd_operation_name(what->operation), what->format);
}

static bool chosen(const bench_options *options, const call_case *what)
{
    char name[BENCH_NAME_SIZE];
    name_case(name, what);
    return options->format_count == 0 && bench_has_words(name, options->words);
}

static void each(const bench_options *options, bench_listing *listing, void *state)
{
    for (size_t i = 0; i < CASES; i++) {
        char name[BENCH_NAME_SIZE];
        name_case(name, &cases[i]);
        if (chosen(options, &cases[i])) {
            listing(state, name);
        }
    }
}

/* ---- a case ---- */

typedef struct call_run {
    bnd_format format;
    bnd_rule rule;
    bnd_operation operation;
    uint64_t codes[BND_OPERANDS_MAX][CALLS], sum, other_sum;
    float x[3][CALLS];
} call_run;

/* Normal numbers of the format, magnitudes from 1/8 to 8, of any sign but where a root is drawn. */
static void fill(call_run *run)
{
    for (size_t k = 0; k < BND_OPERANDS_MAX; k++) {
        for (size_t i = 0; i < CALLS; i++) {
            uint64_t random = bnd_random(1, k, i);
            double size = ldexp(1 + (double)(random >> 12) * 0x1p-52, (int)(random & 7) % 6 - 3);
            bool negative = (random >> 3 & 1) != 0 && run->operation != BND_OP_SQRT;
            run->codes[k][i] = bnd_encode(&run->format, negative ? -size : size, run->rule, 0).code;
            run->x[k][i] = (float)bnd_decode(&run->format, run->codes[k][i]);
        }
    }
}

#define LOOP(call)                                                                                                     \
    for (size_t i = 0; i < CALLS; i++) {                                                                               \
        sum += call.code;                                                                                              \
    }                                                                                                                  \
    break

/* The calls themselves: each by its name, the format known by a pointer only. */
static void pass(void *state)
{
    call_run *run = state;
    const bnd_format *f = &run->format;
    const bnd_rule rule = run->rule;
    const uint64_t *a = run->codes[0], *b = run->codes[1], *c = run->codes[2];
    uint64_t sum = 0;
    switch (run->operation) {
    case BND_OP_ADD:
        LOOP(bnd_add(f, a[i], b[i], rule, 0));
    case BND_OP_SUB:
        LOOP(bnd_sub(f, a[i], b[i], rule, 0));
    case BND_OP_MUL:
        LOOP(bnd_mul(f, a[i], b[i], rule, 0));
    case BND_OP_DIV:
        LOOP(bnd_div(f, a[i], b[i], rule, 0));
    case BND_OP_FMA:
        LOOP(bnd_fma(f, a[i], b[i], c[i], rule, 0));
    case BND_OP_SQRT:
        LOOP(bnd_sqrt(f, a[i], rule, 0));
    default:
        break;
    }
    run->sum = sum;
}

static float (*volatile const reference)(float, float, float) = fmaf;

/* As the calls above: the results' bits are added up, so that no call waits for another. */
static void reference_pass(void *state)
{
    call_run *run = state;
    float (*const function)(float, float, float) = reference;
    uint64_t sum = 0;
    for (size_t i = 0; i < CALLS; i++) {
        float result = function(run->x[0][i], run->x[1][i], run->x[2][i]);
        uint32_t bits;
        memcpy(&bits, &result, sizeof bits);
        sum += bits;
    }
    run->other_sum = sum;
}

/* The sum of the codes by the definition. */
static uint64_t expected(const call_run *run)
{
    const bnd_format *from[BND_OPERANDS_MAX] = {&run->format, &run->format, &run->format};
    uint64_t sum = 0;
    for (size_t i = 0; i < CALLS; i++) {
        const uint64_t codes[BND_OPERANDS_MAX] = {run->codes[0][i], run->codes[1][i], run->codes[2][i]};
        sum += bnd_operate(&run->format, run->operation, from, codes, run->rule, 0).code;
    }
    return sum;
}

static void print_row(bench_report *report, const char *name, const bench_contest *contest)
{
    const double nanoseconds = contest->seconds / (double)CALLS * 1e9;
    report->rows++;
    if (report->as_json) {
        bench_report_other(report, name, "call", "portable", 1, contest->rounds, "ns_per_call", nanoseconds,
                           "ratio_to_fmaf", contest->ratio);
        return;
    }
    printf("%-36s %-9s %9.2f %10.3f\n", name, "1", nanoseconds, contest->ratio);
    fflush(stdout);
}

static int measure_all(bench_report *report, const bench_options *options)
{
    int status = 0;
    call_run *run = malloc(sizeof *run);
    if (run == NULL) {
        return 3;
    }
    if (bench_family_count(&bench_calls, options) > 0 && !options->json) {
        printf("%-36s %-9s %9s %10s\n", "call", "values", "ns/call", "vs fmaf");
    }
    for (size_t i = 0; i < CASES; i++) {
        char name[BENCH_NAME_SIZE];
        if (!chosen(options, &cases[i])) {
            continue;
        }
        name_case(name, &cases[i]);
        *run = (call_run){.operation = cases[i].operation};
        if (bnd_format_parse(&run->format, cases[i].format, NULL) != BND_OK) {
            continue; /* every format here is a row */
        }
        fill(run);
        pass(run);
        if (run->sum != expected(run)) {
            fprintf(stderr, "binade bench: %s: a result is not what bnd_operate gives\n", name);
            status = 1;
            continue;
        }
        bench_contest contest = {.pass = pass, .state = run, .other = reference_pass, .other_state = run};
        bench_compare(&contest, options->rounds, options->seconds);
        print_row(report, name, &contest);
    }
    free(run);
    return status;
}

const bench_family bench_calls = {"call", each, measure_all};
