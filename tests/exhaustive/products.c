/* Matrix products, drawn at random, by every back end of this machine: the portable one against single operations, an
 * element at a time, and the others against the portable one, bit by bit, and what lies between the elements of C.
 * Accumulators of every kind, formats and rules of every kind, rounded operands, codes, symmetric products, layouts,
 * and sizes about those of tiles and blocks.
 *
 * 10^7 steps of sums, or with --all 10^9. Compiled with options.c, state.c, pool.c and random.c, and with the models of
 * tests/bulk and tests/matmul; links the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tests/bulk/compare.h"
#include "tests/matmul/model.h"

static const program about = {"products", "matrix products, every back end against the single calls", "jsa", NULL};

enum { PIECE = 1 << 17, QUICK = 10000000, ALL = 1000000000 }; /* steps of sums; the last two of all tasks */

/* ---- sizes ---- */

static size_t draw_side(draw *d, size_t most)
{
    static const uint8_t tiles[] = {6, 8, 12, 14, 16, 32, 48, 64};
    const size_t side = draw_one_in(d, 3)
                            ? draw_below(d, 6)
                            : tiles[draw_below(d, sizeof tiles)] * (1 + draw_below(d, 4)) + draw_below(d, 3);
    return side > 0 ? (side - 1) % most + 1 : 1;
}

/* Short, about a promotion or a group, or about a block of the library's. */
static size_t draw_depth(draw *d, size_t most)
{
    static const uint16_t blocks[] = {32, 64, 128, 256, 512, 1024};
    const size_t depth = draw_one_in(d, 2)
                             ? draw_below(d, 40)
                             : blocks[draw_below(d, sizeof blocks / sizeof blocks[0])] + draw_below(d, 5) - 2;
    return depth < most ? depth : most;
}

/* At most `most` steps. */
static void draw_sizes(draw *d, size_t *m, size_t *n, size_t *k, size_t most)
{
    *k = draw_depth(d, most);
    const size_t elements = most / (*k > 0 ? *k : 1);
    *n = draw_side(d, elements);
    *m = draw_side(d, elements / *n > 0 ? elements / *n : 1);
}

/* ---- one product ---- */

typedef bnd_status product_call(question *q, const void *state, bnd_error *why);

static void print_product(const question *q, const char *who, data_kind kind)
{
    char name[BND_ACCUMULATOR_NAME_SIZE];
    const bnd_accumulator *a = &q->how.accumulator;
    bnd_accumulator_name(name, sizeof name, a);
    printf("products, %s: %zu x %zu x %zu, %s (%s, overflow %u, nan %u, tie %u, flush %u %u), rounded to %s and %s, "
           "add %u, "
           "data %d, strides %td %td, %td %td, %td %td\n",
           who, q->m, q->n, q->k, name, a->format.name, a->rule.overflow, a->rule.nan, a->rule.tie_rule,
           a->rule.flush_in, a->rule.flush_out, q->how.round_a != NULL ? q->how.round_a->name : "-",
           q->how.round_b != NULL ? q->how.round_b->name : "-", q->how.add, (int)kind, q->how.a.row, q->how.a.column,
           q->how.b.row, q->how.b.column, q->how.c.row, q->how.c.column);
}

/* Some elements of the portable back end against single operations: all of a small product. */
static void check_elements(comparison *b, draw *d, const question *q, data_kind kind)
{
    const size_t elements = q->m * q->n, few = elements * q->k < 300 ? elements : 4;
    for (size_t e = 0; e < few; e++) {
        const size_t at = few == elements ? e : draw_below(d, elements), i = at / q->n, j = at % q->n;
        const float got = *element_of_c(q, q->c, i, j), want = expected(q, i, j, BY_OPERATE);
        if (comparison_note(b, bndi_bits_of_float(got) == bndi_bits_of_float(want))) {
            print_product(q, "portable", kind);
            printf("    element (%zu, %zu) is %a, not %a\n", i, j, (double)got, (double)want);
        }
    }
}

