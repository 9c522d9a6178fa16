/* Autopsies as text: the answer in two sentences, the table of parts, the mechanisms, and a legend of the words
   used. */
#include "common/process.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings in words ---- */

static const char *const numbers[BND_ROLE_COUNT] = {
    [BND_ROLE_PARAM] = "weights",
    [BND_ROLE_MASTER] = "master weights",
    [BND_ROLE_ACT] = "activations",
    [BND_ROLE_DACT] = "gradients of activations",
    [BND_ROLE_GRAD] = "gradients of weights",
    [BND_ROLE_M] = "first moments (m)",
    [BND_ROLE_V] = "second moments (v)",
    [BND_ROLE_EXTRA] = "compensations and scales",
    [BND_ROLE_FWD_X] = "activations in forward GEMMs (gemm_fwd.x)",
    [BND_ROLE_FWD_W] = "weights in forward GEMMs (gemm_fwd.w)",
    [BND_ROLE_DGRAD_DY] = "gradients in the GEMMs for activations (gemm_dgrad.dy)",
    [BND_ROLE_DGRAD_W] = "weights in the GEMMs for gradients of activations (gemm_dgrad.w)",
    [BND_ROLE_WGRAD_X] = "activations in the GEMMs for gradients of weights (gemm_wgrad.x)",
    [BND_ROLE_WGRAD_DY] = "gradients in the GEMMs for gradients of weights (gemm_wgrad.dy)",
    [BND_ROLE_MATMUL] = "operands of attention (matmul)",
    [BND_ROLE_NORM_W] = "norm weights (norm.w)",
    [BND_ROLE_HIGH] = "operands of the layers of high_last (high)",
    [BND_ROLE_ATTN_Q] = "queries in attention (attn.q)",
    [BND_ROLE_ATTN_K] = "keys in attention (attn.k)",
    [BND_ROLE_ATTN_P] = "attention probabilities (attn.p)",
    [BND_ROLE_ATTN_V] = "values in attention (attn.v)",
    [BND_ROLE_ATTN_DO] = "gradients of attention's results (attn.do)",
    [BND_ROLE_ATTN_DS] = "gradients of attention scores (attn.ds)",
    [BND_ROLE_NS] = "operands of Newton-Schulz products (ns)",
    [BND_ROLE_FWD_Y] = "results of forward GEMMs",
    [BND_ROLE_DGRAD_DX] = "gradients of activations, as GEMMs return them,",
    [BND_ROLE_WGRAD_DW] = "gradients of weights, as GEMMs return them,",
    [BND_ROLE_ATTN_S] = "attention scores (attn.s)",
    [BND_ROLE_ATTN_O] = "results of attention (attn.o)",
    [BND_ROLE_ATTN_DQ] = "gradients of queries (attn.dq)",
    [BND_ROLE_ATTN_DK] = "gradients of keys (attn.dk)",
    [BND_ROLE_ATTN_DP] = "gradients of attention probabilities (attn.dp)",
    [BND_ROLE_ATTN_DV] = "gradients of values (attn.dv)",
    [BND_ROLE_SAVED] = "saved activations",
    [BND_ROLE_CAREFUL] = "inputs and outputs of softmax, norms and losses",
    [BND_ROLE_SCALAR] = "scalars of the optimizer",
    [BND_ROLE_DATA] = "input data",
    [BND_ROLE_ACCUMULATE] = "sums of gradients over micro-batches",
    [BND_ROLE_REDUCE] = "sums of gradients over ranks",
    [BND_ROLE_SCRATCH] = "sums in GEMMs",
};

