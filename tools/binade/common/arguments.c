/* Parses the command line into settings. */
#include "command.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- tables of options ---- */

/* The place in the table of the at-th option of the command. */
static const option_row *place_of(const command *c, size_t at)
{
    for (const option_row *place = c->options; place->name != NULL || place->same != NULL; place++) {
        if (c->bit != 0 && (place->commands & c->bit) == 0) {
            continue;
        }
        if (at-- == 0) {
            return place;
        }
    }
    return NULL;
}

const option_row *option_at(const command *c, size_t at)
{
    const option_row *place = place_of(c, at);
    return place != NULL && place->same != NULL ? place->same : place;
}

bool option_is_rare(const command *c, size_t at)
{
    const option_row *place = place_of(c, at);
    return place != NULL && (c->bit != 0 ? place->rare & c->bit : place->rare) != 0;
}

bool option_given(const settings *s, size_t target)
{
    const option_row *row;
    for (size_t i = 0; (row = option_at(s->command, i)) != NULL; i++) {
        if (row->target == target && (s->given >> i & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool was_given(const settings *s, const option_row *wanted)
{
    const option_row *row;
    size_t i = 0;
    while ((row = option_at(s->command, i)) != NULL && row != wanted) {
        i++;
    }
    return row != NULL && (s->given >> i & 1) != 0;
}

/* ---- getopt ---- */

enum { MOST_OPTIONS = 64, NUMBERED = 256 /* what getopt gives for the first long option: no letter */ };

/* getopt's two tables from our rows. The leading '+' stops it at an operand, ':' tells missing arguments apart. */
static void make_tables(const command *self, struct option longs[2 * MOST_OPTIONS + 1], char shorts[3 * MOST_OPTIONS])
{
    size_t at = 0, n = 0, names = 0;
    const option_row *row;
    shorts[at++] = '+';
    shorts[at++] = ':';
    for (; (row = option_at(self, n)) != NULL && n < MOST_OPTIONS; n++) {
        int wants = row->argument != NULL ? required_argument : no_argument;
        longs[names++] = (struct option){row->name, wants, NULL, NUMBERED + (int)n};
        if (row->alias != NULL) {
            longs[names++] = (struct option){row->alias, wants, NULL, NUMBERED + (int)n};
        }
        if (row->letter != 0) {
            shorts[at++] = row->letter;
            if (wants == required_argument) {
                shorts[at++] = ':';
            }
        }
    }
    longs[names] = (struct option){NULL, 0, NULL, 0};
    shorts[at] = '\0';
}

/* Which option getopt has found: by its number, or by its letter. */
static size_t number_of(const command *self, int found)
{
    const option_row *row;
    size_t n = 0;
    if (found >= NUMBERED) {
        return (size_t)(found - NUMBERED);
    }
    while ((row = option_at(self, n)) != NULL && row->letter != found) {
        n++;
    }
    return n;
}

/* The long option that `word` may mean ("--jsn", "--formats=fp16"); NULL where none is near. */
static const option_row *option_near(const command *self, const char *word)
{
    const option_row *near = NULL, *row;
    nearest best = {0};
    for (size_t n = 0; (row = option_at(self, n)) != NULL; n++) {
        near = offer_name(&best, word + 2, strcspn(word + 2, "="), row->name, strlen(row->name)) ? row : near;
    }
    return near;
}

/* How many long options begin with the name in `word` ("--dia", "--json=5"); the last of them. */
static size_t long_options_like(const command *self, const char *word, const option_row **last)
{
    size_t count = 0, length = strcspn(word + 2, "=");
    const option_row *row;
    for (size_t n = 0; (row = option_at(self, n)) != NULL; n++) {
        if (strncmp(row->name, word + 2, length) == 0 ||
            (row->alias != NULL && strncmp(row->alias, word + 2, length) == 0)) {
            *last = row;
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
        return complain(s->command, "ambiguous option '%.64s'; write more of it, for example '--%s'", word, like->name);
    }
    if (count == 1) {
        return complain(s->command, "option '--%s' takes no argument", like->name);
    }
    like = option_near(s->command, word);
    return like != NULL ? complain(s->command, "unknown option '%.64s'; did you mean '--%s'?", word, like->name)
                        : complain(s->command, "unknown option '%.64s'; see 'binade %s --help'", word, name);
}

/* NO_COLOR, set and not empty, is what auto follows: an option that was given says more. */
static bool is_coloured(enum when when)
{
    const char *no_color = getenv("NO_COLOR");
    bool allowed = no_color == NULL || no_color[0] == '\0';
    return when == WHEN_ALWAYS || (when == WHEN_AUTO && allowed && isatty(STDOUT_FILENO) != 0);
}

int read_arguments(void *options, const command *self, int argc, char **argv)
{
    settings *s = options;
    *s = (settings){.command = self, .operands = allocate(NULL, (size_t)argc + 1, sizeof *s->operands)};
    struct option longs[2 * MOST_OPTIONS + 1];
    char shorts[3 * MOST_OPTIONS];
    make_tables(self, longs, shorts);
    int status = GO_ON;
    bool options_ended = false;
    if (option_at(self, MOST_OPTIONS) != NULL) {
        return complain(self, "%s has more options than the %d that arguments.c has room for", self->name,
                        (int)MOST_OPTIONS);
    }
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
            size_t n = number_of(self, found);
            s->given |= UINT64_C(1) << n;
            status = set_option(options, option_at(self, n), optarg);
        }
    }
    s->colour = is_coloured(s->color);
    return status == GO_ON && was_given(s, &row_json) && was_given(s, &row_csv)
               ? complain(self, "--json cannot be used with --csv")
               : status;
}

void clear_settings(settings *s)
{
    free(s->operands);
    free(s->formats.items);
}
