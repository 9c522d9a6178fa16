/* The lists of models, sources of text, optimizers and recipes. */
#include "training.h"

#include <stdlib.h>

enum { INDENT = 20 };

/* "  name              text", wrapped. */
static void put_row(const char *name, const char *text)
{
    size_t at = (size_t)printf("  %-*s", INDENT - 2, name);
    put_wrapped(text, INDENT, at);
}

static void put_model(const bnd_training *t, const char *title)
{
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"batch", t->batch}, {"inputs", t->inputs},   {"width", t->width},          {"depth", t->depth},
                 {"heads", t->heads}, {"context", t->context}, {"vocabulary", t->vocabulary}};
    char *text = format_text("%s:", title);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *longer =
            sizes[i].value > 0 ? format_text("%s %s %zu", text, sizes[i].name, sizes[i].value) : copy_text(text);
        free(text);
        text = longer;
    }
    char *whole = format_text("%s; steps %llu, lr %g", text, (unsigned long long)t->steps, t->lr);
    put_row(t->model, whole);
    free(whole);
    free(text);
}

static void put_optimizers(void)
{
    static const column columns[] = {{.heading = "optimizer"},
                                     {.heading = "lr", .number = true},
                                     {.heading = "betas"},
                                     {.heading = "epsilon", .number = true},
                                     {.heading = "weight decay", .number = true},
                                     {.heading = "title"}};
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    bnd_training of;
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        if (bnd_training_default(&of, "own", bnd_optimizer_name(i), "fp32", NULL) == BND_OK) {
            table_add(&t, copy_text(of.optimizer));
            table_add(&t, format_text("%g", of.lr));
            table_add(&t, format_text("%g,%g", of.beta1, of.beta2));
            table_add(&t, format_text("%g", of.epsilon));
            table_add(&t, format_text("%g", of.weight_decay));
            table_add(&t, copy_text(bnd_optimizer_title(i)));
        }
    }
    table_end(&t);
}

void print_choices(void)
{
    bnd_training t;
    printf("models, with their default sizes and the learning rate for adamw:\n");
    for (size_t i = 0; i < bnd_model_count(); i++) {
        if (bnd_training_default(&t, bnd_model_name(i), "adamw", "fp32", NULL) == BND_OK) {
            put_model(&t, bnd_model_title(i));
        }
    }
    printf("\nsources of text:\n");
    for (size_t i = 0; i < bnd_source_count(); i++) {
        put_row(bnd_source_name(i), bnd_source_title(i));
    }
    printf("\noptimizers (a model can have a learning rate of its own):\n");
    put_optimizers();
    printf("\nschedules: constant warmup cosine wsd\n\nrecipes, with their settings:\n");
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        printf("  %-22s %s\n", bnd_recipe_name(i), bnd_recipe_title(i));
        const char *text = bnd_recipe_settings(i);
        printf("  %-22s   %s\n", "", text[0] != '\0' ? text : "(none)");
    }
}
