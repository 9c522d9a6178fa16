/* The recipes of a report: verdict, failure, memory, histograms, autopsy. A recipe is a row of the table. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool task_of(bnd_task *out, const bnd_record *record)
{
    return record->config != NULL && bnd_task_read(out, record->config, NULL) == BND_OK;
}

/* ---- memory ---- */

static const struct {
    bnd_role role;
    const char *label;
} memory_parts[] = {
    {BND_ROLE_PARAM, "weights"},      {BND_ROLE_GRAD, "gradients"}, {BND_ROLE_ACCUMULATE, "sums of gradients"},
    {BND_ROLE_MASTER, "master copy"}, {BND_ROLE_M, "momentum (m)"}, {BND_ROLE_V, "second moment (v)"},
    {BND_ROLE_EXTRA, "extra"},        {BND_ROLE_ACT, "activations"}};

static void json_memory(bnd_lab_json *json, const train_row *row)
{
    double bytes = bnd_record_memory(row->records);
    if (isnan(bytes)) {
        bnd_lab_json_null(json, "memory");
        return;
    }
    bnd_lab_json_object(json, "memory");
    json_owned_literal(json, "bytes", format_text("%.0f", bytes));
    json_owned_string(json, "text", bytes_text(bytes));
    bnd_lab_json_array(json, "parts");
    for (size_t i = 0; i < sizeof memory_parts / sizeof memory_parts[0]; i++) {
        uint64_t part = bnd_record_memory_of(row->records, memory_parts[i].role);
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "role", bnd_role_name(memory_parts[i].role));
        bnd_lab_json_string(json, "label", memory_parts[i].label);
        bnd_lab_json_unsigned(json, "bytes", part);
        json_owned_string(json, "text", bytes_text((double)part));
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

/* ---- formats ---- */

/* The format of a role's numbers where the policy says it: fp32 where nothing is given and that is kept between steps,
 * or where nothing is given at all. NULL: it follows from others. */
static const bnd_format *format_of(const bnd_policy *policy, bnd_role role)
{
    static const bnd_policy plain = {.name = "fp32"};
    static const bnd_role like[BND_ROLE_COUNT] = {[BND_ROLE_SAVED] = BND_ROLE_ACT, [BND_ROLE_WGRAD_DW] = BND_ROLE_GRAD};
    for (; !policy->cast[role].given && bnd_role_followed(role) != role; role = bnd_role_followed(role)) {
    }
    role = !policy->cast[role].given && like[role] != BND_ROLE_PARAM ? like[role] : role;
    const bnd_cast *cast = &policy->cast[role];
    bool kept = role == BND_ROLE_PARAM || role == BND_ROLE_GRAD || role == BND_ROLE_M || role == BND_ROLE_V ||
                role == BND_ROLE_EXTRA || role == BND_ROLE_ACCUMULATE || role == BND_ROLE_REDUCE;
    return cast->given                               ? &cast->format
           : kept || bnd_policy_same(policy, &plain) ? bnd_format_at(BND_FORMAT_FP32)
                                                     : NULL;
}

static void json_formats_of(bnd_lab_json *json, const bnd_policy *policy)
{
    bnd_lab_json_object(json, "formats");
    for (unsigned role = 0; policy != NULL && role < BND_ROLE_COUNT; role++) {
        if (policy->cast[role].given) {
            bnd_lab_json_string(json, bnd_role_name((bnd_role)role), policy->cast[role].format.name);
        }
    }
    bnd_lab_json_end(json);
}

/* ---- histograms ---- */

static void json_histogram(bnd_lab_json *json, const bnd_histogram *h, const bnd_policy *policy)
{
    enum { BINS = sizeof h->exponents / sizeof h->exponents[0] };
    size_t first = 0, end = BINS;
    const bnd_format *f = policy != NULL ? format_of(policy, h->role) : NULL;
    const char *scaling = policy != NULL ? policy->cast[h->role].scaling : "";
    while (first + 1 < end && h->exponents[first] == 0) {
        first++;
    }
    while (end > first + 1 && h->exponents[end - 1] == 0) {
        end--;
    }
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "role", bnd_role_name(h->role));
    json_owned_string(json, "format", f != NULL ? copy_text(f->name) : NULL);
    json_owned_string(json, "scaling", scaling[0] != '\0' ? copy_text(scaling) : NULL);
    bnd_lab_json_integer(json, "from", BND_HISTOGRAM_LOWEST - 1 + (int64_t)first);
    bnd_lab_json_array(json, "counts");
    for (size_t i = first; i < end; i++) {
        bnd_lab_json_unsigned(json, NULL, h->exponents[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static size_t count_steps(const bnd_record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->histogram_count; i++) {
        count += i == 0 || record->histograms[i].step != record->histograms[i - 1].step;
    }
    return count;
}

/* Of the at-th of `count` steps: the first and the last are drawn, and at most three between them. */
static bool is_drawn(size_t at, size_t count)
{
    enum { MOST = 5 };
    for (size_t k = 0; count > MOST && k < MOST; k++) {
        if (at == (k * (count - 1) + (MOST - 1) / 2) / (MOST - 1)) {
            return true;
        }
    }
    return count <= MOST;
}

/* Of the first run of the recipe. */
static void json_histograms(bnd_lab_json *json, const train_row *row, const bnd_task *task)
{
    const bnd_record *record = row->records;
    const size_t count = count_steps(record);
    bnd_lab_json_array(json, "histograms");
    for (size_t i = 0, next = 0, at = 0; i < record->histogram_count; i = next, at++) {
        uint64_t step = record->histograms[i].step;
        const bnd_policy *policy = task == NULL                                ? NULL
                                   : task->switches && step >= task->switch_at ? &task->switch_to
                                                                               : &task->training.policy;
        for (next = i; next < record->histogram_count && record->histograms[next].step == step; next++) {
        }
        if (is_drawn(at, count)) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_unsigned(json, "step", step);
            bnd_lab_json_array(json, "roles");
            for (size_t k = i; k < next; k++) {
                json_histogram(json, &record->histograms[k], policy);
            }
            bnd_lab_json_end(json);
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

/* The exponents of each format's limits: a histogram is shaded between them. */
static int32_t exponent_of(uint64_t significand, int32_t quantum)
{
    return quantum + 63 - __builtin_clzll(significand);
}

static void json_format(bnd_lab_json *json, const bnd_format *f)
{
    bnd_lab_json_object(json, f->name);
    bnd_lab_json_integer(json, "smallest", exponent_of(f->least_significand, f->least_quantum));
    bnd_lab_json_integer(json, "smallest_normal", exponent_of(f->normal_significand, f->normal_quantum));
    bnd_lab_json_integer(json, "largest", exponent_of(f->max_significand, f->max_quantum));
    bnd_lab_json_end(json);
}

typedef struct format_names {
    char (*names)[sizeof((bnd_format *)NULL)->name];
    size_t count;
} format_names;

static void json_new_format(bnd_lab_json *json, format_names *seen, const bnd_format *f)
{
    bool known = f == NULL || f->least_significand == 0 || f->normal_significand == 0 || f->max_significand == 0;
    for (size_t i = 0; !known && i < seen->count; i++) {
        known = strcmp(seen->names[i], f->name) == 0;
    }
    if (!known) {
        seen->names = allocate(seen->names, seen->count + 1, sizeof *seen->names);
        memcpy(seen->names[seen->count++], f->name, sizeof f->name);
        json_format(json, f);
    }
}

static void json_formats_in(bnd_lab_json *json, format_names *seen, const bnd_record *record)
{
    bnd_task task;
    if (!task_of(&task, record)) {
        return;
    }
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        json_new_format(json, seen, format_of(&task.training.policy, (bnd_role)role));
        json_new_format(json, seen, task.switches ? format_of(&task.switch_to, (bnd_role)role) : NULL);
    }
}

void json_formats(bnd_lab_json *json, const train_result *r)
{
    format_names seen = {.count = 0};
    bnd_lab_json_object(json, "formats");
    for (size_t i = 0; i < r->row_count; i++) {
        json_formats_in(json, &seen, r->rows[i].records);
    }
    bnd_lab_json_end(json);
    free(seen.names);
}

/* ---- failures ---- */

static void json_firsts(bnd_lab_json *json, const char *what, const uint64_t from[BND_ROLE_COUNT])
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (from[role] > 0) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "what", what);
            bnd_lab_json_string(json, "role", bnd_role_name((bnd_role)role));
            bnd_lab_json_unsigned(json, "step", from[role] - 1);
            bnd_lab_json_end(json);
        }
    }
}

