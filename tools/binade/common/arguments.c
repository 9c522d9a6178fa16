/* The command line into settings. */
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

static int bad_word(const settings *s, const option_row *row, const char *value)
{
    return complain(s->command, "--%s takes one of: %s; not '%s'", row->name, row->words, value);
}

static int set_flush(settings *s, const char *value)
{
    bool both = strcmp(value, "both") == 0, in = strcmp(value, "in") == 0, out = strcmp(value, "out") == 0;
    if (!both && !in && !out && strcmp(value, "none") != 0) {
        return bad_word(s, &row_flush, value);
    }
    s->rule.flush_in = both || in;
    s->rule.flush_out = both || out;
    return GO_ON;
}

static int set_tininess(settings *s, const char *value)
{
    s->rule.tiny_before = strcmp(value, "before") == 0;
    return s->rule.tiny_before || strcmp(value, "after") == 0 ? GO_ON : bad_word(s, &row_tininess, value);
}

static int set_when(enum when *out, const settings *s, const option_row *row, const char *value)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *out = (enum when)i;
            return GO_ON;
        }
    }
    return bad_word(s, row, value);
}

static int set_color(settings *s, const char *value)
{
    enum when when = WHEN_AUTO;
    int status = set_when(&when, s, &row_color, value);
    if (status != GO_ON) {
        return status;
    }
    const char *no_color = getenv("NO_COLOR");
    bool no_colour = no_color != NULL && no_color[0] != '\0';
    s->colour = !no_colour && (when == WHEN_ALWAYS || (when == WHEN_AUTO && isatty(STDOUT_FILENO) != 0));
    return GO_ON;
}

int read_whole_number(uint64_t *out, const settings *s, const char *option, const char *value, uint64_t least,
                      uint64_t most)
{
    char *end = NULL;
    errno = 0;
    bool hexadecimal = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
    unsigned long long number = strtoull(value, &end, hexadecimal ? 16 : 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < least || number > most) {
        char last[24] = "2^64-1";
        if (most < UINT64_MAX) {
            snprintf(last, sizeof last, "%llu", (unsigned long long)most);
        }
        return complain(s->command, "--%s takes a whole number from %llu to %s, not '%s'", option,
                        (unsigned long long)least, last, value);
    }
    *out = number;
    return GO_ON;
}

static int set_threads(settings *s, const char *value)
{
    enum { MOST = 1024 }; /* the library's own limit */
    uint64_t threads = 0;
    int status = read_whole_number(&threads, s, row_threads.name, value, 0, MOST);
    s->threads = (unsigned)threads;
    return status;
}

static int from_library(const settings *s, bnd_status status, const bnd_error *why)
{
    return status == BND_OK ? GO_ON : complain(s->command, "%s", why->message);
}

static int set_shared(settings *s, int id, const char *value)
{
    bnd_error why;
    switch (id) {
    case OPTION_FORMAT:
        s->formats_given = true;
        return add_formats(s, value);
    case OPTION_ROUND:
        s->rounding_given = true;
        return from_library(s, bnd_rounding_parse(&s->rule, value, &why), &why);
    case OPTION_OVERFLOW:
        s->overflow_given = true;
        return from_library(s, bnd_overflow_parse(&s->rule, value, &why), &why);
    case OPTION_NAN:
        s->nan_given = true;
        return from_library(s, bnd_nan_parse(&s->rule, value, &why), &why);
    case OPTION_FLUSH:
        return set_flush(s, value);
    case OPTION_TININESS:
        return set_tininess(s, value);
    case OPTION_DIALECT:
        s->dialect_given = true;
        return from_library(s, bnd_dialect_parse(&s->dialect, value, &why), &why);
    case OPTION_SEED:
        return read_whole_number(&s->seed, s, row_seed.name, value, 0, UINT64_MAX);
    case OPTION_THREADS:
        return set_threads(s, value);
    case OPTION_PROGRESS:
        return set_when(&s->progress, s, &row_progress, value);
    case OPTION_JSON:
        s->output = OUTPUT_JSON;
        return GO_ON;
    case OPTION_CSV:
        s->output = OUTPUT_CSV;
        return GO_ON;
    case OPTION_COLOR:
        return set_color(s, value);
    default:
        print_help(s->command, false);
        return FINE;
    }
}

/* ---- the command line ---- */

/* A word that starts with - and then a digit, a point, a parenthesis, a blank, inf, nan, pi, sqrt( or a character that
 * is not ASCII is a value. So is - alone. */
