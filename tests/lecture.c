/* The lecture on resource accounting of CS336 ("PyTorch, resource accounting"), its statements in its order, each a
 * line that runs: a suite a section. Section 1, sums on the back of an envelope, is `binade cost`'s, and section 7,
 * mixed precision, needs a training run, as do the lines on optimizers, on checkpoints and on how many FLOPs a machine
 * reaches; all others are here. */
#define _XOPEN_SOURCE 700 /* mkdtemp, ftruncate, pwrite */
#include "tests/suites.h"
#include "tests/tensor/tests.h"

#include <binade/bulk.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Does what the lecture does; a test goes no further where that is refused. */
#define DO(call)   CU_ASSERT_FATAL(succeeds((call), &why))
#define SHAPE(...) (size_t[]){__VA_ARGS__}, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)

static bnd_tensor *zeros(bnd_engine *engine, const char *format, const size_t *shape, size_t rank)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, &f, shape, rank, BND_ROLE_ACT, &why), &why));
    return t;
}

static bnd_tensor *normal(bnd_engine *engine, const size_t *shape, size_t rank, double deviation, uint64_t seed)
{
    bnd_tensor *t = zeros(engine, "fp32", shape, rank);
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_normal(t, 0, deviation, seed, 0, &why), &why));
    return t;
}

static bool has_shape(const bnd_tensor *t, const size_t *shape, size_t rank)
{
    return bnd_tensor_rank(t) == rank && memcmp(bnd_tensor_shape(t), shape, rank * sizeof *shape) == 0;
}

enum { MOST = 1 << 16 };

static bool holds(const bnd_tensor *t, const double *x, size_t n)
{
    double y[MOST / 64];
    bnd_error why;
    return n <= MOST / 64 && succeeds(bnd_tensor_read_f64(y, n, t, &why), &why) && memcmp(x, y, n * sizeof *x) == 0;
}
#define HOLDS(t, ...) holds(t, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static bool same(const bnd_tensor *a, const bnd_tensor *b)
{
    static double x[MOST], y[MOST];
    bnd_error why;
    size_t n = bnd_tensor_count(a);
    return n <= MOST && succeeds(bnd_tensor_read_f64(x, n, a, &why), &why) &&
           succeeds(bnd_tensor_read_f64(y, n, b, &why), &why) && memcmp(x, y, n * sizeof *x) == 0;
}

static bnd_account account_of(const bnd_engine *engine)
{
    bnd_account account;
    bnd_engine_account(&account, engine);
    return account;
}

static uint64_t bytes_now(const bnd_engine *engine)
{
    return account_of(engine).bytes_now;
}

/* ======== 2. Memory of a tensor ======== */

static uint64_t code_of(double x, const char *format)
{
    bnd_format f = format_named(format);
    uint64_t code = 0; /* little-endian codes of up to 8 bytes */
    unsigned char bytes[8] = {0};
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_encode_f64(bytes, &x, 1, &f, NULL, NULL, &why), &why));
    for (unsigned i = 0; i < 8; i++) {
        code |= (uint64_t)bytes[i] << 8 * i;
    }
    return code;
}

static void test_fp32_fields(void)
{
    bnd_format fp32 = format_named("fp32");
    CU_ASSERT_TRUE(fp32.is_signed && fp32.exponent_bits == 8 && fp32.fraction_bits == 23 && fp32.bias == 127);
    CU_ASSERT_EQUAL(code_of(-1, "fp32") >> 31, 1);
    CU_ASSERT_EQUAL(code_of(0.5, "fp32") >> 23 & 0xff, 126);
    CU_ASSERT_EQUAL(code_of(0.5, "fp32") & 0x7fffff, 0);
}

