/* NaN, infinity, zero, subnormals, and the ends of what scales can be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"

static const char *const blocks[] = {
    "mxfp8",       "mxfp8:floor", "mxfp8:ceil",      "mxfp8:even",    "mxfp8-e5m2",     "mxfp6-e2m3:even",
    "mxfp6-e3m2",  "mxfp4",       "mxfp4:floor",     "mxint8",        "mxint8:ceil",    "mxint8:even",
    "e2m3ieee/mx", "nvfp4",       "nvfp4-subnormal", "e4m3/row",      "e4m3/row:rceil", "e4m3/tile:1x8",
    "e2m1/tensor", "int8/row:8",  "int4/tensor",     "e4m3/row:bf16", "mxfp4:mse",
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* Each number in a block of its own, beside smaller ones of either sign. */
static void test_scales_of(comparison *b, const float *amax, size_t count)
{
    for (size_t k = 0; k < BLOCKS; k++) {
        bnd_block block = block_named(blocks[k]);
        const bnd_array how = {.packing_in = BND_PACKING_PACKED, .packing_out = BND_PACKING_PACKED};
        float *x = memory_of(count * 8 * sizeof *x);
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < 8; j++) {
                x[8 * i + j] = ldexpf(j % 2 ? -amax[i] : amax[i], -(int)j);
            }
        }
        check_block(b, x, (bnd_shape){count, 8, 1}, &block, &how);
        free(x);
    }
}

/* Powers of two, the elements' limits, halfway points of every precision, and their neighbours, over all of fp32. */
static void test_breakpoints(void)
{
    static const double significands[] = {1,     1.25, 1.5,     1.75,    1.875,   1.9375, 1.96875, 1.984375,
                                          1.992, 1.03, 1.33333, 1.99999, 1.09375, 1.0625, 1.15,    1.6};
    static const int exponents[] = {-149, -140, -127, -126, -125, -124, -119, -113, -100, -30, -9,  -7,  -6,
                                    -3,   -1,   0,    1,    2,    3,    8,    9,    15,   60,  119, 126, 127};
    enum { EXPONENTS = sizeof exponents / sizeof exponents[0], SIGNIFICANDS = 16 };
    float amax[3 * SIGNIFICANDS];
    comparison b;
    comparison_open(&b, "breakpoints");
    for (size_t e = 0; e < EXPONENTS; e++) {
        for (size_t i = 0; i < SIGNIFICANDS; i++) {
            float x = (float)ldexp(significands[i], exponents[e]);
            amax[3 * i] = x;
            amax[3 * i + 1] = nextafterf(x, 0);
            amax[3 * i + 2] = nextafterf(x, 3e38f);
        }
        test_scales_of(&b, amax, 3 * SIGNIFICANDS);
    }
    comparison_close(&b);
}

/* The same in whole blocks, many of them in a row: what vectors do, against the portable loops that the model has
 * judged. */
