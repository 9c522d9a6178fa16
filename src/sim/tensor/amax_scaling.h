/* Scales from largest magnitudes, of this tensor or of earlier steps. */
#ifndef BINADE_SRC_TENSOR_AMAX_SCALING_H
#define BINADE_SRC_TENSOR_AMAX_SCALING_H

#include "tensor/casts.h"
#include "tensor/scaling.h"

/* What an operand's delayed scale follows from. `ordinal` is the number of its cast in a step: casts come in the same
 * order in every step, and those of a segment that is computed again have the numbers that they had before. */
typedef struct bndi_history {
    uint32_t ordinal;
    bnd_role role;
    float scale, amax; /* of the step at hand */
    uint32_t at;       /* index of the oldest */
    uint32_t steps;    /* how many are kept */
    int margin;
    bnd_format format; /* of the cast, as the rules of its place have it */
    struct bndi_buffer *largest;
} bndi_history;

typedef struct bndi_histories {
    bndi_history *list;
    size_t count, room;
    uint32_t *of_key; /* of an ordinal and a role: the place in the list, and 1; 0: none */
    size_t keys;
    bool kept; /* as they are: nothing is learnt from a validation */
} bndi_histories;

/* y = what is left of x, n numbers, by Transformer Engine's formula: x times the scale and rounded, times 1 / scale,
 * each in fp32. y may be x. `ordinal`: of the cast. */
BND_CHECKED bnd_status bndi_scale_by_amax(bnd_engine *engine, float *y, const float *x, size_t n, bnd_role role,
                                          uint64_t ordinal, const bndi_store *how, bnd_error *why);
/* Largest magnitudes of the step at hand, one for each history (histories.count); and learnt from others. */
void bndi_histories_seen(float *amax, const bnd_engine *engine);
void bndi_histories_learn(bnd_engine *engine, const float *amax);
void bndi_histories_clear(bnd_engine *engine);
void bndi_histories_begin(bnd_engine *engine); /* a step: what one that failed has seen is forgotten */

#endif
