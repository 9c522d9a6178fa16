/* The tensors of the output: names, dtypes and shapes, as the layout's row says; and the pieces of the work. */
#include "convert/quantize.h"

#include "checkpoint/layouts.h"
#include "convert/names.h"
#include "convert/tensor_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANK_MOST = 5,    /* of a part of a matrix, or of matrices of experts */
    NAME_MORE = 64,   /* the suffix of a part is shorter than ".weight" and this */
    PIECE = 1 << 17,  /* elements: fp32 and codes fit the L2 cache */
    TURNED = 1 << 20, /* elements of a piece whose axes change places, so that long parts of rows are read; */
    TURNED_ROWS = 32, /* it has at least this many rows of the output */
    COPIED = 1 << 20  /* bytes of a piece that is copied */
};

/* ---- parts of a quantized weight ---- */

static size_t up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

/* The shape of a part of a matrix; its rank. */
size_t bndi_shape_of_part(uint64_t *shape, bndi_part_shape kind, const bnd_block *block, size_t rows, size_t columns)
{
    size_t along = block->along > 0 ? block->along : columns, across = block->across > 0 ? block->across : columns;
    switch (kind) {
    case BNDI_SHAPE_HALF:
        shape[0] = rows, shape[1] = columns / 2;
        return 2;
    case BNDI_SHAPE_WORDS:
        shape[0] = rows, shape[1] = columns * block->element.width / 32;
        return 2;
    case BNDI_SHAPE_BLOCKS:
        shape[0] = rows, shape[1] = columns / 32, shape[2] = 16;
        return 3;
    case BNDI_SHAPE_SCALAR:
        return 0;
    case BNDI_SHAPE_ONE:
        shape[0] = 1;
        return 1;
    case BNDI_SHAPE_ROWS:
        shape[0] = rows;
        return 1;
    case BNDI_SHAPE_ROWS_1:
        shape[0] = rows, shape[1] = 1;
        return 2;
    case BNDI_SHAPE_GRID:
        shape[0] = up(rows, along), shape[1] = up(columns, across);
        return 2;
    case BNDI_SHAPE_GRID_4:
        shape[0] = up(rows, along), shape[1] = 1, shape[2] = up(columns, across), shape[3] = 1;
        return 4;
    case BNDI_SHAPE_GROUPS:
        shape[0] = rows, shape[1] = up(columns, along);
        return 2;
    case BNDI_SHAPE_SWIZZLED:
        shape[0] = up(rows, 128) * 128, shape[1] = up(up(columns, along), 4) * 4;
        return 2;
    default:
        shape[0] = rows, shape[1] = columns;
        return 2;
    }
}

/* The first word of a list. */
static const char *first_dtype(const char *dtypes)
{
    static const char *const known[] = {"F8_E4M3", "F8_E5M2", "F8_E8M0", "U8", "I8", "F32", "BF16", "F16"};
    size_t length = strcspn(dtypes, " ");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i]) == length && memcmp(known[i], dtypes, length) == 0) {
            return known[i];
        }
    }
    return "U8";
}

static const char *dtype_of_part(bnd_part part, const bndi_part_rule *rule, const bnd_block *block)
{
    return part == BND_PART_SCALES && block->scale.width >= 16 ? bnd_safetensors_dtype(&block->scale)
                                                               : first_dtype(rule->dtypes);
}

static uint64_t bytes_of(const bnd_planned *tensor)
{
    static const struct {
        const char *dtype;
        uint64_t bytes;
    } sizes[] = {{"F32", 4}, {"BF16", 2}, {"F16", 2}};
    uint64_t bytes = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes = strcmp(tensor->dtype, sizes[i].dtype) == 0 ? sizes[i].bytes : bytes;
    }
    for (size_t i = 0; i < tensor->rank; i++) {
        bytes *= tensor->shape[i];
    }
    return bytes;
}

/* ---- all tensors ---- */

typedef struct maker {
    bnd_quantize_plan *plan;
    char *name;
    uint64_t *shape;
} maker;

