/* Elements of a weight times their scales, a piece at a time: codes become floats on the stack, which are multiplied
 * into the caller's array. Codes are at most 24 bits wide, so that each product is rounded once. */
#include "block/partial_array.h"
#include "bulk/bulk.h"
#include "bulk/environment.h"
#include "checkpoint/weights.h"

#include <string.h>

enum {
    PIECE = 4096,    /* codes and floats stay in the L1 cache */
    GGUF_BLOCK = 64, /* elements of the largest block of GGUF */
    WORD_BITS = 32
};

typedef struct job {
    const bnd_stored_weight *w;
    const bnd_context *context;
    bnd_array how;
    uint8_t coding;
    uint8_t bits; /* of an integer in words; 0: floats */
} job;

/* ---- codes ---- */

static void load_bytes(float *x, const unsigned char *codes, size_t n)
{
    enum { LANES = 16 }; /* a loop of fixed length becomes vector instructions */
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        int8_t whole[LANES];
        memcpy(whole, codes + i, sizeof whole);
        for (size_t lane = 0; lane < LANES; lane++) {
            x[i + lane] = (float)whole[lane];
        }
    }
    for (; i < n; i++) {
        x[i] = (float)(codes[i] < 128 ? codes[i] : codes[i] - 256);
    }
}

/* Integers in words, each row from a new word on: code minus `zero`. */
static void load_words(float *x, const job *j, uint64_t at, size_t n, int zero)
{
    const bnd_stored_tensor *codes = j->w->parts[BND_PART_CODES];
    const uint64_t columns = j->w->shape[j->w->rank - 1], words = codes->shape[codes->rank - 1];
    const unsigned bits = j->bits, mask = (1u << bits) - 1;
    uint64_t column = at % columns;
    const unsigned char *row = codes->data + at / columns * words * (WORD_BITS / 8);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bit = column * bits;
        const unsigned char *byte = row + bit / 8;
        const unsigned more = bit % 8 + bits > 8 ? byte[1] : 0;
        x[i] = (float)((int)((byte[0] | more << 8) >> bit % 8 & mask) - zero);
        if (++column == columns) {
            column = 0;
            row += words * (WORD_BITS / 8);
        }
    }
}

/* Two codes in a byte, the first one in the upper bits. */
static void load_high_first(float *x, const job *j, uint64_t at, size_t n)
{
    unsigned char swapped[PIECE / 2];
    const unsigned char *codes = j->w->parts[BND_PART_CODES]->data + at / 2;
    for (size_t i = 0; i < (n + 1) / 2; i++) {
        swapped[i] = (unsigned char)(codes[i] << 4 | codes[i] >> 4);
    }
    const bnd_status status = bnd_decode_f32(x, swapped, n, &j->w->block.element, &j->how, NULL);
    (void)status; /* checked when the weight was made */
}

static void load_elements(float *x, const job *j, uint64_t at, size_t n)
{
    const bnd_stored_tensor *codes = j->w->parts[BND_PART_CODES];
    if (j->bits != 0) {
        load_words(x, j, at, n, 1 << (j->bits - 1));
    } else if (j->w->block.integer) {
        load_bytes(x, codes->data + at, n);
    } else if (j->w->layout->high_first) {
        load_high_first(x, j, at, n);
    } else {
        const bnd_format *f = &j->w->block.element;
        const bnd_status status = bnd_decode_f32(x, codes->data + at * f->width / 8, n, f, &j->how, NULL);
        (void)status;
    }
}

/* ---- zero points ---- */

static uint64_t group_of(const bnd_stored_weight *w, uint64_t at)
{
    const uint64_t length = w->blocks.length, along = w->block.along == 0 ? length : w->block.along;
    const uint64_t groups = length / along + (length % along != 0);
    return w->block.sharing == BND_SHARE_TENSOR ? 0 : at / length * groups + at % length / along;
}

