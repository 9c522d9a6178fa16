/* Calls on arrays, drawn at random, against the single calls, by every back end of this machine: decoding, encoding,
 * rounding, conversions, operations and sums, and the statistics of all of them; formats, rules, packings, strides and
 * lengths of every kind.
 *
 * Six million elements, or with --all a hundred million. Compiled with options.c, state.c, pool.c and random.c, and
 * with the models of tests/bulk; links the library. */
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "tests/bulk/sums.h"

static const program about = {"arrays", "calls on arrays, every back end against the single calls", "jsa", NULL};

enum { PIECE = 1 << 13, QUICK = 6000000, ALL = 100000000 }; /* elements; the last two of all tasks */

/* ---- conversions ---- */

static bnd_array draw_how(draw *d, const bnd_format *in, const bnd_format *out)
{
    bnd_array how = {.rule = draw_rule(d), .seed = draw_bits(d), .purpose = draw_bits(d), .first = draw_bits(d) >> 8};
    how.packing_in = (uint8_t)draw_below(d, 2);
    how.packing_out = (uint8_t)draw_below(d, 2);
    how.stride_in = draw_stride(d, in, how.packing_in);
    how.stride_out = draw_stride(d, out, how.packing_out);
    return how;
}

static void check_conversion(comparison *b, draw *d, const call *c, size_t n)
{
    const bnd_array how = draw_how(d, &c->in, &c->out);
    uint64_t *in = operands_of(c, n, draw_bits(d));
    for (size_t i = draw_below(d, 8); i < n && (c->kind == ENCODE || c->kind == ROUND); i += 1 + draw_below(d, 8)) {
        in[i] = draw_edge_number(d, &c->f, &c->in);
    }
    check_call(b, c, in, n, &how, c->kind != DECODE && draw_one_in(d, 2));
    free(in);
}

static size_t check_decode(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    const bnd_format f = draw_format(d, true);
    const call c = decode_call(&f, draw_one_in(d, 2));
    check_conversion(b, d, &c, n);
    return n;
}

static size_t check_encode(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    const bnd_format f = draw_format(d, true);
    const call c = encode_call(&f, draw_one_in(d, 2));
    check_conversion(b, d, &c, n);
    return n;
}

static size_t check_round(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    const bnd_format f = draw_format(d, false);
    const call c = round_call(&f, draw_one_in(d, 2));
    check_conversion(b, d, &c, n);
    return n;
}

static size_t check_convert(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    const bnd_format to = draw_format(d, true), from = draw_format(d, true);
    const call c = convert_call(&to, &from);
    check_conversion(b, d, &c, n);
    return n;
}

/* ---- operations ---- */

/* Those that have kernels, and sometimes the others. */
static bnd_operation draw_operation(draw *d)
{
    static const bnd_operation fast[] = {BND_OP_CONVERT, BND_OP_ADD,        BND_OP_SUB,       BND_OP_MUL,
                                         BND_OP_DIV,     BND_OP_FMA,        BND_OP_SQRT,      BND_OP_MIN,
                                         BND_OP_MAX,     BND_OP_MIN_NUMBER, BND_OP_MAX_NUMBER};
    return draw_one_in(d, 8) ? (bnd_operation)draw_below(d, BND_OP_COUNT)
                             : fast[draw_below(d, sizeof fast / sizeof fast[0])];
}

static question draw_question(draw *d, result_type type)
{
    for (;;) {
        const bnd_format f = draw_format(d, type == TO_CODES), other = draw_format(d, true);
        const unsigned mix = draw_one_in(d, 3) ? (unsigned)draw_below(d, 8) : 0;
        question q = question_of(draw_operation(d), type, &f, &other, mix);
        const bnd_format *const from[] = {&q.from[0], &q.from[1], &q.from[2]};
        if (bnd_operation_serves(q.operation, from, NULL) == BND_OK) {
            return q;
        }
    }
}

/* Operands at the ends of their formats, side by side; NULL: stratified ones. */
static uint64_t *draw_edges(draw *d, const question *q, size_t n)
{
    const unsigned operands = bnd_operation_operands(q->operation);
    if (q->operation == BND_OP_SCALB || draw_one_in(d, 2)) { /* whose second operand is an integer */
        return NULL;
    }
    uint64_t *codes = memory_of(n * operands * sizeof *codes);
    for (size_t i = 0; i < n * operands; i++) {
        const bnd_format *f = &q->from[i % operands];
        codes[i] = draw_one_in(d, 3) ? draw_bits(d) >> (64 - f->width) : draw_edge_code(d, f);
    }
    return codes;
}

static void check_operation(comparison *b, draw *d, result_type type, size_t n)
{
    question q = draw_question(d, type);
    const bnd_format fp32 = format_named("fp32"), fp64 = format_named("fp64");
    const bnd_format *out = type == TO_CODES ? &q.to : type == TO_FLOATS ? &fp32 : &fp64;
    const size_t most = q.operation < BND_OP_RINT ? n : q.operation <= BND_OP_ULP ? 60 : 8; /* some take microseconds */
    q.how = draw_how(d, out, out);
    for (unsigned k = 0; k < bnd_operation_operands(q.operation); k++) {
        q.packing[k] = (uint8_t)draw_below(d, 2);
        q.stride[k] = draw_stride(d, &q.from[k], q.packing[k]);
        q.broadcast[k] = draw_one_in(d, 16);
    }
    n = n < most ? n : most;
    uint64_t *codes = draw_edges(d, &q, n);
    exercise s = exercise_of(&q, n, draw_bits(d), codes);
    check_exercise(b, &s, draw_one_in(d, 2));
    exercise_close(&s);
    free(codes);
}

static size_t check_codes(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    check_operation(b, d, TO_CODES, n);
    return n;
}

static size_t check_floats(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    check_operation(b, d, TO_FLOATS, n);
    return n;
}

static size_t check_doubles(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    check_operation(b, d, TO_DOUBLES, n);
    return n;
}

/* ---- sums ---- */

static size_t check_sums(comparison *b, draw *d)
{
    const size_t n = draw_length(d);
    sum_question s = {.f = draw_format(d, true), .n = n, .type = (result_type)draw_below(d, 3)};
    s.of_x = draw_one_in(d, 4)      ? draw_format(d, true)
             : s.type == TO_CODES   ? s.f
             : s.type == TO_DOUBLES ? format_named("fp64")
                                    : format_named("fp32");
    s.how = draw_how(d, &s.of_x, &s.f);
    s.packing = (uint8_t)draw_below(d, 2);
    s.stride = draw_stride(d, &s.of_x, s.packing);
    s.way = (bnd_summation)draw_below(d, BND_SUM_COUNT);
    s.x = terms_of(&s.of_x, n, draw_bits(d));
    check_sum(b, &s);
    free(s.x);
    return n;
}

int main(int argc, char **argv)
{
    static const random_kind kinds[] = {
        {"decode", check_decode, 1},
        {"encode", check_encode, 1},
        {"round", check_round, 1},
        {"convert codes", check_convert, 1},
        {"operations on codes", check_codes, 1},
        {"operations on fp32", check_floats, 1},
        {"operations on fp64", check_doubles, 1},
        {"sums", check_sums, 1},
    };
    const random_plan plan = {&about, kinds, sizeof kinds / sizeof kinds[0], QUICK, ALL, PIECE};
    return run_random(&plan, argc, argv);
}
