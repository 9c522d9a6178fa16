/* The table of checks, and the run of one: first the table of the reference, then all cases, in pieces that threads
 * share. */
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bulk/threads.h"

static const bndi_verify_row *const rows[] = {&bndi_verify_decode,    &bndi_verify_decimal,    &bndi_verify_encode,
                                              &bndi_verify_midpoints, &bndi_verify_from_float, &bndi_verify_arrays,
                                              &bndi_verify_convert,   &bndi_verify_unary,      &bndi_verify_binary,
                                              &bndi_verify_fma,       &bndi_verify_functions,  &bndi_verify_bits};
enum { ROWS = sizeof rows / sizeof rows[0] };

size_t bnd_verify_check_count(void)
{
    return ROWS;
}

const char *bnd_verify_check_name(size_t row)
{
    return row < ROWS ? rows[row]->name : "";
}

const char *bnd_verify_check_title(size_t row)
{
    return row < ROWS ? rows[row]->title : "";
}

bool bnd_verify_check_rounds(size_t row)
{
    return row < ROWS && rows[row]->rounds;
}

bnd_status bnd_verify_check_parse(size_t *row, const char *name, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, bndi_length(name));
    for (size_t i = 0; i < ROWS; i++) {
        if (bndi_same_word(name, bndi_length(name), rows[i]->name) ||
            (rows[i]->old_name != NULL && bndi_same_word(name, bndi_length(name), rows[i]->old_name))) {
            *row = i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, rows[i]->name, bndi_length(rows[i]->name));
    }
    return bndi_nearest_fail(
        &nearest, why, BND_BAD_NAME, "unknown check",
        "(available: decode, decimal, encode, midpoints, from-float, arrays, convert, unary, binary, fma, functions, "
        "bits)");
}

/* ---- questions ---- */

static bnd_verify_candidate complete(const bnd_verify_candidate *given)
{
    bnd_verify_candidate c = given != NULL ? *given : (bnd_verify_candidate){.decode = NULL};
    c.decode = c.decode != NULL ? c.decode : bnd_decode;
    c.encode = c.encode != NULL ? c.encode : bnd_encode;
    c.encode_float = c.encode_float != NULL ? c.encode_float : bnd_encode_float;
    c.encode_exact = c.encode_exact != NULL ? c.encode_exact : bnd_encode_exact;
    c.convert = c.convert != NULL ? c.convert : bnd_convert;
    c.operate = c.operate != NULL ? c.operate : bndi_call_operation;
    c.operate_exact = c.operate_exact != NULL ? c.operate_exact : bnd_operate_exact;
    c.parse = c.parse != NULL ? c.parse : bnd_parse_n;
    c.print_shortest = c.print_shortest != NULL ? c.print_shortest : bnd_print_shortest;
    c.encode_array = c.encode_array != NULL ? c.encode_array : bnd_encode_f32;
    c.decode_array = c.decode_array != NULL ? c.decode_array : bnd_decode_f32;
    c.round_array = c.round_array != NULL ? c.round_array : bnd_round_f32;
    return c;
}

static bndi_inquiry ask(const bnd_format *f, bnd_rule rule, bool exhaustive, const bnd_verify_candidate *candidate)
{
    return (bndi_inquiry){.candidate = complete(candidate),
                          .f = *f,
                          .fp32 = *bnd_format_at(BND_FORMAT_FP32),
                          .fp64 = *bnd_format_at(BND_FORMAT_FP64),
                          .rule = rule,
                          .exhaustive = exhaustive};
}

uint64_t bnd_verify_check_effort(size_t row, const bnd_format *f, bnd_rule rule, bool exhaustive)
{
    bndi_inquiry q = ask(f, rule, exhaustive, NULL);
    return row < ROWS && f->width > 0 ? (uint64_t)((double)rows[row]->indices(&q) * rows[row]->cost(&q)) : 0;
}

/* ---- pieces, by threads ---- */

/* Indices 0 .. count-1, in pieces. */
typedef struct work {
    const bndi_inquiry *q;
    const bndi_verify_row *row;
    uint64_t count;
} work;

static uint64_t pieces_of(const work *w)
{
    return (w->count + w->row->at_once - 1) / w->row->at_once;
}

static void do_piece(const work *w, bnd_verify_result *out, uint64_t piece)
{
    bndi_piece p = {.q = w->q, .out = out};
    uint64_t first = piece * w->row->at_once, end = first + w->row->at_once;
    bndi_oracle_problem_open(&p.oracle);
    for (uint64_t i = first; i < end && i < w->count; i++) {
        w->row->check(&p, i);
    }
    bndi_oracle_problem_close(&p.oracle);
}

