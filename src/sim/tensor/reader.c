/* Reading and writing the numbers of tensors, one chunk at a time. */
#include "base/verify.h"
#include "bulk/environment.h"
#include "bulk/threads.h"
#include "tensor/engine.h"
#include "tensor/maths.h"
#include "tensor/reader.h"
#include "tensor/scaled.h"

typedef union codes {
    uint64_t words[BNDI_TENSOR_CHUNK]; /* of up to 8 bytes */
    float floats[BNDI_TENSOR_CHUNK];
    unsigned char bytes[BNDI_TENSOR_CHUNK * 8];
} codes;

static bnd_array array_of(const bndi_walk *w)
{
    uint8_t packing = w->storage.packed ? BND_PACKING_UNPACKED : BND_PACKING_PACKED;
    return (bnd_array){.context = &w->engine->context, .packing_in = packing, .packing_out = packing};
}

const bndi_ready *bndi_conversion(bnd_engine *engine, bndi_width work, const bnd_format *f, bnd_rule rule)
{
    for (unsigned i = 0; i < engine->conversion_count; i++) {
        if (bnd_lab_ready_for(&engine->conversions[i], work, f, rule)) {
            return &engine->conversions[i];
        }
    }
    bndi_ready *r = &engine->conversions[engine->next_conversion];
    if (!bnd_lab_ready_make(r, work, f, rule, &engine->context)) {
        return NULL;
    }
    engine->conversion_count += engine->next_conversion == engine->conversion_count;
    engine->next_conversion = (engine->next_conversion + 1) % BNDI_CONVERSIONS;
    return r;
}

/* ---- chunks ---- */

/* The walk's numbers are the stored ones, in some order. */
static bool holds_numbers(const bndi_walk *w)
{
    return !w->integer && w->format.row >= 0 && w->format.row == bnd_lab_format_of_words(w->work)->row;
}

unsigned char *bndi_plain_place(const bndi_walk *w, size_t at)
{
    return w->data + (w->offset + at) * bndi_work_size(w->work);
}

/* fp32 numbers that are wanted in double. */
static bool holds_floats(const bndi_walk *w)
{
    return !w->integer && w->work == BNDI_WORDS_64 && w->format.row == bnd_lab_format_of_words(BNDI_WORDS_32)->row;
}

/* Widens fp32 to fp64 with the processor's own conversion, independent of the caller's floating-point environment.
   Returns false if bulk/ has to do it. */
static bool widened(bndi_numbers *out, const bndi_walk *w, const float *x, size_t n)
{
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bool done = bndi_maths_of(&w->engine->context)->widen(out->f64, x, n);
    bndi_leave(before);
    return done;
}

/* Codes side by side in whole words, where they lie; NULL: they do not. */
static unsigned char *codes_in_place(const bndi_walk *w, size_t at)
{
    const bool side_by_side = w->rank == 1 && w->stride[0] == 1 && !w->storage.packed && !w->integer;
    return side_by_side ? w->data + (w->offset + at) * bndi_word_bytes(w) : NULL;
}

static void decode(bndi_numbers *out, const bndi_walk *w, const void *words, size_t n)
{
    const bnd_rule rule = {.nan = BND_NAN_PROPAGATE};
    const bndi_ready *ready = bndi_conversion(w->engine, w->work, &w->format, rule);
    const bnd_array how = array_of(w);
    bnd_status status = BND_OK;
    if (ready != NULL) {
        bnd_lab_ready_decode(ready, out, words, n);
    } else if (w->work == BNDI_WORDS_32) {
        status = bnd_decode_f32(out->f32, words, n, &w->format, &how, NULL);
    } else {
        status = bnd_decode_f64(out->f64, words, n, &w->format, &how, NULL);
    }
    BNDI_VERIFY(status == BND_OK); /* a stored format has codes, and a chunk fits */
}

/* Floats that lie side by side need no copy on their way. */
static bool read_floats(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer)
{
    return holds_floats(w) && w->rank == 1 && w->stride[0] == 1 &&
           widened(buffer, w, (const float *)(const void *)w->data + w->offset + at, n);
}

const void *bndi_read_codes(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer)
{
    BNDI_VERIFY(n <= BNDI_TENSOR_CHUNK);
    bndi_read_words((unsigned char *)buffer, w, at, n);
    return buffer;
}

