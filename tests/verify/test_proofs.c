/* The proofs hold for the library, and find what is wrong in candidates that are wrong in one place. */
#include <stdio.h>
#include <string.h>

#include <binade-lab/verify.h>

#include "tests.h"
#include "tests/support/operands.h"

static bnd_format format(const char *name)
{
    bnd_format f;
    CU_ASSERT_FATAL(bnd_format_parse(&f, name, NULL) == BND_OK);
    return f;
}

static size_t row(const char *name)
{
    size_t row = 0;
    CU_ASSERT_FATAL(bnd_verify_check_parse(&row, name, NULL) == BND_OK);
    return row;
}

static bnd_verify_result prove(const char *proof, const char *of, bnd_rule rule, const bnd_verify_candidate *candidate,
                               unsigned threads)
{
    bnd_verifier *verifier;
    bnd_verify_result found = {.cases = 0};
    bnd_format f = format(of);
    bnd_verify_options how = {.threads = threads, .candidate = candidate};
    CU_ASSERT_FATAL(bnd_verifier_new(&verifier, how, NULL) == BND_OK);
    CU_ASSERT(bnd_verifier_run(&found, verifier, row(proof), &f, rule, NULL) == BND_OK);
    bnd_verifier_free(verifier);
    return found;
}

/* ---- the library ---- */

static void test_library(void)
{
    static const struct {
        const char *format;
        bnd_rule rule;
    } all[] = {
        {"e4m3", {.rounding = BND_ROUND_RNE}},
        {"e2m1", {.rounding = BND_ROUND_RUP, .overflow = BND_OVERFLOW_SATURATE}},
        {"e8m0", {.rounding = BND_ROUND_RTO}},
        {"binary6p3se", {.rounding = BND_ROUND_RNA}},
        {"e3m2", {.rounding = BND_ROUND_SRB, .random_bits = 5}},
        {"e4m3fnuz", {.rounding = BND_ROUND_RDN, .nan = BND_NAN_X86}},
        {"e5m2", {.nan = BND_NAN_PROPAGATE, .flush_in = true}},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t proof = 0; proof < bnd_verify_check_count(); proof++) {
            if (!in_turn(i + proof, 3)) {
                continue;
            }
            bnd_verify_result found = prove(bnd_verify_check_name(proof), all[i].format, all[i].rule, NULL, 1);
            bnd_format f = format(all[i].format);
            CU_ASSERT_EQUAL(found.cases > 0, bnd_verify_check_effort(proof, &f, all[i].rule, false) > 0);
            CU_ASSERT_EQUAL(found.mismatches, 0);
            if (found.mismatches > 0) {
                printf("%s %s: %llu\n", bnd_verify_check_name(proof), all[i].format,
                       (unsigned long long)found.mismatches);
            }
        }
    }
}

/* The code 3, in every format that has it, becomes 4. */
static bnd_result wrong_next(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode_exact(f, x, rule, random);
    r.code += r.code == 3;
    return r;
}

/* Values beyond fp64 are compared as they are. */
static void test_beyond_fp64(void)
{
    static const char *const names[] = {"e5m2b-32767", "e5m2b32767", "e8m3b1500", "e15m3", "e15m48"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_verify_result found = prove("decode", names[i], (bnd_rule){0}, NULL, 1);
        CU_ASSERT(found.cases > 0);
        CU_ASSERT_EQUAL(found.mismatches, 0);
        const bnd_verify_candidate wrong = {.encode_exact = wrong_next};
        bool all_codes = found.cases < 1 << 20;
        CU_ASSERT_EQUAL(prove("decode", names[i], (bnd_rule){0}, &wrong, 1).mismatches, all_codes ? 1 : 0);
    }
}

/* ---- candidates that are wrong ---- */

static double wrong_decode(const bnd_format *f, uint64_t code)
{
    return code == 0x2a ? bnd_decode(f, 0x2b) : bnd_decode(f, code);
}

static bnd_result wrong_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode(f, x, rule, random);
    r.code -= x == 1.0625; /* the midpoint above 1, which rne rounds to 1 */
    return r;
}