static bool is_operand(const char *word)
{
    const char *rest = word + 1;
    return word[0] != '-' || (unsigned char)rest[0] >= 0x80 || strcmp(rest, "pi") == 0 ||
           strncmp(rest, "pi/", 3) == 0 || strncmp(rest, "pi*", 3) == 0 || strncmp(rest, "sqrt(", 5) == 0 ||
           strchr(".( ", rest[0]) != NULL || (rest[0] >= '0' && rest[0] <= '9') || strncmp(rest, "inf", 3) == 0 ||
           strncmp(rest, "nan", 3) == 0 || strncmp(rest, "Inf", 3) == 0 || strncmp(rest, "NaN", 3) == 0 ||
           strncmp(rest, "INF", 3) == 0 || strncmp(rest, "NAN", 3) == 0;
}

enum { MOST_OPTIONS = 48 };

/* getopt's two tables from our rows. The leading '+' stops it at an operand, ':' tells missing arguments apart. */
static void make_tables(const command *self, struct option longs[MOST_OPTIONS], char shorts[3 * MOST_OPTIONS])
{
    size_t at = 0, n = 0;
    shorts[at++] = '+';
    shorts[at++] = ':';
    for (; self->options[n] != NULL && n < MOST_OPTIONS - 1; n++) {
        const option_row *row = self->options[n];
        int wants = row->argument != NULL ? required_argument : no_argument;
        longs[n] = (struct option){row->name, wants, NULL, row->id};
        if (row->letter != 0) {
            shorts[at++] = row->letter;
            if (wants == required_argument) {
                shorts[at++] = ':';
            }
        }
    }
    longs[n] = (struct option){NULL, 0, NULL, 0};
    shorts[at] = '\0';
}

static int id_of_letter(const command *self, int letter)
{
    for (size_t n = 0; self->options[n] != NULL; n++) {
        if (self->options[n]->letter != 0 && self->options[n]->letter == letter) {
            return self->options[n]->id;
        }
    }
    return letter;
}

/* The long option that shares most of its beginning with `word`, three letters at least; NULL where none does. */
static const option_row *option_near(const command *self, const char *word)
{
    const option_row *near = NULL;
    size_t most = 2;
    for (size_t n = 0; self->options[n] != NULL; n++) {
        size_t shared = letters_shared(word + 2, self->options[n]->name);
        if (shared > most) {
            most = shared;
            near = self->options[n];
        }
    }
    return near;
}

/* How many long options begin with the name in `word` ("--dia", "--json=5"); the last of them. */
static size_t long_options_like(const command *self, const char *word, const option_row **last)
{
    size_t count = 0, length = strcspn(word + 2, "=");
    for (size_t n = 0; self->options[n] != NULL; n++) {
        if (strncmp(self->options[n]->name, word + 2, length) == 0) {
            *last = self->options[n];
            count++;
        }
    }
    return count;
}

static int bad_option(const settings *s, int found, char **argv, int at)
{
    const char *word = argv[at], *name = s->command->name;
    bool is_long = word[0] == '-' && word[1] == '-';
    const option_row *like = NULL;
    size_t count = is_long ? long_options_like(s->command, word, &like) : 0;
    if (found == ':') {
        return complain(s->command, "option '%.64s' needs an argument; see 'binade %s --help'", word, name);
    }
    if (!is_long) {
        return complain(s->command, "unknown option '-%c'; see 'binade %s --help'", optopt, name);
    }
    if (count > 1) {
        return complain(s->command, "option '%.64s' could be several; write more of it", word);
    }
    if (count == 1) {
        return complain(s->command, "option '--%s' takes no argument", like->name);
    }
    like = option_near(s->command, word);
    return like != NULL ? complain(s->command, "unknown option '%.64s'; did you mean '--%s'?", word, like->name)
                        : complain(s->command, "unknown option '%.64s'; see 'binade %s --help'", word, name);
}

int read_arguments(settings *s, const command *self, int argc, char **argv,
                   int (*own)(void *state, int id, const char *value), void *state)
{
    *s = (settings){.command = self, .operands = allocate(NULL, (size_t)argc + 1, sizeof *s->operands)};
    struct option longs[MOST_OPTIONS];
    char shorts[3 * MOST_OPTIONS];
    make_tables(self, longs, shorts);
    int status = set_color(s, "auto");
    bool options_ended = false;
    optind = 1;
    opterr = 0;
    while (status == GO_ON && optind < argc) {
        int at = optind;
        if (options_ended || is_operand(argv[at])) {
            s->operands[s->operand_count++] = argv[optind++];
            continue;
        }
        int found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1) {
            options_ended = true; /* "--", which getopt has passed */
        } else if (found == ':' || found == '?') {
            status = bad_option(s, found, argv, at);
        } else {
            int id = id_of_letter(self, found);
            status = id >= OPTION_OWN ? own(state, id, optarg) : set_shared(s, id, optarg);
        }
    }
    return status;
}

void clear_settings(settings *s)
{
    free(s->operands);
    free(s->formats.items);
}
