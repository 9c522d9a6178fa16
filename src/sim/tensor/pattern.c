/* The parser of patterns of named axes. */
#include "base/base.h"
#include "tensor/pattern.h"

typedef struct reader {
    bndi_pattern *p;
    const char *text, *at, *who;
    bool groups;
    uint64_t seen; /* names of this term */
    bnd_error *why;
} reader;

static bnd_status refuse(const reader *r, const char *what)
{
    size_t column = (size_t)(r->at - r->text);
    return bnd_fail(r->why, BND_BAD_SYNTAX, column, "%s: \"%s\", column %zu: %s", r->who, r->text, column + 1, what);
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ') {
        r->at++;
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

/* A name's number; a new one gets the next. BNDI_NAMES: there are too many. */
static unsigned number_of(bndi_pattern *p, const char *name, unsigned length)
{
    for (unsigned i = 0; i < p->names; i++) {
        if (p->length[i] == length && __builtin_memcmp(p->name[i], name, length) == 0) {
            return i;
        }
    }
    if (p->names < BNDI_NAMES) {
        p->name[p->names] = name;
        p->length[p->names] = length;
        return p->names++;
    }
    return BNDI_NAMES;
}

static bnd_status read_name(reader *r, bndi_item *item, bool output)
{
    const char *begin = r->at;
    while (continues(*r->at)) {
        r->at++;
    }
    unsigned name = number_of(r->p, begin, (unsigned)(r->at - begin));
    r->at = begin;
    if (name == BNDI_NAMES) {
        return refuse(r, "a pattern must have at most 24 names");
    }
    if ((r->seen >> name & 1) != 0) {
        return refuse(
            r, output
                   ? "an axis of the result is named twice; the second must have its own name, which an operand has too"
                   : "an axis is named twice in one operand; diagonals are not supported");
    }
    if (item->count == BND_TENSOR_RANK_MAX) {
        return refuse(r, "a group must have at most 8 axes");
    }
    r->seen |= UINT64_C(1) << name;
    item->names[item->count++] = (uint8_t)name;
    r->at = begin + r->p->length[name];
    return BND_OK;
}

static bnd_status read_group(reader *r, bndi_item *item, bool output)
{
    r->at++;
    for (skip_blanks(r); *r->at != ')'; skip_blanks(r)) {
        if (!is_letter(*r->at)) {
            return refuse(r, *r->at == 0 ? "expected ')'" : "expected names of axes in parentheses");
        }
        bnd_status status = read_name(r, item, output);
        if (status != BND_OK) {
            return status;
        }
    }
    r->at++;
    return BND_OK;
}

static bnd_status read_item(reader *r, bndi_term *term, bool output)
{
    bndi_item *item = &term->items[term->count];
    if (term->count == BND_TENSOR_RANK_MAX + 1) {
        return refuse(r, "a term must have at most 8 axes");
    }
    term->count++;
    if (r->at[0] == '.' && r->at[1] == '.' && r->at[2] == '.') {
        for (unsigned i = 0; i + 1 < term->count; i++) {
            if (term->items[i].ellipsis) {
                return refuse(r, "a term must have at most one ellipsis");
            }
        }
        item->ellipsis = true;
        r->at += 3;
        return BND_OK;
    }
    if (is_letter(*r->at)) {
        return read_name(r, item, output);
    }
    if (r->groups && *r->at == '(') {
        return read_group(r, item, output);
    }
    if (r->groups && r->at[0] == '1' && !continues(r->at[1])) {
        r->at++;
        return BND_OK;
    }
    return refuse(r, r->groups ? "expected a name, (names), 1, ... or ->" : "expected a name, ..., a comma or ->");
}

static bool at_arrow(const reader *r)
{
    return r->at[0] == '-' && r->at[1] == '>';
}

static bnd_status read_term(reader *r, bndi_term *term, bool output)
{
    r->seen = 0;
    for (skip_blanks(r); *r->at != 0 && *r->at != ',' && !at_arrow(r); skip_blanks(r)) {
        bnd_status status = read_item(r, term, output);
        if (status != BND_OK) {
            return status;
        }
    }
    return BND_OK;
}

bnd_status bndi_pattern_read(bndi_pattern *out, const char *pattern, unsigned inputs, bool groups, const char *who,
                             bnd_error *why)
{
    *out = (bndi_pattern){.inputs = inputs};
    reader r = {.p = out, .text = pattern, .at = pattern, .who = who, .groups = groups, .why = why};
    for (unsigned i = 0; i < inputs; i++) {
        bnd_status status = read_term(&r, &out->terms[i], false);
        if (status != BND_OK) {
            return status;
        }
        bool last = i + 1 == inputs;
        if (last ? !at_arrow(&r) : *r.at != ',') {
            return refuse(&r, last ? *r.at == ',' ? "there are more terms than operands" : "expected -> and the result"
                                   : "there are fewer terms than operands");
        }
        r.at += last ? 2 : 1;
    }
    bnd_status status = read_term(&r, &out->terms[inputs], true);
    if (status == BND_OK && *r.at != 0) {
        status = refuse(&r, "expected the end of the pattern after the result");
    }
    return status;
}

bnd_status bndi_pattern_sizes(bndi_pattern *p, const char *sizes, const char *who, bnd_error *why)
{
    size_t length;
    const char *word;
    while (sizes != NULL && (word = bndi_next_word(&sizes, &length), length > 0)) {
        size_t equals = 0, value = 0, digits = 0;
        unsigned name = BNDI_NAMES;
        while (equals < length && word[equals] != '=') {
            equals++;
        }
        for (unsigned i = 0; i < p->names; i++) {
            if (p->length[i] == equals && __builtin_memcmp(p->name[i], word, equals) == 0) {
                name = i;
            }
        }
        for (size_t i = equals + 1; i < length && word[i] >= '0' && word[i] <= '9' && value < SIZE_MAX / 16; i++) {
            value = value * 10 + (size_t)(word[i] - '0');
            digits++;
        }
        if (digits == 0 || equals + 1 + digits != length || value == 0) {
            return bnd_fail(why, BND_BAD_SYNTAX, 0, "%s: \"%.*s\" is not a size; write name=number", who, (int)length,
                            word);
        }
        if (name == BNDI_NAMES) {
            return bnd_fail(why, BND_BAD_NAME, 0, "%s: a size is given for \"%.*s\", which the pattern does not name",
                            who, (int)equals, word);
        }
        if (p->extent[name] != 0) {
            return bnd_fail(why, BND_BAD_SYNTAX, 0, "%s: the size of \"%.*s\" is given twice", who, (int)equals, word);
        }
        p->extent[name] = value;
    }
    return BND_OK;
}
