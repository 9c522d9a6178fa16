/* .npy files in and out of tensors. numpy itself is asked in tests/tensor/numpy.sh. */
#define _XOPEN_SOURCE 700 /* ftruncate, pwrite, setrlimit */
#include "tests.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/folder.h"

enum { MOST = 4096 };

static char path[PATH_SIZE];

static void enter(void)
{
    open_folder();
    in_folder(path, "array.npy");
}

static void leave(void)
{
    unlink(path);
    close_empty_folder();
}

static void put_bytes(const void *bytes, size_t length)
{
    write_file(path, bytes, length);
}

/* A file of this version around a header's text, and behind it the data. */
static void put_file(unsigned version, const char *text, const void *data, size_t size)
{
    static unsigned char bytes[1 << 16];
    size_t length = strlen(text), at = version == 1 ? 10 : 12;
    CU_ASSERT_FATAL(at + length + size <= sizeof bytes);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < at; i++) {
        bytes[i] = (unsigned char)(length >> 8 * (i - 8));
    }
    memcpy(bytes + at, text, length);
    memcpy(bytes + at + length, data, size);
    put_bytes(bytes, at + length + size);
}

static void put_array(const char *descr, bool fortran_order, const char *shape, const void *data, size_t size)
{
    char text[256];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s}", descr,
             fortran_order ? "True" : "False", shape);
    size_t length = strlen(text), whole = (10 + length + 63) / 64 * 64 - 10;
    memset(text + length, ' ', whole - length);
    text[whole] = 0;
    put_file(1, text, data, size);
}

static bnd_tensor *load(bnd_engine *engine, const char *format, bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format != NULL ? format : "fp32");
    CU_ASSERT_FATAL(succeeds(bnd_tensor_load(&t, engine, path, format != NULL ? &f : NULL, role, &why), &why));
    return t;
}

static void save(const bnd_tensor *t)
{
    bnd_error why;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_save(t, path, &why), &why));
}

static size_t numbers_of(double *x, const bnd_tensor *t)
{
    bnd_error why;
    size_t n = bnd_tensor_count(t);
    CU_ASSERT_FATAL(n <= MOST);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(x, n, t, &why), &why));
    return n;
}

static bool same_numbers(const bnd_tensor *a, const bnd_tensor *b)
{
    static double x[MOST], y[MOST];
    size_t n = numbers_of(x, a);
    return n == numbers_of(y, b) && memcmp(x, y, n * sizeof *x) == 0;
}

static bool same_shape(const bnd_tensor *a, const bnd_tensor *b)
{
    size_t rank = bnd_tensor_rank(a);
    return rank == bnd_tensor_rank(b) && memcmp(bnd_tensor_shape(a), bnd_tensor_shape(b), rank * sizeof(size_t)) == 0;
}

/* ---- there and back ---- */

/* Any codes of the format: random bits, zeros behind the last code. */
static bnd_tensor *random_codes(bnd_engine *engine, const bnd_format *f, const size_t *shape, size_t rank,
                                uint64_t seed)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, f, shape, rank, BND_ROLE_PARAM, &why), &why));
    size_t n = bnd_tensor_count(t), bits = n * f->width, bytes = bnd_tensor_bytes(t);
    unsigned char *codes = bnd_tensor_codes(t);
    for (size_t i = 0; i < bytes; i++) {
        codes[i] = (unsigned char)bnd_random(seed, 1, i);
    }
    if (f->width == 19) { /* tf32 stands in the upper bits of its word */
        for (size_t i = 0; i < n; i++) {
            codes[4 * i] = 0;
            codes[4 * i + 1] &= 0xe0;
        }
    } else if (f->width == 7) { /* ue4m3 has a byte */
        for (size_t i = 0; i < n; i++) {
            codes[i] &= 0x7f;
        }
    } else if (bits % 8 != 0) {
        codes[bytes - 1] &= (unsigned char)((1u << bits % 8) - 1);
    }
    return t;
}