/* The midpoint above 1, and a little more, taken for the midpoint itself. */
static bnd_result wrong_encode_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode_exact(f, x, rule, random);
    bool above = !x.negative && x.sticky && x.high == UINT64_C(0x88) << 56 && x.low == 0 && x.exponent == -127;
    r.code -= above && r.code == 0x39;
    return r;
}

/* One policy alone, at the midpoint above the largest number. */
static bnd_result wrong_policy(const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode(f, x, rule, random);
    r.flags ^= rule.overflow == BND_OVERFLOW_PROPAGATE_MAX && x == 464 ? BND_FLAG_SATURATED : 0;
    return r;
}

/* A unit in the last of 128 places. */
static bnd_exact wrong_bits(bnd_operation operation, const bnd_format *f, const bnd_exact *operands, bnd_rule rule,
                            uint64_t random, uint32_t *flags)
{
    bnd_exact r = bnd_operate_exact(operation, f, operands, rule, random, flags);
    r.low += operation == BND_OP_TANH && operands->exponent == -15 && operands->low >> 12 == 0xb;
    return r;
}

/* A flag that is missing for one float of 2^32. */
static bnd_result wrong_float(const bnd_format *f, float x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode_float(f, x, rule, random);
    r.flags &= x == -0x1.02p+2f ? ~(uint32_t)BND_FLAG_INEXACT : UINT32_MAX;
    return r;
}

static bnd_result wrong_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                                uint64_t random)
{
    bnd_result r = bnd_convert(to, from, code, rule, random);
    r.ternary = from->width == 16 && code == 0x1234 ? -r.ternary : r.ternary;
    return r;
}

static bnd_result operate(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                          uint64_t random)
{
    return bnd_operate(f, operation, (const bnd_format *const[]){f, f, f}, c, rule, random);
}

static bnd_result wrong_root(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                             uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.code ^= operation == BND_OP_SQRT && c[0] == 0x41;
    return r;
}

/* A NaN keeps its sign. */
static bnd_result wrong_sign(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                             uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.code ^= operation == BND_OP_NEG && c[0] == 0x7f ? 0x80 : 0;
    return r;
}

static bnd_result wrong_exp(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                            uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.code += operation == BND_OP_EXP && c[0] == 0x39; /* 1.125 */
    return r;
}

/* A pole that is nothing special. */
static bnd_result wrong_pole(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                             uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.flags &= operation == BND_OP_LOG && c[0] == 0 ? ~(uint32_t)BND_FLAG_DIVBYZERO : UINT32_MAX;
    return r;
}

static bnd_result wrong_sum(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                            uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.code ^= operation == BND_OP_ADD && c[0] == 0x38 && c[1] == 0x39;
    return r;
}

static bnd_result wrong_scale(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                              uint64_t random)
{
    bnd_result r = operate(f, operation, c, rule, random);
    r.code ^= operation == BND_OP_SCALB && c[0] == 0x38 && c[1] == (uint64_t)-3;
    return r;
}

/* A sum of three that is rounded twice. */
static bnd_result wrong_fma(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                            uint64_t random)
{
    if (operation != BND_OP_FMA) {
        return operate(f, operation, c, rule, random);
    }
    return bnd_add(f, bnd_mul(f, c[0], c[1], rule, random).code, c[2], rule, random);
}

static bnd_status wrong_parse(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                              uint64_t random, bnd_error *why)
{
    bnd_status status = bnd_parse_n(out, f, text, length, rule, random, why);
    out->code += length == 6 && memcmp(text, "0.0625", 6) == 0;
    return status;
}

static size_t wrong_print(char *out, size_t size, const bnd_format *f, bnd_exact value)
{
    if (value.kind == BND_KIND_FINITE && value.low == 11) {
        value.low = 12; /* 11 * 2^e is written as 12 * 2^e */
    }
    return bnd_print_shortest(out, size, f, value);
}

