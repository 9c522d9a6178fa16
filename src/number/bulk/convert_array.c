/* The conversions of arrays: pieces are given to the kernels, on the requested number of threads. A kernel works on a
 * piece in place if the layout allows it, otherwise on chunks that are copied to buffers in the L1 cache. */
#include "bulk/array_layout.h"
#include "bulk/environment.h"

/* A chunk is a multiple of 8, so that packed codes start at a byte, and of BNDI_LANES. */
enum { CONVERT_CHUNK = 2048, LINE = BNDI_LINE };

typedef enum action { ROUND, ENCODE, DECODE } action;

typedef struct convert_job {
    bndi_plan plan, source; /* source: of the codes that come in */
    bndi_kernels kernels;
    bnd_array how;
    bnd_stats *stats;
    bndi_side in, out;
    action what;
    bool by_codec; /* no words hold both formats: a number at a time */
    bool together; /* converted and counted by one kernel */
    const void *from;
    void *to;
} convert_job;

typedef struct convert_buffers {
    _Alignas(LINE) uint64_t in[CONVERT_CHUNK], out[CONVERT_CHUNK], codes[CONVERT_CHUNK], random[CONVERT_CHUNK];
} convert_buffers;

/* ---- opening ---- */

static bnd_status check_conversion(convert_job *j, size_t n, bnd_error *why)
{
    bnd_status status = bndi_check_choices(&j->how, why);
    if (status == BND_OK) {
        status = bndi_check_side(&j->in, n, why);
    }
    if (status == BND_OK) {
        status = bndi_check_side(&j->out, n, why);
    }
    return status;
}

static void open_conversion(convert_job *j, void *to, const void *from, const bnd_array *how, bnd_stats *stats)
{
    j->how = how != NULL ? *how : (bnd_array){.context = NULL};
    j->stats = stats;
    j->from = from;
    j->to = to;
    j->by_codec = false;
    j->together = false;
    j->source.exact = false;
    j->kernels = bnd_lab_kernels_of(j->how.context);
}

/* The plans for codes (or numbers) to codes, by way of words of one type. */
static void plan_conversion(convert_job *j, bndi_width width, bool decodes, bnd_rule rule)
{
    bndi_plan_make(&j->plan, width, &j->out.format, rule);
    bndi_plan_codes(&j->plan, j->out.bytes, j->out.storage.shift);
    if (decodes) {
        bndi_plan_make(&j->source, width, &j->in.format, (bnd_rule){.rounding = BND_ROUND_RNE});
        bndi_plan_codes(&j->source, j->in.bytes, j->in.storage.shift);
    }
}

static bool both_held(bndi_width width, const convert_job *j)
{
    return bndi_words_convert(width, &j->in.format) && bndi_words_convert(width, &j->out.format);
}

/* Any codes, or numbers taken as codes, to codes. With flush_in the codec does it: flushed sources are those that are
 * subnormal in their own format, which words of another format do not show. */
static void plan_codes_to_codes(convert_job *j, bnd_rule rule)
{
    bool flush = rule.flush_in;
    j->what = ENCODE;
    if (!flush && both_held(BNDI_WORDS_32, j)) {
        plan_conversion(j, BNDI_WORDS_32, true, rule);
    } else if (!flush && both_held(BNDI_WORDS_64, j)) {
        plan_conversion(j, BNDI_WORDS_64, true, rule);
    } else {
        j->by_codec = true;
        plan_conversion(j, BNDI_WORDS_64, true, rule);
    }
}

/* Random bits below the last one of a subnormal number do not fit words of 32: those of 64 are half as fast, and that
 * with every number. */
static bool too_narrow(const convert_job *j)
{
    const bndi_plan *plan = &j->plan;
    bool small_are_hard =
        plan->random_bits > 0 && plan->family != BNDI_FLOAT && plan->portable_below > plan->codec_below;
    return plan->width == BNDI_WORDS_32 && small_are_hard && !plan->rule.flush_in;
}

/* ---- a chunk ---- */

static const void *convert_random(const convert_job *j, convert_buffers *b, size_t at, size_t n)
{
    if (j->plan.random_bits == 0) {
        return NULL;
    }
    j->kernels.random(b->random, n, j->how.seed, j->how.purpose, j->how.first + at, j->plan.random_bits);
    return b->random;
}

static void convert_by_codec(const convert_job *j, const void *in, void *out, const void *random, bndi_tally *tally,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t code = bndi_get(in, j->in.bytes, i) >> j->in.storage.shift;
        uint64_t r = random != NULL ? bndi_get(random, j->plan.random_bytes, i) : 0;
        bnd_result result = bnd_convert(&j->out.format, &j->in.format, code, j->how.rule, r);
        bndi_put(out, j->out.bytes, i, result.code << j->out.storage.shift);
        if (tally != NULL) {
            bndi_tally_one(tally, &j->in.format, code, &j->out.format, result);
        }
    }
}

