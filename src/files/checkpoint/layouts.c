/* The rows of layouts.def, and their names. */
#include "checkpoint/layouts.h"

#include <stdio.h>
#include <string.h>

#define DIVIDES    BNDI_LAYOUT_DIVIDES
#define HIGH_FIRST BNDI_LAYOUT_HIGH_FIRST
#define SWIZZLED   BNDI_LAYOUT_SWIZZLED
#define BARE       BNDI_LAYOUT_BARE
#define UNSURE     BNDI_LAYOUT_UNSURE
#define UNDECODED  BNDI_LAYOUT_UNDECODED

/* ---- what everybody may know of a row ---- */

#define PART(which, word, allowed, kind) .suffix[BND_PART_##which] = (word), .dtypes[BND_PART_##which] = (allowed),
#define OPTIONAL                         PART
#define LAYOUT(word, text, of_family, named, of_methods, of_formats, coding, bits, parts, from)                        \
    {.name = (word),                                                                                                   \
     .title = (text),                                                                                                  \
     .family = BND_LAYOUT_##of_family,                                                                                 \
     .block = (named),                                                                                                 \
     .methods = (of_methods),                                                                                          \
     .formats = (of_formats),                                                                                          \
     .second_divides = ((bits)&DIVIDES) != 0,                                                                          \
     .high_first = ((bits)&HIGH_FIRST) != 0,                                                                           \
     .swizzled = ((bits)&SWIZZLED) != 0,                                                                               \
     parts.source = (from)},
static const bnd_layout layouts[] = {
#include "checkpoint/layouts.def"
};
#undef PART
#undef LAYOUT

/* ---- and its other columns ---- */

