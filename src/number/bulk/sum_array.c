/* Sums, every operation rounded. Each addition needs the result of the one before, so vectors do not help. Doubles do
 * one addition at a time, if double rounding is innocuous (arithmetic.c). x + M - M rounds them (bulk.h, FLOAT) to
 * nearest even and in the processor's other modes; in all others the sum is taken to odd, and the portable kernel
 * rounds its word. The codec does all other cases. */
#include "base/bits.h"
#include "bulk/environment.h"
#include "bulk/inline.h"
#include "bulk/operate.h"

enum { SUM_CHUNK = 1024, PAIRWISE_DEPTH = 64 };

typedef enum way_of_adding { BY_CODEC, BY_FLOATS, BY_KERNEL } way_of_adding;

/* Random bits of CHUNK elements, the first a multiple of CHUNK: additions take those of elements that lie together. */
typedef struct randoms {
    uint64_t first;
    bool filled;
    uint64_t entries[SUM_CHUNK];
} randoms;

typedef struct adder {
    bnd_format format;
    bnd_rule rule;
    bnd_array how;
    const bndi_kernels *kernels;
    unsigned random_bits;
    bool odd;          /* sums of doubles to odd first */
    uint64_t high;     /* BY_KERNEL: sums from here on are not to be trusted */
    bool zeros;        /* zeros have the signs that doubles give them, to nearest */
    bndi_plan plan, x; /* for doubles: of `format`, and of what is added */
    randoms *randoms;  /* BY_KERNEL */
} adder;

/* An element or a partial sum: its value, or where doubles do the work the bits of one. */
typedef struct addend {
    bnd_exact value;
    const bnd_format *format; /* that it is of */
    uint64_t word;
} addend;

/* ---- one addition ---- */

static uint64_t random_of(const adder *a, uint64_t index)
{
    return a->random_bits == 0 ? 0 : bnd_random_bits(a->how.seed, a->how.purpose, index, a->random_bits);
}

/* As an operand. */
static bnd_exact taken(const adder *a, const addend *x)
{
    bool flush = a->rule.flush_in && bnd_classify(x->format, x->value) == BND_CLASS_SUBNORMAL;
    return flush ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x->value.negative} : x->value;
}

static bnd_exact add_by_codec(const adder *a, bnd_operation operation, const addend *x, const addend *y, uint64_t index)
{
    const uint64_t random = random_of(a, index);
    const bnd_exact terms[2] = {taken(a, x), taken(a, y)};
    uint32_t flags;
    bnd_exact exact = bnd_operate_exact(operation, &a->format, terms, a->rule, random, &flags);
    return bnd_round_exact(&a->format, exact, a->rule, random).value;
}

/* What doubles cannot do. */
static NOT_INLINE uint64_t add_words_by_codec(const adder *a, bnd_operation operation, uint64_t x, uint64_t y,
                                              uint64_t index)
{
    const bnd_format *words = bnd_lab_format_of_words(BNDI_WORDS_64);
    addend terms[2] = {{.value = bnd_unpack(words, x), .format = words},
                       {.value = bnd_unpack(words, y), .format = words}};
    return bndi_nearest_word(bnd_lab_format_of_words(BNDI_WORDS_64),
                             add_by_codec(a, operation, &terms[0], &terms[1], index));
}

/* 2Sum; s to that side of it where the rest is, if its last bit is even. */
static inline uint64_t odd_sum(double x, double y)
{
    double s = x + y, y_of_s = s - x, x_of_s = s - y_of_s, rest = (x - x_of_s) + (y - y_of_s);
    uint64_t word = bndi_bits_of_double(s);
    if ((rest > 0 || rest < 0) && (word & 1) == 0) {
        word += (rest < 0) == (s < 0) ? 1 : UINT64_MAX;
    }
    return word;
}

/* The entry of the kernels' random array. */
static inline const void *entry_of(const adder *a, uint64_t index)
{
    randoms *r = a->randoms;
    if (!r->filled || index - r->first >= SUM_CHUNK) {
        r->first = index / SUM_CHUNK * SUM_CHUNK;
        r->filled = true;
        a->kernels->random(r->entries, SUM_CHUNK, a->how.seed, a->how.purpose, r->first, a->random_bits);
    }
    return (const char *)r->entries + (index - r->first) * a->plan.random_bytes;
}

