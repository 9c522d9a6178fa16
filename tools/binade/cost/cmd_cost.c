/* binade cost: resource accounting on paper. */
#include "cost.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

#define OWN(option) ((int)OPTION_OWN + (int)(option))

static const option_row
    row_params = {OWN(COST_PARAMS), 0, "params", "N", "parameters: 70e9, 70B", COMPLETES_NOTHING, ""},
    row_tokens = {OWN(COST_TOKENS), 0, "tokens", "N", "tokens to train on: 15e12, 15T", COMPLETES_NOTHING, ""},
    row_gpus = {OWN(COST_GPUS), 0, "gpus", "N", "how many machines (default 1)", COMPLETES_NOTHING, ""},
    row_gpu = {OWN(COST_GPU),
               0,
               "gpu",
               "NAME",
               "the machine: 'binade cost machines' lists them; this: measured now",
               COMPLETES_WORDS,
               "a100 a100-40gb h100 h100-pcie h200 h800 h20 rtx4090 b200 mi300x tpu-v5p this"},
    row_cost_format = {OWN(COST_FORMAT),
                       'f',
                       "format",
                       "NAME",
                       "of operands: bf16, fp8, mxfp4, ... (default bf16); of tensor a list (default fp32)",
                       COMPLETES_FORMATS,
                       ""},
    row_mfu = {OWN(COST_MFU),     0, "mfu", "SHARE", "of the peak that is reached: 0.5, 50% (default 0.4; flops: 1)",
               COMPLETES_NOTHING, ""},
    row_sparse = {OWN(COST_SPARSE),  0, "sparse", NULL, "peaks where two of four weights are zero",
                  COMPLETES_NOTHING, ""},
    row_model =
        {OWN(COST_MODEL),
         0,
         "model",
         "NAME",
         "a transformer by name: 'binade cost models' lists them; of memory, also a model of binade train: "
         "transformer, "
         "mlp, linear, logistic, quadratic, student",
         COMPLETES_WORDS,
         "gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-175b gpt-neox-20b llama2-7b llama2-13b llama2-70b mistral-7b "
         "gemma-7b llama3-8b llama3-70b llama3-405b llama3.2-1b qwen2.5-7b qwen2.5-72b binade transformer mlp linear "
         "logistic quadratic student"},
    row_layers = {OWN(COST_LAYERS),  0, "layers", "N", "of a transformer that has no name, or instead of the model's",
                  COMPLETES_NOTHING, ""},
    row_hidden = {OWN(COST_HIDDEN), 0, "hidden", "N", "its width", COMPLETES_NOTHING, ""},
    row_heads = {OWN(COST_HEADS), 0, "heads", "N", "its heads", COMPLETES_NOTHING, ""},
    row_kv_heads = {OWN(COST_KV_HEADS), 0, "kv-heads", "N", "its heads of keys and values (default as many)",
                    COMPLETES_NOTHING,  ""},
    row_feed_forward =
        {OWN(COST_FEED_FORWARD), 0, "feed-forward", "N", "within its perceptron (default 4 times hidden)",
         COMPLETES_NOTHING,      ""},
    row_vocab = {OWN(COST_VOCAB), 0, "vocab", "N", "its vocabulary", COMPLETES_NOTHING, ""},
    row_seq = {OWN(COST_SEQ),     0, "seq", "N", "length of a sequence (default the model's context)",
               COMPLETES_NOTHING, ""},
    row_batch = {OWN(COST_BATCH), 0, "batch", "N", "sequences of a rank at once (default 1)", COMPLETES_NOTHING, ""},
    row_recipe = {OWN(COST_RECIPE),
                  0,
                  "recipe",
                  "TEXT",
                  "a recipe, or settings: fp32, bf16-master, base=bf16-master,v=bf16 (default fp32)",
                  COMPLETES_RECIPES,
                  ""},
    row_optimizer = {OWN(COST_OPTIMIZER),
                     0,
                     "optimizer",
                     "NAME",
                     "sgd momentum adagrad rmsprop adam adamw lion adafactor (default adamw)",
                     COMPLETES_OPTIMIZERS,
                     ""},
    row_zero = {OWN(COST_ZERO), 0, "zero", "0..3", "ZeRO's stage (default 0; fit: 3)", COMPLETES_WORDS, "0 1 2 3"},
    row_ranks = {OWN(COST_RANKS),   0, "ranks", "N", "that share the data, and what ZeRO shards (default 1)",
                 COMPLETES_NOTHING, ""},
    row_tp = {OWN(COST_TP), 0, "tp", "N", "machines that share each layer (default 1)", COMPLETES_NOTHING, ""},
    row_recompute =
        {OWN(COST_RECOMPUTE),  0, "recompute", "WHAT", "none selective full (default none)", COMPLETES_WORDS,
         "none selective full"},
    row_days = {OWN(COST_DAYS), 0, "days", "N", "how long the machines work (default 1)", COMPLETES_NOTHING, ""},
    row_memory = {OWN(COST_MEMORY),  0, "memory", "BYTES", "of one machine, instead of --gpu: 80GB, 80GiB",
                  COMPLETES_NOTHING, ""},
    row_result =
        {OWN(COST_RESULT),  0, "result", "NAME", "format of the product (default as operands, at least 16 bits)",
         COMPLETES_FORMATS, ""},
    row_peak = {OWN(COST_PEAK),    0, "peak", "FLOPS", "dense FLOP/s of one machine, instead of --gpu: 400e12, 400T",
                COMPLETES_NOTHING, ""},
    row_bandwidth = {OWN(COST_BANDWIDTH), 0, "bandwidth", "BYTES", "of one machine per second, with --peak: 1.6TB",
                     COMPLETES_NOTHING,   ""},
    row_seconds = {OWN(COST_SECONDS), 0, "seconds", "S", "how long --tokens took; of one step: 0.35",
                   COMPLETES_NOTHING, ""},
    row_tokens_per_second = {OWN(COST_TOKENS_PER_SECOND),
                             0,
                             "tokens-per-second",
                             "N",
                             "of all machines together, instead of --tokens and --seconds",
                             COMPLETES_NOTHING,
                             ""};

