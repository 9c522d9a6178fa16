/* Scales that a caller gives: those of the library give its codes again, any others those of the model. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"
#include "tests/support/operands.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const char *const blocks[] = {
    "mxfp8",       "mxfp8-e5m2:floor",
    "mxfp6-e2m3",  "mxfp4",
    "mxint8",      "nvfp4",
    "e4m3/tensor", "e4m3/row",
    "e5m2/row",    "e4m3/tile:3x16",
    "e2m1/row:16", "bf16/row:rceil",
    "fp16/tensor", "e2m1/nvfp4:4x8",
    "e2m3/mx",     "e4m3fnuz/tile:1x8:ceil",
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static float *sample(size_t n, uint64_t seed)
{
    float *x = memory_of(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = i % 41 == 7 ? -0.0f : ldexpf(normal_number(seed, i), (int)(i * 7 % 9) - 4);
    }
    return x;
}

typedef struct quantized {
    unsigned char *codes, *scales;
    float tensor;
    size_t codes_size, scales_size;
} quantized;

static quantized room_for(bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    quantized q = {.codes_size = bnd_block_codes_size(block, shape, (bnd_packing)how->packing_out),
                   .scales_size = bnd_block_scales_size(block, shape)};
    q.codes = memory_of(q.codes_size);
    q.scales = memory_of(q.scales_size);
    return q;
}

static void release(quantized *q)
{
    free(q->codes);
    free(q->scales);
}

/* ---- the library's own scales, in parts ---- */

static bool same_counts(const bnd_stats *a, const bnd_stats *b)
{
    return a->elements == b->elements && a->exact == b->exact && a->inexact == b->inexact && a->to_zero == b->to_zero &&
           a->underflows == b->underflows && a->overflows == b->overflows && a->saturated == b->saturated &&
           a->compared == b->compared && a->scale_smallest == b->scale_smallest &&
           a->scale_largest == b->scale_largest && memcmp(a->exponents, b->exponents, sizeof a->exponents) == 0 &&
           fabs(a->squared_error - b->squared_error) <= 1e-12 * a->squared_error &&
           fabs(a->clamped_error - b->clamped_error) <= 1e-12 * a->clamped_error;
}

/* The tensor's scale, then the scales, then the codes, by a call each. */
static void check_parts(const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how,
                        const bnd_array *other)
{
    quantized whole = room_for(shape, block, how), parts = room_for(shape, block, how);
    const size_t n = shape.outer * shape.length * shape.inner;
    float *fake = memory_of(n * sizeof *fake), *given_fake = memory_of(n * sizeof *fake), tensor = 1;
    bnd_stats counted = {.elements = 0}, given_counted = {.elements = 0};
    CU_ASSERT_EQUAL(bnd_quantize_f32(whole.codes, whole.scales, &whole.tensor, x, shape, block, how, NULL, NULL),
                    BND_OK);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(fake, x, shape, block, how, &counted, NULL), BND_OK);
    bnd_given_scales given = {.tensor_scale = NULL};
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(NULL, NULL, &tensor, x, shape, block, NULL, other, NULL, NULL), BND_OK);
    CU_ASSERT(!block->tensor || tensor == whole.tensor);
    given.tensor_scale = &tensor;
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(NULL, parts.scales, NULL, x, shape, block, &given, other, NULL, NULL),
                    BND_OK);
    CU_ASSERT_EQUAL(memcmp(parts.scales, whole.scales, whole.scales_size), 0);
    given.scales = parts.scales;
    CU_ASSERT_EQUAL(
        bnd_quantize_given_f32(parts.codes, NULL, &parts.tensor, x, shape, block, &given, other, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(parts.codes, whole.codes, whole.codes_size), 0);
    CU_ASSERT(!block->tensor || parts.tensor == whole.tensor);
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(given_fake, x, shape, block, &given, other, &given_counted, NULL),
                    BND_OK);
    CU_ASSERT_EQUAL(memcmp(given_fake, fake, n * sizeof *fake), 0);
    CU_ASSERT(same_counts(&counted, &given_counted));
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(given_fake, x, shape, block, &given, other, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(given_fake, fake, n * sizeof *fake), 0);
    given.scales = NULL;
    memset(parts.codes, 0, parts.codes_size);
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(parts.codes, parts.scales, NULL, x, shape, block, &given, other, NULL, NULL),
                    BND_OK);
    CU_ASSERT_EQUAL(memcmp(parts.codes, whole.codes, whole.codes_size), 0);
    release(&whole);
    release(&parts);
    free(fake);
    free(given_fake);
}