static bnd_planned *add_tensor(maker *m, size_t *number, const char *dtype, size_t rank, const uint64_t *shape)
{
    bnd_planned *tensor = &m->plan->tensors[m->plan->tensor_count];
    *number = m->plan->tensor_count++;
    *tensor = (bnd_planned){.name = m->name, .dtype = dtype, .rank = rank, .shape = m->shape};
    for (size_t i = 0; i < rank; i++) {
        *m->shape++ = shape[i];
    }
    m->name += strlen(m->name) + 1;
    return tensor;
}

static void add_parts(maker *m, bnd_planned_weight *weight, bndi_weight_work *work)
{
    const bnd_layout *layout = m->plan->how.layout;
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    size_t rows = (size_t)weight->shape[weight->rank - 2], columns = (size_t)weight->shape[weight->rank - 1];
    size_t lead = weight->rank - 2;
    bool with_inputs = m->plan->how.with_inputs;
    for (size_t p = 0; p < BND_PART_COUNT; p++) {
        bnd_part part = (bnd_part)p;
        const bndi_part_rule *rule = &row->part[p];
        uint64_t shape[RANK_MOST];
        bool input = p == BND_PART_INPUT || p == BND_PART_INPUT_SECOND;
        if (rule->suffix == NULL || (rule->optional && !(input && with_inputs))) {
            continue;
        }
        (void)bndi_part_name(m->name, strlen(weight->name) + NAME_MORE, layout, weight->name, part);
        size_t rank = bndi_shape_of_part(shape + lead, (bndi_part_shape)rule->shape, &weight->block, rows, columns);
        if (lead > 0) { /* experts */
            shape[0] = weight->shape[0];
            rank++;
        }
        const bnd_planned *tensor = add_tensor(m, &work->tensors[p],
                                               input ? bndi_input_dtype(weight->weight, rule->dtypes)
                                                     : dtype_of_part(part, rule, &weight->block),
                                               rank, shape);
        weight->bytes_out += bytes_of(tensor);
        weight->dtype = p == BND_PART_CODES ? tensor->dtype : weight->dtype;
    }
}

/* The dtype of a tensor that stays: a .gguf or .npy file has words of its own for it. */
static const char *dtype_that_stays(const bnd_stored_tensor *tensor)
{
    static const char *const integers[2][4] = {{"U8", "U16", "U32", "U64"}, {"I8", "I16", "I32", "I64"}};
    if (tensor->kind == BND_STORED_FLOAT) {
        return bnd_safetensors_dtype(tensor->format);
    }
    if (tensor->kind == BND_STORED_INTEGER && tensor->bits >= 8) {
        return integers[tensor->is_signed][tensor->bits == 8 ? 0 : tensor->bits == 16 ? 1 : tensor->bits == 32 ? 2 : 3];
    }
    return tensor->dtype;
}

static void add_values(maker *m, bnd_planned_weight *weight, bndi_weight_work *work)
{
    const bnd_stored_weight *stored = weight->weight;
    bool stays = weight->conversion == BND_STAYS;
    work->to = m->plan->how.dequantizes ? &m->plan->how.to : bndi_scale_format_of(m->plan, stored);
    weight->dtype = stays ? dtype_that_stays(stored->parts[BND_PART_CODES]) : bnd_safetensors_dtype(work->to);
    strcpy(m->name, stored->name);
    const bnd_planned *tensor =
        add_tensor(m, &work->tensors[BND_PART_CODES], weight->dtype, weight->rank, weight->shape);
    weight->bytes_out = stays ? weight->bytes_in : bytes_of(tensor);
}

static bool reserve(bnd_quantize_plan *plan)
{
    size_t tensors = 0, names = 0, shapes = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const bnd_planned_weight *weight = &plan->weights[i];
        size_t parts = weight->conversion == BND_QUANTIZED ? BND_PART_COUNT : 1;
        tensors += parts;
        names += parts * (strlen(weight->name) + NAME_MORE);
        shapes += parts * (weight->rank + RANK_MOST);
    }
    plan->tensors = calloc(tensors + 1, sizeof *plan->tensors);
    plan->names = calloc(names + 1, 1);
    plan->shapes = calloc(shapes + 1, sizeof *plan->shapes);
    plan->totals.memory += (tensors + 1) * sizeof *plan->tensors + names + shapes * sizeof *plan->shapes;
    return plan->tensors != NULL && plan->names != NULL && plan->shapes != NULL;
}

