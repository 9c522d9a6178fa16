/* Recipes that do worse than fp32 for a known cause: parts that are made bad on purpose in a recipe that is harmless
 * otherwise. What an autopsy has to name is known by construction. */
#ifndef TESTS_STUDY_CAUSES_H
#define TESTS_STUDY_CAUSES_H

#include <binade-lab/autopsy.h>

typedef struct cause {
    const char *recipe;
    struct {
        const char *part;
        bnd_mechanism mechanism;
    } bad[3]; /* part NULL: no more */
    const char *model;
    double lr;
    uint64_t steps;
    bool quick;        /* for make check */
    size_t vocabulary; /* of a transformer */
} cause;

extern const cause causes[];
extern const size_t cause_count;

typedef struct diagnosis {
    bool parts;      /* each bad part is named, */
    bool mechanisms; /* with its mechanism */
    bool healing;    /* the bad parts, and no others, are the smallest set that heals the run */
    char named[256]; /* "v: lost second moments, param: lost updates" */
    size_t runs;     /* of the autopsy */
} diagnosis;

/* Trains fp32 and the recipe under three seed pairs, and makes the autopsy. */
BND_CHECKED bnd_status diagnose(diagnosis *out, const cause *c, const bnd_context *context, bnd_error *why);

#endif