static void subtract_zero_points(float *x, const job *j, uint64_t at, size_t n)
{
    const bnd_stored_tensor *zero = j->w->parts[BND_PART_ZERO_POINTS];
    for (size_t i = 0; zero != NULL && i < n; i++) {
        float point;
        load_bytes(&point, zero->data + group_of(j->w, at + i), 1);
        x[i] -= point;
    }
}

/* ---- scales ---- */

/* Elements of one row with scales in the order of cuBLAS: theirs, gathered, are those of a row of its own. */
static void scale_swizzled(float *y, const float *x, const job *j, uint64_t at, size_t n, float second)
{
    unsigned char bytes[PIECE];
    const uint64_t length = j->w->blocks.length, along = j->w->block.along;
    const uint64_t groups = length / along + (length % along != 0);
    for (size_t done = 0; done < n;) {
        const uint64_t row = (at + done) / length, column = (at + done) % length;
        const size_t left = (size_t)(length - column), m = n - done < left ? n - done : left;
        const uint64_t first = column / along, last = (column + m - 1) / along;
        const bnd_shape shape = {1, (size_t)(length - first * along), 1};
        bndi_weight_scale_bytes(bytes, j->w, row * groups + first, (size_t)(last - first + 1));
        bnd_lab_scale_part(y + done, x + done, (size_t)(column % along), m, shape, &j->w->block, bytes, second,
                           j->context);
        done += m;
    }
}

static void scale(float *y, const float *x, const job *j, uint64_t at, size_t n, float second)
{
    if (j->w->layout->swizzled) {
        scale_swizzled(y, x, j, at, n, second);
        return;
    }
    bnd_lab_scale_part(y, x, (size_t)at, n, j->w->blocks, &j->w->block, j->w->parts[BND_PART_SCALES]->data, second,
                       j->context);
}

/* ---- blocks of GGUF ---- */

static bnd_gguf_type gguf_type_of(uint8_t coding)
{
    return coding == BNDI_CODING_GGUF_Q4_0    ? BND_GGUF_Q4_0
           : coding == BNDI_CODING_GGUF_Q8_0  ? BND_GGUF_Q8_0
           : coding == BNDI_CODING_GGUF_MXFP4 ? BND_GGUF_MXFP4
                                              : BND_GGUF_NVFP4;
}

static void decode_blocks(float *y, const job *j, uint64_t at, size_t n)
{
    const bnd_gguf_type type = gguf_type_of(j->coding);
    const size_t block = bnd_gguf_block(type), bytes = bnd_gguf_size(type, block), whole = n / block * block;
    const unsigned char *codes = j->w->parts[BND_PART_CODES]->data + at / block * bytes;
    float last[GGUF_BLOCK];
    bnd_status status = bnd_gguf_decode_f32(y, codes, whole, type, NULL);
    if (whole < n) {
        status = bnd_gguf_decode_f32(last, codes + whole / block * bytes, block, type, NULL);
        memcpy(y + whole, last, (n - whole) * sizeof *y);
    }
    (void)status; /* whole blocks of a type that exists */
}

/* ---- MLX: an integer times a scale, plus a bias ---- */

/* x * scale + bias, rounded once. The product is exact in double. Where the sum is not, it is rounded to odd, so that
 * rounding it again to fp32 gives the same as rounding once. */
