/* Arrays of operations give, element by element, what bnd_operate gives: on every back end, in every mode and under
 * every policy, wherever arrays lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "pages.h"
#include "tests.h"

/* How many elements: the elementary functions take microseconds each. */
static size_t length_of(unsigned operation, size_t most, size_t few)
{
    return operation < BND_OP_RINT ? most : operation <= BND_OP_ULP ? few : 8;
}

static bool is_served(const question *q)
{
    const bnd_format *const from[] = {&q->from[0], &q->from[1], &q->from[2]};
    return bnd_operation_serves(q->operation, from, NULL) == BND_OK;
}

/* ---- every pair of codes ---- */

static void check_every_pair(comparison *b, const bnd_format *f, bnd_operation operation, unsigned rounding)
{
    const size_t codes = (size_t)1 << f->width;
    uint64_t *pairs = memory_of(2 * codes * codes * sizeof *pairs);
    question q = question_of(operation, TO_CODES, f, f, 0);
    for (size_t i = 0; i < codes * codes; i++) {
        pairs[2 * i] = i / codes;
        pairs[2 * i + 1] = i % codes;
    }
    q.how = (bnd_array){.rule = {.rounding = (uint8_t)rounding, .random_bits = 5}, .seed = rounding};
    exercise s = exercise_of(&q, codes * codes, 0, pairs);
    check_exercise(b, &s, false);
    exercise_close(&s);
    free(pairs);
}

static void test_every_pair(void)
{
    static const char *const names[] = {"e4m3", "e5m2", "e5m2fnuz", "e3m2", "e2m1", "e8m0"};
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL,
                                               BND_OP_DIV, BND_OP_MIN, BND_OP_MAX_NUMBER};
    enum { FORMATS = sizeof names / sizeof names[0], OPERATIONS = sizeof operations / sizeof operations[0] };
    comparison b;
    comparison_open(&b, "every pair of codes");
    const size_t stride = scaled_stride() > 1 ? 17 : 1;
    for (size_t k = 0; k < (size_t)FORMATS * OPERATIONS * BND_ROUND_COUNT; k += stride) {
        bnd_format f = format_named(names[k % FORMATS]);
        size_t rest = k / FORMATS;
        bool sums = operations[rest % OPERATIONS] < BND_OP_MIN;
        bool turn = k % FORMATS < 2 || f.width < 8 || rest % 3 == 0; /* arith/ has tried them all for all formats */
        if (turn && (sums || rest / OPERATIONS % 5 == 0)) {          /* the modes hardly matter to others */
            check_every_pair(&b, &f, operations[rest % OPERATIONS], (unsigned)(rest / OPERATIONS));
        }
    }
    comparison_close(&b);
}

/* ---- every operation, any rule, formats of all kinds ---- */

static void check_format(comparison *b, const bnd_format *f, const bnd_format *other, uint64_t seed)
{
    for (unsigned operation = 0; operation < BND_OP_COUNT; operation++) {
        const uint64_t random = bnd_random(seed, operation, 1);
        unsigned mix = (random & 3) == 0 ? (unsigned)(random >> 2 & 7) : 0;
        question q = question_of((bnd_operation)operation, TO_CODES, f, other, mix);
        q.how.rule = (random >> 5 & 3) == 0 ? (bnd_rule){.rounding = (uint8_t)((random >> 7) % BND_ROUND_COUNT)}
                                            : random_rule(random >> 7);
        q.how.seed = seed;
        q.how.packing_out = (random & 16) != 0 ? BND_PACKING_UNPACKED : BND_PACKING_PACKED;
        for (unsigned k = 0; k < BND_OPERANDS_MAX; k++) {
            q.packing[k] = (random >> (40 + k) & 1) != 0 ? BND_PACKING_UNPACKED : BND_PACKING_PACKED;
            q.broadcast[k] = (random >> (44 + 4 * k) & 15) == 0;
        }
        if (!is_served(&q)) {
            continue;
        }
        exercise s = exercise_of(&q, length_of(operation, 240, 60), seed, NULL);
        check_exercise(b, &s, (random >> 60 & 3) == 0);
        exercise_close(&s);
    }
}

