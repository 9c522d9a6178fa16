/* The memory of a forward pass, computed without running it, by the rules of tensor/: apply.c decides formats, tape.c
 * what is saved, saved_tensors.c how it counts. */
#include "cost/paper.h"

#include "tensor/casts.h"
#include "tensor/operand.h"
#include "tensor/operation.h"

static const bnd_cast *cast_of(const bndi_book *b, bnd_role role)
{
    const bnd_cast *cast = &b->policy->cast[role];
    return cast->given ? cast : NULL;
}

/* Numbers that share scales are numbers of fp32 to an operation. */
static bnd_format format_of(const bnd_cast *cast)
{
    return cast != NULL && cast->scaling[0] == 0 ? cast->format : *bnd_lab_format_of_words(BNDI_WORDS_32);
}

/* How weights are stored decides the format of no result: they lend fp32. */
bndi_paper bndi_paper_of(const bndi_book *b, bnd_role role, const bndi_shape *shape)
{
    const bnd_cast *cast = role == BND_ROLE_PARAM ? NULL : cast_of(b, role);
    return (bndi_paper){.format = format_of(cast), .shape = *shape, .role = role};
}

static double bytes_as(const bnd_format *f, const bndi_paper *t)
{
    return bndi_bytes_of(f, (double)bndi_count(&t->shape));
}

/* ---- saved ---- */

static void count_storage(bndi_book *b, bndi_paper *t)
{
    bndi_paper *whole = t->whole != NULL ? t->whole : t;
    b->tensors += whole->counted ? 0 : bytes_as(&whole->format, whole);
    whole->counted = true;
}

/* A copy in the format of the role saved: one of each tensor, unless each has random bits of its own. */
static void count_copy(bndi_book *b, bndi_paper *t, const bnd_cast *cast)
{
    bool random = cast->rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
    b->tensors += t->copied && !random ? 0 : bytes_as(&cast->format, t);
    t->copied = true;
}

/* An operation on numbers that fp32 does not hold computes in fp64, and its operands have no narrower copies. */
static bool fits_fp32(const bndi_book *b, const bndi_paper *t)
{
    const bnd_cast *stored = t->role == BND_ROLE_PARAM ? cast_of(b, t->role) : NULL;
    return bnd_lab_words_hold(BNDI_WORDS_32, stored != NULL ? &stored->format : &t->format);
}

/* `copies`: may an operand of a product be kept as a narrower copy? */
static void save(bndi_book *b, bndi_paper *t, unsigned operand, bndi_matrix_product product, bool copies)
{
    const bnd_cast *cast = cast_of(b, BND_ROLE_SAVED);
    if (t->role != BND_ROLE_ACT) {
        return;
    }
    double bytes = bytes_as(cast != NULL ? &cast->format : &t->format, t), needed = bytes;
    if (copies) {
        needed = (double)bndi_bytes_for_backward(b->policy, product, operand, &t->shape, (size_t)bytes);
    }
    if (needed < bytes) {
        b->tensors += needed;
    } else if (cast != NULL) {
        count_copy(b, t, cast);
    } else {
        count_storage(b, t);
    }
}

void bndi_paper_keep(bndi_book *b, bndi_paper *x)
{
    count_storage(b, x);
}

/* ---- operations ---- */

static bnd_format result_format(const bndi_book *b, bnd_role role, const bndi_row *row, const bndi_paper *x,
                                const bndi_paper *y)
{
    const bnd_cast *cast = bndi_cast_in(b->policy, role);
    bool same = y == NULL || (row->indices & BNDI_SAVE_B) != 0 || bnd_format_same(&x->format, &y->format);
    const bool narrow =
        bnd_lab_words_hold(BNDI_WORDS_32, &x->format) && (y == NULL || bnd_lab_words_hold(BNDI_WORDS_32, &y->format));
    return cast != NULL ? format_of(cast)
           : same       ? x->format
                        : *bnd_lab_format_of_words(narrow ? BNDI_WORDS_32 : BNDI_WORDS_64);
}

typedef struct operation {
    const bndi_row *row;
    bnd_role role;
    bndi_matrix_product product;
} operation;

static void apply(bndi_book *b, bndi_paper *out, const operation *o, bndi_paper *x, bndi_paper *y,
                  const bndi_shape *shape)
{
    const unsigned saves = o->row->saves;
    *out = (bndi_paper){.format = result_format(b, o->role, o->row, x, y), .shape = *shape, .role = BND_ROLE_ACT};
    const bool copies = o->row->product && fits_fp32(b, x) && (y == NULL || fits_fp32(b, y));
    if ((saves & BNDI_SAVE_A) != 0) {
        save(b, x, 0, o->product, copies);
    }
    if (y != NULL && (saves & BNDI_SAVE_B) != 0) {
        save(b, y, 1, o->product, copies);
    }
    if ((saves & BNDI_SAVE_OUT) != 0) {
        save(b, out, BNDI_OUT, o->product, false);
    }
    if (o->row == &bndi_layer_norm_row || o->row == &bndi_rms_norm_row) {
        b->beside += 2 * 4 * (double)(bndi_count(shape) / shape->extent[shape->rank - 1]);
    }
}

