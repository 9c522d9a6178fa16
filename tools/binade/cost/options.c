/* The options of `binade cost`: one per row, in the order of enum cost_option, then the shared ones. */
#include "cost.h"

static int read_quantity(asked *a, const option_row *row, const char *value, bnd_quantity kind)
{
    const size_t option = (size_t)(row - cost_rows);
    bnd_error why;
    a->given |= GIVEN(option);
    a->text[option] = value;
    return bnd_quantity_parse(&a->number[option], value, kind, &why) == BND_OK
               ? GO_ON
               : complain(a->common.command, "--%s: %s", row->name, why.message);
}

static int read_whole(void *options, const option_row *row, const char *value)
{
    return read_quantity(options, row, value, BND_QUANTITY_WHOLE);
}

static int read_count(void *options, const option_row *row, const char *value)
{
    return read_quantity(options, row, value, BND_QUANTITY_NUMBER);
}

static int read_bytes(void *options, const option_row *row, const char *value)
{
    return read_quantity(options, row, value, BND_QUANTITY_BYTES);
}

static int read_share(void *options, const option_row *row, const char *value)
{
    return read_quantity(options, row, value, BND_QUANTITY_SHARE);
}

/* A name, or nothing. */
static int read_text(void *options, const option_row *row, const char *value)
{
    asked *a = options;
    const size_t option = (size_t)(row - cost_rows);
    a->given |= GIVEN(option);
    a->text[option] = value;
    return GO_ON;
}

