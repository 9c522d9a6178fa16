/* Trained weights under a recipe, without training: the loss compared with a reference batch by batch, and the places
 * of the model that increase it most. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *bnd_evaluate_defaults(void)
{
    return "bf16-amp,fp8-current,mxfp8,nvfp4,mxfp4";
}

typedef struct evaluation {
    const bnd_run *run;
    const bnd_policy *policy;
    const double *usual; /* losses of the reference */
    double *differences;
    size_t batches;
    const bnd_watch *watch;
    uint64_t done, total; /* losses */
} evaluation;

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

static void compare(double *change, double *interval, const evaluation *e, const double *losses)
{
    for (size_t i = 0; i < e->batches; i++) {
        e->differences[i] = losses[i] - e->usual[i];
    }
    *change = mean(e->differences, e->batches);
    *interval = bnd_interval(e->differences, e->batches);
}

static bnd_status find_losses(double *losses, evaluation *e, unsigned place, bnd_error *why)
{
    bnd_status status = bnd_run_losses(losses, e->batches, e->run, e->policy, place, why);
    e->done++;
    if (status == BND_OK && e->watch != NULL && e->watch->at != NULL &&
        !e->watch->at(e->watch->state, e->done, e->total)) {
        status = bnd_fail(why, BND_BAD_STREAM, 0, "stopped");
    }
    return status;
}

/* The largest change first; a loss that is NaN is worse than any. */
static int by_change(const void *a, const void *b)
{
    const bnd_loss_change *x = a, *y = b;
    if (isnan(x->change) || isnan(y->change)) {
        return isnan(y->change) - isnan(x->change);
    }
    return (x->change < y->change) - (x->change > y->change);
}

/* The interval, where there is one, lies above 0. */
static bool is_known_to_lose(const bnd_loss_change *p)
{
    return isnan(p->change) || (isnan(p->interval) ? p->change > 0 : p->change > p->interval);
}

static bnd_status evaluate_places(bnd_evaluated *out, evaluation *e, size_t most, bnd_error *why)
{
    const size_t places = bnd_run_places(e->run);
    double *losses = calloc(e->batches, sizeof *losses);
    size_t kept = 0;
    bnd_status status = BND_OK;
    out->places = calloc(places, sizeof *out->places);
    if (losses == NULL || out->places == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the losses of %zu batches", e->batches);
    }
    for (size_t place = 1; status == BND_OK && place < places; place++) {
        bnd_loss_change *p = &out->places[out->place_count++];
        p->place = place;
        status = find_losses(losses, e, (unsigned)place, why);
        if (status == BND_OK) {
            compare(&p->change, &p->interval, e, losses);
        }
    }
    free(losses);
    if (status == BND_OK) {
        qsort(out->places, out->place_count, sizeof *out->places, by_change);
        for (size_t i = 0; i < out->place_count && kept < most; i++) {
            if (is_known_to_lose(&out->places[i])) { /* an interval may be larger than those of smaller changes */
                out->places[kept++] = out->places[i];
            }
        }
        out->place_count = kept;
    }
    return status;
}

static bnd_status evaluate_all(bnd_evaluated *out, evaluation *e, bnd_error *why)
{
    const bnd_training *t = bnd_run_training(e->run);
    out->losses = calloc(e->batches, sizeof *out->losses);
    e->differences = calloc(e->batches, sizeof *e->differences);
    if (out->losses == NULL || e->differences == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the losses of %zu batches", e->batches);
    }
    bnd_status status = find_losses(out->losses, e, BND_PLACE_ALL, why);
    status = status == BND_OK ? bnd_run_weight_bytes(&out->weight_bytes, e->run, e->policy, why) : status;
    if (status == BND_OK) {
        e->usual = e->usual != NULL ? e->usual : out->losses;
        out->loss = mean(out->losses, e->batches);
        compare(&out->change, &out->interval, e, out->losses);
        out->has_perplexity = t->vocabulary > 0 || t->data[0] != '\0' || t->context > 0;
        out->perplexity = out->has_perplexity ? exp(out->loss) : NAN;
    }
    return status;
}

bnd_status bnd_evaluate(bnd_evaluated *out, const bnd_run *run, const bnd_policy *policy,
                        const bnd_evaluated *reference, size_t batches, size_t most, const bnd_watch *watch,
                        bnd_error *why)
{
    const bool names = reference != NULL && most > 0 && !isnan(reference->loss); /* NaN has no increase */
    evaluation e = {.run = run, .policy = policy, .batches = batches, .watch = watch};
    bnd_evaluated made = {.batches = batches};
    if (batches == 0 || (reference != NULL && reference->batches != batches)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        batches == 0 ? "an evaluation needs at least one batch"
                                     : "an evaluation needs as many batches as its reference");
    }
    e.usual = reference != NULL ? reference->losses : NULL;
    e.total = names ? bnd_run_places(run) : 1;
    bnd_status status = evaluate_all(&made, &e, why);
    status = status == BND_OK && names ? evaluate_places(&made, &e, most, why) : status;
    free(e.differences);
    if (status != BND_OK) {
        bnd_evaluated_close(&made);
        return status;
    }
    *out = made;
    return BND_OK;
}

void bnd_evaluated_close(bnd_evaluated *evaluated)
{
    free(evaluated->losses);
    free(evaluated->places);
    *evaluated = (bnd_evaluated){.losses = NULL};
}