static bnd_status wrong_encode_array(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_stats *stats, bnd_error *why)
{
    bnd_status status = bnd_encode_f32(codes, x, n, f, how, stats, why);
    for (size_t i = 0; status == BND_OK && how->packing_out == BND_PACKING_UNPACKED && i < n; i++) {
        ((unsigned char *)codes)[i] ^= x[i] == 0x1.9p+3f;
    }
    return status;
}

static bnd_status wrong_decode_array(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_error *why)
{
    bnd_status status = bnd_decode_f32(x, codes, n, f, how, why);
    for (size_t i = 0; i < n; i++) {
        x[i] = x[i] == 12 ? 13 : x[i];
    }
    return status;
}

static bnd_status wrong_round_array(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                    bnd_stats *stats, bnd_error *why)
{
    bnd_context best = {.backend = BND_BACKEND_BEST, .threads = 1};
    bnd_array other = *how;
    other.context = &best;
    other.rule.rounding = how->context->backend == BND_BACKEND_PORTABLE ? BND_ROUND_RTZ : how->rule.rounding;
    return bnd_round_f32(y, x, n, f, &other, stats, why);
}

static void test_wrong(void)
{
    static const struct {
        const char *proof, *what; /* of the first counterexample */
        uint64_t code;            /* its first operand, */
        bool one;                 /* where one place alone is wrong */
        bnd_verify_candidate candidate;
    } all[] = {
        {"decode", "decode", 0x2a, true, {.decode = wrong_decode}},
        {"encode", "encode", UINT64_C(0x3ff1) << 48, true, {.encode = wrong_encode}},
        {"midpoints", "midpoint + far bit", 0x38, true, {.encode_exact = wrong_encode_exact}},
        {"midpoints", "midpoint", 0x7e, true, {.encode = wrong_policy}},
        {"unary", "neg", 0x7f, true, {.operate = wrong_sign}},
        {"from-float", "encode", 0xc0810000, true, {.encode_float = wrong_float}},
        {"convert", "convert", 0x1234, false, {.convert = wrong_convert}},
        {"unary", "sqrt", 0x41, true, {.operate = wrong_root}},
        {"binary", "add", 0x38, true, {.operate = wrong_sum}},
        {"binary", "scalb", 0x38, true, {.operate = wrong_scale}},
        {"fma", "fma", 0, false, {.operate = wrong_fma}},
        {"functions", "exp", 0x39, true, {.operate = wrong_exp}},
        {"functions", "log", 0, true, {.operate = wrong_pole}},
        {"decimal", "exact text", 0x18, true, {.parse = wrong_parse}},
        {"decimal", "shortest text", 0x0b, false, {.print_shortest = wrong_print}},
        {"arrays", "portable encode", 0x41480000, false, {.encode_array = wrong_encode_array}},
        {"arrays", "portable decode", 0x54, false, {.decode_array = wrong_decode_array}},
        {"arrays", "portable round", 0, false, {.round_array = wrong_round_array}},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bnd_verify_result found = prove(all[i].proof, "e4m3", (bnd_rule){0}, &all[i].candidate, 1);
        bool good = found.mismatches > 0 && found.shown > 0 && strcmp(found.first[0].what, all[i].what) == 0 &&
                    (all[i].code == 0 || found.first[0].codes[0] == all[i].code) &&
                    (!all[i].one || found.mismatches == 1);
        CU_ASSERT(good);
        if (!good) {
            printf("%s: %llu mismatches, %s of 0x%llx\n", all[i].proof, (unsigned long long)found.mismatches,
                   found.first[0].what, (unsigned long long)found.first[0].codes[0]);
        }
    }
}

/* Where the judge is asked about each case, too. */
static void test_wrong_by_oracle(void)
{
    bnd_verify_candidate candidate = {.operate = wrong_fma};
    CU_ASSERT(prove("fma", "fp32", (bnd_rule){0}, &candidate, 1).mismatches > 0);
    candidate = (bnd_verify_candidate){.encode_float = wrong_float};
    bnd_rule rule = {.rounding = BND_ROUND_SR, .random_bits = 4};
    CU_ASSERT_EQUAL(prove("float", "e4m3", rule, &candidate, 1).mismatches, 1);
    candidate = (bnd_verify_candidate){.operate = wrong_exp};
    CU_ASSERT_EQUAL(prove("functions", "e4m3", rule, &candidate, 1).mismatches, 1);
}

