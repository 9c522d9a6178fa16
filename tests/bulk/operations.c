/* Arrays of operations against bnd_operate, one element at a time. */
#include "operations.h"
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned operands(const question *q)
{
    return bnd_operation_operands(q->operation);
}

static bool is_integer(const question *q, unsigned k)
{
    return q->operation == BND_OP_SCALB && k == 1;
}

static bnd_format type_of(result_type type)
{
    return format_named(type == TO_DOUBLES ? "fp64" : "fp32");
}

question question_of(bnd_operation operation, result_type type, const bnd_format *f, const bnd_format *other,
                     unsigned mix)
{
    question q = {.operation = operation, .type = type, .to = *f};
    for (unsigned k = 0; k < operands(&q); k++) {
        bool mixed = (mix >> k & 1) != 0;
        q.number[k] = is_integer(&q, k) || (type != TO_CODES && !mixed);
        q.from[k] = is_integer(&q, k) ? format_named("fp64") : mixed ? *other : type == TO_CODES ? *f : type_of(type);
    }
    return q;
}

/* ---- answers ---- */

/* neg and abs in one format look at a sign, whatever the rule. */
static bnd_rule rule_of(const question *q)
{
    bool turns = (q->operation == BND_OP_NEG && q->to.is_signed) || q->operation == BND_OP_ABS;
    bool quiet = turns && bnd_format_same(&q->to, &q->from[0]);
    bnd_rule rule = quiet ? (bnd_rule){.nan = BND_NAN_PROPAGATE} : q->how.rule;
    if (rule.nan == BND_NAN_DEFAULT && q->operation != BND_OP_CONVERT) {
        rule.nan = BND_NAN_CANONICAL;
    }
    return rule;
}

static bnd_exact operand_of(const question *q, unsigned k, uint64_t code)
{
    if (is_integer(q, k)) {
        return bnd_exact_int64((int64_t)code);
    }
    bnd_exact x = bnd_unpack(&q->from[k], code);
    bool flush = rule_of(q).flush_in && bnd_classify(&q->from[k], x) == BND_CLASS_SUBNORMAL;
    return flush ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative} : x;
}

static bnd_exact exact_of_element(const question *q, const uint64_t *codes, uint64_t random)
{
    bnd_exact x[BND_OPERANDS_MAX];
    uint32_t flags;
    for (unsigned k = 0; k < operands(q); k++) {
        x[k] = operand_of(q, k, codes[k]);
    }
    return q->operation == BND_OP_CONVERT ? x[0]
                                          : bnd_operate_exact(q->operation, &q->from[0], x, rule_of(q), random, &flags);
}