/* On one back end with one thread, and on another with several. */
static void test_parts(void)
{
    static const bnd_shape shapes[] = {{300, 608, 1}, {1, 300, 600}, {1, 33, 5}, {1, 9001, 1}};
    static const uint8_t modes[] = {BND_ROUND_RNE, BND_ROUND_SR, BND_ROUND_RTZ};
    float *x = sample(300 * 608, 1);
    const bnd_context portable = {.backend = BND_BACKEND_PORTABLE, .threads = 1};
    for (size_t k = 0; k < 4 * (size_t)BLOCKS; k++) {
        const bnd_block block = block_named(blocks[k / 4]);
        const bnd_context context = {.threads = 3};
        bnd_array how = {.context = &portable,
                         .rule = {.rounding = modes[k % 3], .random_bits = k % 3 == 1 ? 8 : 0},
                         .packing_out = (uint8_t)(k / 4 % 2)};
        bnd_array other = how;
        other.context = &context;
        check_parts(x, shapes[k % 4], &block, &how, &other);
    }
    free(x);
}

/* ---- any scales ---- */

/* A scale as a code: near what the elements need, or far from it, or a special one. */
static uint64_t any_scale(const bnd_block *block, uint64_t seed, size_t i, bool special)
{
    static const double strange[] = {0, -0.0, NAN, INFINITY, -1.25, 0x1p-149, 0x1p-127, 0x1.8p127, 0x1p127, 1};
    const bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE};
    const uint64_t random = bnd_random(seed, 9, i);
    double scale = ldexp(1 + (double)(random >> 40) * 0x1p-24, (int)(random % 14) - 10);
    scale = random >> 8 & 1 ? scale : ldexp(1, (int)(random % 14) - 10);
    return bnd_oracle_encode(&block->scale, special && random >> 9 & 1 ? strange[random % 10] : scale, rule, 0).code;
}

static void check_any(comparison *b, const char *name, bnd_shape shape, const bnd_array *how, uint64_t seed)
{
    const bnd_block block = block_named(name);
    const size_t n = shape.outer * shape.length * shape.inner, count = bnd_block_scales(&block, shape);
    const unsigned bytes = block.scale.width / 8u;
    static const float tensors[] = {1, 0.3f, 0x1.234568p-30f, -2.5f, 0, INFINITY, NAN, 0x1p-149f};
    float *x = sample(n, seed), tensor = tensors[seed % 8];
    unsigned char *scales = memory_of(count * bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t code = any_scale(&block, seed, i, seed % 2 != 0);
        for (unsigned k = 0; k < bytes; k++) {
            scales[i * bytes + k] = (unsigned char)(code >> 8 * k);
        }
    }
    for (size_t i = 3; seed % 3 == 0 && i < n; i += 23) {
        const uint32_t strange[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0xff812345, 0x7f7fffff, 1};
        memcpy(&x[i], &strange[i % 7], sizeof x[i]);
    }
    const bnd_given_scales given = {.scales = scales, .tensor_scale = &tensor};
    check_given(b, x, shape, &block, &given, how);
    free(x);
    free(scales);
}

static void test_any_scales(void)
{
    static const bnd_shape shapes[] = {{3, 96, 1}, {1, 40, 24}, {5, 7, 1}, {1, 16, 17}};
    comparison b;
    comparison_open(&b, "given scales");
    for (size_t k = 0; k < 8 * (size_t)BLOCKS; k++) {
        const bnd_context context = {.backend = (uint8_t)(k % 2 ? BND_BACKEND_PORTABLE : BND_BACKEND_BEST)};
        bnd_array how = {.context = &context,
                         .rule = {.rounding = (uint8_t)(k / 8 % 2 ? BND_ROUND_RNE : k % BND_ROUND_COUNT),
                                  .flush_in = k % 16 == 5,
                                  .overflow = (uint8_t)(k % 3)},
                         .packing_in = (uint8_t)(k % 2),
                         .packing_out = (uint8_t)(k % 2),
                         .seed = k};
        how.rule.random_bits = how.rule.rounding >= BND_ROUND_SR ? 7 : 0;
        check_any(&b, blocks[k / 8], shapes[k % 4], &how, 100 + k);
        how.rule = (bnd_rule){.rounding = BND_ROUND_RNE};
        check_any(&b, blocks[k / 8], shapes[(k + 1) % 4], &how, 1000 + k);
    }
    comparison_close(&b);
}

