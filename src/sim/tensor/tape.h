/* The tape: nodes, and the backward pass through them. */
#ifndef BINADE_SRC_TENSOR_TAPE_H
#define BINADE_SRC_TENSOR_TAPE_H

#include "tensor/operation.h"

/* What a saved tensor is a copy of, where it is one: a tensor as it was then, and by which rule. serial 0: no copy. */
typedef struct bndi_copied {
    uint64_t serial, version;
    bnd_rule rule;
} bndi_copied;

struct bndi_node {
    size_t references;
    bnd_engine *engine;
    bndi_node *older, *newer;
    bndi_call call;
    uint64_t versions[BNDI_SAVED];
    bndi_copied copied[BNDI_SAVED];
    bndi_edge edges[BNDI_OPERANDS];
    bnd_tensor *gradient; /* of its result, during the backward pass */
    bool keeps, done;     /* its gradient when all is over; gone back through already */
    bool reached;         /* while the backward pass is checked before it begins */
};

/* Does something depend on t that a gradient is wanted for? */
bool bndi_is_tracked(const bnd_tensor *t);

BND_CHECKED bnd_status bndi_record(bndi_call *c, bnd_tensor *const *in, bnd_tensor *out, bnd_error *why);

void bndi_node_release(bndi_node *node);
void bndi_let_saved_go(bndi_node *node); /* what the node saves is not needed any more */

/* To where the gradient of t goes; it holds that. */
bndi_edge bndi_edge_to(bnd_tensor *t);
void bndi_edge_release(bndi_edge *edge);

/* Notes what the tape saves, where that is more than was noted so far: when a backward pass begins, and when a segment
 * has been computed again (saved_tensors.c). */
void bndi_note_saved(bnd_engine *engine);

/* From the newest node to `stop`, which is older than what is to be gone through. */
BND_CHECKED bnd_status bndi_go_back(bnd_engine *engine, const bndi_node *stop, bnd_error *why);

#endif
