/* The questions of `binade cost`: one function each, from options to the library's structures. */
#include "cost.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

#define SHAPE                                                                                                          \
    (GIVEN(COST_MODEL) | GIVEN(COST_LAYERS) | GIVEN(COST_HIDDEN) | GIVEN(COST_HEADS) | GIVEN(COST_KV_HEADS) |          \
     GIVEN(COST_FEED_FORWARD) | GIVEN(COST_VOCAB) | GIVEN(COST_DROPOUT) | GIVEN(COST_SEQ))
#define MACHINES (GIVEN(COST_GPUS) | GIVEN(COST_GPU) | GIVEN(COST_FORMAT) | GIVEN(COST_SPARSE) | GIVEN(COST_PEAK))
#define STATES   (GIVEN(COST_RECIPE) | GIVEN(COST_OPTIMIZER) | GIVEN(COST_ZERO) | GIVEN(COST_TP))

static int refused(const asked *a, const bnd_error *why)
{
    return complain(a->common.command, "%s", why->message);
}

static bool is_given(const asked *a, enum cost_option option)
{
    return (a->given & GIVEN(option)) != 0;
}

static const char *format_of(const asked *a)
{
    return is_given(a, COST_FORMAT) ? a->text[COST_FORMAT] : "bf16";
}

static int answered(const asked *a, bnd_status status, const bnd_cost *answer, const bnd_error *why,
                    const char *question, const char *headline)
{
    return status == BND_OK ? cost_print(a, question, answer->about, headline, answer) : refused(a, why);
}

/* "on 1024 x NVIDIA H100 SXM" */
static char *machines_text(const asked *a)
{
    char number[32];
    bnd_cost_number(number, sizeof number, a->number[COST_GPUS]);
    return is_given(a, COST_PEAK) || !is_given(a, COST_GPU)
               ? format_text("on %s machine%s", number, a->number[COST_GPUS] == 1 ? "" : "s")
               : format_text("on %s x %s", number, a->machine.title);
}

/* The same where the first line names the machines, between `before` and `how`, which is freed. */
static int answered_on_machines(const asked *a, bnd_status status, const bnd_cost *answer, const bnd_error *why,
                                const char *question, const char *before, char *how)
{
    char *machines = machines_text(a), *headline = format_text("%s%s%s", before, machines, how);
    int result = answered(a, status, answer, why, question, headline);
    free(headline);
    free(machines);
    free(how);
    return result;
}

/* "4096x4096x1024": sides separated by x; how many, or 0 after a complaint. */
static size_t read_sides(double *out, size_t most, const asked *a, const char *text, const char *example)
{
    const char *whole = text;
    size_t count = 0;
    for (;;) {
        char side[48];
        size_t length = strcspn(text, "xX*");
        bnd_error why;
        if (count == most) {
            complain(a->common.command, "'%.60s' has more than %zu sides; write a shape like %s", whole, most, example);
            return 0;
        }
        if (length == 0 || length >= sizeof side) {
            complain(a->common.command, "'%.60s' is not a shape; write it like %s", whole, example);
            return 0;
        }
        memcpy(side, text, length);
        side[length] = '\0';
        if (bnd_quantity_parse(&out[count++], side, BND_QUANTITY_WHOLE, &why) != BND_OK) {
            refused(a, &why);
            return 0;
        }
        if (text[length] == '\0') {
            return count;
        }
        text += length + 1;
    }
}

/* A number of parameters, or a model. */
static int need_size(const asked *a, const char *example)
{
    const uint64_t of_shapes = GIVEN(COST_SEQ) | GIVEN(COST_BATCH) | GIVEN(COST_DROPOUT);
    if (a->has_trained) {
        return GO_ON;
    }
    if (a->model == NULL && !is_given(a, COST_PARAMS)) {
        return complain(a->common.command, "expected a size: --params %s, or --model llama3-70b", example);
    }
    return a->model != NULL ? cost_refuse_options(a, GIVEN(COST_PARAMS), "with a model, which has its own")
                            : cost_refuse_options(a, of_shapes, "without a model");
}

/* ---- time, mfu, flops ---- */

static bnd_cost_of_time time_of(const asked *a)
{
    return (bnd_cost_of_time){.parameters = a->number[COST_PARAMS],
                              .model = a->model,
                              .tokens = a->number[COST_TOKENS],
                              .machines = a->number[COST_GPUS],
                              .mfu = a->number[COST_MFU],
                              .sequence = a->number[COST_SEQ],
                              .recompute = a->recompute,
                              .machine = &a->machine,
                              .format = format_of(a),
                              .sparse = is_given(a, COST_SPARSE)};
}

