/* Files that a language model learns from. */
#define _XOPEN_SOURCE 700 /* truncate */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/folder.h"

static char path[PATH_SIZE];

static void enter(const char *name)
{
    open_folder();
    in_folder(path, name);
}

static void leave(void)
{
    unlink(path);
    close_empty_folder();
}

static void put(const void *bytes, size_t length)
{
    write_file(path, bytes, length);
}

enum { TOKENS = 600, SYMBOLS = 23 };

static void put_npy(const char *descr, const char *shape, const void *data, size_t size)
{
    char bytes[128 + 8 * TOKENS];
    CU_ASSERT_TRUE_FATAL(size <= 8 * TOKENS);
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\1\0\x76", 10); /* and a 0: 118 bytes of text */
    int n = snprintf(bytes + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': %s}", descr, shape);
    bytes[10 + n] = ' ';
    bytes[127] = '\n';
    memcpy(bytes + 128, data, size);
    put(bytes, 128 + size);
}

static bnd_training reading(size_t context)
{
    bnd_training t = training_of("transformer", "adamw", "fp32");
    t.width = 16;
    t.depth = 1;
    t.heads = 2;
    t.context = context;
    t.batch = 4;
    strcpy(t.data, path);
    return t;
}

static double unigram_entropy(const char *text, size_t n)
{
    double sum = 0, counts[256] = {0};
    for (size_t i = 0; i < n; i++) {
        counts[(unsigned char)text[i]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        sum -= counts[i] > 0 ? counts[i] / (double)n * log(counts[i] / (double)n) : 0;
    }
    return sum;
}

/* Bytes are 256 symbols, and a model learns which of them there are. */
static void test_text(void)
{
    static char text[4096];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = "the quick brown fox jumps over the lazy dog. "[i % 45];
    }
    enter("text.txt");
    put(text, sizeof text);
    bnd_training t = reading(16);
    t.lr = 1e-2;
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_training(run)->vocabulary, 256);
    CU_ASSERT_DOUBLE_EQUAL(bnd_run_chance_loss(run), log(28), 1e-12); /* letters, space and full stop: these occur */
    CU_ASSERT_DOUBLE_EQUAL(bnd_run_unigram_entropy(run), unigram_entropy(text, sizeof text - sizeof text / 10), 1e-12);
    CU_ASSERT_TRUE(isnan(bnd_run_floor(run)));
    CU_ASSERT_DOUBLE_EQUAL(validation_of(run), log(256), 0.3);
    (void)steps_of(run, scaled(60));
    CU_ASSERT_TRUE(scaled(60) < 60 || validation_of(run) < 2.5);
    bnd_run_free(run);
    leave();
}

/* ---- the same tokens, in whatever file ---- */

static double loss_of_file(const char *type)
{
    bnd_training t = reading(16);
    strcpy(t.data_type, type);
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_training(run)->vocabulary, SYMBOLS);
    double loss = steps_of(run, 3).loss + validation_of(run);
    bnd_run_free(run);
    leave();
    return loss;
}

static void test_files(void)
{
    static int32_t i32[TOKENS];
    static int64_t i64[TOKENS];
    static uint16_t u16[TOKENS];
    static uint8_t big[2 * TOKENS], u8[TOKENS];
    for (size_t i = 0; i < TOKENS; i++) {
        uint64_t token = i < SYMBOLS ? i : below(SYMBOLS, 1, i);
        i32[i] = (int32_t)token;
        i64[i] = (int64_t)token;
        u16[i] = (uint16_t)token;
        u8[i] = big[2 * i + 1] = (uint8_t)token;
    }
    const struct {
        const char *descr, *shape;
        const void *data;
        size_t size;
    } arrays[] = {
        {"<u2", "(600,)", u16, sizeof u16},
        {"<i4", "(600,)", i32, sizeof i32},
        {"<i8", "(20, 30)", i64, sizeof i64}, /* one row after the other */
        {">u2", "(600,)", big, sizeof big},
        {"|i1", "(600,)", u8, sizeof u8}, /* of a byte, but not bytes of a text: the vocabulary is that of the tokens */
    };
    enter("tokens.bin");
    put(u16, sizeof u16); /* little-endian, as the machines are that tests run on */
    const double loss = loss_of_file("");
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        enter("tokens.npy");
        put_npy(arrays[i].descr, arrays[i].shape, arrays[i].data, arrays[i].size);
        CU_ASSERT_EQUAL(loss_of_file(""), loss);
    }
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } raw[] = {{"int32", i32, sizeof i32},  {"uint32", i32, sizeof i32}, {"int64", i64, sizeof i64},
               {"uint64", i64, sizeof i64}, {"int16", u16, sizeof u16},  {"uint16", u16, sizeof u16}};
    for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++) {
        enter(i % 2 == 0 ? "tokens" : "tokens.bin");
        put(raw[i].data, raw[i].size);
        CU_ASSERT_EQUAL(loss_of_file(raw[i].name), loss);
    }
}

