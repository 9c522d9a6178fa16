/* The ways of adding, a row each. Every single operation is one of the library's, rounded to the format of the sum;
 * the orders, and the random bits of each addition, are those of bnd_sum_codes and of `binade calc 'sum(x, n)'`. */
#include "sum.h"

#include <string.h>

static uint64_t random_of(const sum_line *line, uint64_t index)
{
    unsigned bits = bnd_rule_random_bits(line->rule);
    return bits > 0 ? bnd_random_bits(line->seed, SUM_PURPOSE_ADDITIONS, index, bits) : 0;
}

/* a of the sum's format, b of another. */
static uint64_t operate(sum_line *line, bnd_operation operation, uint64_t a, const bnd_format *of_b, uint64_t b,
                        uint64_t index)
{
    const bnd_format *const formats[BND_OPERANDS_MAX] = {&line->to, of_b};
    const uint64_t codes[BND_OPERANDS_MAX] = {a, b};
    bnd_result r = bnd_operate(&line->to, operation, formats, codes, line->rule, random_of(line, index));
    line->flags |= r.flags;
    return r.code;
}

/* ---- in order ---- */

static void add_in_order(sum_line *line, uint64_t k)
{
    line->sum = operate(line, BND_OP_ADD, line->sum, &line->in, line->term, k);
}

static uint64_t sum_of(const sum_line *line)
{
    return line->sum;
}

/* ---- Kahan ---- */

static void add_kahan(sum_line *line, uint64_t k)
{
    const bnd_format *to = &line->to;
    uint64_t y = operate(line, BND_OP_SUB, line->term, to, line->rest, 4 * k);
    uint64_t t = operate(line, BND_OP_ADD, line->sum, to, y, 4 * k + 1);
    uint64_t u = operate(line, BND_OP_SUB, t, to, line->sum, 4 * k + 2);
    line->rest = operate(line, BND_OP_SUB, u, to, y, 4 * k + 3);
    line->sum = t;
}

/* ---- pairwise ---- */

/* Sums of 1, 2, 4, ... terms, larger ones below; two of the same size become one. */
static void add_pairwise(sum_line *line, uint64_t k)
{
    line->starts[line->depth] = k;
    line->stack[line->depth++] = line->term;
    for (uint64_t i = k; (i & 1) != 0; i >>= 1, line->depth--) {
        unsigned top = line->depth - 1;
        line->stack[top - 1] =
            operate(line, BND_OP_ADD, line->stack[top - 1], &line->to, line->stack[top], line->starts[top]);
    }
}

static uint64_t pairwise_total(const sum_line *line)
{
    sum_line copy = *line;
    for (; copy.depth > 1; copy.depth--) {
        unsigned top = copy.depth - 1;
        copy.stack[top - 1] =
            operate(&copy, BND_OP_ADD, copy.stack[top - 1], &copy.to, copy.stack[top], copy.starts[top]);
    }
    return copy.depth > 0 ? copy.stack[0] : copy.sum;
}

/* ---- the rows ---- */

static const sum_way ways[] = {
    {"", "in order", false, false, add_in_order, sum_of},
    {"pairwise", "pairwise", false, false, add_pairwise, pairwise_total},
    {"kahan", "Kahan's compensated sum", false, false, add_kahan, sum_of},
    {"fp32", "in order, accumulated in fp32", true, false, add_in_order, sum_of},
    {"sr", "in order, stochastic rounding", false, true, add_in_order, sum_of},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const sum_way *way_named(const char *name)
{
    for (size_t i = 0; i < WAYS; i++) {
        if (strcmp(ways[i].name, name) == 0) {
            return &ways[i];
        }
    }
    return NULL;
}

bnd_status sum_line_open(sum_line *out, const char *name, bnd_rule rule, uint64_t seed, bnd_error *why)
{
    sum_line line = {.rule = rule, .seed = seed};
    size_t length = strcspn(name, ":"), whole = strlen(name);
    if (whole >= sizeof line.name) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown format '%.*s...'", 40, name);
    }
    memcpy(line.name, name, whole + 1);
    line.way = way_named(name[length] == ':' ? name + length + 1 : "");
    if (line.way == NULL) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown way '%s' (available: pairwise, kahan, fp32, sr)",
                        name + length + 1);
    }
    bnd_status status = bnd_format_parse_n(&line.in, name, length, why);
    if (status == BND_OK && line.in.width == 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set, which has no codes to add", line.in.name);
    }
    line.to = line.way->fp32 ? *bnd_format_at(BND_FORMAT_FP32) : line.in;
    if (line.way->stochastic) {
        line.rule.rounding = BND_ROUND_SR;
    }
    line.term_rule = line.rule;
    if (status == BND_OK) {
        line.sum = line.rest = bnd_encode_exact(&line.to, (bnd_exact){.kind = BND_KIND_ZERO}, line.rule, 0).code;
        *out = line;
    }
    return status;
}

/* A constant term is rounded once. A sum in order that a constant no longer changes never changes again, unless its
 * rounding is random. */
void sum_line_add(sum_line *line, const sum_series *s, uint64_t k)
{
    if (line->settled) {
        line->unchanged++;
        return;
    }
    if (k == 0 || s->kind != SERIES_CONSTANT) {
        line->term = sum_series_term(s, k, &line->in, line->term_rule);
    }
    uint64_t before = line->sum;
    line->way->add(line, k);
    if (line->way->total != sum_of) {
        return; /* there is no running total to compare */
    }
    bool same = line->sum == before;
    line->unchanged += same;
    line->first_unchanged = same && line->first_unchanged == 0 ? k + 1 : line->first_unchanged;
    line->moved = same ? line->moved : k + 1;
    bool forever = s->kind == SERIES_CONSTANT && line->way->add == add_in_order;
    line->settled = same && forever && bnd_rule_random_bits(line->rule) == 0;
}

uint64_t sum_line_total(const sum_line *line)
{
    return line->way->total(line);
}
