/* A case with its arrays: filling, running, and comparing with the codec. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *aligned(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, 64, bytes + 64) == 0 ? memory : NULL;
}

/* Normally distributed (Box and Muller), as weights and activations are. */
static void fill(float *x, size_t n)
{
    const double tau = 6.283185307179586;
    for (size_t i = 0; i < n; i++) {
        uint64_t random = bnd_random(1, 0, i);
        double u = ((double)(random >> 32) + 1) / 4294967296.0, angle = (double)(uint32_t)random / 4294967296.0;
        x[i] = (float)(sqrt(-2 * log(u)) * cos(tau * angle));
    }
}

/* The calls are made with arguments that they take: a failure is a mistake in the table of cases. */
static void insist(bnd_status status, const bench_case *what, const bnd_error *why)
{
    if (status != BND_OK) {
        fprintf(stderr, "bench: %s: %s\n", what->name, why->message);
        exit(2);
    }
}

bool bench_open(bench_run *run, const bench_case *what, size_t elements)
{
    bnd_error why;
    *run = (bench_run){.what = what, .elements = elements};
    insist(bnd_format_parse(&run->format, what->format, &why), what, &why);
    size_t floats = elements * sizeof(float);
    size_t codes = what->kind == BENCH_ROUND ? floats : bnd_codes_size(&run->format, elements, BND_PACKED);
    run->values = aligned(floats);
    run->codes = aligned(codes);
    if (run->values == NULL || run->codes == NULL) {
        fprintf(stderr, "bench: no memory for %zu elements\n", elements);
        bench_close(run);
        return false;
    }
    run->bytes_in = what->kind == BENCH_DECODE ? codes : floats;
    run->bytes_out = what->kind == BENCH_DECODE ? floats : codes;
    fill(run->values, elements);
    memset(run->codes, 0, codes);
    if (what->kind == BENCH_DECODE) {
        bnd_array how = {.packing = BND_PACKED};
        insist(bnd_encode_f32(run->codes, run->values, elements, &run->format, &how, NULL, &why), what, &why);
    }
    return true;
}

void bench_close(bench_run *run)
{
    free(run->values);
    free(run->codes);
    run->values = NULL;
    run->codes = NULL;
}

void bench_pass(bench_run *run)
{
    const bench_case *what = run->what;
    bnd_stats *stats = what->with_stats ? &run->stats : NULL;
    bnd_error why;
    bnd_status status = BND_OK;
    switch (what->kind) {
    case BENCH_ENCODE:
        status = bnd_encode_f32(run->codes, run->values, run->elements, &run->format, &what->how, stats, &why);
        break;
    case BENCH_DECODE:
        status = bnd_decode_f32(run->values, run->codes, run->elements, &run->format, &what->how, &why);
        break;
    default:
        status = bnd_round_f32(run->codes, run->values, run->elements, &run->format, &what->how, stats, &why);
        break;
    }
    insist(status, what, &why);
}

/* One element by the codec: the input is in `values`, and what came out in `codes`, or the other way round. */
static bool same_as_codec(const bench_run *run, const uint64_t *codes, size_t i)
{
    const bench_case *what = run->what;
    const bnd_format *f = &run->format;
    unsigned bits = bnd_rule_random_bits(what->how.rule);
    uint64_t random = bits > 0 ? bnd_random_bits(what->how.seed, what->how.purpose, i, bits) : 0;
    if (what->kind == BENCH_ROUND) {
        bnd_rounded r = bnd_round_exact(f, bnd_exact_float(run->values[i]), what->how.rule, random);
        return bnd_exact_compare(r.value, bnd_exact_float(((const float *)run->codes)[i])) == 0;
    }
    if (what->kind == BENCH_DECODE) {
        return bnd_exact_compare(bnd_unpack(f, codes[i]), bnd_exact_float(run->values[i])) == 0;
    }
    return codes[i] == bnd_encode_float(f, run->values[i], what->how.rule, random).code;
}

/* The codes as fp64 decodes them would hide a wrong one; so they are compared as they are, each in a word. */
static uint64_t *unpacked(const bench_run *run)
{
    uint64_t *codes = malloc(run->elements * sizeof *codes);
    const unsigned char *bytes = run->codes;
    unsigned width = run->format.width;
    for (size_t i = 0; codes != NULL && i < run->elements; i++) {
        codes[i] = 0;
        for (unsigned b = 0; b < width; b++) {
            size_t bit = i * width + b;
            codes[i] |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << b;
        }
    }
    return codes;
}

size_t bench_differences(bench_run *run)
{
    bench_pass(run);
    uint64_t *codes = run->what->kind == BENCH_ROUND ? NULL : unpacked(run);
    size_t different = 0;
    for (size_t i = 0; i < run->elements; i += i < 65536 ? 1 : 997) {
        different += !same_as_codec(run, codes, i);
    }
    free(codes);
    return different;
}

bool bench_copy_open(bench_copy *copy, size_t bytes)
{
    *copy = (bench_copy){.from = aligned(bytes), .to = aligned(bytes), .bytes = bytes};
    if (copy->from == NULL || copy->to == NULL) {
        fprintf(stderr, "bench: no memory for a copy of %zu bytes\n", bytes);
        bench_copy_close(copy);
        return false;
    }
    memset(copy->from, 1, bytes);
    memset(copy->to, 2, bytes);
    return true;
}

void bench_copy_close(bench_copy *copy)
{
    free(copy->from);
    free(copy->to);
}

void bench_copy_pass(const bench_copy *copy)
{
    memcpy(copy->to, copy->from, copy->bytes);
    __asm__ volatile("" : : "r"(copy->to) : "memory"); /* or the compiler sees that nobody reads it */
}

bool bench_copy_streaming(const bench_copy *copy)
{
#if defined(__SSE2__)
    const __m128i *from = (const __m128i *)(const void *)copy->from;
    __m128i *to = (__m128i *)(void *)copy->to;
    for (size_t i = 0; i < copy->bytes / 64; i++) {
        __m128i a = _mm_load_si128(from + 4 * i), b = _mm_load_si128(from + 4 * i + 1);
        __m128i c = _mm_load_si128(from + 4 * i + 2), d = _mm_load_si128(from + 4 * i + 3);
        _mm_stream_si128(to + 4 * i, a);
        _mm_stream_si128(to + 4 * i + 1, b);
        _mm_stream_si128(to + 4 * i + 2, c);
        _mm_stream_si128(to + 4 * i + 3, d);
    }
    _mm_sfence();
    return true;
#else
    (void)copy;
    return false;
#endif
}
