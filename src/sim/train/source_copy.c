/* Text that needs attention: each symbol is, with probability 1/2, a copy of the last but one, and otherwise drawn from
 * a Markov chain after the last one. The first two symbols of a window have nothing to copy.
 *
 * The best prediction is the mixture of the two, of which a model without attention sees only the chain. The
 * irreducible loss is the entropy of that mixture: exact, the mean over all positions of a window, because the
 * distribution of a pair of neighbours follows from that of the pair before. */
#include "train/train.h"

#include <stdlib.h>

enum { LAG = 2 };

/* The lowest bit of a symbol's random bits decides whether it is a copy; the chain uses the highest 53. */
static void draw(double *symbols, const bnd_run *run, uint64_t purpose, size_t row)
{
    const bnd_training *t = &run->training;
    size_t first = row * (t->context + 1);
    symbols[0] = (double)(bnd_random(t->seed_data, purpose, first) % t->vocabulary);
    for (size_t j = 1; j <= t->context; j++) {
        uint64_t bits = bnd_random(t->seed_data, purpose, first + j);
        bool copies = j >= LAG && (bits & 1) != 0;
        symbols[j] = copies ? symbols[j - LAG] : (double)bndi_chain_next(run, (size_t)symbols[j - 1], bits);
    }
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return bndi_text_batch(out, run, purpose, draw, why);
}

/* ---- the irreducible loss ---- */

typedef struct pairs {
    size_t symbols;
    double *now, *next; /* of symbols (a, b): the probability that a window has them at a position and the one after */
    double *halves;     /* by b: the entropy terms of the chain's halved probabilities, summed */
} pairs;

static double term(const bnd_run *run, double p)
{
    return p > 0 ? -p * bndi_log_of(run, p) : 0;
}

/* The entropy of the symbol after (a, b): the mixture is half the chain's row of b, and a half more at a. */
static double entropy_after(const bnd_run *run, const pairs *p, size_t a, size_t b)
{
    double half = bndi_chain_chance(run, b, a) / 2;
    return p->halves[b] - term(run, half) + term(run, half + 0.5);
}

/* The pairs of a window's start, whose first symbol is uniform; the mean entropy of the second is returned. */
static double begin(pairs *p, const bnd_run *run)
{
    size_t v = p->symbols;
    double sum = 0;
    for (size_t a = 0; a < v; a++) {
        p->halves[a] = 0;
        for (size_t b = 0; b < v; b++) {
            double chance = bndi_chain_chance(run, a, b);
            p->now[a * v + b] = chance / (double)v;
            p->halves[a] += term(run, chance / 2);
            sum += term(run, chance);
        }
    }
    return sum / (double)v;
}

/* One position further; the mean entropy of the symbol there is returned. */
static double advance(pairs *p, const bnd_run *run)
{
    size_t v = p->symbols;
    double sum = 0;
    for (size_t b = 0; b < v; b++) {
        double all = 0;
        for (size_t a = 0; a < v; a++) {
            all += p->now[a * v + b];
            sum += p->now[a * v + b] * entropy_after(run, p, a, b);
        }
        for (size_t c = 0; c < v; c++) {
            p->next[b * v + c] = (p->now[c * v + b] + all * bndi_chain_chance(run, b, c)) / 2;
        }
    }
    double *now = p->now;
    p->now = p->next;
    p->next = now;
    return sum;
}

static bnd_status measure(bnd_run *run, bnd_error *why)
{
    size_t v = run->training.vocabulary, context = run->training.context;
    double *room = malloc((2 * v * v + v) * sizeof *room);
    if (room == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the entropy of text of %zu symbols", v);
    }
    pairs p = {.symbols = v, .now = room, .next = room + v * v, .halves = room + 2 * v * v};
    double sum = begin(&p, run);
    for (size_t position = LAG; position <= context; position++) {
        sum += advance(&p, run);
    }
    run->floor = sum / (double)context;
    free(room);
    return BND_OK;
}

static bnd_status open_copy(bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_chain_make(run, 16, why);
    run->source.batch = batch;
    return status == BND_OK ? measure(run, why) : status;
}

const bndi_text_row bndi_text_copy = {
    .name = "copy",
    .title = "each symbol copies the last but one or follows a Markov chain, so attention is needed",
    .open = open_copy};
