/* Arrays of operations. A chunk's operands are decoded to words, computed (arithmetic.c), and rounded or encoded by the
 * kernels of conversions; codes with special kernels use those, except for the groups that these leave out. Operations
 * that words cannot compute, and results that a kernel rejects, are computed by bnd_operate. */
#include "bulk/operate.h"
#include "bulk/environment.h"

enum { OPERATE_CHUNK = BNDI_OPERATE_CHUNK };

typedef struct operate_buffers {
    _Alignas(BNDI_LINE)
        uint64_t elements[BND_OPERANDS_MAX][OPERATE_CHUNK]; /* as they come, where they do not lie side by side */
    _Alignas(BNDI_LINE) uint64_t words[BND_OPERANDS_MAX][OPERATE_CHUNK];
    _Alignas(BNDI_LINE) uint64_t exact[OPERATE_CHUNK], rounded[OPERATE_CHUNK], out[OPERATE_CHUNK],
        random[OPERATE_CHUNK];
} operate_buffers;

/* ---- one element ---- */

/* The calls that have a short way (arith/quick.c) do what bnd_operate does. */
static bnd_result operate(const bndi_operate_job *j, const uint64_t *x, uint64_t random)
{
    const bnd_format *f = &j->out.format;
    const bnd_rule rule = j->how.rule;
    switch (j->alike ? j->what.operation : BND_OP_CONVERT) {
    case BND_OP_ADD:
        return bnd_add(f, x[0], x[1], rule, random);
    case BND_OP_SUB:
        return bnd_sub(f, x[0], x[1], rule, random);
    case BND_OP_MUL:
        return bnd_mul(f, x[0], x[1], rule, random);
    case BND_OP_DIV:
        return bnd_div(f, x[0], x[1], rule, random);
    case BND_OP_FMA:
        return bnd_fma(f, x[0], x[1], x[2], rule, random);
    case BND_OP_SQRT:
        return bnd_sqrt(f, x[0], rule, random);
    default:
        return bnd_operate(f, j->what.operation, j->from, x, rule, random);
    }
}

/* As bnd_operate takes them. */
static bnd_exact operand_of(const bndi_operate_job *j, unsigned i, uint64_t code)
{
    if (j->operand[i].integer) {
        return bnd_exact_int64((int64_t)code);
    }
    bnd_exact x = bnd_unpack(j->from[i], code);
    if (j->how.rule.flush_in && bnd_classify(j->from[i], x) == BND_CLASS_SUBNORMAL) {
        x = (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative};
    }
    return x;
}

bnd_exact bndi_exact_result(const bndi_operate_job *j, const uint64_t *codes, uint64_t random)
{
    bnd_exact x[BND_OPERANDS_MAX] = {{.kind = BND_KIND_ZERO}};
    uint32_t flags;
    for (unsigned i = 0; i < j->what.operands; i++) {
        x[i] = operand_of(j, i, codes[i]);
    }
    /* A conversion keeps a signaling NaN's payload and lets the rounding quiet it. */
    return j->what.operation == BND_OP_CONVERT
               ? x[0]
               : bnd_operate_exact(j->what.operation, j->from[0], x, j->how.rule, random, &flags);
}

uint64_t bndi_operate_one(const bndi_operate_job *j, const uint64_t *codes, uint64_t random)
{
    if (j->out.codes) {
        return operate(j, codes, random).code;
    }
    bnd_exact exact = bndi_exact_result(j, codes, random);
    return bndi_nearest_word(&j->out.format, bnd_round_exact(&j->format, exact, j->how.rule, random).value);
}

/* ---- tables of results ---- */

size_t bndi_table_place(const bndi_operate_job *j, const uint64_t *codes)
{
    size_t place = 0;
    for (unsigned i = 0; i < j->what.operands; i++) {
        place = place << j->from[i]->width | (size_t)(codes[i] & (((uint64_t)1 << j->from[i]->width) - 1));
    }
    return place;
}

