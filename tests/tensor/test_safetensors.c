/* Tensors in .safetensors, many in a file, and back into tensors. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/allocations.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/folder.h"

enum { FORMATS_MOST = 64 };

static char path[PATH_SIZE];
static const bnd_rule nearest;

static void enter(void)
{
    open_folder();
    in_folder(path, "file");
}

static void leave(void)
{
    unlink(path);
    close_empty_folder();
}

static void save(const bnd_named_tensor *tensors, size_t count, const bnd_safetensors_pair *metadata, size_t pairs)
{
    bnd_error why;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_save_all(path, tensors, count, metadata, pairs, &why), &why));
}

static bnd_safetensors *opened(void)
{
    bnd_error why;
    bnd_safetensors *file = NULL;
    CU_ASSERT_FATAL(succeeds(bnd_safetensors_new(&file, path, &why), &why));
    return file;
}

static bnd_tensor *zeros(bnd_engine *engine, const bnd_format *f, const size_t *shape, size_t rank)
{
    bnd_error why;
    bnd_tensor *t = NULL;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, f, shape, rank, BND_ROLE_PARAM, &why), &why));
    return t;
}

/* Any codes: NaNs of all kinds among them. What no code has stays zero. */
static bnd_tensor *random_codes(bnd_engine *engine, const bnd_format *f, const size_t *shape, size_t rank,
                                uint64_t seed)
{
    bnd_tensor *t = zeros(engine, f, shape, rank);
    unsigned char *codes = bnd_tensor_codes(t);
    size_t bits = bnd_tensor_count(t) * (f->width == 19  ? 32
                                         : f->width == 7 ? 8
                                                         : f->width),
           bytes = bnd_tensor_bytes(t);
    for (size_t i = 0; i < bytes; i++) {
        codes[i] = (unsigned char)below(256, seed, i);
        codes[i] &= f->width == 7 && bnd_tensor_bytes(t) == bnd_tensor_count(t) ? 0x7f : 0xff; /* ue4m3 has a byte */
        if (f->width == 19 && bnd_tensor_bytes(t) == 4 * bnd_tensor_count(t)) { /* tf32: the lowest 13 bits of a word */
            codes[i] = i % 4 == 0 ? 0 : i % 4 == 1 ? codes[i] & 0xe0 : codes[i];
        }
    }
    if (bits % 8 != 0 && bytes > 0) {
        codes[bytes - 1] &= (unsigned char)((1u << bits % 8) - 1);
    }
    return t;
}

static bool same_codes(bnd_tensor *a, bnd_tensor *b)
{
    return bnd_tensor_bytes(a) == bnd_tensor_bytes(b) &&
           memcmp(bnd_tensor_codes(a), bnd_tensor_codes(b), bnd_tensor_bytes(a)) == 0;
}

/* Every format of the table that has codes, and some that are not in it. */
static size_t all_formats(bnd_format *out)
{
    static const char *const custom[] = {"e6m9", "e5m9", "e5m12", "e8m14", "e15m48", "e3m0", "binary5p2se"};
    size_t count = 0;
    for (size_t row = 0; row < bnd_format_count() && count < FORMATS_MOST - 8; row++) {
        out[count] = *bnd_format_at(row);
        count += out[count].width > 0;
    }
    for (size_t i = 0; i < sizeof custom / sizeof custom[0]; i++) {
        out[count++] = format_named(custom[i]);
    }
    return count;
}

