/* Any bytes as an expression. What is accepted must hold its promises, and the program aborts where it does not. */
#include "tests/fuzz/fuzz.h"

#include <binade-lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* Operands stand before their operation, and every term's text is within the expression. */
static void require_ordered(const bnd_term *terms, size_t count, size_t size)
{
    require(count > 0 && count <= size, "a term takes a byte at least");
    for (size_t i = 0; i < count; i++) {
        const bnd_term *t = &terms[i];
        require(t->from <= size && t->length <= size - t->from && t->length > 0, "a term stands in the text");
        require(t->operands <= BND_OPERANDS_MAX && (t->operands > 0) == (t->kind >= BND_TERM_OPERATION),
                "operations have operands");
        require(t->format_at <= size && t->format_length <= size - t->format_at, "a format stands in the text");
        require(bnd_term_name(t)[0] != '\0', "a term has a name");
        for (size_t k = 0; k < t->operands; k++) {
            require(t->operand[k] < i, "operands come first");
        }
    }
}

/* The value, the error and their texts: whatever comes of them, no byte is written past the end. */
static void try_values(const bnd_term *terms, size_t count, const char *text, const bnd_format *f)
{
    static char out[120000];
    bnd_result *results = fuzz_memory(count, sizeof *results);
    bnd_real *exact, *error;
    bnd_rule rule = {.rounding = (uint8_t)(count % BND_ROUND_COUNT), .overflow = (uint8_t)(count % BND_OVERFLOW_COUNT)};
    bnd_expression_round(results, terms, count, text, f, rule, count);
    for (size_t i = 0; i < count; i++) {
        bnd_format own = bnd_term_format(&terms[i], text, f);
        require(own.width == 64 || (own.width > 0 && results[i].code >> own.width == 0), "results are codes");
    }
    bnd_format last = bnd_term_format(&terms[count - 1], text, f);
    require(bnd_format_same(&last, f), "the whole has the format that was asked for");
    require(bnd_real_new_of_expression(&exact, terms, count, text, f, NULL) == BND_OK, "there is an exact value");
    require(bnd_real_new_of_error(&error, bnd_unpack(f, results[count - 1].code), exact, NULL) == BND_OK,
            "there is an error");
    size_t length = bnd_print_real(out, sizeof out, exact, BND_NOTATION_AUTO);
    require(length < sizeof out && strlen(out) == length, "a value is a text");
    length = bnd_print_real(out, 7, error, BND_NOTATION_AUTO);
    require(strlen(out) == (length < 7 ? length : 6), "a text is cut to its room");
    require(bnd_print_fraction(out, sizeof out, exact) < 64, "a fraction is short");
    bnd_exact unit = {.low = 1, .kind = BND_KIND_FINITE};
    bnd_known known = bnd_real_known(error);
    double units = bnd_real_in_units(error, unit);
    require((units != units) == (known != BND_KNOWN_EXACTLY && known != BND_KNOWN_DIGITS), "errors are numbers");
    bnd_real_free(error);
    bnd_real_free(exact);
    free(results);
}

/* The same text without a format: a value that any rounding can follow, or a refusal that says why. */
static void try_value(const char *text, size_t size)
{
    bnd_exact value = {0};
    bnd_real *exact = NULL;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_real_new_of_text_n(&value, &exact, text, size, &why);
    if (status != BND_OK) {
        require(exact == NULL && why.status == status && why.where <= size && why.message[0] != '\0',
                "a refusal says why and where");
        return;
    }
    bnd_known known = bnd_real_known(exact);
    bool finite = value.kind == BND_KIND_FINITE || value.kind == BND_KIND_ZERO;
    require(finite == (known == BND_KNOWN_EXACTLY || known == BND_KNOWN_DIGITS), "a value is of the number's kind");
    require(!value.sticky || value.high >> 63 == 1, "128 bits stand before a sticky one");
    require(!finite || bnd_real_sign(exact) == (value.kind == BND_KIND_ZERO ? 0
                                                : value.negative            ? -1
                                                                            : 1),
            "a value has the number's sign");
    bnd_real_free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fp16", "fp32", "e4m3", "e2m1", "fp64", "e8m0", "binary8p3se", "e15m20b9"};
    bnd_format f;
    size_t count = 0;
    bnd_error why = {.status = BND_OK};
    size = size < MOST ? size : MOST;
    require(bnd_format_parse(&f, names[size % 8], NULL) == BND_OK, "the formats are there");
    char *text = tight_copy(data, size);
    bnd_term *terms = fuzz_memory(size, sizeof *terms);
    bnd_status status = bnd_expression_parse_n(terms, size, &count, text, size, &f, &why);
    if (status != BND_OK) {
        require(why.status == status && why.where <= size && why.message[0] != '\0', "a refusal says why and where");
    } else {
        require_ordered(terms, count, size);
        try_values(terms, count, text, &f);
    }
    try_value(text, size);
    free(terms);
    free(text);
    return 0;
}

/* Pieces of expressions in a row, then up to three bytes replaced; one in four is left as it is. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const pieces[] = {"1",           "0.1",
                                         "-2.5e3",      "1e-30",
                                         "inf",         "nan(3)",
                                         "fp16:0x3c00", "+",
                                         "-",           "*",
                                         "/",           "(",
                                         ")",           ",",
                                         "sqrt(",       "fma(",
                                         "rem(",        "min(",
                                         "max(",        "abs(",
                                         "scalb(",      "logb(",
                                         "neg(",        "0",
                                         " ",           "0x1.8p3",
                                         "min_number(", "3)",
                                         "^",           "**",
                                         "pi",          "e",
                                         "sum(",        "1000)",
                                         "bf16(",       "e4m3(",
                                         "exp(",        "bf16:0x1",
                                         "\xcf\x80",    "\xe2\x88\x9a",
                                         "\xc2\xb2",    "\xe2\x88\x92",
                                         "\xc3\x97",    "\xc2\xa0",
                                         "^-1000000000"};
    static const char alphabet[] = "0123456789.eE+-*/(), xpsqrtabfmin:_^u\xe2\x88\x92\xc2";
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    for (uint64_t i = 0; i < count; i++) {
        char data[512] = "";
        size_t size = 0;
        for (uint64_t k = 0; k < 1 + bnd_random(seed, i, 0) % 12; k++) {
            size +=
                (size_t)snprintf(data + size, sizeof data - size, "%s", pieces[bnd_random(seed, i, 10 + k) % PIECES]);
        }
        for (uint64_t k = bnd_random(seed, i, 1) % 4; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            data[r % size] = alphabet[(r >> 32) % (sizeof alphabet - 1)];
        }
        fuzz_input((const uint8_t *)data, size);
    }
}