static void there_and_back(const bnd_format *f, uint64_t seed)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    size_t shape[3];
    size_t rank = below(4, seed, 0);
    for (size_t i = 0; i < rank; i++) {
        shape[i] = below(9, seed, 1 + i);
    }
    bnd_tensor *t = random_codes(engine, f, shape, rank, seed), *view = t, *back;
    if (rank >= 2 && below(2, seed, 5) == 0) {
        CU_ASSERT_TRUE(succeeds(bnd_tensor_transpose(&view, t, 0, 1, &why), &why));
    }
    if (rank >= 1 && bnd_tensor_shape(view)[rank - 1] > 2) {
        bnd_tensor *base = view;
        CU_ASSERT_TRUE(
            succeeds(bnd_tensor_slice(&view, base, -1, 1, (bnd_tensor_shape(view)[rank - 1] - 1) / 2, 2, &why), &why));
    }
    save(view);
    for (unsigned i = 0; i < 2; i++) {
        back = load(engine, f->name, i == 0 ? BND_ROLE_PARAM : BND_ROLE_DATA);
        bool same = same_shape(view, back) && same_numbers(view, back) && bnd_tensor_is_contiguous(back);
        if (!same) {
            printf("\n    %s, seed %llu, role %u: not the same\n", f->name, (unsigned long long)seed, i);
        }
        CU_ASSERT_TRUE(same);
    }
    bnd_engine_free(engine);
}

static void test_there_and_back(void)
{
    static const char *const others[] = {"e6m9", "e5m10b12fn", "e3m8", "binary8p3se", "e2m2", "e8m23none", "e11m40"};
    enum { OTHERS = sizeof others / sizeof others[0] };
    enter();
    for (size_t row = 0; row < bnd_format_count() + OTHERS; row++) {
        bnd_format f = row < bnd_format_count() ? *bnd_format_at(row) : format_named(others[row - bnd_format_count()]);
        for (uint64_t seed = 0; seed < scaled(8); seed++) {
            there_and_back(&f, 100 * row + seed);
        }
    }
    leave();
}

/* Bytes as the format's own definition has them. */
static void test_bytes_in_files(void)
{
    static const double x[] = {0.5, 1, 1.5, 2, 3, 4, 6};
    enter();
    bnd_engine *engine = new_engine();
    bnd_tensor *t = tensor_of(engine, "e2m1", x, (size_t[]){7}, 1);
    CU_ASSERT_EQUAL(bnd_tensor_bytes(t), 4); /* 28 bits */
    save(t);
    unsigned char bytes[256];
    FILE *file = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CU_ASSERT_EQUAL_FATAL(size, 128 + 7);
    CU_ASSERT_PTR_NOT_NULL(strstr((char *)bytes + 10, "'descr': '|V1'"));
    for (unsigned i = 0; i < 7; i++) { /* a byte each: codes 1 to 7 */
        CU_ASSERT_EQUAL(bytes[128 + i], i + 1);
    }
    bnd_engine_free(engine);
    leave();
}

/* ---- orders, versions, places ---- */

static void test_orders(void)
{
    static const float rows[6] = {0, 1, 2, 3, 4, 5};
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}; /* 1, -2.5 */
    double x[6];
    enter();
    bnd_engine *engine = new_engine();
    for (unsigned i = 0; i < 2; i++) {
        bnd_role role = i == 0 ? BND_ROLE_DATA : BND_ROLE_PARAM;
        put_array("<f4", true, "(2, 3)", rows, sizeof rows);
        bnd_tensor *t = load(engine, NULL, role);
        CU_ASSERT_TRUE(bnd_tensor_strides(t)[0] == 1 && bnd_tensor_strides(t)[1] == 2);
        CU_ASSERT_EQUAL(numbers_of(x, t), 6);
        CU_ASSERT_TRUE(x[0] == 0 && x[1] == 2 && x[2] == 4 && x[3] == 1 && x[4] == 3 && x[5] == 5);
        put_array(">f4", false, "(2,)", big, sizeof big);
        CU_ASSERT_EQUAL(numbers_of(x, load(engine, NULL, role)), 2);
        CU_ASSERT_TRUE(x[0] == 1 && x[1] == -2.5);
        put_array("<f4", false, "()", rows + 5, sizeof *rows);
        CU_ASSERT_EQUAL(numbers_of(x, load(engine, NULL, role)), 1);
        CU_ASSERT_EQUAL(x[0], 5);
        put_array("<f4", false, "(3, 0, 2)", rows, 0);
        CU_ASSERT_EQUAL(numbers_of(x, load(engine, NULL, role)), 0);
        for (unsigned version = 1; version <= 3; version++) { /* and data that begin anywhere */
            char text[128] = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}";
            for (unsigned blanks = 0; blanks < 4; blanks++) {
                put_file(version, text, rows, sizeof rows);
                CU_ASSERT_EQUAL(numbers_of(x, load(engine, NULL, role)), 6);
                CU_ASSERT_TRUE(x[0] == 0 && x[5] == 5);
                strcat(text, " ");
            }
        }
    }
    bnd_engine_free(engine);
    leave();
}

/* ---- integers ---- */

typedef struct integers {
    const char *descr;
    unsigned char bytes[16];
    size_t size;
    double x[2];
} integers;

