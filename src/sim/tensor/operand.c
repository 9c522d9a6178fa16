/* Operands of GEMMs. A tensor that has the required format already is read in place. All others are cast into a copy
 * with the operand's role, which is freed after the product. */
#include "base/verify.h"
#include "block/partial_array.h"
#include "tensor/engine.h"
#include "tensor/maths.h"
#include "tensor/operand.h"
#include "tensor/reader.h"
#include "tensor/unbiased.h"

/* Uses the tensor in place; its codes fill whole words. tf32 is stored in fp32's words, so it is read as fp32. */
static void take_as_it_is(bndi_matmul_operand *o, const bnd_tensor *t)
{
    bndi_storage storage = bnd_lab_storage_of(&t->format, BND_PACKING_PACKED);
    o->bytes = storage.bits / 8;
    o->data = t->buffer->data + t->offset * o->bytes;
    o->format = storage.shift != 0 ? *bnd_lab_format_of_words(BNDI_WORDS_32) : t->format;
    __builtin_memcpy(o->stride, t->stride, sizeof o->stride);
}

static bool in_whole_words(const bnd_format *f)
{
    return !bnd_lab_storage_of(f, BND_PACKING_PACKED).packed;
}

/* Makes a contiguous copy of numbers or codes of `bytes` bytes each; the caller fills it. */
static bnd_status make_copy(bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role, const bnd_format *f,
                            unsigned bytes, bnd_error *why)
{
    bnd_status status = bndi_buffer_new(&o->copy, t->engine, role, bndi_count(&t->shape) * bytes, false, why);
    if (status == BND_OK) {
        o->data = o->copy->data;
        o->format = *f;
        o->bytes = bytes;
        bndi_strides_of(o->stride, &t->shape);
    }
    return status;
}

static bnd_status copy_numbers(bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role, bndi_width work,
                               bnd_error *why)
{
    bnd_status status = make_copy(o, t, role, bnd_lab_format_of_words(work), (unsigned)bndi_work_size(work), why);
    if (status == BND_OK) {
        bndi_read_all(o->copy->data, t, work);
    }
    return status;
}

/* ---- casts ---- */

typedef struct encoding {
    bndi_walk from;
    const bndi_matmul_operand *to;
    bnd_format format;
    bnd_array how;
} encoding;

static void encode_piece(void *of, size_t at, size_t n, const bndi_store *store)
{
    const encoding *e = of;
    bndi_numbers buffer;
    bnd_array how = e->how;
    how.first = at;
    const void *numbers = e->from.plain ? bndi_plain_place(&e->from, at) : bndi_read(&e->from, at, n, &buffer);
    unsigned char *codes = e->to->copy->data + at * e->to->bytes;
    bnd_status status = bnd_encode_f32(codes, numbers, n, &e->format, &how, store->stats, NULL);
    BNDI_VERIFY(status == BND_OK); /* a format with codes, and a piece */
}

static bnd_status cast_to_codes(bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role, const bnd_cast *cast,
                                bnd_error *why)
{
    enum { LONG = 16 * BNDI_TENSOR_CHUNK };
    const size_t n = bndi_count(&t->shape);
    bndi_store how = bndi_store_for(t->engine, role);
    bndi_storage storage = bnd_lab_storage_of(&cast->format, BND_PACKING_UNPACKED);
    encoding e = {.to = o,
                  .format = cast->format,
                  .how = {.context = &t->engine->context,
                          .rule = how.rule,
                          .seed = how.seed,
                          .purpose = how.purpose,
                          .packing_in = BND_PACKING_UNPACKED,
                          .packing_out = BND_PACKING_UNPACKED}};
    bnd_status status = make_copy(o, t, role, &cast->format, storage.bits / 8, why);
    if (status == BND_OK) {
        bndi_walk_open(&e.from, t, &t->shape, BNDI_WORDS_32);
        const bool may = bndi_threads_may(t->engine, (const bndi_walk *const[]){&e.from}, 1, NULL, NULL);
        const size_t step = may && how.stats == NULL && e.from.plain ? LONG : BNDI_TENSOR_CHUNK;
        bndi_store_chunks(n, step, may ? bndi_parts_of(t->engine, n) : 1, &how, encode_piece, &e);
    }
    return status;
}

/* ---- casts that need the whole copy as fp32 numbers ---- */

/* Room for the numbers, and where they are until then: where they lie, if they lie side by side and may stay as they
 * are; otherwise there. */
static bnd_status numbers_for(const float **from, bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role,
                              bool as_they_lie, bnd_error *why)
{
    bndi_walk walk;
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    const bool stay = as_they_lie && walk.plain;
    bnd_status status = stay ? make_copy(o, t, role, bnd_lab_format_of_words(BNDI_WORDS_32), sizeof(float), why)
                             : copy_numbers(o, t, role, BNDI_WORDS_32, why);
    if (status == BND_OK) {
        const unsigned char *data = stay ? walk.data + walk.offset * sizeof(float) : o->copy->data;
        *from = (const float *)(const void *)data;
    }
    return status;
}

