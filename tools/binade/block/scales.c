/* The scale of a block under one rule, and its elements. */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const block_outcomes[BLOCK_OUTCOMES] = {"exact", "rounded", "saturated", "zero", "nan"};

static const char four_six[] = "4/6";

/* ---- numbers ---- */

static const bnd_format *fp32(void)
{
    return bnd_format_at(BND_FORMAT_FP32);
}

bnd_exact block_exact_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bnd_unpack(fp32(), bits);
}

static float float_of_exact(bnd_exact x)
{
    uint32_t bits = (uint32_t)bnd_pack(fp32(), bnd_round_exact(fp32(), x, (bnd_rule){0}, 0).value);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An exact quotient or product; a quotient has 128 bits, and a sticky bit for the rest. */
static bnd_exact combine(bnd_operation operation, bnd_exact a, bnd_exact b)
{
    const bnd_exact operands[] = {a, b};
    uint32_t flags = 0;
    return bnd_operate_exact(operation, fp32(), operands, (bnd_rule){0}, 0, &flags);
}

/* The exact product of numbers of fp32: fp64 has it. */
static bnd_exact product(bnd_exact a, bnd_exact b)
{
    return bnd_round_exact(bnd_format_at(BND_FORMAT_FP64), combine(BND_OP_MUL, a, b), (bnd_rule){0}, 0).value;
}

static bnd_exact largest_of(const bnd_format *f)
{
    return (bnd_exact){.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
}

static double double_of(bnd_exact x)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    return bnd_decode(fp64, bnd_pack(fp64, bnd_round_exact(fp64, x, (bnd_rule){0}, 0).value));
}

/* ---- rules ---- */

static bool maps_to_four(const bnd_block *block)
{
    return block->tensor && strcmp(block->element.name, "e2m1") == 0;
}

const char *block_rule_at(const bnd_block *block, size_t at)
{
    static const bnd_scale_rule powers[] = {BND_SCALE_FLOOR, BND_SCALE_CEIL, BND_SCALE_EVEN, BND_SCALE_RCEIL,
                                            BND_SCALE_CT};
    enum { POWERS = sizeof powers / sizeof powers[0] };
    if (block->tensor) {
        const char *const names[] = {bnd_scale_rule_name(BND_SCALE_NEAREST), maps_to_four(block) ? four_six : NULL};
        return at < 2 ? names[at] : NULL;
    }
    if (block->scale.precision > 1) {
        return at == 0        ? bnd_scale_rule_name(BND_SCALE_NEAREST)
               : at <= POWERS ? bnd_scale_rule_name(powers[at - 1])
                              : NULL;
    }
    return at < POWERS ? bnd_scale_rule_name(powers[at]) : NULL;
}

/* ---- scales ---- */

/* The library's scale of an array that is one block. */
static int library_scale(const block_question *q, const bnd_block *block, const float *x, size_t n, uint64_t *code)
{
    bnd_block whole = *block;
    whole.sharing = BND_SHARE_TENSOR;
    const bnd_shape shape = {1, n, 1};
    unsigned char bytes[4] = {0};
    size_t size = bnd_block_codes_size(&whole, shape, BND_PACKING_UNPACKED);
    unsigned char *codes = allocate(NULL, size > 0 ? size : 1, 1);
    const bnd_array how = {.rule = q->common.rule, .packing_out = BND_PACKING_UNPACKED};
    float tensor;
    bnd_error why;
    bnd_status status = bnd_quantize_f32(codes, bytes, &tensor, x, shape, &whole, &how, NULL, &why);
    free(codes);
    *code = 0;
    for (unsigned i = 0; i < block->scale.width / 8u; i++) {
        *code |= (uint64_t)bytes[i] << 8 * i;
    }
    return status == BND_OK ? GO_ON : fail(q->common.command, "", status, &why);
}

/* What the rule asks for before the scale is clamped: its exponent for amax * 2^-e, which lies in [1, 2), plus e. */
static int unclamped_exponent(const block_question *q, const bnd_block *block, int *out)
{
    int e;
    float normal = frexpf(q->amax, &e) * 2;
    uint64_t code;
    int status = library_scale(q, block, &normal, 1, &code);
    bnd_exact scale = bnd_unpack(&block->scale, code);
    *out = e - 1 + ilogb(double_of(scale));
    return status;
}

static int power_of_two_scale(const block_question *q, const bnd_block *block, block_result *r)
{
    float *x = allocate(NULL, q->count, sizeof *x);
    for (size_t i = 0; i < q->count; i++) {
        x[i] = q->numbers[i].x;
    }
    int status = library_scale(q, block, x, q->count, &r->scale_code);
    free(x);
    r->scale = bnd_unpack(&block->scale, r->scale_code);
    if (status != GO_ON || !q->finite || block->rule == BND_SCALE_NEAREST) {
        return status;
    }
    r->has_exponents = true;
    r->exponent = r->unclamped = ilogb(double_of(r->scale));
    bool wide = block->scale.emin <= fp32()->emin; /* otherwise a scale for 1 to 2 might be clamped, too */
    return q->amax > 0 && wide ? unclamped_exponent(q, block, &r->unclamped) : GO_ON;
}

/* amax / (most * scales_most), but at least 2^-126, as bnd_block.tensor says. A block with a NaN or an infinity
 * does not count, and leaves nothing here: then it is 1, as for zeros. */
static float tensor_scale(const block_question *q, bnd_exact most, double scales_most)
{
    if (q->tensor_scale > 0) {
        return q->tensor_scale;
    }
    if (q->amax == 0 || !q->finite) {
        return 1;
    }
    bnd_exact divisor = product(most, block_exact_of_float((float)scales_most));
    float scale = float_of_exact(combine(BND_OP_DIV, block_exact_of_float(q->amax), divisor));
    return scale < 0x1p-126f ? 0x1p-126f : scale;
}

/* The number of the scale's format nearest to amax / (most * tensor), within 2^least and its largest. */
static void nearest_scale(const block_question *q, block_result *r, bnd_exact most)
{
    const bnd_format *f = &q->block.scale;
    const double least = ldexp(1, q->block.least);
    const bnd_rule saturating = {.overflow = BND_OVERFLOW_SATURATE};
    bnd_exact divisor = product(most, block_exact_of_float(r->tensor));
    bnd_exact quotient = combine(BND_OP_DIV, block_exact_of_float(q->amax), divisor);
    bnd_exact scale = q->finite ? bnd_round_exact(f, quotient, saturating, 0).value : bnd_unpack(f, f->nan_code);
    if (q->finite && (q->amax == 0 || double_of(scale) < least)) {
        scale = bnd_round_exact(f, block_exact_of_float((float)least), saturating, 0).value;
    }
    r->scale = scale;
    r->scale_code = bnd_pack(f, scale);
}

/* ---- elements ---- */

static bnd_rule element_rule(const block_question *q)
{
    bnd_rule rule = q->common.rule;
    rule.overflow = rule.overflow == BND_OVERFLOW_FORMAT ? BND_OVERFLOW_SATURATE : rule.overflow;
    return rule;
}

static uint64_t code_of(const bnd_block *block, bnd_exact element)
{
    if (!block->integer) {
        return bnd_pack(&block->element, element);
    }
    double units = double_of(element) / ldexp(1, block->element.least_quantum);
    return (uint64_t)(unsigned char)(isnan(units) ? 0 : (int)units);
}

static enum block_outcome outcome_of(const bnd_rounded *r, float x, float value)
{
    if (isnan(value)) {
        return OUTCOME_NAN;
    }
    if ((r->flags & (BND_FLAG_SATURATED | BND_FLAG_OVERFLOW)) != 0) {
        return OUTCOME_SATURATED;
    }
    return x == value ? OUTCOME_EXACT : r->value.kind == BND_KIND_ZERO ? OUTCOME_ZERO : OUTCOME_ROUNDED;
}

/* The exact quotient, rounded once; and the exact product of the result and the scale, rounded once to fp32. */
static block_element quantize(const block_question *q, const block_result *r, size_t i)
{
    const bnd_rule rule = element_rule(q);
    const float x = q->numbers[i].x;
    bnd_exact quotient = r->finite ? combine(BND_OP_DIV, block_exact_of_float(x), r->factor)
                                   : (bnd_exact){.kind = BND_KIND_QUIET_NAN, .high = UINT64_C(1) << 63};
    bnd_rounded rounded = bnd_round_exact(&q->block.element, quotient, rule, random_for(&q->common, rule, i));
    if (q->block.integer && rounded.value.kind == BND_KIND_ZERO) {
        rounded.value.negative = false; /* two's complement has one zero */
    }
    block_element e = {.element = rounded.value, .code = code_of(&q->block, rounded.value)};
    e.value = r->finite ? float_of_exact(combine(BND_OP_MUL, rounded.value, r->factor)) : NAN;
    e.outcome = outcome_of(&rounded, x, e.value);
    return e;
}

static void count(block_result *r, const block_element *e, float x)
{
    double error = fabs((double)e->value - (double)x);
    r->outcomes[e->outcome]++;
    r->squared_error += error * error;
    r->squared_input += (double)x * (double)x;
    r->largest_error = error > r->largest_error ? error : r->largest_error;
}

static void fill(const block_question *q, block_result *r)
{
    r->finite = q->finite;
    r->factor = product(r->scale, block_exact_of_float(r->tensor));
    r->largest = product(largest_of(&q->block.element), r->factor);
    r->top = double_of(combine(BND_OP_DIV, block_exact_of_float(q->amax), r->factor));
    r->elements = allocate(NULL, q->count, sizeof *r->elements);
    for (size_t i = 0; i < q->count; i++) {
        r->elements[i] = quantize(q, r, i);
        if (r->finite) {
            count(r, &r->elements[i], q->numbers[i].x);
        }
    }
}

double block_mean_squared_error(const block_question *q, const block_result *r)
{
    return r->squared_error / (double)q->count;
}

/* ---- one rule, and all ---- */

/* Cook et al. 2025 (2512.02010): the scale that maps amax to 6, or the one that maps it to 4 if the squared error is
 * smaller. The tensor's scale leaves room for the latter: it maps the largest scale of the former to 256, and 1.5 times
 * that is a number of e4m3. */
static void answer_four_six(const block_question *q, block_result *r)
{
    enum { ROOM = 256 };
    const bnd_exact six = largest_of(&q->block.element), four = block_exact_of_float(4);
    block_result other = {.rule = four_six, .who = "Four Over Six", .mapped = 4};
    *r = (block_result){.rule = four_six, .who = other.who, .mapped = 6};
    r->tensor = other.tensor = tensor_scale(q, six, ROOM);
    nearest_scale(q, r, six);
    nearest_scale(q, &other, four);
    fill(q, r);
    fill(q, &other);
    bool is_better = r->finite && other.squared_error < r->squared_error;
    free(is_better ? r->elements : other.elements);
    *r = is_better ? other : *r;
}

static int answer_rule(const block_question *q, block_result *r, const char *name)
{
    if (strcmp(name, four_six) == 0) {
        answer_four_six(q, r);
        return GO_ON;
    }
    bnd_block block = q->block;
    bnd_error why;
    bnd_status status = bnd_scale_rule_parse(&block, name, &why);
    if (status != BND_OK) {
        return fail(q->common.command, "", status, &why);
    }
    *r = (block_result){.rule = bnd_scale_rule_name((bnd_scale_rule)block.rule),
                        .who = block.tensor ? "NVIDIA" : bnd_scale_rule_who((bnd_scale_rule)block.rule),
                        .tensor = 1};
    int answer = GO_ON;
    if (block.tensor) {
        r->tensor = tensor_scale(q, largest_of(&block.element), double_of(largest_of(&block.scale)));
        nearest_scale(q, r, largest_of(&block.element));
    } else {
        answer = power_of_two_scale(q, &block, r);
    }
    if (answer == GO_ON) {
        fill(q, r);
    }
    return answer;
}

static void mark_best(block_question *q)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < q->wanted_count; i++) {
        least = q->results[i].finite ? fmin(least, q->results[i].squared_error) : least;
    }
    for (size_t i = 0; i < q->wanted_count; i++) {
        q->results[i].best = q->results[i].finite && isfinite(least) && q->results[i].squared_error == least;
    }
}

