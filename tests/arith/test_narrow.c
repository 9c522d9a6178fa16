/* Formats of at most 8 bits, every pair of operands, every operation, the six deterministic modes: code, flags and
 * ternary value against what the oracle says of the exact result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answers.h"
#include "driver.h"
#include "narrow.h"
#include "tests.h"

enum { MOST_CODES = 256 };

/* One format: its codes as doubles, the answers in each mode. */
typedef struct narrow {
    bnd_format format;
    narrow_operand operands[MOST_CODES];
    answers modes[BND_DETERMINISTIC_MODES];
} narrow;

static void open_narrow(narrow *n, const bnd_format *f)
{
    n->format = *f;
    for (uint64_t code = 0; code < UINT64_C(1) << f->width; code++) {
        n->operands[code] = narrow_operand_of(f, code);
    }
    for (int mode = 0; mode < BND_DETERMINISTIC_MODES; mode++) {
        answers_open(&n->modes[mode], f, (bnd_rule){.rounding = (uint8_t)mode});
    }
}

static void close_narrow(narrow *n)
{
    for (int mode = 0; mode < BND_DETERMINISTIC_MODES; mode++) {
        answers_close(&n->modes[mode]);
    }
}

static void compare_in_all_modes(bench *b, const narrow *n, bnd_operation operation, const uint64_t *codes)
{
    narrow_operand x[BND_OPERANDS_MAX];
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        x[i] = n->operands[codes[i]];
    }
    narrow_exact exact = narrow_exact_of(operation, &n->format, x);
    for (int mode = 0; mode < BND_DETERMINISTIC_MODES; mode++) {
        bnd_rule rule = {.rounding = (uint8_t)mode};
        bnd_result want = narrow_answer(&n->modes[mode], operation, &exact);
        bnd_result got = call_by_name(operation, &n->format, codes, rule, 0);
        if (bench_note(b, same_result(got, want))) {
            const bnd_format *const from[] = {&n->format, &n->format, &n->format};
            print_call(operation, from, codes, &n->format, rule, 0);
            print_results(got, want);
        }
    }
}

static const bnd_operation unary[] = {BND_SQRT,    BND_RINT,      BND_NEARBY, BND_LOGB,
                                      BND_NEXT_UP, BND_NEXT_DOWN, BND_ULP,    BND_CONVERT};
static const bnd_operation binary[] = {BND_ADD, BND_SUB, BND_MUL,        BND_DIV,       BND_REM,
                                       BND_MIN, BND_MAX, BND_MIN_NUMBER, BND_MAX_NUMBER};

static void check_pairs(bench *b, const narrow *n)
{
    uint64_t codes = UINT64_C(1) << n->format.width, stride = scaled_stride();
    for (uint64_t pair = 0; pair < codes * codes; pair += stride) {
        uint64_t operands[] = {pair % codes, pair / codes};
        for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++) {
            compare_in_all_modes(b, n, binary[i], operands);
        }
    }
    for (uint64_t code = 0; code < codes; code++) {
        for (size_t i = 0; i < sizeof unary / sizeof unary[0]; i++) {
            compare_in_all_modes(b, n, unary[i], &code);
        }
    }
}

static void for_each_format(bench *b, void (*check)(bench *b, const narrow *n))
{
    size_t count = small_formats(NULL, 8, 8);
    bnd_format *formats = calloc(count, sizeof *formats);
    narrow *n = malloc(sizeof *n);
    CU_ASSERT_FATAL(formats != NULL && n != NULL);
    small_formats(formats, 8, 8);
    for (size_t i = 0; i < count; i++) {
        open_narrow(n, &formats[i]);
        check(b, n);
        close_narrow(n);
    }
    free(n);
    free(formats);
}

static void test_pairs(void)
{
    bench b;
    bench_open(&b, "pairs of narrow formats");
    for_each_format(&b, check_pairs);
    bench_close(&b);
}

/* The judge itself: its table holds between its entries, and its doubles give what rational numbers give. */
static void check_judge(bench *b, const narrow *n)
{
    for (int mode = 0; mode < BND_DETERMINISTIC_MODES; mode++) {
        bench_note(b, answers_unsound(&n->modes[mode]) == 0);
    }
    bndi_oracle_problem problem;
    bndi_oracle_problem_open(&problem);
    const bnd_format *const from[] = {&n->format, &n->format, &n->format};
    uint64_t count = scaled(2000), mask = (UINT64_C(1) << n->format.width) - 1;
    for (uint64_t i = 0; i < count; i++) {
        bnd_operation operation = (bnd_operation)(1 + i % (BND_OPERATIONS - 1));
        if (operation == BND_SCALB) {
            continue;
        }
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        narrow_operand x[BND_OPERANDS_MAX];
        stratified_operands(codes, operation, from, 5, i);
        for (int k = 0; k < BND_OPERANDS_MAX; k++) {
            codes[k] &= mask;
            x[k] = n->operands[codes[k]];
        }
        narrow_exact exact = narrow_exact_of(operation, &n->format, x);
        const answers *a = &n->modes[i / BND_OPERATIONS % BND_DETERMINISTIC_MODES];
        bndi_oracle_answer want;
        bndi_oracle_operate(&want, &problem, &n->format, bndi_oracle_operation_named(bnd_operation_name(operation)),
                            from, codes, a->rule, 0);
        bnd_result quick = narrow_answer(a, operation, &exact);
        if (bench_note(b, same_result(quick, want.result))) {
            print_call(operation, from, codes, &n->format, a->rule, 0);
            print_results(quick, want.result);
        }
    }
    bndi_oracle_problem_close(&problem);
}

static void test_judge(void)
{
    bench b;
    bench_open(&b, "the judge of narrow formats");
    for_each_format(&b, check_judge);
    bench_close(&b);
}

/* Every triple is for check-exhaustive. */
static void test_triples(void)
{
    static const char *const names[] = {"e4m3", "e5m2", "e4m3fnuz", "e2m3", "binary8p3se"};
    bench b;
    bench_open(&b, "fma of narrow formats");
    narrow *n = malloc(sizeof *n);
    CU_ASSERT_FATAL(n != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = format_named(names[i]);
        open_narrow(n, &f);
        uint64_t count = scaled(200000), mask = (UINT64_C(1) << f.width) - 1;
        for (uint64_t k = 0; k < count; k++) {
            uint64_t random = bnd_random(17, i, k);
            uint64_t codes[] = {random & mask, random >> 8 & mask, random >> 16 & mask};
            compare_in_all_modes(&b, n, BND_FMA, codes);
        }
        close_narrow(n);
    }
    free(n);
    bench_close(&b);
}

CU_TestInfo narrow_tests[] = {
    {"the judge", test_judge},
    {"all pairs", test_pairs},
    {"triples", test_triples},
    CU_TEST_INFO_NULL,
};