/* Codes come back bit for bit: whole bytes and not, no element, one, and more than a chunk of them. */
static void test_every_format(void)
{
    static const size_t shapes[][2] = {{4, 6}, {3, 5}, {0, 7}, {1, 1}, {3, 2051}};
    bnd_format formats[FORMATS_MOST];
    bnd_named_tensor tensors[FORMATS_MOST];
    char names[FORMATS_MOST][64];
    size_t count = all_formats(formats);
    bnd_engine *engine = new_engine();
    enter();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        bnd_tensor *made[FORMATS_MOST];
        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "blocks.%zu.weight", i);
            made[i] = random_codes(engine, &formats[i], shapes[s], 2, i);
            tensors[i] = (bnd_named_tensor){names[i], made[i]};
        }
        static const bnd_safetensors_pair step = {"step", "12"};
        save(tensors, count, &step, 1);
        bnd_safetensors *file = opened();
        CU_ASSERT_EQUAL(bnd_safetensors_count(file), count);
        CU_ASSERT_STRING_EQUAL(bnd_safetensors_metadata(file, "step"), "12");
        for (size_t i = 0; i < count; i++) {
            bnd_error why;
            bnd_tensor *back = zeros(engine, &formats[i], shapes[s], 2);
            CU_ASSERT_TRUE(succeeds(bnd_tensor_load_into(back, file, names[i], nearest, &why), &why));
            bool same = same_codes(back, made[i]);
            CU_ASSERT_TRUE(same);
            if (!same) {
                printf("\n  %s, shape %zu, as %s\n", names[i], s, bnd_safetensors_find(file, names[i])->dtype);
            }
        }
        bnd_safetensors_free(file);
        bnd_engine_release_since(engine, 0, NULL, 0);
    }
    bnd_engine_free(engine);
    leave();
}

/* What others see: dtypes where there are some, words and a note where not. */
static void test_dtypes(void)
{
    static const struct {
        const char *format, *dtype, *said;
        size_t n;
    } rows[] = {{"bf16", "BF16", NULL, 3},    {"e2m1", "F4", NULL, 4},      {"e2m1", "U8", "e2m1", 3},
                {"e3m2", "F6_E3M2", NULL, 4}, {"e3m2", "U8", "e3m2", 2},    {"tf32", "F32", "tf32", 3},
                {"e6m9", "U16", "e6m9", 3},   {"e5m12", "U32", "e5m12", 3}, {"e15m48", "U64", "e15m48", 1}};
    bnd_engine *engine = new_engine();
    enter();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_format f = format_named(rows[i].format);
        const bnd_named_tensor named = {"x", random_codes(engine, &f, &rows[i].n, 1, i)};
        save(&named, 1, NULL, 0);
        bnd_safetensors *file = opened();
        const char *said = bnd_safetensors_metadata(file, "binade.format.x");
        CU_ASSERT_STRING_EQUAL(bnd_safetensors_at(file, 0)->dtype, rows[i].dtype);
        CU_ASSERT_TRUE((said == NULL) == (rows[i].said == NULL));
        if (said != NULL && rows[i].said != NULL) {
            CU_ASSERT_STRING_EQUAL(said, rows[i].said);
        }
        bnd_safetensors_free(file);
    }
    bnd_engine_free(engine);
    leave();
}

/* Each number is the scalar codec's conversion. */
static void test_rounding(void)
{
    static const char *const names[] = {"fp64", "fp32", "bf16", "e4m3", "e2m1", "tf32", "e6m9", "e8m0"};
    enum { NAMES = sizeof names / sizeof names[0], N = 2100 };
    static const uint8_t modes[] = {BND_ROUND_RNE, BND_ROUND_RTZ, BND_ROUND_RUP, BND_ROUND_SR};
    bnd_engine *engine = new_engine();
    const size_t n = N;
    enter();
    for (size_t i = 0; i < NAMES; i++) {
        bnd_format from = format_named(names[i]);
        const bnd_named_tensor named = {"x", random_codes(engine, &from, &n, 1, i)};
        save(&named, 1, NULL, 0);
        bnd_safetensors *file = opened();
        for (size_t k = 0; k < NAMES * 4; k++) {
            bnd_format to = format_named(names[k % NAMES]);
            const bnd_rule rule = {.rounding = modes[k / NAMES],
                                   .random_bits = modes[k / NAMES] == BND_ROUND_SR ? 16 : 0};
            bnd_tensor *t = zeros(engine, &to, &n, 1), *expected = zeros(engine, &to, &n, 1);
            const bnd_array how = {.rule = rule, .seed = 99};
            bnd_error why;
            bnd_engine_set_seed(engine, 99, 0);
            CU_ASSERT_TRUE(succeeds(bnd_tensor_load_into(t, file, "x", rule, &why), &why));
            bnd_tensor *in = (bnd_tensor *)(uintptr_t)named.tensor;
            bnd_status status =
                bnd_convert_codes(bnd_tensor_codes(expected), &to, bnd_tensor_codes(in), &from, N, &how, NULL, &why);
            CU_ASSERT_TRUE(succeeds(status, &why));
            CU_ASSERT_TRUE(same_codes(t, i == k % NAMES ? in : expected));
            bnd_tensor_release(t);
            bnd_tensor_release(expected);
        }
        bnd_safetensors_free(file);
    }
    bnd_engine_free(engine);
    leave();
}

