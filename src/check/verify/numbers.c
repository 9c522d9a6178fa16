/* Numbers into codes: doubles at all breakpoints, floats, codes of other formats. */
#include "base/bits.h"
#include "verify/verify.h"

#include <math.h>
#include <string.h>

static double oracle_or_table(const bndi_inquiry *q, double by_oracle, double by_table)
{
    return bndi_is_narrow(&q->f, q->rule, q->exhaustive) ? by_table : by_oracle;
}

/* ---- encode: doubles. With a table of answers: every value, every midpoint (and in the lowest binades the numbers
 * between them), the neighbours on both sides of each, and the middle of every gap. The neighbours are compared with
 * the oracle itself, which checks the table, too. Without a table: the same around stratified codes. ---- */

enum { STRATIFIED_DOUBLES = 1 << 18, AROUND = 6 };

static uint64_t entries(const bndi_inquiry *q)
{
    if (!bndi_is_narrow(&q->f, q->rule, q->exhaustive)) {
        return STRATIFIED_DOUBLES * (q->exhaustive ? UINT64_C(64) : 1);
    }
    return bndi_answers_count(&q->f);
}

static double entry_cost(const bndi_inquiry *q)
{
    return oracle_or_table(q, 320, 500);
}

static void compare_double(bndi_piece *p, double x, uint64_t random, bnd_result want)
{
    const bndi_inquiry *q = p->q;
    bndi_compare_one(p, "encode", &q->fp64, bndi_bits_of_double(x), random,
                     q->candidate.encode(&q->f, x, q->rule, random), want);
}

static void check_entry(bndi_piece *p, uint64_t i)
{
    const bndi_inquiry *q = p->q;
    for (int sign = 0; sign < 2; sign++) {
        double factor = sign ? -1.0 : 1.0;
        compare_double(p, factor * bndi_answers_at(q->answers, i), 0, q->answers->finite[sign][i]);
        double ends[2];
        for (int k = 0; i % 2 == 1 && k < 2; k++) {
            bndi_answers_gap(ends, q->answers, i);
            bnd_result want = bndi_oracle_about(&p->oracle, &q->f, factor * ends[k], q->rule, 0);
            compare_double(p, factor * ends[k], 0, want);
            bool sound = bndi_same_result(want, q->answers->finite[sign][i]);
            bnd_verify_counterexample *c =
                bndi_count_case(p, sound, "the table of answers", q->answers->finite[sign][i], want);
            if (c != NULL) {
                c->operands = 1;
                c->from[0] = q->fp64;
                c->codes[0] = bndi_bits_of_double(factor * ends[k]);
            }
        }
    }
}

static void check_around(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint64_t code = bndi_code_at(q, STRATIFIED_DOUBLES, index / AROUND);
    double x, next;
    bnd_oracle_decode(&x, &q->f, code);
    bnd_oracle_decode(&next, &q->f, code + 1);
    double base = index % AROUND < 3 || !isfinite(next) ? x : x / 2 + next / 2;
    double y = index % 3 == 0 ? base : nextafter(base, index % 3 == 1 ? (double)INFINITY : -(double)INFINITY);
    uint64_t random = bndi_random_of(q, 1, index);
    compare_double(p, y, random, bndi_reference_double(p, y, random));
}

static void check_double(bndi_piece *p, uint64_t index)
{
    if (p->q->answers == NULL) {
        check_around(p, index);
    } else {
        check_entry(p, index);
    }
}

const bndi_verify_row bndi_verify_encode = {.name = "encode",
                                            .title = "doubles: every value and midpoint, and the doubles next to each",
                                            .rounds = true,
                                            .at_once = 1 << 11,
                                            .indices = entries,
                                            .cost = entry_cost,
                                            .check = check_double};

/* ---- float ---- */

/* The same number as a double, a signaling NaN left as it is, which a cast would not do. */
static double widened(uint32_t bits)
{
    enum { INFINITE = 0x7f800000 };
    double x;
    float narrow;
    if ((bits & 0x7fffffff) > INFINITE) {
        uint64_t wide = (uint64_t)(bits & 0x80000000) << 32 | UINT64_C(0x7ff) << 52 | (uint64_t)(bits & 0x7fffff) << 29;
        memcpy(&x, &wide, sizeof x);
        return x;
    }
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

/* By its value where there is a table; otherwise as a code, since the rule may flush subnormal floats. */
static bnd_result reference_float(bndi_piece *p, uint32_t bits, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    return q->answers != NULL ? bndi_reference_double(p, widened(bits), random)
                              : bndi_reference_code(p, &q->fp32, bits, random);
}

static void check_float(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint32_t bits = bndi_float_at(q, index);
    uint64_t random = bndi_random_of(q, 2, index);
    float x = bndi_float_of_bits(bits);
    bndi_compare_one(p, "encode", &q->fp32, bits, random, q->candidate.encode_float(&q->f, x, q->rule, random),
                     reference_float(p, bits, random));
}

static double float_cost(const bndi_inquiry *q)
{
    return oracle_or_table(q, 165, 40);
}

const bndi_verify_row bndi_verify_from_float = {
    .name = "from-float",
    .old_name = "float",
    .title = "floats: every upper half with lower halves that decide, or all 2^32",
    .rounds = true,
    .at_once = 1 << 15,
    .indices = bndi_float_count,
    .cost = float_cost,
    .check = check_float};

/* ---- convert: every code of the rows of at most 16 bits ---- */

enum { SOURCE_WIDTH = 16 };

static bool is_source(const bnd_format *from)
{
    return from->width <= SOURCE_WIDTH;
}

static uint64_t codes_to_convert(const bndi_inquiry *q)
{
    uint64_t count = 0;
    (void)q;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format from = *bnd_format_at(row);
        count += is_source(&from) ? ((UINT64_C(1) << from.width) + 255) / 256 : 0;
    }
    return count;
}

/* An index is 256 codes. */
static void check_convert(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format from = *bnd_format_at(row);
        uint64_t codes = UINT64_C(1) << (from.width < 64 ? from.width : 0), blocks = (codes + 255) / 256;
        if (!is_source(&from) || index >= blocks) {
            index -= is_source(&from) ? blocks : 0;
            continue;
        }
        for (uint64_t code = 256 * index; code < codes && code < 256 * (index + 1); code++) {
            uint64_t random = bndi_random_of(q, 3, code);
            bnd_result got = q->candidate.convert(&q->f, &from, code, q->rule, random);
            bndi_compare_one(p, "convert", &from, code, random, got, bndi_reference_code(p, &from, code, random));
        }
        return;
    }
}

static double convert_cost(const bndi_inquiry *q)
{
    return oracle_or_table(q, 256 * 150, 256 * 45);
}

const bndi_verify_row bndi_verify_convert = {.name = "convert",
                                             .title = "every code of the other built-in formats of at most 16 bits",
                                             .rounds = true,
                                             .at_once = 1 << 4,
                                             .indices = codes_to_convert,
                                             .cost = convert_cost,
                                             .check = check_convert};
