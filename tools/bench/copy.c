/* Copies of the same number of bytes, by as many threads as the case has: the references. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

bool bench_copy_open(bench_copy *copy, size_t bytes)
{
    *copy = (bench_copy){.from = bench_allocate(bytes), .to = bench_allocate(bytes), .bytes = bytes, .threads = 1};
    if (copy->from == NULL || copy->to == NULL) {
        bench_copy_close(copy);
        return false;
    }
    return true;
}

void bench_copy_close(bench_copy *copy)
{
    free(copy->from);
    free(copy->to);
    copy->from = copy->to = NULL;
}

static void plain(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory"); /* else the compiler would remove the unread copy */
}

/* `from` and `to` stand at multiples of 64. */
static void streaming(unsigned char *to, const unsigned char *from, size_t bytes)
{
    size_t lines = bytes / 64;
#if defined(__SSE2__)
    const __m128i *source = (const __m128i *)(const void *)from;
    __m128i *target = (__m128i *)(void *)to;
    for (size_t i = 0; i < lines; i++) {
        __m128i a = _mm_load_si128(source + 4 * i), b = _mm_load_si128(source + 4 * i + 1);
        __m128i c = _mm_load_si128(source + 4 * i + 2), d = _mm_load_si128(source + 4 * i + 3);
        _mm_stream_si128(target + 4 * i, a);
        _mm_stream_si128(target + 4 * i + 1, b);
        _mm_stream_si128(target + 4 * i + 2, c);
        _mm_stream_si128(target + 4 * i + 3, d);
    }
    _mm_sfence();
#else
    lines = 0;
#endif
    plain(to + 64 * lines, from + 64 * lines, bytes - 64 * lines);
}

bool bench_can_stream(void)
{
#if defined(__SSE2__)
    return true;
#else
    return false;
#endif
}

static void in_parts(const bench_copy *copy, void (*one)(unsigned char *to, const unsigned char *from, size_t bytes))
{
    if (copy->threads <= 1) {
        one(copy->to, copy->from, copy->bytes);
        return;
    }
    size_t part = (copy->bytes / copy->threads / 64 + 1) * 64;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(copy->threads) schedule(static)
#endif
    for (unsigned i = 0; i < copy->threads; i++) {
        size_t at = i * part;
        size_t left = at < copy->bytes ? copy->bytes - at : 0;
        one(copy->to + (left > 0 ? at : 0), copy->from + (left > 0 ? at : 0), left < part ? left : part);
    }
}

void bench_copy_plain(void *copy)
{
    in_parts(copy, plain);
}

void bench_copy_streaming(void *copy)
{
    in_parts(copy, streaming);
}
