/* Formats of at most 8 bits, every pair of operands, every operation, the six deterministic modes: code, flags and
 * ternary value against what the oracle says of the exact result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "verify/narrow_operations.h"
#include "tests.h"

enum { MOST_CODES = 256 };

/* One format: its codes as doubles, the answers in each mode. */
typedef struct narrow {
    bnd_format format;
    bndi_narrow_operand operands[MOST_CODES];
    bndi_answers modes[BND_ROUND_DETERMINISTIC_COUNT];
} narrow;

static void open_narrow(narrow *n, const bnd_format *f)
{
    n->format = *f;
    for (uint64_t code = 0; code < UINT64_C(1) << f->width; code++) {
        n->operands[code] = bndi_narrow_operand_of(f, code);
    }
    for (int mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        CU_ASSERT_FATAL(bndi_answers_open(&n->modes[mode], f, (bnd_rule){.rounding = (uint8_t)mode}, NULL) == BND_OK);
    }
}

static void close_narrow(narrow *n)
{
    for (int mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        bndi_answers_close(&n->modes[mode]);
    }
}

static void compare_in_all_modes(comparison *b, const narrow *n, bnd_operation operation, const uint64_t *codes)
{
    bndi_narrow_operand x[BND_OPERANDS_MAX];
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        bool integer = operation == BND_OP_SCALB && i == 1;
        x[i] = integer ? (bndi_narrow_operand){.code = codes[i]} : n->operands[codes[i]];
    }
    bndi_narrow_exact exact = bndi_narrow_exact_of(operation, &n->format, x);
    for (int mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        bnd_rule rule = {.rounding = (uint8_t)mode};
        bnd_result want = bndi_narrow_answer(&n->modes[mode], operation, &exact);
        bnd_result got = bndi_call_operation(&n->format, operation, codes, rule, 0);
        if (comparison_note(b, bndi_same_result(got, want))) {
            const bnd_format *const from[] = {&n->format, &n->format, &n->format};
            print_call(operation, from, codes, &n->format, rule, 0);
            print_results(got, want);
        }
    }
}

static const bnd_operation unary[] = {BND_OP_SQRT,    BND_OP_RINT,      BND_OP_NEARBY, BND_OP_LOGB,
                                      BND_OP_NEXT_UP, BND_OP_NEXT_DOWN, BND_OP_ULP,    BND_OP_CONVERT};
static const bnd_operation binary[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL,        BND_OP_DIV,       BND_OP_REM,
                                       BND_OP_MIN, BND_OP_MAX, BND_OP_MIN_NUMBER, BND_OP_MAX_NUMBER};

/* IEEE's relations, by the values as doubles, which hold all of them. */
static void compare_relations(comparison *b, const narrow *n, const uint64_t *codes)
{
    const bnd_format *f = &n->format;
    const bndi_narrow_operand *x = &n->operands[codes[0]], *y = &n->operands[codes[1]];
    bool ordered = !x->nan && !y->nan, signals = x->signals || y->signals;
    unsigned relation = !ordered               ? BND_RELATION_UNORDERED
                        : x->value < y->value  ? BND_RELATION_LESS
                        : x->value == y->value ? BND_RELATION_EQUAL
                                               : BND_RELATION_GREATER;
    for (unsigned set = 0; set < 32; set++) {
        bool invalid = signals || (!ordered && (set & BND_RELATION_SIGNALING) != 0);
        bnd_result want = {.code = (set & relation) != 0, .flags = invalid ? BND_FLAG_INVALID : 0};
        bnd_result got = bnd_compare(f, codes[0], codes[1], set, (bnd_rule){0});
        if (comparison_note(b, bndi_same_result(got, want))) {
            printf("compare %s 0x%llx 0x%llx, set %u\n", f->name, (unsigned long long)codes[0],
                   (unsigned long long)codes[1], set);
            print_results(got, want);
        }
    }
}

/* scalb's second operand is an integer, as many below zero as above. */
static void check_pairs(comparison *b, const narrow *n)
{
    uint64_t codes = UINT64_C(1) << n->format.width, stride = scaled_stride();
    for (uint64_t pair = 0; pair < codes * codes; pair += stride) {
        uint64_t operands[] = {pair % codes, pair / codes};
        for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++) {
            compare_in_all_modes(b, n, binary[i], operands);
        }
        compare_relations(b, n, operands);
        operands[1] -= codes / 2;
        compare_in_all_modes(b, n, BND_OP_SCALB, operands);
    }
    for (uint64_t code = 0; code < codes; code++) {
        for (size_t i = 0; i < sizeof unary / sizeof unary[0]; i++) {
            compare_in_all_modes(b, n, unary[i], &code);
        }
    }
}

