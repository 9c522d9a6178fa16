/* binade quantize: a checkpoint in another format, in the layout of an engine. */
#include "quantize.h"

#include "common/process.h"
#include "common/progress.h"
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

typedef struct patterns {
    const char **items;
    size_t count;
} patterns;

typedef struct quantize {
    settings common;
    bnd_quantize how;
    patterns keep, also;
    bool dry_run, durable;
    const char *report;
} quantize;

/* ---- options ---- */

static int read_patterns(void *options, const option_row *row, const char *list)
{
    quantize *q = options;
    patterns *out = (patterns *)(void *)((char *)options + row->target);
    for (const char *at = list; at != NULL;) {
        size_t length = strcspn(at, ",");
        if (length == 0) {
            return complain(q->common.command, "--%s must be patterns separated by commas, not '%.64s'", row->name,
                            list);
        }
        char *item = format_text("%.*s", (int)length, at);
        out->items = allocate(out->items, out->count + 1, sizeof *out->items);
        out->items[out->count++] = item;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return GO_ON;
}

static void forget(patterns *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free((void *)p->items[i]);
    }
    free(p->items);
}

/* ---- the work ---- */

static bool tell(void *state, uint64_t done, uint64_t total)
{
    (void)total;
    progress_at(state, done);
    return !was_stopped();
}

static int write_output(const quantize *q, const bnd_quantize_plan *plan, const char *path)
{
    bnd_error why;
    progress bar;
    progress_begin(&bar, &q->common, q->common.command->name, PROGRESS_SHARE, bnd_quantize_plan_totals(plan).work);
    bnd_watch watch = {.at = tell, .state = &bar, .output = process_writes};
    stop_on_signals(); /* so that no part of the output stays */
    bnd_status status = bnd_checkpoint_quantize(plan, path, q->durable, &watch, &why);
    end_on_signals();
    progress_end(&bar);
    if (status == BND_BAD_ARGUMENT && strstr(why.message, "allow_nonfinite") != NULL) { /* a setting of the library */
        return complain(q->common.command, "%s (--allow-nonfinite, --keep)", why.message);
    }
    return status == BND_OK ? GO_ON : fail(q->common.command, "", status, &why);
}

static void write_report(bnd_lab_json *json, const void *state)
{
    report_begin(json, "checkpoint");
    json_quantize(json, "quantize", state);
    bnd_lab_json_end(json);
}

/* The output is opened again for JSON and for a report: they say which files it has. */
static int answer(const quantize *q, const bnd_quantize_plan *plan, const char *in, const char *out)
{
    const command *self = q->common.command;
    const bool is_json = q->common.output == OUTPUT_JSON;
    bnd_checkpoint *written = NULL;
    bnd_error why;
    if (out != NULL && (is_json || q->report != NULL)) {
        bnd_status opened = bnd_checkpoint_new(&written, out, NULL, NULL, &why);
        if (opened != BND_OK) {
            return fail(self, out, opened, &why);
        }
    }
    const quantize_answer all = {plan, in, out, written};
    if (is_json) {
        bnd_lab_json json;
        json_begin(&json);
        json_quantize(&json, NULL, &all);
        json_line_end();
    } else {
        print_quantize_plan(&all, q->common.output, q->dry_run || q->common.output == OUTPUT_CSV);
    }
    int status = q->report != NULL ? report_write(q->report, self, write_report, &all) : GO_ON;
    bnd_checkpoint_free(written);
    return status;
}

static int quantize_opened(quantize *q, const bnd_checkpoint *in, const char *in_path, const char *out)
{
    bnd_quantize_plan *plan = NULL;
    bnd_error why;
    bnd_status made = bnd_quantize_plan_new(&plan, in, &q->how, &why);
    if (made != BND_OK) {
        return fail(q->common.command, "", made, &why);
    }
    int status = q->dry_run ? GO_ON : write_output(q, plan, out);
    status = status == GO_ON ? answer(q, plan, in_path, q->dry_run ? NULL : out) : status;
    bnd_quantize_plan_free(plan);
    return status;
}

