/* What a recipe and an optimizer keep of a parameter, derived from the policy's casts as a run uses them, not from a
   table. */
#include "tensor/product_roles.h"
#include "tensor/scaled.h"

#include "cost/cost.h"

/* Is the role kept at all, and as what? NULL: in fp32. */
static bool is_kept(const bnd_cast **as, const bnd_plan *plan, bnd_role role)
{
    const bnd_policy *p = &plan->policy;
    const bnd_cast *cast = &p->cast[role];
    *as = cast->given ? cast : NULL;
    switch (role) {
    case BND_ROLE_MASTER:
        return cast->given;
    case BND_ROLE_ACCUMULATE:
        return plan->micro_batches > 1;
    case BND_ROLE_EXTRA:
        return p->update == BND_UPDATE_KAHAN;
    case BND_ROLE_PARAM:
    case BND_ROLE_GRAD:
    case BND_ROLE_M:
    case BND_ROLE_V:
        return true;
    default:
        return false;
    }
}

/* Of what an optimizer keeps: as many numbers as it says, in the parameter's shape where it keeps one for each. */
static bndi_shape shape_of(const bnd_plan *plan, bnd_role role, const bnd_weight *w)
{
    bndi_shape s = {.rank = w->columns > 0 ? 2 : 1, .extent = {(size_t)w->rows, (size_t)w->columns}};
    if (role == BND_ROLE_M || role == BND_ROLE_V) {
        const size_t blocks = (size_t)(w->blocks > 0 ? w->blocks : w->rows);
        size_t n = plan->keeps != NULL ? plan->keeps(plan->optimizer, role, s.extent, s.rank, w->hidden, blocks) : 0;
        s = n == bndi_count(&s) ? s : (bndi_shape){.rank = 1, .extent = {n}};
    }
    return s;
}

bnd_status bnd_plan_stored(bnd_stored *out, const bnd_plan *plan, bnd_role role, const bnd_weight *w, bnd_error *why)
{
    const bnd_cast *cast;
    bndi_scaled_room bytes = {0, 0};
    bnd_status status = BND_OK;
    if (is_kept(&cast, plan, role)) {
        bndi_shape shape = shape_of(plan, role, w);
        status = bndi_room_for(&bytes, cast, role, &shape, why);
    }
    if (status == BND_OK) {
        *out = (bnd_stored){.bytes = (double)bytes.codes,
                            .scales = (double)bytes.scales,
                            .transient = role == BND_ROLE_PARAM && cast != NULL && cast->transient};
    }
    return status;
}

const bnd_weight bndi_one_matrix = {.name = "", .rows = 1 << 20, .columns = 1 << 20, .copies = 1, .hidden = true};

bool bndi_states_follow_shapes(const bnd_plan *plan)
{
    static const bnd_weight vector = {.name = "", .rows = 1 << 20, .copies = 1};
    static const bnd_role states[] = {BND_ROLE_M, BND_ROLE_V};
    for (size_t i = 0; i < 2; i++) {
        const bndi_shape matrix = shape_of(plan, states[i], &bndi_one_matrix);
        const bndi_shape row = shape_of(plan, states[i], &vector);
        if (bndi_count(&matrix) != (size_t)bndi_one_matrix.columns * bndi_count(&row)) {
            return true;
        }
    }
    return false;
}

bnd_status bnd_plan_bytes_each(double *out, const bnd_plan *plan, bnd_role role, bnd_error *why)
{
    bnd_stored stored;
    bnd_status status = bnd_plan_stored(&stored, plan, role, &bndi_one_matrix, why);
    if (status == BND_OK) {
        *out = stored.transient ? 0 : (stored.bytes + stored.scales) / 0x1p40;
    }
    return status;
}

/* ---- histories of delayed scales ---- */

double bndi_history_of(const bnd_policy *p, bnd_role role)
{
    bndi_scaling scaling;
    const bnd_cast *cast = &p->cast[role];
    bool delayed =
        cast->given && bndi_scaling_parse(&scaling, cast, role, NULL) == BND_OK && scaling.kind == BNDI_DELAYED;
    return delayed ? 4.0 * scaling.steps : 0;
}

/* Four products with weights in a layer, and the head; two without, in attention. Each has two operands three times. */
double bndi_history_bytes(const bnd_policy *p, const bnd_architecture *a)
{
    double layers = (double)a->layers, linear = (a->gated ? 5 : 4) * layers + 1, six = 0, attention = 0;
    for (unsigned role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) {
        six += bndi_history_of(p, (bnd_role)role);
        attention += bndi_history_of(p, bndi_operand_role(p, BNDI_SCORES, (bnd_role)role));
        attention += bndi_history_of(p, bndi_operand_role(p, BNDI_MIXED, (bnd_role)role));
    }
    return linear * six + layers * attention;
}
