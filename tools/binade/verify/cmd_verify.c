/* binade verify: this build on this machine against the oracle, case by case. */
#include "verify.h"
#include "candidate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

static int take_rounding(void *options, const option_row *row, const char *word)
{
    verify *v = options;
    (void)row;
    bnd_rule rule = {0};
    bnd_error why;
    if (v->rule_count == MOST_RULES) {
        return complain(v->common.command, "--round takes at most %d modes", (int)MOST_RULES);
    }
    if (bnd_rounding_parse(&rule, word, &why) != BND_OK) {
        return complain(v->common.command, "%s", why.message);
    }
    v->rules[v->rule_count++] = rule;
    return GO_ON;
}

static int take_proof(void *options, const option_row *row, const char *word)
{
    verify *v = options;
    size_t proof;
    (void)row;
    bnd_error why;
    if (bnd_verify_check_parse(&proof, word, &why) != BND_OK) {
        return complain(v->common.command, "%s", why.message);
    }
    v->wanted[proof] = true;
    return GO_ON;
}

static int read_roundings(void *options, const option_row *row, const char *list)
{
    return read_list(options, row, list, take_rounding);
}

static int read_proofs(void *options, const option_row *row, const char *list)
{
    verify *v = options;
    v->proofs_given = true;
    return read_list(options, row, list, take_proof);
}

static int set_defaults(verify *v)
{
    for (int mode = 0; v->rule_count == 0 || (mode > 0 && mode < BND_ROUND_DETERMINISTIC_COUNT); mode++) {
        v->rules[v->rule_count++] = (bnd_rule){.rounding = (uint8_t)mode};
    }
    for (size_t i = 0; !v->proofs_given && i < bnd_verify_check_count(); i++) {
        v->wanted[i] = true;
    }
    for (size_t i = 0; i < v->rule_count; i++) {
        v->rules[i].overflow = v->common.rule.overflow;
    }
    int status = default_formats(&v->common, "fp16,bf16,e4m3,e5m2,e2m3,e3m2,e2m1,e8m0,fp32,fp64");
    for (size_t i = 0; status == GO_ON && i < v->common.formats.count; i++) {
        const bnd_format *f = &v->common.formats.items[i];
        if (f->width == 0) {
            status = complain(v->common.command, "%s is a value set: it has no encodings to verify", f->name);
        }
    }
    return status;
}

/* ---- verifying ---- */

/* Proofs that no rounding has a part in are done once. */
static size_t rules_of(const verify *v, size_t proof)
{
    return bnd_verify_check_rounds(proof) ? v->rule_count : 1;
}

static uint64_t effort_of(const verify *v, size_t proof, const bnd_format *f)
{
    uint64_t effort = 0;
    for (size_t i = 0; i < rules_of(v, proof); i++) {
        effort += bnd_verify_check_effort(proof, f, v->rules[i], v->exhaustive);
    }
    return effort;
}

static void show_progress(void *state, uint64_t done)
{
    verify *v = state;
    progress_at(&v->bar, v->before + done);
}

