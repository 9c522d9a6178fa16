/* Text: batches of windows of symbols, and files of them. A file is bytes (256 symbols), or tokens: .npy of any integer
 * type, .bin of uint16, or little-endian integers of the type that the training names. It is mapped, so it may be
 * larger than memory. Text of a tokenizer becomes tokens in memory. Every token is checked when the file is opened, so
 * that no step meets one outside the vocabulary.
 *
 * Training windows begin anywhere in the first nine tenths, validation windows in the last tenth (or the last window,
 * if that is more), so that the two share no token. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokens/tokenizer.h"

bnd_status bndi_text_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bndi_draw_batch *draw, bnd_error *why)
{
    const bnd_training *t = &run->training;
    const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_32);
    size_t context = t->context, n = t->batch * context, shape[] = {t->batch, context};
    bool fits = context < SIZE_MAX && t->batch < SIZE_MAX / sizeof(double) / 2 / (context + 1);
    double *x = fits ? malloc((2 * n + context + 1) * sizeof *x) : NULL;
    if (x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch of %zu with a context of %zu", t->batch, context);
    }
    double *y = x + n, *symbols = y + n;
    for (size_t row = 0; row < t->batch; row++) {
        draw(symbols, run, purpose, row);
        memcpy(x + row * context, symbols, context * sizeof *x);
        memcpy(y + row * context, symbols + 1, context * sizeof *y);
    }
    bnd_status status = bnd_tensor_from_f64(&out->x, run->engine, f, x, shape, 2, BND_ROLE_DATA, why);
    if (status == BND_OK) {
        status = bnd_tensor_from_f64(&out->y, run->engine, f, y, shape, 2, BND_ROLE_DATA, why);
    }
    free(x);
    out->x_is_whole = out->y_is_whole = true;
    return status;
}

/* ---- files ---- */

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

typedef struct integers {
    const char *name;
    uint8_t size;
    bool is_signed;
} integers;

static const integers types[] = {{"uint8", 1, false},  {"int16", 2, true}, {"uint16", 2, false}, {"int32", 4, true},
                                 {"uint32", 4, false}, {"int64", 8, true}, {"uint64", 8, false}};
enum { UINT8, INT16, UINT16, TYPES = sizeof types / sizeof types[0] };

/* A file of nothing but integers, the lowest byte first. */
static bnd_status load_integers(bnd_tensor **out, bnd_engine *engine, const char *path, const integers *type,
                                bnd_error *why)
{
    const uint8_t size = type->size;
    bnd_lab_mapped map;
    bndi_buffer *buffer;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_shape shape = {.rank = 1, .extent = {map.size / size}};
    if (map.size == 0 || map.size % size != 0) {
        status = map.size == 0 ? bnd_fail(why, BND_BAD_FILE, 0, "must not be empty")
                               : bnd_fail(why, BND_BAD_FILE, map.size,
                                          "has %zu bytes, which is not a multiple of %u, the bytes of a token",
                                          map.size, (unsigned)size);
        bnd_lab_map_close(&map);
        return status;
    }
    status = bndi_buffer_mapped(&buffer, engine, BND_ROLE_DATA, &map, 0, why);
    if (status != BND_OK) {
        bnd_lab_map_close(&map);
        return status;
    }
    buffer->integer = size;
    buffer->is_signed = type->is_signed;
    buffer->constant = true;
    return bndi_tensor_over(out, buffer, bnd_lab_format_of_words(BNDI_WORDS_32), &shape, why);
}

static bnd_status find_type(const integers **out, const char *path, const char *name, bnd_error *why)
{
    if (name[0] == '\0') {
        *out = &types[ends_with(path, ".bin") ? UINT16 : UINT8];
        return BND_OK;
    }
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *out = &types[i];
            return BND_OK;
        }
    }
    return bnd_fail(why, BND_BAD_NAME, 0,
                    "unknown data type '%s' (available: uint8, int16, uint16, int32, uint32, int64, uint64)", name);
}

/* The tokens of a text, in memory of the engine. */
static bnd_status hold_tokens(bnd_tensor **out, bnd_engine *engine, const uint32_t *ids, size_t count, bnd_error *why)
{
    bndi_shape shape = {.rank = 1, .extent = {count}};
    bndi_buffer *buffer;
    bnd_status status = bndi_buffer_new(&buffer, engine, BND_ROLE_DATA, count * sizeof *ids, false, why);
    if (status != BND_OK) {
        return status;
    }
    if (count > 0) {
        memcpy(buffer->data, ids, count * sizeof *ids);
    }
    buffer->integer = sizeof *ids;
    buffer->constant = true;
    return bndi_tensor_over(out, buffer, bnd_lab_format_of_words(BNDI_WORDS_32), &shape, why);
}

