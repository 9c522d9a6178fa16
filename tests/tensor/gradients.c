#include "gradients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS_MOST = 2048 };

typedef struct numbers {
    double x[NUMBERS_MOST];
    size_t count;
} numbers;

static double uniform(double low, double high, uint64_t seed, uint64_t i)
{
    return low + (high - low) * (double)(below(UINT64_C(1) << 53, seed, i)) * 0x1p-53;
}

static size_t product(const size_t *shape, size_t rank)
{
    size_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        count *= shape[i];
    }
    return count;
}

/* The leaf as it lies in memory, and what the function gets of it. */
static bnd_tensor *make_leaf(bnd_engine *engine, const leaf *l, const numbers *n, bnd_tensor **seen)
{
    size_t shape[BND_TENSOR_RANK_MAX];
    bnd_error why;
    for (size_t i = 0; i < l->rank; i++) {
        shape[i] = l->shape[i];
    }
    if (l->layout == TRANSPOSED && l->rank >= 2) {
        shape[l->rank - 1] = l->shape[l->rank - 2];
        shape[l->rank - 2] = l->shape[l->rank - 1];
    } else if (l->layout == STRIDED && l->rank >= 1) {
        shape[l->rank - 1] *= 2;
    }
    bnd_tensor *t = tensor_of(engine, "fp64", n->x, shape, l->rank);
    bnd_tensor_want_gradient(t, l->low != l->high);
    *seen = t;
    if (l->layout == TRANSPOSED && l->rank >= 2) {
        must(bnd_tensor_transpose(seen, t, -1, -2, &why), &why);
    } else if (l->layout == STRIDED && l->rank >= 1) {
        must(bnd_tensor_slice(seen, t, -1, 1, l->shape[l->rank - 1], 2, &why), &why);
    }
    return t;
}

/* sum(w f(leaves)), its tensor, and the leaves. */
static bnd_tensor *loss_of(bnd_tensor **made, bnd_engine *engine, function *f, const void *data, const leaf *leaves,
                           const numbers *n, size_t count, uint64_t seed)
{
    bnd_tensor *in[LEAVES_MOST], *y = NULL, *weights, *weighed, *loss;
    bnd_error why;
    double w[NUMBERS_MOST];
    for (size_t i = 0; i < count; i++) {
        made[i] = make_leaf(engine, &leaves[i], &n[i], &in[i]);
    }
    must(f(&y, in, data, &why), &why);
    for (size_t i = 0; i < bnd_tensor_count(y) && i < NUMBERS_MOST; i++) {
        w[i] = uniform(-1, 1, seed + 1000003, i);
    }
    CU_ASSERT_FATAL(bnd_tensor_count(y) <= NUMBERS_MOST);
    weights = tensor_of(engine, "fp64", w, bnd_tensor_shape(y), bnd_tensor_rank(y));
    must(bnd_tensor_pair(&weighed, BND_TENSOR_OP_MUL, y, weights, &why), &why);
    must(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, weighed, &why), &why);
    return loss;
}

static double value_of(function *f, const void *data, const leaf *leaves, const numbers *n, size_t count, uint64_t seed)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *made[LEAVES_MOST];
    bnd_error why;
    double value = 0;
    bnd_engine_set_tape(engine, false);
    bnd_tensor *loss = loss_of(made, engine, f, data, leaves, n, count, seed);
    must(bnd_tensor_read_f64(&value, 1, loss, &why), &why);
    bnd_engine_free(engine);
    return value;
}

static double slope_at(function *f, const void *data, const leaf *leaves, numbers *n, size_t count, uint64_t seed,
                       double *x)
{
    double at = *x, h = 1e-5 * fmax(1, fabs(at));
    *x = at + h;
    double high = *x, above = value_of(f, data, leaves, n, count, seed);
    *x = at - h;
    double low = *x, under = value_of(f, data, leaves, n, count, seed);
    *x = at;
    return (above - under) / (high - low);
}

double worst_difference(function *f, const void *data, const leaf *leaves, size_t count, uint64_t seed)
{
    numbers *n = calloc(LEAVES_MOST, sizeof *n);
    bnd_engine *engine = new_engine();
    bnd_tensor *made[LEAVES_MOST];
    bnd_error why;
    double worst = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(n);
    for (size_t i = 0; i < count; i++) {
        bool strided = leaves[i].layout == STRIDED && leaves[i].rank > 0;
        n[i].count = product(leaves[i].shape, leaves[i].rank) * (strided ? 2 : 1);
        CU_ASSERT_FATAL(n[i].count <= NUMBERS_MOST);
        for (size_t j = 0; j < n[i].count; j++) {
            n[i].x[j] = leaves[i].values != NULL ? leaves[i].values[j]
                                                 : uniform(leaves[i].low, leaves[i].high, seed + i * 7919, j);
        }
    }
    bnd_tensor *loss = loss_of(made, engine, f, data, leaves, n, count, seed);
    must(bnd_tensor_backward(loss, 1, &why), &why);
    for (size_t i = 0; i < count; i++) {
        double by_tape[NUMBERS_MOST], difference = 0, largest = 0;
        if (leaves[i].low == leaves[i].high) {
            continue;
        }
        CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(made[i]));
        must(bnd_tensor_read_f64(by_tape, n[i].count, bnd_tensor_gradient(made[i]), &why), &why);
        for (size_t j = 0; j < n[i].count; j++) {
            double slope = slope_at(f, data, leaves, n, count, seed, &n[i].x[j]);
            difference = fmax(difference, fabs(slope - by_tape[j]));
            largest = fmax(largest, fabs(slope));
            worst = isnan(by_tape[j]) ? INFINITY : worst;
        }
        worst = fmax(worst, difference / fmax(largest, 1e-3));
    }
    bnd_engine_free(engine);
    free(n);
    return worst;
}
