/* Matrix products: matmul of stacks of matrices, and linear. The gradients of linear are matrix products again, and
 * each of its three products has its own roles for its operands. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/maths.h"
#include "tensor/operand.h"
#include "tensor/reader.h"
#include "tensor/sums.h"
#include "tensor/view_make.h"

/* ---- a product of two stacks ---- */

/* Which two axes of an operand are its matrix: the last two, maybe turned. */
typedef struct factor {
    const bnd_tensor *tensor;
    bnd_role role;
    bool turned;
} factor;

static size_t rows_of(const bndi_shape *s, bool turned)
{
    return s->extent[s->rank - (turned ? 1 : 2)];
}

static bndi_matrix matrix_of(const bndi_matmul_operand *o, bool turned)
{
    size_t rank = o->shape.rank;
    ptrdiff_t row = o->stride[rank - 2], column = o->stride[rank - 1];
    return (bndi_matrix){
        .data = o->data, .format = &o->format, .row = turned ? column : row, .column = turned ? row : column};
}

/* From one product of the stack `shape` (all axes but the last two) to the next, in an operand that broadcasts to
 * it. */
static void set_steps(ptrdiff_t *steps, const bndi_matmul_operand *o, const bndi_shape *shape)
{
    size_t missing = shape->rank - o->shape.rank;
    for (size_t i = 0; i + 2 < shape->rank; i++) {
        bool repeats = i < missing || o->shape.extent[i - missing] == 1;
        steps[i] = repeats ? 0 : o->stride[i - missing];
    }
}

static bnd_status multiply_all(bnd_engine *engine, void *c, const bndi_shape *shape, const bndi_matmul_operand *a,
                               bool a_turned, const bndi_matmul_operand *b, bool b_turned, const float *bias,
                               bndi_width work, bnd_error *why)
{
    size_t m = shape->extent[shape->rank - 2], n = shape->extent[shape->rank - 1];
    size_t k = rows_of(&b->shape, b_turned);
    bndi_matrix x = matrix_of(a, a_turned), y = matrix_of(b, b_turned);
    bndi_stack stack = {.rank = shape->rank - 2, .bias = bias};
    bndi_strides_of(stack.c, shape);
    __builtin_memcpy(stack.extent, shape->extent, stack.rank * sizeof *stack.extent);
    set_steps(stack.a, a, shape);
    set_steps(stack.b, b, shape);
    bnd_status status =
        bndi_count(shape) > 0 ? bndi_multiply_stack(engine, c, m, n, &x, &y, k, &stack, work, why) : BND_OK;
    bndi_count_flops(engine, BND_TENSOR_OP_MATMUL, 2 * (uint64_t)bndi_count(shape) * k);
    return status;
}

/* c += bias, row by row. fp32 without a factor is done with the products. */
static void add_bias(unsigned char *c, const bndi_shape *shape, const bnd_tensor *bias, const void *numbers,
                     bndi_width work)
{
    size_t n = shape->extent[shape->rank - 1], count = bndi_count(shape), size = bndi_work_size(work);
    bndi_formula *add = bndi_maths_of(&bias->engine->context)->formula[work][BNDI_F_add];
    for (size_t at = 0; at < count; at += n) {
        add(c + at * size, (const void *[]){c + at * size, numbers, NULL}, 0, n);
    }
}

/* c *= times. */
static void multiply_by(unsigned char *c, size_t count, double times, bnd_engine *engine, bndi_width work)
{
    bndi_formula *scale = bndi_maths_of(&engine->context)->formula[work][BNDI_F_scale];
    scale(c, (const void *[]){c, NULL, NULL}, times, count);
}

/* The gradient of a weight leaves a GEMM in the format of its role, and is kept in that of grad. */
static bnd_status round_through(unsigned char *c, size_t count, bnd_engine *engine, const bnd_cast *cast,
                                bndi_width work, bnd_error *why)
{
    bndi_store how = bndi_store_for(engine, BND_ROLE_WGRAD_DW);
    bnd_array array = {.context = &engine->context, .rule = cast->rule, .seed = how.seed, .purpose = how.purpose};
    float *x = (float *)(void *)c;
    return work == BNDI_WORDS_32 ? bnd_round_f32(x, x, count, &cast->format, &array, how.stats, why) : BND_OK;
}

bool bndi_is_high(const bnd_engine *engine, unsigned place)
{
    return engine->high_from > 0 && place >= engine->high_from && bndi_rules_at(engine, place)->policy.high_last > 0;
}

