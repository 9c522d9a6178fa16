/* Autopsies of recipes that did worse than fp32: running them, and their JSON. Their text is in autopsy_text.c. */
#include "common/process.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making them ---- */

bool is_ill(const train_result *r, const train_row *row, const bnd_task *task)
{
    bool complete = true;
    for (size_t i = 0; i < row->count; i++) {
        complete = complete && row->records[i].complete;
    }
    return complete && row->compared && row != &r->rows[row->reference] && bnd_comparison_has_cause(&row->is) &&
           !task->switches;
}

/* GO_ON, or the status to leave with. The runs are all of the same length: that is what the bar needs to know. */
static int make_one(train_row *row, const settings *s, const train_row *reference, const bnd_task *tasks, double margin,
                    const bnd_context *context)
{
    bnd_error why;
    live l;
    size_t runs = row->count * bnd_autopsy_runs(&tasks->training); /* at most */
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
    if (status != BND_OK || was_stopped()) { /* it has no shares then */
        free(a);
        return status == BND_OK ? GO_ON : (complain(s->command, "%s", why.message), BAD_STREAM);
    }
    row->autopsy = a;
    return GO_ON;
}

/* ---- JSON ---- */

static void json_number(bnd_lab_json *json, const char *key, bool known, double x)
{
    json_owned_literal(json, key, known ? double_text(x) : copy_text("null"));
}

static void json_finding(bnd_lab_json *json, const char *key, const bnd_finding *f)
{
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "mechanism", bnd_mechanism_name(f->mechanism));
    bnd_lab_json_string(json, "role", bnd_role_name(f->role));
    json_number(json, "share", !isnan(f->share), f->share);
    bnd_lab_json_string(json, "place", f->worst);
    json_number(json, "place_share", !isnan(f->share), f->worst_share);
    bnd_lab_json_unsigned(json, "step", f->step);
    bnd_lab_json_end(json);
}

static void json_culprits(bnd_lab_json *json, const bnd_autopsy *a)
{
    bnd_lab_json_boolean(json, "heals", a->heals);
    json_number(json, "healed", a->heals, a->healed);
    json_number(json, "healed_interval", a->heals, a->healed_interval);
    bnd_lab_json_array(json, "culprits");
    for (size_t i = 0; i < a->culprit_count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "part", bnd_part_name(a->culprits[i].part));
        if (a->culprits[i].has_cause) {
            json_finding(json, "cause", &a->culprits[i].cause);
        } else {
            bnd_lab_json_null(json, "cause");
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_boolean(json, "epsilon_vanishes", a->epsilon_vanishes);
}

static void json_shares(bnd_lab_json *json, const bnd_autopsy *a)
{
    bnd_lab_json_array(json, "parts");
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *s = &a->shares[i];
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "part", bnd_part_name(s->part));
        json_number(json, "recovered", s->lifts, s->lifted);
        json_number(json, "recovered_interval", s->lifts, s->lifted_interval);
        bnd_lab_json_boolean(json, "heals", s->heals);
        json_number(json, "lost", s->lowers, s->lowered);
        json_number(json, "lost_interval", s->lowers, s->lowered_interval);
        bnd_lab_json_boolean(json, "hurts", s->hurts);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    json_number(json, "interaction", a->share_count > 0, a->interaction);
    json_number(json, "interaction_interval", a->share_count > 0, a->interaction_interval);
}

static void json_members(bnd_lab_json *json, const train_row *row)
{
    const bnd_autopsy *a = row->autopsy;
    json_owned_string(json, "words", autopsy_text(row));
    json_culprits(json, a);
    json_shares(json, a);
    bnd_lab_json_array(json, "findings");
    for (size_t i = 0; i < a->finding_count; i++) {
        json_finding(json, NULL, &a->findings[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_unsigned(json, "runs", a->runs);
}

void json_autopsy(bnd_lab_json *json, const train_row *row)
{
    const bnd_autopsy *a = row->autopsy;
    if (a == NULL) {
        bnd_lab_json_null(json, "autopsy");
        return;
    }
    bnd_lab_json_object(json, "autopsy");
    json_members(json, row);
    bnd_lab_json_end(json);
}
/* autopsy.json in the directory of each run of the recipe: it is about all of them. */
static int keep(const train_row *row, const settings *s, double margin)
{
    int status = GO_ON;
    long_text text = {0};
    bnd_lab_json json;
    bnd_lab_json_begin(&json, add_bytes, &text);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_unsigned(&json, "steps", row->records->steps);
    bnd_lab_json_unsigned(&json, "seeds", row->count);
    json_owned_literal(&json, "margin", double_text(margin));
    json_members(&json, row);
    bnd_lab_json_end(&json);
    add_text(&text, "\n");
    for (size_t i = 0; status == GO_ON && i < row->count; i++) {
        if (row->records[i].source != NULL) {
            char *path = path_text(row->records[i].source, "autopsy.json");
            status = save_text(s->command, path, &text);
            free(path);
        }
    }
    free(text.text);
    return status;
}

/* ---- all of them ---- */

int make_autopsies(train_result *r, const settings *s, const bnd_task *tasks, const bnd_context *context)
{
    int status = GO_ON;
    r->autopsied = true;
    for (size_t i = 0; status == GO_ON && i < r->row_count && !was_stopped(); i++) {
        train_row *row = &r->rows[i];
        const bnd_task *own = &tasks[row->records - r->records];
        if (is_ill(r, row, own)) {
            row->has_parts = bnd_autopsy_runs(&own->training) > 0;
            row->epsilon = own->training.epsilon;
            row->v = own->training.policy.cast[BND_ROLE_V].format;
            status = make_one(row, s, &r->rows[row->reference], own, r->margin, context);
            status = status == GO_ON && row->autopsy != NULL ? keep(row, s, r->margin) : status;
        }
    }
    return status;
}
