/* The comparison with the oracle, and the calls by name. */
#include "driver.h"

#include <stdio.h>

void trial_open(trial *t, const char *what)
{
    comparison_open(&t->b, what);
    bndi_oracle_problem_open(&t->problem);
}

void trial_close(trial *t)
{
    bndi_oracle_problem_close(&t->problem);
    comparison_close(&t->b);
}

void print_call(bnd_operation operation, const bnd_format *const *from, const uint64_t *codes, const bnd_format *to,
                bnd_rule rule, uint64_t random)
{
    printf("%s %s", bnd_operation_name(operation), to->name);
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        bool integer = operation == BND_OP_SCALB && i == 1;
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

static void compare_with(trial *t, const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                         const uint64_t *codes, bnd_rule rule, uint64_t random, bnd_result want)
{
    bnd_result got = bnd_operate(to, operation, from, codes, rule, random);
    bool by_name = true;
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        by_name = by_name && (from[i] == to || (operation == BND_OP_SCALB && i == 1));
    }
    bnd_result named = by_name ? bndi_call_operation(to, operation, codes, rule, random) : got;
    bool same = bndi_same_result(got, want);
    if (comparison_note(&t->b, same && bndi_same_result(named, want))) {
        print_call(operation, from, codes, to, rule, random);
        print_results(same ? named : got, want);
    }
}

void judge_operation(trial *t, const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                     const uint64_t *codes, bnd_rule rule, uint64_t random)
{
    const bndi_oracle_operation *row = bndi_oracle_operation_named(bnd_operation_name(operation));
    bndi_oracle_answer want = {.result = {.flags = BND_FLAG_INVALID}};
    if (row == NULL) {
        comparison_note(&t->b, false);
        return;
    }
    if (bnd_operation_serves(operation, from, NULL) == BND_OK) {
        bndi_oracle_operate(&want, &t->problem, to, row, from, codes, rule, random);
    }
    compare_with(t, to, operation, from, codes, rule, random, want.result);
}

void judge_operation_in_all_modes(trial *t, const bnd_format *f, bnd_operation operation, uint64_t code)
{
    const bnd_format same = *f; /* only in the first mode by its own call */
    const bnd_format *from[] = {f};
    bndi_oracle_answer want;
    const bndi_oracle_operation *row = bndi_oracle_operation_named(bnd_operation_name(operation));
    bndi_oracle_operate(&want, &t->problem, f, row, from, &code, (bnd_rule){0}, 0);
    for (uint8_t mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        bnd_rule rule = {.rounding = mode};
        bndi_oracle_operate_again(&want, &t->problem, f, rule, 0);
        compare_with(t, f, operation, from, &code, rule, 0, want.result);
        from[0] = &same;
    }
}
