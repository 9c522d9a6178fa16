/* Accumulators by name, and the names of accumulators. */
#include "matmul/matmul.h"

typedef struct kind_row {
    const char *prefix;
    uint8_t kind;
} kind_row;

static const kind_row kind_rows[] = {{"fma:", BND_ACCUMULATE_FUSED}, {"each:", BND_ACCUMULATE_EACH}};
enum { KINDS = sizeof kind_rows / sizeof kind_rows[0], LONGEST_ACCUMULATOR = 95 };

/* The formats whose bare name means one rounding per step. */
static bool is_fused_by_name(const bnd_format *f)
{
    return f->width == 32 + 32 * (f->precision == 53) && f->exponent_bits == 8 + 3 * (f->precision == 53) &&
           (f->precision == 24 || f->precision == 53) && f->ieee_nans;
}

typedef struct accumulator_reader {
    const char *text;
    size_t at, end; /* of what is not read yet */
} accumulator_reader;

static bnd_status refuse_accumulator(const accumulator_reader *r, size_t where, const char *what, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_SYNTAX, where, "accumulator '%s': %s", r->text, what);
}

static bool take_count(const accumulator_reader *r, size_t *at, uint32_t *out)
{
    const size_t first = *at;
    uint64_t value = 0;
    for (; *at < r->end && r->text[*at] >= '0' && r->text[*at] <= '9' && value <= UINT32_MAX; (*at)++) {
        value = 10 * value + (uint64_t)(r->text[*at] - '0');
    }
    *out = (uint32_t)value;
    return *at > first && value > 0 && value <= UINT32_MAX;
}

/* Reads the part after the last '/'. */
static bnd_status take_promotion(accumulator_reader *r, bnd_accumulator *out, bnd_error *why)
{
    static const char word[] = "/promote";
    const size_t length = sizeof word - 1;
    for (size_t i = 0; i < r->end; i++) {
        if (r->text[i] != '/') {
            continue;
        }
        size_t at = i + length;
        if (r->end - i <= length || !bndi_same_word(r->text + i, length, word) || !take_count(r, &at, &out->promote) ||
            at != r->end) {
            return refuse_accumulator(
                r, i, "expected promoteN after '/', where N counts steps over k and is at least 1", why);
        }
        r->end = i;
        return BND_OK;
    }
    return BND_OK;
}

/* truncB, truncBgG. False where it is something else. */
static bool take_aligned(accumulator_reader *r, bnd_accumulator *out, bnd_status *status, bnd_error *why)
{
    uint32_t bits = 0, group = BND_GROUP_DEFAULT;
    size_t at = 5;
    if (r->end < at || !bndi_same_word(r->text, at, "trunc")) {
        return false;
    }
    bool good = take_count(r, &at, &bits);
    if (good && at < r->end && bndi_lower(r->text[at]) == 'g') {
        at++;
        good = take_count(r, &at, &group);
    }
    if (!good || at != r->end || bits < 2 || bits > BND_ALIGNED_BITS_MAX || group > BND_GROUP_MAX) {
        *status = refuse_accumulator(
            r, 5, "expected truncB or truncBgG, with B bits from 2 to 24 and groups of G products from 1 to 64", why);
        return true;
    }
    char name[8];
    bndi_text text = bndi_text_in(name, sizeof name);
    bndi_text_string(&text, "e8m");
    bndi_text_unsigned(&text, bits - 1, 10, 1);
    out->kind = BND_ACCUMULATE_ALIGNED;
    out->group = (uint16_t)group;
    *status = bnd_format_parse(&out->format, name, why);
    return true;
}

/* A row of tensor_cores.def. */
typedef struct tensor_core {
    const char *name, *format;
    uint8_t fraction, group;
} tensor_core;

static const tensor_core tensor_cores[] = {
#define TENSOR_CORE(name, fraction, group, format) {name, format, fraction, group},
#include "matmul/tensor_cores.def"
#undef TENSOR_CORE
};
enum { TENSOR_CORES = sizeof tensor_cores / sizeof tensor_cores[0] };

/* ---- accumulators of tensor cores ---- */

bool bndi_has_exponents_of_fp32(const bnd_format *f)
{
    return f->precision >= 2 && f->precision <= BND_ALIGNED_BITS_MAX && f->emin == -126 && f->emax == 127 &&
           f->is_signed && f->has_subnormals && f->has_infinity;
}

