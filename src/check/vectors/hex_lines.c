/* Lines of hexadecimal numbers: writing and reading. */
#include "vectors/vectors.h"

/* ---- writing ---- */

/* Digits of an operand, a result, random bits. */
static unsigned digits_of(unsigned bits)
{
    return (bits + 3) / 4;
}

static char *put_hex(char *out, uint64_t value, unsigned digits)
{
    static const char hex[] = "0123456789ABCDEF";
    for (unsigned i = digits; i-- > 0; value >>= 4) {
        out[i] = hex[value & 15];
    }
    return out + digits;
}

static char *put_separated(char *out, uint64_t value, unsigned digits, char separator)
{
    out = put_hex(out, value, digits);
    *out = separator;
    return out + 1;
}

size_t bnd_vector_write(char *out, size_t size, uint64_t *next, const bnd_vector_plan *plan, uint64_t first,
                        uint64_t end, bnd_vector_form form)
{
    const bnd_vectors *v = plan->vectors;
    unsigned digits[BND_VECTOR_OPERANDS_MAX], bits = bnd_rule_random_bits(v->rule), line = 0;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], random, index = first;
    uint32_t mask = bndi_vector_flags(v);
    char *at = out, separator = form == BND_VECTOR_FORM_MEMH ? '_' : ' ';
    for (unsigned i = 0; i < v->operands; i++) {
        digits[i] = digits_of(bnd_vectors_format(v, i)->width);
        line += digits[i] + 1;
    }
    line += digits_of(bits) + 1 + digits_of(v->out.width) + 4;
    for (; index < end && size - (size_t)(at - out) >= line; index++) {
        bnd_vector_case(operands, &random, plan, index);
        for (unsigned i = 0; i < v->operands; i++) {
            at = put_separated(at, operands[i], digits[i], separator);
        }
        if (bits > 0) {
            at = put_separated(at, random, digits_of(bits), separator);
        }
        if (form == BND_VECTOR_FORM_QUESTION) {
            at[-1] = '\n';
        } else {
            bnd_result r = bnd_vector_answer(v, operands, v->rule, random);
            at = put_separated(at, r.code, digits_of(v->out.width), separator);
            at = put_separated(at, r.flags & mask, 2, '\n');
        }
    }
    *next = index;
    return (size_t)(at - out);
}

/* ---- reading ---- */

/* The kind of a byte: a digit's value plus one, SEPARATOR, or 0 for all others. A table, since reading spends most
 * of its time on this. */
enum { SEPARATOR = 17 };
static const uint8_t kinds_of_bytes[256] = {
    ['0'] = 1,          ['1'] = 2,          ['2'] = 3,          ['3'] = 4,         ['4'] = 5,
    ['5'] = 6,          ['6'] = 7,          ['7'] = 8,          ['8'] = 9,         ['9'] = 10,
    ['a'] = 11,         ['b'] = 12,         ['c'] = 13,         ['d'] = 14,        ['e'] = 15,
    ['f'] = 16,         ['A'] = 11,         ['B'] = 12,         ['C'] = 13,        ['D'] = 14,
    ['E'] = 15,         ['F'] = 16,         [' '] = SEPARATOR,  ['_'] = SEPARATOR, ['\t'] = SEPARATOR,
    ['\n'] = SEPARATOR, ['\v'] = SEPARATOR, ['\f'] = SEPARATOR, ['\r'] = SEPARATOR};

static unsigned kind_of(char c)
{
    return kinds_of_bytes[(unsigned char)c];
}

/* A field of a line: a number, and its position. */
typedef struct field {
    uint64_t value;
    size_t at, length;
} field;

static bnd_status read_field(field *out, const char *text, size_t length, size_t at, bnd_error *why)
{
    uint64_t value = 0;
    unsigned kind;
    *out = (field){.at = at};
    for (; at < length && (kind = kind_of(text[at])) != SEPARATOR; at++) {
        if (kind == 0) {
            char c = text[at];
            bool printable = c > ' ' && c <= '~';
            return bnd_fail(why, BND_BAD_SYNTAX, at, "column %zu: expected a hexadecimal digit, got %s%c%s", at + 1,
                            printable ? "'" : "a control or non-ASCII byte (", printable ? c : '?',
                            printable ? "'" : ")");
        }
        if (value >> 60 != 0) {
            return bnd_fail(why, BND_BAD_SYNTAX, out->at, "column %zu: a number must have at most 64 bits",
                            out->at + 1);
        }
        value = value << 4 | (kind - 1);
    }
    out->value = value;
    out->length = at - out->at;
    return BND_OK;
}

