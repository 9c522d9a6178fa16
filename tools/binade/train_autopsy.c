/* The autopsy of a recipe that did worse than fp32: when it left, what rounding did to which numbers, and how much of
 * the gap each part of the recipe explains. */
#include "process.h"
#include "train_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making them ---- */

static bool is_ill(const train_result *r, const train_row *row, const bnd_task *tasks)
{
    bool complete = true;
    for (size_t i = 0; i < row->count; i++) {
        complete = complete && row->records[i].complete;
    }
    return complete && row->compared && row != &r->rows[row->reference] && bnd_comparison_has_cause(&row->is) &&
           !tasks->switches;
}

/* GO_ON, or the status to leave with. The runs are all of the same length: that is what the bar needs to know. */
static int make_one(train_row *row, const settings *s, const train_row *reference, const bnd_task *tasks, double margin,
                    const bnd_context *context)
{
    bnd_error why;
    live l;
    size_t runs = row->count * bnd_autopsy_runs(&tasks->training.policy);
    bnd_task *planned = allocate(NULL, runs + 1, sizeof *planned);
    bnd_autopsy *a = allocate(NULL, 1, sizeof *a);
    char *label = format_text("autopsy of %.40s", row->name);
    for (size_t i = 0; i < runs; i++) {
        planned[i] = *tasks;
    }
    live_begin(&l, s, label, planned, runs);
    l.bar.note = NULL;
    bnd_status status = bnd_autopsy_make(a, tasks, row->records, row->count, reference->records, reference->count,
                                         margin, context, live_watch, &l, &why);
    live_end(&l);
    free(label);
    free(planned);
    if (status != BND_OK || was_stopped()) { /* shares of runs that were stopped are none */
        free(a);
        return status == BND_OK ? GO_ON : (complain(s->command, "%s", why.message), BAD_STREAM);
    }
    row->autopsy = a;
    row->counterfactuals = runs;
    return GO_ON;
}

int make_autopsies(train_result *r, const settings *s, const bnd_task *tasks, const bnd_context *context)
{
    int status = GO_ON;
    r->autopsied = true;
    for (size_t i = 0; status == GO_ON && i < r->row_count && !was_stopped(); i++) {
        train_row *row = &r->rows[i];
        const bnd_task *own = &tasks[row->records - r->records];
        if (is_ill(r, row, own)) {
            row->epsilon = own->training.epsilon;
            row->v = own->training.policy.cast[BND_ROLE_V].format;
            status = make_one(row, s, &r->rows[row->reference], own, r->margin, context);
        }
    }
    return status;
}

/* ---- in words ---- */

static const char *const numbers[BND_ROLES] = {
    [BND_ROLE_PARAM] = "weights",
    [BND_ROLE_MASTER] = "master weights",
    [BND_ROLE_ACT] = "activations",
    [BND_ROLE_DACT] = "gradients of activations",
    [BND_ROLE_GRAD] = "gradients of weights",
    [BND_ROLE_M] = "first moments (m)",
    [BND_ROLE_V] = "second moments (v)",
    [BND_ROLE_EXTRA] = "what the recipe keeps beside the weights",
    [BND_ROLE_FWD_X] = "activations, as the forward products read them,",
    [BND_ROLE_FWD_W] = "weights, as the forward products read them,",
    [BND_ROLE_DGRAD_DY] = "gradients of activations, as the products for those below read them,",
    [BND_ROLE_DGRAD_W] = "weights, as the products for gradients of activations read them,",
    [BND_ROLE_WGRAD_X] = "activations, as the products for gradients of weights read them,",
    [BND_ROLE_WGRAD_DY] = "gradients of activations, as the products for gradients of weights read them,",
    [BND_ROLE_MATMUL] = "operands of attention's products",
    [BND_ROLE_HIGH] = "operands of the layers that high_last names",
    [BND_ROLE_FWD_Y] = "results of the forward products",
    [BND_ROLE_DGRAD_DX] = "gradients of activations, as products make them,",
    [BND_ROLE_WGRAD_DW] = "gradients of weights, as products make them,",
    [BND_ROLE_SAVED] = "activations that are kept for the way back",
    [BND_ROLE_CAREFUL] = "inputs and outputs of softmax, norms and losses",
    [BND_ROLE_SCALAR] = "the optimizer's scalars (betas, learning rate, epsilon)",
    [BND_ROLE_DATA] = "data",
    [BND_ROLE_SCRATCH] = "scratch",
};

