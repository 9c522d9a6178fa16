/* What there is to choose from: models, sources of text, optimizers, recipes. */
#include "training.h"

static void put_model(const bnd_training *t, const char *title)
{
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"batch", t->batch}, {"inputs", t->inputs},   {"width", t->width},          {"depth", t->depth},
                 {"heads", t->heads}, {"context", t->context}, {"vocabulary", t->vocabulary}};
    printf("  %-17s %s:", t->model, title);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value > 0) {
            printf(" %s %zu", sizes[i].name, sizes[i].value);
        }
    }
    printf("; steps %llu, lr %g\n", (unsigned long long)t->steps, t->lr);
}

void print_choices(void)
{
    bnd_training t;
    printf("models, their sizes, and the learning rate under adamw:\n");
    for (size_t i = 0; i < bnd_model_count(); i++) {
        if (bnd_training_default(&t, bnd_model_name(i), "adamw", "fp32", NULL) == BND_OK) {
            put_model(&t, bnd_model_title(i));
        }
    }
    printf("\nsources of text:\n");
    for (size_t i = 0; i < bnd_source_count(); i++) {
        printf("  %-17s %s\n", bnd_source_name(i), bnd_source_title(i));
    }
    printf("\noptimizers: learning rate (before the model's), betas, epsilon, weight decay\n");
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        if (bnd_training_default(&t, "own", bnd_optimizer_name(i), "fp32", NULL) == BND_OK) {
            printf("  %-17s %-48s %5g  %g,%g  %g  %g\n", t.optimizer, bnd_optimizer_title(i), t.lr, t.beta1, t.beta2,
                   t.epsilon, t.weight_decay);
        }
    }
    printf("\nschedules: constant warmup cosine wsd\n\nrecipes, and the settings that they stand for:\n");
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        printf("  %-22s %s\n", bnd_recipe_name(i), bnd_recipe_title(i));
        const char *text = bnd_recipe_settings(i);
        printf("  %-22s   %s\n", "", text[0] != '\0' ? text : "(none)");
    }
}
