/* binade formats: the properties of a format, one text per column. */
#include "formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const column format_columns[] = {
    {"name", "format", false, false, false, false, 0},
    {"layout", "s/e/m", false, false, false, false, 0},
    {"width", "bits", true, true, false, true, 0},
    {"sign_bits", "s", true, true, false, true, 0},
    {"exponent_bits", "e", true, true, false, true, 0},
    {"fraction_bits", "m", true, true, false, true, 0},
    {"precision", "p", true, true, false, true, 0},
    {"bias", "bias", true, true, false, false, 0},
    {"emin", "emin", true, true, false, true, 0},
    {"emax", "emax", true, true, false, true, 0},
    {"max", "max", true, false, false, false, 0},
    {"max_code", "max code", false, false, false, true, 0},
    {"min_normal", "min normal", true, false, false, false, 0},
    {"min_subnormal", "min subn.", true, false, false, false, 0},
    {"ulp_of_one", "ulp(1)", true, false, false, false, 0},
    {"digits", "digits*", true, true, false, false, 0},
    {"digits_to_read_back", "digits back", true, true, false, true, 0},
    {"finite_values", "finite", true, true, false, false, 0},
    {"infinity", "inf", false, false, false, false, 0},
    {"nan", "nan", false, false, false, false, 0},
    {"nan_codes", "NaN codes", true, true, false, true, 0},
    {"zero", "zero", false, false, false, false, 0},
    {"log2_max", "log2 max", true, true, false, true, 0},
    {"log2_min_normal", "log2 min normal", true, true, false, true, 0},
    {"log2_min", "log2 min", true, true, false, true, 0},
    {"title", "what it is", false, false, false, false, 0},
    {"ml_dtypes", "ml_dtypes, torch", false, false, false, true, 0},
    {"onnx", "ONNX", false, false, false, true, 0},
    {"safetensors", "safetensors", false, false, false, true, 0},
    {"stablehlo", "StableHLO", false, false, false, true, 0},
    {"others", "elsewhere", false, false, false, true, 0},
    {"hardware", "hardware", false, false, false, true, 0},
};
/* What the facts of one format are called, in the same order. */
const char *const format_labels[] = {
    "format",
    "sign/exp./fraction",
    "width in bits",
    "sign bits",
    "exponent bits",
    "fraction bits",
    "precision",
    "bias",
    "smallest exponent",
    "largest exponent",
    "largest value",
    "its code",
    "smallest normal",
    "smallest subnormal",
    "ulp of 1",
    "decimal digits kept",
    "digits to read back",
    "finite values",
    "infinity",
    "NaN",
    "NaN codes",
    "zero",
    "log2 of the largest",
    "log2 of the normal",
    "log2 of the smallest",
    "description",
    "ml_dtypes, PyTorch",
    "ONNX",
    "safetensors",
    "StableHLO",
    "other names",
    "hardware",
};
_Static_assert(sizeof format_columns / sizeof format_columns[0] == FORMAT_COLUMNS, "formats.h counts the columns");
_Static_assert(sizeof format_labels / sizeof format_labels[0] == FORMAT_COLUMNS, "a label per column");

/* Nine digits; in a list on the screen five, where nine take much room. */
static char *number_text(bnd_exact value, bool brief)
{
    enum { DIGITS = 9, FEW_DIGITS = 5, ROOM = 10 };
    char *text = digits_text(value, DIGITS);
    if (!brief || strlen(text) <= ROOM) {
        return text;
    }
    free(text);
    return digits_text(value, FEW_DIGITS);
}

/* A power of two as 2^n. */
static char *limit_text(uint64_t significand, int32_t quantum, bool brief)
{
    bnd_exact value = {.low = significand, .exponent = quantum, .kind = BND_KIND_FINITE};
    char *power = power_text(value);
    bool small = quantum >= 0 && quantum < 8;
    if (power != NULL && !small) {
        return power;
    }
    free(power);
    return number_text(value, brief);
}

/* A format whose largest exponent is that of its subnormal values (e1m3) has no others. */
static bool has_normals(const bnd_format *f)
{
    return f->emin <= f->emax;
}

static bool has_real_subnormals(const bnd_format *f)
{
    return f->has_subnormals && f->precision > 1;
}

/* Does the text read back as the format's largest number? */
static bool is_largest(const bnd_format *f, const char *text, bnd_exact largest)
{
    bnd_exact read;
    if (bnd_parse_exact(&read, text, NULL) != BND_OK) {
        return false;
    }
    bnd_rounded r = bnd_round_exact(f, read, (bnd_rule){0}, 0);
    return (r.flags & BND_FLAG_OVERFLOW) == 0 && bnd_exact_compare(r.value, largest) == 0;
}

