/* Every differentiable operation, on random shapes, on strided and on broadcast operands. */
#include "gradients.h"

#include <math.h>
#include <stdio.h>

static const double LIMIT = 1e-6;

static bool holds(double worst, const char *what, uint64_t seed)
{
    if (!(worst < LIMIT)) {
        printf("\n    %s, seed %llu: differs by %g of the largest slope\n", what, (unsigned long long)seed, worst);
    }
    return worst < LIMIT;
}

/* Random shapes for one operand, or for two that broadcast. */
static void random_leaves(leaf *leaves, size_t count, double low, double high, uint64_t seed)
{
    size_t rank = 1 + below(3, seed, 0);
    for (size_t i = 0; i < count; i++) {
        size_t fewer = i == below(2, seed, 1) ? below(rank, seed, 2) : 0;
        leaves[i] = (leaf){.rank = rank - fewer, .low = low, .high = high};
        leaves[i].layout = (layout)below(LAYOUTS, seed, 3 + i);
        for (size_t j = 0; j < leaves[i].rank; j++) {
            leaves[i].shape[j] = 1 + below(4, seed, 10 + j + fewer);
            if (count > 1 && below(4, seed, 20 + 10 * i + j) == 0) {
                leaves[i].shape[j] = 1;
            }
        }
    }
}

/* ---- element by element ---- */

typedef struct elementwise {
    bnd_tensor_operation operation;
    size_t operands;
    double low, high, number;
} elementwise;

static bnd_status apply(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const elementwise *e = data;
    bnd_attributes attributes = {.number = {e->number}};
    return bnd_tensor_apply(out, e->operation, in, e->operands, &attributes, why);
}

static void test_elementwise(void)
{
    static const elementwise cases[] = {
        {BND_TENSOR_OP_ADD, 2, -2, 2, 0},       {BND_TENSOR_OP_SUB, 2, -2, 2, 0},
        {BND_TENSOR_OP_MUL, 2, -2, 2, 0},       {BND_TENSOR_OP_DIV, 2, 0.5, 2, 0},
        {BND_TENSOR_OP_MAXIMUM, 2, -2, 2, 0},   {BND_TENSOR_OP_MINIMUM, 2, -2, 2, 0},
        {BND_TENSOR_OP_POW, 1, 0.5, 2, 3},      {BND_TENSOR_OP_POW, 1, 0.5, 2, -2},
        {BND_TENSOR_OP_POW, 1, 0.5, 2, 0.3},    {BND_TENSOR_OP_POW, 1, 0.5, 2, 0.5},
        {BND_TENSOR_OP_SCALE, 1, -2, 2, 1.5},   {BND_TENSOR_OP_SHIFT, 1, -2, 2, 1.5},
        {BND_TENSOR_OP_NEG, 1, -2, 2, 0},       {BND_TENSOR_OP_ABS, 1, 0.1, 2, 0},
        {BND_TENSOR_OP_ABS, 1, -2, -0.1, 0},    {BND_TENSOR_OP_EXP, 1, -2, 2, 0},
        {BND_TENSOR_OP_LOG, 1, 0.1, 3, 0},      {BND_TENSOR_OP_SQRT, 1, 0.1, 3, 0},
        {BND_TENSOR_OP_RSQRT, 1, 0.1, 3, 0},    {BND_TENSOR_OP_TANH, 1, -3, 3, 0},
        {BND_TENSOR_OP_ERF, 1, -3, 3, 0},       {BND_TENSOR_OP_SIGMOID, 1, -5, 5, 0},
        {BND_TENSOR_OP_RELU, 1, 0.1, 2, 0},     {BND_TENSOR_OP_RELU, 1, -2, -0.1, 0},
        {BND_TENSOR_OP_GELU, 1, -4, 4, 0},      {BND_TENSOR_OP_SILU, 1, -4, 4, 0},
        {BND_TENSOR_OP_GELU_TANH, 1, -4, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint64_t seed = 0; seed < scaled(12); seed++) {
            leaf leaves[2];
            uint64_t own = seed * 1000 + i;
            random_leaves(leaves, cases[i].operands, cases[i].low, cases[i].high, own);
            double worst = worst_difference(apply, &cases[i], leaves, cases[i].operands, own);
            CU_ASSERT_TRUE(holds(worst, bnd_tensor_operation_name(cases[i].operation), own));
        }
    }
}

/* ---- sums ---- */

static bnd_status reduce(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const uint64_t *seed = data;
    bnd_attributes attributes = {.keep = below(2, *seed, 50) == 0};
    size_t rank = bnd_tensor_rank(in[0]);
    for (size_t axis = 0; axis < rank; axis++) {
        if (below(2, *seed, 51 + axis) == 0) {
            attributes.axis[attributes.axes++] = (int)axis - (below(2, *seed, 60) == 0 ? (int)rank : 0);
        }
    }
    bnd_tensor_operation operation = below(2, *seed, 61) == 0 ? BND_TENSOR_OP_SUM : BND_TENSOR_OP_MEAN;
    return bnd_tensor_apply(out, operation, in, 1, &attributes, why);
}

