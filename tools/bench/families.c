/* The families of cases that are not conversions of arrays. */
#include "bench.h"

const bench_family *bench_family_at(size_t row)
{
    static const bench_family *const families[] = {&bench_products, &bench_calls, &bench_models, &bench_trainings};
    return row < sizeof families / sizeof families[0] ? families[row] : NULL;
}