static void test_fp16_and_bf16_fields(void)
{
    bnd_format fp32 = format_named("fp32"), fp16 = format_named("fp16"), bf16 = format_named("bf16");
    CU_ASSERT_TRUE(fp16.width == 16 && fp16.exponent_bits == 5 && fp16.fraction_bits == 10);
    CU_ASSERT_TRUE(bf16.width == 16 && bf16.exponent_bits == 8 && bf16.fraction_bits == 7);
    CU_ASSERT_EQUAL(code_of(-2, "fp16"), 1u << 15 | 16u << 10); /* sign, exponent field 15 + 1, fraction 0 */
    CU_ASSERT_EQUAL(code_of(-2, "bf16"), 1u << 15 | 128u << 7);
    /* The memory of fp16, the range of fp32. */
    CU_ASSERT_EQUAL(bnd_codes_size(&bf16, 1000, BND_PACKED), bnd_codes_size(&fp16, 1000, BND_PACKED));
    CU_ASSERT_TRUE(bf16.emin == fp32.emin && bf16.emax == fp32.emax && fp16.emax < fp32.emax);
}

static void test_4_by_8(void)
{
    static const struct {
        const char *format;
        size_t bytes;
    } cases[] = {{"fp32", 128}, {"fp16", 64}, {"bf16", 64}, {"e4m3", 32}, {"e5m2", 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_engine *engine = new_engine();
        bnd_tensor *x = zeros(engine, cases[i].format, SHAPE(4, 8));
        CU_ASSERT_EQUAL(bnd_tensor_count(x), 32);
        CU_ASSERT_EQUAL(bnd_tensor_bytes(x), cases[i].bytes);
        CU_ASSERT_EQUAL(bytes_now(engine), cases[i].bytes);
        /* Memory saved: bytes of the higher precision by bytes of the lower one. */
        CU_ASSERT_EQUAL(128 / bnd_tensor_bytes(x), (size_t)32 / bnd_tensor_format(x)->width);
        bnd_engine_free(engine);
    }
}

static void test_two_32_by_32(void)
{
    bnd_engine *engine = new_engine();
    uint64_t before = bytes_now(engine);
    bnd_tensor *x = zeros(engine, "fp32", SHAPE(32, 32)), *y = zeros(engine, "fp32", SHAPE(32, 32));
    CU_ASSERT_EQUAL(bytes_now(engine) - before, 8192);
    bnd_tensor_release(x);
    bnd_tensor_release(y);
    CU_ASSERT_EQUAL(bytes_now(engine), before);
    bnd_engine_free(engine);
}

/* 2.25 GiB are not taken for it: one number, seen so many times. */
static void test_gpt3_feed_forward(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *number = zeros(engine, "fp32", SHAPE(1, 1)), *matrix;
    DO(bnd_tensor_broadcast(&matrix, number, SHAPE((size_t)12288 * 4, 12288), &why));
    CU_ASSERT_EQUAL(bnd_tensor_bytes(matrix), (size_t)2304 * 1024 * 1024);
    CU_ASSERT_EQUAL(bytes_now(engine), 4);
    bnd_engine_free(engine);
}

static CU_TestInfo memory[] = {
    {"fp32: sign, exponent, fraction", test_fp32_fields},
    {"fp16 and bf16", test_fp16_and_bf16_fields},
    {"4 by 8 elements: 128 bytes, 64, 32", test_4_by_8},
    {"two 32 by 32: 8192 bytes", test_two_32_by_32},
    {"a feed-forward matrix of GPT-3: 2304 MiB", test_gpt3_feed_forward},
    CU_TEST_INFO_NULL,
};

/* ======== 3. Underflow ======== */

static void test_underflow(void)
{
    static const struct {
        const char *format;
        bool zero;
    } cases[] = {{"fp16", true}, {"bf16", false}, {"e4m3", true}, {"e5m2", true}, {"fp32", false}};
    bnd_engine *engine = new_engine();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double tiny = 1e-8, is = 0;
        bnd_error why;
        bnd_tensor *x = tensor_of(engine, cases[i].format, &tiny, SHAPE(1));
        DO(bnd_tensor_read_f64(&is, 1, x, &why));
        CU_ASSERT_EQUAL(is == 0, cases[i].zero);
    }
    bnd_engine_free(engine);
}

static void test_fp8_spans(void)
{
    static const double far[] = {-1e30, 1e30};
    bnd_rule saturate = {.overflow = BND_OVERFLOW_SATURATE};
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *e4m3 = zeros(engine, "e4m3", SHAPE(2)), *e5m2 = zeros(engine, "e5m2", SHAPE(2));
    DO(bnd_tensor_write_f64(e4m3, far, 2, saturate, &why));
    DO(bnd_tensor_write_f64(e5m2, far, 2, saturate, &why));
    CU_ASSERT_TRUE(HOLDS(e4m3, -448, 448));
    CU_ASSERT_TRUE(HOLDS(e5m2, -57344, 57344));
    bnd_engine_free(engine);
}