void bndi_table_fill(const bndi_operate_job *j, uint16_t *table, size_t from, size_t end)
{
    for (size_t place = from; place < end; place++) {
        uint64_t codes[BND_OPERANDS_MAX];
        size_t rest = place;
        for (unsigned i = j->what.operands; i-- > 0;) {
            codes[i] = rest & (((size_t)1 << j->from[i]->width) - 1);
            rest >>= j->from[i]->width;
        }
        table[place] = (uint16_t)bndi_operate_one(j, codes, 0);
    }
}

/* ---- operands ---- */

static uint64_t element_of(const bndi_array_operand *x, const void *elements, size_t i)
{
    return bndi_get(elements, x->side.bytes, i) >> x->side.storage.shift;
}

static void codes_of(const bndi_operate_job *j, uint64_t *codes, const void *const *elements, size_t i)
{
    for (unsigned k = 0; k < j->what.operands; k++) {
        codes[k] = element_of(&j->operand[k], elements[k], i);
    }
}

/* Where one element goes with all others it is repeated once, for all chunks. */
static void repeat(const bndi_operate_job *j, const bndi_array_operand *x, void *buffer)
{
    for (size_t i = 0; i < j->chunk; i++) {
        bndi_put(buffer, x->side.bytes, i, x->element);
    }
}

static void open_buffers(const bndi_operate_job *j, operate_buffers *b)
{
    for (unsigned i = 0; i < j->what.operands; i++) {
        if (j->operand[i].broadcast) {
            repeat(j, &j->operand[i], b->elements[i]);
        }
    }
}

static void bring_operands(const bndi_operate_job *j, operate_buffers *b, const void **elements, size_t at, size_t n)
{
    for (unsigned i = 0; i < j->what.operands; i++) {
        const bndi_array_operand *x = &j->operand[i];
        elements[i] = x->broadcast ? b->elements[i] : bndi_bring(&j->kernels, x->data, &x->side, b->elements[i], at, n);
    }
}

/* Subnormal numbers of the operand's own format become zeros. */
static void flush(bndi_width width, void *words, uint64_t normal, size_t n)
{
    if (width == BNDI_WORDS_32) {
        uint32_t *w = words, limit = (uint32_t)normal;
        for (size_t i = 0; i < n; i++) {
            w[i] &= (w[i] & INT32_MAX) < limit ? (uint32_t)1 << 31 : UINT32_MAX;
        }
        return;
    }
    uint64_t *w = words;
    for (size_t i = 0; i < n; i++) {
        w[i] &= (w[i] & INT64_MAX) < normal ? UINT64_C(1) << 63 : UINT64_MAX;
    }
}

static void decode_operands(const bndi_operate_job *j, operate_buffers *b, const void *const *elements,
                            const void **words, size_t n)
{
    const bndi_width width = j->what.width;
    const size_t bytes = width == BNDI_WORDS_32 ? 4 : 8;
    for (unsigned i = 0; i < j->what.operands; i++) {
        const bndi_array_operand *x = &j->operand[i];
        words[i] = elements[i];
        if (x->decodes) {
            j->kernels.decode[width](&x->source, b->words[i], elements[i], n);
            words[i] = b->words[i];
        }
        if (j->how.rule.flush_in) {
            if (!x->decodes) {
                __builtin_memcpy(b->words[i], elements[i], n * bytes);
                words[i] = b->words[i];
            }
            flush(width, b->words[i], x->normal, n);
        }
    }
}

/* ---- a chunk ---- */

static const void *operate_random(const bndi_operate_job *j, operate_buffers *b, size_t at, size_t n)
{
    if (j->plan.random_bits == 0) {
        return NULL;
    }
    j->kernels.random(b->random, n, j->how.seed, j->how.purpose, j->how.first + at, j->plan.random_bits);
    return b->random;
}

static uint64_t random_at(const bndi_operate_job *j, const void *random, size_t i)
{
    return random != NULL ? bndi_get(random, j->plan.random_bytes, i) : 0;
}

