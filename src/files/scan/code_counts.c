/* How often each code occurs: all that formats without scales, and one scale per tensor, depend on. */
#include "scan/count_words.h"
#include "scan/scan.h"

#include <string.h>

/* The counters of a run are 32 bits wide, so that those of common codes stay in the first cache. */
enum { RUN = 1 << 30 };

/* Neighbours go to different counters. */
static void count_run_of_8(uint32_t *counts, const unsigned char *codes, size_t n)
{
    uint32_t lanes[4][256] = {{0}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            lanes[k][codes[i + k]]++;
        }
    }
    for (; i < n; i++) {
        lanes[0][codes[i]]++;
    }
    for (size_t code = 0; code < 256; code++) {
        counts[code] += lanes[0][code] + lanes[1][code] + lanes[2][code] + lanes[3][code];
    }
}

/* A word as the machine reads it, as the little-endian one that it stands for. */
static size_t code_of_word(size_t word, unsigned bytes)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return bytes == 1 || first == 1 ? word : (word >> 8 | word << 8) & 0xffff;
}

void bndi_count_codes(uint64_t *counts, uint32_t *counters, const unsigned char *codes, unsigned bytes, size_t n)
{
    const size_t all = bytes == 1 ? 256 : BNDI_CODES;
    for (size_t at = 0; at < n; at += RUN) {
        size_t run = n - at < RUN ? n - at : RUN;
        if (bytes == 1) {
            count_run_of_8(counters, codes + at, run);
        } else {
            bndi_count_words(counters, codes + 2 * at, run, 0xffff);
        }
        for (size_t word = 0; word < all; word++) {
            counts[code_of_word(word, bytes)] += counters[word];
            counters[word] = 0;
        }
    }
}
