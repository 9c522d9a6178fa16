/* Rules and dialects that could have produced the lines, with the number of lines that each leaves unexplained. */
#include "vectors/lines_check.h"

static bnd_vector_suspect suspect_at(const bnd_vector_check *check, size_t index)
{
    unsigned choice[DIMENSIONS], changes = 0;
    bnd_rule rule = check->vectors.rule;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        const axis *a = &check->axes[d];
        choice[d] = (unsigned)(index % a->count);
        index /= a->count;
        if (a->count > 1 && choice[d] != a->base) { /* a choice that represents equivalent ones is not a change */
            *bndi_check_place(&rule, d) = a->value[choice[d]];
            changes++;
        }
    }
    return (bnd_vector_suspect){.rule = rule, .left_over = bndi_check_left_over(check, choice), .changes = changes};
}

static bool comes_before(const bnd_vector_suspect *a, const bnd_vector_suspect *b)
{
    return a->left_over != b->left_over ? a->left_over < b->left_over : a->changes < b->changes;
}

size_t bnd_vector_check_suspects(bnd_vector_suspect *out, size_t capacity, const bnd_vector_check *check)
{
    size_t kept = 0, count = bndi_check_combinations(check, ALL);
    for (size_t i = 0; i < count; i++) {
        bnd_vector_suspect s = suspect_at(check, i);
        if (kept > 0 && comes_before(&s, &out[0])) {
            kept = 0;
        }
        if (kept < capacity && (kept == 0 || !comes_before(&out[0], &s))) {
            out[kept++] = s;
        }
    }
    return kept;
}

/* What a dialect says nothing about stays as the lines have it: flushing, tininess, and the rounding mode where it is
 * the default. */
bool bnd_vector_check_dialect(bnd_vector_suspect *out, const bnd_vector_check *check, size_t dialect)
{
    bnd_rule rule, own = check->vectors.rule;
    unsigned choice[DIMENSIONS], changes = 0;
    if (!bnd_dialect_rule(&rule, dialect, &check->vectors.out)) {
        return false;
    }
    rule.rounding = rule.rounding == BND_ROUND_RNE ? own.rounding : rule.rounding;
    rule.random_bits = own.random_bits;
    rule.flush_in = own.flush_in;
    rule.flush_out = own.flush_out;
    rule.tiny_before = own.tiny_before;
    rule = bnd_vectors_rule(&check->vectors, rule);
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        const axis *a = &check->axes[d];
        uint8_t value = bndi_check_standing_for(&check->vectors.out, d, rule);
        choice[d] = 0;
        for (unsigned i = 0; a->count > 1 && i < a->count; i++) {
            choice[d] = a->value[i] == value ? i : choice[d];
        }
        changes += choice[d] != a->base;
    }
    *out = (bnd_vector_suspect){.rule = rule, .left_over = bndi_check_left_over(check, choice), .changes = changes};
    return true;
}

/* The order of the table decides between faults that explain equally much. */
static bool is_better(const bndi_fault *a, const bndi_fault *b)
{
    return a->left_over != b->left_over ? a->left_over < b->left_over : a->row < b->row;
}

size_t bnd_vector_check_faults(bnd_vector_fault *out, size_t capacity, const bnd_vector_check *check)
{
    const bndi_faults *faults = &check->faults;
    bool taken[BNDI_FAULTS_MAX] = {false};
    size_t kept = 0;
    while (kept < capacity && check->coverage.wrong_codes > 0) {
        unsigned best = faults->count;
        for (unsigned i = 0; i < faults->count; i++) {
            bool better = best == faults->count || is_better(&faults->items[i], &faults->items[best]);
            best = !taken[i] && better ? i : best;
        }
        if (best == faults->count || faults->items[best].left_over > check->coverage.wrong_codes / 2) {
            break;
        }
        taken[best] = true;
        bndi_fault_print(out[kept].what, sizeof out[kept].what, &faults->items[best]);
        out[kept++].left_over = faults->items[best].left_over;
    }
    return kept;
}