static CU_TestInfo underflow[] = {
    {"1e-8", test_underflow},
    {"fp8: 448 and 57344", test_fp8_spans},
    CU_TEST_INFO_NULL,
};

/* ======== 4. Tensors are pointers with strides ======== */

static void test_strides(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = zeros(engine, "fp32", SHAPE(4, 4)), *row, *element;
    CU_ASSERT_TRUE(bnd_tensor_strides(x)[0] == 4 && bnd_tensor_strides(x)[1] == 1);
    DO(bnd_tensor_select(&row, x, 0, 1, &why));
    DO(bnd_tensor_select(&element, row, 0, 2, &why));
    CU_ASSERT_EQUAL(bnd_tensor_offset(element), 6);
    bnd_engine_free(engine);
}

static void test_views_share(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3)), *row, *column, *view, *turned;
    uint64_t before = bytes_now(engine), allocations = account_of(engine).allocations;
    DO(bnd_tensor_select(&row, x, 0, 0, &why));
    DO(bnd_tensor_select(&column, x, 1, 1, &why));
    DO(bnd_tensor_view(&view, x, SHAPE(3, 2), &why));
    DO(bnd_tensor_transpose(&turned, x, 0, 1, &why));
    CU_ASSERT_TRUE(HOLDS(row, 1, 2, 3));
    CU_ASSERT_TRUE(HOLDS(column, 2, 5));
    CU_ASSERT_TRUE(HOLDS(view, 1, 2, 3, 4, 5, 6));
    CU_ASSERT_TRUE(HOLDS(turned, 1, 4, 2, 5, 3, 6));
    CU_ASSERT_TRUE(bnd_tensor_shares(row, x) && bnd_tensor_shares(column, x) && bnd_tensor_shares(view, x) &&
                   bnd_tensor_shares(turned, x));
    /* A write through one is seen through all. */
    DO(bnd_tensor_set(column, SHAPE(0), 100, &why));
    CU_ASSERT_TRUE(HOLDS(x, 1, 100, 3, 4, 5, 6));
    CU_ASSERT_TRUE(HOLDS(row, 1, 100, 3));
    CU_ASSERT_TRUE(HOLDS(view, 1, 100, 3, 4, 5, 6));
    CU_ASSERT_TRUE(HOLDS(turned, 1, 4, 100, 5, 3, 6));
    /* Views are free. */
    CU_ASSERT_TRUE(bytes_now(engine) == before && account_of(engine).allocations == allocations);
    bnd_engine_free(engine);
}

static void test_contiguous(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3)), *turned, *copy, *view = NULL;
    DO(bnd_tensor_transpose(&turned, x, 0, 1, &why));
    CU_ASSERT_FALSE(bnd_tensor_is_contiguous(turned));
    CU_ASSERT_TRUE(refuses(bnd_tensor_view(&view, turned, SHAPE(2, 3), &why), &why, "make it contiguous first"));
    CU_ASSERT_PTR_NULL(view);
    uint64_t before = bytes_now(engine);
    DO(bnd_tensor_contiguous(&copy, turned, &why));
    CU_ASSERT_EQUAL(bytes_now(engine) - before, 24); /* a copy takes memory */
    DO(bnd_tensor_view(&view, copy, SHAPE(2, 3), &why));
    CU_ASSERT_TRUE(HOLDS(view, 1, 4, 2, 5, 3, 6));
    CU_ASSERT_FALSE(bnd_tensor_shares(view, x));
    bnd_engine_free(engine);
}

static bnd_tensor *with_number(bnd_tensor_operation operation, bnd_tensor *x, double number)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    bnd_attributes attributes = {.number = {number}};
    CU_ASSERT_TRUE(succeeds(bnd_tensor_apply(&y, operation, &x, 1, &attributes, &why), &why));
    return y;
}

