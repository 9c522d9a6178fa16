/* What the calls refuse, and that they leave everything as it was then. */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "tests.h"

enum { BYTES = 64 };

typedef struct untouched {
    unsigned char out[BYTES], before[BYTES];
    bnd_stats stats;
    bnd_error why;
} untouched;

static untouched fresh(void)
{
    untouched u;
    memset(&u, 0, sizeof u);
    memset(u.out, 0x3c, BYTES);
    memset(u.before, 0x3c, BYTES);
    return u;
}

static void refused(const untouched *u, bnd_status status, const char *word)
{
    static const bnd_stats none;
    CU_ASSERT_EQUAL(status, BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(u->why.status, BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(u->why.message, word));
    CU_ASSERT_EQUAL(memcmp(u->out, u->before, BYTES), 0);
    CU_ASSERT_EQUAL(memcmp(&u->stats, &none, sizeof none), 0);
}

static const double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_value_sets(void)
{
    bnd_format set = format_named("p11emin-14emax15"), fp16 = format_named("fp16");
    untouched u = fresh();
    refused(&u, bnd_encode_f32(u.out, (const void *)x, 8, &set, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_encode_f64(u.out, x, 8, &set, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_decode_f32((void *)u.out, x, 8, &set, NULL, &u.why), set.name);
    refused(&u, bnd_decode_f64((void *)u.out, x, 8, &set, NULL, &u.why), set.name);
    refused(&u, bnd_convert_codes(u.out, &set, x, &fp16, 8, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_convert_codes(u.out, &fp16, x, &set, 8, NULL, &u.stats, &u.why), set.name);
    CU_ASSERT_EQUAL(bnd_codes_size(&set, 8, BND_PACKING_PACKED), 0);
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 8, &set, NULL, NULL, NULL), BND_BAD_ARGUMENT); /* nobody asks why */
}

static void test_strides(void)
{
    bnd_format fp6 = format_named("e3m2"), fp16 = format_named("fp16"), tf32 = format_named("tf32");
    bnd_array in = {.stride_in = 2}, out = {.stride_out = -1};
    untouched u = fresh();
    refused(&u, bnd_encode_f64(u.out, x, 4, &fp6, &out, &u.stats, &u.why), "stride");
    refused(&u, bnd_decode_f64((void *)u.out, x, 4, &fp6, &in, &u.why), "stride");
    refused(&u, bnd_convert_codes(u.out, &fp16, x, &fp6, 4, &in, &u.stats, &u.why), "stride");
    refused(&u, bnd_convert_codes(u.out, &fp6, x, &fp16, 4, &out, &u.stats, &u.why), "stride");
    /* The stride of what is not packed is nobody's concern, and a stride of 1 may be said. */
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &fp6, &in, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &tf32, &in, NULL, NULL), BND_OK);
    out.stride_out = 1;
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &fp6, &out, NULL, NULL), BND_OK);
}

static void test_sizes(void)
{
    bnd_format fp64 = format_named("fp64"), fp4 = format_named("e2m1");
    bnd_array far = {.stride_in = PTRDIFF_MIN, .packing_in = BND_PACKING_UNPACKED};
    untouched u = fresh();
    refused(&u, bnd_encode_f64(u.out, x, SIZE_MAX, &fp64, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_encode_f32(u.out, (const void *)x, SIZE_MAX / 4, &fp4, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_decode_f64((void *)u.out, x, SIZE_MAX / 8, &fp64, NULL, &u.why), "memory");
    refused(&u, bnd_round_f64((void *)u.out, x, SIZE_MAX / 8, &fp64, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_convert_codes(u.out, &fp64, x, &fp4, SIZE_MAX / 2, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_round_f64((void *)u.out, x, 2, &fp64, &far, &u.stats, &u.why), "address space");
    CU_ASSERT_EQUAL(bnd_codes_size(&fp64, SIZE_MAX / 8, BND_PACKING_PACKED), 0);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, SIZE_MAX, BND_PACKING_UNPACKED), 0);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 3, BND_PACKING_PACKED), 2);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 3, BND_PACKING_UNPACKED), 3);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 0, BND_PACKING_PACKED), 0);
}

