/* How the tensors of a module fit a row of layouts.def.
 *
 * The same answer serves recognition, which takes the row that fits best, and those who want to know what is wrong. */
#ifndef BINADE_SRC_FIT_H
#define BINADE_SRC_FIT_H

#include "checkpoint/layouts.h"
#include "checkpoint/quantization.h"

/* How a part fits, the better ones first. */
typedef enum bndi_part_fit {
    BNDI_PART_RIGHT,    /* or the row has no such part, or it is optional and not there */
    BNDI_PART_RESHAPED, /* its numbers are those of the expected shape, in the same order: [out] for [out, 1] */
    BNDI_PART_SHAPE,    /* another shape */
    BNDI_PART_DTYPE,    /* another dtype */
    BNDI_PART_MISSING
} bndi_part_fit;

/* A weight as its codes, or the row, have it. */
typedef struct bndi_geometry {
    size_t rank;
    uint64_t shape[BND_SAFETENSORS_RANK_MAX];
    uint64_t count;
    uint64_t lead, out, in; /* the product of the dimensions before [out, in]; a vector is one row */
    uint64_t rows, columns; /* of a tile */
    uint64_t group;         /* elements of a group */
    uint8_t bits;           /* of an integer in words; 0 elsewhere */
    bool guessed;           /* the size of the tile or group follows from the shape of the scales alone */
    const char *unclear;    /* why bits and group are not known; NULL: they are */
} bndi_geometry;

typedef struct bndi_fit {
    const bnd_layout *layout;
    const bnd_stored_tensor *parts[BND_PART_COUNT];
    uint8_t part[BND_PART_COUNT]; /* bndi_part_fit */
    bool sized;                   /* the geometry is known */
    bndi_geometry geometry;
} bndi_fit;

/* Sets the bits and the group of integers of MLX, and `unclear`. `scales` and `configurations` may be NULL. */
void bndi_size_mlx(bndi_geometry *g, const bnd_stored_tensor *codes, const bnd_stored_tensor *scales,
                   const bndi_quantizations *configurations);

/* Fits tensors, of which parts that are not there are NULL, to a layout. Codes must be there. */
void bndi_fit_row(bndi_fit *out, const bnd_layout *layout, const bnd_stored_tensor *const parts[BND_PART_COUNT],
                  const bndi_quantizations *configurations);

/* The same for the parts of a weight by their names in a checkpoint: how it would fit another layout. */
void bndi_fit_weight(bndi_fit *out, const bnd_layout *layout, const bnd_checkpoint *checkpoint,
                     const bnd_stored_weight *weight, const bndi_quantizations *configurations);

/* The shape that a part should have. Returns its rank, or BNDI_NO_SHAPE if it may have any. */
enum { BNDI_NO_SHAPE = 255 };
size_t bndi_expected_shape(uint64_t out[BND_SAFETENSORS_RANK_MAX + 2], const bndi_fit *fit, bnd_part part);

/* The bits of an integer if this many columns fill this many words of 32 bits; 0 if none does. Of several, 4 or 8. */
uint8_t bndi_bits_of_words(uint64_t columns, uint64_t words);

/* Writes "[64, 1]", as snprintf does. */
size_t bndi_put_shape(char *out, size_t size, const uint64_t *shape, size_t rank);

/* Writes what is wrong with a part, as snprintf does: "weight_scale has the shape [64]; [64, 1] is expected". */
size_t bndi_put_misfit(char *out, size_t size, const bndi_fit *fit, bnd_part part);

#endif
