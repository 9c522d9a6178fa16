/* What cost/ shares between its files: how an answer is written down, and how many bits numbers take.
 *
 * A question is a function, and its answer is data (bnd_cost): steps with a formula, its substitution and a value,
 * then notes on what is left out. What a recipe and an optimizer keep is computed from the policy's casts and the
 * optimizer's row, by the functions that size the tensors of a run; so bytes on paper are those of a run. A model of
 * `train` is a formula over tensors without numbers (paper.c), whose operations save what their rows in tensor/
 * save. */
#ifndef BINADE_SRC_COST_H
#define BINADE_SRC_COST_H

#include <binade/block.h>
#include <binade-lab/cost.h>

/* Adds a step. In `substitution` # stands for a double and $ for a string, in the order of the arguments. Steps beyond
 * the capacity of an answer are dropped; tests check that no question has that many. */
void bndi_cost_step(bnd_cost *c, const char *name, const char *unit, double value, const char *formula,
                    const char *substitution, ...);
void bndi_cost_note(bnd_cost *c, const char *text, ...); /* # and $ as above */
/* The step that answers the question, and what that is. */
void bndi_cost_answer(bnd_cost *c, const char *name, const char *about);

/* The sentence on where a machine's numbers come from. */
void bndi_cost_machine_note(bnd_cost *c, const bnd_machine *machine, const char *format, double peak, bool sparse);

/* Is it a finite number of at least `least`? The error names it. */
BND_CHECKED bnd_status bndi_at_least(double x, double least, const char *what, bnd_error *why);

/* The sequence length: `asked`, or the model's context if that is 0. Fails if the model has no position for it. */
BND_CHECKED bnd_status bndi_sequence(double *out, const bnd_architecture *a, double asked, bnd_error *why);

/* Bits of one code, where they stand packed; integers as bndi_packed_codes counts them; 0: the value set has no codes.
 * Bytes of n codes, in whole bytes; exact below 2^53. */
double bndi_bits(const bnd_format *f);
double bndi_bytes_of(const bnd_format *f, double n);

/* What a number of parameters without a model stands for; is what this optimizer keeps of others another number for
 * each parameter? */
extern const bnd_weight bndi_one_matrix;
bool bndi_states_follow_shapes(const bnd_plan *plan);

/* Bytes of the histories that delayed scales follow from: of one operand's cast, and of a model. */
double bndi_history_of(const bnd_policy *policy, bnd_role role);
double bndi_history_bytes(const bnd_policy *policy, const bnd_architecture *a);

/* A name that a number format or a block format has: *scaled says which. */
BND_CHECKED bnd_status bndi_element_parse(bnd_format *out, bnd_block *block, bool *scaled, const char *name,
                                          bnd_error *why);

/* Bytes of scales of rows x columns (columns 0: a vector), and of one element of a large tensor. */
BND_CHECKED bnd_status bndi_scale_bytes(double *out, const bnd_block *block, uint64_t rows, uint64_t columns,
                                        bnd_error *why);
double bndi_scale_bytes_each(const bnd_block *block);

/* The FLOPs of one token's way forward, by kind of product. */
typedef struct bndi_forward {
    double qkv, attention, projection, perceptron, head, layer, all;
} bndi_forward;
bndi_forward bndi_forward_flops(const bnd_architecture *a, double sequence);

/* 6 N D as a step; what it leaves out, as a note. */
BND_CHECKED bnd_status bndi_work_by_parameters(double *work, bnd_cost *c, double parameters, double tokens,
                                               bnd_recompute recompute, bnd_error *why);

/* FLOPs of the forward and backward pass, and of what is recomputed, as PyTorch's checkpoints do: up to the last tensor
 * that the backward pass needs. Attention's is its softmax, so that one of its two products is computed again; flash
 * attention does the same. A layer's is the operand of its last matrix product, or the dropout mask after that. */
double bndi_training_flops(const bnd_architecture *a, const bndi_forward *f, bnd_recompute recompute);

/* Activations of a rank: in all layers; outside of them, for the backward pass; of one layer while it is recomputed (0:
 * none is). The logits, in the format of products and in fp32, are there at the end of the forward pass. Their
 * gradient is there twice at the start of the backward pass. */
typedef struct bndi_held {
    double layers, outside, logits, gradient, again;
} bndi_held;
BND_CHECKED bnd_status bndi_activations(bndi_held *held, bnd_cost *out, const bnd_cost_of_memory *q, bnd_error *why);

#endif
