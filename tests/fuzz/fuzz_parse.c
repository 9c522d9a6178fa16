/* Any bytes into everything that reads text: names of formats, numbers, differences. What is accepted must hold its
 * promises, and the program aborts where it does not. */
#include "tests/fuzz/fuzz.h"

#include <binade-lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 120000 }; /* for 100,000 digits and what stands around them */

static bool same_exact(bnd_exact a, bnd_exact b)
{
    if (a.kind != b.kind || a.negative != b.negative) {
        return false;
    }
    if (a.kind == BND_KIND_QUIET_NAN || a.kind == BND_KIND_SIGNALING_NAN) {
        return a.high == b.high;
    }
    return a.kind != BND_KIND_FINITE || bnd_exact_compare(a, b) == 0;
}

/* Names of formats: what is accepted is named in a way that gives the same format again. */
static void try_format_name(const char *text, size_t size)
{
    bnd_format f, again;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_format_parse_n(&f, text, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        return;
    }
    require(bnd_format_parse(&again, f.name, NULL) == BND_OK && bnd_format_same(&f, &again),
            "a format's name is its name");
    bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
    char out[64];
    bnd_exact value = bnd_round_exact(&f, one, (bnd_rule){0}, 0).value;
    require(bnd_print_shortest(out, sizeof out, &f, value) < sizeof out, "the shortest decimal is short");
    if (f.width != 0) {
        require(same_exact(bnd_unpack(&f, bnd_pack(&f, value)), value), "a value survives its code");
    }
}

/* A value with all its digits, and in hexadecimal, reads back as itself. `value` is not sticky. */
static void try_printing(bnd_exact value)
{
    static char out[ROOM];
    bnd_exact read = {0};
    size_t length = bnd_print_exact(out, sizeof out, value, BND_NOTATION_AUTO);
    require(length < sizeof out && strlen(out) == length, "the exact text has the length that was said");
    require(bnd_parse_exact_n(&read, out, length, NULL) == BND_OK && !read.sticky && same_exact(read, value),
            "the exact decimal reads back");
    length = bnd_print_hex(out, sizeof out, value);
    require(bnd_parse_exact_n(&read, out, length, NULL) == BND_OK && !read.sticky && same_exact(read, value),
            "the hexadecimal float reads back");
    length = bnd_print_digits(out, sizeof out, value, 17);
    require(bnd_parse_exact_n(&read, out, length, NULL) == BND_OK, "seventeen digits are a number");
}

static void try_shortest(const bnd_format *f, bnd_exact value)
{
    char out[64];
    bnd_exact read = {0};
    size_t length = bnd_print_shortest(out, sizeof out, f, value);
    require(length < sizeof out && bnd_parse_exact_n(&read, out, length, NULL) == BND_OK, "the shortest is a number");
    bnd_exact back = bnd_round_exact(f, read, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).value;
    bool nan = value.kind == BND_KIND_QUIET_NAN || value.kind == BND_KIND_SIGNALING_NAN;
    require(nan ? back.kind == BND_KIND_QUIET_NAN || !f->has_nan : same_exact(back, value), "the shortest reads back");
}

/* The error of a rounding, exactly: zero where the text is exact, and only there. */
static void try_difference(bnd_exact value, const char *text, size_t size, bool exact)
{
    static char out[ROOM];
    size_t length = 0;
    bnd_error why = {.status = BND_OK};
    bnd_number number = {.count = 0};
    bnd_status status = bnd_number_parse_n(&number, text, size, &why);
    if (status == BND_OK) {
        status = bnd_print_error(&length, out, sizeof out, value, &number, BND_NOTATION_AUTO, &why);
    }
    if (status == BND_OK) {
        require(length < sizeof out && (strcmp(out, "0") == 0) == exact, "the error is zero where nothing was rounded");
    } else {
        require_explained(status, &why, size);
    }
    double quotient;
    bnd_exact unit = {.low = 3, .exponent = -5, .kind = BND_KIND_FINITE};
    if (bnd_relative_error(&quotient, value, &number, NULL) == BND_OK && exact) {
        require(quotient == 0, "nothing rounded, no relative error");
    }
    if (bnd_error_in_units(&quotient, value, &number, unit, NULL) == BND_OK && exact) {
        require(quotient == 0, "nothing rounded, no error in units");
    }
}

static void try_number(const char *text, size_t size)
{
    static const char *const names[] = {"fp64", "fp16", "e4m3", "e8m0", "e15m48", "binary8p1uf"};
    bnd_error why = {.status = BND_OK};
    bnd_exact read = {0};
    bnd_status status = bnd_parse_exact_n(&read, text, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f;
        require(bnd_format_parse(&f, names[i], NULL) == BND_OK, "the formats are there");
        bnd_rule rule = {.rounding = (uint8_t)(size % BND_ROUND_COUNT), .nan = BND_NAN_PROPAGATE};
        bnd_result result;
        require(bnd_parse_n(&result, &f, text, size, rule, size, NULL) == status, "both readers agree");
        if (status != BND_OK) {
            continue;
        }
        require(result.code == bnd_encode_exact(&f, read, rule, size).code, "both readers give the same");
        bnd_exact value = bnd_unpack(&f, result.code);
        try_printing(value);
        try_shortest(&f, value);
        if ((value.kind == BND_KIND_FINITE || value.kind == BND_KIND_ZERO) &&
            (read.kind == BND_KIND_FINITE || read.kind == BND_KIND_ZERO)) {
            try_difference(value, text, size, result.ternary == 0);
        }
    }
    if (status == BND_OK && !read.sticky) {
        try_printing(read);
    }
}

/* Numbers with units: what is accepted is what it has to be, and reads back, to the digits that are written. */
static void try_quantity(const char *text, size_t size)
{
    char copy[64], written[64];
    if (size >= sizeof copy) {
        return;
    }
    if (size > 0) { /* an empty text may be NULL */
        memcpy(copy, text, size);
    }
    copy[size] = '\0';
    for (int kind = BND_QUANTITY_NUMBER; kind <= BND_QUANTITY_SHARE; kind++) {
        double x, again;
        bnd_error why = {.status = BND_OK};
        bnd_status status = bnd_quantity_parse(&x, copy, (bnd_quantity)kind, &why);
        if (status != BND_OK) {
            require_explained(status, &why, size);
            continue;
        }
        require(x > 0 && x - x == 0, "a quantity is greater than 0, and finite");
        require(kind != BND_QUANTITY_SHARE || x <= 1, "a share is at most 1");
        require(bnd_cost_number(written, sizeof written, x) < sizeof written, "a number is short");
        require(bnd_quantity_parse(&again, written, BND_QUANTITY_NUMBER, NULL) == BND_OK && again <= x * 1.0001 &&
                    again >= x * 0.9999,
                "a number reads back");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = tight_copy(data, size);
    try_format_name(text, size);
    try_number(text, size);
    try_quantity(text, size);
    free(text);
    return 0;
}

/* A third of the inputs are digits alone, a third the letters of numbers, a third those of names. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const alphabets[] = {"0123456789", "0123456789.eExXpP+-abcdfinstyINFATY()",
                                            "0123456789aebfimnopstuxyz"};
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[48];
        const char *alphabet = alphabets[i % 3];
        size_t size = bnd_random(seed, 0, i) % (sizeof data + 1), letters = strlen(alphabet);
        for (size_t k = 0; k < size; k++) {
            data[k] = (uint8_t)alphabet[bnd_random(seed, i + 1, k) % letters];
        }
        fuzz_input(data, size);
    }
}
