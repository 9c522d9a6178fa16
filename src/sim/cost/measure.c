/* The machine that this program runs on: the speed of this library's matrix products, and of copies. Other load on the
 * machine can only make a measurement slower, so the best of several is used. */
#define _POSIX_C_SOURCE 200809L
#include "cost/machine.h"

#include "base/base.h"

#include <binade/matmul.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 384, ROUNDS = 5 };  /* 113 MFLOP a product: milliseconds */
#define COPIED ((size_t)64 << 20) /* beyond any cache that one core has for itself */

void bndi_peak_add(bnd_machine *m, unsigned bits, const char *formats, double dense, double sparse)
{
    bnd_peak *p = &m->peak[m->peaks++];
    *p = (bnd_peak){.bits = bits, .dense = dense, .sparse = sparse};
    bndi_text text = bndi_text_in(p->formats, sizeof p->formats);
    bndi_text_string(&text, formats);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    float *a, *b, *c;
    const bnd_format *format; /* of the codes in a and b; NULL: they are fp32 numbers */
} job;

static bnd_status multiply(const job *j, bnd_error *why)
{
    return j->format == NULL ? bnd_gemm_f32(j->c, SIDE, SIDE, j->a, j->b, SIDE, NULL, why)
                             : bnd_gemm_codes(j->c, SIDE, SIDE, j->a, j->format, j->b, j->format, SIDE, NULL, why);
}

static bnd_status rate_of(double *out, const job *j, bnd_error *why)
{
    double best = __builtin_inf();
    for (int i = 0; i < ROUNDS; i++) {
        double begun = now();
        bnd_status status = multiply(j, why);
        double spent = now() - begun;
        if (status != BND_OK) {
            return status;
        }
        best = spent < best ? spent : best;
    }
    *out = 2.0 * (double)SIDE * (double)SIDE * (double)SIDE / best;
    return BND_OK;
}

static bnd_status measure_products(bnd_machine *m, float *memory, bnd_error *why)
{
    static const char *const formats[] = {"fp32", "fp16", "bf16", "e4m3", "e5m2"};
    size_t n = (size_t)SIDE * SIDE;
    job j = {memory, memory + n, memory + 2 * n, NULL};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        bnd_format f;
        double rate;
        bnd_status status = bnd_format_parse(&f, formats[i], why);
        j.format = i == 0 ? NULL : &f;
        status = status == BND_OK ? rate_of(&rate, &j, why) : status;
        if (status != BND_OK) {
            return status;
        }
        bndi_peak_add(m, f.width, formats[i], rate, 0);
    }
    return BND_OK;
}

/* Bytes read and bytes written. */
static double measure_copies(unsigned char *memory)
{
    double best = __builtin_inf();
    memset(memory, 1, 2 * COPIED);
    for (int i = 0; i < ROUNDS; i++) {
        double begun = now();
        memcpy(memory + COPIED, memory, COPIED);
        double spent = now() - begun;
        memory[0] ^= memory[2 * COPIED - 1]; /* so that no copy is for nothing */
        best = spent < best ? spent : best;
    }
    return 2 * (double)COPIED / best;
}

static double memory_here(void)
{
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : 0;
#else
    return 0;
#endif
}

bnd_status bndi_machine_measure(bnd_machine *m, bnd_error *why)
{
    unsigned char *memory = malloc(2 * COPIED);
    if (memory == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to measure this machine with");
    }
    m->bandwidth = measure_copies(memory);
    memset(memory, 0, 3 * sizeof(float) * SIDE * SIDE); /* zeros are numbers in every format */
    bnd_status status = measure_products(m, (float *)(void *)memory, why);
    m->memory = memory_here();
    free(memory);
    return status;
}
