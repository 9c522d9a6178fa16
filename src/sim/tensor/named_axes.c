/* einsum, rearrange and reduce by named axes: patterns become views, matrix products and reductions on the tape. */
#include "tensor/pattern.h"

/* ---- axes and their extents ---- */

/* A list of axes by number: what a tensor's axes are. */
typedef struct axes {
    unsigned count;
    uint8_t name[BNDI_ALL_NAMES];
} axes;

static bnd_status refuse_extent(const bndi_pattern *p, unsigned name, size_t has, const char *who, bnd_error *why)
{
    return name < BNDI_NAMES
               ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the axis %.*s has %zu elements here and %zu elsewhere", who,
                          BNDI_NAME_OF(p, name), has, p->extent[name])
               : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "%s: an axis of the ellipsis has %zu elements here and %zu elsewhere", who, has,
                          p->extent[name]);
}

static bnd_status refuse_empty(const char *who, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: an axis has no elements; a pattern needs some in each axis", who);
}

static bnd_status refuse_split(unsigned which, const char *who, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: after the split, operand %u would have more than 8 axes", who,
                    which + 1);
}

/* The extents of a group whose product is known: at most one of them may be open. */
static bnd_status split_extent(bndi_pattern *p, const bndi_item *item, size_t whole, const char *who, bnd_error *why)
{
    size_t known = 1;
    unsigned open = BNDI_NAMES;
    if (whole == 0) {
        return refuse_empty(who, why);
    }
    for (unsigned i = 0; i < item->count; i++) {
        unsigned name = item->names[i];
        if (p->extent[name] != 0) {
            if (__builtin_mul_overflow(known, p->extent[name], &known)) {
                return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                "%s: an axis of %zu elements cannot be split into parts whose product is larger", who,
                                whole);
            }
        } else if (open == BNDI_NAMES) {
            open = name;
        } else {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s: the sizes of %.*s and %.*s are both unknown; give one of them", who,
                            BNDI_NAME_OF(p, open), BNDI_NAME_OF(p, name));
        }
    }
    if (open != BNDI_NAMES && whole % known == 0 && whole > 0) {
        p->extent[open] = whole / known;
        known = whole;
    }
    if (known != whole && item->count == 1 && open == BNDI_NAMES) {
        return refuse_extent(p, item->names[0], whole, who, why);
    }
    return known == whole
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "%s: an axis of %zu elements cannot be split into parts whose sizes multiply to %zu", who,
                          whole, known);
}

static bnd_status count_axes(size_t *of_ellipsis, const bndi_term *term, const bnd_tensor *t, unsigned which,
                             const char *who, bnd_error *why)
{
    size_t named = 0, rank = t->shape.rank;
    bool ellipsis = false;
    for (unsigned i = 0; i < term->count; i++) {
        ellipsis = ellipsis || term->items[i].ellipsis;
        named += !term->items[i].ellipsis;
    }
    if (ellipsis ? rank < named : rank != named) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: operand %u has %zu axes, and its term names %zu", who, which + 1,
                        rank, named);
    }
    *of_ellipsis = rank - named;
    return BND_OK;
}

