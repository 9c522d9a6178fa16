/* binade cast: an array in one format becomes an array in another, file to file or stream to stream. */
#include "cast.h"

#include <string.h>

#define MOST_ELEMENTS (UINT64_MAX >> 8) /* of which the bits are counted */

typedef struct named_format {
    bool given;
    bnd_format format;
} named_format;

typedef struct cast {
    settings common;
    named_format from, dtype, to, via;
    cast_blocks blocks; /* of --via */
    bool unpacked, raw, raw_input, stats_wanted;
    uint64_t count; /* CAST_UNKNOWN where --count is not given */
    cast_input in;
    cast_output out;
    cast_plan plan;
    bnd_context context;
    bnd_stats stats;
} cast;

/* ---- options ---- */

static int set_format(const cast *c, named_format *out, const char *name)
{
    bnd_block block;
    bool is_format = bnd_format_parse(&out->format, name, NULL) == BND_OK;
    if (!is_format && bnd_block_parse(&block, name, NULL) == BND_OK) {
        return complain(c->common.command,
                        "%s is a block format: its codes and scales are two arrays, and a file has one; use --via %s "
                        "to round to it and keep the input's format",
                        name, name);
    }
    out->given = true;
    return is_format ? GO_ON : parse_format(c->common.command, &out->format, name);
}

/* For --from, --to and --dtype. */
static int read_format(void *options, const option_row *row, const char *value)
{
    return set_format(options, (named_format *)(void *)((char *)options + row->target), value);
}

static int read_via(void *options, const option_row *row, const char *name)
{
    cast *c = options;
    bnd_format f;
    (void)row;
    c->blocks.given =
        bnd_format_parse(&f, name, NULL) != BND_OK && bnd_block_parse(&c->blocks.block, name, NULL) == BND_OK;
    c->via.given = c->blocks.given;
    return c->blocks.given ? GO_ON : set_format(c, &c->via, name);
}

/* What the command line says wrong before any file is opened. */
static int check_usage(cast *c)
{
    const command *self = c->common.command;
    if (c->common.operand_count > 2) {
        return complain(self, "expected at most an input and an output, got %zu names", c->common.operand_count);
    }
    for (size_t i = 0; i < c->common.operand_count; i++) {
        if (c->common.operands[i][0] == '\0') {
            return complain(self, "the name of the %s is empty", i == 0 ? "input" : "output");
        }
    }
    if (c->to.given == c->via.given) {
        return complain(self, c->to.given ? "--to cannot be used with --via, which keeps the format of the input"
                                          : "expected --to (the output format) or --via (the format to round to)");
    }
    if (c->from.given && c->dtype.given && !bnd_format_same(&c->from.format, &c->dtype.format)) {
        return complain(self, "--from %s cannot be used with --dtype %s", c->from.format.name, c->dtype.format.name);
    }
    if (c->dtype.given) {
        c->from = c->dtype;
    }
    if (c->blocks.columns > 0 && !c->blocks.given) {
        return complain(self, "--columns cannot be used without --via and a block format");
    }
    if (c->to.given && c->to.format.width == 0) {
        return complain(self, "%s is a value set: it has no codes; use --via to round to it", c->to.format.name);
    }
    if (c->from.given && c->from.format.width == 0) {
        return complain(self, "%s is a value set: it has no codes to read", c->from.format.name);
    }
    return GO_ON;
}

/* ---- layouts ---- */

/* A tf32 array is one of fp32's words, packed or not. */
static cast_layout bare_layout(const cast *c, const bnd_format *f)
{
    bool tf32 = bnd_npy_packing(f) == BND_PACKING_PACKED;
    return (cast_layout){.format = *f, .packing = c->unpacked && !tf32 ? BND_PACKING_UNPACKED : BND_PACKING_PACKED};
}

static cast_layout npy_layout(const bnd_format *f, bool big_endian)
{
    return (cast_layout){.format = *f, .packing = bnd_npy_packing(f), .big_endian = big_endian};
}

/* A format whose codes have this many bytes. */
static const char *example_of(unsigned element_size)
{
    return element_size == 1 ? "e4m3" : element_size == 2 ? "bf16" : element_size == 4 ? "fp32" : "fp64";
}

static int settle_input(cast *c)
{
    cast_input *in = &c->in;
    const bnd_format *asked = c->from.given ? &c->from.format : NULL;
    bnd_format f;
    bnd_error why;
    if (!in->is_npy) {
        if (asked == NULL) {
            return complain(in->command, "%s has no header with its format; add --from (for example --from fp32)",
                            in->name);
        }
        in->layout = bare_layout(c, asked);
        return cast_expect(in, c->count);
    }
    if (c->count != CAST_UNKNOWN) {
        return complain(in->command, "--count cannot be used with %s: a .npy file has its own length", in->name);
    }
    if (bnd_npy_format(&f, &in->npy, asked, &why) != BND_OK) {
        const char *advice = asked != NULL                     ? "%s: %s"
                             : in->npy.kind != BND_NPY_INTEGER ? "%s: %s; add --dtype (for example --dtype %s)"
                                                               : "%s: %s; if they are codes, add --dtype (for example "
                                                                 "--dtype %s); if they are integers, store them as "
                                                                 "numbers first (in numpy x.astype('<f8'))";
        return complain(in->command, advice, in->name, why.message, example_of(in->npy.element_size));
    }
    if (c->blocks.columns > 0) {
        return complain(in->command, "--columns cannot be used with %s: a .npy file has its own shape", in->name);
    }
    in->layout = npy_layout(&f, in->npy.big_endian);
    return cast_expect(in, CAST_UNKNOWN);
}