/* ---- which tokens a batch has ---- */

/* The smallest and the largest number of x and y of a batch. */
static void look(double *least, double *most, bnd_run *run, uint64_t purpose)
{
    double x[2][64];
    bndi_batch batch;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(run->source.batch(&batch, run, purpose, &why), &why));
    size_t n = bnd_tensor_count(batch.x), wrong = 0;
    CU_ASSERT_FATAL(n <= 64 && bnd_tensor_count(batch.y) == n);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x[0], n, batch.x, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x[1], n, batch.y, &why), &why));
    for (size_t i = 0; i < n; i++) {
        *least = fmin(*least, fmin(x[0][i], x[1][i]));
        *most = fmax(*most, fmax(x[0][i], x[1][i]));
        wrong += x[1][i] != x[0][i] + 1; /* y is the token after x */
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_tensor_release(batch.x);
    bnd_tensor_release(batch.y);
}

/* Token i is i: batches reach from the first to the last of the first nine tenths, and those for validation from the
 * first to the last of the last tenth, or of the last window where that is longer. */
static void test_parts(void)
{
    static const struct {
        size_t tokens, context, learned;
    } cases[] = {{200, 4, 180}, {1000, 9, 900}, {60, 9, 50}, {20, 9, 10}};
    uint16_t tokens[1000];
    for (size_t i = 0; i < 1000; i++) {
        tokens[i] = (uint16_t)i;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enter("tokens.bin");
        put(tokens, 2 * cases[i].tokens);
        bnd_training t = reading(cases[i].context);
        bnd_run *run = run_of(&t, NULL);
        double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
        for (uint64_t batch = 0; batch < 1000; batch++) {
            look(&least[0], &most[0], run, bndi_purpose(BNDI_OF_DATA, batch));
            look(&least[1], &most[1], run, bndi_purpose(BNDI_OF_VALIDATION, batch));
        }
        CU_ASSERT_EQUAL(least[0], 0);
        CU_ASSERT_EQUAL(most[0], (double)cases[i].learned - 1);
        CU_ASSERT_EQUAL(least[1], (double)cases[i].learned);
        CU_ASSERT_EQUAL(most[1], (double)cases[i].tokens - 1);
        bnd_run_free(run);
        leave();
    }
}

/* The file is mapped: it takes no memory that the run would count, however long it is. */
static void test_mapped(void)
{
    enum { SIZE = 1 << 26 };
    enter("long.bin");
    put("", 0);
    CU_ASSERT_EQUAL_FATAL(truncate(path, SIZE), 0);
    bnd_training t = reading(16);
    t.vocabulary = 2;
    bnd_run *run = run_of(&t, NULL);
    bnd_account a;
    (void)step_of(run);
    bnd_engine_account(&a, bnd_run_engine(run));
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_DATA], 0);
    CU_ASSERT_TRUE(a.bytes_peak < SIZE / 16);
    bnd_run_free(run);
    leave();
}

/* ---- what is refused ---- */

static void test_lengths(void)
{
    static const char text[40] = "abc";
    enter("short.txt");
    put(text, 33);
    bnd_training t = reading(16);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "short.txt: has 33 tokens; a context of 16 needs at least 34"));
    put(text, 34);
    bnd_run *run = run_of(&t, NULL);
    (void)step_of(run);
    bnd_run_free(run);
    put(text, 0);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "short.txt: must not be empty"));
    leave();
    t.data[0] = 'x';
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_STREAM, "short.txt: cannot be opened"));
    enter("odd.bin");
    put(text, 39);
    t = reading(16);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "odd.bin: has 39 bytes, which is not a multiple of 2"));
    leave();
    enter("typed.bin");
    put((const int32_t[99]){1, -2, 3}, 99 * sizeof(int32_t));
    t = reading(16);
    strcpy(t.data_type, "int32");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "typed.bin: token 1 is -2"));
    strcpy(t.data_type, "int64");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "typed.bin: has 396 bytes, which is not a multiple of 8"));
    strcpy(t.data_type, "float");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_NAME, "typed.bin: unknown data type 'float' (available: uint8, int16"));
    leave();
    t = training_of("mlp", "sgd", "fp32");
    strcpy(t.data, "a.txt");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "model mlp generates its own data"));
}

