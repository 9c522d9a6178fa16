/* The options of a `binade cost` call, and the questions that the command knows. */
#ifndef BINADE_TOOLS_COST_H
#define BINADE_TOOLS_COST_H

#include "common/recipes.h"

/* Options of its own, in the order of their rows: a bit each. */
enum cost_option {
    COST_PARAMS,
    COST_TOKENS,
    COST_GPUS,
    COST_GPU,
    COST_FORMAT,
    COST_MFU,
    COST_SPARSE,
    COST_MODEL,
    COST_LAYERS,
    COST_HIDDEN,
    COST_HEADS,
    COST_KV_HEADS,
    COST_FEED_FORWARD,
    COST_VOCAB,
    COST_DROPOUT,
    COST_SEQ,
    COST_BATCH,
    COST_RECIPE,
    COST_OPTIMIZER,
    COST_ZERO,
    COST_RANKS,
    COST_MICRO_BATCHES,
    COST_TP,
    COST_RECOMPUTE,
    COST_DAYS,
    COST_MEMORY,
    COST_RESULT,
    COST_PEAK,
    COST_BANDWIDTH,
    COST_SECONDS,
    COST_TOKENS_PER_SECOND,
    COST_WIDTH,
    COST_DEPTH,
    COST_CONTEXT,
    COST_VOCABULARY,
    COST_INPUTS,
    COST_TIED,
    COST_BLOCKS,
    COST_SVG,
    COST_OPTIONS
};
#define GIVEN(option) (UINT64_C(1) << (option))

typedef struct asked {
    settings common;
    uint64_t given;
    const char *text[COST_OPTIONS];
    double number[COST_OPTIONS]; /* of those that are numbers; their defaults where they are not given */
    bnd_machine machine;
    bnd_architecture architecture;
    const bnd_architecture *model; /* NULL: none was given */
    bnd_trained trained;           /* a model of binade train, */
    bool has_trained;              /* where one was given */
    recipe_list recipes;           /* at least one */
    bnd_plan plan;
    bnd_recompute recompute;
    size_t states_row;
} asked;

/* A question: what it needs and takes, and how its answer comes about. */
typedef struct cost_question {
    const char *name, *summary, *operands;
    uint64_t needs, takes;
    int (*answer)(asked *a, char **operand, size_t operands);
    const char *example;
} cost_question;
extern const cost_question cost_questions[]; /* ends with a name that is NULL */

extern const option_row cost_rows[];

/* Options that have no effect here are refused. */
int cost_refuse_options(const asked *a, uint64_t options, const char *where);

/* A model of binade train, where --model names one and the question takes its sizes. */
int cost_find_trained(asked *a, const cost_question *q);

/* The help of one question: what it takes, and an example. */
void cost_question_help(const command *self, const cost_question *question);

/* Prints the answer: FINE. `about` describes it in JSON; `headline` follows the value in the first line of the text. */
int cost_print(const asked *a, const char *question, const char *about, const char *headline, const bnd_cost *answer);
/* "16.6 GB", "144 days": with as many digits as people read, to be freed. */
char *cost_short_text(double value, const char *unit);
/* The same as a picture, in the file that --svg names: a bar per recipe; a point per matrix product. */
int cost_draw_memory(const asked *a, const bnd_cost *answers);
int cost_draw_roofline(const asked *a, char *const *products, const bnd_cost *answers, size_t count);
int cost_list_machines(const asked *a);
int cost_list_models(const asked *a);

#endif
