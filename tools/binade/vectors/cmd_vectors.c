/* binade vectors: writes test vectors, and checks the answers of other implementations. */
#include "vectors.h"

#include "common/process.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static int read_in(void *options, const option_row *row, const char *list)
{
    vectors *v = options;
    settings lists = {.command = v->common.command};
    int status = add_formats(&lists, list);
    (void)row;
    if (status == GO_ON) {
        free(v->in.items);
        v->in = lists.formats;
    } else {
        free(lists.formats.items);
    }
    return status;
}

static int read_out(void *options, const option_row *row, const char *list)
{
    vectors *v = options;
    settings lists = {.command = v->common.command};
    int status = add_formats(&lists, list);
    if (status == GO_ON && lists.formats.count != 1) {
        status = complain(v->common.command, "--%s takes one format, not %zu", row->name, lists.formats.count);
    }
    if (status == GO_ON) {
        v->out = lists.formats.items[0];
        v->out_given = true;
    }
    free(lists.formats.items);
    return status;
}

static int read_nan(void *options, const option_row *row, const char *value)
{
    vectors *v = options;
    bnd_error why;
    (void)row;
    if (strcmp(value, "bits") == 0 || strcmp(value, "any") == 0) {
        v->nan = value;
        return GO_ON;
    }
    v->common.nan_given = true;
    return bnd_nan_parse(&v->common.rule, value, &why) == BND_OK
               ? GO_ON
               : complain(v->common.command, "%s; of check also: bits any", why.message);
}

static int read_flags(void *options, const option_row *row, const char *value)
{
    vectors *v = options;
    unsigned word;
    v->flags = value;
    return read_word(&word, &v->common, row, value);
}

/* ---- gen ---- */

static int write_lines(const vectors *v, const bnd_vector_plan *plan, uint64_t count)
{
    enum { SIZE = 1 << 18 };
    char *out = allocate(NULL, SIZE, 1);
    progress bar;
    progress_begin(&bar, &v->common, "lines", PROGRESS_ITEMS, count);
    bool written = !ferror(stdout);
    for (uint64_t at = 0; at < count && written;) {
        size_t length =
            bnd_vector_write(out, SIZE, &at, plan, at, count, v->memh ? BND_VECTOR_FORM_MEMH : BND_VECTOR_FORM_LINE);
        written = output_bytes(out, length);
        progress_at(&bar, at);
    }
    progress_end(&bar);
    free(out);
    return written ? FINE : BAD_STREAM;
}

/* The coverage of the cases, answered by the rule itself. */
static int cover(const vectors *v, const bnd_vectors *described, const bnd_vector_plan *plan, uint64_t count)
{
    uint64_t operands[BND_VECTOR_OPERANDS_MAX];
    bnd_vector_line line = {.operands = operands, .has_flags = true};
    judge j = {.asked = v};
    progress bar;
    int status = judge_begin(&j, described);
    progress_begin(&bar, &v->common, "lines", PROGRESS_ITEMS, count);
    for (uint64_t i = 0; status == GO_ON && i < count; i++) {
        bnd_vector_case(operands, &line.random, plan, i);
        bnd_result answer = bnd_vector_answer(described, operands, described->rule, line.random);
        line.code = answer.code;
        line.flags = answer.flags;
        status = judge_line(&j, &line, i + 1);
        progress_at(&bar, i + 1);
    }
    progress_end(&bar);
    status = status == GO_ON ? judge_covers(&j) : status;
    judge_end(&j);
    return status;
}

/* An option that only check has; NULL: none was given. */
static const char *of_check(const vectors *v)
{
    return v->command != NULL                                ? "command"
           : v->nan != NULL                                  ? "--nan bits or --nan any"
           : v->flags != NULL                                ? "--flags"
           : OPTION_GIVEN(&v->common, vectors, shown)        ? "--show"
           : v->common.output == OUTPUT_JSON && !v->coverage ? "--json without --coverage"
                                                             : NULL;
}

static int generate(vectors *v)
{
    const command *self = v->common.command;
    bnd_vectors described;
    bnd_vector_plan plan;
    bnd_error why;
    if (of_check(v) != NULL) {
        return complain(self, "%s cannot be used with gen, which compares nothing", of_check(v));
    }
    if (v->common.operand_count > 1) {
        return complain(self, "unexpected argument '%s'; gen writes to standard output", v->common.operands[1]);
    }
    int status = describe(&described, v);
    if (status != GO_ON) {
        return status;
    }
    bnd_vector_level level = OPTION_GIVEN(&v->common, vectors, count) ? BND_VECTOR_LEVEL_SAMPLE : v->level;
    if (bnd_vector_plan_open(&plan, &described, level, v->common.seed, &why) != BND_OK) {
        return complain(self, "%s", why.message);
    }
    uint64_t count = OPTION_GIVEN(&v->common, vectors, count) ? v->count : plan.count;
    if (v->coverage) {
        status = cover(v, &described, &plan, count);
    } else {
        char header[512];
        bnd_vectors_print_header(header, sizeof header, &described);
        printf("%s %s\n", v->memh ? "//" : "#", header);
        status = write_lines(v, &plan, count);
    }
    bnd_vector_plan_close(&plan);
    return status;
}