bndi_matrix_product bndi_product_of(const bndi_call *c, unsigned place)
{
    return c->row != &bndi_linear_row       ? bndi_product_by_result(c->role)
           : bndi_is_high(c->engine, place) ? BNDI_LINEAR_HIGH
                                            : BNDI_LINEAR;
}

/* The role that an operand takes here. A product without a row (bndi_multiply_for) says it. */
static bnd_role role_here(const bndi_call *c, bnd_role position)
{
    return c->row == NULL ? position
                          : bndi_operand_role(&c->engine->here->policy, bndi_product_of(c, c->engine->place), position);
}

/* The axes of a view as its elements lie in memory, the longest steps first. */
static void axes_by_step(size_t *axes, const bndi_matmul_operand *o)
{
    for (size_t i = 0; i < o->shape.rank; i++) {
        size_t place = i;
        for (; place > 0 && o->stride[axes[place - 1]] < o->stride[i]; place--) {
            axes[place] = axes[place - 1];
        }
        axes[place] = i;
    }
}

typedef struct moved {
    bndi_walk walk;
    unsigned char *numbers;
} moved;

static void read_piece(void *of, size_t at, size_t n)
{
    const moved *m = of;
    bndi_read_into(m->numbers + at * sizeof(float), &m->walk, at, n);
}

static void write_piece(void *of, size_t at, size_t n, const bndi_store *how)
{
    const moved *m = of;
    bndi_write(&m->walk, at, n, m->numbers + at * bndi_work_size(m->walk.work), how);
}

