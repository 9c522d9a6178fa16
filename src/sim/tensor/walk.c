/* How the elements of a tensor lie in memory. Only this file knows how codes are laid out. */
#include "tensor/scaled.h"
#include "tensor/walk.h"

/* ---- walks ---- */

/* Axes that follow each other in memory become one; those of one element go. */
static void join_axes(bndi_walk *w, const bndi_shape *as, const ptrdiff_t *stride)
{
    w->rank = 0;
    for (size_t i = 0; i < as->rank; i++) {
        size_t last = w->rank - 1;
        if (as->extent[i] == 1) {
            continue;
        }
        if (w->rank > 0 && w->stride[last] == stride[i] * (ptrdiff_t)as->extent[i]) {
            w->extent[last] *= as->extent[i];
            w->stride[last] = stride[i];
        } else {
            w->extent[w->rank] = as->extent[i];
            w->stride[w->rank] = stride[i];
            w->rank++;
        }
    }
    if (w->rank == 0) {
        w->rank = 1;
        w->extent[0] = 1;
        w->stride[0] = 1;
    }
}

void bndi_walk_open(bndi_walk *w, const bnd_tensor *t, const bndi_shape *as, bndi_width work)
{
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    for (size_t i = 0; i < as->rank; i++) {
        size_t missing = as->rank - t->shape.rank;
        bool repeats = i < missing || t->shape.extent[i - missing] != as->extent[i];
        stride[i] = repeats ? 0 : t->stride[i - missing];
    }
    w->format = t->format;
    w->storage = bnd_lab_storage_of(&t->format, BND_PACKING_PACKED);
    w->data = t->buffer->data;
    w->offset = t->offset;
    w->work = work;
    w->engine = t->engine;
    w->scaled = t->buffer->scaled;
    w->integer = t->buffer->integer != 0 || w->scaled != NULL;
    w->is_signed = t->buffer->is_signed;
    if (w->integer) {
        w->storage =
            w->scaled != NULL ? bndi_storage_of_scaled(w->scaled) : (bndi_storage){.bits = 8u * t->buffer->integer};
    }
    join_axes(w, as, stride);
    w->plain = !w->integer && t->format.row >= 0 && t->format.row == bnd_lab_format_of_words(work)->row &&
               w->rank == 1 && w->stride[0] == 1;
}

void bndi_first_stretch(bndi_walk_stretch *r, const bndi_walk *w, size_t at)
{
    r->start = w->offset;
    for (size_t i = w->rank; i-- > 0;) {
        r->index[i] = at % w->extent[i];
        at /= w->extent[i];
        r->start += (size_t)((ptrdiff_t)r->index[i] * w->stride[i]);
    }
    r->length = w->extent[w->rank - 1] - r->index[w->rank - 1];
}

void bndi_next_stretch(bndi_walk_stretch *r, const bndi_walk *w)
{
    size_t last = w->rank - 1;
    r->start -= (size_t)((ptrdiff_t)r->index[last] * w->stride[last]);
    r->index[last] = 0;
    for (size_t i = last; i-- > 0;) {
        r->start += (size_t)w->stride[i];
        if (++r->index[i] < w->extent[i]) {
            break;
        }
        r->start -= (size_t)((ptrdiff_t)r->index[i] * w->stride[i]);
        r->index[i] = 0;
    }
    r->length = w->extent[last];
}

/* ---- codes of less than a byte, or that share bytes ---- */

static uint64_t get_bits(const unsigned char *data, size_t bit, unsigned bits)
{
    uint64_t code = 0;
    for (unsigned got = 0; got < bits;) {
        unsigned skip = (unsigned)(bit % 8), take = 8 - skip < bits - got ? 8 - skip : bits - got;
        code |= (uint64_t)((unsigned)data[bit / 8] >> skip & ((1u << take) - 1)) << got;
        got += take;
        bit += take;
    }
    return code;
}

static void put_bits(unsigned char *data, size_t bit, unsigned bits, uint64_t code)
{
    for (unsigned done = 0; done < bits;) {
        unsigned skip = (unsigned)(bit % 8), take = 8 - skip < bits - done ? 8 - skip : bits - done;
        unsigned mask = ((1u << take) - 1) << skip;
        data[bit / 8] = (unsigned char)((data[bit / 8] & ~mask) | ((unsigned)(code >> done) << skip & mask));
        done += take;
        bit += take;
    }
}

/* ---- runs of codes ---- */

/* As they are stored; those that share bytes in the smallest word that holds one. */
unsigned bndi_word_bytes(const bndi_walk *w)
{
    unsigned bits = w->storage.bits;
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static void read_run(void *words, const bndi_walk *w, size_t start, size_t n)
{
    unsigned bytes = bndi_word_bytes(w);
    ptrdiff_t stride = w->stride[w->rank - 1];
    if (w->storage.packed) {
        for (size_t i = 0; i < n; i++) {
            size_t element = start + (size_t)((ptrdiff_t)i * stride);
            bndi_put(words, bytes, i, get_bits(w->data, element * w->storage.bits, w->storage.bits));
        }
    } else if (stride == 1) {
        __builtin_memcpy(words, w->data + start * bytes, n * bytes);
    } else {
        bnd_lab_gather(words, w->data + start * bytes, bytes, 0, stride, n);
    }
}

static void write_run(const bndi_walk *w, size_t start, const void *words, size_t n)
{
    unsigned bytes = bndi_word_bytes(w);
    ptrdiff_t stride = w->stride[w->rank - 1];
    if (w->storage.packed) {
        for (size_t i = 0; i < n; i++) {
            size_t element = start + (size_t)((ptrdiff_t)i * stride);
            put_bits(w->data, element * w->storage.bits, w->storage.bits, bndi_get(words, bytes, i));
        }
    } else if (stride == 1) {
        __builtin_memcpy(w->data + start * bytes, words, n * bytes);
    } else {
        bnd_lab_scatter(w->data + start * bytes, words, bytes, 0, stride, n);
    }
}

void bndi_read_words(unsigned char *to, const bndi_walk *w, size_t at, size_t n)
{
    unsigned bytes = bndi_word_bytes(w);
    bndi_walk_stretch r;
    bndi_first_stretch(&r, w, at);
    for (size_t done = 0; done < n; bndi_next_stretch(&r, w)) {
        size_t m = r.length < n - done ? r.length : n - done;
        read_run(to + done * bytes, w, r.start, m);
        done += m;
    }
}

void bndi_write_codes(const bndi_walk *w, size_t at, size_t n, const void *words)
{
    const unsigned char *from = words;
    unsigned bytes = bndi_word_bytes(w);
    bndi_walk_stretch r;
    bndi_first_stretch(&r, w, at);
    for (size_t done = 0; done < n; bndi_next_stretch(&r, w)) {
        size_t m = r.length < n - done ? r.length : n - done;
        write_run(w, r.start, from + done * bytes, m);
        done += m;
    }
}