/* Of the models of binade train. */
static const option_row
    row_cost_width = {OWN(COST_WIDTH), 0, "width", "N", "of a model of binade train: as there", COMPLETES_NOTHING, ""},
    row_cost_depth = {OWN(COST_DEPTH), 0, "depth", "N", "its layers", COMPLETES_NOTHING, ""},
    row_cost_context = {OWN(COST_CONTEXT), 0, "context", "N", "symbols per row", COMPLETES_NOTHING, ""},
    row_cost_vocabulary = {OWN(COST_VOCABULARY), 0, "vocabulary", "N", "its vocabulary", COMPLETES_NOTHING, ""},
    row_cost_inputs = {OWN(COST_INPUTS), 0, "inputs", "N", "of the perceptron", COMPLETES_NOTHING, ""},
    row_cost_tied = {OWN(COST_TIED), 0, "tied", NULL, "the head is the table of embeddings", COMPLETES_NOTHING, ""};

/* In the order of enum cost_option. */
static const option_row *const own_rows[COST_OPTIONS] = {&row_params,
                                                         &row_tokens,
                                                         &row_gpus,
                                                         &row_gpu,
                                                         &row_cost_format,
                                                         &row_mfu,
                                                         &row_sparse,
                                                         &row_model,
                                                         &row_layers,
                                                         &row_hidden,
                                                         &row_heads,
                                                         &row_kv_heads,
                                                         &row_feed_forward,
                                                         &row_vocab,
                                                         &row_seq,
                                                         &row_batch,
                                                         &row_recipe,
                                                         &row_optimizer,
                                                         &row_zero,
                                                         &row_ranks,
                                                         &row_tp,
                                                         &row_recompute,
                                                         &row_days,
                                                         &row_memory,
                                                         &row_result,
                                                         &row_peak,
                                                         &row_bandwidth,
                                                         &row_seconds,
                                                         &row_tokens_per_second,
                                                         &row_cost_width,
                                                         &row_cost_depth,
                                                         &row_cost_context,
                                                         &row_cost_vocabulary,
                                                         &row_cost_inputs,
                                                         &row_cost_tied};

const char *cost_option_name(unsigned option)
{
    return own_rows[option]->name;
}

static bool is_text(unsigned option)
{
    return (GIVEN(option) & (GIVEN(COST_GPU) | GIVEN(COST_FORMAT) | GIVEN(COST_SPARSE) | GIVEN(COST_MODEL) |
                             GIVEN(COST_RECIPE) | GIVEN(COST_OPTIMIZER) | GIVEN(COST_RECOMPUTE) | GIVEN(COST_RESULT) |
                             GIVEN(COST_ZERO) | GIVEN(COST_TIED))) != 0;
}

