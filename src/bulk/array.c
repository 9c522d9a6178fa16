/* The calls on arrays: pieces through the kernels, on as many cores as asked. A piece goes to a kernel as it lies in
 * memory where it can; otherwise in chunks by way of buffers that stay in the first cache. */
#include "bulk/bulk.h"
#include "bulk/environment.h"

/* A piece is what one thread takes at a time, and the unit in which sums are made: the same whatever the number of
 * threads. A chunk is a multiple of 8, so that packed codes start at a byte, and of BNDI_LANES. A thread
 * is worth its start from SHARED elements of its own on (doc/performance.md). */
enum { CHUNK = 2048, PIECE = 1 << 16, SHARED = 1 << 18, LINE = 64 };

/* One side of a conversion: numbers, or codes. */
typedef struct side {
    bnd_format format;
    bndi_storage storage;
    ptrdiff_t stride;
    unsigned bytes; /* of an element between kernels */
    bool codes;     /* little-endian, perhaps packed; else fp32 or fp64 of the machine's own */
    bool plain;     /* the kernels can read or write it where it is */
} side;

typedef enum action { ROUND, ENCODE, DECODE } action;

typedef struct job {
    bndi_plan plan, source; /* source: of the codes that come in */
    bndi_kernels kernels;
    bnd_array how;
    bnd_stats *stats;
    side in, out;
    action what;
    bool by_codec; /* no words hold both formats: a number at a time */
    const void *from;
    void *to;
} job;

typedef struct buffers {
    _Alignas(LINE) uint64_t in[CHUNK], out[CHUNK], codes[CHUNK], random[CHUNK];
} buffers;

static unsigned bytes_of(bndi_width width)
{
    return width == BNDI_WORDS_32 ? 4 : 8;
}

/* ---- opening ---- */

static side numbers(bndi_width width, ptrdiff_t stride)
{
    unsigned bytes = bytes_of(width);
    return (side){.format = *bndi_format_of_words(width),
                  .storage = {.bits = 8 * bytes},
                  .stride = stride != 0 ? stride : 1,
                  .bytes = bytes};
}

static unsigned whole_bytes(unsigned bits)
{
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static side codes(const bnd_format *f, uint8_t packing, ptrdiff_t stride)
{
    bndi_storage storage = bndi_storage_of(f, packing);
    return (side){.format = *f,
                  .storage = storage,
                  .stride = stride != 0 ? stride : 1,
                  .bytes = whole_bytes(storage.bits),
                  .codes = true};
}

/* Can n elements of 8 bytes, `stride` elements apart, be told apart by differences of pointers? Every sum of bits and
 * of bytes here is in range then. */
static bool fits_memory(size_t n, ptrdiff_t stride)
{
    size_t steps = stride < 0 ? 0 - (size_t)stride : (size_t)stride;
    return n <= PTRDIFF_MAX / 64 / steps;
}

static bnd_status check_side(const side *s, size_t n, bnd_error *why)
{
    if (s->codes && s->format.width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes; round to it instead",
                        s->format.name);
    }
    if (!fits_memory(n, s->stride)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of %zu elements is more than memory can hold", n);
    }
    if (s->storage.packed && s->stride != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "packed codes of %s share bytes and cannot have a stride; unpack them, or use a stride of 1",
                        s->format.name);
    }
    return BND_OK;
}

static bnd_status check(job *j, size_t n, bnd_error *why)
{
    bnd_status status = check_side(&j->in, n, why);
    if (status == BND_OK) {
        status = check_side(&j->out, n, why);
    }
    j->in.plain = j->in.stride == 1 && !j->in.storage.packed && !(j->in.codes && BNDI_BIG_ENDIAN);
    j->out.plain = j->out.stride == 1 && !j->out.storage.packed && !(j->out.codes && BNDI_BIG_ENDIAN);
    return status;
}

static void open_job(job *j, void *to, const void *from, const bnd_array *how, bnd_stats *stats)
{
    j->how = how != NULL ? *how : (bnd_array){.packing = BND_PACKED};
    j->stats = stats;
    j->from = from;
    j->to = to;
    j->by_codec = false;
    j->source.exact = false;
    j->kernels = bndi_kernels_of(j->how.context);
}

/* The plans for codes (or numbers) to codes, by way of words of one type. */
static void plan_conversion(job *j, bndi_width width, bool decodes, bnd_rule rule)
{
    bndi_plan_make(&j->plan, width, &j->out.format, rule);
    bndi_plan_codes(&j->plan, j->out.bytes, j->out.storage.shift);
    if (decodes) {
        bndi_plan_make(&j->source, width, &j->in.format, (bnd_rule){.rounding = BND_RNE});
        bndi_plan_codes(&j->source, j->in.bytes, j->in.storage.shift);
    }
}

static bool both_held(bndi_width width, const job *j)
{
    return bndi_words_hold(width, &j->in.format) && bndi_words_hold(width, &j->out.format);
}

/* Any codes, or numbers taken as codes, to codes. A source that counts as zero is one that is subnormal in its own
 * format: words of another would not know. */
