/* The work on one piece: neighbouring elements of one weight, decoded to fp32, then quantized or rounded, and written.
 * A piece of a weight that is quantized is whole rows and tiles, so its scales are its own; only a scale of the whole
 * tensor is found before. */
#include "convert/quantize.h"

#include "bulk/bulk.h"
#include "checkpoint/wide_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The weight of a piece: the last one that begins at or before it. */
static size_t weight_of(const bnd_quantize_plan *plan, uint64_t piece)
{
    size_t low = 0, high = plan->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (plan->work[middle].first_piece <= piece) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

typedef struct piece {
    const bnd_planned_weight *weight;
    const bndi_weight_work *work;
    size_t index; /* of the weight */
    uint64_t at;  /* the first element, or byte of what is copied */
    size_t n;
    const bndi_piece_memory *memory;
} piece;

static bnd_context one_thread(const bnd_quantize_plan *plan)
{
    return (bnd_context){.backend = plan->context.backend, .threads = 1};
}

/* The words of p->n elements in the order of a view. Where columns lie side by side it goes along them, so that reads
 * are near each other. */
static void gather(unsigned char *out, const piece *p, size_t bytes)
{
    const bndi_expert_view *view = &p->work->view;
    const unsigned char *data = p->weight->weight->parts[BND_PART_CODES]->data;
    size_t columns = p->work->columns, rows = p->n / columns;
    bool down = view->row_step < view->column_step;
    for (size_t i = 0; i < p->n; i++) {
        size_t r = down ? i % rows : i / columns, c = down ? i / rows : i % columns;
        uint64_t row = p->at / columns + r;
        uint64_t from = view->first + row / view->inner * view->outer_step + row % view->inner * view->row_step +
                        c * view->column_step;
        memcpy(out + (r * columns + c) * bytes, data + from * bytes, bytes);
    }
}

static const unsigned char *bytes_at(const bnd_stored_tensor *codes, uint64_t at)
{
    return codes->data + at * (codes->format->width / 8U);
}

static bnd_status decode(const bndi_quantizing *job, const piece *p, bnd_error *why)
{
    bnd_context context = one_thread(job->plan);
    if (p->work->gathered) {
        const bnd_format *stored = p->weight->weight->parts[BND_PART_CODES]->format;
        bnd_array how = {.context = &context};
        gather(p->memory->gathered, p, stored->width / 8U);
        return bndi_is_wide(stored) ? bndi_decode_to_odd(p->memory->x, p->memory->gathered, p->n, stored, why)
                                    : bnd_decode_f32(p->memory->x, p->memory->gathered, p->n, stored, &how, why);
    }
    if (p->work->turned) {
        return bndi_decode_turned(p->memory->x, p->weight->weight, p->at, p->n, &context, why);
    }
    const bnd_stored_tensor *wide = bndi_wide_codes(p->weight->weight);
    return wide != NULL ? bndi_decode_to_odd(p->memory->x, bytes_at(wide, p->at), p->n, wide->format, why)
                        : bnd_decode_weight_f32(p->memory->x, p->weight->weight, p->at, p->n, &context, why);
}

static void told(bndi_quantizing *job, uint64_t bytes)
{
    (void)__atomic_add_fetch(&job->done, bytes, __ATOMIC_RELAXED);
}

/* ---- numbers that are not finite ---- */

/* The code of infinity in fp32, bf16 and fp16; those of NaNs are above it. */
static uint32_t infinity_of(const bnd_format *f)
{
    return f->width == 32 ? 0x7f800000 : bnd_format_same(f, bnd_format_at(BND_FORMAT_BF16)) ? 0x7f80 : 0x7c00;
}

/* The first code of fp32, bf16 or fp16 that is an infinity or a NaN; `count` if none is. Counting them all first is
 * faster: that loop has no exit. */
static size_t find_nonfinite(const bnd_format *f, const unsigned char *codes, size_t count)
{
    uint32_t infinity = infinity_of(f), found = 0;
    size_t bytes = f->width / 8U, i = 0;
    for (size_t k = 0; k < count; k++) {
        const unsigned char *at = codes + k * bytes + bytes - 2; /* the upper half of fp32 holds the exponent */
        uint32_t upper = (uint32_t)at[0] | (uint32_t)at[1] << 8, mask = bytes == 4 ? infinity >> 16 : infinity;
        found += (upper & mask) == mask;
    }
    for (; found > 0 && i < count; i++) {
        const unsigned char *at = codes + i * bytes + bytes - 2;
        uint32_t upper = (uint32_t)at[0] | (uint32_t)at[1] << 8, mask = bytes == 4 ? infinity >> 16 : infinity;
        if ((upper & mask) == mask) {
            return i;
        }
    }
    return count;
}

/* The first scale that is a NaN; `count` if none is. */
static size_t find_nan(const bnd_format *f, const unsigned char *scales, size_t count)
{
    size_t bytes = f->width / 8U;
    if (bytes == 1) { /* NVFP4 has one per 16 elements */
        int nan = bnd_format_same(f, bnd_format_at(BND_FORMAT_E8M0)) ? 0xff : 0x7f;
        const unsigned char *found = memchr(scales, nan, count);
        return found != NULL ? (size_t)(found - scales) : count;
    }
    uint32_t infinity = infinity_of(f);
    for (size_t i = 0; i < count; i++) {
        uint32_t code = 0;
        for (size_t k = 0; k < bytes; k++) {
            code |= (uint32_t)scales[i * bytes + k] << (8 * k);
        }
        if (code > infinity) {
            return i;
        }
    }
    return count;
}

/* `x` is not finite, or overflows to infinity in `to`. */
static bnd_status refuse_number(const bnd_planned_weight *weight, uint64_t place, double x, const bnd_format *to,
                                bnd_error *why)
{
    uint64_t columns = weight->rank > 0 ? weight->shape[weight->rank - 1] : 1;
    char number[32];
    (void)snprintf(number, sizeof number, isnan(x) ? "NaN" : isinf(x) ? "infinite" : "%.9g", x);
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s is %s at row %llu, column %llu%s%s; set allow_nonfinite to accept such numbers, or add this "
                    "weight to keep",
                    weight->name, number, (unsigned long long)(place / columns), (unsigned long long)(place % columns),
                    isfinite(x) ? ", which overflows to infinity in " : "", isfinite(x) ? to->name : "");
}