/* The percentage of a histogram's numbers that are below the smallest normal number of the format. */
static double percent_below_normal(const bnd_histogram *h, const bnd_format *f)
{
    enum { BINS = sizeof h->exponents / sizeof h->exponents[0] };
    int64_t normal = exponent_of(f->normal_significand, f->normal_quantum) - (BND_HISTOGRAM_LOWEST - 1);
    uint64_t below = 0, all = 0;
    for (int64_t i = 0; i < BINS; i++) {
        below += i < normal ? h->exponents[i] : 0;
        all += h->exponents[i];
    }
    return all > 0 ? 100 * (double)below / (double)all : 0;
}

/* In the first step that has histograms: the role of which most numbers had no room for a full significand, if that is
 * half of them or more. Numbers with a scale are not meant. */
static char *with_small_numbers(char *text, const train_row *row, const bnd_policy *policy)
{
    const bnd_record *record = row->records;
    const bnd_histogram *worst = NULL;
    double most = 50;
    for (size_t i = 0; i < record->histogram_count && record->histograms[i].step == record->histograms[0].step; i++) {
        const bnd_histogram *h = &record->histograms[i];
        const bnd_format *f = format_of(policy, h->role);
        bool plain = f != NULL && f->normal_significand != 0 && policy->cast[h->role].scaling[0] == '\0';
        double percent = plain ? percent_below_normal(h, f) : 0;
        worst = percent >= most ? h : worst;
        most = percent >= most ? percent : most;
    }
    return worst == NULL
               ? text
               : with_sentence(text, format_text("In step %llu, %.0f %% of the nonzero numbers of the role %s "
                                                 "are below the smallest normal number of %s.",
                                                 (unsigned long long)worst->step, floor(most),
                                                 bnd_role_name(worst->role), format_of(policy, worst->role)->name));
}