static int ask_time(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    (void)operand;
    (void)operands;
    if (need_size(a, "70e9") != GO_ON) {
        return BAD_USAGE;
    }
    bnd_cost_of_time q = time_of(a);
    bnd_status status = bnd_cost_time(&answer, &q, &why);
    return answered_on_machines(a, status, &answer, &why, "time", "", format_text(" at %.3g %% MFU", 100 * q.mfu));
}

/* From tokens and seconds, or from tokens per second. */
static int ask_mfu(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    bool by_rate = is_given(a, COST_TOKENS_PER_SECOND);
    (void)operand;
    (void)operands;
    if (by_rate &&
        cost_refuse_options(a, GIVEN(COST_TOKENS) | GIVEN(COST_SECONDS), "with --tokens-per-second") != GO_ON) {
        return BAD_USAGE;
    }
    if (!by_rate && (!is_given(a, COST_TOKENS) || !is_given(a, COST_SECONDS))) {
        return complain(a->common.command,
                        "expected a measurement: --tokens and --seconds of a step, or --tokens-per-second");
    }
    if (need_size(a, "7e9") != GO_ON) {
        return BAD_USAGE;
    }
    bnd_cost_of_time q = time_of(a);
    q.tokens = by_rate ? a->number[COST_TOKENS_PER_SECOND] : q.tokens;
    bnd_status status = bnd_cost_utilization(&answer, &q, by_rate ? 1 : a->number[COST_SECONDS], &why);
    return answered(a, status, &answer, &why, "mfu", "of the peak (MFU)");
}

/* Options of flops that only a model, or only machines, have. */
#define FLOPS_OF_MODELS   (SHAPE | GIVEN(COST_PARAMS) | GIVEN(COST_TOKENS) | GIVEN(COST_RECOMPUTE))
#define FLOPS_OF_MACHINES (MACHINES | GIVEN(COST_MFU) | GIVEN(COST_DAYS))

static int ask_flops_of_product(asked *a, const char *operand)
{
    bnd_cost answer;
    bnd_error why;
    double side[3];
    if (cost_refuse_options(a, FLOPS_OF_MODELS | FLOPS_OF_MACHINES, "with a matrix product") != GO_ON) {
        return BAD_USAGE;
    }
    size_t sides = read_sides(side, 3, a, operand, "1024x256x64 (points, inputs, outputs)");
    if (sides != 3) {
        return sides == 0
                   ? BAD_USAGE
                   : complain(a->common.command,
                              "a matrix product has three sizes, B x D by D x K: expected 1024x256x64, got '%.60s'",
                              operand);
    }
    bnd_status status = bnd_cost_product(&answer, side[0], side[1], side[2], &why);
    return answered(a, status, &answer, &why, "flops", "for the matrix product and its two gradients");
}

static int ask_flops_of_machines(asked *a)
{
    bnd_cost answer;
    bnd_error why;
    if (cost_refuse_options(a, FLOPS_OF_MODELS, "with machines and days") != GO_ON) {
        return BAD_USAGE;
    }
    bnd_status status = bnd_cost_budget(&answer, a->number[COST_GPUS], a->number[COST_DAYS], a->number[COST_MFU],
                                        &a->machine, format_of(a), is_given(a, COST_SPARSE), &why);
    double days = a->number[COST_DAYS];
    return answered_on_machines(a, status, &answer, &why, "flops", "",
                                format_text(" in %.4g day%s", days, days == 1 ? "" : "s"));
}

static int ask_flops(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    if (operands == 1) {
        return ask_flops_of_product(a, operand[0]);
    }
    if (is_given(a, COST_GPU) || is_given(a, COST_PEAK)) {
        return ask_flops_of_machines(a);
    }
    if (!a->has_trained && a->model == NULL && (a->given & FLOPS_OF_MACHINES) != 0 && !is_given(a, COST_PARAMS)) {
        return complain(a->common.command, "--gpu is missing; try 'binade cost flops --gpus 8 --gpu h100 --days 30'");
    }
    if (need_size(a, "70e9 --tokens 15e12") != GO_ON ||
        cost_refuse_options(a, FLOPS_OF_MACHINES, "without --gpu or --peak") != GO_ON) {
        return BAD_USAGE;
    }
    if (a->model == NULL && !is_given(a, COST_TOKENS)) {
        return complain(a->common.command, "--tokens is missing; try 'binade cost flops --params 70e9 --tokens 15e12'");
    }
    bnd_cost_of_flops q = {.parameters = a->number[COST_PARAMS],
                           .model = a->model,
                           .sequence = a->number[COST_SEQ],
                           .tokens = is_given(a, COST_TOKENS) ? a->number[COST_TOKENS] : 0,
                           .recompute = a->recompute};
    bnd_status status = bnd_cost_flops(&answer, &q, &why);
    return answered(a, status, &answer, &why, "flops", "to train the model");
}

/* ---- memory, fit ---- */