static bnd_status refuse_nonfinite(const bnd_planned_weight *weight, const float *x, uint64_t at, size_t n,
                                   bnd_error *why)
{
    size_t i = 0;
    while (i + 1 < n && isfinite(x[i])) {
        i++;
    }
    return refuse_number(weight, at + i, (double)x[i], NULL, why);
}

/* ---- the three kinds of work ---- */

static bnd_status copy(bndi_quantizing *job, const piece *p, bnd_error *why)
{
    const bnd_stored_tensor *tensor = p->weight->weight->parts[BND_PART_CODES];
    told(job, p->n);
    return bnd_checkpoint_writer_put(job->writer, p->work->tensors[BND_PART_CODES], p->at, tensor->data + p->at, p->n,
                                     why);
}

/* fp64 in its order is rounded once, to any format. */
static bnd_status encode_wide(const piece *p, const bnd_stored_tensor *wide, bnd_array how, bnd_error *why)
{
    enum { RUN = 512 };
    double x[RUN];
    bnd_status status = BND_OK;
    for (size_t at = 0; at < p->n && status == BND_OK; at += RUN) {
        const size_t run = p->n - at < RUN ? p->n - at : RUN;
        status = bnd_decode_f64(x, bytes_at(wide, p->at + at), run, wide->format, NULL, why);
        if (status == BND_OK) {
            status =
                bnd_encode_f64(p->memory->codes + at * (p->work->to->width / 8U), x, run, p->work->to, &how, NULL, why);
        }
        how.first += run;
    }
    return status;
}

/* The fp64 numbers of a piece, if they are in its order; NULL: it is decoded to fp32. */
static const bnd_stored_tensor *wide_in_order(const piece *p)
{
    return p->work->gathered || p->work->turned ? NULL : bndi_wide_codes(p->weight->weight);
}

static bnd_status encode(bndi_quantizing *job, const piece *p, const bnd_array *how, bnd_error *why)
{
    const bnd_stored_tensor *wide = wide_in_order(p);
    if (wide != NULL) {
        return encode_wide(p, wide, *how, why);
    }
    const bnd_status status = decode(job, p, why);
    return status == BND_OK ? bnd_encode_f32(p->memory->codes, p->memory->x, p->n, p->work->to, how, NULL, why)
                            : status;
}

/* Nothing becomes an infinity or a NaN without a word. */
static bnd_status check_values(const piece *p, bnd_error *why)
{
    const bnd_stored_tensor *wide = wide_in_order(p);
    size_t i = find_nonfinite(p->work->to, p->memory->codes, p->n);
    bnd_status status = BND_OK;
    double x;
    if (i == p->n) {
        return BND_OK;
    }
    if (wide != NULL) {
        status = bnd_decode_f64(&x, bytes_at(wide, p->at + i), 1, wide->format, NULL, why);
    } else {
        x = (double)p->memory->x[i];
    }
    return status == BND_OK ? refuse_number(p->weight, p->at + i, x, p->work->to, why) : status;
}

static bnd_status round_values(bndi_quantizing *job, const piece *p, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    bnd_context context = one_thread(plan);
    bnd_array how = {
        .context = &context, .rule = plan->rounding, .seed = plan->seed, .first = p->work->first_element + p->at};
    uint64_t bytes = p->work->to->width / 8U;
    bnd_status status = encode(job, p, &how, why);
    status = status == BND_OK && !plan->allow_nonfinite ? check_values(p, why) : status;
    told(job, p->n * bytes);
    return status == BND_OK ? bnd_checkpoint_writer_put(job->writer, p->work->tensors[BND_PART_CODES], p->at * bytes,
                                                        p->memory->codes, (size_t)(p->n * bytes), why)
                            : status;
}