/* Takes the extents from an operand; `seen` is its shape with groups split, and `names` what those axes are. */
static bnd_status take_operand(bndi_pattern *p, unsigned which, const bnd_tensor *t, axes *names, bndi_shape *seen,
                               const char *who, bnd_error *why)
{
    const bndi_term *term = &p->terms[which];
    size_t axis = 0, of_ellipsis = 0;
    bnd_status status = count_axes(&of_ellipsis, term, t, which, who, why);
    *names = (axes){.count = 0};
    *seen = (bndi_shape){.rank = 0};
    for (unsigned i = 0; status == BND_OK && i < term->count; i++) {
        const bndi_item *item = &term->items[i];
        for (size_t j = of_ellipsis; item->ellipsis && j-- > 0; axis++) {
            size_t *extent = &p->extent[BNDI_ELLIPSIS + j], has = t->shape.extent[axis];
            if (has == 0) {
                return refuse_empty(who, why);
            }
            if (*extent > 1 && has > 1 && *extent != has) {
                return refuse_extent(p, (unsigned)(BNDI_ELLIPSIS + j), has, who, why);
            }
            if (seen->rank == BND_TENSOR_RANK_MAX) {
                return refuse_split(which, who, why);
            }
            *extent = *extent > 1 ? *extent : has;
            names->name[names->count++] = (uint8_t)(BNDI_ELLIPSIS + j);
            seen->extent[seen->rank++] = has;
        }
        if (item->ellipsis) {
            continue;
        }
        status = split_extent(p, item, t->shape.extent[axis++], who, why);
        for (unsigned j = 0; status == BND_OK && j < item->count; j++) {
            if (seen->rank == BND_TENSOR_RANK_MAX) {
                return refuse_split(which, who, why);
            }
            names->name[names->count++] = item->names[j];
            seen->extent[seen->rank++] = p->extent[item->names[j]];
        }
    }
    return status;
}

/* ---- tensors on their way ---- */

/* What a step made takes the place of what it was made from. */
static bnd_status replace(bnd_tensor **t, bnd_tensor *next, bnd_status status)
{
    if (status == BND_OK) {
        bnd_tensor_release(*t);
        *t = next;
    }
    return status;
}

static unsigned place_in(const axes *a, unsigned name)
{
    unsigned i = 0;
    while (i < a->count && a->name[i] != name) {
        i++;
    }
    return i;
}

static bool has(const axes *a, unsigned name)
{
    return place_in(a, name) < a->count;
}

static void put(axes *a, unsigned name)
{
    a->name[a->count++] = (uint8_t)name;
}

/* The axes in another order, `to` being a permutation of `is`. */
static bnd_status order(bnd_tensor **t, const axes *is, const axes *to, bnd_error *why)
{
    int from[BND_TENSOR_RANK_MAX];
    bnd_tensor *next = NULL;
    for (unsigned i = 0; i < to->count; i++) {
        from[i] = (int)place_in(is, to->name[i]);
    }
    bnd_status status = bnd_tensor_permute(&next, *t, from, to->count, why);
    return replace(t, next, status);
}

static bnd_status shape_as(bnd_tensor **t, const bndi_shape *shape, bnd_error *why)
{
    bnd_tensor *next = NULL;
    bnd_status status = bnd_tensor_reshape(&next, *t, shape->extent, shape->rank, why);
    return replace(t, next, status);
}

/* The axes that `stays` does not have are reduced; `is` becomes what is left. */
static bnd_status reduce_others(bnd_tensor **t, axes *is, const axes *stays, bnd_tensor_operation how, bnd_error *why)
{
    bnd_attributes attributes = {.axes = 0};
    axes left = {.count = 0};
    bnd_tensor *next = NULL;
    for (unsigned i = 0; i < is->count; i++) {
        if (has(stays, is->name[i])) {
            put(&left, is->name[i]);
        } else {
            attributes.axis[attributes.axes++] = (int)i;
        }
    }
    *is = left;
    if (attributes.axes == 0) {
        return BND_OK;
    }
    bnd_status status = bnd_tensor_apply(&next, how, t, 1, &attributes, why);
    return replace(t, next, status);
}

/* The axes of a term one after another, groups and ellipses opened; an ellipsis has the axes that operands gave it. */
static bnd_status axes_of_term(axes *out, const bndi_pattern *p, const bndi_term *term, const char *who, bnd_error *why)
{
    *out = (axes){.count = 0};
    for (unsigned i = 0; i < term->count; i++) {
        const bndi_item *item = &term->items[i];
        for (unsigned j = BND_TENSOR_RANK_MAX; item->ellipsis && j-- > 0;) {
            if (p->extent[BNDI_ELLIPSIS + j] != 0) {
                put(out, BNDI_ELLIPSIS + j);
            }
        }
        for (unsigned j = 0; j < item->count; j++) {
            if (p->extent[item->names[j]] == 0) {
                return bnd_fail(why, BND_BAD_SYNTAX, 0, "%s: no operand has the axis %.*s of the result", who,
                                BNDI_NAME_OF(p, item->names[j]));
            }
            put(out, item->names[j]);
        }
        if (out->count > BND_TENSOR_RANK_MAX) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the result has more than 8 axes", who);
        }
    }
    return BND_OK;
}

