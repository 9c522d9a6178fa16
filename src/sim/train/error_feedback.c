/* update=eco: what the rounding of weights loses goes into the first moment, so that no master copy is kept (Nikdan et
 * al. 2026, arXiv:2601.22101, algorithms 2 and 3). Where a step is w = q(w'), w' = w - f m, with a factor f for each
 * element, m = m + (1 - 1 / beta1) (w' - w) / f afterwards. f is lr for momentum, and for Adam lr / (1 - beta1^t) over
 * the root of v with its correction and epsilon. The next step then has nearly the weight that a master would have.
 *
 * w' is fp32, decay included, and is rounded once. m is rounded once, when it is stored with the error. */
#include "train/optimizer.h"

#include <stdlib.h>

#include "tensor/engine.h"

struct bndi_feedback {
    size_t n;
    float *intended, *m, *gain; /* of each element: w', m before, and (1 - 1 / beta1) / f */
    float room[];
};

bnd_status bndi_feedback_check_beta1(const bnd_policy *policy, double beta1, bnd_error *why)
{
    return policy->update != BND_UPDATE_ECO || beta1 > 0
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "update=eco needs a beta1 above 0");
}

bnd_status bndi_feedback_check(const bnd_run *run, const bnd_policy *policy, bnd_error *why)
{
    if (policy->update != BND_UPDATE_ECO) {
        return BND_OK;
    }
    if ((run->optimizer->states & BNDI_FOLLOWS_M) == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "update=eco cannot be used with %s: its step is not a multiple of m (available: momentum, "
                        "adam, adamw, adam-mini)",
                        run->optimizer->name);
    }
    if (policy->cast[BND_ROLE_MASTER].given) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "update=eco cannot be used with a master copy: set master=none");
    }
    return bndi_feedback_check_beta1(policy, run->training.beta1, why);
}

bnd_status bndi_feedback_open(bndi_feedback **out, const bnd_run *run, const bndi_parameter *p, bnd_error *why)
{
    const size_t n = bndi_count(&p->value->shape);
    bnd_status status = bndi_feedback_check(run, &run->training.policy, why);
    *out = NULL;
    if (status != BND_OK || run->training.policy.update != BND_UPDATE_ECO || n == 0) {
        return status;
    }
    const bool fits = n <= (SIZE_MAX - sizeof(bndi_feedback)) / (3 * sizeof(float));
    bndi_feedback *f = fits ? malloc(sizeof *f + 3 * n * sizeof(float)) : NULL;
    if (f == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the rounding errors of %zu weights", n);
    }
    *f = (bndi_feedback){.n = n, .intended = f->room, .m = f->room + n, .gain = f->room + 2 * n};
    *out = f;
    return BND_OK;
}

void bndi_feedback_note(bndi_feedback *f, const bndi_update *u, const double *sum)
{
    if (f == NULL) {
        return;
    }
    /* A rate of 0 has moved nothing. */
    const double each = u->per_m > 0 ? (1 - 1 / bndi_scalar(u->of_scalar, u->training->beta1)) / u->per_m : 0;
    for (size_t i = 0; i < u->n; i++) {
        f->intended[u->at + i] = (float)sum[i];
        f->m[u->at + i] = u->m[i];
        f->gain[u->at + i] = (float)(u->divisor != NULL ? each * (double)u->divisor[i] : each);
    }
}

void bndi_feedback_apply(bndi_feedback *f, bnd_run *run, bndi_parameter *p)
{
    bndi_numbers stored;
    for (size_t at = 0; f != NULL && at < f->n; at += BNDI_TENSOR_CHUNK) {
        const size_t n = f->n - at < BNDI_TENSOR_CHUNK ? f->n - at : BNDI_TENSOR_CHUNK;
        float *m = f->m + at;
        const float *w = bndi_take_numbers(&stored, p->value, at, n);
        for (size_t i = 0; i < n; i++) {
            const double error = (double)f->intended[at + i] - (double)w[i];
            m[i] = (float)((double)m[i] + (double)f->gain[at + i] * error);
        }
        bndi_put_numbers(run, p->m, at, n, m, BND_ROLE_M);
    }
}

void bndi_feedback_close(bndi_feedback *f)
{
    free(f);
}
