/* binade relayout: the same codes in another layout. */
#include "common/print.h"
#include "common/process.h"
#include "common/progress.h"

#include <stdlib.h>
#include <string.h>

typedef struct relayout_question {
    settings common;
    const char *layout;
    uint64_t shard_size;
    bool no_check;
    progress bar;
} relayout_question;

static bool show_progress(void *state, uint64_t done, uint64_t total)
{
    progress *bar = state;
    bar->total = total;
    progress_at(bar, done);
    return !was_stopped();
}

/* Compares the values of both checkpoints. False in `same` if an element differs beyond what `result` says. */
static int compare(relayout_question *q, const bnd_checkpoint *in, const char *path, const bnd_context *context,
                   bnd_diff **diff, bnd_checkpoint **out)
{
    const command *self = q->common.command;
    bnd_error why;
    const bnd_diff_options options = {.context = context, .watch = {.at = show_progress, .state = &q->bar}};
    bnd_status status = bnd_checkpoint_new(out, path, NULL, NULL, &why);
    if (status != BND_OK) {
        return fail(self, path, status, &why);
    }
    progress_begin(&q->bar, &q->common, "compare", PROGRESS_SHARE, 0);
    status = bnd_diff_new(diff, in, *out, &options, &why);
    progress_end(&q->bar);
    return status == BND_OK ? GO_ON : fail(self, path, status, &why);
}

/* Static input scales that were compared. */
typedef struct inputs_compared {
    size_t count, same;
} inputs_compared;

static void print_text(const relayout_question *q, const bnd_relayout_result *r, const bnd_diff *diff,
                       const inputs_compared *inputs)
{
    printf("%zu weights: %s -> %s, written to %s\n", r->weights, r->from->name, r->to->name, q->common.operands[1]);
    if (diff != NULL) {
        const size_t all = bnd_diff_count(diff), same = bnd_diff_kinds(diff, BND_DIFFERENCE_NONE);
        printf(same == all ? "identical: all %zu weights decode to the same values\n"
                           : "%zu weights, of which %zu decode to the same values\n",
               all, same);
    }
    if (r->seconds_moved > 0) {
        printf("second-level scale moved by 1 ulp in %zu of %zu: 1 / (1 / x) is not x for it; the originals are in the "
               "metadata\n",
               r->seconds_moved, r->seconds);
    }
    if (inputs->count > 0) {
        printf(
            inputs->same == inputs->count
                ? "static input scales: all %zu are the same\n"
                : "static input scales: %zu, of which %zu are the same; 1 / (1 / x) is not x for the others, and the "
                  "originals are in the metadata\n",
            inputs->count, inputs->same);
    }
    if (r->restored) {
        printf("names, dtypes, configs and metadata are those from before the input was laid out anew\n");
    }
}

static void print_json(const relayout_question *q, const bnd_relayout_result *r, const bnd_diff *diff,
                       const inputs_compared *inputs)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "out", q->common.operands[1]);
    bnd_lab_json_string(&json, "from", r->from->name);
    bnd_lab_json_string(&json, "to", r->to->name);
    bnd_lab_json_unsigned(&json, "weights", r->weights);
    bnd_lab_json_unsigned(&json, "scales_cast", r->scales_cast);
    bnd_lab_json_unsigned(&json, "second_scales", r->seconds);
    bnd_lab_json_unsigned(&json, "second_scales_moved", r->seconds_moved);
    bnd_lab_json_unsigned(&json, "input_scales", r->inputs);
    bnd_lab_json_unsigned(&json, "input_scales_moved", r->inputs_moved);
    bnd_lab_json_boolean(&json, "restored", r->restored);
    if (diff != NULL) {
        bnd_lab_json_unsigned(&json, "compared", bnd_diff_count(diff));
        bnd_lab_json_unsigned(&json, "identical", bnd_diff_kinds(diff, BND_DIFFERENCE_NONE));
        bnd_lab_json_unsigned(&json, "input_scales_identical", inputs->same);
    }
    bnd_lab_json_end(&json);
    json_line_end();
}