/* ---- einsum ---- */

static const char einsum_name[] = "einsum";

/* A factor with its axes in the order of three lists, each list one axis (or, of the batch, its axes). */
static bnd_status as_matrices(bnd_tensor **t, const bndi_pattern *p, const axes *is, const axes *batch,
                              const axes *rows, const axes *columns, bool one_batch_axis, bnd_error *why)
{
    axes all = *batch;
    bndi_shape shape = {.rank = 0};
    size_t merged[3] = {1, 1, 1};
    for (unsigned i = 0; i < rows->count + columns->count; i++) {
        put(&all, i < rows->count ? rows->name[i] : columns->name[i - rows->count]);
    }
    for (unsigned i = 0; i < all.count; i++) {
        size_t extent = p->extent[all.name[i]];
        merged[i < batch->count ? 0 : i < batch->count + rows->count ? 1 : 2] *= extent;
        if (i < batch->count && !one_batch_axis) {
            shape.extent[shape.rank++] = extent;
        }
    }
    if (one_batch_axis) {
        shape.extent[shape.rank++] = merged[0];
    }
    shape.extent[shape.rank++] = merged[1];
    shape.extent[shape.rank++] = merged[2];
    bnd_status status = order(t, is, &all, why);
    return status == BND_OK ? shape_as(t, &shape, why) : status;
}

/* Which axes of two factors are what, by what the result (or a later factor) still needs. */
typedef struct contraction {
    axes batch, rows, columns, summed, result;
} contraction;

static bnd_status plan(contraction *c, bnd_error *why)
{
    c->result = c->batch;
    for (unsigned i = 0; i < c->rows.count; i++) {
        put(&c->result, c->rows.name[i]);
    }
    for (unsigned i = 0; i < c->columns.count; i++) {
        put(&c->result, c->columns.name[i]);
    }
    return c->result.count <= BND_TENSOR_RANK_MAX
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "einsum: an intermediate product would have more than 8 axes");
}

/* An axis of one element that has more elsewhere is repeated: ellipses broadcast. */
static bnd_status repeat(bnd_tensor **t, const bndi_pattern *p, const axes *is, bnd_error *why)
{
    bndi_shape shape = (*t)->shape;
    bnd_tensor *next = NULL;
    for (unsigned i = 0; i < is->count; i++) {
        shape.extent[i] = p->extent[is->name[i]];
    }
    if (bndi_same_shape(&shape, &(*t)->shape)) {
        return BND_OK;
    }
    bnd_status status = bnd_tensor_broadcast(&next, *t, shape.extent, shape.rank, why);
    return replace(t, next, status);
}