static void add(bnd_verify_result *sum, const bnd_verify_result *part)
{
    sum->cases += part->cases;
    sum->mismatches += part->mismatches;
    for (unsigned i = 0; i < part->shown && sum->shown < BND_VERIFY_COUNTEREXAMPLES_MAX; i++) {
        sum->first[sum->shown++] = part->first[i];
    }
}

/* ---- what checks share ---- */

struct bnd_verifier {
    bnd_verify_options how;
    unsigned threads;
    bool has_answers;
    bndi_answers answers; /* of one format and rule */
    bnd_format format;    /* of what follows, where it is not NULL */
    bndi_narrow_operand *operands;
    bndi_narrow_exact *functions;
    bnd_verify_result *parts; /* of the pieces at work */
};
enum { PIECES_A_THREAD = 4, MOST_THREADS = 1024 };

/* Pieces of a batch, each into its own part. A piece is done by one thread from beginning to end. */
typedef struct pieces {
    const bnd_verifier *verifier;
    const work *w;
    uint64_t first;
} pieces;

static void do_one_of(void *job, size_t i, bool in_order)
{
    const pieces *p = job;
    bnd_verify_result *part = &p->verifier->parts[i];
    (void)in_order;
    part->cases = part->mismatches = part->shown = 0;
    do_piece(p->w, part, p->first + i);
}

/* From a piece on. */
static void do_work(bnd_verify_result *out, const bnd_verifier *verifier, const work *w, uint64_t from)
{
    uint64_t all = pieces_of(w), batch = verifier->threads * PIECES_A_THREAD;
    double cost = w->row->cost != NULL ? w->row->cost(w->q) : 0;
    for (uint64_t first = from; first < all; first += batch) {
        uint64_t count = all - first < batch ? all - first : batch;
        pieces these = {verifier, w, first};
        bnd_lab_parallel(verifier->threads, BNDI_AS_ASKED, do_one_of, &these, count);
        for (uint64_t i = 0; i < count; i++) {
            add(out, &verifier->parts[i]);
        }
        if (verifier->how.progress != NULL) {
            double done = (double)(first + count) * w->row->at_once, most = (double)w->count;
            verifier->how.progress(verifier->how.progress_state, (uint64_t)((done < most ? done : most) * cost));
        }
        if (verifier->how.checkpoint != NULL && w->row->cost != NULL) { /* not while a table is filled */
            verifier->how.checkpoint(verifier->how.progress_state, first + count);
        }
    }
}

bnd_status bnd_verifier_new(bnd_verifier **out, bnd_verify_options how, bnd_error *why)
{
    unsigned threads = how.threads < 1 || !bndi_oracle_takes_threads() ? 1 : how.threads;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    bnd_verifier *made = calloc(1, sizeof *made);
    bnd_verify_result *parts = calloc((size_t)threads * PIECES_A_THREAD, sizeof *parts);
    if (made == NULL || parts == NULL) {
        free(made);
        free(parts);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to verify with %u threads", threads);
    }
    *made = (bnd_verifier){.how = how, .threads = threads, .parts = parts};
    *out = made;
    return BND_OK;
}

static void forget_answers(bnd_verifier *verifier)
{
    if (verifier->has_answers) {
        bndi_answers_close(&verifier->answers);
    }
    verifier->has_answers = false;
}

static void forget_format(bnd_verifier *verifier)
{
    free(verifier->operands);
    free(verifier->functions);
    verifier->operands = NULL;
    verifier->functions = NULL;
}

void bnd_verifier_free(bnd_verifier *verifier)
{
    if (verifier != NULL) {
        forget_answers(verifier);
        forget_format(verifier);
        free(verifier->parts);
        free(verifier);
    }
}

/* ---- the reference's tables, filled by all threads: a case is an entry, and nothing is compared ---- */

enum { ENTRIES_AT_ONCE = 2048 };

static void fill_answers(bndi_piece *p, uint64_t index)
{
    bndi_answers *a = p->q->filling;
    size_t first = (size_t)index * ENTRIES_AT_ONCE, end = first + ENTRIES_AT_ONCE;
    bndi_answers_fill(a, &p->oracle, first, end < a->count ? end : a->count);
}

static void fill_functions(bndi_piece *p, uint64_t index)
{
    bndi_functions_fill(p->q->functions, &p->oracle, &p->q->f, index);
}