/* The statistics look at the exact result as fp64 to odd. */
static uint64_t word_of_exact(bnd_exact exact)
{
    return bnd_encode_exact(bnd_lab_format_of_words(BNDI_WORDS_64), exact,
                            (bnd_rule){.rounding = BND_ROUND_RTO, .nan = BND_NAN_PROPAGATE}, 0)
        .code;
}

static void count_one(const bndi_operate_job *j, bndi_tally *tally, const uint64_t *codes, uint64_t random)
{
    bnd_exact exact = bndi_exact_result(j, codes, random);
    bnd_rounded r = bnd_round_exact(&j->format, exact, j->how.rule, random);
    bnd_result result = {.code =
                             j->out.codes ? bnd_pack(&j->format, r.value) : bndi_nearest_word(&j->out.format, r.value),
                         .flags = r.flags};
    bndi_tally_one(tally, bnd_lab_format_of_words(BNDI_WORDS_64), word_of_exact(exact), &j->out.format, result);
}

static void by_codec(const bndi_operate_job *j, const void *const *elements, void *out, const void *random,
                     bndi_tally *tally, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t codes[BND_OPERANDS_MAX], r = random_at(j, random, i);
        codes_of(j, codes, elements, i);
        uint64_t result = j->table != NULL ? j->table[bndi_table_place(j, codes)] : bndi_operate_one(j, codes, r);
        bndi_put(out, j->out.bytes, i, result << j->out.storage.shift);
        if (tally != NULL) {
            count_one(j, tally, codes, r);
        }
    }
}

