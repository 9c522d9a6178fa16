/* Comparison of two numbers. */
#include "arith/arith.h"

bnd_result bnd_compare_mixed(const bnd_format *of_a, uint64_t a, const bnd_format *of_b, uint64_t b, unsigned relations,
                             bnd_rule rule)
{
    bndi_question q = {.rule = rule};
    bnd_lab_take(&q, 0, of_a, a);
    bnd_lab_take(&q, 1, of_b, b);
    unsigned relation = BND_RELATION_UNORDERED;
    if (bndi_is_nan(&q.x[0]) || bndi_is_nan(&q.x[1])) {
        bool signals = q.x[0].kind == BND_KIND_SIGNALING_NAN || q.x[1].kind == BND_KIND_SIGNALING_NAN;
        q.flags |= signals || (relations & BND_RELATION_SIGNALING) != 0 ? BND_FLAG_INVALID : 0;
    } else {
        int order = bnd_exact_compare(q.x[0], q.x[1]);
        relation = order < 0 ? BND_RELATION_LESS : order > 0 ? BND_RELATION_GREATER : BND_RELATION_EQUAL;
    }
    return (bnd_result){.code = (relations & relation) != 0, .flags = q.flags};
}

bnd_result bnd_compare(const bnd_format *f, uint64_t a, uint64_t b, unsigned relations, bnd_rule rule)
{
    return bnd_compare_mixed(f, a, f, b, relations, rule);
}