static void test_elementwise(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 4, 9}, SHAPE(3)), *y;
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_POW, x, 2), 1, 16, 81));
    DO(bnd_tensor_map(&y, BND_TENSOR_SQRT, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 1, 2, 3));
    DO(bnd_tensor_map(&y, BND_TENSOR_RSQRT, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 1, 0.5, (double)(float)(1.0 / 3)));
    DO(bnd_tensor_pair(&y, BND_TENSOR_ADD, x, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 2, 8, 18));
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_SCALE, x, 2), 2, 8, 18));
    DO(bnd_tensor_pair(&y, BND_TENSOR_DIV, x, tensor_of(engine, "fp32", (double[]){0.5}, SHAPE(1)), &why));
    CU_ASSERT_TRUE(HOLDS(y, 2, 8, 18));
    bnd_tensor *ones = zeros(engine, "fp32", SHAPE(3, 3));
    DO(bnd_tensor_fill(ones, 1, &why));
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_TRIU, ones, 0), 1, 1, 1, 0, 1, 1, 0, 0, 1));
    bnd_engine_free(engine);
}

static void test_matmul_shapes(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *w = normal(engine, SHAPE(32, 2), 1, 2), *x = normal(engine, SHAPE(16, 32), 1, 1), *y, *z, *one;
    DO(bnd_tensor_matmul(&y, x, w, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(16, 2)));
    x = normal(engine, SHAPE(4, 8, 16, 32), 1, 1);
    DO(bnd_tensor_matmul(&y, x, w, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(4, 8, 16, 2)));
    /* Each of them by itself. */
    for (size_t i = 0; i < 4 * 8; i++) {
        DO(bnd_tensor_select(&one, x, 0, i / 8, &why));
        DO(bnd_tensor_select(&one, one, 0, i % 8, &why));
        DO(bnd_tensor_matmul(&z, one, w, &why));
        DO(bnd_tensor_select(&one, y, 0, i / 8, &why));
        DO(bnd_tensor_select(&one, one, 0, i % 8, &why));
        CU_ASSERT_TRUE(same(one, z));
    }
    bnd_engine_free(engine);
}

static void test_einsum(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(2, 3, 4), 1, 1), *y = normal(engine, SHAPE(2, 3, 4), 1, 2), *z, *turned,
               *plain;
    DO(bnd_tensor_einsum(&z, "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2", (bnd_tensor *[]){x, y}, 2,
                         &why));
    DO(bnd_tensor_transpose(&turned, y, -2, -1, &why));
    DO(bnd_tensor_matmul(&plain, x, turned, &why));
    CU_ASSERT_TRUE(has_shape(z, SHAPE(2, 3, 3)) && same(z, plain));
    DO(bnd_tensor_einsum(&z, "... seq1 hidden, ... seq2 hidden -> ... seq1 seq2", (bnd_tensor *[]){x, y}, 2, &why));
    CU_ASSERT_TRUE(same(z, plain));
    bnd_engine_free(engine);
}

/* What the notes have: "b h s d, b h s d -> b h s s". */
static void test_output_index_twice(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *q = normal(engine, SHAPE(2, 3, 4, 5), 1, 1), *scores = NULL;
    bnd_tensor *both[] = {q, q};
    CU_ASSERT_TRUE(refuses(bnd_tensor_einsum(&scores, "b h s d, b h s d -> b h s s", both, 2, &why), &why, "twice"));
    CU_ASSERT_PTR_NULL(scores);
    DO(bnd_tensor_einsum(&scores, "b h s1 d, b h s2 d -> b h s1 s2", both, 2, &why));
    CU_ASSERT_TRUE(has_shape(scores, SHAPE(2, 3, 4, 4)));
    bnd_engine_free(engine);
}

/* Two heads of four numbers each, a weight a head, against a plain loop. Small whole numbers: every order of the sums
 * gives the same. */