static void test_tokens(void)
{
    static int32_t tokens[100];
    static const float floats[100] = {1, 2, 3}; /* whole numbers, too */
    tokens[70] = 9;
    tokens[71] = 12;
    enter("tokens.npy");
    put_npy("<i4", "(100,)", tokens, sizeof tokens);
    bnd_training t = reading(16);
    t.vocabulary = 10;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "token 71 is 12; it must be a whole number from 0 to 9"));
    t.vocabulary = 9;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "token 70 is 9; "));
    t.vocabulary = 50; /* more than there are: those that do not come up are still symbols */
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_training(run)->vocabulary, 50);
    bnd_run_free(run);
    t.vocabulary = 0;
    tokens[99] = -1;
    put_npy("<i4", "(100,)", tokens, sizeof tokens);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "token 99 is -1; "));
    tokens[99] = INT32_MAX;
    put_npy("<i4", "(100,)", tokens, sizeof tokens);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "token 99 is 2147483647; "));
    put_npy("<f4", "(100,)", floats, sizeof floats);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "tokens.npy: has fp32 numbers; tokens must be integers"));
    put_npy("<i4", "(101,)", tokens, sizeof tokens);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "tokens.npy: "));
    leave();
    enter("bytes.txt");
    put("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xff", 40);
    t = reading(16);
    t.vocabulary = 128;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "token 39 is 255; "));
    t.vocabulary = 300;
    run = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_chance_loss(run), 0); /* one of the 300 symbols occurs in what is learned from */
    bnd_run_free(run);
    leave();
}

/* What the training says, what the data have, or 0 for a model without symbols. */
static void test_vocabulary(void)
{
    bnd_error why = {.message = ""};
    size_t symbols = 99;
    enter("text.txt");
    put("to be or not to be, that is the question: whether it is nobler in the mind", 74);
    bnd_training t = reading(16);
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_TRUE(succeeds(bnd_training_vocabulary(&symbols, &t, &why), &why));
    CU_ASSERT_EQUAL(symbols, 256); /* bytes */
    CU_ASSERT_EQUAL(symbols, bnd_run_training(run)->vocabulary);
    bnd_run_free(run);
    t.width = 7; /* which two heads do not divide; the data are the same */
    CU_ASSERT_TRUE(succeeds(bnd_training_vocabulary(&symbols, &t, &why), &why));
    CU_ASSERT_EQUAL(symbols, 256);
    t.vocabulary = 300;
    CU_ASSERT_TRUE(succeeds(bnd_training_vocabulary(&symbols, &t, &why), &why));
    CU_ASSERT_EQUAL(symbols, 300);
    t.vocabulary = 0;
    t.data[0] = 'x';
    symbols = 99;
    CU_ASSERT_EQUAL(bnd_training_vocabulary(&symbols, &t, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "text.txt: cannot be opened"));
    CU_ASSERT_EQUAL(symbols, 99);
    leave();
    t = training_of("transformer", "adamw", "fp32");
    CU_ASSERT_TRUE(succeeds(bnd_training_vocabulary(&symbols, &t, &why), &why));
    CU_ASSERT_EQUAL(symbols, 16);
    strcpy(t.source, "nowhere");
    CU_ASSERT_EQUAL(bnd_training_vocabulary(&symbols, &t, &why), BND_BAD_NAME);
    CU_ASSERT_EQUAL(symbols, 16);
    t = training_of("mlp", "sgd", "fp32");
    CU_ASSERT_TRUE(succeeds(bnd_training_vocabulary(&symbols, &t, &why), &why));
    CU_ASSERT_EQUAL(symbols, 0);
}

CU_TestInfo data_tests[] = {
    {"a text", test_text},
    {"the same tokens in any file", test_files},
    {"what is learned and what validates", test_parts},
    {"a file is mapped", test_mapped},
    {"files that are too short", test_lengths},
    {"tokens out of range", test_tokens},
    {"symbols of the data", test_vocabulary},
    CU_TEST_INFO_NULL,
};