static void plan_codes_to_codes(job *j, bnd_rule rule)
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
static bool too_narrow(const job *j)
{
    const bndi_plan *plan = &j->plan;
    bool small_are_hard = plan->random_bits > 0 && plan->family != BNDI_FLOAT && plan->hard > plan->difficult;
    return plan->width == BNDI_WORDS_32 && small_are_hard && !plan->rule.flush_in;
}

/* ---- a chunk ---- */

/* Elements as the kernels take them: where they are, or brought into a buffer. */
static const void *bring(const job *j, const void *array, const side *s, void *buffer, size_t at, size_t n)
{
    if (s->plain) {
        return (const char *)array + at * s->bytes;
    }
    if (s->storage.packed) {
        j->kernels.unpack(buffer, (const char *)array + at / 8 * s->storage.bits, s->bytes, s->storage.bits, n);
        return buffer;
    }
    bndi_gather(buffer, array, s->bytes, at, s->stride, n);
    if (s->codes && BNDI_BIG_ENDIAN) {
        bndi_swap(buffer, s->bytes, n);
    }
    return buffer;
}

static void *place(const side *s, void *array, void *buffer, size_t at)
{
    return s->plain ? (char *)array + at * s->bytes : buffer;
}

static void put_away(const job *j, const side *s, void *array, void *buffer, size_t at, size_t n)
{
    if (s->storage.packed) {
        j->kernels.pack((char *)array + at / 8 * s->storage.bits, buffer, s->bytes, s->storage.bits, n);
        return;
    }
    if (s->codes && BNDI_BIG_ENDIAN) {
        bndi_swap(buffer, s->bytes, n);
    }
    if (s->stride == 1) {
        __builtin_memcpy((char *)array + at * s->bytes, buffer, n * s->bytes);
    } else {
        bndi_scatter(array, buffer, s->bytes, at, s->stride, n);
    }
}

static const void *fill_random(const job *j, buffers *b, size_t at, size_t n)
{
    if (j->plan.random_bits == 0) {
        return NULL;
    }
    j->kernels.random(b->random, n, j->how.seed, j->how.purpose, j->how.first + at, j->plan.random_bits);
    return b->random;
}

static void convert_by_codec(const job *j, const void *in, void *out, const void *random, bndi_tally *tally, size_t n)
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
static void count(const job *j, bndi_tally *tally, const void *x, const void *out, const void *random, buffers *b,
                  size_t n)
{
    bndi_width width = j->plan.width;
    const void *y = out;
    if (j->what == ENCODE) {
        j->kernels.decode[width](&j->plan, b->out, out, n);
        y = b->out;
    }
    bool other_mode = j->plan.mode_to_set != BND_RNE;
    if (other_mode) {
        bndi_set_rounding(BND_RNE);
    }
    j->kernels.tally[width](&j->plan, tally, x, y, random, n);
    if (other_mode) {
        bndi_set_rounding(j->plan.mode_to_set);
    }
}

static void do_chunk(const job *j, buffers *b, bndi_tally *tally, size_t at, size_t n)
{
    bndi_width width = j->plan.width;
    bool in_place = j->from == j->to && tally != NULL; /* what came in is still to be counted */
    bool decodes = j->in.codes || j->source.exact;
    const void *x = bring(j, j->from, &j->in, decodes ? b->codes : b->in, at, n);
    void *out = in_place ? b->out : place(&j->out, j->to, b->out, at);
    const void *random = fill_random(j, b, at, n);
    if (j->by_codec) {
        convert_by_codec(j, x, out, random, tally, n);
    } else if (j->what == DECODE) {
        j->kernels.decode[width](&j->plan, out, x, n);
    } else {
        if (j->source.exact) {
            j->kernels.decode[width](&j->source, b->in, x, n);
            x = b->in;
        }
        if (j->what == ROUND) {
            j->kernels.round[width](&j->plan, out, x, random, n);
        } else {
            out = j->out.plain ? out : b->codes;
            j->kernels.encode[width](&j->plan, out, x, random, n);
        }
        if (tally != NULL) {
            count(j, tally, x, out, random, b, n);
        }
    }
    if (in_place || !j->out.plain) {
        put_away(j, &j->out, j->to, out, at, n);
    }
}

/* ---- pieces ---- */

/* The kernel reads and writes the arrays themselves. */
static bool is_direct(const job *j)
{
    bool in_words = j->what == DECODE || !j->source.exact;
    return j->in.plain && j->out.plain && in_words && !j->by_codec && j->stats == NULL && j->plan.random_bits == 0;
}