bool bnd_training_reads_text(const bnd_training *t)
{
    return t->data[0] != '\0' && t->data_type[0] == '\0' && !ends_with(t->data, ".npy") && !ends_with(t->data, ".bin");
}

/* NULL where the file is not text of a tokenizer. */
static bnd_status open_tokenizer(bndi_tokenizer **out, const bnd_training *t, bnd_error *why)
{
    if (t->tokenizer[0] == '\0') {
        *out = NULL;
        return BND_OK;
    }
    if (!bnd_training_reads_text(t)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: a tokenizer cannot be used with %s: such data are tokens, not text", t->data,
                        t->data_type[0] != '\0' ? "a data type" : ".npy or .bin");
    }
    return bndi_in_file(bndi_tokenizer_open(out, t->tokenizer, why), t->tokenizer, why);
}

static bnd_status load_text(bnd_tensor **out, bnd_run *run, const bndi_tokenizer *tokenizer, bnd_error *why)
{
    bnd_training *t = &run->training;
    bnd_lab_mapped map;
    uint32_t *ids = NULL;
    size_t count = 0;
    bnd_status status = bnd_lab_map_open(&map, t->data, why);
    if (status != BND_OK) {
        return status;
    }
    status = bndi_tokenizer_encode(&ids, &count, tokenizer, (const char *)map.bytes, map.size, why);
    bnd_lab_map_close(&map);
    if (status == BND_OK) {
        status = hold_tokens(out, run->engine, ids, count, why);
    }
    if (status == BND_OK && t->vocabulary == 0) {
        t->vocabulary = bndi_tokenizer_vocabulary(tokenizer);
    }
    free(ids);
    return status;
}

/* A .npy file of integers. Where it has several dimensions, its elements are read one after the other. */
static bnd_status load_array(bnd_tensor **out, bnd_engine *engine, const char *path, bnd_error *why)
{
    bnd_tensor *tokens;
    bnd_status status = bnd_tensor_load(&tokens, engine, path, NULL, BND_ROLE_DATA, why);
    if (status != BND_OK) {
        return status;
    }
    if (tokens->buffer->integer == 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "has %s numbers; tokens must be integers (in numpy x.astype('int32'))",
                          tokens->format.name);
        bnd_tensor_release(tokens);
        return status;
    }
    *out = tokens;
    return BND_OK;
}

static bnd_status load(bnd_tensor **out, bnd_run *run, const bndi_tokenizer *tokenizer, bnd_error *why)
{
    const char *path = run->training.data, *type_name = run->training.data_type;
    const integers *type = NULL;
    if (tokenizer != NULL) {
        return load_text(out, run, tokenizer, why);
    }
    if (ends_with(path, ".npy") && type_name[0] != '\0') {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a data type cannot be used with .npy, because the file states its own");
    }
    if (ends_with(path, ".npy")) {
        return load_array(out, run->engine, path, why);
    }
    bnd_status status = find_type(&type, path, type_name, why);
    return status == BND_OK ? load_integers(out, run->engine, path, type, why) : status;
}

/* Numbers of symbols are exact in fp32 up to here. */
enum { SYMBOLS_MOST = 1 << 24, USUAL_MOST = 1 << 18 };

static bnd_status refuse_token(size_t at, double x, size_t vocabulary, bnd_error *why)
{
    char number[32];
    snprintf(number, sizeof number, "%.17g", x);
    return bnd_fail(why, BND_BAD_FILE, at, "token %zu is %s; it must be a whole number from 0 to %zu", at, number,
                    vocabulary - 1);
}

/* The largest token, when all are whole numbers below `vocabulary`. */
static bnd_status look_at_all(double *largest, const bnd_tensor *tokens, size_t vocabulary, bnd_error *why)
{
    bndi_walk walk;
    bndi_numbers buffer;
    size_t count = bndi_count(&tokens->shape);
    double most = 0;
    bndi_walk_open(&walk, tokens, &tokens->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        size_t n = count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
        const double *x = bndi_read(&walk, at, n, &buffer);
        for (size_t i = 0; i < n; i++) {
            if (!(x[i] >= 0 && x[i] < (double)vocabulary && x[i] == (double)(uint32_t)x[i])) {
                return refuse_token(at + i, x[i], vocabulary, why);
            }
            most = x[i] > most ? x[i] : most;
        }
    }
    *largest = most;
    return BND_OK;
}

/* The vocabulary: the given size; else 256 for bytes; else the largest token plus one, as far as the file accounts for
 * it: published tokenizers have fewer than 2^18 tokens, and a larger vocabulary needs as many tokens in the file. */
