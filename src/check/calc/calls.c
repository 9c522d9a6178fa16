/* NAME(operands): an operation of the table, sum(x, n), or a format, which rounds its operand. */
#include "calc/reader.h"

#include <string.h>

#define SCALB_WANTS "the second operand of scalb must be a whole number of at most 18 digits"
#define SUM_WANTS                                                                                                      \
    "n of sum(x, n), which adds x n times, must be a whole number from 0 to 10000000, over all sums together"

/* ---- unknown names ---- */

/* Every name that can be called, in the order in which people look for it. */
static const char *const names[] = {"sqrt",    "rsqrt",     "reciprocal", "abs",        "neg",       "min",   "max",
                                    "fma",     "rem",       "sum",        "exp",        "log",       "tanh",  "sigmoid",
                                    "erf",     "gelu",      "gelu_tanh",  "rint",       "logb",      "scalb", "ulp",
                                    "next_up", "next_down", "nearby",     "min_number", "max_number"};

/* What is not here under the name that it has elsewhere. */
static const char *said_otherwise(const char *word, size_t length)
{
    static const struct {
        const char *word, *instead;
    } rows[] = {{"pow", "write x^n, for a whole number n"},      {"power", "write x^n, for a whole number n"},
                {"ln", "the natural logarithm is log(x)"},       {"square", "write x^2"},
                {"inv", "write 1/x, or reciprocal(x)"},          {"fmin", "write min(x, y), or min_number(x, y)"},
                {"fmax", "write max(x, y), or max_number(x, y)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (bndi_same_word(word, length, rows[i].word)) {
            return rows[i].instead;
        }
    }
    return NULL;
}

/* The name that is meant: one letter may differ from four letters on, two from six letters on. */
static const char *nearly(const char *word, size_t length)
{
    for (unsigned most = 0; most < 3; most++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            size_t named = bndi_length(names[i]), longer = named > length ? named : length;
            bool close = bndi_name_distance(word, length, names[i], named) == most;
            if (close && longer >= (most < 2 ? 4 : 6)) {
                return names[i];
            }
        }
    }
    return NULL;
}

static bnd_status refuse_name(const bndi_reader *r, size_t length)
{
    const char *word = r->text + r->at, *instead = said_otherwise(word, length), *near = nearly(word, length);
    size_t column = bndi_column_of(r, r->at);
    int shown = length < 40 ? (int)length : 40;
    if (instead != NULL) {
        return bnd_fail(r->why, BND_BAD_NAME, r->at, "column %zu: unknown function '%.*s'; %s", column, shown, word,
                        instead);
    }
    if (near != NULL) {
        return bnd_fail(r->why, BND_BAD_NAME, r->at, "column %zu: unknown function '%.*s'; did you mean %s?", column,
                        shown, word, near);
    }
    if (r->format == NULL) {
        return bnd_fail(r->why, BND_BAD_NAME, r->at,
                        "column %zu: unknown name '%.*s' (available: inf, nan, pi, e, sqrt(x) and the other functions "
                        "of calc, codes such as fp16:0x3c00)",
                        column, shown, word);
    }
    char list[256];
    bndi_text text = bndi_text_in(list, sizeof list);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bndi_text_string(&text, i > 0 ? " " : "");
        bndi_text_string(&text, names[i]);
    }
    return bnd_fail(r->why, BND_BAD_NAME, r->at,
                    "column %zu: unknown name '%.*s' (available: %s, x^n, pi, e, and formats)", column, shown, word,
                    list);
}

/* ---- operands ---- */

static bnd_status refuse_count(const bndi_reader *r, unsigned operands, const char *name, size_t length)
{
    return bnd_fail(r->why, BND_BAD_SYNTAX, r->at, "column %zu: %.*s() takes %u operand%s", bndi_column_of(r, r->at),
                    (int)length, name, operands, operands == 1 ? "" : "s, separated by commas");
}

static bnd_status read_operand(bndi_reader *r, bnd_term *call, size_t i)
{
    if (call->kind == BND_TERM_OPERATION && call->operation == BND_OP_SCALB && i == 1) {
        const int64_t most = INT64_C(999999999999999999);
        return bndi_read_integer(r, &call->integer, -most, most, SCALB_WANTS);
    }
    if (call->kind == BND_TERM_SUM && i == 1) {
        int64_t left = BND_EXPRESSION_ADDITIONS_MAX - (int64_t)r->additions;
        bnd_status status = bndi_read_integer(r, &call->integer, 0, left, SUM_WANTS);
        r->additions += status == BND_OK ? (uint64_t)call->integer : 0;
        return status;
    }
    return bndi_read_sum(r, &call->operand[i]);
}

static bnd_status read_operands(bndi_reader *r, bnd_term *call, unsigned operands)
{
    const char *name = r->text + call->from;
    for (size_t i = 0; i < operands; i++) {
        if (i > 0 && bndi_peek(r) != ',') {
            return bndi_peek(r) == ')' ? refuse_count(r, operands, name, call->length)
                                       : bndi_refuse_at(r, r->at, "expected ',' or ')' after the operand");
        }
        r->at += i > 0;
        if (bndi_peek(r) == ')') {
            return refuse_count(r, operands, name, call->length);
        }
        bnd_status status = read_operand(r, call, i);
        if (status != BND_OK) {
            return status;
        }
    }
    if (bndi_peek(r) != ')') {
        return bndi_peek(r) == ',' ? refuse_count(r, operands, name, call->length)
                                   : bndi_refuse_at(r, r->at, "expected ')' at the end of the call");
    }
    r->at++;
    return BND_OK;
}