static int check_usage(const quantize *q)
{
    const command *self = q->common.command;
    size_t count = q->common.operand_count;
    if (q->how.to == NULL) {
        return complain(self, "expected --to (for example --to e4m3, --to nvfp4, --to bf16)");
    }
    if (count < 1 || count > 2 || (count < 2 && !q->dry_run)) {
        return complain(self, "expected an input and an output, got %zu name%s", count, count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count; i++) {
        if (q->common.operands[i][0] == '\0') {
            return complain(self, "the name of the %s is empty", i == 0 ? "input" : "output");
        }
        if (i == 1 && strcmp(q->common.operands[i], "-") == 0) {
            return complain(self, "a checkpoint cannot be written to standard output; name a folder or a .safetensors "
                                  "file (./- is a folder of that name)");
        }
    }
    return report_check(q->report, self);
}

static int run(const command *self, int argc, char **argv)
{
    quantize q = {.how = {.to = NULL}};
    bnd_context context;
    bnd_error why;
    int status = read_arguments(&q, self, argc, argv);
    status = status == GO_ON ? check_usage(&q) : status;
    if (status == GO_ON && bnd_context_init(&context, NULL, q.common.threads, &why) != BND_OK) {
        status = complain(self, "%s", why.message);
    }
    if (status == GO_ON) {
        const char *in = q.common.operands[0], *out = q.common.operand_count > 1 ? q.common.operands[1] : NULL;
        bnd_checkpoint *checkpoint = NULL;
        q.how.keep = q.keep.items;
        q.how.keeps = q.keep.count;
        q.how.also = q.also.items;
        q.how.alsos = q.also.count;
        q.how.rounding = q.common.rule;
        q.how.seed = q.common.seed;
        q.how.context = &context;
        bnd_status opened = bnd_checkpoint_new(&checkpoint, in, NULL, NULL, &why);
        status = opened == BND_OK ? quantize_opened(&q, checkpoint, in, out) : fail(self, in, opened, &why);
        bnd_checkpoint_free(checkpoint);
    }
    forget(&q.keep);
    forget(&q.also);
    clear_settings(&q.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.name = "to",
     .argument = "F",
     .help =
         "format of the weights: e4m3 e5m2 int8 nvfp4 mxfp4 mxfp8; or bf16 fp16 fp32, which decodes quantized weights",
     .completes = COMPLETES_WORDS,
     .words = "e4m3 e5m2 int8 nvfp4 mxfp4 mxfp8 bf16 fp16 fp32",
     INTO_TEXT(quantize, how.to)},
    {.name = "layout",
     .argument = "NAME",
     .help = "names, shapes and config of: compressed-tensors fp8 fp8-block modelopt gpt-oss comfyui (default "
             "compressed-tensors)",
     .completes = COMPLETES_WORDS,
     .words = "compressed-tensors fp8 fp8-block modelopt gpt-oss comfyui",
     INTO_TEXT(quantize, how.layout)},
    {.name = "scale",
     .argument = "S",
     .help = "what shares a scale: tensor, row, tile:128x128 (default by --to and --layout)",
     INTO_TEXT(quantize, how.scale)},
    {.name = "rule",
     .argument = "RULE",
     .help = "scales from the largest magnitude: amax mse 4/6 floor ceil even rceil ct (default the layout's own)",
     .completes = COMPLETES_WORDS,
     .words = "amax mse 4/6 floor ceil even rceil ct",
     INTO_TEXT(quantize, how.rule)},
    {.name = "scale-dtype",
     .argument = "F",
     .help = "format of scales of more than 8 bits: fp32 bf16 fp16 (default what the layout's own tool writes)",
     .completes = COMPLETES_WORDS,
     .words = "fp32 bf16 fp16",
     INTO_TEXT(quantize, how.scale_format)},
    {.name = "activations",
     .argument = "HOW",
     .help = "scales of activations: none, dynamic (found as it runs) or static (input scales of a quantized IN); by "
             "default "
             "static if all have them, else dynamic for 8 bits and none for 4",
     .completes = COMPLETES_WORDS,
     .words = "none dynamic static",
     INTO_TEXT(quantize, how.activations)},
    {.name = "keep",
     .argument = "LIST",
     .help = "weights or modules that stay as they are: patterns with * and ?, separated by commas; may be repeated",
     INTO(quantize, keep, read_patterns)},
    {.name = "include",
     .argument = "LIST",
     .help = "matrices that are quantized although they stay by default, such as lm_head; patterns as for --keep",
     INTO(quantize, also, read_patterns)},
    {.name = "no-fuse",
     .rare = 1,
     .help = "q, k and v, or gate and up, get tensor scales of their own; engines that join them need equal ones",
     INTO_FLAG(quantize, how.unfused)},
    {.name = "allow-nonfinite",
     .rare = 1,
     .help = "accept NaNs, infinities, and numbers that overflow to infinity in --to fp16; in formats of blocks they "
             "make their scale NaN; without this option they are an error",
     INTO_FLAG(quantize, how.allow_nonfinite)},
    {.name = "shard-size",
     .argument = "BYTES",
     .help = "most bytes of tensors per file of a folder: 5GB, 512MiB (default 5GB, or one file if IN is one)",
     INTO(quantize, how.shard_size, read_byte_size)},
    {.name = "dry-run", .help = "print the plan for each tensor, and write nothing", INTO_FLAG(quantize, dry_run)},
    {.name = "report",
     .argument = "FILE.html",
     .help = "write a page with the plan as well: one file that opens in a browser",
     .completes = COMPLETES_FILES,
     INTO_TEXT(quantize, report)},
    {.name = "durable", .rare = 1, .help = "wait until the disk has the output", INTO_FLAG(quantize, durable)},
    {.same = &row_round},
    {.same = &row_seed, .rare = 1},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_threads},
    {.same = &row_progress, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

/* 32 rows of 64 numbers from 1e-32 to 0.74; a header of 100 bytes. */
#define ONE_LAYER                                                                                                      \
    "mkdir model && { printf '\\144\\0\\0\\0\\0\\0\\0\\0%-100s' "                                                      \
    "'{\"mlp.up_proj.weight\":{\"dtype\":\"BF16\",\"shape\":[32,64],"                                                  \
    "\"data_offsets\":[0,4096]}}'; yes '<=>?' | head -c 4096; } > model/model.safetensors"

static const command_example examples[] = {
    {"a model of one layer, and the same in FP8 for vLLM", ONE_LAYER " && binade quantize model model-fp8 --to e4m3"},
    {"the outcome for each tensor; nothing is written", "binade quantize model --to nvfp4 --dry-run"},
    {"NVFP4 as ModelOpt writes it", "binade quantize model model-nvfp4 --to nvfp4 --layout modelopt"},
    {"FP8 by tiles with powers of two as scales, as DeepSeek-V3.1",
     "binade quantize model model-tiles --to e4m3 --layout fp8-block --rule rceil"},
    {"MXFP4 in one file, with random rounding",
     "binade quantize model model-mxfp4.safetensors --to mxfp4 --round sr --seed 7"},
    {"back to bf16", "binade quantize model-fp8 model-bf16 --to bf16"},
    {NULL, NULL},
};

const command command_quantize = {
    .name = "quantize",
    .summary = "a checkpoint in FP8, NVFP4, MX or INT8, and back",
    .group = GROUP_FILES,
    .operands = "IN [OUT]",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about =
        "Writes a checkpoint in another format, with scales, names and config as an inference engine reads them. IN "
        "is a .safetensors file, a folder of them, a .gguf file or a .npy file, also a quantized one. OUT is a "
        ".safetensors file if its name ends so, and otherwise a new folder, with the other files of IN."
        "\n\n"
        "Experts in one array: for Llama 4 and Qwen3-VL-MoE each expert becomes three linear layers, gate_proj, "
        "up_proj and down_proj, as llm-compressor writes them. For gpt-oss --layout gpt-oss writes blocks and scales "
        "of the whole array; its other weights stay. The shapes of the two arrays of a layer tell which axis is the "
        "input; [experts, in, out] is transposed, because blocks of scales lie along the input. Blocks of gpt-oss that "
        "are dequantized become [experts, in, out], as transformers has them. Arrays of other models stay."
        "\n\n"
        "Static input scales of a quantized IN are carried over where the layout has them with the same meaning and "
        "each quantized weight has one. A factor becomes a divisor, and back, with one rounding to fp32. The last "
        "lines of the output say whether they are carried over or dropped."
        "\n\n"
        "Codes are rounded once: an element of NVFP4 is divided by the exact product of its two scales. "
        "compressed-tensors rounds to fp32 and bf16 on the way, so a few of its scales and about 1 % of its codes "
        "differ; doc/how-to/quantize-a-checkpoint.md has figures. binade diff recognizes its arithmetic.",
    .options = options,
    .examples = examples,
    .environment = READS_BACKEND | READS_THREADS | READS_COLUMNS,
    .see_also = "cast block formats bnd_block(3)",
    .run = run,
};