/* A name decides; a stream is what the input is. */
static bool makes_npy(const cast *c, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    return !c->raw && (standard ? c->in.is_npy : cast_name_ends(path, ".npy"));
}

/* A bare array under the name of another kind of file misleads every program that opens it. */
static int refuse_other_names(const cast *c, const char *path)
{
    cast_kind named = cast_kind_named(path);
    if (c->raw || named.what == NULL) {
        return GO_ON;
    }
    return complain(c->common.command,
                    "%s has the name of %s; only bare arrays and .npy files can be written; choose another name, or "
                    "add --raw for a bare array",
                    path, named.what);
}

static int settle_target(cast *c)
{
    const bnd_format *from = &c->in.layout.format;
    named_format *via = &c->via;
    bool wide = from->width == 32 || from->width == 64;
    if (c->blocks.given) {
        c->to.format = *from;
        return cast_fp32_holds(from) ? GO_ON
                                     : complain(c->common.command,
                                                "fp32 does not contain all values of %s, and block formats are "
                                                "computed from fp32; cast to fp32 first",
                                                from->name);
    }
    if (via->given) {
        c->to.format = *from;
        const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32), *fp64 = bnd_format_at(BND_FORMAT_FP64);
        if (!wide || !(bnd_format_same(from, fp32) || bnd_format_same(from, fp64))) {
            return complain(c->common.command, "--via must have fp32 or fp64 as input, not %s; %s", from->name,
                            via->format.width > 0 ? "use --to" : "cast it with --to fp32 first");
        }
    }
    return GO_ON;
}

/* ---- the work ---- */

static int open_output(cast *c, const char *path)
{
    cast_output *out = &c->out;
    int status = cast_open_output(out, c->common.command, path);
    out->is_npy = makes_npy(c, path);
    if (status != GO_ON || !out->is_npy) {
        return status;
    }
    uint64_t count = cast_expected(&c->in);
    if (count == CAST_UNKNOWN && out->file.temporary == NULL) {
        return complain(c->common.command,
                        "the header of %s needs the number of elements, and %s does not have it; add --count",
                        out->name, c->in.name);
    }
    out->npy = (bnd_npy){.rank = 1};
    if (c->in.is_npy) {
        out->npy = c->in.npy;
    } else if (count != CAST_UNKNOWN) {
        out->npy.shape[0] = count;
    }
    bnd_error why;
    if (bnd_npy_describe(&out->npy, &c->to.format, &why) != BND_OK) {
        return complain(c->common.command, "%s: %s", c->in.name, why.message);
    }
    return cast_write_header(out);
}

static int make_plan(cast *c, bool to_npy)
{
    bnd_error why;
    cast_layout to = to_npy ? npy_layout(&c->to.format, false) : bare_layout(c, &c->to.format);
    const bnd_format *element = &c->blocks.block.element, *via = c->blocks.given ? NULL : &c->via.format;
    cast_make_plan(&c->plan, &c->in.layout, &to, c->via.given ? via : NULL);
    if (c->blocks.given) {
        c->plan.target = *element;
        c->plan.rounded_to = c->blocks.block.name;
    }
    if (bnd_context_init(&c->context, NULL, c->common.threads, &why) != BND_OK) {
        return complain(c->common.command, "%s", why.message);
    }
    int status = refuse_silent_dialect(&c->common, &c->plan.target);
    c->plan.how.context = &c->context;
    c->plan.how.rule = rule_for(&c->common, &c->plan.target);
    c->plan.how.seed = c->common.seed;
    c->plan.stats = c->stats_wanted ? &c->stats : NULL;
    return status;
}

static int cast_between(cast *c, const char *in, const char *out)
{
    const command *self = c->common.command;
    int status = cast_refuse_same(self, in, out);
    status = status == GO_ON ? cast_open_input(&c->in, self, in, c->raw_input) : status;
    status = status == GO_ON ? refuse_other_names(c, out) : status;
    status = status == GO_ON ? settle_input(c) : status;
    status = status == GO_ON ? settle_target(c) : status;
    status = status == GO_ON ? make_plan(c, makes_npy(c, out)) : status;
    if (status != GO_ON) {
        return status;
    }
    status = open_output(c, out);
    if (status == GO_ON) {
        progress bar;
        uint64_t size = c->in.size != CAST_UNKNOWN ? c->in.size : 0;
        progress_begin(&bar, &c->common, self->name, PROGRESS_BYTES, size);
        bool threaded = c->context.threads > 1;
        status = c->blocks.given ? cast_run_blocks(&c->in, &c->out, &c->plan, &c->blocks, &bar, threaded)
                                 : cast_run(&c->in, &c->out, &c->plan, &bar, threaded);
    }
    int closed = cast_close_output(&c->out, status == GO_ON, c->plan.how.first);
    return status == GO_ON ? closed : status;
}

