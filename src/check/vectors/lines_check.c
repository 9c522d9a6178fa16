/* Checks lines as they arrive: what they cover, and which rules are consistent with them.
 *
 * A rule is a point in a box: a choice in each of ten dimensions. A line depends on few of them: on none if the
 * result is exact, on the rounding mode alone if it is an ordinary number. So for each set of dimensions that a line
 * can depend on there is a table, with a count for each combination of choices in them: the number of lines that
 * disagree with it. The number of lines that disagree with a rule is the sum of its entries in all tables. This is
 * exact, and a line costs only as many answers as its own set has combinations. Most lines are treated alike by
 * every rule; they are checked once and counted (lines_alike.h). */
#include "vectors/lines_check.h"

#include <stdlib.h>

#include "codec/codec.h"

/* ---- axes ---- */

uint8_t *bndi_check_place(bnd_rule *rule, unsigned dimension)
{
    static const size_t at[DIMENSIONS] = {offsetof(bnd_rule, rounding),  offsetof(bnd_rule, overflow),
                                          offsetof(bnd_rule, nan),       offsetof(bnd_rule, no_nan),
                                          offsetof(bnd_rule, negative),  offsetof(bnd_rule, zero),
                                          offsetof(bnd_rule, tie_rule),  offsetof(bnd_rule, flush_in),
                                          offsetof(bnd_rule, flush_out), offsetof(bnd_rule, tiny_before)};
    return (uint8_t *)rule + at[dimension];
}

uint8_t bndi_check_standing_for(const bnd_format *f, unsigned dimension, bnd_rule rule)
{
    uint8_t value = *bndi_check_place(&rule, dimension);
    if (dimension == OVERFLOWS && f->has_infinity) {
        return value == BND_OVERFLOW_FORMAT_MAX      ? (uint8_t)BND_OVERFLOW_FORMAT
               : value == BND_OVERFLOW_PROPAGATE_MAX ? (uint8_t)BND_OVERFLOW_PROPAGATE
                                                     : value;
    }
    if (dimension == FLUSH_OUT && !f->has_subnormals) {
        return value == BND_FLUSH_TINY ? value : (uint8_t)BND_FLUSH_NONE;
    }
    if (dimension == TIES) {
        return bnd_ties_by_code(f, rule) ? BND_TIE_RULE_CODE : BND_TIE_RULE_SIGNIFICAND;
    }
    return value;
}

static bool has_several_nans(const bnd_format *f)
{
    return f->has_nan && !f->zero_nan && (f->is_signed || f->high_nans > 1);
}

/* How many values a dimension has; 1 where the format or the question leaves no choice. */
static unsigned choices_in(const bnd_vector_check *check, unsigned dimension)
{
    const bnd_format *f = &check->vectors.out;
    bool subnormal_operands = false;
    for (unsigned i = 0; i < BND_OPERANDS_MAX; i++) {
        subnormal_operands = subnormal_operands || check->vectors.in[i].has_subnormals;
    }
    const unsigned counts[DIMENSIONS] = {
        [ROUNDING] = bnd_rule_random_bits(check->vectors.rule) > 0 ? BND_ROUND_COUNT : BND_ROUND_DETERMINISTIC_COUNT,
        [OVERFLOWS] = BND_OVERFLOW_COUNT,
        [NANS] =
            !f->has_nan || (has_several_nans(f) && !check->how.any_nan) ? BND_NAN_COUNT - 1 : 1, /* or a zero's sign */
        [NO_NAN] = f->has_nan ? 1 : 2,
        [NEGATIVE] = f->is_signed ? 1 : 2,
        [ZERO] = f->has_zero ? 1 : 2,
        [TIES] = f->precision == 1 ? 2 : 1,
        [FLUSH_IN] = subnormal_operands ? 2 : 1,
        [FLUSH_OUT] = f->has_zero ? BND_FLUSH_TINY + 1 : 1,
        /* Tininess decides on the underflow flag, and on what flush-out=tiny makes zero. */
        [TININESS] = (check->how.flags_mask & BND_FLAG_UNDERFLOW) != 0 || f->has_zero ? 2 : 1,
    };
    return counts[dimension];
}

