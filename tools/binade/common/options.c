/* The options that several commands share, one per row. */
#include "command.h"

static int from_library(const settings *s, bnd_status status, const bnd_error *why)
{
    return status == BND_OK ? GO_ON : complain(s->command, "%s", why->message);
}

static int read_formats(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    (void)row;
    s->formats_given = true;
    return add_formats(s, value);
}

static int read_round(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    bnd_error why;
    (void)row;
    s->rounding_given = true;
    return from_library(s, bnd_rounding_parse(&s->rule, value, &why), &why);
}

static int read_overflow(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    bnd_error why;
    (void)row;
    s->overflow_given = true;
    return from_library(s, bnd_overflow_parse(&s->rule, value, &why), &why);
}

static int read_nan(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    bnd_error why;
    (void)row;
    s->nan_given = true;
    return from_library(s, bnd_nan_parse(&s->rule, value, &why), &why);
}

/* The index of a word has flush_in in its last bit and flush_out above. */
#define FLUSH_WORDS "none in out both tiny in-tiny"

const char *flush_word(bnd_rule rule)
{
    static const char *const words[] = {"none", "in", "out", "both", "tiny", "in-tiny"};
    return words[2 * rule.flush_out + rule.flush_in];
}

static int read_flush(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    unsigned where = 0;
    int status = read_word(&where, s, row, value);
    s->flush_given = true;
    s->rule.flush_in = where % 2 != 0;
    s->rule.flush_out = (uint8_t)(where / 2);
    return status;
}

static int read_tininess(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    unsigned when = 0;
    int status = read_word(&when, s, row, value);
    s->tininess_given = true;
    s->rule.tiny_before = when == 0;
    return status;
}

static int read_dialect(void *options, const option_row *row, const char *value)
{
    settings *s = options;
    bnd_error why;
    (void)row;
    s->dialect_given = true;
    return from_library(s, bnd_dialect_parse(&s->dialect, value, &why), &why);
}

static int read_help(void *options, const option_row *row, const char *value)
{
    const settings *s = options;
    (void)row;
    (void)value;
    print_help(s->command);
    return FINE;
}

/* Row of -f; `sets` and `end` are the words about value sets. */
#define FORMATS(sets, end)                                                                                             \
    {                                                                                                                  \
        .name = "format", .letter = 'f', .argument = "LIST",                                                           \
        .help = "formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, "             \
                "e5m10b12fn), " sets "groups (all ieee ocp fnuz p3109 p3109-all mx)" end,                              \
        .completes = COMPLETES_FORMATS, INTO(settings, formats, read_formats)                                          \
    }

const option_row row_format = FORMATS("value sets (p11emin-14emax15), ", "");
const option_row row_code_format = FORMATS("", "; no value sets, which have no codes");
const option_row row_round = {
    .name = "round",
    .letter = 'r',
    .argument = "MODE",
    .help = "rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)",
    .completes = COMPLETES_WORDS,
    .words = "rne rna rtz rup rdn rto sr sra srb sr-equal",
    INTO(settings, rule, read_round)};
const option_row row_overflow = {
    .name = "overflow",
    .argument = "POLICY",
    .help = "what overflow gives: format saturate propagate format-max propagate-max (default format)",
    .completes = COMPLETES_WORDS,
    .words = "format saturate propagate format-max propagate-max",
    INTO(settings, rule, read_overflow)};
const option_row row_nan = {.name = "nan",
                            .argument = "WHICH",
                            .help =
                                "which NaN results: canonical signed ones signed-ones propagate x86 (default signed in "
                                "conversions, canonical in operations)",
                            .completes = COMPLETES_WORDS,
                            .words = "default canonical signed ones signed-ones propagate x86",
                            INTO(settings, rule, read_nan)};
const option_row row_flush = {.name = "flush",
                              .argument = "WHERE",
                              .help = "what becomes zero: none; subnormals, in, out or both; tiny results, tiny or "
                                      "in-tiny (default none)",
                              .completes = COMPLETES_WORDS,
                              .words = FLUSH_WORDS,
                              INTO(settings, rule, read_flush)};
const option_row row_tininess = {.name = "tininess",
                                 .argument = "WHEN",
                                 .help = "underflow is detected before or after rounding (default after)",
                                 .completes = COMPLETES_WORDS,
                                 .words = "before after",
                                 INTO(settings, rule, read_tininess)};
const option_row row_dialect = {.name = "dialect",
                                .argument = "NAME",
                                .help =
                                    "the rule of a library, such as torch; explicit options override it (default none)",
                                .completes = COMPLETES_DIALECTS,
                                INTO(settings, dialect, read_dialect)};
const option_row row_seed = {.name = "seed",
                             .argument = "N",
                             .help = "seed for the random bits of stochastic rounding (default 0)",
                             INTO_WHOLE(settings, seed, 0, UINT64_MAX)};
const option_row row_threads = {.name = "threads",
                                .letter = 'j',
                                .argument = "N",
                                .help = "number of cores (default all)",
                                INTO_UNSIGNED(settings, threads, 0, MOST_THREADS)};
const option_row row_progress = {.name = "progress",
                                 .argument = "WHEN",
                                 .help =
                                     "show progress: auto always never (default auto: on a terminal, after a second)",
                                 .completes = COMPLETES_WORDS,
                                 .words = "auto always never",
                                 INTO_WORD(settings, progress, WHEN_AUTO)};
const option_row row_json = {.name = "json", .help = "JSON instead of text", INTO_FIXED(settings, output, OUTPUT_JSON)};
const option_row row_csv = {
    .name = "csv", .help = "comma-separated values instead of text", INTO_FIXED(settings, output, OUTPUT_CSV)};
const option_row row_color = {.name = "color",
                              .argument = "WHEN",
                              .help = "colours: auto always never (default auto: on a terminal without NO_COLOR)",
                              .completes = COMPLETES_WORDS,
                              .words = "auto always never",
                              INTO_WORD(settings, color, WHEN_AUTO)};
const option_row row_help = {
    .name = "help", .letter = 'h', .help = "print this text", INTO(settings, command, read_help)};