/* ---- the command ---- */

/* An option that describes lines, where their header does; NULL: none was given. */
static const char *of_description(const vectors *v)
{
    bool header = v->command == NULL && v->op == NULL;
    return !header ? NULL : v->in.count > 0 ? "--in" : v->out_given ? "--out" : v->lab_flags ? "--lab-flags" : NULL;
}

static int check(vectors *v)
{
    if (of_description(v) != NULL) {
        return complain(v->common.command, "%s needs --op, which replaces the header; without --op, leave %s out",
                        of_description(v), of_description(v));
    }
    if (v->command != NULL && v->common.operand_count > 1) {
        return complain(v->common.command, "'%s' cannot be used with a command after --", v->common.operands[1]);
    }
    if (v->command == NULL && (OPTION_GIVEN(&v->common, vectors, count) || OPTION_GIVEN(&v->common, vectors, level))) {
        return complain(v->common.command, "%s needs gen, or a command after --",
                        OPTION_GIVEN(&v->common, vectors, count) ? "-n" : "--level");
    }
    if (v->memh) {
        return complain(v->common.command, "--memh cannot be used with check, which reads such lines as they are");
    }
    if (v->coverage) {
        return complain(v->common.command, "--coverage cannot be used with check, which always prints it");
    }
    if (v->common.operand_count > 2) {
        return complain(v->common.command, "check reads one file at a time");
    }
    return v->command != NULL ? check_command(v) : check_stream(v);
}

/* The words after "--" are a command to drive. */
static int cut_command(vectors *v, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            v->command = argv + i + 1;
            return i;
        }
    }
    return argc;
}

enum { GEN = 1, CHECK = 2, BOTH = GEN | CHECK };

static const option_row options[] = {
    {.name = "op",
     .commands = BOTH,
     .argument = "OP",
     .help = "convert add sub mul div sqrt fma rem, another operation of calc, dot:N, mxdot",
     .completes = COMPLETES_WORDS,
     .words = "convert add sub mul div sqrt fma rem min max dot:4 mxdot",
     INTO_TEXT(vectors, op)},
    {.name = "in",
     .commands = BOTH,
     .argument = "F[,F,F]",
     .help = "format of the operands, or one for each",
     .completes = COMPLETES_FORMATS,
     INTO(vectors, in, read_in)},
    {.name = "out",
     .commands = BOTH,
     .argument = "F",
     .help = "format of the result (default that of the first operand)",
     .completes = COMPLETES_FORMATS,
     INTO(vectors, out, read_out)},
    {.name = "count",
     .commands = BOTH,
     .letter = 'n',
     .argument = "N",
     .help = "N drawn cases instead of a level; check: only with CMD",
     INTO_WHOLE(vectors, count, 0, UINT64_MAX)},
    {.name = "level",
     .commands = BOTH,
     .argument = "LEVEL",
     .help = "1 or 2: combinations of boundary values, then drawn cases; all: every combination of codes (default 1)",
     .completes = COMPLETES_WORDS,
     .words = "1 2 all",
     INTO_WORD(vectors, level, BND_VECTOR_LEVEL_1)},
    {.same = &row_round, .commands = BOTH},
    {.same = &row_overflow, .commands = BOTH},
    {.name = "nan",
     .commands = BOTH,
     .argument = "WHICH",
     .help = "the NaN of the result, as in show (default signed in conversions, else canonical); check also: bits "
             "(NaNs must be equal) or any (any NaN is accepted; default bits)",
     .completes = COMPLETES_WORDS,
     .words = "bits any default canonical signed ones signed-ones propagate x86",
     INTO(vectors, nan, read_nan)},
    {.same = &row_flush, .commands = BOTH},
    {.same = &row_tininess, .commands = BOTH},
    {.same = &row_dialect, .commands = BOTH},
    {.same = &row_seed, .commands = BOTH},
    {.name = "memh", .commands = GEN, .help = "one word per line, for Verilog's $readmemh", INTO_FLAG(vectors, memh)},
    {.name = "lab-flags",
     .commands = BOTH,
     .help = "flags also have 32 saturated and 64 to-zero (default: the five of IEEE 754)",
     INTO_FLAG(vectors, lab_flags)},
    {.name = "flags",
     .commands = CHECK,
     .argument = "WHICH",
     .help = "flags to compare: none ieee all (default ieee, or all if the header has flags=lab)",
     .completes = COMPLETES_WORDS,
     .words = "none ieee all",
     INTO(vectors, flags, read_flags)},
    {.name = "show",
     .commands = CHECK,
     .argument = "N",
     .help = "mismatches to print in full (default 10)",
     INTO_WHOLE(vectors, shown, 0, UINT64_MAX)},
    {.name = "coverage",
     .commands = GEN,
     .help = "print the coverage of the cases instead of the cases",
     INTO_FLAG(vectors, coverage)},
    {.same = &row_progress, .commands = BOTH},
    {.same = &row_json, .commands = BOTH},
    {.same = &row_color, .commands = BOTH},
    {.same = &row_help, .commands = BOTH},
    {.name = NULL},
};

