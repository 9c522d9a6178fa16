/* binade calc: an expression, every operation rounded in one format, beside its exact value. */
#include "look.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct calc {
    settings common;
    const bnd_format *format;
    bnd_rule rule;
    char *expression; /* NULL, or the operands joined by blanks */
    bnd_term *terms;
    bnd_result *results;
    size_t count;
    bnd_real *exact, *error;
} calc;

static const bnd_result *last_of(const calc *c)
{
    return &c->results[c->count - 1];
}

static bnd_exact value_of(const calc *c, size_t i)
{
    return bnd_unpack(c->format, c->results[i].code);
}

static char *real_text(const bnd_real *x)
{
    size_t length = bnd_print_real(NULL, 0, x, BND_NOTATION_AUTO);
    char *text = allocate(NULL, length + 1, 1);
    bnd_print_real(text, length + 1, x, BND_NOTATION_AUTO);
    return text;
}

/* ---- steps ---- */

/* Codes stay as they are, and numbers that the format has are no step either. */
static bool is_step(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bool changed = c->results[i].flags != 0 || c->results[i].ternary != 0;
    return t->kind == BND_TERM_OPERATION || (t->kind == BND_TERM_NUMBER && changed);
}

static char *number_text(const calc *c, const bnd_term *t)
{
    char *written = format_text("%s%.*s", t->negative ? "-" : "", (int)t->length, c->expression + t->from);
    char *text = heading_text(written);
    free(written);
    return text;
}

/* The exact value where it is short, else so many digits that the rounding is seen: three more than tell the format's
 * numbers apart. */
static char *operand_text(const calc *c, size_t i)
{
    enum { SHORT = 16 };
    char *text = exact_text(value_of(c, i), false);
    if (strlen(text) > SHORT) {
        free(text);
        text = digits_text(value_of(c, i), c->format->precision * 3 / 10 + 4);
    }
    return text;
}

/* "2048 + 1", "sqrt(2)", "-3": operands as their shortest decimals. */
static char *step_text(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    if (t->kind == BND_TERM_NUMBER) {
        return number_text(c, t);
    }
    char *x = operand_text(c, t->operand[0]), *text;
    if (t->length == 1 && t->operands == 2 && strchr("+-*/", c->expression[t->from]) != NULL) {
        char *y = operand_text(c, t->operand[1]);
        text = format_text("%s %c %s", x, c->expression[t->from], y);
        free(y);
    } else {
        text = format_text("%s(%s", bnd_term_name(t), x);
        for (size_t k = 1; k < t->operands; k++) {
            char *y = operand_text(c, t->operand[k]), *longer = format_text("%s, %s", text, y);
            free(y);
            free(text);
            text = longer;
        }
        char *closed = t->operation == BND_SCALB ? format_text("%s, %lld)", text, (long long)t->integer)
                                                 : format_text("%s)", text);
        free(text);
        text = closed;
    }
    free(x);
    return text;
}

/* What a step's flags mean where they are worth a sentence. */
static const char *remark_on(const calc *c, size_t i)
{
    uint32_t flags = c->results[i].flags;
    bnd_class class = bnd_classify(c->format, value_of(c, i));
    if ((flags & BND_OVERFLOW) != 0) {
        return class == BND_CLASS_NAN        ? "beyond the largest number; the format has no infinity: NaN"
               : class == BND_CLASS_INFINITY ? "beyond the largest number: infinity"
                                             : "beyond the largest number, which came out";
    }
    if ((flags & BND_DIVBYZERO) != 0) {
        return "divided by zero";
    }
    if ((flags & BND_INVALID) != 0 && c->terms[i].kind == BND_TERM_NUMBER) {
        return "the format does not have it";
    }
    if ((flags & BND_INVALID) != 0) {
        return class == BND_CLASS_NAN ? "has no answer: NaN" : "has no answer";
    }
    if ((flags & BND_FLUSHED) != 0) {
        return "a number other than zero became zero";
    }
    return "";
}