static void test_heads(void)
{
    enum { BATCH = 2, SEQ = 3, HEADS = 2, FROM = 4, TO = 5, ALL_FROM = HEADS * FROM, ALL_TO = HEADS * TO };
    double x[BATCH][SEQ][HEADS][FROM], w[HEADS][FROM][TO], y[BATCH][SEQ][HEADS][TO] = {0};
    bnd_engine *engine = new_engine();
    bnd_error why;
    for (size_t i = 0; i < sizeof x / sizeof(double); i++) {
        (&x[0][0][0][0])[i] = (double)below(9, 1, i) - 4;
    }
    for (size_t i = 0; i < sizeof w / sizeof(double); i++) {
        (&w[0][0][0])[i] = (double)below(9, 2, i) - 4;
    }
    for (int b = 0; b < BATCH; b++) {
        for (int s = 0; s < SEQ; s++) {
            for (int h = 0; h < HEADS; h++) {
                for (int i = 0; i < FROM; i++) {
                    for (int j = 0; j < TO; j++) {
                        y[b][s][h][j] += x[b][s][h][i] * w[h][i][j];
                    }
                }
            }
        }
    }
    bnd_tensor *t = tensor_of(engine, "fp32", &x[0][0][0][0], SHAPE(BATCH, SEQ, HEADS * FROM));
    bnd_tensor *weight = tensor_of(engine, "fp32", &w[0][0][0], SHAPE(HEADS, FROM, TO)), *heads, *out;
    DO(bnd_tensor_rearrange(&heads, t, "... (heads hidden1) -> ... heads hidden1", "heads=2", &why));
    CU_ASSERT_TRUE(has_shape(heads, SHAPE(BATCH, SEQ, HEADS, FROM)));
    DO(bnd_tensor_einsum(&heads, "... heads hidden1, heads hidden1 hidden2 -> ... heads hidden2",
                         (bnd_tensor *[]){heads, weight}, 2, &why));
    DO(bnd_tensor_rearrange(&out, heads, "... heads hidden2 -> ... (heads hidden2)", NULL, &why));
    CU_ASSERT_TRUE(has_shape(out, SHAPE(BATCH, SEQ, HEADS * TO)));
    CU_ASSERT_TRUE(holds(out, &y[0][0][0][0], sizeof y / sizeof(double)));
    bnd_engine_free(engine);
}

static void test_reduce_and_rearrange(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 2, 3, 4, 5, 6, 7, 8}, SHAPE(2, 4)), *y, *back;
    DO(bnd_tensor_reduce(&y, x, "... hidden -> ...", NULL, BND_TENSOR_SUM, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(2)) && HOLDS(y, 10, 26));
    uint64_t before = bytes_now(engine);
    DO(bnd_tensor_rearrange(&y, x, "... (heads hidden1) -> ... heads hidden1", "heads=2", &why));
    DO(bnd_tensor_rearrange(&back, y, "... heads hidden1 -> ... (heads hidden1)", NULL, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(2, 2, 2)) && has_shape(back, SHAPE(2, 4)) && same(x, back));
    CU_ASSERT_TRUE(bnd_tensor_shares(back, x) && bytes_now(engine) == before);
    bnd_engine_free(engine);
}

static CU_TestInfo pointers[] = {
    {"strides", test_strides},
    {"views share storage", test_views_share},
    {"contiguous", test_contiguous},
    {"element by element", test_elementwise},
    {"shapes of products", test_matmul_shapes},
    {"einsum is x @ y transposed", test_einsum},
    {"an output index twice", test_output_index_twice},
    {"heads", test_heads},
    {"reduce and rearrange", test_reduce_and_rearrange},
    CU_TEST_INFO_NULL,
};

/* ======== 5. FLOPs ======== */

