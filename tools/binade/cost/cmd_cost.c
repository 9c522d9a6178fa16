/* binade cost: resource accounting without running anything. */
#include "cost.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

/* ---- what options mean together ---- */

static const cost_question *find_question(const settings *s)
{
    const char *name = s->operand_count > 0 ? s->operands[0] : "";
    nearest best = {0};
    for (size_t i = 0; cost_questions[i].name != NULL; i++) {
        if (strcmp(cost_questions[i].name, name) == 0) {
            return &cost_questions[i];
        }
        (void)offer_name(&best, name, strlen(name), cost_questions[i].name, strlen(cost_questions[i].name));
    }
    if (best.name != NULL) {
        complain(s->command, "unknown question '%.40s'; did you mean '%s'?", name, best.name);
    } else {
        complain(s->command,
                 "expected a question: time, mfu, fit, memory, flops, tensor, roofline, machines or models%s%.40s%s",
                 name[0] != '\0' ? ", got '" : "", name, name[0] != '\0' ? "'" : "");
    }
    return NULL;
}

/* --peak describes a machine in place of --gpu. */
static int check_machine(const asked *a, const cost_question *q)
{
    const uint64_t peak = GIVEN(COST_PEAK), gpu = GIVEN(COST_GPU);
    if ((a->given & peak) != 0 && (a->given & gpu) != 0) {
        return complain(a->common.command, "--peak cannot be used with --gpu: each describes the machine");
    }
    if ((q->takes & peak) != 0 && (a->given & GIVEN(COST_BANDWIDTH)) != 0 && (a->given & peak) == 0) {
        return complain(a->common.command, "--bandwidth needs --peak; a machine by name has its own");
    }
    if ((q->takes & peak) != 0 && (a->given & peak) != 0 && (a->given & GIVEN(COST_SPARSE)) != 0) {
        return complain(a->common.command, "--sparse cannot be used with --peak: give the peak that you mean");
    }
    return GO_ON;
}

static int check_options(const asked *a, const cost_question *q)
{
    const uint64_t machine = (a->given & GIVEN(COST_PEAK)) != 0 ? GIVEN(COST_GPU) : 0;
    for (unsigned i = 0; i < COST_OPTIONS; i++) {
        if ((q->needs & ~(a->given | machine) & GIVEN(i)) != 0) {
            return complain(a->common.command, "--%s is missing; try 'binade cost %s %s'", cost_rows[i].name, q->name,
                            q->example);
        }
        if ((a->given & ~q->takes & GIVEN(i)) != 0) {
            return complain(a->common.command, "--%s cannot be used with %s; try 'binade cost %s%s%s'",
                            cost_rows[i].name, q->name, q->name, q->example[0] != '\0' ? " " : "", q->example);
        }
    }
    size_t most = q->operands[0] == '\0' ? 1 : strstr(q->operands, "...") == NULL ? 2 : SIZE_MAX;
    if (a->common.operand_count > most) {
        return complain(a->common.command, "unexpected argument '%.60s'",
                        a->common.operands[a->common.operand_count - 1]);
    }
    return check_machine(a, q);
}

