/* Every differentiable operation, on random shapes, on strided and on broadcast operands. */
#include "gradients.h"

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
        {BND_TENSOR_ADD, 2, -2, 2, 0},     {BND_TENSOR_SUB, 2, -2, 2, 0},     {BND_TENSOR_MUL, 2, -2, 2, 0},
        {BND_TENSOR_DIV, 2, 0.5, 2, 0},    {BND_TENSOR_MAXIMUM, 2, -2, 2, 0}, {BND_TENSOR_MINIMUM, 2, -2, 2, 0},
        {BND_TENSOR_POW, 1, 0.5, 2, 3},    {BND_TENSOR_POW, 1, 0.5, 2, -2},   {BND_TENSOR_POW, 1, 0.5, 2, 0.3},
        {BND_TENSOR_POW, 1, 0.5, 2, 0.5},  {BND_TENSOR_SCALE, 1, -2, 2, 1.5}, {BND_TENSOR_SHIFT, 1, -2, 2, 1.5},
        {BND_TENSOR_NEG, 1, -2, 2, 0},     {BND_TENSOR_ABS, 1, 0.1, 2, 0},    {BND_TENSOR_ABS, 1, -2, -0.1, 0},
        {BND_TENSOR_EXP, 1, -2, 2, 0},     {BND_TENSOR_LOG, 1, 0.1, 3, 0},    {BND_TENSOR_SQRT, 1, 0.1, 3, 0},
        {BND_TENSOR_RSQRT, 1, 0.1, 3, 0},  {BND_TENSOR_TANH, 1, -3, 3, 0},    {BND_TENSOR_ERF, 1, -3, 3, 0},
        {BND_TENSOR_SIGMOID, 1, -5, 5, 0}, {BND_TENSOR_RELU, 1, 0.1, 2, 0},   {BND_TENSOR_RELU, 1, -2, -0.1, 0},
        {BND_TENSOR_GELU, 1, -4, 4, 0},    {BND_TENSOR_SILU, 1, -4, 4, 0},    {BND_TENSOR_GELU_TANH, 1, -4, 4, 0},
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
    bnd_tensor_operation operation = below(2, *seed, 61) == 0 ? BND_TENSOR_SUM : BND_TENSOR_MEAN;
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

CU_TestInfo gradient_tests[] = {
    {"element by element", test_elementwise},
    {"sums and means", test_sums},
    CU_TEST_INFO_NULL,
};
