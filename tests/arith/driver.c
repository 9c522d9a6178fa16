/* The comparison with the oracle, and the calls by name. */
#include "driver.h"

#include <stdio.h>

void trial_open(trial *t, const char *what)
{
    bench_open(&t->b, what);
    bndi_oracle_problem_open(&t->problem);
}

void trial_close(trial *t)
{
    bndi_oracle_problem_close(&t->problem);
    bench_close(&t->b);
}

bool same_result(bnd_result a, bnd_result b)
{
    return a.code == b.code && a.flags == b.flags && a.ternary == b.ternary;
}

bnd_result call_by_name(bnd_operation operation, const bnd_format *f, const uint64_t *c, bnd_rule rule, uint64_t random)
{
    switch (operation) {
    case BND_ADD:
        return bnd_add(f, c[0], c[1], rule, random);
    case BND_SUB:
        return bnd_sub(f, c[0], c[1], rule, random);
    case BND_MUL:
        return bnd_mul(f, c[0], c[1], rule, random);
    case BND_DIV:
        return bnd_div(f, c[0], c[1], rule, random);
    case BND_REM:
        return bnd_rem(f, c[0], c[1], rule, random);
    case BND_FMA:
        return bnd_fma(f, c[0], c[1], c[2], rule, random);
    case BND_SQRT:
        return bnd_sqrt(f, c[0], rule, random);
    case BND_RINT:
        return bnd_rint(f, c[0], rule, random);
    case BND_NEARBY:
        return bnd_nearby(f, c[0], rule, random);
    case BND_MIN:
        return bnd_min(f, c[0], c[1], rule, random);
    case BND_MAX:
        return bnd_max(f, c[0], c[1], rule, random);
    case BND_MIN_NUMBER:
        return bnd_min_number(f, c[0], c[1], rule, random);
    case BND_MAX_NUMBER:
        return bnd_max_number(f, c[0], c[1], rule, random);
    case BND_SCALB:
        return bnd_scalb(f, c[0], (int64_t)c[1], rule, random);
    case BND_LOGB:
        return bnd_logb(f, c[0], rule, random);
    case BND_NEXT_UP:
        return bnd_next_up(f, c[0], rule, random);
    case BND_NEXT_DOWN:
        return bnd_next_down(f, c[0], rule, random);
    case BND_ULP:
        return bnd_ulp(f, c[0], rule, random);
    default:
        return bnd_convert(f, f, c[0], rule, random);
    }
}

void print_call(bnd_operation operation, const bnd_format *const *from, const uint64_t *codes, const bnd_format *to,
                bnd_rule rule, uint64_t random)
{
    printf("%s %s", bnd_operation_name(operation), to->name);
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        bool integer = operation == BND_SCALB && i == 1;
        printf(" %s:0x%llx", integer ? "integer" : from[i]->name, (unsigned long long)codes[i]);
    }
    printf(" %s overflow=%s nan=%s no_nan=%u negative=%u zero=%u ties=%u N=%u R=0x%llx%s%s%s\n",
           bnd_rounding_name(rule.rounding), bnd_overflow_name(rule.overflow), bnd_nan_name(rule.nan), rule.no_nan,
           rule.negative, rule.zero, rule.tie_rule, rule.random_bits, (unsigned long long)random,
           rule.flush_in ? " flush_in" : "", rule.flush_out ? " flush_out" : "",
           rule.tiny_before ? " tiny_before" : "");
}

void print_results(bnd_result got, bnd_result want)
{
    printf("    code 0x%llx flags 0x%02x ternary %d, want 0x%llx 0x%02x %d\n", (unsigned long long)got.code,
           (unsigned)got.flags, (int)got.ternary, (unsigned long long)want.code, (unsigned)want.flags,
           (int)want.ternary);
}

void judge_operation(trial *t, const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                     const uint64_t *codes, bnd_rule rule, uint64_t random)
{
    const bndi_oracle_operation *row = bndi_oracle_operation_named(bnd_operation_name(operation));
    bndi_oracle_answer want;
    if (row == NULL) {
        bench_note(&t->b, false);
        return;
    }
    bndi_oracle_operate(&want, &t->problem, to, row, from, codes, rule, random);
    bnd_result got = bnd_operate(to, operation, from, codes, rule, random);
    bool by_name = true;
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        by_name = by_name && (from[i] == to || (operation == BND_SCALB && i == 1));
    }
    bnd_result named = by_name ? call_by_name(operation, to, codes, rule, random) : got;
    bool same = same_result(got, want.result);
    if (bench_note(&t->b, same && same_result(named, want.result))) {
        print_call(operation, from, codes, to, rule, random);
        print_results(same ? named : got, want.result);
    }
}