const option_row cost_rows[] = {
    [COST_PARAMS] = {.name = "params",
                     .argument = "N",
                     .help = "number of parameters: 70e9, 70B",
                     .read = read_count,
                     .kind = OPTION_READ},
    [COST_TOKENS] = {.name = "tokens",
                     .argument = "N",
                     .help = "tokens to train on: 15e12, 15T",
                     .read = read_count,
                     .kind = OPTION_READ},
    [COST_GPUS] = {.name = "gpus",
                   .argument = "N",
                   .help = "number of GPUs or other machines (default 1)",
                   .read = read_whole,
                   .kind = OPTION_READ},
    [COST_GPU] = {.name = "gpu",
                  .argument = "NAME",
                  .help = "the machine; 'binade cost machines' lists them; this: this machine, measured now",
                  .completes = COMPLETES_WORDS,
                  .words = "a100 a100-40gb h100 h100-pcie h200 h800 h20 rtx4090 b200 mi300x tpu-v5p this",
                  .read = read_text,
                  .kind = OPTION_READ},
    [COST_FORMAT] =
        {.name = "format",
         .letter = 'f',
         .argument = "NAME",
         .help = "format of the operands: bf16, fp8, mxfp4, ... (default bf16); tensor takes a list (default fp32)",
         .completes = COMPLETES_FORMATS,
         .read = read_text,
         .kind = OPTION_READ},
    [COST_MFU] =
        {.name = "mfu",
         .argument = "SHARE",
         .help = "model FLOPs utilization, the share of the peak that is reached: 0.5, 50% (default 0.4; flops: 1)",
         .read = read_share,
         .kind = OPTION_READ},
    [COST_SPARSE] = {.name = "sparse",
                     .help = "peaks with 2:4 sparsity (two of four weights are zero)",
                     .read = read_text,
                     .kind = OPTION_READ,
                     .rare = 1},
    [COST_MODEL] = {.name = "model",
                    .argument = "NAME",
                    .help =
                        "a transformer by name; 'binade cost models' lists them; memory also takes a model of binade "
                        "train: transformer, llama, mlp, linear, logistic, quadratic, student",
                    .completes = COMPLETES_WORDS,
                    .words = "gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-175b gpt-neox-20b llama2-7b llama2-13b "
                             "llama2-70b mistral-7b gemma-7b llama3-8b llama3-70b llama3-405b llama3.2-1b qwen2.5-7b "
                             "qwen2.5-72b binade transformer llama mlp linear logistic quadratic student",
                    .read = read_text,
                    .kind = OPTION_READ},
    [COST_LAYERS] = {.name = "layers",
                     .argument = "N",
                     .help = "number of layers, of a transformer without a name or instead of the model's",
                     .read = read_whole,
                     .kind = OPTION_READ},
    [COST_HIDDEN] = {.name = "hidden",
                     .argument = "N",
                     .help = "hidden size of the transformer",
                     .read = read_whole,
                     .kind = OPTION_READ},
    [COST_HEADS] = {.name = "heads",
                    .argument = "N",
                    .help = "number of attention heads",
                    .read = read_whole,
                    .kind = OPTION_READ},
    [COST_KV_HEADS] = {.name = "kv-heads",
                       .argument = "N",
                       .help = "number of heads of keys and values (default as --heads)",
                       .read = read_whole,
                       .kind = OPTION_READ,
                       .rare = 1},
    [COST_FEED_FORWARD] = {.name = "feed-forward",
                           .argument = "N",
                           .help = "inner size of the MLP (default 4 times hidden)",
                           .read = read_whole,
                           .kind = OPTION_READ,
                           .rare = 1},
    [COST_VOCAB] =
        {.name = "vocab", .argument = "N", .help = "vocabulary size", .read = read_whole, .kind = OPTION_READ},
    [COST_DROPOUT] = {.name = "dropout",
                      .argument = "yes|no",
                      .help = "whether it is trained with dropout (default as the model)",
                      .completes = COMPLETES_WORDS,
                      .words = "yes no",
                      .read = read_text,
                      .kind = OPTION_READ,
                      .rare = 1},
    [COST_SEQ] = {.name = "seq",
                  .argument = "N",
                  .help = "tokens per sequence (default the context of the model)",
                  .read = read_whole,
                  .kind = OPTION_READ},
    [COST_BATCH] = {.name = "batch",
                    .argument = "N",
                    .help = "sequences per rank and step (default 1)",
                    .read = read_whole,
                    .kind = OPTION_READ},
    [COST_RECIPE] = {.name = "recipe",
                     .argument = "LIST",
                     .help = "a recipe, settings, or FILE.json: fp32, bf16-master, base=bf16-master,v=bf16 (default "
                             "fp32); memory takes a list, or all",
                     .completes = COMPLETES_RECIPES,
                     .read = read_text,
                     .kind = OPTION_READ},
    [COST_OPTIMIZER] = {.name = "optimizer",
                        .argument = "NAME",
                        .help = "as train --list has them (default adamw)",
                        .completes = COMPLETES_OPTIMIZERS,
                        .read = read_text,
                        .kind = OPTION_READ},
    [COST_ZERO] = {.name = "zero",
                   .argument = "0..3",
                   .help = "ZeRO stage (default 0; fit: 3)",
                   .completes = COMPLETES_WORDS,
                   .words = "0 1 2 3",
                   .read = read_text,
                   .kind = OPTION_READ},
    [COST_RANKS] = {.name = "ranks",
                    .argument = "N",
                    .help = "data-parallel ranks, over which ZeRO shards (default 1)",
                    .read = read_whole,
                    .kind = OPTION_READ},
    [COST_MICRO_BATCHES] = {.name = "micro-batches",
                            .argument = "K",
                            .help = "a rank's batch is divided into K, whose gradients are added (default 1)",
                            .read = read_whole,
                            .kind = OPTION_READ,
                            .rare = 1},
    [COST_TP] = {.name = "tp",
                 .argument = "N",
                 .help = "tensor-parallel machines, which share each layer (default 1)",
                 .read = read_whole,
                 .kind = OPTION_READ},
    [COST_RECOMPUTE] = {.name = "recompute",
                        .argument = "WHAT",
                        .help = "none; selective: scores of attention, as flash attention; full: layers (default none)",
                        .completes = COMPLETES_WORDS,
                        .words = "none selective full",
                        .read = read_text,
                        .kind = OPTION_READ},
    [COST_DAYS] = {.name = "days",
                   .argument = "N",
                   .help = "time that the machines work, in days (default 1)",
                   .read = read_count,
                   .kind = OPTION_READ,
                   .rare = 1},
    [COST_MEMORY] = {.name = "memory",
                     .argument = "BYTES",
                     .help = "memory of one machine, instead of --gpu: 80GB, 80GiB",
                     .read = read_bytes,
                     .kind = OPTION_READ,
                     .rare = 1},
    [COST_RESULT] = {.name = "result",
                     .argument = "NAME",
                     .help = "format of the matrix product (default that of the operands, at least 16 bits)",
                     .completes = COMPLETES_FORMATS,
                     .read = read_text,
                     .kind = OPTION_READ,
                     .rare = 1},
    [COST_PEAK] = {.name = "peak",
                   .argument = "FLOPS",
                   .help = "dense FLOP/s of one machine, instead of --gpu: 400e12, 400T",
                   .read = read_count,
                   .kind = OPTION_READ},
    [COST_BANDWIDTH] = {.name = "bandwidth",
                        .argument = "BYTES",
                        .help = "bytes per second of one machine, with --peak: 1.6TB",
                        .read = read_bytes,
                        .kind = OPTION_READ,
                        .rare = 1},
    [COST_SECONDS] = {.name = "seconds",
                      .argument = "S",
                      .help = "time for --tokens, for example of one step: 0.35",
                      .read = read_count,
                      .kind = OPTION_READ,
                      .rare = 1},
    [COST_TOKENS_PER_SECOND] = {.name = "tokens-per-second",
                                .argument = "N",
                                .help = "measured on all machines together, instead of --tokens and --seconds",
                                .read = read_count,
                                .kind = OPTION_READ,
                                .rare = 1},
    [COST_WIDTH] = {.name = "width",
                    .argument = "N",
                    .help = "width of a model of binade train",
                    .read = read_whole,
                    .kind = OPTION_READ},
    [COST_DEPTH] = {.name = "depth",
                    .argument = "N",
                    .help = "layers of a model of binade train",
                    .read = read_whole,
                    .kind = OPTION_READ},
    [COST_CONTEXT] = {.name = "context",
                      .argument = "N",
                      .help = "tokens per sequence, of a model of binade train",
                      .read = read_whole,
                      .kind = OPTION_READ,
                      .rare = 1},
    [COST_VOCABULARY] = {.name = "vocabulary",
                         .argument = "N",
                         .help = "vocabulary size",
                         .read = read_whole,
                         .kind = OPTION_READ,
                         .rare = 1},
    [COST_INPUTS] =
        {.name = "inputs", .argument = "N", .help = "of the MLP", .read = read_whole, .kind = OPTION_READ, .rare = 1},
    [COST_TIED] = {.name = "tied",
                   .help = "the head is the table of embeddings",
                   .read = read_text,
                   .kind = OPTION_READ,
                   .rare = 1},
    [COST_BLOCKS] = {.name = "blocks",
                     .argument = "SETTINGS",
                     .help = "options of a transformer's blocks, as binade train takes them",
                     .read = read_text,
                     .kind = OPTION_READ,
                     .rare = 1},
    [COST_SVG] = {.name = "svg",
                  .argument = "FILE",
                  .help = "memory and roofline: a picture in FILE (- is standard output), and nothing else",
                  .completes = COMPLETES_FILES,
                  .read = read_text,
                  .kind = OPTION_READ},
    [COST_OPTIONS] = {.same = &row_json},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

int cost_refuse_options(const asked *a, uint64_t options, const char *where)
{
    for (unsigned i = 0; i < COST_OPTIONS; i++) {
        if ((a->given & options & GIVEN(i)) != 0) {
            return complain(a->common.command, "--%s cannot be used %s", cost_rows[i].name, where);
        }
    }
    return GO_ON;
}
