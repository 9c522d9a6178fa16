/* Prepares the job of a call and distributes its work to threads. */
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"
#include "bulk/threads.h"

/* With fewer elements in a call, threads cost more than they save. */
enum { WORTH_THREADS = 1 << 17 };

/* For elements of blocks, the overflow policy "the format's own" means saturation. */
static bnd_rule rule_of_blocks(bnd_rule rule)
{
    if (rule.overflow == BND_OVERFLOW_FORMAT) {
        rule.overflow = BND_OVERFLOW_SATURATE;
    }
    return rule;
}

/* Can every scale be relied on to be a power of two? Given scales can be any number of their format. */
static bool has_powers_of_two(const bndi_block_job *job)
{
    return job->given ? job->block.scale.precision == 1 : bndi_gives_powers(&job->block);
}

/* Do scales follow from the largest magnitudes alone? */
static bool follow_from_amax(const bndi_block_job *job)
{
    return !job->given && !bndi_tries_scales(&job->block);
}

enum { BITS_OF_ODD = 50 };

/* Must elements be rounded by the codec? See elements.c. Note that subnormal inputs are those of x, not of the
 * quotient. */
static bool needs_the_codec(const bndi_block_job *job)
{
    const bnd_block *block = &job->block;
    const bnd_rule rule = job->how.rule;
    return rule.flush_in ||
           (!has_powers_of_two(job) && block->element.precision + bnd_rule_random_bits(rule) > BITS_OF_ODD);
}

/* Quotients in double that elements.c shows to be too near to a breakpoint if they are rounded to nearest. */
static void plan_doubles(bndi_block_job *job)
{
    const bnd_block *block = &job->block;
    const unsigned scale_bits = block->scale.precision + (block->tensor ? 24u : 0u);
    const unsigned bits = block->element.precision + bnd_rule_random_bits(job->how.rule);
    job->doubles_to_odd = !has_powers_of_two(job) && scale_bits + bits > 52;
    job->random_in_doubles = bnd_rule_random_bits(job->how.rule) > 0 && bits > 23 && !job->by_number;
}

const bndi_block_kernels *bndi_block_kernels_of(const bnd_context *context)
{
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_block_kernels);
    return bnd_lab_row_of(context, rows);
}

static bool has_e8m0_scales(const bndi_block_job *job)
{
    const bnd_format *scale = &job->block.scale;
    return scale->width == 8 && scale->precision == 1 && !scale->has_zero && scale->emin == -127;
}

static bndi_power_rule power_rule_of(const bndi_block_job *job)
{
    return (bndi_power_rule){.emax = job->exponent,
                             .limit = (int32_t)job->limit,
                             .clamps =
                                 job->how.rule.overflow == BND_OVERFLOW_SATURATE && job->block.rule != BND_SCALE_RCEIL,
                             .most = bndi_largest_element(job)};
}

/* To nearest even with saturation, nothing flushed. */
static bool is_plain_nearest(bnd_rule rule)
{
    return rule.rounding == BND_ROUND_RNE && rule.overflow == BND_OVERFLOW_SATURATE && !rule.flush_out &&
           !rule.flush_in;
}

/* Codes that the kernels of bulk/ write, in the machine's order of bytes. */
static bool has_words(const bnd_format *f)
{
    return f->width > 0 && f->width <= 16 && (f->width <= 8 || !BNDI_BIG_ENDIAN);
}

/* A plan for numbers of fp32 in units of their scales. */
static void make_plan(bndi_block_job *job)
{
    const bnd_format *f = &job->block.element;
    bndi_plan_make(&job->plan, BNDI_WORDS_32, f, job->how.rule);
    bndi_plan_codes(&job->plan, f->width <= 8 ? 1 : 2, 0);
    job->packed = bnd_lab_storage_of(f, (uint8_t)job->packing).packed;
    job->streaming = job->plan;
    job->streaming.stream = bndi_beyond_the_caches(job->layout.count * (sizeof(float) + job->plan.code_bytes));
}

/* The fast path of quantize.c: powers of two in e8m0, and no random bits. Quotients below fp32's normal numbers do not
 * matter, because all of them round to zero. */
static void plan_elements(bndi_block_job *job)
{
    enum { FAR_BELOW = -120 };
    const bnd_format *f = &job->block.element;
    const bnd_rule rule = job->how.rule;
    bool to_zero = rule.rounding == BND_ROUND_RNE || rule.rounding == BND_ROUND_RNA || rule.rounding == BND_ROUND_RTZ;
    job->direct = has_words(f) && has_e8m0_scales(job) && to_zero && f->least_quantum > FAR_BELOW &&
                  job->exponent >= 1 && !job->by_number && !job->block.integer && job->layout.down == 1 &&
                  follow_from_amax(job);
    if (job->direct) {
        make_plan(job);
        job->powers = power_rule_of(job);
    }
}

/* Quotients to odd: for scales that are fp32 numbers, and elements that are rounded to nearest even and to few bits.
 * The scale from which on 2^-101 over it is less than half of the least element. For scales that are doubles, also
 * stochastically. */
