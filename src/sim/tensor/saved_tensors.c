/* What the backward pass needs of the forward pass: one walk over the tape, when the backward pass begins.
 *
 * A node saves tensors. For an operand of a matrix product, hardware keeps the copy in the operand's own format if that
 * is narrower, not the tensor: the product's backward pass reads nothing else. So the copy is counted, and the tensor
 * only if another operation needs it. Weights and input data are not activations. */
#include "tensor/engine.h"
#include "tensor/operand.h"
#include "tensor/scaled.h"
#include "tensor/tape.h"

/* (..., k) as (rows, k), as linear reads it. */
static bndi_shape flattened(const bndi_shape *s)
{
    size_t k = s->extent[s->rank - 1];
    return (bndi_shape){.rank = 2, .extent = {k > 0 ? bndi_count(s) / k : 0, k}};
}

static size_t bytes_of_copy(const bnd_cast *cast, bnd_role role, const bndi_shape *s, size_t axis)
{
    bndi_scaling scaling;
    bnd_shape shape;
    size_t codes = bndi_packed_codes(&cast->format, bndi_count(s));
    if (bndi_scaling_parse(&scaling, cast, role, NULL) != BND_OK) {
        return SIZE_MAX;
    }
    if (scaling.kind != BNDI_BLOCKS) {
        return codes + (scaling.kind != BNDI_UNSCALED ? sizeof(float) : 0);
    }
    return bnd_block_shape(&shape, &scaling.block, s->extent, s->rank, axis, NULL) != BND_OK
               ? SIZE_MAX
               : codes + bnd_block_scales_size(&scaling.block, shape) + (scaling.block.tensor ? sizeof(float) : 0);
}

size_t bndi_bytes_for_backward(const bnd_policy *policy, bndi_matrix_product product, unsigned operand,
                               const bndi_shape *shape, size_t wide)
{
    /* dw = x' dy and dx = dy w', each along the axis that the forward product did not run along */
    bnd_role role = bndi_operand_role(policy, product, operand == 0 ? BND_ROLE_WGRAD_X : BND_ROLE_DGRAD_W);
    bndi_shape s = product >= BNDI_LINEAR && operand == 0 ? flattened(shape) : *shape;
    const bnd_cast *cast = &policy->cast[role];
    if (!cast->given || bndi_packed_codes(&cast->format, 1) == 0 || s.rank < 2 || bndi_count(&s) == 0) {
        return wide;
    }
    size_t copy = bytes_of_copy(cast, role, &s, s.rank - (operand == 0 ? 2 : 1));
    return copy < wide ? copy : wide;
}

/* The bytes of a copy that is narrower than the operand; 0: it is the operand that is needed. */
static size_t narrower(const bndi_call *c, unsigned operand)
{
    const bnd_tensor *t = c->saved[operand];
    if (!c->row->product || operand > 1 || c->work != BNDI_WORDS_32) {
        return 0;
    }
    size_t wide = bnd_tensor_bytes(t);
    const bnd_policy *policy = &bndi_rules_at(c->engine, c->place)->policy;
    size_t bytes = bndi_bytes_for_backward(policy, bndi_product_of(c, c->place), operand, &t->shape, wide);
    return bytes < wide ? bytes : 0;
}

void bndi_note_saved(bnd_engine *engine)
{
    bnd_account *a = &engine->account;
    uint64_t tensors = 0, beside = 0, walk = ++engine->walks;
    for (const bndi_node *node = engine->newest; node != NULL; node = node->older) {
        const bndi_call *c = &node->call;
        beside += c->kept != NULL ? c->kept->bytes : 0;
        for (unsigned i = 0; i < BNDI_SAVED; i++) {
            bndi_buffer *b = c->saved[i] != NULL ? c->saved[i]->buffer : NULL;
            if (b == NULL || b->role != BND_ROLE_ACT) {
                continue;
            }
            size_t copy = narrower(c, i);
            tensors += copy > 0 ? copy : b->walk != walk ? b->bytes : 0;
            b->walk = copy > 0 ? b->walk : walk;
        }
    }
    if (tensors + beside > a->saved + a->saved_row_statistics) {
        a->saved = tensors;
        a->saved_row_statistics = beside;
    }
}
