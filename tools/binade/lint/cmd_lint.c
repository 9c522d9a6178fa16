/* binade lint: what is wrong with a checkpoint, and which software loads it. */
#include "lint.h"

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
    const char *path = l->common.operands[0];
    bnd_status status = bnd_lint_new(&found, path, &l->how, &why);
    if (status != BND_OK) {
        (void)fail(l->common.command, path, status, &why);
        return status == BND_BAD_STREAM || status == BND_NO_MEMORY ? BAD_STREAM : BAD_USAGE;
    }
    const bnd_lint_summary *sum = bnd_lint_summary_of(found);
    bool right = sum->damage + sum->suspect == 0;
    if (l->common.output == OUTPUT_JSON) {
        lint_print_json(l, found);
    } else {
        lint_print_text(l, found);
    }
    bnd_lint_free(found);
    return right ? FINE : DOES_NOT_HOLD;
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
     .help = "read every scale; otherwise at most 256 KiB of a tensor, in pieces spread over it",
     INTO_FLAG(lint, how.every_scale)},
    {.name = "no-codes",
     .help = "read no codes; otherwise a sample of FP8 codes, at most 16 MiB in all",
     INTO_FLAG(lint, how.no_codes)},
    {.name = "checks", .help = "print the checks, and where each damage is known from", INTO_FLAG(lint, checks)},
    {.name = "layouts", .help = "print the layouts: their tensors, dtypes and shapes", INTO_FLAG(lint, layouts)},
    {.name = "markdown", .help = "with --layouts: the page doc/reference/layouts.md", INTO_FLAG(lint, markdown)},
    {.name = "loaders",
     .help = "print which software loads which layout, and the source of each answer",
     INTO_FLAG(lint, loaders)},
    {.same = &row_json},
    {.same = &row_help},
    {.name = NULL},
};

#define ONE_TENSOR                                                                                                     \
    "printf '\\100\\0\\0\\0\\0\\0\\0\\0%-64s\\0\\0\\200\\077' '{\"w\":{\"dtype\":\"F32\",\"shape\":[1],"               \
    "\"data_offsets\":[0,4]}}' > one.safetensors"

static const command_example examples[] = {
    {"a file with one tensor", ONE_TENSOR " && binade lint one.safetensors"},
    {"the same, as JSON", "binade lint one.safetensors --json"},
    {"with every scale, and every place of a finding", "binade lint one.safetensors --every-scale --all"},
    {"without a sample of the codes", "binade lint one.safetensors --no-codes"},
    {"the checks, and where each damage is known from", "binade lint --checks"},
    {"which software loads which layout", "binade lint --loaders"},
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
