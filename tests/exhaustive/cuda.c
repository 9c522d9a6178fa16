/* The codec against CUDA: what its headers' host emulation makes of a float has to be what the dialect says, bit for
 * bit. A stratified ten million floats over all conversions, or with --all every float for each of them. CUDA
 * reports no flags, so that codes are compared.
 *
 * Compiled with sample.c, options.c, state.c and pool.c; links the library. Where CUDA's headers and a C++ compiler
 * are there: with -DBND_HAVE_CUDA, and cuda_judge.cc. Without that it says that it was skipped (exit status 77). */
#include "base/bits.h"
#include "common.h"
#include "cuda_judge.h"
#include "sample.h"

#include <binade/codec.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef BND_HAVE_CUDA

int main(void)
{
    puts("1 skipped: CUDA's headers (cuda_fp16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h) with a C++ compiler");
    return EXIT_SKIPPED;
}

#else

static const program about = {"cuda", "floats into a row, the codec against the host emulation of CUDA's headers",
                              "rjsSa", "all"};

enum { STRATIFIED = 10000000, PIECE_BITS = 22 };

typedef struct plan {
    const request *r;
    task *tasks;
    const cuda_conversion **conversions;
    size_t count;
    uint64_t inputs; /* of each conversion */
} plan;

/* The row and the rule of a conversion; false, with a message, where the table of formats or of dialects lacks it. */
static bool rule_of(bnd_format *row, bnd_rule *rule, const cuda_conversion *conversion)
{
    bnd_error why = {.message = "the dialect has no rule for this format"};
    size_t dialect;
    if (bnd_format_parse(row, conversion->row, &why) != BND_OK ||
        bnd_dialect_parse(&dialect, conversion->dialect, &why) != BND_OK || !bnd_dialect_rule(rule, dialect, row)) {
        fprintf(stderr, "cuda: %s: %s\n", conversion->name, why.message);
        return false;
    }
    if (conversion->rounding >= 0) {
        rule->rounding = (uint8_t)conversion->rounding;
    }
    return true;
}

static void check_floats(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    const cuda_conversion *conversion = p->conversions[index];
    bnd_format row;
    bnd_rule rule;
    if (!rule_of(&row, &rule, conversion)) {
        exit(EXIT_TROUBLE); /* main has seen that there is one */
    }
    uint64_t end = (piece + 1) << PIECE_BITS;
    for (uint64_t i = piece << PIECE_BITS; i < end && i < p->inputs; i += p->r->stride) {
        uint32_t bits = p->r->all ? (uint32_t)i : sample_float(&row, i);
        float x = bndi_float_of_bits(bits);
        uint64_t got = bnd_encode_float(&row, x, rule, 0).code;
        uint32_t expected = conversion->convert(x);
        o->checked++;
        if (got != expected) {
            mismatch(o, "float 0x%08" PRIx32 " (%a) gives code 0x%" PRIx64 "; CUDA: 0x%" PRIx32, bits, (double)x, got,
                     expected);
        }
    }
}

static bool is_asked_for(const request *r, const char *row)
{
    bnd_format f;
    bool known = bnd_format_parse(&f, row, NULL) == BND_OK;
    for (size_t i = 0; known && i < r->row_count; i++) {
        if (bnd_format_same(&f, &r->rows[i])) {
            return true;
        }
    }
    return false;
}

static bool list_tasks(plan *p)
{
    const request *r = p->r;
    for (size_t i = 0; i < cuda_conversion_count; i++) {
        if (is_asked_for(r, cuda_conversions[i].row)) {
            p->conversions[p->count++] = &cuda_conversions[i];
        }
    }
    p->inputs = UINT64_C(1) << 32;
    if (!r->all && p->count > 0) {
        p->inputs = (uint64_t)(STRATIFIED * test_scale()) / p->count + 1;
    }
    for (size_t i = 0; i < p->count; i++) {
        bnd_format row;
        bnd_rule rule;
        if (!rule_of(&row, &rule, p->conversions[i])) {
            return false;
        }
        p->tasks[i].pieces = ((p->inputs - 1) >> PIECE_BITS) + 1;
        snprintf(p->tasks[i].name, sizeof p->tasks[i].name, "%s", p->conversions[i]->name);
    }
    return true;
}

int main(int argc, char **argv)
{
    static request r;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    plan p = {.r = &r};
    p.tasks = calloc(cuda_conversion_count, sizeof *p.tasks);
    p.conversions = calloc(cuda_conversion_count, sizeof *p.conversions);
    status = EXIT_TROUBLE;
    if (p.tasks != NULL && p.conversions != NULL && list_tasks(&p)) {
        printf("CUDA %d.%d, on the host\n", cuda_version / 1000, cuda_version % 1000 / 10);
        status = run_tasks(&r, p.tasks, p.count, check_floats, &p);
    }
    free(p.tasks);
    free(p.conversions);
    return status;
}

#endif