/* Scales before row `row`, in bytes; of whole tiles. */
static uint64_t scales_before(const bnd_block *block, size_t row, size_t columns)
{
    return bnd_block_scales_size(block, bndi_shape_of_rows(block, row, columns));
}

static bnd_status put_codes(bndi_quantizing *job, const piece *p, bnd_shape shape, bnd_error *why)
{
    const bnd_block *block = &p->weight->block;
    size_t bits = block->integer ? 8 : block->element.width, scales = bnd_block_scales_size(block, shape);
    size_t row = (size_t)(p->at / p->work->columns);
    bnd_status status =
        bnd_checkpoint_writer_put(job->writer, p->work->tensors[BND_PART_CODES], p->at * bits / 8, p->memory->codes,
                                  bnd_block_codes_size(block, shape, BND_PACKING_PACKED), why);
    if (status == BND_OK && block->sharing != BND_SHARE_TENSOR) {
        status = bnd_checkpoint_writer_put(job->writer, p->work->tensors[BND_PART_SCALES],
                                           row > 0 ? scales_before(block, row, p->work->columns) : 0, p->memory->scales,
                                           scales, why);
    }
    return status;
}

static bnd_status quantize(bndi_quantizing *job, const piece *p, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    const bnd_block *block = &p->weight->block;
    bool whole = block->sharing == BND_SHARE_TENSOR;
    bnd_context context = one_thread(plan);
    bnd_array how = {
        .context = &context, .rule = plan->rounding, .seed = plan->seed, .first = p->work->first_element + p->at};
    bnd_shape shape = bndi_shape_of_rows(block, p->n / p->work->columns, p->work->columns);
    bnd_given_scales given = {.tensor_scale = block->tensor ? &job->factors[p->index] : NULL};
    bnd_status status = decode(job, p, why);
    if (status == BND_OK && whole) {
        given.scales = p->memory->scales;
        status = bnd_encode_f32(p->memory->scales, &job->factors[p->index], 1, &block->scale, NULL, NULL, why);
    }
    status = status == BND_OK ? bnd_quantize_given_f32(p->memory->codes, whole ? NULL : p->memory->scales, NULL,
                                                       p->memory->x, shape, block, &given, &how, NULL, why)
                              : status;
    size_t count = bnd_block_scales(block, shape);
    if (status == BND_OK && !plan->allow_nonfinite && find_nan(&block->scale, p->memory->scales, count) < count) {
        return refuse_nonfinite(p->weight, p->memory->x, p->at, p->n, why);
    }
    told(job, p->n * (block->integer ? 8 : block->element.width) / 8);
    return status == BND_OK ? put_codes(job, p, shape, why) : status;
}

/* ---- the largest magnitude ---- */

/* Of finite elements: for weights with others, if these are allowed. */
static float largest_finite(const float *x, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        float magnitude = fabsf(x[i]);
        most = isfinite(magnitude) && magnitude > most ? magnitude : most;
    }
    return most;
}

static bnd_status measure(bndi_quantizing *job, const piece *p, bnd_error *why)
{
    bnd_context context = one_thread(job->plan);
    bnd_status status = decode(job, p, why);
    if (status != BND_OK) {
        return status;
    }
    float most = bnd_largest_magnitude_f32(p->memory->x, p->n, &context);
    if (!isfinite(most)) {
        if (!job->plan->allow_nonfinite) {
            return refuse_nonfinite(p->weight, p->memory->x, p->at, p->n, why);
        }
        most = largest_finite(p->memory->x, p->n);
    }
    uint32_t bits, old = __atomic_load_n(&job->amax[p->index], __ATOMIC_RELAXED);
    memcpy(&bits, &most, sizeof bits);
    while (old < bits &&
           !__atomic_compare_exchange_n(&job->amax[p->index], &old, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    told(job, p->n * (p->weight->block.integer ? 8 : p->weight->block.element.width) / 8);
    return BND_OK;
}

bnd_status bndi_do_piece(bndi_quantizing *job, uint64_t number, const bndi_piece_memory *memory, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    size_t index = weight_of(plan, number);
    const bnd_planned_weight *weight = &plan->weights[index];
    const bndi_weight_work *work = &plan->work[index];
    uint64_t count = weight->conversion == BND_STAYS ? weight->bytes_in : weight->count;
    uint64_t at = (number - work->first_piece) * work->step, left = count - at;
    piece p = {.weight = weight,
               .work = work,
               .index = index,
               .at = at,
               .n = (size_t)(left < work->step ? left : work->step),
               .memory = memory};
    if (job->measures) {
        bool scaled =
            weight->conversion == BND_QUANTIZED && (weight->block.tensor || weight->block.sharing == BND_SHARE_TENSOR);
        return scaled ? measure(job, &p, why) : BND_OK;
    }
    return weight->conversion == BND_STAYS       ? copy(job, &p, why)
           : weight->conversion == BND_QUANTIZED ? quantize(job, &p, why)
                                                 : round_values(job, &p, why);
}
