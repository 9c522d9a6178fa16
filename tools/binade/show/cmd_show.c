/* binade show: one number in several formats. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct show {
    settings common;
    bool verbose, dialects, exact, table, link;
    const char *svg; /* where a picture goes; NULL: none */
} show;

/* ---- text ---- */

/* The fields of the code, each in its colour: the bits, or the ruler above them (S EEEE MMM). Blanks fill up to
 * `width`. */
static void put_fields(const show *s, const look *l, bool ruler, int width)
{
    static const enum colour colours[BND_FIELD_COUNT] = {RED, GREEN, BLUE};
    int length = 0;
    for (bnd_field field = BND_FIELD_SIGN; field < BND_FIELD_COUNT; field++) {
        char bits[72];
        int count = (int)bnd_print_field(bits, sizeof bits, l->format, l->code, field);
        if (ruler && count > 0) {
            memset(bits, "SEM"[field], (size_t)count);
        }
        if (count > 0 && length > 0) {
            putchar(' ');
            length++;
        }
        if (count > 0) {
            put_coloured(s->common.colour, colours[field], bits);
        }
        length += count;
    }
    printf("%*s", width > length ? width - length : 0, "");
}

enum { LABEL_AT = 9, TEXT_AT = 18 }; /* columns */

static void put_line(const show *s, const char *label, char *owned)
{
    printf("%*s", LABEL_AT, "");
    put_coloured(s->common.colour, DIM, label);
    printf("%*s", (int)(TEXT_AT - LABEL_AT - strlen(label)), "");
    put_wrapped(owned, TEXT_AT, TEXT_AT);
    free(owned);
}

static char *error_line(const look *l)
{
    char *error = error_text(l, false), *relative = l->has_relative ? rough_error_text(l, l->relative) : NULL;
    char *ulps = l->has_ulps ? rough_error_text(l, l->ulps) : NULL;
    if (is_exact(l)) {
        free(relative);
        free(ulps);
        return error;
    }
    size_t length = strlen(error) + (relative != NULL ? strlen(relative) + sizeof "   relative " : 0) +
                    (ulps != NULL ? strlen(ulps) + sizeof "    ulp" : 0);
    const char *gap = TEXT_AT + length > page_width() ? "\n" : "   "; /* what belongs together stays together */
    char *text = format_text("%s%s%s%s%s%s%s", error, relative != NULL ? gap : "", relative != NULL ? "relative " : "",
                             relative != NULL ? relative : "", ulps != NULL ? "   " : "", ulps != NULL ? ulps : "",
                             ulps != NULL ? " ulp" : "");
    free(error);
    free(relative);
    free(ulps);
    return text;
}

/* How the first line of a format is laid out: all of a block alike. */
typedef struct layout {
    int bits_width;
    bool stacked; /* the class has a line of its own */
} layout;

static void put_head(const show *s, const look *l, const layout *at)
{
    const bnd_format *f = l->format;
    char *code = f->width != 0 ? code_text(f, l->code) : copy_text("-"), *class = class_text(l);
    size_t bits = f->width != 0 ? f->width + 2u : strlen("(a value set: no code)");
    bits = bits > (size_t)at->bits_width ? bits : (size_t)at->bits_width;
    bool code_fits = LABEL_AT + bits + 2 + strlen(code) <= page_width();
    if (f->width == 0) {
        printf("%-*s", at->bits_width, "(a value set: no code)");
    } else {
        put_fields(s, l, true, 0);
        printf("\n%*s", LABEL_AT, "");
        put_fields(s, l, false, code_fits ? at->bits_width : 0);
    }
    if (code_fits && f->width != 0) {
        printf("  %s", code);
    }
    if (!at->stacked) {
        printf("  %s\n", class);
    } else {
        putchar('\n');
        if (!code_fits) {
            put_line(s, "code", copy_text(code));
        }
        put_line(s, "class", copy_text(class));
    }
    free(code);
    free(class);
}

static void put_explanation(const look *l, const given *v)
{
    explanation all = {0};
    explain(&all, l, v, page_width() - TEXT_AT);
    for (size_t i = 0; i < all.count; i++) {
        printf("%*s%-8s ", LABEL_AT, "", all.lines[i].label);
        put_wrapped(all.lines[i].text, TEXT_AT, TEXT_AT);
    }
    clear_explanation(&all);
}

static void print_look(const show *s, const look *l, const given *v, const layout *at)
{
    fputs("  ", stdout);
    put_coloured(s->common.colour, BOLD, l->format->name);
    int blanks = LABEL_AT - 2 - (int)strlen(l->format->name);
    if (blanks > 0) {
        printf("%*s", blanks, "");
    } else {
        printf("\n%*s", LABEL_AT, ""); /* a long name has a line of its own */
    }
    put_head(s, l, at);
    put_line(s, "value", result_text(l, s->exact));
    if (l->has_error) {
        put_line(s, "error", s->exact && l->error != NULL ? error_text(l, true) : error_line(l));
    }
    if (l->rounded.flags != 0 && !s->verbose) {
        put_line(s, "flags", flags_text(l->rounded.flags));
    }
    if (s->verbose) {
        put_explanation(l, v);
    }
}