/* The recipes are named where there are several. */
static int print_memory(const asked *a, const bnd_cost *answers)
{
    const char *headline = a->has_trained ? "for a run of binade train" : "per rank";
    bool several = a->recipes.count > 1;
    for (size_t i = 0; i < a->recipes.count; i++) {
        const char *name = several ? a->recipes.items[i].name : "";
        char *its_about = format_text("%s%s%s", answers[i].about, several ? ", " : "", name);
        char *its_headline = format_text("%s%s%s", headline, several ? " with " : "", name);
        (void)cost_print(a, "memory", its_about, its_headline, &answers[i]);
        free(its_about);
        free(its_headline);
    }
    return FINE;
}

static int ask_memory(asked *a, char **operand, size_t operands)
{
    bnd_error why;
    (void)operand;
    (void)operands;
    if (need_size(a, "7.5B") != GO_ON || (a->model == NULL && !a->has_trained &&
                                          cost_refuse_options(a, GIVEN(COST_RECOMPUTE), "without a model") != GO_ON)) {
        return BAD_USAGE;
    }
    bnd_cost_of_memory q = {.plan = a->plan,
                            .parameters = a->number[COST_PARAMS],
                            .model = a->model,
                            .trained = a->has_trained ? &a->trained : NULL,
                            .sequence = a->number[COST_SEQ],
                            .batch = a->number[COST_BATCH],
                            .recompute = a->recompute,
                            .machine = is_given(a, COST_GPU) ? &a->machine : NULL};
    size_t count = a->recipes.count;
    bnd_cost *answers = allocate(NULL, count, sizeof *answers);
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        q.plan.policy = a->recipes.items[i].policy;
        status = bnd_cost_memory(&answers[i], &q, &why);
    }
    int result = status != BND_OK            ? refused(a, &why)
                 : a->text[COST_SVG] != NULL ? cost_draw_memory(a, answers)
                                             : print_memory(a, answers);
    free(answers);
    return result;
}

static int ask_fit(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    (void)operand;
    (void)operands;
    if (!is_given(a, COST_GPU) && !is_given(a, COST_MEMORY)) {
        return complain(a->common.command, "expected a machine: --gpu h100, or --memory 80GB");
    }
    if (is_given(a, COST_GPU) && cost_refuse_options(a, GIVEN(COST_MEMORY), "with --gpu") != GO_ON) {
        return BAD_USAGE;
    }
    if (!is_given(a, COST_ZERO)) {
        a->plan.zero = 3;
    }
    double memory = is_given(a, COST_MEMORY) ? a->number[COST_MEMORY] : a->machine.memory;
    bnd_status status = bnd_cost_fit(&answer, &a->plan, a->number[COST_GPUS], memory, &why);
    return answered_on_machines(a, status, &answer, &why, "fit", "fit ", copy_text(", without activations"));
}

/* ---- tensor, roofline ---- */

/* Answers for each format of a list; prints none of them if `only_checks`. */
static int tensor_in_each(const asked *a, const double *side, size_t rank, const char *list, bool only_checks)
{
    int result = FINE;
    for (bool more = true; more && result == FINE;) {
        char name[96];
        bnd_cost answer;
        bnd_error why;
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        bnd_status status = bnd_cost_tensor(&answer, side, rank, name, &why);
        char *headline = format_text("in %s", name);
        if (!only_checks || status != BND_OK) {
            result = answered(a, status, &answer, &why, "tensor", headline);
        }
        free(headline);
        more = list[length] != '\0';
        list += length + more;
    }
    return result;
}

static int ask_tensor(asked *a, char **operand, size_t operands)
{
    double side[8];
    const char *list = is_given(a, COST_FORMAT) ? a->text[COST_FORMAT] : "fp32";
    size_t rank = operands == 1 ? read_sides(side, 8, a, operand[0], "49152x12288") : 0;
    if (operands != 1) {
        return complain(a->common.command, "expected a shape; try 'binade cost tensor 49152x12288'");
    }
    if (rank == 0) {
        return BAD_USAGE;
    }
    const int result = tensor_in_each(a, side, rank, list, true);
    return result == FINE ? tensor_in_each(a, side, rank, list, false) : result;
}

static int reach_of(bnd_cost *out, const asked *a, const char *product)
{
    bnd_error why;
    double side[3];
    size_t sides = read_sides(side, 3, a, product, "4096x4096x4096 (M, N, K)");
    if (sides != 3) {
        return sides == 0 ? BAD_USAGE
                          : complain(a->common.command, "a matrix product has three sizes: expected MxNxK, got '%.60s'",
                                     product);
    }
    bnd_status status =
        bnd_cost_roofline(out, side[0], side[1], side[2], &a->machine, format_of(a),
                          is_given(a, COST_RESULT) ? a->text[COST_RESULT] : NULL, is_given(a, COST_SPARSE), &why);
    return status == BND_OK ? GO_ON : refused(a, &why);
}

