/* Text from a Markov chain: from each symbol to the others with chances of their own, kept added up row by row. The
 * entropy of the next symbol is what no loss can go below. */
#include "train/train.h"

#include <stdlib.h>

#include "tensor/tensor.h"

static double chance(const bnd_run *run, size_t from, size_t to)
{
    const double *row = run->source.plan + from * run->training.vocabulary;
    return row[to] - (to > 0 ? row[to - 1] : 0);
}

/* Chances as sixth powers of uniform numbers: a few symbols are likely after each. */
static void draw_chain(bnd_run *run)
{
    size_t v = run->training.vocabulary;
    for (size_t from = 0; from < v; from++) {
        double sum = 0, *row = run->source.plan + from * v;
        for (size_t to = 0; to < v; to++) {
            double u =
                (double)(bnd_random(run->training.seed_data, bndi_purpose(BNDI_OF_PLAN, 0), from * v + to) >> 11);
            u *= 0x1p-53;
            sum += u * u * u * u * u * u;
            row[to] = sum;
        }
        for (size_t to = 0; to < v; to++) {
            row[to] /= sum;
        }
    }
}

/* The entropy of the next symbol, over the shares that the symbols have in the long run. */
static bnd_status measure_chain(bnd_run *run, bnd_error *why)
{
    enum { ROUNDS = 200 };
    size_t v = run->training.vocabulary;
    double *share = malloc(2 * v * sizeof *share), *next = share + v;
    if (share == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain");
    }
    for (size_t i = 0; i < v; i++) {
        share[i] = 1 / (double)v;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t to = 0; to < v; to++) {
            next[to] = 0;
            for (size_t from = 0; from < v; from++) {
                next[to] += share[from] * chance(run, from, to);
            }
        }
        __builtin_memcpy(share, next, v * sizeof *share);
    }
    run->floor = 0;
    for (size_t from = 0; from < v; from++) {
        for (size_t to = 0; to < v; to++) {
            double p = chance(run, from, to);
            run->floor -= p > 0 ? share[from] * p * bndi_log_of(run, p) : 0;
        }
    }
    run->ignorance = bndi_log_of(run, (double)v);
    free(share);
    return BND_OK;
}

static size_t draw_next(const bnd_run *run, size_t from, double u)
{
    size_t v = run->training.vocabulary, low = 0, high = v - 1;
    const double *row = run->source.plan + from * v;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (row[middle] > u) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void draw(double *symbols, const bnd_run *run, uint64_t purpose, size_t row)
{
    const bnd_training *t = &run->training;
    size_t first = row * (t->context + 1), symbol = (size_t)(bnd_random(t->seed_data, purpose, first) % t->vocabulary);
    for (size_t j = 0; j < t->context; j++) {
        symbols[j] = (double)symbol;
        symbol = draw_next(run, symbol, (double)(bnd_random(t->seed_data, purpose, first + j + 1) >> 11) * 0x1p-53);
    }
    symbols[t->context] = (double)symbol;
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return bndi_text_batch(out, run, purpose, draw, why);
}

bnd_status bndi_open_chain(bnd_run *run, bnd_error *why)
{
    enum { USUAL = 32, MOST = 4096 }; /* 4096: the chances take 128 MiB */
    bnd_training *t = &run->training;
    size_t v = t->vocabulary = t->vocabulary != 0 ? t->vocabulary : USUAL;
    if (v < 2 || v > MOST || t->context == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "text from a Markov chain needs a context and a vocabulary of 2 to %d; this one has %zu", MOST,
                        v);
    }
    run->source.batch = batch;
    run->source.plan = calloc(v * v, sizeof *run->source.plan);
    run->source.plan_length = v * v;
    if (run->source.plan == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain of %zu symbols", v);
    }
    draw_chain(run);
    return measure_chain(run, why);
}
