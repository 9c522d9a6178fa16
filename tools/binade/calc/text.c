/* The text output of `binade calc`: the steps, the result, the exact value and the error. */
#include "calc.h"
#include "show/look.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

bnd_format calc_format_of(const calc *c, size_t i)
{
    return bnd_term_format(&c->terms[i], c->expression, c->format);
}

bnd_exact calc_value_of(const calc *c, size_t i)
{
    bnd_format own = calc_format_of(c, i);
    return bnd_unpack(&own, c->results[i].code);
}

bnd_exact calc_result(const calc *c)
{
    return calc_value_of(c, c->count - 1);
}

uint32_t calc_flags(const calc *c)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < c->count; i++) {
        flags |= c->results[i].flags;
    }
    return flags;
}

/* ---- steps ---- */

bool calc_is_step(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bool changed = c->results[i].flags != 0 || c->results[i].ternary != 0;
    return t->kind == BND_TERM_NUMBER ? changed : t->kind != BND_TERM_CODE;
}

char *calc_number_text(const calc *c, const bnd_term *t)
{
    return format_text("%s%.*s", t->negative ? "-" : "", (int)t->length, c->expression + t->from);
}

/* "0.1", or "fp16(0.1)" where the number has a format of its own. */
static char *number_text(const calc *c, const bnd_term *t)
{
    char *written = calc_number_text(c, t), *heading = heading_text(written);
    char *text = t->format_length == 0
                     ? copy_text(heading)
                     : format_text("%.*s(%s)", (int)t->format_length, c->expression + t->format_at, heading);
    free(heading);
    free(written);
    return text;
}

static char *operand_text(const calc *c, size_t i)
{
    bnd_format own = calc_format_of(c, i);
    return brief_text(&own, calc_value_of(c, i));
}

/* The name that a step is written with; of a conversion, the format's. */
static char *step_name(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bnd_format own = calc_format_of(c, i);
    bool rounds = t->kind == BND_TERM_OPERATION && t->operation == BND_OP_CONVERT;
    return copy_text(rounds ? own.name : bnd_term_name(t));
}

/* The sign between two operands, or a 0 byte: add(x, y) may be written as a call, too. */
static char sign_of(const calc *c, const bnd_term *t)
{
    static const char signs[] = {[BND_OP_ADD] = '+', [BND_OP_SUB] = '-', [BND_OP_MUL] = '*', [BND_OP_DIV] = '/'};
    char first = c->expression[t->from];
    bool called = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    bool known = t->kind == BND_TERM_OPERATION && t->operation >= BND_OP_ADD && t->operation <= BND_OP_DIV;
    return known && !called ? signs[t->operation] : '\0';
}

/* "sqrt(2)", "fma(x, y, z)", "scalb(x, 3)", "sum(x, 100)". */
static char *call_text(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    char *name = step_name(c, i), *x = operand_text(c, t->operand[0]), *text = format_text("%s(%s", name, x);
    for (size_t k = 1; k < t->operands; k++) {
        char *y = operand_text(c, t->operand[k]), *longer = format_text("%s, %s", text, y);
        free(y);
        free(text);
        text = longer;
    }
    bool counted = t->kind == BND_TERM_SUM || t->operation == BND_OP_SCALB;
    char *closed = counted ? format_text("%s, %lld)", text, (long long)t->integer) : format_text("%s)", text);
    free(text);
    free(name);
    free(x);
    return closed;
}

/* "2048 + 1", "sqrt(2)", "2^-24": operands as brief decimals. */
static char *step_text(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    char sign = sign_of(c, t);
    if (t->kind == BND_TERM_NUMBER) {
        return number_text(c, t);
    }
    if (sign == '\0' && t->kind != BND_TERM_POWER) {
        return call_text(c, i);
    }
    char *x = operand_text(c, t->operand[0]), *text;
    if (sign != '\0') {
        char *y = operand_text(c, t->operand[1]);
        text = format_text("%s %c %s", x, sign, y);
        free(y);
    } else {
        text = format_text(x[0] == '-' ? "(%s)^%lld" : "%s^%lld", x, (long long)t->integer);
    }
    free(x);
    return text;
}

/* Is the number, or an operand of the operation, a signaling NaN? */
static bool meets_signaling_nan(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bnd_exact value;
    bool found = t->kind == BND_TERM_NUMBER &&
                 bnd_parse_exact_n(&value, c->expression + t->from, t->length, NULL) == BND_OK &&
                 value.kind == BND_KIND_SIGNALING_NAN;
    for (size_t k = 0; k < t->operands; k++) {
        found = found || calc_value_of(c, t->operand[k]).kind == BND_KIND_SIGNALING_NAN;
    }
    return found;
}