bnd_status bndi_check_tensor_format(const bnd_format *f, bnd_error *why)
{
    if (!bndi_has_exponents_of_fp32(f) && !bnd_format_same(f, bnd_format_at(BND_FORMAT_FP16))) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "an accumulator of tensor cores must be fp16, or have fp32's exponents and 2 to %d bits (e8m1 "
                        "to e8m23), not %s",
                        BND_ALIGNED_BITS_MAX, f->name);
    }
    return BND_OK;
}

/* An error in the part of a name that begins at `at`. */
static void move_place(bnd_status status, size_t at, bnd_error *why)
{
    if (status != BND_OK && why != NULL) {
        why->where += at;
    }
}

/* hopper-fp8, tensorF:FORMAT, tensorFgG:FORMAT. False where it is something else. */
static bool take_tensor(accumulator_reader *r, bnd_accumulator *out, bnd_status *status, bnd_error *why)
{
    static const char word[] = "tensor";
    uint32_t fraction = 0, group = BND_GROUP_DEFAULT;
    size_t at = sizeof word - 1;
    out->kind = BND_ACCUMULATE_TENSOR;
    for (size_t i = 0; i < TENSOR_CORES; i++) {
        if (bndi_same_word(r->text, r->end, tensor_cores[i].name)) {
            out->fraction = tensor_cores[i].fraction;
            out->group = tensor_cores[i].group;
            *status = bnd_format_parse(&out->format, tensor_cores[i].format, why);
            return true;
        }
    }
    if (r->end < at || !bndi_same_word(r->text, at, word)) {
        out->kind = BND_ACCUMULATE_FUSED;
        return false;
    }
    bool good = take_count(r, &at, &fraction);
    if (good && at < r->end && bndi_lower(r->text[at]) == 'g') {
        at++;
        good = take_count(r, &at, &group);
    }
    if (!good || at == r->end || r->text[at] != ':' || fraction > BND_TENSOR_FRACTION_MAX || group > BND_GROUP_MAX) {
        *status = refuse_accumulator(r, sizeof word - 1,
                                     "expected tensorF:FORMAT or tensorFgG:FORMAT, with a fraction of F bits from 1 to "
                                     "40 and groups of G products from 1 to 64",
                                     why);
        return true;
    }
    out->fraction = (uint8_t)fraction;
    out->group = (uint16_t)group;
    *status = bnd_format_parse_n(&out->format, r->text + at + 1, r->end - at - 1, why);
    *status = *status == BND_OK ? bndi_check_tensor_format(&out->format, why) : *status;
    move_place(*status, at + 1, why);
    return true;
}

static bnd_status take_rounded(accumulator_reader *r, bnd_accumulator *out, bnd_error *why)
{
    bool named = false;
    for (size_t i = 0; i < KINDS && !named; i++) {
        size_t length = bndi_length(kind_rows[i].prefix);
        if (r->end > length && bndi_same_word(r->text, length, kind_rows[i].prefix)) {
            out->kind = kind_rows[i].kind;
            r->at = length;
            named = true;
        }
    }
    size_t colon = r->at;
    while (colon < r->end && r->text[colon] != ':') {
        colon++;
    }
    bnd_status status = bnd_format_parse_n(&out->format, r->text + r->at, colon - r->at, why);
    move_place(status, r->at, why);
    if (status == BND_OK && colon < r->end) {
        char mode[LONGEST_ACCUMULATOR + 1];
        bndi_text text = bndi_text_in(mode, sizeof mode);
        bndi_text_bytes(&text, r->text + colon + 1, r->end - colon - 1);
        status = bnd_rounding_parse(&out->rule, mode, why);
        move_place(status, colon + 1, why);
    }
    if (status == BND_OK && !named) {
        out->kind = is_fused_by_name(&out->format) ? BND_ACCUMULATE_FUSED : BND_ACCUMULATE_EACH;
    }
    return status;
}