/* An addition whose smaller term is lost: what lets sums stall. */
static bool is_swallowed(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bool sum = t->kind == BND_TERM_OPERATION && (t->operation == BND_ADD || t->operation == BND_SUB);
    if (!sum || c->results[i].flags != BND_INEXACT) {
        return false;
    }
    bnd_exact x = value_of(c, t->operand[0]), y = value_of(c, t->operand[1]), z = value_of(c, i);
    bool first = z.kind == BND_FINITE && x.kind == BND_FINITE && bnd_exact_compare(x, z) == 0;
    bool second =
        t->operation == BND_ADD && z.kind == BND_FINITE && y.kind == BND_FINITE && bnd_exact_compare(y, z) == 0;
    return first || second;
}

static void print_steps(const calc *c)
{
    int width = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->count; i++) {
            if (!is_step(c, i)) {
                continue;
            }
            char *step = step_text(c, i), *value = operand_text(c, i), *flags = flags_text(c->results[i].flags);
            int length = (int)strlen(step);
            width = pass == 0 && length > width && length <= 40 ? length : width;
            if (pass == 1) {
                const char *remark = is_swallowed(c, i) ? "one term is lost" : remark_on(c, i);
                printf("  %*s = %s%s%s%s%s%s\n", -width, step, value, flags[0] != '\0' ? "   " : "", flags,
                       remark[0] != '\0' ? " (" : "", remark, remark[0] != '\0' ? ")" : "");
            }
            free(flags);
            free(value);
            free(step);
        }
    }
}

/* ---- the result ---- */

static void line(const char *label, char *owned)
{
    printf("%-9s%s\n", label, owned);
    free(owned);
}

static uint32_t all_flags(const calc *c)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < c->count; i++) {
        flags |= c->results[i].flags;
    }
    return flags;
}

static bool has_error(const calc *c)
{
    bnd_known known = bnd_real_known(c->error);
    return known == BND_KNOWN_EXACTLY || known == BND_KNOWN_DIGITS;
}

static bool is_zero(const bnd_real *x)
{
    return bnd_real_known(x) == BND_KNOWN_EXACTLY && bnd_real_sign(x) == 0;
}

static double ulps_of(const calc *c)
{
    bnd_exact unit = ulp_at(c->format, value_of(c, c->count - 1));
    unit.negative = false;
    return bnd_real_in_units(c->error, unit);
}

static const char *why_unknown(void)
{
    return "not known: it means values of a format or their rounding, or takes more than 100,000 digits";
}

/* An irrational number may have so cancelled that nothing is left. */
static bool has_digits(const bnd_real *x)
{
    return bnd_real_known(x) != BND_NOT_KNOWN && (bnd_real_known(x) != BND_KNOWN_DIGITS || bnd_real_sign(x) != 0);
}

static char *exact_line(const calc *c)
{
    char fraction[64];
    bnd_known known = bnd_real_known(c->exact);
    if (known == BND_NOT_KNOWN) {
        return copy_text(why_unknown());
    }
    if (!has_digits(c->exact)) {
        return copy_text("nearer to zero than can be told here: terms of hundreds of equal bits cancel");
    }
    char *digits = shorten_text(real_text(c->exact));
    bnd_print_fraction(fraction, sizeof fraction, c->exact);
    const char *remark = known != BND_KNOWN_DIGITS ? ""
                         : digits[0] == '~'        ? "   (this number, or nearer to it than can be told here)"
                                                   : "   (irrational: its first digits, none of them rounded)";
    char *text = format_text("%s%s%s%s", digits, fraction[0] != '\0' ? " = " : "", fraction, remark);
    free(digits);
    return text;
}

static char *error_line(const calc *c)
{
    if (!has_error(c)) {
        return copy_text("none that is a number");
    }
    if (!has_digits(c->error)) {
        return copy_text("nearer to zero than can be told here");
    }
    if (is_zero(c->error)) {
        return copy_text("0 (exact)");
    }
    char *digits = shorten_text(real_text(c->error)), *ulps = rough_text(ulps_of(c));
    char *text = format_text("%s   %s ulp", digits, ulps);
    free(ulps);
    free(digits);
    return text;
}

