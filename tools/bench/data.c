/* Arrays: memory for them, what they are filled with, and their elements. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bench_allocate(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes + 64) != 0) {
        fprintf(stderr, "binade bench: no memory for an array of %zu bytes\n", bytes);
        return NULL;
    }
    memset(memory, 1, bytes + 64);
    return memory;
}

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

void bench_repeat(unsigned char *to, size_t bytes, const bench_run *run)
{
    size_t period = bnd_codes_size(&run->in, run->period, (bnd_packing)run->how.packing_in);
    for (size_t at = 0; at < bytes; at += period) {
        memcpy(to + at, run->pattern, bytes - at < period ? bytes - at : period);
    }
}

uint64_t bench_element(const unsigned char *memory, const bnd_format *f, size_t i, uint8_t packing)
{
    size_t stored = bnd_codes_size(f, 8, (bnd_packing)packing); /* bytes of 8 elements: bits of one */
    size_t start = i * stored + (packing == BND_PACKING_PACKED && stored > f->width ? stored - f->width : 0); /* tf32 */
    uint64_t code = 0;
    for (size_t bit = 0; bit < f->width; bit++) {
        code |= (uint64_t)(memory[(start + bit) / 8] >> (start + bit) % 8 & 1) << bit;
    }
    return code;
}

size_t bench_wrong_elements(const bench_run *run, bool (*is_wrong)(const bench_run *run, size_t i))
{
    size_t wrong = 0;
    for (size_t i = 0; i < run->elements; i += i < BENCH_ALL_OF ? 1 : BENCH_STEP) {
        wrong += is_wrong(run, i);
    }
    return wrong;
}