static bnd_status to_blocks(float *y, const float *x, const bnd_tensor *t, bnd_role role, size_t axis,
                            const bnd_array *array, bnd_stats *stats, bnd_error *why)
{
    const bndi_scaling *scaling = &t->engine->here->scaling[role];
    const bnd_block *block = &scaling->block;
    bnd_shape shape;
    bnd_status status = bnd_block_shape(&shape, block, t->shape.extent, t->shape.rank, axis, why);
    if (status == BND_OK && scaling->unbiased != BNDI_BIASED) {
        return bndi_unbiased(t->engine, y, x, shape, scaling, array, stats, why);
    }
    return status == BND_OK ? bnd_fake_quantize_f32(y, x, shape, block, array, stats, why) : status;
}

/* Both operands of a product have the same signs: they are in the same layer and step. No cast has this seed. */
static bnd_status transform(float *x, const bnd_tensor *t, const bnd_cast *cast, size_t axis, bnd_error *why)
{
    const bnd_block along = {.sharing = BND_SHARE_BLOCK};
    const bnd_engine *engine = t->engine;
    size_t size = cast->hadamard_size;
    bnd_shape shape;
    bnd_status status = bnd_block_shape(&shape, &along, t->shape.extent, t->shape.rank, axis, why);
    if (status != BND_OK || size == 0) {
        return status == BND_OK ? bnd_lab_hadamard_along(x, x, shape, BND_HADAMARD_SIZE, 0, &engine->context, why)
                                : status;
    }
    while (shape.length % size != 0) {
        size /= 2;
    }
    const uint64_t seed = bnd_random(~engine->seed, engine->step, engine->place);
    return bnd_lab_hadamard_along(x, x, shape, size, seed, &engine->context, why);
}

/* The operand as the forward product has it, which was cast along the other axis of the matrix. It is not counted
 * twice. */
