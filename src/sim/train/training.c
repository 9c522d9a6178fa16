/* Names and defaults of what a run is made of: models, optimizers, schedules. */
#include "train/optimizer.h"

#include <string.h>

#include "base/base.h"

static const bndi_model_row *const models[] = {&bndi_quadratic_row, &bndi_least_squares_row, &bndi_logistic_row,
                                               &bndi_mlp_row,       &bndi_student_row,       &bndi_transformer_row,
                                               &bndi_gpt2_row,      &bndi_llama_row};
enum { MODELS = sizeof models / sizeof models[0] };

size_t bnd_model_count(void)
{
    return MODELS;
}

const char *bnd_model_name(size_t row)
{
    return row < MODELS ? models[row]->name : "";
}

const char *bnd_model_title(size_t row)
{
    return row < MODELS ? models[row]->title : "";
}

/* The row of a list by its name, or an error that names the nearest; where none is near, all of them. */
static bnd_status find(size_t *row, const char *name, const char *(*name_of)(size_t), size_t count, const char *what,
                       bnd_error *why)
{
    size_t length = bndi_length(name);
    bndi_nearest nearest = bndi_nearest_to(name, length);
    for (size_t i = 0; i < count; i++) {
        if (bndi_same_word(name, length, name_of(i))) {
            *row = i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, name_of(i), bndi_length(name_of(i)));
    }
    char all[256]; /* more than the names of any of the lists take */
    bndi_text text = bndi_text_in(all, sizeof all);
    for (size_t i = 0; i < count; i++) {
        bndi_text_string(&text, i == 0 ? "(available: " : ", ");
        bndi_text_string(&text, name_of(i));
    }
    bndi_text_string(&text, ")");
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, what, nearest.count == 0 ? all : NULL);
}

static const bndi_text_row *const sources[] = {&bndi_text_copy, &bndi_text_chain};
enum { SOURCES = sizeof sources / sizeof sources[0] };

size_t bnd_source_count(void)
{
    return SOURCES;
}

const char *bnd_source_name(size_t row)
{
    return row < SOURCES ? sources[row]->name : "";
}

const char *bnd_source_title(size_t row)
{
    return row < SOURCES ? sources[row]->title : "";
}

bnd_status bndi_open_text(bnd_run *run, bnd_error *why)
{
    size_t row = 0;
    if (run->training.data[0] != 0) {
        return bndi_open_file(run, why);
    }
    bnd_status status = find(&row, run->training.source, bnd_source_name, SOURCES, "unknown source of text", why);
    return status == BND_OK ? sources[row]->open(run, why) : status;
}

bnd_status bnd_optimizer_find(size_t *row, const char *name, bnd_error *why)
{
    return find(row, name, bnd_optimizer_name, bnd_optimizer_count(), "unknown optimizer", why);
}

bool bnd_training_uses(const bnd_training *training, bnd_role role)
{
    size_t row;
    return role != BND_ROLE_NS ||
           (bnd_optimizer_find(&row, training->optimizer, NULL) == BND_OK && bndi_optimizer_at(row)->others != NULL);
}

/* The caller's own model is not in the list: a command cannot run it. */
static bnd_status find_model(const bndi_model_row **model, const char *name, bnd_error *why)
{
    size_t row;
    if (bndi_same_word(name, bndi_length(name), bndi_own_row.name)) {
        *model = &bndi_own_row;
        return BND_OK;
    }
    bnd_status status = find(&row, name, bnd_model_name, MODELS, "unknown model", why);
    if (status == BND_OK) {
        *model = models[row];
    }
    return status;
}

static bnd_status find_rows(const bndi_model_row **model, const bndi_optimizer_row **optimizer, const char *model_name,
                            const char *optimizer_name, bnd_error *why)
{
    const bndi_model_row *m;
    size_t o;
    bnd_status status = find_model(&m, model_name, why);
    if (status == BND_OK) {
        status = bnd_optimizer_find(&o, optimizer_name, why);
    }
    if (status == BND_OK) {
        *model = m;
        *optimizer = bndi_optimizer_at(o);
    }
    return status;
}

bnd_status bndi_rows_of(bnd_run *run, bnd_error *why)
{
    return find_rows(&run->model, &run->optimizer, run->training.model, run->training.optimizer, why);
}