static void make_axis(bnd_vector_check *check, unsigned dimension)
{
    axis *a = &check->axes[dimension];
    bnd_rule rule = check->vectors.rule;
    uint8_t base = bndi_check_standing_for(&check->vectors.out, dimension, rule);
    unsigned count = choices_in(check, dimension);
    uint8_t first = dimension == TIES ? BND_TIE_RULE_SIGNIFICAND : dimension == NANS ? BND_NAN_CANONICAL : 0;
    if (count == 1) {
        a->value[a->count++] = *bndi_check_place(&rule, dimension);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t value = (uint8_t)(first + i);
        *bndi_check_place(&rule, dimension) = value;
        if (bndi_check_standing_for(&check->vectors.out, dimension, rule) == value) {
            a->base = value == base ? a->count : a->base;
            a->value[a->count++] = value;
        }
    }
}

/* ---- points ---- */

size_t bndi_check_combinations(const bnd_vector_check *check, unsigned set)
{
    size_t count = 1;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        count *= (set >> d & 1) != 0 ? check->axes[d].count : 1;
    }
    return count;
}

/* The rule of the index-th combination of the choices in `set`; elsewhere it is that of the lines. */
static bnd_rule rule_at(const bnd_vector_check *check, unsigned set, size_t index)
{
    bnd_rule rule = check->vectors.rule;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        const axis *a = &check->axes[d];
        if ((set >> d & 1) != 0 && a->count > 1) {
            *bndi_check_place(&rule, d) = a->value[index % a->count];
            index /= a->count;
        }
    }
    return rule;
}

static size_t index_in(const bnd_vector_check *check, unsigned set, const unsigned choice[DIMENSIONS])
{
    size_t index = 0, stride = 1;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        if ((set >> d & 1) != 0) {
            index += stride * choice[d];
            stride *= check->axes[d].count;
        }
    }
    return index;
}

uint64_t bndi_check_left_over(const bnd_vector_check *check, const unsigned choice[DIMENSIONS])
{
    uint64_t count = 0;
    for (unsigned i = 0; i < check->used_count; i++) {
        unsigned set = check->used[i];
        count += check->tables[set][index_in(check, set, choice)].left_over;
    }
    for (const bndi_line_kind *kind = check->kinds.first; kind != NULL; kind = kind->next) {
        count += kind->disagrees[index_in(check, kind->set, choice)] != 0 ? kind->lines : 0;
    }
    return count;
}

/* ---- what a line depends on ---- */

static unsigned bit(enum dimension d)
{
    return 1U << d;
}

static bool sums_terms(const bnd_vectors *v)
{
    return v->kind != BND_VECTOR_KIND_OPERATION || v->operation == BND_OP_ADD || v->operation == BND_OP_SUB ||
           v->operation == BND_OP_FMA;
}

/* More than is needed does no harm but to the time that it takes. */
static unsigned set_for(const bnd_vector_check *check, const bnd_exact *x)
{
    const bnd_vectors *v = &check->vectors;
    const bnd_format *f = &v->out, *unlimited = &check->unlimited;
    unsigned to_nan = bit(NANS) | bit(NO_NAN), sign = !f->is_signed ? bit(NEGATIVE) | bit(ZERO) | to_nan : 0;
    if (bndi_vector_sticks(x)) {
        return to_nan;
    }
    unsigned beyond = bit(OVERFLOWS) | bit(ROUNDING) | (f->has_infinity ? 0 : to_nan);
    if (x->kind == BND_KIND_INFINITE) {
        return beyond | sign;
    }
    if (x->kind == BND_KIND_ZERO) {
        return (sums_terms(v) ? bit(ROUNDING) : 0) | (f->has_zero ? 0 : bit(ZERO) | to_nan) | sign;
    }
    int32_t exponent = bndi_vector_exponent(x);
    unsigned set = x->negative ? sign : 0;
    bool gone = bndi_vector_compare_least(f, *x) < 0, tiny = gone || exponent < f->emin;
    bool inexact = gone || bnd_round_exact(unlimited, *x, (bnd_rule){.rounding = BND_ROUND_RTZ}, 0).ternary != 0;
    set |= inexact ? bit(ROUNDING) | bit(TIES) : 0;
    set |= exponent >= f->emax && bndi_vector_is_beyond(f, *x) ? beyond : 0;
    set |= tiny ? bit(FLUSH_OUT) | bit(ZERO) | (inexact ? bit(TININESS) : 0) : 0;
    return set;
}

/* Of a value of the format. */
static bool is_subnormal(const bnd_format *f, const bnd_exact *x)
{
    return x->kind == BND_KIND_FINITE && bndi_vector_exponent(x) < f->emin;
}

