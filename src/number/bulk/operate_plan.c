/* A call on arrays of operations is opened: its operands are looked at, and which words will do. */
#include "arith/arith.h"
#include "base/memory.h"
#include "bulk/operate.h"

/* Bits of all operands together; many, where a table would not do. */
unsigned bndi_table_bits(const bndi_operate_job *j)
{
    unsigned bits = bnd_rule_random_bits(j->how.rule) > 0 ? 64 : 0;
    for (unsigned i = 0; i < j->what.operands; i++) {
        bits += j->operand[i].integer ? 64 : j->from[i]->width;
    }
    return bits;
}

/* Which words, if any. The statistics want fp64 to odd; results in fp64 want fp64. */
static void choose_words(bndi_operate_job *j)
{
    const bnd_rule rule = j->how.rule;
    const bndi_width type = j->out.bytes == 4 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    const bool held = j->out.codes || bnd_lab_words_hold(type, &j->format);
    j->what.way = BNDI_BY_CODEC;
    /* Narrow formats have many exact roots, which words do not give, and few codes. */
    if (j->what.operation == BND_OP_RSQRT && j->out.codes && j->format.width <= 16 &&
        bndi_table_bits(j) <= BNDI_TABLE_BITS) {
        return;
    }
    for (unsigned w = held ? BNDI_WORDS_32 : BNDI_WORDS_64 + 1; w <= BNDI_WORDS_64; w++) {
        const bndi_width width = (bndi_width)w;
        bool narrow = width == BNDI_WORDS_32, here = j->kernels.compute[width] != NULL;
        if (!here || (narrow && (j->stats != NULL || (!j->out.codes && type == BNDI_WORDS_64)))) {
            continue;
        }
        bndi_arithmetic_make(&j->what, width, j->what.operation, &j->format, j->from, rule, j->stats != NULL);
        if (j->what.way != BNDI_BY_CODEC) {
            return;
        }
    }
    j->what.way = BNDI_BY_CODEC;
}

static void plan_operands(bndi_operate_job *j)
{
    const bndi_width width = j->what.width;
    for (unsigned i = 0; i < j->what.operands; i++) {
        bndi_array_operand *x = &j->operand[i];
        x->decodes = x->side.codes || x->side.bytes != (width == BNDI_WORDS_32 ? 4 : 8);
        bndi_plan_make(&x->source, width, &x->side.format, (bnd_rule){.rounding = BND_ROUND_RNE});
        bndi_plan_codes(&x->source, x->side.bytes, x->side.storage.shift);
        x->normal = x->source.normal;
    }
}

static void plan_results(bndi_operate_job *j)
{
    const bndi_width width = j->what.width;
    bnd_rule rule = j->how.rule;
    rule.flush_in = false; /* it is about operands */
    bndi_plan_make(&j->plan, width, &j->format, rule);
    bndi_plan_codes(&j->plan, j->out.bytes, j->out.storage.shift);
    j->narrows = !j->out.codes && width == BNDI_WORDS_64 && j->out.bytes == 4;
    if (j->narrows) {
        bndi_plan_make(&j->narrow, width, &j->out.format, (bnd_rule){.nan = BND_NAN_PROPAGATE});
        bndi_plan_codes(&j->narrow, j->out.bytes, 0);
    }
}

/* Fused kernels read and write arrays as they lie. */
static bool all_plain(const bndi_operate_job *j)
{
    bool plain = j->out.plain && j->out.codes && j->kernels.fused != NULL && j->stats == NULL;
    for (unsigned i = 0; i < j->what.operands; i++) {
        plain = plain && j->operand[i].side.plain && j->operand[i].side.codes;
    }
    return plain;
}

static bool all_alike(const bndi_operate_job *j)
{
    bool alike = j->out.codes;
    for (unsigned i = 0; i < j->what.operands; i++) {
        alike = alike && !j->operand[i].integer && bnd_format_same(j->from[i], &j->format);
    }
    return alike;
}

static size_t operate_chunk_of(const bndi_operate_job *j)
{
    bool narrow = j->what.way != BNDI_BY_CODEC && j->what.width == BNDI_WORDS_32 && j->out.bytes <= 4 &&
                  j->plan.random_bytes <= 4;
    for (unsigned i = 0; i < j->what.operands; i++) {
        narrow = narrow && j->operand[i].side.bytes <= 4;
    }
    return narrow ? 2 * BNDI_OPERATE_CHUNK : BNDI_OPERATE_CHUNK;
}