/* Views are written in their own order, and written to. */
static void test_views(void)
{
    static const size_t shape[] = {6, 10};
    static const char *const names[] = {"fp32", "bf16", "e2m1"};
    bnd_engine *engine = new_engine();
    bnd_error why;
    enter();
    for (size_t i = 0; i < 3; i++) {
        bnd_format f = format_named(names[i]);
        double want[60], got[60];
        bnd_tensor *base = random_codes(engine, &f, shape, 2, i), *turned = NULL, *part = NULL, *place = NULL;
        CU_ASSERT_EQUAL_FATAL(bnd_tensor_transpose(&turned, base, 0, 1, &why), BND_OK);
        CU_ASSERT_EQUAL_FATAL(bnd_tensor_slice(&part, turned, 0, 1, 4, 2, &why), BND_OK); /* (4, 6) */
        const bnd_named_tensor named = {"view", part};
        save(&named, 1, NULL, 0);
        bnd_safetensors *file = opened();
        static const size_t other[] = {6, 5};
        bnd_tensor *into = zeros(engine, &f, other, 2), *flat = NULL;
        CU_ASSERT_EQUAL_FATAL(bnd_tensor_transpose(&flat, into, 0, 1, &why), BND_OK);
        CU_ASSERT_EQUAL_FATAL(bnd_tensor_slice(&place, flat, 0, 1, 4, 1, &why), BND_OK);
        CU_ASSERT_TRUE(succeeds(bnd_tensor_load_into(place, file, "view", nearest, &why), &why));
        CU_ASSERT_EQUAL(bnd_tensor_read_f64(want, 24, part, &why), BND_OK);
        CU_ASSERT_EQUAL(bnd_tensor_read_f64(got, 24, place, &why), BND_OK);
        CU_ASSERT_EQUAL(memcmp(want, got, 24 * sizeof *want), 0);
        CU_ASSERT_EQUAL(bnd_tensor_read_f64(got, 30, into, &why), BND_OK);
        for (size_t row = 0; row < 6; row++) {
            CU_ASSERT_EQUAL(got[5 * row], 0); /* outside of the view */
        }
        bnd_safetensors_free(file);
    }
    bnd_engine_free(engine);
    leave();
}

static void put_entry(const char *dtype, size_t n, const void *data, const bnd_safetensors_pair *pair)
{
    bnd_error why;
    const uint64_t shape[] = {n};
    const bnd_safetensor entry = {.name = "gain", .dtype = dtype, .rank = 1, .shape = shape, .data = data};
    CU_ASSERT_FATAL(succeeds(bnd_safetensors_write(path, &entry, 1, pair, pair != NULL, &why), &why));
}