bnd_status bnd_accumulator_parse(bnd_accumulator *out, const char *name, bnd_error *why)
{
    bnd_accumulator a = {.promote = 0};
    accumulator_reader r = {.text = name, .end = bndi_length(name)};
    if (r.end > LONGEST_ACCUMULATOR) {
        return bnd_fail(why, BND_BAD_SYNTAX, LONGEST_ACCUMULATOR,
                        "the name of an accumulator must have at most %d characters", LONGEST_ACCUMULATOR);
    }
    if (bndi_same_word(name, r.end, "cblas")) {
        *out = (bnd_accumulator){.kind = BND_ACCUMULATE_CBLAS, .format = *bnd_format_at(BND_FORMAT_FP32)};
        return BND_OK;
    }
    if (r.end > 5 && bndi_same_word(name, 5, "cblas") && (name[5] == '/' || name[5] == ':')) {
        return bnd_fail(why, BND_BAD_SYNTAX, 5, "accumulator cblas takes no rounding mode and no promotion");
    }
    bnd_status status = take_promotion(&r, &a, why);
    if (status == BND_OK && !take_aligned(&r, &a, &status, why) && !take_tensor(&r, &a, &status, why)) {
        status = take_rounded(&r, &a, why);
    }
    if (status == BND_OK) {
        *out = a;
    }
    return status;
}

static void write_rounding(bndi_text *text, bnd_rule rule)
{
    if (rule.rounding != BND_ROUND_RNE) {
        bndi_text_char(text, ':');
        bndi_text_string(text, bnd_rounding_name(bnd_rule_rounding(rule)));
        if (rule.random_bits != 0 && rule.rounding != BND_ROUND_SR_EQUAL) {
            bndi_text_char(text, ':');
            bndi_text_unsigned(text, rule.random_bits, 10, 1);
        }
    }
}

static void write_aligned(bndi_text *text, const bnd_accumulator *accumulator)
{
    bndi_text_string(text, "trunc");
    bndi_text_unsigned(text, accumulator->format.precision, 10, 1);
    if (accumulator->group != 0 && accumulator->group != BND_GROUP_DEFAULT) {
        bndi_text_char(text, 'g');
        bndi_text_unsigned(text, accumulator->group, 10, 1);
    }
}

static void write_tensor(bndi_text *text, const bnd_accumulator *accumulator)
{
    const uint16_t group = accumulator->group != 0 ? accumulator->group : BND_GROUP_DEFAULT;
    const bnd_format *f = accumulator->format.precision != 0 ? &accumulator->format : bnd_format_at(BND_FORMAT_FP32);
    for (size_t i = 0; i < TENSOR_CORES; i++) {
        bnd_format format;
        if (tensor_cores[i].fraction == accumulator->fraction && tensor_cores[i].group == group &&
            bnd_format_parse(&format, tensor_cores[i].format, NULL) == BND_OK && bnd_format_same(&format, f)) {
            bndi_text_string(text, tensor_cores[i].name);
            return;
        }
    }
    bndi_text_string(text, "tensor");
    bndi_text_unsigned(text, accumulator->fraction, 10, 1);
    if (group != BND_GROUP_DEFAULT) {
        bndi_text_char(text, 'g');
        bndi_text_unsigned(text, group, 10, 1);
    }
    bndi_text_char(text, ':');
    bndi_text_string(text, f->name);
}

static void write_rounded(bndi_text *text, const bnd_accumulator *accumulator)
{
    const bool none = accumulator->format.precision == 0, fused = accumulator->kind == BND_ACCUMULATE_FUSED;
    if (fused != (none || is_fused_by_name(&accumulator->format))) {
        bndi_text_string(text, fused ? "fma:" : "each:");
    }
    bndi_text_string(text, none ? "fp32" : accumulator->format.name);
    write_rounding(text, accumulator->rule);
}

size_t bnd_accumulator_name(char *name, size_t size, const bnd_accumulator *accumulator)
{
    bndi_text text = bndi_text_in(name, size);
    if (accumulator->kind == BND_ACCUMULATE_CBLAS) {
        bndi_text_string(&text, "cblas");
        return text.length;
    }
    if (accumulator->kind == BND_ACCUMULATE_ALIGNED) {
        write_aligned(&text, accumulator);
    } else if (accumulator->kind == BND_ACCUMULATE_TENSOR) {
        write_tensor(&text, accumulator);
    } else {
        write_rounded(&text, accumulator);
    }
    if (accumulator->promote > 0) {
        bndi_text_string(&text, "/promote");
        bndi_text_unsigned(&text, accumulator->promote, 10, 1);
    }
    return text.length;
}
