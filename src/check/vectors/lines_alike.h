/* Equivalent lines: those whose results every rule without random bits rounds alike, up to a shift of the exponent. */
#ifndef BINADE_SRC_VECTORS_LINES_ALIKE_H
#define BINADE_SRC_VECTORS_LINES_ALIKE_H

#include "vectors/vectors.h"

/* The representative of all lines equivalent to one: the exact result, and the code given for it. */
typedef struct bndi_likeness {
    bnd_exact exact;
    uint64_t code, shift; /* codes are `shift` further up where the line was */
    uint32_t raised, flags;
    bool has_flags;
    uint32_t look; /* what tells one exact result from another */
} bndi_likeness;

/* Returns false if the line has to be checked individually. `raised`: flags raised before rounding. */
bool bndi_alike(bndi_likeness *out, const bnd_vectors *v, const bnd_vector_line *line, const bnd_exact *exact,
                uint32_t raised);

/* A class of equivalent lines: checked once, and counted. */
typedef struct bndi_line_kind {
    bndi_likeness like;
    uint64_t lines;
    unsigned set;       /* the dimensions that the answers depend on */
    uint8_t *disagrees; /* for each combination of choices in them */
    bnd_result want;    /* of the lines' own rule, at like.exact */
    bool agrees;        /* with that */
    bnd_class result;
    bnd_vector_case_kind lies;
    struct bndi_line_kind *next; /* of all kinds */
} bndi_line_kind;

enum { BNDI_KINDS_MAX = 1024 };

typedef struct bndi_kinds {
    bndi_line_kind *slots[BNDI_KINDS_MAX], *first;
} bndi_kinds;

/* The place for the class of this line; *place is NULL if the class is new. Returns NULL if there is no free slot. */
bndi_line_kind **bndi_kinds_place(bndi_kinds *kinds, const bndi_likeness *like);
void bndi_kinds_close(bndi_kinds *kinds);

#endif