/* a = a b, summed over the axes that both have and neither the result nor a later operand needs. */
static bnd_status contract(bnd_tensor **a, axes *of_a, bnd_tensor *b, const axes *of_b_given, const axes *needed,
                           const bndi_pattern *p, bnd_error *why)
{
    contraction c = {.batch = {.count = 0}};
    axes of_b = *of_b_given, in_either = *needed;
    bnd_tensor *y = bnd_tensor_keep(b), *product = NULL;
    for (unsigned i = 0; i < of_a->count; i++) {
        if (has(&of_b, of_a->name[i]) && !has(needed, of_a->name[i])) {
            put(&in_either, of_a->name[i]);
        }
    }
    bnd_status status = reduce_others(a, of_a, &in_either, BND_TENSOR_OP_SUM, why);
    status = status == BND_OK ? reduce_others(&y, &of_b, &in_either, BND_TENSOR_OP_SUM, why) : status;
    for (unsigned i = 0; i < of_a->count; i++) {
        unsigned name = of_a->name[i];
        put(!has(&of_b, name) ? &c.rows : has(needed, name) ? &c.batch : &c.summed, name);
    }
    for (unsigned i = 0; i < of_b.count; i++) {
        if (!has(of_a, of_b.name[i])) {
            put(&c.columns, of_b.name[i]);
        }
    }
    bool one_batch_axis = c.batch.count + 2 > BND_TENSOR_RANK_MAX;
    status = status == BND_OK ? plan(&c, why) : status;
    status = status == BND_OK ? as_matrices(a, p, of_a, &c.batch, &c.rows, &c.summed, one_batch_axis, why) : status;
    status =
        status == BND_OK ? as_matrices(&y, p, &of_b, &c.batch, &c.summed, &c.columns, one_batch_axis, why) : status;
    if (status == BND_OK) {
        /* Nothing to sum over: a product of numbers, which is rounded once, not an accumulation of one. */
        bnd_tensor_operation times = c.summed.count == 0 ? BND_TENSOR_OP_MUL : BND_TENSOR_OP_MATMUL;
        status = bnd_tensor_pair(&product, times, *a, y, why);
    }
    bnd_tensor_release(y);
    if (status == BND_OK) {
        bndi_shape shape = {.rank = c.result.count};
        for (unsigned i = 0; i < c.result.count; i++) {
            shape.extent[i] = p->extent[c.result.name[i]];
        }
        *of_a = c.result;
        status = replace(a, product, status);
        status = status == BND_OK ? shape_as(a, &shape, why) : status;
    }
    return status;
}

/* What is needed after factor `done`: the result's axes and those of the factors to come. */
static axes needed_after(const axes *of_result, const axes *of_factor, unsigned count, unsigned done)
{
    axes needed = *of_result;
    for (unsigned i = done + 1; i < count; i++) {
        for (unsigned j = 0; j < of_factor[i].count; j++) {
            if (!has(&needed, of_factor[i].name[j])) {
                put(&needed, of_factor[i].name[j]);
            }
        }
    }
    return needed;
}

static bnd_status einsum(bnd_tensor **t, bnd_tensor *const *in, unsigned count, const char *pattern, bnd_error *why)
{
    bndi_pattern p;
    axes of_factor[BNDI_OPERANDS], of_result;
    bndi_shape seen;
    bnd_status status = bndi_pattern_read(&p, pattern, count, false, einsum_name, why);
    for (unsigned i = 0; status == BND_OK && i < count; i++) {
        status = take_operand(&p, i, in[i], &of_factor[i], &seen, einsum_name, why);
    }
    status = status == BND_OK ? axes_of_term(&of_result, &p, &p.terms[count], einsum_name, why) : status;
    status = status == BND_OK ? repeat(t, &p, &of_factor[0], why) : status;
    axes is = of_factor[0];
    for (unsigned i = 1; status == BND_OK && i < count; i++) {
        axes needed = needed_after(&of_result, of_factor, count, i);
        bnd_tensor *next = bnd_tensor_keep(in[i]);
        status = repeat(&next, &p, &of_factor[i], why);
        status = status == BND_OK ? contract(t, &is, next, &of_factor[i], &needed, &p, why) : status;
        bnd_tensor_release(next);
    }
    status = status == BND_OK ? reduce_others(t, &is, &of_result, BND_TENSOR_OP_SUM, why) : status;
    return status == BND_OK ? order(t, &is, &of_result, why) : status;
}

bnd_status bnd_tensor_einsum(bnd_tensor **out, const char *pattern, bnd_tensor *const *in, size_t count, bnd_error *why)
{
    if (count < 1 || count > BNDI_OPERANDS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "einsum: takes 1 to %d tensors; got %zu", BNDI_OPERANDS, count);
    }
    bnd_status status = bndi_check_operands(in, count, "einsum", why);
    if (status != BND_OK) {
        return status;
    }
    bnd_tensor *t = bnd_tensor_keep(in[0]);
    status = einsum(&t, in, (unsigned)count, pattern, why);
    if (status == BND_OK) {
        *out = t;
    } else {
        bnd_tensor_release(t);
    }
    return status;
}

