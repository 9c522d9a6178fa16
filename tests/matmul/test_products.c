/* Products of every kind of numbers, in all ways to accumulate, on all back ends: each element by the definition. */
#include <binade/arith.h>

#include "model.h"
#include "tests.h"

#include "tests/support/allocations.h"

#include <stdio.h>
#include <stdlib.h>

/* Formats of tiles and of strips; ways; modes; promotions nearer and further than a block of k is deep. */
static const char *const accumulators[] = {
    "fp32",
    "each:fp32",
    "fp64",
    "fp16",
    "bf16",
    "e4m3",
    "e5m2",
    "e4m3fnuz",
    "e3m4",
    "e2m1",
    "e2m3",
    "tf32",
    "dlfloat16",
    "binary8p3se",
    "e5m2fnuz",
    "fma:fp16",
    "fma:bf16",
    "fma:e4m3",
    "fma:e5m2",
    "fma:e4m3fnuz",
    "fma:tf32",
    "fma:e2m1",
    "e8m0",
    "e8m12",
    "fma:e8m12",
    "e5m10b3",
    "e7m9b120",
    "e4m3nosub",
    "binary8p1uf",
    "p11emin-14emax15",
    "fma:p8",
    "bf16:rtz",
    "fp16:rup",
    "fma:fp16:rdn",
    "e4m3:rna",
    "fma:bf16:rto",
    "fp32:rtz",
    "each:fp32:rup",
    "e5m2:sr:8",
    "fma:bf16:sr:16",
    "bf16:srb:3",
    "fp16:sra",
    "e4m3:sr-equal",
    "fma:fp32:sr:20",
    "fp64:rup",
    "fp64:rto",
    "fp32:rna",
    "fp32:rto",
    "fp32:srb:8",
    "each:fp32:rtz",
    "fma:fp16:rtz",
    "fma:e5m2:rdn",
    "fma:e4m3:rna",
    "fma:fp16:sra:3",
    "fma:bf16:srb:8",
    "fma:bf16:sr-equal",
    "fma:fp16:sr",
    "bf16:rdn",
    "e4m3:rto",
    "e4m3:rup",
    "fp64:rna",
    "each:fp64:sr:8",
    "fp64:sr",
    "each:fp64:sra:40",
    "fp64:srb:12",
    "fp64:sr-equal",
    "fp32:sr",
    "each:fp32:sr",
    "fp32:sra",
    "each:fp32:srb:31",
    "fma:bf16:sr:48/promote9",
    "e8m12:sr:41",
    "each:fp32:rna",
    "e5m2:rdn",
    "fma:e4m3fnuz:rdn",
    "e4m3fnuz:sr:5",
    "e8m12:sra:16",
    "fma:e8m30:rup",
    "e8m30:rna",
    "fma:fp16:rtz/promote300",
    "fma:bf16:sr:9/promote5",
    "fp16/promote16",
    "bf16/promote128",
    "fma:e4m3/promote300",
    "fp32/promote7",
    "fp32/promote128",
    "fp64/promote2",
    "fp64/promote300",
    "e11m30/promote5",
    "fma:e8m40:sr:8/promote3",
    "p60/promote4",
    "trunc14",
    "trunc14/promote128",
    "trunc14/promote300",
    "trunc8g16",
    "trunc24g5",
    "trunc2g64",
    "hopper-fp8",
    "hopper-fp8/promote128",
    "hopper-fp16",
    "hopper-fp16-fp16",
    "tensor40g64:e8m1",
    "tensor1g1:fp32",
    "tensor7g5:fp16/promote300",
    "e11m30",
    "fma:e8m40",
    "e9m2",
};
enum { ACCUMULATORS = sizeof accumulators / sizeof accumulators[0] };

