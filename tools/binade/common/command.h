/* What a command is, and what all commands share: arguments, settings, printing. */
#ifndef BINADE_TOOLS_COMMAND_H
#define BINADE_TOOLS_COMMAND_H

#include <binade-lab.h>
#include <stddef.h>
#include <stdio.h>

enum exit_status { FINE = 0, DOES_NOT_HOLD = 1, BAD_USAGE = 2, BAD_STREAM = 3, GO_ON = -1 };

typedef struct settings settings;
typedef struct command command;

/* ---- options: a row each. From it come getopt's table, the value in memory, --help, man pages and completions ---- */

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

/* What the value is, and so the type of the member that it goes to. */
enum option_kind {
    OPTION_FLAG,     /* no value: the member, a bool, becomes true */
    OPTION_FIXED,    /* no value: the member, an enum, becomes `least` */
    OPTION_TEXT,     /* const char * */
    OPTION_WORD,     /* one of `words`; an enum becomes `least` plus its place among them */
    OPTION_WHOLE,    /* uint64_t, from `least` to `most` */
    OPTION_SIZE,     /* size_t, the same */
    OPTION_UNSIGNED, /* unsigned, the same */
    OPTION_REAL,     /* double, of at least 0 */
    OPTION_POSITIVE, /* double, above 0 */
    OPTION_READ      /* `read` reads and stores it */
};

typedef struct option_row option_row;
/* Returns GO_ON, or the status to leave with. */
typedef int read_option(void *options, const option_row *row, const char *value);

struct option_row {
    const char *name, *argument; /* the name of its value in --help; NULL: it has no value */
    const char *alias;           /* an old name: accepted, not shown; NULL: none */
    char letter;                 /* or 0 */
    const char *help;
    enum completes completes;
    const char *words; /* of OPTION_WORD and COMPLETES_WORDS, separated by spaces */
    enum option_kind kind;
    size_t target; /* the member: bytes from the beginning of the command's options, which begin with its settings */
    uint64_t least, most;
    read_option *read;
    const option_row *same; /* the row that is meant, if it is another one */
    unsigned commands,
        rare; /* where commands share a table: those that have it; those whose --help has its name only */
};

/* The kind and the target of a row. A member of another type does not compile. */
#define MEMBER(type, member, of) _Generic(&((type *)NULL)->member, of * : offsetof(type, member))
#define ENUM(type, member)                                                                                             \
    (offsetof(type, member) + 0 * sizeof(char[sizeof((type *)NULL)->member == sizeof(unsigned) ? 1 : -1]))
#define INTO(type, member, function)    .kind = OPTION_READ, .target = offsetof(type, member), .read = function
#define INTO_FLAG(type, member)         .kind = OPTION_FLAG, .target = MEMBER(type, member, bool)
#define INTO_TEXT(type, member)         .kind = OPTION_TEXT, .target = MEMBER(type, member, const char *)
#define INTO_FIXED(type, member, value) .kind = OPTION_FIXED, .target = ENUM(type, member), .least = value
#define INTO_WORD(type, member, first)  .kind = OPTION_WORD, .target = ENUM(type, member), .least = first
#define INTO_WHOLE(type, member, low, high)                                                                            \
    .kind = OPTION_WHOLE, .target = MEMBER(type, member, uint64_t), .least = low, .most = high
#define INTO_SIZE(type, member, low, high)                                                                             \
    .kind = OPTION_SIZE, .target = MEMBER(type, member, size_t), .least = low, .most = high
#define INTO_UNSIGNED(type, member, low, high)                                                                         \
    .kind = OPTION_UNSIGNED, .target = MEMBER(type, member, unsigned), .least = low, .most = high
#define INTO_REAL(type, member)     .kind = OPTION_REAL, .target = MEMBER(type, member, double)
#define INTO_POSITIVE(type, member) .kind = OPTION_POSITIVE, .target = MEMBER(type, member, double)

extern const option_row row_format, row_code_format /* no value sets */, row_round, row_overflow, row_nan, row_flush,
    row_tininess, row_dialect, row_seed, row_threads, row_progress, row_json, row_csv, row_color, row_help;

/* The at-th option of a command, NULL after the last. */
const option_row *option_at(const command *c, size_t at);
bool option_is_rare(const command *c, size_t at); /* --help has its name only */

/* Was the option given whose value goes to `target`? */
bool option_given(const settings *s, size_t target);
#define OPTION_GIVEN(s, type, member) option_given(s, offsetof(type, member))

/* Stores a value; GO_ON, or the status to leave with. */
int set_option(void *options, const option_row *row, const char *value);
size_t option_size(const option_row *row); /* of the member; 0: the row has a function of its own */

/* For rows that do: a whole number, decimal or hexadecimal; a number above 0, or of at least 0 (what is too small for a
 * double is 0); the place of a word among the row's; each word of a list separated by commas. */
int read_whole_number(uint64_t *out, const settings *s, const char *option, const char *value, uint64_t least,
                      uint64_t most);
int read_real(double *out, const settings *s, const option_row *row, const char *value, bool positive);
int read_word(unsigned *out, const settings *s, const option_row *row, const char *value);
int read_list(void *options, const option_row *row, const char *list, read_option *take);

/* Into a uint64_t: "5GB", a number with a unit of powers of 1000 or 1024, or none. */
int read_byte_size(void *options, const option_row *row, const char *value);

/* ---- commands ---- */

/* A command line that works, and what it is for. The tests run each. */
typedef struct command_example {
    const char *what, *line;
} command_example;