static void print_text(const calc *c)
{
    char *heading = heading_text(c->expression);
    put_coloured(c->common.colour, BOLD, heading);
    printf(" in %s\n", c->format->name);
    free(heading);
    print_steps(c);
    bnd_exact value = value_of(c, c->count - 1);
    char *code = code_text(c->format, last_of(c)->code), *bits = bits_text(c->format, last_of(c)->code);
    line("result", format_text("%s  %s  %s", bits, code, bnd_class_name(bnd_classify(c->format, value))));
    line("value", readable_text(value, false));
    line("exact", exact_line(c));
    line("error", error_line(c));
    uint32_t flags = all_flags(c);
    if (flags != 0) {
        line("flags", flags_text(flags));
    }
    free(bits);
    free(code);
}

/* ---- JSON ---- */

static void json_step(bnd_json *json, const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bnd_json_object(json, NULL);
    bnd_json_string(json, "op", bnd_term_name(t));
    bnd_json_array(json, "operands");
    if (t->kind != BND_TERM_OPERATION) {
        json_owned_string(json, NULL,
                          format_text("%s%.*s", t->negative ? "-" : "", (int)t->length, c->expression + t->from));
    }
    for (size_t k = 0; k < t->operands; k++) {
        json_owned_string(json, NULL, exact_text(value_of(c, t->operand[k]), false));
    }
    if (t->kind == BND_TERM_OPERATION && t->operation == BND_SCALB) {
        json_owned_string(json, NULL, format_text("%lld", (long long)t->integer));
    }
    bnd_json_end(json);
    json_owned_string(json, "code", code_text(c->format, c->results[i].code));
    json_owned_string(json, "value", exact_text(value_of(c, i), false));
    json_flags(json, "flags", c->results[i].flags);
    bnd_json_end(json);
}

static void print_json(const calc *c)
{
    static const char *const known[] = {"exactly", "digits", "exactly", "exactly", "not"};
    bnd_json json;
    char fraction[64];
    json_begin(&json);
    bnd_json_object(&json, NULL);
    bnd_json_string(&json, "format", c->format->name);
    bnd_json_string(&json, "expression", c->expression);
    json_owned_string(&json, "code", code_text(c->format, last_of(c)->code));
    json_owned_string(&json, "value", exact_text(value_of(c, c->count - 1), false));
    bool exact = has_digits(c->exact);
    json_owned_string(&json, "exact", exact ? real_text(c->exact) : NULL);
    bnd_print_fraction(fraction, sizeof fraction, c->exact);
    json_owned_string(&json, "fraction", fraction[0] != '\0' ? copy_text(fraction) : NULL);
    bnd_json_string(&json, "known", exact ? known[bnd_real_known(c->exact)] : "not");
    json_owned_string(&json, "error", has_error(c) && has_digits(c->error) ? real_text(c->error) : NULL);
    json_owned_literal(&json, "ulp_error", double_text(has_error(c) ? ulps_of(c) : (double)NAN));
    json_flags(&json, "flags", all_flags(c));
    bnd_json_array(&json, "steps");
    for (size_t i = 0; i < c->count; i++) {
        if (is_step(c, i)) {
            json_step(&json, c, i);
        }
    }
    bnd_json_end(&json);
    bnd_json_end(&json);
    json_line_end();
}

/* ---- the command ---- */

static int read_operands(calc *c)
{
    settings *s = &c->common;
    if (s->operand_count < 2) {
        return complain(s->command, "%s is missing; try \"binade calc fp16 '2048 + 1'\"",
                        s->operand_count == 0 ? "a format" : "an expression");
    }
    int status = add_formats(s, s->operands[0]);
    if (status == GO_ON && s->formats.count != 1) {
        return complain(s->command, "one format is needed, not %zu", s->formats.count);
    }
    c->format = s->formats.items;
    for (size_t i = 1; status == GO_ON && i < s->operand_count; i++) {
        char *longer = format_text("%s%s%s", i > 1 ? c->expression : "", i > 1 ? " " : "", s->operands[i]);
        free(c->expression);
        c->expression = longer;
    }
    return status;
}

/* The expression, or a part of it, and a caret under the byte that stopped the reader. A byte is a column. */
static void point_at(const char *text, size_t length, size_t where)
{
    enum { BEFORE = 60, AFTER = 20 };
    const size_t from = where > BEFORE ? where - BEFORE : 0, end = length - where > AFTER ? where + AFTER : length;
    fputs("    ", stderr);
    for (size_t i = from; i < end; i++) {
        fputc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', stderr);
    }
    fprintf(stderr, "\n    %*s\n", (int)(where - from) + 1, "^");
}