static void do_directly(const job *j, const bndi_plan *plan, size_t at, size_t n)
{
    const char *x = (const char *)j->from + at * j->in.bytes;
    char *y = (char *)j->to + at * j->out.bytes;
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
static size_t chunk_of(const job *j)
{
    bool only_random = j->in.plain && j->out.plain && !j->source.exact && !j->by_codec && j->stats == NULL;
    return only_random && j->plan.random_bytes <= 4 ? 2 * CHUNK : CHUNK;
}

static void do_piece(const job *j, bndi_tally *tally, size_t at, size_t n)
{
    /* What goes by the codec needs no mode, but its statistics do. */
    bndi_environment before = bndi_enter(j->by_codec || !j->plan.exact ? BND_RNE : j->plan.mode_to_set);
    if (is_direct(j)) {
        do_directly(j, &j->plan, at, n);
    } else {
        buffers b;
        const size_t chunk = chunk_of(j);
        for (size_t done = 0; done < n; done += chunk) {
            do_chunk(j, &b, tally, at + done, n - done < chunk ? n - done : chunk);
        }
    }
    if (j->plan.stream) {
        bndi_drain_stores();
    }
    bndi_leave(before);
}

#if defined(_OPENMP)
static int threads_for(const job *j, size_t n)
{
    size_t asked = j->how.context != NULL ? j->how.context->threads : 1, most = n / SHARED;
    return asked < 2 || most < 2 ? 1 : (int)(asked < most ? asked : most);
}
#endif

/* Piece i of what begins at `first`. */
static void do_piece_of(const job *j, bndi_tally *tally, size_t i, size_t first, size_t n)
{
    size_t at = first + i * PIECE;
    do_piece(j, tally, at, n - at < PIECE ? n - at : PIECE);
}

static void add_tally(const job *j, const bndi_tally *tally)
{
    bndi_environment before = bndi_enter(BND_RNE);
    bndi_tally_add(j->stats, tally);
    bndi_leave(before);
}

/* Counts need no order; sums are added in the order of the pieces. (A parallel region costs a microsecond even with one
 * thread.) */
static void do_pieces_with_stats(const job *j, size_t n)
{
    const size_t pieces = (n + PIECE - 1) / PIECE;
#if defined(_OPENMP)
    const int threads = threads_for(j, n);
    if (threads > 1) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
        for (size_t i = 0; i < pieces; i++) {
            bndi_tally tally = {.elements = 0};
            do_piece_of(j, &tally, i, 0, n);
#pragma omp ordered
            add_tally(j, &tally);
        }
        return;
    }
#endif
    for (size_t i = 0; i < pieces; i++) {
        bndi_tally tally = {.elements = 0};
        do_piece_of(j, &tally, i, 0, n);
        add_tally(j, &tally);
    }
}

static void do_pieces(const job *j, size_t first, size_t n)
{
    const size_t pieces = (n - first + PIECE - 1) / PIECE;
#if defined(_OPENMP)
    const int threads = threads_for(j, n);
    if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (size_t i = 0; i < pieces; i++) {
            do_piece_of(j, NULL, i, first, n);
        }
        return;
    }
#endif
    for (size_t i = 0; i < pieces; i++) {
        do_piece_of(j, NULL, i, first, n);
    }
}

/* Results that no cache will hold anyway are written past the caches, from the first whole line on. */
static size_t start_streaming(job *j, size_t n)
{
    size_t bytes = n * (j->in.bytes + (size_t)j->out.bytes);
    size_t misplaced = (uintptr_t)j->to % LINE, head = (LINE - misplaced) % LINE;
    bool can = j->out.plain && j->stats == NULL && !j->by_codec && j->from != j->to && head % j->out.bytes == 0;
    if (!can || !bndi_beyond_the_caches(bytes) || head / j->out.bytes >= n) {
        return 0;
    }
    head /= j->out.bytes;
    do_piece(j, NULL, 0, head);
    j->plan.stream = true;
    return head;
}

static void run(job *j, size_t n)
{
    if (n == 0) {
        return;
    }
    if (j->stats != NULL) {
        do_pieces_with_stats(j, n);
    } else {
        do_pieces(j, start_streaming(j, n), n);
    }
}

/* ---- the calls ---- */

static bnd_status encode(bndi_width width, void *to, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                         bnd_stats *stats, bnd_error *why)
{
    job j;
    open_job(&j, to, x, how, stats);
    j.in = numbers(width, j.how.stride_in);
    j.out = codes(f, j.how.packing, j.how.stride_out);
    bnd_status status = check(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    j.what = ENCODE;
    if (bndi_words_hold(width, f)) {
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
    job j;
    open_job(&j, x, from, how, NULL);
    j.in = codes(f, j.how.packing, j.how.stride_in);
    j.out = numbers(width, j.how.stride_out);
    bnd_status status = check(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    j.how.rule = (bnd_rule){.nan = BND_NAN_PROPAGATE};
    if (bndi_words_hold(width, f)) {
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
    job j;
    open_job(&j, y, x, how, stats);
    j.in = numbers(width, j.how.stride_in);
    j.out = numbers(width, j.how.stride_out);
    bnd_status status = check(&j, n, why);
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
    job j;
    open_job(&j, out, in, how, stats);
    j.in = codes(from, j.how.packing, j.how.stride_in);
    j.out = codes(to, j.how.packing, j.how.stride_out);
    bnd_status status = check(&j, n, why);
    if (status != BND_OK) {
        return status;
    }
    plan_codes_to_codes(&j, j.how.rule);
    run(&j, n);
    return BND_OK;
}
