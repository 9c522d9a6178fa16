/* The codec's answers for the elements of an array, codes in memory, and the counting of statistics. */
#include "expected.h"
#include "pages.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- memory ---- */

static bool is_tf32(const bnd_format *f)
{
    return strcmp(f->name, "tf32") == 0; /* e8m10 and its other names become this row */
}

/* 7 bits in a byte. */
static bool is_ue4m3(const bnd_format *f)
{
    return strcmp(f->name, "ue4m3") == 0;
}

unsigned stored_bits(const bnd_format *f, uint8_t packing)
{
    if (packing == BND_PACKING_PACKED && !is_tf32(f) && !is_ue4m3(f)) {
        return f->width;
    }
    unsigned bits = 8;
    while (bits < f->width) {
        bits *= 2;
    }
    return bits;
}

unsigned stored_shift(const bnd_format *f, uint8_t packing)
{
    return packing == BND_PACKING_PACKED && is_tf32(f) ? 13 : 0;
}

size_t stored_bytes(const bnd_format *f, uint8_t packing, size_t n)
{
    return (n * stored_bits(f, packing) + 7) / 8;
}

void put_code(void *memory, const bnd_format *f, uint8_t packing, size_t place, uint64_t code)
{
    size_t start = place * stored_bits(f, packing) + stored_shift(f, packing);
    for (size_t bit = 0; bit < f->width;) {
        unsigned char *byte = (unsigned char *)memory + (start + bit) / 8;
        *byte = (unsigned char)(*byte | code >> bit << (start + bit) % 8);
        bit += 8 - (start + bit) % 8;
    }
}

uint64_t get_code(const void *memory, const bnd_format *f, uint8_t packing, size_t place)
{
    size_t start = place * stored_bits(f, packing) + stored_shift(f, packing);
    uint64_t code = 0;
    for (size_t bit = 0; bit < f->width; bit++) {
        uint64_t byte = ((const unsigned char *)memory)[(start + bit) / 8];
        code |= (byte >> (start + bit) % 8 & 1) << bit;
    }
    return code;
}

void put_codes(void *memory, const bnd_format *f, uint8_t packing, const uint64_t *codes, size_t n)
{
    memset(memory, 0, stored_bytes(f, packing, n));
    for (size_t i = 0; i < n; i++) {
        put_code(memory, f, packing, i, codes[i]);
    }
}

static bool is_strided(ptrdiff_t stride)
{
    return stride != 0 && stride != 1;
}

size_t strided_bytes(const bnd_format *f, uint8_t packing, size_t n, ptrdiff_t stride)
{
    if (!is_strided(stride) || n == 0) {
        return stored_bytes(f, packing, n);
    }
    return ((n - 1) * (size_t)(stride < 0 ? -stride : stride) + 1) * (stored_bits(f, packing) / 8);
}

size_t strided_place(size_t i, size_t n, ptrdiff_t stride)
{
    return !is_strided(stride) ? i : stride > 0 ? i * (size_t)stride : (n - 1 - i) * (size_t)-stride;
}

void *put_strided(void *memory, const bnd_format *f, uint8_t packing, const uint64_t *codes, size_t n, ptrdiff_t stride)
{
    const size_t size = stored_bits(f, packing) / 8;
    if (!is_strided(stride)) {
        put_codes(memory, f, packing, codes, n);
        return memory;
    }
    memset(memory, FILL, strided_bytes(f, packing, n, stride));
    for (size_t i = 0; i < n; i++) {
        unsigned char *cell = (unsigned char *)memory + strided_place(i, n, stride) * size;
        memset(cell, 0, size);
        put_code(cell, f, packing, 0, codes[i]);
    }
    return n > 0 ? (unsigned char *)memory + strided_place(0, n, stride) * size : memory;
}

/* ---- the calls ---- */

static bnd_format type_of(bool wide)
{
    static bnd_format types[2];
    static bool known;
    if (!known) {
        types[0] = format_named("fp32");
        types[1] = format_named("fp64");
        known = true;
    }
    return types[wide];
}

call encode_call(const bnd_format *f, bool wide)
{
    const char *name = wide ? "encode_f64" : "encode_f32";
    return (call){.kind = ENCODE, .wide = wide, .name = name, .in = type_of(wide), .out = *f, .f = *f};
}