static void test_formats(void)
{
    comparison b;
    comparison_open(&b, "operations, codes of every kind");
    format_list all = all_formats();
    for (size_t k = 0; k < scaled(3 * all.with_codes); k++) {
        size_t i = k * 7 % all.with_codes;
        check_format(&b, &all.at[i], &all.at[(i * 13 + k) % all.with_codes], k);
    }
    free(all.at);
    comparison_close(&b);
}

/* What an operation does not take is refused by name, and nothing is written. */
static void test_not_served(void)
{
    bnd_format fp32 = format_named("fp32");
    float x[3] = {1, 2, 3}, y[3] = {7, 7, 7};
    bnd_operand in = {.data = x};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_operate_f32(y, BND_OP_EXP, &in, 3, &fp32, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "exp"));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "fp32"));
    CU_ASSERT_EQUAL(y[0], 7);
}

/* The second operand of scalb is an int64_t: codes in its place would be read beyond their end. */
static void test_scalb_of_codes(void)
{
    const bnd_format e4m3 = format_named("e4m3");
    uint8_t x[3] = {0x38, 0x39, 0x3a}, n[3] = {1, 2, 3}, y[3] = {7, 7, 7};
    const int64_t powers[3] = {1, 2, 3};
    bnd_operand in[2] = {{.data = x, .format = &e4m3}, {.data = n, .format = &e4m3}};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_operate_codes(y, &e4m3, BND_OP_SCALB, in, 3, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(why.message, "operand 2 of scalb must be of int64_t, without a format");
    CU_ASSERT_EQUAL(y[0], 7);
    in[1] = (bnd_operand){.data = powers};
    CU_ASSERT_EQUAL(bnd_operate_codes(y, &e4m3, BND_OP_SCALB, in, 3, NULL, NULL, &why), BND_OK);
    CU_ASSERT_EQUAL(y[0], 0x40);
}

/* The formats for which vectors were made, in every mode, with all that they have to stop at. */
static void test_fast_formats(void)
{
    static const char *const names[] = {"fp16", "bf16", "fp32", "fp64", "tf32", "e4m3", "e6m9", "e8m3"};
    static const bnd_operation operations[] = {
        BND_OP_ADD, BND_OP_SUB,        BND_OP_MUL,        BND_OP_DIV,     BND_OP_FMA,   BND_OP_SQRT,      BND_OP_MIN,
        BND_OP_MAX, BND_OP_MIN_NUMBER, BND_OP_MAX_NUMBER, BND_OP_CONVERT, BND_OP_RSQRT, BND_OP_RECIPROCAL};
    enum { OPERATIONS = sizeof operations / sizeof operations[0] };
    comparison b;
    comparison_open(&b, "operations, fast formats");
    for (size_t k = 0; k < sizeof names / sizeof names[0] * OPERATIONS * BND_ROUND_COUNT; k++) {
        bnd_format f = format_named(names[k / (OPERATIONS * BND_ROUND_COUNT)]);
        question q = question_of(operations[k / BND_ROUND_COUNT % OPERATIONS], TO_CODES, &f, &f, 0);
        q.how.rule = (bnd_rule){.rounding = (uint8_t)(k % BND_ROUND_COUNT), .random_bits = (uint8_t)(k % 3 * 8)};
        q.how.seed = k;
        exercise s = exercise_of(&q, scaled(1500), k, NULL);
        check_exercise(&b, &s, k % 5 == 0);
        exercise_close(&s);
    }
    comparison_close(&b);
}

/* Numbers in, numbers out, rounded to formats and value sets. */
static void test_numbers(void)
{
    comparison b;
    comparison_open(&b, "operations on fp32 and fp64");
    format_list all = all_formats();
    bnd_format codes = format_named("e5m6");
    for (size_t k = 0; k < scaled(2 * all.count); k++) {
        for (unsigned operation = 0; operation < BND_OP_COUNT; operation++) {
            const uint64_t random = bnd_random(k, operation, 2);
            question q = question_of((bnd_operation)operation, (random & 1) != 0 ? TO_FLOATS : TO_DOUBLES,
                                     &all.at[k * 11 % all.count], &codes, (random >> 1 & 7) == 0 ? 2 : 0);
            q.how.rule = (random >> 4 & 1) != 0 ? random_rule(random >> 7)
                                                : (bnd_rule){.rounding = (uint8_t)((random >> 7) % BND_ROUND_COUNT)};
            if (!is_served(&q)) {
                continue;
            }
            exercise s = exercise_of(&q, length_of(operation, 150, 30), k, NULL);
            check_exercise(&b, &s, (random >> 60 & 3) == 0);
            exercise_close(&s);
        }
    }
    free(all.at);
    comparison_close(&b);
}

/* ---- places ---- */

/* The first n elements, operands and results each against a page that traps, `slack` bytes off. */
static void check_place(comparison *b, exercise *s, pages *source, pages *target, size_t n, size_t slack,
                        bnd_array *how)
{
    const question *q = &s->q;
    unsigned char *memory[BND_OPERANDS_MAX], *want = memory_of(exercise_bytes(s, n));
    put_codes(want, &s->out, how->packing_out, s->want, n);
    for (unsigned k = 0; k < bnd_operation_operands(q->operation); k++) {
        size_t count = q->broadcast[k] ? 1 : n;
        memory[k] = s->memory[k];
        s->memory[k] =
            pages_place(&source[k], stored_bytes(&q->from[k], q->packing[k], count), slack % 2 == 0, slack * (k + 1));
        put_codes(s->memory[k], &q->from[k], q->packing[k], s->codes[k], count);
    }
    unsigned char *out = pages_place(target, exercise_bytes(s, n), slack % 2 == 0, slack);
    bool called = run_exercise(s, out, n, how, NULL, NULL) == BND_OK;
    bool right = called && memcmp(out, want, exercise_bytes(s, n)) == 0;
    if (comparison_note(b, right && pages_untouched(target, out, exercise_bytes(s, n)))) {
        print_exercise(s, how);
        printf("the first %zu, %zu bytes off: %s\n", n, slack, right ? "written outside" : "other bits");
    }
    for (unsigned k = 0; k < bnd_operation_operands(q->operation); k++) {
        s->memory[k] = memory[k];
    }
    free(want);
}

static void test_places(void)
{
    enum { MOST = 1100 };
    static const char *const names[] = {"fp16", "bf16", "e4m3", "e3m2", "fp32", "e6m9"};
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_FMA, BND_OP_SQRT, BND_OP_REM};
    pages source[BND_OPERANDS_MAX], target = pages_open(MOST * 8 + 256);
    comparison b;
    comparison_open(&b, "operations, places");
    for (unsigned k = 0; k < BND_OPERANDS_MAX; k++) {
        source[k] = pages_open(MOST * 8 + 256);
    }
    for (size_t k = 0; k < 4 * sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k / 4]);
        question q = question_of(operations[k % 4], k % 5 == 4 ? TO_FLOATS : TO_CODES, &f, &f, 0);
        q.broadcast[1] = k % 3 == 1;
        q.how.rule.rounding = k % 2 ? BND_ROUND_RUP : BND_ROUND_RNE;
        exercise s = exercise_of(&q, MOST, k, NULL);
        for (size_t i = 0; i < back_ends_here()->count; i++) {
            bnd_array how = q.how;
            how.context = &back_ends_here()->at[i];
            for (size_t n = 0; n <= MOST; n += n < 140 ? 1 : n < 1000 ? 131 : 9) {
                check_place(&b, &s, source, &target, n, n % 7 == 0 ? n % 40 : 0, &how);
            }
        }
        exercise_close(&s);
    }
    for (unsigned k = 0; k < BND_OPERANDS_MAX; k++) {
        pages_close(&source[k]);
    }
    pages_close(&target);
    comparison_close(&b);
}

