/* binade relayout: the same codes in another layout. */
#include "relayout.h"

#include "common/process.h"
#include "common/progress.h"
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

typedef struct relayout_question {
    settings common;
    const char *layout, *report;
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

/* Compares the values of both checkpoints. */
static int compare(relayout_question *q, const relayout_answer *a, const bnd_context *context,
                   bnd_relayout_compared *compared)
{
    bnd_error why;
    bnd_diff *diff = NULL;
    const bnd_diff_options options = {.context = context, .watch = {.at = show_progress, .state = &q->bar}};
    progress_begin(&q->bar, &q->common, "compare", PROGRESS_SHARE, 0);
    bnd_status status = bnd_diff_new(&diff, a->in, a->out, &options, &why);
    progress_end(&q->bar);
    if (status != BND_OK) {
        return fail(q->common.command, a->out_path, status, &why);
    }
    compared->weights = bnd_diff_count(diff);
    compared->weights_same = bnd_diff_kinds(diff, BND_DIFFERENCE_NONE);
    compared->inputs = bnd_relayout_compare_inputs(&compared->inputs_same, a->in, a->out);
    bnd_diff_free(diff);
    return GO_ON;
}

static void write_report(bnd_lab_json *json, const void *state)
{
    report_begin(json, "checkpoint");
    json_relayout(json, "relayout", state);
    bnd_lab_json_end(json);
}

static int print(const relayout_question *q, const relayout_answer *a)
{
    if (q->common.output == OUTPUT_JSON) {
        bnd_lab_json json;
        json_begin(&json);
        json_relayout(&json, NULL, a);
        json_line_end();
    } else {
        relayout_print_text(a);
    }
    int status = q->report != NULL ? report_write(q->report, q->common.command, write_report, a) : GO_ON;
    const bnd_relayout_compared *c = a->compared;
    const bool same = c == NULL || (c->weights_same == c->weights && c->inputs_same == c->inputs);
    return status != GO_ON ? status : same ? FINE : DOES_NOT_HOLD;
}

/* How each tensor changed, for --json and --report. */
static int find_changes(const relayout_question *q, relayout_answer *a, bnd_relayout_changes **changes)
{
    bnd_error why;
    if (q->report == NULL && q->common.output != OUTPUT_JSON) {
        return GO_ON;
    }
    bnd_status status = bnd_relayout_changes_new(changes, a->in, a->out, &why);
    a->changes = *changes;
    return status == BND_OK ? GO_ON : fail(q->common.command, a->out_path, status, &why);
}

/* The output is opened again where something of it is asked for. */
static int open_and_answer(relayout_question *q, relayout_answer *a, const bnd_context *context)
{
    bnd_checkpoint *out = NULL;
    bnd_relayout_compared compared;
    bnd_relayout_changes *changes = NULL;
    bnd_error why;
    int answer = GO_ON;
    if (!q->no_check || q->report != NULL || q->common.output == OUTPUT_JSON) {
        bnd_status status = bnd_checkpoint_new(&out, a->out_path, NULL, NULL, &why);
        answer = status == BND_OK ? GO_ON : fail(q->common.command, a->out_path, status, &why);
        a->out = out;
    }
    if (answer == GO_ON && !q->no_check) {
        answer = compare(q, a, context, &compared);
        a->compared = &compared;
    }
    answer = answer == GO_ON ? find_changes(q, a, &changes) : answer;
    answer = answer == GO_ON ? print(q, a) : answer;
    bnd_relayout_changes_free(changes);
    bnd_checkpoint_free(out);
    return answer;
}

static int work(relayout_question *q, const bnd_checkpoint *in)
{
    const command *self = q->common.command;
    const char *path = q->common.operands[1];
    bnd_context context;
    bnd_relayout_result result;
    bnd_error why;
    bnd_status status = bnd_context_init(&context, NULL, q->common.threads, &why);
    if (status != BND_OK) {
        return fail(self, "", status, &why);
    }
    const bnd_relayout how = {.layout = q->layout,
                              .shard_size = q->shard_size,
                              .context = &context,
                              .watch = {.at = show_progress, .state = &q->bar, .output = process_writes}};
    progress_begin(&q->bar, &q->common, "relayout", PROGRESS_BYTES, 0);
    status = bnd_checkpoint_relayout(&result, in, path, &how, true, &why);
    progress_end(&q->bar);
    if (status != BND_OK) {
        return fail(self, status == BND_BAD_STREAM ? path : q->common.operands[0], status, &why);
    }
    relayout_answer answer = {.in_path = q->common.operands[0], .out_path = path, .in = in, .result = &result};
    return open_and_answer(q, &answer, &context);
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
    status = status == GO_ON ? report_check(q.report, self) : status;
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
     .help = "most bytes of tensors per file of a folder: 5GB, 512MiB (default: one file)",
     INTO(relayout_question, shard_size, read_byte_size)},
    {.name = "report",
     .argument = "FILE.html",
     .help = "write a page with the changes as well: one file that opens in a browser",
     .completes = COMPLETES_FILES,
     INTO_TEXT(relayout_question, report)},
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
