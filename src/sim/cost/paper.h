/* A forward pass without numbers: tensors that have a format and a shape only, and what the tape would save of them.
 * The rules are those of the engine: bndi_row says what an operation saves and which role its result has. */
#ifndef BINADE_SRC_PAPER_H
#define BINADE_SRC_PAPER_H

#include "cost/cost.h"
#include "tensor/shape.h"
#include "tensor/transformer.h"

typedef struct bndi_paper {
    bnd_format format;
    bndi_shape shape;
    bnd_role role;            /* act, param or data: that its bytes are counted as */
    struct bndi_paper *whole; /* whose storage it is a view of; NULL: it has its own */
    bool counted, copied;     /* its storage; its copy in the format of the role saved */
} bndi_paper;

typedef struct bndi_book {
    const bnd_policy *policy;
    bool again;             /* blocks of a stack are computed again in the backward pass */
    bool tied;              /* the head is a table of which there are two gradients */
    uint64_t layers;        /* weights of products, of which the policy may keep the last high */
    double tensors, beside; /* bytes saved for the backward pass: of tensors; of other data that operations keep */
    double block;           /* of the tensors, those of the last block of a stack; 0 if there is none */
    double histories;       /* bytes of what delayed scales follow from */
} bndi_book;

/* A tensor that is there before the pass: of a role, in the policy's format for it, or fp32. */
bndi_paper bndi_paper_of(const bndi_book *b, bnd_role role, const bndi_shape *shape);

/* *out = operation(x, y) with this shape; y is NULL for one operand. With `careful` the result has BND_ROLE_CAREFUL,
 * even if the operation's row does not say so. Operands must stay in place: *out may view them, and what was counted is
 * noted there. bndi_paper_attention is a product of attention, whose result is attn.s or attn.o. bndi_paper_linear is
 * the product with weights, (..., k) to (..., n); `layer` is the number of the weight among all weights with decay. */
void bndi_paper_apply(bndi_book *b, bndi_paper *out, bnd_tensor_operation operation, bool careful, bndi_paper *x,
                      bndi_paper *y, const bndi_shape *shape);
void bndi_paper_attention(bndi_book *b, bndi_paper *out, bnd_role result, bndi_paper *x, bndi_paper *y,
                          const bndi_shape *shape);
void bndi_paper_linear(bndi_book *b, bndi_paper *out, bndi_paper *x, size_t n, uint64_t layer);
void bndi_paper_view(bndi_paper *out, bndi_paper *x, const bndi_shape *shape);

/* Formulas of models. same: operation(x, y), y NULL or of the same shape; of the row's role, or of the role careful.
 * sum: to one number. mlp: two layers, the first of them `layer`. */
bndi_shape bndi_paper_shape(size_t rank, size_t first, size_t second, size_t third, size_t fourth);
bndi_paper bndi_paper_same(bndi_book *b, bnd_tensor_operation operation, bool careful, bndi_paper *x, bndi_paper *y);
bndi_paper bndi_paper_map(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x);
bndi_paper bndi_paper_pair(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x, bndi_paper *y);
void bndi_paper_sum(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x, bndi_paper *y);
bndi_paper bndi_paper_data(bndi_book *b, size_t rows, size_t columns);
bndi_paper bndi_paper_norm(bndi_book *b, bndi_paper *x, bool centred);
bndi_paper bndi_paper_mlp(bndi_book *b, bndi_paper *x, size_t width, size_t inner, bnd_tensor_operation function,
                          uint64_t layer);

/* What a checkpoint saves of the input of a segment. */
void bndi_paper_keep(bndi_book *b, bndi_paper *x);

/* ---- models that <binade-lab/train.h> trains (trained_transformer.c, trained_models.c) ---- */

size_t bndi_weights_of_transformer(bnd_weight *out, const bnd_trained *t);
uint64_t bndi_layers_of_transformer(const bnd_trained *t); /* products with weights that decay */
void bndi_loss_of_transformer(bndi_book *b, const bnd_trained *t, size_t batch);

BND_CHECKED bnd_status bndi_trained_check(const bnd_trained *t, double batch, bnd_recompute recompute, bnd_error *why);
size_t bndi_trained_weights(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_trained *t);

/* What a batch saves for the backward pass, and the histories. `again`: blocks are computed again. */
bndi_book bndi_trained_saved(const bnd_trained *t, const bnd_policy *policy, size_t batch, bool again);

#endif