/* Every third element forward, every second backward, into every second; and the results over either operand. */
static void test_strides(void)
{
    enum { COUNT = 700 };
    static const char *const names[] = {"fp16", "bf16", "e4m3", "fp32", "tf32"};
    comparison b;
    comparison_open(&b, "operations, strides and in place");
    for (size_t k = 0; k < 2 * sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k / 2]);
        question q = question_of(BND_OP_SUB, TO_CODES, &f, &f, 0);
        exercise s = exercise_of(&q, COUNT, k, NULL);
        size_t bytes = stored_bytes(&f, BND_PACKING_PACKED, 1);
        unsigned char *x = memory_of(3 * COUNT * bytes), *y = memory_of(3 * COUNT * bytes);
        for (size_t i = 0; i < back_ends_here()->count; i++) {
            unsigned char *out = memory_of(3 * COUNT * bytes);
            for (size_t e = 0; e < COUNT; e++) {
                memcpy(x + 3 * e * bytes, s.memory[0] + e * bytes, bytes);
                memcpy(y + 2 * (COUNT - 1 - e) * bytes, s.memory[1] + e * bytes, bytes);
            }
            bnd_operand strided[2] = {{.data = x, .format = &f, .stride = 3},
                                      {.data = y + 2 * (COUNT - 1) * bytes, .format = &f, .stride = -2}};
            bnd_operand plain[2] = {{.data = s.memory[0], .format = &f}, {.data = s.memory[1], .format = &f}};
            bnd_array how = {.context = &back_ends_here()->at[i], .stride_out = 2};
            CU_ASSERT_EQUAL(bnd_operate_codes(out, &f, BND_OP_SUB, strided, COUNT, &how, NULL, NULL), BND_OK);
            for (size_t e = 0; e < COUNT; e++) {
                comparison_note(&b, get_code(out + 2 * e * bytes, &f, BND_PACKING_PACKED, 0) == s.want[e]);
                comparison_note(&b, e % 2 != 0 || get_code(out + (2 * e + 1) * bytes, &f, BND_PACKING_PACKED, 0) == 0);
            }
            how.stride_out = 1;
            memcpy(out, s.memory[k % 2], COUNT * bytes);
            plain[k % 2].data = out;
            CU_ASSERT_EQUAL(bnd_operate_codes(out, &f, BND_OP_SUB, plain, COUNT, &how, NULL, NULL), BND_OK);
            for (size_t e = 0; e < COUNT; e++) {
                comparison_note(&b, get_code(out, &f, BND_PACKING_PACKED, e) == s.want[e]);
            }
            how.stride_out = 3;
            strided[1] = (bnd_operand){.data = s.memory[1], .format = &f};
            CU_ASSERT_EQUAL(bnd_operate_codes(x, &f, BND_OP_SUB, strided, COUNT, &how, NULL, NULL), BND_OK);
            for (size_t e = 0; e < COUNT; e++) {
                comparison_note(&b, get_code(x + 3 * e * bytes, &f, BND_PACKING_PACKED, 0) == s.want[e]);
            }
            free(out);
        }
        free(x);
        free(y);
        exercise_close(&s);
    }
    comparison_close(&b);
}

