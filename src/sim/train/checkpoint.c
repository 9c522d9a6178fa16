/* Saving and loading a run: its whole state, and its description as text. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "base/base.h"
#include "store/store.h"
#include "tensor/files.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

#include <binade/text.h>

/* The metadata. */
static const char kind_key[] = "binade.checkpoint", training_key[] = "training", step_key[] = "step",
                  good_steps_key[] = "good_steps", loss_scale_key[] = "loss_scale";
static const char version[] = "1";

/* Arrays of fp64 that are no parameter's: what the engine carries; and how many updates were made, where that does not
 * follow from the step: bndi_made of each parameter. */
static const char carried_name[] = "carried", updates_name[] = "optimizer.updates";
enum { COUNTS = 3 };

enum { TEXT_SIZE = 16384, NAME_SIZE = BNDI_PARAMETER_NAME + 16, PAIRS = 5 };

static const bnd_rule to_nearest = {.rounding = BND_ROUND_RNE};

static void name_of(char out[NAME_SIZE], const bndi_parameter *p, size_t row)
{
    bndi_text text = bndi_text_in(out, NAME_SIZE);
    bndi_text_string(&text, p->name);
    bndi_text_string(&text, bndi_kept_suffix(row));
}

/* ---- into a file ---- */

typedef struct saved {
    bnd_named_tensor *tensors; /* BNDI_KEPT for each parameter, and two */
    char (*names)[NAME_SIZE];
    size_t count;
    char training[TEXT_SIZE], step[24], good_steps[24], loss_scale[40];
    bnd_engine *engine; /* of a tensor that the run has not */
} saved;

static void list_tensors(saved *s, const bnd_run *run)
{
    for (size_t i = 0; i < run->parameters; i++) {
        bndi_parameter p = run->parameter[i];
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            const bnd_tensor *t = *bndi_kept_of(&p, row);
            if (t != NULL) {
                name_of(s->names[s->count], &p, row);
                s->tensors[s->count] = (bnd_named_tensor){s->names[s->count], t};
                s->count++;
            }
        }
    }
}

static bnd_status room_for(double **out, size_t n, bnd_error *why)
{
    *out = calloc(n, sizeof **out);
    return *out != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu numbers of a checkpoint", n);
}

/* Numbers as a tensor of an engine of its own, so that the run's account does not see it. */
static bnd_status list_numbers(saved *s, const char *name, const double *x, size_t n, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = s->engine == NULL ? bnd_engine_new(&s->engine, NULL, why) : BND_OK;
    if (status == BND_OK) {
        const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_64);
        status = bnd_tensor_from_f64(&t, s->engine, f, x, &n, 1, BND_ROLE_SCRATCH, why);
    }
    if (status == BND_OK) {
        s->tensors[s->count++] = (bnd_named_tensor){name, t};
    }
    return status;
}

static bnd_status list_carried(saved *s, const bnd_run *run, bnd_error *why)
{
    const size_t n = bnd_engine_state_count(run->engine);
    double *x;
    if (n == 0) {
        return BND_OK;
    }
    bnd_status status = room_for(&x, n, why);
    if (status == BND_OK) {
        bnd_engine_state_get(x, run->engine);
        status = list_numbers(s, carried_name, x, n, why);
        free(x);
    }
    return status;
}

static bnd_status list_updates(saved *s, const bnd_run *run, bnd_error *why)
{
    const size_t n = run->parameters * COUNTS;
    bool usual = true;
    double *x;
    bnd_status status = room_for(&x, n + 1, why);
    if (status != BND_OK) {
        return status;
    }
    for (size_t i = 0; i < run->parameters; i++) {
        const bndi_made made = run->parameter[i].made, all = bndi_made_usually(run, i, run->step);
        usual = usual && made.all == all.all && made.m == all.m && made.v == all.v;
        x[i * COUNTS] = (double)made.all;
        x[i * COUNTS + 1] = (double)made.m;
        x[i * COUNTS + 2] = (double)made.v;
    }
    status = usual ? BND_OK : list_numbers(s, updates_name, x, n, why);
    free(x);
    return status;
}

static void print_count(char *out, size_t size, uint64_t n)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_text_unsigned(&text, n, 10, 1);
}