/* ---- the command ---- */

/* The longest text that class_text may give. */
static int class_room(const bnd_format *f)
{
    int least = snprintf(NULL, 0, "%d", f->emin), most = snprintf(NULL, 0, "%d", f->emax);
    int field = snprintf(NULL, 0, "%u", (1u << f->exponent_bits) - 1);
    int subnormal = (int)strlen("subnormal, exponent field 0 = 2^") + least;
    int normal = (int)strlen("normal, exponent field  = 2^") + field + (most > least ? most : least);
    return f->width == 0 ? (int)strlen("subnormal") : subnormal > normal ? subnormal : normal;
}

static int line_room(const bnd_format *f, const layout *at)
{
    int bits = f->width != 0 ? f->width + 2 : (int)strlen("(a value set: no code)");
    bits = bits > at->bits_width ? bits : at->bits_width;
    return LABEL_AT + bits + 2 + 2 + (f->width + 3) / 4 + 2 + class_room(f);
}

static layout layout_for(const format_list *list)
{
    layout at = {0};
    for (size_t i = 0; i < list->count; i++) {
        int bits = list->items[i].width + 2;
        at.bits_width = bits > at.bits_width && bits <= 36 ? bits : at.bits_width;
    }
    for (size_t i = 0; i < list->count; i++) {
        at.stacked = at.stacked || line_room(&list->items[i], &at) > (int)page_width();
    }
    return at;
}

static void show_text(const show *s, const given *v, size_t index, const format_list *formats)
{
    char *input = heading_text(v->input);
    if (index > 0) {
        putchar('\n');
    }
    put_coloured(s->common.colour, BOLD, input);
    putchar('\n');
    free(input);
    layout at = layout_for(formats);
    for (size_t i = 0; i < formats->count; i++) {
        const bnd_format *f = &formats->items[i];
        look l;
        bnd_rule rule = rule_for(&s->common, f);
        look_at(&l, f, rule, random_for(&s->common, rule, index), v, s->exact);
        print_look(s, &l, v, &at);
        clear_look(&l);
    }
}