/* Whether the exact result depends on the operands alone: then all that a rule decides is its rounding. The others
 * round to integers, choose an operand, or take a neighbour by the rule. */
static bool rounds_once(const bnd_vectors *v)
{
    return v->kind != BND_VECTOR_KIND_OPERATION || v->operation <= BND_OP_SQRT || v->operation >= BND_OP_EXP;
}

/* Of operations that do more with a rule than one rounding: NaN rules matter where there is a NaN, or can be one. */
static unsigned set_for_others(const bnd_vector_check *check, const bnd_vector_line *line, const bnd_exact *exact)
{
    const bnd_vectors *v = &check->vectors;
    bool nan = bndi_vector_sticks(exact) || !v->out.has_infinity || !v->out.is_signed, subnormal = false;
    for (unsigned i = 0; i < v->operands; i++) {
        bnd_exact x = bnd_unpack(&v->in[i], line->operands[i]);
        nan = nan || bndi_vector_sticks(&x);
        subnormal = subnormal || is_subnormal(&v->in[i], &x);
    }
    unsigned none = (nan ? 0 : bit(NANS) | bit(NO_NAN)) | (subnormal ? 0 : bit(FLUSH_IN));
    return (unsigned)ALL & ~none;
}

/* Dimensions that leave a choice. */
static unsigned open_in(const bnd_vector_check *check, unsigned set)
{
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        set &= check->axes[d].count > 1 ? ALL : ~bit((enum dimension)d);
    }
    return set;
}

static unsigned set_of_line(const bnd_vector_check *check, const bnd_vector_line *line, bnd_exact *exact,
                            uint32_t *raised)
{
    const bnd_vectors *v = &check->vectors;
    uint32_t flags;
    bnd_rule kept = v->rule, flushed = v->rule;
    kept.flush_in = false;
    flushed.flush_in = true;
    *exact = bndi_vector_exact(v, line->operands, kept, line->random, raised);
    unsigned set = rounds_once(v) ? set_for(check, exact) : set_for_others(check, line, exact);
    for (unsigned i = 0; i < v->operands; i++) {
        const bnd_format *f = bnd_vectors_format(v, i);
        bnd_exact x = bnd_unpack(f, line->operands[i]);
        if (is_subnormal(f, &x)) {
            bnd_exact other = bndi_vector_exact(v, line->operands, flushed, line->random, &flags);
            set |= bit(FLUSH_IN) | set_for(check, &other);
            *exact = v->rule.flush_in ? other : *exact;
            break;
        }
    }
    return open_in(check, set);
}

/* ---- lines ---- */

static bool same_code(const bnd_vector_check *check, uint64_t code, uint64_t want)
{
    const bnd_format *f = &check->vectors.out;
    if (code == want || !check->how.any_nan) {
        return code == want;
    }
    bnd_exact a = bnd_unpack(f, code), b = bnd_unpack(f, want);
    return bndi_vector_sticks(&a) && bndi_vector_sticks(&b);
}

static bool same_answer(const bnd_vector_check *check, const bnd_vector_line *line, bnd_result want)
{
    bool flags = !line->has_flags || ((line->flags ^ want.flags) & check->how.flags_mask) == 0;
    return flags && same_code(check, line->code, want.code);
}

/* Without any fault the lines soon contradict nearly all of them, and the rest costs little. */
static void count_faults(bnd_vector_check *check, const bnd_vector_line *line, const bnd_exact *exact, uint64_t want,
                         bnd_vector_case_kind lies)
{
    enum { SPARED = 1000 };
    bndi_faults *faults = &check->faults;
    const bndi_fault_line known = {&check->vectors, &check->unlimited, line, exact, lies, want};
    check->coverage.wrong_codes += !same_code(check, line->code, want);
    for (unsigned i = 0; i < faults->count;) {
        bndi_fault *fault = &faults->items[i];
        fault->left_over += !same_code(check, line->code, bndi_fault_code(fault, &known));
        bool contradicted = fault->left_over > SPARED && fault->left_over / 4 > check->coverage.wrong_codes;
        if (contradicted) {
            faults->count--;
            *fault = faults->items[faults->count];
        } else {
            i++;
        }
    }
}

