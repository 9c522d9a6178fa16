/* Notes on a table of runs: what is easily misread, and when and how runs failed. */
#include "study/study.h"

#include "store/store.h"

#include <math.h>
#include <string.h>

typedef struct question {
    const bnd_summary_row *rows;
    size_t count;
    bool memory;
} question;

size_t bnd_loss_print(char *out, size_t size, double x)
{
    bndi_sentence text = bndi_sentence_in(out, size);
    const bool near = fabs(x) >= 1e-3 && fabs(x) < 1e5; /* four decimals say enough */
    if (isnan(x) || x == 0) {
        bndi_sentence_add(&text, isnan(x) ? "nan" : "0");
    } else {
        bndi_sentence_add(&text, near ? "%.4f" : "%.3g", x);
    }
    return text.length;
}

/* Before name `i` of `count`. */
static const char *separator(size_t i, size_t count, const char *last)
{
    return i == 0 ? "" : i + 1 < count ? ", " : last;
}

bool bnd_summary_is_known(const bnd_summary_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < rows[i].count; k++) {
            if (rows[i].records[k].model[0] == '\0') {
                return false;
            }
        }
    }
    return true;
}

/* ---- the reference ---- */

/* Verdicts need a reference that has learned something. */
static void judge_reference(bndi_sentence *line, const question *q, size_t reference)
{
    const bnd_summary_row *row = &q->rows[reference];
    if (reference != q->rows[0].reference) {
        return;
    }
    if (row->compared && row->is.failed_nan > 0 && row->is.failed_nan == row->is.pairs) {
        bndi_sentence_add(line,
                          "%s itself ended in NaN: nothing can be compared with it. Try another learning rate or "
                          "another reference.",
                          row->name);
    } else if (!bndi_has_learned(row)) {
        bndi_sentence_add(
            line,
            "%s itself ends at chance level: gaps and verdicts mean nothing. Try more steps or another learning rate.",
            row->name);
    } else if (row->compared && row->is.covered < 0.5) {
        bndi_sentence_add(line,
                          "%s has covered %.0f %% of the way from chance level to the irreducible loss: verdicts mean "
                          "little. Try more steps or another learning rate.",
                          row->name, 100 * row->is.covered);
    } else if (row->compared && row->is.solved) {
        bndi_sentence_add(line,
                          "%s has solved the task to fp32's resolution: what is left of its loss is rounding error. "
                          "The levels reached are compared as ratios, and only a ratio beyond %d counts.",
                          row->name, BND_COMPARISON_APART);
    }
}

/* ---- memory ---- */

enum saving { AS_MANY_BYTES, MORE_BYTES, FEWER_ACTIVATIONS };

/* As many bytes per parameter as its reference; of these rows, more bytes, or fewer activations. */
static bool saves(const question *q, size_t row, enum saving what)
{
    const size_t reference = q->rows[row].reference;
    const bool compared = !isnan(bnd_summary_value(q->rows, row, BND_SUMMARY_MEMORY_SAVED_TIMES));
    const double mine = bnd_summary_value(q->rows, row, BND_SUMMARY_BYTES_PER_PARAMETER);
    const double its = bnd_summary_value(q->rows, reference, BND_SUMMARY_BYTES_PER_PARAMETER);
    const bool asked = row != reference && compared && mine >= its;
    return asked && (what == AS_MANY_BYTES ? true
                     : what == MORE_BYTES  ? mine > its
                                           : bnd_summary_value(q->rows, row, BND_SUMMARY_ACTIVATION_BYTES) <
                                                bnd_summary_value(q->rows, reference, BND_SUMMARY_ACTIVATION_BYTES));
}

static size_t count_of(const question *q, enum saving what)
{
    size_t count = 0;
    for (size_t i = 0; i < q->count; i++) {
        count += saves(q, i, what);
    }
    return count;
}

static void add_names(bndi_sentence *line, const question *q, enum saving what)
{
    for (size_t i = 0, at = 0; i < q->count; i++) {
        if (saves(q, i, what)) {
            bndi_sentence_add(line, "%s%s", at++ > 0 ? ", " : "", q->rows[i].name);
        }
    }
}

