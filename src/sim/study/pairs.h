/* Pairs of runs with the same seeds, and their losses over the steps that all pairs have. */
#ifndef BINADE_SRC_STUDY_PAIRS_H
#define BINADE_SRC_STUDY_PAIRS_H

#include "study/study.h"

typedef struct bndi_seed_pair {
    const bnd_record *run, *reference;
    bool cut;
    uint64_t cut_at;           /* the last step that both have, where one has fewer */
    bool validated;            /* compared by validation losses */
    double chance;             /* the chance level; where it is not known, the first loss of the reference */
    double chance_loss, floor; /* NaN: not known */
    double result, against;
    /* of the steps that every pair has: losses, and what is left of them when they are smoothed */
    double *loss, *base;
} bndi_seed_pair;

/* Each run and each reference is in one pair at most, and a repeat of one (bndi_record_repeats) is in none. Allocates
 * `out`. Refused where there is no pair. */
BND_CHECKED bnd_status bndi_pairs_find(bndi_seed_pair **out, size_t *count, const bnd_record *records,
                                       size_t record_count, const bnd_record *references, size_t reference_count,
                                       bnd_error *why);

/* Steps of all pairs: those of one record that every other has too. */
typedef struct bndi_timeline {
    uint64_t *step;
    size_t count;
    size_t window; /* the number of steps whose mean is a smoothed loss */
} bndi_timeline;

/* The steps of these pairs, their chance levels and irreducible losses, and rooms for their losses. *room begins with
 * 2 n numbers to work in. line->step and *room are the caller's to free. */
BND_CHECKED bnd_status bndi_pairs_lay_out(bndi_timeline *line, double **room, bndi_seed_pair *pairs, size_t n,
                                          bnd_error *why);

/* Sets the losses of all pairs: capped at the chance level and smoothed. */
void bndi_pairs_smooth(bndi_seed_pair *pairs, size_t n, const bndi_timeline *line);

#endif