#undef OPTIONAL
#define PART(which, word, allowed, kind)                                                                               \
    .part[BND_PART_##which] = {.suffix = (word), .dtypes = (allowed), .shape = BNDI_SHAPE_##kind},
#define OPTIONAL(which, word, allowed, kind)                                                                           \
    .part[BND_PART_##which] = {.suffix = (word), .dtypes = (allowed), .shape = BNDI_SHAPE_##kind, .optional = true},
#define LAYOUT(word, text, of_family, named, of_methods, of_formats, kind, bits, parts, from)                          \
    {.methods = (of_methods), .formats = (of_formats), .coding = BNDI_CODING_##kind, parts.flags = (bits)},
static const bndi_layout_row rows[] = {
#include "checkpoint/layouts.def"
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

size_t bnd_layout_count(void)
{
    return LAYOUTS;
}

const bnd_layout *bnd_layout_at(size_t row)
{
    return row < LAYOUTS ? &layouts[row] : NULL;
}

const bnd_layout *bnd_layout_find(const char *name)
{
    for (size_t i = 0; i < LAYOUTS; i++) {
        if (strcmp(layouts[i].name, name) == 0) {
            return &layouts[i];
        }
    }
    return NULL;
}

const bndi_layout_row *bndi_layout_row_of(const bnd_layout *layout)
{
    return &rows[layout - layouts];
}

/* ---- names ---- */

static const char *const families[] = {
    [BND_LAYOUT_COMPRESSED_TENSORS] = "compressed-tensors",
    [BND_LAYOUT_FP8] = "fp8",
    [BND_LAYOUT_DEEPSEEK] = "deepseek",
    [BND_LAYOUT_GPT_OSS] = "gpt-oss",
    [BND_LAYOUT_MODELOPT] = "modelopt",
    [BND_LAYOUT_SGLANG] = "sglang",
    [BND_LAYOUT_COMFYUI] = "comfyui",
    [BND_LAYOUT_GGUF] = "gguf",
    [BND_LAYOUT_MLX] = "mlx",
};

bnd_layout_family bnd_layout_family_of(const char *name)
{
    bnd_layout_family family = 0;
    while (family < BND_LAYOUT_FAMILIES && strcmp(families[family], name) != 0) {
        family++;
    }
    return family;
}

const char *bnd_layout_family_name(bnd_layout_family family)
{
    return (unsigned)family < BND_LAYOUT_FAMILIES ? families[family] : "";
}

const char *bndi_part_shape_name(bndi_part_shape shape)
{
    static const char *const names[BNDI_SHAPES] = {
        [BNDI_SHAPE_WEIGHT] = "[out, in]",
        [BNDI_SHAPE_HALF] = "[out, in/2]",
        [BNDI_SHAPE_BLOCKS] = "[out, in/32, 16]",
        [BNDI_SHAPE_WORDS] = "[out, words]",
        [BNDI_SHAPE_SCALAR] = "()",
        [BNDI_SHAPE_ONE] = "[1]",
        [BNDI_SHAPE_ROWS] = "[out]",
        [BNDI_SHAPE_ROWS_1] = "[out, 1]",
        [BNDI_SHAPE_GRID] = "[out/R, in/C]",
        [BNDI_SHAPE_GRID_4] = "[out/R, 1, in/C, 1]",
        [BNDI_SHAPE_GROUPS] = "[out, in/N]",
        [BNDI_SHAPE_SWIZZLED] = "[out to 128, in/N to 4]",
        [BNDI_SHAPE_PAIR] = "[2]",
        [BNDI_SHAPE_COLUMNS] = "[in]",
        [BNDI_SHAPE_ANY] = "any",
    };
    return names[shape];
}

const char *bnd_layout_part_name(bnd_part part)
{
    static const char *const titles[BND_PART_COUNT] = {
        [BND_PART_CODES] = "codes",
        [BND_PART_SCALES] = "scales",
        [BND_PART_SECOND] = "second-level scale",
        [BND_PART_INPUT] = "input scale",
        [BND_PART_INPUT_SECOND] = "second-level input scale",
        [BND_PART_ZERO_POINTS] = "zero points",
        [BND_PART_SHAPE] = "shape",
        [BND_PART_ORDER] = "groups of columns",
        [BND_PART_NOTE] = "note",
    };
    return (unsigned)part < BND_PART_COUNT ? titles[part] : "";
}

const char *bnd_layout_part_shape(const bnd_layout *layout, bnd_part part)
{
    const bndi_part_rule *rule = &bndi_layout_row_of(layout)->part[part];
    return rule->suffix == NULL ? "" : bndi_part_shape_name((bndi_part_shape)rule->shape);
}

bool bnd_layout_part_is_optional(const bnd_layout *layout, bnd_part part)
{
    return bndi_layout_row_of(layout)->part[part].optional;
}

bool bndi_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == words || at[-1] == ' ', ends = at[length] == ' ' || at[length] == '\0';
        if (begins && ends) {
            return true;
        }
    }
    return false;
}

bool bndi_has_method(const bndi_layout_row *row, const char *method)
{
    static const char modelopt[] = "modelopt";
    return bndi_has_word(row->methods, method) ||
           (strncmp(method, modelopt, sizeof modelopt - 1) == 0 && bndi_has_word(row->methods, modelopt));
}

size_t bndi_part_name(char *out, size_t size, const bnd_layout *layout, const char *weight, bnd_part part)
{
    static const char word[] = ".weight";
    const char *suffix = layout->suffix[part];
    size_t module = strlen(weight);
    if (suffix == NULL) {
        return 0;
    }
    if ((bndi_layout_row_of(layout)->flags & BNDI_LAYOUT_BARE) == 0) {
        if (strcmp(weight, word + 1) == 0) {
            module = 0;
        } else if (module >= sizeof word && strcmp(weight + module - (sizeof word - 1), word) == 0) {
            module -= sizeof word - 1;
        }
    }
    const char *dot = module == 0 || suffix[0] == '_' ? "" : ".";
    const int length = snprintf(out, size, "%.*s%s%s", (int)module, weight, dot, suffix);
    return length < 0 ? 0 : (size_t)length;
}
