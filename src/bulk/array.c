/* The calls on arrays: blocks through the kernels, the codec where the kernels do not reach. */
#include "bulk/bulk.h"
#include "bulk/stats.h"

/* Words, results, codes and random bits of a block: 16 KiB, which the first cache holds beside the array's own lines. A
 * multiple of 8, so that packed codes start at a byte. */
enum { BLOCK = 512 };

typedef union row {
    uint32_t narrow[BLOCK];
    uint64_t wide[BLOCK];
} row;

typedef struct block {
    row in, out;
    uint64_t codes[BLOCK], random[BLOCK];
} block;

typedef struct job {
    bndi_plan plan;
    bndi_kernels kernels;
    bndi_storage storage;
    bnd_array how;
    bnd_stats *stats;
} job;

/* Can n elements of 8 bytes, `stride` elements apart, be told apart by differences of pointers? Every sum of bits and
 * of bytes here is in range then. */
static bool fits_memory(size_t n, ptrdiff_t stride)
{
    size_t steps = stride < 0 ? 0 - (size_t)stride : (size_t)stride;
    return n <= PTRDIFF_MAX / 64 / steps;
}

static bnd_status open_job(job *j, bndi_width width, size_t n, const bnd_format *f, const bnd_array *how,
                           bnd_stats *stats, bool has_codes, bnd_error *why)
{
    *j = (job){.how = how != NULL ? *how : (bnd_array){.packing = BND_PACKED}, .stats = stats};
    j->how.stride_in = j->how.stride_in != 0 ? j->how.stride_in : 1;
    j->how.stride_out = j->how.stride_out != 0 ? j->how.stride_out : 1;
    if (has_codes && f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes; round to it instead", f->name);
    }
    if (!fits_memory(n, j->how.stride_in) || !fits_memory(n, j->how.stride_out)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of %zu elements is more than memory can hold", n);
    }
    bndi_plan_make(&j->plan, width, f, j->how.rule);
    bndi_fill_portable(&j->kernels);
    j->storage = bndi_storage_of(f, j->how.packing);
    return BND_OK;
}

/* Packed codes share bytes: they have no stride. */
static bnd_status check_stride(const bndi_storage *storage, const bnd_format *f, ptrdiff_t stride, bnd_error *why)
{
    if (storage->packed && stride != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "packed codes of %s share bytes and cannot have a stride; unpack them, or use a stride of 1",
                        f->name);
    }
    return BND_OK;
}

static size_t bytes_of(bndi_width width)
{
    return width == BNDI_WORDS_32 ? 4 : 8;
}

static void load_words(bndi_width width, void *words, const void *array, size_t at, ptrdiff_t stride, size_t n)
{
    if (stride == 1) {
        size_t size = bytes_of(width);
        __builtin_memcpy(words, (const char *)array + at * size, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t place = (ptrdiff_t)(at + i) * stride;
        if (width == BNDI_WORDS_32) {
            __builtin_memcpy((uint32_t *)words + i, (const char *)array + place * 4, 4);
        } else {
            __builtin_memcpy((uint64_t *)words + i, (const char *)array + place * 8, 8);
        }
    }
}

static void store_words(bndi_width width, void *array, const void *words, size_t at, ptrdiff_t stride, size_t n)
{
    if (stride == 1) {
        size_t size = bytes_of(width);
        __builtin_memcpy((char *)array + at * size, words, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t place = (ptrdiff_t)(at + i) * stride;
        if (width == BNDI_WORDS_32) {
            __builtin_memcpy((char *)array + place * 4, (const uint32_t *)words + i, 4);
        } else {
            __builtin_memcpy((char *)array + place * 8, (const uint64_t *)words + i, 8);
        }
    }
}

static const uint64_t *fill_random(const job *j, block *b, size_t at, size_t n)
{
    if (j->plan.random_bits == 0) {
        return NULL;
    }
    bnd_random_fill(b->random, n, j->how.seed, j->how.purpose, j->how.first + at, j->plan.random_bits);
    return b->random;
}

static void count_block(const job *j, const block *b, const uint64_t *random, size_t n)
{
    bndi_width width = j->plan.width;
    for (size_t i = 0; j->stats != NULL && i < n; i++) {
        uint64_t in = bndi_word_at(width, &b->in, i), out = bndi_word_at(width, &b->out, i);
        uint32_t flags = bndi_flags(&j->plan, in, out, random != NULL ? random[i] : 0);
        bndi_count(j->stats, bndi_number_of_word(width, in), bndi_number_of_word(width, out), flags);
    }
}

/* Where words cannot hold the format's values: one at a time, straight from the word to the code. */
static void encode_by_codec(const job *j, block *b, const uint64_t *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word = bndi_word_at(j->plan.width, &b->in, i), r = random != NULL ? random[i] : 0;
        bnd_result result = bnd_convert(&j->plan.format, &j->plan.words, word, j->plan.rule, r);
        b->codes[i] = result.code;
        if (j->stats != NULL) {
            bndi_number came = bndi_number_of_word(j->plan.width, word);
            bndi_count(j->stats, came, bndi_number_of_code(&j->plan.format, result.code), result.flags);
        }
    }
}

static void round_by_codec(const job *j, block *b, const uint64_t *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word = bndi_word_at(j->plan.width, &b->in, i);
        bndi_set_word(j->plan.width, &b->out, i, bndi_round_word(&j->plan, word, random != NULL ? random[i] : 0));
    }
}

