/* Tensors whose numbers share scales. */
#ifndef BINADE_SRC_TENSOR_SCALED_H
#define BINADE_SRC_TENSOR_SCALED_H

#include "bulk/bulk.h"
#include "tensor/casts.h"
#include "tensor/handle.h"

/* ---- reading (scaled_read.c) ---- */

/* How codes lie; words to elements; and y = x, those that begin at `start` in the buffer, times their
 * scales. */
bool bndi_scaled_read_all(float *x, const bnd_tensor *t); /* false: not in one go, or it shares no scales */
bndi_storage bndi_storage_of_scaled(const bndi_scaled *s);
void bndi_scaled_decode(float *x, const void *words, size_t n, const bndi_scaled *s);
void bndi_scaled_apply(float *y, const float *x, const bndi_scaled *s, size_t start, ptrdiff_t stride, size_t n);
bool bndi_scaled_is_whole(const bnd_tensor *t); /* all numbers that share scales, side by side */

/* ---- making and storing (scaled.c) ---- */

/* Bytes of n codes; 0 for a value set without codes. Value sets of integers, as p7emin0emax0, count with a sign and
 * `precision` bits, as hardware keeps them. */
size_t bndi_packed_codes(const bnd_format *f, size_t n);

/* The bytes of a tensor stored for a role with this cast (NULL: fp32). Allocates nothing. */
typedef struct bndi_scaled_room {
    size_t codes, scales;
} bndi_scaled_room;
BND_CHECKED bnd_status bndi_room_for(bndi_scaled_room *out, const bnd_cast *cast, bnd_role role,
                                     const bndi_shape *shape, bnd_error *why);

/* A tensor of the policy's format for a role that is stored: with its scales, where it has some. Zeros. */
BND_CHECKED bnd_status bndi_tensor_for(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bndi_shape *shape,
                                       bnd_error *why);

/* Between these two `t` has plain numbers of fp32, in scratch; then its own storage again, of the role's rule. Of a
 * tensor without scales they do nothing. thaw_room: what the numbers are is not set. */
BND_CHECKED bnd_status bndi_thaw_room(bnd_tensor *t, bndi_buffer **kept, bnd_error *why);
BND_CHECKED bnd_status bndi_thaw(bnd_tensor *t, bndi_buffer **kept, bnd_error *why);
void bndi_freeze(bnd_tensor *t, bndi_buffer *kept, bnd_role role);

/* Of the same shape and format, and the same way of sharing scales? Then their bytes may be copied. */
bool bndi_stored_alike(const bnd_tensor *a, const bnd_tensor *b);
void bndi_copy_storage(bnd_tensor *y, const bnd_tensor *x);

/* How numbers share scales, in words: "e4m3/tile:128x128:nearest", "udynamic:256". */
enum { BNDI_SCALED_TEXT = 128 };
void bndi_scaled_text(char out[BNDI_SCALED_TEXT], const bndi_scaled *s);

/* y = x, y += x as below, also where y shares scales. */
BND_CHECKED bnd_status bndi_assign(bnd_tensor *y, const bnd_tensor *x, bnd_role role, const bndi_store *how, bool adds,
                                   bnd_error *why);

#endif
