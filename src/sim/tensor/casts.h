/* What the policy says about a role: its cast, the format of a result, and how the result is stored. */
#ifndef BINADE_SRC_TENSOR_CASTS_H
#define BINADE_SRC_TENSOR_CASTS_H

#include <binade/matmul.h>
#include <binade-lab/tensor.h>

/* How results are stored. */
typedef struct bndi_store {
    bnd_rule rule;
    uint64_t seed, purpose;
    bnd_stats *stats;
} bndi_store;

/* The role that a role's bytes are counted as, and that a role follows where the policy does not give it. */
bnd_role bndi_role_of_bytes(bnd_role role);

/* What a policy has for a role, or for the one that the role follows; NULL: nothing. */
const bnd_cast *bndi_cast_in(const bnd_policy *policy, bnd_role role);

/* The same under the policy of an engine. */
const bnd_cast *bndi_cast_of(const bnd_engine *engine, bnd_role role);

/* Is a tensor with this number of elements stored with scales for this role? */
bool bndi_is_scaled(const bnd_engine *engine, bnd_role role);

/* What products add in here. */
const bnd_accumulator *bndi_accumulator_of(const bnd_engine *engine);

/* The format that an operand gives to results and gradients whose roles the policy does not give: its own. Under a
 * policy a parameter gives fp32: how weights are stored decides nothing else. */
const bnd_format *bndi_format_lent(const bnd_tensor *t);

/* The format that a result of these operands has, for a role. */
void bndi_result_format(bnd_format *out, const bnd_engine *engine, bnd_role role, const bnd_format *const *in,
                        unsigned count);

/* How a result of a role is stored: its rule, its random bits (each call has its own), its statistics. What shares
 * scales is stored twice, first as fp32, simply. */
bndi_store bndi_store_for(bnd_engine *engine, bnd_role role);
bndi_store bndi_store_given(bnd_engine *engine, bnd_rule rule); /* of numbers that a caller gives */
bndi_store bndi_store_with_scales(bnd_engine *engine, bnd_role role);
bndi_store bndi_store_for_saved(bnd_engine *engine, unsigned operand);

#endif
