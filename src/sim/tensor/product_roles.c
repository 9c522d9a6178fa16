/* The roles of a matrix product's tensors: a row per product. */
#include "tensor/product_roles.h"

enum { POSITIONS = BND_ROLE_WGRAD_DY - BND_ROLE_FWD_X + 1 };
_Static_assert(POSITIONS == 6, "the operands of a layer's GEMMs are neighbours");

#define ROLE(name) BND_ROLE_##name

/* A tensor of attention is one role in each of its products. The operands stand as those of a layer do: two of the
 * forward product, two of that for da, two of that for db. */
static const struct product {
    bnd_role operand[POSITIONS], result, gradient[2];
} rows[] = {
    [BNDI_MATMUL] = {{ROLE(MATMUL), ROLE(MATMUL), ROLE(MATMUL), ROLE(MATMUL), ROLE(MATMUL), ROLE(MATMUL)},
                     ROLE(FWD_Y),
                     {ROLE(DGRAD_DX), ROLE(DGRAD_DX)}},
    [BNDI_SCORES] = {{ROLE(ATTN_Q), ROLE(ATTN_K), ROLE(ATTN_DS), ROLE(ATTN_K), ROLE(ATTN_Q), ROLE(ATTN_DS)},
                     ROLE(ATTN_S),
                     {ROLE(ATTN_DQ), ROLE(ATTN_DK)}},
    [BNDI_MIXED] = {{ROLE(ATTN_P), ROLE(ATTN_V), ROLE(ATTN_DO), ROLE(ATTN_V), ROLE(ATTN_P), ROLE(ATTN_DO)},
                    ROLE(ATTN_O),
                    {ROLE(ATTN_DP), ROLE(ATTN_DV)}},
};

static const struct product *row_of(bndi_matrix_product product)
{
    return &rows[product <= BNDI_MIXED ? product : BNDI_MATMUL];
}

bndi_matrix_product bndi_product_by_result(bnd_role result)
{
    return result == BND_ROLE_ATTN_S ? BNDI_SCORES : result == BND_ROLE_ATTN_O ? BNDI_MIXED : BNDI_MATMUL;
}

bnd_role bndi_operand_role(const bnd_policy *policy, bndi_matrix_product product, bnd_role position)
{
    if (product >= BNDI_LINEAR) {
        return product == BNDI_LINEAR_HIGH ? BND_ROLE_HIGH : position;
    }
    bnd_role own = row_of(product)->operand[position - BND_ROLE_FWD_X];
    own = policy->cast[own].given ? own : BND_ROLE_MATMUL;
    return policy->cast[own].given ? own : position;
}

/* One of attention that is not given is as any other. */
static bnd_role given_or_any(const bnd_policy *policy, bnd_role own, bnd_role any)
{
    return policy->cast[own].given ? own : any;
}

bnd_role bndi_result_role(const bnd_policy *policy, bndi_matrix_product product)
{
    return given_or_any(policy, row_of(product)->result, BND_ROLE_FWD_Y);
}

bnd_role bndi_gradient_role(const bnd_policy *policy, bndi_matrix_product product, unsigned operand)
{
    return given_or_any(policy, row_of(product)->gradient[operand], BND_ROLE_DGRAD_DX);
}
