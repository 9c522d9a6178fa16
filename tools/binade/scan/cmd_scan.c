/* binade scan: what the weights of a checkpoint lose in other formats. */
#include "scan.h"
#include "common/progress.h"
#include "report/html.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static int add_candidate(void *options, const option_row *row, const char *name)
{
    scan_options *o = options;
    bnd_error why;
    if (o->count == SCAN_CANDIDATES) {
        return complain(o->common.command, "--%s: at most %d candidates", row->name, (int)SCAN_CANDIDATES);
    }
    if (bnd_candidate_parse(&o->candidates[o->count], name, &why) != BND_OK) {
        return complain(o->common.command, "--%s: %s", row->name, why.message);
    }
    o->count++;
    return GO_ON;
}

static int read_candidates(void *options, const option_row *row, const char *value)
{
    return read_list(options, row, value, add_candidate);
}

static int add_glob(globs *list, const char *value)
{
    list->items = allocate(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = value;
    return GO_ON;
}

static int read_only(void *options, const option_row *row, const char *value)
{
    (void)row;
    return add_glob(&((scan_options *)options)->only, value);
}

static int read_skip(void *options, const option_row *row, const char *value)
{
    (void)row;
    return add_glob(&((scan_options *)options)->skip, value);
}

static int read_sqnr(void *options, const option_row *row, const char *value)
{
    scan_options *o = options;
    o->how.asks_sqnr = true;
    return read_real(&o->how.sqnr, &o->common, row, value, false);
}

static int read_underflow(void *options, const option_row *row, const char *value)
{
    scan_options *o = options;
    o->how.asks_underflow = true;
    int status = read_real(&o->how.underflow, &o->common, row, value, false);
    return status == GO_ON && o->how.underflow > 1
               ? complain(o->common.command, "--%s must be a share from 0 to 1, got %s", row->name, value)
               : status;
}

/* ---- which tensors ---- */

static bool matches_one(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

static bool matches(const globs *list, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < list->count && !found; i++) {
        found = matches_one(list->items[i], name);
    }
    return found;
}

static bnd_status check_patterns(const scan_options *o, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    bnd_status status =
        bnd_checkpoint_check_patterns(checkpoint, "only", o->only.items, o->only.count, matches_one, why);
    return status == BND_OK
               ? bnd_checkpoint_check_patterns(checkpoint, "skip", o->skip.items, o->skip.count, matches_one, why)
               : status;
}

static bool is_wanted(void *state, const char *name)
{
    const scan_options *o = state;
    return (o->only.count == 0 || matches(&o->only, name)) && !matches(&o->skip, name);
}

/* ---- the command ---- */

static bool show_progress(void *state, uint64_t done, uint64_t total)
{
    progress *bar = state;
    bar->total = total;
    progress_at(bar, done);
    return true;
}

typedef struct content {
    const scan_options *options;
    const bnd_scan *scan;
} content;

static void write_report(bnd_lab_json *json, const void *state)
{
    const content *c = state;
    report_begin(json, "checkpoint");
    json_scan(json, "scan", c->options, c->scan);
    bnd_lab_json_end(json);
}

/* A tensor that stays, and would not with --vectors; NULL: there is none. */
static const bnd_scanned *find_vector(const bnd_checkpoint *checkpoint, const bnd_scan *scan)
{
    for (size_t i = 0; i < bnd_scan_tensors(scan); i++) {
        const bnd_scanned *t = bnd_scan_at(scan, i);
        const bnd_stored_weight *w = bnd_checkpoint_find_weight(checkpoint, t->name);
        if (w != NULL && w->is_float && w->rank < 2 && w->count > 0) {
            return t;
        }
    }
    return NULL;
}

static int complain_of_none(const scan_options *o, const bnd_checkpoint *checkpoint, const bnd_scan *scan)
{
    const unsigned long long staying = bnd_scan_model_of(scan)->staying;
    if (staying == 0) {
        return complain(o->common.command,
                        o->only.count + o->skip.count > 0 ? "%s: --only and --skip leave no tensor to scan"
                                                          : "%s has no tensors",
                        o->path);
    }
    const bnd_scanned *vector = find_vector(checkpoint, scan), *named = vector != NULL ? vector : bnd_scan_at(scan, 0);
    return complain(o->common.command, "%s has no matrix%s to scan: of %llu tensor%s none is one (%s: %s)%s", o->path,
                    o->how.vectors ? " or vector" : "", staying, staying == 1 ? "" : "s", named->name, named->why,
                    vector != NULL ? ". --vectors scans vectors, too" : "");
}

static int print_scan(const scan_options *o, const bnd_checkpoint *checkpoint, const bnd_scan *scan)
{
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    if (m->tensors == 0) {
        return complain_of_none(o, checkpoint, scan);
    }
    if (o->common.output == OUTPUT_JSON) {
        scan_print_json(o, scan);
    } else if (o->common.output == OUTPUT_CSV) {
        scan_print_csv(o, scan);
    } else {
        scan_print_text(o, scan);
    }
    const content all = {o, scan};
    int status = o->report != NULL ? report_write(o->report, o->common.command, write_report, &all) : GO_ON;
    if (status != GO_ON) {
        return status;
    }
    bool asked = o->how.asks_sqnr || o->how.asks_underflow;
    return asked && m->smallest == o->count ? DOES_NOT_HOLD : FINE;
}

static int scan_path(scan_options *o)
{
    bnd_checkpoint *checkpoint = NULL;
    bnd_scan *scan = NULL;
    bnd_context context;
    bnd_error why;
    progress bar;
    bnd_status status = bnd_context_init(&context, NULL, o->common.threads, &why);
    if (status != BND_OK) {
        return complain(o->common.command, "%s", why.message);
    }
    status = bnd_checkpoint_new(&checkpoint, o->path, NULL, NULL, &why);
    if (status == BND_OK && check_patterns(o, checkpoint, &why) != BND_OK) {
        bnd_checkpoint_free(checkpoint);
        return complain(o->common.command, "%s", why.message);
    }
    if (status == BND_OK) {
        const bnd_watch watch = {.at = show_progress, .state = &bar};
        o->how.context = &context;
        o->how.watch = &watch;
        o->how.wanted = is_wanted;
        o->how.state = o;
        progress_begin(&bar, &o->common, "scan", PROGRESS_BYTES, 0);
        status = bnd_scan_new(&scan, checkpoint, o->candidates, o->count, &o->how, &why);
        progress_end(&bar);
    }
    int left = status == BND_OK ? print_scan(o, checkpoint, scan) : fail(o->common.command, o->path, status, &why);
    left = status == BND_BAD_FILE ? BAD_USAGE : left;
    bnd_scan_free(scan);
    bnd_checkpoint_free(checkpoint);
    return left;
}

static int run(const command *self, int argc, char **argv)
{
    static const option_row to = {.name = "to"};
    scan_options o = {.rows = 10};
    int status = read_arguments(&o, self, argc, argv);
    if (status == GO_ON && o.common.operand_count != 1) {
        status = o.common.operand_count == 0
                     ? complain(self, "name a checkpoint: a folder, or a .safetensors, .gguf or .npy file")
                     : complain(self, "unexpected argument '%s'; one checkpoint at a time", o.common.operands[1]);
    }
    if (status == GO_ON && o.count == 0) {
        status = read_list(&o, &to, bnd_candidate_defaults(), add_candidate);
    }
    status = status == GO_ON ? report_check(o.report, self) : status;
    if (status == GO_ON) {
        o.path = o.common.operands[0];
        status = scan_path(&o);
    }
    free(o.only.items);
    free(o.skip.items);
    clear_settings(&o.common);
    return status;
}

static const option_row options[] = {
    {.name = "to",
     .argument = "LIST",
     .help = "candidates: formats (e4m3, bf16), or formats with scales (e4m3/row, mxfp8:floor, nvfp4:4/6, int8/row)",
     .completes = COMPLETES_FORMATS,
     INTO(scan_options, candidates, read_candidates)},
    {.name = "sqnr",
     .argument = "DB",
     .help = "budget: every tensor keeps an SQNR of at least DB decibels",
     INTO(scan_options, how.sqnr, read_sqnr)},
    {.name = "max-underflow",
     .argument = "SHARE",
     .help = "budget: in every tensor at most this share of the nonzero weights becomes zero (0 to 1)",
     INTO(scan_options, how.underflow, read_underflow)},
    {.name = "only",
     .argument = "GLOB",
     .help = "scan tensors with such a name only ('*.mlp.*'); may be repeated",
     INTO(scan_options, only, read_only)},
    {.name = "skip",
     .argument = "GLOB",
     .help = "leave out tensors with such a name; may be repeated",
     INTO(scan_options, skip, read_skip)},
    {.name = "vectors",
     .help = "scan tensors with fewer than two dimensions, too",
     INTO_FLAG(scan_options, how.vectors)},
    {.name = "rows",
     .argument = "N",
     .help = "print the N worst tensors (default 10)",
     INTO_WHOLE(scan_options, rows, 0, UINT32_MAX)},
    {.name = "all", .help = "print every tensor", INTO_FLAG(scan_options, all)},
    {.name = "ranges", .help = "print the ranges and exponents of the weights, too", INTO_FLAG(scan_options, ranges)},
    {.name = "report",
     .argument = "FILE.html",
     .help = "write a page with the results as well: one file that opens in a browser",
     .completes = COMPLETES_FILES,
     INTO_TEXT(scan_options, report)},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_threads, .rare = 1},
    {.same = &row_progress, .rare = 1},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"trained weights, in the default candidates", "binade scan runs/fp32-0"},
    {"which scales suit E4M3", "binade scan runs/fp32-0 --to e4m3/tensor,e4m3/row,e4m3/tile:32x32,mxfp8"},
    {"the smallest format with 25 dB in every tensor",
     "binade scan runs/fp32-0 --to fp16,e4m3/row,int8/row,nvfp4 --sqnr 25"},
    {"scale rules of 4-bit formats compared",
     "binade scan runs/fp32-0 --to mxfp4:floor,mxfp4:rceil,nvfp4,nvfp4:4/6,nvfp4:mse"},
    {"some tensors, with their ranges", "binade scan runs/fp32-0 --only '*.weight' --skip '*.qkv.*' --ranges --all"},
    {"a line per tensor and candidate, as CSV", "binade scan runs/fp32-0 --csv"},
    {NULL, NULL},
};

const command command_scan = {
    .name = "scan",
    .summary = "what the weights of a checkpoint lose in other formats",
    .group = GROUP_FILES,
    .operands = "FILE|DIR",
    .first = COMPLETES_FILES,
    .others = COMPLETES_NOTHING,
    .about = "Rounds every weight of a checkpoint to each candidate, a format with its scaling and scale rule, and "
             "compares: SQNR, underflow, overflow, a verdict, bytes saved. Nothing is written. Quantized weights are "
             "decoded first. Default candidates: bf16, e4m3, e4m3/tensor, e4m3/row, e4m3/tile:128x128, mxfp8, nvfp4, "
             "mxfp4.",
    .options = options,
    .examples = examples,
    .exit_one = "no candidate meets the budget that was asked for in every tensor",
    .environment = READS_COLUMNS | READS_LOCALE | READS_BACKEND | READS_THREADS,
    .see_also = "lint quantize diff cast block formats",
    .run = run,
    .trains = true, /* threads wait for each other after every tensor */
};