/* All numbers of a view, side by side in the order in which they lie in memory: runs are as long as can be. */
static bnd_status bring_out_view(float *numbers, bndi_matmul_operand *o, const bnd_tensor *t, bnd_error *why)
{
    bnd_tensor *view;
    size_t axes[BND_TENSOR_RANK_MAX] = {0}, n = bndi_count(&t->shape);
    moved all = {.numbers = (unsigned char *)numbers};
    axes_by_step(axes, o);
    bnd_status status = bndi_permuted(&view, t, axes, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_walk_open(&all.walk, view, &view->shape, BNDI_WORDS_32);
    const bool may = bndi_threads_may(t->engine, (const bndi_walk *const[]){&all.walk}, 1, NULL, NULL);
    bndi_each_piece(n, BNDI_TENSOR_CHUNK, may ? bndi_parts_of(t->engine, n) : 1, read_piece, &all);
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bndi_strides_of(stride, &view->shape);
    for (size_t i = 0; i < o->shape.rank; i++) {
        o->stride[axes[i]] = stride[i];
    }
    bndi_drop(view);
    return BND_OK;
}

/* Sums of fp32, fused? */
static bool has_plain_sums(const bnd_engine *engine)
{
    const bnd_accumulator *a = bndi_accumulator_of(engine);
    return a->kind == BND_ACCUMULATE_FUSED &&
           (a->format.precision == 0 || bnd_format_same(&a->format, bnd_lab_format_of_words(BNDI_WORDS_32)));
}

/* Codes are decoded once where a product is of plain fp32 sums: its operands are read several times over, and where
 * they lie. Others do so much with each number that decoding it again costs nothing. Without memory: as it was. `t`:
 * what the operand is of. */
static void bring_out(bndi_matmul_operand *o, const bnd_tensor *t, unsigned which, bndi_width work)
{
    bnd_engine *engine = t->engine;
    const bnd_format *fp32 = bnd_lab_format_of_words(BNDI_WORDS_32);
    size_t count = bndi_count(&o->shape);
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bndi_strides_of(stride, &o->shape);
    bool dense = __builtin_memcmp(stride, o->stride, o->shape.rank * sizeof *stride) == 0;
    if (work != BNDI_WORDS_32 || !has_plain_sums(engine) || count == 0 || bnd_format_same(&o->format, fp32)) {
        return;
    }
    float *numbers = bndi_workspace(engine, which, count * sizeof *numbers);
    const bnd_array how = {
        .context = &engine->context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    bnd_status status = numbers == NULL ? BND_NO_MEMORY
                        : dense         ? bnd_decode_f32(numbers, o->data, count, &o->format, &how, NULL)
                                        : bring_out_view(numbers, o, t, NULL);
    if (status == BND_OK) {
        o->data = (const unsigned char *)numbers;
        o->format = *fp32;
        o->bytes = sizeof *numbers;
    }
}

/* Has a product left nothing to be done? Its NaNs are the canonical one, unless the bias makes others. */
static bool is_stored(const bndi_walk *to, const float *bias, size_t n, const bndi_store *how)
{
    const bnd_engine *engine = to->engine;
    return to->plain && to->work == BNDI_WORDS_32 && has_plain_sums(engine) && bndi_stores_results(to, how) &&
           (bias == NULL || bnd_largest_magnitude_f32(bias, n, &engine->context) < __builtin_inff());
}

/* out = a b (+ bias), for linear times a number, rounded to `through` unless that is NULL, stored as `how` says. Unless
 * the result is a contiguous array of the work type, it is computed in scratch first. */
static bnd_status product(bnd_tensor *out, const bndi_call *call, factor a, factor b, const bnd_tensor *bias,
                          const bndi_store *how, const bnd_cast *through, bnd_error *why)
{
    const bndi_width work = call->work;
    const bnd_role of_a = role_here(call, a.role), of_b = role_here(call, b.role);
    bnd_engine *engine = out->engine;
    bndi_matmul_operand x = {.copy = NULL}, y = {.copy = NULL};
    bndi_whole numbers = {.numbers = NULL};
    bndi_buffer *scratch = NULL;
    bndi_walk to;
    size_t count = bndi_count(&out->shape), size = bndi_work_size(work);
    const double times = call->row == &bndi_linear_row ? call->attributes.number[0] : 0; /* 0: none */
    const bool at_once = work == BNDI_WORDS_32 && times == 0;
    bndi_walk_open(&to, out, &out->shape, work);
    bnd_status status = bndi_operand_open(&x, a.tensor, of_a, a.tensor->shape.rank - (a.turned ? 2 : 1), work, why);
    if (status == BND_OK) {
        status = bndi_operand_open(&y, b.tensor, of_b, b.tensor->shape.rank - (b.turned ? 1 : 2), work, why);
    }
    if (status == BND_OK) {
        bring_out(&x, a.tensor, 0, work);
        bring_out(&y, b.tensor, 1, work);
    }
    if (status == BND_OK && !to.plain) {
        status = bndi_buffer_new(&scratch, engine, BND_ROLE_SCRATCH, count * size, false, why);
    }
    unsigned char *c = to.plain ? to.data + to.offset * size : scratch != NULL ? scratch->data : NULL;
    if (status == BND_OK && bias != NULL) {
        status = bndi_whole_open(&numbers, bias, work, why);
    }
    if (status == BND_OK) {
        status = multiply_all(engine, c, &out->shape, &x, a.turned, &y, b.turned, at_once ? numbers.numbers : NULL,
                              work, why);
    }
    if (status == BND_OK && times != 0) {
        multiply_by(c, count, times, engine, work);
    }
    if (status == BND_OK && bias != NULL && !at_once) {
        add_bias(c, &out->shape, bias, numbers.numbers, work);
    }
    if (status == BND_OK && through != NULL) {
        status = round_through(c, count, engine, through, work, why);
    }
    const bool stored =
        at_once && through == NULL && is_stored(&to, numbers.numbers, out->shape.extent[out->shape.rank - 1], how);
    if (status == BND_OK && !stored) {
        moved all = {.walk = to, .numbers = c};
        const size_t parts = bndi_threads_may(engine, NULL, 0, &to, how) ? bndi_parts_of(engine, count) : 1;
        bndi_store_chunks(count, BNDI_TENSOR_CHUNK, parts, how, write_piece, &all);
    }
    bndi_whole_close(&numbers);
    bndi_buffer_release(scratch);
    bndi_operand_close(&x);
    bndi_operand_close(&y);
    return status;
}

bnd_status bndi_multiply_for(bnd_tensor *out, bnd_role role, const bnd_tensor *a, bool a_turned, const bnd_tensor *b,
                             bool b_turned, bnd_error *why)
{
    const bndi_store simply = {.rule = {.rounding = BND_ROUND_RNE}};
    const bndi_call call = {.engine = out->engine, .work = BNDI_WORDS_32};
    return product(out, &call, (factor){a, role, a_turned}, (factor){b, role, b_turned}, NULL, &simply, NULL, why);
}

/* ---- matmul ---- */

static bnd_status refuse_shapes(const bndi_call *c, const char *what, bnd_error *why)
{
    char a[BNDI_SHAPE_TEXT], b[BNDI_SHAPE_TEXT];
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: shapes %s and %s do not match: %s", c->row->name,
                    bndi_shape_text(a, &c->in_shape[0]), bndi_shape_text(b, &c->in_shape[1]), what);
}

static bnd_status matmul_shape(bndi_call *c, bnd_error *why)
{
    bndi_shape a = c->in_shape[0], b = c->in_shape[1];
    if (a.rank < 2 || b.rank < 2) {
        return refuse_shapes(c, "both must have at least 2 axes; unsqueeze a vector", why);
    }
    size_t m = a.extent[a.rank - 2], n = b.extent[b.rank - 1];
    if (a.extent[a.rank - 1] != b.extent[b.rank - 2]) {
        return refuse_shapes(
            c, "the last axis of the first must have as many elements as the last but one of the second", why);
    }
    a.rank -= 2;
    b.rank -= 2;
    bnd_status status = bndi_shape_join(&c->shape, &a, &b, c->row->name, why);
    if (status == BND_OK) {
        c->shape.extent[c->shape.rank++] = m;
        c->shape.extent[c->shape.rank++] = n;
        status = bndi_shape_make(&c->shape, c->shape.extent, c->shape.rank, why);
    }
    return status;
}

static bnd_status matmul_forward(bndi_call *c, bnd_error *why)
{
    bndi_store how =
        bndi_store_for(c->engine, bndi_result_role(&c->engine->here->policy, bndi_product_by_result(c->role)));
    return product(c->saved[BNDI_OUT], c, (factor){c->saved[0], BND_ROLE_FWD_X, false},
                   (factor){c->saved[1], BND_ROLE_FWD_W, false}, NULL, &how, NULL, why);
}

/* Gradients that flow have the role of a GEMM's result; those of leaves go through one. */
static void take_roles(bndi_gradients *g, const bndi_call *c)
{
    const bnd_policy *policy = &c->engine->here->policy;
    for (unsigned i = 0; i < 2; i++) {
        bnd_role flows = bndi_gradient_role(policy, bndi_product_of(c, c->engine->place), i);
        g->role[i] = g->role[i] == BND_ROLE_DACT ? flows : g->role[i];
    }
}

static const bnd_cast *through(const bndi_call *c, const bndi_gradients *g, unsigned i)
{
    return g->role[i] == BND_ROLE_GRAD ? bndi_cast_of(c->engine, BND_ROLE_WGRAD_DW) : NULL;
}

/* A gradient of the whole stack, summed over what was repeated. */
static bnd_status stack_gradient(bndi_call *c, bndi_gradients *g, unsigned i, factor a, factor b, bnd_error *why)
{
    bndi_shape shape = c->shape;
    shape.extent[shape.rank - 2] = rows_of(&c->in_shape[i], false);
    shape.extent[shape.rank - 1] = rows_of(&c->in_shape[i], true);
    bool repeated = !bndi_same_shape(&shape, &c->in_shape[i]);
    bnd_tensor *whole;
    bnd_status status = repeated ? bndi_tensor_make(&whole, c->engine, bnd_lab_format_of_words(c->work), &shape,
                                                    BND_ROLE_SCRATCH, false, why)
                                 : bndi_gradient_of_operand(&whole, c, g, i, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_store how =
        repeated ? (bndi_store){.rule = {.rounding = BND_ROUND_RNE}} : bndi_store_for(c->engine, g->role[i]);
    status = product(whole, c, a, b, NULL, &how, through(c, g, i), why);
    if (status == BND_OK && repeated) {
        status = bndi_sum_to(&g->out[i], c, g, i, whole, why);
    }
    if (status == BND_OK && !repeated) {
        g->out[i] = whole;
        return BND_OK;
    }
    bndi_drop(whole);
    return status;
}

static bnd_status matmul_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = BND_OK;
    take_roles(g, c);
    if (g->wanted[0]) {
        status = stack_gradient(c, g, 0, (factor){d, BND_ROLE_DGRAD_DY, false},
                                (factor){c->saved[1], BND_ROLE_DGRAD_W, true}, why);
    }
    if (status == BND_OK && g->wanted[1]) {
        status = stack_gradient(c, g, 1, (factor){c->saved[0], BND_ROLE_WGRAD_X, true},
                                (factor){d, BND_ROLE_WGRAD_DY, false}, why);
    }
    return status;
}

const bndi_row bndi_matmul_row = {.name = "matmul",
                                  .least = 2,
                                  .most = 2,
                                  .product = true,
                                  .saves = BNDI_SAVE_A | BNDI_SAVE_B,
                                  .shape = matmul_shape,
                                  .forward = matmul_forward,
                                  .backward = matmul_backward,
                                  .flops = bndi_no_flops /* multiply_stack counts */};

/* ---- linear ---- */

static bool weight_is_turned(const bndi_call *c)
{
    return !c->attributes.flag; /* (n, k): y = x w' */
}

static bnd_status linear_shape(bndi_call *c, bnd_error *why)
{
    const bndi_shape *x = &c->in_shape[0], *w = &c->in_shape[1];
    if (x->rank < 1 || w->rank != 2) {
        return refuse_shapes(c, "the first must have at least 1 axis, the weight 2", why);
    }
    size_t n = rows_of(w, !weight_is_turned(c)), k = rows_of(w, weight_is_turned(c));
    if (x->extent[x->rank - 1] != k) {
        return refuse_shapes(c, "the last axis of the first must have as many elements as the weight has inputs", why);
    }
    if (c->count > 2 && (c->in_shape[2].rank != 1 || c->in_shape[2].extent[0] != n)) {
        char text[BNDI_SHAPE_TEXT];
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "linear: the bias has shape %s; for %zu outputs it must be (%zu,)",
                        bndi_shape_text(text, &c->in_shape[2]), n, n);
    }
    c->shape = *x;
    c->shape.extent[x->rank - 1] = n;
    return bndi_shape_make(&c->shape, c->shape.extent, c->shape.rank, why);
}