static bnd_status as_cast_forward(bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role, size_t axis,
                                  bnd_error *why)
{
    const bnd_array how = {
        .context = &t->engine->context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    bnd_stats *statistics = t->engine->statistics;
    bndi_matmul_operand first;
    t->engine->statistics = NULL;
    bnd_status status = bndi_operand_open(&first, t, role == BND_ROLE_WGRAD_X ? BND_ROLE_FWD_X : BND_ROLE_FWD_W,
                                          2 * t->shape.rank - 3 - axis, BNDI_WORDS_32, why);
    t->engine->statistics = statistics;
    if (status == BND_OK && first.copy == NULL) {
        return copy_numbers(o, t, role, BNDI_WORDS_32, why);
    }
    if (status == BND_OK) {
        status = make_copy(o, t, role, bnd_lab_format_of_words(BNDI_WORDS_32), sizeof(float), why);
    }
    if (status == BND_OK) {
        status =
            bnd_decode_f32((float *)(void *)o->copy->data, first.data, bndi_count(&t->shape), &first.format, &how, why);
    }
    bndi_operand_close(&first);
    return status;
}

/* Scaled, transformed, or rounded to a value set: what that is worth. */
static bnd_status cast_to_numbers(bndi_matmul_operand *o, const bnd_tensor *t, bnd_role role, const bnd_cast *cast,
                                  size_t axis, bnd_error *why)
{
    bnd_engine *engine = t->engine;
    const bndi_scaling_kind kind = engine->here->scaling[role].kind;
    const uint64_t ordinal = engine->casts;
    const size_t n = bndi_count(&t->shape);
    bndi_store how = bndi_store_with_scales(engine, role);
    bnd_array array = {.context = &engine->context, .rule = how.rule, .seed = how.seed, .purpose = how.purpose};
    const float *from = NULL;
    bnd_status status = cast->requantized ? as_cast_forward(o, t, role, axis, why)
                                          : numbers_for(&from, o, t, role, !cast->hadamard, why);
    if (status != BND_OK) {
        return status;
    }
    float *x = (float *)(void *)o->copy->data;
    from = cast->requantized ? x : from;
    if (cast->hadamard) {
        status = transform(x, t, cast, axis, why);
    }
    if (status != BND_OK) {
        return status;
    }
    if (kind == BNDI_BLOCKS) {
        return to_blocks(x, from, t, role, axis, &array, how.stats, why);
    }
    return kind == BNDI_UNSCALED ? bnd_round_f32(x, from, n, &cast->format, &array, how.stats, why)
                                 : bndi_scale_by_amax(engine, x, from, n, role, ordinal, &how, why);
}

bnd_status bndi_operand_open(bndi_matmul_operand *out, const bnd_tensor *t, bnd_role role, size_t axis, bndi_width work,
                             bnd_error *why)
{
    static const bnd_rule nothing;
    const bnd_cast *cast = role != BND_ROLE_SCRATCH ? bndi_cast_of(t->engine, role) : NULL;
    bool given = cast != NULL && work == BNDI_WORDS_32;
    *out = (bndi_matmul_operand){.shape = t->shape};
    if (given && (cast->scaling[0] != 0 || cast->hadamard || cast->requantized || cast->format.width == 0)) {
        return cast_to_numbers(out, t, role, cast, axis, why);
    }
    bool changes_nothing = given && t->buffer->scaled == NULL && bnd_format_same(&cast->format, &t->format) &&
                           __builtin_memcmp(&cast->rule, &nothing, sizeof nothing) == 0;
    bool as_it_is = !given || (changes_nothing && t->engine->statistics == NULL);
    /* It counts as a cast all the same, so that random bits do not depend on whether statistics are collected. */
    t->engine->casts += as_it_is && given;
    if (!as_it_is) {
        return cast_to_codes(out, t, role, cast, why);
    }
    bool words = work == BNDI_WORDS_32 ? in_whole_words(&t->format)
                                       : t->format.row >= 0 && t->format.row == bnd_lab_format_of_words(work)->row;
    if (!words || t->buffer->integer != 0 || t->buffer->scaled != NULL) {
        return copy_numbers(out, t, BND_ROLE_SCRATCH, work, why);
    }
    take_as_it_is(out, t);
    return BND_OK;
}

void bndi_operand_close(bndi_matmul_operand *o)
{
    bndi_buffer_release(o->copy);
    o->copy = NULL;
}

/* ---- products ---- */

static void multiply_doubles(const bndi_maths *maths, double *c, size_t m, size_t n, const bndi_matrix *a,
                             const bndi_matrix *b, size_t k)
{
    const double *x = (const double *)(const void *)a->data, *y = (const double *)(const void *)b->data;
    __builtin_memset(c, 0, m * n * sizeof *c);
    for (size_t i = 0; i < m; i++) {
        for (size_t l = 0; l < k; l++) {
            double factor = x[(ptrdiff_t)i * a->row + (ptrdiff_t)l * a->column];
            const double *from = y + (ptrdiff_t)l * b->row;
            if (b->column == 1) {
                maths->add_scaled(c + i * n, from, factor, n);
                continue;
            }
            for (size_t j = 0; j < n; j++) {
                c[i * n + j] += factor * from[(ptrdiff_t)j * b->column];
            }
        }
    }
}

static void multiply_stack_of_doubles(const bndi_maths *maths, double *c, size_t m, size_t n, const bndi_matrix *a,
                                      const bndi_matrix *b, size_t k, const bndi_stack *stack)
{
    for (size_t i = 0; i < bnd_lab_stack_count(stack); i++) {
        bndi_matrix x = *a, y = *b;
        x.data += bnd_lab_stack_offset(stack, stack->a, i) * (ptrdiff_t)sizeof *c;
        y.data += bnd_lab_stack_offset(stack, stack->b, i) * (ptrdiff_t)sizeof *c;
        multiply_doubles(maths, c + bnd_lab_stack_offset(stack, stack->c, i), m, n, &x, &y, k);
    }
}

static bool is_fp32(const bnd_format *f)
{
    return f->row >= 0 && f->row == bnd_lab_format_of_words(BNDI_WORDS_32)->row;
}

bnd_status bndi_multiply_stack(bnd_engine *engine, void *c, size_t m, size_t n, const bndi_matrix *a,
                               const bndi_matrix *b, size_t k, const bndi_stack *stack, bndi_width work, bnd_error *why)
{
    if (work == BNDI_WORDS_64) {
        multiply_stack_of_doubles(bndi_maths_of(&engine->context), c, m, n, a, b, k, stack);
        return BND_OK;
    }
    bnd_gemm how = {.context = &engine->context,
                    .accumulator = *bndi_accumulator_of(engine),
                    .a = {a->row, a->column},
                    .b = {b->row, b->column},
                    .c = {(ptrdiff_t)n, 1},
                    .seed = engine->seed,
                    .purpose = engine->step << 32 | (uint32_t)engine->casts};
    const bool random = how.accumulator.rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
    engine->casts += random ? bnd_lab_stack_count(stack) : 0;
    const bool numbers = is_fp32(a->format) && is_fp32(b->format);
    return bnd_lab_gemm_stack(c, m, n, a->data, numbers ? NULL : a->format, b->data, numbers ? NULL : b->format, k,
                              &how, stack, why);
}