/* Whether all rows that save nothing have, in this role or in the other, the bytes that the reference has in it. */
static bool all_keep(const question *q, bnd_summary_number role, bnd_summary_number other)
{
    bool keep = true;
    for (size_t i = 0; i < q->count; i++) {
        const double its = bnd_summary_value(q->rows, q->rows[i].reference, role);
        keep = keep && (!saves(q, i, AS_MANY_BYTES) || bnd_summary_value(q->rows, i, role) == its ||
                        bnd_summary_value(q->rows, i, other) == its);
    }
    return keep;
}

/* Which recipes need as many bytes per parameter as the reference, or more, which people do not expect; and whether
 * they save activations. */
static void warn_of_memory(bndi_sentence *line, const question *q, size_t row)
{
    const size_t all = row == 0 && q->memory ? count_of(q, AS_MANY_BYTES) : 0, saving = count_of(q, FEWER_ACTIVATIONS);
    if (all == 0) {
        return;
    }
    bndi_sentence_add(line, "No parameter memory is saved by ");
    add_names(line, q, AS_MANY_BYTES);
    if (all_keep(q, BND_SUMMARY_PARAM_BYTES, BND_SUMMARY_MASTER_BYTES)) {
        const bool states = bnd_summary_value(q->rows, q->rows[0].reference, BND_SUMMARY_M_BYTES) > 0 &&
                            all_keep(q, BND_SUMMARY_M_BYTES, BND_SUMMARY_M_BYTES) &&
                            all_keep(q, BND_SUMMARY_V_BYTES, BND_SUMMARY_V_BYTES);
        bndi_sentence_add(line, ": the weights stay in fp32 (as parameters, or as a master copy)%s",
                          states ? ", and so does the optimizer's state" : "");
    }
    bndi_sentence_add(line, ". ");
    for (size_t i = 0; i < q->count; i++) {
        if (saves(q, i, MORE_BYTES)) {
            bndi_sentence_add(line, "%s needs %.4g bytes per parameter, %s %.4g. ", q->rows[i].name,
                              bnd_summary_value(q->rows, i, BND_SUMMARY_BYTES_PER_PARAMETER),
                              q->rows[q->rows[i].reference].name,
                              bnd_summary_value(q->rows, q->rows[i].reference, BND_SUMMARY_BYTES_PER_PARAMETER));
        }
    }
    if (saving == 0) {
        bndi_sentence_add(line, "Activations are not smaller either.");
    } else {
        bndi_sentence_add(line, "Activations are smaller%s", saving < all ? " in " : "");
        if (saving < all) {
            add_names(line, q, FEWER_ACTIVATIONS);
        }
        bndi_sentence_add(line, ".");
    }
}

/* ---- pairs ---- */

/* What was read of a log. */
static void tell_of_columns(bndi_sentence *line, const question *q, size_t at)
{
    size_t row = 0;
    for (; at >= q->rows[row].count; row++) {
        at -= q->rows[row].count;
    }
    const bnd_record *log = &q->rows[row].records[at];
    if (log->step_column != NULL) {
        bndi_sentence_add(line, "%s: the step is column \"%s\", the loss is column \"%s\".", log->source,
                          log->step_column, log->loss_column);
    }
}

static void tell_of_repeats(bndi_sentence *line, const question *q, size_t at)
{
    const bnd_summary_row *row = &q->rows[at];
    const bool log = row->records->config == NULL, one = row->repeats == 1;
    if (row->repeats > 0) {
        bndi_sentence_add(line, "%s: %zu of its %zu %s %s %sanother%s and %s left out: each counts once.", row->name,
                          row->repeats, row->count + row->repeats, log ? "logs" : "runs", one ? "repeats" : "repeat",
                          log ? "the losses of " : "", log ? "" : " (the same seeds of initialisation and data)",
                          one ? "is" : "are");
    }
}