static int run(const command *self, int argc, char **argv)
{
    cast c = {.count = CAST_UNKNOWN, .in = {.fd = -1}, .out = {.file = {.fd = -1}}};
    int status = read_arguments(&c, self, argc, argv);
    c.stats_wanted = c.stats_wanted || c.common.output == OUTPUT_JSON;
    status = status == GO_ON ? check_usage(&c) : status;
    if (status == GO_ON) {
        char **operands = c.common.operands;
        size_t count = c.common.operand_count;
        status = cast_between(&c, count > 0 ? operands[0] : "-", count > 1 ? operands[1] : "-");
    }
    if (status == GO_ON && c.stats_wanted) {
        status = cast_print_stats(&c.stats, &c.plan, c.common.output == OUTPUT_JSON);
    }
    cast_close_input(&c.in);
    clear_settings(&c.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.name = "from",
     .argument = "F",
     .help = "input format (not needed for most .npy files)",
     .completes = COMPLETES_FORMATS,
     INTO(cast, from, read_format)},
    {.name = "to",
     .argument = "F",
     .help = "output format: any but value sets and block formats, which only --via takes",
     .completes = COMPLETES_FORMATS,
     INTO(cast, to, read_format)},
    {.name = "via",
     .argument = "F",
     .help =
         "round to F and keep the input's format (fp32 or fp64); F may be a value set or a block format (mxfp8, nvfp4, "
         "e4m3/tile:1x128)",
     .completes = COMPLETES_FORMATS,
     INTO(cast, via, read_via)},
    {.name = "columns",
     .rare = 1,
     .argument = "N",
     .help = "for block formats: length of a row of a bare array (default: one row)",
     INTO_WHOLE(cast, blocks.columns, 1, MOST_ELEMENTS)},
    {.name = "dtype",
     .argument = "F",
     .help = "input format of a .npy file, if its header does not name it",
     .completes = COMPLETES_FORMATS,
     INTO(cast, dtype, read_format)},
    {.name = "unpacked",
     .rare = 1,
     .help = "bare arrays have one code in 1, 2, 4 or 8 bytes, as few as possible (default packed)",
     INTO_FLAG(cast, unpacked)},
    {.name = "count",
     .rare = 1,
     .argument = "N",
     .help = "number of elements of a bare input (default: all of it)",
     INTO_WHOLE(cast, count, 0, MOST_ELEMENTS)},
    {.name = "raw", .rare = 1, .help = "write a bare array, whatever the name of OUT", INTO_FLAG(cast, raw)},
    {.name = "raw-input",
     .rare = 1,
     .help = "read IN as a bare array, even if it looks like another kind of file",
     INTO_FLAG(cast, raw_input)},
    {.name = "stats", .help = "print statistics of the conversion to standard error", INTO_FLAG(cast, stats_wanted)},
    {.name = "json", .help = "print the statistics as JSON", INTO_FIXED(settings, output, OUTPUT_JSON)},
    {.same = &row_round},
    {.same = &row_overflow},
    {.same = &row_nan, .rare = 1},
    {.same = &row_flush, .rare = 1},
    {.same = &row_tininess, .rare = 1},
    {.same = &row_dialect},
    {.same = &row_seed, .rare = 1},
    {.same = &row_threads},
    {.same = &row_progress, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"two fp32 numbers, 1 and 0.1, as a .npy file",
     "printf '\\0\\0\\200\\077\\315\\314\\314\\075' | binade cast --from fp32 --to fp32 - two.npy"},
    {"a .npy file in FP8 E4M3, with statistics", "binade cast --to e4m3 two.npy two-e4m3.npy --stats"},
    {"back to fp32: the file does not name its format", "binade cast --dtype e4m3 --to fp32 two-e4m3.npy back.npy"},
    {"rounded to MXFP8 and back, in fp32", "binade cast --via mxfp8 two.npy two-mxfp8.npy"},
    {"bytes on standard input and output",
     "printf '\\0\\0\\200\\077' | binade cast --from fp32 --to bf16 | od -An -tx1"},
    {NULL, NULL},
};

const command command_cast = {
    .name = "cast",
    .summary = "an array from one format to another, in files and streams",
    .group = GROUP_COMPUTE,
    .operands = "[IN [OUT]]",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about = "Converts an array from one format to another, each element with one rounding, in constant memory. IN and "
             "OUT are standard input and output if they are missing or -. A .npy file is recognized by its header. OUT "
             "is a .npy file if its name ends in .npy. Other files are bare arrays: little-endian, codes of less than "
             "a byte packed, lowest bits first.",
    .options = options,
    .examples = examples,
    .environment = READS_BACKEND | READS_THREADS,
    .see_also = "show formats bench bnd_bulk(3) bnd_block(3)",
    .run = run,
};