/* What happened, with %s for how many, then %s for the numbers; and what the word means, for the legend. */
static const struct words {
    const char *event, *meaning;
} words[BND_MECHANISM_COUNT] = {
    [BND_MECHANISM_UNDERFLOWED] = {"%s of the %s underflow to zero", "nonzero numbers that became zero"},
    [BND_MECHANISM_OVERFLOWED] = {"%s of the %s overflow", "numbers beyond the largest of the format"},
    [BND_MECHANISM_CLAMPED] =
        {"clamping by a shared scale makes %s of the squared error of the %s",
         "numbers beyond the largest that their shared scale allows: their share of the squared error"},
    [BND_MECHANISM_LOST_UPDATES] = {"%s of the updates of the %s are lost", "updates that left the weight as it was"},
    [BND_MECHANISM_STALLED_MOMENTS] = {"%s of the %s stall",
                                       "moments that an update would change in fp32, and did not"},
    [BND_MECHANISM_LOST_MOMENTS] = {"%s of the %s are zero where the gradient is not",
                                    "second moments that are zero where the gradient is not"},
    [BND_MECHANISM_SKIPPED_STEPS] = {"%s of the steps are skipped, because %s overflow under the loss scale",
                                     "steps without an update: a gradient overflowed under the loss scale"},
    [BND_MECHANISM_ROUNDED_SUMS] = {"the accumulator rounds at every addition", ""},
    [BND_MECHANISM_ROUNDED] = {"rounding leaves an error of %s in the %s (root mean square)", ""},
};

static char *share_text(double share)
{
    return format_text(share >= 0.0995 ? "%.0f %%" : "%.2g %%", 100 * share);
}

/* "41 % of the second moments (v) are zero where the gradient is not, worst at blocks.0.norm1 (50 %), from step 0". */
static char *finding_text(const bnd_finding *f)
{
    char event[256], place[128] = "", *share = share_text(f->share), *worst = share_text(f->worst_share);
    snprintf(event, sizeof event, words[f->mechanism].event, share, numbers[f->role]);
    if (f->worst[0] != '\0') {
        snprintf(place, sizeof place, ", worst at %.*s (%s)", (int)sizeof f->worst, f->worst, worst);
    }
    const bool counted = f->mechanism != BND_MECHANISM_ROUNDED_SUMS;
    char *from = counted ? format_text(", from step %llu", (unsigned long long)f->step) : copy_text("");
    char *text = format_text("%s%s%s", event, place, from);
    free(from);
    free(worst);
    free(share);
    return text;
}

/* Appends a piece to a text, with `between` in between. */
static char *joined(char *text, const char *between, char *piece)
{
    char *both = text != NULL ? format_text("%s%s%s", text, between, piece) : copy_text(piece);
    free(text);
    free(piece);
    return both;
}

static char *culprit_text(const train_row *row, const bnd_culprit *c)
{
    if (!c->has_cause) {
        return format_text("part %s is to blame, but no mechanism was found in its numbers", bnd_part_name(c->part));
    }
    char *text = finding_text(&c->cause);
    if (row->autopsy->epsilon_vanishes && c->cause.role == BND_ROLE_V) {
        text = joined(text, "",
                      format_text(" (epsilon %g is zero in %s, too: m / (sqrt v + epsilon) is infinite)", row->epsilon,
                                  row->v.name));
    }
    return text;
}

/* "v and param", "act, dact and v". */
static char *culprit_names(const bnd_autopsy *a)
{
    char *text = NULL;
    for (size_t i = 0; i < a->culprit_count; i++) {
        const char *between = i + 1 < a->culprit_count ? ", " : " and ";
        text = joined(text, between, copy_text(bnd_part_name(a->culprits[i].part)));
    }
    return text;
}

static char *healing_text(const bnd_autopsy *a)
{
    char *names = culprit_names(a), *text;
    if (!a->heals) {
        text = format_text("No set of parts was found that heals it; %s explains most.", names);
    } else {
        char *share = share_text(a->healed < 1 ? a->healed : 1);
        text = format_text("Smallest set of parts that heals it: %s (%s of the gap).", names, share);
        free(share);
    }
    free(names);
    return text;
}

