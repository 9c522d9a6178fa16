/* A case with its arrays: filling, running, and comparing with the codec. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 1 << 20 }; /* elements that are different; a multiple of 8, so that packed codes repeat at a byte */

/* The calls are made with arguments that they take: a failure is a mistake in the table of cases. */
static void insist(bnd_status status, const bench_run *run, const bnd_error *why)
{
    if (status != BND_OK) {
        char name[BENCH_NAME_SIZE];
        bench_name(name, run->what);
        fprintf(stderr, "binade bench: %s: %s\n", name, why->message);
        exit(2);
    }
}

static bnd_format named(const bench_run *run, const char *name)
{
    bnd_format f;
    bnd_error why;
    insist(bnd_format_parse(&f, name, &why), run, &why);
    return f;
}

static bool is_block(const bench_case *what)
{
    return what->operation == BENCH_QUANTIZE || what->operation == BENCH_DEQUANTIZE;
}

static void set_formats(bench_run *run)
{
    const bench_case *what = run->what;
    bnd_format type = named(run, what->wide ? "fp64" : "fp32");
    if (is_block(what)) {
        run->in = run->out = type;
        return;
    }
    run->format = named(run, what->format);
    if (what->operation == BENCH_SUM) {
        run->in = run->out = type;
        return;
    }
    if (what->operation == BENCH_OPERATE) {
        run->in = run->out = what->from != NULL ? type : run->format;
        return;
    }
    run->in = what->operation == BENCH_DECODE    ? run->format
              : what->operation == BENCH_CONVERT ? named(run, what->from)
                                                 : type;
    run->out = what->operation == BENCH_DECODE || what->operation == BENCH_ROUND ? type : run->format;
}

static bool open_arrays(bench_run *run)
{
    run->bytes_in = bnd_codes_size(&run->in, run->elements, (bnd_packing)run->how.packing_in);
    run->bytes_out = bnd_codes_size(&run->out, run->elements, (bnd_packing)run->how.packing_out);
    run->from = bench_allocate(run->bytes_in);
    run->to = run->what->operation == BENCH_ROUND ? run->from : bench_allocate(run->bytes_out);
    return run->from != NULL && run->to != NULL;
}

void bench_close(bench_run *run)
{
    free(run->pattern);
    free(run->to == run->from ? NULL : run->to);
    free(run->from);
    free(run->scales);
    run->pattern = run->from = run->to = NULL;
    run->scales = NULL;
}

static bool fill_array(bench_run *run)
{
    bench_repeat(run->from, run->bytes_in, run);
    return true;
}

static bnd_status encode(bench_run *run, bnd_stats *stats, bnd_error *why)
{
    const void *x = run->from;
    return run->what->wide ? bnd_encode_f64(run->to, x, run->elements, &run->format, &run->how, stats, why)
                           : bnd_encode_f32(run->to, x, run->elements, &run->format, &run->how, stats, why);
}

static bnd_status decode(bench_run *run, bnd_error *why)
{
    void *x = run->to;
    return run->what->wide ? bnd_decode_f64(x, run->from, run->elements, &run->format, &run->how, why)
                           : bnd_decode_f32(x, run->from, run->elements, &run->format, &run->how, why);
}

static bnd_status round_values(bench_run *run, bnd_stats *stats, bnd_error *why)
{
    void *x = run->from;
    return run->what->wide ? bnd_round_f64(x, x, run->elements, &run->format, &run->how, stats, why)
                           : bnd_round_f32(x, x, run->elements, &run->format, &run->how, stats, why);
}

static bool pass_array(bench_run *run, bnd_stats *stats)
{
    bnd_error why;
    bnd_status status;
    switch (run->what->operation) {
    case BENCH_ENCODE:
        status = encode(run, stats, &why);
        break;
    case BENCH_DECODE:
        status = decode(run, &why);
        break;
    case BENCH_ROUND:
        status = round_values(run, stats, &why);
        break;
    default:
        status = bnd_convert_codes(run->to, &run->out, run->from, &run->in, run->elements, &run->how, stats, &why);
        break;
    }
    insist(status, run, &why);
    return true;
}

/* ---- comparing with the codec ---- */

