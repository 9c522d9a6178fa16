/* binade bench: the speed of the conversions of arrays on this machine, compared with copies of as many bytes in the
   same run. */
#include "bench/bench.h"
#include "common/command.h"
#include "common/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bench_command {
    settings common;
    bench_options options;
    bench_machine machine;
    unsigned rounds;
    enum { NORMAL, HARD } data;
} bench_command;

static int take_size(void *options, const option_row *row, const char *word)
{
    bench_command *b = options;
    (void)row;
    bench_options *o = &b->options;
    enum { MOST = sizeof o->sizes / sizeof o->sizes[0] };
    if (o->size_count == MOST) {
        return complain(b->common.command, "--size must be at most %d sizes", (int)MOST);
    }
    if (!bench_size_parse(&o->sizes[o->size_count], word, &b->machine)) {
        return complain(
            b->common.command,
            "--size must be L1, L2, memory, gemm, call, tensor, train or a number of elements from 1 to 4294967296, "
            "not '%s'",
            word);
    }
    o->size_count++;
    return GO_ON;
}

static void add_backend(bench_options *o, uint8_t backend)
{
    for (size_t i = 0; i < o->backend_count; i++) {
        if (o->backends[i] == backend) {
            return;
        }
    }
    o->backends[o->backend_count++] = backend;
}

static int take_backend(void *options, const option_row *row, const char *word)
{
    bench_command *b = options;
    (void)row;
    bnd_context context;
    bnd_error why;
    for (uint8_t i = BND_BACKEND_PORTABLE; strcmp(word, "all") == 0 && i < BND_BACKEND_COUNT; i++) {
        if (bnd_backend_here((bnd_backend)i)) {
            add_backend(&b->options, i);
        }
    }
    if (strcmp(word, "all") == 0) {
        return GO_ON;
    }
    if (bnd_context_init(&context, word, 1, &why) != BND_OK) {
        return complain(b->common.command, "%s", why.message);
    }
    add_backend(&b->options, context.backend == BND_BACKEND_BEST ? (uint8_t)bnd_backend_best() : context.backend);
    return GO_ON;
}

static int read_sizes(void *options, const option_row *row, const char *list)
{
    return read_list(options, row, list, take_size);
}

static int read_backends(void *options, const option_row *row, const char *list)
{
    return read_list(options, row, list, take_backend);
}

static int read_seconds(void *options, const option_row *row, const char *value)
{
    bench_command *b = options;
    (void)row;
    char *end;
    double seconds = strtod(value, &end);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || !(seconds <= 1e6)) {
        return complain(b->common.command, "--seconds must be a number from 0 to 1000000, not '%s'", value);
    }
    b->options.seconds = seconds;
    return GO_ON;
}

static void show_progress(void *state, size_t done, size_t total)
{
    progress *bar = state;
    bar->total = total;
    progress_at(bar, done);
}

/* On a terminal the rows themselves are progress enough. */
static int measure(bench_command *b)
{
    progress bar;
    bool rows_seen = isatty(STDOUT_FILENO) != 0 && b->common.progress != WHEN_ALWAYS;
    progress_begin(&bar, &b->common, "bench", PROGRESS_ITEMS, 0);
    b->options.progress = rows_seen || b->options.list ? NULL : show_progress;
    b->options.progress_state = &bar;
    int status = bench_all(&b->options, &b->machine);
    progress_end(&bar);
    return status;
}

/* BINADE_BACKEND gives the default back end, BINADE_THREADS the number meant by "all threads". */
static int read_environment(bench_command *b)
{
    bnd_context context;
    bnd_error why;
    bool named = b->options.backend_count > 0;
    if (bnd_context_init(&context, named ? "best" : NULL, 0, &why) != BND_OK) {
        return complain(b->common.command, "%s", why.message);
    }
    if (!named && context.backend != BND_BACKEND_BEST) {
        add_backend(&b->options, context.backend);
    }
    return GO_ON;
}