/* ---- pieces ---- */

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Rows of a piece: whole tiles, and as many that elements before them are a multiple of BND_WEIGHT_STEP. */
static size_t rows_of_piece(const bnd_block *block, size_t columns)
{
    size_t tile = block->sharing == BND_SHARE_TILE && block->along > 0 ? block->along : 1;
    size_t step = BND_WEIGHT_STEP / common_divisor(columns, BND_WEIGHT_STEP);
    size_t unit = tile / common_divisor(tile, step) * step;
    size_t many = columns > 0 ? PIECE / columns / unit : 0;
    return unit * (many > 0 ? many : 1);
}

static size_t rows_of_turned(uint64_t columns, uint64_t rows)
{
    uint64_t many = TURNED / columns > TURNED_ROWS ? TURNED / columns : TURNED_ROWS;
    return (size_t)(many < rows ? many : rows);
}

bnd_shape bndi_shape_of_rows(const bnd_block *block, size_t rows, size_t columns)
{
    return block->sharing == BND_SHARE_TILE ? (bnd_shape){1, rows, columns} : (bnd_shape){rows, columns, 1};
}

static void grow(size_t *most, size_t n)
{
    *most = n > *most ? n : *most;
}

static void cut(bnd_quantize_plan *plan, size_t i)
{
    bnd_planned_weight *weight = &plan->weights[i];
    bndi_weight_work *work = &plan->work[i];
    bndi_piece_size *largest = &plan->largest;
    uint64_t count = weight->count;
    work->first_piece = plan->pieces;
    work->step = PIECE;
    if (weight->conversion == BND_STAYS) {
        count = weight->bytes_in;
        work->step = COPIED;
    } else if (weight->conversion == BND_QUANTIZED) {
        work->columns = (size_t)weight->shape[weight->rank - 1];
        uint64_t all = weight->count / work->columns;
        size_t rows = rows_of_piece(&weight->block, work->columns);
        rows = rows < all ? rows : (size_t)all;
        bnd_shape shape = bndi_shape_of_rows(&weight->block, rows, work->columns);
        work->step = (uint64_t)rows * work->columns;
        grow(&largest->gathered, work->gathered ? (size_t)work->step * sizeof(float) : 0);
        grow(&largest->codes, bnd_block_codes_size(&weight->block, shape, BND_PACKING_PACKED));
        grow(&largest->scales, bnd_block_scales_size(&weight->block, shape));
    } else {
        if (work->turned) {
            work->columns = (size_t)weight->shape[2];
            work->step = (uint64_t)rows_of_turned(work->columns, weight->shape[0] * weight->shape[1]) * work->columns;
        }
        grow(&largest->codes, (size_t)work->step * sizeof(float));
    }
    if (weight->conversion != BND_STAYS) {
        grow(&largest->elements, (size_t)work->step);
    }
    plan->pieces += count / work->step + (count % work->step != 0);
}

bnd_status bndi_plan_tensors(bnd_quantize_plan *plan, bnd_error *why)
{
    uint64_t elements = 0;
    if (!reserve(plan)) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the names of %zu weights", plan->count);
    }
    maker m = {plan, plan->names, plan->shapes};
    for (size_t i = 0; i < plan->count; i++) {
        bnd_planned_weight *weight = &plan->weights[i];
        bndi_weight_work *work = &plan->work[i];
        for (size_t p = 0; p < BND_PART_COUNT; p++) {
            work->tensors[p] = SIZE_MAX;
        }
        if (weight->conversion == BND_QUANTIZED) {
            add_parts(&m, weight, work);
        } else {
            add_values(&m, weight, work);
        }
        work->first_element = elements;
        elements += weight->count;
        cut(plan, i);
        bool counts = weight->weight->is_float;
        plan->totals.parameters += counts ? weight->count : 0;
        plan->totals.quantized += weight->conversion == BND_QUANTIZED ? weight->count : 0;
        plan->totals.bytes_in += weight->bytes_in;
        plan->totals.bytes_out += weight->bytes_out;
        plan->totals.work += weight->bytes_out;
        plan->totals.work +=
            weight->conversion == BND_QUANTIZED && bndi_has_tensor_scales(plan) ? weight->bytes_out : 0;
    }
    return BND_OK;
}
