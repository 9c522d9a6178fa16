/* Section 4: tensors are pointers with strides. */
#include "tests/lecture/lecture.h"

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

static void test_elementwise(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 4, 9}, SHAPE(3)), *y;
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_OP_POW, x, 2), 1, 16, 81));
    DO(bnd_tensor_map(&y, BND_TENSOR_OP_SQRT, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 1, 2, 3));
    DO(bnd_tensor_map(&y, BND_TENSOR_OP_RSQRT, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 1, 0.5, (double)(float)(1.0 / 3)));
    DO(bnd_tensor_pair(&y, BND_TENSOR_OP_ADD, x, x, &why));
    CU_ASSERT_TRUE(HOLDS(y, 2, 8, 18));
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_OP_SCALE, x, 2), 2, 8, 18));
    DO(bnd_tensor_pair(&y, BND_TENSOR_OP_DIV, x, tensor_of(engine, "fp32", (double[]){0.5}, SHAPE(1)), &why));
    CU_ASSERT_TRUE(HOLDS(y, 2, 8, 18));
    bnd_tensor *ones = zeros(engine, "fp32", SHAPE(3, 3));
    DO(bnd_tensor_fill(ones, 1, &why));
    CU_ASSERT_TRUE(HOLDS(with_number(BND_TENSOR_OP_TRIU, ones, 0), 1, 1, 1, 0, 1, 1, 0, 0, 1));
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
    DO(bnd_tensor_reduce(&y, x, "... hidden -> ...", NULL, BND_TENSOR_OP_SUM, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(2)) && HOLDS(y, 10, 26));
    uint64_t before = bytes_now(engine);
    DO(bnd_tensor_rearrange(&y, x, "... (heads hidden1) -> ... heads hidden1", "heads=2", &why));
    DO(bnd_tensor_rearrange(&back, y, "... heads hidden1 -> ... (heads hidden1)", NULL, &why));
    CU_ASSERT_TRUE(has_shape(y, SHAPE(2, 2, 2)) && has_shape(back, SHAPE(2, 4)) && same(x, back));
    CU_ASSERT_TRUE(bnd_tensor_shares(back, x) && bytes_now(engine) == before);
    bnd_engine_free(engine);
}

CU_TestInfo lecture_pointers[] = {
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