/* A named model, a shape, or a named model with some of its sizes changed. */
static bnd_status find_model(asked *a, bnd_error *why)
{
    const uint64_t shape = GIVEN(COST_LAYERS) | GIVEN(COST_HIDDEN) | GIVEN(COST_HEADS) | GIVEN(COST_VOCAB);
    bnd_architecture *m = &a->architecture;
    bnd_status status = BND_OK;
    uint64_t size[COST_OPTIONS];
    for (unsigned i = 0; i < COST_OPTIONS; i++) {
        const double number = (a->given & GIVEN(i)) != 0 ? a->number[i] : 0;
        size[i] = number < 0x1p64 ? (uint64_t)number : UINT64_MAX; /* tokens may be more */
    }
    if (a->has_trained) {
        return BND_OK;
    }
    if ((a->given & GIVEN(COST_MODEL)) != 0) {
        status = bnd_architecture_find(m, a->text[COST_MODEL], why);
    } else if ((a->given & shape) == shape) {
        uint64_t context = size[COST_SEQ] > 0 ? size[COST_SEQ] : 2048;
        status = bnd_architecture_usual(m, size[COST_LAYERS], size[COST_HIDDEN], size[COST_HEADS], size[COST_VOCAB],
                                        context, why);
    } else if ((a->given & shape) != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a shape needs --layers, --hidden, --heads and --vocab");
    } else {
        return BND_OK;
    }
    if (status != BND_OK) {
        return status;
    }
    a->model = m;
    if ((a->given & GIVEN(COST_MODEL)) != 0 && (a->given & (GIVEN(COST_HIDDEN) | GIVEN(COST_HEADS))) != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "--hidden and --heads are the model's own; give a whole shape instead of --model");
    }
    m->layers = size[COST_LAYERS] > 0 ? size[COST_LAYERS] : m->layers;
    m->vocabulary = size[COST_VOCAB] > 0 ? size[COST_VOCAB] : m->vocabulary;
    m->kv_heads = size[COST_KV_HEADS] > 0 ? size[COST_KV_HEADS] : m->kv_heads;
    m->feed_forward = size[COST_FEED_FORWARD] > 0 ? size[COST_FEED_FORWARD] : m->feed_forward;
    if (a->text[COST_DROPOUT] != NULL) {
        m->dropout = strcmp(a->text[COST_DROPOUT], "yes") == 0;
        if (!m->dropout && strcmp(a->text[COST_DROPOUT], "no") != 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "--dropout must be yes or no, not '%s'", a->text[COST_DROPOUT]);
        }
    }
    return bnd_architecture_check(m, why);
}

static bnd_status find_plan(asked *a, bnd_error *why)
{
    size_t row;
    const char *optimizer = a->text[COST_OPTIMIZER] != NULL ? a->text[COST_OPTIMIZER] : "adamw";
    const char *zero = a->text[COST_ZERO] != NULL ? a->text[COST_ZERO] : "0";
    bnd_status status = bnd_optimizer_find(&row, optimizer, why);
    if (status == BND_OK && (zero[0] < '0' || zero[0] > '3' || zero[1] != '\0')) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "--zero must be a stage from 0 to 3, not '%s'", zero);
    }
    if (status == BND_OK) {
        a->plan.policy = a->recipes.items[0].policy;
        a->plan.keeps = bnd_optimizer_keeps;
        a->plan.optimizer = row;
        a->plan.zero = (unsigned)(zero[0] - '0');
        a->plan.ranks = a->number[COST_RANKS];
        a->plan.micro_batches = a->number[COST_MICRO_BATCHES];
        a->plan.tensor = a->number[COST_TP];
    }
    return status;
}

/* Memory compares recipes; every other answer is about one. */
static int find_recipes(asked *a, const cost_question *q)
{
    const char *list = a->text[COST_RECIPE] != NULL ? a->text[COST_RECIPE] : "fp32";
    int status = add_recipes(&a->recipes, a->common.command, list);
    if (status == GO_ON && a->recipes.count > 1 && strcmp(q->name, "memory") != 0) {
        status = complain(a->common.command, "--recipe must be one recipe with %s, got %zu", q->name, a->recipes.count);
    }
    return status;
}

static bnd_status find_machine(asked *a, bnd_error *why)
{
    if ((a->given & GIVEN(COST_PEAK)) != 0) {
        const char *format = a->text[COST_FORMAT] != NULL ? a->text[COST_FORMAT] : "bf16";
        return bnd_machine_given(&a->machine, format, a->number[COST_PEAK], 0, a->number[COST_BANDWIDTH], why);
    }
    if ((a->given & GIVEN(COST_GPU)) == 0) {
        return BND_OK;
    }
    bnd_error unknown;
    bnd_status status = bnd_machine_find(&a->machine, a->text[COST_GPU], &unknown);
    return status == BND_OK ? BND_OK
                            : bnd_fail(why, status, unknown.where, "%s; --peak describes any other", unknown.message);
}

static int find_all(asked *a, const cost_question *q)
{
    bnd_error why;
    int found = find_recipes(a, q);
    if (found != GO_ON) {
        return found;
    }
    bnd_status status = find_model(a, &why);
    status = status == BND_OK ? find_machine(a, &why) : status;
    status = status == BND_OK ? find_plan(a, &why) : status;
    if (status == BND_OK && (a->given & GIVEN(COST_RECOMPUTE)) != 0) {
        status = bnd_recompute_parse(&a->recompute, a->text[COST_RECOMPUTE], &why);
    }
    if ((a->given & GIVEN(COST_MFU)) == 0) {
        a->number[COST_MFU] = strcmp(q->name, "flops") == 0 ? 1 : 0.4;
    }
    return status == BND_OK ? GO_ON : complain(a->common.command, "%s", why.message);
}