static int work(relayout_question *q, const bnd_checkpoint *in)
{
    const command *self = q->common.command;
    const char *path = q->common.operands[1];
    bnd_context context;
    bnd_relayout_result result;
    bnd_diff *diff = NULL;
    bnd_checkpoint *out = NULL;
    bnd_error why;
    bnd_status status = bnd_context_init(&context, NULL, q->common.threads, &why);
    if (status != BND_OK) {
        return fail(self, "", status, &why);
    }
    const bnd_relayout how = {.layout = q->layout,
                              .shard_size = q->shard_size,
                              .context = &context,
                              .watch = {.at = show_progress, .state = &q->bar}};
    progress_begin(&q->bar, &q->common, "relayout", PROGRESS_BYTES, 0);
    status = bnd_checkpoint_relayout(&result, in, path, &how, true, &why);
    progress_end(&q->bar);
    if (status != BND_OK) {
        return fail(self, status == BND_BAD_STREAM ? path : q->common.operands[0], status, &why);
    }
    int answer = q->no_check ? GO_ON : compare(q, in, path, &context, &diff, &out);
    if (answer == GO_ON) {
        inputs_compared inputs = {0, 0};
        if (out != NULL) {
            inputs.count = bnd_relayout_compare_inputs(&inputs.same, in, out);
        }
        (q->common.output == OUTPUT_JSON ? print_json : print_text)(q, &result, diff, &inputs);
        const bool same = diff == NULL || bnd_diff_kinds(diff, BND_DIFFERENCE_NONE) == bnd_diff_count(diff);
        answer = same && inputs.same == inputs.count ? FINE : DOES_NOT_HOLD;
    }
    bnd_diff_free(diff);
    bnd_checkpoint_free(out);
    return answer;
}

static int run(const command *self, int argc, char **argv)
{
    relayout_question q = {.layout = NULL};
    bnd_checkpoint *in = NULL;
    bnd_error why;
    int status = read_arguments(&q, self, argc, argv);
    if (status == GO_ON && (q.common.operand_count != 2 || q.layout == NULL)) {
        status = complain(self,
                          q.layout == NULL ? "expected --layout (compressed-tensors, fp8 or modelopt)"
                                           : "expected an input and an output, got %zu names",
                          q.common.operand_count);
    }
    if (status == GO_ON) {
        bnd_status opened = bnd_checkpoint_new(&in, q.common.operands[0], NULL, NULL, &why);
        status = opened == BND_OK ? GO_ON : fail(self, q.common.operands[0], opened, &why);
    }
    if (status == GO_ON) {
        stop_on_signals();
        status = work(&q, in);
        end_on_signals();
    }
    bnd_checkpoint_free(in);
    clear_settings(&q.common);
    return status;
}

static const option_row options[] = {
    {.name = "layout",
     .argument = "L",
     .help = "compressed-tensors, fp8 or modelopt; or the layout that the input came from",
     .completes = COMPLETES_WORDS,
     .words = "compressed-tensors fp8 modelopt",
     INTO_TEXT(relayout_question, layout)},
    {.name = "no-check",
     .help = "do not compare the values of input and output at the end",
     INTO_FLAG(relayout_question, no_check)},
    {.name = "shard-size",
     .argument = "BYTES",
     .help = "the most bytes of tensors in a file (default: one file)",
     INTO_WHOLE(relayout_question, shard_size, 0, UINT64_MAX)},
    {.same = &row_threads, .rare = 1},
    {.same = &row_progress, .rare = 1},
    {.same = &row_json},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"NVFP4 of ModelOpt for compressed-tensors",
     "binade relayout model-nvfp4 model-ct --layout compressed-tensors || test $? = 1"},
    {"and back: the same tensors and configs", "binade relayout model-ct model-back --layout modelopt || test $? = 1"},
    {"tiles of FP8 for ModelOpt", "binade relayout model-tiles model-tiles-mo --layout modelopt"},
    {"rows of FP8 for ModelOpt, in one file", "binade relayout model-fp8 model-rows.safetensors --layout modelopt"},
    {"the outcome for a program", "binade relayout model-tiles model-tiles-ct --layout compressed-tensors --json"},
    {"without reading everything again at the end",
     "binade relayout model-tiles model-tiles-2 --layout compressed-tensors --no-check"},
    {NULL, NULL},
};

const command command_relayout = {
    .name = "relayout",
    .summary = "the same codes in another layout: names, shapes, reciprocals, configs",
    .group = GROUP_FILES,
    .operands = "IN OUT",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about = "Writes a quantized checkpoint in the layout of another tool. Codes are not computed anew. At the end the "
             "dequantized values of both checkpoints are compared.",
    .options = options,
    .examples = examples,
    .exit_one = "Values differ: a second-level scale has no exact reciprocal. The output is written.",
    .environment = READS_BACKEND | READS_THREADS,
    .see_also = "diff lint quantize",
    .run = run,
};
