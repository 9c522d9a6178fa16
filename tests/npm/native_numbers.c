/* Cases of single numbers: conversions, operations, comparisons, explanations. */
#include "native.h"

#include <string.h>

enum { RANDOM_NUMBERS = 100000, RANDOM_OPERATIONS = 40000, RANDOM_EXPLANATIONS = 4000 };

static unsigned long long random_bits(bnd_rule rule)
{
    unsigned bits = bnd_rule_random_bits(rule);
    return bits == 0 ? 0 : any(0) >> (64 - bits);
}

/* ---- conversions ---- */

static void write_text(FILE *out, const bnd_format *f, const rule_names *names, const char *text)
{
    bnd_result r;
    unsigned long long random = random_bits(names->rule);
    if (bnd_parse(&r, f, text, names->rule, random, NULL) == BND_OK) {
        fprintf(out, "E\t%s", f->name);
        print_rule(out, names);
        fprintf(out, "\t%llx\tt%s", random, text);
        print_result(out, f, r);
    }
}

/* Limits of the format, halves of its steps, and what lies just beyond. */
static void write_limits(FILE *out, const bnd_format *f, const rule_names *names)
{
    static char text[1 << 17];
    const bnd_exact limits[] = {
        {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE},
        {.high = f->max_significand >> 63,
         .low = f->max_significand << 1 | 1,
         .exponent = f->max_quantum - 1,
         .kind = BND_KIND_FINITE},
        {.low = f->normal_significand, .exponent = f->normal_quantum, .kind = BND_KIND_FINITE, .negative = true},
        {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE},
        {.low = f->least_significand, .exponent = f->least_quantum - 1, .kind = BND_KIND_FINITE, .negative = true},
        {.low = 3 * f->least_significand, .exponent = f->least_quantum - 1, .kind = BND_KIND_FINITE},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (bnd_print_hex(text, sizeof text, limits[i]) < sizeof text) {
            write_text(out, f, names, text);
        }
    }
}

void write_specials(FILE *out, const bnd_format *f)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "-1",
        "0.1",
        "-0.3",
        "465",
        "448",
        "464",
        "480",
        "240",
        "255",
        "6",
        "5",
        "7",
        "-2.5",
        "1.5",
        "57344",
        "61440",
        "65504",
        "65519.999",
        "65520",
        "1e-8",
        "-1e30",
        "1e400",
        "-1e-400",
        "1e-45",
        "7e-46",
        "4.9e-324",
        "2.4703282292062327e-324",
        "3.4028235677973366e38",
        "0x1.8p3",
        "0x1p-127",
        "0x1p-133",
        "0x1p-134",
        "0x1.fffffffffffff8p1023",
        "inf",
        "-inf",
        "nan",
        "-nan",
        "snan",
        "nan(0x7f)",
        "-snan(5)",
        "1e100000000",
        "0.333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333"};
    static char long_text[6000];
    for (unsigned rounding = 0; rounding < BND_ROUND_COUNT; rounding++) {
        for (unsigned choices = 0; choices < 16; choices += 3) {
            rule_names names = {"", bnd_rounding_name((bnd_rounding)rounding), "", "", choices, {0}};
            (void)take_rule(&names, f);
            for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                write_text(out, f, &names, texts[i]);
            }
            write_limits(out, f, &names);
        }
    }
    /* A number of thousands of digits needs memory. */
    memset(long_text, '0', sizeof long_text - 1);
    memcpy(long_text, "1.0625", 6);
    long_text[sizeof long_text - 2] = '1';
    rule_names plain = {"", "", "", "", 0, {0}};
    write_text(out, f, &plain, long_text);
}

static void write_number(FILE *out)
{
    const bnd_format *f = any_format();
    rule_names names = any_rule(f);
    unsigned long long random = random_bits(names.rule);
    bnd_result r;
    fprintf(out, "E\t%s", f->name);
    print_rule(out, &names);
    if (any(3) == 0) {
        const bnd_format *from = any_format();
        uint64_t code = any_code(from);
        r = bnd_convert(f, from, code, names.rule, random);
        fprintf(out, "\t%llx\tc%s:%llx", random, from->name, (unsigned long long)code);
    } else {
        double x = any_double();
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        r = bnd_encode(f, x, names.rule, random);
        fprintf(out, "\t%llx\td%llx", random, (unsigned long long)bits);
    }
    print_result(out, f, r);
}

