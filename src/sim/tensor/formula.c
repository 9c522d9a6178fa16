/* A formula over whole tensors, element by element: copies and sums in place among them. */
#include "tensor/engine.h"
#include "tensor/formula.h"

enum { MOST = 3 };

/* A formula made ready; chunks of it go to threads. */
typedef struct pass {
    bndi_formula *formula;
    bndi_walk to, from[MOST];
    unsigned operands;
    double k;
} pass;

static void do_chunk(void *of, size_t at, size_t n, const bndi_store *how)
{
    const pass *p = of;
    const void *numbers[MOST] = {NULL};
    bndi_numbers out, buffers[MOST];
    for (unsigned o = 0; o < p->operands; o++) {
        numbers[o] = bndi_read(&p->from[o], at, n, &buffers[o]);
    }
    void *place = bndi_walk_place(&p->to, at, &out);
    p->formula(place, numbers, p->k, n);
    bndi_write(&p->to, at, n, place, how);
}

/* y = formula(in...), each broadcast to y. */
void bndi_run_formula(bnd_tensor *y, bndi_formula_name name, const bnd_tensor *const *in, double k, bndi_width work,
                      const bndi_store *how)
{
    pass p = {.formula = bndi_maths_of(&y->engine->context)->formula[work][name], .k = k};
    const size_t n = bndi_count(&y->shape);
    const bndi_walk *from[MOST];
    bndi_walk_open(&p.to, y, &y->shape, work);
    for (; p.operands < MOST && in[p.operands] != NULL; p.operands++) {
        bndi_walk_open(&p.from[p.operands], in[p.operands], &y->shape, work);
        from[p.operands] = &p.from[p.operands];
    }
    const bool may = bndi_threads_may(y->engine, from, p.operands, &p.to, how);
    bndi_store_chunks(n, BNDI_TENSOR_CHUNK, may ? bndi_parts_of(y->engine, n) : 1, how, do_chunk, &p);
}

void bndi_scale_into(bnd_tensor *y, const bnd_tensor *x, double k, const bndi_store *how)
{
    bool narrow = bnd_lab_words_hold(BNDI_WORDS_32, &x->format) && bnd_lab_words_hold(BNDI_WORDS_32, &y->format);
    bndi_run_formula(y, BNDI_F_scale, (const bnd_tensor *[]){x, NULL, NULL}, k, narrow ? BNDI_WORDS_32 : BNDI_WORDS_64,
                     how);
}

/* y = x, or y += x; chunks go to threads. */
typedef struct combination {
    bndi_walk to, from;
    bndi_formula *add; /* NULL: y = x */
} combination;

static void combine_chunk(void *of, size_t at, size_t n, const bndi_store *how)
{
    const combination *c = of;
    bndi_numbers of_x, of_y;
    const void *numbers = bndi_read(&c->from, at, n, &of_x);
    if (c->add != NULL) {
        void *sums = bndi_walk_place(&c->to, at, &of_y);
        const void *old = bndi_read(&c->to, at, n, &of_y);
        (void)old; /* where sums points */
        c->add(sums, (const void *[]){sums, numbers, NULL}, 0, n);
        numbers = sums;
    }
    bndi_write(&c->to, at, n, numbers, how);
}

static void combine(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how, bool adds)
{
    bndi_width work = bnd_lab_words_hold(BNDI_WORDS_32, &y->format) && bnd_lab_words_hold(BNDI_WORDS_32, &x->format)
                          ? BNDI_WORDS_32
                          : BNDI_WORDS_64;
    const size_t n = bndi_count(&y->shape);
    combination c;
    c.add = adds ? bndi_maths_of(&y->engine->context)->formula[work][BNDI_F_add] : NULL;
    bndi_walk_open(&c.to, y, &y->shape, work);
    bndi_walk_open(&c.from, x, &y->shape, work);
    y->buffer->version++;
    if (!adds && c.to.plain && bndi_stores_simply(how) && bndi_same_shape(&x->shape, &y->shape)) {
        bndi_read_all(bndi_plain_place(&c.to, 0), x, work);
        return;
    }
    const bool apart = y->buffer != x->buffer;
    const bool may =
        apart && bndi_threads_may(y->engine, (const bndi_walk *const[]){&c.from, &c.to}, adds ? 2 : 1, &c.to, how);
    bndi_store_chunks(n, BNDI_TENSOR_CHUNK, may ? bndi_parts_of(y->engine, n) : 1, how, combine_chunk, &c);
}

void bndi_copy_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how)
{
    combine(y, x, how, false);
}

void bndi_add_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how)
{
    combine(y, x, how, true);
}