static int work_out(calc *c)
{
    const command *self = c->common.command;
    size_t length = strlen(c->expression);
    bnd_error why;
    c->terms = allocate(NULL, length + 1, sizeof *c->terms);
    if (bnd_expression_parse(c->terms, length + 1, &c->count, c->expression, length, c->format, &why) != BND_OK) {
        complain(self, "%s", why.message);
        if (length > 0) {
            point_at(c->expression, length, why.where);
        }
        return BAD_USAGE;
    }
    c->results = allocate(NULL, c->count, sizeof *c->results);
    c->rule = rule_for(&c->common, c->format);
    bnd_expression_round(c->results, c->terms, c->count, c->expression, c->format, c->rule, c->common.seed);
    if (bnd_expression_exact_alloc(&c->exact, c->terms, c->count, c->expression, c->format, &why) != BND_OK ||
        bnd_real_error_alloc(&c->error, value_of(c, c->count - 1), c->exact, &why) != BND_OK) {
        complain(self, "%s", why.message);
        return BAD_STREAM;
    }
    return GO_ON;
}

static int run(const command *self, int argc, char **argv)
{
    calc c = {0};
    int status = read_arguments(&c.common, self, argc, argv, NULL, NULL);
    status = status == GO_ON ? read_operands(&c) : status;
    if (status == GO_ON) {
        note_silent_dialect(&c.common);
        status = work_out(&c);
    }
    if (status == GO_ON) {
        (c.common.output == OUTPUT_JSON ? print_json : print_text)(&c);
    }
    bnd_real_free(c.error);
    bnd_real_free(c.exact);
    free(c.results);
    free(c.terms);
    free(c.expression);
    clear_settings(&c.common);
    return status == GO_ON ? FINE : status;
}

static const option_row *const options[] = {&row_round,    &row_overflow, &row_nan,  &row_flush,
                                            &row_tininess, &row_dialect,  &row_seed, &row_json,
                                            &row_color,    &row_help,     NULL};

const command command_calc = {
    .name = "calc",
    .summary = "an expression with every operation rounded in one format",
    .operands = "FORMAT EXPR",
    .first = COMPLETES_FORMATS,
    .one_format = true,
    .about =
        "Works out EXPR with every operation rounded in FORMAT, and prints each step, its flags, the exact value "
        "and the error.\n\n"
        "EXPR has numbers (0.1, 1e-8, 0x1.8p3, inf, nan), codes of the format (fp16:0x3c00), + - * /, parentheses "
        "and operations by name: sqrt(x) fma(x, y, z) rem(x, y) min(x, y) max(x, y) abs(x) neg(x) rint(x) logb(x) "
        "scalb(x, n) ulp(x) next_up(x) next_down(x) nearby(x) min_number(x, y) max_number(x, y) rsqrt(x) reciprocal(x) "
        "and, in formats of at most 16 bits, exp(x) log(x) tanh(x) sigmoid(x) erf(x) gelu(x) gelu_tanh(x).",
    .options = options,
    .example = "binade calc fp16 '2048 + 1'",
    .more = "A number is rounded once, straight from its text; where that changes it, it is a step. A sign before a "
            "number belongs to it. * and / come before + and -, and equals from the left.\n\n"
            "The exact value is that of the expression as it is written, without any rounding: a fraction, or, where "
            "there is a root or another irrational number, its first digits, up to 40, all of them certain; ~2 is a "
            "number so near to 2 that it may be 2 itself. The error "
            "is the result minus the exact value; an ulp is the distance of the format's values around the result. "
            "What means the values of a format or a mode (ulp, next_up, next_down, rint, nearby) has no exact value "
            "here, nor what "
            "takes more than 100,000 digits.\n\n"
            "Of the stochastic modes each step takes random bits of its own from --seed.\n\n"
            "With --json, one object: {\"format\", \"expression\", \"code\", \"value\", \"exact\", \"fraction\", "
            "\"known\", \"error\", \"ulp_error\", \"flags\", \"steps\": [{\"op\", \"operands\", \"code\", \"value\", "
            "\"flags\"}]}. \"known\" is exactly, digits (the exact value and the error are cut, and end in ..., or "
            "begin with ~) or not.",
    .run = run,
};
