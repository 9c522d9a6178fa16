/* XXH64. A stripe of 32 bytes is a word of 8 bytes for each of four lanes, which do not wait for each other:
 *
 *   word            x0    x1    x2    x3     x4    x5 ...
 *   lane             0     1     2     3      0     1
 *   lane := rotl(lane + word * P2, 31) * P1
 *
 * At the end the lanes become one number, which then takes the bytes that are left: words of 8, one of 4, single ones.
 * Every step is one-to-one in the word and in the number, so that a changed word always changes its lane. */
#include "store/checksum.h"

#include <string.h>

#include "bulk/bulk.h"

static const uint64_t p1 = UINT64_C(0x9e3779b185ebca87), p2 = UINT64_C(0xc2b2ae3d27d4eb4f),
                      p3 = UINT64_C(0x165667b19e3779f9), p4 = UINT64_C(0x85ebca77c2b2ae63),
                      p5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t rotated(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* `size` bytes as a number, the lowest first. Of 8 bytes, that is a load of the machine. */
static uint64_t word_at(const unsigned char *at, size_t size)
{
    uint64_t word = 0;
    if (size == sizeof word && !BNDI_BIG_ENDIAN) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)at[i] << 8 * i;
    }
    return word;
}

static uint64_t mixed(uint64_t lane, uint64_t word)
{
    return rotated(lane + word * p2, 31) * p1;
}

static void add_stripes(bndi_checksum *sum, const unsigned char *at, size_t stripes)
{
    uint64_t a = sum->lane[0], b = sum->lane[1], c = sum->lane[2], d = sum->lane[3];
    for (size_t i = 0; i < stripes; i++, at += BNDI_CHECKSUM_STRIPE) {
        a = mixed(a, word_at(at, 8));
        b = mixed(b, word_at(at + 8, 8));
        c = mixed(c, word_at(at + 16, 8));
        d = mixed(d, word_at(at + 24, 8));
    }
    sum->lane[0] = a;
    sum->lane[1] = b;
    sum->lane[2] = c;
    sum->lane[3] = d;
}

void bndi_checksum_begin(bndi_checksum *sum)
{
    *sum = (bndi_checksum){.lane = {p1 + p2, p2, 0, 0 - p1}};
}

void bndi_checksum_add(bndi_checksum *sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    const size_t room = BNDI_CHECKSUM_STRIPE - sum->held, first = length < room ? length : room;
    if (length == 0) {
        return;
    }
    sum->length += length;
    if (sum->held > 0 || length < BNDI_CHECKSUM_STRIPE) {
        memcpy(sum->rest + sum->held, at, first);
        sum->held += first;
        at += first;
        length -= first;
        if (sum->held < BNDI_CHECKSUM_STRIPE) {
            return;
        }
        add_stripes(sum, sum->rest, 1);
    }
    add_stripes(sum, at, length / BNDI_CHECKSUM_STRIPE);
    sum->held = length % BNDI_CHECKSUM_STRIPE;
    if (sum->held > 0) {
        memcpy(sum->rest, at + (length - sum->held), sum->held);
    }
}

static uint64_t of_lanes(const bndi_checksum *sum)
{
    const uint64_t *lane = sum->lane;
    if (sum->length < BNDI_CHECKSUM_STRIPE) {
        return p5;
    }
    uint64_t x = rotated(lane[0], 1) + rotated(lane[1], 7) + rotated(lane[2], 12) + rotated(lane[3], 18);
    for (size_t i = 0; i < BNDI_CHECKSUM_LANES; i++) {
        x = (x ^ mixed(0, lane[i])) * p1 + p4;
    }
    return x;
}

uint64_t bndi_checksum_of(const bndi_checksum *sum)
{
    uint64_t x = of_lanes(sum) + sum->length;
    size_t i = 0;
    for (; i + 8 <= sum->held; i += 8) {
        x = rotated(x ^ mixed(0, word_at(sum->rest + i, 8)), 27) * p1 + p4;
    }
    for (; i + 4 <= sum->held; i += 4) {
        x = rotated(x ^ word_at(sum->rest + i, 4) * p1, 23) * p2 + p3;
    }
    for (; i < sum->held; i++) {
        x = rotated(x ^ sum->rest[i] * p5, 11) * p1;
    }
    x = (x ^ x >> 33) * p2;
    x = (x ^ x >> 29) * p3;
    return x ^ x >> 32;
}

void bndi_checksum_digits(char *out, uint64_t checksum)
{
    for (unsigned i = 0; i < BNDI_CHECKSUM_DIGITS; i++) {
        out[i] = "0123456789abcdef"[checksum >> (60 - 4 * i) & 15];
    }
}
