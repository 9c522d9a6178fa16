/* A formula over whole tensors, element by element: copies and sums in place among them. */
#include "bulk/threads.h"
#include "tensor/engine.h"
#include "tensor/formula.h"

enum { MOST = 3 };

/* A formula made ready; parts of it go to threads. */
typedef struct pass {
    bndi_formula *formula;
    bndi_walk to, from[MOST];
    unsigned operands;
    double k;
    size_t n, parts;
    const bndi_store *how;
    bool writes; /* or statistics are counted afterwards, in the order of elements */
} pass;

/* Chunks of one part: the same ones for any number of parts. */
static void run_part(void *of, size_t i, bool in_order)
{
    const pass *p = of;
    const size_t chunks = (p->n + BNDI_TENSOR_CHUNK - 1) / BNDI_TENSOR_CHUNK;
    const size_t end = chunks * (i + 1) / p->parts * BNDI_TENSOR_CHUNK;
    bndi_numbers out, buffers[MOST];
    (void)in_order;
    for (size_t at = chunks * i / p->parts * BNDI_TENSOR_CHUNK; at < end; at += BNDI_TENSOR_CHUNK) {
        const size_t m = p->n - at < BNDI_TENSOR_CHUNK ? p->n - at : BNDI_TENSOR_CHUNK;
        const void *numbers[MOST] = {NULL};
        for (unsigned o = 0; o < p->operands; o++) {
            numbers[o] = bndi_read(&p->from[o], at, m, &buffers[o]);
        }
        void *place = bndi_walk_place(&p->to, at, &out);
        p->formula(place, numbers, p->k, m);
        if (p->writes) {
            bndi_write(&p->to, at, m, place, p->how);
        }
    }
}

/* y = formula(in...), each broadcast to y. */
void bndi_run_formula(bnd_tensor *y, bndi_formula_name name, const bnd_tensor *const *in, double k, bndi_width work,
                      const bndi_store *how)
{
    pass p = {.formula = bndi_maths_of(&y->engine->context)->formula[work][name],
              .k = k,
              .n = bndi_count(&y->shape),
              .how = how};
    bndi_walk_open(&p.to, y, &y->shape, work);
    bool alone = bndi_writes_alone(&p.to, how);
    for (; p.operands < MOST && in[p.operands] != NULL; p.operands++) {
        bndi_walk_open(&p.from[p.operands], in[p.operands], &y->shape, work);
        alone = alone && bndi_reads_alone(&p.from[p.operands]);
    }
    p.parts = alone ? bndi_parts_of(y->engine, p.n) : 1;
    p.writes = p.parts == 1 || how->stats == NULL;
    bnd_lab_parallel(p.parts, BNDI_EVENLY, run_part, &p, p.parts);
    for (size_t at = 0; !p.writes && at < p.n; at += BNDI_TENSOR_CHUNK) {
        const size_t m = p.n - at < BNDI_TENSOR_CHUNK ? p.n - at : BNDI_TENSOR_CHUNK;
        bndi_write(&p.to, at, m, bndi_plain_place(&p.to, at), how);
    }
}

void bndi_scale_into(bnd_tensor *y, const bnd_tensor *x, double k, const bndi_store *how)
{
    bool narrow = bnd_lab_words_hold(BNDI_WORDS_32, &x->format) && bnd_lab_words_hold(BNDI_WORDS_32, &y->format);
    bndi_run_formula(y, BNDI_F_scale, (const bnd_tensor *[]){x, NULL, NULL}, k, narrow ? BNDI_WORDS_32 : BNDI_WORDS_64,
                     how);
}

static void combine(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how, bool adds)
{
    bndi_width work = bnd_lab_words_hold(BNDI_WORDS_32, &y->format) && bnd_lab_words_hold(BNDI_WORDS_32, &x->format)
                          ? BNDI_WORDS_32
                          : BNDI_WORDS_64;
    bndi_walk to, from;
    bndi_numbers of_x, of_y;
    size_t n = bndi_count(&y->shape);
    bndi_formula *add = bndi_maths_of(&y->engine->context)->formula[work][BNDI_F_add];
    bndi_walk_open(&to, y, &y->shape, work);
    bndi_walk_open(&from, x, &y->shape, work);
    y->buffer->version++;
    if (!adds && to.plain && bndi_stores_simply(how) && bndi_same_shape(&x->shape, &y->shape)) {
        bndi_read_all(bndi_plain_place(&to, 0), x, work);
        return;
    }
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const void *numbers = bndi_read(&from, at, m, &of_x);
        if (adds) {
            void *sums = bndi_walk_place(&to, at, &of_y);
            const void *old = bndi_read(&to, at, m, &of_y);
            (void)old; /* where sums points */
            add(sums, (const void *[]){sums, numbers, NULL}, 0, m);
            numbers = sums;
        }
        bndi_write(&to, at, m, numbers, how);
    }
}

void bndi_copy_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how)
{
    combine(y, x, how, false);
}

void bndi_add_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how)
{
    combine(y, x, how, true);
}