/* What a step's flags mean where they are worth a sentence. */
static const char *remark_on(const calc *c, size_t i)
{
    uint32_t flags = c->results[i].flags;
    bnd_format own = calc_format_of(c, i);
    bnd_class class = bnd_classify(&own, calc_value_of(c, i));
    if ((flags & BND_FLAG_OVERFLOW) != 0) {
        return class == BND_CLASS_NAN        ? "above the largest value; the format has no infinity: NaN"
               : class == BND_CLASS_INFINITY ? "above the largest value: infinity"
                                             : "saturated to the largest value";
    }
    if ((flags & BND_FLAG_DIVBYZERO) != 0) {
        return "divided by zero";
    }
    if ((flags & BND_FLAG_INVALID) != 0 && own.has_nan && meets_signaling_nan(c, i)) {
        return "signaling NaN";
    }
    if ((flags & BND_FLAG_INVALID) != 0 && c->terms[i].kind == BND_TERM_NUMBER) {
        return "the format has no such value";
    }
    if ((flags & BND_FLAG_INVALID) != 0) {
        return class == BND_CLASS_NAN ? "undefined: NaN" : "undefined";
    }
    if ((flags & BND_FLAG_TO_ZERO) != 0) {
        return "a nonzero value became zero";
    }
    return "";
}

/* An addition whose smaller term is lost: what lets sums stall. */
static bool is_swallowed(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bool sum = t->kind == BND_TERM_OPERATION && (t->operation == BND_OP_ADD || t->operation == BND_OP_SUB);
    if (!sum || c->results[i].flags != BND_FLAG_INEXACT) {
        return false;
    }
    bnd_exact x = calc_value_of(c, t->operand[0]), y = calc_value_of(c, t->operand[1]), z = calc_value_of(c, i);
    bool first = z.kind == BND_KIND_FINITE && x.kind == BND_KIND_FINITE && bnd_exact_compare(x, z) == 0;
    bool second = t->operation == BND_OP_ADD && z.kind == BND_KIND_FINITE && y.kind == BND_KIND_FINITE &&
                  bnd_exact_compare(y, z) == 0;
    return first || second;
}

/* One more addition changes nothing, so earlier ones did not either. Unknown where random bits decide; not told after
 * an overflow, which says more. */
static bool has_stalled(const calc *c, size_t i, const bnd_format *own, const bnd_format *from)
{
    const bnd_format *const formats[BND_OPERANDS_MAX] = {own, from};
    uint64_t codes[] = {c->results[i].code, c->results[c->terms[i].operand[0]].code};
    uint32_t flags = c->results[i].flags;
    return bnd_rule_random_bits(c->rule) == 0 && (flags & BND_FLAG_INEXACT) != 0 && (flags & BND_FLAG_OVERFLOW) == 0 &&
           bnd_operate(own, BND_OP_ADD, formats, codes, c->rule, 0).code == codes[0];
}

static char *stall_text(const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bnd_format own = calc_format_of(c, i), from = calc_format_of(c, t->operand[0]);
    uint64_t moves = 0, times = (uint64_t)t->integer;
    if (!has_stalled(c, i, &own, &from)) {
        return copy_text("");
    }
    (void)bnd_add_repeatedly(&own, &from, c->results[t->operand[0]].code, times, c->rule, 0, 0, &moves);
    return moves < times ? format_text("the sum stops changing after %llu additions", (unsigned long long)moves)
                         : copy_text("");
}

static char *remark_text(const calc *c, size_t i)
{
    char *stall = c->terms[i].kind == BND_TERM_SUM ? stall_text(c, i) : copy_text("");
    if (stall[0] != '\0') {
        return stall;
    }
    free(stall);
    return copy_text(is_swallowed(c, i) ? "one term is lost" : remark_on(c, i));
}

/* One line of the list of steps, and the widths of its columns. */
typedef struct step_line {
    char *step, *value, *flags, *remark;
} step_line;

static step_line step_line_of(const calc *c, size_t i)
{
    return (step_line){step_text(c, i), operand_text(c, i), flags_text(c->results[i].flags), remark_text(c, i)};
}

static void clear_step_line(step_line *l)
{
    free(l->step);
    free(l->value);
    free(l->flags);
    free(l->remark);
}

static size_t widest(size_t width, const char *text, size_t limit)
{
    size_t own = text_width(text);
    return own > width && own <= limit ? own : width;
}

/* A text that blanks fill up to `width`. */
static size_t put_filled(const char *text, size_t width)
{
    size_t own = text_width(text), blanks = width > own ? width - own : 0;
    printf("%s%*s", text, (int)blanks, "");
    return own + blanks;
}

static void print_step(const step_line *l, size_t step, size_t value)
{
    enum { LEAST_ROOM = 24, INDENT = 6 };
    char *text =
        format_text("%s%s%s%s", l->flags, l->remark[0] != '\0' ? " (" : "", l->remark, l->remark[0] != '\0' ? ")" : "");
    size_t at = strlen("  ") + step + strlen(" = ") + value + strlen("  "), page = page_width();
    bool fits = at + strlen(text) <= page || at + LEAST_ROOM <= page;
    printf("  ");
    at += put_filled(l->step, step) - step;
    printf(" = ");
    at += put_filled(l->value, fits && text[0] != '\0' ? value : 0);
    at -= value;
    if (text[0] != '\0') {
        printf("%s%*s", fits ? "" : "\n", fits ? 2 : (int)INDENT, "");
        put_wrapped(text, fits ? at : INDENT, fits ? at : INDENT);
    } else {
        putchar('\n');
    }
    free(text);
}