static uint64_t by_codec(const bench_run *run, uint64_t code, size_t i, uint32_t *flags)
{
    const bnd_rule keep_nan = {.nan = BND_NAN_PROPAGATE}, rule = run->how.rule;
    unsigned bits = bnd_rule_random_bits(rule);
    uint64_t random = bits > 0 ? bnd_random_bits(run->how.seed, run->how.purpose, i, bits) : 0;
    bnd_rounded rounded;
    bnd_result result;
    switch (run->what->operation) {
    case BENCH_DECODE:
        return bnd_convert(&run->out, &run->in, code, keep_nan, 0).code;
    case BENCH_ROUND:
        rounded = bnd_round_code(&run->format, &run->in, code, rule, random);
        *flags = rounded.flags;
        return bnd_encode_exact(&run->out, rounded.value, keep_nan, 0).code;
    default:
        result = bnd_convert(&run->out, &run->in, code, rule, random);
        *flags = result.flags;
        return result.code;
    }
}

/* Counts of one pass, where every element was looked at. */
static size_t wrong_counts(const bench_run *run, const bnd_stats *want)
{
    const bnd_stats *got = &run->stats;
    return (size_t)(got->elements != run->elements) + (got->inexact != want->inexact) +
           (got->underflows != want->underflows) + (got->to_zero != want->to_zero) +
           (got->overflows != want->overflows) + (got->saturated != want->saturated);
}

static size_t wrong_in_array(bench_run *run)
{
    bnd_stats want = {0};
    size_t different = 0;
    for (size_t i = 0; i < run->elements; i += i < BENCH_ALL_OF ? 1 : BENCH_STEP) {
        uint32_t flags = 0;
        uint64_t in = bench_element(run->pattern, &run->in, i % run->period, run->how.packing_in);
        uint64_t code = by_codec(run, in, i, &flags);
        different += bench_element(run->to, &run->out, i, run->how.packing_out) != code;
        want.inexact += (flags & BND_FLAG_INEXACT) != 0;
        want.underflows += (flags & BND_FLAG_UNDERFLOW) != 0;
        want.to_zero += (flags & BND_FLAG_TO_ZERO) != 0;
        want.overflows += (flags & BND_FLAG_OVERFLOW) != 0;
        want.saturated += (flags & BND_FLAG_SATURATED) != 0;
    }
    bool all_seen = run->what->statistics && run->elements <= BENCH_ALL_OF;
    return different + (all_seen ? wrong_counts(run, &want) : 0);
}

/* ---- what a case is made of ---- */

static const bench_kind *kind_of(const bench_case *what)
{
    static const bench_kind arrays = {open_arrays, fill_array, pass_array, wrong_in_array};
    return is_block(what)                     ? &bench_blocks
           : what->operation == BENCH_OPERATE ? &bench_operations
           : what->operation == BENCH_SUM     ? &bench_sums
                                              : &arrays;
}

bool bench_open(bench_run *run, const bench_case *what, size_t elements, bool hard)
{
    bnd_packing packing = what->unpacked ? BND_PACKING_UNPACKED : BND_PACKING_PACKED;
    *run = (bench_run){.what = what, .elements = what->wide ? (elements + 1) / 2 : elements};
    set_formats(run);
    run->how =
        (bnd_array){.rule = what->rule, .seed = 1, .packing_in = (uint8_t)packing, .packing_out = (uint8_t)packing};
    run->period = run->elements < PERIOD ? run->elements : PERIOD;
    run->pattern = bench_allocate(bnd_codes_size(&run->in, run->period, packing));
    bool good = kind_of(what)->open(run) && run->pattern != NULL &&
                bench_fill(run->pattern, run->period, &run->in, packing, hard) && bench_refill(run);
    if (!good) {
        bench_close(run);
    }
    return good;
}

bool bench_refill(bench_run *run)
{
    return kind_of(run->what)->fill(run);
}

void bench_pass(void *state)
{
    bench_run *run = state;
    run->how.context = &run->context;
    if (!kind_of(run->what)->pass(run, run->what->statistics ? &run->stats : NULL)) {
        exit(2);
    }
}

size_t bench_differences(bench_run *run)
{
    bench_refill(run);
    run->stats = (bnd_stats){0};
    bench_pass(run);
    return kind_of(run->what)->wrong(run);
}
