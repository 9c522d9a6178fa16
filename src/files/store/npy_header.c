/* The header of a .npy file, read by this grammar and no other (blanks may stand between any two parts):
 *
 *     header   { [member { , member } [,]] }
 *     member   'descr' : string  |  'fortran_order' : True or False  |  'shape' : tuple
 *     tuple    ( [number , [number { , number } [,]]] )
 *     number   decimal digits without a leading 0, then L or nothing (Python 2 wrote it)
 *     string   between ' or between ", without backslashes and zero bytes
 *
 * Each member occurs exactly once. */
#include "store/store.h"

#include <string.h>

enum { MAGIC = 6, SHORT_START = 10 }; /* "\x93NUMPY"; version 1 has two bytes of length, later ones four */

typedef struct reader {
    const char *text;
    size_t size, at;
    bnd_npy *npy;
    bnd_error *why;
} reader;

bool bnd_npy_begins(const void *bytes, size_t length)
{
    return length >= MAGIC && memcmp(bytes, "\x93NUMPY", MAGIC) == 0;
}

bnd_status bnd_npy_measure(size_t *header_size, const void *start, size_t length, uint64_t file_size, bnd_error *why)
{
    const unsigned char *byte = start;
    if (!bnd_npy_begins(start, length)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is not a .npy file");
    }
    if (length < MAGIC + 2) {
        return bnd_fail(why, BND_BAD_FILE, length, "is truncated: it ends after %zu bytes, inside the header", length);
    }
    unsigned major = byte[6], minor = byte[7];
    if (major < 1 || major > 3 || minor != 0) {
        return bnd_fail(why, BND_BAD_FILE, 6, "has .npy version %u.%u; expected 1.0, 2.0 or 3.0", major, minor);
    }
    size_t before = major == 1 ? SHORT_START : BND_NPY_START;
    if (length < before) {
        return bnd_fail(why, BND_BAD_FILE, length, "is truncated: it ends after %zu bytes, inside the header", length);
    }
    size_t text = byte[8] | (size_t)byte[9] << 8;
    text |= major == 1 ? 0 : (size_t)byte[10] << 16 | (size_t)byte[11] << 24;
    if (file_size < before || text > file_size - before) {
        return bnd_fail(why, BND_BAD_FILE, 8, "is truncated: its header needs %zu bytes, and fewer are left", text);
    }
    if (text > BND_NPY_HEADER_MAX) {
        return bnd_fail(why, BND_BAD_FILE, 8, "has a header of %zu bytes; the limit is %d", text,
                        (int)BND_NPY_HEADER_MAX);
    }
    *header_size = before + text;
    return BND_OK;
}

/* ---- the grammar ---- */

static void skip_blanks(reader *r)
{
    while (r->at < r->size && r->text[r->at] != '\0' && strchr(" \t\r\n\f", r->text[r->at]) != NULL) {
        r->at++;
    }
}

static bnd_status expected(const reader *r, const char *what)
{
    if (r->at >= r->size) {
        return bnd_fail(r->why, BND_BAD_FILE, r->at, "the header ends; expected %s", what);
    }
    unsigned char c = (unsigned char)r->text[r->at];
    if (c >= 0x20 && c < 0x7f) {
        return bnd_fail(r->why, BND_BAD_FILE, r->at, "byte %zu of the header is '%c'; expected %s", r->at, c, what);
    }
    return bnd_fail(r->why, BND_BAD_FILE, r->at, "byte %zu of the header is 0x%llx; expected %s", r->at,
                    (unsigned long long)c, what);
}

static bool next_is(reader *r, char c)
{
    skip_blanks(r);
    if (r->at < r->size && r->text[r->at] == c) {
        r->at++;
        return true;
    }
    return false;
}

static bool next_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(r);
    if (r->size - r->at >= length && memcmp(r->text + r->at, word, length) == 0) {
        r->at += length;
        return true;
    }
    return false;
}

/* Reads a string between two quotes. */
static bnd_status read_string(reader *r, const char **text, size_t *length, const char *what)
{
    char quote = '\'';
    if (!next_is(r, quote)) {
        quote = '"';
        if (!next_is(r, quote)) {
            return expected(r, what);
        }
    }
    size_t from = r->at;
    while (r->at < r->size && r->text[r->at] != quote && r->text[r->at] != '\\' && r->text[r->at] != '\n' &&
           r->text[r->at] != '\0') {
        r->at++;
    }
    if (r->at >= r->size || r->text[r->at] != quote) {
        return expected(r, "the end of a string");
    }
    *text = r->text + from;
    *length = r->at++ - from;
    return BND_OK;
}

static bnd_status read_descr(reader *r)
{
    const char *text;
    size_t length;
    skip_blanks(r);
    if (r->at < r->size && (r->text[r->at] == '[' || r->text[r->at] == '(')) {
        return bnd_fail(r->why, BND_BAD_FILE, r->at, "expected numbers as elements, got structures");
    }
    size_t at = r->at;
    bnd_status status = read_string(r, &text, &length, "the type of the elements");
    return status == BND_OK ? bndi_npy_element(r->npy, text, length, at, r->why) : status;
}