/* The inverse of a modulo m, which is odd, by Euclid. */
static uint64_t inverse_of(uint64_t a, uint64_t m)
{
    int64_t t = 0, next = 1;
    uint64_t r = m, rest = a % m;
    while (rest != 0) {
        const int64_t other = t - (int64_t)(r / rest) * next;
        const uint64_t left = r % rest;
        t = next;
        next = other;
        r = rest;
        rest = left;
    }
    return (uint64_t)(t < 0 ? t + (int64_t)m : t);
}

/* Quotients of two numbers of 24 bits next to thresholds of the random bits: x 2^t is 1, 2 or 3 more or less than a
 * multiple of the scale, and thresholds are multiples of 2^-t. A quotient in double, to nearest, is the threshold. */
static void test_next_to_thresholds(void)
{
    const size_t rows = (size_t)scaled(1 << 16);
    static const struct {
        const char *block;
        uint8_t bits, places; /* random ones, and those of the element as well */
    } cases[] = {{"e8m21/row", 10, 32}, {"e8m18/row", 12, 31}, {"e8m18/row", 10, 29}};
    float *x = memory_of(rows * sizeof *x), *scales = memory_of(rows * sizeof *scales);
    comparison b;
    comparison_open(&b, "quotients next to thresholds");
    for (size_t k = 0; k < 2 * sizeof cases / sizeof cases[0]; k++) {
        const bnd_block block = block_named(cases[k / 2].block);
        const bnd_context context = {.backend = (uint8_t)(k % 2 ? BND_BACKEND_PORTABLE : BND_BACKEND_BEST)};
        const bnd_array how = {
            .context = &context, .rule = {.rounding = BND_ROUND_SR, .random_bits = cases[k / 2].bits}, .seed = k};
        for (size_t i = 0; i < rows; i++) {
            const uint64_t random = bnd_random(k, 11, i), m = (random & 0x7fffff) | 0x800001;
            const unsigned t = cases[k / 2].places - 1u + (unsigned)(random >> 24) % 3;
            const uint64_t one = inverse_of(((uint64_t)1 << t) % m, m), some = one * (1 + (random >> 32) % 3) % m;
            x[i] = (float)(random >> 40 & 1 ? m - some : some) * (random >> 41 & 1 ? -1.0F : 1.0F);
            scales[i] = ldexpf((float)m, (int)(random >> 42 & 3) - 1);
        }
        const bnd_given_scales given = {.scales = scales};
        check_given(&b, x, (bnd_shape){rows, 1, 1}, &block, &given, &how);
    }
    comparison_close(&b);
    free(x);
    free(scales);
}

/* NVFP4's scales under a scale of the tensor that is prescribed: the own one, a larger or smaller one of a fused group,
 * the fp32 reciprocal of a stored divisor. */
static void test_tensor_scales(void)
{
    static const char *const names[] = {"nvfp4", "nvfp4-subnormal", "e4m3/nvfp4", "e2m1/nvfp4:4x8"};
    static const float tensors[] = {1, 0x1p-10f, 0.00123f, 1 / 2688.0f, 0x1p-130f, 3e30f};
    comparison b;
    comparison_open(&b, "given scales of the tensor");
    for (size_t k = 0; k < 4; k++) {
        const bnd_block block = block_named(names[k]);
        for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
            const bnd_shape shape = {1, 48, i % 2 ? 1 : 8};
            const bnd_array how = {.rule.flush_in = i % 3 == 2};
            float *x = sample(48 * 8, 50 + i);
            check_scales(&b, x, shape, &block, tensors[i], &how);
            free(x);
        }
    }
    comparison_close(&b);
}