static int run(const command *self, int argc, char **argv)
{
    bench_command b = {.options = {.words = "", .seconds = 2}, .rounds = 51};
    bench_look(&b.machine);
    int status = read_arguments(&b, self, argc, argv);
    if (status == GO_ON && b.common.operand_count > 0) {
        status =
            complain(self, "unexpected argument '%s'; choose cases with --format and --case", b.common.operands[0]);
    }
    status = status == GO_ON ? read_environment(&b) : status;
    if (status == GO_ON && b.options.size_count == 0) {
        status = read_list(&b, NULL, "L1,L2,memory,gemm,call,tensor", take_size);
    }
    if (status == GO_ON) {
        b.options.formats = b.common.formats.items;
        b.options.format_count = b.common.formats.count;
        b.options.threads_given = OPTION_GIVEN(&b.common, settings, threads);
        b.options.threads = b.common.threads == 0 ? b.machine.cores : b.common.threads;
        b.options.rounds = (int)b.rounds;
        b.options.hard = b.data == HARD;
        b.options.json = b.common.output == OUTPUT_JSON;
        status = measure(&b);
    }
    clear_settings(&b.common);
    return status;
}

static const option_row options[] = {
    {.same = &row_format},
    {.name = "case",
     .argument = "WORDS",
     .help = "the cases whose names have all of these words (default all)",
     INTO_TEXT(bench_command, options.words)},
    {.name = "size",
     .argument = "LIST",
     .help =
         "L1, L2, memory (beyond the last cache), numbers of elements; gemm (256 x 256 matrix products, vs "
         "OpenBLAS), call (single operations, vs fmaf), tensor (models, vs PyTorch), train (training steps: fp32 vs "
         "PyTorch, recipes vs fp32); separated by commas (default L1,L2,memory,gemm,call,tensor)",
     .completes = COMPLETES_WORDS,
     .words = "L1 L2 memory gemm call tensor train",
     INTO(bench_command, options.sizes, read_sizes)},
    {.name = "backend",
     .argument = "LIST",
     .help = "best portable avx2 avx512 neon wasm128, separated by commas; all: every one that this machine can run "
             "(default BINADE_BACKEND, or best)",
     .completes = COMPLETES_WORDS,
     .words = "all best portable avx2 avx512 neon wasm128",
     INTO(bench_command, options.backends, read_backends)},
    {.name = "threads",
     .letter = 'j',
     .argument = "N",
     .help = "number of cores; 0: all, or BINADE_THREADS (default 1; beyond the caches 1, then all)",
     INTO_UNSIGNED(settings, threads, 0, MOST_THREADS)},
    {.name = "data",
     .argument = "KIND",
     .help = "normal: normally distributed numbers; hard: random bits, with NaNs, infinities and subnormals among them "
             "(default normal)",
     .completes = COMPLETES_WORDS,
     .words = "normal hard",
     INTO_WORD(bench_command, data, NORMAL)},
    {.name = "rounds",
     .argument = "N",
     .help = "medians of at most N rounds, 1 to 101 (default 51)",
     INTO_UNSIGNED(bench_command, rounds, 1, BENCH_MOST_ROUNDS)},
    {.name = "seconds",
     .argument = "S",
     .help = "time limit per row, after at least three rounds (default 2)",
     INTO(bench_command, options.seconds, read_seconds)},
    {.name = "list",
     .help = "print the names of the cases instead of measuring them",
     INTO_FLAG(bench_command, options.list)},
    {.same = &row_progress},
    {.same = &row_json},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"one format, arrays in the second cache", "binade bench -f e4m3 --size L2 --seconds 0"},
    {"every back end of this machine, one case",
     "binade bench --case 'fp32 to bf16' --size L1 --backend all --seconds 0"},
    {"the names of all cases", "binade bench --list"},
    {NULL, NULL},
};

const command command_bench = {
    .name = "bench",
    .summary = "measure the speed of conversions, relative to a memory copy",
    .group = GROUP_VERIFY,
    .operands = "",
    .about = "Measures the time of array conversions and of copies of the same number of bytes, in turns. Each case is "
             "first compared with the codec. Ratios are speeds: higher is faster, and 1 is the speed of the reference "
             "(memcpy, or a copy with streaming stores). With --format, the cases of these formats; every format that "
             "has a name works.",
    .options = options,
    .examples = examples,
    .exit_one = "a result differs from the codec, or from PyTorch; such a case is not timed",
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS | READS_TORCH,
    .see_also = "verify cast",
    .run = run,
};
