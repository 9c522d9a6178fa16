/* The command line of the long-running checks. */
#include "common.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    struct option option;
    const char *help;
} all_options[] = {
    {{"rows", required_argument, NULL, 'r'}, "--rows LIST       formats and groups"},
    {{"modes", required_argument, NULL, 'm'}, "--modes LIST      of rne,rna,rtz,rup,rdn,rto (default: all of them)"},
    {{"overflow", required_argument, NULL, 'o'}, "--overflow POLICY format, saturate, propagate, ..."},
    {{"jobs", required_argument, NULL, 'j'}, "--jobs N          processes (default: one a core)"},
    {{"state", required_argument, NULL, 's'}, "--state FILE      goes on from FILE, where it was; removed at the end"},
    {{"stride", required_argument, NULL, 'S'}, "--stride N        every N-th input only, and what decides"},
    {{"all", no_argument, NULL, 'a'}, "--all             every input instead of a stratified choice"},
};
enum { OPTIONS = sizeof all_options / sizeof all_options[0] };

static void print_help(const program *about)
{
    printf("%s: %s\n", about->name, about->summary);
    for (size_t i = 0; i < OPTIONS; i++) {
        int letter = all_options[i].option.val;
        if (strchr(about->options, letter) != NULL) {
            printf("  %s%s%s%s\n", all_options[i].help, letter == 'r' ? " (default: " : "",
                   letter == 'r' ? about->rows : "", letter == 'r' ? ")" : "");
        }
    }
}

/* Calls `add` for each word of a list that commas separate. */
static bool for_each_word(request *r, const char *list, bool (*add)(request *r, const char *word))
{
    for (;;) {
        size_t length = strcspn(list, ",");
        char word[128];
        if (length >= sizeof word) {
            fprintf(stderr, "%s: '%.40s...' is too long for a name\n", r->program, list);
            return false;
        }
        memcpy(word, list, length);
        word[length] = '\0';
        if (!add(r, word)) {
            return false;
        }
        if (list[length] == '\0') {
            return true;
        }
        list += length + 1;
    }
}

static bool add_row(request *r, const char *name)
{
    size_t count = bnd_group_size(name);
    for (size_t i = 0; i < count && r->row_count < MOST_ROWS; i++) {
        r->row_count += bnd_group_at(&r->rows[r->row_count], name, i);
    }
    bnd_error why;
    if (count == 0 && r->row_count < MOST_ROWS) {
        if (bnd_format_parse(&r->rows[r->row_count], name, &why) != BND_OK) {
            fprintf(stderr, "%s: %s\n", r->program, why.message);
            return false;
        }
        r->row_count++;
    }
    return true;
}

static bool add_mode(request *r, const char *name)
{
    bnd_rule rule = {0};
    bnd_error why;
    if (bnd_rounding_parse(&rule, name, &why) != BND_OK) {
        fprintf(stderr, "%s: %s\n", r->program, why.message);
        return false;
    }
    if (rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT || r->mode_count == BND_ROUND_DETERMINISTIC_COUNT) {
        fprintf(stderr, "%s: --modes takes each deterministic mode once; '%s' is one too many\n", r->program, name);
        return false;
    }
    r->modes[r->mode_count++] = bnd_rule_rounding(rule);
    return true;
}

static bool set_overflow(request *r, const char *name)
{
    bnd_rule rule = {0};
    bnd_error why;
    if (bnd_overflow_parse(&rule, name, &why) != BND_OK) {
        fprintf(stderr, "%s: %s\n", r->program, why.message);
        return false;
    }
    r->has_overflow = true;
    r->overflow = bnd_rule_overflow(rule);
    return true;
}

static bool set_number(const request *r, const char *option, const char *text, uint64_t most, uint64_t *out)
{
    char *end = NULL;
    unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (value < 1 || value > most || *end != '\0') {
        fprintf(stderr, "%s: --%s takes an integer from 1 to %llu, not '%s'\n", r->program, option,
                (unsigned long long)most, text);
        return false;
    }
    *out = value;
    return true;
}

static bool take_option(request *r, int letter, const char *value)
{
    uint64_t number = 0;
    switch (letter) {
    case 'r':
        r->row_count = 0;
        return for_each_word(r, value, add_row);
    case 'm':
        r->mode_count = 0;
        return for_each_word(r, value, add_mode);
    case 'o':
        return set_overflow(r, value);
    case 'j':
        if (!set_number(r, "jobs", value, 1024, &number)) {
            return false;
        }
        r->jobs = (unsigned)number;
        return true;
    case 's':
        r->state = value;
        return true;
    case 'S':
        return set_number(r, "stride", value, UINT64_C(1) << 32, &r->stride);
    case 'a':
        r->all = true;
        return true;
    default:
        return false;
    }
}

static bool set_defaults(request *r, const program *about)
{
    if (r->mode_count == 0) {
        for (int mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
            r->modes[r->mode_count++] = (bnd_rounding)mode;
        }
    }
    if (r->jobs == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        r->jobs = cores < 1 ? 1 : cores > 1024 ? 1024 : (unsigned)cores;
    }
    return r->row_count > 0 || about->rows == NULL || for_each_word(r, about->rows, add_row);
}

bool read_request(request *out, int *status, const program *about, int argc, char **argv)
{
    *out = (request){.program = about->name, .stride = 1};
    *status = EXIT_USAGE;
    struct option options[OPTIONS + 2] = {{"help", no_argument, NULL, 'h'}};
    for (size_t i = 0, used = 1; i < OPTIONS; i++) {
        if (strchr(about->options, all_options[i].option.val) != NULL) {
            options[used++] = all_options[i].option;
        }
    }
    for (int letter; (letter = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (letter == 'h') {
            print_help(about);
            *status = EXIT_SUCCESS;
            return false;
        }
        if (!take_option(out, letter, optarg)) {
            return false;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: '%s' is not an option\n", about->name, argv[optind]);
        return false;
    }
    return set_defaults(out, about);
}

double test_scale(void)
{
    const char *text = getenv("BND_TEST_SCALE");
    double scale = text == NULL ? 1 : strtod(text, NULL);
    return isfinite(scale) && scale > 0 ? scale : 1;
}
