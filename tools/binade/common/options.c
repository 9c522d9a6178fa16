/* The options that several commands share, a row each. */
#include "command.h"

const option_row row_format = {OPTION_FORMAT,
                               'f',
                               "format",
                               "LIST",
                               "formats, separated by commas: names of any ecosystem, P3109 (binary8p3se), custom ones "
                               "(e6m9, e5m10b12fn, ue6m2fn), value "
                               "sets (p11emin-14emax15), groups (all ieee ocp fnuz p3109 p3109-all mx)",
                               COMPLETES_FORMATS,
                               ""};
const option_row row_round = {
    OPTION_ROUND,
    'r',
    "round",
    "MODE",
    "rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal; N random bits, 32 without :N (default rne)",
    COMPLETES_WORDS,
    "rne rna rtz rup rdn rto sr sra srb sr-equal"};
const option_row row_overflow = {OPTION_OVERFLOW,
                                 0,
                                 "overflow",
                                 "POLICY",
                                 "format saturate propagate format-max propagate-max (default format)",
                                 COMPLETES_WORDS,
                                 "format saturate propagate format-max propagate-max"};
const option_row row_nan = {OPTION_NAN,
                            0,
                            "nan",
                            "WHICH",
                            "which NaN comes out: canonical signed ones signed-ones propagate x86 (default: signed in "
                            "conversions, canonical in operations)",
                            COMPLETES_WORDS,
                            "default canonical signed ones signed-ones propagate x86"};
const option_row row_flush = {
    OPTION_FLUSH,      0, "flush", "WHERE", "subnormals become zero: none in out both (default none)", COMPLETES_WORDS,
    "none in out both"};
const option_row row_tininess = {OPTION_TININESS,
                                 0,
                                 "tininess",
                                 "WHEN",
                                 "underflow is detected before or after rounding (default after)",
                                 COMPLETES_WORDS,
                                 "before after"};
const option_row row_dialect = {
    OPTION_DIALECT,     0, "dialect", "NAME", "the rule of an ecosystem; explicit options override it (default none)",
    COMPLETES_DIALECTS, ""};
const option_row row_seed = {
    OPTION_SEED, 0, "seed", "N", "seed of the random bits of stochastic modes (default 0)", COMPLETES_NOTHING, ""};
const option_row row_threads = {OPTION_THREADS,    'j', "threads", "N", "cores to work with (default all)",
                                COMPLETES_NOTHING, ""};
const option_row row_progress = {OPTION_PROGRESS,
                                 0,
                                 "progress",
                                 "WHEN",
                                 "auto always never (default auto: on a terminal, after a second)",
                                 COMPLETES_WORDS,
                                 "auto always never"};
const option_row row_json = {OPTION_JSON, 0, "json", NULL, "JSON instead of text", COMPLETES_NOTHING, ""};
const option_row row_csv = {OPTION_CSV,        0, "csv", NULL, "comma-separated values instead of text",
                            COMPLETES_NOTHING, ""};
const option_row row_color = {OPTION_COLOR,
                              0,
                              "color",
                              "WHEN",
                              "auto always never (default auto: on a terminal); NO_COLOR means never",
                              COMPLETES_WORDS,
                              "auto always never"};
const option_row row_help = {OPTION_HELP, 'h', "help", NULL, "this text", COMPLETES_NOTHING, ""};