static void show_json(const show *s, const given *v, size_t index, const format_list *formats)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "input", v->input);
    bnd_lab_json_array(&json, "results");
    for (size_t i = 0; i < formats->count; i++) {
        const bnd_format *f = &formats->items[i];
        look l;
        bnd_rule rule = rule_for(&s->common, f);
        look_at(&l, f, rule, random_for(&s->common, rule, index), v, s->exact);
        show_look_as_json(&json, &l, v, s->exact, s->verbose);
        clear_look(&l);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

/* If the value is a code and no formats were given, its own format is shown first. */
static int show_value(void *state, const given *v, size_t index)
{
    show *s = state;
    if (s->dialects) {
        return show_dialects(&s->common, s->exact, v, index);
    }
    format_list own = {0};
    const format_list *formats = &s->common.formats;
    if (!s->common.formats_given && v->is_code && !has_format(formats, &v->format)) {
        add_format(&own, &v->format);
        for (size_t i = 0; i < s->common.formats.count; i++) {
            add_format(&own, &s->common.formats.items[i]);
        }
        formats = &own;
    }
    int status = GO_ON;
    if (s->svg != NULL) {
        status = index == 0 ? show_write_picture(&s->common, v, index, formats, s->svg)
                            : complain(s->common.command, "--svg draws one value");
    } else if (s->common.output == OUTPUT_JSON) {
        show_json(s, v, index, formats);
    } else {
        show_text(s, v, index, formats);
    }
    free(own.items);
    return status;
}

/* --random: as many bits as the rounding takes. */
static int take_random(settings *s)
{
    unsigned bits = bnd_rule_random_bits(s->rule);
    if (bits == 0) {
        return complain(s->command, "--random cannot be used with deterministic rounding; add --round sr:N");
    }
    if (s->random >> bits != 0) {
        return complain(s->command, "--random must be below 2^%u, because --round takes %u random bit%s", bits, bits,
                        bits > 1 ? "s" : "");
    }
    s->random_given = true;
    return GO_ON;
}

static int run(const command *self, int argc, char **argv)
{
    show s = {0};
    int status = read_arguments(&s, self, argc, argv);
    if (status == GO_ON && s.table && (s.dialects || s.verbose)) {
        status = complain(self, "--table cannot be used with %s", s.dialects ? "--dialects" : "--verbose");
    }
    if (status == GO_ON && s.common.operand_count == 0) {
        status = complain(self, "expected a value; try 'binade show 0.1', or '-' to read values from standard input");
    }
    const char *other = s.table                          ? "--table"
                        : s.common.output == OUTPUT_JSON ? "--json"
                        : s.common.output == OUTPUT_CSV  ? "--csv"
                                                         : NULL;
    if (status == GO_ON && s.svg != NULL && (other != NULL || s.dialects || s.link)) {
        status = complain(self, "--svg cannot be used with %s",
                          other != NULL ? other
                          : s.dialects  ? "--dialects"
                                        : "--link");
    }
    if (status == GO_ON && s.link && other != NULL) {
        status = complain(self, "--link cannot be used with %s", other);
    }
    if (status == GO_ON && s.svg != NULL && s.common.operand_count > 1) {
        status = complain(self, "--svg draws one value, got %zu", s.common.operand_count);
    }
    if (status == GO_ON && OPTION_GIVEN(&s.common, show, common.random)) {
        status = take_random(&s.common);
    }
    if (status == GO_ON && s.dialects) {
        status = refuse_rules(&s.common);
    }
    if (status == GO_ON) {
        status = default_formats(&s.common, "fp32,fp16,bf16,e4m3,e5m2");
    }
    if (status == GO_ON && s.link) {
        status = show_link(&s.common, s.dialects, s.exact);
    } else if (status == GO_ON) {
        note_silent_dialect(&s.common);
        if (s.dialects && s.common.formats_given) {
            note_without_dialect(&s.common);
        }
        bool sheet = s.table || (s.common.output == OUTPUT_CSV && !s.dialects);
        status = sheet ? show_as_table(&s.common, s.exact) : for_each_value(&s.common, show_value, &s);
    }
    clear_settings(&s.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_format},
    {.same = &row_round},
    {.name = "verbose",
     .letter = 'v',
     .help = "explain each rounding: the value (x) and the midpoint (:) between the neighbours, and the rule",
     INTO_FLAG(show, verbose)},
    {.name = "dialects",
     .help = "the results under the rules of PyTorch, JAX, ONNX, CUDA and others",
     INTO_FLAG(show, dialects)},
    {.same = &row_dialect},
    {.same = &row_overflow, .rare = 1},
    {.same = &row_nan, .rare = 1},
    {.same = &row_flush, .rare = 1},
    {.same = &row_tininess, .rare = 1},
    {.same = &row_seed, .rare = 1},
    {.name = "random",
     .argument = "R",
     .rare = 1,
     .help = "the random bits of stochastic rounding as a number, for every value (default: those of --seed)",
     INTO_WHOLE(show, common.random, 0, (UINT64_C(1) << BND_RANDOM_BITS_MAX) - 1)},
    {.name = "table",
     .help = "a line per value and a column per format; of one value, a line per format",
     INTO_FLAG(show, table)},
    {.name = "svg",
     .argument = "FILE",
     .help = "one value between its neighbours as a picture in FILE (- is standard output), and nothing else",
     INTO_TEXT(show, svg)},
    {.name = "link",
     .help = "the address of the page with this command's state (binade.html#number/...), and nothing else",
     INTO_FLAG(show, link)},
    {.name = "exact",
     .rare = 1,
     .help = "every digit in plain notation, up to about 100,000 (default: exponent form after 40 digits)",
     INTO_FLAG(show, exact)},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"several values in several formats, a line per value", "binade show 0.1 1/3 2^-24 -f fp16,bf16,e4m3 --table"},
    {"one value, with the neighbours and the rule that decided", "binade show 0.3 -f e4m3 -v"},
    {"a code instead of a value", "binade show fp16:0x3c00"},
    {"what each library's rule makes of 465 in FP8", "binade show 465 -f e4m3 --dialects"},
    {"values from standard input, as CSV", "seq 0.1 0.1 0.5 | binade show - -f e5m2 --csv"},
    {"stochastic rounding with 8 random bits", "binade show 0.1 -f bf16 -r sr:8 --seed 7 --json"},
    {NULL, NULL},
};

const command command_show = {
    .name = "show",
    .summary = "how values are rounded in several formats: bits, value, error, flags",
    .group = GROUP_INSPECT,
    .operands = "VALUE...",
    .about =
        "Prints how each VALUE is rounded in each format: the bits, the code, the class, the exact decimal value, the "
        "error and the flags. Default formats: fp32 fp16 bf16 e4m3 e5m2.\n\n"
        "VALUE is a decimal of any length (0.1, 1e-8), a hexadecimal float (0x1.8p3), inf, nan, pi, e, an expression "
        "(1/3, 2^-24, sqrt(2)/2), a code (fp16:0x3c00, e2m1:0b0111), or - for words from standard input.",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS | READS_PAGE,
    .see_also = "formats table range calc bnd_codec(3) bnd_text(3)",
    .run = run,
};
