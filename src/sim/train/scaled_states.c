/* States that share scales: decoded for an update, and encoded again. */
#include "train/optimizer.h"

#include "tensor/engine.h"
#include "tensor/scaled.h"

bnd_status bndi_thaw_states(bndi_thawed *t, bndi_parameter *p, bnd_error *why)
{
    *t = (bndi_thawed){.w = p->master != NULL ? p->master : p->value,
                       .role = p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM};
    bnd_status status = BND_OK;
    if (t->w->buffer->scaled != NULL) {
        status = bndi_whole_open(&t->old, t->w, BNDI_WORDS_32, why);
    }
    status = status == BND_OK ? bndi_thaw(t->w, &t->of_w, why) : status;
    status = status == BND_OK ? bndi_thaw(p->m, &t->of_m, why) : status;
    status = status == BND_OK ? bndi_thaw(p->v, &t->of_v, why) : status;
    status = status == BND_OK ? bndi_thaw(p->factors, &t->of_factors, why) : status;
    return status == BND_OK ? bndi_thaw(p->extra, &t->of_extra, why) : status;
}

/* Weights that changed in fp32 and did not once they were stored. */
static uint64_t count_lost_updates(const bndi_thawed *t, const float *updated)
{
    bndi_numbers buffer;
    bndi_walk walk;
    const bndi_maths *maths = bndi_maths_of(&t->w->engine->context);
    uint64_t lost = 0;
    size_t n = bndi_count(&t->w->shape);
    bndi_walk_open(&walk, t->w, &t->w->shape, BNDI_WORDS_32);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const float *now = bndi_read(&walk, at, m, &buffer), *old = (const float *)t->old.numbers + at;
        lost += maths->count_lost_updates(updated + at, old, now, m);
    }
    return lost;
}

static void freeze_weights(bndi_thawed *t, bndi_update_totals *sums)
{
    bndi_buffer *updated = t->w->buffer;
    if (t->of_w == NULL) {
        return;
    }
    updated->references++;
    bndi_freeze(t->w, t->of_w, t->role);
    sums->lost += count_lost_updates(t, (const float *)(const void *)updated->data);
    bndi_buffer_release(updated);
}

void bndi_freeze_states(bndi_thawed *t, bnd_run *run, bndi_parameter *p, bndi_feedback *f, bndi_update_totals *sums)
{
    freeze_weights(t, sums);
    bndi_feedback_apply(f, run, p);
    bndi_freeze(p->m, t->of_m, BND_ROLE_M);
    bndi_freeze(p->v, t->of_v, BND_ROLE_V);
    bndi_freeze(p->factors, t->of_factors, BND_ROLE_V);
    bndi_freeze(p->extra, t->of_extra, BND_ROLE_EXTRA);
    bndi_whole_close(&t->old);
}