/* The products are named where there are several. */
static int print_roofline(const asked *a, char *const *products, const bnd_cost *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *headline = format_text("at most for %s", count > 1 ? products[i] : "this matrix product");
        (void)cost_print(a, "roofline", answers[i].about, headline, &answers[i]);
        free(headline);
    }
    return FINE;
}

static int ask_roofline(asked *a, char **operand, size_t operands)
{
    if (is_given(a, COST_PEAK) && !is_given(a, COST_BANDWIDTH)) {
        return complain(a->common.command, "--bandwidth is missing: with --peak, roofline needs it, as in 1.6TB");
    }
    if (operands == 0) {
        return complain(a->common.command,
                        "expected a matrix product; try 'binade cost roofline 4096x4096x4096 --gpu h100'");
    }
    bnd_cost *answers = allocate(NULL, operands, sizeof *answers);
    int status = GO_ON;
    for (size_t i = 0; status == GO_ON && i < operands; i++) {
        status = reach_of(&answers[i], a, operand[i]);
    }
    if (status == GO_ON) {
        status = is_given(a, COST_SVG) ? cost_draw_roofline(a, operand, answers, operands)
                                       : print_roofline(a, operand, answers, operands);
    }
    free(answers);
    return status;
}

static int list_machines(asked *a, char **operand, size_t operands)
{
    (void)operand;
    (void)operands;
    return cost_list_machines(a);
}

static int list_models(asked *a, char **operand, size_t operands)
{
    (void)operand;
    (void)operands;
    return cost_list_models(a);
}

const cost_question cost_questions[] = {
    {"time", "how long training takes", "", GIVEN(COST_TOKENS) | GIVEN(COST_GPU),
     SHAPE | MACHINES | GIVEN(COST_PARAMS) | GIVEN(COST_TOKENS) | GIVEN(COST_MFU) | GIVEN(COST_RECOMPUTE), ask_time,
     "--params 70e9 --tokens 15e12 --gpus 1024 --gpu h100 --mfu 0.5"},
    {"mfu", "the share of the peak that a measured run reached", "", GIVEN(COST_GPU),
     SHAPE | MACHINES | GIVEN(COST_PARAMS) | GIVEN(COST_TOKENS) | GIVEN(COST_SECONDS) | GIVEN(COST_TOKENS_PER_SECOND) |
         GIVEN(COST_RECOMPUTE),
     ask_mfu, "--params 7e9 --tokens-per-second 90e3 --gpus 8 --gpu h100"},
    {"fit", "the largest model whose states fit", "", 0,
     STATES | GIVEN(COST_GPUS) | GIVEN(COST_GPU) | GIVEN(COST_MEMORY), ask_fit, "--gpus 8 --gpu h100 --recipe fp32"},
    {"memory", "the memory of one rank: parameters, gradients, states, activations", "", 0,
     SHAPE | STATES | GIVEN(COST_PARAMS) | GIVEN(COST_RANKS) | GIVEN(COST_MICRO_BATCHES) | GIVEN(COST_BATCH) |
         GIVEN(COST_RECOMPUTE) | GIVEN(COST_GPU) | GIVEN(COST_WIDTH) | GIVEN(COST_DEPTH) | GIVEN(COST_CONTEXT) |
         GIVEN(COST_VOCABULARY) | GIVEN(COST_INPUTS) | GIVEN(COST_TIED) | GIVEN(COST_BLOCKS) | GIVEN(COST_SVG),
     ask_memory, "--model llama3-70b --recipe bf16-master --zero 3 --ranks 64"},
    {"flops", "FLOPs of a model, of a matrix product BxDxK, or of machines in some days", "[BxDxK]", 0,
     SHAPE | MACHINES | GIVEN(COST_PARAMS) | GIVEN(COST_TOKENS) | GIVEN(COST_MFU) | GIVEN(COST_DAYS) |
         GIVEN(COST_RECOMPUTE),
     ask_flops, "--params 70e9 --tokens 15e12"},
    {"tensor", "bytes of a tensor in each format", "SHAPE", 0, GIVEN(COST_FORMAT), ask_tensor,
     "49152x12288 --format fp32,bf16,mxfp8"},
    {"roofline", "whether a matrix product is bound by compute or by bandwidth", "MxNxK...", GIVEN(COST_GPU),
     GIVEN(COST_GPU) | GIVEN(COST_FORMAT) | GIVEN(COST_SPARSE) | GIVEN(COST_RESULT) | GIVEN(COST_PEAK) |
         GIVEN(COST_BANDWIDTH) | GIVEN(COST_SVG),
     ask_roofline, "4096x4096x4096 --gpu h100 --format fp8"},
    {"machines", "the machines that --gpu takes", "", 0, 0, list_machines, ""},
    {"models", "the models that --model takes", "", 0, 0, list_models, ""},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
