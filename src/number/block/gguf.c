/* The blocks of GGUF: bytes and arithmetic of ggml's reference quantizer (ggml-quants.c; the facts, not the code). Both
 * compute in fp32, operation by operation. So a value is rounded more than once, but the bytes are the same. */
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"

enum { BLOCK = 32, HALF_BLOCK = 16, GROUPS = 4, GROUP = 16 };

typedef struct kind {
    bnd_gguf_type type;
    const char *name, *note;
    size_t elements, bytes;
    void (*encode)(unsigned char *block, const float *x);
    void (*decode)(float *y, const unsigned char *block);
} kind;

/* ---- shared ---- */

static float amax_of(const float *x, size_t n)
{
    uint32_t bits = 0;
    float amax;
    bndi_block_kernels_portable.amax(&bits, x, n, n);
    __builtin_memcpy(&amax, &bits, sizeof amax);
    return amax;
}

static bool is_finite(float x)
{
    return x - x == 0;
}

/* 1 / d if that is finite, else 0. For a d below 2^-128 it is not, and ggml's elements are undefined. Such a d is zero
 * in fp16, and the elements are zero, too. */
static float reciprocal_or_zero(float d)
{
    float r = d != 0 ? 1 / d : 0;
    return is_finite(r) ? r : 0;
}

/* Stores d as fp16. d is NaN if the block has an infinity or a NaN; the sign and payload of the stored NaN are
 * unspecified. */
