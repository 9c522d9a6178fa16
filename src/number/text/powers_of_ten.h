/* Numbers times powers of ten, truncated to a number of words, with an error bound. With enough words nothing is cut
 * and the product is exact. Few words are enough for almost every question, so each is first tried with few. */
#ifndef BINADE_SRC_TEXT_POWERS_OF_TEN_H
#define BINADE_SRC_TEXT_POWERS_OF_TEN_H

#include "text/naturals.h"
#include <binade/base.h>

/* A positive number x. error == 0: x is natural * 2^exponent. Otherwise the natural has all `words` words of the room
 * (except perhaps the top bit), and with d = 2^-(64 words - 1)
 *     natural * 2^exponent < x <= natural * (1 + error d) * 2^exponent. */
typedef struct bndi_cut {
    bndi_natural natural;
    int64_t exponent;
    uint64_t error;
} bndi_cut;

/* Memory for numbers of `words` words: the number itself, a power of five, and a product of two. */
typedef struct bndi_room {
    size_t words;
    uint64_t *number, *power, *product;
    size_t number_capacity;
} bndi_room;

/* The sizes of the first two rooms: 128 bits for the answer and 128 guard bits; then enough for some hundred digits. */
enum { BNDI_FEW_WORDS = 4, BNDI_SOME_WORDS = 40 };

/* The words that are always enough for reading into a format with codes, or for its shortest decimals. These formats
 * have at most 52 bits of fraction, 15 of exponent, and a bias of at most 2^15: their midpoints, and what 62 random
 * bits tell apart below them, lie from 2^-32891 > 10^-9902 to 2^65535 < 10^19729. A decimal d.ddd * 10^a has at most
 * 130 + 7 |a| / 3 digits that decide where a < 0, and a + 128 elsewhere (parse.c). From a = -9910 to 19740 these are
 *     23,253 digits, 77,245 bits; with 5^33162, which has 77,001 bits; a < 0
 *     19,868 digits, 66,000 bits                                       a >= 0
 * and 1,207 words hold any of them. */
enum { BNDI_MANY_WORDS = 1216, BNDI_LEAST_LEADING = -9910, BNDI_MOST_LEADING = 19740 };

/* The memory of a room. The number has extra words, so that it can be converted to digits in place. */
#define BNDI_NUMBER_CAPACITY(words) BNDI_CHUNKS_CAPACITY((words) + 3)
#define BNDI_ROOM_WORDS(words)      (BNDI_NUMBER_CAPACITY(words) + (words) + 3 + 2 * (words) + 6)
bndi_room bndi_room_in(uint64_t *memory, size_t words);

/* Asks a question in rooms of more and more words: `attempt` answers true if `words` were enough. The first three rooms
 * are on the stack (with BNDI_MANY_WORDS 39 KiB); larger ones are allocated: BND_NO_MEMORY. `least`: the smallest
 * number of words to try. */
typedef bool (*bndi_attempt)(void *question, const bndi_room *room);
BND_CHECKED bnd_status bndi_try_rooms(bndi_attempt attempt, void *question, size_t least);

/* Drops the low words that do not fit the room. */
void bndi_cut_to(bndi_cut *x, size_t words);

/* 5^exponent, in the room's power. */
bndi_cut bndi_cut_power_of_five(const bndi_room *room, uint64_t exponent);

/* x * 10^exponent in the room's number, which may also hold x; `power` is 5^|exponent|. */
void bndi_cut_times_ten(bndi_cut *x, const bndi_room *room, int64_t exponent, const bndi_cut *power);

/* How far the number may be above `natural`, in units of its last place. */
static inline uint64_t bndi_cut_width(const bndi_cut *x)
{
    return 2 * x->error;
}

#endif
