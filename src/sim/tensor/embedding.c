/* The embedding: each index picks a row of a table. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/rows.h"
#include "tensor/sums.h"

static bnd_status embedding_shape(bndi_call *c, bnd_error *why)
{
    const bndi_shape *table = &c->in_shape[0], *indices = &c->in_shape[1];
    char text[BNDI_SHAPE_TEXT];
    if (table->rank != 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "embedding: the table must have 2 axes; got shape %s",
                        bndi_shape_text(text, table));
    }
    size_t extent[BND_TENSOR_RANK_MAX + 1];
    __builtin_memcpy(extent, indices->extent, sizeof indices->extent);
    extent[indices->rank] = table->extent[1];
    return bndi_shape_make(&c->shape, extent, indices->rank + 1, why);
}

/* Row `index` of the table. */
static void pick_row(double *to, const bndi_walk *table, size_t index, size_t length)
{
    bndi_numbers buffer;
    for (size_t done = 0; done < length; done += BNDI_TENSOR_CHUNK) {
        size_t n = length - done < BNDI_TENSOR_CHUNK ? length - done : BNDI_TENSOR_CHUNK;
        const void *numbers = bndi_read(table, index * length + done, n, &buffer);
        __builtin_memcpy(to + done, numbers, n * sizeof *to);
    }
}

static bnd_status embedding_forward(bndi_call *c, bnd_error *why)
{
    size_t length = c->in_shape[0].extent[1], index = 0;
    bndi_rows to = {.memory = NULL}, from = {.memory = NULL};
    bndi_walk table;
    bndi_store how = bndi_store_for(c->engine, c->role);
    bndi_walk_open(&table, c->saved[0], &c->in_shape[0], BNDI_WORDS_64);
    bnd_status status = bndi_rows_open(&from, c->saved[1], 1, BNDI_WORDS_64, NULL, why);
    if (status == BND_OK) {
        status = bndi_rows_open(&to, c->saved[BNDI_OUT], length, BNDI_WORDS_64, &how, why);
    }
    for (size_t i = 0; status == BND_OK && length > 0 && i < from.rows; i++) {
        status = bndi_row_index(&index, &from, i, c->in_shape[0].extent[0], "embedding", why);
        if (status == BND_OK) {
            pick_row(bndi_row_place(&to, i), &table, index, length);
        }
    }
    bndi_rows_close(&to);
    bndi_rows_close(&from);
    return status;
}

static bnd_status embedding_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    size_t length = c->in_shape[0].extent[1], index = 0;
    bndi_rows rows = {.memory = NULL}, indices = {.memory = NULL};
    bndi_buffer *sums = NULL;
    if (!g->wanted[0]) {
        return BND_OK;
    }
    bnd_status status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    if (status == BND_OK) {
        status = bndi_buffer_new(&sums, c->engine, BND_ROLE_SCRATCH, bndi_count(&c->in_shape[0]) * sizeof(double), true,
                                 why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&indices, c->saved[1], 1, BNDI_WORDS_64, NULL, why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&rows, d, length, BNDI_WORDS_64, NULL, why);
    }
    double *to = status == BND_OK ? (double *)(void *)sums->data : NULL;
    for (size_t i = 0; status == BND_OK && length > 0 && i < indices.rows; i++) {
        status = bndi_row_index(&index, &indices, i, c->in_shape[0].extent[0], "embedding", why);
        if (status == BND_OK) {
            bndi_maths_of(&c->engine->context)
                ->add[BNDI_WORDS_64](to + index * length, bndi_row_read(&rows, i), length);
        }
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[0]);
        bndi_store_sums(g->out[0], to, 1, &how);
        bndi_count_flops(c->engine, c->operation, bndi_count(&c->shape));
    }
    bndi_rows_close(&rows);
    bndi_rows_close(&indices);
    bndi_buffer_release(sums);
    return status;
}

const bndi_row bndi_embedding_row = {.name = "embedding",
                                     .least = 2,
                                     .most = 2,
                                     .indices = BNDI_SAVE_B,
                                     .saves = BNDI_SAVE_B,
                                     .shape = embedding_shape,
                                     .forward = embedding_forward,
                                     .backward = embedding_backward,
                                     .flops = bndi_no_flops};