/* Statistics compare words with words; codes are decoded for them, which is exact. */
static void count_conversion(const convert_job *j, bndi_tally *tally, const void *x, const void *out,
                             const void *random, convert_buffers *b, size_t n)
{
    bndi_width width = j->plan.width;
    const void *y = out;
    if (j->what == ENCODE) {
        j->kernels.decode[width](&j->plan, b->out, out, n);
        y = b->out;
    }
    bool other_mode = j->plan.mode_to_set != BND_ROUND_RNE;
    if (other_mode) {
        bndi_set_rounding(BND_ROUND_RNE);
    }
    j->kernels.tally[width](&j->plan, tally, x, y, random, n);
    if (other_mode) {
        bndi_set_rounding(j->plan.mode_to_set);
    }
}

static void convert_chunk(const convert_job *j, convert_buffers *b, bndi_tally *tally, size_t at, size_t n)
{
    bndi_width width = j->plan.width;
    bool in_place = j->from == j->to && tally != NULL && !j->together; /* what came in is still to be counted */
    bool decodes = j->in.codes || j->source.exact;
    const void *x = bndi_bring(&j->kernels, j->from, &j->in, decodes ? b->codes : b->in, at, n);
    void *out = in_place ? b->out : bndi_side_place(&j->out, j->to, b->out, at);
    const void *random = convert_random(j, b, at, n);
    if (j->by_codec) {
        convert_by_codec(j, x, out, random, tally, n);
    } else if (j->what == DECODE) {
        j->kernels.decode[width](&j->plan, out, x, n);
    } else {
        if (j->source.exact) {
            j->kernels.decode[width](&j->source, b->in, x, n);
            x = b->in;
        }
        if (j->together) {
            out = j->what == ENCODE && !j->out.plain ? b->codes : out;
            j->kernels.count(&j->kernels, &j->plan, tally, j->what == ENCODE, out, x, n);
        } else if (j->what == ROUND) {
            j->kernels.round[width](&j->plan, out, x, random, n);
        } else {
            out =
                j->out.plain && !in_place ? out : b->codes; /* not b->out, into which they are decoded to be counted */
            j->kernels.encode[width](&j->plan, out, x, random, n);
        }
        if (tally != NULL && !j->together) {
            count_conversion(j, tally, x, out, random, b, n);
        }
    }
    if (in_place || !j->out.plain) {
        bndi_put_away(&j->kernels, &j->out, j->to, out, at, n);
    }
}

/* ---- pieces ---- */

/* The kernel reads and writes the arrays themselves. */
static bool is_direct(const convert_job *j)
{
    bool in_words = j->what == DECODE || !j->source.exact;
    return j->in.plain && j->out.plain && in_words && !j->by_codec && (j->stats == NULL || j->together) &&
           j->plan.random_bits == 0;
}

static void do_directly(const convert_job *j, const bndi_plan *plan, bndi_tally *tally, size_t at, size_t n)
{
    const char *x = (const char *)j->from + at * j->in.bytes;
    char *y = (char *)j->to + at * j->out.bytes;
    if (j->together) {
        j->kernels.count(&j->kernels, plan, tally, j->what == ENCODE, y, x, n);
        return;
    }
    switch (j->what) {
    case ROUND:
        j->kernels.round[plan->width](plan, y, x, NULL, n);
        break;
    case ENCODE:
        j->kernels.encode[plan->width](plan, y, x, NULL, n);
        break;
    default:
        j->kernels.decode[plan->width](plan, y, x, n);
        break;
    }
}

/* What only the buffer of random bits limits goes in larger chunks. */
static size_t convert_chunk_of(const convert_job *j)
{
    bool only_random = j->in.plain && j->out.plain && !j->source.exact && !j->by_codec && j->stats == NULL;
    return only_random && j->plan.random_bytes <= 4 ? 2 * CONVERT_CHUNK : CONVERT_CHUNK;
}

static void convert_piece(const void *work, bndi_tally *tally, size_t at, size_t n)
{
    const convert_job *j = work;
    /* What goes by the codec needs no mode, but its statistics do. */
    bndi_environment before = bndi_enter(j->by_codec || !j->plan.exact ? BND_ROUND_RNE : j->plan.mode_to_set);
    if (is_direct(j)) {
        do_directly(j, &j->plan, tally, at, n);
    } else {
        convert_buffers b;
        const size_t chunk = convert_chunk_of(j);
        for (size_t done = 0; done < n; done += chunk) {
            convert_chunk(j, &b, tally, at + done, n - done < chunk ? n - done : chunk);
        }
    }
    if (j->plan.stream) {
        bndi_drain_stores();
    }
    bndi_leave(before);
}

