/* Names of formats that are not rows: the P3109 family, custom formats, value sets. */
#include "format/format.h"

/* A name as it is being read, in any case. */
typedef struct name_reader {
    const char *text;
    size_t length, at;
} name_reader;

static bool take_word(name_reader *r, const char *word)
{
    size_t length = bndi_length(word);
    if (r->length - r->at < length || !bndi_same(r->text + r->at, length, word, length)) {
        return false;
    }
    r->at += length;
    return true;
}

/* A decimal integer. Values that are too large saturate, so that they fail the caller's range check. */
static bool take_integer(name_reader *r, bool may_be_negative, int32_t *out)
{
    enum { ENOUGH = 1 << 30 };
    size_t start = r->at;
    bool negative = may_be_negative && r->at < r->length && r->text[r->at] == '-';
    r->at += negative;
    int64_t value = 0;
    size_t first = r->at;
    for (; r->at < r->length && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
        value = value < ENOUGH ? value * 10 + (r->text[r->at] - '0') : value;
    }
    if (r->at == first) {
        r->at = start;
        return false;
    }
    value = value < ENOUGH ? value : ENOUGH;
    *out = (int32_t)(negative ? -value : value);
    return true;
}

static bool at_end(const name_reader *r)
{
    return r->at == r->length;
}

/* The result of a family's reader for a name. */
typedef enum verdict { NOT_MINE, MINE, IMPOSSIBLE, MISSPELT } verdict;

/* ---- P3109: binary8p3se, p3109_k8p3se, and the older spelling binary8p3 ---- */

static verdict read_p3109(bnd_format *out, name_reader r, bnd_error *why)
{
    int32_t width, precision;
    if (!(take_word(&r, "binary") || take_word(&r, "p3109_k") || take_word(&r, "p3109_binary")) ||
        !take_integer(&r, false, &width) || !take_word(&r, "p") || !take_integer(&r, false, &precision)) {
        return NOT_MINE;
    }
    bool is_signed = true, extended = true;
    if (!at_end(&r)) {
        is_signed = take_word(&r, "s");
        if (!is_signed && !take_word(&r, "u")) {
            return NOT_MINE;
        }
        extended = take_word(&r, "e");
        if ((!extended && !take_word(&r, "f")) || !at_end(&r)) {
            return NOT_MINE;
        }
    }
    int32_t most = is_signed ? width - 1 : width;
    if (width < BNDI_P3109_LEAST_WIDTH || width > BNDI_P3109_MOST_WIDTH) {
        bnd_fail(why, BND_BAD_SYNTAX, 0, "P3109 format '%.*s': the width must be from 3 to 15", (int)r.length, r.text);
        return IMPOSSIBLE;
    }
    if (precision < 1 || precision > most) {
        bnd_fail(why, BND_BAD_SYNTAX, 0, "P3109 format '%.*s': the precision must be from 1 to %d at %s width of %d",
                 (int)r.length, r.text, most, is_signed ? "a signed" : "an unsigned", width);
        return IMPOSSIBLE;
    }
    *out = bndi_p3109((unsigned)width, (unsigned)precision, is_signed, extended);
    return MINE;
}

/* ---- custom formats: e6m9, e5m10b12fn, e4m3b-2nosub, and unsigned: ue5m2fn ---- */

static const char *const specials_names[] = {
    [BNDI_IEEE] = "ieee", [BNDI_FN] = "fn", [BNDI_FNUZ] = "fnuz", [BNDI_NONE] = "none"};

static void take_specials(name_reader *r, bndi_specials *specials)
{
    /* fnuz before fn, of which it is a longer form */
    static const bndi_specials order[] = {BNDI_FNUZ, BNDI_FN, BNDI_NONE, BNDI_IEEE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (take_word(r, specials_names[order[i]])) {
            *specials = order[i];
            return;
        }
    }
}

static verdict refuse_custom(const name_reader *r, bnd_error *why, const char *reason)
{
    bnd_fail(why, BND_BAD_SYNTAX, 0, "custom format '%.*s': %s", (int)r->length, r->text, reason);
    return IMPOSSIBLE;
}

static void write_custom_name(bnd_format *f, const bndi_layout *layout, bool with_bias, bool with_ieee)
{
    bndi_text name = bndi_text_in(f->name, sizeof f->name);
    bndi_text_string(&name, layout->is_signed ? "e" : "ue");
    bndi_text_unsigned(&name, layout->exponent_bits, 10, 1);
    bndi_text_char(&name, 'm');
    bndi_text_unsigned(&name, layout->fraction_bits, 10, 1);
    if (with_bias) {
        bndi_text_char(&name, 'b');
        bndi_text_signed(&name, layout->bias);
    }
    bndi_text_string(&name, layout->specials != BNDI_IEEE || with_ieee ? specials_names[layout->specials] : "");
    bndi_text_string(&name, layout->no_subnormals ? "nosub" : "");
}

/* Writes the shortest spelling that reads back as this format. If that spelling is the name of a row (e2m1, e4m3fnuz)
 * with another layout, the differing part is written out. */