static void count_line(bnd_vector_check *check, const bnd_vector_line *line, const bnd_exact *exact, bool agrees,
                       bnd_class result, bnd_vector_case_kind lies)
{
    bnd_vector_coverage *c = &check->coverage;
    int carry = bndi_significand_carry(&check->vectors, line->operands, exact);
    bndi_coverage_add(&check->covered, line->operands, exact);
    if (carry >= 0 && carry <= 1) {
        c->significands[carry][lies]++;
    }
    c->lines++;
    c->disagreements += !agrees;
    c->without_flags += !line->has_flags;
    c->results[result][lies]++;
}

/* ---- lines that are checked once per class ---- */

static bnd_result answer_to(const bnd_vectors *v, const bndi_likeness *like, bnd_rule rule)
{
    bnd_result answer = bnd_encode_exact(&v->out, like->exact, rule, 0);
    answer.flags |= like->raised;
    return answer;
}

static bndi_line_kind *new_kind(const bnd_vector_check *check, const bndi_likeness *like, bnd_error *why)
{
    const bnd_vectors *v = &check->vectors;
    unsigned set = open_in(check, set_for(check, &like->exact));
    size_t count = bndi_check_combinations(check, set);
    bndi_line_kind *kind = calloc(1, sizeof *kind);
    uint8_t *disagrees = calloc(count, 1);
    if (kind == NULL || disagrees == NULL) {
        free(kind);
        free(disagrees);
        (void)bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu answers", count);
        return NULL;
    }
    bnd_vector_line line = {.code = like->code, .flags = like->flags, .has_flags = like->has_flags};
    for (size_t i = 0; i < count; i++) {
        disagrees[i] = !same_answer(check, &line, answer_to(v, like, rule_at(check, set, i)));
    }
    *kind = (bndi_line_kind){.like = *like, .set = set, .disagrees = disagrees, .want = answer_to(v, like, v->rule)};
    kind->agrees = same_answer(check, &line, kind->want);
    kind->result = bnd_classify(&v->out, bnd_unpack(&v->out, kind->want.code));
    kind->lies = bndi_vector_case_of(&v->out, &check->unlimited, &check->finer, &like->exact);
    return kind;
}

/* The exact result of operands that are neither NaNs nor subnormal numbers, of operations that are rounded once, by
 * modes that take no random bits: then a line may have others that are like it. Counts the operands. */
static bool plain_result(bnd_exact *exact, uint32_t *raised, bnd_vector_check *check, const bnd_vector_line *line)
{
    const bnd_vectors *v = &check->vectors;
    bnd_exact x[BND_OPERANDS_MAX];
    bnd_rule kept = v->rule;
    kept.flush_in = false;
    *raised = 0;
    bool plain = v->kind == BND_VECTOR_KIND_OPERATION && rounds_once(v) && bnd_rule_random_bits(v->rule) == 0;
    for (unsigned i = 0; i < v->operands; i++) {
        const bnd_format *f = bnd_vectors_format(v, i);
        bnd_exact *to = plain ? &x[i] : exact; /* a dot product has many */
        bnd_lab_unpack(to, f, line->operands[i]);
        bool subnormal = is_subnormal(f, to), finite = to->kind == BND_KIND_FINITE;
        check->coverage.operands[!finite ? bnd_classify(f, *to) : subnormal ? BND_CLASS_SUBNORMAL : BND_CLASS_NORMAL]++;
        plain = plain && !subnormal && !bndi_vector_sticks(to);
    }
    if (plain) {
        *exact = bnd_operate_exact(v->operation, &v->in[0], x, kept, 0, raised);
    }
    return plain;
}

/* *done: whether that was all. */
static bnd_status take_by_kind(bool *done, bool *agrees, bnd_result *want, bnd_vector_check *check,
                               const bnd_vector_line *line, bnd_error *why)
{
    bnd_exact exact;
    uint32_t raised;
    bndi_likeness like;
    bool plain = plain_result(&exact, &raised, check, line);
    bool alike = plain && bndi_alike(&like, &check->vectors, line, &exact, raised);
    bndi_line_kind **place = alike ? bndi_kinds_place(&check->kinds, &like) : NULL, *kind;
    *done = place != NULL;
    if (place == NULL) {
        return BND_OK;
    }
    if (*place == NULL) {
        *place = new_kind(check, &like, why);
        if (*place == NULL) {
            return BND_NO_MEMORY;
        }
        (*place)->next = check->kinds.first;
        check->kinds.first = *place;
    }
    kind = *place;
    kind->lines++;
    *agrees = kind->agrees;
    *want = kind->want;
    want->code += like.shift;
    count_line(check, line, &exact, kind->agrees, kind->result, kind->lies);
    count_faults(check, line, &exact, want->code, kind->lies);
    return BND_OK;
}