/* A tensor's scale below fp32's normal numbers, where the caller takes those for zeros. */
static void test_subnormal_scale(void)
{
    const bnd_block block = block_named("nvfp4");
    const bnd_shape shape = {1, 16, 1};
    const float tensor = 0x1p-140f;
    float x[16], want[16], got[16];
    unsigned char scale = 0x38; /* 1 */
    const bnd_given_scales given = {.scales = &scale, .tensor_scale = &tensor};
    for (size_t i = 0; i < 16; i++) {
        x[i] = ldexpf((float)i, -141);
    }
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(want, x, shape, &block, &given, NULL, NULL, NULL), BND_OK);
    CU_ASSERT(want[12] == ldexpf(6, -140) && want[15] == want[12] && want[1] == ldexpf(1, -141));
#if defined(__SSE2__)
    unsigned char codes[8], other[8];
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(codes, NULL, NULL, x, shape, &block, &given, NULL, NULL, NULL), BND_OK);
    _mm_setcsr(_mm_getcsr() | 0x8040);
    bnd_status status = bnd_fake_quantize_given_f32(got, x, shape, &block, &given, NULL, NULL, NULL);
    bnd_status encoded = bnd_quantize_given_f32(other, NULL, NULL, x, shape, &block, &given, NULL, NULL, NULL);
    bnd_status decoded = bnd_dequantize_f32(x, other, &scale, tensor, shape, &block, NULL, NULL);
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
    CU_ASSERT(status == BND_OK && encoded == BND_OK && decoded == BND_OK);
    CU_ASSERT_EQUAL(memcmp(got, want, sizeof want), 0);
    CU_ASSERT_EQUAL(memcmp(x, want, sizeof want), 0);
    CU_ASSERT_EQUAL(memcmp(other, codes, sizeof codes), 0);
#else
    (void)got;
#endif
}

/* ---- refusals, and the largest magnitude ---- */

static void test_refused(void)
{
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, one = 1;
    const bnd_shape shape = {1, 8, 1};
    const unsigned char scale[4] = {0x38, 0x38, 0x38, 0x38};
    unsigned char codes[8] = {99}, scales[4] = {99};
    float y[8] = {99};
    bnd_block b = block_named("nvfp4");
    bnd_error why;
    bnd_given_scales given = {.scales = scale};
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(codes, scales, y, x, shape, &b, &given, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "given, too"));
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(y, x, shape, &b, &given, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "given, too"));
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(NULL, scales, NULL, x, shape, &b, NULL, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "tensor_scale must not be NULL"));
    given = (bnd_given_scales){.tensor_scale = &one};
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(codes, NULL, y, x, shape, &b, &given, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "scales must not be NULL"));
    b.element = format_named("p3emin0emax2");
    given.scales = scale;
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(codes, scales, y, x, shape, &b, &given, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "value set"));
    CU_ASSERT(codes[0] == 99 && scales[0] == 99 && y[0] == 99);
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(y, x, shape, &b, &given, NULL, NULL, NULL), BND_OK);
    CU_ASSERT(memcmp(y, x, 7 * sizeof *y) == 0 && y[7] == 7); /* 8 saturates */
    given.scales = NULL;
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(NULL, scales, NULL, x, shape, &b, &given, NULL, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(scales[0], 0x39); /* 8 / 7 */
    const bnd_shape none = {0, 8, 1};
    CU_ASSERT_EQUAL(bnd_quantize_given_f32(NULL, NULL, NULL, NULL, none, &b, &given, NULL, NULL, NULL), BND_OK);
}

static void test_largest(void)
{
    enum { N = (1 << 19) + 77 };
    float *x = sample(N, 4);
    const size_t lengths[] = {1, 15, 16, 17, 65535, 65536, 65537, N};
    CU_ASSERT_EQUAL(bnd_largest_magnitude_f32(NULL, 0, NULL), 0);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        float largest = 0;
        for (size_t i = 0; i < lengths[k]; i++) {
            largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
        }
        for (unsigned i = 0; i < 8; i++) {
            const bnd_context context = {.threads = i % 4, .backend = i < 4 ? BND_BACKEND_BEST : BND_BACKEND_PORTABLE};
            CU_ASSERT_EQUAL(bnd_largest_magnitude_f32(x, lengths[k], &context), largest);
        }
    }
    const bnd_context two = {.threads = 2};
    x[N - 3] = -0x1p127f;
    CU_ASSERT_EQUAL(bnd_largest_magnitude_f32(x, N, &two), 0x1p127f);
    x[N - 70] = -INFINITY;
    CU_ASSERT_EQUAL(bnd_largest_magnitude_f32(x, N, &two), INFINITY);
    x[N / 2] = -NAN;
    CU_ASSERT(isnan(bnd_largest_magnitude_f32(x, N, &two)));
    free(x);
}