static void name_custom(bnd_format *f, const bndi_layout *layout, int32_t default_bias)
{
    bool with_bias = layout->bias != default_bias;
    write_custom_name(f, layout, with_bias, false);
    if (bndi_row_named(f->name, bndi_length(f->name)) >= 0) {
        bool is_ieee = layout->specials == BNDI_IEEE;
        write_custom_name(f, layout, with_bias || !is_ieee, is_ieee);
    }
}

/* If a row has the same layout, the format takes that row's name: e5m10 is fp16. */
static bool find_same_row(bnd_format *f)
{
    for (size_t i = 0; i < bnd_format_count(); i++) {
        const bnd_format *row = bnd_format_at(i);
        if (bnd_format_same(row, f)) {
            *f = *row;
            return true;
        }
    }
    return false;
}

/* All codes but that of zero are infinities and NaNs. */
static verdict refuse_empty(const name_reader *r, int32_t exponent_bits, int32_t fraction_bits, bool is_signed,
                            bnd_error *why)
{
    bnd_fail(why, BND_BAD_SYNTAX, 0,
             "custom format '%.*s': zero would be its only finite value; use more bits, or %se%dm%dnone, which has no "
             "infinity and no NaN",
             (int)r->length, r->text, is_signed ? "" : "u", (int)exponent_bits, (int)fraction_bits);
    return IMPOSSIBLE;
}

/* e5m2nosubfn: the parts are those of a name, and their order is not. */
static verdict refuse_order(const name_reader *r, const bndi_layout *layout, name_reader rest, bnd_error *why)
{
    bndi_specials specials = BNDI_IEEE;
    size_t before = rest.at;
    take_specials(&rest, &specials);
    if (!layout->no_subnormals || layout->specials != BNDI_IEEE || rest.at == before || !at_end(&rest)) {
        return NOT_MINE;
    }
    bnd_fail(why, BND_BAD_NAME, 0, "unknown format '%.*s'; did you mean %.*s%snosub?", (int)r->length, r->text,
             (int)(before - bndi_length("nosub")), r->text, specials_names[specials]);
    return MISSPELT;
}

static verdict read_custom(bnd_format *out, name_reader r, bnd_error *why)
{
    int32_t exponent_bits, fraction_bits;
    const bool is_signed = !take_word(&r, "u");
    if (!take_word(&r, "e") || !take_integer(&r, false, &exponent_bits) || !take_word(&r, "m") ||
        !take_integer(&r, false, &fraction_bits)) {
        return NOT_MINE;
    }
    bool possible = exponent_bits >= 1 && exponent_bits <= 15;
    int32_t default_bias = possible ? ((int32_t)1 << (exponent_bits - 1)) - 1 : 0;
    bndi_layout layout = {.is_signed = is_signed, .bias = default_bias, .specials = BNDI_IEEE, .ties = BND_TIES_CODE};
    if (take_word(&r, "b") && !take_integer(&r, true, &layout.bias)) {
        return NOT_MINE;
    }
    take_specials(&r, &layout.specials);
    layout.no_subnormals = take_word(&r, "nosub");
    if (!at_end(&r)) {
        return refuse_order(&r, &layout, r, why);
    }
    layout.no_subnormals = layout.no_subnormals && fraction_bits > 0; /* without a fraction there are no subnormals */
    if (!possible) {
        return refuse_custom(&r, why, "the exponent must have from 1 to 15 bits");
    }
    if (fraction_bits > 52) {
        return refuse_custom(&r, why, "the fraction must have at most 52 bits");
    }
    if (exponent_bits + fraction_bits > 63) {
        return refuse_custom(&r, why, "exponent and fraction must have at most 63 bits together");
    }
    if (!is_signed && layout.specials == BNDI_FNUZ) {
        return refuse_custom(&r, why, "fnuz needs a sign, because its NaN has the code of negative zero; use fn");
    }
    if (layout.bias > 32767 || layout.bias < -32767) {
        return refuse_custom(&r, why, "the bias must be from -32767 to 32767");
    }
    layout.exponent_bits = (unsigned)exponent_bits;
    layout.fraction_bits = (unsigned)fraction_bits;
    *out = bndi_format_of_layout(&layout);
    if (out->max_code < 1) {
        return refuse_empty(&r, exponent_bits, fraction_bits, is_signed, why);
    }
    if (!find_same_row(out)) {
        name_custom(out, &layout, default_bias);
    }
    return MINE;
}

/* ---- value sets: p11, p11emin-14emax15 ---- */

