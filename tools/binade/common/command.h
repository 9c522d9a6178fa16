/* What a command is, and what every command shares: its arguments, its settings, its way to print. */
#ifndef BINADE_TOOLS_COMMAND_H
#define BINADE_TOOLS_COMMAND_H

#include <binade-lab.h>
#include <stdio.h>

enum exit_status { FINE = 0, DOES_NOT_HOLD = 1, BAD_USAGE = 2, BAD_STREAM = 3, GO_ON = -1 };

/* ---- options: a row each; the same rows make getopt's table, --help, the man page and the completions ---- */

enum option_id {
    OPTION_HELP = 1,
    OPTION_FORMAT,
    OPTION_ROUND,
    OPTION_OVERFLOW,
    OPTION_NAN,
    OPTION_FLUSH,
    OPTION_TININESS,
    OPTION_DIALECT,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_PROGRESS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_COLOR,
    OPTION_OWN /* the first of a command's own */
};

/* What completes an option's argument, or an operand. */
enum completes {
    COMPLETES_NOTHING,
    COMPLETES_FORMATS,
    COMPLETES_FILES,
    COMPLETES_COMMANDS,
    COMPLETES_OPERANDS, /* what the command's operand_name lists */
    COMPLETES_DIALECTS,
    COMPLETES_RECIPES,
    COMPLETES_MODELS,
    COMPLETES_OPTIMIZERS,
    COMPLETES_WORDS
};

typedef struct option_row {
    int id;
    char letter; /* or 0 */
    const char *name;
    const char *argument; /* what --help calls it; NULL where there is none */
    const char *help;
    enum completes completes;
    const char *words; /* for COMPLETES_WORDS */
} option_row;

extern const option_row row_format, row_round, row_overflow, row_nan, row_flush, row_tininess, row_dialect, row_seed,
    row_threads, row_progress, row_json, row_csv, row_color, row_help;

typedef struct settings settings;

typedef struct command {
    const char *name, *summary;
    const char *old_name;                   /* which still calls it; NULL: none */
    const char *operands;                   /* "VALUE..." */
    enum completes first, others;           /* what completes the first operand, and those after it */
    const char *words;                      /* where the first one completes words */
    const char *(*operand_name)(size_t at); /* where it completes names of the command's own; NULL after the last */
    bool one_format;                        /* groups of formats are refused */
    const char *about;                      /* a few sentences; "\n\n" between paragraphs */
    const option_row *const *options;       /* ends with NULL */
    const option_row *const *rare;          /* those that --help has by name only; NULL: none */
    const char *example;                    /* a command line that works */
    const char *more;                       /* for the man page alone; "" or paragraphs */
    int (*run)(const struct command *self, int argc, char **argv);
    bool trains; /* its threads meet many times per millisecond */
} command;

extern const command command_calc, command_cast, command_cost, command_verify, command_vectors;
extern const command command_show, command_formats, command_table, command_range, command_bench, command_help;
extern const command command_train, command_compare, command_sweep, command_evaluate;
extern const command *const commands[]; /* ends with NULL */
const command *find_command(const char *name);

/* ---- settings ---- */

typedef struct format_list {
    bnd_format *items;
    size_t count, capacity;
} format_list;

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV };
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct settings {
    const command *command;
    char **operands;
    size_t operand_count;
    format_list formats;
    bool formats_given, rounding_given, overflow_given, nan_given, dialect_given;
    bnd_rule rule; /* what options said; the fields above say which of it */
    size_t dialect;
    uint64_t seed;
    unsigned threads; /* 0: as many as there are cores */
    enum when progress;
    enum output output;
    bool colour;
};

/* Reads the command line. `own` takes the command's own options (NULL: it has none) and returns GO_ON or an exit
 * status. Returns GO_ON, or the status to leave with (after --help, or a message). The settings must be cleared either
 * way. */
int read_arguments(settings *s, const command *self, int argc, char **argv,
                   int (*own)(void *state, int id, const char *value), void *state);
void clear_settings(settings *s);

/* The formats that were asked for, or those named here. */
int default_formats(settings *s, const char *list);
int add_formats(settings *s, const char *list);

/* A format by its name; a block format is refused with what to use instead. GO_ON, or the status to leave with. */
int parse_format(const command *self, bnd_format *out, const char *name);
/* "32 e4m3 numbers share one e8m0 scale"; to be freed. */
char *block_text(const bnd_block *block);

/* The rule for a format: the dialect's where there is one, changed by the explicit options. */
bnd_rule rule_for(const settings *s, const bnd_format *f);
/* The random bits of the index-th value: those that an array's element of this index takes. 0 where none are needed. */
uint64_t random_for(const settings *s, bnd_rule rule, size_t index);
/* The same for the rule of a dialect that is at hand. */
bnd_rule rule_with(const settings *s, const bnd_rule *from_dialect);
/* Says which of the formats the dialect has no rule for. */
void note_silent_dialect(const settings *s);

/* A whole number from 0 to `most`, decimal or hexadecimal, for an option; GO_ON, or the status to leave with. */
int read_whole_number(uint64_t *out, const settings *s, const char *option, const char *value, uint64_t least,
                      uint64_t most);

/* ---- messages ---- */

/* "binade show: ..." to stderr; returns BAD_USAGE. */
int complain(const command *self, const char *message, ...) BND_PRINTF(2, 3);
size_t letters_shared(const char *a, const char *b); /* from the beginning */
void note(const command *self, const char *message, ...) BND_PRINTF(2, 3);

/* Memory or the end: prints a message and leaves with BAD_STREAM. */
void *allocate(void *old, size_t count, size_t size);

/* ---- help ---- */

/* Words filled into lines of 80 columns, each starting at `indent`; the cursor stands at `column`. */
void fill_text(const char *text, int indent, int column);
void print_help(const command *self, bool full); /* full: every option, and what else the man page says */
void print_version(void);

#endif