static bnd_status read_parenthesized(bndi_reader *r, bnd_term *call, unsigned operands)
{
    r->at += call->length;
    if (bndi_peek(r) != '(') {
        return bndi_refuse_at(r, r->at, "expected operands in parentheses, as in sqrt(2)");
    }
    bnd_status status = bndi_enter_expression(r, r->at);
    r->at++;
    status = status == BND_OK ? read_operands(r, call, operands) : status;
    r->depth--;
    return status;
}

/* ---- formats ---- */

/* A number that a format's parentheses hold is rounded to that format and no other. */
static bnd_status read_conversion(bndi_reader *r, size_t *out, size_t length, const bnd_format *f)
{
    bnd_term call = {.kind = BND_TERM_OPERATION,
                     .operands = 1,
                     .operation = BND_OP_CONVERT,
                     .from = r->at,
                     .length = length,
                     .format_at = r->at,
                     .format_length = length};
    if (f->width == 0) {
        return bndi_refuse_part(r, r->at, length, "a value set has no codes; operations need a format with codes");
    }
    if (r->format == NULL) {
        return bndi_refuse_part(r, r->at, length,
                                "a conversion rounds and cannot be used in a value; calc evaluates it");
    }
    bnd_status status = read_parenthesized(r, &call, 1);
    if (status != BND_OK) {
        return status;
    }
    bnd_term *x = &r->terms[call.operand[0]];
    if (x->kind == BND_TERM_NUMBER && x->format_length == 0) {
        x->format_at = call.format_at;
        x->format_length = length;
        *out = call.operand[0];
        return BND_OK;
    }
    return bndi_add_term(r, out, &call);
}

/* ---- operations ---- */

static bool needs_format(bnd_operation operation)
{
    return operation == BND_OP_ULP || operation == BND_OP_NEXT_UP || operation == BND_OP_NEXT_DOWN ||
           operation == BND_OP_RINT || operation == BND_OP_NEARBY;
}

/* Of elementary functions: what to write where the operand has too many bits, or values that fp64 does not have. */
static bnd_status check_operand(const bndi_reader *r, const bnd_term *call)
{
    bnd_error why;
    bnd_format own = bnd_term_format(&r->terms[call->operand[0]], r->text, r->format);
    const bnd_format *const formats[BND_OPERANDS_MAX] = {&own, &own, &own};
    if (bnd_operation_serves(call->operation, formats, &why) == BND_OK) {
        return BND_OK;
    }
    const char *name = bnd_operation_name(call->operation);
    if (own.width <= 16) {
        return bnd_fail(r->why, BND_BAD_ARGUMENT, call->from, "column %zu: %s", bndi_column_of(r, call->from),
                        why.message);
    }
    return bnd_fail(
        r->why, BND_BAD_ARGUMENT, call->from,
        "column %zu: %s takes an operand of at most 16 bits, got %s; round it first: %s(bf16(...)) or %s(fp16(...))",
        bndi_column_of(r, call->from), name, own.name, name, name);
}

static bnd_status read_operation(bndi_reader *r, size_t *out, bnd_operation operation, size_t length)
{
    bnd_term call = {.kind = BND_TERM_OPERATION, .operation = operation, .from = r->at, .length = length};
    if (r->format == NULL && needs_format(operation)) {
        return bndi_refuse_part(r, r->at, length,
                                "it depends on a format and cannot be used in a value; calc evaluates it");
    }
    bnd_status status = read_parenthesized(r, &call, bnd_operation_operands(operation));
    if (status == BND_OK && r->format != NULL) {
        status = check_operand(r, &call);
    }
    if (status != BND_OK) {
        return status;
    }
    if (operation != BND_OP_SCALB) {
        return bndi_add_operation(r, out, operation, call.from, length, call.operand);
    }
    call.operands = 1;
    return bndi_add_term(r, out, &call);
}

static bnd_status read_repeated_sum(bndi_reader *r, size_t *out, size_t length)
{
    bnd_term call = {.kind = BND_TERM_SUM, .operands = 1, .from = r->at, .length = length};
    bnd_status status = read_parenthesized(r, &call, 2);
    return status == BND_OK ? bndi_add_term(r, out, &call) : status;
}

bnd_status bndi_read_call(bndi_reader *r, size_t *out, size_t length)
{
    char name[BND_FORMAT_NAME_SIZE];
    bnd_operation operation;
    bnd_format f;
    if (length >= sizeof name) {
        return bndi_refuse_part(r, r->at, length, "unknown name");
    }
    memcpy(name, r->text + r->at, length);
    name[length] = '\0';
    if (bndi_same_word(name, length, "sum")) {
        return read_repeated_sum(r, out, length);
    }
    if (bnd_operation_parse(&operation, name, NULL) == BND_OK) {
        return read_operation(r, out, operation, length);
    }
    return bnd_format_parse(&f, name, NULL) == BND_OK ? read_conversion(r, out, length, &f) : refuse_name(r, length);
}
