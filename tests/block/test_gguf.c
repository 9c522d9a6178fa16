/* The blocks of GGUF: bytes worked out by hand, a model that searches where the library computes, every byte read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"

static const bnd_gguf_type types[] = {BND_GGUF_Q4_0, BND_GGUF_Q8_0, BND_GGUF_MXFP4, BND_GGUF_NVFP4};
enum { TYPES = 4, MOST = 64 };

static const float e2m1[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, 0, -0.5f, -1, -1.5f, -2, -3, -4, -6};

static float amax_of(const float *x, size_t n)
{
    float amax = 0;
    for (size_t i = 0; i < n; i++) {
        amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
    }
    return amax;
}

/* ---- the model of the encoders ---- */

/* The first of the sixteen codes at the least distance. */
static unsigned nearest_e2m1(float x, float scale)
{
    unsigned best = 0;
    for (unsigned i = 1; i < 16; i++) {
        if (fabsf(e2m1[i] * scale - x) < fabsf(e2m1[best] * scale - x)) {
            best = i;
        }
    }
    return best;
}

static void put_halves(unsigned char *bytes, const float *x, size_t n, float scale)
{
    for (size_t i = 0; i < n; i++) {
        unsigned code = nearest_e2m1(x[i], scale);
        unsigned char *byte = &bytes[i % (n / 2)];
        *byte = (unsigned char)(i < n / 2 ? code : *byte | code << 4);
    }
}