static void test_flops_of_a_product(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(1024, 256), 1, 1), *w = normal(engine, SHAPE(256, 64), 1, 2), *y;
    DO(bnd_tensor_matmul(&y, x, w, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_EQUAL(account.flops[BND_FORWARD][BND_TENSOR_MATMUL], 33554432);
    CU_ASSERT_EQUAL(bnd_account_flops(&account), 33554432);                       /* and nothing else */
    CU_ASSERT_EQUAL(UINT64_C(2) * 16384 * 32768 * 8192, UINT64_C(8796093022208)); /* the lecture's, on paper */
    bnd_engine_free(engine);
}

static void test_flops_element_by_element(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(30, 70), 1, 1), *y;
    DO(bnd_tensor_pair(&y, BND_TENSOR_ADD, x, x, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_EQUAL(bnd_account_flops(&account), 30 * 70);
    bnd_engine_free(engine);
}

/* gelu as one operation, and as the chain that it stands for, x (1 + erf(x / sqrt 2)) / 2: five operations, one of them
 * with two operands, read six tensors and write five. */
static void test_fused(void)
{
    enum { N = 40 * 50 };
    static float fused[N], chain[N];
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(40, 50), 1, 1), *y, *z;
    DO(bnd_tensor_map(&y, BND_TENSOR_GELU, x, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_TRUE(account.bytes_read == 4 * N && account.bytes_written == 4 * N);
    bnd_engine_reset_flops(engine);
    z = with_number(BND_TENSOR_SCALE, x, sqrt(0.5));
    DO(bnd_tensor_map(&z, BND_TENSOR_ERF, z, &why));
    z = with_number(BND_TENSOR_SHIFT, z, 1);
    DO(bnd_tensor_pair(&z, BND_TENSOR_MUL, x, z, &why));
    z = with_number(BND_TENSOR_SCALE, z, 0.5);
    account = account_of(engine);
    CU_ASSERT_TRUE(account.bytes_read == 6 * 4 * N && account.bytes_written == 5 * 4 * N);
    DO(bnd_tensor_read_f32(fused, N, y, &why));
    DO(bnd_tensor_read_f32(chain, N, z, &why));
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_TRUE(fabsf(fused[i] - chain[i]) <= 1e-6f);
    }
    bnd_engine_free(engine);
}

/* Dense bf16 of an H100 is half of what is printed for sparse; the notes' 4.4e19 is a thousand times too low. */
static void test_a_day_of_1024(void)
{
    double day = 1024 * (1979e12 / 2) * 0.5 * 60 * 60 * 24;
    CU_ASSERT_TRUE(fabs(day - 4.38e22) < 0.005e22);
}

typedef struct layers {
    bnd_engine *engine;
    bnd_tensor *x, *w1, *w2, *h1, *loss;
} layers;

enum { B = 64, D = 32, K = 16 };

/* x --w1--> h1 --w2--> h2, and a loss of it. */
static layers two_layers(bool wants_x)
{
    bnd_error why;
    bnd_tensor *h2;
    layers m = {.engine = new_engine()};
    m.x = normal(m.engine, SHAPE(B, D), 1, 1);
    m.w1 = normal(m.engine, SHAPE(D, D), 1, 2);
    m.w2 = normal(m.engine, SHAPE(D, K), 1, 3);
    bnd_tensor_want_gradient(m.x, wants_x);
    bnd_tensor_want_gradient(m.w1, true);
    bnd_tensor_want_gradient(m.w2, true);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&m.h1, m.x, m.w1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&h2, m.h1, m.w2, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&m.loss, BND_TENSOR_MEAN, with_number(BND_TENSOR_POW, h2, 2), &why), &why));
    return m;
}

static void test_flops_backward(void)
{
    for (unsigned wants_x = 0; wants_x < 2; wants_x++) {
        bnd_error why;
        layers m = two_layers(wants_x == 1);
        DO(bnd_tensor_backward(m.loss, 1, &why));
        bnd_account account = account_of(m.engine);
        uint64_t forward = account.flops[BND_FORWARD][BND_TENSOR_MATMUL], parameters = D * D + D * K;
        uint64_t backward = account.flops[BND_BACKWARD][BND_TENSOR_MATMUL];
        CU_ASSERT_EQUAL(forward, 2 * B * parameters);
        if (wants_x == 0) {
            CU_ASSERT_EQUAL(backward, 2 * B * D * K + 2 * B * D * K + 2 * B * D * D); /* w2, h1, w1 */
        } else {
            CU_ASSERT_EQUAL(backward, 4 * B * parameters);
            CU_ASSERT_EQUAL(forward + backward, 6 * B * parameters);
        }
        bnd_engine_free(m.engine);
    }
}

