/* The calls: one product, or a stack of them. */
#include "bulk/environment.h"
#include "bulk/threads.h"
#include "matmul/gemm_job.h"

bnd_status bnd_gemm_f32(float *c, size_t m, size_t n, const float *a, const float *b, size_t k, const bnd_gemm *how,
                        bnd_error *why)
{
    static const bnd_gemm plain = {.add = false};
    bndi_job j;
    how = how != NULL ? how : &plain;
    if (how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        return bndi_cblas_gemm(c, m, n, a, b, k, how, why);
    }
    bnd_status status = bndi_open_gemm_job(&j, c, m, n, a, how->round_a, b, how->round_b, false, k, how, why);
    if (status == BND_OK && m > 0 && n > 0) {
        bndi_job_run(&j);
    }
    return status;
}

static bnd_status check_codes(const bnd_format *f, bnd_error *why)
{
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "'%s' is a value set and has no codes", f->name);
    }
    if (f->precision > 24 || f->least_quantum < -149 || f->emax > 127) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s cannot be an operand of a matrix product: fp32 does not hold all of its values", f->name);
    }
    return BND_OK;
}

static bnd_status check_both_codes(const bnd_format *a_format, const bnd_format *b_format, const bnd_gemm *how,
                                   bnd_error *why)
{
    bnd_status status = check_codes(a_format, why);
    if (status == BND_OK) {
        status = check_codes(b_format, why);
    }
    if (status == BND_OK && how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "accumulator cblas cannot be used with codes; decode them to fp32 first");
    }
    return status;
}

bnd_status bnd_gemm_codes(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format, const void *b,
                          const bnd_format *b_format, size_t k, const bnd_gemm *how, bnd_error *why)
{
    static const bnd_gemm plain = {.add = false};
    bndi_job j;
    how = how != NULL ? how : &plain;
    bnd_status status = check_both_codes(a_format, b_format, how, why);
    if (status == BND_OK) {
        status = bndi_open_gemm_job(&j, c, m, n, a, a_format, b, b_format, true, k, how, why);
    }
    if (status == BND_OK) {
        bndi_job_run(&j);
    }
    return status;
}

bnd_status bnd_dot_f32(float *out, const float *a, const float *b, size_t n, const bnd_gemm *how, bnd_error *why)
{
    bnd_gemm one = how != NULL ? *how : (bnd_gemm){.add = false};
    if (one.a.row == 0 && one.a.column == 0) {
        one.a.column = 1;
    }
    if (one.b.row == 0 && one.b.column == 0) {
        one.b.row = 1;
    }
    one.c = (bnd_strides){.row = 0, .column = 0};
    return bnd_gemm_f32(out, 1, 1, a, b, n, &one, why);
}

/* ---- stacks ---- */

size_t bnd_lab_stack_count(const bndi_stack *stack)
{
    size_t count = 1;
    for (size_t i = 0; i < stack->rank; i++) {
        count *= stack->extent[i];
    }
    return count;
}

ptrdiff_t bnd_lab_stack_offset(const bndi_stack *stack, const ptrdiff_t *steps, size_t which)
{
    ptrdiff_t offset = 0;
    for (size_t i = stack->rank; i-- > 0;) {
        offset += (ptrdiff_t)(which % stack->extent[i]) * steps[i];
        which /= stack->extent[i];
    }
    return offset;
}

static void add_bias(float *c, size_t rows, size_t columns, ptrdiff_t row, const float *bias)
{
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    for (size_t i = 0; i < rows; i++) {
        for (size_t at = 0; at < columns; at++) {
            c[(ptrdiff_t)i * row + (ptrdiff_t)at] += bias[at];
        }
    }
    bndi_leave(callers);
}

static void run_product(const bndi_job *first, const bndi_stack *stack, size_t which)
{
    bndi_job j = *first;
    j.c += bnd_lab_stack_offset(stack, stack->c, which);
    j.a.at += bnd_lab_stack_offset(stack, stack->a, which) * (ptrdiff_t)j.a.bytes;
    j.b.at += bnd_lab_stack_offset(stack, stack->b, which) * (ptrdiff_t)j.b.bytes;
    j.sum.purpose += j.sum.accumulator.rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT ? which : 0;
    j.bias = bndi_job_chains(&j) ? stack->bias : NULL;
    bndi_job_run(&j);
    if (stack->bias != NULL && j.bias == NULL) {
        add_bias(j.c, j.m, j.n, j.c_row, stack->bias);
    }
}

typedef struct product_stack {
    bndi_job job;
    const bndi_stack *stack;
} product_stack;

static void run_one_of(void *job, size_t i, bool in_order)
{
    const product_stack *all = job;
    (void)in_order;
    run_product(&all->job, all->stack, i);
}

/* Distributes whole products to threads if that pays, else the parts of each product. */
static void run_stack(const bndi_job *j, const bndi_stack *stack, size_t count)
{
    const double steps = (double)count * (double)j->m * (double)j->n * (double)j->k;
    const size_t threads = steps < bndi_job_worth_a_thread(&j->sum) ? 1 : bndi_smaller(j->threads, count);
    product_stack all = {*j, stack};
    if (threads > 1) {
        all.job.threads = 1;
    }
    bnd_lab_parallel(threads, BNDI_EVENLY, run_one_of, &all, count);
}

static bnd_status cblas_stack(float *c, size_t m, size_t n, const float *a, const float *b, size_t k,
                              const bnd_gemm *how, const bndi_stack *stack, size_t count, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        float *to = c + bnd_lab_stack_offset(stack, stack->c, i);
        status = bndi_cblas_gemm(to, m, n, a + bnd_lab_stack_offset(stack, stack->a, i),
                                 b + bnd_lab_stack_offset(stack, stack->b, i), k, how, why);
        if (status == BND_OK && stack->bias != NULL) {
            add_bias(to, m, n, how->c.row, stack->bias);
        }
    }
    return status;
}

bnd_status bnd_lab_gemm_stack(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format, const void *b,
                              const bnd_format *b_format, size_t k, const bnd_gemm *how, const bndi_stack *stack,
                              bnd_error *why)
{
    const bool codes = a_format != NULL;
    const size_t count = bnd_lab_stack_count(stack);
    bndi_job j;
    if (!codes && how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        return cblas_stack(c, m, n, a, b, k, how, stack, count, why);
    }
    bnd_status status = codes ? check_both_codes(a_format, b_format, how, why) : BND_OK;
    if (status == BND_OK) {
        status = bndi_open_gemm_job(&j, c, m, n, a, a_format, b, b_format, codes, k, how, why);
    }
    if (status == BND_OK) {
        run_stack(&j, stack, count);
    }
    return status;
}