call decode_call(const bnd_format *f, bool wide)
{
    const char *name = wide ? "decode_f64" : "decode_f32";
    return (call){.kind = DECODE, .wide = wide, .name = name, .in = *f, .out = type_of(wide), .f = *f};
}

call round_call(const bnd_format *f, bool wide)
{
    bnd_format type = type_of(wide);
    return (call){.kind = ROUND, .wide = wide, .name = wide ? "round_f64" : "round_f32", type, type, .f = *f};
}

call convert_call(const bnd_format *to, const bnd_format *from)
{
    return (call){.kind = CONVERT, .name = "convert_codes", .in = *from, .out = *to, .f = *to};
}

attempt latest;

static bnd_status run_native(const call *c, void *out, const void *in, size_t n, const bnd_array *how, bnd_stats *stats)
{
    latest = (attempt){.c = c, .how = how != NULL ? *how : (bnd_array){.context = NULL}, .n = n};
    switch (c->kind) {
    case ENCODE:
        return c->wide ? bnd_encode_f64(out, in, n, &c->f, how, stats, NULL)
                       : bnd_encode_f32(out, in, n, &c->f, how, stats, NULL);
    case DECODE:
        return c->wide ? bnd_decode_f64(out, in, n, &c->f, how, NULL) : bnd_decode_f32(out, in, n, &c->f, how, NULL);
    case ROUND:
        return c->wide ? bnd_round_f64(out, in, n, &c->f, how, stats, NULL)
                       : bnd_round_f32(out, in, n, &c->f, how, stats, NULL);
    default:
        return bnd_convert_codes(out, &c->out, in, &c->in, n, how, stats, NULL);
    }
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* The tests lay numbers down as codes of fp32 and fp64, lowest byte first; the calls take the machine's own. */
static void swap_numbers(bool wide, void *memory, size_t n, ptrdiff_t stride)
{
    ptrdiff_t size = wide ? 8 : 4;
    for (size_t i = 0; i < n; i++) {
        unsigned char *at = (unsigned char *)memory + (ptrdiff_t)i * (stride != 0 ? stride : 1) * size;
        for (ptrdiff_t k = 0; k < size / 2; k++) {
            unsigned char byte = at[k];
            at[k] = at[size - 1 - k];
            at[size - 1 - k] = byte;
        }
    }
}

bnd_status run_call(const call *c, void *out, const void *in, size_t n, const bnd_array *how, bnd_stats *stats)
{
    void *numbers = (void *)(uintptr_t)in;
    ptrdiff_t in_stride = how != NULL ? how->stride_in : 1, out_stride = how != NULL ? how->stride_out : 1;
    bool takes = c->kind == ENCODE || c->kind == ROUND, gives = c->kind == DECODE || c->kind == ROUND;
    if (takes) {
        swap_numbers(c->wide, numbers, n, in_stride);
    }
    bnd_status status = run_native(c, out, in, n, how, stats);
    if (takes && in != out) {
        swap_numbers(c->wide, numbers, n, in_stride);
    }
    if (gives) {
        swap_numbers(c->wide, out, n, out_stride);
    }
    return status;
}
#else
bnd_status run_call(const call *c, void *out, const void *in, size_t n, const bnd_array *how, bnd_stats *stats)
{
    return run_native(c, out, in, n, how, stats);
}
#endif

/* ---- answers ---- */

uint64_t random_of(const bnd_array *how, size_t i)
{
    unsigned bits = how->rule.random_bits == 0 ? 32 : how->rule.random_bits;
    if (how->rule.rounding < BND_ROUND_SR) {
        return 0;
    }
    return bnd_random_bits(how->seed, how->purpose, how->first + i,
                           how->rule.rounding == BND_ROUND_SR_EQUAL ? 1 : bits);
}

static bnd_result encoded(const call *c, uint64_t in, const bnd_array *how, size_t i)
{
    uint32_t narrow = (uint32_t)in;
    float x = bndi_float_of_bits(narrow);
    return c->wide ? bnd_encode(&c->f, bndi_double_of_bits(in), how->rule, random_of(how, i))
                   : bnd_encode_float(&c->f, x, how->rule, random_of(how, i));
}

uint64_t number_nearest_to(const bnd_format *type, bnd_exact value)
{
    return bnd_encode_exact(type, value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

static uint64_t rounded(const call *c, uint64_t in, const bnd_array *how, size_t i)
{
    bnd_exact x = bnd_unpack(&c->in, in);
    if (how->rule.flush_in && bnd_classify(&c->in, x) == BND_CLASS_SUBNORMAL) {
        x = (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative};
    }
    return number_nearest_to(&c->out, bnd_round_exact(&c->f, x, how->rule, random_of(how, i)).value);
}

uint64_t answer_of(const call *c, uint64_t in, const bnd_array *how, size_t i)
{
    switch (c->kind) {
    case ENCODE:
        return encoded(c, in, how, i).code;
    case DECODE:
        return number_nearest_to(&c->out, bnd_unpack(&c->f, in));
    case ROUND:
        return rounded(c, in, how, i);
    default:
        return bnd_convert(&c->out, &c->in, in, how->rule, random_of(how, i)).code;
    }
}

uint32_t flags_of(const call *c, uint64_t in, const bnd_array *how, size_t i)
{
    return c->kind == CONVERT ? bnd_convert(&c->out, &c->in, in, how->rule, random_of(how, i)).flags
                              : encoded(c, in, how, i).flags;
}

/* ---- statistics ---- */

static bool is_nan(uint8_t kind)
{
    return kind == BND_KIND_QUIET_NAN || kind == BND_KIND_SIGNALING_NAN;
}

static void count_flags(bnd_stats *s, uint32_t flags)
{
    s->inexact += (flags & BND_FLAG_INEXACT) > 0;
    s->underflows += (flags & BND_FLAG_UNDERFLOW) > 0;
    s->to_zero += (flags & BND_FLAG_TO_ZERO) > 0;
    s->overflows += (flags & BND_FLAG_OVERFLOW) > 0;
    s->saturated += (flags & BND_FLAG_SATURATED) > 0;
}

/* The double nearest to a code's value. What is finite and beyond fp64 counts as its largest number, what is not zero
 * as its least. */
static double double_of_code(const bnd_format *f, uint64_t code)
{
    double x = bnd_decode(f, code);
    if (bnd_unpack(f, code).kind == BND_KIND_FINITE) {
        x = copysign(fmin(fmax(fabs(x), 0x1p-1074), DBL_MAX), x);
    }
    return x;
}

static double sum_of_lanes(double lanes[16])
{
    for (size_t half = 8; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            lanes[i] += lanes[i + half];
        }
    }
    return lanes[0];
}

void end_tally(tally *t)
{
    t->stats.squared_error += sum_of_lanes(t->error);
    t->stats.squared_input += sum_of_lanes(t->input);
    memset(t->error, 0, sizeof t->error);
    memset(t->input, 0, sizeof t->input);
}

static void add_squares(tally *t, double x, double y)
{
    uint64_t i = t->stats.elements - 1;
    if (i > 0 && i % 65536 == 0) {
        end_tally(t);
    }
    if (isfinite(x) && isfinite(y)) {
        t->stats.compared++;
        t->error[i % 16] += (y - x) * (y - x);
        t->input[i % 16] += x * x;
    }
}

void count_element(tally *t, const call *c, uint64_t in, uint64_t out, uint32_t flags)
{
    bnd_stats *s = &t->stats;
    uint8_t kind = bnd_unpack(&c->in, in).kind;
    double x = double_of_code(&c->in, in), y = double_of_code(&c->out, out);
    s->elements++;
    s->nans_in += is_nan(kind);
    s->infinities_in += kind == BND_KIND_INFINITE;
    s->nans_out += is_nan(bnd_unpack(&c->out, out).kind);
    count_flags(s, flags);
    s->exact += !is_nan(kind) && kind != BND_KIND_INFINITE &&
                (flags & (BND_FLAG_INEXACT | BND_FLAG_TO_ZERO | BND_FLAG_INVALID)) == 0;
    if (kind == BND_KIND_FINITE) {
        int exponent = ilogb(x);
        s->largest = fmax(s->largest, fabs(x));
        s->smallest = s->smallest == 0 ? fabs(x) : fmin(s->smallest, fabs(x));
        s->exponents[exponent < -40 ? 0 : exponent > 21 ? 63 : exponent + 41]++;
    }
    add_squares(t, x, y);
}
