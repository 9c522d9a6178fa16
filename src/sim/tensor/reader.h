/* Reading and writing the numbers of tensors, one chunk at a time. */
#ifndef BINADE_SRC_TENSOR_READER_H
#define BINADE_SRC_TENSOR_READER_H

#include "tensor/casts.h"
#include "tensor/walk.h"

enum { BNDI_TENSOR_CHUNK = 2048 };
typedef union bndi_numbers {
    float f32[BNDI_TENSOR_CHUNK];
    double f64[BNDI_TENSOR_CHUNK];
} bndi_numbers;

/* Elements at .. at + n - 1 (n <= BNDI_TENSOR_CHUNK) in row-major order: in place, or decoded into the buffer. */
const void *bndi_read(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer);

/* The same elements as they are stored (bndi_read_words). */
const void *bndi_read_codes(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer);

/* Where results may be put: the tensor's own memory where it is plain, else the buffer; and then stored. */
void *bndi_walk_place(const bndi_walk *w, size_t at, bndi_numbers *buffer);
void bndi_write(const bndi_walk *w, size_t at, size_t n, const void *numbers, const bndi_store *how);

/* Where element `at` of a plain walk lies. */
unsigned char *bndi_plain_place(const bndi_walk *w, size_t at);

/* May threads read these walks, and write to `to` if it is not NULL, at the same time, each its own chunks? The
 * conversions that they need are made here, so that nothing that the engine keeps is changed. */
bool bndi_threads_may(bnd_engine *engine, const bndi_walk *const *from, unsigned count, const bndi_walk *to,
                      const bndi_store *how);

/* Into how many parts n elements are best divided: 1, or one for each thread. */
size_t bndi_parts_of(const bnd_engine *engine, size_t n);

/* Pieces of n elements, `step` of them at a time, which is a multiple of a chunk; the same ones for any number of
 * parts, each of which goes to a thread. */
typedef void bndi_walk_work(void *of, size_t at, size_t n);
void bndi_each_piece(size_t n, size_t step, size_t parts, bndi_walk_work *work, void *of);

/* Pieces that store. Each has a part, 0 .. parts - 1, whose buffers no other piece uses at the time. Where `log` is
 * NULL a piece counts by `how`. Otherwise each of its calls of bndi_write, at most `writes`, has a log of its own, the
 * next one: they are added in the order of the pieces, which gives the same sums as one thread. */
typedef void bndi_store_work(void *of, size_t piece, size_t part, bnd_stats *log);
void bndi_store_pieces(size_t count, size_t writes, size_t parts, const bndi_store *how, bndi_store_work *work,
                       void *of);

/* The same for n numbers, `step` at a time, each piece with one write, by the `how` that it is given. */
typedef void bndi_chunk_work(void *of, size_t at, size_t n, const bndi_store *how);
void bndi_store_chunks(size_t n, size_t step, size_t parts, const bndi_store *how, bndi_chunk_work *work, void *of);

/* Are numbers stored as they are, uncounted, if each NaN among them is the canonical one already? */
bool bndi_stores_results(const bndi_walk *w, const bndi_store *how);

/* To nearest, with no policy to apply and nothing to count? */
bool bndi_stores_simply(const bndi_store *how);

/* The same, wherever there is room for n numbers. */
void bndi_read_into(void *numbers, const bndi_walk *w, size_t at, size_t n);

/* Between numbers of the work type and codes of f in whole words, by a rule; NULL where that needs a call of bulk/.
 * Valid until the next call. */
const bndi_ready *bndi_conversion(bnd_engine *engine, bndi_width work, const bnd_format *f, bnd_rule rule);

/* The whole of a tensor as numbers of the work type in row-major order: in place where it lies so already, else as a
 * scratch copy. */
typedef struct bndi_whole {
    const void *numbers;
    bndi_buffer *copy;
} bndi_whole;
void bndi_read_all(void *numbers, const bnd_tensor *t, bndi_width work); /* the same, into memory of the caller's */
BND_CHECKED bnd_status bndi_whole_open(bndi_whole *out, const bnd_tensor *t, bndi_width work, bnd_error *why);
void bndi_whole_close(bndi_whole *whole);

#endif