static char *share_text(double share)
{
    return format_text(share >= 0.0995 ? "%.0f %%" : "%.2g %%", 100 * share);
}

/* What happens to the numbers of a role, with %s for how many of them. */
static const char *const events[BND_MECHANISMS] = {
    [BND_FOUND_FLUSHED] = "are flushed to zero: %s of those that are not zero",
    [BND_FOUND_OVERFLOWED] = "overflow: %s of them are beyond the format",
    [BND_FOUND_CLAMPED] = "are clamped: the scale that they share is too small for %s of them",
    [BND_FOUND_CANCELLED] = "lag behind: rounding cancels %s of their updates",
    [BND_FOUND_LOST_MOMENT] = "are flushed to zero: %s of them although their gradient is not zero",
    [BND_FOUND_ROUNDED] = "are rounded, no more: the error is %s of their size (root mean square)",
};

/* "second moments (v) are flushed to zero: 41 % of them although their gradient is not zero, worst at blocks.0.norm1
 * (50 %), from step 0 on". */
static char *finding_text(const bnd_finding *f)
{
    char event[128];
    char *share = share_text(f->share), *worst = share_text(f->worst_share);
    snprintf(event, sizeof event, events[f->mechanism], share);
    char *text =
        format_text("%s %s%s%s%s%s%s, from step %llu on", numbers[f->role], event,
                    f->worst[0] != '\0' ? ", worst at " : "", f->worst, f->worst[0] != '\0' ? " (" : "",
                    f->worst[0] != '\0' ? worst : "", f->worst[0] != '\0' ? ")" : "", (unsigned long long)f->step);
    free(worst);
    free(share);
    return text;
}

static char *cause_text(const train_row *row)
{
    const bnd_autopsy *a = row->autopsy;
    if (a->share_count == 0) {
        return copy_text("Nothing in the recipe can be lifted to fp32 by itself.");
    }
    const char *part = bnd_part_name(a->shares[0].part);
    if (a->is_accumulator) {
        return copy_text("The accumulator: sums of products are rounded at every addition, and lose what is small "
                         "beside them.");
    }
    if (!a->has_cause) {
        return format_text("Part %s explains most, but its casts show no single mechanism.", part);
    }
    char *found = finding_text(&a->cause), *more = copy_text("");
    if (a->epsilon_vanishes) {
        free(more);
        more = format_text("; and epsilon %g is zero in %s, so that m / (sqrt v + epsilon) is infinite", row->epsilon,
                           row->v.name);
    }
    char *text = format_text("Part %s: %s%s.", part, found, more);
    free(found);
    free(more);
    return text;
}

/* ---- the text ---- */

static void say(char *owned)
{
    fill_text(owned, 0, 0);
    free(owned);
}

/* "100 % ± 2 %"; "-" where it was not tried, or is none. */
static char *part_text(bool tried, double share, double band)
{
    if (!tried || !isfinite(share)) {
        return copy_text("-");
    }
    double percent = fabs(100 * share) < 0.05 ? 0 : 100 * share; /* -0.0 says nothing more */
    char *middle = format_text("%.1f %%", percent), *text = middle;
    if (isfinite(band)) {
        char *half = format_text("%.1f %%", 100 * band);
        text = format_text("%s %s %s", middle, writes_utf8() ? "±" : "+/-", half);
        free(half);
        free(middle);
    }
    return text;
}

static void print_shares(const bnd_autopsy *a)
{
    static const column columns[] = {{"part", "part", false, false, false, false, 0},
                                     {"recovered", "recovered, lifted to fp32", true, false, false, false, 0},
                                     {"lost", "lost, lowered into fp32", true, false, false, false, 0}};
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *s = &a->shares[i];
        table_add(&t, copy_text(bnd_part_name(s->part)));
        table_add(&t, part_text(s->lifts, s->lifted, s->lifted_band));
        table_add(&t, part_text(s->lowers, s->lowered, s->lowered_band));
    }
    table_add(&t, copy_text("interaction"));
    table_add(&t, copy_text(""));
    table_add(&t, part_text(true, a->interaction, a->interaction_band));
    table_end(&t);
}

