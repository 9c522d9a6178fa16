/* The table of cases. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

const bench_case bench_cases[] = {
    {BENCH_ENCODE, .format = "fp16"},
    {BENCH_ENCODE, .format = "bf16"},
    {BENCH_ENCODE, .format = "tf32"},
    {BENCH_ENCODE, .format = "e4m3"},
    {BENCH_ENCODE, .format = "e5m2"},
    {BENCH_ENCODE, .format = "e3m2"},
    {BENCH_ENCODE, .format = "e2m3"},
    {BENCH_ENCODE, .format = "e2m1"},
    {BENCH_ENCODE, .format = "e2m1", .unpacked = true},
    {BENCH_ENCODE, .format = "binary8p3se"},
    {BENCH_ENCODE, .format = "e5m6"},
    {BENCH_ENCODE, .format = "e4m3", .rule = {.overflow = BND_OVERFLOW_SATURATE}},
    {BENCH_ENCODE, .format = "e5m2", .rule = {.overflow = BND_OVERFLOW_SATURATE}},
    {BENCH_ENCODE, .format = "e4m3", .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_ENCODE, .format = "bf16", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ENCODE, .format = "e4m3", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ENCODE, .format = "e5m2", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ENCODE, .format = "fp16", .statistics = true},
    {BENCH_ENCODE, .format = "bf16", .statistics = true},
    {BENCH_ENCODE, .format = "e4m3", .statistics = true},
    {BENCH_ENCODE, .format = "e2m1", .statistics = true},
    {BENCH_DECODE, .format = "fp16"},
    {BENCH_DECODE, .format = "bf16"},
    {BENCH_DECODE, .format = "tf32"},
    {BENCH_DECODE, .format = "e4m3"},
    {BENCH_DECODE, .format = "e5m2"},
    {BENCH_DECODE, .format = "e3m2"},
    {BENCH_DECODE, .format = "e2m3"},
    {BENCH_DECODE, .format = "e2m1"},
    {BENCH_DECODE, .format = "binary8p3se"},
    {BENCH_DECODE, .format = "e5m6"},
    {BENCH_ROUND, .format = "fp16"},
    {BENCH_ROUND, .format = "bf16"},
    {BENCH_ROUND, .format = "tf32"},
    {BENCH_ROUND, .format = "e4m3"},
    {BENCH_ROUND, .format = "e5m2"},
    {BENCH_ROUND, .format = "e2m1"},
    {BENCH_ROUND, .format = "e6m9"},
    {BENCH_ROUND, .format = "p11emin-14emax15"},
    {BENCH_ROUND, .format = "fp16", .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_ROUND, .format = "e4m3", .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_RUP}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_RDN}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_RNA}},
    {BENCH_ROUND, .format = "bf16", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ROUND, .format = "e4m3", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_SR, .random_bits = 32}},
    {BENCH_ROUND, .format = "bf16", .statistics = true},
    {BENCH_ROUND, .format = "e4m3", .statistics = true},
    {BENCH_ROUND, .format = "e6m9", .statistics = true},
    {BENCH_ENCODE, .format = "fp32", .wide = true},
    {BENCH_ENCODE, .format = "bf16", .wide = true},
    {BENCH_ENCODE, .format = "e4m3", .wide = true},
    {BENCH_DECODE, .format = "bf16", .wide = true},
    {BENCH_DECODE, .format = "e4m3", .wide = true},
    {BENCH_ROUND, .format = "e4m3", .wide = true},
    {BENCH_ROUND, .format = "e6m9", .wide = true},
    {BENCH_ROUND, .format = "e6m9", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}, .wide = true},
    {BENCH_CONVERT, .format = "e4m3", .from = "bf16"},
    {BENCH_CONVERT, .format = "bf16", .from = "e5m2"},
    {BENCH_QUANTIZE, .format = "mxfp8"},
    {BENCH_QUANTIZE, .format = "mxfp8:floor"},
    {BENCH_QUANTIZE, .format = "mxfp8-e5m2"},
    {BENCH_QUANTIZE, .format = "mxfp6-e3m2"},
    {BENCH_QUANTIZE, .format = "mxfp4"},
    {BENCH_QUANTIZE, .format = "nvfp4"},
    {BENCH_DEQUANTIZE, .format = "mxfp8"},
    {BENCH_DEQUANTIZE, .format = "mxfp4"},
    {BENCH_DEQUANTIZE, .format = "nvfp4"},
    {BENCH_OPERATE, .format = "fp16", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "fp16", .arithmetic = BND_OP_MUL},
    {BENCH_OPERATE, .format = "fp16", .arithmetic = BND_OP_DIV},
    {BENCH_OPERATE, .format = "fp16", .arithmetic = BND_OP_SQRT},
    {BENCH_OPERATE, .format = "fp16", .arithmetic = BND_OP_FMA},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_MUL},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_DIV},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_SQRT},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_FMA},
    {BENCH_OPERATE, .format = "e4m3", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "e4m3", .arithmetic = BND_OP_MUL},
    {BENCH_OPERATE, .format = "e4m3", .arithmetic = BND_OP_DIV},
    {BENCH_OPERATE, .format = "e4m3", .arithmetic = BND_OP_SQRT},
    {BENCH_OPERATE, .format = "e4m3", .arithmetic = BND_OP_FMA},
    {BENCH_OPERATE, .format = "fp32", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_ADD, .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_ADD, .rule = {.rounding = BND_ROUND_RNA}},
    {BENCH_OPERATE, .format = "bf16", .arithmetic = BND_OP_ADD, .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_OPERATE, .format = "e6m9", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "bf16", .from = "fp32", .arithmetic = BND_OP_ADD},
    {BENCH_OPERATE, .format = "bf16", .from = "fp32", .arithmetic = BND_OP_MUL},
    {BENCH_SUM, .format = "fp16", .summation = BND_SUM_NAIVE},
    {BENCH_SUM, .format = "fp16", .summation = BND_SUM_PAIRWISE},
    {BENCH_SUM, .format = "fp16", .summation = BND_SUM_KAHAN},
    {BENCH_SUM, .format = "bf16", .summation = BND_SUM_NAIVE},
    {BENCH_SUM, .format = "bf16", .summation = BND_SUM_NAIVE, .rule = {.rounding = BND_ROUND_RNA}},
    {BENCH_SUM, .format = "bf16", .summation = BND_SUM_NAIVE, .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_SUM, .format = "bf16", .summation = BND_SUM_PAIRWISE, .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_SUM, .format = "bf16", .summation = BND_SUM_KAHAN, .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_SUM, .format = "fp32", .summation = BND_SUM_NAIVE},
    {BENCH_ENCODE, .format = ""},
    {BENCH_ENCODE, .format = "", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ENCODE, .format = "", .statistics = true},
    {BENCH_DECODE, .format = ""},
    {BENCH_ROUND, .format = ""},
    {BENCH_ROUND, .format = "", .rule = {.rounding = BND_ROUND_RTZ}},
    {BENCH_ROUND, .format = "", .rule = {.rounding = BND_ROUND_SR, .random_bits = 16}},
    {BENCH_ROUND, .format = "", .statistics = true},
    {BENCH_ENCODE, .format = "", .wide = true},
    {BENCH_DECODE, .format = "", .wide = true},
};
const size_t bench_case_count = sizeof bench_cases / sizeof bench_cases[0];

static void name_rule(char *name, size_t size, bnd_rule rule)
{
    size_t at = strlen(name);
    if (rule.rounding >= BND_ROUND_SR) {
        at += (size_t)snprintf(name + at, size - at, ", %s:%u", bnd_rounding_name(bnd_rule_rounding(rule)),
                               bnd_rule_random_bits(rule));
    } else if (rule.rounding != BND_ROUND_RNE) {
        at += (size_t)snprintf(name + at, size - at, ", %s", bnd_rounding_name(bnd_rule_rounding(rule)));
    }
    if (rule.overflow != BND_OVERFLOW_FORMAT) {
        snprintf(name + at, size - at, ", %s", bnd_overflow_name(bnd_rule_overflow(rule)));
    }
}

void bench_name(char name[BENCH_NAME_SIZE], const bench_case *what)
{
    static const char *const summations[BND_SUM_COUNT] = {
        [BND_SUM_NAIVE] = "in order", [BND_SUM_PAIRWISE] = "in pairs", [BND_SUM_KAHAN] = "by Kahan"};
    const char *type = what->wide ? "fp64" : "fp32";
    const char *format = what->format[0] != '\0' ? what->format : "FORMAT";
    switch (what->operation) {
    case BENCH_ENCODE:
    case BENCH_QUANTIZE:
        snprintf(name, BENCH_NAME_SIZE, "%s to %s", type, format);
        break;
    case BENCH_DECODE:
    case BENCH_DEQUANTIZE:
        snprintf(name, BENCH_NAME_SIZE, "%s to %s", format, type);
        break;
    case BENCH_OPERATE:
        snprintf(name, BENCH_NAME_SIZE, "%s %s%s%s", bnd_operation_name(what->arithmetic),
                 what->from != NULL ? what->from : format, what->from != NULL ? " to " : "",
                 what->from != NULL ? format : "");
        break;
    case BENCH_SUM:
        snprintf(name, BENCH_NAME_SIZE, "sum %s %s to %s", summations[what->summation], type, format);
        break;
    case BENCH_ROUND:
        snprintf(name, BENCH_NAME_SIZE, "round %s to %s", type, format);
        break;
    default:
        snprintf(name, BENCH_NAME_SIZE, "%s to %s", what->from, format);
        break;
    }
    name_rule(name, BENCH_NAME_SIZE, what->rule);
    size_t at = strlen(name);
    snprintf(name + at, BENCH_NAME_SIZE - at, "%s%s", what->unpacked ? ", unpacked" : "",
             what->statistics ? ", statistics" : "");
}
