/* binade evaluate: the loss of trained weights under each recipe, without training, and the tensors that lose most. */
#include "common/process.h"
#include "evaluate.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static int choose(evaluate *e)
{
    const settings *s = &e->asked.common;
    int status = GO_ON;
    if (s->operand_count == 0) {
        return complain(s->command, "expected checkpoint.safetensors of a run, or its directory");
    }
    if (e->asked.recipes.count == 0) {
        status = training_add_recipes(&e->asked, bnd_evaluate_defaults());
    }
    if (status == GO_ON) {
        training_put_reference_first(&e->asked);
    }
    return status;
}

/* ---- evaluating ---- */

static int open_weights(subject *c, const evaluate *e)
{
    const training_options *o = &e->asked;
    const command *self = o->common.command;
    const bool has_context = OPTION_GIVEN(&o->common, training_options, changed.context);
    bnd_error why;
    bnd_status status = bnd_trained_weights_find(&c->trained, c->name, o->config, &why);
    if (status != BND_OK) {
        return fail(self, "", status, &why);
    }
    if (!c->trained.is_run && o->data == NULL) {
        return complain(self, "weights of Hugging Face need --data: tokens, or text for 256 symbols");
    }
    if (c->trained.is_run && has_context) {
        return complain(self, "--context can be used only with weights of Hugging Face");
    }
    if (has_context) {
        c->trained.training.context = o->changed.context;
    }
    int good = training_data(&c->trained.training, o);
    if (good != GO_ON) {
        return good;
    }
    c->trained.data_hash = o->data != NULL ? 0 : c->trained.data_hash; /* other ones, on purpose */
    c->trained.tokenizer_hash = o->tokenizer != NULL ? 0 : c->trained.tokenizer_hash;
    status = bnd_trained_weights_open(&c->run, &c->trained, c->name, &e->context, &why);
    return status == BND_OK ? GO_ON : fail(self, "", status, &why);
}

static bool goes_on(void *state, uint64_t done, uint64_t total)
{
    (void)state;
    (void)done;
    (void)total;
    return !was_stopped();
}

static int evaluate_all(subject *c, const evaluate *e)
{
    const recipe_list *recipes = &e->asked.recipes;
    const bnd_watch watch = {.at = goes_on};
    bnd_error why;
    c->outcomes = allocate(NULL, recipes->count, sizeof *c->outcomes);
    memset(c->outcomes, 0, recipes->count * sizeof *c->outcomes);
    for (size_t i = 0; i < recipes->count; i++) {
        bnd_status status =
            bnd_evaluate(&c->outcomes[i], c->run, &recipes->items[i].policy, i > 0 ? &c->outcomes[0] : NULL,
                         (size_t)e->asked.batches, (size_t)e->asked.tensors, &watch, &why);
        if (status != BND_OK) {
            return was_stopped() ? BAD_STREAM : fail(e->asked.common.command, recipes->items[i].name, status, &why);
        }
    }
    return GO_ON;
}

static void clear_subject(subject *c, const evaluate *e)
{
    for (size_t i = 0; c->outcomes != NULL && i < e->asked.recipes.count; i++) {
        bnd_evaluated_close(&c->outcomes[i]);
    }
    free(c->outcomes);
    bnd_run_free(c->run);
}

static int evaluate_each(evaluate *e)
{
    const settings *s = &e->asked.common;
    evaluate_output out;
    int status = GO_ON;
    output_begin(&out, e);
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        subject c = {.name = s->operands[i]};
        status = open_weights(&c, e);
        status = status == GO_ON ? evaluate_all(&c, e) : status;
        if (status == GO_ON) {
            output_add(&out, &c, i + 1 == s->operand_count);
        }
        clear_subject(&c, e);
    }
    output_end(&out, status == GO_ON);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    evaluate e;
    bnd_error why;
    training_begin(&e.asked);
    int status = read_arguments(&e.asked, self, argc, argv);
    status = status == GO_ON ? choose(&e) : status;
    if (status == GO_ON &&
        bnd_context_init(&e.context, NULL, e.asked.common.threads > 0 ? e.asked.common.threads : 1, &why) != BND_OK) {
        status = complain(self, "%s", why.message);
    }
    status = status == GO_ON ? evaluate_each(&e) : status;
    training_clear(&e.asked);
    return status == GO_ON ? FINE : status;
}

static const command_example examples[] = {
    {"trained weights under three recipes", "binade evaluate runs/fp32-0 --recipe mxfp8,nvfp4,mxfp4 --batches 2"},
    {"the weights of two runs under one recipe",
     "binade evaluate runs/fp32-0 runs/bf16-amp-0 --recipe mxfp8 --batches 2"},
    {"a row per recipe, as CSV", "binade evaluate runs/fp32-0 --recipe bf16-amp --batches 2 --csv"},
    {NULL, NULL},
};

const command command_evaluate = {
    .name = "evaluate",
    .summary = "measure trained weights in each recipe, without training",
    .group = GROUP_TRAIN,
    .operands = "CHECKPOINT...",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about = "Measures the loss of trained weights in each recipe, without training (post-training quantization), and "
             "names the tensors that increase the loss most. A CHECKPOINT is the checkpoint.safetensors that binade "
             "train --out "
             "wrote, the directory of a run, or a folder with GPT-2's or Llama's weights and their config.json, as "
             "Hugging Face has them.",
    .options = training_rows,
    .bit = EVALUATE,
    .examples = examples,
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "train compare cost",
    .run = run,
};