/* Of the run in which it came first. */
static void json_failure(bnd_lab_json *json, const train_result *r, const train_row *row, const bnd_policy *policy)
{
    const bool failed = row->compared && row->is.failed > 0;
    char *text = failed ? failure_text(r, row) : NULL;
    json_owned_string(json, "failure", failed && policy != NULL ? with_small_numbers(text, row, policy) : text);
    bnd_lab_json_array(json, "first_losses");
    json_firsts(json, "overflow", row->records->overflow_from);
    json_firsts(json, "underflow", row->records->underflow_from);
    bnd_lab_json_end(json);
}

/* ---- autopsies: those just made, or kept in the directory of a run ---- */

static const char *kept_autopsy(const train_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->records[i].autopsy != NULL) {
            return row->records[i].autopsy;
        }
    }
    return NULL;
}

static void json_any_autopsy(bnd_lab_json *json, const train_row *row)
{
    const char *kept = kept_autopsy(row);
    if (row->autopsy == NULL && kept != NULL) {
        bnd_lab_json_literal(json, "autopsy", kept);
    } else {
        json_autopsy(json, row);
    }
}

/* ---- means over the seeds ---- */

static void json_mean(bnd_lab_json *json, const char *key, const char *what, bnd_curve *curve, detail *d)
{
    const curve_values values[] = {{what, curve->mean, 5}, {"interval", curve->interval, 4}};
    json_curve(json, key, curve->step, values, 2, curve->count, d->main, d, curve->window);
    bnd_curve_close(curve);
}

static void json_means(bnd_lab_json *json, const train_result *r, const train_row *row, detail *d)
{
    const train_row *reference = &r->rows[row->reference];
    bnd_curve curve;
    if (bnd_records_curve(&curve, row->records, row->count, NULL) == BND_OK) {
        json_mean(json, "mean", "loss", &curve, d);
    } else {
        bnd_lab_json_null(json, "mean");
    }
    if (is_compared(row, r) &&
        bnd_records_gap_curve(&curve, row->records, row->count, reference->records, reference->count, NULL) == BND_OK) {
        json_mean(json, "gap_curve", "gap", &curve, d);
    } else {
        bnd_lab_json_null(json, "gap_curve");
    }
}

/* ---- recipes ---- */

static void json_recipe(bnd_lab_json *json, const train_result *r, const train_row *row, detail *d)
{
    char said[BND_POLICY_TEXT_SIZE];
    bnd_task task;
    bool known = task_of(&task, row->records);
    bool has_text = known && bnd_policy_text(said, sizeof said, &task.training.policy, NULL) == BND_OK;
    bnd_lab_json_object(json, NULL);
    json_row(json, r, row);
    bnd_lab_json_boolean(json, "is_reference", row == &r->rows[row->reference]);
    bnd_lab_json_unsigned(json, "compared_with", row->reference);
    json_short(json, "lr", row->records->lr, 6);
    json_owned_string(json, "settings", has_text ? copy_text(said) : NULL);
    json_formats_of(json, known ? &task.training.policy : NULL);
    json_failure(json, r, row, known ? &task.training.policy : NULL);
    json_memory(json, row);
    json_any_autopsy(json, row);
    json_histograms(json, row, known ? &task : NULL);
    json_means(json, r, row, d);
    json_runs(json, row, d);
    bnd_lab_json_end(json);
}

void json_recipes(bnd_lab_json *json, const train_result *r, detail *d)
{
    bnd_lab_json_array(json, "recipes");
    for (size_t i = 0; i < r->row_count; i++) {
        json_recipe(json, r, &r->rows[i], d);
    }
    bnd_lab_json_end(json);
}