static bnd_status read_order(reader *r)
{
    r->npy->fortran_order = next_word(r, "True");
    return r->npy->fortran_order || next_word(r, "False") ? BND_OK : expected(r, "True or False");
}

static bool is_digit(const reader *r)
{
    return r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9';
}

static bnd_status read_dimension(reader *r)
{
    skip_blanks(r);
    size_t from = r->at;
    uint64_t value = 0;
    if (r->at < r->size && r->text[r->at] == '-') {
        return bnd_fail(r->why, BND_BAD_FILE, r->at, "a dimension must not be negative (byte %zu of the header)",
                        r->at);
    }
    if (!is_digit(r)) {
        return expected(r, "a dimension");
    }
    for (; is_digit(r); r->at++) {
        unsigned digit = (unsigned)(r->text[r->at] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return bnd_fail(r->why, BND_BAD_FILE, from, "a dimension must be less than 2^64");
        }
        value = 10 * value + digit;
    }
    if (r->text[from] == '0' && r->at - from > 1) {
        return bnd_fail(r->why, BND_BAD_FILE, from, "a dimension must not begin with 0 (byte %zu of the header)", from);
    }
    if (r->at < r->size && r->text[r->at] == 'L') {
        r->at++;
    }
    if (r->npy->rank == BND_NPY_RANK_MAX) {
        return bnd_fail(r->why, BND_BAD_FILE, from, "must have at most %d dimensions", (int)BND_NPY_RANK_MAX);
    }
    r->npy->shape[r->npy->rank++] = value;
    return BND_OK;
}

static bnd_status read_shape(reader *r)
{
    if (!next_is(r, '(')) {
        return expected(r, "a tuple of dimensions");
    }
    bool comma = true;
    while (!next_is(r, ')')) {
        bnd_status status = comma ? read_dimension(r) : expected(r, "',' or ')'");
        if (status != BND_OK) {
            return status;
        }
        comma = next_is(r, ',');
    }
    if (r->npy->rank == 1 && !comma) {
        return bnd_fail(r->why, BND_BAD_FILE, r->at, "expected a tuple as the shape, got a number");
    }
    return BND_OK;
}

typedef struct member {
    const char *name;
    bnd_status (*read)(reader *r);
} member;

static const member members[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
enum { MEMBERS = sizeof members / sizeof members[0] };

/* One member; `seen` has a bit for each that has been. */
static bnd_status read_member(reader *r, unsigned *seen)
{
    const char *name;
    size_t length, at;
    skip_blanks(r);
    at = r->at;
    bnd_status status = read_string(r, &name, &length, "the name of a member");
    if (status != BND_OK) {
        return status;
    }
    for (unsigned i = 0; i < MEMBERS; i++) {
        if (length != strlen(members[i].name) || memcmp(name, members[i].name, length) != 0) {
            continue;
        }
        if ((*seen >> i & 1) != 0) {
            return bnd_fail(r->why, BND_BAD_FILE, at, "duplicate member '%s' in the header", members[i].name);
        }
        *seen |= 1u << i;
        return next_is(r, ':') ? members[i].read(r) : expected(r, "':'");
    }
    return bnd_fail(r->why, BND_BAD_FILE, at,
                    "byte %zu of the header: unknown member (available: descr, fortran_order, shape)", at);
}

static bnd_status read_members(reader *r, unsigned *seen)
{
    if (!next_is(r, '{')) {
        return expected(r, "'{'");
    }
    bool comma = true;
    while (!next_is(r, '}')) {
        bnd_status status = comma ? read_member(r, seen) : expected(r, "',' or '}'");
        if (status != BND_OK) {
            return status;
        }
        comma = next_is(r, ',');
    }
    skip_blanks(r);
    return r->at == r->size ? BND_OK : expected(r, "nothing but blanks");
}

bnd_status bnd_npy_parse(bnd_npy *out, const void *header, size_t header_size, bnd_error *why)
{
    size_t measured;
    bnd_status status = bnd_npy_measure(&measured, header, header_size, header_size, why);
    if (status != BND_OK) {
        return status;
    }
    const unsigned char *byte = header;
    bnd_npy npy = {.version = byte[6], .header_size = measured};
    reader r = {
        .text = header, .size = measured, .at = byte[6] == 1 ? SHORT_START : BND_NPY_START, .npy = &npy, .why = why};
    unsigned seen = 0;
    status = read_members(&r, &seen);
    for (unsigned i = 0; status == BND_OK && i < MEMBERS; i++) {
        if ((seen >> i & 1) == 0) {
            status = bnd_fail(why, BND_BAD_FILE, r.at, "member '%s' is missing from the header", members[i].name);
        }
    }
    if (status == BND_OK) {
        status = bndi_npy_count(&npy, why);
    }
    if (status == BND_OK) {
        *out = npy;
    }
    return status;
}

bnd_status bnd_npy_check_size(const bnd_npy *npy, uint64_t file_size, bnd_error *why)
{
    uint64_t held = file_size > npy->header_size ? file_size - npy->header_size : 0;
    if (held != npy->data_size) {
        return bnd_fail(why, BND_BAD_FILE, npy->header_size, "the shape needs %llu bytes of data; the file has %llu",
                        (unsigned long long)npy->data_size, (unsigned long long)held);
    }
    return BND_OK;
}
