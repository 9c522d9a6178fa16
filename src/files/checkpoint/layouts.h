/* Layouts of quantized weights: the rows of layouts.def with all their columns.
 *
 * Whatever depends on a layout reads its row: recognition, decoding, writing, conversion between layouts, checks. */
#ifndef BINADE_SRC_LAYOUTS_H
#define BINADE_SRC_LAYOUTS_H

#include <binade-lab/checkpoint.h>

/* How codes lie in memory. */
typedef enum bndi_coding {
    BNDI_CODING_ELEMENTS, /* one after the other */
    BNDI_CODING_NIBBLES,  /* two in a byte */
    BNDI_CODING_BLOCKS,   /* two in a byte, and 16 bytes in a dimension of their own */
    BNDI_CODING_WORDS,    /* back to back in words of 32 bits, from the lowest bits on */
    BNDI_CODING_GGUF_Q4_0,
    BNDI_CODING_GGUF_Q8_0,
    BNDI_CODING_GGUF_MXFP4,
    BNDI_CODING_GGUF_NVFP4
} bndi_coding;

/* The shape of a part, from that of the weight. Dimensions before [out, in] come first, except in BNDI_SHAPE_ANY. */
typedef enum bndi_part_shape {
    BNDI_SHAPE_WEIGHT,   /* [out, in] */
    BNDI_SHAPE_HALF,     /* [out, in/2] */
    BNDI_SHAPE_BLOCKS,   /* [out, in/32, 16] */
    BNDI_SHAPE_WORDS,    /* [out, words] */
    BNDI_SHAPE_SCALAR,   /* () */
    BNDI_SHAPE_ONE,      /* [1] */
    BNDI_SHAPE_ROWS,     /* [out] */
    BNDI_SHAPE_ROWS_1,   /* [out, 1] */
    BNDI_SHAPE_GRID,     /* [out/R, in/C], rounded up */
    BNDI_SHAPE_GRID_4,   /* [out/R, 1, in/C, 1] */
    BNDI_SHAPE_GROUPS,   /* [out, in/N], rounded up */
    BNDI_SHAPE_SWIZZLED, /* the same, rows padded to a multiple of 128 and columns to one of 4 */
    BNDI_SHAPE_PAIR,     /* [2] */
    BNDI_SHAPE_COLUMNS,  /* [in] */
    BNDI_SHAPE_ANY,
    BNDI_SHAPES
} bndi_part_shape;

typedef struct bndi_part_rule {
    const char *suffix; /* NULL: the layout lacks this part */
    const char *dtypes; /* of .safetensors or GGUF, with blanks between them; the first one is what is written */
    uint8_t shape;      /* bndi_part_shape */
    bool optional;
} bndi_part_rule;

enum {
    BNDI_LAYOUT_DIVIDES = 1,
    BNDI_LAYOUT_HIGH_FIRST = 2,
    BNDI_LAYOUT_SWIZZLED = 4,
    BNDI_LAYOUT_BARE = 8,    /* the weight is called as its module, without ".weight" */
    BNDI_LAYOUT_UNSURE = 16, /* only a configuration or a mark tells it from another row */
    BNDI_LAYOUT_UNDECODED = 32
};

typedef struct bndi_layout_row {
    const char *methods; /* words of quant_method, with blanks between them */
    const char *formats; /* words of `format`, `quant_algo` or a layer's `format` */
    uint8_t coding;      /* bndi_coding */
    uint8_t flags;
    bndi_part_rule part[BND_PART_COUNT];
} bndi_layout_row;

/* The row of a layout, which is one of bnd_layout_at. */
const bndi_layout_row *bndi_layout_row_of(const bnd_layout *layout);

/* How a shape is written for people: "[out, in/2]". */
const char *bndi_part_shape_name(bndi_part_shape shape);

/* Is this word one of the words in a text with blanks between them? */
bool bndi_has_word(const char *words, const char *word);

/* Is this quant_method one of the row's? "modelopt_fp4" is one of ModelOpt's. */
bool bndi_has_method(const bndi_layout_row *row, const char *method);

/* Writes the name of a part of a weight, as snprintf does: "model.layers.0.mlp.up_proj.weight_scale". `weight` is the
 * name of the weight, "model.layers.0.mlp.up_proj.weight". Returns 0 if the layout has no such part. */
size_t bndi_part_name(char *out, size_t size, const bnd_layout *layout, const char *weight, bnd_part part);

#endif