static void copy_name(char *out, const char *name)
{
    strncpy(out, name, BND_TRAINING_NAME_SIZE - 1);
    out[BND_TRAINING_NAME_SIZE - 1] = 0;
}

bnd_status bnd_training_default(bnd_training *out, const char *model, const char *optimizer, const char *recipe,
                                bnd_error *why)
{
    bnd_training t = {.steps = 200, .batch = 32, .micro_batches = 1, .ranks = 1};
    const bndi_model_row *m;
    const bndi_optimizer_row *o;
    bnd_status status = find_rows(&m, &o, model, optimizer, why);
    if (status == BND_OK) {
        status = bnd_policy_parse(&t.policy, recipe, why);
    }
    if (status != BND_OK) {
        return status;
    }
    copy_name(t.model, m->name);
    copy_name(t.optimizer, o->name);
    copy_name(t.schedule, "constant");
    t.lr = o->lr * (o->strides ? m->stride : 1);
    t.beta1 = o->beta1;
    t.beta2 = o->beta2;
    t.epsilon = o->epsilon;
    t.weight_decay = o->weight_decay;
    m->usual(&t);
    *out = t;
    return BND_OK;
}

/* ---- schedules ---- */

typedef double schedule_function(double share);

static double constant(double share)
{
    (void)share;
    return 1;
}

/* A tenth of the run up to the full rate, then on. */
static double warmup(double share)
{
    return share < 0.1 ? share / 0.1 : 1;
}

/* cos by its series on [0, pi/2], by symmetry beyond: the same bits everywhere. What is left out is below 1e-12. */
static double half_cosine(double share)
{
    double x = 3.14159265358979323846 * (share <= 0.5 ? share : 1 - share), z = x * x, sum = 1, term = 1;
    for (int i = 1; i < 12; i++) {
        term = -term * z / (double)(2 * i * (2 * i - 1));
        sum += term;
    }
    return share <= 0.5 ? (1 + sum) / 2 : (1 - sum) / 2;
}

/* Warm-up, then half a cosine down to a tenth. */
static double cosine(double share)
{
    return share < 0.1 ? share / 0.1 : 0.1 + 0.9 * half_cosine((share - 0.1) / 0.9);
}

/* Warm-up, stable, then a fifth of the run linearly down to nothing. */
static double wsd(double share)
{
    return share < 0.1 ? share / 0.1 : share < 0.8 ? 1 : (1 - share) / 0.2;
}

static const struct schedule {
    const char *name;
    schedule_function *factor;
} schedules[] = {{"constant", constant}, {"warmup", warmup}, {"cosine", cosine}, {"wsd", wsd}};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };

/* The names, and what stands for warmup:N in the list of a message. */
static const char *schedule_name(size_t row)
{
    return row < SCHEDULES ? schedules[row].name : "warmup:N";
}

static const char warmup_prefix[] = "warmup:";

/* Whether a schedule is warmup:N, whose rate rises for N steps; then N, or 0 if it is not a number. */
static bool is_warmup_of(uint64_t *steps, const char *schedule)
{
    size_t begin = sizeof warmup_prefix - 1;
    if (strncmp(schedule, warmup_prefix, begin) != 0) {
        return false;
    }
    if (!bndi_count_of(steps, schedule + begin, bndi_length(schedule + begin))) {
        *steps = 0;
    }
    return true;
}

bool bndi_schedule_extends(const char *schedule)
{
    uint64_t rising;
    return strcmp(schedule, "constant") == 0 || is_warmup_of(&rising, schedule);
}

bnd_status bnd_schedule_factor(double *out, const char *schedule, uint64_t step, uint64_t steps, bnd_error *why)
{
    size_t row;
    uint64_t rising;
    if (is_warmup_of(&rising, schedule)) {
        if (rising == 0) {
            return bnd_fail(why, BND_BAD_NAME, sizeof warmup_prefix - 1,
                            "schedule '%s' needs a number of steps after '%s', such as warmup:100", schedule,
                            warmup_prefix);
        }
        *out = step < rising ? (double)(step + 1) / (double)rising : 1;
        return BND_OK;
    }
    bnd_status status = find(&row, schedule, schedule_name, SCHEDULES + 1, "unknown schedule", why);
    if (status == BND_OK) {
        *out = schedules[row].factor(step < steps ? (double)(step + 1) / (double)steps : 1);
    }
    return status;
}
