/* What the sections of the lecture share. */
#include "tests/lecture/lecture.h"

#include <string.h>

bnd_tensor *zeros(bnd_engine *engine, const char *format, const size_t *shape, size_t rank)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, &f, shape, rank, BND_ROLE_ACT, &why), &why));
    return t;
}

bnd_tensor *normal(bnd_engine *engine, const size_t *shape, size_t rank, double deviation, uint64_t seed)
{
    bnd_tensor *t = zeros(engine, "fp32", shape, rank);
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_normal(t, 0, deviation, seed, 0, &why), &why));
    return t;
}

bool has_shape(const bnd_tensor *t, const size_t *shape, size_t rank)
{
    return bnd_tensor_rank(t) == rank && memcmp(bnd_tensor_shape(t), shape, rank * sizeof *shape) == 0;
}

bool holds(const bnd_tensor *t, const double *x, size_t n)
{
    double y[MOST / 64];
    bnd_error why;
    return n <= MOST / 64 && succeeds(bnd_tensor_read_f64(y, n, t, &why), &why) && memcmp(x, y, n * sizeof *x) == 0;
}
bool same(const bnd_tensor *a, const bnd_tensor *b)
{
    static double x[MOST], y[MOST];
    bnd_error why;
    size_t n = bnd_tensor_count(a);
    return n <= MOST && succeeds(bnd_tensor_read_f64(x, n, a, &why), &why) &&
           succeeds(bnd_tensor_read_f64(y, n, b, &why), &why) && memcmp(x, y, n * sizeof *x) == 0;
}

bnd_account account_of(const bnd_engine *engine)
{
    bnd_account account;
    bnd_engine_account(&account, engine);
    return account;
}

uint64_t bytes_now(const bnd_engine *engine)
{
    return account_of(engine).bytes_now;
}

bnd_tensor *with_number(bnd_tensor_operation operation, bnd_tensor *x, double number)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    bnd_attributes attributes = {.number = {number}};
    CU_ASSERT_TRUE(succeeds(bnd_tensor_apply(&y, operation, &x, 1, &attributes, &why), &why));
    return y;
}
