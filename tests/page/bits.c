/* Many numbers through one format under one rounding mode, as one hash of every code, flag and value. This file is
 * compiled for the machine and to WebAssembly, and tests/page/wasm.mjs compares the hashes. As a program:
 *     bits COUNT                  a line per format and mode: its name, the mode, the hash of COUNT inputs
 *     bits speed WORK FORMAT N    the nanoseconds of one pass over N numbers */
#include <binade.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 2000, WORKS = 6 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = (sum ^ word) * 0x100000001b3U;
        sum ^= sum >> 32;
    }
    for (; length > 0; at++, length--) {
        sum = (sum ^ *at) * 0x100000001b3U;
    }
    return sum;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Zero, the ends of fp64 and fp32, infinity, NaNs with payloads. */
static const uint64_t specials[] = {
    0,
    0x7ff0000000000000,
    0x7ff8000000000000,
    0x7ffc00000000beef,
    0x7ff0000000000001,
    0x7ff5555555555555,
    1,
    0x000fffffffffffff,
    0x0010000000000000,
    0x7fefffffffffffff,
    0x3ff0000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x3810000000000000,
    0x36a0000000000000,
    0x3690000000000000,
};
enum { SPECIALS = 2 * (int)(sizeof specials / sizeof specials[0]) };

/* The i-th input: specials first; then any double, values of the format, midpoints, and numbers near them. */
static double input(const bnd_format *f, uint64_t i)
{
    uint64_t random = mixed(i + 1), more = mixed(random + 0x9e3779b97f4a7c15U);
    if (i < SPECIALS) {
        return of_bits(specials[i / 2] | (i & 1) << 63);
    }
    unsigned width = f->width;
    uint64_t code = width == 0 ? 0 : width == 64 ? more : more & ((UINT64_C(1) << width) - 1);
    double x = width == 0 ? of_bits(more) : bnd_decode(f, code);
    if (i % 4 == 0 || !isfinite(x)) {
        return of_bits(more);
    }
    double next = width == 0 ? x : bnd_decode(f, code ^ 1);
    if (i % 4 == 1 && isfinite(next)) {
        x = x / 2 + next / 2;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += random % 5 < 3 ? 0 : random % 5 == 3 ? 1 : UINT64_MAX; /* the double after or before it */
    x = of_bits(bits);
    return isnan(x) ? 1 : i % 4 == 2 ? ldexp(x, (int)(random >> 32 & 3) - 1) : x;
}

static bnd_status refused(bnd_status status)
{
    return status == BND_OK ? BND_OK : BND_BAD_ARGUMENT;
}

/* Of CHUNK inputs: the scalar calls, then the array calls from and to fp64 and fp32. */
static uint64_t hash_chunk(uint64_t sum, const bnd_format *f, bnd_rule rule, uint64_t first)
{
    static double x[CHUNK], y[CHUNK];
    static float xs[CHUNK], ys[CHUNK];
    static uint64_t codes[CHUNK];
    for (uint64_t i = 0; i < CHUNK; i++) {
        x[i] = input(f, first + i);
        xs[i] = isnan(x[i]) ? (float)1.5 : (float)x[i]; /* which NaN a conversion gives is the machine's choice */
        bnd_result r = bnd_encode(f, x[i], rule, mixed(first + i + 77));
        sum = hash(sum, &r.code, sizeof r.code);
        sum = hash(sum, &r.flags, sizeof r.flags);
    }
    bnd_array how = {.rule = rule, .seed = 5, .first = first};
    bnd_error why;
    memset(codes, 0, sizeof codes);
    bnd_status status = refused(bnd_encode_f64(codes, x, CHUNK, f, &how, NULL, &why));
    sum = hash(hash(sum, codes, sizeof codes), &status, sizeof status);
    memset(y, 0, sizeof y);
    status = status == BND_OK ? refused(bnd_decode_f64(y, codes, CHUNK, f, &how, &why)) : status;
    sum = hash(hash(sum, y, sizeof y), &status, sizeof status);
    memset(codes, 0, sizeof codes);
    status = refused(bnd_encode_f32(codes, xs, CHUNK, f, &how, NULL, &why));
    sum = hash(hash(sum, codes, sizeof codes), &status, sizeof status);
    memset(ys, 0, sizeof ys);
    status = status == BND_OK ? refused(bnd_decode_f32(ys, codes, CHUNK, f, &how, &why)) : status;
    sum = hash(hash(sum, ys, sizeof ys), &status, sizeof status);
    memset(y, 0, sizeof y);
    memset(ys, 0, sizeof ys);
    status = refused(bnd_round_f64(y, x, CHUNK, f, &how, NULL, &why));
    sum = hash(hash(sum, y, sizeof y), &status, sizeof status);
    status = refused(bnd_round_f32(ys, xs, CHUNK, f, &how, NULL, &why));
    return hash(hash(sum, ys, sizeof ys), &status, sizeof status);
}

#ifdef __wasm__
#define EXPORTED(name) __attribute__((export_name(#name), used)) name
#else
#define EXPORTED(name) name
#endif

uint64_t EXPORTED(bits_hash)(uint32_t row, uint32_t rounding, uint32_t count);
uint32_t EXPORTED(bits_work)(uint32_t work, uint32_t row, uint32_t n);
uint32_t EXPORTED(bits_formats)(void);

uint32_t EXPORTED(bits_formats)(void)
{
    return (uint32_t)bnd_format_count();
}

uint64_t EXPORTED(bits_hash)(uint32_t row, uint32_t rounding, uint32_t count)
{
    uint64_t sum = 0xcbf29ce484222325U;
    bnd_rule rule = {.rounding = (uint8_t)rounding, .random_bits = (uint8_t)(rounding == BND_ROUND_SRA ? 4 : 0)};
    for (uint64_t first = 0; first < count; first += CHUNK) {
        sum = hash_chunk(sum, bnd_format_at(row), rule, first);
    }
    return sum;
}

/* One pass over n numbers: encode, decode and round fp32, the same stochastically, and one by one. Returns a byte of
 * the result; 255 without memory. */
uint32_t EXPORTED(bits_work)(uint32_t work, uint32_t row, uint32_t n)
{
    static float *x, *y;
    static unsigned char *codes;
    static uint32_t room;
    if (room < n) {
        free(x);
        free(y);
        free(codes);
        x = malloc(n * sizeof *x);
        y = malloc(n * sizeof *y);
        codes = calloc(n, 8);
        room = x != NULL && y != NULL && codes != NULL ? n : 0;
        for (uint32_t i = 0; i < room; i++) {
            x[i] = (float)((double)(mixed(i) >> 40) * 0x1p-24 - 0.5) * 4;
        }
    }
    if (room < n || work >= WORKS) {
        return 255;
    }
    const bnd_format *f = bnd_format_at(row);
    bnd_array how = {.rule = {.rounding = (uint8_t)(work == 1 || work == 4 ? BND_ROUND_SR : BND_ROUND_RNE)}};
    bnd_error why;
    bnd_status status = BND_OK;
    if (work == 0 || work == 1) {
        status = bnd_encode_f32(codes, x, n, f, &how, NULL, &why);
    } else if (work == 2) {
        status = bnd_decode_f32(y, codes, n, f, &how, &why);
    } else if (work == 3 || work == 4) {
        status = bnd_round_f32(y, x, n, f, &how, NULL, &why);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            codes[i] = (unsigned char)bnd_encode_float(f, x[i], how.rule, 0).code;
        }
    }
    return status == BND_OK ? codes[n / 2] : 255;
}

#ifndef __wasm__
static int speed(char **words)
{
    uint32_t work = (uint32_t)strtoul(words[0], NULL, 10), n = (uint32_t)strtoul(words[2], NULL, 10), row = 0;
    while (row < bnd_format_count() && strcmp(bnd_format_at(row)->name, words[1]) != 0) {
        row++;
    }
    struct timespec begin, end;
    if (row == bnd_format_count() ||
        bits_work(work, row, n) == 255) { /* the first pass has the pages of its memory to get */
        return EXIT_FAILURE;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    bits_work(work, row, n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld\n", (long long)(end.tv_sec - begin.tv_sec) * 1000000000 + (end.tv_nsec - begin.tv_nsec));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "speed") == 0) {
        return speed(argv + 2);
    }
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : CHUNK;
    for (uint32_t row = 0; row < bits_formats(); row++) {
        for (uint32_t rounding = 0; rounding < BND_ROUND_COUNT; rounding++) {
            printf("%s %s %llu\n", bnd_format_at(row)->name, bnd_rounding_name(BND_AS(bnd_rounding, rounding)),
                   (unsigned long long)bits_hash(row, rounding, count));
        }
    }
    return EXIT_SUCCESS;
}
#endif
