/* The element types of .npy files, and the writer of their headers. */
#include "bulk/bulk.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

/* ---- reading a descr ---- */

static bool one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bnd_status refuse(const char *descr, size_t length, size_t at, const char *reason, bnd_error *why)
{
    enum { SHOWN = 40 };
    return bnd_fail(why, BND_BAD_FILE, at, "element type '%.*s'%s: %s", (int)(length < SHOWN ? length : SHOWN), descr,
                    length > SHOWN ? "..." : "", reason);
}

static const char *reason_against(char kind)
{
    switch (kind) {
    case 'O':
        return "expected numbers, got Python objects";
    case 'c':
        return "complex numbers cannot be read; view them as pairs first";
    case 'b':
        return "expected numbers, got truth values";
    case 'S':
    case 'a':
    case 'U':
        return "expected numbers, got text";
    case 'M':
    case 'm':
        return "expected numbers, got dates or times";
    default:
        return "unknown type (available: f2, f4, f8, integers, V1, V2, V4, V8, bfloat16)";
    }
}

/* A name such as bfloat16 or float8_e4m3fn (but not f4, which names two), where a byte order, a letter and a size could
 * stand. */
static bool is_format_name(bnd_npy *out, const char *descr, size_t length)
{
    bnd_format f;
    bool is_float = length > 6 && memcmp(descr + (descr[0] == 'b'), "float", 5) == 0;
    if (!is_float || bnd_format_parse_n(&f, descr, length, NULL) != BND_OK || f.row < 0 || f.width == 0) {
        return false;
    }
    out->kind = BND_NPY_OPAQUE;
    out->element_size = (uint8_t)bnd_codes_size(&f, 1, BND_PACKING_UNPACKED);
    return true;
}

bnd_status bndi_npy_element(bnd_npy *out, const char *descr, size_t length, size_t at, bnd_error *why)
{
    if (length == 0 || length >= BND_NPY_DESCR_SIZE) {
        return refuse(descr, length, at, reason_against('?'), why);
    }
    memcpy(out->descr, descr, length);
    out->descr[length] = '\0';
    if (length < 2 || !one_of(descr[0], "<>|=")) {
        return is_format_name(out, descr, length) ? BND_OK : refuse(descr, length, at, reason_against('?'), why);
    }
    char kind = descr[1];
    if (!one_of(kind, "fiuV")) {
        return refuse(descr, length, at, reason_against(kind), why);
    }
    char size = length == 3 ? descr[2] : '?';
    if (!one_of(size, "1248")) {
        return refuse(descr, length, at, "elements must have 1, 2, 4 or 8 bytes", why);
    }
    if (descr[0] == '=' || (descr[0] == '|' && size != '1' && kind != 'V')) {
        return refuse(descr, length, at, "the byte order is missing; it must be < or >", why);
    }
    out->element_size = (uint8_t)(size - '0');
    out->big_endian = descr[0] == '>' && size != '1';
    bool is_float = kind == 'f' && size != '1';
    out->kind = is_float ? BND_NPY_FLOAT : kind == 'i' || kind == 'u' ? BND_NPY_INTEGER : BND_NPY_OPAQUE;
    return BND_OK;
}

/* ---- formats of elements ---- */

static bool is_tf32(const bnd_format *f)
{
    return bnd_lab_storage_of(f, BND_PACKING_PACKED).shift != 0;
}

bnd_packing bnd_npy_packing(const bnd_format *f)
{
    return is_tf32(f) ? BND_PACKING_PACKED : BND_PACKING_UNPACKED;
}

static bnd_format float_of(const bnd_npy *npy)
{
    const bnd_format_row row = npy->element_size == 2   ? BND_FORMAT_FP16
                               : npy->element_size == 4 ? BND_FORMAT_FP32
                                                        : BND_FORMAT_FP64;
    return *bnd_format_at(row);
}

bnd_status bnd_npy_format(bnd_format *out, const bnd_npy *npy, const bnd_format *asked, bnd_error *why)
{
    bool is_float = npy->kind == BND_NPY_FLOAT;
    bnd_format own = float_of(npy);
    if (asked == NULL) {
        if (!is_float) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "element type '%s' does not say which format the codes have",
                            npy->descr);
        }
        *out = own;
        return BND_OK;
    }
    size_t size = bnd_codes_size(asked, 1, bnd_npy_packing(asked));
    if (asked->width == 0 || size != npy->element_size) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "element type '%s' has %u bytes per element; codes of %s need %zu",
                        npy->descr, (unsigned)npy->element_size, asked->name, size);
    }
    if (is_float && !bnd_format_same(asked, &own) && !is_tf32(asked)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "element type '%s' is %s, not %s", npy->descr, own.name, asked->name);
    }
    *out = *asked;
    return BND_OK;
}

/* ---- writing ---- */

/* numpy's own types where there are some; bytes without a meaning, as ml_dtypes has them, for the rest. */
bnd_status bnd_npy_describe(bnd_npy *npy, const bnd_format *f, bnd_error *why)
{
    unsigned size = (unsigned)bnd_codes_size(f, 1, bnd_npy_packing(f));
    if (size == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes", f->name);
    }
    bnd_npy made = *npy;
    made.element_size = (uint8_t)size;
    bnd_format own = float_of(&made);
    bool is_float = size > 1 && (bnd_format_same(f, &own) || is_tf32(f));
    made.kind = is_float ? BND_NPY_FLOAT : BND_NPY_OPAQUE;
    made.version = 1;
    made.big_endian = false;
    snprintf(made.descr, sizeof made.descr, "%c%c%u", size > 1 ? '<' : '|', is_float ? 'f' : 'V', size);
    bnd_status status = bndi_npy_count(&made, why);
    if (status != BND_OK) {
        return status;
    }
    made.header_size = bnd_npy_print(NULL, 0, &made);
    *npy = made;
    return BND_OK;
}

size_t bnd_npy_print(void *out, size_t size, const bnd_npy *npy)
{
    /* 64 dimensions of 20 digits, each with a comma and a blank, and the text around them. */
    enum { START = 10, LINE = 64, ROOM = 64 * 22 + 3 * LINE, WIDEST = 20 };
    char text[ROOM];
    size_t at = START;
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    at += (size_t)snprintf(text + at, ROOM - at, "{'descr': '%s', 'fortran_order': %s, 'shape': (", npy->descr,
                           npy->fortran_order ? "True" : "False");
    size_t widest = at + WIDEST;
    for (size_t i = 0; i < npy->rank; i++) {
        at += (size_t)snprintf(text + at, ROOM - at, "%s%llu", i > 0 ? ", " : "", (unsigned long long)npy->shape[i]);
    }
    size_t least = npy->rank == 1 ? widest - at : 0; /* blanks, so that the length can be rewritten later */
    at += (size_t)snprintf(text + at, ROOM - at, "%s), }", npy->rank == 1 ? "," : "");
    size_t whole = (at + least + 1 + LINE - 1) / LINE * LINE;
    memset(text + at, ' ', whole - at - 1);
    text[whole - 1] = '\n';
    text[8] = (char)((whole - START) & 0xff);
    text[9] = (char)((whole - START) >> 8);
    if (size > 0) {
        memcpy(out, text, whole < size ? whole : size);
    }
    return whole;
}