char *autopsy_text(const train_row *row)
{
    const bnd_autopsy *a = row->autopsy;
    char *text = NULL;
    if (a->culprit_count == 0) {
        return copy_text(row->has_parts ? "No part can be named: a final loss counts as chance level at most, so the "
                                          "recipe ends no higher than fp32."
                                        : "Nothing in the recipe can be lifted to fp32 by itself.");
    }
    for (size_t i = 0; i < a->culprit_count; i++) {
        text = joined(text, i + 1 < a->culprit_count ? "; " : "; and ", culprit_text(row, &a->culprits[i]));
    }
    text[0] = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    text = joined(text, ". ", healing_text(a));
    return text;
}

/* ---- the table of parts ---- */

static void say(char *owned)
{
    fill_text(owned, 0, 0);
    free(owned);
}

enum sense { SENSIBLE, NOT_TRIED, WORSENS, MORE, UNCLEAR };

/* Shares that say something as a number lie about between 0 and 1. */
static enum sense sense_of(bool tried, double share, double band)
{
    static const double slack = 0.05, most = 1.5;
    const double half = isfinite(band) ? band : 0;
    if (!tried || !isfinite(share)) {
        return NOT_TRIED;
    }
    return half > 1                                ? UNCLEAR
           : share < -slack && share + half < 0    ? WORSENS
           : share < -slack || share < -half - 0.5 ? UNCLEAR
           : share > most                          ? MORE
                                                   : SENSIBLE;
}

/* "100 % ± 2 %", or in words. */
static char *part_text(enum sense sense, const char *worsens, const char *more, double share, double band)
{
    switch (sense) {
    case NOT_TRIED:
        return copy_text("-");
    case WORSENS:
        return copy_text(worsens);
    case MORE:
        return copy_text(more);
    case UNCLEAR:
        return copy_text("not separable");
    default:
        break;
    }
    double percent = fabs(100 * share) < 0.05 ? 0 : 100 * share; /* -0.0 says nothing more */
    char *text = format_text("%.1f %%", percent);
    if (isfinite(band)) {
        text = joined(text, writes_utf8() ? " ± " : " +/- ", format_text("%.1f %%", 100 * band));
    }
    return text;
}

/* Which words the legend needs. */
typedef struct legend {
    bool recovered, interaction, unclear, mechanism[BND_MECHANISM_COUNT];
} legend;

static void add_interaction(table *t, const bnd_autopsy *a, legend *l)
{
    const enum sense sense = sense_of(true, a->interaction, a->interaction_interval);
    table_add(t, copy_text("interaction"));
    table_add(t, copy_text(""));
    table_add(t, sense == WORSENS ? copy_text("parts overlap")
                                  : part_text(sense, "", "more than the gap", a->interaction, a->interaction_interval));
    l->interaction = true;
    l->unclear = l->unclear || sense == UNCLEAR;
}

static void print_shares(const bnd_autopsy *a, legend *l)
{
    static const column columns[] = {{"part", "part", false, false, false, false, 0},
                                     {"recovered", "recovered, lifted to fp32", true, false, false, false, 0},
                                     {"lost", "lost, lowered into fp32", true, false, false, false, 0}};
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    size_t lowered = 0;
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *s = &a->shares[i];
        const enum sense up = sense_of(s->lifts, s->lifted, s->lifted_interval),
                         down = sense_of(s->lowers, s->lowered, s->lowered_interval);
        table_add(&t, copy_text(bnd_part_name(s->part)));
        table_add(&t, part_text(up, "makes it worse", "better than fp32", s->lifted, s->lifted_interval));
        table_add(&t, part_text(down, "better than fp32", "more than the gap", s->lowered, s->lowered_interval));
        lowered += s->lowers;
        l->unclear = l->unclear || up == UNCLEAR || down == UNCLEAR;
    }
    if (lowered > 1) {
        add_interaction(&t, a, l);
    }
    l->recovered = true;
    printf("\n");
    table_end(&t);
}

/* ---- the mechanisms ---- */

static bool is_shown(const bnd_finding *f)
{
    return f->mechanism != BND_MECHANISM_ROUNDED && f->share > bnd_mechanism_threshold(f->mechanism);
}

