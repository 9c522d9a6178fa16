/* Arrays as the calls see them: where their elements lie, how they come to the kernels and back, and how they are
 * shared out over cores. */
#ifndef BINADE_SRC_BULK_ARRAY_LAYOUT_H
#define BINADE_SRC_BULK_ARRAY_LAYOUT_H

#include "bulk/bulk.h"

/* A piece is what one thread takes at a time, and the unit in which sums are made: the same whatever the number of
 * threads. A thread is worth its start from SHARED elements of its own on (doc/dev/performance-notes.md). */
enum { BNDI_PIECE = 1 << 16, BNDI_SHARED = 1 << 18, BNDI_LINE = 64 };

/* One side of a call: numbers, or codes. */
typedef struct bndi_side {
    bnd_format format;
    bndi_storage storage;
    ptrdiff_t stride;
    unsigned bytes; /* of an element between kernels */
    bool codes;     /* little-endian, perhaps packed; else fp32 or fp64 of the machine's own */
    bool plain;     /* the kernels can read or write it where it is */
} bndi_side;

bndi_side bndi_side_of_numbers(bndi_width width, ptrdiff_t stride);
bndi_side bndi_side_of_codes(const bnd_format *f, uint8_t packing, ptrdiff_t stride);

/* Refuses value sets, strides of packed codes, and more than memory holds. */
BND_CHECKED bnd_status bndi_check_side(const bndi_side *s, size_t n, bnd_error *why);

/* Elements `at` and on as the kernels take them: where they are, or brought into a buffer. Where packed codes begin, a
 * byte must: `at` is a multiple of 8. */
const void *bndi_bring(const bndi_kernels *kernels, const void *array, const bndi_side *s, void *buffer, size_t at,
                       size_t n);

/* Where results go: the array itself, or a buffer from which bndi_put_away takes them. */
static inline void *bndi_side_place(const bndi_side *s, void *array, void *buffer, size_t at)
{
    return s->plain ? (char *)array + at * s->bytes : buffer;
}
void bndi_put_away(const bndi_kernels *kernels, const bndi_side *s, void *array, void *buffer, size_t at, size_t n);

/* ---- cores ---- */

/* Works on n elements from `at` on, and counts them where there is a tally. */
typedef void bndi_side_work(const void *job, bndi_tally *tally, size_t at, size_t n);

/* Elements first .. n - 1 in pieces, on as many cores as `how` asks for. Counts need no order; sums are added in the
 * order of the pieces. */
void bndi_share(bndi_side_work *work, const void *job, const bnd_array *how, bnd_stats *stats, size_t first, size_t n);

#endif