/* ---- rearrange and reduce ---- */

/* The shape that the result's groups make of its axes. */
static void grouped_shape(bndi_shape *out, const bndi_pattern *p, const bndi_term *term)
{
    *out = (bndi_shape){.rank = 0};
    for (unsigned i = 0; i < term->count; i++) {
        const bndi_item *item = &term->items[i];
        for (unsigned j = BND_TENSOR_RANK_MAX; item->ellipsis && j-- > 0;) {
            if (p->extent[BNDI_ELLIPSIS + j] != 0 && out->rank < BND_TENSOR_RANK_MAX) {
                out->extent[out->rank++] = p->extent[BNDI_ELLIPSIS + j];
            }
        }
        if (!item->ellipsis && out->rank < BND_TENSOR_RANK_MAX) {
            size_t extent = 1;
            for (unsigned j = 0; j < item->count; j++) {
                extent *= p->extent[item->names[j]];
            }
            out->extent[out->rank++] = extent;
        }
    }
}

/* `how`: BND_TENSOR_OP_NONE where every axis must be there again. */
static bnd_status regroup(bnd_tensor **t, const char *pattern, const char *sizes, bnd_tensor_operation how,
                          const char *who, bnd_error *why)
{
    bndi_pattern p;
    axes is, to;
    bndi_shape shape;
    bnd_status status = bndi_pattern_read(&p, pattern, 1, true, who, why);
    status = status == BND_OK ? bndi_pattern_sizes(&p, sizes, who, why) : status;
    status = status == BND_OK ? take_operand(&p, 0, *t, &is, &shape, who, why) : status;
    status = status == BND_OK ? shape_as(t, &shape, why) : status;
    status = status == BND_OK ? axes_of_term(&to, &p, &p.terms[1], who, why) : status;
    for (unsigned i = 0; status == BND_OK && how == BND_TENSOR_OP_NONE && i < is.count; i++) {
        if (!has(&to, is.name[i])) {
            unsigned name = is.name[i];
            status = name < BNDI_NAMES
                         ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                    "%s: the axis %.*s is not in the result; reduce sums over axes", who,
                                    BNDI_NAME_OF(&p, name))
                         : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the ellipsis is not in the result", who);
        }
    }
    status = status == BND_OK ? reduce_others(t, &is, &to, how, why) : status;
    status = status == BND_OK ? order(t, &is, &to, why) : status;
    if (status == BND_OK) {
        grouped_shape(&shape, &p, &p.terms[1]);
        status = shape_as(t, &shape, why);
    }
    return status;
}

static bnd_status regrouped(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                            bnd_tensor_operation how, const char *who, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_tensor *result = bnd_tensor_keep(t);
    status = regroup(&result, pattern, sizes, how, who, why);
    if (status == BND_OK) {
        *out = result;
    } else {
        bnd_tensor_release(result);
    }
    return status;
}

bnd_status bnd_tensor_rearrange(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes, bnd_error *why)
{
    return regrouped(out, t, pattern, sizes, BND_TENSOR_OP_NONE, "rearrange", why);
}

bnd_status bnd_tensor_reduce(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                             bnd_tensor_operation how, bnd_error *why)
{
    bool reduces =
        how == BND_TENSOR_OP_SUM || how == BND_TENSOR_OP_MEAN || how == BND_TENSOR_OP_MAX || how == BND_TENSOR_OP_MIN;
    return reduces ? regrouped(out, t, pattern, sizes, how, "reduce", why)
                   : bnd_fail(why, BND_BAD_ARGUMENT, 0, "reduce: the operation must be sum, mean, max or min, not %s",
                              bnd_tensor_operation_name(how));
}