static void test_integers(void)
{
    static const int64_t i64[] = {INT64_MIN, -1, 0, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 3};
    static const uint64_t u64[] = {UINT64_MAX, 1, 0, 255, 256, 65537};
    static const int32_t i32[] = {INT32_MIN, -1, 0, 16777217, 3, INT32_MAX};
    static const uint32_t u32[] = {UINT32_MAX, 1, 0, 2, 3, 16777217};
    static const int16_t i16[] = {-32768, -1, 0, 1, 2, 32767};
    static const uint16_t u16[] = {65535, 1, 0, 2, 3, 4};
    static const int8_t i8[] = {-128, -1, 0, 1, 2, 127};
    static const uint8_t u8[] = {255, 1, 0, 2, 3, 4};
    const struct {
        const char *dtype;
        const void *data;
    } rows[] = {{"I64", i64}, {"U64", u64}, {"I32", i32}, {"U32", u32},
                {"I16", i16}, {"U16", u16}, {"I8", i8},   {"U8", u8}};
    const size_t n = 6;
    bnd_engine *engine = new_engine();
    bnd_format fp64 = format_named("fp64");
    bnd_tensor *t = zeros(engine, &fp64, &n, 1);
    enter();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got[6];
        bnd_error why;
        put_entry(rows[i].dtype, n, rows[i].data, NULL);
        bnd_safetensors *file = opened();
        CU_ASSERT_TRUE(succeeds(bnd_tensor_load_into(t, file, "gain", nearest, &why), &why));
        CU_ASSERT_EQUAL(bnd_tensor_read_f64(got, n, t, &why), BND_OK);
        for (size_t k = 0; k < n; k++) {
            const double want[] = {(double)i64[k], (double)u64[k], (double)i32[k], (double)u32[k],
                                   (double)i16[k], (double)u16[k], (double)i8[k],  (double)u8[k]};
            CU_ASSERT_EQUAL(got[k], want[i]);
        }
        bnd_safetensors_free(file);
    }
    bnd_engine_free(engine);
    leave();
}

/* Is this refused, and the tensor as it was? */
static bool stays(bnd_tensor *t, const char *name, bnd_rule rule, bnd_status expected, const char *part)
{
    double before[4], after[4];
    bnd_error why;
    bnd_safetensors *file = opened();
    bool held = bnd_tensor_read_f64(before, 4, t, NULL) == BND_OK;
    bnd_status status = bnd_tensor_load_into(t, file, name, rule, &why);
    held = held && refuses(status, &why, part) && status == expected &&
           bnd_tensor_load_into(t, file, name, rule, NULL) == expected &&
           bnd_tensor_read_f64(after, 4, t, NULL) == BND_OK && memcmp(before, after, sizeof before) == 0;
    bnd_safetensors_free(file);
    return held;
}

static void test_refusals(void)
{
    static const double x[] = {1, 2, 3, 4};
    static const unsigned char bytes[64] = {0xff, 0xff, 0xff, 0xff, 0xff};
    static const size_t four[] = {4}, square[] = {2, 2};
    static const bnd_safetensors_pair wide = {"binade.format.gain", "e5m9"}, none = {"binade.format.gain", "fp17"},
                                      tf32 = {"binade.format.gain", "tf32"},
                                      set = {"binade.format.gain", "p11emin-14emax15"};
    bnd_engine *engine = new_engine();
    bnd_tensor *t = tensor_of(engine, "fp32", x, four, 1), *flat = tensor_of(engine, "fp32", x, square, 2);
    enter();
    put_entry("F32", 4, bytes + 16, NULL);
    CU_ASSERT_TRUE(stays(t, "gian", nearest, BND_BAD_NAME, "'gian'; did you mean gain?"));
    CU_ASSERT_TRUE(stays(t, "", nearest, BND_BAD_NAME, "no tensor"));
    CU_ASSERT_TRUE(stays(flat, "gain", nearest, BND_BAD_ARGUMENT, "shape (4,) in the file; expected (2, 2)"));
    CU_ASSERT_TRUE(stays(t, "gain", (bnd_rule){.rounding = 99}, BND_BAD_ARGUMENT, "99"));
    put_entry("BOOL", 4, bytes, NULL);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_ARGUMENT, "BOOL"));
    put_entry("C64", 4, bytes, NULL);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_ARGUMENT, "C64"));
    put_entry("U16", 4, bytes, &wide);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_ARGUMENT, "element 0 is 0xffff, not a code of e5m9"));
    put_entry("U8", 4, bytes, &wide);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_FILE, "cannot hold codes of e5m9"));
    put_entry("I16", 4, bytes, &wide);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_FILE, "cannot hold codes of e5m9"));
    put_entry("U16", 4, bytes, &none);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_NAME, "fp17"));
    put_entry("U16", 4, bytes, &set);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_FILE, "cannot hold"));
    put_entry("F32", 4, bytes, &tf32);
    CU_ASSERT_TRUE(stays(t, "gain", nearest, BND_BAD_ARGUMENT, "not a code of tf32"));
    CU_ASSERT_EQUAL(bnd_tensor_save(t, path, NULL), BND_OK); /* a tensor that lies in a .npy file is not written to */
    bnd_tensor *mapped = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_tensor_load(&mapped, engine, path, NULL, BND_ROLE_DATA, NULL), BND_OK);
    unlink(path);
    put_entry("F32", 4, bytes + 16, NULL);
    CU_ASSERT_TRUE(stays(mapped, "gain", nearest, BND_BAD_ARGUMENT, "mapped from a file"));
    const bnd_named_tensor twice[] = {{"a", t}, {"a", flat}};
    bnd_error why;
    CU_ASSERT_TRUE(refuses(bnd_tensor_save_all(path, twice, 2, NULL, 0, &why), &why, "duplicate name"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_save_all("no/such/folder", twice, 1, NULL, 0, &why), &why, "No such"));
    CU_ASSERT_TRUE(
        stays(t, "gian", nearest, BND_BAD_NAME, "'gian'; did you mean gain?")); /* the file that was there is there */
    bnd_engine_free(engine);
    leave();
}

