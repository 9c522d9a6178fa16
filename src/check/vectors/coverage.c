/* The coverage of lines. A gap in a range is a part of a unit that no line has tested. */
#include "vectors/coverage.h"

#include <stdlib.h>

#include "vectors/cases.h"

enum { EXPONENTS_1, EXPONENTS_2, EXPONENTS_3, ADDING, SUBTRACTING, LEFT, RIGHT };

/* ---- which ranges there are ---- */

static unsigned formats_of(const bnd_vectors *v)
{
    return bndi_vector_is_dot(v) ? 2 : v->operands;
}

static bool sums_two(const bnd_vectors *v)
{
    return v->kind == BND_VECTOR_KIND_OPERATION &&
           (v->operation == BND_OP_ADD || v->operation == BND_OP_SUB || v->operation == BND_OP_FMA);
}

/* The exponent of the smallest positive number. */
static int64_t least_exponent(const bnd_format *f)
{
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
    return bndi_vector_exponent(&least);
}

/* How far below its least normal number the result can lie: until all of it is lost, or as far as operands go. */
static int64_t right_shifts(const bnd_vectors *v)
{
    int64_t least = least_exponent(&v->in[0]), most = v->out.precision + 1;
    switch (v->operation) {
    case BND_OP_CONVERT:
    case BND_OP_ADD:
    case BND_OP_SUB:
        break;
    case BND_OP_MUL:
    case BND_OP_FMA:
        least += least_exponent(&v->in[1]);
        break;
    case BND_OP_DIV:
        least -= v->in[1].emax + 1;
        break;
    default:
        return 0;
    }
    int64_t below = v->kind == BND_VECTOR_KIND_OPERATION && v->out.has_subnormals ? v->out.emin - least : 0;
    return below > most ? most : below;
}

/* The number of different distances counted: up to where the smaller term can only be a sticky bit, or the largest
 * distance between exponents of two terms, if that is less. */
static int64_t distances(const bnd_vectors *v, int64_t low_a, int64_t high_a, int64_t low_b, int64_t high_b)
{
    int64_t all = 2 * v->out.fraction_bits + 7, up = high_a - low_b, down = high_b - low_a,
            most = (up > down ? up : down) + 1;
    return all < most ? all : most;
}

static void add_row(bndi_coverage *c, unsigned row, const char *what, int64_t first, int64_t count)
{
    c->rows[row] = (bndi_covered){.what = what, .first = (int32_t)first, .count = count > 0 ? (uint32_t)count : 0};
}

static void add_rows_of_sum(bndi_coverage *c)
{
    const bnd_vectors *v = c->vectors;
    const bnd_format *a = &v->in[0], *b = &v->in[1], *other = v->operation == BND_OP_FMA ? &v->in[2] : b;
    int64_t low = a->emin, high = a->emax, precision = a->precision > b->precision ? a->precision : b->precision;
    if (v->operation == BND_OP_FMA) {
        low += b->emin;
        high += b->emax;
        precision = v->out.precision;
    }
    precision = precision < v->out.precision ? precision : v->out.precision;
    int64_t count = distances(v, low, high, other->emin, other->emax);
    bool one_sign = !a->is_signed && !b->is_signed && !other->is_signed;
    if (!one_sign || v->operation != BND_OP_SUB) {
        add_row(c, ADDING, "alignment distances, adding", 0, count);
    }
    if (!one_sign || v->operation == BND_OP_SUB) {
        add_row(c, SUBTRACTING, "alignment distances, subtracting", 0, count);
        add_row(c, LEFT, "left shifts after cancellation", 0, precision + 1);
    }
}

static void add_rows_of_dot(bndi_coverage *c)
{
    const bnd_vectors *v = c->vectors;
    int64_t low = v->in[0].emin + v->in[1].emin, high = v->in[0].emax + v->in[1].emax;
    if (v->pairs > 1) {
        add_row(c, ADDING, "alignment distances of products", 0, distances(v, low, high, low, high));
    }
}

static void add_rows(bndi_coverage *c)
{
    static const char *const operands[] = {"exponent fields, operand 1", "exponent fields, operand 2",
                                           "exponent fields, operand 3"};
    static const char *const factors[] = {"exponent fields, first factors", "exponent fields, second factors"};
    const bnd_vectors *v = c->vectors;
    bool dot = bndi_vector_is_dot(v);
    for (unsigned i = 0; i < formats_of(v); i++) {
        add_row(c, EXPONENTS_1 + i, dot ? factors[i] : operands[i], 0, bndi_last_field(&v->in[i]) + 1);
    }
    if (sums_two(v)) {
        add_rows_of_sum(c);
    } else if (dot) {
        add_rows_of_dot(c);
    }
    add_row(c, RIGHT, "right shifts of subnormal results", 1, right_shifts(v));
}

bnd_status bndi_coverage_open(bndi_coverage *out, const bnd_vectors *v, bnd_error *why)
{
    bndi_coverage c = {.vectors = v};
    size_t count = 0, at = 0;
    add_rows(&c);
    for (unsigned row = 0; row < BNDI_COVERED_ROWS; row++) {
        count += c.rows[row].count;
    }
    c.hits = calloc(count + 1, 1);
    if (c.hits == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the coverage of %zu places", count);
    }
    for (unsigned row = 0; row < BNDI_COVERED_ROWS; row++) {
        c.rows[row].hit = c.rows[row].count > 0 ? c.hits + at : NULL;
        at += c.rows[row].count;
    }
    *out = c;
    return BND_OK;
}