static void test_leaves_only(void)
{
    bnd_error why;
    layers m = two_layers(false);
    DO(bnd_tensor_backward(m.loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL(bnd_tensor_gradient(m.w1));
    CU_ASSERT_PTR_NOT_NULL(bnd_tensor_gradient(m.w2));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(m.x));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(m.h1));
    bnd_engine_free(m.engine);
    m = two_layers(false);
    bnd_tensor_keep_gradient(m.h1);
    DO(bnd_tensor_backward(m.loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(m.h1));
    CU_ASSERT_TRUE(has_shape(bnd_tensor_gradient(m.h1), SHAPE(B, D)));
    bnd_engine_free(m.engine);
}

static void test_gradient_of_the_lecture(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 2, 3}, SHAPE(3));
    bnd_tensor *w = tensor_of(engine, "fp32", (double[]){1, 1, 1}, SHAPE(3)), *predicted, *loss;
    bnd_tensor_want_gradient(w, true);
    DO(bnd_tensor_einsum(&predicted, "i, i ->", (bnd_tensor *[]){x, w}, 2, &why));
    loss = with_number(BND_TENSOR_SCALE, with_number(BND_TENSOR_POW, with_number(BND_TENSOR_SHIFT, predicted, -5), 2),
                       0.5);
    CU_ASSERT_TRUE(HOLDS(loss, 0.5));
    DO(bnd_tensor_backward(loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(w));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(w), 1, 2, 3));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(loss));
    bnd_engine_free(engine);
}

static CU_TestInfo flops[] = {
    {"2 B D K", test_flops_of_a_product},
    {"m n", test_flops_element_by_element},
    {"fused chains move fewer bytes", test_fused},
    {"a day of 1024 H100", test_a_day_of_1024},
    {"backward: 4 B D K", test_flops_backward},
    {"gradients of leaves", test_leaves_only},
    {"w.grad = [1, 2, 3]", test_gradient_of_the_lecture},
    CU_TEST_INFO_NULL,
};

/* ======== 6. Models, randomness, data ======== */

static double deviation_of(const bnd_tensor *t)
{
    static double x[MOST];
    bnd_error why;
    double sum = 0;
    size_t n = bnd_tensor_count(t);
    CU_ASSERT_FATAL(n <= MOST && succeeds(bnd_tensor_read_f64(x, n, t, &why), &why));
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum / (double)n);
}

static void test_initialization(void)
{
    for (size_t fan_in = 64; fan_in <= 1024; fan_in *= 4) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *x = normal(engine, SHAPE(64, fan_in), 1, 1), *y;
        DO(bnd_tensor_matmul(&y, x, normal(engine, SHAPE(fan_in, 64), 1, 2), &why));
        CU_ASSERT_TRUE(fabs(deviation_of(y) / sqrt((double)fan_in) - 1) < 0.1); /* grows like its root */
        DO(bnd_tensor_matmul(&y, x, normal(engine, SHAPE(fan_in, 64), 1 / sqrt((double)fan_in), 2), &why));
        CU_ASSERT_TRUE(fabs(deviation_of(y) - 1) < 0.1);
        bnd_engine_free(engine);
    }
}

/* A weight, dropout and a stochastic cast: each by its own seed, with so many threads, by one back end. */
typedef struct draws {
    float weight[MOST], dropped[MOST], rounded[MOST];
} draws;

static void draw(draws *d, unsigned threads, bnd_backend backend, const uint64_t *seeds)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bnd_context context = {.backend = (uint8_t)backend, .threads = threads};
    DO(bnd_engine_new(&engine, &context, &why));
    bnd_engine_set_seed(engine, seeds[2], 0);
    bnd_tensor *w = normal(engine, SHAPE(MOST / 64, 64), 1, seeds[0]), *y;
    bnd_attributes dropout = {.number = {0.1}, .seed = seeds[1]};
    bnd_format bf16 = format_named("bf16");
    DO(bnd_tensor_read_f32(d->weight, MOST, w, &why));
    DO(bnd_tensor_apply(&y, BND_TENSOR_DROPOUT, &w, 1, &dropout, &why));
    DO(bnd_tensor_read_f32(d->dropped, MOST, y, &why));
    DO(bnd_tensor_cast(&y, w, &bf16, (bnd_rule){.rounding = BND_SR}, &why));
    DO(bnd_tensor_read_f32(d->rounded, MOST, y, &why));
    bnd_engine_free(engine);
}