/* ---- threads, large arrays, tables ---- */

/* By back ends with threads, what the first one gives on one: of normal numbers mostly, with specials here and there;
 * so many that stores go past the caches. */
static void test_large(void)
{
    enum { PERIOD = 8192 };
    static const char *const names[] = {"fp16", "bf16", "e4m3", "fp32"};
    comparison b;
    comparison_open(&b, "operations, threads and large arrays");
    const size_t count = scaled_stride() > 1 ? ((size_t)1 << 19) + 77 : ((size_t)6 << 20) + 77;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        size_t bytes = stored_bytes(&f, BND_PACKING_PACKED, 1);
        question q = question_of(k == 2 ? BND_OP_MUL : BND_OP_ADD, TO_CODES, &f, &f, 0);
        exercise s = exercise_of(&q, PERIOD, 3, NULL);
        unsigned char *x = memory_of((count + PERIOD) * bytes), *y = memory_of((count + PERIOD) * bytes);
        unsigned char *want = memory_of((count + PERIOD) * bytes), *got = memory_of((count + 64) * bytes);
        for (size_t e = 0; e < PERIOD; e++) { /* a special one in each stretch, ones elsewhere */
            bool special = e % 512 == 5 || e < 600;
            s.codes[0][e] = special ? s.codes[0][e] : bnd_encode(&f, 1 + (double)(e % 7) / 8, q.how.rule, 0).code;
            s.codes[1][e] = special ? s.codes[1][e] : bnd_encode(&f, 1 + (double)(e % 5) / 8, q.how.rule, 0).code;
            const bnd_format *from[2] = {&f, &f};
            s.want[e] =
                bnd_operate(&f, q.operation, from, (uint64_t[]){s.codes[0][e], s.codes[1][e]}, q.how.rule, 0).code;
        }
        for (size_t at = 0; at < count; at += PERIOD) {
            put_codes(x + at * bytes, &f, BND_PACKING_PACKED, s.codes[0], PERIOD);
            put_codes(y + at * bytes, &f, BND_PACKING_PACKED, s.codes[1], PERIOD);
            put_codes(want + at * bytes, &f, BND_PACKING_PACKED, s.want, PERIOD);
        }
        for (size_t i = 1; i < back_ends_here()->count; i++) {
            for (unsigned threads = 1; threads <= 3; threads++) {
                bnd_context context = back_ends_here()->at[i];
                context.threads = threads;
                bnd_array how = {.context = &context};
                bnd_operand operand[2] = {{.data = x, .format = &f}, {.data = y, .format = &f}};
                unsigned char *out = got + (threads - 1) * bytes;
                memset(got, 0x5a, (count + 64) * bytes);
                CU_ASSERT_EQUAL(bnd_operate_codes(out, &f, q.operation, operand, count, &how, NULL, NULL), BND_OK);
                bool same = memcmp(out, want, count * bytes) == 0 && out[count * bytes] == 0x5a;
                if (comparison_note(&b, same)) {
                    print_exercise(&s, &how);
                    puts("a large array");
                }
            }
        }
        free(x);
        free(y);
        free(want);
        free(got);
        exercise_close(&s);
    }
    comparison_close(&b);
}

