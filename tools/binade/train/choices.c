/* The lists of models, sources of text, optimizers and recipes. */
#include "training.h"

#include <stdlib.h>

enum { INDENT = 20 };

static const char schedules[] = "constant warmup warmup:N cosine wsd";

/* The sizes of a model; 0: it has no such size. */
typedef struct size_of {
    const char *name;
    size_t value;
} size_of;
enum { SIZES = 7 };

static void sizes_of(size_of out[SIZES], const bnd_training *t)
{
    const size_of sizes[SIZES] = {{"batch", t->batch},          {"inputs", t->inputs}, {"width", t->width},
                                  {"depth", t->depth},          {"heads", t->heads},   {"context", t->context},
                                  {"vocabulary", t->vocabulary}};
    for (size_t i = 0; i < SIZES; i++) {
        out[i] = sizes[i];
    }
}

/* "  name              text", wrapped. */
static void put_row(const char *name, const char *text)
{
    size_t at = (size_t)printf("  %-*s", INDENT - 2, name);
    put_wrapped(text, INDENT, at);
}

static void put_model(const bnd_training *t, const char *title)
{
    size_of sizes[SIZES];
    sizes_of(sizes, t);
    char *text = format_text("%s:", title);
    for (size_t i = 0; i < SIZES; i++) {
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
    printf("\nschedules: %s\n\nrecipes, with their settings:\n", schedules);
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        printf("  %-22s %s\n", bnd_recipe_name(i), bnd_recipe_title(i));
        const char *text = bnd_recipe_settings(i);
        printf("  %-22s   %s\n", "", text[0] != '\0' ? text : "(none)");
    }
}

/* ---- the same as JSON ---- */

static void json_models(bnd_lab_json *json)
{
    bnd_training t;
    bnd_lab_json_array(json, "models");
    for (size_t i = 0; i < bnd_model_count(); i++) {
        if (bnd_training_default(&t, bnd_model_name(i), "adamw", "fp32", NULL) == BND_OK) {
            size_of sizes[SIZES];
            sizes_of(sizes, &t);
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "name", t.model);
            bnd_lab_json_string(json, "title", bnd_model_title(i));
            for (size_t k = 0; k < SIZES; k++) {
                if (sizes[k].value > 0) {
                    bnd_lab_json_unsigned(json, sizes[k].name, sizes[k].value);
                }
            }
            bnd_lab_json_unsigned(json, "steps", t.steps);
            json_owned_literal(json, "lr", double_text(t.lr));
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

static void json_optimizers(bnd_lab_json *json)
{
    bnd_training t;
    bnd_lab_json_array(json, "optimizers");
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        if (bnd_training_default(&t, "own", bnd_optimizer_name(i), "fp32", NULL) == BND_OK) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "name", t.optimizer);
            bnd_lab_json_string(json, "title", bnd_optimizer_title(i));
            json_owned_literal(json, "lr", double_text(t.lr));
            json_owned_literal(json, "beta1", double_text(t.beta1));
            json_owned_literal(json, "beta2", double_text(t.beta2));
            json_owned_literal(json, "epsilon", double_text(t.epsilon));
            json_owned_literal(json, "weight_decay", double_text(t.weight_decay));
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

static void json_rows(bnd_lab_json *json, const char *key, size_t count, const char *name(size_t row),
                      const char *title(size_t row), const char *text(size_t row))
{
    bnd_lab_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "name", name(i));
        bnd_lab_json_string(json, "title", title(i));
        if (text != NULL) {
            bnd_lab_json_string(json, "settings", text(i));
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

void print_choices_json(void)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    json_models(&json);
    json_rows(&json, "sources", bnd_source_count(), bnd_source_name, bnd_source_title, NULL);
    json_optimizers(&json);
    bnd_lab_json_string(&json, "schedules", schedules);
    json_rows(&json, "recipes", bnd_recipe_count(), bnd_recipe_name, bnd_recipe_title, bnd_recipe_settings);
    bnd_lab_json_end(&json);
    json_line_end();
}