/* What has a sign of its own, or is none, is the codec's. */
static inline uint64_t add_by_kernel(const adder *a, bnd_operation operation, uint64_t x, uint64_t y, uint64_t index)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t sum = odd_sum(bndi_double_of_bits(x), bndi_double_of_bits(operation == BND_OP_SUB ? y ^ sign : y)),
             rounded;
    if ((sum & ~sign) == 0 && a->zeros) {
        return sum;
    }
    if ((sum & ~sign) - 1 >= a->high - 1) {
        return add_words_by_codec(a, operation, x, y, index);
    }
    bndi_round_64(&a->plan, &rounded, &sum, a->random_bits > 0 ? entry_of(a, index) : NULL, 1);
    return rounded;
}

static inline uint64_t add_words(const adder *a, bnd_operation operation, uint64_t x, uint64_t y, uint64_t index)
{
    const uint64_t sign = UINT64_C(1) << 63, top = UINT64_C(0x7ff) << 52;
    const bndi_plan *plan = &a->plan;
    const double other = bndi_double_of_bits(operation == BND_OP_SUB ? y ^ sign : y);
    uint64_t sum =
        a->odd ? odd_sum(bndi_double_of_bits(x), other) : bndi_bits_of_double(bndi_double_of_bits(x) + other);
    const uint64_t usable = plan->format.is_signed ? ~sign : UINT64_MAX;
    if ((sum & usable) - plan->plain_low > plan->plain_span) {
        return add_words_by_codec(a, operation, x, y, index);
    }
    uint64_t bottom = (uint64_t)(uint32_t)plan->bottom << 52, exponent = sum & top;
    uint64_t m = ((exponent > bottom ? exponent : bottom) + plan->magic) | (sum & sign);
    uint64_t rounded = bndi_bits_of_double(
        bndi_double_of_bits(bndi_bits_of_double(bndi_double_of_bits(sum) + bndi_double_of_bits(m))) -
        bndi_double_of_bits(m));
    return (rounded & ~sign) | (sum & sign);
}

static ALWAYS_INLINE addend add_rounded(way_of_adding by, const adder *a, bnd_operation operation, const addend *x,
                                        const addend *y, uint64_t index)
{
    switch (by) {
    case BY_FLOATS:
        return (addend){.word = add_words(a, operation, x->word, y->word, index)};
    case BY_KERNEL:
        return (addend){.word = add_by_kernel(a, operation, x->word, y->word, index)};
    default:
        return (addend){.value = add_by_codec(a, operation, x, y, index), .format = &a->format};
    }
}

/* ---- elements, in order ---- */

typedef struct elements {
    const bndi_kernels *kernels;
    const bndi_array_operand *x;
    size_t n, at;
    const uint64_t *words;
    _Alignas(BNDI_LINE) uint64_t raw[SUM_CHUNK], decoded[SUM_CHUNK];
} elements;

