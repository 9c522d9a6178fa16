/* Parsed patterns of named axes: "b (heads d), ... -> ...". */
#ifndef BINADE_SRC_PATTERN_H
#define BINADE_SRC_PATTERN_H

#include "tensor/operation.h"

/* Names are numbered in order of appearance. The axes of an ellipsis have numbers above those of names, counted from
 * the last axis back. */
enum {
    BNDI_NAMES = 24,
    BNDI_ELLIPSIS = 24, /* the last axis of "...", 25 the one before it, and so on */
    BNDI_ALL_NAMES = BNDI_ELLIPSIS + BND_TENSOR_RANK_MAX,
    BNDI_TERMS = BNDI_OPERANDS + 1,
    BNDI_TERM_AXES = 16
};

/* An axis of a term: one name, several in parentheses, none for "1" and "()", or an ellipsis. */
typedef struct bndi_item {
    unsigned count;
    uint8_t names[BND_TENSOR_RANK_MAX];
    bool ellipsis;
} bndi_item;

typedef struct bndi_term {
    unsigned count;
    bndi_item items[BND_TENSOR_RANK_MAX + 1];
} bndi_term;

typedef struct bndi_pattern {
    unsigned inputs;
    bndi_term terms[BNDI_TERMS]; /* the inputs, and the output last */
    unsigned names;
    const char *name[BNDI_NAMES];
    unsigned length[BNDI_NAMES];
    size_t extent[BNDI_ALL_NAMES]; /* 0: not known yet */
} bndi_pattern;

/* `inputs`: how many terms must stand before the arrow. `groups`: parentheses and 1 are allowed. */
BND_CHECKED bnd_status bndi_pattern_read(bndi_pattern *out, const char *pattern, unsigned inputs, bool groups,
                                         const char *who, bnd_error *why);

/* "heads=2 width=16", or NULL. */
BND_CHECKED bnd_status bndi_pattern_sizes(bndi_pattern *p, const char *sizes, const char *who, bnd_error *why);

/* An axis by its name, for messages: within the pattern's text. */
#define BNDI_NAME_OF(p, i) (int)(p)->length[i], (p)->name[i]

#endif