static void print_steps(const calc *c)
{
    enum { WIDEST_STEP = 40, WIDEST_VALUE = 24 };
    size_t step = 0, value = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->count; i++) {
            if (!calc_is_step(c, i)) {
                continue;
            }
            step_line l = step_line_of(c, i);
            if (pass == 0) {
                step = widest(step, l.step, WIDEST_STEP);
                value = widest(value, l.value, WIDEST_VALUE);
            } else {
                print_step(&l, step, value);
            }
            clear_step_line(&l);
        }
    }
}

/* ---- the result ---- */

static void line(const char *label, char *owned)
{
    enum { AT = 9 };
    printf("%-*s", AT, label);
    put_wrapped(owned, AT, AT);
    free(owned);
}

bool calc_has_error(const calc *c)
{
    bnd_known known = bnd_real_known(c->error);
    return known == BND_KNOWN_EXACTLY || known == BND_KNOWN_DIGITS || known == BND_KNOWN_BOUNDS;
}

static bool is_zero(const bnd_real *x)
{
    return bnd_real_known(x) == BND_KNOWN_EXACTLY && bnd_real_sign(x) == 0;
}

double calc_ulps(const calc *c)
{
    bnd_exact unit = ulp_at(c->format, calc_result(c));
    unit.negative = false;
    return bnd_real_in_units(c->error, unit);
}

static const char *why_unknown(void)
{
    return "n/a: the operation depends on the format, the value needs more than 100,000 digits, an operand may be 0 or "
           "is a zero whose sign depends on the rounding mode, or terms beyond 2^(2^62) are subtracted";
}

/* An irrational number may have so cancelled that nothing is left. */
bool calc_has_digits(const bnd_real *x)
{
    bnd_known known = bnd_real_known(x);
    char first[2] = "";
    if (known == BND_KNOWN_DIGITS) {
        (void)bnd_print_real(first, sizeof first, x, BND_NOTATION_AUTO);
    }
    return known != BND_KNOWN_NOT && known != BND_KNOWN_BOUNDS && first[0] != '?';
}

char *calc_exact_line(const calc *c)
{
    char fraction[64];
    bnd_known known = bnd_real_known(c->exact);
    if (known == BND_KNOWN_NOT) {
        return copy_text(why_unknown());
    }
    if (known == BND_KNOWN_BOUNDS) {
        return format_text("%s; no digits are known, because a term is beyond 2^(2^62), or below its reciprocal",
                           bnd_real_sign(c->exact) < 0 ? "negative" : "positive");
    }
    if (!calc_has_digits(c->exact)) {
        int sign = bnd_real_sign(c->exact);
        return sign == 0
                   ? copy_text(
                         "not determined: terms with hundreds of equal leading bits cancel, or rem or logb is at a "
                         "boundary")
                   : format_text("%s; no digits are known, because hundreds of bits are too few for them",
                                 sign < 0 ? "negative" : "positive");
    }
    char *digits = shorten_text(real_text(c->exact, false));
    bnd_print_fraction(fraction, sizeof fraction, c->exact);
    const char *remark = known != BND_KNOWN_DIGITS ? ""
                         : digits[0] == '~'        ? "   (this value, or too close to it to distinguish)"
                                                   : "   (first digits, not rounded)";
    char *text = format_text("%s%s%s%s", digits, fraction[0] != '\0' ? " = " : "", fraction, remark);
    free(digits);
    return text;
}

char *calc_error_line(const calc *c)
{
    if (!calc_has_error(c)) {
        return copy_text("n/a");
    }
    if (!calc_has_digits(c->error)) {
        return copy_text("not determined: too close to zero");
    }
    if (is_zero(c->error)) {
        return copy_text("0 (exact)");
    }
    char *digits = shorten_text(real_text(c->error, false)), *ulps = rough_text(calc_ulps(c));
    char *text = format_text("%s   %s ulp", digits, ulps);
    free(ulps);
    free(digits);
    return text;
}

static uint64_t code_of_result(const calc *c)
{
    return c->results[c->count - 1].code;
}

void calc_print_text(const calc *c)
{
    char *heading = heading_text(c->expression);
    put_coloured(c->common->colour, BOLD, heading);
    printf(" in %s\n", c->format->name);
    free(heading);
    print_steps(c);
    bnd_exact value = calc_result(c);
    char *code = code_text(c->format, code_of_result(c)), *bits = bits_text(c->format, code_of_result(c));
    line("result", format_text("%s  %s  %s", bits, code, bnd_class_name(bnd_classify(c->format, value))));
    line("value", readable_text(value, false));
    line("exact", calc_exact_line(c));
    line("error", calc_error_line(c));
    uint32_t flags = calc_flags(c);
    if (flags != 0) {
        line("flags", flags_text(flags));
    }
    free(bits);
    free(code);
}
