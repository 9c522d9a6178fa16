/* Operations in full, code, flags and ternary value:
 *   rows of at most 16 bits   all pairs (add, mul, div; of 8 bits and less every operation of two operands), all
 *                             operands of the operations of one; fma: of 8 bits and less all triples, of 16 a
 *                             stratified choice. In each deterministic mode.
 *   fp32, fp64                against the processor, in its four rounding modes, with its flags; a stratified choice
 *
 * The judge of the first is src/check/verify/answers.h: the exact result in double arithmetic, looked up in a table of
 * the oracle's answers, which is itself checked in full here. Operations of one operand are the oracle's own.
 *
 * Compiled with options.c, state.c and pool.c, and with machine.c of tests/arith; links the library with its
 * internal names. */
#include "common.h"

#include <binade/arith.h>
#include <binade-lab/oracle.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/machine.h"
#include "verify/verify.h"
#include "verify/operands.h"

static const program about = {"arith", "operations, against the oracle's answers and the processor", "rmjsS",
                              "fp16,bf16,dlfloat16,e4m3,e5m2,fp32,fp64"};

enum { STRATIFIED = 100000000, PIECE_BITS = 22, MOST_TASKS = 4096, MOST_CODES = 1 << 16 };

static const bnd_operation of_pairs[] = {BND_OP_ADD, BND_OP_MUL, BND_OP_DIV,        BND_OP_SUB,       BND_OP_REM,
                                         BND_OP_MIN, BND_OP_MAX, BND_OP_MIN_NUMBER, BND_OP_MAX_NUMBER};
static const bnd_operation of_one[] = {BND_OP_SQRT,    BND_OP_RINT,      BND_OP_NEARBY, BND_OP_LOGB,
                                       BND_OP_NEXT_UP, BND_OP_NEXT_DOWN, BND_OP_ULP};
static const bnd_operation of_machine[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL, BND_OP_DIV, BND_OP_SQRT, BND_OP_FMA};
enum {
    PAIRS = sizeof of_pairs / sizeof of_pairs[0],
    PAIRS_OF_16 = 3,
    ONES = sizeof of_one / sizeof of_one[0],
    MACHINES = sizeof of_machine / sizeof of_machine[0]
};

/* What a task does: all operands in order, or a stratified choice of them. */
typedef enum kind { TABLE, IN_ORDER, ONE_OPERAND, CHOICE, MACHINE } kind;

typedef struct job {
    kind kind;
    bnd_format row;
    bnd_operation operation;
    int mode; /* bnd_rounding, or the machine's direction */
    uint64_t cases;
} job;

typedef struct plan {
    const request *r;
    size_t count;
    task tasks[MOST_TASKS];
    job jobs[MOST_TASKS];
} plan;

/* ---- the table of a row and mode, made when it is first needed, and kept for the next piece of this process ---- */

typedef struct judge {
    bool open;
    bndi_answers answers;
    bndi_narrow_operand operands[MOST_CODES];
} judge;

static judge *judge_of(const job *j)
{
    static judge kept;
    bool same = kept.open && bnd_format_same(&kept.answers.format, &j->row);
    if (same && kept.answers.rule.rounding == j->mode) {
        return &kept;
    }
    if (kept.open) {
        bndi_answers_close(&kept.answers);
    }
    for (uint64_t code = 0; !same && code < UINT64_C(1) << j->row.width; code++) {
        kept.operands[code] = bndi_narrow_operand_of(&j->row, code);
    }
    if (bndi_answers_open(&kept.answers, &j->row, (bnd_rule){.rounding = (uint8_t)j->mode}, NULL) != BND_OK) {
        exit(EXIT_TROUBLE);
    }
    kept.open = true;
    return &kept;
}

/* ---- one case ---- */

static void compare(outcome *o, const uint64_t *c, bnd_result got, bnd_result want)
{
    o->checked++;
    if (got.code != want.code || got.flags != want.flags || got.ternary != want.ternary) {
        mismatch(o,
                 "operands 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " give code 0x%" PRIx64 " flags %" PRIu32
                 " ternary %" PRId32 "; the oracle: code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32,
                 c[0], c[1], c[2], got.code, got.flags, got.ternary, want.code, want.flags, want.ternary);
    }
}

static void check_narrow(const job *j, const uint64_t *codes, outcome *o)
{
    judge *by = judge_of(j);
    bndi_narrow_operand x[BND_OPERANDS_MAX];
    uint64_t mask = (UINT64_C(1) << j->row.width) - 1;
    for (int i = 0; i < BND_OPERANDS_MAX; i++) {
        x[i] = by->operands[codes[i] & mask];
    }
    bndi_narrow_exact exact = bndi_narrow_exact_of(j->operation, &j->row, x);
    compare(o, codes, bndi_call_operation(&j->row, j->operation, codes, by->answers.rule, 0),
            bndi_narrow_answer(&by->answers, j->operation, &exact));
}

static void check_by_oracle(const job *j, const uint64_t *codes, outcome *o)
{
    const bnd_format *const from[] = {&j->row};
    bnd_rule rule = {.rounding = (uint8_t)j->mode};
    bnd_result want;
    if (bnd_oracle_operate(&want, &j->row, bnd_operation_name(j->operation), from, codes, rule, 0, NULL) != BND_OK) {
        exit(EXIT_TROUBLE); /* an operation that is gone */
    }
    compare(o, codes, bndi_call_operation(&j->row, j->operation, codes, rule, 0), want);
}

