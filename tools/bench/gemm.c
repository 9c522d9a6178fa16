/* Matrix products compared with OpenBLAS: the accumulators, the ratio each should reach, and their times. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256, LOOKED_AT = 37 };

typedef struct gemm_case {
    const char *accumulator,
        *operands; /* what is added up, in which format: rounded before, and, for fp32, by the call */
} gemm_case;

static const gemm_case cases[] = {
    {"fp32", ""},
    {"fp32", "fp16"},
    {"fp32", "bf16"},
    {"fp32", "e4m3"},
    {"fp32", "e5m2"},
    {"each:fp32", ""},
    {"fp64", ""},
    {"fp16", "fp16"},
    {"bf16", "bf16"},
    {"e4m3", "e4m3"},
    {"e5m2", "e5m2"},
    {"tf32", "tf32"},
    {"e6m9", "e6m9"},
    {"fma:fp16", "fp16"},
    {"fma:bf16", "bf16"},
    {"fma:e4m3", "e4m3"},
    {"fma:e5m2", "e5m2"},
    {"fp16/promote128", "fp16"},
    {"trunc14/promote128", "e4m3"},
    {"hopper-fp8", "e4m3"},
    {"hopper-fp16", "bf16"},
    {"hopper-fp16", ""},
    {"fp32:rtz", ""},
    {"each:fp32:rup", ""},
    {"fp32:rna", ""},
    {"fp32:sr:16", ""},
    {"fp64:rup", ""},
    {"e8m12", "e8m12"},
    {"fma:e8m40", ""},
    {"bf16:rtz", "bf16"},
    {"bf16:rna", "bf16"},
    {"bf16:rto", "bf16"},
    {"bf16:sr:8", "bf16"},
    {"bf16:sr-equal", "bf16"},
    {"fma:bf16:rdn", "bf16"},
    {"fma:bf16:rna", "bf16"},
    {"fma:bf16:sr:8", "bf16"},
    {"fma:bf16:sra:8", "bf16"},
    {"fma:bf16:srb:8", "bf16"},
    {"fma:bf16:sr:32", "bf16"},
    {"fma:e4m3:rtz", "e4m3"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void name_case(char name[BENCH_NAME_SIZE], const gemm_case *what)
{
    snprintf(name, BENCH_NAME_SIZE, "gemm %s%s%s", what->accumulator, what->operands[0] != '\0' ? " of " : "",
             what->operands);
}

static bool chosen(const bench_options *options, const gemm_case *what)
{
    char name[BENCH_NAME_SIZE];
    name_case(name, what);
    return bench_has_words(name, options->words);
}

static void each(const bench_options *options, bench_listing *listing, void *state)
{
    for (size_t i = 0; i < CASES && options->format_count == 0; i++) {
        char name[BENCH_NAME_SIZE];
        name_case(name, &cases[i]);
        if (chosen(options, &cases[i])) {
            listing(state, name);
        }
    }
}

/* ---- a case with its matrices ---- */

typedef struct gemm_run {
    bnd_gemm how;
    bnd_format operands;
    float *a, *b, *c;
} gemm_run;

static void insist(bnd_status status, const bnd_error *why)
{
    if (status != BND_OK) {
        fprintf(stderr, "binade bench: %s\n", why->message);
        exit(2);
    }
}

static void pass(void *state)
{
    gemm_run *run = state;
    bnd_error why;
    insist(bnd_gemm_f32(run->c, SIDE, SIDE, run->a, run->b, SIDE, &run->how, &why), &why);
}

static void close_run(gemm_run *run)
{
    free(run->a);
    free(run->b);
    free(run->c);
}

static bool open_run(gemm_run *run, const gemm_case *what, const bnd_context *context)
{
    const size_t count = (size_t)SIDE * SIDE;
    bnd_error why;
    *run = (gemm_run){.how = {.context = context}};
    run->a = bench_allocate(2 * count * sizeof *run->a); /* B's numbers come after A's */
    run->b = bench_allocate(count * sizeof *run->b);
    run->c = bench_allocate(count * sizeof *run->c);
    insist(bnd_accumulator_parse(&run->how.accumulator, what->accumulator, &why), &why);
    if (run->a == NULL || run->b == NULL || run->c == NULL ||
        !bench_fill(run->a, 2 * count, bnd_format_at(BND_FORMAT_FP32), BND_PACKING_PACKED, false)) {
        close_run(run);
        return false;
    }
    memcpy(run->b, run->a + count, count * sizeof *run->b);
    if (what->operands[0] != '\0') {
        insist(bnd_format_parse(&run->operands, what->operands, &why), &why);
        insist(bnd_round_f32(run->a, run->a, count, &run->operands, NULL, NULL, &why), &why);
        insist(bnd_round_f32(run->b, run->b, count, &run->operands, NULL, NULL, &why), &why);
        if (strcmp(what->accumulator, "fp32") == 0) {
            run->how.round_a = run->how.round_b = &run->operands;
        }
    }
    return true;
}

/* ---- some elements by bnd_operate, in a plain loop; groups that are truncated are the tests' ---- */

static uint64_t code_of(const gemm_run *run, float x)
{
    const bnd_format *f = run->operands.precision > 0 ? &run->operands : &run->how.accumulator.format;
    return bnd_encode_float(f, x, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
}

static float sum_of(const gemm_run *run, size_t i, size_t j)
{
    const bnd_accumulator *acc = &run->how.accumulator;
    const bnd_format *f = &acc->format, *from = run->operands.precision > 0 ? &run->operands : f;
    uint64_t s = 0;
    for (size_t k = 0; k < SIDE; k++) {
        uint64_t x[3] = {code_of(run, run->a[i * SIDE + k]), code_of(run, run->b[k * SIDE + j]), s};
        if (acc->kind == BND_ACCUMULATE_FUSED) {
            s = bnd_operate(f, BND_OP_FMA, (const bnd_format *const[]){from, from, f}, x, acc->rule, 0).code;
            continue;
        }
        uint64_t p = bnd_operate(f, BND_OP_MUL, (const bnd_format *const[]){from, from}, x, acc->rule, 0).code;
        s = bnd_operate(f, BND_OP_ADD, (const bnd_format *const[]){f, f}, (uint64_t[]){s, p}, acc->rule, 0).code;
    }
    return (float)bnd_decode(f, s);
}

static size_t wrong_elements(const gemm_run *run)
{
    const bnd_accumulator *acc = &run->how.accumulator;
    size_t wrong = 0;
    if (acc->kind > BND_ACCUMULATE_EACH || acc->promote > 0 || bnd_rule_random_bits(acc->rule) > 0) {
        return 0;
    }
    for (size_t e = 0; e < (size_t)SIDE * SIDE; e += (size_t)SIDE * SIDE / LOOKED_AT) {
        float want = sum_of(run, e / SIDE, e % SIDE);
        wrong += memcmp(&want, &run->c[e], sizeof want) != 0;
    }
    return wrong;
}

/* ---- times ---- */

typedef struct gemm_row {
    char name[BENCH_NAME_SIZE];
    const char *backend;
    unsigned threads;
    int rounds;
    double seconds, ratio; /* ratio 0 without OpenBLAS */
} gemm_row;

static void print_row(bench_report *report, const gemm_row *row)
{
    const double gigaflops = 2e-9 * (double)SIDE * (double)SIDE * (double)SIDE / row->seconds;
    report->rows++;
    if (report->as_json) {
        bench_report_other(report, row->name, "gemm", row->backend, row->threads, row->rounds, "gigaflops", gigaflops,
                           "ratio_to_openblas", row->ratio);
        return;
    }
    printf("%-36s %-9s %-8s %7u %9.2f", row->name, "256", row->backend, row->threads, gigaflops);
    if (row->ratio > 0) {
        printf(" %11.3f", row->ratio);
    } else {
        printf(" %11s", "-");
    }
    putchar('\n');
    fflush(stdout);
}

/* In turns with OpenBLAS, as cases and copies are. */
static void measure(bench_report *report, const bench_options *options, const gemm_case *what, gemm_run *run)
{
    gemm_run blas = *run;
    blas.how = (bnd_gemm){.context = run->how.context, .accumulator = {.kind = BND_ACCUMULATE_CBLAS}};
    const bool here = bnd_cblas_here();
    const bnd_backend backend =
        run->how.context->backend == BND_BACKEND_BEST ? bnd_backend_best() : (bnd_backend)run->how.context->backend;
    bench_contest contest = {.pass = pass, .state = run, .other = here ? pass : NULL, .other_state = &blas};
    bench_compare(&contest, options->rounds, options->seconds);
    gemm_row row = {.backend = bnd_backend_name(backend), .threads = run->how.context->threads};
    row.rounds = contest.rounds;
    row.seconds = contest.seconds;
    row.ratio = contest.ratio;
    name_case(row.name, what);
    print_row(report, &row);
}

static int measure_all(bench_report *report, const bench_options *options)
{
    size_t different = 0;
    if (bench_family_count(&bench_products, options) > 0 && !options->json) {
        printf("%-36s %-9s %-8s %7s %9s %11s\n", "matrix product", "side", "backend", "threads", "GFLOP/s",
               "vs OpenBLAS");
    }
    for (size_t i = 0; i < CASES && options->format_count == 0; i++) {
        for (size_t b = 0; chosen(options, &cases[i]) && (b < options->backend_count || b == 0); b++) {
            bnd_context context = {.threads = options->threads_given ? options->threads : 1};
            gemm_run run;
            context.backend = options->backend_count > 0 ? options->backends[b] : (uint8_t)BND_BACKEND_BEST;
            if (!open_run(&run, &cases[i], &context)) {
                return 3;
            }
            pass(&run);
            size_t wrong = wrong_elements(&run);
            if (wrong > 0) {
                fprintf(stderr, "binade bench: gemm %s: %zu elements are not what bnd_operate gives\n",
                        cases[i].accumulator, wrong);
                different += wrong;
            } else {
                measure(report, options, &cases[i], &run);
            }
            close_run(&run);
        }
    }
    return different > 0 ? 1 : 0;
}

const bench_family bench_products = {"gemm", each, measure_all};
