/* How often each word of 16 bits occurs. */
#ifndef BINADE_SRC_SCAN_COUNT_WORDS_H
#define BINADE_SRC_SCAN_COUNT_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits outside `mask` do not count. Words are in the machine's order of bytes. */
static inline void bndi_count_words(uint32_t *counts, const unsigned char *codes, size_t n, uint16_t mask)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t four;
        memcpy(&four, codes + 2 * i, sizeof four);
        four &= mask * UINT64_C(0x0001000100010001);
        counts[four & 0xffff]++;
        counts[four >> 16 & 0xffff]++;
        counts[four >> 32 & 0xffff]++;
        counts[four >> 48]++;
    }
    for (; i < n; i++) {
        uint16_t one;
        memcpy(&one, codes + 2 * i, sizeof one);
        counts[one & mask]++;
    }
}

#endif