/* The 128 bits before a rounding: formats of at least 16 bits of precision have the operands. */
static void test_wrong_bits(void)
{
    const bnd_verify_candidate candidate = {.operate_exact = wrong_bits};
    bnd_verify_result good = prove("bits", "fp32", (bnd_rule){0}, NULL, 1),
                      bad = prove("bits", "fp32", (bnd_rule){0}, &candidate, 1);
    CU_ASSERT(good.cases > 20000);
    CU_ASSERT_EQUAL(good.mismatches, 0);
    CU_ASSERT_EQUAL(bad.cases, good.cases);
    CU_ASSERT(bad.mismatches > 0 && bad.first[0].exact && strcmp(bad.first[0].what, "tanh") == 0);
    CU_ASSERT_EQUAL(bad.first[0].exact_got.low, bad.first[0].exact_want.low + 1);
    CU_ASSERT_EQUAL(prove("bits", "tf32", (bnd_rule){0}, NULL, 1).cases, 0);
}

/* ---- threads, sums and refusals ---- */

static void test_threads(void)
{
    bnd_verify_candidate candidate = {.operate = wrong_fma};
    bnd_verify_result one = prove("fma", "e5m2", (bnd_rule){0}, &candidate, 1),
                      three = prove("fma", "e5m2", (bnd_rule){0}, &candidate, 3);
    CU_ASSERT_EQUAL(one.cases, three.cases);
    CU_ASSERT_EQUAL(one.mismatches, three.mismatches);
    CU_ASSERT_EQUAL(one.shown, BND_VERIFY_COUNTEREXAMPLES_MAX);
    for (unsigned i = 0; i < BND_VERIFY_COUNTEREXAMPLES_MAX; i++) {
        CU_ASSERT(memcmp(one.first[i].codes, three.first[i].codes, sizeof one.first[i].codes) == 0);
    }
}

/* What is done is told as it goes on, up to the effort that was foretold. */
typedef struct seen {
    unsigned calls;
    uint64_t last;
    bool backward;
} seen;

static void see(void *state, uint64_t done)
{
    seen *s = state;
    s->backward = s->backward || done < s->last;
    s->last = done;
    s->calls++;
}

static void test_progress(void)
{
    seen s = {0};
    bnd_verifier *verifier;
    bnd_verify_result found = {.cases = 0};
    bnd_format e4m3 = format("e4m3"), e5m2 = format("e5m2");
    bnd_verify_options how = {.progress = see, .progress_state = &s};
    CU_ASSERT_FATAL(bnd_verifier_new(&verifier, how, NULL) == BND_OK);
    for (int mode = 0; mode < 2; mode++) {
        bnd_rule rule = {.rounding = (uint8_t)mode};
        s = (seen){0};
        CU_ASSERT(bnd_verifier_run(&found, verifier, row("binary"), &e4m3, rule, NULL) == BND_OK);
        uint64_t effort = bnd_verify_check_effort(row("binary"), &e4m3, rule, false);
        CU_ASSERT(s.calls > 1 && !s.backward && s.last <= effort && s.last + 1 >= effort);
        CU_ASSERT(bnd_verifier_run(&found, verifier, row("binary"), &e5m2, rule, NULL) == BND_OK);
        CU_ASSERT_EQUAL(found.mismatches, 0);
    }
    CU_ASSERT_EQUAL(found.cases, 4 * 65536 * 10);
    bnd_verifier_free(verifier);
}

/* From each place that a checkpoint was given, with the result as it was there, the end is the same. */
enum { PLACES = 16 };
typedef struct checkpoints {
    const bnd_verify_result *found;
    unsigned count;
    uint64_t places[PLACES];
    bnd_verify_result then[PLACES];
} checkpoints;

