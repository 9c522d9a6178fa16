/* Checks and prepares a product, and distributes its parts to threads. */
#include "bulk/environment.h"
#include "bulk/threads.h"
#include "matmul/gemm_job.h"

/* ---- a job made ready ---- */

static bool too_many(size_t rows, size_t columns, size_t bytes)
{
    return rows != 0 && columns > PTRDIFF_MAX / bytes / rows;
}

static void set_factor(bndi_factor *x, const void *at, const bnd_format *format, bool codes, bnd_strides strides)
{
    *x = (bndi_factor){.at = at, .row = strides.row, .column = strides.column, .bytes = sizeof(float), .codes = codes};
    x->rounds = !codes && format != NULL;
    if (format != NULL) {
        bndi_plan_make(&x->plan, BNDI_WORDS_32, format, (bnd_rule){.rounding = BND_ROUND_RNE});
    }
    if (codes) {
        bndi_storage storage = bnd_lab_storage_of(format, BND_PACKING_UNPACKED);
        x->bytes = storage.bits / 8;
        bndi_plan_codes(&x->plan, x->bytes, storage.shift);
    }
}

static void set_block_depth(bndi_job *j)
{
    const bnd_accumulator *accumulator = &j->sum.accumulator;
    const size_t group = bndi_in_groups(accumulator) ? accumulator->group : 1;
    const size_t promote = accumulator->promote;
    j->depth = BNDI_TILE_DEPTH / group * group;
    if (promote > 0 && promote <= j->depth) {
        j->depth = BNDI_TILE_DEPTH / promote * promote;
    }
}

/* Is an element of these farther from the first one than memory is large? */
static bool too_far(size_t rows, size_t columns, bnd_strides strides)
{
    const size_t most = (size_t)PTRDIFF_MAX / sizeof(uint64_t); /* codes of 8 bytes are the largest elements */
    const size_t row = strides.row < 0 ? 0 - (size_t)strides.row : (size_t)strides.row;
    const size_t column = strides.column < 0 ? 0 - (size_t)strides.column : (size_t)strides.column;
    if (rows == 0 || columns == 0) {
        return false;
    }
    if ((rows > 1 && row > most / (rows - 1)) || (columns > 1 && column > most / (columns - 1))) {
        return true;
    }
    return (rows - 1) * row > most - (columns - 1) * column;
}

bnd_status bndi_check_gemm(const bnd_gemm *how, bnd_error *why)
{
    const uint64_t reserved = how->reserved[0] | how->reserved[1] | how->reserved[2] | how->reserved[3];
    bnd_status status = bndi_check_reserved(reserved, "bnd_gemm", why);
    return status == BND_OK ? bndi_check_choices(&(bnd_array){.context = how->context}, why) : status;
}

bnd_status bndi_open_gemm_job(bndi_job *j, float *c, size_t m, size_t n, const void *a, const bnd_format *a_format,
                              const void *b, const bnd_format *b_format, bool codes, size_t k, const bnd_gemm *how,
                              bnd_error *why)
{
    *j = (bndi_job){.c = c, .m = m, .n = n, .k = k};
    if (too_many(m, n, sizeof *c) || too_many(m, k, sizeof *c) || too_many(k, n, sizeof *c)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "matrices of %zu x %zu and %zu x %zu do not fit memory", m, k, k, n);
    }
    bnd_status status = bndi_check_gemm(how, why);
    status = status == BND_OK ? bndi_sum_make(&j->sum, how, a_format, b_format, why) : status;
    if (status == BND_OK && k == 0 && how->accumulator.promote > 0) { /* nothing is promoted: C stays, as in fp32 */
        const bnd_gemm plain = {.context = how->context};
        status = bndi_sum_make(&j->sum, &plain, a_format, b_format, why);
    }
    if (status != BND_OK) {
        return status;
    }
    const bnd_strides in_a = bndi_strides_or(how->a, k), in_b = bndi_strides_or(how->b, n),
                      in_c = bndi_strides_or(how->c, n);
    if (m > 0 && n > 0 && ((in_c.row == 0 && m > 1) || (in_c.column == 0 && n > 1))) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "C must not have a stride of 0, because its elements would share memory");
    }
    if (too_far(m, k, in_a) || too_far(k, n, in_b) || too_far(m, n, in_c)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a stride must not lead outside the address space");
    }
    j->sum.rows = m;
    j->sum.columns = n;
    j->sum.depth = k;
    j->kernels = bnd_lab_kernels_of(how->context);
    j->threads = how->context != NULL ? how->context->threads : 1;
    j->add = how->add;
    j->c_row = in_c.row;
    j->c_column = in_c.column;
    set_factor(&j->a, a, a_format, codes, in_a);
    set_factor(&j->b, b, b_format, codes, in_b);
    j->rounds_c = j->sum.accumulator.promote == 0 && j->sum.accumulator.format.precision < 24;
    bnd_rule start =
        bndi_in_groups(&j->sum.accumulator) ? (bnd_rule){.nan = BND_NAN_CANONICAL} : j->sum.accumulator.rule;
    start.rounding = bndi_cuts_off(&j->sum.accumulator) ? BND_ROUND_RTZ : BND_ROUND_RNE;
    bndi_plan_make(&j->c_plan, BNDI_WORDS_32, &j->sum.accumulator.format, start);
    set_block_depth(j);
    return BND_OK;
}