/* What the delayed scales of a product's operands follow from: two operands, three times; twice where the first one is
 * data, which no gradient goes to. */
static void count_histories(bndi_book *b, const bndi_paper *x, bndi_matrix_product product)
{
    for (unsigned role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) {
        bool goes_to_x = role == BND_ROLE_DGRAD_DY || role == BND_ROLE_DGRAD_W;
        bnd_role cast = bndi_operand_role(b->policy, product, (bnd_role)role);
        b->histories += goes_to_x && x->role == BND_ROLE_DATA ? 0 : bndi_history_of(b->policy, cast);
    }
}

void bndi_paper_apply(bndi_book *b, bndi_paper *out, bnd_tensor_operation name, bool careful, bndi_paper *x,
                      bndi_paper *y, const bndi_shape *shape)
{
    const bndi_row *row = bndi_row_of(name);
    bnd_role role = careful || row->careful ? BND_ROLE_CAREFUL : BND_ROLE_ACT;
    apply(b, out, &(operation){row, role, BNDI_MATMUL}, x, y, shape);
}

void bndi_paper_attention(bndi_book *b, bndi_paper *out, bnd_role result, bndi_paper *x, bndi_paper *y,
                          const bndi_shape *shape)
{
    const bndi_matrix_product product = bndi_product_by_result(result);
    count_histories(b, x, product);
    apply(b, out, &(operation){&bndi_matmul_row, result, product}, x, y, shape);
}

void bndi_paper_linear(bndi_book *b, bndi_paper *out, bndi_paper *x, size_t n, uint64_t layer)
{
    uint64_t high = (b->layers * b->policy->high_last + 99) / 100;
    bndi_matrix_product product = high > 0 && layer + high >= b->layers ? BNDI_LINEAR_HIGH : BNDI_LINEAR;
    bndi_shape shape = x->shape, of_weight = {.rank = 2, .extent = {n, shape.extent[shape.rank - 1]}};
    bndi_paper w = bndi_paper_of(b, BND_ROLE_PARAM, &of_weight);
    shape.extent[shape.rank - 1] = n;
    count_histories(b, x, product);
    apply(b, out, &(operation){&bndi_linear_row, BND_ROLE_FWD_Y, product}, x, &w, &shape);
}

void bndi_paper_view(bndi_paper *out, bndi_paper *x, const bndi_shape *shape)
{
    *out =
        (bndi_paper){.format = x->format, .shape = *shape, .role = x->role, .whole = x->whole != NULL ? x->whole : x};
}

/* ---- formulas ---- */

bndi_shape bndi_paper_shape(size_t rank, size_t first, size_t second, size_t third, size_t fourth)
{
    return (bndi_shape){.rank = rank, .extent = {first, second, third, fourth}};
}

bndi_paper bndi_paper_same(bndi_book *b, bnd_tensor_operation name, bool careful, bndi_paper *x, bndi_paper *y)
{
    bndi_paper z;
    bndi_paper_apply(b, &z, name, careful, x, y, &x->shape);
    return z;
}

bndi_paper bndi_paper_map(bndi_book *b, bnd_tensor_operation name, bndi_paper *x)
{
    return bndi_paper_same(b, name, false, x, NULL);
}

bndi_paper bndi_paper_pair(bndi_book *b, bnd_tensor_operation name, bndi_paper *x, bndi_paper *y)
{
    return bndi_paper_same(b, name, false, x, y);
}

void bndi_paper_sum(bndi_book *b, bnd_tensor_operation name, bndi_paper *x, bndi_paper *y)
{
    bndi_paper z;
    bndi_shape one = bndi_paper_shape(0, 0, 0, 0, 0);
    bndi_paper_apply(b, &z, name, true, x, y, &one);
}

bndi_paper bndi_paper_data(bndi_book *b, size_t rows, size_t columns)
{
    bndi_shape s = bndi_paper_shape(2, rows, columns, 0, 0);
    return bndi_paper_of(b, BND_ROLE_DATA, &s);
}

bndi_paper bndi_paper_norm(bndi_book *b, bndi_paper *x, bool centred)
{
    bndi_paper gain = bndi_paper_of(b, BND_ROLE_PARAM, &(bndi_shape){.rank = 1, .extent = {1}});
    return bndi_paper_pair(b, centred ? BND_TENSOR_OP_LAYER_NORM : BND_TENSOR_OP_RMS_NORM, x, &gain);
}

bndi_paper bndi_paper_mlp(bndi_book *b, bndi_paper *x, size_t width, size_t inner, bnd_tensor_operation function,
                          uint64_t layer)
{
    bndi_paper up, down;
    bndi_paper_linear(b, &up, x, inner, layer);
    bndi_paper y = bndi_paper_map(b, function, &up);
    bndi_paper_linear(b, &down, &y, width, layer + 1);
    return down;
}
