/* The command line into settings. */
#include "command.h"
#include "print.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What came from outside may hold anything: only characters that can be printed go to the terminal as they are. */
static void put_plain(const char *text)
{
    while (*text != '\0') {
        size_t width, bytes = character_at(text, &width);
        if (bytes > 0) {
            fwrite(text, 1, bytes, stderr);
        } else {
            fprintf(stderr, "\\x%02x", (unsigned char)*text);
        }
        text += bytes > 0 ? bytes : 1;
    }
}

static void say(const command *self, const char *kind, const char *message, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, message, arguments);
    fflush(stdout);
    fprintf(stderr, "binade%s%s: %s", self != NULL ? " " : "", self != NULL ? self->name : "", kind);
    put_plain(text);
    fputc('\n', stderr);
}

int complain(const command *self, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    say(self, "", message, arguments);
    va_end(arguments);
    return BAD_USAGE;
}

void note(const command *self, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    say(self, "note: ", message, arguments);
    va_end(arguments);
}

void *allocate(void *old, size_t count, size_t size)
{
    void *memory = count <= SIZE_MAX / size ? realloc(old, count * size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "binade: out of memory (%zu times %zu bytes were needed)\n", count, size);
        exit(BAD_STREAM);
    }
    return memory;
}

/* ---- formats ---- */

static void add_format(format_list *list, const bnd_format *f)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        list->items = allocate(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = *f;
}

char *block_text(const bnd_block *b)
{
    const char *element = b->element.name, *scale = b->scale.name;
    if (b->sharing == BND_SHARE_TENSOR) {
        return format_text("all %s numbers of a tensor share one %s scale", element, scale);
    }
    if (b->sharing == BND_SHARE_TILE) {
        return format_text("tiles of %zux%zu %s numbers share one %s scale", b->along, b->across, element, scale);
    }
    return b->along == 0 ? format_text("the %s numbers of a row share one %s scale", element, scale)
                         : format_text("%zu %s numbers share one %s scale", b->along, element, scale);
}

int parse_format(const command *self, bnd_format *out, const char *name)
{
    bnd_error why, of_block;
    bnd_block block;
    if (bnd_format_parse(out, name, &why) == BND_OK) {
        return GO_ON;
    }
    if (bnd_block_parse(&block, name, &of_block) != BND_OK) {
        bool like_one = strchr(name, '/') != NULL || strncmp(name, "mx", 2) == 0 || strncmp(name, "nv", 2) == 0;
        return complain(self, "%s", (like_one ? &of_block : &why)->message);
    }
    char *shared = block_text(&block);
    int status = complain(self,
                          "%s is a block format: %s, so one number alone has no code in it; use the format of its "
                          "elements, %s, or 'binade cast --via %s' for arrays; 'binade formats %s' describes it",
                          name, shared, block.element.name, name, name);
    free(shared);
    return status;
}

static int add_named(settings *s, const char *name)
{
    size_t group = bnd_group_size(name);
    for (size_t i = 0; i < group; i++) {
        bnd_format f = bnd_group_at(name, i);
        add_format(&s->formats, &f);
    }
    bnd_format f;
    int status = group == 0 ? parse_format(s->command, &f, name) : GO_ON;
    if (status == GO_ON && group == 0) {
        add_format(&s->formats, &f);
    }
    return status;
}

int add_formats(settings *s, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        char name[128];
        if (length == 0) {
            return complain(s->command, "a format is missing in the list; write names separated by commas");
        }
        if (length >= sizeof name) {
            return complain(s->command, "unknown format '%.64s...'; names are shorter", list);
        }
        memcpy(name, list, length);
        name[length] = '\0';
        int status = add_named(s, name);
        if (status != GO_ON || list[length] == '\0') {
            return status;
        }
        list += length + 1;
    }
}

int default_formats(settings *s, const char *list)
{
    return s->formats_given ? GO_ON : add_formats(s, list);
}

/* ---- rules ---- */

bnd_rule rule_with(const settings *s, const bnd_rule *from_dialect)
{
    bnd_rule rule = s->rule;
    rule.no_nan = from_dialect->no_nan;
    rule.negative = from_dialect->negative;
    rule.zero = from_dialect->zero;
    rule.tie_rule = from_dialect->tie_rule;
    rule.overflow = s->overflow_given ? rule.overflow : from_dialect->overflow;
    rule.nan = s->nan_given ? rule.nan : from_dialect->nan;
    if (!s->rounding_given) {
        rule.rounding = from_dialect->rounding;
        rule.random_bits = from_dialect->random_bits;
    }
    return rule;
}

bnd_rule rule_for(const settings *s, const bnd_format *f)
{
    bnd_rule from_dialect;
    bool has_rule = s->dialect_given && bnd_dialect_rule(&from_dialect, s->dialect, f);
    return has_rule ? rule_with(s, &from_dialect) : s->rule;
}

void note_silent_dialect(const settings *s)
{
    for (size_t i = 0; s->dialect_given && i < s->formats.count; i++) {
        bnd_rule rule;
        if (!bnd_dialect_rule(&rule, s->dialect, &s->formats.items[i])) {
            note(s->command, "%s says nothing about %s; the default rule is used there", bnd_dialect_name(s->dialect),
                 s->formats.items[i].name);
        }
    }
}

uint64_t random_for(const settings *s, bnd_rule rule, size_t index)
{
    unsigned bits = bnd_rule_random_bits(rule);
    return bits > 0 ? bnd_random_bits(s->seed, 0, index, bits) : 0;
}

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

size_t letters_shared(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n]) {
        n++;
    }
    return n;
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