static verdict read_value_set(bnd_format *out, name_reader r, bnd_error *why)
{
    int32_t precision, emin = -BND_EXPONENT_UNLIMITED, emax = BND_EXPONENT_UNLIMITED;
    if (!take_word(&r, "p") || !take_integer(&r, false, &precision)) {
        return NOT_MINE;
    }
    bool has_emin = take_word(&r, "emin"), has_emax = false;
    if (has_emin && !take_integer(&r, true, &emin)) {
        return NOT_MINE;
    }
    has_emax = take_word(&r, "emax");
    if ((has_emax && !take_integer(&r, true, &emax)) || !at_end(&r)) {
        return NOT_MINE;
    }
    if (precision < 1 || precision > BND_PRECISION_MAX) {
        bnd_fail(why, BND_BAD_SYNTAX, 0, "value set '%.*s': the precision must be from 1 to %d", (int)r.length, r.text,
                 BND_PRECISION_MAX);
        return IMPOSSIBLE;
    }
    if (emin > emax || emin < -BND_EXPONENT_UNLIMITED || emax > BND_EXPONENT_UNLIMITED) {
        bnd_fail(why, BND_BAD_SYNTAX, 0,
                 "value set '%.*s': emin must not be above emax, and both must be from -%d to %d", (int)r.length,
                 r.text, BND_EXPONENT_UNLIMITED, BND_EXPONENT_UNLIMITED);
        return IMPOSSIBLE;
    }
    *out = bnd_lab_value_set((unsigned)precision, emin, emax);
    bndi_text name = bndi_text_in(out->name, sizeof out->name);
    bndi_text_char(&name, 'p');
    bndi_text_unsigned(&name, (unsigned)precision, 10, 1);
    if (has_emin) {
        bndi_text_string(&name, "emin");
        bndi_text_signed(&name, emin);
    }
    if (has_emax) {
        bndi_text_string(&name, "emax");
        bndi_text_signed(&name, emax);
    }
    return MINE;
}

/* ---- all of them ---- */

/* Skips a module name, as programs write it: torch.bfloat16, np.float16. Longer prefixes first. */
static void skip_module(name_reader *r)
{
    static const char *const modules[] = {"jax.numpy.",  "jnp.", "torch.", "numpy.", "np.", "ml_dtypes.",
                                          "tensorflow.", "tf.",  "cupy.",  "cp.",    "mx."};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        if (take_word(r, modules[i])) {
            return;
        }
    }
}

/* Names that give only a width and so are ambiguous. */
static const struct {
    const char *names, *formats;
} widths[] = {{"fp8 float8 f8", "e4m3 or e5m2"}, {"fp6 float6 f6", "e2m3 or e3m2"}};

static const char *formats_of_width(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const char *list = widths[i].names;
        size_t other_length;
        for (const char *other; other = bndi_next_word(&list, &other_length), other_length > 0;) {
            if (bndi_same(name, length, other, other_length)) {
                return widths[i].formats;
            }
        }
    }
    return NULL;
}

bool bnd_lab_is_block_name(const char *name, size_t length)
{
    name_reader r = {.text = name, .length = length};
    bool begins = take_word(&r, "mxfp") || take_word(&r, "mxint") || take_word(&r, "nvfp");
    for (size_t i = 0; i < length && !begins; i++) {
        begins = name[i] == '/';
    }
    return begins;
}

static bnd_status unknown(const char *name, size_t length, bnd_error *why)
{
    const char *formats = formats_of_width(name, length);
    if (formats != NULL) {
        return bnd_fail(why, BND_BAD_NAME, 0, "'%.*s' is ambiguous; use %s", (int)length, name, formats);
    }
    if (length <= 64 && bnd_lab_is_block_name(name, length)) {
        /* which block formats exist is known to block/ only */
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "expected a format without shared scales, got '%.*s', which is written like a block format",
                        (int)length, name);
    }
    bndi_nearest nearest = bndi_nearest_to(name, length);
    bndi_offer_row_names(&nearest);
    for (size_t i = 0; i < bndi_p3109_count(8); i++) {
        bnd_format f = bndi_p3109_at(8, i);
        bndi_nearest_offer(&nearest, f.name, bndi_length(f.name));
    }
    const char *hint = nearest.count > 0 ? NULL
                                         : "(available: fp16, e4m3, ...; custom: e6m9, e5m10b12fn; P3109: binary8p3se; "
                                           "value sets: p11emin-14emax15)";
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown format", hint);
}

bnd_status bnd_format_parse_n(bnd_format *out, const char *name, size_t length, bnd_error *why)
{
    name = length > 0 ? name : ""; /* an empty text may be NULL */
    name_reader whole = {.text = name, .length = length};
    skip_module(&whole);
    name += whole.at;
    length -= whole.at;
    int row = bndi_row_named(name, length);
    if (row >= 0) {
        *out = *bnd_format_at((size_t)row);
        return BND_OK;
    }
    static verdict (*const families[])(bnd_format *, name_reader, bnd_error *) = {read_p3109, read_custom,
                                                                                  read_value_set};
    bool shown_whole = length <= 64; /* no family has longer names, and they would flood a message */
    for (size_t i = 0; shown_whole && i < sizeof families / sizeof families[0]; i++) {
        bnd_format f;
        verdict v = families[i](&f, (name_reader){.text = name, .length = length}, why);
        if (v == MINE) {
            *out = f;
            return BND_OK;
        }
        if (v != NOT_MINE) {
            return v == MISSPELT ? BND_BAD_NAME : BND_BAD_SYNTAX;
        }
    }
    return unknown(name, length, why);
}

bnd_status bnd_format_parse(bnd_format *out, const char *name, bnd_error *why)
{
    return bnd_format_parse_n(out, name, bndi_length(name), why);
}
