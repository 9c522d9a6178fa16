/* A formula over whole tensors, element by element: copies and sums in place among them. */
#include "tensor/engine.h"
#include "tensor/formula.h"

/* y = formula(in...), each broadcast to y. */
void bndi_run_formula(bnd_tensor *y, bndi_formula_name name, const bnd_tensor *const *in, double k, bndi_width work,
                      const bndi_store *how)
{
    enum { MOST = 3 };
    bndi_formula *formula = bndi_maths_of(&y->engine->context)->formula[work][name];
    bndi_walk to, from[MOST];
    bndi_numbers out, buffers[MOST];
    size_t n = bndi_count(&y->shape);
    bndi_walk_open(&to, y, &y->shape, work);
    for (unsigned i = 0; i < MOST && in[i] != NULL; i++) {
        bndi_walk_open(&from[i], in[i], &y->shape, work);
    }
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const void *numbers[MOST] = {NULL};
        for (unsigned i = 0; i < MOST && in[i] != NULL; i++) {
            numbers[i] = bndi_read(&from[i], at, m, &buffers[i]);
        }
        void *place = bndi_walk_place(&to, at, &out);
        formula(place, numbers, k, m);
        bndi_write(&to, at, m, place, how);
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
