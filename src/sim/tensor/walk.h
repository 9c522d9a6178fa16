/* How the elements of a tensor lie in memory, as a shape broadcasts it.
 *
 * A work type is one of bulk/: numbers of fp32 (BNDI_WORDS_32) or of fp64. */
#ifndef BINADE_SRC_TENSOR_WALK_H
#define BINADE_SRC_TENSOR_WALK_H

#include "bulk/bulk.h"
#include "tensor/handle.h"

static inline size_t bndi_work_size(bndi_width work)
{
    return work == BNDI_WORDS_32 ? sizeof(float) : sizeof(double);
}

/* A tensor as a shape broadcasts it, its axes joined where memory allows. */
typedef struct bndi_walk {
    bnd_format format;
    bndi_storage storage;
    unsigned char *data;
    size_t offset, rank, extent[BND_TENSOR_RANK_MAX];
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bndi_width work;
    bool plain;   /* numbers of the work type, side by side */
    bool integer; /* not codes of the format, but integers, or what shares scales */
    const bndi_scaled *scaled;
    bool is_signed; /* in two's complement or without a sign */
    bnd_engine *engine;
} bndi_walk;

void bndi_walk_open(bndi_walk *w, const bnd_tensor *t, const bndi_shape *as, bndi_width work);

/* Stretches along the last axis, one after another: the first has element `at`. */
typedef struct bndi_walk_stretch {
    size_t index[BND_TENSOR_RANK_MAX];
    size_t start, length; /* in elements of the buffer */
} bndi_walk_stretch;
void bndi_first_stretch(bndi_walk_stretch *r, const bndi_walk *w, size_t at);
void bndi_next_stretch(bndi_walk_stretch *r, const bndi_walk *w);

/* Elements at .. at + n - 1 in row-major order as they are stored, in words: of their own size, or, where codes share
 * bytes, of the smallest size that holds one. */
unsigned bndi_word_bytes(const bndi_walk *w);
void bndi_read_words(unsigned char *to, const bndi_walk *w, size_t at, size_t n);
void bndi_write_codes(const bndi_walk *w, size_t at, size_t n, const void *words);

#endif