static const bnd_backend backends[] = {BND_BACKEND_PORTABLE, BND_BACKEND_AVX2, BND_BACKEND_AVX512, BND_BACKEND_NEON,
                                       BND_BACKEND_WASM128};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static const size_t shapes[][3] = {{1, 1, 1},   {1, 1, 0},     {3, 2, 5}, {7, 33, 40}, {14, 32, 17}, {15, 65, 3},
                                   {2, 3, 300}, {13, 31, 260}, {0, 4, 3}, {6, 32, 33}, {37, 70, 21}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Some of all combinations: every accumulator on every back end with all kinds of data, sizes and layouts in turn. */
static void test_definition(void)
{
    size_t wrong = 0, asked = 0, at = 0;
    for (size_t i = 0; i < ACCUMULATORS; i++) {
        const bnd_accumulator acc = accumulator_named(accumulators[i]);
        for (size_t kind = 0; kind < DATA_KINDS; kind++) {
            for (size_t b = 0; b < BACKENDS; b++, at++) {
                bnd_context context = {.backend = (uint8_t)backends[b], .threads = 1 + (uint32_t)(at % 3)};
                const size_t *shape = shapes[(at + at / SHAPES) % SHAPES];
                bnd_gemm how = {.context = &context, .accumulator = acc, .add = at % 3 == 1, .seed = at, .purpose = 5};
                question q;
                if (!bnd_backend_here(backends[b]) || !in_turn(at, 7)) {
                    continue;
                }
                question_open(&q, shape[0], shape[1], shape[2], &how, (unsigned)(at % MATRIX_LAYOUTS));
                question_fill(&q, (data_kind)kind, &acc.format, at);
                CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
                wrong += differences(&q, bnd_backend_name(backends[b]), BY_OPERATE);
                question_close(&q);
                asked++;
            }
        }
    }
    CU_ASSERT(asked > 0);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* No rows, no columns: nothing is written, whatever the accumulator. (Nothing to sum over is one of the shapes.) */
static void test_nothing(void)
{
    const float a[4] = {1, 2, 3, 4};
    float c[4] = {5, 6, 7, 8};
    for (size_t i = 0; i < ACCUMULATORS; i++) {
        const bnd_gemm how = {.accumulator = accumulator_named(accumulators[i])};
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, 0, 2, a, a, 2, &how, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, 2, 0, a, a, 2, &how, NULL), BND_OK);
        CU_ASSERT(c[0] == 5 && c[1] == 6 && c[2] == 7 && c[3] == 8);
    }
}