int block_answer(block_question *q)
{
    q->finite = true;
    for (size_t i = 0; i < q->count; i++) {
        float x = q->numbers[i].x;
        q->finite = q->finite && isfinite(x);
        q->amax = isfinite(x) && fabsf(x) > q->amax ? fabsf(x) : q->amax;
    }
    int status = GO_ON;
    for (size_t i = 0; status == GO_ON && i < q->wanted_count; i++) {
        status = answer_rule(q, &q->results[i], q->wanted[i]);
    }
    mark_best(q);
    return status;
}

char *block_note(const block_question *q, const block_result *r)
{
    const char *format = q->block.scale.name;
    if (!q->finite) {
        return format_text("a NaN or an infinity makes the scale NaN, and with it every element");
    }
    if (q->amax == 0) {
        char *power = power_text(r->scale);
        char *text = format_text("all numbers are zero: the scale is %s", power != NULL ? power : "1");
        free(power);
        return text;
    }
    if (r->has_exponents && r->unclamped < r->exponent) {
        return format_text("the rule gives 2^%d; the smallest scale of %s is 2^%d", r->unclamped, format, r->exponent);
    }
    if (r->has_exponents && r->unclamped > r->exponent) {
        return format_text("the rule gives 2^%d; the largest scale of %s is 2^%d", r->unclamped, format, r->exponent);
    }
    return copy_text("");
}
