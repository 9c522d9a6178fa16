/* Stalled moments: the update would change them in fp32, but the stored value is the same as before. Measured only
 * where casts are counted, for moments that are not kept in fp32. */
#include "train/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"

enum { W, G, M, V, T, CHANGE, BUFFERS };

struct bndi_stalls {
    size_t n;
    bnd_tensor *moment[2]; /* m and v; NULL: not looked at */
    float *before[2], *exact[2];
    float work[BUFFERS][BNDI_TENSOR_CHUNK];
    float room[];
};

static bool is_rounded(const bnd_tensor *t)
{
    return t != NULL &&
           (t->buffer->scaled != NULL || !bnd_format_same(&t->format, bnd_lab_format_of_words(BNDI_WORDS_32)));
}

bnd_status bndi_stalls_open(bndi_stalls **out, const bnd_run *run, const bndi_parameter *p, bnd_error *why)
{
    const size_t n = bndi_count(&p->value->shape);
    bnd_tensor *const moments[2] = {p->m, p->v};
    *out = NULL;
    if (run->engine->statistics == NULL || n == 0 || !(is_rounded(p->m) || is_rounded(p->v))) {
        return BND_OK;
    }
    const bool fits = n <= (SIZE_MAX - sizeof(bndi_stalls)) / (4 * sizeof(float));
    bndi_stalls *s = fits ? malloc(sizeof *s + 4 * n * sizeof(float)) : NULL;
    if (s == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to watch the moments of %zu weights", n);
    }
    s->n = n;
    for (size_t i = 0; i < 2; i++) {
        s->moment[i] = is_rounded(moments[i]) ? moments[i] : NULL;
        s->before[i] = s->room + 2 * i * n;
        s->exact[i] = s->before[i] + n;
        if (s->moment[i] != NULL) {
            bndi_read_all(s->before[i], moments[i], BNDI_WORDS_32);
        }
    }
    *out = s;
    return BND_OK;
}

void bndi_stalls_follow(bndi_stalls *s, const bndi_update *u, const bndi_optimizer_row *optimizer)
{
    if (s == NULL) {
        return;
    }
    const float *const from[BUFFERS] = {u->w, u->g, u->m, u->v, NULL, NULL};
    for (size_t i = 0; i <= V; i++) {
        memcpy(s->work[i], from[i], u->n * sizeof(float));
    }
    bndi_update exact = *u;
    exact.w = s->work[W];
    exact.g = exact.own_g = s->work[G];
    exact.m = s->work[M];
    exact.v = s->work[V];
    exact.t = s->work[T];
    exact.change = s->work[CHANGE];
    exact.of_m = exact.of_v = NULL;
    optimizer->step(&exact);
    for (size_t i = 0; i < 2; i++) {
        memcpy(s->exact[i] + u->at, s->work[M + i], u->n * sizeof(float));
    }
}

static void count(uint64_t *changes, uint64_t *stalled, const float *before, const float *exact, const bnd_tensor *now)
{
    bndi_numbers buffer;
    bndi_walk walk;
    const size_t n = bndi_count(&now->shape);
    bndi_walk_open(&walk, now, &now->shape, BNDI_WORDS_32);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        const size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const float *stored = bndi_read(&walk, at, m, &buffer);
        for (size_t i = 0; i < m; i++) {
            const bool moves = exact[at + i] != before[at + i];
            *changes += moves;
            *stalled += moves && stored[i] == before[at + i];
        }
    }
}

void bndi_stalls_close(bndi_stalls *s, bnd_updates *updates)
{
    for (size_t i = 0; s != NULL && updates != NULL && i < 2; i++) {
        if (s->moment[i] != NULL) {
            count(&updates->moments[i], &updates->stalled[i], s->before[i], s->exact[i], s->moment[i]);
        }
    }
    free(s);
}
