#include "tests/support/tensors.h"

#include <binade/base.h>
#include <math.h>
#include <stdlib.h>

bnd_engine *new_engine(void)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    if (!succeeds(bnd_engine_new(&engine, NULL, &why), &why)) {
        exit(EXIT_FAILURE);
    }
    return engine;
}

void must(bnd_status status, const bnd_error *why)
{
    if (!succeeds(status, why)) {
        CU_FAIL_FATAL("something that should work is refused");
    }
}

bnd_engine *engine_under(const char *text)
{
    bnd_engine *engine = new_engine();
    bnd_policy policy;
    bnd_error why;
    must(bnd_policy_parse(&policy, text, &why), &why);
    must(bnd_engine_set_policy(engine, &policy, &why), &why);
    return engine;
}

bnd_tensor *tensor_of(bnd_engine *engine, const char *format, const double *x, const size_t *shape, size_t rank)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    if (!succeeds(bnd_tensor_from_f64(&t, engine, &f, x, shape, rank, BND_ROLE_DATA, &why), &why)) {
        exit(EXIT_FAILURE);
    }
    return t;
}

bool same_double(double x, double y)
{
    return bndi_bits_of_double(x) == bndi_bits_of_double(y) || (isnan(x) && isnan(y));
}

uint64_t below(uint64_t limit, uint64_t seed, uint64_t index)
{
    return bnd_random(seed, 0, index) % limit;
}