static void put_fp16(unsigned char *bytes, float d)
{
    uint64_t code = bnd_encode_float(bnd_format_at(BND_FORMAT_FP16), d, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
    bytes[0] = (unsigned char)code;
    bytes[1] = (unsigned char)(code >> 8);
}

static float get_fp16(const unsigned char *bytes)
{
    return (float)bnd_decode(bnd_format_at(BND_FORMAT_FP16), (uint64_t)bytes[1] << 8 | bytes[0]);
}

static float nan_scale_or(float amax, float d)
{
    return is_finite(amax) ? d : __builtin_nanf("");
}

/* ---- Q8_0 ---- */

/* To nearest, halves away from zero; |x| is at most slightly above 127. */
static int to_integer(float x)
{
    float magnitude = x < 0 ? -x : x;
    int whole = (int)magnitude;
    whole += magnitude - (float)whole >= 0.5f;
    return x < 0 ? -whole : whole;
}

static void encode_q8_0(unsigned char *block, const float *x)
{
    float amax = amax_of(x, BLOCK), d = amax / 127, inverse = reciprocal_or_zero(d);
    put_fp16(block, nan_scale_or(amax, d));
    for (size_t i = 0; i < BLOCK; i++) {
        block[2 + i] = is_finite(amax) ? (unsigned char)to_integer(x[i] * inverse) : 0;
    }
}

static void decode_q8_0(float *y, const unsigned char *block)
{
    float d = get_fp16(block);
    for (size_t i = 0; i < BLOCK; i++) {
        int value = block[2 + i] < 128 ? block[2 + i] : block[2 + i] - 256;
        y[i] = (float)value * d;
    }
}

/* ---- Q4_0 ---- */

/* The first element of the largest magnitude, with its sign. */
static float signed_max(const float *x, size_t n)
{
    float max = 0, amax = 0;
    for (size_t i = 0; i < n; i++) {
        float magnitude = x[i] < 0 ? -x[i] : x[i];
        if (magnitude > amax) {
            amax = magnitude;
            max = x[i];
        }
    }
    return max;
}

static unsigned quarter(float x, float inverse)
{
    int value = (int)(x * inverse + 8.5f);
    return value < 15 ? (unsigned)value : 15;
}

static void encode_q4_0(unsigned char *block, const float *x)
{
    float amax = amax_of(x, BLOCK), d = signed_max(x, BLOCK) / -8, inverse = reciprocal_or_zero(d);
    put_fp16(block, nan_scale_or(amax, d));
    for (size_t i = 0; i < HALF_BLOCK; i++) {
        unsigned low = is_finite(amax) ? quarter(x[i], inverse) : 8;
        unsigned high = is_finite(amax) ? quarter(x[i + HALF_BLOCK], inverse) : 8;
        block[2 + i] = (unsigned char)(low | high << 4);
    }
}

static void decode_q4_0(float *y, const unsigned char *block)
{
    float d = get_fp16(block);
    for (size_t i = 0; i < HALF_BLOCK; i++) {
        y[i] = (float)((block[2 + i] & 15) - 8) * d;
        y[i + HALF_BLOCK] = (float)((block[2 + i] >> 4) - 8) * d;
    }
}

/* ---- e2m1 as ggml rounds it: to nearest, halves toward zero, and never to a negative zero ---- */

static unsigned e2m1_of(float x, double scale)
{
    static const double halfway[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
    double magnitude = x < 0 ? -(double)x : (double)x;
    unsigned code = 0;
    for (size_t i = 0; scale > 0 && i < sizeof halfway / sizeof halfway[0]; i++) {
        code += magnitude > halfway[i] * scale;
    }
    return code != 0 && x < 0 ? code | 8 : code;
}

/* Its negative zero reads as zero. */
static float value_of_e2m1(unsigned code, double scale)
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    double value = values[code & 7] * scale;
    return (float)(code > 8 ? -value : value);
}

/* n elements, the first half of them in the low nibbles. */
static void put_nibbles(unsigned char *nibbles, const float *x, size_t n, double scale)
{
    for (size_t i = 0; i < n / 2; i++) {
        nibbles[i] = (unsigned char)(e2m1_of(x[i], scale) | e2m1_of(x[i + n / 2], scale) << 4);
    }
}

static void get_nibbles(float *y, const unsigned char *nibbles, size_t n, double scale)
{
    for (size_t i = 0; i < n / 2; i++) {
        y[i] = value_of_e2m1(nibbles[i] & 15, scale);
        y[i + n / 2] = value_of_e2m1(nibbles[i] >> 4, scale);
    }
}

/* ---- MXFP4 ---- */

/* 2^(code - 127), which double holds for all of them; ff is NaN. */
static double value_of_e8m0(unsigned code)
{
    uint64_t bits = (uint64_t)(code + 1023 - 127) << 52;
    double value = bndi_double_of_bits(bits);
    return code == 255 ? __builtin_nan("") : value;
}

/* floor(log2 amax) - 2, at least -127; amax as its bits. Below 2^-125 it is -127, for subnormals too. */
static unsigned e8m0_of(float amax)
{
    uint32_t bits = bndi_bits_of_float(amax);
    return !is_finite(amax) ? 255 : bits >> 23 > 2 ? (bits >> 23) - 2 : 0;
}

static void encode_mxfp4(unsigned char *block, const float *x)
{
    unsigned code = e8m0_of(amax_of(x, BLOCK));
    block[0] = (unsigned char)code;
    put_nibbles(block + 1, x, BLOCK, value_of_e8m0(code));
}

static void decode_mxfp4(float *y, const unsigned char *block)
{
    get_nibbles(y, block + 1, BLOCK, value_of_e8m0(block[0]));
}

/* ---- NVFP4 ---- */

enum { UE4M3_NAN = 0x7f, UE4M3_MAX = 0x7e };

/* The sign bit is ignored. */
static double value_of_ue4m3(unsigned code)
{
    unsigned exponent = code >> 3 & 15, fraction = code & 7;
    double significand = exponent == 0 ? (double)fraction / 8 : 1 + (double)fraction / 8;
    double power = (double)(1u << (exponent > 0 ? exponent : 1)) / (1 << 7);
    return (code & 0x7f) == UE4M3_NAN ? __builtin_nan("") : significand * power;
}

/* To nearest, halves up, as ggml does it: a subnormal that would round up to a normal number stays the largest
 * subnormal, and every result of 256 or more becomes 448. */
static unsigned ue4m3_of(float x)
{
    uint32_t bits = bndi_bits_of_float(x);
    if (!is_finite(x)) {
        return UE4M3_NAN;
    }
    if (x < 0x1p-6f) {
        unsigned fraction = (unsigned)(x * 512 + 0.5f);
        return fraction < 7 ? fraction : 7;
    }
    uint32_t code = (bits >> 20) + (bits >> 19 & 1) - ((127 - 7) << 3);
    return code < 15 << 3 ? code : UE4M3_MAX;
}

static void encode_nvfp4(unsigned char *block, const float *x)
{
    for (size_t g = 0; g < GROUPS; g++) {
        unsigned code = ue4m3_of(amax_of(x + g * GROUP, GROUP) / 6);
        block[g] = (unsigned char)code;
        put_nibbles(block + GROUPS + g * GROUP / 2, x + g * GROUP, GROUP, value_of_ue4m3(code));
    }
}

static void decode_nvfp4(float *y, const unsigned char *block)
{
    for (size_t g = 0; g < GROUPS; g++) {
        get_nibbles(y + g * GROUP, block + GROUPS + g * GROUP / 2, GROUP, value_of_ue4m3(block[g]));
    }
}

/* ---- the calls ---- */

static const kind kinds[] = {
    {BND_GGUF_Q4_0, "q4_0",
     "elements 0 to 15 in the low nibbles, 16 to 31 in the high ones; d is the element of the largest magnitude over "
     "-8, "
     "so that it may be negative; elements are divided by d before d is rounded to fp16; beyond 524,000 d is infinite",
     BLOCK, 18, encode_q4_0, decode_q4_0},
    {BND_GGUF_Q8_0, "q8_0",
     "elements are divided by d before d is rounded to fp16, and halves go away from zero; beyond 8,319,000 d is "
     "infinite",
     BLOCK, 34, encode_q8_0, decode_q8_0},
    {BND_GGUF_MXFP4, "mxfp4",
     "elements 0 to 15 in the low nibbles, 16 to 31 in the high ones, not pairs of neighbours; the scale rule is "
     "floor, "
     "and halves go toward zero; ggml takes the logarithm in fp32, so that an amax just below a power of two can count "
     "as that power there; scale ff is NaN here, ggml's kernels read it as 2^128 and its check refuses it",
     BLOCK, 17, encode_mxfp4, decode_mxfp4},
    {BND_GGUF_NVFP4, "nvfp4",
     "elements 0 to 7 of each 16 in the low nibbles, 8 to 15 in the high ones; the block does not contain the tensor's "
     "scale, a factor; ggml's scales go up to 240, and from 256 on all are 448; scale 7f is NaN here, ggml reads it as "
     "0",
     GROUPS *GROUP, 36, encode_nvfp4, decode_nvfp4},
};

static const kind *kind_of(bnd_gguf_type type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].type == type) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *bnd_gguf_name(bnd_gguf_type type)
{
    const kind *k = kind_of(type);
    return k != NULL ? k->name : "";
}