/* A run that ended in NaN has no gap. */
static char *outcome_text(const bnd_comparison *c, const char *reference)
{
    if (isnan(c->gap)) {
        return copy_text("no gap");
    }
    char *gap = gap_text(c), *text = format_text("%s from %s", gap, reference);
    free(gap);
    return text;
}

static void print_one(const train_row *row, const char *reference)
{
    const bnd_autopsy *a = row->autopsy;
    const bnd_comparison *c = &a->comparison;
    char *outcome = outcome_text(c, reference),
         *left = copy_text("its loss did not stay outside the reference's range");
    if (c->outside) {
        free(left);
        left = format_text("its loss is outside the reference's range from step %llu on",
                           (unsigned long long)c->outside_from);
    }
    printf("\n");
    char *verdict = verdict_text(c);
    say(format_text("Autopsy of %s: %s, %s; %s.", row->name, verdict, outcome, left));
    free(verdict);
    say(cause_text(row));
    printf("\n");
    print_shares(a);
    printf("\n");
    say(row->count > 1
            ? format_text("%zu counterfactual runs: %zu of each of %zu pairs of seeds.", row->counterfactuals,
                          row->counterfactuals / row->count, row->count)
            : format_text("%zu counterfactual runs, of one pair of seeds: that gives no bands, --seeds 3 does.",
                          row->counterfactuals));
    free(outcome);
    free(left);
}

void print_autopsies(const train_result *r)
{
    size_t made = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (row->autopsy != NULL) {
            print_one(row, r->rows[row->reference].name);
            made++;
        }
    }
    if (made > 0) {
        printf("\n");
        say(copy_text("Shares are of the gap. Recovered: this part alone as in fp32, the rest as the recipe has it. "
                      "Lost: fp32, with this part alone as the recipe has it. Interaction: what lowering the parts "
                      "one by one does not explain."));
    } else if (!was_stopped()) {
        printf("\nNo recipe needs an autopsy.\n");
    }
}

/* ---- JSON ---- */

static void json_number(bnd_json *json, const char *key, bool known, double x)
{
    json_owned_literal(json, key, known ? double_text(x) : copy_text("null"));
}

static void json_finding(bnd_json *json, const char *key, const bnd_finding *f)
{
    bnd_json_object(json, key);
    bnd_json_string(json, "mechanism", bnd_mechanism_name(f->mechanism));
    bnd_json_string(json, "role", bnd_role_name(f->role));
    json_number(json, "share", true, f->share);
    bnd_json_string(json, "place", f->worst);
    json_number(json, "place_share", true, f->worst_share);
    bnd_json_unsigned(json, "step", f->step);
    bnd_json_end(json);
}

static void json_shares(bnd_json *json, const bnd_autopsy *a)
{
    bnd_json_array(json, "parts");
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *s = &a->shares[i];
        bnd_json_object(json, NULL);
        bnd_json_string(json, "part", bnd_part_name(s->part));
        json_number(json, "recovered", s->lifts, s->lifted);
        json_number(json, "recovered_band", s->lifts, s->lifted_band);
        json_number(json, "lost", s->lowers, s->lowered);
        json_number(json, "lost_band", s->lowers, s->lowered_band);
        bnd_json_end(json);
    }
    bnd_json_end(json);
    json_number(json, "interaction", a->share_count > 0, a->interaction);
    json_number(json, "interaction_band", a->share_count > 0, a->interaction_band);
}

void json_autopsy(bnd_json *json, const train_row *row)
{
    const bnd_autopsy *a = row->autopsy;
    if (a == NULL) {
        bnd_json_null(json, "autopsy");
        return;
    }
    bnd_json_object(json, "autopsy");
    json_owned_string(json, "words", cause_text(row));
    json_owned_string(json, "part", a->share_count > 0 ? copy_text(bnd_part_name(a->shares[0].part)) : NULL);
    if (a->has_cause) {
        json_finding(json, "cause", &a->cause);
    } else {
        bnd_json_null(json, "cause");
    }
    bnd_json_boolean(json, "epsilon_vanishes", a->epsilon_vanishes);
    bnd_json_boolean(json, "is_accumulator", a->is_accumulator);
    json_shares(json, a);
    bnd_json_array(json, "findings");
    for (size_t i = 0; i < a->finding_count; i++) {
        json_finding(json, NULL, &a->findings[i]);
    }
    bnd_json_end(json);
    bnd_json_unsigned(json, "runs", row->counterfactuals);
    bnd_json_end(json);
}