/* A scale of 0 makes zeros with the signs of the elements, exact where the elements are zeros; other blocks are
 * what they are without it. An infinity is a zero, too. */
static void test_vanishing(void)
{
    enum { GROUPS = 40, N = 16 * GROUPS, AT = 48 };
    const bnd_shape shape = {1, N, 1};
    float *x = sample(N, 3), y[N], expected[N], tensor = 0.01f;
    uint8_t scales[GROUPS];
    bnd_block block;
    CU_ASSERT_EQUAL_FATAL(bnd_block_parse(&block, "nvfp4", NULL), BND_OK);
    const bnd_given_scales given = {.scales = scales, .tensor_scale = &tensor};
    for (unsigned mode = 0; mode < 3; mode++) {
        const bnd_rule rule = {.rounding = mode == 0 ? BND_ROUND_RNE : BND_ROUND_SR, .random_bits = mode == 1 ? 16 : 0};
        const bnd_array how = {.rule = rule};
        bnd_stats counted = {.elements = 0}, all = {.elements = 0};
        memset(scales, 0x40, sizeof scales);
        CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(expected, x, shape, &block, &given, &how, &all, NULL), BND_OK);
        scales[AT / 16] = 0;
        for (unsigned counts = 0; counts < 2; counts++) {
            bnd_stats *stats = counts ? &counted : NULL;
            CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(y, x, shape, &block, &given, &how, stats, NULL), BND_OK);
            for (size_t i = AT; i < AT + 16; i++) {
                CU_ASSERT(y[i] == 0 && !signbit(y[i]) == !signbit(x[i]));
                expected[i] = y[i];
            }
            CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
        }
        CU_ASSERT_EQUAL(counted.elements, N);
        CU_ASSERT_EQUAL(counted.exact + counted.inexact, N);
        CU_ASSERT(counted.overflows <= all.overflows && counted.scale_smallest == all.scale_smallest);
    }
    x[AT] = -INFINITY;
    CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(y, x, shape, &block, &given, NULL, NULL, NULL), BND_OK);
    CU_ASSERT(y[AT] == 0 && signbit(y[AT]) && y[AT + 2] == 0);
    free(x);
}

/* Given scales are only read, by rules that try scales, too, and of groups longer than a chunk: 2.1 with a scale of
 * 0.25 is 8.4, rounded 8 (e4m3), so 2. */
static void test_given_where_scales_are_tried(void)
{
    enum { LONG = 20000 };
    static const char *const names[] = {"e4m3/tensor:mse", "e4m3/row:mse"};
    static float x[LONG], y[LONG];
    const float scale = 0.25f;
    for (size_t i = 0; i < LONG; i++) {
        x[i] = 2.1f;
    }
    for (size_t k = 0; k < 2; k++) {
        for (size_t n = 100; n <= LONG; n *= 200) {
            const bnd_block block = block_named(names[k]);
            unsigned char scales[sizeof scale];
            memcpy(scales, &scale, sizeof scale);
            const bnd_given_scales given = {.scales = scales};
            CU_ASSERT_EQUAL(bnd_fake_quantize_given_f32(y, x, (bnd_shape){1, n, 1}, &block, &given, NULL, NULL, NULL),
                            BND_OK);
            CU_ASSERT(y[0] == 2 && y[n - 1] == 2);
            CU_ASSERT_EQUAL(memcmp(scales, &scale, sizeof scale), 0);
        }
    }
}

CU_TestInfo given_tests[] = {
    {"the library's, in parts", test_parts},
    {"any scales", test_any_scales},
    {"quotients next to thresholds", test_next_to_thresholds},
    {"NVFP4's under a scale of the tensor", test_tensor_scales},
    {"a subnormal scale of the tensor", test_subnormal_scale},
    {"scales of zero", test_vanishing},
    {"refused", test_refused},
    {"the largest magnitude", test_largest},
    {"where scales are tried", test_given_where_scales_are_tried},
    CU_TEST_INFO_NULL,
};
