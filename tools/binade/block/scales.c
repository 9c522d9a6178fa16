/* The scale of a block under one rule, and its elements. */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const block_outcomes[BLOCK_OUTCOMES] = {"exact", "rounded", "saturated", "zero", "nan"};

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

const char *block_rule_at(const bnd_block *block, size_t at)
{
    static const bnd_scale_rule order[] = {BND_SCALE_NEAREST, BND_SCALE_FLOOR, BND_SCALE_CEIL,     BND_SCALE_EVEN,
                                           BND_SCALE_RCEIL,   BND_SCALE_CT,    BND_SCALE_FOUR_SIX, BND_SCALE_MSE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        bnd_block other = *block;
        const char *name = bnd_scale_rule_name(order[i]);
        if (bnd_scale_rule_parse(&other, name, NULL) == BND_OK && at-- == 0) {
            return name;
        }
    }
    return NULL;
}

/* ---- scales ---- */

/* The library's scales of an array that is one block. *tensor: 0, or the scale of the tensor that is given. */
static int library_scale(const block_question *q, const bnd_block *block, const float *x, size_t n, uint64_t *code,
                         float *tensor)
{
    bnd_block whole = *block;
    whole.sharing = BND_SHARE_TENSOR;
    const bnd_shape shape = {1, n, 1};
    const bnd_given_scales scales = {.tensor_scale = *tensor > 0 ? tensor : NULL};
    const bnd_array how = {.rule = q->common.rule};
    unsigned char bytes[4] = {0};
    float used = 1;
    bnd_error why;
    bnd_status status = bnd_quantize_given_f32(NULL, bytes, &used, x, shape, &whole, &scales, &how, NULL, &why);
    *tensor = used;
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
    float normal = frexpf(q->amax, &e) * 2, tensor = 0;
    uint64_t code;
    int status = library_scale(q, block, &normal, 1, &code, &tensor);
    bnd_exact scale = bnd_unpack(&block->scale, code);
    *out = e - 1 + ilogb(double_of(scale));
    return status;
}

static int add_exponents(const block_question *q, const bnd_block *block, block_result *r)
{
    r->has_exponents = true;
    r->exponent = r->unclamped = ilogb(double_of(r->scale));
    bool wide = block->scale.emin <= fp32()->emin; /* otherwise a scale for 1 to 2 might be clamped, too */
    bool of_amax = block->rule != BND_SCALE_MSE;   /* which looks at all numbers */
    return q->amax > 0 && wide && of_amax ? unclamped_exponent(q, block, &r->unclamped) : GO_ON;
}

/* Which of its two scales did 4/6 take? That for 6 is the one of the rule nearest with the same scale of the tensor. */
static int find_mapped(const block_question *q, const bnd_block *block, const float *x, block_result *r)
{
    bnd_block other = *block;
    uint64_t to_six;
    other.rule = BND_SCALE_NEAREST;
    int status = library_scale(q, &other, x, q->count, &to_six, &r->tensor);
    r->mapped = to_six == r->scale_code ? 6 : 4;
    return status;
}

static int find_scale(const block_question *q, const bnd_block *block, block_result *r)
{
    float *x = allocate(NULL, q->count, sizeof *x);
    for (size_t i = 0; i < q->count; i++) {
        x[i] = q->numbers[i].x;
    }
    r->tensor = q->tensor_scale;
    int status = library_scale(q, block, x, q->count, &r->scale_code, &r->tensor);
    r->scale = bnd_unpack(&block->scale, r->scale_code);
    bool powers = block->scale.precision == 1 || (block->rule != BND_SCALE_NEAREST && block->rule != BND_SCALE_MSE);
    if (status == GO_ON && block->rule == BND_SCALE_FOUR_SIX) {
        status = find_mapped(q, block, x, r);
    } else if (status == GO_ON && powers && q->finite) {
        status = add_exponents(q, block, r);
    }
    free(x);
    return status;
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

static int answer_rule(const block_question *q, block_result *r, const char *name)
{
    bnd_block block = q->block;
    bnd_error why;
    bnd_status status = bnd_scale_rule_parse(&block, name, &why);
    if (status != BND_OK) {
        return fail(q->common.command, "", status, &why);
    }
    const bnd_scale_rule rule = (bnd_scale_rule)block.rule;
    *r = (block_result){.rule = bnd_scale_rule_name(rule), .who = bnd_scale_rule_who(rule)};
    if (block.tensor && rule == BND_SCALE_NEAREST) {
        r->who = "NVIDIA";
    }
    int answer = find_scale(q, &block, r);
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
    for (size_t i = 0; !q->finite && i < q->count; i++) {
        float x = q->numbers[i].x;
        q->amax = isfinite(x) || isnan(q->amax) ? q->amax : fabsf(x);
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