static void test_whole_blocks(void)
{
    static const char *const names[] = {"mxfp8",      "mxfp8:floor",       "mxfp8:ceil",     "mxfp8:even",
                                        "mxfp8-e5m2", "mxfp6-e2m3:even",   "mxfp4",          "e2m3ieee/mx",
                                        "bf16/mx",    "e2m3ieee/mx:floor", "mxfp6-e3m2:ceil"};
    enum { NAMES = sizeof names / sizeof names[0], STEPS = 96, EXPONENTS = 16, N = STEPS * EXPONENTS * 32 };
    const bnd_context portable = {.backend = BND_BACKEND_PORTABLE};
    const bnd_array how = {.context = &portable};
    float *x = memory_of(N * sizeof *x);
    unsigned char *codes[2] = {memory_of(2 * N), memory_of(2 * N)}, *scales[2] = {memory_of(N), memory_of(N)};
    for (size_t i = 0; i < N; i++) {
        size_t step = i / 32 % STEPS, exponent = i / 32 / STEPS;
        uint32_t field = (uint32_t)(exponent < 8 ? exponent : 254 - (exponent - 8)), fraction;
        fraction = (uint32_t)(step / 3) << 18; /* all of 32, and their neighbours */
        uint32_t bits = (field << 23 | fraction) + (uint32_t)(step % 3) - 1;
        bits = (bits & 0x7fffffff) < 0x7f800000 ? bits : 0;
        bits = i % 32 == 7 ? bits : (uint32_t)bnd_random(5, 5, i) % (bits / 2 + 1) | (uint32_t)(i % 2) << 31;
        memcpy(&x[i], &bits, sizeof bits);
    }
    for (size_t k = 0; k < NAMES; k++) {
        bnd_block block = block_named(names[k]);
        const bnd_shape shape = {1, N, 1};
        CU_ASSERT_EQUAL(bnd_quantize_f32(codes[0], scales[0], NULL, x, shape, &block, &how, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_quantize_f32(codes[1], scales[1], NULL, x, shape, &block, NULL, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(codes[0], codes[1], 2 * N), 0);
        CU_ASSERT_EQUAL(memcmp(scales[0], scales[1], N), 0);
    }
    for (size_t k = 0; k < 2; k++) {
        free(codes[k]);
        free(scales[k]);
    }
    free(x);
}

/* Numbers that fall below fp32's normal ones, or out of it, when they are divided by the scale of a huge neighbour: to
 * the modes that look at them they are not zero. */
static void test_tiny_beside_huge(void)
{
    static const uint8_t modes[] = {BND_ROUND_RNE, BND_ROUND_RUP,      BND_ROUND_RDN, BND_ROUND_RTO,
                                    BND_ROUND_RTZ, BND_ROUND_SR_EQUAL, BND_ROUND_SR};
    static const char *const names[] = {"mxfp8", "mxfp8-e5m2:floor", "bf16/mx", "mxint8", "e4m3/row", "nvfp4"};
    float x[64];
    comparison b;
    comparison_open(&b, "tiny beside huge");
    for (size_t i = 0; i < 64; i++) {
        x[i] = ldexpf(i % 3 ? -1.25f : 1.5f, i % 32 == 9 ? 100 : -(int)(i * 37 % 150));
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_block block = block_named(names[k]);
        for (size_t m = 0; m < sizeof modes; m++) {
            const bnd_array how = {.rule = {.rounding = modes[m], .random_bits = 8}, .seed = m};
            check_block(&b, x, (bnd_shape){1, 64, 1}, &block, &how);
        }
    }
    comparison_close(&b);
}

/* A block with one number that is not finite, in the first place, the last, and in between. */
static void test_not_finite(void)
{
    static const float strange[] = {INFINITY, -INFINITY, NAN};
    comparison b;
    comparison_open(&b, "not finite");
    for (size_t k = 0; k < BLOCKS; k++) {
        bnd_block block = block_named(blocks[k]);
        for (size_t place = 0; place < 96; place += 19) {
            float x[2 * 96];
            for (size_t i = 0; i < 2 * 96; i++) {
                x[i] = normal_number(k, i);
            }
            x[place] = strange[place % 3];
            if (place % 2) { /* whatever sign and payload: an element is the rounding of one NaN, the scale's */
                const uint32_t signaling = 0xff812345;
                memcpy(&x[place], &signaling, sizeof signaling);
            }
            for (uint8_t packing = 0; packing < 2; packing++) {
                bnd_array how = {
                    .packing_in = packing, .packing_out = packing, .rule = {.nan = (uint8_t)(place % BND_NAN_COUNT)}};
                check_block(&b, x, (bnd_shape){2, 96, 1}, &block, &how);
                check_block(&b, x, (bnd_shape){1, 48, 4}, &block, &how);
            }
        }
    }
    comparison_close(&b);
}

static void quantized(const char *name, const float *x, size_t n, unsigned char *codes, unsigned char *scales,
                      float *tensor)
{
    bnd_block block = block_named(name);
    CU_ASSERT_EQUAL(bnd_quantize_f32(codes, scales, tensor, x, (bnd_shape){1, n, 1}, &block, NULL, NULL, NULL), BND_OK);
}

/* The bytes that conversions.md names. */
static void test_bytes(void)
{
    float x[32] = {0}, tensor = 0;
    unsigned char codes[32], scales[4];
    memset(codes, 1, sizeof codes);
    quantized("mxfp8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 0x00); /* amax 0: 2^-127 */
    CU_ASSERT_EQUAL(codes[0] | codes[31], 0);
    x[5] = NAN;
    quantized("mxfp8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 0xff);
    x[5] = -INFINITY;
    quantized("mxfp4", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 0xff);
    x[5] = 0;
    quantized("e4m3/row", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(memcmp(scales, "\x00\x00\x80\x3f", 4), 0); /* 1 */
    quantized("nvfp4", x, 32, codes, scales, &tensor);
    CU_ASSERT_EQUAL(scales[0], 0x08); /* 2^-6 */
    CU_ASSERT_EQUAL(tensor, 1);
    quantized("nvfp4-subnormal", x, 32, codes, scales, &tensor);
    CU_ASSERT_EQUAL(scales[0], 0x01); /* 2^-9 */
    /* 448 is the largest e4m3: scale 1. 449 needs 2 by rceil, and is 448 by floor. */
    x[0] = 448;
    x[1] = -1;
    quantized("mxfp8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    CU_ASSERT_EQUAL(codes[0], 0x7e);
    CU_ASSERT_EQUAL(codes[1], 0xb8);
    x[0] = 449;
    quantized("mxfp8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 128);
    quantized("mxfp8:floor", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    CU_ASSERT_EQUAL(codes[0], 0x7e);
    x[0] = 448; /* 1.75 * 2^8: even does not round it up to 2^9, ct does */
    quantized("mxfp8:even", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    quantized("mxfp8:ct", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 128);
    x[0] = 447.99997f;
    quantized("mxfp8:ct", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    x[0] = 511; /* 512 after rounding: saturated, not NaN */
    quantized("mxfp8:floor", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(codes[0], 0x7e);
    x[0] = 6;
    x[1] = -0.5f;
    quantized("mxfp4", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    CU_ASSERT_EQUAL(codes[0], 0x97); /* 6 = 7 in the low half, -0.5 = 9 in the high one */
    x[0] = 127.0f / 64;
    x[1] = -1;
    quantized("mxint8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 127);
    CU_ASSERT_EQUAL(codes[0], 127);
    CU_ASSERT_EQUAL(codes[1], 0xc0); /* -64 */
    x[0] = 2;                        /* rceil: 2 / 2^1 = 64 / 64; floor the same */
    quantized("mxint8", x, 32, codes, scales, NULL);
    CU_ASSERT_EQUAL(scales[0], 128);
    CU_ASSERT_EQUAL(codes[0], 64);
    x[0] = 2688; /* nvfp4: scales of 1 and 448 */
    x[1] = 1344;
    quantized("nvfp4", x, 32, codes, scales, &tensor);
    CU_ASSERT_EQUAL(tensor, 1);
    CU_ASSERT_EQUAL(scales[0], 0x7e);
    CU_ASSERT_EQUAL(codes[0], 0x57); /* 6, 3 */
}

/* -128 is read though never written. */
static void test_least_int8(void)
{
    bnd_block block = block_named("mxint8");
    const unsigned char code = 0x80, scale = 128;
    float y = 0;
    CU_ASSERT_EQUAL(bnd_dequantize_f32(&y, &code, &scale, 1, (bnd_shape){1, 1, 1}, &block, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(y, -4);
}

/* Every code of an element at every e8m0 scale. */
static void test_all_codes(void)
{
    bnd_block block = block_named("mxfp8-e5m2");
    bnd_format fp32 = format_named("fp32");
    unsigned char codes[256], scales[256];
    float *y = memory_of(65536 * sizeof *y);
    comparison b;
    comparison_open(&b, "all codes and scales");
    for (unsigned i = 0; i < 256; i++) {
        codes[i] = (unsigned char)i;
    }
    block.along = 256;
    for (unsigned s = 0; s < 256; s++) {
        memset(scales, (int)s, sizeof scales);
        CU_ASSERT_EQUAL(bnd_dequantize_f32(y, codes, scales, 7, (bnd_shape){1, 256, 1}, &block, NULL, NULL), BND_OK);
        double scale = s == 255 ? (double)NAN : ldexp(1, (int)s - 127), element;
        for (unsigned i = 0; i < 256; i++) {
            bool is_number = bnd_oracle_decode(&element, &block.element, i) <= BND_ORACLE_INFINITE;
            double exact = is_number ? element * scale : (double)NAN; /* exact: three bits and a power */
            bnd_result want = bnd_oracle_encode(&fp32, exact, (bnd_rule){.rounding = BND_ROUND_RNE}, 0);
            uint32_t got;
            memcpy(&got, &y[i], 4);
            bool same = exact != exact ? y[i] != y[i] : got == want.code;
            if (comparison_note(&b, same)) {
                printf("    code 0x%02x scale 0x%02x: 0x%08x, not 0x%08x\n", i, s, got, (unsigned)want.code);
            }
        }
    }
    comparison_close(&b);
    free(y);
}

CU_TestInfo special_tests[] = {
    {"where a rule changes its mind", test_breakpoints},
    {"whole blocks", test_whole_blocks},
    {"tiny beside huge", test_tiny_beside_huge},
    {"NaN and infinity", test_not_finite},
    {"bytes worked out by hand", test_bytes},
    {"the int8 that is not written", test_least_int8},
    {"every code at every scale", test_all_codes},
    CU_TEST_INFO_NULL,
};
