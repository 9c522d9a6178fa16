/* Arrays between memory and the kernels: elements are read and written, and pieces are distributed to threads. */
#include "base/verify.h"
#include "bulk/array_layout.h"
#include "bulk/environment.h"
#include "bulk/threads.h"

/* ---- the layout of elements ---- */

static bndi_side with_place(bndi_side s, ptrdiff_t stride)
{
    s.stride = stride != 0 ? stride : 1;
    s.plain = s.stride == 1 && !s.storage.packed && !(s.codes && BNDI_BIG_ENDIAN);
    return s;
}

bndi_side bndi_side_of_numbers(bndi_width width, ptrdiff_t stride)
{
    unsigned bytes = width == BNDI_WORDS_32 ? 4 : 8;
    bndi_side s = {.format = *bnd_lab_format_of_words(width), .storage = {.bits = 8 * bytes}, .bytes = bytes};
    return with_place(s, stride);
}

static unsigned whole_bytes(unsigned bits)
{
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

bndi_side bndi_side_of_codes(const bnd_format *f, uint8_t packing, ptrdiff_t stride)
{
    bndi_storage storage = bnd_lab_storage_of(f, packing);
    bndi_side s = {.format = *f, .storage = storage, .bytes = whole_bytes(storage.bits), .codes = true};
    return with_place(s, stride);
}

/* Do n elements of 8 bytes, `stride` elements apart, span less than the range of pointer differences? Then every count
 * of bits and bytes here is in range. */
static bool fits_memory(size_t n, ptrdiff_t stride)
{
    size_t steps = stride < 0 ? 0 - (size_t)stride : (size_t)stride;
    return n <= PTRDIFF_MAX / 64 / steps;
}

bnd_status bndi_check_side(const bndi_side *s, size_t n, bnd_error *why)
{
    if (s->codes && s->format.width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes; round to it instead",
                        s->format.name);
    }
    if (!fits_memory(1, s->stride)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a stride of %lld elements leads outside the address space",
                        (long long)s->stride);
    }
    if (!fits_memory(n, s->stride)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of %zu elements does not fit memory", n);
    }
    if (s->storage.packed && s->stride != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "packed codes of %s share bytes and cannot have a stride; unpack them, or use a stride of 1",
                        s->format.name);
    }
    return BND_OK;
}

const void *bndi_bring(const bndi_kernels *kernels, const void *array, const bndi_side *s, void *buffer, size_t at,
                       size_t n)
{
    if (s->plain) {
        return (const char *)array + at * s->bytes;
    }
    BNDI_VERIFY(!s->storage.packed || at % 8 == 0);
    if (s->storage.packed) {
        kernels->unpack(buffer, (const char *)array + at / 8 * s->storage.bits, s->bytes, s->storage.bits, n);
        return buffer;
    }
    bnd_lab_gather(buffer, array, s->bytes, at, s->stride, n);
    if (s->codes && BNDI_BIG_ENDIAN) {
        bnd_lab_swap(buffer, s->bytes, n);
    }
    return buffer;
}

void bndi_put_away(const bndi_kernels *kernels, const bndi_side *s, void *array, void *buffer, size_t at, size_t n)
{
    BNDI_VERIFY(!s->storage.packed || at % 8 == 0);
    if (s->storage.packed) {
        kernels->pack((char *)array + at / 8 * s->storage.bits, buffer, s->bytes, s->storage.bits, n);
        return;
    }
    if (s->codes && BNDI_BIG_ENDIAN) {
        bnd_lab_swap(buffer, s->bytes, n);
    }
    if (s->stride == 1) {
        __builtin_memcpy((char *)array + at * s->bytes, buffer, n * s->bytes);
    } else {
        bnd_lab_scatter(array, buffer, s->bytes, at, s->stride, n);
    }
}

/* ---- pieces and threads ---- */

typedef struct sharing {
    bndi_side_work *work;
    const void *job;
    bnd_stats *stats;
    size_t first, n;
} sharing;

static size_t threads_for(const bnd_array *how, size_t n)
{
    size_t asked = how->context != NULL ? how->context->threads : 1, most = n / BNDI_SHARED;
    return asked < most ? asked : most;
}

static void share_piece(const sharing *s, bndi_tally *tally, size_t i)
{
    size_t at = s->first + i * BNDI_PIECE, left = s->n - at;
    s->work(s->job, tally, at, left < BNDI_PIECE ? left : BNDI_PIECE);
}

typedef struct counted {
    bnd_stats *stats;
    bndi_tally tally;
} counted;

static void add_tally(void *state)
{
    counted *c = state;
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_lab_tally_add(c->stats, &c->tally);
    bndi_leave(before);
}

static void count_piece(void *job, size_t i, bool in_order)
{
    const sharing *s = job;
    counted c = {.stats = s->stats};
    share_piece(s, &c.tally, i);
    bnd_lab_in_order(in_order, add_tally, &c);
}

static void pass_piece(void *job, size_t i, bool in_order)
{
    (void)in_order;
    share_piece(job, NULL, i);
}

void bndi_share(bndi_side_work *work, const void *job, const bnd_array *how, bnd_stats *stats, size_t first, size_t n)
{
    sharing s = {.work = work, .job = job, .stats = stats, .first = first, .n = n};
    const bool counts = stats != NULL;
    bnd_lab_parallel(threads_for(how, n), counts ? BNDI_IN_ORDER : BNDI_EVENLY, counts ? count_piece : pass_piece, &s,
                     (n - first + BNDI_PIECE - 1) / BNDI_PIECE);
}