static void round_block(const job *j, block *b, const uint64_t *random, size_t n)
{
    if (j->plan.exact) {
        j->kernels.round[j->plan.width](&j->plan, &b->out, &b->in, random, n);
    } else {
        round_by_codec(j, b, random, n);
    }
    count_block(j, b, random, n);
}

static void encode_block(const job *j, block *b, const uint64_t *random, size_t n)
{
    if (j->plan.exact) {
        round_block(j, b, random, n);
        j->kernels.encode[j->plan.width](&j->plan, b->codes, &b->out, n);
    } else {
        encode_by_codec(j, b, random, n);
    }
}

static void decode_block(const job *j, block *b, size_t n)
{
    if (j->plan.exact) {
        j->kernels.decode[j->plan.width](&j->plan, &b->out, b->codes, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bndi_set_word(j->plan.width, &b->out, i, bndi_decode_word(&j->plan, b->codes[i]));
    }
}

static size_t piece(size_t n, size_t at)
{
    return n - at < BLOCK ? n - at : BLOCK;
}

/* ---- the three kinds of calls ---- */

static bnd_status encode(bndi_width width, void *codes, const void *x, size_t n, const bnd_format *f,
                         const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    job j;
    block b;
    bnd_status status = open_job(&j, width, n, f, how, stats, true, why);
    if (status == BND_OK) {
        status = check_stride(&j.storage, f, j.how.stride_out, why);
    }
    for (size_t at = 0; status == BND_OK && at < n; at += BLOCK) {
        size_t count = piece(n, at);
        load_words(width, &b.in, x, at, j.how.stride_in, count);
        encode_block(&j, &b, fill_random(&j, &b, at, count), count);
        bndi_store_codes(codes, b.codes, j.storage, at, j.how.stride_out, count);
    }
    return status;
}

static bnd_status decode(bndi_width width, void *x, const void *codes, size_t n, const bnd_format *f,
                         const bnd_array *how, bnd_error *why)
{
    job j;
    block b;
    bnd_status status = open_job(&j, width, n, f, how, NULL, true, why);
    if (status == BND_OK) {
        status = check_stride(&j.storage, f, j.how.stride_in, why);
    }
    for (size_t at = 0; status == BND_OK && at < n; at += BLOCK) {
        size_t count = piece(n, at);
        bndi_load_codes(b.codes, codes, j.storage, at, j.how.stride_in, count);
        decode_block(&j, &b, count);
        store_words(width, x, &b.out, at, j.how.stride_out, count);
    }
    return status;
}

static bnd_status round_array(bndi_width width, void *y, const void *x, size_t n, const bnd_format *f,
                              const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    job j;
    block b;
    bnd_status status = open_job(&j, width, n, f, how, stats, false, why);
    for (size_t at = 0; status == BND_OK && at < n; at += BLOCK) {
        size_t count = piece(n, at);
        load_words(width, &b.in, x, at, j.how.stride_in, count);
        round_block(&j, &b, fill_random(&j, &b, at, count), count);
        store_words(width, y, &b.out, at, j.how.stride_out, count);
    }
    return status;
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

/* ---- codes to codes: by way of fp64 where it holds both formats' values, since that rounds nothing ---- */

static void convert_by_codec(const job *j, const bnd_format *from, block *b, const uint64_t *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t code = b->codes[i];
        bnd_result result = bnd_convert(&j->plan.format, from, code, j->plan.rule, random != NULL ? random[i] : 0);
        b->codes[i] = result.code;
        if (j->stats != NULL) {
            bndi_number came = bndi_number_of_code(from, code);
            bndi_count(j->stats, came, bndi_number_of_code(&j->plan.format, result.code), result.flags);
        }
    }
}

bnd_status bnd_convert_codes(void *out, const bnd_format *to, const void *in, const bnd_format *from, size_t n,
                             const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    job j, source;
    block b;
    bnd_status status = open_job(&j, BNDI_WORDS_64, n, to, how, stats, true, why);
    if (status == BND_OK) {
        status = open_job(&source, BNDI_WORDS_64, n, from, how, NULL, true, why);
    }
    if (status == BND_OK) {
        status = check_stride(&source.storage, from, j.how.stride_in, why);
    }
    if (status == BND_OK) {
        status = check_stride(&j.storage, to, j.how.stride_out, why);
    }
    /* A source that counts as zero is one that is subnormal in its own format: fp64 would not know. */
    bool by_kernels = status == BND_OK && source.plan.exact && j.plan.exact && !j.how.rule.flush_in;
    for (size_t at = 0; status == BND_OK && at < n; at += BLOCK) {
        size_t count = piece(n, at);
        const uint64_t *random = fill_random(&j, &b, at, count);
        bndi_load_codes(b.codes, in, source.storage, at, j.how.stride_in, count);
        if (by_kernels) {
            source.kernels.decode[BNDI_WORDS_64](&source.plan, &b.in, b.codes, count);
            encode_block(&j, &b, random, count);
        } else {
            convert_by_codec(&j, from, &b, random, count);
        }
        bndi_store_codes(out, b.codes, j.storage, at, j.how.stride_out, count);
    }
    return status;
}