static int own(void *state, int id, const char *value)
{
    asked *a = state;
    unsigned option = (unsigned)(id - OPTION_OWN);
    bool count = option == COST_PARAMS || option == COST_TOKENS || option == COST_DAYS || option == COST_PEAK ||
                 option == COST_SECONDS || option == COST_TOKENS_PER_SECOND;
    bool bytes = option == COST_MEMORY || option == COST_BANDWIDTH;
    bnd_quantity kind = option == COST_MFU ? BND_QUANTITY_SHARE
                        : bytes            ? BND_QUANTITY_BYTES
                        : count            ? BND_QUANTITY_NUMBER
                                           : BND_QUANTITY_WHOLE;
    bnd_error why;
    a->given |= GIVEN(option);
    a->text[option] = value;
    if (!is_text(option) && bnd_quantity_parse(&a->number[option], value, kind, &why) != BND_OK) {
        return complain(a->common.command, "--%s: %s", own_rows[option]->name, why.message);
    }
    return GO_ON;
}

/* ---- what options mean together ---- */

static const cost_question *find_question(const settings *s)
{
    const char *name = s->operand_count > 0 ? s->operands[0] : "";
    size_t most = 0, at = 0;
    for (size_t i = 0; cost_questions[i].name != NULL; i++) {
        size_t shared = letters_shared(name, cost_questions[i].name);
        if (strcmp(cost_questions[i].name, name) == 0) {
            return &cost_questions[i];
        }
        at = shared > most ? i : at;
        most = shared > most ? shared : most;
    }
    if (name[0] == '\0') {
        complain(s->command,
                 "a question is missing: time, mfu, fit, memory, flops, tensor, roofline, machines or models");
    } else {
        complain(s->command, "unknown question '%.40s'; did you mean '%s'?", name, cost_questions[at].name);
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
            return complain(a->common.command, "--%s is missing; try 'binade cost %s %s'", own_rows[i]->name, q->name,
                            q->example);
        }
        if ((a->given & ~q->takes & GIVEN(i)) != 0) {
            return complain(a->common.command, "%s does not look at --%s; try 'binade cost %s%s%s'", q->name,
                            own_rows[i]->name, q->name, q->example[0] != '\0' ? " " : "", q->example);
        }
    }
    if (a->common.operand_count > (q->operands[0] != '\0' ? 2u : 1u)) {
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
        size[i] = is_text(i) || (a->given & GIVEN(i)) == 0 ? 0 : (uint64_t)a->number[i];
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
    return bnd_architecture_check(m, why);
}

static bnd_status find_plan(asked *a, bnd_error *why)
{
    size_t row;
    const char *recipe = a->text[COST_RECIPE] != NULL ? a->text[COST_RECIPE] : "fp32";
    const char *optimizer = a->text[COST_OPTIMIZER] != NULL ? a->text[COST_OPTIMIZER] : "adamw";
    const char *zero = a->text[COST_ZERO] != NULL ? a->text[COST_ZERO] : "0";
    bnd_status status = bnd_policy_parse(&a->plan.policy, recipe, why);
    status = status == BND_OK ? bnd_optimizer_find(&row, optimizer, why) : status;
    if (status == BND_OK && (zero[0] < '0' || zero[0] > '3' || zero[1] != '\0')) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "--zero takes a stage from 0 to 3, not '%s'", zero);
    }
    if (status == BND_OK) {
        a->plan.keeps = bnd_optimizer_keeps;
        a->plan.optimizer = row;
        a->plan.zero = (unsigned)(zero[0] - '0');
        a->plan.ranks = a->number[COST_RANKS];
        a->plan.tensor = a->number[COST_TP];
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
    asked a = {.number = {[COST_GPUS] = 1, [COST_BATCH] = 1, [COST_RANKS] = 1, [COST_TP] = 1, [COST_DAYS] = 1}};
    settings s;
    const cost_question *q = NULL;
    a.common.command = self;
    int status = read_arguments(&s, self, argc, argv, own, &a);
    a.common = s;
    if (status == GO_ON) {
        q = find_question(&a.common);
        status = q != NULL ? check_options(&a, q) : BAD_USAGE;
    }
    status = status == GO_ON ? cost_find_trained(&a, q) : status;
    status = status == GO_ON ? find_all(&a, q) : status;
    if (status == GO_ON) {
        status = q->answer(&a, a.common.operands + 1, a.common.operand_count - 1);
    }
    clear_settings(&a.common);
    return status;
}

static const char *question_name(size_t at)
{
    return cost_questions[at].name;
}