static void test_sums(void)
{
    for (uint64_t seed = 0; seed < scaled(60); seed++) {
        leaf one;
        random_leaves(&one, 1, -2, 2, seed);
        CU_ASSERT_TRUE(holds(worst_difference(reduce, &seed, &one, 1, seed), "sum", seed));
    }
}

/* ---- rows ---- */

typedef struct row_case {
    bnd_tensor_operation operation;
    bool reduces;
    uint64_t seed;
} row_case;

static bnd_status along_rows(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const row_case *r = data;
    bnd_attributes attributes = {.keep = below(2, r->seed, 50) == 0};
    size_t rank = bnd_tensor_rank(in[0]), most = r->reduces ? rank : 1;
    size_t first = below(rank, r->seed, 51);
    for (size_t i = 0; i < most && below(3, r->seed, 52 + i) > 0; i++) {
        attributes.axis[attributes.axes++] = (int)((first + i) % rank);
    }
    return bnd_tensor_apply(out, r->operation, in, 1, &attributes, why);
}

static void test_rows(void)
{
    static const row_case cases[] = {{BND_TENSOR_OP_SOFTMAX, false, 0},
                                     {BND_TENSOR_OP_LOG_SOFTMAX, false, 0},
                                     {BND_TENSOR_OP_LOGSUMEXP, true, 0},
                                     {BND_TENSOR_OP_MAX, true, 0},
                                     {BND_TENSOR_OP_MIN, true, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint64_t seed = 0; seed < scaled(20); seed++) {
            row_case r = cases[i];
            leaf one;
            r.seed = seed * 1000 + i;
            random_leaves(&one, 1, -2, 2, r.seed);
            double worst = worst_difference(along_rows, &r, &one, 1, r.seed);
            CU_ASSERT_TRUE(holds(worst, bnd_tensor_operation_name(r.operation), r.seed));
        }
    }
}

/* Of two equal extremes each has half of the gradient. */
static void test_ties(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (const double[]){3, 1, 3, 2}, (size_t[]){4}, 1), *y;
    double d[4];
    bnd_tensor_want_gradient(x, true);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&y, BND_TENSOR_OP_MAX, x, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(y, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(d, 4, bnd_tensor_gradient(x), &why), &why));
    CU_ASSERT_TRUE(d[0] == 0.5 && d[1] == 0 && d[2] == 0.5 && d[3] == 0);
    bnd_engine_free(engine);
}

/* The result is rounded, and the gradient goes to the extreme of the operand all the same. */
static void test_rounded_extremes(void)
{
    static const double numbers[2][3] = {{1.001, 0.25, 0.5}, {1.001, 1, 0.5}};
    for (size_t i = 0; i < 4; i++) {
        const double sign = i < 2 ? 1 : -1, *x = numbers[i % 2];
        bnd_engine *engine = engine_under("act=bf16");
        bnd_error why;
        bnd_tensor *t = tensor_of(engine, "fp32", (double[]){sign * x[0], sign * x[1], sign * x[2]}, (size_t[]){3}, 1),
                   *y;
        double d[3], found;
        bnd_tensor_want_gradient(t, true);
        must(bnd_tensor_map(&y, i < 2 ? BND_TENSOR_OP_MAX : BND_TENSOR_OP_MIN, t, &why), &why);
        must(bnd_tensor_read_f64(&found, 1, y, &why), &why);
        must(bnd_tensor_backward(y, 1, &why), &why);
        must(bnd_tensor_read_f64(d, 3, bnd_tensor_gradient(t), &why), &why);
        CU_ASSERT_TRUE(found == sign && d[0] == 1 && d[1] == 0 && d[2] == 0);
        bnd_engine_free(engine);
    }
}

/* A sum over its count is rounded once. */
static void test_means(void)
{
    for (size_t n = 1; n < 200; n++) {
        double ones[200], mean = 0;
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *t, *y;
        for (size_t i = 0; i < n; i++) {
            ones[i] = 1;
        }
        t = tensor_of(engine, "fp64", ones, &n, 1);
        must(bnd_tensor_map(&y, BND_TENSOR_OP_MEAN, t, &why), &why);
        must(bnd_tensor_read_f64(&mean, 1, y, &why), &why);
        CU_ASSERT_EQUAL(mean, 1);
        bnd_engine_free(engine);
    }
}