/* Every back end, with one thread and sometimes two. */
static void check_back_ends(comparison *b, draw *d, question *q, data_kind kind, product_call *ask, const void *state)
{
    const back_ends *here = back_ends_here();
    float *portable = memory_of(q->c_size * sizeof *portable);
    bnd_error why = {.message = ""};
    for (size_t i = 0; i < here->count; i++) {
        bnd_context context = here->at[i];
        context.threads = draw_one_in(d, 6) ? 2 : 1;
        q->how.context = &context;
        const bnd_status status = ask(q, state, &why);
        if (i == 0) {
            memcpy(portable, q->c, q->c_size * sizeof *portable);
        }
        const bool same = status == BND_OK && memcmp(portable, q->c, q->c_size * sizeof *portable) == 0;
        if (comparison_note(b, same)) {
            print_product(q, context_name(&context), kind);
            printf("    %s\n", status != BND_OK ? why.message : "not the bits of the portable back end");
        }
    }
    memcpy(q->c, portable, q->c_size * sizeof *portable);
    free(portable);
    q->how.context = NULL;
}

static bnd_status ask_plainly(question *q, const void *state, bnd_error *why)
{
    (void)state;
    return question_ask(q, why);
}

/* What all kinds of products have in common; the caller sets the accumulator. */
static bnd_gemm draw_choices(draw *d)
{
    bnd_gemm how = {.add = draw_one_in(d, 2), .seed = draw_bits(d), .purpose = draw_bits(d)};
    how.accumulator.promote = draw_one_in(d, 4) ? 1 + (uint32_t)draw_below(d, 140) : 0;
    return how;
}

static data_kind fill(draw *d, question *q)
{
    const data_kind kind = (data_kind)draw_below(d, DATA_KINDS);
    const bnd_format fp32 = format_named("fp32"), *f = &q->how.accumulator.format;
    question_fill(q, kind, f->precision > 0 && f->width > 0 ? f : &fp32, draw_bits(d));
    return kind;
}

static size_t check_product(comparison *b, draw *d, const bnd_gemm *how, size_t most)
{
    size_t m, n, k;
    question q;
    draw_sizes(d, &m, &n, &k, most);
    question_open(&q, m, n, k, how, (unsigned)draw_below(d, ROWS_SHARE_A_SET + 1));
    const data_kind kind = fill(d, &q);
    check_back_ends(b, d, &q, kind, ask_plainly, NULL);
    check_elements(b, d, &q, kind);
    question_close(&q);
    return m * n * k;
}

/* ---- kinds of products: each answers with its steps ---- */

enum { FEW_STEPS = 20000, MANY_STEPS = 1000000 };

/* fp32, whose kernels are the fastest and whose blocks are the largest. */
static size_t check_fp32(comparison *b, draw *d)
{
    bnd_gemm how = draw_choices(d);
    const bnd_format to_a = draw_format(d, false), to_b = draw_format(d, false);
    how.round_a = draw_one_in(d, 4) ? &to_a : NULL;
    how.round_b = draw_one_in(d, 4) ? &to_b : NULL;
    return check_product(b, d, &how, MANY_STEPS);
}

/* Formats that have kernels, in every mode. */
static void draw_usual(draw *d, bnd_accumulator *a)
{
    static const char *const names[] = {"fp16", "bf16", "fp32",  "fp64", "e4m3",     "e5m2",
                                        "tf32", "e6m9", "e8m14", "e2m1", "e5m2fnuz", "e3m12"};
    a->kind = draw_one_in(d, 2) ? BND_ACCUMULATE_FUSED : BND_ACCUMULATE_EACH;
    a->format = format_named(names[draw_below(d, sizeof names / sizeof names[0])]);
    a->rule = random_rule(draw_bits(d));
    if (draw_one_in(d, 2)) { /* the other choices as most have them */
        a->rule = (bnd_rule){.rounding = a->rule.rounding, .random_bits = a->rule.random_bits};
    }
}

static size_t check_usual(comparison *b, draw *d)
{
    bnd_gemm how = draw_choices(d);
    draw_usual(d, &how.accumulator);
    return check_product(b, d, &how, 2 * FEW_STEPS);
}

static size_t check_any(comparison *b, draw *d)
{
    bnd_gemm how = draw_choices(d);
    how.accumulator.kind = draw_one_in(d, 2) ? BND_ACCUMULATE_FUSED : BND_ACCUMULATE_EACH;
    how.accumulator.format = draw_format(d, false);
    how.accumulator.rule = draw_rule(d);
    return check_product(b, d, &how, FEW_STEPS / 4);
}