/* The largest number; where it is not brief, in as many digits as tell it from its neighbours: nine do for most. */
static char *largest_text(const bnd_format *f, bool brief)
{
    enum { MOST_DIGITS = 19 };
    bnd_exact value = {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
    char *text = power_text(value);
    if (text != NULL && f->max_quantum + f->precision > 8) {
        return text;
    }
    free(text);
    text = number_text(value, brief);
    for (int digits = 10; !brief && digits <= MOST_DIGITS && !is_largest(f, text, value); digits++) {
        free(text);
        text = digits_text(value, digits);
    }
    return text;
}

/* The distance of 1 to the next number above it, where the format has a 1. */
static char *ulp_of_one(const bnd_format *f, bool brief)
{
    bnd_rounded one = bnd_round_exact(f, bnd_exact_uint64(1), (bnd_rule){0}, 0);
    bnd_exact next;
    bool has_next = bnd_neighbour(&next, f, one.value, 1) && next.kind == BND_KIND_FINITE;
    if (one.flags != 0 || !has_next) {
        return copy_text("-");
    }
    int32_t quantum = -(f->precision - 1);
    return limit_text(1, quantum > f->least_quantum || !f->has_subnormals ? quantum : f->least_quantum, brief);
}

/* log10(2) is 0.30102999566...; 30103 / 100000 is close enough for 64 bits. */
static unsigned decimal_digits(const bnd_format *f)
{
    return (f->precision - 1u) * 30103u / 100000u;
}

static unsigned digits_to_read_back(const bnd_format *f)
{
    return 2u + f->precision * 30103u / 100000u;
}

static char *finite_values(const bnd_format *f, bool brief)
{
    if (f->width == 0) {
        return copy_text("null");
    }
    uint64_t values = f->max_code * (f->is_signed ? 2 : 1) + 1;
    return brief ? number_text(bnd_exact_uint64(values), true) : format_text("%llu", (unsigned long long)values);
}

static const char *infinity_text(const bnd_format *f)
{
    return f->has_infinity ? "yes" : "no";
}

static uint64_t nan_codes(const bnd_format *f)
{
    return f->zero_nan ? 1 : f->high_nans * (f->is_signed ? 2 : 1);
}

static const char *nan_text(const bnd_format *f)
{
    bool few = f->width != 0 && nan_codes(f) <= 2;
    return !f->has_nan ? "no" : !few ? "yes" : nan_codes(f) == 1 ? "one" : "two";
}

static const char *zero_text(const bnd_format *f)
{
    return !f->has_zero ? "none" : f->has_negative_zero ? "+-0" : "+0";
}

/* What a format is called that no row names. */
static char *title_text(const bnd_format *f)
{
    if (f->row >= 0) {
        return copy_text(bnd_format_title((size_t)f->row));
    }
    if (f->width == 0) {
        return copy_text("a value set: rounds, has no codes");
    }
    if (strncmp(f->name, "binary", 6) == 0) {
        return format_text("P3109, %s, %s", f->is_signed ? "signed" : "unsigned",
                           f->has_infinity ? "extended" : "finite");
    }
    return copy_text("custom");
}

static void add_names(table *t, const bnd_format *f)
{
    for (int where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
        table_add(t, copy_text(f->row >= 0 ? bnd_format_names((size_t)f->row, (bnd_ecosystem)where) : ""));
    }
    table_add(t, copy_text(f->row >= 0 ? bnd_format_hardware((size_t)f->row) : ""));
}

static char *number(long long n)
{
    return format_text("%lld", n);
}

static void add_layout(table *t, const bnd_format *f)
{
    table_add(t, f->width != 0 ? format_text("%d/%d/%d", f->is_signed, f->exponent_bits, f->fraction_bits)
                               : format_text("p=%d", f->precision));
    table_add(t, number(f->width));
    table_add(t, number(f->width != 0 && f->is_signed));
    table_add(t, number(f->exponent_bits));
    table_add(t, number(f->fraction_bits));
    table_add(t, number(f->precision));
    table_add(t, number(f->bias));
    table_add(t, f->emin > -BND_EXPONENT_UNLIMITED ? number(f->emin) : copy_text("null"));
    table_add(t, f->emax < BND_EXPONENT_UNLIMITED ? number(f->emax) : copy_text("null"));
}

/* For drawings, so in data only: log2 of a limit. Nine digits: C libraries differ in the last bit of a logarithm. */
static char *log2_text(const table *t, bool exists, uint64_t significand, int32_t quantum)
{
    if (t->output == OUTPUT_TEXT) {
        return copy_text("");
    }
    return exists ? digits_text(bnd_exact_double(log2((double)significand) + quantum), 9) : copy_text("null");
}

static void add_logarithms(table *t, const bnd_format *f)
{
    bool below = f->emin > -BND_EXPONENT_UNLIMITED;
    table_add(t, log2_text(t, f->emax < BND_EXPONENT_UNLIMITED, f->max_significand, f->max_quantum));
    table_add(t, log2_text(t, below && has_normals(f), f->normal_significand, f->normal_quantum));
    table_add(t, log2_text(t, below, f->least_significand, f->least_quantum));
}

void format_add_row(table *t, const bnd_format *f, bool brief, bool indented)
{
    bool codes = f->width != 0;
    bool unlimited_above = f->emax >= BND_EXPONENT_UNLIMITED, unlimited_below = f->emin <= -BND_EXPONENT_UNLIMITED;
    table_add(t, format_text("%s%s", indented ? "  " : "", f->name));
    add_layout(t, f);
    table_add(t, unlimited_above ? copy_text("no limit") : largest_text(f, brief));
    table_add(t, codes ? code_text(f, f->max_code) : copy_text(""));
    table_add(t, unlimited_below   ? copy_text("no limit")
                 : !has_normals(f) ? copy_text("-")
                                   : limit_text(f->normal_significand, f->normal_quantum, brief));
    table_add(t, unlimited_below || !has_real_subnormals(f)
                     ? copy_text("-")
                     : limit_text(f->least_significand, f->least_quantum, brief));
    table_add(t, ulp_of_one(f, brief));
    table_add(t, number(decimal_digits(f)));
    table_add(t, number(digits_to_read_back(f)));
    table_add(t, finite_values(f, brief));
    table_add(t, copy_text(infinity_text(f)));
    table_add(t, copy_text(nan_text(f)));
    table_add(t, codes ? format_text("%llu", (unsigned long long)nan_codes(f)) : copy_text("null"));
    table_add(t, copy_text(zero_text(f)));
    add_logarithms(t, f);
    table_add(t, title_text(f));
    add_names(t, f);
}
