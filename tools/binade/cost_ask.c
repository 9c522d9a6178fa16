/* The questions of `binade cost`: from options to the library's structures, a function each. */
#include "cost.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

#define SHAPE                                                                                                          \
    (GIVEN(COST_MODEL) | GIVEN(COST_LAYERS) | GIVEN(COST_HIDDEN) | GIVEN(COST_HEADS) | GIVEN(COST_KV_HEADS) |          \
     GIVEN(COST_FEED_FORWARD) | GIVEN(COST_VOCAB) | GIVEN(COST_SEQ))
#define MACHINES (GIVEN(COST_GPUS) | GIVEN(COST_GPU) | GIVEN(COST_FORMAT) | GIVEN(COST_SPARSE))
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
                    const char *question, const char *about)
{
    return status == BND_OK ? cost_print(a, question, about, answer) : refused(a, why);
}

/* "4096x4096x1024": sides separated by x; how many, or 0 after a complaint. */
static size_t read_sides(double *out, size_t most, const asked *a, const char *text, const char *example)
{
    size_t count = 0;
    for (;;) {
        char side[48];
        size_t length = strcspn(text, "xX*");
        bnd_error why;
        if (count == most || length == 0 || length >= sizeof side) {
            complain(a->common.command, "'%.60s' is no shape here; write it like %s", text, example);
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

static int need_model(const asked *a)
{
    return a->model != NULL ? GO_ON
                            : complain(a->common.command,
                                       "a model is missing: --model llama3-70b, or --layers, --hidden, --heads and "
                                       "--vocab");
}

/* Options that mean nothing here are refused, not passed over. */
static int refuse_options(const asked *a, uint32_t options, const char *where)
{
    for (unsigned i = 0; i < COST_OPTIONS; i++) {
        if ((a->given & options & GIVEN(i)) != 0) {
            return complain(a->common.command, "--%s means nothing %s", cost_option_name(i), where);
        }
    }
    return GO_ON;
}

/* A number of parameters, or a model. */
static int need_size(const asked *a, const char *example)
{
    const uint32_t of_shapes = GIVEN(COST_SEQ) | GIVEN(COST_BATCH) | GIVEN(COST_KEPT);
    if (a->model == NULL && !is_given(a, COST_PARAMS)) {
        return complain(a->common.command, "a size is missing: --params %s, or --model llama3-70b", example);
    }
    return a->model != NULL ? refuse_options(a, GIVEN(COST_PARAMS), "beside a model, which has its own")
                            : refuse_options(a, of_shapes, "without a model");
}

/* ---- time, flops ---- */

static int ask_time(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    (void)operand;
    (void)operands;
    if (need_size(a, "70e9") != GO_ON) {
        return BAD_USAGE;
    }
    bnd_cost_of_time q = {.parameters = a->number[COST_PARAMS],
                          .model = a->model,
                          .tokens = a->number[COST_TOKENS],
                          .machines = a->number[COST_GPUS],
                          .mfu = a->number[COST_MFU],
                          .sequence = a->number[COST_SEQ],
                          .recompute = a->recompute,
                          .machine = &a->machine,
                          .format = format_of(a),
                          .sparse = is_given(a, COST_SPARSE)};
    bnd_status status = bnd_cost_time(&answer, &q, &why);
    return answered(a, status, &answer, &why, "time", "how long training takes");
}

static int ask_flops(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    double side[3];
    const uint32_t of_models = SHAPE | GIVEN(COST_TOKENS) | GIVEN(COST_RECOMPUTE);
    const uint32_t of_machines = MACHINES | GIVEN(COST_MFU) | GIVEN(COST_DAYS);
    if (operands == 1) {
        if (refuse_options(a, of_models | of_machines, "beside a product") != GO_ON) {
            return BAD_USAGE;
        }
        size_t sides = read_sides(side, 3, a, operand[0], "1024x256x64 (points, inputs, outputs)");
        if (sides != 3) {
            return sides == 0 ? BAD_USAGE
                              : complain(a->common.command,
                                         "a product has three sides, B x D by D x K: write 1024x256x64, not '%.60s'",
                                         operand[0]);
        }
        bnd_status status = bnd_cost_product(&answer, side[0], side[1], side[2], &why);
        return answered(a, status, &answer, &why, "flops", "the FLOPs of a product and of its gradients");
    }
    if (is_given(a, COST_GPU)) {
        if (refuse_options(a, of_models, "beside machines and days") != GO_ON) {
            return BAD_USAGE;
        }
        bnd_status status = bnd_cost_budget(&answer, a->number[COST_GPUS], a->number[COST_DAYS], a->number[COST_MFU],
                                            &a->machine, format_of(a), is_given(a, COST_SPARSE), &why);
        return answered(a, status, &answer, &why, "flops", "the FLOPs of so many machines in so many days");
    }
    if (need_model(a) != GO_ON || refuse_options(a, of_machines, "without --gpu") != GO_ON) {
        return BAD_USAGE;
    }
    bnd_cost_of_flops q = {.model = a->model,
                           .sequence = a->number[COST_SEQ],
                           .tokens = is_given(a, COST_TOKENS) ? a->number[COST_TOKENS] : 0,
                           .recompute = a->recompute};
    bnd_status status = bnd_cost_flops(&answer, &q, &why);
    return answered(a, status, &answer, &why, "flops", "the FLOPs of a transformer, product by product");
}

/* ---- memory, fit ---- */

static int ask_memory(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    (void)operand;
    (void)operands;
    if (need_size(a, "7.5B") != GO_ON ||
        (a->model == NULL && refuse_options(a, GIVEN(COST_RECOMPUTE), "without a model") != GO_ON)) {
        return BAD_USAGE;
    }
    bool engine = is_given(a, COST_KEPT) && strcmp(a->text[COST_KEPT], "binade") == 0;
    if (is_given(a, COST_KEPT) && !engine && strcmp(a->text[COST_KEPT], "saved") != 0) {
        return complain(a->common.command, "--kept takes one of: saved binade; not '%s'", a->text[COST_KEPT]);
    }
    bnd_cost_of_memory q = {.plan = a->plan,
                            .parameters = a->number[COST_PARAMS],
                            .model = a->model,
                            .sequence = a->number[COST_SEQ],
                            .batch = a->number[COST_BATCH],
                            .recompute = a->recompute,
                            .kept = engine ? BND_KEPT_BY_ENGINE : BND_KEPT_FOR_BACKWARD,
                            .machine = is_given(a, COST_GPU) ? &a->machine : NULL};
    bnd_status status = bnd_cost_memory(&answer, &q, &why);
    return answered(a, status, &answer, &why, "memory", "what one rank holds");
}

static int ask_fit(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    (void)operand;
    (void)operands;
    if (!is_given(a, COST_GPU) && !is_given(a, COST_MEMORY)) {
        return complain(a->common.command, "a machine is missing: --gpu h100, or --memory 80GB");
    }
    if (is_given(a, COST_GPU) && refuse_options(a, GIVEN(COST_MEMORY), "beside --gpu") != GO_ON) {
        return BAD_USAGE;
    }
    if (!is_given(a, COST_ZERO)) {
        a->plan.zero = 3;
    }
    double memory = is_given(a, COST_MEMORY) ? a->number[COST_MEMORY] : a->machine.memory;
    bnd_status status = bnd_cost_fit(&answer, &a->plan, a->number[COST_GPUS], memory, &why);
    return answered(a, status, &answer, &why, "fit", "the largest model whose states fit");
}

/* ---- tensor, roofline ---- */

static int ask_tensor(asked *a, char **operand, size_t operands)
{
    double side[8];
    int result = FINE;
    const char *list = is_given(a, COST_FORMAT) ? a->text[COST_FORMAT] : "fp32";
    size_t rank = operands == 1 ? read_sides(side, 8, a, operand[0], "49152x12288") : 0;
    if (operands != 1) {
        return complain(a->common.command, "a shape is missing; try 'binade cost tensor 49152x12288'");
    }
    while (rank > 0 && result == FINE) {
        char name[96];
        bnd_cost answer;
        bnd_error why;
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        bnd_status status = bnd_cost_tensor(&answer, side, rank, name, &why);
        result = answered(a, status, &answer, &why, "tensor", name);
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    return rank > 0 ? result : BAD_USAGE;
}

static int ask_roofline(asked *a, char **operand, size_t operands)
{
    bnd_cost answer;
    bnd_error why;
    double side[3];
    if (operands != 1) {
        return complain(a->common.command,
                        "a product is missing; try 'binade cost roofline 4096x4096x4096 --gpu h100'");
    }
    size_t sides = read_sides(side, 3, a, operand[0], "4096x4096x4096 (M, N, K)");
    if (sides != 3) {
        return sides == 0
                   ? BAD_USAGE
                   : complain(a->common.command, "a product has three sides: write MxNxK, not '%.60s'", operand[0]);
    }
    bnd_status status =
        bnd_cost_roofline(&answer, side[0], side[1], side[2], &a->machine, format_of(a),
                          is_given(a, COST_RESULT) ? a->text[COST_RESULT] : NULL, is_given(a, COST_SPARSE), &why);
    return answered(a, status, &answer, &why, "roofline", "what a product is bound by");
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
    {"fit", "the largest model whose states fit", "", 0,
     STATES | GIVEN(COST_GPUS) | GIVEN(COST_GPU) | GIVEN(COST_MEMORY), ask_fit, "--gpus 8 --gpu h100 --recipe fp32"},
    {"memory", "what one rank holds: parameters, gradients, states, activations", "", 0,
     SHAPE | STATES | GIVEN(COST_PARAMS) | GIVEN(COST_RANKS) | GIVEN(COST_BATCH) | GIVEN(COST_RECOMPUTE) |
         GIVEN(COST_GPU) | GIVEN(COST_KEPT),
     ask_memory, "--model llama3-70b --recipe bf16-master --zero 3 --ranks 64"},
    {"flops", "of a model, of a product BxDxK, or of machines in so many days", "[BxDxK]", 0,
     SHAPE | MACHINES | GIVEN(COST_TOKENS) | GIVEN(COST_MFU) | GIVEN(COST_DAYS) | GIVEN(COST_RECOMPUTE), ask_flops,
     "--model gpt3-175b --tokens 300e9"},
    {"tensor", "bytes of a tensor in each format", "SHAPE", 0, GIVEN(COST_FORMAT), ask_tensor,
     "49152x12288 --format fp32,bf16,mxfp8"},
    {"roofline", "is a product bound by compute or by bandwidth?", "MxNxK", GIVEN(COST_GPU),
     GIVEN(COST_GPU) | GIVEN(COST_FORMAT) | GIVEN(COST_SPARSE) | GIVEN(COST_RESULT), ask_roofline,
     "4096x4096x4096 --gpu h100 --format fp8"},
    {"machines", "the machines that --gpu takes", "", 0, 0, list_machines, ""},
    {"models", "the models that --model takes", "", 0, 0, list_models, ""},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