/* The order of the data is a source of its own, too: it comes with the loop that reads them. */
static void test_seeds(void)
{
    static const bnd_backend backends[] = {BND_BACKEND_PORTABLE, BND_BACKEND_AVX2, BND_BACKEND_AVX512,
                                           BND_BACKEND_BEST};
    static draws first, again;
    uint64_t seeds[] = {1, 2, 3};
    draw(&first, 1, BND_BACKEND_BEST, seeds);
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        if (bnd_backend_here(backends[i])) {
            draw(&again, 1 + (unsigned)i % 2, backends[i], seeds);
            CU_ASSERT_EQUAL(memcmp(&first, &again, sizeof first), 0);
        }
    }
    /* Another seed of one of them is another run of that one, and of no other that does not depend on it. */
    seeds[2]++;
    draw(&again, 1, BND_BACKEND_BEST, seeds);
    CU_ASSERT_EQUAL(memcmp(first.weight, again.weight, sizeof first.weight), 0);
    CU_ASSERT_EQUAL(memcmp(first.dropped, again.dropped, sizeof first.dropped), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first.rounded, again.rounded, sizeof first.rounded), 0);
    seeds[1]++;
    draw(&again, 1, BND_BACKEND_BEST, seeds);
    CU_ASSERT_EQUAL(memcmp(first.weight, again.weight, sizeof first.weight), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first.dropped, again.dropped, sizeof first.dropped), 0);
}

/* An .npy of this many tokens, all 0 but for the last four, that takes no room on the disk; false: not on this one. */
static bool make_large_file(const char *path, uint64_t tokens)
{
    static const unsigned char last[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0, 0, 3, 0, 0, 0};
    char header[128] = "\x93NUMPY\x01";
    header[8] = sizeof header - 10;
    int length = snprintf(header + 10, sizeof header - 10, "{'descr': '<i4', 'fortran_order': False, 'shape': (%llu,)}",
                          (unsigned long long)tokens);
    memset(header + 10 + length, ' ', sizeof header - 10 - (size_t)length);
    off_t size = (off_t)(sizeof header + 4 * tokens);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool made = fd >= 0 && ftruncate(fd, size) == 0 && pwrite(fd, header, sizeof header, 0) == sizeof header &&
                pwrite(fd, last, sizeof last, size - (off_t)sizeof last) == sizeof last;
    close(fd);
    return made;
}

/* Twice the machine's memory, where the disk can say so (or as much of that as it can). */
static void test_data_larger_than_memory(void)
{
    char folder[] = "test-lecture-XXXXXX", path[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tokens.npy", folder);
    uint64_t tokens = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    bool made = make_large_file(path, tokens);
    for (; !made && tokens > 1 << 20; made = make_large_file(path, tokens)) {
        tokens /= 2;
    }
    CU_ASSERT_TRUE_FATAL(made);
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *data, *batch;
    DO(bnd_tensor_load(&data, engine, path, NULL, BND_ROLE_DATA, &why));
    CU_ASSERT_TRUE(has_shape(data, SHAPE((size_t)tokens)));
    CU_ASSERT_EQUAL(bnd_tensor_bytes(data), 4 * tokens);
    CU_ASSERT_TRUE(bytes_now(engine) == 0 && account_of(engine).allocations == 0);
    DO(bnd_tensor_slice(&batch, data, 0, (size_t)tokens - 5, 5, 1, &why));
    CU_ASSERT_TRUE(HOLDS(batch, 0, 1, 2, 65535, 3));
    /* A batch of it picks rows of a table. */
    bnd_tensor *table = tensor_of(engine, "fp32", (double[]){10, 11, 20, 21, 30, 31}, SHAPE(3, 2)), *rows;
    DO(bnd_tensor_slice(&batch, data, 0, (size_t)tokens - 5, 3, 1, &why));
    DO(bnd_tensor_pair(&rows, BND_TENSOR_EMBEDDING, table, batch, &why));
    CU_ASSERT_TRUE(HOLDS(rows, 10, 11, 20, 21, 30, 31));
    bnd_engine_free(engine);
    unlink(path);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static CU_TestInfo models[] = {
    {"initialization by 1 / sqrt(fan-in)", test_initialization},
    {"seeds", test_seeds},
    {"data larger than memory", test_data_larger_than_memory},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("2. memory of a tensor", memory),
        SUITE("3. underflow", underflow),
        SUITE("4. tensors are pointers with strides", pointers),
        SUITE("5. FLOPs", flops),
        SUITE("6. models, randomness, data", models),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