static bnd_status find_vocabulary(bnd_run *run, bnd_error *why)
{
    bnd_training *t = &run->training;
    const bnd_tensor *tokens = run->source.tokens;
    bool bytes = tokens->buffer->integer == 1 && !tokens->buffer->is_signed;
    double largest = 255;
    if (t->vocabulary > SYMBOLS_MOST) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a vocabulary must have at most %d symbols", SYMBOLS_MOST);
    }
    bnd_status status = bytes && (t->vocabulary == 0 || t->vocabulary > 255)
                            ? BND_OK
                            : look_at_all(&largest, tokens, t->vocabulary != 0 ? t->vocabulary : SYMBOLS_MOST, why);
    const size_t n = (size_t)largest + 1, count = bndi_count(&tokens->shape);
    if (status == BND_OK && t->vocabulary == 0 && n > USUAL_MOST && n > count) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "its largest token is %zu, but it has only %zu tokens; if it is right, give the vocabulary",
                        n - 1, count);
    }
    if (status == BND_OK && t->vocabulary == 0) {
        t->vocabulary = n;
    }
    return status;
}

static bnd_status divide(bnd_run *run, bnd_error *why)
{
    size_t count = bndi_count(&run->source.tokens->shape), window = run->training.context + 1;
    if (run->training.context == 0 || count / 2 < window) {
        return bnd_fail(why, BND_BAD_FILE, count,
                        "has %zu tokens; a context of %zu needs at least %zu: one window for training and one for "
                        "validation, each with the token after it",
                        count, window - 1, 2 * window);
    }
    size_t validated = count / 10 > window ? count / 10 : window;
    run->source.learned = count - validated;
    return BND_OK;
}

/* How often each symbol occurs in what is learned from. */
static void count_symbols(size_t *counts, const bnd_run *run)
{
    const bnd_tensor *tokens = run->source.tokens;
    bndi_walk walk;
    bndi_numbers buffer;
    bndi_walk_open(&walk, tokens, &tokens->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < run->source.learned; at += BNDI_TENSOR_CHUNK) {
        size_t left = run->source.learned - at, n = left < BNDI_TENSOR_CHUNK ? left : BNDI_TENSOR_CHUNK;
        const double *x = bndi_read(&walk, at, n, &buffer);
        for (size_t i = 0; i < n; i++) {
            counts[(size_t)x[i]]++;
        }
    }
}

/* Chance level is a uniform guess among the symbols that occur; the unigram entropy is what their shares alone give. */
static bnd_status measure_levels(bnd_run *run, bnd_error *why)
{
    const size_t vocabulary = run->training.vocabulary;
    size_t *counts = calloc(vocabulary, sizeof *counts), symbols = 0;
    double entropy = 0;
    if (counts == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the counts of %zu symbols", vocabulary);
    }
    count_symbols(counts, run);
    for (size_t i = 0; i < vocabulary; i++) {
        double share = (double)counts[i] / (double)run->source.learned;
        symbols += counts[i] > 0;
        entropy -= share > 0 ? share * bndi_log_of(run, share) : 0;
    }
    free(counts);
    run->chance_loss = bndi_log_of(run, (double)symbols);
    run->unigram = entropy;
    return BND_OK;
}

static void draw_window(double *symbols, const bnd_run *run, uint64_t purpose, size_t row)
{
    const bndi_source *s = &run->source;
    size_t window = run->training.context + 1, start = bndi_window_start(run, purpose, row);
    bndi_walk walk;
    bndi_numbers buffer;
    bndi_walk_open(&walk, s->tokens, &s->tokens->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < window; at += BNDI_TENSOR_CHUNK) {
        size_t n = window - at < BNDI_TENSOR_CHUNK ? window - at : BNDI_TENSOR_CHUNK;
        memcpy(symbols + at, bndi_read(&walk, start + at, n, &buffer), n * sizeof *symbols);
    }
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return bndi_text_batch(out, run, purpose, draw_window, why);
}

bnd_status bndi_open_file(bnd_run *run, bnd_error *why)
{
    bndi_tokenizer *tokenizer;
    bnd_status status = open_tokenizer(&tokenizer, &run->training, why);
    if (status != BND_OK) {
        return status;
    }
    status = load(&run->source.tokens, run, tokenizer, why);
    bndi_tokenizer_free(tokenizer);
    run->source.batch = batch;
    status = status == BND_OK ? bndi_hash_of_file(&run->data_hash, run->training.data, true, why) : status;
    if (status == BND_OK && run->training.tokenizer[0] != '\0') {
        status = bndi_hash_of_file(&run->tokenizer_hash, run->training.tokenizer, false, why);
    }
    if (status == BND_OK) {
        status = divide(run, why);
    }
    if (status == BND_OK) {
        status = find_vocabulary(run, why);
    }
    if (status == BND_OK) {
        status = measure_levels(run, why);
    }
    return bndi_in_file(status, run->training.data, why);
}

uint64_t bnd_run_data_hash(const bnd_run *run)
{
    return run->data_hash;
}

uint64_t bnd_run_tokenizer_hash(const bnd_run *run)
{
    return run->tokenizer_hash;
}