/* Results that no cache will hold anyway are written past the caches, from the first whole line on. */
static size_t stream_conversion(convert_job *j, size_t n)
{
    size_t bytes = n * (j->in.bytes + (size_t)j->out.bytes);
    size_t misplaced = (uintptr_t)j->to % LINE, head = (LINE - misplaced) % LINE;
    bool can = j->out.plain && j->stats == NULL && !j->by_codec && j->from != j->to && head % j->out.bytes == 0;
    if (!can || !bndi_beyond_the_caches(bytes) || head / j->out.bytes >= n) {
        return 0;
    }
    head /= j->out.bytes;
    if (j->in.storage.packed && head % 8 != 0) { /* what comes in begins within a byte then */
        return 0;
    }
    convert_piece(j, NULL, 0, head);
    j->plan.stream = true;
    return head;
}

static void run(convert_job *j, size_t n)
{
    if (n > 0) {
        j->together = j->stats != NULL && !j->by_codec && j->what != DECODE && j->plan.width == BNDI_WORDS_32 &&
                      j->kernels.counts != NULL && j->kernels.counts(&j->plan, j->what == ENCODE);
        bndi_share(convert_piece, j, &j->how, j->stats, stream_conversion(j, n), n);
    }
}

/* ---- the calls ---- */

static bnd_status encode(bndi_width width, void *to, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                         bnd_stats *stats, bnd_error *why)
{
    convert_job j;
    open_conversion(&j, to, x, how, stats);
    j.in = bndi_side_of_numbers(width, j.how.stride_in);
    j.out = bndi_side_of_codes(f, j.how.packing_out, j.how.stride_out);
    bnd_status status = check_conversion(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    j.what = ENCODE;
    if (bndi_words_convert(width, f)) {
        plan_conversion(&j, width, false, j.how.rule);
        if (too_narrow(&j)) {
            plan_conversion(&j, BNDI_WORDS_64, true, j.how.rule);
        }
    } else {
        plan_codes_to_codes(&j, j.how.rule);
    }
    run(&j, n);
    return BND_OK;
}

static bnd_status decode(bndi_width width, void *x, const void *from, size_t n, const bnd_format *f,
                         const bnd_array *how, bnd_error *why)
{
    convert_job j;
    open_conversion(&j, x, from, how, NULL);
    j.in = bndi_side_of_codes(f, j.how.packing_in, j.how.stride_in);
    j.out = bndi_side_of_numbers(width, j.how.stride_out);
    bnd_status status = check_conversion(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    j.how.rule = (bnd_rule){.nan = BND_NAN_PROPAGATE};
    if (bndi_words_convert(width, f)) {
        j.what = DECODE;
        bndi_plan_make(&j.plan, width, f, j.how.rule);
        bndi_plan_codes(&j.plan, j.in.bytes, j.in.storage.shift);
    } else {
        plan_codes_to_codes(&j, j.how.rule);
    }
    run(&j, n);
    return BND_OK;
}

static bnd_status round_array(bndi_width width, void *y, const void *x, size_t n, const bnd_format *f,
                              const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    convert_job j;
    open_conversion(&j, y, x, how, stats);
    j.in = bndi_side_of_numbers(width, j.how.stride_in);
    j.out = bndi_side_of_numbers(width, j.how.stride_out);
    bnd_status status = check_conversion(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    j.what = ROUND;
    bndi_plan_make(&j.plan, width, f, j.how.rule);
    run(&j, n);
    return BND_OK;
}

bnd_status bnd_encode_f32(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                          bnd_stats *stats, bnd_error *why)
{
    return encode(BNDI_WORDS_32, codes, x, n, f, how, stats, why);
}

bnd_status bnd_encode_f64(void *codes, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                          bnd_stats *stats, bnd_error *why)
{
    return encode(BNDI_WORDS_64, codes, x, n, f, how, stats, why);
}

bnd_status bnd_decode_f32(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                          bnd_error *why)
{
    return decode(BNDI_WORDS_32, x, codes, n, f, how, why);
}

bnd_status bnd_decode_f64(double *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                          bnd_error *why)
{
    return decode(BNDI_WORDS_64, x, codes, n, f, how, why);
}

bnd_status bnd_round_f32(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                         bnd_stats *stats, bnd_error *why)
{
    return round_array(BNDI_WORDS_32, y, x, n, f, how, stats, why);
}

bnd_status bnd_round_f64(double *y, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                         bnd_stats *stats, bnd_error *why)
{
    return round_array(BNDI_WORDS_64, y, x, n, f, how, stats, why);
}

bnd_status bnd_convert_codes(void *out, const bnd_format *to, const void *in, const bnd_format *from, size_t n,
                             const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    convert_job j;
    open_conversion(&j, out, in, how, stats);
    j.in = bndi_side_of_codes(from, j.how.packing_in, j.how.stride_in);
    j.out = bndi_side_of_codes(to, j.how.packing_out, j.how.stride_out);
    bnd_status status = check_conversion(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    plan_codes_to_codes(&j, j.how.rule);
    run(&j, n);
    return BND_OK;
}