static void print_mechanisms(const bnd_autopsy *a, legend *l)
{
    static const column columns[] = {{"mechanism", "mechanism", false, false, false, false, 0},
                                     {"numbers", "numbers", false, false, false, false, 0},
                                     {"share", "share", true, false, false, false, 0},
                                     {"place", "worst at", false, false, false, false, 0},
                                     {"place_share", "there", true, false, false, false, 0},
                                     {"step", "from step", true, false, false, false, 0}};
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    size_t shown = 0;
    for (size_t i = 0; i < a->finding_count; i++) {
        const bnd_finding *f = &a->findings[i];
        if (is_shown(f)) {
            table_add(&t, copy_text(bnd_mechanism_name(f->mechanism)));
            table_add(&t, copy_text(bnd_role_name(f->role)));
            table_add(&t, share_text(f->share));
            table_add(&t, copy_text(f->worst[0] != '\0' ? f->worst : "-"));
            table_add(&t, f->worst[0] != '\0' ? share_text(f->worst_share) : copy_text("-"));
            table_add(&t, format_text("%llu", (unsigned long long)f->step));
            l->mechanism[f->mechanism] = true;
            shown++;
        }
    }
    if (shown > 0) {
        printf("\n");
        table_end(&t);
    }
}

/* ---- the whole ---- */

/* A run that ended in NaN has no gap. */
static char *outcome_text(const bnd_comparison *c, const char *reference)
{
    char *verdict = verdict_text(c), *gap = gap_text(c), *text;
    text = isnan(c->gap) ? copy_text(verdict) : format_text("%s, %s from %s", verdict, gap, reference);
    free(gap);
    free(verdict);
    return text;
}

static void print_one(const train_row *row, const char *reference, legend *l)
{
    const bnd_autopsy *a = row->autopsy;
    const bnd_comparison *c = &a->comparison;
    char *outcome = outcome_text(c, reference);
    char *left =
        c->outside ? format_text("outside %s's range from step %llu on", reference, (unsigned long long)c->outside_from)
                   : copy_text("its loss did not stay outside the reference's range");
    printf("\n");
    say(format_text("Autopsy of %s: %s; %s.", row->name, outcome, left));
    say(autopsy_text(row));
    if (a->share_count > 0) {
        print_shares(a, l);
    }
    print_mechanisms(a, l);
    if (a->runs > 0) {
        printf("\n");
        say(format_text(row->count > 1
                            ? "%zu counterfactual runs, over %zu seed pairs."
                            : "%zu counterfactual runs of one seed pair, which has no intervals: --seeds 3 gives some.",
                        a->runs, row->count));
    }
    free(outcome);
    free(left);
}

static void explain(const legend *l)
{
    char *text = NULL;
    if (l->recovered) {
        text = copy_text("Shares are of the gap. Recovered: this part alone as in fp32, the rest as in the recipe. "
                         "Lost: fp32 with this part alone as in the recipe.");
    }
    if (l->interaction) {
        text = joined(text, " ", copy_text("Interaction: what lowering parts one by one does not explain."));
    }
    if (l->unclear) {
        text = joined(text, " ", copy_text("Not separable: the share is not known well enough to be a number."));
    }
    if (text != NULL) {
        printf("\n");
        say(text);
    }
    for (size_t i = 0, first = 1; i < BND_MECHANISM_COUNT; i++) {
        if (l->mechanism[i]) {
            printf("%s", first ? "\n" : "");
            first = 0;
            say(format_text("%s: %s.", bnd_mechanism_name((bnd_mechanism)i), words[i].meaning));
        }
    }
}

void print_autopsies(const train_result *r)
{
    legend l = {.recovered = false};
    size_t made = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (row->autopsy != NULL) {
            print_one(row, r->rows[row->reference].name, &l);
            made++;
        }
    }
    if (made > 0) {
        explain(&l);
    } else if (!was_stopped()) {
        printf("\nNo recipe needs an autopsy.\n");
    }
}