/* ---- lines that are checked individually ---- */

static bnd_status make_table(bnd_vector_check *check, unsigned set, size_t count, bnd_error *why)
{
    tally *table = calloc(count, sizeof *table);
    if (table == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu counts", count);
    }
    for (size_t i = 0; i < count; i++) {
        table[i].rule = rule_at(check, set, i);
    }
    check->tables[set] = table;
    check->used[check->used_count++] = set;
    return BND_OK;
}

static bnd_status take_alone(bool *agrees, bnd_result *want, bnd_vector_check *check, const bnd_vector_line *line,
                             bnd_error *why)
{
    const bnd_vectors *v = &check->vectors;
    bnd_exact exact;
    uint32_t raised;
    unsigned set = set_of_line(check, line, &exact, &raised);
    /* a number that flushing does not change is worked out once, and rounded by each rule */
    bool from_exact = (!v->one_format || v->operation >= BND_OP_EXP) && rounds_once(v) &&
                      exact.kind == BND_KIND_FINITE && (set & bit(FLUSH_IN)) == 0 && !v->rule.flush_in;
    size_t count = bndi_check_combinations(check, set);
    if (check->tables[set] == NULL && make_table(check, set, count, why) != BND_OK) {
        return BND_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        bnd_rule rule = check->tables[set][i].rule;
        bnd_result answer = from_exact ? bnd_encode_exact(&v->out, exact, rule, line->random)
                                       : bnd_vector_answer(v, line->operands, rule, line->random);
        answer.flags |= from_exact ? raised : 0;
        check->tables[set][i].left_over += !same_answer(check, line, answer);
    }
    *want = bnd_vector_answer(v, line->operands, v->rule, line->random);
    *agrees = same_answer(check, line, *want);
    bnd_vector_case_kind lies = bndi_vector_case_of(&v->out, &check->unlimited, &check->finer, &exact);
    count_line(check, line, &exact, *agrees, bnd_classify(&v->out, bnd_unpack(&v->out, want->code)), lies);
    count_faults(check, line, &exact, want->code, lies);
    return BND_OK;
}

bnd_status bnd_vector_check_line(bool *agrees, bnd_result *want, bnd_vector_check *check, const bnd_vector_line *line,
                                 bnd_error *why)
{
    bool done;
    bnd_status status = take_by_kind(&done, agrees, want, check, line, why);
    return status != BND_OK || done ? status : take_alone(agrees, want, check, line, why);
}

/* ---- the check ---- */

bnd_status bnd_vector_check_new(bnd_vector_check **out, const bnd_vectors *v, bnd_vector_options how, bnd_error *why)
{
    bnd_vector_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a check");
    }
    check->vectors = *v;
    check->how = how;
    check->how.flags_mask &= bndi_vector_flags(v);
    check->unlimited = bndi_vector_unlimited(&v->out, 0);
    check->finer = bndi_vector_unlimited(&v->out, 1);
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        make_axis(check, d);
    }
    bndi_faults_open(&check->faults, &check->vectors);
    bnd_status status = bndi_coverage_open(&check->covered, &check->vectors, why);
    if (status != BND_OK) {
        free(check);
        return status;
    }
    *out = check;
    return BND_OK;
}

void bnd_vector_check_free(bnd_vector_check *check)
{
    for (unsigned set = 0; check != NULL && set <= ALL; set++) {
        free(check->tables[set]);
    }
    if (check != NULL) {
        bndi_kinds_close(&check->kinds);
        bndi_coverage_close(&check->covered);
    }
    free(check);
}

const bnd_vector_coverage *bnd_vector_check_coverage(const bnd_vector_check *check)
{
    return &check->coverage;
}

bool bnd_vector_check_covered(bnd_vector_covered *out, const bnd_vector_check *check, size_t index)
{
    for (unsigned row = 0; row < BNDI_COVERED_ROWS; row++) {
        const bndi_covered *r = &check->covered.rows[row];
        if (r->count == 0 || index-- > 0) {
            continue;
        }
        *out = (bnd_vector_covered){.what = r->what, .first = r->first, .count = r->count, .hit = r->hit};
        for (uint32_t i = 0; i < r->count; i++) {
            out->met += r->hit[i];
        }
        return true;
    }
    return false;
}