static void check_by_machine(const job *j, const uint64_t *codes, outcome *o)
{
    machine_answer want = machine_operate(j->operation, j->row.width, codes, j->mode);
    if (!want.known) {
        return;
    }
    bnd_result got = bndi_call_operation(&j->row, j->operation, codes, machine_rule(j->mode), 0);
    o->checked++;
    if (!machine_agrees(&j->row, got, want)) {
        mismatch(o,
                 "operands 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " give code 0x%" PRIx64 " flags %" PRIu32
                 "; the processor: code 0x%" PRIx64 " flags %" PRIu32,
                 codes[0], codes[1], codes[2], got.code, got.flags, want.code, want.flags);
    }
}

static void check_case(const job *j, uint64_t i, outcome *o)
{
    uint64_t codes[BND_OPERANDS_MAX] = {0};
    if (j->kind == CHOICE || j->kind == MACHINE) {
        const bnd_format *const from[] = {&j->row, &j->row, &j->row};
        bndi_stratified_operands(codes, j->operation, from, 61 + (uint64_t)j->mode, i);
    } else {
        uint64_t mask = (UINT64_C(1) << j->row.width) - 1;
        codes[0] = i >> j->row.width >> (j->operation == BND_OP_FMA ? j->row.width : 0);
        codes[1] = i >> (j->operation == BND_OP_FMA ? j->row.width : 0) & mask;
        codes[2] = j->operation == BND_OP_FMA ? i & mask : 0;
    }
    if (j->kind == ONE_OPERAND) {
        codes[0] = i;
        check_by_oracle(j, codes, o);
    } else if (j->kind == MACHINE) {
        check_by_machine(j, codes, o);
    } else {
        check_narrow(j, codes, o);
    }
}

static void check_piece_of_job(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    const job *j = &p->jobs[index];
    if (j->kind == TABLE) {
        judge *by = judge_of(j);
        uint64_t unsound = bndi_answers_unsound(&by->answers);
        o->checked += 4 * by->answers.count;
        if (unsound > 0) {
            mismatch(o, "%" PRIu64 " entries do not hold for the whole of their gaps", unsound);
        }
        return;
    }
    uint64_t end = (piece + 1) << PIECE_BITS;
    for (uint64_t i = piece << PIECE_BITS; i < end && i < j->cases; i += p->r->stride) {
        check_case(j, i, o);
    }
}

/* ---- the list of tasks ---- */

static void add_job(plan *p, job j, const char *what)
{
    if (p->count == MOST_TASKS) {
        fprintf(stderr, "%s: more than %d tasks: name fewer rows or modes\n", about.name, (int)MOST_TASKS);
        exit(EXIT_USAGE);
    }
    task *t = &p->tasks[p->count];
    p->jobs[p->count++] = j;
    t->pieces = j.cases == 0 ? 1 : ((j.cases - 1) >> PIECE_BITS) + 1;
    snprintf(t->name, sizeof t->name, "%s %s%s %s", j.row.name, j.kind == TABLE ? "" : bnd_operation_name(j.operation),
             what,
             j.kind == MACHINE ? bnd_rounding_name(bnd_rule_rounding(machine_rule(j.mode)))
                               : bnd_rounding_name((bnd_rounding)j.mode));
}

static void list_machine(plan *p, const bnd_format *row)
{
    for (int i = 0; i < MACHINES; i++) {
        for (int direction = 0; direction < MACHINE_DIRECTIONS; direction++) {
            job j = {MACHINE, *row, of_machine[i], direction, STRATIFIED / (MACHINES * MACHINE_DIRECTIONS) + 1};
            add_job(p, j, " by the processor");
        }
    }
}

static void list_mode(plan *p, const bnd_format *row, int mode)
{
    uint64_t codes = UINT64_C(1) << row->width;
    bool small = row->width <= 8;
    add_job(p, (job){TABLE, *row, BND_OP_CONVERT, mode, 0}, "the judge's table");
    for (int i = 0; i < (small ? PAIRS : PAIRS_OF_16); i++) {
        add_job(p, (job){IN_ORDER, *row, of_pairs[i], mode, codes * codes}, " all pairs");
    }
    for (int i = 0; i < ONES; i++) {
        add_job(p, (job){ONE_OPERAND, *row, of_one[i], mode, codes}, " all");
    }
    job fma = {small ? IN_ORDER : CHOICE, *row, BND_OP_FMA, mode, small ? codes * codes * codes : STRATIFIED};
    if (!small) {
        fma.cases = STRATIFIED / p->r->mode_count + 1;
    }
    add_job(p, fma, small ? " all triples" : " a choice");
}

int main(int argc, char **argv)
{
    static request r;
    static plan p;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    p.r = &r;
    for (size_t i = 0; i < r.row_count; i++) {
        const bnd_format *row = &r.rows[i];
        bool machine = row->row >= 0 && (row->width == 32 || row->width == 64);
        if (machine) {
            list_machine(&p, row);
        } else if (row->width == 0 || row->width > 16 || row->precision > 12) {
            fprintf(stderr, "%s: %s is neither fp32, fp64 nor a format of at most 16 bits, 12 of them precision\n",
                    about.name, row->name);
            return EXIT_USAGE;
        }
        for (size_t mode = 0; !machine && mode < r.mode_count; mode++) {
            list_mode(&p, row, (int)r.modes[mode]);
        }
    }
    return run_tasks(&r, p.tasks, p.count, check_piece_of_job, &p);
}