static void test_integers(void)
{
    static const integers cases[] = {
        {"|i1", {0x80, 0x7f}, 2, {-128, 127}},
        {"|u1", {0x80, 0xff}, 2, {128, 255}},
        {"<i2", {0x00, 0x80, 0xff, 0x7f}, 4, {-32768, 32767}},
        {">u2", {0x80, 0x00, 0x00, 0x01}, 4, {32768, 1}},
        {"<i4", {0x00, 0x00, 0x00, 0x80, 0xff, 0xff, 0xff, 0xff}, 8, {-2147483648.0, -1}},
        {">i4", {0x00, 0x00, 0xc4, 0x50, 0xff, 0xff, 0xff, 0xfe}, 8, {50256, -2}},
        {"<u4", {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x80}, 8, {4294967295.0, 2147483648.0}},
        {"<i8", {0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0x20, 0}, 16, {-0x1p63, 0x1p53}}, /* 2^53 + 1 */
        {"<i8", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0, 0, 0x20, 0}, 16, {-1, 0x1p53 + 4}},
        {"<u8", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0}, 16, {0x1p64, 1}},
    };
    enter();
    bnd_engine *engine = new_engine();
    bnd_error why;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x[2];
        bnd_tensor *copy, *strided, *none = NULL;
        put_array(cases[i].descr, false, "(2,)", cases[i].bytes, cases[i].size);
        bnd_tensor *t = load(engine, NULL, BND_ROLE_DATA);
        CU_ASSERT_STRING_EQUAL(bnd_tensor_format(t)->name, cases[i].size <= 4 ? "fp32" : "fp64");
        CU_ASSERT_EQUAL(bnd_tensor_bytes(t), cases[i].size);
        numbers_of(x, t);
        CU_ASSERT_TRUE(x[0] == cases[i].x[0] && x[1] == cases[i].x[1]);
        /* Backwards, and as numbers of their own. */
        CU_ASSERT_TRUE(succeeds(bnd_tensor_slice(&strided, t, 0, 1, 2, -1, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_contiguous(&copy, strided, &why), &why));
        numbers_of(x, copy);
        CU_ASSERT_TRUE(x[1] == cases[i].x[0] && x[0] == cases[i].x[1]);
        CU_ASSERT_TRUE(succeeds(bnd_tensor_fill(copy, 1, &why), &why));
        CU_ASSERT_TRUE(
            refuses(bnd_tensor_view_as(&none, t, bnd_tensor_format(t), &why), &why, "integers are not codes"));
        CU_ASSERT_TRUE(
            refuses(bnd_tensor_load(&none, engine, path, NULL, BND_ROLE_PARAM, &why), &why, "load them as data"));
        CU_ASSERT_PTR_NULL(none);
        save(t); /* as numbers */
        CU_ASSERT_TRUE(same_numbers(t, load(engine, NULL, BND_ROLE_PARAM)));
    }
    bnd_engine_free(engine);
    leave();
}

/* Integers in operations: indices of a table, targets, factors of a product. */
static void test_integers_at_work(void)
{
    static const unsigned char tokens[] = {2, 0, 0, 0, 1, 0, 0, 0}, negative[] = {0xff, 0xff, 0xff, 0xff};
    static const double table[] = {1, 2, 3, 4, 5, 6};
    double x[6];
    enter();
    bnd_engine *engine = new_engine();
    bnd_error why;
    put_array("<i4", false, "(2,)", tokens, sizeof tokens);
    bnd_tensor *t = load(engine, NULL, BND_ROLE_DATA), *w = tensor_of(engine, "bf16", table, (size_t[]){3, 2}, 2), *y;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_pair(&y, BND_TENSOR_OP_EMBEDDING, w, t, &why), &why));
    CU_ASSERT_STRING_EQUAL(bnd_tensor_format(y)->name, "bf16"); /* the table's, whatever the indices are */
    numbers_of(x, y);
    CU_ASSERT_TRUE(x[0] == 5 && x[1] == 6 && x[2] == 3 && x[3] == 4);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_unsqueeze(&t, t, 0, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&y, t, y, &why), &why)); /* (2 1) (5 6; 3 4) */
    numbers_of(x, y);
    CU_ASSERT_TRUE(x[0] == 13 && x[1] == 16);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&y, BND_TENSOR_OP_SUM, t, &why), &why));
    numbers_of(x, y);
    CU_ASSERT_EQUAL(x[0], 3);
    put_array("<i4", false, "(1,)", negative, sizeof negative);
    t = load(engine, NULL, BND_ROLE_DATA);
    CU_ASSERT_TRUE(refuses(bnd_tensor_pair(&y, BND_TENSOR_OP_EMBEDDING, w, t, &why), &why, "from 0 to 2"));
    bnd_engine_free(engine);
    leave();
}

