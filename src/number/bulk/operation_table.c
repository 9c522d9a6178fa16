/* Tables of every result of an operation. bnd_table_new is the only function of bulk that allocates; its contract says
 * so. */
#include "base/memory.h"
#include "bulk/operate.h"

enum { TABLE_MOST_BITS = 16 };

struct bnd_table {
    bnd_operation operation;
    unsigned operands;
    bnd_format to, from[BND_OPERANDS_MAX];
    uint16_t *entries;
};

static void fill(const void *job, bndi_tally *tally, size_t at, size_t n)
{
    const bndi_operate_job *j = job;
    (void)tally;
    bndi_table_fill(j, j->to, at, at + n);
}

/* The call whose results the table holds. The operands are never read. */
static bnd_status open_table_job(bndi_operate_job *j, bnd_operation operation, const bnd_format *to,
                                 const bnd_format *const *from, const bnd_array *how, bnd_error *why)
{
    bnd_operand operands[BND_OPERANDS_MAX] = {{.data = NULL}};
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        operands[i].format = operation == BND_OP_SCALB && i == 1 ? NULL : from[i];
    }
    j->how = how != NULL ? *how : (bnd_array){.context = NULL};
    j->kernels = bnd_lab_kernels_of(j->how.context);
    j->out = bndi_side_of_codes(to, BND_PACKING_UNPACKED, 1);
    bnd_status status = bndi_operate_open(j, NULL, operation, operands, 0, to, NULL, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_operate_plan(j);
    if (bnd_rule_random_bits(j->how.rule) > 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a table cannot be used with a stochastic rounding mode; choose another mode");
    }
    if (bndi_table_bits(j) > TABLE_MOST_BITS || to->width > TABLE_MOST_BITS) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "a table of %s is too large: its operands must have at most 16 bits together, and its results at most 16",
            bnd_operation_name(operation));
    }
    return BND_OK;
}

bnd_status bnd_table_new(bnd_table **out, bnd_operation operation, const bnd_format *to, const bnd_format *const *from,
                         const bnd_array *how, bnd_error *why)
{
    bndi_operate_job j;
    bnd_status status = open_table_job(&j, operation, to, from, how, why);
    if (status != BND_OK) {
        return status;
    }
    const size_t count = (size_t)1 << bndi_table_bits(&j);
    bnd_table *table = bndi_allocate(sizeof *table);
    uint16_t *entries = bndi_allocate(count * sizeof *entries);
    if (table == NULL || entries == NULL) {
        bndi_release(table);
        bndi_release(entries);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a table of %zu results", count);
    }
    *table = (bnd_table){.operation = operation, .operands = j.what.operands, .to = *to, .entries = entries};
    for (unsigned i = 0; i < j.what.operands; i++) {
        table->from[i] = *j.from[i];
    }
    j.to = entries;
    bndi_share(fill, &j, &j.how, NULL, 0, count);
    *out = table;
    return BND_OK;
}

void bnd_table_free(bnd_table *table)
{
    if (table != NULL) {
        bndi_release(table->entries);
        bndi_release(table);
    }
}

/* An operand says its format too, or leaves it to the table. */
static bnd_status fill_formats(bnd_operand *of_table, const bnd_table *table, const bnd_operand *operands,
                               bnd_error *why)
{
    for (unsigned i = 0; i < table->operands; i++) {
        of_table[i] = operands[i];
        if (operands[i].format != NULL && !bnd_format_same(operands[i].format, &table->from[i])) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "operand %u has the format %s; the table was made for %s", i + 1,
                            operands[i].format->name, table->from[i].name);
        }
        of_table[i].format = &table->from[i];
    }
    return BND_OK;
}

bnd_status bnd_operate_by_table(void *out, const bnd_table *table, const bnd_operand *operands, size_t n,
                                const bnd_array *how, bnd_error *why)
{
    bnd_operand of_table[BND_OPERANDS_MAX];
    bndi_operate_job j;
    bnd_status status = fill_formats(of_table, table, operands, why);
    if (status != BND_OK) {
        return status;
    }
    j.how = how != NULL ? *how : (bnd_array){.context = NULL};
    j.how.rule = (bnd_rule){.rounding = BND_ROUND_RNE}; /* the table has one */
    j.kernels = bnd_lab_kernels_of(j.how.context);
    j.out = bndi_side_of_codes(&table->to, j.how.packing_out, j.how.stride_out);
    status = bndi_operate_open(&j, out, table->operation, of_table, n, &table->to, NULL, why);
    if (status == BND_OK) {
        bndi_operate_plan(&j);
        j.what.way = BNDI_BY_CODEC;
        j.what.fused = BNDI_NOT_FUSED;
        j.table = table->entries;
        bndi_operate_run(&j, n);
    }
    return status;
}