static void test_nothing(void)
{
    bnd_format fp16 = format_named("fp16");
    untouched u = fresh();
    CU_ASSERT_EQUAL(bnd_encode_f32(NULL, NULL, 0, &fp16, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_decode_f64(NULL, NULL, 0, &fp16, NULL, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_round_f32(NULL, NULL, 0, &fp16, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_convert_codes(NULL, &fp16, NULL, &fp16, 0, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(u.stats.elements, 0);
}

/* All calls with a rule, and the two without. */
static void refused_by_all(const bnd_array *how, const char *word)
{
    const bnd_format f = format_named("e4m3"), fp16 = format_named("fp16");
    untouched u = fresh();
    refused(&u, bnd_encode_f32(u.out, (const void *)x, 8, &f, how, &u.stats, &u.why), word);
    refused(&u, bnd_encode_f64(u.out, x, 8, &f, how, &u.stats, &u.why), word);
    refused(&u, bnd_decode_f32((void *)u.out, x, 8, &f, how, &u.why), word);
    refused(&u, bnd_decode_f64((void *)u.out, x, 8, &f, how, &u.why), word);
    refused(&u, bnd_round_f32((void *)u.out, (const void *)x, 8, &f, how, &u.stats, &u.why), word);
    refused(&u, bnd_round_f64((void *)u.out, x, 8, &f, how, &u.stats, &u.why), word);
    refused(&u, bnd_convert_codes(u.out, &f, x, &fp16, 8, how, &u.stats, &u.why), word);
    refused(&u, bnd_codes_check(x, 0, &f, how, &u.why), word);
}

static void test_choices(void)
{
    const bnd_context none = {.backend = BND_BACKEND_COUNT}, many = {.threads = 1025};
    static const struct {
        bnd_array how;
        const char *word;
    } wrong[] = {
        {{.rule.rounding = BND_ROUND_COUNT}, "rounding"},
        {{.rule.rounding = 255}, "255"},
        {{.rule.overflow = BND_OVERFLOW_COUNT}, "overflow"},
        {{.rule.nan = BND_NAN_COUNT}, "nan"},
        {{.rule.no_nan = BND_NO_NAN_ZERO + 1}, "no_nan"},
        {{.rule.negative = BND_NEGATIVE_MAGNITUDE + 1}, "negative"},
        {{.rule.zero = BND_ZERO_NAN + 1}, "zero"},
        {{.rule.tie_rule = BND_TIE_RULE_CODE + 1}, "tie_rule"},
        {{.rule.random_bits = BND_RANDOM_BITS_MAX + 1}, "random_bits"},
        {{.rule.reserved = {0, 0, 0, 0, 1}}, "bnd_rule.reserved must be zero"},
        {{.packing_in = BND_PACKING_UNPACKED + 1}, "unknown packing 2"},
        {{.packing_out = 77}, "unknown packing 77"},
        {{.reserved = {0, 0, 0, 1}}, "reserved must be zero"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refused_by_all(&wrong[i].how, wrong[i].word);
    }
    refused_by_all(&(bnd_array){.context = &none}, "unknown back end");
    refused_by_all(&(bnd_array){.context = &many}, "1025 threads");
    refused_by_all(&(bnd_array){.context = &(bnd_context){.reserved = {0, 0, 1}}}, "reserved must be zero");
}

/* ---- what is no code ---- */

static bnd_status check_codes(const void *codes, size_t n, const char *format, const bnd_array *how, bnd_error *why)
{
    bnd_format f = format_named(format);
    *why = (bnd_error){.status = BND_OK};
    return bnd_codes_check(codes, n, &f, how, why);
}

static void is_code(const void *codes, size_t n, const char *format, const bnd_array *how)
{
    bnd_error why;
    CU_ASSERT_EQUAL(check_codes(codes, n, format, how, &why), BND_OK);
    CU_ASSERT_STRING_EQUAL(why.message, "");
}

static void is_none(const void *codes, size_t n, const char *format, const bnd_array *how, const char *message)
{
    bnd_error why;
    CU_ASSERT_EQUAL(check_codes(codes, n, format, how, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(why.message, message);
    if (strcmp(why.message, message) != 0) {
        printf("    %s\n", why.message);
    }
}

/* A bit too many in one place of an array, in every place, for words of every size. */
static void test_stray_bits(void)
{
    enum { MOST = 5000 };
    static const char *const formats[] = {"e3m2", "e5m6", "e8m12", "e11m40"};
    static unsigned char memory[8 * MOST + 1];
    for (size_t k = 0; k < 4; k++) {
        bnd_format f = format_named(formats[k]);
        const bnd_array how = {.packing_in = BND_PACKING_UNPACKED};
        const size_t bytes = (size_t)1 << k;
        unsigned char *codes = memory + 1;
        memset(codes, 0, bytes * MOST);
        is_code(codes, MOST, formats[k], &how);
        for (size_t at = 0; at < MOST; at += at < 40 || at > MOST - 40 ? 1 : 997) {
            unsigned bit = f.width + (unsigned)(at % (8 * bytes - f.width));
            bnd_error why;
            codes[at * bytes + bit / 8] = (unsigned char)(1 << bit % 8);
            CU_ASSERT_EQUAL(check_codes(codes, MOST, formats[k], &how, &why), BND_BAD_ARGUMENT);
            char place[32];
            snprintf(place, sizeof place, "element %zu is 0x", at);
            CU_ASSERT_PTR_NOT_NULL(strstr(why.message, place));
            is_code(codes, at, formats[k], &how);
            codes[at * bytes + bit / 8] = 0;
        }
    }
}

static void test_places_of_stray_bits(void)
{
    const unsigned char bytes[] = {0x3f, 0x40, 0x3f, 0x80, 0, 0xff, 0x12, 0x34};
    const bnd_array unpacked = {.packing_in = BND_PACKING_UNPACKED, .first = UINT64_C(1) << 40};
    const bnd_array strided = {.packing_in = BND_PACKING_UNPACKED, .stride_in = 2};
    const bnd_array backwards = {.packing_in = BND_PACKING_UNPACKED, .stride_in = -2};
    is_none(bytes, 8, "e3m2", &unpacked, "element 1099511627777 is 0x40, not a code of e3m2, which has 6 bits");
    is_code(bytes, 4, "e3m2", &strided);
    is_code(bytes + 4, 3, "e3m2", &backwards);
    is_none(bytes + 5, 3, "e3m2", &backwards, "element 0 is 0xff, not a code of e3m2, which has 6 bits");
    is_none(bytes + 4, 2, "e5m6", &unpacked, "element 1099511627776 is 0xff00, not a code of e5m6, which has 12 bits");
    /* Whole words are codes, whatever they are; packed ones have bits behind the last. */
    is_code(bytes, 8, "e4m3", NULL);
    is_code(bytes, 1, "fp64", NULL);
    is_code(bytes, 4, "e2m1", NULL);
    is_code(bytes, 1, "e3m2", NULL);
    is_none(bytes + 5, 1, "e3m2", NULL,
            "the last byte, 0xff, must have only zeros after the last code of e3m2, element 0");
    is_code(bytes, 0, "e3m2", NULL);
    /* tf32 stands in the upper bits of a word, or in its lowest 19. */
    is_none(bytes, 2, "tf32", NULL,
            "element 0 is 0x803f403f, not a code of tf32: its lowest 13 bits must be zero; convert fp32 numbers, which "
            "rounds them");
    is_none(bytes, 2, "tf32", &unpacked, "element 1099511627776 is 0x803f403f, not a code of tf32, which has 19 bits");
    is_code((unsigned char[]){0, 0xe0, 0xff, 0xff}, 1, "tf32", NULL);
    is_code((unsigned char[]){0xff, 0xff, 7, 0}, 1, "tf32", &unpacked);
    is_none(bytes, 2, "p11", NULL, "p11 is a value set and has no codes; round to it instead");
}

/* What no code has is not looked at by the calls: the same numbers come out on every back end. */
static void test_stray_bits_are_ignored(void)
{
    static const char *const formats[] = {"e2m1", "e3m2", "e2m3", "e5m6", "tf32", "e8m12", "e4m0", "binary5p2uf"};
    enum { COUNT = 3000 };
    static unsigned char noisy[4 * COUNT], clean[4 * COUNT];
    static float from_noisy[COUNT], from_clean[COUNT];
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        bnd_format f = format_named(formats[k]);
        size_t bytes = bnd_codes_size(&f, 1, BND_PACKING_UNPACKED);
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t random = (uint32_t)bnd_random(51, k, i);
            uint32_t code = random & ((UINT32_C(1) << f.width) - 1);
            for (size_t byte = 0; byte < bytes; byte++) {
                noisy[i * bytes + byte] = (unsigned char)(random >> 8 * byte);
                clean[i * bytes + byte] = (unsigned char)(code >> 8 * byte);
            }
        }
        for (size_t i = 0; i < back_ends_here()->count; i++) {
            const bnd_array how = {.context = &back_ends_here()->at[i], .packing_in = BND_PACKING_UNPACKED};
            CU_ASSERT_EQUAL(bnd_decode_f32(from_noisy, noisy, COUNT, &f, &how, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_decode_f32(from_clean, clean, COUNT, &f, &how, NULL), BND_OK);
            CU_ASSERT_EQUAL(memcmp(from_noisy, from_clean, sizeof from_clean), 0);
            if (memcmp(from_noisy, from_clean, sizeof from_clean) != 0) {
                printf("    %s, %s\n", formats[k], bnd_backend_name((bnd_backend)how.context->backend));
            }
        }
    }
}

CU_TestInfo refusal_tests[] = {
    {"value sets have no codes", test_value_sets},
    {"packed codes have no stride", test_strides},
    {"more than memory holds", test_sizes},
    {"nothing at all", test_nothing},
    {"choices that there are not", test_choices},
    {"bits that no code has", test_stray_bits},
    {"where they are", test_places_of_stray_bits},
    {"and that the calls ignore them", test_stray_bits_are_ignored},
    CU_TEST_INFO_NULL,
};