static const option_row *const options[] = {&row_params,
                                            &row_tokens,
                                            &row_gpus,
                                            &row_gpu,
                                            &row_cost_format,
                                            &row_mfu,
                                            &row_sparse,
                                            &row_model,
                                            &row_layers,
                                            &row_hidden,
                                            &row_heads,
                                            &row_kv_heads,
                                            &row_feed_forward,
                                            &row_vocab,
                                            &row_seq,
                                            &row_batch,
                                            &row_recipe,
                                            &row_optimizer,
                                            &row_zero,
                                            &row_ranks,
                                            &row_tp,
                                            &row_recompute,
                                            &row_days,
                                            &row_memory,
                                            &row_result,
                                            &row_peak,
                                            &row_bandwidth,
                                            &row_seconds,
                                            &row_tokens_per_second,
                                            &row_cost_width,
                                            &row_cost_depth,
                                            &row_cost_context,
                                            &row_cost_vocabulary,
                                            &row_cost_inputs,
                                            &row_cost_tied,
                                            &row_json,
                                            &row_color,
                                            &row_help,
                                            NULL};

static const option_row *const rare[] = {&row_sparse,       &row_kv_heads,        &row_feed_forward,
                                         &row_days,         &row_memory,          &row_result,
                                         &row_bandwidth,    &row_seconds,         &row_tokens_per_second,
                                         &row_cost_context, &row_cost_vocabulary, &row_cost_inputs,
                                         &row_cost_tied,    &row_color,           NULL};

void cost_question_help(const command *self, const cost_question *question)
{
    const option_row *its[COST_OPTIONS + 4];
    size_t count = 0;
    char name[64], example[160], about[400];
    for (unsigned i = 0; i < COST_OPTIONS; i++) {
        if ((question->takes & GIVEN(i)) != 0) {
            its[count++] = own_rows[i];
        }
    }
    its[count++] = &row_json;
    its[count++] = &row_color;
    its[count++] = &row_help;
    its[count] = NULL;
    snprintf(name, sizeof name, "%s %s", self->name, question->name);
    snprintf(example, sizeof example, "binade %s%s%s", name, question->example[0] != '\0' ? " " : "",
             question->example);
    snprintf(about, sizeof about, "The question: %s.", question->summary);
    const command one = {
        .name = name, .operands = question->operands, .about = about, .options = its, .example = example};
    print_help(&one, false);
}

const command command_cost = {
    .name = "cost",
    .summary = "time, memory and FLOPs of training, on paper",
    .operands = "QUESTION [SHAPE]",
    .first = COMPLETES_OPERANDS,
    .operand_name = question_name,
    .about =
        "Works out what training costs: the answer first, then each step with its formula, its numbers and its result, "
        "then what is left out. 'binade cost QUESTION --help' lists the options of one question.\n\n"
        "QUESTION: time, mfu (from a measured time), fit (the largest model), memory (by role), flops [BxDxK], tensor "
        "SHAPE, roofline MxNxK, machines, models.",
    .options = options,
    .rare = rare,
    .example = "binade cost time --params 70e9 --tokens 15e12 --gpus 1024 --gpu h100 --mfu 0.5",
    .more =
        "time: --tokens, --gpu or --peak, and --params or a model; with a model, attention is counted. mfu: the same, "
        "and --seconds, or --tokens-per-second. fit: --gpu or --memory, "
        "--recipe, --optimizer. memory: --params or a model, --recipe, --optimizer, --zero, --ranks, --tp, --seq, "
        "--batch, --recompute; --gpu asks whether it fits. flops: a model, --params and --tokens, a product, "
        "or "
        "--gpus, --gpu (or --peak) and --days. tensor: --format, a list of formats and block formats. roofline: --gpu, "
        "--format, --result.\n\n"
        "In formulas: N parameters, D tokens, L layers, h hidden, a heads, q and k the widths of queries and of keys, "
        "f "
        "the perceptron's, V the vocabulary, s the sequence, b the batch (beside h) or bytes of an element (beside N), "
        "t "
        "machines of tensor parallelism.\n\n"
        "Numbers: 70e9, 70B, 15T, 512k; bytes: 80GB, 80GiB; shares: 0.5, 50%.\n\n"
        "Memory follows from the recipe, custom ones too, and from what the optimizer keeps. Of a model of binade "
        "train "
        "(--model transformer, mlp, linear, logistic, quadratic or student, with --width, --depth, --heads, --context, "
        "--vocabulary, --inputs, --batch, --tied and --recompute full) the total is what a run measures, to the byte. "
        "Of other transformers the activations are those of Korthikanti et al. 2022.\n\n"
        "With --json, one object: {\"question\", \"about\", \"answer\" (the name of a step), \"steps\": [{\"name\", "
        "\"formula\", \"substitution\", "
        "\"value\", \"unit\"}], \"notes\"}; tensor writes one a format, a line each.",
    .run = run,
};