static void plan_quotients(bndi_block_job *job)
{
    enum { MOST = 22, UNSEEN = -101, LOWEST = -120, WIDEST = 28 };
    const bnd_format *f = &job->block.element;
    const bool of_fp32 = !job->block.tensor; /* all formats of scales have such numbers */
    job->to_odd = job->scan->divide_to_odd != NULL && of_fp32 && !has_powers_of_two(job) &&
                  job->how.rule.rounding == BND_ROUND_RNE && !job->by_number && f->precision <= MOST &&
                  f->least_quantum > LOWEST;
    job->least_to_odd = job->to_odd ? bndi_power_of_two(UNSEEN + 2 - f->least_quantum) : 0;
    job->wide_to_odd = job->scan->divide_wide_to_odd != NULL && job->block.tensor && !has_powers_of_two(job) &&
                       job->block.scale.precision + 24u <= WIDEST && !job->by_number && f->least_quantum > LOWEST / 2 &&
                       (job->how.rule.rounding == BND_ROUND_RNE || job->how.rule.rounding == BND_ROUND_SR) &&
                       f->precision + bnd_rule_random_bits(job->how.rule) <= MOST;
    job->has_plan = job->to_odd && has_words(f);
    if (job->has_plan) {
        make_plan(job);
    }
    job->sums_integers = job->block.integer && f->max_significand <= 127 && is_plain_nearest(job->how.rule);
}

/* Is the code the sum x + M, with no special cases at zero? */
static bool is_sum(const bndi_plan *plan)
{
    return plan->family == BNDI_FLOAT && plan->extra == 0 && plan->plain_low == 0 && plan->format.is_signed &&
           (plan->rule.rounding == BND_ROUND_RNE || plan->rule.rounding == BND_ROUND_RTZ) && plan->code_bytes == 1;
}

/* The fastest path: blocks of 32 whose codes are sums, or integers of a byte to nearest even. No product exceeds the
 * largest number, or it is clamped. */
static void plan_one_pass(bndi_block_job *job)
{
    const bndi_power_rule powers = power_rule_of(job);
    const unsigned bits = job->packed ? job->block.element.width : 8;
    bool codes = job->direct && is_sum(&job->plan) && (bits == 4 || bits == 6 || bits == 8);
    bool integers = job->block.integer && job->block.element.max_significand <= 127 && has_e8m0_scales(job) &&
                    !job->by_number && job->how.rule.rounding == BND_ROUND_RNE && !job->how.rule.flush_out &&
                    job->exponent >= 0;
    bool in_range = powers.clamps || job->block.rule == BND_SCALE_RCEIL;
    job->in_one_pass = job->scan->encode_blocks != NULL && (codes || integers) && in_range && job->layout.down == 1 &&
                       job->layout.across == 32 && follow_from_amax(job);
    job->coding = (bndi_block_coding){.plan = &job->plan, .rule = powers, .bits = bits, .integer = integers};
    if (job->in_one_pass) {
        job->coding.stream = bndi_beyond_the_caches(job->layout.count * (sizeof(float) + 1));
        job->coding.integer_magic = integers ? 3 * (float)(1 << 22) / job->units : 0; /* 1.5 2^23 of the least number */
    }
}

/* Elements like e2m1: codes are in the order of their values, and a value is even if the code's last bit is 0. */
static void plan_midpoints(bndi_block_job *job)
{
    const bnd_format *f = &job->block.element;
    const bnd_rule rule = job->how.rule;
    bool seven = f->width == 4 && f->max_code == 7 && f->fraction_bits >= 1 && f->has_zero && f->has_negative_zero &&
                 f->precision <= 2;
    job->by_midpoints = seven && !has_powers_of_two(job) && !job->by_number && job->layout.down == 1 &&
                        rule.rounding == BND_ROUND_RNE && rule.overflow == BND_OVERFLOW_SATURATE && !rule.flush_out;
    for (uint64_t code = 0; job->by_midpoints && code < 7; code++) {
        job->midpoints[code] = (bnd_decode(f, code) + bnd_decode(f, code + 1)) / 2;
    }
}

/* Rounding by a sum. fp32 is enough if the largest sum is an fp32 number, and if every product below fp32's normal
 * numbers is rounded to zero anyway. */
static void plan_grid(bndi_block_job *job)
{
    enum { FAR_BELOW = -120, FLOATS = 24, DOUBLES = 53, HIGHEST = 126 };
    const bnd_format *f = &job->block.element;
    const bnd_rule rule = job->how.rule;
    const int32_t p = f->precision;
    bool plain_rule = rule.rounding == BND_ROUND_RNE && rule.overflow == BND_OVERFLOW_SATURATE && !rule.flush_out;
    bool plain_format =
        f->is_signed && f->has_zero && f->has_subnormals && p > 1 && f->least_quantum == f->emin + 1 - p;
    job->has_grid = plain_format;
    job->on_grid = plain_rule && plain_format && !job->by_number;
    job->on_grid_of_floats =
        plain_format && f->least_quantum > FAR_BELOW && job->exponent + FLOATS - p < HIGHEST && p <= FLOATS - 2;
    job->grid = (bndi_grid){.most = (double)bndi_largest_element(job),
                            .bottom = bndi_power_of_two(f->emin),
                            .magic = 1.5 * bndi_power_of_two(DOUBLES - p),
                            .magic_of_floats = (float)(1.5 * bndi_power_of_two(FLOATS - p)),
                            .sign = f->has_negative_zero ? 0x80000000 : 0};
}

