/* What the arrays are filled with. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Normally distributed (Box and Muller), as weights and activations are. */
static double normal(uint64_t i)
{
    const double tau = 6.283185307179586;
    uint64_t random = bnd_random(1, 0, i);
    double u = ((double)(random >> 32) + 1) / 4294967296.0, angle = (double)(uint32_t)random / 4294967296.0;
    return sqrt(-2 * log(u)) * cos(tau * angle);
}

/* Every bit random: all exponents alike, with NaNs, infinities and subnormals among them. */
static void fill_random(unsigned char *out, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t random = bnd_random(2, 0, at / 8);
        memcpy(out + at, &random, bytes - at < 8 ? bytes - at : 8);
    }
}

bool bench_fill(void *out, size_t n, const bnd_format *format, bnd_packing packing, bool hard)
{
    if (hard) {
        fill_random(out, bnd_codes_size(format, n, packing));
        return true;
    }
    double *x = malloc(n * sizeof *x);
    bnd_array how = {.packing_in = (uint8_t)packing, .packing_out = (uint8_t)packing};
    bnd_error why = {.message = "no memory"};
    for (size_t i = 0; x != NULL && i < n; i++) {
        x[i] = normal(i);
    }
    bool good = x != NULL && bnd_encode_f64(out, x, n, format, &how, NULL, &why) == BND_OK;
    free(x);
    if (!good) {
        fprintf(stderr, "binade bench: %zu numbers for %s: %s\n", n, format->name, why.message);
    }
    return good;
}