static bnd_status describe(saved *s, const bnd_run *run, bnd_error *why)
{
    char recipe[BND_POLICY_TEXT_SIZE];
    bnd_status status = bnd_policy_text(recipe, sizeof recipe, &run->training.policy, why);
    if (status != BND_OK) {
        return status;
    }
    size_t length = bnd_training_print(s->training, sizeof s->training, &run->training);
    print_count(s->step, sizeof s->step, run->step);
    print_count(s->good_steps, sizeof s->good_steps, run->good_steps);
    bnd_print_hex(s->loss_scale, sizeof s->loss_scale, bnd_exact_double(run->loss_scale));
    return length < sizeof s->training
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "the run's configuration is %zu bytes long; the limit is %d",
                          length, TEXT_SIZE);
}

static bnd_status save_with(saved *s, const bnd_run *run, const char *path, bnd_error *why)
{
    bnd_status status = describe(s, run, why);
    if (status == BND_OK) {
        list_tensors(s, run);
        status = list_carried(s, run, why);
        status = status == BND_OK ? list_updates(s, run, why) : status;
    }
    const bnd_safetensors_pair pairs[PAIRS] = {{kind_key, version},
                                               {training_key, s->training},
                                               {step_key, s->step},
                                               {good_steps_key, s->good_steps},
                                               {loss_scale_key, s->loss_scale}};
    return status == BND_OK ? bndi_tensor_save_summed(path, s->tensors, s->count, pairs, PAIRS, why) : status;
}

bnd_status bnd_run_save(const bnd_run *run, const char *path, bnd_error *why)
{
    const size_t most = run->parameters * BNDI_KEPT + 2; /* parameters are at most BNDI_PARAMETERS */
    saved *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the contents of a checkpoint");
    }
    s->tensors = calloc(most, sizeof *s->tensors);
    s->names = calloc(most, sizeof *s->names);
    bnd_status status = s->tensors != NULL && s->names != NULL
                            ? save_with(s, run, path, why)
                            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the contents of a checkpoint");
    bnd_engine_free(s->engine);
    free(s->tensors);
    free(s->names);
    free(s);
    return status;
}

/* ---- out of a file ---- */

typedef struct checkpoint {
    const bnd_safetensors *file;
    bnd_training training;
    uint64_t step, good_steps;
    double loss_scale;
} checkpoint;

static bnd_status find_text(const char **out, const bnd_safetensors *file, const char *key, bnd_error *why)
{
    *out = bnd_safetensors_metadata(file, key);
    return *out != NULL ? BND_OK
                        : bnd_fail(why, BND_BAD_FILE, 0,
                                   "is not a checkpoint of a run: its metadata have no \"%s\"; name a "
                                   "checkpoint.safetensors that a run has written, or say what the model is, with the "
                                   "option config",
                                   key);
}

static bnd_status find_count(uint64_t *out, const bnd_safetensors *file, const char *key, bnd_error *why)
{
    const char *text;
    bnd_status status = find_text(&text, file, key, why);
    if (status == BND_OK && !bndi_count_of(out, text, strlen(text))) {
        return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" of its metadata must be a whole number below 2^64", key);
    }
    return status;
}

static bnd_status find_loss_scale(double *out, const bnd_safetensors *file, bnd_error *why)
{
    const char *text;
    bnd_result r = {.code = 0};
    bnd_status status = find_text(&text, file, loss_scale_key, why);
    const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_64);
    if (status != BND_OK) {
        return status;
    }
    bool good = bnd_parse(&r, f, text, to_nearest, 0, NULL) == BND_OK;
    double x = bnd_decode(f, r.code);
    if (!good || !(x > 0) || x - x != 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" of its metadata must be a loss scale, a finite number above 0",
                        loss_scale_key);
    }
    *out = x;
    return BND_OK;
}

/* Steps that random bits are numbered by: a run gets to none beyond. */
static const uint64_t most_steps = (uint64_t)1 << 48;

static bnd_status read_head(checkpoint *c, bnd_error *why)
{
    const char *text;
    bnd_status status = find_text(&text, c->file, kind_key, why);
    if (status == BND_OK && strcmp(text, version) != 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is a checkpoint of another version of binade; this one reads version %s",
                        version);
    }
    status = status == BND_OK ? find_text(&text, c->file, training_key, why) : status;
    if (status == BND_OK) {
        status = bnd_training_read_n(&c->training, text, strlen(text), why);
    }
    status = status == BND_OK ? find_count(&c->step, c->file, step_key, why) : status;
    status = status == BND_OK ? find_count(&c->good_steps, c->file, good_steps_key, why) : status;
    status = status == BND_OK ? find_loss_scale(&c->loss_scale, c->file, why) : status;
    return status == BND_OK && c->step >= most_steps
               ? bnd_fail(why, BND_BAD_FILE, 0, "is damaged: its number of steps is %llu", (unsigned long long)c->step)
               : status;
}