static bnd_status refuse_width(const field *f, unsigned bits, const char *what, const char *name, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_SYNTAX, f->at, "column %zu: %s of %s must have at most %u bits", f->at + 1, what, name,
                    bits);
}

static bool fits(uint64_t value, unsigned bits)
{
    return bits >= 64 || value >> bits == 0;
}

static bnd_status refuse_count(const bnd_vectors *v, size_t found, bnd_vector_answer_form form, bnd_error *why)
{
    unsigned bits = bnd_rule_random_bits(v->rule);
    return bnd_fail(why, BND_BAD_SYNTAX, 0, "got %zu numbers; expected %u operand%s%s, the result and the flags%s",
                    found, v->operands, v->operands == 1 ? "" : "s", bits > 0 ? ", random bits" : "",
                    form == BND_VECTOR_ANSWER_ANY ? ", or only the result and the flags" : "");
}

/* Numbers of a line in order; more than `most` of them are counted and not kept. */
static bnd_status read_fields(field *out, size_t most, size_t *count, const char *text, size_t length, bnd_error *why)
{
    size_t at = 0;
    *count = 0;
    for (;;) {
        while (at < length && kind_of(text[at]) == SEPARATOR) {
            at++;
        }
        if (at == length) {
            return BND_OK;
        }
        field f;
        bnd_status status = read_field(&f, text, length, at, why);
        if (status != BND_OK) {
            return status;
        }
        if (*count < most) {
            out[*count] = f;
        }
        ++*count;
        at = f.at + f.length;
    }
}

bnd_status bnd_vector_parse_n(bnd_vector_line *out, const bnd_vectors *v, bnd_vector_answer_form form, const char *text,
                              size_t length, bnd_error *why)
{
    field fields[BND_VECTOR_OPERANDS_MAX + 3];
    unsigned bits = bnd_rule_random_bits(v->rule);
    size_t count, before = v->operands + (bits > 0), most = sizeof fields / sizeof fields[0];
    bnd_status status = read_fields(fields, most, &count, text, length, why);
    if (status != BND_OK) {
        return status;
    }
    bool alone = form == BND_VECTOR_ANSWER_ANY && (count == 1 || count == 2) && count < before + 2 &&
                 (count == 1 || before != 1 || fields[0].length == digits_of(v->out.width));
    if (!alone && count != before + 1 && count != before + 2) {
        return refuse_count(v, count, form, why);
    }
    size_t first = alone ? 0 : before;
    bnd_vector_line line = {.operands = out->operands, .code = fields[first].value, .has_operands = !alone};
    line.has_flags = count == first + 2;
    if (!fits(line.code, v->out.width)) {
        return refuse_width(&fields[first], v->out.width, "a result", v->out.name, why);
    }
    if (line.has_flags && fields[first + 1].value > BND_FLAG_ALL) {
        return bnd_fail(why, BND_BAD_SYNTAX, fields[first + 1].at, "column %zu: flags must be at most 7F",
                        fields[first + 1].at + 1);
    }
    line.flags = line.has_flags ? (uint32_t)fields[first + 1].value : 0;
    for (unsigned i = 0; !alone && i < v->operands; i++) {
        const bnd_format *f = bnd_vectors_format(v, i);
        if (!fits(fields[i].value, f->width)) {
            return refuse_width(&fields[i], f->width, "an operand", f->name, why);
        }
    }
    if (!alone && bits > 0) {
        line.random = fields[v->operands].value;
        if (!fits(line.random, bits)) {
            return refuse_width(&fields[v->operands], bits, "the random number",
                                bnd_rounding_name(bnd_rule_rounding(v->rule)), why);
        }
    }
    for (unsigned i = 0; !alone && i < v->operands; i++) {
        out->operands[i] = fields[i].value;
    }
    *out = line;
    return BND_OK;
}
