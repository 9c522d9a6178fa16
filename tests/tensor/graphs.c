#include "graphs.h"

#include <stdio.h>

enum { MOST = 4096 };

bool holds(const bnd_tensor *t, const double *x, size_t n)
{
    double y[MOST];
    bnd_error why;
    if (t == NULL || n > MOST || !succeeds(bnd_tensor_read_f64(y, n, t, &why), &why)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            printf("\n    element %zu is %.17g and should be %.17g\n", i, y[i], x[i]);
            return false;
        }
    }
    return true;
}

bnd_tensor *leaf_of(bnd_engine *engine, const double *x, size_t n)
{
    bnd_tensor *t = tensor_of(engine, "fp32", x, &n, 1);
    bnd_tensor_want_gradient(t, true);
    return t;
}

uint64_t bytes_now(const bnd_engine *engine)
{
    bnd_account account;
    bnd_engine_account(&account, engine);
    return account.bytes_now;
}

bnd_tensor *sum_of(bnd_tensor *x)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&y, BND_TENSOR_OP_SUM, x, &why), &why));
    return y;
}

bnd_tensor *product(bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_pair(&y, BND_TENSOR_OP_MUL, a, b, &why), &why));
    return y;
}

bnd_tensor *number_of(bnd_engine *engine, double x)
{
    return tensor_of(engine, "fp32", &x, (size_t[]){1}, 1);
}
