/* Writes what the native library answers, for tests/npm/compare.mjs to compare with the npm package: a line per case in
 * FOLDER/cases.txt, and the inputs of arrays in FOLDER/inputs. With names of a case's format and rule, the codes of one
 * array go to FOLDER/codes instead, so that the first difference can be found.
 *     native FOLDER [FORMAT ROUND OVERFLOW WIDE] */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 64 };

static bnd_format formats[NAMES];
static size_t format_count;

/* Formats of every kind: the table, P3109's, and custom ones, up to the widest. */
static void read_formats(void)
{
    static const char *const more[] = {"binary8p3se", "binary8p4sf", "binary8p1uf", "binary6p3se", "binary12p5se",
                                       "e6m9",        "e5m10b12fn",  "ue6m2fn",     "e11m40",      "e1m3",
                                       "e15m48",      "e8m23fnuz",   "e3m0"};
    for (size_t row = 0; row < bnd_format_count() && format_count < NAMES; row++) {
        formats[format_count++] = *bnd_format_at(row);
    }
    for (size_t i = 0; i < sizeof more / sizeof more[0] && format_count < NAMES; i++) {
        format_count += bnd_format_parse(&formats[format_count], more[i], NULL) == BND_OK;
    }
}

const bnd_format *any_format(void)
{
    return &formats[any(format_count)];
}

uint64_t any(uint64_t count)
{
    static uint64_t at;
    uint64_t bits = bnd_random(18, 0, at++);
    return count == 0 ? bits : bits % count;
}

uint64_t any_code(const bnd_format *f)
{
    uint64_t bits = any(0);
    return f->width < 64 ? bits & ((UINT64_C(1) << f->width) - 1) : bits;
}

/* Doubles of every size, with many near a format's range, and many ties. */
double any_double(void)
{
    uint64_t bits = any(0);
    double x;
    if (any(4) != 0) {
        uint64_t exponent = 1023 - 40 + any(80), fraction = any(2) == 0 ? bits : bits & ~UINT64_C(0) << (40 + any(12));
        bits = (bits & UINT64_C(1) << 63) | exponent << 52 | (fraction & ((UINT64_C(1) << 52) - 1));
    }
    memcpy(&x, &bits, sizeof x);
    return x != x ? 0.5 : x; /* JavaScript tells no NaN from another */
}

/* ---- rules ---- */

static const char *const rounding_names[] = {"rne",  "rna",   "rtz",   "rup", "rdn",      "rto",
                                             "sr:5", "sra:9", "srb:3", "sr",  "sr-equal", ""};
enum { ROUNDING_NAMES = sizeof rounding_names / sizeof rounding_names[0] };

bool take_rule(rule_names *names, const bnd_format *f)
{
    bnd_rule rule = {0};
    size_t dialect;
    bool good = true;
    if (names->dialect[0] != '\0') {
        good = bnd_dialect_parse(&dialect, names->dialect, NULL) == BND_OK && bnd_dialect_rule(&rule, dialect, f);
    }
    if (names->rounding[0] != '\0') {
        good = good && bnd_rounding_parse(&rule, names->rounding, NULL) == BND_OK;
    }
    if (names->overflow[0] != '\0') {
        good = good && bnd_overflow_parse(&rule, names->overflow, NULL) == BND_OK;
    }
    if (names->nan[0] != '\0') {
        good = good && bnd_nan_parse(&rule, names->nan, NULL) == BND_OK;
    }
    rule.flush_in = (names->choices & 1) != 0;
    rule.flush_out = (uint8_t)((names->choices & 8) != 0 ? BND_FLUSH_TINY : names->choices >> 1 & 1);
    rule.tiny_before = (names->choices & 4) != 0;
    names->rule = rule;
    return good;
}

rule_names any_rule(const bnd_format *f)
{
    rule_names names = {"", rounding_names[any(ROUNDING_NAMES)], "", "", 0, {0}};
    if (any(2) == 0) {
        names.overflow = bnd_overflow_name((bnd_overflow)any(BND_OVERFLOW_COUNT));
    }
    if (any(3) == 0) {
        names.nan = bnd_nan_name((bnd_nan)any(BND_NAN_COUNT));
    }
    if (any(4) == 0) {
        names.choices = (unsigned)any(16);
    }
    if (any(4) == 0) {
        names.dialect = bnd_dialect_name(any(bnd_dialect_count()));
    }
    if (!take_rule(&names, f)) {
        names.dialect = "";
        (void)take_rule(&names, f);
    }
    return names;
}

void print_rule(FILE *out, const rule_names *names)
{
    fprintf(out, "\t%s\t%s\t%s\t%s\t%u", names->dialect, names->rounding, names->overflow, names->nan, names->choices);
}

/* ---- results ---- */

void print_value(FILE *out, const bnd_format *f, uint64_t code)
{
    static char text[1 << 17];
    (void)bnd_print_exact(text, sizeof text, bnd_unpack(f, code), BND_NOTATION_AUTO);
    fprintf(out, "\t%s", text);
    (void)bnd_print_bits(text, sizeof text, f, code);
    fprintf(out, "\t%s", text);
    double value = bnd_decode(f, code);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fprintf(out, "\t%llx\n", value != value ? 0ULL : (unsigned long long)bits);
}

void print_result(FILE *out, const bnd_format *f, bnd_result r)
{
    fprintf(out, "\t%llx\t%u\t%d", (unsigned long long)r.code, (unsigned)r.flags, (int)r.ternary);
    print_value(out, f, r.code);
}

int main(int argc, char **argv)
{
    char path[4096];
    read_formats();
    if (argc == 6) {
        return write_codes(argv);
    }
    snprintf(path, sizeof path, "%s/cases.txt", argc == 2 ? argv[1] : ".");
    FILE *out = fopen(path, "w");
    if (argc != 2 || out == NULL) {
        fprintf(stderr, "native FOLDER [FORMAT ROUND OVERFLOW WIDE]\n");
        return 99;
    }
    for (size_t i = 0; i < format_count; i++) {
        write_specials(out, &formats[i]);
    }
    write_numbers(out);
    write_operations(out);
    write_explanations(out);
    bool good = write_arrays(out, argv[1], formats, format_count);
    write_blocks(out);
    return fclose(out) == 0 && good ? 0 : 99;
}