/* ---- mapped ---- */

static void test_mapped(void)
{
    static float x[1 << 13];
    enter();
    bnd_engine *engine = new_engine();
    bnd_account before, after;
    bnd_error why;
    const size_t index[] = {0};
    put_array("<f4", false, "(8160,)", x, 8160 * sizeof *x); /* 128 + 32640 bytes: the data end where a page does */
    bnd_engine_account(&before, engine);
    bnd_tensor *t = load(engine, NULL, BND_ROLE_DATA), *y;
    bnd_engine_account(&after, engine);
    CU_ASSERT_EQUAL(memcmp(&before, &after, sizeof before), 0); /* no byte, no allocation */
    CU_ASSERT_EQUAL(bnd_tensor_bytes(t), 32640);
    CU_ASSERT_PTR_NULL(bnd_tensor_codes(t));
    const char *reason = "cannot be written to";
    CU_ASSERT_TRUE(refuses(bnd_tensor_fill(t, 1, &why), &why, reason));
    CU_ASSERT_TRUE(refuses(bnd_tensor_set(t, index, 1, 1, &why), &why, reason));
    CU_ASSERT_TRUE(
        refuses(bnd_tensor_write_f32(t, x, 8160, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why, reason));
    CU_ASSERT_TRUE(refuses(bnd_tensor_uniform(t, 0, 1, 1, 1, &why), &why, reason));
    CU_ASSERT_TRUE(refuses(bnd_tensor_normal(t, 0, 1, 1, 1, &why), &why, reason));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&y, BND_TENSOR_OP_EXP, t, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_fill(load(engine, NULL, BND_ROLE_PARAM), 1, &why), &why));
    /* What is saved over the file is another one; the tensor keeps what it has. */
    save(y);
    double first;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_get(&first, t, index, 1, &why), &why) && first == 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_get(&first, load(engine, NULL, BND_ROLE_DATA), index, 1, &why), &why));
    CU_ASSERT_EQUAL(first, 1);
    bnd_engine_free(engine);
    leave();
}

/* ---- refused ---- */

typedef struct bad_file {
    const char *text, *word;
} bad_file;

/* Refused, with the engine's memory and the result as they were. */
static bool load_refused(const char *format, bnd_role role, const char *word)
{
    bnd_engine *engine = new_engine();
    bnd_account before, after;
    bnd_error why = {.message = ""};
    bnd_tensor *none = NULL;
    bnd_format f = format_named(format != NULL ? format : "fp32");
    bnd_engine_account(&before, engine);
    bool refused = refuses(bnd_tensor_load(&none, engine, path, format != NULL ? &f : NULL, role, &why), &why, word);
    bnd_engine_account(&after, engine);
    bool same = none == NULL && after.bytes_now == before.bytes_now;
    bnd_engine_free(engine);
    return refused && same;
}