/* Another setup than that of its reference, of the same model. */
static bool has_other_setup(const question *q, size_t row)
{
    const bnd_record *record = q->rows[row].records, *reference = q->rows[q->rows[row].reference].records;
    return !q->rows[row].compared && bndi_record_same_model(record, reference) &&
           !bndi_record_same_setup(record, reference);
}

/* "epsilon (0.1, not 1e-08) and batch (16, not 4)" */
static void add_settings(bndi_sentence *line, const question *q, size_t row, unsigned kinds)
{
    enum { SHOWN = 8 };
    bndi_setting apart[SHOWN];
    const size_t all =
        bndi_settings_apart(apart, SHOWN, q->rows[row].records, q->rows[q->rows[row].reference].records, kinds);
    for (size_t i = 0; i < all && i < SHOWN; i++) {
        bndi_sentence_add(line, "%s%s", separator(i, all, " and "), apart[i].key);
        if (strcmp(apart[i].value, apart[i].other) != 0) { /* files of one name, or long texts that begin alike */
            bndi_sentence_add(line, " (%s, not %s)", apart[i].value, apart[i].other);
        }
    }
    if (all > SHOWN) {
        bndi_sentence_add(line, " and %zu more", all - SHOWN);
    }
}

static void tell_of_setup(bndi_sentence *line, const question *q, size_t row)
{
    if (has_other_setup(q, row)) {
        bndi_sentence_add(line, "No pair for %s: it differs from %s in ", q->rows[row].name,
                          q->rows[q->rows[row].reference].name);
        add_settings(line, q, row, BNDI_SETTING_SETUP);
        bndi_sentence_add(line, ", so a gap would not be one of the recipe alone.");
    }
}

/* The optimizer and its rate may be compared on purpose. */
static void tell_of_choice(bndi_sentence *line, const question *q, size_t row)
{
    const bnd_summary_row *its = &q->rows[row], *reference = &q->rows[its->reference];
    if (its->compared && bndi_settings_apart(NULL, 0, its->records, reference->records, BNDI_SETTING_CHOSEN) > 0) {
        bndi_sentence_add(line, "%s also differs from %s in ", its->name, reference->name);
        add_settings(line, q, row, BNDI_SETTING_CHOSEN);
        bndi_sentence_add(line, ": the gap is not one of the recipe alone.");
    }
}

/* A row that could be a pair but for its steps, as logs of two parts of a run have them. */
static bool is_apart(const question *q, size_t row)
{
    const bnd_record *record = q->rows[row].records, *reference = q->rows[q->rows[row].reference].records;
    return !q->rows[row].compared && bndi_record_same_setup(record, reference) &&
           !bndi_record_same_steps(record, reference);
}

static bool is_other(const question *q, size_t row)
{
    return !q->rows[row].compared && !is_apart(q, row) && !has_other_setup(q, row);
}

static void tell_of_steps(bndi_sentence *line, const question *q, size_t row)
{
    const bnd_summary_row *reference = &q->rows[q->rows[row].reference];
    const bool begun = bndi_record_has_steps(q->rows[row].records);
    if (is_apart(q, row) && !(begun && bndi_record_has_steps(reference->records))) {
        bndi_sentence_add(line, "No pair for %s: %s has no steps yet.", q->rows[row].name,
                          begun ? reference->name : "it");
    } else if (is_apart(q, row)) {
        const bnd_record *const both[] = {q->rows[row].records, reference->records};
        unsigned long long step[4];
        for (size_t i = 0; i < 4; i++) {
            step[i] = both[i / 2]->points[i % 2 == 0 ? 0 : both[i / 2]->count - 1].step;
        }
        bndi_sentence_add(line,
                          "No pair for %s: its steps, %llu to %llu, and those of %s, %llu to %llu, do not overlap.",
                          q->rows[row].name, step[0], step[1], reference->name, step[2], step[3]);
    }
}