static void keep_checkpoint(void *state, uint64_t next)
{
    checkpoints *c = state;
    if (c->count < PLACES) {
        c->places[c->count] = next;
        c->then[c->count++] = *c->found;
    }
}

static bnd_status resume(bnd_verify_result *found, bnd_verify_options how, uint64_t place)
{
    bnd_verifier *verifier;
    bnd_format f = format("e5m2");
    CU_ASSERT_FATAL(bnd_verifier_new(&verifier, how, NULL) == BND_OK);
    bnd_status status = bnd_verifier_resume(found, verifier, row("fma"), &f, (bnd_rule){0}, place, NULL);
    bnd_verifier_free(verifier);
    return status;
}

static void test_resume(void)
{
    static checkpoints c;
    const bnd_verify_candidate candidate = {.operate = wrong_fma};
    bnd_verify_result whole = {.cases = 0};
    bnd_verify_options how = {.candidate = &candidate, .checkpoint = keep_checkpoint, .progress_state = &c};
    c.found = &whole;
    CU_ASSERT(resume(&whole, how, 0) == BND_OK);
    CU_ASSERT(c.count > 4);
    for (unsigned i = 0; i < c.count; i++) {
        bnd_verify_result found = c.then[i];
        CU_ASSERT(i + 1 == c.count || found.cases < whole.cases);
        CU_ASSERT(resume(&found, (bnd_verify_options){.candidate = &candidate, .threads = 3}, c.places[i]) == BND_OK);
        CU_ASSERT(found.cases == whole.cases && found.mismatches == whole.mismatches && found.shown == whole.shown);
        for (unsigned k = 0; k < whole.shown; k++) {
            CU_ASSERT(memcmp(found.first[k].codes, whole.first[k].codes, sizeof whole.first[k].codes) == 0);
        }
    }
    bnd_verify_result found = whole;
    CU_ASSERT(resume(&found, how, c.places[c.count - 1] + 1) == BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(found.cases, whole.cases);
}

static void test_refusals(void)
{
    bnd_error why;
    bnd_verifier *verifier;
    size_t which = 7;
    bnd_verify_result found = {.cases = 5};
    bnd_format set = format("p11emin-14emax15"), fp16 = format("fp16");
    CU_ASSERT_FATAL(bnd_verifier_new(&verifier, (bnd_verify_options){.threads = 0}, NULL) == BND_OK);
    CU_ASSERT(bnd_verifier_run(&found, verifier, 0, &set, (bnd_rule){0}, &why) == BND_BAD_ARGUMENT);
    CU_ASSERT(bnd_verifier_run(&found, verifier, bnd_verify_check_count(), &fp16, (bnd_rule){0}, &why) ==
              BND_BAD_ARGUMENT);
    CU_ASSERT(bnd_verifier_run(&found, verifier, 0, &fp16, (bnd_rule){.rounding = 99}, &why) == BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(found.cases, 5);
    bnd_verifier_free(verifier);
    bnd_verifier_free(NULL);
    CU_ASSERT(bnd_verify_check_parse(&which, "all", &why) == BND_BAD_NAME);
    for (size_t i = 0; i < bnd_verify_check_count(); i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, bnd_verify_check_name(i)));
    }
    CU_ASSERT_EQUAL(which, 7);
    CU_ASSERT_STRING_EQUAL(bnd_verify_check_name(bnd_verify_check_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_verify_check_title(bnd_verify_check_count()), "");
    CU_ASSERT_EQUAL(bnd_verify_check_effort(0, &set, (bnd_rule){0}, true), 0);
}

CU_TestInfo proof_tests[] = {
    {"the library holds", test_library},
    {"formats beyond fp64", test_beyond_fp64},
    {"what is wrong is found", test_wrong},
    {"and by the oracle itself", test_wrong_by_oracle},
    {"bits before a rounding", test_wrong_bits},
    {"threads", test_threads},
    {"progress", test_progress},
    {"resuming", test_resume},
    {"refusals", test_refusals},
    CU_TEST_INFO_NULL,
};
