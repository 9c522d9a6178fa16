/* What a recipe and an optimizer keep of a parameter: no table, but the policy's own casts, as a run takes them. */
#include "cost/cost.h"

#include "tensor/operand.h"

#include "base/base.h"

/* Where a recipe says nothing, numbers are fp32; a cast that is transient is not what is stored. */
static const bnd_cast *cast_of(const bnd_policy *policy, bnd_role role)
{
    const bnd_cast *cast = &policy->cast[role];
    return cast->given && !cast->transient ? cast : NULL;
}

/* Is the role kept at all, and as what? NULL: in fp32. */
static bool is_kept(const bnd_cast **as, const bnd_plan *plan, bnd_role role)
{
    const bnd_policy *p = &plan->policy;
    *as = cast_of(p, role);
    switch (role) {
    case BND_ROLE_PARAM:
        return true;
    case BND_ROLE_GRAD: /* a gradient that no cast is given for has its parameter's format, but no scale of it */
        *as = *as != NULL ? *as : cast_of(p, BND_ROLE_PARAM);
        return true;
    case BND_ROLE_MASTER:
        return p->cast[BND_ROLE_MASTER].given;
    case BND_ROLE_M:
    case BND_ROLE_V:
        return (plan->states >> role & 1) != 0;
    case BND_ROLE_EXTRA:
        return p->update == BND_UPDATE_KAHAN;
    default:
        return false;
    }
}

typedef struct kept {
    bnd_format format;
    bnd_block block;
    bool there, scaled;
} kept;

static bnd_status find_kept(kept *out, const bnd_plan *plan, bnd_role role, bnd_error *why)
{
    const bnd_cast *cast;
    kept k = {.there = is_kept(&cast, plan, role)};
    bnd_status status = BND_OK;
    if (cast == NULL) {
        status = bnd_format_parse(&k.format, "fp32", why);
    } else {
        k.format = cast->format;
        k.scaled = cast->scaling[0] != 0 && cast == &plan->policy.cast[role];
    }
    if (k.scaled) {
        status = bndi_block_of_cast(&k.block, cast, why);
    }
    *out = k;
    return status;
}

bnd_status bnd_plan_stored(bnd_stored *out, const bnd_plan *plan, bnd_role role, const bnd_weight *w, bnd_error *why)
{
    kept k;
    bnd_stored s = {0, 0};
    bnd_status status = find_kept(&k, plan, role, why);
    if (status == BND_OK && k.there) {
        s.bytes = bndi_bytes(&k.format, (double)w->rows * (double)(w->columns > 0 ? w->columns : 1));
        status = k.scaled ? bndi_scale_bytes(&s.scales, &k.block, w->rows, w->columns, why) : BND_OK;
        s.bytes += s.scales;
    }
    if (status == BND_OK) {
        *out = s;
    }
    return status;
}

bnd_status bnd_plan_bytes_each(double *out, const bnd_plan *plan, bnd_role role, bnd_error *why)
{
    kept k;
    bnd_status status = find_kept(&k, plan, role, why);
    if (status == BND_OK) {
        *out = k.there ? bndi_bits(&k.format) / 8 + (k.scaled ? bndi_scale_bytes_each(&k.block) : 0) : 0;
    }
    return status;
}
