/* Checks of codes: their values, and their texts, written and read. */
#include "base/bits.h"
#include "oracle/oracle.h"
#include "verify/verify.h"

#include <math.h>
#include <string.h>

enum { ALL_CODES = 1 << 20, TEXT_CODES = 1 << 16, WIDE_CODES = 1 << 14 };

/* ---- decode: the value of every code, and back ---- */

static uint64_t codes_to_decode(const bndi_inquiry *q)
{
    return bndi_code_count(q, ALL_CODES);
}

/* Every value of the format, the bias counted. */
static bool fp64_holds(const bnd_format *f)
{
    return f->precision <= 53 && f->least_quantum >= -1074 && f->emax <= 1023;
}

static double decode_cost(const bndi_inquiry *q)
{
    (void)q;
    return 170;
}

/* ---- values beyond fp64: the number itself ---- */

static bnd_exact value_by_oracle(const bnd_format *f, uint64_t code)
{
    static const bnd_kind kinds[] = {[BND_ORACLE_FINITE] = BND_KIND_FINITE,
                                     [BND_ORACLE_INFINITE] = BND_KIND_INFINITE,
                                     [BND_ORACLE_NAN] = BND_KIND_QUIET_NAN,
                                     [BND_ORACLE_SIGNALING_NAN] = BND_KIND_SIGNALING_NAN};
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    bndi_oracle_value value = bndi_oracle_value_of(&shape, code);
    bool zero = value.kind == BND_ORACLE_FINITE && value.significand == 0;
    return (bnd_exact){.low = value.significand,
                       .exponent = (int32_t)value.quantum,
                       .kind = (uint8_t)(zero ? BND_KIND_ZERO : kinds[value.kind]),
                       .negative = value.negative};
}

/* A code has at most 64 significant bits, wherever they are among the 128. */
static void strip_zeros(bnd_exact *x)
{
    if (x->low == 0) {
        x->low = x->high;
        x->high = 0;
        x->exponent += 64;
    }
    int zeros = __builtin_ctzll(x->low);
    x->low = x->low >> zeros | (zeros > 0 ? x->high << (64 - zeros) : 0);
    x->high >>= zeros;
    x->exponent += zeros;
}

static bool same_value(bnd_exact got, bnd_exact want)
{
    if (got.kind != BND_KIND_FINITE || want.kind != BND_KIND_FINITE) {
        return got.kind == want.kind && (got.kind >= BND_KIND_QUIET_NAN || got.negative == want.negative);
    }
    strip_zeros(&got);
    strip_zeros(&want);
    return got.low == want.low && got.high == want.high && got.exponent == want.exponent &&
           got.negative == want.negative && !got.sticky;
}

static void check_exact_value(bndi_piece *p, uint64_t code)
{
    const bndi_inquiry *q = p->q;
    bnd_exact got = bnd_unpack(&q->f, code), want = value_by_oracle(&q->f, code);
    const bnd_result none = {.flags = 0};
    bnd_verify_counterexample *c = bndi_count_case(p, same_value(got, want), "decode", none, none);
    if (c != NULL) {
        c->operands = 1;
        c->from[0] = q->f;
        c->codes[0] = code;
        c->exact = true;
        c->exact_got = got;
        c->exact_want = want;
    }
    if (want.kind < BND_KIND_QUIET_NAN) {
        bnd_result back = q->candidate.encode_exact(&q->f, want, (bnd_rule){0}, 0);
        bndi_compare_one(p, "encode", &q->f, code, 0, back, (bnd_result){.code = code});
    }
}

/* ---- values of fp64 ---- */

static void check_decode(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint64_t code = bndi_code_at(q, ALL_CODES, index);
    if (!fp64_holds(&q->f)) {
        check_exact_value(p, code);
        return;
    }
    double got = q->candidate.decode(&q->f, code), want;
    bnd_oracle_kind kind = bnd_oracle_decode(&want, &q->f, code);
    bool both_nan = isnan(got) && (kind == BND_ORACLE_NAN || kind == BND_ORACLE_SIGNALING_NAN);
    bnd_verify_counterexample *c = bndi_count_case(p, both_nan || bndi_bits_of_double(got) == bndi_bits_of_double(want),
                                                   "decode", (bnd_result){.code = bndi_bits_of_double(got)},
                                                   (bnd_result){.code = bndi_bits_of_double(want)});
    if (c != NULL) {
        c->operands = 1;
        c->from[0] = q->f;
        c->codes[0] = code;
        c->to = q->fp64;
        c->code_only = true;
    }
    if (!isnan(want)) {
        bnd_result back = q->candidate.encode(&q->f, want, (bnd_rule){0}, 0);
        bndi_compare_one(p, "encode", &q->fp64, bndi_bits_of_double(want), 0, back, (bnd_result){.code = code});
    }
}

const bndi_verify_row bndi_verify_decode = {.name = "decode",
                                            .title = "every code: its exact value, and back to the code",
                                            .at_once = 1 << 11,
                                            .indices = codes_to_decode,
                                            .cost = decode_cost,
                                            .check = check_decode};

/* ---- text: what is printed reads back, by the candidate and by the oracle ---- */

enum { TEXT_SIZE = 1 << 13 };

static uint64_t most_texts(const bndi_inquiry *q)
{
    return q->f.width <= 16 || q->exhaustive ? TEXT_CODES : WIDE_CODES;
}

static uint64_t codes_to_print(const bndi_inquiry *q)
{
    return bndi_code_count(q, most_texts(q));
}

static double text_cost(const bndi_inquiry *q)
{
    return q->f.exponent_bits < 8 ? 5000 : q->f.exponent_bits == 8 ? 6500 : 14000;
}

static void check_reading(bndi_piece *p, const char *what, uint64_t code, const char *text)
{
    const bndi_inquiry *q = p->q;
    bnd_result got = {.code = ~code}, by_oracle = {.code = ~code}, want = {.code = code};
    if (q->candidate.parse(&got, &q->f, text, strlen(text), (bnd_rule){0}, 0, NULL) != BND_OK) {
        got.flags = BND_FLAG_INVALID;
    }
    got.flags &= what[0] == 's' ? ~(uint32_t)BND_FLAG_ALL : BND_FLAG_ALL; /* a short text need not be exact */
    got.ternary = what[0] == 's' ? 0 : got.ternary;
    bndi_compare_one(p, what, &q->f, code, 0, got, want);
    if (strchr(text, 'i') == NULL) {
        if (bnd_oracle_encode_text(&by_oracle, &q->f, text, (bnd_rule){0}, 0, NULL) != BND_OK) {
            by_oracle.flags = BND_FLAG_INVALID;
        }
        bndi_compare_one(p, what, &q->f, code, 0, (bnd_result){.code = by_oracle.code}, want);
    }
}

static void check_text(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint64_t code = bndi_code_at(q, most_texts(q), index);
    bnd_exact value = bnd_unpack(&q->f, code);
    char text[TEXT_SIZE];
    if (value.kind >= BND_KIND_QUIET_NAN) {
        return;
    }
    if (q->candidate.print_shortest(text, sizeof text, &q->f, value) < sizeof text) {
        check_reading(p, "shortest text", code, text);
    }
    if (bnd_print_exact(text, sizeof text, value, BND_NOTATION_AUTO) < sizeof text) {
        check_reading(p, "exact text", code, text);
    }
}

const bndi_verify_row bndi_verify_decimal = {
    .name = "decimal",
    .old_name = "text",
    .title = "the shortest and the exact decimal of a code, and back to the code",
    .at_once = 1 << 8,
    .indices = codes_to_print,
    .cost = text_cost,
    .check = check_text,
};