static size_t check_aligned(comparison *b, draw *d)
{
    static const uint8_t groups[] = {0, 1, 2, 4, 8, 16, 32, 64};
    char name[8];
    bnd_gemm how = draw_choices(d);
    snprintf(name, sizeof name, "e8m%u", 1 + (unsigned)draw_below(d, BND_ALIGNED_BITS_MAX - 1));
    how.accumulator.kind = BND_ACCUMULATE_ALIGNED;
    how.accumulator.format = format_named(name);
    how.accumulator.group =
        (uint16_t)(draw_one_in(d, 3) ? 1 + draw_below(d, BND_GROUP_MAX) : groups[draw_below(d, sizeof groups)]);
    return check_product(b, d, &how, 2 * FEW_STEPS);
}

/* Operands of formats that tensor cores take, and of fp32; A times a power of two: groups are large and small. */
static size_t check_tensor(comparison *b, draw *d)
{
    static const char *const formats[] = {"fp32", "e4m3", "e5m2", "fp16", "bf16", "tf32", "e2m1", "e8m12"};
    static const uint8_t groups[] = {0, 4, 8, 16, 32, 64};
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    char name[8];
    bnd_gemm how = draw_choices(d);
    const bnd_format a_format = format_named(formats[draw_below(d, FORMATS)]);
    const bnd_format b_format = format_named(formats[draw_below(d, FORMATS)]);
    snprintf(name, sizeof name, "e8m%u", 1 + (unsigned)draw_below(d, BND_ALIGNED_BITS_MAX - 1));
    how.accumulator.kind = BND_ACCUMULATE_TENSOR;
    how.accumulator.format = format_named(draw_one_in(d, 3) ? "fp16" : draw_one_in(d, 2) ? "fp32" : name);
    how.accumulator.fraction = (uint8_t)(1 + draw_below(d, draw_one_in(d, 4) ? BND_TENSOR_FRACTION_MAX : 26));
    how.accumulator.group =
        (uint16_t)(draw_one_in(d, 3) ? 1 + draw_below(d, BND_GROUP_MAX) : groups[draw_below(d, sizeof groups)]);
    how.round_a = &a_format;
    how.round_b = &b_format;
    const size_t m = 1 + draw_below(d, 12), n = 1 + draw_below(d, 70), k = draw_depth(d, 300);
    question q;
    question_open(&q, m, n, k, &how, (unsigned)draw_below(d, MATRIX_LAYOUTS));
    const data_kind kind = fill(d, &q);
    const int scale = (int)draw_below(d, 200) - 120;
    for (size_t e = 0; e < q.a_size && a_format.emin == -126; e++) {
        q.a[e] = ldexpf(q.a[e], scale);
    }
    check_back_ends(b, d, &q, kind, ask_plainly, NULL);
    check_elements(b, d, &q, kind);
    question_close(&q);
    return 2 * m * n * k;
}

/* x x', whose halves are one, against the same product of two arrays. */
static size_t check_symmetric(comparison *b, draw *d)
{
    size_t m, k;
    question q;
    bnd_gemm how = draw_choices(d);
    how.add = false;
    if (draw_one_in(d, 2)) {
        draw_usual(d, &how.accumulator);
    }
    const bool usual = how.accumulator.format.precision > 0;
    m = usual ? 60 + draw_below(d, 40) : 1 + draw_below(d, 300); /* of less than 64, none is computed by half */
    k = usual ? 31 + draw_below(d, 6) : draw_depth(d, 600);
    question_open(&q, m, m, k, &how, draw_one_in(d, 2) ? 0 : 2 + (unsigned)draw_below(d, 2));
    const data_kind kind = fill(d, &q);
    const bnd_strides a =
        q.how.a.row == 0 && q.how.a.column == 0 ? (bnd_strides){.row = (ptrdiff_t)k, .column = 1} : q.how.a;
    free(q.b);
    q.b = memory_of(q.a_size * sizeof *q.b);
    memcpy(q.b, q.a, q.a_size * sizeof *q.b);
    q.b_first = q.a_first;
    q.how.b = (bnd_strides){.row = a.column, .column = a.row};
    float *copy = q.b;
    check_back_ends(b, d, &q, kind, ask_plainly, NULL);
    check_elements(b, d, &q, kind);
    float *whole = memory_of(q.c_size * sizeof *whole);
    memcpy(whole, q.c, q.c_size * sizeof *whole);
    q.b = q.a;
    check_back_ends(b, d, &q, kind, ask_plainly, NULL);
    if (comparison_note(b, memcmp(whole, q.c, q.c_size * sizeof *whole) == 0)) {
        print_product(&q, "symmetric", kind);
        printf("    not the bits of the product of two arrays\n");
    }
    q.b = copy;
    question_close(&q);
    free(whole);
    return 2 * m * m * k;
}