/* `binade cost QUESTION --help` is about the question. */
static const cost_question *asks_for_help(int argc, char **argv)
{
    const cost_question *about = NULL;
    bool help = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        for (const cost_question *q = cost_questions; about == NULL && q->name != NULL; q++) {
            about = strcmp(argv[i], q->name) == 0 ? q : NULL;
        }
    }
    return help ? about : NULL;
}

static int run(const command *self, int argc, char **argv)
{
    const cost_question *about = asks_for_help(argc, argv);
    if (about != NULL) {
        cost_question_help(self, about);
        return FINE;
    }
    asked a = {.number = {[COST_GPUS] = 1,
                          [COST_BATCH] = 1,
                          [COST_RANKS] = 1,
                          [COST_MICRO_BATCHES] = 1,
                          [COST_TP] = 1,
                          [COST_DAYS] = 1}};
    const cost_question *q = NULL;
    int status = read_arguments(&a, self, argc, argv);
    if (status == GO_ON) {
        q = find_question(&a.common);
        status = q != NULL ? check_options(&a, q) : BAD_USAGE;
    }
    if (status == GO_ON && a.text[COST_SVG] != NULL && a.common.output == OUTPUT_JSON) {
        status = complain(self, "--svg cannot be used with --json");
    }
    status = status == GO_ON ? cost_find_trained(&a, q) : status;
    status = status == GO_ON ? find_all(&a, q) : status;
    if (status == GO_ON) {
        status = q->answer(&a, a.common.operands + 1, a.common.operand_count - 1);
    }
    free(a.recipes.items);
    clear_settings(&a.common);
    return status;
}

static const char *question_name(size_t at)
{
    return cost_questions[at].name;
}

void cost_question_help(const command *self, const cost_question *question)
{
    option_row its[COST_OPTIONS + 4];
    size_t count = 0;
    char name[64], example[160], about[400];
    for (const option_row *row = cost_rows; row->name != NULL || row->same != NULL; row++) {
        const size_t option = (size_t)(row - cost_rows);
        if (option >= COST_OPTIONS || (question->takes & GIVEN(option)) != 0) {
            its[count] = *row;
            its[count++].rare = 0;
        }
    }
    its[count] = (option_row){.name = NULL};
    snprintf(name, sizeof name, "%s %s", self->name, question->name);
    snprintf(example, sizeof example, "binade %s%s%s", name, question->example[0] != '\0' ? " " : "",
             question->example);
    snprintf(about, sizeof about, "Answers: %s.", question->summary);
    const command one = {.name = name,
                         .operands = question->operands,
                         .about = about,
                         .options = its,
                         .examples = (const command_example[]){{"", example}}};
    print_help(&one);
}

static const command_example examples[] = {
    {"the time that a training takes",
     "binade cost time --params 70e9 --tokens 15e12 --gpus 1024 --gpu h100 --mfu 0.5"},
    {"the memory of a model per GPU, sharded over 64 GPUs",
     "binade cost memory --model llama3-70b --seq 4096 --recipe bf16-amp --zero 3 --ranks 64"},
    {"the largest model that fits on 8 GPUs",
     "binade cost fit --gpus 8 --gpu h100 --recipe bf16-amp --optimizer adamw"},
    {"the bytes of a matrix in three formats", "binade cost tensor 49152x12288 --format fp32,bf16,mxfp8"},
    {"is a matrix product bound by memory or by arithmetic?",
     "binade cost roofline 4096x4096x4096 --gpu h100 --format bf16"},
    {NULL, NULL},
};

const command command_cost = {
    .name = "cost",
    .summary = "estimate time, memory and FLOPs of training",
    .group = GROUP_TRAIN,
    .operands = "QUESTION [SHAPE]",
    .first = COMPLETES_OPERANDS,
    .operand_name = question_name,
    .about = "Estimates the cost of training: the answer first, then each step with its formula, its numbers and its "
             "result, then what is not counted. 'binade cost QUESTION --help' lists the options of one question.\n\n"
             "QUESTION: time, mfu (from a measured time), fit (the largest model), memory (by role), flops [BxDxK], "
             "tensor SHAPE, roofline MxNxK..., machines, models.",
    .options = cost_rows,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "train formats",
    .run = run,
};