/* A table says what the operation says; small ones are made without being asked for. */
static void check_table(comparison *b, bnd_operation operation, const char *const names[2], unsigned rounding)
{
    bnd_format to = format_named(names[0]), from = format_named(names[1]);
    const bnd_format *formats[2] = {&from, &from};
    question q = question_of(operation, TO_CODES, &to, &from, 7);
    q.how.rule = (bnd_rule){.rounding = (uint8_t)rounding, .nan = BND_NAN_PROPAGATE};
    exercise s = exercise_of(&q, 20000, 5, NULL);
    check_exercise(b, &s, false);
    bnd_operand x[2] = {{.data = s.memory[0], .format = &from}, {.data = s.memory[1], .format = NULL}};
    bnd_table *table = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_table_new(&table, operation, &to, formats, &q.how, NULL), BND_OK);
    unsigned char *got = memory_of(exercise_bytes(&s, s.n));
    CU_ASSERT_EQUAL(bnd_operate_by_table(got, table, x, s.n, NULL, NULL), BND_OK);
    for (size_t i = 0; i < s.n; i++) {
        uint64_t code = get_code(got, &to, BND_PACKING_PACKED, i);
        if (comparison_note(b, code == s.want[i])) {
            print_exercise(&s, &q.how);
            print_element(&s, i, code);
        }
    }
    free(got);
    bnd_table_free(table);
    exercise_close(&s);
}

