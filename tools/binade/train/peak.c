/* How many operations of fp32 matrix products this machine does per second. */
#include "training.h"

#include <math.h>
#include <stdlib.h>

/* The fastest of the products that fit in a tenth of a second, on the threads of the context. Other programs may take
 * the cores at any time, so train measures before its runs and after them. NaN stays NaN where memory is short. */
double measure_peak(double best, const bnd_context *context)
{
    enum { N = 256, MOST_ROUNDS = 500 };
    static const double PATIENCE = 0.1;
    double began = seconds_now();
    float *a = calloc(3 * (size_t)N * N, sizeof *a), *b = a + (size_t)N * N, *c = b + (size_t)N * N;
    if (a == NULL) {
        return best;
    }
    for (size_t i = 0; i < 2 * (size_t)N * N; i++) {
        a[i] = 1 + (float)(i % 7) / 8;
    }
    bnd_gemm how = {.context = context};
    /* The rounds are limited, too: if the clock did not advance or ran backwards, the time limit would never be
       reached. */
    for (int round = 0; round == 0 || (round < MOST_ROUNDS && seconds_now() - began < PATIENCE); round++) {
        double at = seconds_now();
        if (bnd_gemm_f32(c, N, N, a, b, N, &how, NULL) != BND_OK) {
            break;
        }
        double spent = seconds_now() - at;
        best = spent > 0 ? fmax(best, 2 * (double)N * (double)N * (double)N / spent) : best;
    }
    free(a);
    return best;
}
