/* The table of formats, and the groups of its rows. */
#include "format/constant.h"
#include "format/format.h"

enum { IN_IEEE = 1, IN_OCP = 2, IN_FNUZ = 4, IN_MX = 8 };

typedef struct format_row {
    const char *title;
    uint8_t groups;
    const char *names[BND_ECOSYSTEM_COUNT];
    const char *hardware;
} format_row;

static const format_row rows[] = {
#define ROW(name, title, sign, e, m, bias, specials, traits, groups, torch, onnx, safetensors, hlo, others, hardware)  \
    {title, groups, {torch, onnx, safetensors, hlo, others}, hardware},
#include "format/formats.def"
#undef ROW
};

enum {
#define ROW(name, ...) ROW_##name,
#include "format/formats.def"
#undef ROW
    FORMATS
};

const bnd_format bndi_formats[FORMATS] = {
#define ROW(name, title, sign, e, m, bias, specials, traits, ...)                                                      \
    FORMAT_CONSTANT(name, sign, e, m, bias, BNDI_##specials, traits),
#include "format/formats.def"
#undef ROW
};

size_t bnd_format_count(void)
{
    return FORMATS;
}

const bnd_format *bnd_format_at(size_t index)
{
    return index < FORMATS ? &bndi_formats[index] : NULL;
}

const char *bnd_format_title(size_t index)
{
    return index < FORMATS ? rows[index].title : "";
}

const char *bnd_format_names(size_t index, bnd_ecosystem where)
{
    return index < FORMATS && (unsigned)where < BND_ECOSYSTEM_COUNT ? rows[index].names[where] : "";
}

const char *bnd_format_hardware(size_t index)
{
    return index < FORMATS ? rows[index].hardware : "";
}

const char *bnd_ecosystem_name(bnd_ecosystem where)
{
    static const char *const names[BND_ECOSYSTEM_COUNT] = {"ml_dtypes", "onnx", "safetensors", "stablehlo", "others"};
    return (unsigned)where < BND_ECOSYSTEM_COUNT ? names[where] : "";
}

/* ---- names ---- */

static bool has_name(size_t i, const char *name, size_t length)
{
    if (bndi_same_word(name, length, bndi_formats[i].name)) {
        return true;
    }
    for (size_t where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
        const char *list = rows[i].names[where];
        size_t word_length;
        for (const char *word; word = bndi_next_word(&list, &word_length), word_length > 0;) {
            if (bndi_same(name, length, word, word_length)) {
                return true;
            }
        }
    }
    return false;
}

int bndi_row_named(const char *name, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (has_name(i, name, length)) {
            return (int)i;
        }
    }
    return -1;
}

void bndi_offer_row_names(bndi_nearest *nearest)
{
    for (size_t i = 0; i < FORMATS; i++) {
        bndi_nearest_offer(nearest, bndi_formats[i].name, bndi_length(bndi_formats[i].name));
    }
    for (size_t i = 0; i < FORMATS; i++) {
        for (size_t where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
            const char *list = rows[i].names[where];
            size_t length;
            for (const char *word; word = bndi_next_word(&list, &length), length > 0;) {
                bndi_nearest_offer(nearest, word, length);
            }
        }
    }
}

bool bnd_format_same(const bnd_format *a, const bnd_format *b)
{
    return a->width == b->width && a->is_signed == b->is_signed && a->precision == b->precision &&
           a->has_zero == b->has_zero && a->has_negative_zero == b->has_negative_zero &&
           a->has_subnormals == b->has_subnormals && a->has_infinity == b->has_infinity && a->has_nan == b->has_nan &&
           a->zero_nan == b->zero_nan && a->ieee_nans == b->ieee_nans && a->bias == b->bias && a->emin == b->emin &&
           a->emax == b->emax && a->high_nans == b->high_nans && a->max_code == b->max_code &&
           (a->precision > 1 || a->ties == b->ties);
}

/* ---- groups ---- */

typedef struct group {
    const char *name;
    uint8_t rows;     /* the group's bit in its rows; 0: all rows for "all", none for other groups */
    uint8_t from, to; /* widths of its P3109 formats; 0: none */
} group;

static const group groups[] = {
    {"all", 0, 8, 8},
    {"ieee", IN_IEEE, 0, 0},
    {"ocp", IN_OCP, 0, 0},
    {"fnuz", IN_FNUZ, 0, 0},
    {"mx", IN_MX, 0, 0},
    {"p3109", 0, 8, 8},
    {"p3109-all", 0, BNDI_P3109_LEAST_WIDTH, BNDI_P3109_MOST_WIDTH},
};

static const group *find_group(const char *name)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (bndi_same_word(name, bndi_length(name), groups[i].name)) {
            return &groups[i];
        }
    }
    return NULL;
}

static bool row_is_in(const group *g, size_t i)
{
    return g == &groups[0] || (rows[i].groups & g->rows) != 0;
}

size_t bnd_group_size(const char *name)
{
    const group *g = find_group(name);
    size_t count = 0;
    for (size_t i = 0; g != NULL && i < FORMATS; i++) {
        count += row_is_in(g, i);
    }
    for (unsigned width = g != NULL ? g->from : 0; width != 0 && width <= g->to; width++) {
        count += bndi_p3109_count(width);
    }
    return count;
}

bool bnd_group_at(bnd_format *out, const char *name, size_t i)
{
    const group *g = find_group(name);
    for (size_t r = 0; g != NULL && r < FORMATS; r++) {
        if (row_is_in(g, r) && i-- == 0) {
            *out = bndi_formats[r];
            return true;
        }
    }
    for (unsigned width = g != NULL ? g->from : 0; width != 0 && width <= g->to; width++) {
        if (i < bndi_p3109_count(width)) {
            *out = bndi_p3109_at(width, i);
            return true;
        }
        i -= bndi_p3109_count(width);
    }
    return false;
}