static const bndi_verify_row answers_filling = {.at_once = 1, .check = fill_answers},
                             functions_filling = {.at_once = 1 << 8, .check = fill_functions};

static void fill_table(const bnd_verifier *verifier, const bndi_inquiry *q, const bndi_verify_row *filling,
                       uint64_t count)
{
    bnd_verify_result nothing = {.cases = 0};
    do_work(&nothing, verifier, &(work){q, filling, count}, 0);
}

static bnd_status make_operands(bnd_verifier *verifier, const bnd_format *f, bnd_error *why)
{
    if (verifier->operands != NULL) {
        return BND_OK;
    }
    uint64_t codes = UINT64_C(1) << f->width;
    bndi_narrow_operand *made = calloc((size_t)codes, sizeof *made);
    if (made == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the values of %s", f->name);
    }
    for (uint64_t code = 0; code < codes; code++) {
        made[code] = bndi_narrow_operand_of(f, code);
    }
    verifier->operands = made;
    return BND_OK;
}

static bnd_status make_functions(bnd_verifier *verifier, bndi_inquiry *q, bnd_error *why)
{
    bool made = verifier->functions != NULL;
    if (!made) {
        verifier->functions = calloc(bndi_functions_count(&q->f), sizeof *verifier->functions);
    }
    if (verifier->functions == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the functions of %s", q->f.name);
    }
    q->functions = verifier->functions;
    if (!made) {
        fill_table(verifier, q, &functions_filling, UINT64_C(1) << q->f.width);
    }
    return BND_OK;
}

static bnd_status make_answers(bnd_verifier *verifier, bndi_inquiry *q, bnd_error *why)
{
    bool same = verifier->has_answers && memcmp(&verifier->answers.rule, &q->rule, sizeof q->rule) == 0;
    if (!same) {
        forget_answers(verifier);
        bnd_status status = bndi_answers_new(&verifier->answers, &q->f, q->rule, why);
        if (status != BND_OK) {
            return status;
        }
        verifier->has_answers = true;
    }
    q->filling = &verifier->answers;
    if (!same) {
        fill_table(verifier, q, &answers_filling, (verifier->answers.count + ENTRIES_AT_ONCE - 1) / ENTRIES_AT_ONCE);
    }
    q->answers = &verifier->answers;
    return BND_OK;
}

/* The tables that the check uses, unless an earlier check has made them. */
static bnd_status make_tables(bnd_verifier *verifier, bndi_inquiry *q, const bndi_verify_row *row, bnd_error *why)
{
    if (!bnd_format_same(&verifier->format, &q->f)) {
        forget_answers(verifier);
        forget_format(verifier);
        verifier->format = q->f;
    }
    bnd_status status = make_operands(verifier, &q->f, why);
    q->operands = verifier->operands;
    if (status == BND_OK && row->of_functions && bndi_functions_can(&q->f)) {
        status = make_functions(verifier, q, why);
    }
    return status == BND_OK ? make_answers(verifier, q, why) : status;
}

bnd_status bnd_verifier_run(bnd_verify_result *out, bnd_verifier *verifier, size_t row, const bnd_format *f,
                            bnd_rule rule, bnd_error *why)
{
    return bnd_verifier_resume(out, verifier, row, f, rule, 0, why);
}

bnd_status bnd_verifier_resume(bnd_verify_result *out, bnd_verifier *verifier, size_t row, const bnd_format *f,
                               bnd_rule rule, uint64_t place, bnd_error *why)
{
    if (row >= ROWS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "check %zu is out of range: there are %zu", row, (size_t)ROWS);
    }
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no encodings to verify", f->name);
    }
    if (bnd_rule_check(rule, why) != BND_OK) {
        return BND_BAD_ARGUMENT;
    }
    bndi_inquiry q = ask(f, rule, verifier->how.exhaustive, verifier->how.candidate);
    uint64_t count = rows[row]->indices(&q);
    const work all = {&q, rows[row], count};
    if (place > pieces_of(&all)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "place %zu is behind the end of the check %s", (size_t)place,
                        rows[row]->name);
    }
    if (count > 0 && rows[row]->rounds && bndi_is_narrow(f, rule, q.exhaustive)) {
        bnd_status status = make_tables(verifier, &q, rows[row], why);
        if (status != BND_OK) {
            return status;
        }
    }
    do_work(out, verifier, &all, place);
    return BND_OK;
}
