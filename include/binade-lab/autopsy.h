/* Layer 9: the effects of rounding on the numbers of a run, and the cause of a gap. */
#ifndef BINADE_AUTOPSY_H
#define BINADE_AUTOPSY_H

#include <binade-lab/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- findings: effects of rounding on the numbers of a run ---- */

typedef enum bnd_mechanism {
    BND_MECHANISM_UNDERFLOWED,  /* nonzero numbers that a cast rounded to zero */
    BND_MECHANISM_OVERFLOWED,   /* cast beyond the largest number: an infinity, a NaN, or the largest number instead */
    BND_MECHANISM_CLAMPED,      /* beyond the largest element of a shared scale: the share of the squared error */
    BND_MECHANISM_LOST_UPDATES, /* updates that left the weight as it was */
    BND_MECHANISM_STALLED_MOMENTS, /* moments that an update left as they were, and would have changed in fp32 */
    BND_MECHANISM_LOST_MOMENTS,    /* second moments that are zero where the gradient is not */
    BND_MECHANISM_SKIPPED_STEPS,   /* a gradient overflowed under the loss scale: the share of the steps (role: grad) */
    BND_MECHANISM_ROUNDED_SUMS,    /* by an accumulator: not counted, the share is NaN */
    BND_MECHANISM_ROUNDED, /* none of these: the share is the RMS error of casts, relative to the RMS of what is cast */
    BND_MECHANISM_COUNT
} bnd_mechanism;

/* The name of a mechanism.
 *
 * Returns: "lost updates" and the like; "" for a number that is not a mechanism. Never NULL.
 * Arguments: `mechanism`: the mechanism. */
const char *bnd_mechanism_name(bnd_mechanism mechanism);

/* The share from which a mechanism is named as a cause.
 *
 * Returns: The share; 0 for a number that is not a mechanism.
 * Arguments: `mechanism`: the mechanism. */
double bnd_mechanism_threshold(bnd_mechanism mechanism);

/* The effect of one mechanism on one role: in all, and at the place where it is worst. */
typedef struct bnd_finding {
    bnd_mechanism mechanism;
    bnd_role role;
    double share;                    /* of all numbers of the role, over the steps that were looked at */
    double worst_share;              /* at the place where it is worst; */
    char worst[BND_PLACE_NAME_SIZE]; /* "": no place in particular. Role scalar: its name ("epsilon") */
    uint64_t step; /* the first at which 1 % was affected; if there is none, the first at which any was */
} bnd_finding;

enum {
    BND_FINDINGS_MAX = +BND_MECHANISM_COUNT * +BND_ROLE_COUNT
}; /* integers: C++26 multiplies no enums of two types */

/* Makes the first `steps` steps of a run, up to one whose loss is NaN, and counts the effects of every cast and every
 * update.
 *
 * Returns: BND_OK, BND_NO_MEMORY, or the status of bnd_run_new or bnd_run_step.
 * Arguments: `out`, `count` (out): the findings and their number. They are in the order of bnd_mechanism; for one
 *     mechanism, the largest share comes first. `training`, `steps`: the run. `context`: as in bnd_run_new. `why`
 *     (out): the error, or NULL.
 * On failure: `out` and `count` are unchanged: the run cannot be made, or a step of it fails. */
BND_CHECKED bnd_status bnd_findings(bnd_finding out[BND_FINDINGS_MAX], size_t *count, const bnd_training *training,
                                    uint64_t steps, const bnd_context *context, bnd_error *why);

/* ---- the autopsy: the cause of a gap ---- */

/* A part of the policy (bnd_part_name), tried by itself. Shares are of the gap, with 95 % intervals over the seeds.
 */
typedef struct bnd_share {
    size_t part;
    bool lifts, lowers;               /* false: the recipe has nothing there to try */
    bool heals;                       /* lifted alone: the run is as good as in fp32, see below */
    bool hurts;                       /* lowered alone: fp32 is worse for it, or fails */
    double lifted, lifted_interval;   /* recovered where this part alone is as in fp32 */
    double lowered, lowered_interval; /* lost where this part alone is lowered into fp32 */
} bnd_share;

enum { BND_SHARES_MAX = 32 };

/* A part that has to be lifted, and the effect of rounding on its numbers. */
typedef struct bnd_culprit {
    size_t part;
    bool has_cause;
    bnd_finding cause;
} bnd_culprit;

/* A run is healed if it is neither worse than fp32 nor failed, and at least half of the gap is recovered. It is also
 * healed if nine tenths of the gap are recovered, and no more runs fail than in fp32.
 *
 * The gap is the mean of the differences of results (bnd_record_result). Where it is not a finite number above 0, no
 * part is tried: there are findings, and no shares and culprits. */
typedef struct bnd_autopsy {
    bnd_comparison comparison;        /* neither worse nor failed: everything below is empty */
    bnd_share shares[BND_SHARES_MAX]; /* the part that explains most stands first */
    size_t share_count;
    double interaction, interaction_interval; /* of the gap: what lowering the parts one by one does not explain */
    bool heals; /* the culprits, lifted together, heal the run, and without any of them they do not; otherwise there is
                   one culprit: the part that explains most */
    double healed, healed_interval; /* the share of the gap that they recover */
    bnd_culprit culprits[BND_SHARES_MAX];
    size_t culprit_count;
    bool epsilon_vanishes; /* v is a culprit, and epsilon is zero in its format */
    bnd_finding findings[BND_FINDINGS_MAX];
    size_t finding_count;
    size_t runs; /* that were made, over all seeds */
} bnd_autopsy;

/* The largest number of runs per seed that an autopsy of a training makes: each part by itself, and the search for the
 * smallest set of parts that heals the run.
 *
 * Returns: The number.
 * Arguments: `training`: the training whose policy it is. */
size_t bnd_autopsy_runs(const bnd_training *training);

/* Makes the counterfactual runs of an autopsy, in which parts of the policy are lifted or lowered. None of these runs
 * has a directory.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT, BND_NO_MEMORY, or the status of bnd_records_compare, bnd_study_run or
 *     bnd_findings.
 * Arguments: `out` (out): the autopsy. `tasks`, `records`, `count`: the tasks of a recipe, one per seed, and the
 *     records of their runs, which are made already. `references`, `reference_count`: the records of fp32, paired by
 *     seeds. `margin`: as in bnd_records_compare. `context`: as in bnd_study_run. `watch`, `data`: as in bnd_study_run,
 *     with the runs numbered from 0; if `watch` stops them, `out` has the comparison and nothing else. `why` (out): the
 *     error, or NULL.
 * On failure: `out` is unchanged: the records cannot be compared, a record has no record of fp32 with the same seeds,
 *     or a run fails. */
BND_CHECKED bnd_status bnd_autopsy_make(bnd_autopsy *out, const bnd_task *tasks, const bnd_record *records,
                                        size_t count, const bnd_record *references, size_t reference_count,
                                        double margin, const bnd_context *context, bnd_study_watch *watch, void *data,
                                        bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