void bndi_coverage_close(bndi_coverage *c)
{
    free(c->hits);
    c->hits = NULL;
}

/* ---- lines ---- */

static void hit(bndi_coverage *c, unsigned row, int64_t value)
{
    bndi_covered *r = &c->rows[row];
    if (value >= r->first && value < r->first + (int64_t)r->count) {
        r->hit[value - r->first] = 1;
    }
}

/* An operand as an adder sees it: a subnormal number has the exponent of the least normal one. */
typedef struct seen {
    int64_t exponent;
    bool counts, negative; /* counts: a finite number other than zero */
} seen;

static seen see(const bnd_format *f, uint64_t code)
{
    uint64_t magnitude = code & (bndi_magnitudes(f) - 1);
    int64_t exponent = (int64_t)(magnitude >> f->fraction_bits) - f->bias;
    return (seen){.exponent = exponent < f->emin ? f->emin : exponent,
                  .counts = magnitude <= f->max_code && (magnitude != 0 || !f->has_zero),
                  .negative = f->is_signed && (code >> bnd_magnitude_bits(f) & 1) != 0};
}

static void see_exponents(bndi_coverage *c, const uint64_t *operands)
{
    const bnd_vectors *v = c->vectors;
    for (unsigned i = 0; i < v->operands; i++) {
        const bnd_format *f = bnd_vectors_format(v, i);
        unsigned row = !bndi_vector_is_dot(v) ? i : f == &v->in[1] ? 1 : 0;
        if (f != &v->in[2] || v->kind == BND_VECTOR_KIND_OPERATION) {
            hit(c, row, (int64_t)((operands[i] & (bndi_magnitudes(f) - 1)) >> f->fraction_bits));
        }
    }
}

static seen see_product(const bnd_format *f, uint64_t a, const bnd_format *g, uint64_t b)
{
    seen x = see(f, a), y = see(g, b);
    return (seen){x.exponent + y.exponent, x.counts && y.counts, x.negative != y.negative};
}

/* How far each product lies below the largest. */
static void see_products(bndi_coverage *c, const uint64_t *operands)
{
    const bnd_vectors *v = c->vectors;
    unsigned scale = v->kind == BND_VECTOR_KIND_MXDOT, half = v->operands / 2;
    int64_t exponents[BND_VECTOR_DOT_PAIRS_MAX], top = INT64_MIN;
    unsigned count = 0;
    for (unsigned i = 0; i < v->pairs; i++) {
        seen product = see_product(&v->in[0], operands[scale + i], &v->in[1], operands[half + scale + i]);
        exponents[count] = product.exponent;
        count += product.counts;
        top = product.counts && product.exponent > top ? product.exponent : top;
    }
    for (unsigned i = 0; i < count; i++) {
        hit(c, ADDING, top - exponents[i]);
    }
}

/* Two terms; of fma the first is the product. */
static void see_terms(bndi_coverage *c, const uint64_t *operands, const bnd_exact *exact)
{
    const bnd_vectors *v = c->vectors;
    bool fma = v->operation == BND_OP_FMA;
    seen a = fma ? see_product(&v->in[0], operands[0], &v->in[1], operands[1]) : see(&v->in[0], operands[0]);
    seen b = see(&v->in[fma ? 2 : 1], operands[fma ? 2 : 1]);
    if (!a.counts || !b.counts) {
        return;
    }
    int64_t distance = a.exponent - b.exponent, top = distance > 0 ? a.exponent : b.exponent;
    bool unlike = (a.negative != b.negative) != (v->operation == BND_OP_SUB);
    hit(c, unlike ? SUBTRACTING : ADDING, distance < 0 ? -distance : distance);
    if (exact->kind == BND_KIND_FINITE && unlike && c->rows[LEFT].count > 0) {
        hit(c, LEFT, top - bndi_vector_exponent(exact));
    }
}

void bndi_coverage_add(bndi_coverage *c, const uint64_t *operands, const bnd_exact *exact)
{
    see_exponents(c, operands);
    if (sums_two(c->vectors)) {
        see_terms(c, operands, exact);
    } else if (bndi_vector_is_dot(c->vectors)) {
        see_products(c, operands);
    }
    if (c->rows[RIGHT].count > 0 && exact->kind == BND_KIND_FINITE) {
        hit(c, RIGHT, c->vectors->out.emin - (int64_t)bndi_vector_exponent(exact));
    }
}

int bndi_significand_carry(const bnd_vectors *v, const uint64_t *operands, const bnd_exact *exact)
{
    bool product = v->operation == BND_OP_MUL;
    if (v->kind != BND_VECTOR_KIND_OPERATION || (!product && v->operation != BND_OP_DIV) ||
        exact->kind != BND_KIND_FINITE) {
        return -1;
    }
    bnd_exact a = bnd_unpack(&v->in[0], operands[0]), b = bnd_unpack(&v->in[1], operands[1]);
    int32_t of_b = bndi_vector_exponent(&b), without = bndi_vector_exponent(&a) + (product ? of_b : -of_b);
    int32_t carry = bndi_vector_exponent(exact) - without;
    return product ? carry : carry + 1;
}