/* ---- its numbers ---- */

/* Numbers that list_numbers wrote, to be freed; none: *n = 0 and *out = NULL. */
static bnd_status find_numbers(double **out, size_t *n, const bnd_safetensors *file, const char *name, bnd_error *why)
{
    const bnd_safetensor *entry = bnd_safetensors_find(file, name);
    *out = NULL;
    *n = entry != NULL && entry->rank == 1 ? (size_t)entry->count : 0;
    if (entry == NULL) {
        return BND_OK;
    }
    if (*n == 0 || strcmp(entry->dtype, "F64") != 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "array \"%s\" is %s with %zu dimensions; expected F64 with 1", name,
                        entry->dtype, entry->rank);
    }
    bnd_status status = room_for(out, *n, why);
    if (status == BND_OK) {
        memcpy(*out, entry->data, *n * sizeof **out); /* they may stand at any address */
    }
    return status;
}

/* They may be more than the steps: a step that failed after some updates was made again. */
static bool are_counts(const double *x)
{
    bool all = true;
    for (size_t i = 0; all && i < COUNTS; i++) {
        all = x[i] >= 0 && x[i] <= (double)most_steps && x[i] == (double)(uint64_t)x[i];
    }
    return all;
}

/* In a file without the array, each step has made an update. */
static bnd_status fill_updates(bnd_run *run, const bnd_safetensors *file, uint64_t step, bnd_error *why)
{
    double *x;
    size_t n;
    bnd_status status = find_numbers(&x, &n, file, updates_name, why);
    if (status != BND_OK) {
        return status;
    }
    if (x != NULL && n != run->parameters * COUNTS) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "array \"%s\" has %zu numbers; expected %zu, %d for each parameter",
                          updates_name, n, run->parameters * COUNTS, COUNTS);
    }
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_made *made = &run->parameter[i].made;
        if (x == NULL) {
            *made = bndi_made_usually(run, i, step);
        } else if (are_counts(x + i * COUNTS)) {
            const double *counts = x + i * COUNTS;
            *made = (bndi_made){(uint64_t)counts[0], (uint64_t)counts[1], (uint64_t)counts[2]};
        } else {
            status = bnd_fail(why, BND_BAD_FILE, 0,
                              "array \"%s\": the numbers of parameter %zu must be counts of updates, from 0 to 2^48",
                              updates_name, i);
        }
    }
    free(x);
    return status;
}

/* Nothing is carried before the first step, nor under most recipes. */
static bnd_status fill_carried(bnd_run *run, const bnd_safetensors *file, bnd_error *why)
{
    double *x;
    size_t n;
    bnd_error inner = {.message = ""};
    bnd_status status = find_numbers(&x, &n, file, carried_name, why);
    if (x == NULL) {
        return status;
    }
    status = bnd_engine_state_set(run->engine, x, n, &inner);
    free(x);
    return status == BND_OK || status == BND_NO_MEMORY
               ? (status == BND_OK ? BND_OK : bnd_fail(why, status, 0, "%s", inner.message))
               : bnd_fail(why, BND_BAD_FILE, 0, "array \"%s\": %s", carried_name, inner.message);
}

bool bndi_checkpoint_reserves(const char *name)
{
    return strcmp(name, carried_name) == 0 || strcmp(name, updates_name) == 0;
}

/* Does the run have a tensor of this name, or such scales? */
static bool is_expected(bnd_run *run, const char *name)
{
    char own[NAME_SIZE + 8];
    for (size_t i = 0; i < run->parameters; i++) {
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            const bnd_tensor *t = *bndi_kept_of(&run->parameter[i], row);
            if (t == NULL) {
                continue;
            }
            name_of(own, &run->parameter[i], row);
            size_t length = strlen(own);
            if (strncmp(name, own, length) == 0 &&
                (name[length] == '\0' || (t->buffer->scaled != NULL && strcmp(name + length, ".scales") == 0))) {
                return true;
            }
        }
    }
    return bndi_checkpoint_reserves(name);
}