static float scaled_and_shifted(float x, float scale, float bias)
{
    const double product = (double)x * (double)scale, sum = product + (double)bias;
    const double of_bias = sum - product, rest = (product - (sum - of_bias)) + ((double)bias - of_bias);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest != 0 && sum - sum == 0 && bits % 2 == 0) {
        bits += (rest > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    }
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

static void numbers_at(float *x, const bnd_stored_tensor *tensor, uint64_t at, size_t n)
{
    const bnd_status status = bnd_decode_f32(x, tensor->data + at * (tensor->bits / 8u), n, tensor->format, NULL, NULL);
    (void)status; /* a format of whole bytes */
}

/* A group has few different values: they are in a table. */
static void decode_affine(float *y, const job *j, uint64_t at, size_t n)
{
    const bnd_stored_tensor *scales = j->w->parts[BND_PART_SCALES], *biases = j->w->parts[BND_PART_ZERO_POINTS];
    const uint64_t group = j->w->count / scales->count;
    const uint64_t first = at / group;
    const size_t groups = (size_t)((at + n - 1) / group - first + 1);
    float values[256], scale[PIECE], bias[PIECE];
    numbers_at(scale, scales, first, groups);
    numbers_at(bias, biases, first, groups);
    load_words(y, j, at, n, 0);
    for (size_t done = 0; done < n;) {
        const uint64_t left = group - (at + done) % group;
        const size_t m = n - done < left ? n - done : (size_t)left, k = (size_t)((at + done) / group - first);
        for (unsigned code = 0; code < 1u << j->bits; code++) {
            values[code] = scaled_and_shifted((float)code, scale[k], bias[k]);
        }
        for (size_t i = done; i < done + m; i++) {
            y[i] = values[(unsigned)y[i]];
        }
        done += m;
    }
}

/* ---- a piece ---- */

/* Elements of one expert. */
static void decode_piece(float *y, const job *j, uint64_t at, size_t n, float second)
{
    float x[PIECE];
    if (j->coding >= BNDI_CODING_GGUF_Q4_0) {
        if (j->w->parts[BND_PART_SECOND] == NULL) {
            decode_blocks(y, j, at, n);
        } else {
            decode_blocks(x, j, at, n);
            bnd_lab_part_times(y, x, n, second, j->context);
        }
        return;
    }
    if (j->coding == BNDI_CODING_WORDS && j->w->block.name[0] == '\0') {
        decode_affine(y, j, at, n);
        return;
    }
    load_elements(x, j, at, n);
    subtract_zero_points(x, j, at, n);
    scale(y, x, j, at, n, second);
}

static void decode_quantized(float *y, const job *j, uint64_t at, size_t n)
{
    const bnd_stored_tensor *seconds = j->w->parts[BND_PART_SECOND];
    const uint64_t experts = seconds == NULL || seconds->count == 0 ? 1 : seconds->count;
    const uint64_t expert_size = j->w->count / experts;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    for (size_t done = 0; done < n;) {
        const uint64_t expert = (at + done) / expert_size, left = (expert + 1) * expert_size - at - done;
        const size_t most = n - done < PIECE ? n - done : PIECE, m = left < most ? (size_t)left : most;
        decode_piece(y + done, j, at + done, m, expert == 0 ? j->w->tensor_scale : bndi_weight_second(j->w, expert));
        done += m;
    }
    bndi_leave(callers);
}

bnd_status bnd_decode_weight_f32(float *y, const bnd_stored_weight *weight, uint64_t at, size_t n,
                                 const bnd_context *context, bnd_error *why)
{
    const bnd_status status = bnd_lab_check_context(context, why);
    if (status != BND_OK) {
        return status;
    }
    if (!weight->is_float) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be decoded: %s", weight->name, weight->why_not);
    }
    if (at % BND_WEIGHT_STEP != 0 || at > weight->count || n > weight->count - at) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s has %llu elements; a range of %zu from %llu on must lie in it and begin at a multiple of %d",
            weight->name, (unsigned long long)weight->count, n, (unsigned long long)at, BND_WEIGHT_STEP);
    }
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    if (weight->layout == NULL) {
        const bnd_array how = {.context = context};
        return bnd_decode_f32(y, codes->data + at * codes->format->width / 8, n, codes->format, &how, why);
    }
    bnd_context one_thread = context == NULL ? (bnd_context){.threads = 1} : *context;
    one_thread.threads = 1; /* pieces are small: callers work on several at once */
    job j = {.w = weight, .context = &one_thread, .how = {.context = &one_thread}};
    j.coding = bndi_layout_row_of(weight->layout)->coding;
    if (j.coding == BNDI_CODING_WORDS && (weight->block.integer || weight->block.name[0] == '\0')) {
        j.bits = bndi_bits_of_words(weight->shape[weight->rank - 1], codes->shape[codes->rank - 1]);
    }
    if (n > 0) {
        decode_quantized(y, &j, at, n);
    }
    return BND_OK;
}
