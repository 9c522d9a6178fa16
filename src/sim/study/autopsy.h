/* What the files of the autopsy share: the runs of a recipe compared with those of fp32, and its runs under other
 * policies. */
#ifndef BINADE_SRC_STUDY_AUTOPSY_H
#define BINADE_SRC_STUDY_AUTOPSY_H

#include "study/study.h"

typedef struct bndi_patient {
    const bnd_task *tasks;     /* of the recipe, one for each seed, */
    const bnd_record *records; /* made */
    size_t count;
    const bnd_record *references; /* those of fp32 */
    size_t reference_count;
    const bnd_record **reference; /* of each seed */
    double margin;                /* of verdicts */
    double gap;                   /* the mean over the seeds: runs that failed count as the chance level */
    double *numbers;              /* to work in: one for each seed */
    const bnd_context *context;
    bnd_study_watch *watch;
    void *data;
    size_t made;  /* runs so far */
    bool stopped; /* by `watch` */
} bndi_patient;

/* What came of the patient's runs under another policy. */
typedef struct bndi_outcome {
    bool ill;               /* worse than fp32, or failed */
    bool heals;             /* as study.h has it */
    double recovered, band; /* of the gap */
} bndi_outcome;

/* Makes the patient's runs under each of these policies: records of all seeds of the first, then of the second. They
 * are the caller's to clear. */
BND_CHECKED bnd_status bndi_make_under(bnd_record *records, bndi_patient *p, const bnd_policy *policies, size_t count,
                                       bnd_error *why);

/* How much worse a run of the recipe ended than that of fp32 with its seed. */
double bndi_gap_of_seed(const bndi_patient *p, size_t i);

/* The share of the gap that these numbers, one for each seed, come to; they are changed. */
void bndi_share_of_gap(double *share, double *band, const bndi_patient *p, double *numbers);

/* What a trial, a run for each seed, recovers of the gap or loses. */
typedef enum bndi_direction { BNDI_LIFT, BNDI_LOWER } bndi_direction;
void bndi_trial_share(double *share, double *band, const bndi_patient *p, const bnd_record *tried,
                      bndi_direction direction);

/* `tried` are a run for each seed. */
BND_CHECKED bnd_status bndi_outcome_of(bndi_outcome *out, const bndi_patient *p, const bnd_record *tried,
                                       bnd_error *why);

/* How many runs the search below makes for each seed at most. */
size_t bndi_healing_runs(const bnd_training *training);

/* The policy without casts that the optimizer has no use for: no part to try. */
bnd_policy bndi_policy_in_use(const bnd_training *training);

/* Finds the smallest set of parts that heals the patient: sets a->heals, what is healed, and the culprits' parts, in
 * the order of a->shares, which stand. */
BND_CHECKED bnd_status bndi_find_healing(bnd_autopsy *a, bndi_patient *p, bnd_error *why);

#endif
