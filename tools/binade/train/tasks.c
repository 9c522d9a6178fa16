/* Makes tasks from the options of a training. */
#include "training.h"

#include <string.h>

/* The name of a file into a field of the training, which has room for BND_TRAINING_DATA_SIZE bytes; NULL: none. */
static int set_file(char *out, const settings *s, const char *option, const char *value)
{
    if (value != NULL && (value[0] == '\0' || strlen(value) >= BND_TRAINING_DATA_SIZE)) {
        return complain(s->command, "--%s must be the name of a file, of at most %d bytes", option,
                        BND_TRAINING_DATA_SIZE - 1);
    }
    snprintf(out, BND_TRAINING_DATA_SIZE, "%s", value != NULL ? value : "");
    return GO_ON;
}

/* The numbers that were given, instead of the model's own. */
static void change(bnd_training *t, const training_options *o)
{
    const size_t first = offsetof(training_options, changed), end = first + sizeof o->changed;
    const option_row *row;
    for (size_t i = 0; (row = option_at(o->common.command, i)) != NULL; i++) {
        if (row->target >= first && row->target < end && (o->common.given >> i & 1) != 0) {
            memcpy((char *)t + (row->target - first), (const char *)o + row->target, option_size(row));
        }
    }
    if (OPTION_GIVEN(&o->common, training_options, changed.beta1)) {
        t->beta1 = o->changed.beta1;
        t->beta2 = o->changed.beta2;
    }
}

/* A rate that an optimizer does not read is 0. The library refuses other numbers; only here is it known that a 0 was
 * asked for. */
static int check_rates(const bnd_training *usual, const training_options *o)
{
    const settings *s = &o->common;
    const struct {
        const char *name;
        bool is_zero;
    } rates[] = {{"betas", OPTION_GIVEN(s, training_options, changed.beta1) && !(usual->beta1 > 0) &&
                               !(usual->beta2 > 0) && !(o->changed.beta1 > 0) && !(o->changed.beta2 > 0)},
                 {"epsilon", OPTION_GIVEN(s, training_options, changed.epsilon) && !(usual->epsilon > 0) &&
                                 !(o->changed.epsilon > 0)}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (rates[i].is_zero) {
            return complain(s->command, "%s cannot be used with optimizer %s, which does not use %s", rates[i].name,
                            usual->optimizer, i == 0 ? "them" : "it");
        }
    }
    return GO_ON;
}

int training_data(bnd_training *t, const training_options *o)
{
    if (o->data_type != NULL &&
        (o->data == NULL || o->data_type[0] == '\0' || strlen(o->data_type) >= sizeof t->data_type)) {
        return complain(o->common.command, "--data-type is the type of the tokens in --data FILE: uint8, int16, "
                                           "uint16, int32, uint32, int64 or uint64");
    }
    if (o->tokenizer != NULL && o->data == NULL && t->data[0] == '\0') {
        return complain(o->common.command, "--tokenizer needs --data FILE, the text of which it makes tokens");
    }
    if (o->data != NULL) {
        snprintf(t->data_type, sizeof t->data_type, "%s", o->data_type != NULL ? o->data_type : "");
    }
    int status = o->data != NULL ? set_file(t->data, &o->common, "data", o->data) : GO_ON;
    if (status == GO_ON && o->tokenizer != NULL) {
        return set_file(t->tokenizer, &o->common, "tokenizer", o->tokenizer);
    }
    if (status == GO_ON && !bnd_training_reads_text(t)) {
        t->tokenizer[0] = '\0'; /* of the run that is evaluated, on tokens now */
    }
    return status;
}

/* The training of the k-th seed pair; GO_ON, or the status to leave with. */
static int choose_training(bnd_training *t, const training_options *o, uint64_t k)
{
    bnd_error why;
    double factor;
    const char *asked = OPTION_GIVEN(&o->common, training_options, model) ? o->model : NULL;
    bnd_status known = o->config != NULL ? bnd_training_of_config(t, asked, o->optimizer, o->config, &why)
                                         : bnd_training_default(t, o->model, o->optimizer, "fp32", &why);
    if (known == BND_OK) {
        known = bnd_schedule_factor(&factor, o->schedule != NULL ? o->schedule : t->schedule, 0, t->steps, &why);
    }
    if (known != BND_OK) {
        return complain(o->common.command, "%s", why.message);
    }
    int status = check_rates(t, o);
    if (status != GO_ON) {
        return status;
    }
    if (o->schedule != NULL) {
        snprintf(t->schedule, sizeof t->schedule, "%s", o->schedule);
    }
    status = training_data(t, o);
    status = status == GO_ON ? set_file(t->init, &o->common, "init", o->init) : status;
    status = status == GO_ON ? set_file(t->order, &o->common, "order", o->order) : status;
    if (status == GO_ON && o->source != NULL && (o->data != NULL || t->source[0] == '\0')) {
        return complain(o->common.command, "--source cannot be used with %s: it is the text of a transformer",
                        o->data != NULL ? "--data" : o->model);
    }
    if (o->source != NULL) {
        snprintf(t->source, sizeof t->source, "%s", o->source);
    }
    change(t, o);
    if (o->blocks != NULL && t->source[0] == '\0') {
        return complain(o->common.command, "--blocks cannot be used with %s: it has no blocks of a transformer",
                        o->model);
    }
    if (o->blocks != NULL && bnd_transformer_parse(&t->blocks, o->blocks, &why) != BND_OK) {
        return complain(o->common.command, "%s", why.message);
    }
    t->seed_init += k;
    t->seed_data += k;
    t->seed_rounding += k;
    return status;
}

int training_task(bnd_task *out, const training_options *o, const recipe *r, uint64_t k)
{
    bnd_training t;
    int status = choose_training(&t, o, k);
    if (status != GO_ON) {
        return status;
    }
    if (r->switches && r->switch_at >= t.steps) {
        return complain(o->common.command, "--switch at step %llu: the runs have only %llu steps",
                        (unsigned long long)r->switch_at, (unsigned long long)t.steps);
    }
    t.policy = r->policy;
    bnd_task_default(out, &t);
    out->recipe = r->name;
    if (OPTION_GIVEN(&o->common, training_options, checkpoint_every)) {
        out->checkpoint_every = o->checkpoint_every;
    }
    if (OPTION_GIVEN(&o->common, training_options, validate_every)) {
        out->validate_every = o->validate_every;
    }
    out->statistics = o->statistics != STATISTICS_NONE;
    out->places = o->statistics == STATISTICS_PLACES;
    out->switches = r->switches;
    out->switch_at = r->switch_at;
    out->switch_to = r->switch_to;
    return GO_ON;
}

char *path_text(const char *directory, const char *name)
{
    size_t length = strlen(directory);
    bool ends = length > 0 && directory[length - 1] == '/';
    return format_text("%s%s%s", directory, ends ? "" : "/", name);
}
