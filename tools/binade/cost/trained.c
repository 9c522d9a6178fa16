/* binade cost memory of the models that binade train has, by the same names and options. */
#include "cost.h"

#include <string.h>

/* Sizes that only these models have, and those that only other transformers have. */
#define OF_TRAINED                                                                                                     \
    (GIVEN(COST_WIDTH) | GIVEN(COST_DEPTH) | GIVEN(COST_CONTEXT) | GIVEN(COST_VOCABULARY) | GIVEN(COST_INPUTS) |       \
     GIVEN(COST_TIED) | GIVEN(COST_BLOCKS))
#define OF_OTHERS                                                                                                      \
    (GIVEN(COST_LAYERS) | GIVEN(COST_HIDDEN) | GIVEN(COST_KV_HEADS) | GIVEN(COST_FEED_FORWARD) | GIVEN(COST_VOCAB) |   \
     GIVEN(COST_SEQ) | GIVEN(COST_DROPOUT) | GIVEN(COST_PARAMS))

/* gpt2 alone is the published one. */
static bool is_trained(const asked *a)
{
    const char *name = (a->given & GIVEN(COST_MODEL)) != 0 ? a->text[COST_MODEL] : "";
    bnd_architecture published;
    if ((a->given & OF_TRAINED) == 0 && bnd_architecture_find(&published, name, NULL) == BND_OK) {
        return false;
    }
    for (size_t i = 0; i < bnd_model_count(); i++) {
        if (strcmp(name, bnd_model_name(i)) == 0) {
            return true;
        }
    }
    return false;
}

static void set_size(const asked *a, enum cost_option option, size_t *size)
{
    if ((a->given & GIVEN(option)) != 0) {
        *size = (size_t)a->number[option];
    }
}

static bnd_status read_training(asked *a, bnd_error *why)
{
    bnd_training t;
    const char *optimizer = a->text[COST_OPTIMIZER] != NULL ? a->text[COST_OPTIMIZER] : "adamw";
    bnd_status status = bnd_training_default(&t, a->text[COST_MODEL], optimizer, "fp32", why);
    if (status != BND_OK) {
        return status;
    }
    set_size(a, COST_WIDTH, &t.width);
    set_size(a, COST_DEPTH, &t.depth);
    set_size(a, COST_HEADS, &t.heads);
    set_size(a, COST_CONTEXT, &t.context);
    set_size(a, COST_VOCABULARY, &t.vocabulary);
    set_size(a, COST_INPUTS, &t.inputs);
    set_size(a, COST_BATCH, &t.batch);
    size_t vocabulary = 0;
    if ((a->given & GIVEN(COST_TIED)) != 0) {
        t.tied = true;
    }
    if ((a->given & GIVEN(COST_BLOCKS)) != 0) {
        status = bnd_transformer_parse(&t.blocks, a->text[COST_BLOCKS], why);
    }
    if (status != BND_OK) {
        return status;
    }
    status = bnd_training_vocabulary(&vocabulary, &t, why);
    if (status != BND_OK) {
        return status;
    }
    a->number[COST_BATCH] = (double)t.batch;
    a->trained = (bnd_trained){.model = a->text[COST_MODEL],
                               .width = t.width,
                               .depth = t.depth,
                               .heads = t.heads,
                               .context = t.context,
                               .vocabulary = vocabulary,
                               .inputs = t.inputs,
                               .tied = t.tied,
                               .blocks = t.blocks};
    a->has_trained = true;
    return BND_OK;
}

int cost_find_trained(asked *a, const cost_question *q)
{
    bnd_error why;
    if ((q->takes & OF_TRAINED) == 0) {
        return GO_ON;
    }
    if (!is_trained(a)) {
        return cost_refuse_options(a, OF_TRAINED,
                                   "without a model of binade train: --model transformer, mlp or linear");
    }
    if (cost_refuse_options(a, OF_OTHERS, "with a model of binade train: --width, --depth, --context, --vocabulary") !=
        GO_ON) {
        return BAD_USAGE;
    }
    return read_training(a, &why) == BND_OK ? GO_ON : complain(a->common.command, "%s", why.message);
}
