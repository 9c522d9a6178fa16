/* binade calc: an expression, every operation rounded, compared with its exact value. */
#include "calc.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

static char *joined(char *const *words, size_t count)
{
    char *text = copy_text("");
    for (size_t i = 0; i < count; i++) {
        char *longer = format_text("%s%s%s", text, i > 0 ? " " : "", words[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* calc FORMATS EXPR, or calc -f FORMATS EXPR. */
static int read_operands(settings *s, char **expression)
{
    static const char missing[] = "expected %s; try \"binade calc fp16 '2048 + 1'\"";
    size_t first = s->formats_given ? 0 : 1;
    bnd_format f;
    if (s->operand_count <= first) {
        bool format = s->operand_count == 0
                          ? !s->formats_given
                          : bnd_group_size(s->operands[0]) == 0 && strchr(s->operands[0], ',') == NULL &&
                                strpbrk(s->operands[0], "+-*/^(. ") != NULL &&
                                bnd_format_parse(&f, s->operands[0], NULL) != BND_OK;
        return complain(s->command, missing, format ? "a format and an expression" : "an expression");
    }
    int status = s->formats_given ? GO_ON : add_formats(s, s->operands[0]);
    if (status == GO_ON) {
        *expression = joined(s->operands + first, s->operand_count - first);
    }
    return status;
}

/* ---- an expression that is refused ---- */

/* The expression, or a part of it, and a caret under the character that stopped the reader. */
static void point_at(const char *text, size_t length, size_t where)
{
    enum { BEFORE = 60, AFTER = 20 };
    size_t from = where > BEFORE ? where - BEFORE : 0, end = length - where > AFTER ? where + AFTER : length;
    size_t columns = 0, width;
    for (; from > 0 && from < where && ((unsigned char)text[from] & 0xc0) == 0x80; from++) { /* a whole character */
    }
    fputs("    ", stderr);
    for (size_t i = from; i < end;) {
        size_t bytes = character_at(text + i, &width);
        fwrite(bytes > 0 ? text + i : "?", 1, bytes > 0 ? bytes : 1, stderr);
        columns += i < where ? (bytes > 0 ? width : 1) : 0;
        i += bytes > 0 ? bytes : 1;
    }
    fprintf(stderr, "\n    %*s\n", (int)columns + 1, "^");
}

static int refuse(const calc *c, const bnd_error *why)
{
    size_t length = strlen(c->expression);
    complain(c->common->command, "%s", why->message);
    if (length > 0 && why->where <= length) {
        point_at(c->expression, length, why->where);
    }
    return BAD_USAGE;
}

/* ---- one format ---- */

static int work_out(calc *c)
{
    size_t length = strlen(c->expression);
    bnd_error why;
    if (c->format->width == 0) { /* the fault is the format's: no place in the expression is pointed at */
        return complain(c->common->command,
                        "%s is a value set: it has no codes, and operations need a format with codes", c->format->name);
    }
    c->terms = allocate(NULL, length + 1, sizeof *c->terms);
    if (bnd_expression_parse_n(c->terms, length + 1, &c->count, c->expression, length, c->format, &why) != BND_OK) {
        return refuse(c, &why);
    }
    c->results = allocate(NULL, c->count, sizeof *c->results);
    c->rule = rule_for(c->common, c->format);
    bnd_expression_round(c->results, c->terms, c->count, c->expression, c->format, c->rule, c->common->seed);
    if (bnd_real_new_of_expression(&c->exact, c->terms, c->count, c->expression, c->format, &why) != BND_OK ||
        bnd_real_new_of_error(&c->error, calc_result(c), c->exact, &why) != BND_OK) {
        complain(c->common->command, "%s", why.message);
        return BAD_STREAM;
    }
    return GO_ON;
}

static void clear(calc *c)
{
    bnd_real_free(c->error);
    bnd_real_free(c->exact);
    free(c->results);
    free(c->terms);
}

/* ---- several formats, or CSV: a row each ---- */

static void add_row(table *t, const calc *c)
{
    bool text = c->common->output == OUTPUT_TEXT, digits = calc_has_error(c) && calc_has_digits(c->error);
    bnd_exact value = calc_result(c);
    table_add(t, copy_text(c->format->name));
    table_add(t, code_text(c->format, c->results[c->count - 1].code));
    table_add(t, text ? brief_text(c->format, value) : exact_text(value, false));
    table_add(t, calc_has_digits(c->exact) ? real_text(c->exact, false) : copy_text(""));
    if (!digits) {
        table_add(t, copy_text(""));
    } else if (text) {
        bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
        table_add(t, rough_text(bnd_real_in_units(c->error, one)));
    } else {
        table_add(t, real_text(c->error, false));
    }
    table_add(t, !digits ? copy_text("") : text ? rough_text(calc_ulps(c)) : double_text(calc_ulps(c)));
    table_add(t, flags_text(calc_flags(c)));
}

static const column columns[] = {
    {"format", "format", false, false, false, false, 0}, {"code", "code", false, false, false, false, 0},
    {"value", "value", false, false, false, false, 0},   {"exact", "exact", false, false, false, true, 0},
    {"error", "error", true, false, false, false, 0},    {"ulp_error", "ulp", true, false, false, false, 0},
    {"flags", "flags", false, false, false, false, 0},
};

static void print_heading(const calc *c)
{
    char *heading = heading_text(c->expression), *exact = calc_exact_line(c);
    put_coloured(c->common->colour, BOLD, heading);
    printf("\nexact  ");
    put_wrapped(exact, strlen("exact  "), strlen("exact  "));
    putchar('\n');
    free(exact);
    free(heading);
}

static void print_rows(const calc *all, size_t count)
{
    enum output output = all->common->output;
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = output};
    if (output == OUTPUT_TEXT) {
        print_heading(all);
    }
    for (size_t i = 0; i < count; i++) {
        add_row(&t, &all[i]);
    }
    table_end(&t);
}

static void print_all(const calc *all, size_t count)
{
    enum output output = all->common->output;
    if (output == OUTPUT_CSV || (output == OUTPUT_TEXT && count > 1)) {
        print_rows(all, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (output == OUTPUT_JSON) {
            calc_print_json(&all[i]);
        } else {
            calc_print_text(&all[i]);
        }
    }
}

static int in_each_format(const settings *s, const char *expression)
{
    size_t count = s->formats.count, tried = 0;
    calc *all = allocate(NULL, count, sizeof *all);
    int status = GO_ON;
    for (; status == GO_ON && tried < count; tried++) {
        all[tried] = (calc){.common = s, .format = &s->formats.items[tried], .expression = expression};
        status = work_out(&all[tried]);
    }
    if (status == GO_ON) {
        print_all(all, count);
    }
    for (size_t i = 0; i < tried; i++) {
        clear(&all[i]);
    }
    free(all);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    settings s;
    char *expression = NULL;
    int status = read_arguments(&s, self, argc, argv);
    status = status == GO_ON ? read_operands(&s, &expression) : status;
    if (status == GO_ON) {
        status = s.formats.count == 1 ? refuse_silent_dialect(&s, &s.formats.items[0]) : GO_ON;
    }
    if (status == GO_ON) {
        note_silent_dialect(&s);
        status = in_each_format(&s, expression);
    }
    free(expression);
    clear_settings(&s);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_code_format},
    {.same = &row_round},
    {.same = &row_dialect},
    {.same = &row_overflow, .rare = 1},
    {.same = &row_nan, .rare = 1},
    {.same = &row_flush, .rare = 1},
    {.same = &row_tininess, .rare = 1},
    {.same = &row_seed, .rare = 1},
    {.same = &row_color, .rare = 1},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"a sum that stops growing: 0.001 added 10,000 times", "binade calc fp16,bf16 'sum(0.001, 10000)'"},
    {"2048 + 1 in fp16", "binade calc fp16 '2048 + 1'"},
    {"one step in another format", "binade calc fp32 'bf16(0.1) * 3'"},
    {"the softplus of -20 in bf16", "binade calc bf16 'log(1 + exp(-20))'"},
    {"every step, as JSON", "binade calc e4m3 'fma(3, 7, 0.5)' --json"},
    {NULL, NULL},
};

const command command_calc = {
    .name = "calc",
    .summary = "an expression with every operation rounded in a format",
    .group = GROUP_COMPUTE,
    .operands = "[FORMAT] EXPR",
    .first = COMPLETES_FORMATS,
    .about = "Evaluates EXPR with every operation rounded in FORMAT, and prints each step, its flags, the exact value "
             "and the error. With several formats (fp16,bf16, or -f) it prints a row per format.\n\n"
             "EXPR has numbers (0.1, 1e-8, 0x1.8p3, inf, nan, pi, e), codes (fp16:0x3c00), + - * /, powers x^n or "
             "x**n, parentheses, and formats: bf16(x) rounds x to bf16. sum(x, n) adds x n times. "
             "Functions: sqrt(x) fma(x, y, z) rem(x, y) min(x, y) max(x, y) abs(x) neg(x) rint(x) logb(x) scalb(x, n) "
             "ulp(x) next_up(x) next_down(x) nearby(x) min_number(x, y) max_number(x, y) rsqrt(x) reciprocal(x). "
             "For operands of at most 16 bits also: exp(x) log(x) tanh(x) sigmoid(x) erf(x) gelu(x) gelu_tanh(x).",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "show cast bnd_arith(3)",
    .run = run,
};