/* Other rows without any pair. */
static void tell_of_others(bndi_sentence *line, const question *q, size_t row)
{
    size_t others = 0, at = 0;
    for (size_t i = 0; i < q->count; i++) {
        others += is_other(q, i);
    }
    if (others == 0 || row > 0) {
        return;
    }
    bndi_sentence_add(line, "No pair for ");
    for (size_t i = 0; i < q->count; i++) {
        if (is_other(q, i)) {
            bndi_sentence_add(line, "%s%s", separator(at, others, " and "), q->rows[i].name);
            at++;
        }
    }
    bndi_sentence_add(line, ": runs are compared if they have the same model, seeds and data, and the same files of "
                            "init and order.");
}

/* Runs of different lengths are compared where both are. */
static void tell_of_length(bndi_sentence *line, const question *q, size_t at)
{
    const bnd_summary_row *row = &q->rows[at];
    if (row->compared && row->is.cut) {
        const char *reference = q->rows[row->reference].name;
        char loss[32];
        bnd_loss_print(loss, sizeof loss, row->is.reference);
        bndi_sentence_add(line,
                          "%s and %s end at different steps: they are compared at step %llu, the last that both have, "
                          "where the loss of %s is %s.",
                          row->name, reference, (unsigned long long)row->is.cut_at, reference, loss);
    }
}

/* ---- settings without effect ---- */

/* The sentence on them, and the row that it is about. */
typedef struct unused {
    bndi_sentence *line;
    const char *name;
} unused;

static void add_unused(void *data, const char *name, size_t length, const char *reason)
{
    unused *u = data;
    if (u->line->length == 0) {
        bndi_sentence_add(u->line, "Settings of %s have no effect: ", u->name);
    } else {
        bndi_sentence_add(u->line, ", ");
    }
    bndi_sentence_add(u->line, "%.*s= (%s)", (int)length, name, reason);
}

/* Settings of the recipe that this training does not use: recipes are compared across models and optimizers, so they
 * are not errors. A run that switches to another recipe is called "RECIPE>RECIPE@STEP". */
static void tell_of_unused(bndi_sentence *line, const question *q, size_t at)
{
    const bnd_record *record = q->rows[at].records;
    unused u = {line, q->rows[at].name};
    bnd_task task;
    if (record->config == NULL || bnd_task_read(&task, record->config, NULL) != BND_OK) {
        return;
    }
    const char *written = task.training.policy.written;
    const size_t first = task.switches ? strcspn(record->recipe, ">") : strlen(record->recipe);
    bndi_unused_settings(&task.training, written[0] != '\0' ? written : record->recipe,
                         written[0] != '\0' ? strlen(written) : first, add_unused, &u);
    if (record->recipe[first] != '\0') {
        const char *then = record->recipe + first + 1, *step = strrchr(then, '@');
        task.training.policy = task.switch_to;
        bndi_unused_settings(&task.training, then, step != NULL ? (size_t)(step - then) : strlen(then), add_unused, &u);
    }
    bndi_sentence_add(line, "%s", line->length > 0 ? "." : "");
}

/* ---- failures ---- */

static void keep_first(uint64_t *first, const uint64_t from[BND_ROLE_COUNT])
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        *first = from[role] > 0 && from[role] - 1 < *first ? from[role] - 1 : *first;
    }
}

/* The roles of a run that `from` puts at this step, in words: a sentence, or nothing. */
static void add_roles(bndi_sentence *line, const char *what, const uint64_t from[BND_ROLE_COUNT], uint64_t step)
{
    enum { MOST = 4 };
    size_t all = 0, at = 0;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        all += from[role] == step + 1;
    }
    const size_t shown = all < MOST ? all : MOST;
    if (all == 0) {
        return;
    }
    bndi_sentence_add(line, " %s first in step %llu, of the roles ", what, (unsigned long long)step);
    for (unsigned role = 0; role < BND_ROLE_COUNT && at < shown; role++) {
        if (from[role] == step + 1) {
            bndi_sentence_add(line, "%s%s", at++ > 0 ? ", " : "", bnd_role_name((bnd_role)role));
        }
    }
    if (all > shown) {
        bndi_sentence_add(line, " and %zu more", all - shown);
    }
    bndi_sentence_add(line, ".");
}