static const command_example examples[] = {
    {"test vectors of a conversion, checked by this build",
     "binade vectors gen --op convert --in fp32 --out e4m3 | binade vectors check"},
    {"a memory image for a Verilog test bench", "binade vectors gen --op add --in fp16 -n 1000 --memh >add.memh"},
    {"drive a program: operands on its input, answers on its output",
     "binade vectors check --op convert --in bf16 --out bf16 -n 100 --flags none --nan any -- cat"},
    {"the cases that a level covers", "binade vectors gen --op mul --in e4m3 --coverage"},
    {NULL, NULL},
};
static const command_example gen_examples[] = {
    {"boundary values and drawn cases of an FP16 addition", "binade vectors gen --op add --in fp16 >add.txt"},
    {NULL, NULL},
};
static const command_example check_examples[] = {
    {"the answers of a program", "binade vectors check --op add --in fp16 --flags none -- ./unit"},
    {NULL, NULL},
};

/* `vectors gen --help` and `vectors check --help`. */
static const command parts[] = {
    {.name = "vectors gen",
     .operands = "",
     .about = "Writes test vectors to standard output, one per line, in hexadecimal: IN... OUT FLAGS.",
     .options = options,
     .bit = GEN,
     .examples = gen_examples},
    {.name = "vectors check",
     .operands = "[FILE | -- CMD...]",
     .about = "Reads test vectors, or drives CMD: operands on its standard input, answers on its standard output. "
              "Prints PASS or FAIL, the first mismatches with a reason, the rule or dialect that the answers follow, "
              "and the coverage.",
     .options = options,
     .bit = CHECK,
     .examples = check_examples},
};

static bool is_word(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* The subcommand whose help is requested, or NULL. */
static const command *asks_for_help(int words, char **argv)
{
    const command *part = NULL;
    bool help = false;
    for (int i = 1; i < words; i++) {
        help = help || is_word(argv[i], "--help", "-h");
        if (part == NULL && is_word(argv[i], "gen", "check")) {
            part = &parts[argv[i][0] == 'c'];
        }
    }
    return help ? part : NULL;
}

static int run(const command *self, int argc, char **argv)
{
    vectors v = {.shown = SHOWN_DEFAULT, .level = BND_VECTOR_LEVEL_1};
    int words = cut_command(&v, argc, argv);
    if (asks_for_help(words, argv) != NULL) {
        print_help(asks_for_help(words, argv));
        return FINE;
    }
    int status = read_arguments(&v, self, words, argv);
    const char *what = v.common.operand_count > 0 ? v.common.operands[0] : "";
    if (status == GO_ON && v.command != NULL && v.command[0] == NULL) {
        status = complain(self, "expected a command after --");
    }
    if (status == GO_ON && what[0] == '\0') {
        status = complain(self, "expected 'vectors gen' or 'vectors check'");
    }
    if (status == GO_ON && !is_word(what, "gen", "check")) {
        status = complain(self, "expected 'vectors gen' or 'vectors check', got '%.60s'", what);
    }
    if (status == GO_ON && OPTION_GIVEN(&v.common, vectors, count) && OPTION_GIVEN(&v.common, vectors, level)) {
        status = complain(self, "-n cannot be used with --level: -n draws cases, --level takes all of a kind");
    }
    if (status == GO_ON) {
        status = strcmp(what, "gen") == 0 ? generate(&v) : check(&v);
    }
    free(v.in.items);
    clear_settings(&v.common);
    return status == GO_ON ? FINE : status;
}

const command command_vectors = {
    .name = "vectors",
    .summary = "write test vectors, and find the rule that an implementation follows",
    .group = GROUP_VERIFY,
    .operands = "gen|check [FILE | -- CMD...]",
    .first = COMPLETES_WORDS,
    .others = COMPLETES_FILES,
    .words = "gen check",
    .about = "gen writes test vectors, one per line, in hexadecimal: IN... OUT FLAGS. check reads such lines from any "
             "implementation, or drives CMD. It prints PASS or FAIL, the first mismatches with a reason, the rule or "
             "dialect that the answers follow, and the coverage. 'vectors gen --help' and 'vectors check --help' list "
             "the options of each.",
    .options = options,
    .examples = examples,
    .exit_one = "check found a line that disagrees",
    .see_also = "verify calc show",
    .run = run,
};