/* As test_definition, by rational numbers and MPFR. */
static void test_oracle(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < ACCUMULATORS; i++) {
        const bnd_accumulator acc = accumulator_named(accumulators[i]);
        bnd_gemm how = {.accumulator = acc, .add = i % 2 == 1, .seed = i};
        question q;
        question_open(&q, 2, 5, 9, &how, (unsigned)(i % MATRIX_LAYOUTS));
        question_fill(&q, i % 3 == 0 ? DATA_FRINGE : i % 3 == 1 ? DATA_NORMAL : DATA_HARD, &acc.format, i);
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        wrong += differences(&q, "oracle", BY_ORACLE);
        question_close(&q);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* An element of such a product: K = 1, so that element e has the random bits of number e, and the sum of EACH those
 * after all products. */
static uint64_t pair_sum(const bnd_accumulator *acc, const uint64_t codes[3], uint64_t e, uint64_t products)
{
    const bnd_format *f = &acc->format;
    const bnd_format *const from[3] = {f, f, f};
    const unsigned bits = bnd_rule_random_bits(acc->rule);
    const uint64_t random = bits > 0 ? bnd_random_bits(9, 4, e, bits) : 0;
    if (acc->kind == BND_ACCUMULATE_FUSED) {
        return bnd_operate(f, BND_OP_FMA, from, codes, acc->rule, random).code;
    }
    const uint64_t p = bnd_operate(f, BND_OP_MUL, from, codes, acc->rule, random).code;
    return bnd_operate(f, BND_OP_ADD, from, (uint64_t[]){codes[2], p}, acc->rule,
                       bits > 0 ? bnd_random_bits(9, 4, e + products, bits) : 0)
        .code;
}

/* Every product of two codes, with a sum that begins anywhere: of these formats all that a tile can meet. In modes
 * other than to nearest even with one start and each fifteenth code of A. */
static void test_every_pair(void)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e3m4", "fma:e4m3", "fma:e5m2", "fma:e3m4"};
    static const char *const modes[] = {"",     ":rtz",  ":rup",   ":rdn",   ":rna",
                                        ":rto", ":sr:3", ":sra:8", ":srb:2", ":sr-equal"};
    enum { FORMATS = 6, MODES = 10 };
    static float values[256], c[256 * 256];
    size_t wrong = 0;
    for (size_t i = 0; i < FORMATS * MODES; i++) {
        char name[BND_ACCUMULATOR_NAME_SIZE];
        snprintf(name, sizeof name, "%s%s", formats[i % FORMATS], modes[i / FORMATS]);
        bnd_gemm how = {.accumulator = accumulator_named(name), .add = true, .seed = 9, .purpose = 4};
        const bnd_format *f = &how.accumulator.format;
        const size_t apart = i < FORMATS ? 1 : 15, rows = 255 / apart + 1;
        how.a = (bnd_strides){.row = (ptrdiff_t)apart, .column = 1};
        for (uint64_t code = 0; code < 256; code++) {
            values[code] = (float)bnd_decode(f, code);
        }
        for (uint64_t start = i; start < 256; start += i < FORMATS ? 37 : 256) {
            size_t differ = 0;
            for (size_t e = 0; e < 256 * 256; e++) {
                c[e] = values[start];
            }
            CU_ASSERT_EQUAL(bnd_gemm_f32(c, rows, 256, values, values, 1, &how, NULL), BND_OK);
            for (uint64_t e = 0; e < 256 * rows; e++) {
                const uint64_t codes[3] = {(e >> 8) * apart, e & 255, start};
                const uint64_t s = pair_sum(&how.accumulator, codes, e, 256 * rows);
                differ += bndi_bits_of_float(values[s]) != bndi_bits_of_float(c[e]) &&
                          !(values[s] != values[s] && c[e] != c[e]);
            }
            if (differ > 0) {
                printf("%s, from code %u on: %zu sums\n", name, (unsigned)start, differ);
            }
            wrong += differ;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Numbers of 24 bits whose product is n 2^s, but for less than `far`: above it or below. False if there are none. */
static bool find_product(uint64_t n, unsigned s, bool above, uint64_t far, uint64_t factors[2])
{
    const uint64_t least = UINT64_C(1) << 23, product = n << s;
    for (uint64_t a = least; a < 2 * least; a++) {
        const uint64_t b = product / a + above, distance = above ? a * b - product : product - a * b;
        if (b >= least && b < 2 * least && distance > 0 && distance < far) {
            factors[0] = a;
            factors[1] = b;
            return true;
        }
    }
    return false;
}

/* fp32 with N random bits, 28 or more, looks at more bits than a double has. With q, fp32's last place at 1.5, a sum
 * 1.5 - (r + 1/2) 2^-N q, but for less than 2^-54 q, is rounded with the random number r:
 *
 *   in units of 2^-N q    2^N - r - 1/2    a bit less: 2^N - r - 1, and with r 2^N - 1: the number below 1.5
 *                                          a bit more: 2^N - r, and with r 2^N: 1.5
 *
 * Seeds are sought whose r is small enough for a product of two numbers to be that near. */
static void test_near_ties(void)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    size_t wrong = 0, asked = 0;
    for (unsigned n = 28; n <= 32; n += 2) {
        char name[BND_ACCUMULATOR_NAME_SIZE];
        snprintf(name, sizeof name, "fp32:sr:%u", n);
        bnd_gemm how = {.accumulator = accumulator_named(name), .add = true};
        for (how.seed = 0; how.seed < 60000; how.seed++) {
            const uint64_t r = bnd_random_bits(how.seed, 0, 0, n), odd = 2 * r + 1;
            unsigned s = 0;
            while (odd << s < UINT64_C(1) << 46) {
                s++;
            }
            uint64_t factors[2];
            if (r >> (n - 13) != 0 || !find_product(odd, s, r % 2 == 0, UINT64_C(1) << (s + n - 53), factors)) {
                continue;
            }
            const float a = (float)factors[0],
                        b = (float)(-(double)factors[1] * bndi_power_of_two(-(int32_t)(s + n + 24)));
            const uint64_t codes[3] = {bndi_bits_of_float(a), bndi_bits_of_float(b), bndi_bits_of_float(1.5F)};
            const uint64_t right = bnd_operate(fp32, BND_OP_FMA, (const bnd_format *const[3]){fp32, fp32, fp32}, codes,
                                               how.accumulator.rule, r)
                                       .code;
            for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++, asked++) {
                const bnd_context context = {.backend = (uint8_t)backends[i]};
                float c = 1.5F;
                how.context = &context;
                CU_ASSERT_EQUAL(bnd_gemm_f32(&c, 1, 1, &a, &b, 1, &how, NULL), BND_OK);
                wrong += bndi_bits_of_float(c) != right;
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(asked > 9);
}

/* Policies and NaNs that only arith/ knows: the rule is the accumulator's. */
static void test_rules(void)
{
    static const bnd_rule rules[] = {
        {.overflow = BND_OVERFLOW_SATURATE}, {.flush_in = true},          {.flush_out = true},
        {.nan = BND_NAN_PROPAGATE},          {.nan = BND_NAN_X86},        {.overflow = BND_OVERFLOW_PROPAGATE},
        {.no_nan = BND_NO_NAN_ZERO},         {.nan = BND_NAN_SIGNED_ONES}};
    static const char *const formats[] = {"fp16", "e4m3", "bf16", "e2m1", "fp32"};
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        for (size_t f = 0; f < 5; f++) {
            bnd_accumulator acc = {
                .format = format_named(formats[f]), .rule = rules[i], .kind = (uint8_t)((i + f) % 2)};
            bnd_gemm how = {.accumulator = acc, .add = i % 3 == 0};
            question q;
            question_open(&q, 3, 34, 11, &how, 0);
            question_fill(&q, f % 2 == 0 ? DATA_FRINGE : DATA_HARD, &acc.format, i + f);
            CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
            wrong += differences(&q, "rule", BY_OPERATE);
            question_close(&q);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Sums that differ from chains of fmaf in the order of k: of large products every fifth is looked at. Bit 0 of
 * `layout`: A by columns; bit 1: B by columns; layout 4: B backwards. */
static size_t differences_from_chains(ptrdiff_t rows, ptrdiff_t wide, ptrdiff_t deep, unsigned layout,
                                      bnd_backend backend)
{
    static float a[450 * 1030], b[320 * 1030], c[450 * 320];
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    bnd_context context = {.threads = 1 + layout % 3, .backend = (uint8_t)backend};
    bnd_gemm how = {.context = &context, .accumulator = accumulator_named("fp32"), .add = layout % 2 == 1};
    how.a = layout % 2 == 0 ? (bnd_strides){deep, 1} : (bnd_strides){1, rows};
    how.b = layout % 4 < 2 ? (bnd_strides){wide, 1} : (bnd_strides){1, deep};
    how.b = layout < 4 ? how.b : (bnd_strides){-wide, 1};
    const float *from = layout < 4 ? b : b + (deep - 1) * wide;
    for (ptrdiff_t i = 0; i < rows * deep; i++) {
        a[i] = number_of(DATA_NORMAL, fp32, 1, (uint64_t)i);
    }
    for (ptrdiff_t i = 0; i < deep * wide; i++) {
        b[i] = number_of(DATA_NORMAL, fp32, 2, (uint64_t)i);
    }
    for (ptrdiff_t e = 0; e < rows * wide; e++) {
        c[e] = 1;
    }
    CU_ASSERT_EQUAL(bnd_gemm_f32(c, (size_t)rows, (size_t)wide, a, from, (size_t)deep, &how, NULL), BND_OK);
    size_t wrong = 0;
    for (ptrdiff_t e = 0; e < rows * wide; e += rows * wide < 1 << 17 ? 1 : 5) {
        float sum = how.add ? 1 : 0;
        for (ptrdiff_t k = 0; k < deep; k++) {
            sum = __builtin_fmaf(a[e / wide * how.a.row + k * how.a.column],
                                 from[k * how.b.row + e % wide * how.b.column], sum);
        }
        wrong += sum != c[e];
    }
    return wrong;
}

/* More steps than a block has, and rows of A 8 KiB apart, which tiles of fewer rows read. Then more rows than a block
 * of copied columns of A has, with one step more than a block. */
static void test_deep(void)
{
    for (unsigned layout = 0; layout < 5; layout++) {
        CU_ASSERT_EQUAL(differences_from_chains(71, 98, 2048, layout, BND_BACKEND_BEST), 0);
    }
    CU_ASSERT_EQUAL(differences_from_chains(544, 98, 257, 3, BND_BACKEND_BEST), 0);
    CU_ASSERT_EQUAL(differences_from_chains(530, 98, 257, 3, BND_BACKEND_BEST), 0);
}

/* Deep blocks of a large weight gradient have memory of their own; and the same sums where there is none. */
static void test_deep_blocks(void)
{
    for (bnd_backend backend = BND_BACKEND_PORTABLE; backend < BND_BACKEND_COUNT; backend++) {
        if (bnd_backend_here(backend)) {
            CU_ASSERT_EQUAL(differences_from_chains(421, 312, 1030, 3, backend), 0);
            CU_ASSERT_EQUAL(differences_from_chains(450, 320, 600, 1, backend), 0);
        }
    }
}

#if defined(BND_WITH_WRAP)
static void test_no_memory(void)
{
    for (bnd_backend backend = BND_BACKEND_PORTABLE; backend < BND_BACKEND_COUNT; backend++) {
        if (bnd_backend_here(backend)) {
            const uint64_t asked = allocations_asked();
            allocations_fail(0, true);
            CU_ASSERT_EQUAL(differences_from_chains(421, 312, 1030, 3, backend), 0);
            allocations_fail(UINT64_MAX, false);
            const bool wide = backend == BND_BACKEND_AVX512 || backend == BND_BACKEND_AVX2;
            CU_ASSERT_EQUAL(allocations_asked() > asked, wide);
        }
    }
}
#endif

/* Operands rounded by the call, and operands that are codes. */
static void test_operands(void)
{
    static const char *const formats[] = {"fp16", "bf16", "e4m3", "e2m1", "e8m0", "tf32", "e3m2", "fp32"};
    static const char *const names[] = {"fp32", "bf16", "hopper-fp8", "hopper-fp16-fp16"};
    size_t wrong = 0;
    for (size_t i = 0; i < 32; i++) {
        const bnd_format f = format_named(formats[i % 8]), g = format_named(formats[(i + 3) % 8]);
        bnd_gemm how = {.accumulator = accumulator_named(names[i / 8]), .round_a = &f, .round_b = &g};
        question q;
        question_open(&q, 17, 37, 45, &how, (unsigned)i % MATRIX_LAYOUTS);
        question_fill(&q, i < 16 ? DATA_NORMAL : i % 2 == 0 ? DATA_FRINGE : DATA_HARD, &f, 2 * i + 1);
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        wrong += differences(&q, "rounded", BY_OPERATE);
        /* The same numbers as codes, in the same places. */
        const bnd_array unpacked = {.packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
        unsigned char *a = memory_of(bnd_codes_size(&f, q.a_size, BND_PACKING_UNPACKED));
        unsigned char *b = memory_of(bnd_codes_size(&g, q.b_size, BND_PACKING_UNPACKED));
        CU_ASSERT_EQUAL(bnd_encode_f32(a, q.a, q.a_size, &f, &unpacked, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_encode_f32(b, q.b, q.b_size, &g, &unpacked, NULL, NULL), BND_OK);
        const size_t a_bytes = bnd_codes_size(&f, 1, BND_PACKING_UNPACKED),
                     b_bytes = bnd_codes_size(&g, 1, BND_PACKING_UNPACKED);
        CU_ASSERT_EQUAL(bnd_gemm_codes(q.c + q.c_first, q.m, q.n, a + (size_t)q.a_first * a_bytes, &f,
                                       b + (size_t)q.b_first * b_bytes, &g, q.k, &q.how, NULL),
                        BND_OK);
        wrong += differences(&q, "codes", BY_OPERATE);
        free(a);
        free(b);
        question_close(&q);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Overflow and cancellation in the middle of a sum; then back among ordinary numbers. */
static void test_middle(void)
{
    static const char *const names[] = {"fp16",          "e4m3",       "e5m2",     "fma:fp16", "fma:e4m3",
                                        "bf16",          "e2m1",       "trunc14",  "fp16:rtz", "fma:e5m2:rup",
                                        "fma:e4m3:sr:8", "bf16:sr:30", "fp64:rdn", "fp32"};
    enum { NAMES = sizeof names / sizeof names[0] };
    size_t wrong = 0;
    for (size_t i = 0; i < NAMES; i++) {
        for (size_t b = 0; b < BACKENDS; b++) {
            bnd_context context = {.backend = (uint8_t)backends[b]};
            bnd_gemm how = {.context = &context, .accumulator = accumulator_named(names[i])};
            question q;
            question_open(&q, 8, 40, 300, &how, 0);
            question_fill(&q, DATA_NORMAL, &how.accumulator.format, 2 * i + 1);
            for (size_t k = 0; k < 3; k++) { /* the same large term with both signs, in one row and one column */
                const float large = i + 1 < NAMES ? 300.0f : 0x1p64f;
                q.a[3 * q.k + 100 + k] = k == 1 ? -large : large;
                q.b[(100 + k) * q.n + 7] = large;
            }
            CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
            wrong += bnd_backend_here(backends[b]) ? differences(&q, "middle", BY_OPERATE) : 0;
            question_close(&q);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Random choices of all there is: format, mode, kind, overflow policy, promotion, data, shape, back end; one in eight
 * by the oracle. BND_TEST_SCALE=100 asks for a hundred times as many. */
static void test_sweep(void)
{
    static const char *const formats[] = {"fp16",     "bf16", "e4m3", "e5m2",  "e3m4", "e2m1", "e4m3fnuz",
                                          "e5m2fnuz", "tf32", "e6m9", "e8m12", "fp32", "fp64", "e8m30"};
    static const char *const modes[] = {"",      ":rtz",   ":rup",   ":rdn",   ":rto",   ":rna",    ":sr:8",    ":sr",
                                        ":sr:3", ":sra:8", ":sr:45", ":sra:9", ":srb:5", ":srb:31", ":sr-equal"};
    enum { FORMATS = sizeof formats / sizeof formats[0], MODES = sizeof modes / sizeof modes[0], QUESTIONS = 300 };
    size_t wrong = 0;
    for (uint64_t at = 0; at < scaled(QUESTIONS); at++) {
        const uint64_t random = bnd_random(31, 1, at), more = bnd_random(31, 2, at);
        const bool oracle = at % 8 == 0;
        char name[BND_ACCUMULATOR_NAME_SIZE];
        snprintf(name, sizeof name, "%s%s%s", (random & 1) != 0 ? "each:" : "fma:", formats[(random >> 1) % FORMATS],
                 modes[(random >> 8) % MODES]);
        bnd_context context = {.backend = (uint8_t)backends[at % 3], .threads = 1};
        bnd_gemm how = {.context = &context, .accumulator = accumulator_named(name), .seed = at, .purpose = at % 3};
        how.accumulator.rule.overflow =
            (uint8_t)(random >> 16 & 3) > 0 ? 0 : (uint8_t)((random >> 18) % BND_OVERFLOW_COUNT);
        how.accumulator.promote = (random >> 24 & 7) > 0 ? 0 : 1 + (uint32_t)(random >> 27 & 15);
        how.add = (random >> 32 & 1) != 0;
        question q;
        if (!bnd_backend_here(backends[at % 3])) {
            continue;
        }
        question_open(&q, 1 + (more & (oracle ? 1 : 7)), 1 + (more >> 8) % (oracle ? 5 : 40),
                      1 + (more >> 16) % (oracle ? 6 : 20), &how, (unsigned)(more >> 24) % MATRIX_LAYOUTS);
        question_fill(&q, (data_kind)((more >> 32) % DATA_KINDS), &how.accumulator.format, at);
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        wrong += differences(&q, name, oracle ? BY_ORACLE : BY_OPERATE);
        question_close(&q);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo product_tests[] = {
    {"by bnd_operate", test_definition},
    {"nothing", test_nothing},
    {"by the oracle", test_oracle},
    {"every pair", test_every_pair},
    {"near ties", test_near_ties},
    {"rules", test_rules},
    {"deep products", test_deep},
    {"deep blocks", test_deep_blocks},
    MEMORY_MAY_RUN_OUT(test_no_memory),
    {"operands", test_operands},
    {"in the middle", test_middle},
    {"sweep", test_sweep},
    CU_TEST_INFO_NULL,
};
