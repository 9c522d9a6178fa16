/* The table of cases. */
#include "bench.h"

#define RULE(...)                                                                                                      \
    {                                                                                                                  \
        .rule = { __VA_ARGS__ }                                                                                        \
    }
#define STOCHASTIC(mode, bits)                                                                                         \
    {                                                                                                                  \
        .rule = {.rounding = mode, .random_bits = bits}, .seed = 1                                                     \
    }

const bench_case bench_cases[] = {
    {"fp32 to fp16", BENCH_ENCODE, "fp16", RULE(0), false},
    {"fp32 to bf16", BENCH_ENCODE, "bf16", RULE(0), false},
    {"fp32 to e4m3", BENCH_ENCODE, "e4m3", RULE(0), false},
    {"fp32 to e5m2", BENCH_ENCODE, "e5m2", RULE(0), false},
    {"fp32 to e2m1", BENCH_ENCODE, "e2m1", RULE(0), false},
    {"fp32 to e3m2", BENCH_ENCODE, "e3m2", RULE(0), false},
    {"fp32 to e4m3, saturating", BENCH_ENCODE, "e4m3", RULE(.overflow = BND_OVERFLOW_SATURATE), false},
    {"fp32 to e4m3, with statistics", BENCH_ENCODE, "e4m3", RULE(0), true},
    {"fp16 to fp32", BENCH_DECODE, "fp16", RULE(0), false},
    {"bf16 to fp32", BENCH_DECODE, "bf16", RULE(0), false},
    {"e4m3 to fp32", BENCH_DECODE, "e4m3", RULE(0), false},
    {"e5m2 to fp32", BENCH_DECODE, "e5m2", RULE(0), false},
    {"e2m1 to fp32", BENCH_DECODE, "e2m1", RULE(0), false},
    {"round to fp16", BENCH_ROUND, "fp16", RULE(0), false},
    {"round to bf16", BENCH_ROUND, "bf16", RULE(0), false},
    {"round to e4m3", BENCH_ROUND, "e4m3", RULE(0), false},
    {"round to e6m9", BENCH_ROUND, "e6m9", RULE(0), false},
    {"round to p11emin-14emax15", BENCH_ROUND, "p11emin-14emax15", RULE(0), false},
    {"round to e6m9, rtz", BENCH_ROUND, "e6m9", RULE(.rounding = BND_RTZ), false},
    {"round to e6m9, rup", BENCH_ROUND, "e6m9", RULE(.rounding = BND_RUP), false},
    {"round to e6m9, rna", BENCH_ROUND, "e6m9", RULE(.rounding = BND_RNA), false},
    {"round to e6m9, sr:16", BENCH_ROUND, "e6m9", STOCHASTIC(BND_SR, 16), false},
    {"round to e6m9, with statistics", BENCH_ROUND, "e6m9", RULE(0), true},
};
const size_t bench_case_count = sizeof bench_cases / sizeof bench_cases[0];