/* (..., k) as (rows, k), a view where strides allow it. */
static bnd_status flat(bnd_tensor **out, const bnd_tensor *t, bnd_error *why)
{
    size_t k = t->shape.extent[t->shape.rank - 1], rows = 1;
    for (size_t i = 0; i + 1 < t->shape.rank; i++) {
        rows *= t->shape.extent[i];
    }
    return bndi_reshaped(out, t, &(bndi_shape){.rank = 2, .extent = {rows, k}}, why);
}

static bnd_status linear_forward(bndi_call *c, bnd_error *why)
{
    bnd_tensor *x = NULL, *y = NULL;
    bndi_store how = bndi_store_for(c->engine, c->role);
    bnd_status status = flat(&x, c->saved[0], why);
    if (status == BND_OK) {
        status = flat(&y, c->saved[BNDI_OUT], why);
    }
    if (status == BND_OK) {
        status = product(y, c, (factor){x, BND_ROLE_FWD_X, false},
                         (factor){c->saved[1], BND_ROLE_FWD_W, weight_is_turned(c)}, c->count > 2 ? c->saved[2] : NULL,
                         &how, NULL, why);
    }
    bndi_drop(x);
    bndi_drop(y);
    return status;
}

static bnd_status one_product(bndi_call *c, bndi_gradients *g, unsigned i, factor a, factor b, bnd_error *why)
{
    bnd_tensor *to = NULL;
    bnd_status status = bndi_gradient_of_operand(&g->out[i], c, g, i, false, why);
    if (status == BND_OK) {
        status = flat(&to, g->out[i], why);
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[i]);
        status = product(to, c, a, b, NULL, &how, through(c, g, i), why);
    }
    bndi_drop(to);
    return status;
}