static bool is_nan_word(bndi_width width, const void *words, size_t i)
{
    return width == BNDI_WORDS_32 ? (bndi_get(words, 4, i) & INT32_MAX) > 0x7f800000
                                  : (bndi_get(words, 8, i) & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* Computes the results that the kernel rejected. */
static void mend(const bndi_operate_job *j, operate_buffers *b, const void *const *elements, void *out,
                 const void *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t codes[BND_OPERANDS_MAX], r = random_at(j, random, i);
        if (!is_nan_word(j->what.width, b->exact, i)) {
            continue;
        }
        codes_of(j, codes, elements, i);
        bndi_put(out, j->out.bytes, i, bndi_operate_one(j, codes, r) << j->out.storage.shift);
        if (j->what.width == BNDI_WORDS_64) {
            b->exact[i] = word_of_exact(bndi_exact_result(j, codes, r));
        }
    }
}

/* Words of exact results to the call's results. */
static void finish_chunk(const bndi_operate_job *j, operate_buffers *b, void *out, const void *random, size_t n)
{
    const bndi_width width = j->what.width;
    if (j->out.codes) {
        j->kernels.encode[width](&j->plan, out, b->exact, random, n);
    } else if (j->narrows) {
        j->kernels.round[width](&j->plan, b->rounded, b->exact, random, n);
        bndi_set_rounding(BND_ROUND_RNE);
        j->kernels.encode[width](&j->narrow, out, b->rounded, NULL, n);
    } else {
        j->kernels.round[width](&j->plan, out, b->exact, random, n);
    }
}

/* A finite result beyond fp64's largest number is that number to odd, which does not overflow in every format and mode:
 * the flags of the result itself are counted instead. Only results that were given up are as large as this. */
static void count_largest(const bndi_operate_job *j, const operate_buffers *b, const void *const *elements,
                          bndi_tally *tally, const void *y, const void *random, size_t n)
{
    const uint64_t largest = bnd_lab_format_of_words(BNDI_WORDS_64)->max_code;
    for (size_t i = 0; i < n; i++) {
        uint64_t codes[BND_OPERANDS_MAX], r = random_at(j, random, i);
        if ((b->exact[i] & INT64_MAX) != largest) {
            continue;
        }
        codes_of(j, codes, elements, i);
        uint32_t flags = bnd_round_exact(&j->format, bndi_exact_result(j, codes, r), j->how.rule, r).flags;
        bndi_tally_instead(tally, bndi_flags_of(&j->plan, b->exact[i], bndi_get(y, 8, i), r), flags);
    }
}

/* The results are decoded for it, which is exact: `plan` for codes, and fp32 as codes. */
static void count_operation(const bndi_operate_job *j, operate_buffers *b, const void *const *elements, bool given_up,
                            bndi_tally *tally, const void *out, const void *random, size_t n)
{
    const void *y = out;
    if (j->out.codes || j->narrows) {
        j->kernels.decode[BNDI_WORDS_64](j->out.codes ? &j->plan : &j->narrow, b->rounded, out, n);
        y = b->rounded;
    }
    bndi_set_rounding(BND_ROUND_RNE);
    j->kernels.tally[BNDI_WORDS_64](&j->plan, tally, b->exact, y, random, n);
    if (given_up) {
        count_largest(j, b, elements, tally, y, random, n);
    }
}

static void by_words(const bndi_operate_job *j, operate_buffers *b, const void *const *elements, size_t at, size_t n,
                     bndi_tally *tally)
{
    const void *words[BND_OPERANDS_MAX];
    const void *random = operate_random(j, b, at, n);
    decode_operands(j, b, elements, words, n);
    bndi_set_rounding(j->what.mode);
    bool given_up = j->kernels.compute[j->what.width](&j->what, b->exact, words, n);
    bndi_set_rounding(j->plan.mode_to_set);
    /* Rejected results are computed again from the operands, which may be in the same memory as the results. */
    void *out = given_up || tally != NULL ? b->out : bndi_side_place(&j->out, j->to, b->out, at);
    finish_chunk(j, b, out, random, n);
    if (given_up) {
        mend(j, b, elements, out, random, n);
    }
    if (tally != NULL) {
        count_operation(j, b, elements, given_up, tally, out, random, n);
    }
    if (out == b->out) {
        bndi_put_away(&j->kernels, &j->out, j->to, out, at, n);
    }
}

static void operate_chunk(const bndi_operate_job *j, operate_buffers *b, bndi_tally *tally, size_t at, size_t n)
{
    const void *elements[BND_OPERANDS_MAX];
    bring_operands(j, b, elements, at, n);
    if (j->what.way != BNDI_BY_CODEC) {
        by_words(j, b, elements, at, n, tally);
        return;
    }
    void *out = bndi_side_place(&j->out, j->to, b->out, at);
    by_codec(j, elements, out, operate_random(j, b, at, n), tally, n);
    if (out == b->out) {
        bndi_put_away(&j->kernels, &j->out, j->to, out, at, n);
    }
}

/* ---- pieces ---- */

/* The special kernel for these codes, and chunks of the general path where it stops. The chunk size doubles each time
 * that the kernel did no element. */
static void do_fused(const bndi_operate_job *j, operate_buffers *b, size_t at, size_t n)
{
    const void *from[BND_OPERANDS_MAX];
    size_t steps[BND_OPERANDS_MAX], chunk = BNDI_FUSED_GROUP;
    for (size_t done = 0; done < n;) {
        const size_t before = done;
        for (unsigned i = 0; i < j->what.operands; i++) {
            const bndi_array_operand *x = &j->operand[i];
            steps[i] = !x->broadcast;
            from[i] = x->broadcast ? b->elements[i] : (const void *)((const char *)x->data + (at + done) * 2);
        }
        bndi_set_rounding(j->what.mode);
        done += j->kernels.fused(&j->what, (char *)j->to + (at + done) * 2, from, steps, n - done);
        chunk = done > before ? BNDI_FUSED_GROUP : bndi_smaller(2 * chunk, j->chunk);
        if (done < n) {
            size_t count = bndi_smaller(chunk, n - done);
            operate_chunk(j, b, NULL, at + done, count);
            done += count;
        }
    }
}

static void operate_piece(const void *job, bndi_tally *tally, size_t at, size_t n)
{
    const bndi_operate_job *j = job;
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    operate_buffers b;
    open_buffers(j, &b);
    if (j->what.fused != BNDI_NOT_FUSED) {
        do_fused(j, &b, at, n);
    } else {
        for (size_t done = 0; done < n; done += j->chunk) {
            operate_chunk(j, &b, tally, at + done, bndi_smaller(j->chunk, n - done));
        }
    }
    if (j->what.stream) {
        bndi_drain_stores();
    }
    bndi_leave(before);
}

/* Results that no cache will hold anyway are written past the caches, from the first whole line on. */
static size_t stream_operation(bndi_operate_job *j, size_t n)
{
    const size_t bytes = j->out.bytes, head = (BNDI_LINE - (uintptr_t)j->to % BNDI_LINE) % BNDI_LINE;
    bool can =
        j->out.plain && j->what.way != BNDI_BY_CODEC && j->stats == NULL && head % bytes == 0 && head / bytes < n;
    size_t all = n * bytes;
    for (unsigned i = 0; i < j->what.operands; i++) {
        bool shares_bytes = j->operand[i].side.storage.packed && !j->operand[i].broadcast;
        can = can && j->operand[i].data != j->to && !(shares_bytes && head / bytes % 8 != 0);
        all += j->operand[i].broadcast ? 0 : n * j->operand[i].side.bytes;
    }
    if (!can || !bndi_beyond_the_caches(all)) {
        return 0;
    }
    operate_piece(j, NULL, 0, head / bytes);
    j->what.stream = true;
    if (j->narrows) {
        j->narrow.stream = true;
    } else {
        j->plan.stream = true;
    }
    return head / bytes;
}

/* ---- a call ---- */

/* A thing apart: its table takes room on the stack. */
static __attribute__((noinline)) void run_by_table(bndi_operate_job *j, size_t n)
{
    enum { MOST = 1 << BNDI_TABLE_BITS };
    uint16_t table[MOST];
    bndi_table_fill(j, table, 0, (size_t)1 << bndi_table_bits(j));
    j->table = table;
    bndi_share(operate_piece, j, &j->how, j->stats, 0, n);
}

void bndi_operate_run(bndi_operate_job *j, size_t n)
{
    const unsigned bits = bndi_table_bits(j);
    if (n == 0) {
        return;
    }
    if (j->table == NULL && j->what.way == BNDI_BY_CODEC && bits <= BNDI_TABLE_BITS && j->out.codes &&
        j->format.width <= 16 && n >> bits >= 2) {
        run_by_table(j, n);
    } else {
        bndi_share(operate_piece, j, &j->how, j->stats, stream_operation(j, n), n);
    }
}

static bnd_status run_operation(bndi_side out, void *to, bnd_operation operation, const bnd_operand *operands, size_t n,
                                const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    bndi_operate_job j;
    j.how = how != NULL ? *how : (bnd_array){.context = NULL};
    j.kernels = bnd_lab_kernels_of(j.how.context);
    j.out = out;
    bnd_status status = bndi_operate_open(&j, to, operation, operands, n, f, stats, why);
    if (status == BND_OK && operation == BND_OP_RECIPROCAL) {
        bndi_operate_by_quotient(&j);
    }
    if (status == BND_OK) {
        bndi_operate_plan(&j);
        bndi_operate_run(&j, n);
    }
    return status;
}

bnd_status bnd_operate_codes(void *out, const bnd_format *to, bnd_operation operation, const bnd_operand *operands,
                             size_t n, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    bndi_side side =
        bndi_side_of_codes(to, how != NULL ? how->packing_out : BND_PACKING_PACKED, how != NULL ? how->stride_out : 1);
    return run_operation(side, out, operation, operands, n, to, how, stats, why);
}

bnd_status bnd_operate_f32(float *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                           const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    bndi_side side = bndi_side_of_numbers(BNDI_WORDS_32, how != NULL ? how->stride_out : 1);
    return run_operation(side, out, operation, operands, n, f, how, stats, why);
}

bnd_status bnd_operate_f64(double *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                           const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    bndi_side side = bndi_side_of_numbers(BNDI_WORDS_64, how != NULL ? how->stride_out : 1);
    return run_operation(side, out, operation, operands, n, f, how, stats, why);
}