/* Integers to the nearest numbers, ties to even, independent of the caller's rounding mode. */
static void numbers_of_integers(bndi_numbers *out, const bndi_walk *w, const void *words, size_t n)
{
    unsigned bytes = bndi_word_bytes(w), unused = 64 - 8 * bytes;
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    for (size_t i = 0; i < n; i++) {
        uint64_t word = bndi_get(words, bytes, i);
        /* Of a negative number: all bits above its own set; by the shift of an unsigned number, which is defined. */
        bool negative = w->is_signed && (word << unused >> 63) != 0;
        uint64_t magnitude = negative ? (0 - word) << unused >> unused : word;
        if (w->work == BNDI_WORDS_32) {
            out->f32[i] = negative ? -(float)magnitude : (float)magnitude;
        } else {
            out->f64[i] = negative ? -(double)magnitude : (double)magnitude;
        }
    }
    bndi_leave(before);
}

/* Elements times their scales, each rounded to fp32. */
static void read_scaled(bndi_numbers *out, const bndi_walk *w, size_t at, size_t n)
{
    codes raw;
    float elements[BNDI_TENSOR_CHUNK], numbers[BNDI_TENSOR_CHUNK], *x = w->work == BNDI_WORDS_32 ? out->f32 : numbers;
    bndi_walk_stretch r;
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bndi_read_words(raw.bytes, w, at, n);
    bndi_scaled_decode(elements, raw.bytes, n, w->scaled);
    bndi_first_stretch(&r, w, at);
    for (size_t done = 0; done < n; bndi_next_stretch(&r, w)) {
        size_t m = r.length < n - done ? r.length : n - done;
        bndi_scaled_apply(x + done, elements + done, w->scaled, r.start, w->stride[w->rank - 1], m);
        done += m;
    }
    bndi_leave(before);
    if (w->work == BNDI_WORDS_64 && !widened(out, w, x, n)) {
        for (size_t i = 0; i < n; i++) {
            out->f64[i] = (double)x[i];
        }
    }
}

const void *bndi_read(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer)
{
    BNDI_VERIFY(n <= BNDI_TENSOR_CHUNK);
    if (w->scaled != NULL) {
        read_scaled(buffer, w, at, n);
        return buffer;
    }
    codes raw;
    bool numbers = holds_numbers(w);
    if (w->plain) {
        return bndi_plain_place(w, at);
    }
    if (read_floats(w, at, n, buffer)) {
        return buffer;
    }
    const unsigned char *place = codes_in_place(w, at);
    if (place != NULL && !numbers) {
        decode(buffer, w, place, n);
        return buffer;
    }
    bndi_read_words(numbers ? (unsigned char *)buffer : raw.bytes, w, at, n);
    if (w->integer) {
        numbers_of_integers(buffer, w, raw.bytes, n);
    } else if (!numbers && !(holds_floats(w) && widened(buffer, w, raw.floats, n))) {
        decode(buffer, w, raw.bytes, n);
    }
    return buffer;
}

void *bndi_walk_place(const bndi_walk *w, size_t at, bndi_numbers *buffer)
{
    return w->plain ? (void *)bndi_plain_place(w, at) : buffer;
}

/* To nearest, with no policy to ask. */
static bool asks_nothing(const bndi_store *how)
{
    static const bnd_rule nothing;
    return __builtin_memcmp(&how->rule, &nothing, sizeof nothing) == 0;
}

bool bndi_stores_simply(const bndi_store *how)
{
    return how->stats == NULL && asks_nothing(how);
}

/* ... or of NaNs only: what operations ask. */
static bool asks_of_nans(const bndi_store *how)
{
    static const bnd_rule of_operations = {.nan = BND_NAN_CANONICAL};
    return asks_nothing(how) || __builtin_memcmp(&how->rule, &of_operations, sizeof of_operations) == 0;
}

/* Is there nothing to do to numbers of the stored type, unless a NaN is among them? */
static bool may_stay(const bndi_walk *w, const bndi_store *how)
{
    return holds_numbers(w) && asks_of_nans(how);
}

bool bndi_stores_results(const bndi_walk *w, const bndi_store *how)
{
    return how->stats == NULL && may_stay(w, how);
}