/* What PyTorch gives, too: the 0th power does not depend on its operand, and NaN is not below anything. */
static void test_zeros_and_nans(void)
{
    static const double numbers[] = {0, -0.0, 0.0 / 0.0, -1, 2}, other[] = {1, 0, 1, 0.0 / 0.0, 2};
    static const struct {
        bnd_tensor_operation operation;
        size_t operands;
        double first[5], second[5];
    } cases[] = {
        {BND_TENSOR_OP_POW, 1, {0, 0, 0, 0, 0}, {0}},
        {BND_TENSOR_OP_RELU, 1, {0, 0, 1, 0, 1}, {0}},
        {BND_TENSOR_OP_MAXIMUM, 2, {0, 0.5, 1, 1, 0.5}, {1, 0.5, 1, 1, 0.5}},
        {BND_TENSOR_OP_MINIMUM, 2, {1, 0.5, 1, 1, 0.5}, {0, 0.5, 1, 1, 0.5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *in[2] = {tensor_of(engine, "fp32", numbers, (size_t[]){5}, 1),
                             tensor_of(engine, "fp32", other, (size_t[]){5}, 1)};
        bnd_tensor *y, *sum;
        bnd_attributes none = {.number = {0}};
        double d[5], e[5] = {0};
        bnd_tensor_want_gradient(in[0], true);
        bnd_tensor_want_gradient(in[1], true);
        CU_ASSERT_TRUE(succeeds(bnd_tensor_apply(&y, cases[i].operation, in, cases[i].operands, &none, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&sum, BND_TENSOR_OP_SUM, y, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(sum, 1, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(d, 5, bnd_tensor_gradient(in[0]), &why), &why));
        if (cases[i].operands == 2) {
            CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(e, 5, bnd_tensor_gradient(in[1]), &why), &why));
        }
        for (size_t k = 0; k < 5; k++) {
            CU_ASSERT_TRUE(d[k] == cases[i].first[k] && e[k] == cases[i].second[k]);
        }
        bnd_engine_free(engine);
    }
}

/* ---- masks ---- */

static bnd_status masked(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const row_case *r = data;
    bnd_attributes attributes = {.number = {(double)below(4, r->seed, 70) - 2}, .seed = r->seed};
    if (r->operation == BND_TENSOR_OP_DROPOUT) {
        attributes.number[0] = 0.3;
    }
    return bnd_tensor_apply(out, r->operation, in, 1, &attributes, why);
}

static void test_masks(void)
{
    static const bnd_tensor_operation operations[] = {BND_TENSOR_OP_TRIU, BND_TENSOR_OP_TRIL, BND_TENSOR_OP_DROPOUT};
    for (uint64_t seed = 0; seed < scaled(30); seed++) {
        row_case r = {operations[seed % 3], false, seed};
        leaf one;
        random_leaves(&one, 1, -2, 2, seed);
        if (one.rank < 2) {
            one.shape[one.rank++] = 3;
        }
        double worst = worst_difference(masked, &r, &one, 1, seed);
        CU_ASSERT_TRUE(holds(worst, bnd_tensor_operation_name(r.operation), seed));
    }
}

/* ---- norms ---- */

typedef struct norm_case {
    bnd_tensor_operation operation;
    size_t operands;
} norm_case;

static bnd_status normalize(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const norm_case *n = data;
    bnd_attributes attributes = {.number = {1e-2}};
    return bnd_tensor_apply(out, n->operation, in, n->operands, &attributes, why);
}

static void test_norms(void)
{
    for (uint64_t seed = 0; seed < scaled(60); seed++) {
        norm_case n = {seed % 2 == 0 ? BND_TENSOR_OP_LAYER_NORM : BND_TENSOR_OP_RMS_NORM,
                       1 + below(2 + (seed % 2 == 0), seed, 1)};
        leaf leaves[3];
        random_leaves(leaves, 1, -2, 2, seed);
        leaves[0].shape[leaves[0].rank - 1] = 2 + below(40, seed, 2);
        for (size_t i = 1; i < 3; i++) {
            leaves[i] = (leaf){.shape = {leaves[0].shape[leaves[0].rank - 1]}, .rank = 1, .low = -1, .high = 1};
            leaves[i].layout = (layout)below(LAYOUTS, seed, 5 + i);
        }
        double worst = worst_difference(normalize, &n, leaves, n.operands, seed);
        CU_ASSERT_TRUE(holds(worst, bnd_tensor_operation_name(n.operation), seed));
    }
}

/* ---- rotary positions ---- */

static bnd_status rotate(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    bnd_attributes attributes = {.number = {*(const double *)data}};
    return bnd_tensor_apply(out, BND_TENSOR_OP_ROPE, in, 1, &attributes, why);
}

static void test_rope(void)
{
    static const double thetas[] = {10000, 1, 3.5};
    for (uint64_t seed = 0; seed < scaled(30); seed++) {
        leaf one;
        random_leaves(&one, 1, -2, 2, seed);
        if (one.rank < 2) {
            one.shape[one.rank++] = 3;
        }
        one.shape[one.rank - 1] = 1 + below(7, seed, 80);
        CU_ASSERT_TRUE(holds(worst_difference(rotate, &thetas[seed % 3], &one, 1, seed), "rope", seed));
    }
}

/* The formula with the sines of the C library, at positions near and far. */
static void test_rope_numbers(void)
{
    enum { POSITIONS = 70000, WIDTH = 6 };
    static double x[POSITIONS * WIDTH], y[POSITIONS * WIDTH];
    const size_t shape[] = {POSITIONS, WIDTH};
    const double theta = 10000;
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *out = NULL;
    double worst = 0;
    for (size_t i = 0; i < POSITIONS * WIDTH; i++) {
        x[i] = (double)below(2001, i, 90) / 1000 - 1;
    }
    bnd_tensor *in = tensor_of(engine, "fp64", x, shape, 2);
    CU_ASSERT_TRUE_FATAL(succeeds(rotate(&out, &in, &theta, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(y, POSITIONS * WIDTH, out, &why), &why));
    for (size_t row = 0; row < POSITIONS; row += row < 1000 ? 1 : 997) {
        for (size_t i = 0; i < WIDTH / 2; i++) {
            const double angle = (double)row * pow(theta, -(double)i / (WIDTH / 2));
            const double a = x[row * WIDTH + i], b = x[row * WIDTH + i + WIDTH / 2];
            worst = fmax(worst, fabs(y[row * WIDTH + i] - (a * cos(angle) - b * sin(angle))));
            worst = fmax(worst, fabs(y[row * WIDTH + i + WIDTH / 2] - (b * cos(angle) + a * sin(angle))));
        }
    }
    CU_ASSERT_TRUE(holds(worst * 1e4, "rope: sines", 0)); /* 1e-10: the angle itself has 53 bits */
    bnd_engine_free(engine);
}

/* ---- rows by number ---- */

static bnd_status by_number(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    return bnd_tensor_pair(out, *(const bnd_tensor_operation *)data, in[0], in[1], why);
}

static void test_embedding_and_cross_entropy(void)
{
    static const double numbers[] = {2, 0, 4, 2, 1, 3};
    for (uint64_t seed = 0; seed < scaled(20); seed++) {
        bnd_tensor_operation operation = seed % 2 == 0 ? BND_TENSOR_OP_EMBEDDING : BND_TENSOR_OP_CROSS_ENTROPY;
        leaf table[2] = {{.shape = {5, 3}, .rank = 2, .low = -1, .high = 1, .layout = (layout)below(LAYOUTS, seed, 0)},
                         {.shape = {2, 3}, .rank = 2, .values = numbers}};
        leaf logits[2] = {{.shape = {2, 3, 5}, .rank = 3, .low = -1, .high = 1},
                          {.shape = {2, 3}, .rank = 2, .values = numbers}};
        logits[0].layout = table[0].layout;
        double worst = worst_difference(by_number, &operation, seed % 2 == 0 ? table : logits, 2, seed);
        CU_ASSERT_TRUE(holds(worst, bnd_tensor_operation_name(operation), seed));
    }
}

static void test_numbers_that_are_none(void)
{
    static const double wrong[] = {5, -1, 0.5, 0.0 / 0.0};
    for (size_t i = 0; i < 4; i++) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        const double table[10] = {0};
        bnd_tensor *t = tensor_of(engine, "fp32", table, (size_t[]){5, 2}, 2), *y = NULL;
        bnd_tensor *indices = tensor_of(engine, "fp32", &wrong[i], (size_t[]){1}, 1);
        CU_ASSERT_TRUE(refuses(bnd_tensor_pair(&y, BND_TENSOR_OP_EMBEDDING, t, indices, &why), &why, "from 0 to 4"));
        CU_ASSERT_PTR_NULL(y);
        t = tensor_of(engine, "fp32", table, (size_t[]){1, 5}, 2);
        CU_ASSERT_TRUE(
            refuses(bnd_tensor_pair(&y, BND_TENSOR_OP_CROSS_ENTROPY, t, indices, &why), &why, "from 0 to 4"));
        bnd_engine_free(engine);
    }
}

CU_TestInfo gradient_tests[] = {
    {"element by element", test_elementwise},
    {"sums and means", test_sums},
    {"rows", test_rows},
    {"equal extremes", test_ties},
    {"extremes that are rounded", test_rounded_extremes},
    {"means", test_means},
    {"zeros and NaNs", test_zeros_and_nans},
    {"masks", test_masks},
    {"norms", test_norms},
    {"rotary positions", test_rope},
    {"rotary positions: sines", test_rope_numbers},
    {"embedding and cross-entropy", test_embedding_and_cross_entropy},
    {"indices that are none", test_numbers_that_are_none},
    CU_TEST_INFO_NULL,
};