/* A part of a tensor that shares scales is refused; the whole of it is loaded. */
static void test_shared_scales(void)
{
    enum { ROWS = 64, COLUMNS = 32 };
    static const size_t part[] = {ROWS / 2, COLUMNS}, whole[] = {ROWS, COLUMNS};
    bnd_engine *engine = engine_under("param=e4m3/row"), *plain = new_engine();
    bnd_format f = format_named("fp32");
    const bnd_named_tensor named[] = {{"part", random_codes(plain, &f, part, 2, 1)},
                                      {"whole", random_codes(plain, &f, whole, 2, 2)}};
    bnd_tensor *t, *view;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_new_for(&t, engine, whole, 2, BND_ROLE_PARAM, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_slice(&view, t, 0, ROWS / 2, ROWS / 2, 1, &why), &why));
    enter();
    save(named, 2, NULL, 0);
    bnd_safetensors *file = opened();
    CU_ASSERT_TRUE(refuses(bnd_tensor_load_into(view, file, "part", nearest, &why), &why, "shares scales"));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_load_into(t, file, "whole", nearest, &why), &why));
    bnd_safetensors_free(file);
    bnd_engine_free(engine);
    bnd_engine_free(plain);
    leave();
}

#if defined(BND_WITH_WRAP)
static void test_allocations(void)
{
    static const size_t shape[] = {3, 5};
    bnd_engine *engine = new_engine();
    bnd_format f = format_named("e6m9");
    const bnd_named_tensor named[] = {{"blocks.0.weight", random_codes(engine, &f, shape, 2, 1)},
                                      {"blocks.1.weight", random_codes(engine, &f, shape, 2, 2)}};
    bnd_status status = BND_NO_MEMORY;
    uint64_t i = 0;
    enter();
    for (; status != BND_OK && i < 1000; i++) {
        bnd_error why = {.message = ""};
        int64_t living = allocations_living();
        allocations_fail(i, false);
        status = bnd_tensor_save_all(path, named, 2, NULL, 0, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_TRUE(status == BND_OK || status == BND_NO_MEMORY);
        CU_ASSERT_EQUAL(allocations_living(), living);
        CU_ASSERT_TRUE(status == BND_OK || access(path, F_OK) != 0);
    }
    CU_ASSERT_TRUE(status == BND_OK && i > 4);
    bnd_engine_free(engine);
    leave();
}
#endif

CU_TestInfo safetensors_tests[] = {
    {"shared scales", test_shared_scales},
    {"every format, bit for bit", test_every_format},
    {"dtypes", test_dtypes},
    {"rounded once", test_rounding},
    {"views", test_views},
    {"integers", test_integers},
    {"what is refused", test_refusals},
#if defined(BND_WITH_WRAP)
    {"each allocation fails once", test_allocations},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
