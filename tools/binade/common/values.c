/* The values of options: parsed as the option's row says, and stored in the place that it names. */
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        return complain(s->command, "--%s must be a whole number from %llu to %s, not '%s'", option,
                        (unsigned long long)least, last, value);
    }
    *out = number;
    return GO_ON;
}

int read_real(double *out, const settings *s, const option_row *row, const char *value, bool positive)
{
    char *end = NULL;
    double x = strtod(value, &end);
    if (value[0] == '\0' || *end != '\0' || !(positive ? x > 0 : x >= 0) || x - x != 0) {
        return complain(s->command, "--%s must be a number %s 0, not '%s'", row->name,
                        positive ? "above" : "of at least", value);
    }
    *out = x;
    return GO_ON;
}

int read_byte_size(void *options, const option_row *row, const char *value)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"", 1},       {"KB", 1e3},        {"MB", 1e6},          {"GB", 1e9},
                 {"KiB", 1024}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
    const settings *s = options;
    char *end;
    double number = strtod(value, &end);
    for (size_t i = 0; end != value && number > 0 && i < sizeof units / sizeof *units; i++) {
        double bytes = number * units[i].bytes;
        if (strcmp(end, units[i].name) == 0 && bytes >= 1 && bytes < 1e18) {
            *(uint64_t *)(void *)((char *)options + row->target) = (uint64_t)bytes;
            return GO_ON;
        }
    }
    return complain(s->command, "--%s must be a size such as 5GB or 512MiB, not '%.64s'", row->name, value);
}

/* "unknown value 'lin' for --plot-scale; did you mean 'linear'? (available: auto, linear, log)" */
static int unknown_word(const settings *s, const option_row *row, const char *value)
{
    char list[256];
    size_t at = 0;
    nearest best = {0};
    for (const char *word = row->words; *word != '\0';) {
        size_t length = strcspn(word, " ");
        (void)offer_name(&best, value, strlen(value), word, length);
        int added = snprintf(list + at, sizeof list - at, "%s%.*s", at > 0 ? ", " : "", (int)length, word);
        at += added > 0 && (size_t)added < sizeof list - at ? (size_t)added : 0;
        word += length + (word[length] == ' ');
    }
    return complain(s->command, "unknown value '%.64s' for --%s%s%.*s%s (available: %s)", value, row->name,
                    best.name != NULL ? "; did you mean '" : "", (int)best.length, best.name != NULL ? best.name : "",
                    best.name != NULL ? "'?" : "", list);
}

int read_word(unsigned *out, const settings *s, const option_row *row, const char *value)
{
    unsigned i = 0;
    for (const char *word = row->words; *word != '\0'; i++) {
        size_t length = strcspn(word, " ");
        if (strlen(value) == length && memcmp(word, value, length) == 0) {
            *out = i;
            return GO_ON;
        }
        word += length + (word[length] == ' ');
    }
    return unknown_word(s, row, value);
}

int read_list(void *options, const option_row *row, const char *list, read_option *take)
{
    const settings *s = options;
    int status = GO_ON;
    for (const char *at = list; status == GO_ON && at != NULL;) {
        char word[40];
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof word) {
            return complain(s->command, "--%s must be words separated by commas, not '%.64s'", row->name, list);
        }
        memcpy(word, at, length);
        word[length] = '\0';
        status = take(options, row, word);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return status;
}

size_t option_size(const option_row *row)
{
    static const size_t sizes[] = {[OPTION_FLAG] = sizeof(bool),         [OPTION_FIXED] = sizeof(unsigned),
                                   [OPTION_TEXT] = sizeof(char *),       [OPTION_WORD] = sizeof(unsigned),
                                   [OPTION_WHOLE] = sizeof(uint64_t),    [OPTION_SIZE] = sizeof(size_t),
                                   [OPTION_UNSIGNED] = sizeof(unsigned), [OPTION_REAL] = sizeof(double),
                                   [OPTION_POSITIVE] = sizeof(double),   [OPTION_READ] = 0};
    return sizes[row->kind];
}

int set_option(void *options, const option_row *row, const char *value)
{
    const settings *s = options;
    unsigned char *target = (unsigned char *)options + row->target;
    int status = GO_ON;
    unsigned index = 0;
    uint64_t whole = 0;
    double real = 0;
    switch (row->kind) {
    case OPTION_FLAG:
        memcpy(target, &(bool){true}, sizeof(bool));
        break;
    case OPTION_TEXT:
        if (value[0] == '\0' && row->argument != NULL && strncmp(row->argument, "FILE", 4) == 0) {
            return complain(s->command, "--%s must be the name of a file, not ''", row->name);
        }
        memcpy(target, &value, sizeof value);
        break;
    case OPTION_FIXED:
    case OPTION_WORD:
        status = row->kind == OPTION_WORD ? read_word(&index, s, row, value) : GO_ON;
        index += (unsigned)row->least;
        memcpy(target, &index, sizeof index);
        break;
    case OPTION_WHOLE:
    case OPTION_SIZE:
    case OPTION_UNSIGNED:
        status = read_whole_number(&whole, s, row->name, value, row->least, row->most);
        if (row->kind == OPTION_WHOLE) {
            memcpy(target, &whole, sizeof whole);
        } else if (row->kind == OPTION_SIZE) {
            memcpy(target, &(size_t){(size_t)whole}, sizeof(size_t));
        } else {
            memcpy(target, &(unsigned){(unsigned)whole}, sizeof(unsigned));
        }
        break;
    case OPTION_REAL:
    case OPTION_POSITIVE:
        status = read_real(&real, s, row, value, row->kind == OPTION_POSITIVE);
        memcpy(target, &real, sizeof real);
        break;
    case OPTION_READ:
        status = row->read(options, row, value);
        break;
    }
    return status;
}