void bndi_operate_plan(bndi_operate_job *j)
{
    j->alike = all_alike(j);
    choose_words(j);
    if (j->what.way != BNDI_BY_CODEC) {
        plan_results(j);
        plan_operands(j);
        if (!all_plain(j)) {
            j->what.fused = BNDI_NOT_FUSED;
        }
    } else {
        j->what.fused = BNDI_NOT_FUSED;
        bndi_plan_make(&j->plan, BNDI_WORDS_64, &j->format, j->how.rule); /* for its random bits */
    }
    j->chunk = operate_chunk_of(j);
}

static bnd_status open_operand(bndi_operate_job *j, unsigned i, const bnd_operand *given, size_t n, bnd_error *why)
{
    bndi_array_operand *x = &j->operand[i];
    const ptrdiff_t stride = given->broadcast ? 1 : given->stride;
    x->data = given->data;
    x->broadcast = given->broadcast;
    x->integer = j->what.operation == BND_OP_SCALB && i == 1;
    if (x->integer && given->format != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "operand %u of %s must be of int64_t, without a format", i + 1,
                        bnd_operation_name(j->what.operation));
    }
    if (x->integer) { /* as wide as fp64 */
        x->side = bndi_side_of_numbers(BNDI_WORDS_64, stride);
    } else if (given->format != NULL) {
        x->side = bndi_side_of_codes(given->format, given->packing, stride);
    } else if (j->out.codes) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "operand %u of %s must have a format", i + 1,
                        bnd_operation_name(j->what.operation));
    } else {
        x->side = bndi_side_of_numbers(j->out.bytes == 4 ? BNDI_WORDS_32 : BNDI_WORDS_64, stride);
    }
    j->from[i] = &x->side.format;
    if (given->packing > BND_PACKING_UNPACKED) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown packing %u (available: 0 and 1)", (unsigned)given->packing);
    }
    uint64_t reserved = 0;
    memcpy(&reserved, given->reserved, sizeof given->reserved);
    bnd_status status = bndi_check_reserved(reserved, "bnd_operand", why);
    status = status == BND_OK ? bndi_check_side(&x->side, n, why) : status;
    if (status == BND_OK && x->broadcast && n > 0) {
        uint64_t room = 0;
        x->element = bndi_get(bndi_bring(&j->kernels, x->data, &x->side, &room, 0, 1), x->side.bytes, 0);
        x->side.plain = true; /* repeated, it lies so */
    }
    return status;
}

/* A reciprocal is the quotient 1 / x, which has kernels, where the operand's format has a 1 that is never flushed. */
void bndi_operate_by_quotient(bndi_operate_job *j)
{
    bndi_array_operand *one = &j->operand[0], *x = &j->operand[1];
    const bnd_format *f = j->from[0];
    const uint64_t code = bnd_encode(f, 1, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code;
    if (f->emin > 0 || bnd_decode(f, code) != 1) {
        return;
    }
    *x = *one;
    one->side = one->side.codes ? bndi_side_of_codes(f, BND_PACKING_UNPACKED, 1)
                                : bndi_side_of_numbers(one->side.bytes == 4 ? BNDI_WORDS_32 : BNDI_WORDS_64, 1);
    one->element = code << one->side.storage.shift;
    one->data = NULL;
    one->broadcast = true;
    j->from[0] = &one->side.format;
    j->from[1] = &x->side.format;
    j->what = (bndi_arithmetic){.operation = BND_OP_DIV, .operands = 2};
}

bnd_status bndi_operate_open(bndi_operate_job *j, void *to, bnd_operation operation, const bnd_operand *operands,
                             size_t n, const bnd_format *f, bnd_stats *stats, bnd_error *why)
{
    const unsigned count = bnd_operation_operands(operation);
    j->what = (bndi_arithmetic){.operation = operation, .operands = count};
    j->format = *f;
    j->stats = stats;
    j->to = to;
    j->table = NULL;
    j->narrows = false;
    if (count == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown operation %d", (int)operation);
    }
    bnd_status status = bndi_check_choices(&j->how, why);
    if (operation != BND_OP_CONVERT) {
        j->how.rule = bnd_rule_of_operation(j->how.rule);
    }
    if (status == BND_OK) {
        status = bndi_check_side(&j->out, n, why);
    }
    for (unsigned i = 0; i < count && status == BND_OK; i++) {
        status = open_operand(j, i, &operands[i], n, why);
    }
    if (status == BND_OK) {
        status = bnd_operation_serves(operation, j->from, why);
    }
    if (status == BND_OK && bndi_is_quiet(f, operation, j->from[0])) {
        j->how.rule =
            (bnd_rule){.nan = BND_NAN_PROPAGATE}; /* no other has a say: nothing is flushed, nothing rounded */
    }
    return status;
}
