/* CUDA's dialects, named from what CUDA's own headers make of a float on the host: each conversion's answers to the
 * vectors of level 1 leave no line over under its dialect, and under no other one that answers differently.
 *
 * Compiled with cuda_judge.cc where CUDA's headers and a C++ compiler are there: with -DBND_HAVE_CUDA. Without that it
 * says that it was skipped (exit status 77). */
#include "base/bits.h"
#include "common.h"
#include "cuda_judge.h"
#include "sample.h"

#include <binade-lab.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BND_HAVE_CUDA

int main(void)
{
    puts("1 skipped: CUDA's headers (cuda_fp16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h) with a C++ compiler");
    return EXIT_SKIPPED;
}

#else

static void require(bool good, const cuda_conversion *c, const bnd_error *why)
{
    if (!good) {
        fprintf(stderr, "cuda_dialects: %s: %s\n", c->name, why->message);
        exit(EXIT_TROUBLE);
    }
}

/* Answers to every vector; in `differs` which dialects would have answered one of them in another way. */
static bnd_vector_check *ask(const cuda_conversion *c, const bnd_vectors *v, bool *differs)
{
    bnd_error why = {.message = ""};
    bnd_vector_check *check = NULL;
    bnd_vector_plan plan;
    require(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_1, 0, &why) == BND_OK, c, &why);
    require(bnd_vector_check_new(&check, v, (bnd_vector_options){0}, &why) == BND_OK, c, &why);
    for (uint64_t i = 0; i < plan.count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_result want;
        bool agrees;
        bnd_vector_case(operands, &random, &plan, i);
        uint32_t bits = (uint32_t)operands[0];
        bnd_vector_line line = {.operands = operands, .code = c->convert(bndi_float_of_bits(bits))};
        require(bnd_vector_check_line(&agrees, &want, check, &line, &why) == BND_OK, c, &why);
        for (size_t d = 0; d < bnd_dialect_count(); d++) {
            bnd_rule rule;
            if (bnd_dialect_rule(&rule, d, &v->out)) {
                rule.rounding = rule.rounding == BND_ROUND_RNE ? v->rule.rounding : rule.rounding;
                differs[d] = differs[d] || bnd_vector_answer(v, operands, rule, 0).code != line.code;
            }
        }
    }
    bnd_vector_plan_close(&plan);
    return check;
}

static unsigned name_dialects(const cuda_conversion *c, unsigned *named)
{
    bnd_error why = {.message = ""};
    bnd_vectors v;
    bnd_format fp32, row;
    bool differs[64] = {false};
    size_t own = 0;
    unsigned wrong = 0;
    bnd_rule rule = {.rounding = (uint8_t)(c->rounding >= 0 ? c->rounding : BND_ROUND_RNE)};
    require(bnd_format_parse(&fp32, "fp32", &why) == BND_OK && bnd_format_parse(&row, c->row, &why) == BND_OK &&
                bnd_dialect_parse(&own, c->dialect, &why) == BND_OK &&
                bnd_vectors_describe(&v, "convert", &fp32, 1, &row, rule, &why) == BND_OK,
            c, &why);
    bnd_vector_check *check = ask(c, &v, differs);
    for (size_t d = 0; d < bnd_dialect_count() && d < sizeof differs / sizeof differs[0]; d++) {
        bnd_vector_suspect s;
        if (bnd_vector_check_dialect(&s, check, d)) {
            bool good = (s.left_over > 0) == differs[d] && (d != own || s.left_over == 0);
            wrong += !good;
            ++*named;
            if (!good) {
                printf("%s: %s leaves %llu lines over\n", c->name, bnd_dialect_name(d),
                       (unsigned long long)s.left_over);
            }
        }
    }
    bnd_vector_check_free(check);
    return wrong;
}

int main(void)
{
    unsigned wrong = 0, named = 0;
    for (size_t i = 0; i < cuda_conversion_count; i++) {
        wrong += name_dialects(&cuda_conversions[i], &named);
    }
    printf("cuda_dialects: %zu conversions of CUDA %d, %u dialects beside them: %u passed, %u failed\n",
           cuda_conversion_count, cuda_version, named, named - wrong, wrong);
    return wrong > 0 || named == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