static void test_tables(void)
{
    static const char *const codes[][2] = {{"fp16", "fp16"}, {"bf16", "fp16"}, {"e4m3", "e4m3"}, {"fp16", "e5m2"},
                                           {"e3m2", "e3m2"}, {"e2m1", "e2m1"}, {"e5m6", "e4m3"}};
    comparison b;
    comparison_open(&b, "tables");
    for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++) {
        check_table(&b, BND_OP_NEXT_UP, codes[k], BND_ROUND_RNE);
        check_table(&b, BND_OP_SQRT, codes[k], BND_ROUND_RUP);
        check_table(&b, BND_OP_RECIPROCAL, codes[k], BND_ROUND_RNE); /* one operand, as it says */
        if (k > 1) {
            check_table(&b, BND_OP_REM, codes[k], BND_ROUND_RTZ);
        }
    }
    comparison_close(&b);
}

/* ---- refusals ---- */

static void test_refusals(void)
{
    bnd_format fp16 = format_named("fp16"), fp32 = format_named("fp32"), set = format_named("p11emin-14emax15");
    bnd_format fp6 = format_named("e3m2");
    unsigned char out[64] = {7}, x[64] = {0};
    bnd_operand operand[3] = {{.data = x, .format = &fp16}, {.data = x, .format = &fp16}, {.data = x, .format = &fp16}};
    bnd_array random = {.rule.rounding = BND_ROUND_SR};
    const bnd_format *from[3] = {&fp16, &fp16, &fp16};
    bnd_table *table = NULL;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &set, BND_OP_ADD, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, set.name));
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_COUNT, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "operation"));
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_ADD, operand, SIZE_MAX / 2, NULL, NULL, &why),
                    BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_table_new(&table, BND_OP_ADD, &fp16, from, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "large"));
    CU_ASSERT_EQUAL(bnd_table_new(&table, BND_OP_SQRT, &fp16, from, &random, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_table_new(&table, BND_OP_SQRT, &fp32, from, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(table);
    operand[1].reserved[5] = 1;
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_ADD, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "reserved must be zero"));
    operand[1].reserved[5] = 0;
    operand[1].format = &set;
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_ADD, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    operand[1].format = NULL;
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_ADD, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "operand 2"));
    operand[1] = (bnd_operand){.data = x, .format = &fp6, .stride = 2};
    CU_ASSERT_EQUAL(bnd_operate_codes(out, &fp16, BND_OP_ADD, operand, 4, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(out[0], 7);
    CU_ASSERT_EQUAL(bnd_operate_codes(NULL, &fp16, BND_OP_ADD, operand, 0, NULL, NULL, &why), BND_BAD_ARGUMENT);
    operand[1] = (bnd_operand){.data = NULL, .format = &fp16, .broadcast = true};
    CU_ASSERT_EQUAL(bnd_operate_codes(NULL, &fp16, BND_OP_ADD, operand, 0, NULL, NULL, &why), BND_OK);
}

CU_TestInfo operate_tests[] = {
    {"every pair of codes", test_every_pair},
    {"every operation and format", test_formats},
    {"fast formats in every mode", test_fast_formats},
    {"numbers", test_numbers},
    {"between pages that trap", test_places},
    {"strides, in place", test_strides},
    {"threads, large arrays", test_large},
    {"tables", test_tables},
    {"operations that do not take a format", test_not_served},
    {"scalb of codes", test_scalb_of_codes},
    {"refusals", test_refusals},
    CU_TEST_INFO_NULL,
};