static bnd_status bias_gradient(bndi_call *c, bndi_gradients *g, const bnd_tensor *d, bnd_error *why)
{
    return bndi_sum_to(&g->out[2], c, g, 2, d, why);
}

/* dx = dy w, dw = dy' x (of a weight that is not turned: x' dy). */
static bnd_status linear_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_tensor *x = NULL, *dy = NULL;
    bool turned = weight_is_turned(c);
    bnd_status status = flat(&dy, d, why);
    take_roles(g, c);
    if (status == BND_OK && g->wanted[0]) {
        status = one_product(c, g, 0, (factor){dy, BND_ROLE_DGRAD_DY, false},
                             (factor){c->saved[1], BND_ROLE_DGRAD_W, !turned}, why);
    }
    if (status == BND_OK && g->wanted[1]) {
        status = flat(&x, c->saved[0], why);
    }
    if (status == BND_OK && g->wanted[1]) {
        factor of_x = {x, BND_ROLE_WGRAD_X, !turned}, of_d = {dy, BND_ROLE_WGRAD_DY, turned};
        status = turned ? one_product(c, g, 1, of_d, of_x, why) : one_product(c, g, 1, of_x, of_d, why);
    }
    if (status == BND_OK && c->count > 2 && g->wanted[2]) {
        status = bias_gradient(c, g, d, why);
    }
    bndi_drop(x);
    bndi_drop(dy);
    return status;
}

static uint64_t linear_flops(const bndi_call *c)
{
    return c->count > 2 ? bndi_count(&c->shape) : 0; /* the bias; the product is counted as one */
}

const bndi_row bndi_linear_row = {.name = "linear",
                                  .least = 2,
                                  .most = 3,
                                  .product = true,
                                  .saves = BNDI_SAVE_A | BNDI_SAVE_B,
                                  .shape = linear_shape,
                                  .forward = linear_forward,
                                  .backward = linear_backward,
                                  .flops = linear_flops};