/* Codes against the product of their numbers. */
typedef struct coded {
    bnd_format a_format, b_format;
    void *a, *b;
} coded;

static bnd_status ask_codes(question *q, const void *state, bnd_error *why)
{
    const coded *codes = state;
    memcpy(q->c, q->start, q->c_size * sizeof *q->c);
    return bnd_gemm_codes(q->c + q->c_first, q->m, q->n, codes->a, &codes->a_format, codes->b, &codes->b_format, q->k,
                          &q->how, why);
}

static bnd_format draw_operand(draw *d)
{
    for (;;) {
        const bnd_format f = draw_format(d, true);
        if (f.precision <= 24 && f.least_quantum >= -149 && f.emax <= 127) {
            return f;
        }
    }
}

/* Random codes of a format, and their numbers in x. */
static void *draw_codes(draw *d, const bnd_format *f, float *x, size_t n)
{
    const bnd_array whole = {.packing_in = BND_PACKING_UNPACKED};
    void *codes = memory_of(8 * n + 1);
    uint64_t *values = memory_of(8 * n + 8);
    bnd_error why = {.message = ""};
    for (size_t i = 0; i < n; i++) {
        values[i] = draw_one_in(d, 5) ? draw_edge_code(d, f) : draw_bits(d) >> (64 - f->width);
    }
    put_codes(codes, f, BND_PACKING_UNPACKED, values, n);
    if (bnd_decode_f32(x, codes, n, f, &whole, &why) != BND_OK) {
        fprintf(stderr, "products: %s cannot be decoded: %s\n", f->name, why.message);
        exit(EXIT_TROUBLE);
    }
    free(values);
    return codes;
}

static size_t check_codes(comparison *b, draw *d)
{
    size_t m, n, k;
    question q;
    bnd_gemm how = draw_choices(d);
    if (draw_one_in(d, 2)) {
        how.accumulator.kind = draw_one_in(d, 2) ? BND_ACCUMULATE_FUSED : BND_ACCUMULATE_EACH;
        how.accumulator.format = draw_format(d, true);
        how.accumulator.rule = draw_rule(d);
        how.accumulator.rule.flush_in = false; /* what is subnormal as a code may be none as a number */
    }
    draw_sizes(d, &m, &n, &k, how.accumulator.format.precision > 0 ? FEW_STEPS / 4 : 4 * FEW_STEPS);
    question_open(&q, m, n, k, &how, draw_one_in(d, 2) ? 0 : 2);
    const data_kind kind = fill(d, &q);
    coded codes = {.a_format = draw_operand(d), .b_format = draw_operand(d)};
    codes.a = draw_codes(d, &codes.a_format, q.a, q.a_size);
    codes.b = draw_codes(d, &codes.b_format, q.b, q.b_size);
    check_back_ends(b, d, &q, kind, ask_plainly, NULL);
    float *numbers = memory_of(q.c_size * sizeof *numbers);
    memcpy(numbers, q.c, q.c_size * sizeof *numbers);
    check_back_ends(b, d, &q, kind, ask_codes, &codes);
    if (comparison_note(b, memcmp(numbers, q.c, q.c_size * sizeof *numbers) == 0)) {
        print_product(&q, "codes", kind);
        printf("    of %s and %s: not the bits of the product of their numbers\n", codes.a_format.name,
               codes.b_format.name);
    }
    check_elements(b, d, &q, kind);
    free(numbers);
    free(codes.a);
    free(codes.b);
    question_close(&q);
    return 2 * m * n * k;
}

/* Some kinds are 100 times faster than others. */
int main(int argc, char **argv)
{
    static const random_kind kinds[] = {
        {"fp32", check_fp32, 8},           {"usual formats", check_usual, 2},
        {"any format", check_any, 1},      {"aligned groups", check_aligned, 1},
        {"symmetric", check_symmetric, 3}, {"codes", check_codes, 1},
        {"tensor cores", check_tensor, 1},
    };
    const random_plan plan = {&about, kinds, sizeof kinds / sizeof kinds[0], QUICK, ALL, PIECE};
    return run_random(&plan, argc, argv);
}
