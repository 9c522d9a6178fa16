/* Arrays of operations: operands next to each other in one allocation, each starting at another position of the
   pattern. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static unsigned operands(const bench_run *run)
{
    return bnd_operation_operands(run->what->arithmetic);
}

/* Operands begin at a line of the cache. */
static size_t bytes_apart(const bench_run *run)
{
    return (bnd_codes_size(&run->in, run->elements, (bnd_packing)run->how.packing_in) + 63) / 64 * 64;
}

static bool open_operands(bench_run *run)
{
    run->bytes_in = operands(run) * bnd_codes_size(&run->in, run->elements, (bnd_packing)run->how.packing_in);
    run->bytes_out = bnd_codes_size(&run->out, run->elements, (bnd_packing)run->how.packing_in);
    run->from = bench_allocate(operands(run) * bytes_apart(run));
    run->to = bench_allocate(run->bytes_out);
    return run->from != NULL && run->to != NULL;
}

/* The position in the pattern of element i of operand k. Square roots use magnitudes (drop_signs): codes here are
 * whole bytes, and their topmost bit is the sign. */
static size_t place_of(const bench_run *run, unsigned k, size_t i)
{
    return (i + k * (run->period / 3)) % run->period;
}

static void drop_signs(bench_run *run)
{
    const size_t width = run->in.width / 8;
    for (size_t i = 0; run->in.is_signed && i < run->period; i++) {
        run->pattern[i * width + width - 1] &= 0x7f;
    }
}

static bool fill_operands(bench_run *run)
{
    const size_t width = run->in.width / 8;
    if (run->what->arithmetic == BND_OP_SQRT) {
        drop_signs(run);
    }
    for (unsigned k = 0; k < operands(run); k++) {
        unsigned char *to = run->from + k * bytes_apart(run);
        for (size_t i = 0; i < run->elements;) {
            size_t from = place_of(run, k, i), left = run->elements - i, count = run->period - from;
            count = count < left ? count : left;
            memcpy(to + i * width, run->pattern + from * width, count * width);
            i += count;
        }
    }
    return true;
}

static bool pass_operation(bench_run *run, bnd_stats *stats)
{
    const bench_case *what = run->what;
    bnd_operand x[BND_OPERANDS_MAX];
    bnd_error why;
    for (unsigned k = 0; k < operands(run); k++) {
        x[k] = (bnd_operand){.data = run->from + k * bytes_apart(run), .format = what->from == NULL ? &run->in : NULL};
    }
    void *to = run->to;
    bnd_status status =
        what->from == NULL
            ? bnd_operate_codes(to, &run->format, what->arithmetic, x, run->elements, &run->how, stats, &why)
            : bnd_operate_f32(to, what->arithmetic, x, run->elements, &run->format, &run->how, stats, &why);
    if (status != BND_OK) {
        fprintf(stderr, "binade bench: %s\n", why.message);
    }
    return status == BND_OK;
}

static bool is_wrong(const bench_run *run, size_t i)
{
    const bnd_format *from[BND_OPERANDS_MAX] = {&run->in, &run->in, &run->in};
    const bnd_rule rule = run->how.rule, keep_nan = {.nan = BND_NAN_PROPAGATE};
    const unsigned bits = bnd_rule_random_bits(rule);
    uint64_t codes[BND_OPERANDS_MAX], random = bits > 0 ? bnd_random_bits(run->how.seed, 0, i, bits) : 0;
    for (unsigned k = 0; k < operands(run); k++) {
        codes[k] = bench_element(run->pattern, &run->in, place_of(run, k, i), run->how.packing_in);
    }
    uint64_t code = bnd_operate(&run->format, run->what->arithmetic, from, codes, rule, random).code;
    code = run->what->from == NULL ? code : bnd_convert(&run->out, &run->format, code, keep_nan, 0).code;
    return bench_element(run->to, &run->out, i, run->how.packing_in) != code;
}

static size_t wrong_results(bench_run *run)
{
    return bench_wrong_elements(run, is_wrong);
}

const bench_kind bench_operations = {open_operands, fill_operands, pass_operation, wrong_results};