const char *bnd_gguf_note(bnd_gguf_type type)
{
    const kind *k = kind_of(type);
    return k != NULL ? k->note : "";
}

size_t bnd_gguf_block(bnd_gguf_type type)
{
    const kind *k = kind_of(type);
    return k != NULL ? k->elements : 0;
}

size_t bnd_gguf_size(bnd_gguf_type type, size_t n)
{
    const kind *k = kind_of(type);
    bool fits = k != NULL && n % k->elements == 0 && n <= PTRDIFF_MAX / sizeof(float);
    return fits ? n / k->elements * k->bytes : 0;
}

static bnd_status open_gguf(const kind **k, size_t n, bnd_gguf_type type, bnd_error *why)
{
    *k = kind_of(type);
    if (*k == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "unknown GGUF type %d (available: q4_0 (2), q8_0 (8), mxfp4 (39), nvfp4 (40))", (int)type);
    }
    if (n % (*k)->elements != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu elements are not a multiple of a block of %s, which has %zu", n,
                        (*k)->name, (*k)->elements);
    }
    if (n > PTRDIFF_MAX / sizeof(float)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of %zu elements does not fit memory", n);
    }
    return BND_OK;
}

bnd_status bnd_gguf_encode_f32(void *blocks, const float *x, size_t n, bnd_gguf_type type, bnd_error *why)
{
    const kind *k;
    bnd_status status = open_gguf(&k, n, type, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    for (size_t i = 0; i < n / k->elements; i++) {
        k->encode((unsigned char *)blocks + i * k->bytes, x + i * k->elements);
    }
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_gguf_decode_f32(float *y, const void *blocks, size_t n, bnd_gguf_type type, bnd_error *why)
{
    const kind *k;
    bnd_status status = open_gguf(&k, n, type, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    for (size_t i = 0; i < n / k->elements; i++) {
        k->decode(y + i * k->elements, (const unsigned char *)blocks + i * k->bytes);
    }
    bndi_leave(callers);
    return BND_OK;
}