/* What its own statistics say of a run that failed: where numbers were first lost. */
static void add_first_loss(bndi_sentence *line, const bnd_summary_row *row)
{
    const bnd_record *record = row->records;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < row->count; i++) {
        uint64_t own = UINT64_MAX;
        keep_first(&own, row->records[i].overflow_from);
        keep_first(&own, row->records[i].underflow_from);
        record = own < first ? &row->records[i] : record;
        first = own < first ? own : first;
    }
    if (first < UINT64_MAX) {
        add_roles(line, "Numbers overflowed", record->overflow_from, first);
        add_roles(line, "1 % or more of the nonzero numbers underflowed to zero", record->underflow_from, first);
    }
}

/* Is there a run whose loss is NaN from that step on, to its end? */
static bool has_nan_from(const bnd_summary_row *row, uint64_t step)
{
    bool found = false;
    for (size_t i = 0; i < row->count; i++) {
        const bnd_record *record = &row->records[i];
        size_t n = record->count;
        while (n > 0 && record->points[n - 1].step >= step && !isfinite(record->points[n - 1].loss)) {
            n--;
        }
        found = found || ((n < record->count || record->ended) && (n == 0 || record->points[n - 1].step < step));
    }
    return found;
}

static void add_failure(bndi_sentence *line, const question *q, size_t at)
{
    const bnd_summary_row *row = &q->rows[at];
    const double ended = bnd_summary_value(q->rows, at, BND_SUMMARY_ENDED_AT);
    if (!row->compared || row->is.failed == 0) {
        return;
    }
    bndi_sentence_add(line, "%s failed", row->name);
    if (row->count > 1) {
        bndi_sentence_add(line, " in %zu of %zu runs", row->is.failed, row->count);
    }
    if (row->is.failed_nan > 0 && row->is.nan_at_end) {
        bndi_sentence_add(line, ": the losses of its steps are numbers, and its validation at the end is NaN.");
    } else if (row->is.failed_nan > 0) {
        const bool lasts = has_nan_from(row, row->is.nan_from);
        bndi_sentence_add(line, ": its loss is NaN %s step %llu%s.", lasts ? "from" : "at",
                          (unsigned long long)row->is.nan_from, lasts ? " on" : "");
    } else {
        bndi_sentence_add(line, ": its final loss is %s.",
                          bnd_summary_is_known(q->rows, q->count) ? "at chance level" : "not below the first");
    }
    add_first_loss(line, row);
    if (!isnan(ended)) {
        bndi_sentence_add(line,
                          " All of its weights were NaN after %.0f of %llu steps: the run ended there, and its counts "
                          "cover these steps only.",
                          ended, (unsigned long long)row->records->steps);
    }
}

size_t bnd_summary_print_failure(char *out, size_t size, const bnd_summary_row *rows, size_t count, size_t row)
{
    const question q = {rows, count, false};
    bndi_sentence text = bndi_sentence_in(out, size);
    add_failure(&text, &q, row);
    return text.length;
}

/* ---- all of them ---- */

size_t bnd_summary_print_note(char *out, size_t size, const bnd_summary_row *rows, size_t count, bool memory,
                              size_t note)
{
    static const struct {
        void (*write)(bndi_sentence *line, const question *q, size_t at);
        bool of_records; /* `at` counts them; otherwise rows */
    } kinds[] = {{judge_reference, false}, {warn_of_memory, false}, {tell_of_columns, true}, {tell_of_repeats, false},
                 {tell_of_steps, false},   {tell_of_setup, false},  {tell_of_others, false}, {tell_of_choice, false},
                 {tell_of_length, false},  {tell_of_unused, false}, {add_failure, false}};
    const question q = {rows, count, memory};
    size_t records = 0;
    for (size_t i = 0; i < count; i++) {
        records += rows[i].count;
    }
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        for (size_t at = 0; at < (kinds[kind].of_records ? records : count); at++) {
            bndi_sentence text = bndi_sentence_in(out, size);
            kinds[kind].write(&text, &q, at);
            if (text.length > 0 && note-- == 0) {
                return text.length;
            }
        }
    }
    (void)bndi_sentence_in(out, size);
    return 0;
}