enum command_group { GROUP_INSPECT, GROUP_COMPUTE, GROUP_TRAIN, GROUP_VERIFY, GROUP_FILES, GROUP_HELP, COMMAND_GROUPS };

/* Environment variables that a command reads, for its page. Those of its options and threads need no bit. */
enum { READS_COLUMNS = 1, READS_LOCALE = 2, READS_BACKEND = 4, READS_THREADS = 8, READS_TORCH = 16, READS_PAGE = 32 };

struct command {
    const char *name, *summary;
    enum command_group group;
    const char *old_name;                   /* which still calls it; NULL: none */
    const char *operands;                   /* "VALUE..." */
    enum completes first, others;           /* what completes the first operand, and those after it */
    const char *words;                      /* where the first one completes words */
    const char *(*operand_name)(size_t at); /* where it completes names of the command's own; NULL after the last */
    bool one_format;                        /* groups of formats are refused */
    const char *about;                      /* a few sentences; "\n\n" between paragraphs */
    const option_row *options;              /* ends with a row of nothing */
    unsigned bit;                    /* where commands share this table: which of its rows are this one's; 0: all */
    const command_example *examples; /* 3 to 6, ends with a row of nothing; --help prints the first */
    const char *exit_one;            /* what exit status 1 means; NULL: it does not occur */
    unsigned environment;            /* READS_... */
    const char *see_also;            /* commands, and other pages as "bnd_text(3)", separated by spaces */
    int (*run)(const struct command *self, int argc, char **argv);
    bool trains; /* its threads meet many times per millisecond */
};

extern const command *const commands[]; /* ends with NULL */
const command *find_command(const char *name);

/* ---- settings ---- */

typedef struct format_list {
    bnd_format *items;
    size_t count, capacity;
} format_list;

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV };
enum { MOST_THREADS = 1024 }; /* the library's own limit */
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct settings {
    const command *command;
    char **operands;
    size_t operand_count;
    format_list formats;
    bool formats_given, rounding_given, overflow_given, nan_given, flush_given, tininess_given, dialect_given;
    bnd_rule rule; /* what options said; the fields above say which of it */
    size_t dialect;
    uint64_t seed;
    uint64_t random; /* the random bits themselves, where they were given */
    bool random_given;
    unsigned threads; /* 0: one per core */
    enum when progress, color;
    enum output output;
    bool colour;
    uint64_t given; /* which options: a bit each, in their order */
};

/* Reads the command line. `options` are the command's, which begin with its settings. Returns GO_ON, or the status to
 * leave with (after --help, or a message). The settings must be cleared either way. */
int read_arguments(void *options, const command *self, int argc, char **argv);
void clear_settings(settings *s);

/* The formats given on the command line, or else those of `list`. */
int default_formats(settings *s, const char *list);
int add_formats(settings *s, const char *list);
void add_format(format_list *list, const bnd_format *f);
bool has_format(const format_list *list, const bnd_format *f);

/* A format by its name; a block format is refused with what to use instead. GO_ON, or the status to leave with. */
int parse_format(const command *self, bnd_format *out, const char *name);
/* The element's format, or int8 and the like. */
const char *block_element_name(const bnd_block *block);

/* "32 e4m3 values share one e8m0 scale"; to be freed. */
char *block_text(const bnd_block *block);

/* The rule for a format: the dialect's where there is one, changed by the explicit options. */
bnd_rule rule_for(const settings *s, const bnd_format *f);
/* The random bits of the index-th value: those that an array's element of this index takes. 0 where none are needed. */
uint64_t random_for(const settings *s, bnd_rule rule, size_t index);
/* Another rule, changed by the explicit options. */
bnd_rule rule_with(const settings *s, bnd_rule rule);
/* Where one format is meant: refuses a dialect that has no rule for it. GO_ON, or the status to leave with. */
int refuse_silent_dialect(const settings *s, const bnd_format *f);
/* Where several are: says for which of them the dialect has no rule. */
void note_silent_dialect(const settings *s);

/* ---- messages ---- */

/* "binade show: ..." to stderr; returns BAD_USAGE. */
int complain(const command *self, const char *message, ...) BND_PRINTF(2, 3);
/* The name that was meant by an unknown word: one that begins with the word, or that has the fewest other letters, a
 * third at most. Starts as zeros; each known name is offered once, and `name` stays NULL where none is near. Returns
 * true where the name is the nearest so far. */
typedef struct nearest {
    const char *name;
    size_t length, apart;
} nearest;
bool offer_name(nearest *best, const char *asked, size_t asked_length, const char *name, size_t length);
void note(const command *self, const char *message, ...) BND_PRINTF(2, 3);
/* "binade show: WHERE: ..." of a call that failed ("": no place). Returns BAD_STREAM for files and memory, otherwise
 * BAD_USAGE. */
int fail(const command *self, const char *where, bnd_status status, const bnd_error *why);

/* Memory or the end: prints a message and leaves with BAD_STREAM. */
void *allocate(void *old, size_t count, size_t size);

/* ---- help ---- */

/* Words filled into lines of 80 columns, each starting at `indent`; the cursor is at `column`. */
void fill_text(const char *text, int indent, int column);
/* The usage line and what the command does, for --help. */
void print_usage(const command *self);
/* With `all`, every option is explained; otherwise rare ones are only named. */
void print_options(const command *self, bool all);
/* --help: usage, options and one example. */
void print_help(const command *self);
void print_version(void);

#endif