static void put_fp16(unsigned char *bytes, float d)
{
    bnd_format fp16 = format_named("fp16");
    uint64_t code = bnd_oracle_encode(&fp16, (double)d, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
    bytes[0] = (unsigned char)(code & 0xff);
    bytes[1] = (unsigned char)(code >> 8);
}

static void model_q8_0(unsigned char *bytes, const float *x)
{
    float d = amax_of(x, 32) / 127, inverse = d != 0 ? 1 / d : 0;
    put_fp16(bytes, d);
    for (size_t i = 0; i < 32; i++) {
        bytes[2 + i] = (unsigned char)(int)roundf(x[i] * inverse);
    }
}

static void model_q4_0(unsigned char *bytes, const float *x)
{
    float max = 0, inverse, d;
    for (size_t i = 0; i < 32; i++) {
        max = fabsf(x[i]) > fabsf(max) ? x[i] : max;
    }
    d = max / -8;
    inverse = d != 0 ? 1 / d : 0;
    put_fp16(bytes, d);
    for (size_t i = 0; i < 32; i++) {
        float place = floorf(x[i] * inverse + 8.5f);
        unsigned code = place > 15 ? 15 : (unsigned)place;
        unsigned char *byte = &bytes[2 + i % 16];
        *byte = (unsigned char)(i < 16 ? code : *byte | code << 4);
    }
}

static void model_mxfp4(unsigned char *bytes, const float *x)
{
    float amax = amax_of(x, 32);
    int code = amax == 0 ? 0 : (int)floor(log2((double)amax)) - 2 + 127; /* exact enough: see the numbers below */
    code = code < 0 ? 0 : code;
    bytes[0] = (unsigned char)code;
    put_halves(bytes + 1, x, 32, ldexpf(1, code - 127));
}

static float value_of_ue4m3(unsigned code)
{
    static float values[128];
    if (values[1] == 0) {
        bnd_format e4m3 = format_named("e4m3");
        double value;
        for (unsigned i = 0; i < 128; i++) {
            values[i] = bnd_oracle_decode(&value, &e4m3, i) == BND_ORACLE_FINITE ? (float)value : NAN;
        }
    }
    return values[code & 0x7f];
}

/* The nearest of the codes up to 240, the larger of two; 248 and more are 448; below 2^-6 it stays below. */
static unsigned ue4m3_of(float x)
{
    unsigned best = 0, last = x < 0x1p-6f ? 7 : 0x77;
    for (unsigned code = 1; code <= last; code++) {
        if (fabsf(value_of_ue4m3(code) - x) <= fabsf(value_of_ue4m3(best) - x)) {
            best = code;
        }
    }
    return x >= 248 ? 0x7e : best;
}

static void model_nvfp4(unsigned char *bytes, const float *x)
{
    for (size_t g = 0; g < 4; g++) {
        unsigned code = ue4m3_of(amax_of(x + 16 * g, 16) / 6);
        bytes[g] = (unsigned char)code;
        put_halves(bytes + 4 + 8 * g, x + 16 * g, 16, value_of_ue4m3(code));
    }
}

static void model(bnd_gguf_type type, unsigned char *bytes, const float *x)
{
    switch (type) {
    case BND_GGUF_Q4_0:
        model_q4_0(bytes, x);
        break;
    case BND_GGUF_Q8_0:
        model_q8_0(bytes, x);
        break;
    case BND_GGUF_MXFP4:
        model_mxfp4(bytes, x);
        break;
    default:
        model_nvfp4(bytes, x);
        break;
    }
}

/* Blocks of all sizes; every fourth of halfway points and powers of two, so that ties and thresholds come up. */
static void fill(float *x, size_t n, uint64_t block)
{
    int exponent = (int)(bnd_random(6, 6, block) % 24) - 14;
    for (size_t i = 0; i < n; i++) {
        uint64_t random = bnd_random(6, 7 + i, block);
        float grid = (float)((int)(random % 257) - 128) / 16;
        float any = normal_number(block, i) * ((random & 7) == 0 ? 16 : 1);
        x[i] = ldexpf(block % 4 == 0 ? grid : any, exponent);
    }
}

static void compare(comparison *b, bnd_gguf_type type, const float *x)
{
    unsigned char want[40], got[40];
    memset(want, 0x77, sizeof want);
    memset(got, 0x77, sizeof got);
    model(type, want, x);
    bool called = bnd_gguf_encode_f32(got, x, bnd_gguf_block(type), type, NULL) == BND_OK;
    if (comparison_note(b, called && memcmp(got, want, sizeof got) == 0)) {
        printf("    %s, amax %a:", bnd_gguf_name(type), (double)amax_of(x, bnd_gguf_block(type)));
        for (size_t i = 0; i < sizeof got; i++) {
            printf(got[i] == want[i] ? " %02x" : " %02x(%02x)", got[i], want[i]);
        }
        printf("\n");
    }
}

static void test_encoders(void)
{
    float x[MOST];
    comparison b;
    comparison_open(&b, "GGUF blocks");
    for (uint64_t block = 0; block < scaled(4000); block++) {
        fill(x, MOST, block);
        for (size_t t = 0; t < TYPES; t++) {
            compare(&b, types[t], x);
        }
    }
    /* Every scale of NVFP4, and the places where ggml's rounding of it is peculiar. */
    static const float edges[] = {7.4f,   7.5f,   7.9f,   8,      8.5f,       6.5f,     0.4f,     0.5f,
                                  126000, 122880, 126976, 127000, 1.4f * 512, 131071.f, 131072.f, 400 * 512.f};
    for (unsigned i = 0; i < 16 * 40; i++) {
        float scale = i < 16 ? edges[i] / 512 : ldexpf(1 + (float)(i % 16) / 16, (int)(i / 16) - 12);
        for (size_t k = 0; k < MOST; k++) {
            x[k] = 6 * scale * (k % 16 == 5 ? -1 : (float)(k % 16) / 16);
        }
        compare(&b, BND_GGUF_NVFP4, x);
    }
    comparison_close(&b);
}

/* ---- bytes by hand ---- */

static void encodes(bnd_gguf_type type, const float *x, const unsigned char *want)
{
    unsigned char got[40] = {0};
    size_t size = bnd_gguf_size(type, bnd_gguf_block(type));
    CU_ASSERT_EQUAL(bnd_gguf_encode_f32(got, x, bnd_gguf_block(type), type, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(got, want, size), 0);
    for (size_t i = 0; i < size && memcmp(got, want, size) != 0; i++) {
        printf("%s%02x%s", i == 0 ? "    " : " ", got[i], i + 1 == size ? "\n" : "");
    }
}

/* q8_0: amax 127 makes d = 1, 3c00 in fp16; 0.5 goes to 1, -2.5 to -3. */
static void test_q8_0(void)
{
    float x[32] = {127, -127, 0.5f, -2.5f, 2.25f};
    unsigned char want[34] = {0x00, 0x3c, 127, 0x81, 1, 0xfd, 2};
    encodes(BND_GGUF_Q8_0, x, want);
    memset(x, 0, sizeof x);
    memset(want, 0, sizeof want);
    encodes(BND_GGUF_Q8_0, x, want);
}

/* q4_0: the largest is -8, so d = 1; -8 + 8.5 is 0, 7 + 8.5 is 15, 0 is 8; 7.9 is 16 cut to 15. Element 16 is the high
 * nibble of the first byte. With 8 instead d is -1, bc00, and 8 becomes 0. */
static void test_q4_0(void)
{
    float x[32] = {-8, 7, 7.9f, 0.4f};
    unsigned char want[18] = {0x00, 0x3c, 0x90, 0x8f, 0x8f, 0x88};
    x[16] = 1;
    memset(want + 6, 0x88, 12);
    encodes(BND_GGUF_Q4_0, x, want);
    x[0] = 8;
    want[1] = 0xbc;
    want[2] = 0x70;
    want[3] = 0x81;
    want[4] = 0x80;
    encodes(BND_GGUF_Q4_0, x, want);
    memset(x, 0, sizeof x);
    memset(want, 0x88, sizeof want);
    want[0] = 0;
    want[1] = 0x80; /* 0 / -8 */
    encodes(BND_GGUF_Q4_0, x, want);
}

/* mxfp4: amax 6 makes the scale 2^(2 - 2), 127. 5 lies between 4 and 6, and 2.5 between 2 and 3: toward zero. -0.2
 * becomes +0. Elements 16 and 17 stand in the high nibbles of bytes 0 and 1. */
static void test_mxfp4(void)
{
    float x[32] = {6, 5, 2.5f, -0.2f, -0.3f, -6};
    unsigned char want[17] = {127, 0x37, 0xf6, 0x04, 0x00, 0x09, 0x0f};
    x[16] = 1.5f;
    x[17] = -7; /* saturates: the rule is floor */
    encodes(BND_GGUF_MXFP4, x, want);
    x[17] = -8; /* and now the scale is 128: 2.5, 1.25 and 0.75 lie halfway */
    const unsigned char doubled[17] = {128, 0x15, 0xe4, 0x02, 0x00, 0x00, 0x0d};
    encodes(BND_GGUF_MXFP4, x, doubled);
    memset(x, 0, sizeof x);
    const unsigned char zero[17] = {0};
    encodes(BND_GGUF_MXFP4, x, zero);
}

/* nvfp4: four scales first. amax 6 makes 1, which is 0x38; 12 makes 2, 0x40; 6 * 448 makes 448, 0x7e, and so does 6 *
 * 256; 0 makes 0. Of each 16 the elements 0 and 8 share the first byte. */
static void test_nvfp4(void)
{
    float x[64] = {6, -1};
    unsigned char want[36] = {0x38, 0x40, 0x7e, 0x00};
    x[8] = 3;
    want[4] = 0x57;
    want[5] = 0x0a;
    x[16 + 7] = 12;
    x[16 + 15] = -1;
    want[12 + 7] = 0x97;
    x[32] = 6 * 256;
    want[20] = 0x05; /* 1536 / 448 = 3.43: 3 is nearer than 4 */
    encodes(BND_GGUF_NVFP4, x, want);
}

/* ---- decoders ---- */

static float expected(bnd_gguf_type type, const unsigned char *bytes, size_t i)
{
    bnd_format fp16 = format_named("fp16");
    double d = 0;
    bool number = bnd_oracle_decode(&d, &fp16, (uint64_t)bytes[1] << 8 | bytes[0]) <= BND_ORACLE_INFINITE;
    d = number ? d : (double)NAN;
    unsigned place = (unsigned)i % 16, nibble;
    switch (type) {
    case BND_GGUF_Q8_0:
        return (float)((double)(signed char)bytes[2 + i] * d);
    case BND_GGUF_Q4_0:
        nibble = i < 16 ? bytes[2 + i] & 15u : bytes[2 + i - 16] >> 4;
        return (float)(((double)nibble - 8) * d);
    case BND_GGUF_MXFP4:
        nibble = i < 16 ? bytes[1 + i] & 15u : bytes[1 + i - 16] >> 4;
        return bytes[0] == 255 ? NAN : (float)ldexp((double)e2m1[nibble], bytes[0] - 127);
    default:
        nibble = bytes[4 + i / 16 * 8 + place % 8];
        nibble = place < 8 ? nibble & 15 : nibble >> 4;
        return e2m1[nibble] * value_of_ue4m3(bytes[i / 16]);
    }
}

/* Random bytes, and every scale byte of the formats that have one. */
static void test_decoders(void)
{
    unsigned char bytes[40];
    float y[MOST];
    comparison b;
    comparison_open(&b, "GGUF values");
    for (uint64_t block = 0; block < 1024; block++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = i < 4 && block < 256 ? (unsigned char)(block + i) : (unsigned char)bnd_random(9, i, block);
        }
        for (size_t t = 0; t < TYPES; t++) {
            size_t n = bnd_gguf_block(types[t]);
            bool called = bnd_gguf_decode_f32(y, bytes, n, types[t], NULL) == BND_OK;
            for (size_t i = 0; i < n; i++) {
                float want = expected(types[t], bytes, i);
                bool same =
                    called && (want != want ? y[i] != y[i] : bndi_bits_of_float(want) == bndi_bits_of_float(y[i]));
                if (comparison_note(&b, same)) {
                    printf("    %s %02x %02x ... element %zu: %a, not %a\n", bnd_gguf_name(types[t]), bytes[0],
                           bytes[1], i, (double)y[i], (double)want);
                }
            }
        }
    }
    comparison_close(&b);
}

/* A block with something that is not finite comes back as NaNs, and its neighbours as they were. */
static void test_not_finite(void)
{
    for (size_t t = 0; t < TYPES; t++) {
        size_t n = bnd_gguf_block(types[t]), shared = types[t] == BND_GGUF_NVFP4 ? 16 : n;
        float x[2 * MOST], y[2 * MOST];
        unsigned char bytes[80];
        unsigned wrong = 0;
        for (size_t i = 0; i < 2 * n; i++) {
            x[i] = 1 + (float)i;
        }
        x[n + 3] = t % 2 ? NAN : -INFINITY;
        CU_ASSERT_EQUAL(bnd_gguf_encode_f32(bytes, x, 2 * n, types[t], NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_gguf_decode_f32(y, bytes, 2 * n, types[t], NULL), BND_OK);
        for (size_t i = 0; i < 2 * n; i++) {
            bool strange = i >= n && i < n + shared;
            wrong += strange != (y[i] != y[i]);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* Subnormals, and sizes that fp16's scales cannot say. */
static void test_ends(void)
{
    float x[MOST], y[MOST];
    unsigned char bytes[40];
    for (size_t t = 0; t < TYPES; t++) {
        size_t n = bnd_gguf_block(types[t]);
        for (int e = -149; e < 128; e++) {
            unsigned wrong = 0;
            for (size_t i = 0; i < n; i++) {
                x[i] = ldexpf(i % 2 ? -1 : 1, e);
            }
            CU_ASSERT_EQUAL(bnd_gguf_encode_f32(bytes, x, n, types[t], NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_gguf_decode_f32(y, bytes, n, types[t], NULL), BND_OK);
            for (size_t i = 0; i < n; i++) {
                bool sign = y[i] == 0 || (y[i] > 0) == (x[i] > 0);
                wrong += !sign && y[i] == y[i];
            }
            CU_ASSERT_EQUAL(wrong, 0);
        }
    }
}

static void test_sizes(void)
{
    static const size_t elements[TYPES] = {32, 32, 32, 64}, bytes[TYPES] = {18, 34, 17, 36};
    static const char *const names[TYPES] = {"q4_0", "q8_0", "mxfp4", "nvfp4"};
    for (size_t t = 0; t < TYPES; t++) {
        CU_ASSERT_EQUAL(bnd_gguf_block(types[t]), elements[t]);
        CU_ASSERT_EQUAL(bnd_gguf_size(types[t], 5 * elements[t]), 5 * bytes[t]);
        CU_ASSERT_STRING_EQUAL(bnd_gguf_name(types[t]), names[t]);
        CU_ASSERT(strlen(bnd_gguf_note(types[t])) > 0);
    }
    CU_ASSERT_STRING_EQUAL(bnd_gguf_name((bnd_gguf_type)1), "");
    CU_ASSERT_STRING_EQUAL(bnd_gguf_note((bnd_gguf_type)1), "");
    CU_ASSERT_EQUAL(bnd_gguf_block((bnd_gguf_type)1), 0);
}

CU_TestInfo gguf_tests[] = {
    {"encoders", test_encoders},     {"q8_0 by hand", test_q8_0},
    {"q4_0 by hand", test_q4_0},     {"mxfp4 by hand", test_mxfp4},
    {"nvfp4 by hand", test_nvfp4},   {"decoders", test_decoders},
    {"not finite", test_not_finite}, {"the ends", test_ends},
    {"sizes and names", test_sizes}, CU_TEST_INFO_NULL,
};