static void choose_chunks(bndi_block_job *job)
{
    enum { LEAST_RUN = 256, IN_THE_FIRST_CACHE = 2048 };
    const bndi_layout_of_blocks *l = &job->layout;
    const size_t all = job->direct && !job->in_one_pass ? IN_THE_FIRST_CACHE : BNDI_BLOCK_CHUNK;
    size_t columns = l->down < all / LEAST_RUN ? all / l->down : LEAST_RUN, groups = columns / l->across;
    groups = groups > BNDI_GROUPS ? BNDI_GROUPS : groups;
    if (groups > 8) {
        groups -= groups % 8; /* so that every chunk starts at a whole byte */
    }
    job->chunk_groups = groups > 0 ? groups : 1;
    job->chunks_of_band = l->groups == 0 ? 0 : (l->groups - 1) / job->chunk_groups + 1;
}

static bool is_stride(ptrdiff_t stride)
{
    return stride != 0 && stride != 1;
}

bnd_status bndi_open_block_job(bndi_block_job *job, bnd_shape shape, const bnd_block *block, bool given,
                               const bnd_array *how, bnd_error *why)
{
    *job = (bndi_block_job){.block = *block,
                            .given = given,
                            .how = how != NULL ? *how : (bnd_array){.context = NULL},
                            .fp32 = bnd_format_at(BND_FORMAT_FP32)};
    bnd_status status = bndi_check_choices(&job->how, why);
    job->packing = (bnd_packing)job->how.packing_out;
    if (status == BND_OK) {
        status = bndi_check_block(block, why);
    }
    if (status != BND_OK) {
        return status;
    }
    if (is_stride(job->how.stride_in) || is_stride(job->how.stride_out)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: block formats cannot be used with strides; the shape says along which axis blocks run",
                        block->name);
    }
    status = bndi_lay_out(&job->layout, block, shape, why);
    if (status != BND_OK) {
        return status;
    }
    if (block->integer) { /* like its codes: no infinity, no NaN, one zero */
        job->block.element.has_infinity = job->block.element.has_nan = job->block.element.ieee_nans = false;
        job->block.element.has_negative_zero = false;
        job->units = (float)(1u << -block->element.least_quantum);
    }
    if (job->how.context != NULL) {
        job->context = *job->how.context;
    }
    job->threads = job->context.threads > 0 && job->layout.count >= WORTH_THREADS ? job->context.threads : 1;
    job->context.threads = 1;
    job->how.rule = rule_of_blocks(job->how.rule);
    job->by_number = needs_the_codec(job);
    job->scan = bndi_block_kernels_of(&job->context);
    job->kernels = bnd_lab_kernels_of(&job->context);
    bndi_prepare_scales(job);
    plan_doubles(job);
    plan_elements(job);
    plan_one_pass(job);
    plan_quotients(job);
    plan_midpoints(job);
    plan_grid(job);
    choose_chunks(job);
    return BND_OK;
}

static uint32_t larger_amax(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void bndi_leave_job(const bndi_block_job *job, bndi_environment callers)
{
    if (job->streaming.stream || job->coding.stream) {
        bndi_drain_stores();
    }
    bndi_leave(callers);
}

typedef struct items {
    const bndi_block_job *job;
    bndi_block_work *work;
    void *what;
    size_t count, shares;
    uint32_t largest;
} items;

/* The first item of share i. The shares differ by at most one item. */
static size_t start_of(const items *all, size_t i)
{
    const size_t each = all->count / all->shares, rest = all->count % all->shares;
    return i * each + (i < rest ? i : rest);
}

static void do_share(void *of, size_t share, bool in_order)
{
    items *all = of;
    const size_t end = start_of(all, share + 1);
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    uint32_t largest = 0;
    for (size_t i = start_of(all, share); i < end; i++) {
        largest = larger_amax(largest, all->work(all->job, i, all->what));
    }
    bndi_leave_job(all->job, callers);
    bndi_raise_to(&all->largest, largest);
    (void)in_order;
}

uint32_t bndi_for_each(const bndi_block_job *job, size_t count, bndi_block_work *work, void *what)
{
    const size_t threads = job->threads;
    items all = {.job = job, .work = work, .what = what, .count = count};
    all.shares = threads < 1 ? 1 : threads < count ? threads : count;
    bnd_lab_parallel(all.shares, BNDI_EVENLY, do_share, &all, all.shares);
    return all.largest;
}
