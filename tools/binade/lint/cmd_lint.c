/* binade lint: what is wrong with a checkpoint, and which software loads it. */
#include "lint.h"
#include "report/html.h"

#include <string.h>

static int print_tables(lint *l)
{
    if (l->markdown && !l->layouts) {
        return complain(l->common.command, "--markdown is for --layouts");
    }
    if (l->common.operand_count > 0) {
        return complain(l->common.command,
                        "unexpected argument '%s'; --checks, --layouts and --loaders read no checkpoint",
                        l->common.operands[0]);
    }
    if (l->checks) {
        lint_print_checks(l);
    } else if (l->layouts) {
        lint_print_layouts(l);
    } else {
        lint_print_loaders(l);
    }
    return FINE;
}

/* ---- a checkpoint ---- */

typedef struct content {
    const lint *asked;
    const bnd_lint *found;
} content;

static void write_report(bnd_lab_json *json, const void *state)
{
    const content *c = state;
    report_begin(json, "checkpoint");
    json_lint(json, "lint", c->asked, c->found);
    bnd_lab_json_end(json);
}

static int print_found(const lint *l, const bnd_lint *found)
{
    const bnd_lint_summary *sum = bnd_lint_summary_of(found);
    const content all = {l, found};
    if (l->common.output == OUTPUT_JSON) {
        lint_print_json(l, found);
    } else {
        lint_print_text(l, found);
    }
    int status = l->report != NULL ? report_write(l->report, l->common.command, write_report, &all) : GO_ON;
    return status != GO_ON ? status : sum->damage + sum->suspect == 0 ? FINE : DOES_NOT_HOLD;
}

static int check_one(lint *l)
{
    bnd_lint *found;
    bnd_error why;
    if (l->common.operand_count == 0) {
        return complain(l->common.command, "name a checkpoint: a folder, or a file with tensors");
    }
    if (l->common.operand_count > 1) {
        return complain(l->common.command, "unexpected argument '%s'; one checkpoint at a time", l->common.operands[1]);
    }
    int checked = report_check(l->report, l->common.command);
    if (checked != GO_ON) {
        return checked;
    }
    const char *path = l->common.operands[0];
    bnd_status status = bnd_lint_new(&found, path, &l->how, &why);
    if (status != BND_OK) {
        (void)fail(l->common.command, path, status, &why);
        return status == BND_BAD_STREAM || status == BND_NO_MEMORY ? BAD_STREAM : BAD_USAGE;
    }
    int left = print_found(l, found);
    bnd_lint_free(found);
    return left;
}

static int run(const command *self, int argc, char **argv)
{
    lint l = {.all = false};
    int status = read_arguments(&l, self, argc, argv);
    if (status == GO_ON) {
        status = l.checks || l.layouts || l.loaders || l.markdown ? print_tables(&l) : check_one(&l);
    }
    clear_settings(&l.common);
    return status;
}

static const option_row options[] = {
    {.name = "all", .help = "print every place of a finding, not the first three", INTO_FLAG(lint, all)},
    {.name = "every-scale",
     .help = "read every scale; otherwise, of more than 512 MiB, pieces of each tensor",
     INTO_FLAG(lint, how.every_scale)},
    {.name = "no-codes",
     .help = "read no codes; otherwise a sample of FP8 codes, at most 16 MiB in all, and at most 16 MiB of each weight "
             "whose scales are suspected",
     INTO_FLAG(lint, how.no_codes)},
    {.name = "checks", .help = "print the checks, and where each damage is known from", INTO_FLAG(lint, checks)},
    {.name = "layouts", .help = "print the layouts: their tensors, dtypes and shapes", INTO_FLAG(lint, layouts)},
    {.name = "markdown", .help = "with --layouts: the page doc/reference/layouts.md", INTO_FLAG(lint, markdown)},
    {.name = "loaders",
     .help = "print which software loads which layout, and the source of each answer",
     INTO_FLAG(lint, loaders)},
    {.name = "report",
     .argument = "FILE.html",
     .help = "write a page with the findings as well: one file that opens in a browser",
     .completes = COMPLETES_FILES,
     INTO_TEXT(lint, report)},
    {.same = &row_json},
    {.same = &row_help},
    {.name = NULL},
};

#define ONE_TENSOR                                                                                                     \
    "printf '\\100\\0\\0\\0\\0\\0\\0\\0%-64s\\0\\0\\200\\077' '{\"w\":{\"dtype\":\"F32\",\"shape\":[1],"               \
    "\"data_offsets\":[0,4]}}' > one.safetensors"

static const command_example examples[] = {
    {"which software loads which layout", "binade lint --loaders"},
    {"a file with one tensor", ONE_TENSOR " && binade lint one.safetensors"},
    {"the same, as JSON", "binade lint one.safetensors --json"},
    {"with every scale, and every place of a finding", "binade lint one.safetensors --every-scale --all"},
    {"without a sample of the codes", "binade lint one.safetensors --no-codes"},
    {"the checks, and where each damage is known from", "binade lint --checks"},
    {NULL, NULL},
};

const command command_lint = {
    .name = "lint",
    .summary = "what is wrong with a checkpoint, and who loads it",
    .group = GROUP_FILES,
    .operands = "DIR|FILE",
    .first = COMPLETES_FILES,
    .others = COMPLETES_NOTHING,
    .about =
        "Checks a checkpoint: its files and index, its configs, and the scales of quantized weights. Finds scales that "
        "are missing, renamed, reciprocal, unset, of the wrong dtype or shape; configs that loaders refuse or that "
        "contradict the tensors. Names the layout, and which software loads it. Weights are not read, except for a "
        "sample of FP8 codes, so a checkpoint of 700 GB takes seconds.",
    .options = options,
    .examples = examples,
    .exit_one = "the checkpoint is damaged, or something in it looks wrong",
    .environment = READS_COLUMNS,
    .see_also = "cast formats",
    .run = run,
};