/* ---- threads ---- */

bool bndi_job_chains(const bndi_job *j)
{
    return j->sum.way != NULL && j->sum.way->chain[0] != NULL && j->sum.accumulator.promote <= j->depth;
}

static void do_part(const bndi_job *j, bndi_region p)
{
    bndi_buffers w;
    bndi_divide(&w, w.numbers, PANEL_FLOATS, BLOCK_FLOATS);
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    if (j->sum.kept.tile != NULL) {
        bndi_by_sums(j, &w, p);
    } else if (j->sum.way == NULL) {
        bndi_by_strips(j, &w, p);
    } else if (bndi_job_chains(j)) {
        bndi_by_chains(j, &w, p);
    } else {
        bndi_by_tiles(j, &w, p);
    }
    bndi_leave(callers);
}

/* The longer side of C is cut, where tiles end. */
static bndi_region part_of(const bndi_job *j, size_t i, size_t parts)
{
    const size_t unit = BNDI_TILE_COLUMNS_MAX;
    const bool by_rows = j->m >= j->n;
    const size_t length = by_rows ? j->m : j->n, units = (length + unit - 1) / unit;
    const size_t from = bndi_smaller(units * i / parts * unit, length),
                 to = bndi_smaller(units * (i + 1) / parts * unit, length);
    if (by_rows) {
        return (bndi_region){.top = from, .bottom = to, .right = j->n};
    }
    return (bndi_region){.bottom = j->m, .left = from, .right = to};
}

/* With fewer steps, starting a second thread does not pay. Measured: some ten microseconds of work. */
enum { FAST_STEPS = 1 << 21, ROUNDED_STEPS = 1 << 18, SLOW_STEPS = 1 << 13 };

double bndi_job_worth_a_thread(const bndi_sum *sum)
{
    const bool fast = sum->way == &sum->ways->chain || sum->way == &sum->ways->plain;
    const bool slow = (sum->way == NULL && sum->kept.tile == NULL) || sum->way == &sum->ways->aligned ||
                      sum->way == &sum->ways->tensor || sum->way == &sum->ways->tensor_wide;
    return fast ? FAST_STEPS : slow ? SLOW_STEPS : ROUNDED_STEPS;
}

static size_t parts_for(const bndi_job *j)
{
    const double steps = (double)j->m * (double)j->n * (double)j->k;
    const size_t longer = j->m >= j->n ? j->m : j->n;
    const size_t most = (longer + BNDI_TILE_COLUMNS_MAX - 1) / BNDI_TILE_COLUMNS_MAX;
    return j->threads < 2 || steps < bndi_job_worth_a_thread(&j->sum) ? 1 : bndi_smaller(j->threads, most);
}

typedef struct cut {
    const bndi_job *job;
    size_t parts;
    bool symmetric;
} cut;

static void do_part_of(void *of, size_t i, bool in_order)
{
    const cut *c = of;
    (void)in_order;
    if (c->symmetric) {
        const bndi_region p = bndi_lower_part(c->job, i, c->parts);
        do_part(c->job, p);
        bndi_mirror(c->job, p);
    } else {
        do_part(c->job, part_of(c->job, i, c->parts));
    }
}

void bndi_job_run(const bndi_job *j)
{
    cut c = {j, parts_for(j), bndi_is_symmetric(j)};
    bnd_lab_parallel(c.parts, BNDI_EVENLY, do_part_of, &c, c.parts);
}
