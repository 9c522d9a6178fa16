/* Text from a Markov chain: each symbol has its own distribution of the next one, kept as cumulative sums row by row.
 * The irreducible loss is the entropy of the next symbol. */
#include "train/train.h"

#include <stdlib.h>

double bndi_chain_chance(const bnd_run *run, size_t from, size_t to)
{
    const double *row = run->source.plan + from * run->training.vocabulary;
    return row[to] - (to > 0 ? row[to - 1] : 0);
}

/* Sixth powers of uniform numbers, normalised: after each symbol a few others are likely. */
static void draw_chances(bnd_run *run)
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
    double *share = malloc(2 * v * sizeof *share);
    if (share == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain");
    }
    double *next = share + v;
    for (size_t i = 0; i < v; i++) {
        share[i] = 1 / (double)v;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t to = 0; to < v; to++) {
            next[to] = 0;
            for (size_t from = 0; from < v; from++) {
                next[to] += share[from] * bndi_chain_chance(run, from, to);
            }
        }
        __builtin_memcpy(share, next, v * sizeof *share);
    }
    run->floor = 0;
    for (size_t from = 0; from < v; from++) {
        for (size_t to = 0; to < v; to++) {
            double p = bndi_chain_chance(run, from, to);
            run->floor -= p > 0 ? share[from] * p * bndi_log_of(run, p) : 0;
        }
    }
    free(share);
    return BND_OK;
}

size_t bndi_chain_next(const bnd_run *run, size_t from, uint64_t bits)
{
    size_t v = run->training.vocabulary, low = 0, high = v - 1;
    const double *row = run->source.plan + from * v, u = (double)(bits >> 11) * 0x1p-53;
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
        symbol = bndi_chain_next(run, symbol, bnd_random(t->seed_data, purpose, first + j + 1));
    }
    symbols[t->context] = (double)symbol;
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return bndi_text_batch(out, run, purpose, draw, why);
}

bnd_status bndi_chain_make(bnd_run *run, size_t usual, bnd_error *why)
{
    enum { MOST = 4096 }; /* whose distributions take 128 MiB */
    bnd_training *t = &run->training;
    size_t v = t->vocabulary = t->vocabulary != 0 ? t->vocabulary : usual;
    if (t->context == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "text from a Markov chain needs a context of at least 1");
    }
    if (v < 2 || v > MOST) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "text from a Markov chain needs a vocabulary of 2 to %d; got %zu",
                        MOST, v);
    }
    run->source.plan = calloc(v * v, sizeof *run->source.plan);
    run->source.plan_length = v * v;
    if (run->source.plan == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain of %zu symbols", v);
    }
    draw_chances(run);
    run->chance_loss = bndi_log_of(run, (double)v);
    return BND_OK;
}

static bnd_status open_chain(bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_chain_make(run, 32, why);
    run->source.batch = batch;
    return status == BND_OK ? measure_chain(run, why) : status;
}

const bndi_text_row bndi_text_chain = {
    .name = "chain",
    .title = "a Markov chain: each symbol depends on the last one only, so attention is not needed",
    .open = open_chain};