static int verify_one(verify *v, bnd_verifier *verifier, result *r, size_t rule)
{
    const bnd_format *f = &v->common.formats.items[r->format];
    bnd_error why;
    double began = seconds_now();
    if (bnd_verifier_run(&r->found, verifier, r->proof, f, v->rules[rule], &why) != BND_OK) {
        progress_end(&v->bar);
        complain(v->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    r->seconds += seconds_now() - began;
    v->before += bnd_verify_check_effort(r->proof, f, v->rules[rule], v->exhaustive);
    progress_at(&v->bar, v->before);
    return GO_ON;
}

/* Rule by rule, because proofs under one rule share the judge's answers. */
static int verify_format(verify *v, bnd_verifier *verifier, size_t format)
{
    size_t first = v->result_count;
    v->results = allocate(v->results, first + bnd_verify_check_count(), sizeof *v->results);
    for (size_t proof = 0; proof < bnd_verify_check_count(); proof++) {
        if (v->wanted[proof] && effort_of(v, proof, &v->common.formats.items[format]) > 0) {
            v->results[v->result_count++] = (result){.proof = proof, .format = format};
        }
    }
    int status = GO_ON;
    for (size_t rule = 0; rule < v->rule_count; rule++) {
        for (size_t i = first; status == GO_ON && i < v->result_count; i++) {
            if (rule < rules_of(v, v->results[i].proof)) {
                status = verify_one(v, verifier, &v->results[i], rule);
            }
        }
    }
    return status;
}

static int verify_all(verify *v)
{
    bnd_context context;
    bnd_verifier *verifier;
    bnd_error why;
    uint64_t total = 0;
    if (bnd_context_init(&context, NULL, v->common.threads, &why) != BND_OK) {
        return complain(v->common.command, "%s", why.message);
    }
    bnd_verify_options how = {.exhaustive = v->exhaustive, .threads = context.threads, .progress = show_progress};
    how.progress_state = v;
    how.candidate = verify_candidate;
    if (bnd_verifier_new(&verifier, how, &why) != BND_OK) {
        complain(v->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    for (size_t i = 0; i < v->common.formats.count; i++) {
        for (size_t proof = 0; proof < bnd_verify_check_count(); proof++) {
            total += v->wanted[proof] ? effort_of(v, proof, &v->common.formats.items[i]) : 0;
        }
    }
    progress_begin(&v->bar, &v->common, "verify", PROGRESS_SHARE, total);
    int status = GO_ON;
    for (size_t i = 0; status == GO_ON && i < v->common.formats.count; i++) {
        status = verify_format(v, verifier, i);
    }
    progress_end(&v->bar);
    bnd_verifier_free(verifier);
    return status;
}

/* ---- the table ---- */

static int run(const command *self, int argc, char **argv)
{
    verify v = {.rule_count = 0};
    int status = read_arguments(&v, self, argc, argv);
    if (status == GO_ON && v.common.operand_count > 0) {
        status = complain(self, "'%s' is one word too many; formats are chosen with --format", v.common.operands[0]);
    }
    if (status == GO_ON) {
        status = set_defaults(&v);
    }
    if (status == GO_ON) {
        status = verify_all(&v);
    }
    if (status == GO_ON) {
        verify_print(&v);
        status = verify_mismatches(&v) == 0 ? FINE : DOES_NOT_HOLD;
    }
    free(v.results);
    clear_settings(&v.common);
    return status;
}

static const option_row options[] = {
    {.same = &row_format},
    {.name = "round",
     .letter = 'r',
     .argument = "LIST",
     .help = "modes, separated by commas: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal (default the first six)",
     .completes = COMPLETES_WORDS,
     .words = "rne rna rtz rup rdn rto sr sra srb sr-equal",
     INTO(verify, rules, read_roundings)},
    {.same = &row_overflow},
    {.name = "proof",
     .argument = "LIST",
     .help = "of decode text encode midpoints float arrays convert one two fma functions bits (default all)",
     .completes = COMPLETES_WORDS,
     .words = "decode text encode midpoints float arrays convert one two fma functions bits",
     INTO(verify, wanted, read_proofs)},
    {.name = "exhaustive",
     .help = "all floats, all pairs up to 16 bits, all triples up to 8: hours",
     INTO_FLAG(verify, exhaustive)},
    {.same = &row_threads},
    {.same = &row_progress},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"two FP8 formats with two rounding modes", "binade verify -f e4m3,e5m2 --round rne,rtz"},
    {NULL, NULL},
};

const command command_verify = {
    .name = "verify",
    .old_name = "prove",
    .summary = "this build's conversions and operations against MPFR and exact integers",
    .group = GROUP_VERIFY,
    .operands = "",
    .about = "Compares what this build gives on this machine, case by case, with an independent judge on MPFR and "
             "exact integers: code, flags, and on which side of the exact number the result lies. Default formats: "
             "fp16 bf16 e4m3 e5m2 e2m3 e3m2 e2m1 e8m0 fp32 fp64.",
    .options = options,
    .examples = examples,
    .exit_one = "a case does not agree with the reference; the first ones are printed",
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "vectors bench calc",
    .run = run,
};
