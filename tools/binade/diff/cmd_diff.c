/* binade diff: how two checkpoints differ, and how a quantized one was made. */
#include "diff.h"

#include "common/process.h"
#include "common/progress.h"
#include "report/html.h"

#include <string.h>

static int open_one(const diff_question *q, bnd_checkpoint **out, const char *path)
{
    bnd_error why;
    bnd_status status = bnd_checkpoint_new(out, path, NULL, NULL, &why);
    return status == BND_OK ? GO_ON : fail(q->common.command, path, status, &why);
}

static bool show_progress(void *state, uint64_t done, uint64_t total)
{
    progress *bar = state;
    bar->total = total;
    progress_at(bar, done);
    return !was_stopped();
}

static int compare(diff_question *q)
{
    bnd_context context;
    bnd_error why;
    progress bar;
    bnd_status status = bnd_context_init(&context, NULL, q->common.threads, &why);
    if (status != BND_OK) {
        return fail(q->common.command, "", status, &why);
    }
    const bnd_diff_options options = {.base = q->base,
                                      .explain = !q->no_explanation,
                                      .context = &context,
                                      .watch = {.at = show_progress, .state = &bar}};
    stop_on_signals();
    progress_begin(&bar, &q->common, "diff", PROGRESS_SHARE, 0);
    status = bnd_diff_new(&q->diff, q->a, q->b, &options, &why);
    progress_end(&bar);
    end_on_signals();
    return status == BND_OK ? GO_ON : fail(q->common.command, "", status, &why);
}

static void write_report(bnd_lab_json *json, const void *state)
{
    report_begin(json, "checkpoint");
    json_diff(json, "diff", state);
    bnd_lab_json_end(json);
}

static int print(const diff_question *q)
{
    if (q->common.output == OUTPUT_JSON) {
        diff_print_json(q);
    } else if (q->common.output == OUTPUT_CSV) {
        diff_print_csv(q);
    } else {
        diff_print_text(q);
    }
    return q->report != NULL ? report_write(q->report, q->common.command, write_report, q) : GO_ON;
}

static int run(const command *self, int argc, char **argv)
{
    diff_question q = {.most = 20};
    int status = read_arguments(&q, self, argc, argv);
    if (status == GO_ON && q.common.operand_count != 2) {
        status = complain(self, "expected two checkpoints, got %zu; try 'binade diff quantized/ base/'",
                          q.common.operand_count);
    }
    q.most = q.all && !OPTION_GIVEN(&q.common, diff_question, most) ? UINT64_MAX : q.most;
    status = status == GO_ON ? report_check(q.report, self) : status;
    status = status == GO_ON ? open_one(&q, &q.a, q.common.operands[0]) : status;
    status = status == GO_ON ? open_one(&q, &q.b, q.common.operands[1]) : status;
    if (status == GO_ON && q.base_path != NULL) {
        status = open_one(&q, &q.base, q.base_path);
    }
    status = status == GO_ON ? compare(&q) : status;
    status = status == GO_ON ? print(&q) : status;
    if (status == GO_ON) {
        status = bnd_diff_kinds(q.diff, BND_DIFFERENCE_NONE) == bnd_diff_count(q.diff) ? FINE : DOES_NOT_HOLD;
    }
    bnd_diff_free(q.diff);
    bnd_checkpoint_free(q.a);
    bnd_checkpoint_free(q.b);
    bnd_checkpoint_free(q.base);
    clear_settings(&q.common);
    return status;
}

static const option_row options[] = {
    {.name = "base",
     .argument = "C",
     .help = "the unquantized model that A was made from (default: B, for weights that are quantized in A only)",
     .completes = COMPLETES_FILES,
     INTO_TEXT(diff_question, base_path)},
    {.name = "no-explain", .help = "do not search how A was made", INTO_FLAG(diff_question, no_explanation)},
    {.name = "all", .help = "list every weight, equal ones too", INTO_FLAG(diff_question, all)},
    {.name = "most",
     .argument = "N",
     .help = "list at most N weights (default 20; with --all every one)",
     INTO_WHOLE(diff_question, most, 0, UINT64_MAX)},
    {.name = "histogram", .help = "count the elements by their distance in ulps", INTO_FLAG(diff_question, histogram)},
    {.name = "report",
     .argument = "FILE.html",
     .help = "write a page with the answer as well: one file that opens in a browser",
     .completes = COMPLETES_FILES,
     INTO_TEXT(diff_question, report)},
    {.same = &row_threads, .rare = 1},
    {.same = &row_progress, .rare = 1},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"a quantized model and its base: the errors, and how it was made", "binade diff model-fp8 model"},
    {"the same of random rounding, with distances in ulps", "binade diff model-mxfp4.safetensors model --histogram"},
    {"a model in another layout: does it decode to the same values?", "binade diff model-bf16 model-fp8"},
    {"two quantized models; how the first was made from a third", "binade diff model-nvfp4 model-fp8 --base model"},
    {"every weight, equal ones too, as CSV", "binade diff model-tiles model --csv"},
    {"sums and errors for a program", "binade diff model-fp8 model --no-explain --json"},
    {NULL, NULL},
};

const command command_diff = {
    .name = "diff",
    .summary = "how two checkpoints differ, and how a quantized one was made",
    .group = GROUP_FILES,
    .operands = "A B",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about =
        "Compares the weights of two checkpoints as numbers: dequantized, whatever their layouts. For weights that "
        "are quantized in A, and whose base is B or --base, it searches how they were made: which scale rule, "
        "quotient and rounding give the stored scales and codes, bit for bit.",
    .options = options,
    .examples = examples,
    .exit_one = "Weights differ, or one of the two does not have them.",
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "cast formats lint quantize",
    .run = run,
};
