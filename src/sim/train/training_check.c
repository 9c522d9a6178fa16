/* What is wrong with the settings of a run, before anything is made of them. */
#include "base/base.h"
#include "train/optimizer.h"

/* A setting that the model or the data do not have would be without effect. */
static bnd_status check_model(const bnd_training *t, const bndi_model_row *m, bnd_error *why)
{
    const struct {
        const char *name;
        bool set;
        uint8_t of;
    } settings[] = {{"inputs", t->inputs != 0, BNDI_INPUTS},
                    {"depth", t->depth != 0, BNDI_DEPTH},
                    {"heads", t->heads != 0, BNDI_OF_TRANSFORMER},
                    {"context", t->context != 0, BNDI_OF_TRANSFORMER},
                    {"vocabulary", t->vocabulary != 0, BNDI_OF_TRANSFORMER},
                    {"tied", t->tied, BNDI_OF_TRANSFORMER},
                    {"recompute", t->recompute, BNDI_OF_TRANSFORMER},
                    {"blocks", bnd_transformer_print(NULL, 0, &t->blocks) > 0, BNDI_OF_TRANSFORMER}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (settings[i].set && (m->uses & settings[i].of) == 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be used with model %s, which does not use it",
                            settings[i].name, m->name);
        }
    }
    return BND_OK;
}

/* A rate that an optimizer does not read is 0 in its row. */
static bnd_status check_rates(const bnd_training *t, const bndi_optimizer_row *o, bnd_error *why)
{
    const struct {
        const char *name;
        double set, usual;
    } rates[] = {{"beta1", t->beta1, o->beta1}, {"beta2", t->beta2, o->beta2}, {"epsilon", t->epsilon, o->epsilon}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (rates[i].set != 0 && rates[i].usual == 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s cannot be used with optimizer %s, which does not use it: leave it at 0", rates[i].name,
                            o->name);
        }
    }
    return BND_OK;
}

bnd_status bndi_check_used(const bnd_training *t, const bndi_model_row *m, const bndi_optimizer_row *o, bnd_error *why)
{
    bnd_status status = check_model(t, m, why);
    return status == BND_OK ? check_rates(t, o, why) : status;
}

bnd_status bndi_check_training(const bnd_training *t, bnd_error *why)
{
    bool numbers = t->lr > 0 && t->lr - t->lr == 0 && t->beta1 >= 0 && t->beta1 < 1 && t->beta2 >= 0 && t->beta2 < 1 &&
                   t->epsilon >= 0 && t->weight_decay >= 0;
    if (!(t->clip >= 0 && t->clip - t->clip == 0)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the norm to clip gradients to must be a number above 0, or 0 for none");
    }
    if (!numbers) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "a run needs a finite learning rate above 0, an epsilon and a weight decay of at least 0, and betas "
            "from 0 to below 1");
    }
    if (t->batch == 0 || t->width == 0 || t->steps == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a run needs a batch, a width and a number of steps of at least 1");
    }
    double factor;
    bnd_status status = bndi_check_parts(t, why);
    return status == BND_OK ? bnd_schedule_factor(&factor, t->schedule, 0, t->steps, why) : status;
}