/* The case of numbers that are stored unchanged and only counted. Returns false if anything else has to be done: what
 * was counted says whether there is a NaN, which is written anew. */
static bool count_numbers(const bndi_walk *w, const void *numbers, size_t n, const bndi_store *how)
{
    const bool only_counted = how->stats != NULL && may_stay(w, how);
    const bndi_ready *ready = only_counted ? bndi_conversion(w->engine, w->work, &w->format, how->rule) : NULL;
    bndi_tally tally;
    if (ready == NULL) {
        return false;
    }
    __builtin_memset(&tally, 0, sizeof tally);
    bnd_lab_ready_count(ready, &tally, numbers, numbers, n);
    if (tally.nans_in > 0 && !asks_nothing(how)) {
        return false;
    }
    bnd_lab_tally_add(how->stats, &tally);
    return true;
}

static bool as_they_are(const bndi_walk *w, const void *numbers, size_t n, const bndi_store *how)
{
    if (!bndi_stores_results(w, how)) {
        return false;
    }
    return asks_nothing(how) || (w->work == BNDI_WORDS_32 && bndi_maths_of(&w->engine->context)->no_nan(numbers, n));
}

static bool narrowed(float *floats, const bndi_walk *w, const void *numbers, size_t n, const bndi_store *how)
{
    if (!holds_floats(w) || how->stats != NULL || !asks_of_nans(how)) {
        return false;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bool done = bndi_maths_of(&w->engine->context)->narrow(floats, numbers, n);
    bndi_leave(before);
    return done;
}

/* Doubles stored as fp32, and counted: a conversion that vectors make in one instruction. False if there is a NaN, or
 * anything else has to be done. */
static bool count_narrowed(float *floats, const bndi_walk *w, const void *numbers, size_t n, const bndi_store *how)
{
    const bool counted = how->stats != NULL && holds_floats(w) && asks_of_nans(how);
    const bndi_ready *ready = counted ? bndi_conversion(w->engine, w->work, &w->format, how->rule) : NULL;
    double wide[BNDI_TENSOR_CHUNK];
    bndi_tally tally;
    bndi_store uncounted = *how;
    uncounted.stats = NULL;
    if (ready == NULL || !narrowed(floats, w, numbers, n, &uncounted)) {
        return false;
    }
    (void)bndi_maths_of(&w->engine->context)->widen(wide, floats, n);
    __builtin_memset(&tally, 0, sizeof tally);
    bnd_lab_ready_count(ready, &tally, numbers, wide, n);
    bnd_lab_tally_add(how->stats, &tally);
    return true;
}

/* False: where random bits, or statistics, or a format ask for a call of bulk's. */
static bool encoded(void *words, const bndi_walk *w, const void *numbers, size_t n, const bndi_store *how)
{
    const bndi_ready *ready = how->stats == NULL ? bndi_conversion(w->engine, w->work, &w->format, how->rule) : NULL;
    if (ready != NULL) {
        bnd_lab_ready_encode(ready, words, numbers, n);
    }
    return ready != NULL;
}

static void encode(void *words, const bndi_walk *w, size_t at, const void *numbers, size_t n, const bndi_store *how)
{
    bnd_array array = array_of(w);
    array.rule = how->rule;
    array.seed = how->seed;
    array.purpose = how->purpose;
    array.first = at;
    bnd_status status = w->work == BNDI_WORDS_32
                            ? bnd_encode_f32(words, numbers, n, &w->format, &array, how->stats, NULL)
                            : bnd_encode_f64(words, numbers, n, &w->format, &array, how->stats, NULL);
    BNDI_VERIFY(status == BND_OK); /* as above */
}

void bndi_write(const bndi_walk *w, size_t at, size_t n, const void *numbers, const bndi_store *how)
{
    codes raw;
    BNDI_VERIFY(n <= BNDI_TENSOR_CHUNK);
    const void *from = numbers;
    unsigned char *place = codes_in_place(w, at);
    bndi_store uncounted = *how;
    if (count_numbers(w, numbers, n, how)) {
        uncounted.stats = NULL;
        uncounted.rule = (bnd_rule){.rounding = BND_ROUND_RNE};
        how = &uncounted;
    }
    unsigned char *words = place != NULL ? place : raw.bytes;
    float *floats = (float *)(void *)words; /* used where the codes are fp32 */
    if (!as_they_are(w, numbers, n, how)) {
        if (!narrowed(floats, w, numbers, n, how) && !count_narrowed(floats, w, numbers, n, how) &&
            !encoded(words, w, numbers, n, how)) {
            encode(words, w, at, numbers, n, how);
        }
        if (place != NULL) {
            return;
        }
        from = raw.bytes;
    } else if (w->plain && numbers == bndi_plain_place(w, at)) {
        return;
    }
    bndi_write_codes(w, at, n, from);
}

/* ---- may threads? ---- */

/* Can a walk be read by a conversion that is here now, or without one? */
static bool has_decoder(const bndi_walk *w)
{
    const bnd_rule rule = {.nan = BND_NAN_PROPAGATE};
    return holds_numbers(w) || (!w->integer && bndi_conversion(w->engine, w->work, &w->format, rule) != NULL);
}

/* The same for writing. Counted codes need a call of bulk's, and no conversion; counted numbers do. */
static bool has_encoder(const bndi_walk *w, const bndi_store *how)
{
    const bool numbers = may_stay(w, how) || (holds_floats(w) && asks_of_nans(how));
    const bool calls = how->stats != NULL && !numbers;
    return (w->plain || codes_in_place(w, 0) != NULL) &&
           (calls || bndi_conversion(w->engine, w->work, &w->format, how->rule) != NULL);
}

bool bndi_threads_may(bnd_engine *engine, const bndi_walk *const *from, unsigned count, const bndi_walk *to,
                      const bndi_store *how)
{
    /* A conversion that is made may take the place of one that was here: until all are, those made last stay. */
    for (unsigned turn = 0; BNDI_HAS_THREADS && turn < BNDI_CONVERSIONS; turn++) {
        const unsigned next = engine->next_conversion;
        bool may = to == NULL || has_encoder(to, how);
        for (unsigned i = 0; may && i < count; i++) {
            may = has_decoder(from[i]);
        }
        if (!may || engine->next_conversion == next) {
            return may;
        }
    }
    return false;
}

/* ---- whole tensors ---- */

void bndi_read_into(void *numbers, const bndi_walk *w, size_t at, size_t n)
{
    const void *from = bndi_read(w, at, n, numbers);
    if (from != numbers) {
        __builtin_memcpy(numbers, from, n * bndi_work_size(w->work));
    }
}

typedef struct reading {
    bndi_walk walk;
    unsigned char *numbers;
} reading;

static void read_piece(void *of, size_t at, size_t n)
{
    const reading *r = of;
    bndi_read_into(r->numbers + at * bndi_work_size(r->walk.work), &r->walk, at, n);
}

void bndi_read_all(void *numbers, const bnd_tensor *t, bndi_width work)
{
    const size_t n = bndi_count(&t->shape);
    reading r = {.numbers = numbers};
    if (work == BNDI_WORDS_32 && bndi_scaled_read_all(numbers, t)) {
        return;
    }
    bndi_walk_open(&r.walk, t, &t->shape, work);
    const bool may = bndi_threads_may(t->engine, (const bndi_walk *const[]){&r.walk}, 1, NULL, NULL);
    bndi_each_piece(n, BNDI_TENSOR_CHUNK, may ? bndi_parts_of(t->engine, n) : 1, read_piece, &r);
}

bnd_status bndi_whole_open(bndi_whole *out, const bnd_tensor *t, bndi_width work, bnd_error *why)
{
    bndi_walk walk;
    size_t n = bndi_count(&t->shape), size = bndi_work_size(work);
    bndi_walk_open(&walk, t, &t->shape, work);
    if (walk.plain) {
        *out = (bndi_whole){.numbers = bndi_plain_place(&walk, 0), .copy = NULL};
        return BND_OK;
    }
    bndi_buffer *copy;
    bnd_status status = bndi_buffer_new(&copy, t->engine, BND_ROLE_SCRATCH, n * size, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_read_all(copy->data, t, work);
    *out = (bndi_whole){.numbers = copy->data, .copy = copy};
    return BND_OK;
}

void bndi_whole_close(bndi_whole *whole)
{
    bndi_buffer_release(whole->copy);
    whole->copy = NULL;
}
