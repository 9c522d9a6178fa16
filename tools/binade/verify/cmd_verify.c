/* binade verify: compares this build on this machine with the oracle, case by case. */
#include "verify.h"
#include "candidate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

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

static int take_check(void *options, const option_row *row, const char *word)
{
    verify *v = options;
    size_t check;
    (void)row;
    bnd_error why;
    if (bnd_verify_check_parse(&check, word, &why) != BND_OK) {
        return complain(v->common.command, "%s", why.message);
    }
    v->wanted[check] = true;
    return GO_ON;
}

static int read_roundings(void *options, const option_row *row, const char *list)
{
    return read_list(options, row, list, take_rounding);
}

static int read_checks(void *options, const option_row *row, const char *list)
{
    verify *v = options;
    v->checks_given = true;
    return read_list(options, row, list, take_check);
}

static int set_defaults(verify *v)
{
    for (int mode = 0; v->rule_count == 0 || (mode > 0 && mode < BND_ROUND_DETERMINISTIC_COUNT); mode++) {
        v->rules[v->rule_count++] = (bnd_rule){.rounding = (uint8_t)mode};
    }
    for (size_t i = 0; !v->checks_given && i < bnd_verify_check_count(); i++) {
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

/* Checks that do not round are done once. */
static size_t rules_of(const verify *v, size_t check)
{
    return bnd_verify_check_rounds(check) ? v->rule_count : 1;
}

static uint64_t effort_of(const verify *v, size_t check, const bnd_format *f)
{
    uint64_t effort = 0;
    for (size_t i = 0; i < rules_of(v, check); i++) {
        effort += bnd_verify_check_effort(check, f, v->rules[i], v->exhaustive);
    }
    return effort;
}

static void show_progress(void *state, uint64_t done)
{
    verify *v = state;
    progress_at(&v->bar, v->before + done);
}

static void reach_place(void *state, uint64_t next)
{
    verify *v = state;
    v->current->place = next;
    verify_save_state(v);
}

static int verify_one(verify *v, bnd_verifier *verifier, result *r, size_t rule)
{
    const bnd_format *f = &v->common.formats.items[r->format];
    bnd_error why;
    v->current = r;
    v->current_began = seconds_now();
    if (bnd_verifier_resume(&r->found, verifier, r->check, f, v->rules[rule], r->place, &why) != BND_OK) {
        progress_end(&v->bar);
        complain(v->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    r->seconds += seconds_now() - v->current_began;
    r->rules_done++;
    r->place = 0;
    v->current = NULL;
    verify_save_state(v);
    v->before += bnd_verify_check_effort(r->check, f, v->rules[rule], v->exhaustive);
    progress_at(&v->bar, v->before);
    return GO_ON;
}

/* Rule by rule, because checks under one rule share the answers of the reference. */
static int verify_format(verify *v, bnd_verifier *verifier, size_t format)
{
    size_t first = v->result_count;
    v->results = allocate(v->results, first + bnd_verify_check_count(), sizeof *v->results);
    for (size_t check = 0; check < bnd_verify_check_count(); check++) {
        if (v->wanted[check] && effort_of(v, check, &v->common.formats.items[format]) > 0) {
            v->results[v->result_count++] = (result){.check = check, .format = format};
        }
    }
    int status = GO_ON;
    for (size_t i = first; status == GO_ON && i < v->result_count; i++) {
        status = verify_take_saved(v, &v->results[i]);
    }
    for (size_t rule = 0; rule < v->rule_count; rule++) {
        for (size_t i = first; status == GO_ON && i < v->result_count; i++) {
            result *r = &v->results[i];
            if (rule >= rules_of(v, r->check)) {
                continue;
            }
            if (rule >= r->rules_done) {
                status = verify_one(v, verifier, r, rule);
            } else {
                v->before +=
                    bnd_verify_check_effort(r->check, &v->common.formats.items[format], v->rules[rule], v->exhaustive);
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
    how.checkpoint = v->state != NULL ? reach_place : NULL;
    how.candidate = verify_candidate;
    if (bnd_verifier_new(&verifier, how, &why) != BND_OK) {
        complain(v->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    for (size_t i = 0; i < v->common.formats.count; i++) {
        for (size_t check = 0; check < bnd_verify_check_count(); check++) {
            total += v->wanted[check] ? effort_of(v, check, &v->common.formats.items[i]) : 0;
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

/* A check that was named and has no cases for a format is not passed: it is said, or refused where nothing is left. */
static int refuse_nothing(const verify *v)
{
    char *left_out = verify_left_out(v);
    int status =
        v->result_count > 0 ? GO_ON : complain(v->common.command, "nothing to compare: no cases for %s", left_out);
    free(left_out);
    return status;
}

/* ---- the command ---- */

static int run(const command *self, int argc, char **argv)
{
    verify v = {.rule_count = 0};
    int status = read_arguments(&v, self, argc, argv);
    if (status == GO_ON && v.common.operand_count > 0) {
        status = complain(self, "unexpected argument '%s'; choose formats with --format", v.common.operands[0]);
    }
    if (status == GO_ON) {
        status = set_defaults(&v);
    }
    if (status == GO_ON) {
        status = verify_load_state(&v);
    }
    if (status == GO_ON) {
        status = verify_all(&v);
    }
    if (status == GO_ON) {
        status = refuse_nothing(&v);
    }
    if (status == GO_ON) {
        verify_print(&v);
        verify_remove_state(&v);
        status = verify_mismatches(&v) == 0 ? FINE : DOES_NOT_HOLD;
    }
    free(v.results);
    free(v.saved);
    clear_settings(&v.common);
    return status;
}

static const option_row options[] = {
    {.same = &row_code_format},
    {.name = "round",
     .letter = 'r',
     .argument = "LIST",
     .help = "modes, separated by commas: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal (default the first six)",
     .completes = COMPLETES_WORDS,
     .words = "rne rna rtz rup rdn rto sr sra srb sr-equal",
     INTO(verify, rules, read_roundings)},
    {.same = &row_overflow},
    {.name = "check",
     .alias = "proof",
     .argument = "LIST",
     .help = "checks, separated by commas: decode decimal encode midpoints from-float arrays convert unary binary fma "
             "functions bits (default all)",
     .completes = COMPLETES_WORDS,
     .words = "decode decimal encode midpoints from-float arrays convert unary binary fma functions bits",
     INTO(verify, wanted, read_checks)},
    {.name = "exhaustive",
     .help = "all floats, all pairs up to 16 bits, all triples up to 8 bits: takes hours",
     INTO_FLAG(verify, exhaustive)},
    {.name = "state",
     .argument = "FILE",
     .help = "how far the run is, saved each second: the same command continues from there; removed at the end",
     .completes = COMPLETES_FILES,
     INTO_TEXT(verify, state)},
    {.same = &row_threads},
    {.same = &row_progress},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"two FP4 and FP6 formats with two rounding modes", "binade verify -f e2m1,e2m3 --round rne,rtz"},
    {"only additions, multiplications and their like, of one FP8 format",
     "binade verify -f e4m3 -r rne --check binary,fma"},
    {"the array functions of every back end, as CSV", "binade verify -f bf16 -r rne --check arrays --csv"},
    {NULL, NULL},
};

const command command_verify = {
    .name = "verify",
    .old_name = "prove",
    .summary = "compare this build with an independent reference",
    .group = GROUP_VERIFY,
    .operands = "",
    .about =
        "Compares the conversions and operations of this build, on this machine, case by case, with an independent "
        "reference that uses MPFR and exact integers. Each case compares the code, the flags, and on which side "
        "of the exact value the result lies. Default formats: fp16 bf16 e4m3 e5m2 "
        "e2m3 e3m2 e2m1 e8m0 fp32 fp64.",
    .options = options,
    .examples = examples,
    .exit_one = "a case differs from the reference",
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "vectors bench calc",
    .run = run,
};
