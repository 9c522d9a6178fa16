/* The arrays of a call: the layout of their elements, how these are read and written for the kernels, and how arrays
 * are distributed to threads. */
#ifndef BINADE_SRC_BULK_ARRAY_LAYOUT_H
#define BINADE_SRC_BULK_ARRAY_LAYOUT_H

#include "bulk/bulk.h"

/* A piece is the unit of work of a thread, and the unit of partial sums, so that sums do not depend on the number of
 * threads. Starting a thread pays if it gets at least SHARED elements (doc/dev/performance-notes.md). */
enum { BNDI_PIECE = 1 << 16, BNDI_SHARED = 1 << 18, BNDI_LINE = 64 };

/* One side of a call: numbers, or codes. */
typedef struct bndi_side {
    bnd_format format;
    bndi_storage storage;
    ptrdiff_t stride;
    unsigned bytes; /* of an element between kernels */
    bool codes;     /* little-endian, perhaps packed; else fp32 or fp64 in the machine's byte order */
    bool plain;     /* the kernels can read or write it where it is */
} bndi_side;

bndi_side bndi_side_of_numbers(bndi_width width, ptrdiff_t stride);
bndi_side bndi_side_of_codes(const bnd_format *f, uint8_t packing, ptrdiff_t stride);

/* Refuses value sets, strides of packed codes, and arrays that are larger than memory. */
BND_CHECKED bnd_status bndi_check_side(const bndi_side *s, size_t n, bnd_error *why);

/* Elements from `at` on, in the layout of the kernels: in place, or copied into a buffer. `at` is a multiple of 8, so
 * that packed codes begin at a whole byte. */
const void *bndi_bring(const bndi_kernels *kernels, const void *array, const bndi_side *s, void *buffer, size_t at,
                       size_t n);

/* The destination of results: the array itself, or a buffer that bndi_put_away stores. */
static inline void *bndi_side_place(const bndi_side *s, void *array, void *buffer, size_t at)
{
    return s->plain ? (char *)array + at * s->bytes : buffer;
}
void bndi_put_away(const bndi_kernels *kernels, const bndi_side *s, void *array, void *buffer, size_t at, size_t n);

/* ---- cores ---- */

/* Processes n elements from `at` on, and counts them if there is a tally. */
typedef void bndi_side_work(const void *job, bndi_tally *tally, size_t at, size_t n);

/* Elements first .. n - 1 in pieces, on as many threads as `how` allows. Counts do not depend on order; sums are added
 * in the order of the pieces. */
void bndi_share(bndi_side_work *work, const void *job, const bnd_array *how, bnd_stats *stats, size_t first, size_t n);

#endif