static NOT_INLINE void next_chunk(way_of_adding by, const adder *a, elements *e)
{
    const bndi_array_operand *x = e->x;
    size_t n = e->n - e->at < SUM_CHUNK ? e->n - e->at : SUM_CHUNK;
    const void *raw = x->broadcast ? e->raw : bndi_bring(e->kernels, x->data, &x->side, e->raw, e->at, n);
    if (x->broadcast) {
        for (size_t i = 0; i < n; i++) {
            bndi_put(e->raw, x->side.bytes, i, x->element);
        }
    }
    if (by != BY_CODEC) {
        e->kernels->decode[BNDI_WORDS_64](&a->x, e->decoded, raw, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        e->decoded[i] = bndi_get(raw, x->side.bytes, i) >> x->side.storage.shift;
    }
}

static ALWAYS_INLINE addend next(way_of_adding by, const adder *a, elements *e)
{
    if (e->at % SUM_CHUNK == 0) {
        next_chunk(by, a, e);
    }
    uint64_t word = e->decoded[e->at++ % SUM_CHUNK];
    const bnd_format *f = &e->x->side.format;
    return by != BY_CODEC ? (addend){.word = word} : (addend){.value = bnd_unpack(f, word), .format = f};
}

/* ---- the ways of adding up; n > 1 ---- */

static ALWAYS_INLINE addend naive(way_of_adding by, const adder *a, elements *e)
{
    addend sum = next(by, a, e);
    while (e->at < e->n) {
        addend x = next(by, a, e);
        sum = add_rounded(by, a, BND_OP_ADD, &sum, &x, a->how.first + e->at - 1);
    }
    return sum;
}

static ALWAYS_INLINE addend kahan(way_of_adding by, const adder *a, elements *e)
{
    addend sum = {.value = {.kind = BND_KIND_ZERO}, .format = &a->format}, c = sum;
    while (e->at < e->n) {
        const uint64_t index = 4 * (a->how.first + e->at);
        addend x = next(by, a, e);
        addend y = add_rounded(by, a, BND_OP_SUB, &x, &c, index);
        addend t = add_rounded(by, a, BND_OP_ADD, &sum, &y, index + 1);
        addend u = add_rounded(by, a, BND_OP_SUB, &t, &sum, index + 2);
        c = add_rounded(by, a, BND_OP_SUB, &u, &y, index + 3);
        sum = t;
    }
    return sum;
}

/* Sums of 1, 2, 4, ... elements are kept on a stack, larger ones below, until one of the same size follows. At the end
 * the remaining sums are added from the top. */
static ALWAYS_INLINE addend pairwise(way_of_adding by, const adder *a, elements *e)
{
    addend stack[PAIRWISE_DEPTH + 1];
    size_t starts[PAIRWISE_DEPTH + 1];
    unsigned depth = 0;
    while (e->at < e->n) {
        size_t i = e->at;
        starts[depth] = i;
        stack[depth++] = next(by, a, e);
        for (; (i & 1) != 0; i >>= 1, depth--) {
            stack[depth - 2] =
                add_rounded(by, a, BND_OP_ADD, &stack[depth - 2], &stack[depth - 1], a->how.first + starts[depth - 1]);
        }
    }
    for (; depth > 1; depth--) {
        stack[depth - 2] =
            add_rounded(by, a, BND_OP_ADD, &stack[depth - 2], &stack[depth - 1], a->how.first + starts[depth - 1]);
    }
    return stack[0];
}

static ALWAYS_INLINE addend add_up(way_of_adding by, bnd_summation way, const adder *a, elements *e)
{
    switch (way) {
    case BND_SUM_KAHAN:
        return kahan(by, a, e);
    case BND_SUM_PAIRWISE:
        return pairwise(by, a, e);
    default:
        return naive(by, a, e);
    }
}

/* ---- the calls ---- */

/* How every sum of values of the format and elements can be had of doubles: the way of the four pairs is that of the
 * most cautious one. */
static bool open_words(adder *a, const bndi_side *x, bool odd, unsigned *mode)
{
    const bnd_format *formats[2] = {&a->format, &x->format};
    a->odd = odd;
    a->high = UINT64_C(0x7ff) << 52;
    for (unsigned pair = 0; pair < 4; pair++) {
        const bnd_format *from[2] = {formats[pair & 1], formats[pair >> 1]};
        bndi_arithmetic what;
        bndi_arithmetic_make(&what, BNDI_WORDS_64, BND_OP_ADD, &a->format, from, a->rule, odd);
        if (what.way == BNDI_BY_CODEC) {
            return false;
        }
        a->odd |= what.way == BNDI_ODD;
        a->high = what.high < a->high ? what.high : a->high;
        *mode = what.mode;
    }
    return true;
}

static way_of_adding open_way(adder *a, const bndi_side *x)
{
    unsigned mode = BND_ROUND_RNE;
    bndi_plan_make(&a->plan, BNDI_WORDS_64, &a->format, a->rule);
    bndi_plan_make(&a->x, BNDI_WORDS_64, &x->format, (bnd_rule){.rounding = BND_ROUND_RNE});
    bndi_plan_codes(&a->x, x->bytes, x->storage.shift);
    a->zeros = a->format.has_zero && a->format.has_negative_zero && a->rule.rounding != BND_ROUND_RDN;
    if (a->rule.flush_in) {
        return BY_CODEC;
    }
    bool floats = a->plan.family == BNDI_FLOAT && a->plan.mode_to_set == a->rule.rounding;
    if (floats && open_words(a, x, false, &mode) && a->rule.rounding == mode) {
        return BY_FLOATS;
    }
    return a->plan.exact && open_words(a, x, true, &mode) ? BY_KERNEL : BY_CODEC;
}

static bnd_exact sum_of(adder *a, bnd_summation way, const bndi_kernels *kernels, const bndi_array_operand *x, size_t n)
{
    if (n == 0) {
        return bnd_round_exact(&a->format, (bnd_exact){.kind = BND_KIND_ZERO}, a->rule, 0).value;
    }
    elements e;
    e.kernels = kernels;
    e.x = x;
    e.n = n;
    e.at = 0;
    if (n == 1 && way != BND_SUM_KAHAN) {
        addend only = next(BY_CODEC, a, &e);
        return bnd_round_exact(&a->format, taken(a, &only), a->rule, random_of(a, a->how.first)).value;
    }
    randoms r;
    r.filled = false;
    a->randoms = &r;
    const way_of_adding by = open_way(a, &x->side);
    if (by == BY_CODEC) {
        return add_up(BY_CODEC, way, a, &e).value;
    }
    bndi_environment before = bndi_enter(by == BY_FLOATS ? a->rule.rounding : (unsigned)BND_ROUND_RNE);
    addend sum = by == BY_FLOATS ? add_up(BY_FLOATS, way, a, &e) : add_up(BY_KERNEL, way, a, &e);
    bndi_leave(before);
    return bnd_unpack(bnd_lab_format_of_words(BNDI_WORDS_64), sum.word);
}

/* BND_OP_CONVERT has one operand, which is opened as any. */
static bnd_status sum_array(bnd_exact *sum, const bndi_side *out, bnd_summation way, const bnd_operand *x, size_t n,
                            const bnd_format *f, const bnd_array *how, bnd_error *why)
{
    bndi_operate_job j;
    j.how = how != NULL ? *how : (bnd_array){.context = NULL};
    j.kernels = bnd_lab_kernels_of(j.how.context);
    j.out = *out;
    if ((unsigned)way >= BND_SUM_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown summation %d", (int)way);
    }
    if (out->codes && x->format == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the operand of a sum of codes must have a format");
    }
    bnd_status status = bndi_operate_open(&j, NULL, BND_OP_CONVERT, x, n, f, NULL, why);
    if (status == BND_OK) {
        adder a = {.format = *f,
                   .rule = bnd_rule_of_operation(j.how.rule),
                   .how = j.how,
                   .kernels = &j.kernels,
                   .random_bits = bnd_rule_random_bits(j.how.rule)};
        *sum = sum_of(&a, way, &j.kernels, &j.operand[0], n);
    }
    return status;
}

bnd_status bnd_sum_codes(uint64_t *sum, const bnd_format *to, bnd_summation way, const bnd_operand *x, size_t n,
                         const bnd_array *how, bnd_error *why)
{
    bndi_side out = bndi_side_of_codes(to, BND_PACKING_UNPACKED, 1);
    bnd_exact value;
    bnd_status status = sum_array(&value, &out, way, x, n, to, how, why);
    if (status == BND_OK) {
        *sum = bnd_pack(to, value);
    }
    return status;
}

bnd_status bnd_sum_f32(float *sum, bnd_summation way, const bnd_operand *x, size_t n, const bnd_format *f,
                       const bnd_array *how, bnd_error *why)
{
    bndi_side out = bndi_side_of_numbers(BNDI_WORDS_32, 1);
    bnd_exact value;
    bnd_status status = sum_array(&value, &out, way, x, n, f, how, why);
    if (status == BND_OK) {
        uint32_t word = (uint32_t)bndi_nearest_word(bnd_lab_format_of_words(BNDI_WORDS_32), value);
        __builtin_memcpy(sum, &word, sizeof word);
    }
    return status;
}

bnd_status bnd_sum_f64(double *sum, bnd_summation way, const bnd_operand *x, size_t n, const bnd_format *f,
                       const bnd_array *how, bnd_error *why)
{
    bndi_side out = bndi_side_of_numbers(BNDI_WORDS_64, 1);
    bnd_exact value;
    bnd_status status = sum_array(&value, &out, way, x, n, f, how, why);
    if (status == BND_OK) {
        uint64_t word = bndi_nearest_word(bnd_lab_format_of_words(BNDI_WORDS_64), value);
        __builtin_memcpy(sum, &word, sizeof word);
    }
    return status;
}