static bnd_status check_surplus(bnd_run *run, const bnd_safetensors *file, bnd_error *why)
{
    for (size_t i = 0; i < bnd_safetensors_count(file); i++) {
        const char *name = bnd_safetensors_at(file, i)->name;
        if (!is_expected(run, name)) {
            return bnd_fail(why, BND_BAD_FILE, 0, "has an array \"%.*s\" that this run does not have",
                            (int)strnlen(name, NAME_SIZE), name);
        }
    }
    return BND_OK;
}

/* Codes say nothing about themselves: those under another dtype than the run writes are not what they seem. What is not
 * there at all is for the one who reads it. */
static bnd_status check_dtype(const bnd_safetensors *file, const char *name, const char *suffix, const char *dtype,
                              bnd_error *why)
{
    char whole[NAME_SIZE + 8];
    bndi_text text = bndi_text_in(whole, sizeof whole);
    bndi_text_string(&text, name);
    bndi_text_string(&text, suffix);
    const bnd_safetensor *entry = bnd_safetensors_find(file, whole);
    return entry == NULL || strcmp(entry->dtype, dtype) == 0
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, 0, "array \"%s\" is %s; expected %s", whole, entry->dtype, dtype);
}

static bnd_status fill_tensor(bnd_tensor *t, const bnd_safetensors *file, const char *name, bnd_error *why)
{
    bnd_status status = check_dtype(file, name, "", bndi_tensor_dtype(t), why);
    status = status == BND_OK ? check_dtype(file, name, ".scales", "U8", why) : status;
    return status == BND_OK ? bnd_tensor_load_into(t, file, name, to_nearest, why) : status;
}

static bnd_status fill_tensors(bnd_run *run, const bnd_safetensors *file, bnd_error *why)
{
    char name[NAME_SIZE];
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        for (size_t row = 0; status == BND_OK && row < BNDI_KEPT; row++) {
            bnd_tensor *t = *bndi_kept_of(&run->parameter[i], row);
            if (t != NULL) {
                name_of(name, &run->parameter[i], row);
                status = fill_tensor(t, file, name, why);
            }
        }
    }
    return status;
}

/* The run is one of zeros under the recipe of the file. */
static bnd_status fill(bnd_run *run, void *data, bnd_error *why)
{
    const checkpoint *c = data;
    bnd_status status = fill_tensors(run, c->file, why);
    status = status == BND_OK ? check_surplus(run, c->file, why) : status;
    status = status == BND_OK ? fill_carried(run, c->file, why) : status;
    status = status == BND_OK ? fill_updates(run, c->file, c->step, why) : status;
    run->step = c->step;
    run->good_steps = c->good_steps;
    run->loss_scale = c->loss_scale;
    return status;
}

bnd_status bndi_checkpoint_training(bnd_training *out, const bnd_safetensors *file, bnd_error *why)
{
    checkpoint c = {.file = file};
    bnd_status status = read_head(&c, why);
    if (status == BND_OK) {
        *out = c.training;
    }
    return status;
}

bnd_status bndi_run_load_from(bnd_run *run, const bnd_safetensors *file, bnd_error *why)
{
    checkpoint c = {.file = file};
    bnd_status status = read_head(&c, why);
    status = status == BND_OK ? bndi_checkpoint_check_same(&c.training, run, why) : status;
    status = status == BND_OK ? bndi_safetensors_check_sum(file, why) : status;
    return status == BND_OK ? bndi_run_replace(run, &c.training.policy, fill, &c, why) : status;
}

bnd_status bnd_checkpoint_read(bnd_training *training, uint64_t *step, const char *path, bnd_error *why)
{
    checkpoint c;
    bnd_safetensors *file;
    bnd_status status = bnd_safetensors_new(&file, path, why);
    if (status != BND_OK) {
        return status;
    }
    c = (checkpoint){.file = file};
    status = read_head(&c, why);
    bnd_safetensors_free(file);
    if (status == BND_OK) {
        *training = c.training;
        *step = c.step;
    }
    return status;
}

bnd_status bnd_run_load(bnd_run *run, const char *path, bnd_error *why)
{
    bnd_safetensors *file;
    bnd_status status = bnd_safetensors_new(&file, path, why);
    if (status == BND_OK) {
        status = bndi_run_load_from(run, file, why);
        bnd_safetensors_free(file);
    }
    return status;
}