void write_numbers(FILE *out)
{
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        write_number(out);
    }
}

/* ---- operations ---- */

static void write_operation(FILE *out)
{
    const bnd_format *to = any_format(), *from[BND_OPERANDS_MAX] = {any_format(), any_format(), any_format()};
    bnd_operation operation = (bnd_operation)any(BND_OP_COUNT);
    if (any(2) == 0) {
        from[0] = from[1] = from[2] = to;
    }
    if (bnd_operation_serves(operation, from, NULL) != BND_OK) {
        return;
    }
    uint64_t codes[BND_OPERANDS_MAX];
    for (unsigned i = 0; i < BND_OPERANDS_MAX; i++) {
        codes[i] = any_code(from[i]);
    }
    if (operation == BND_OP_SCALB) {
        codes[1] = any(60) - 30;
    }
    rule_names names = any_rule(to);
    unsigned long long random = random_bits(names.rule);
    bnd_result r = bnd_operate(to, operation, from, codes, names.rule, random);
    fprintf(out, "O\t%s", to->name);
    print_rule(out, &names);
    fprintf(out, "\t%llx\t%s", random, bnd_operation_name(operation));
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        fprintf(out, i == 0 ? "\t%s:%llx" : ",%s:%llx", from[i]->name, (unsigned long long)codes[i]);
    }
    print_result(out, to, r);
}

static void write_comparison(FILE *out)
{
    const bnd_format *a = any_format(), *b = any_format();
    uint64_t x = any_code(a), y = any(8) == 0 && bnd_format_same(a, b) ? x : any_code(b);
    unsigned signaling = any(2) == 0 ? BND_RELATION_SIGNALING : 0;
    for (unsigned relation = 1; relation <= BND_RELATION_UNORDERED; relation *= 2) {
        bnd_result r = bnd_compare_mixed(a, x, b, y, relation | signaling, (bnd_rule){0});
        if (r.code != 0) {
            fprintf(out, "C\t%s:%llx\t%s:%llx\t%u\t%u\t%u\n", a->name, (unsigned long long)x, b->name,
                    (unsigned long long)y, signaling, relation, (unsigned)r.flags);
        }
    }
}

void write_operations(FILE *out)
{
    for (int i = 0; i < RANDOM_OPERATIONS; i++) {
        write_operation(out);
    }
    for (int i = 0; i < RANDOM_OPERATIONS / 4; i++) {
        write_comparison(out);
    }
}

/* ---- explanations ---- */

static void write_explanation(FILE *out)
{
    static char text[400], part[1 << 17];
    const bnd_format *f = any_format();
    bnd_number number;
    bnd_exact next;
    size_t length;
    (void)bnd_print_digits(text, sizeof text, bnd_exact_double(any_double()), 1 + (int)any(20));
    if (bnd_number_parse_n(&number, text, strlen(text), NULL) != BND_OK) {
        return;
    }
    bnd_exact value = bnd_round_exact(f, number.value, bnd_rule_of_conversion((bnd_rule){0}), 0).value;
    fprintf(out, "X\t%s\t%s", f->name, text);
    (void)bnd_print_shortest(part, sizeof part, f, value);
    fprintf(out, "\t%s", part);
    (void)bnd_print_hex(part, sizeof part, value);
    fprintf(out, "\t%s", part);
    bool finite = bnd_print_error(&length, part, sizeof part, value, &number, BND_NOTATION_AUTO, NULL) == BND_OK;
    fprintf(out, "\t%s", finite ? part : "");
    for (int direction = -1; direction <= 1; direction += 2) {
        bool has = bnd_neighbour(&next, f, number.value, direction);
        fprintf(out, has ? "\t%llx" : "\t-", has ? (unsigned long long)bnd_pack(f, next) : 0);
    }
    fprintf(out, "\n");
}

void write_explanations(FILE *out)
{
    for (int i = 0; i < RANDOM_EXPLANATIONS; i++) {
        write_explanation(out);
    }
    for (int i = 0; i < RANDOM_EXPLANATIONS; i++) {
        unsigned long long seed = any(0), purpose = any(2) == 0 ? 0 : any(0), element = any(0);
        unsigned bits = 1 + (unsigned)any(64);
        fprintf(out, "R\t%llx\t%llx\t%llx\t%u\t%llx\n", seed, purpose, element, bits,
                (unsigned long long)bnd_random_bits(seed, purpose, element, bits));
    }
}