static void for_each_format(comparison *b, void (*check)(comparison *b, const narrow *n))
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
    comparison b;
    comparison_open(&b, "pairs of narrow formats");
    for_each_format(&b, check_pairs);
    comparison_close(&b);
}

/* The judge itself: its table holds between its entries, and its doubles give what rational numbers give. */
static void check_judge(comparison *b, const narrow *n)
{
    for (int mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        comparison_note(b, bndi_answers_unsound(&n->modes[mode]) == 0);
    }
    bndi_oracle_problem problem;
    bndi_oracle_problem_open(&problem);
    const bnd_format *const from[] = {&n->format, &n->format, &n->format};
    uint64_t count = scaled(2000), mask = (UINT64_C(1) << n->format.width) - 1;
    for (uint64_t i = 0; i < count; i++) {
        bnd_operation operation = (bnd_operation)(1 + i % BND_OP_ULP); /* the last that it knows */
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        bndi_narrow_operand x[BND_OPERANDS_MAX];
        bndi_stratified_operands(codes, operation, from, 5, i);
        for (int k = 0; k < BND_OPERANDS_MAX; k++) {
            bool integer = operation == BND_OP_SCALB && k == 1;
            codes[k] &= integer ? UINT64_MAX : mask;
            x[k] = integer ? (bndi_narrow_operand){.code = codes[k]} : n->operands[codes[k]];
        }
        bndi_narrow_exact exact = bndi_narrow_exact_of(operation, &n->format, x);
        const bndi_answers *a = &n->modes[i / (BND_OP_ULP + 1) % BND_ROUND_DETERMINISTIC_COUNT];
        bndi_oracle_answer want;
        bndi_oracle_operate(&want, &problem, &n->format, bndi_oracle_operation_named(bnd_operation_name(operation)),
                            from, codes, a->rule, 0);
        bnd_result quick = bndi_narrow_answer(a, operation, &exact);
        if (comparison_note(b, bndi_same_result(quick, want.result))) {
            print_call(operation, from, codes, &n->format, a->rule, 0);
            print_results(quick, want.result);
        }
    }
    bndi_oracle_problem_close(&problem);
}

static void test_judge(void)
{
    comparison b;
    comparison_open(&b, "the judge of narrow formats");
    for_each_format(&b, check_judge);
    comparison_close(&b);
}

/* Every triple of the formats of at most 5 bits. */
static void check_triples(comparison *b, const narrow *n)
{
    uint64_t width = n->format.width, mask = (UINT64_C(1) << width) - 1, stride = scaled_stride();
    for (uint64_t i = 0; width <= 5 && i >> 3 * width == 0; i += stride) {
        uint64_t codes[] = {i >> 2 * width, i >> width & mask, i & mask};
        compare_in_all_modes(b, n, BND_OP_FMA, codes);
    }
}

static void test_narrow_triples(void)
{
    comparison b;
    comparison_open(&b, "fma of formats of at most 5 bits");
    for_each_format(&b, check_triples);
    comparison_close(&b);
}

/* Every triple of 8 bits is for check-exhaustive. */
static void test_triples(void)
{
    static const char *const names[] = {"e4m3", "e5m2", "e4m3fnuz", "e2m3", "binary8p3se"};
    comparison b;
    comparison_open(&b, "fma of narrow formats");
    narrow *n = malloc(sizeof *n);
    CU_ASSERT_FATAL(n != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = format_named(names[i]);
        open_narrow(n, &f);
        uint64_t count = scaled(200000), mask = (UINT64_C(1) << f.width) - 1;
        for (uint64_t k = 0; k < count; k++) {
            uint64_t random = bnd_random(17, i, k);
            uint64_t codes[] = {random & mask, random >> 8 & mask, random >> 16 & mask};
            compare_in_all_modes(&b, n, BND_OP_FMA, codes);
        }
        close_narrow(n);
    }
    free(n);
    comparison_close(&b);
}

CU_TestInfo narrow_tests[] = {
    {"the judge", test_judge},
    {"all pairs", test_pairs},
    {"triples", test_narrow_triples},
    {"a choice of triples", test_triples},
    CU_TEST_INFO_NULL,
};