/* Each line of doc/ that says what a header must not be; the data would be those of one fp32 number. */
static void test_bad_headers(void)
{
#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}"
    static const bad_file files[] = {
        {"{'fortran_order': False, 'shape': (1,)}", "'descr' is missing"},
        {"{'descr': '<f4', 'shape': (1,)}", "'fortran_order' is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", "unknown member"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "duplicate member"},
        {HEADER("'<f4'", "False", "(1,)") " x", "nothing but blanks"},
        {HEADER("'<f4'", "0", "(1,)"), "True or False"},
        {HEADER("'<f4'", "False", "3"), "a tuple"},
        {HEADER("'<f4'", "False", "(-1,)"), "negative"},
        {HEADER("'<f4'", "False", "(1.0,)"), "',' or ')'"},
        {HEADER("'<f4'", "False", "(4294967296, 4294967296)"), "more elements"}, /* the product is 0 */
        {HEADER("'<f4'", "False", "(0, 4294967296, 4294967296)"), "more elements"},
        {HEADER("'<f4'", "False", "(18446744073709551616,)"), "less than 2^64"},
        {HEADER("'<f4'", "False", "(2305843009213693951,)"), "the file has"}, /* fits 63 bits, not the file */
        {HEADER("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "9 dimensions"},
        {HEADER("'|O'", "False", "(1,)"), "objects"},
        {HEADER("[('x', '<f4')]", "False", "(1,)"), "structures"},
        {HEADER("'<c8'", "False", "(1,)"), "complex"},
        {HEADER("'|b1'", "False", "(4,)"), "truth"},
        {HEADER("'|S4'", "False", "(1,)"), "text"},
        {HEADER("'|V4'", "False", "(1,)"), "does not say which format"},
        {HEADER("__import__('os')", "False", "(1,)"), "type of the elements"},
    };
    enter();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (unsigned version = 1; version <= 3; version++) {
            put_file(version, files[i].text, "\0\0\x80\x3f", 4);
            CU_ASSERT_TRUE(load_refused(NULL, version == 2 ? BND_ROLE_PARAM : BND_ROLE_DATA, files[i].word));
        }
    }
    leave();
}

static void test_bad_files(void)
{
    static const char text[] = HEADER("'<f4'", "False", "(2,)");
    static const char numbers[16] = {0};
    char whole[256] = "\x93NUMPY\x01";
    enter();
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA, "cannot be opened"));
    put_file(1, text, numbers, 7);
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA, "the file has 7"));
    put_file(1, text, numbers, 9);
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_PARAM, "the file has 9"));
    put_file(4, text, numbers, 8);
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA, "version 4.0"));
    /* Cut short anywhere inside the header, the length as it was. */
    whole[8] = (char)strlen(text);
    memcpy(whole + 10, text, strlen(text));
    for (size_t size = 0; size < 10 + strlen(text); size++) {
        put_bytes(whole, size);
        CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA,
                                    size < 6    ? "not a .npy"
                                    : size < 10 ? "inside the header"
                                                : "fewer are left"));
    }
    memset(whole + 8, 0xff, 2); /* a length beyond the file */
    put_bytes(whole, sizeof whole);
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA, "fewer are left"));
    unlink(path);
    in_folder(path, ".");
    CU_ASSERT_TRUE(load_refused(NULL, BND_ROLE_DATA, "must be a regular file"));
    leave();
}
#undef HEADER

static void test_bad_codes(void)
{
    static const unsigned char bytes[] = {0x01, 0x3f, 0x40, 0x00};
    bnd_error why;
    bnd_tensor *none = NULL;
    enter();
    put_array("|V1", false, "(4,)", bytes, 4);
    for (unsigned i = 0; i < 2; i++) {
        bnd_role role = i == 0 ? BND_ROLE_DATA : BND_ROLE_PARAM;
        put_array("|V1", false, "(4,)", bytes, 4);
        CU_ASSERT_TRUE(load_refused("e2m3", role, "element 2 is 0x40, not a code of e2m3"));
        CU_ASSERT_TRUE(load_refused("fp16", role, "codes of fp16 need 2"));
        put_array("<f4", false, "(1,)", bytes, 4);
        CU_ASSERT_TRUE(load_refused("tf32", role, "element 0 is 0x403f01, not a code of tf32"));
        CU_ASSERT_TRUE(load_refused("e8m23none", role, "is fp32"));
    }
    bnd_engine *engine = new_engine();
    CU_ASSERT_TRUE(refuses(bnd_tensor_load(&none, engine, path, NULL, BND_ROLE_COUNT, &why), &why, "not a role"));
    bnd_engine_free(engine);
    leave();
}

/* A file that cannot be written stays what it was, and nothing is left beside it. */
static void test_unwritable(void)
{
    static double x[1000];
    enter();
    bnd_engine *engine = new_engine();
    bnd_error why;
    double one = 1, back;
    bnd_tensor *t = tensor_of(engine, "fp64", x, (size_t[]){1000}, 1);
    save(tensor_of(engine, "fp64", &one, (size_t[]){1}, 1));
    struct rlimit before, limit;
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 1024, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bnd_status status = bnd_tensor_save(t, path, &why);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    CU_ASSERT_TRUE(refuses(status, &why, "cannot be written"));
    numbers_of(&back, load(engine, NULL, BND_ROLE_DATA));
    CU_ASSERT_EQUAL(back, 1);
    unlink(path);
    in_folder(path, "nowhere/array.npy");
    CU_ASSERT_TRUE(refuses(bnd_tensor_save(t, path, &why), &why, "cannot be written"));
    bnd_engine_free(engine);
    leave();
}

CU_TestInfo file_tests[] = {
    {"there and back, in every format", test_there_and_back},
    {"bytes in files", test_bytes_in_files},
    {"orders, versions, places", test_orders},
    {"integers", test_integers},
    {"integers at work", test_integers_at_work},
    {"mapped", test_mapped},
    {"headers that are none", test_bad_headers},
    {"files that are none", test_bad_files},
    {"codes that are none", test_bad_codes},
    {"what cannot be written", test_unwritable},
    CU_TEST_INFO_NULL,
};