static uint64_t answer(const question *q, const bnd_format *out, const uint64_t *codes, uint64_t random)
{
    const bnd_format *from[BND_OPERANDS_MAX] = {&q->from[0], &q->from[1], &q->from[2]};
    if (q->type == TO_CODES) {
        return bnd_operate(&q->to, q->operation, from, codes, q->how.rule, random).code;
    }
    bnd_rounded r = bnd_round_exact(&q->to, exact_of_element(q, codes, random), rule_of(q), random);
    return bnd_encode_exact(out, r.value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

/* As if the exact result, to odd in fp64, had been converted. */
static void count_answer(tally *t, const question *q, const bnd_format *out, const uint64_t *codes, uint64_t want,
                         uint64_t random)
{
    static const bnd_rule odd = {.rounding = BND_ROUND_RTO, .nan = BND_NAN_PROPAGATE};
    bnd_format fp64 = format_named("fp64");
    call c = convert_call(out, &fp64);
    bnd_exact exact = exact_of_element(q, codes, random);
    bnd_rounded r = bnd_round_exact(&q->to, exact, rule_of(q), random);
    count_element(t, &c, bnd_encode_exact(&fp64, exact, odd, 0).code, want, r.flags);
}

/* ---- exercises ---- */

static uint64_t code_at(const exercise *s, unsigned k, size_t i)
{
    return s->codes[k][s->q.broadcast[k] ? 0 : i];
}

static uint64_t masked(const bnd_format *f, uint64_t code)
{
    return code & UINT64_MAX >> (64 - f->width);
}

static void fill_operands(exercise *s, uint64_t seed, const uint64_t *codes)
{
    const question *q = &s->q;
    const bnd_format *from[BND_OPERANDS_MAX] = {&q->from[0], &q->from[1], &q->from[2]};
    for (size_t i = 0; i < s->n; i++) {
        uint64_t x[BND_OPERANDS_MAX];
        if (codes != NULL) {
            memcpy(x, codes + i * operands(q), operands(q) * sizeof *x);
        } else {
            bndi_stratified_operands(x, q->operation, from, seed, i);
        }
        for (unsigned k = 0; k < operands(q); k++) {
            s->codes[k][i] = is_integer(q, k) ? x[k] : masked(from[k], x[k]);
        }
    }
}

exercise exercise_of(const question *q, size_t n, uint64_t seed, const uint64_t *codes)
{
    exercise s = {.q = *q, .n = n, .out = q->type == TO_CODES ? q->to : type_of(q->type)};
    tally counts = {.stats.elements = 0};
    for (unsigned k = 0; k < operands(q); k++) {
        s.codes[k] = memory_of(n * sizeof(uint64_t));
        s.memory[k] = memory_of(strided_bytes(&q->from[k], q->packing[k], n, q->stride[k]));
    }
    s.want = memory_of(n * sizeof(uint64_t));
    fill_operands(&s, seed, codes);
    for (unsigned k = 0; k < operands(q); k++) {
        unsigned char *first = put_strided(s.memory[k], &q->from[k], q->packing[k], s.codes[k], n, q->stride[k]);
        s.first[k] = (size_t)(first - s.memory[k]);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t x[BND_OPERANDS_MAX], random = random_of(&q->how, i);
        for (unsigned k = 0; k < operands(q); k++) {
            x[k] = code_at(&s, k, i);
        }
        s.want[i] = answer(q, &s.out, x, random);
        count_answer(&counts, q, &s.out, x, s.want[i], random);
    }
    end_tally(&counts);
    s.stats = counts.stats;
    return s;
}

void exercise_close(exercise *s)
{
    for (unsigned k = 0; k < operands(&s->q); k++) {
        free(s->codes[k]);
        free(s->memory[k]);
    }
    free(s->want);
}

size_t exercise_bytes(const exercise *s, size_t n)
{
    return strided_bytes(&s->out, s->q.how.packing_out, n, s->q.how.stride_out);
}

bnd_status run_exercise(const exercise *s, void *out, size_t n, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    const question *q = &s->q;
    bnd_operand x[BND_OPERANDS_MAX];
    for (unsigned k = 0; k < operands(q); k++) {
        x[k] = (bnd_operand){.data = s->memory[k] + s->first[k],
                             .format = q->number[k] ? NULL : &q->from[k],
                             .stride = q->stride[k],
                             .broadcast = q->broadcast[k],
                             .packing = q->packing[k]};
    }
    switch (q->type) {
    case TO_FLOATS:
        return bnd_operate_f32(out, q->operation, x, n, &q->to, how, stats, why);
    case TO_DOUBLES:
        return bnd_operate_f64(out, q->operation, x, n, &q->to, how, stats, why);
    default:
        return bnd_operate_codes(out, &q->to, q->operation, x, n, how, stats, why);
    }
}

/* ---- comparing ---- */

void print_exercise(const exercise *s, const bnd_array *how)
{
    const question *q = &s->q;
    const bnd_rule *r = &how->rule;
    printf("    %s: %s %s", context_name(how->context), bnd_operation_name(q->operation),
           q->type == TO_CODES    ? ""
           : q->type == TO_FLOATS ? "in fp32 "
                                  : "in fp64 ");
    for (unsigned k = 0; k < operands(q); k++) {
        printf("%s%s%s ", q->from[k].name, q->number[k] ? " number" : "", q->broadcast[k] ? " broadcast" : "");
    }
    printf("to %s, %s overflow=%s nan=%s N=%u no_nan=%u negative=%u zero=%u ties=%u%s%s%s, %zu elements: ", q->to.name,
           bnd_rounding_name(r->rounding), bnd_overflow_name(r->overflow), bnd_nan_name(r->nan), r->random_bits,
           r->no_nan, r->negative, r->zero, r->tie_rule, r->flush_in ? " flush_in" : "",
           r->flush_out ? " flush_out" : "", r->tiny_before ? " tiny_before" : "", s->n);
}

void print_element(const exercise *s, size_t i, uint64_t got)
{
    printf("element %zu of", i);
    for (unsigned k = 0; k < operands(&s->q); k++) {
        printf(" 0x%llx", (unsigned long long)code_at(s, k, i));
    }
    printf(": 0x%llx, not 0x%llx\n", (unsigned long long)got, (unsigned long long)s->want[i]);
}

static void note_differences(comparison *b, const exercise *s, const bnd_array *how, const unsigned char *got)
{
    size_t different = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t code = get_code(got, &s->out, how->packing_out, strided_place(i, s->n, how->stride_out));
        different += code != s->want[i];
        if (comparison_note(b, code == s->want[i])) {
            print_exercise(s, how);
            print_element(s, i, code);
        }
    }
    comparison_note(b, different > 0); /* or the bits between and behind the codes */
}

/* `first`: where element 0 stands, in bytes. */
static void check_bits(comparison *b, const exercise *s, const bnd_array *how, const unsigned char *want, size_t first,
                       bnd_stats *stats)
{
    const size_t bytes = exercise_bytes(s, s->n);
    unsigned char *got = memory_of(bytes);
    memset(got, FILL, bytes);
    if (run_exercise(s, got + first, s->n, how, stats, NULL) == BND_OK && memcmp(got, want, bytes) == 0) {
        b->compared += s->n;
    } else {
        note_differences(b, s, how, got);
    }
    free(got);
}

void check_exercise(comparison *b, const exercise *s, bool counted)
{
    unsigned char *want = memory_of(exercise_bytes(s, s->n));
    const unsigned char *origin = put_strided(want, &s->out, s->q.how.packing_out, s->want, s->n, s->q.how.stride_out);
    const size_t first = (size_t)(origin - want);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        bnd_array how = s->q.how;
        bnd_stats stats = {0};
        how.context = &back_ends_here()->at[i];
        check_bits(b, s, &how, want, first, NULL);
        if (!counted) {
            continue;
        }
        check_bits(b, s, &how, want, first, &stats);
        if (comparison_note(b, memcmp(&stats, &s->stats, sizeof stats) == 0)) {
            print_exercise(s, &how);
            puts("statistics");
            print_statistics("got", &stats);
            print_statistics("want", &s->stats);
        }
    }
    free(want);
}
