/* Tensors in .safetensors files: writes many named tensors to a file, and reads one into an existing tensor.
 *
 * Codes of a format without a dtype of its own, and codes with fewer bits than their bytes, are stored as unsigned
 * words, and tf32 as fp32. The metadata name the format under binade.format.NAME. For numbers that share scales the
 * codes are stored as bytes and the scales as NAME.scales; binade.scaling.NAME describes the scaling. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "base/verify.h"
#include "base/base.h"
#include "store/store.h"
#include "tensor/engine.h"
#include "tensor/files.h"
#include "tensor/reader.h"
#include "tensor/scaled.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#define FORMAT_KEY  "binade.format."
#define SCALING_KEY "binade.scaling."
#define SCALES      ".scales"

/* An array that belongs to no tensor, as consecutive codes of one format. */
static bndi_walk walk_over(const unsigned char *data, size_t n, const bnd_format *f, bnd_packing packing)
{
    return (bndi_walk){.format = *f,
                       .storage = bnd_lab_storage_of(f, (uint8_t)packing),
                       .data = (unsigned char *)(uintptr_t)data, /* who reads does not write */
                       .rank = 1,
                       .extent = {n},
                       .stride = {1},
                       .work = BNDI_WORDS_64};
}

/* ---- into a file ---- */

typedef struct saving {
    const bnd_tensor **tensors; /* of each array; NULL where it is bytes */
    bnd_safetensor *entries;
    size_t count;
    bnd_safetensors_pair *metadata;
    size_t pairs;
    bool summed;       /* with a checksum */
    uint64_t *extents; /* BND_TENSOR_RANK_MAX for each */
    char *keys;        /* the texts of our own */
} saving;

/* The texts one behind the other, among those of the file. */
static const char *join(saving *s, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b) + 1;
    char *text = s->keys;
    memcpy(text, a, n);
    memcpy(text + n, b, m);
    s->keys += n + m;
    return text;
}

static void add_bytes(saving *s, const char *name, const bndi_buffer *bytes)
{
    uint64_t *extent = s->extents + s->count * BND_TENSOR_RANK_MAX;
    *extent = bytes->bytes;
    s->entries[s->count++] =
        (bnd_safetensor){.name = name, .dtype = "U8", .rank = 1, .shape = extent, .data = bytes->data};
}

static void add_scaled(saving *s, const char *name, const bndi_buffer *buffer)
{
    char text[BNDI_SCALED_TEXT];
    bndi_scaled_text(text, buffer->scaled);
    const char *key = join(s, SCALING_KEY, name), *value = join(s, text, "");
    s->metadata[s->pairs++] = (bnd_safetensors_pair){key, value};
    add_bytes(s, name, buffer);
    add_bytes(s, join(s, name, SCALES), buffer->scaled->scales);
}

static bool ends_within_a_byte(const bnd_format *f, size_t n)
{
    return n % 8 * bnd_lab_storage_of(f, BND_PACKING_PACKED).bits % 8 != 0;
}

/* All numbers of a buffer that share scales: they stand as they are kept. */
static bool stands_scaled(const bnd_tensor *t)
{
    bool whole = bnd_tensor_is_contiguous(t) && t->offset == 0;
    return t->buffer->scaled != NULL && whole && bndi_count(&t->shape) == t->buffer->scaled->count;
}

/* Is there no dtype for the format, or none that ends where the array does? */
static bool has_no_dtype(const bnd_tensor *t)
{
    return bnd_safetensors_dtype(&t->format)[0] == '\0' || ends_within_a_byte(&t->format, bndi_count(&t->shape));
}

const char *bndi_tensor_dtype(const bnd_tensor *t)
{
    static const char *const words[] = {"", "U8", "U16", "", "U32", "", "", "", "U64"};
    const bnd_format *f = &t->format;
    if (stands_scaled(t)) {
        return words[1];
    }
    if (has_no_dtype(t)) {
        return bnd_npy_packing(f) == BND_PACKING_PACKED
                   ? "F32"
                   : words[bnd_codes_size(f, 1, BND_PACKING_UNPACKED)]; /* F32: tf32 */
    }
    return bnd_safetensors_dtype(f);
}

static bnd_status describe(saving *s, const bnd_named_tensor *named, bnd_error *why)
{
    const bnd_tensor *t = named->tensor;
    uint64_t *extents = s->extents + s->count * BND_TENSOR_RANK_MAX;
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    const bnd_format *f = &t->format;
    if (stands_scaled(t)) {
        add_scaled(s, named->name, t->buffer);
        return BND_OK;
    }
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\": %s is a value set and has no codes", named->name,
                        f->name);
    }
    if (has_no_dtype(t)) {
        s->metadata[s->pairs++] = (bnd_safetensors_pair){join(s, FORMAT_KEY, named->name), f->name};
    }
    for (size_t k = 0; k < t->shape.rank; k++) {
        extents[k] = t->shape.extent[k];
    }
    s->tensors[s->count] = t;
    s->entries[s->count++] = (bnd_safetensor){.name = named->name,
                                              .dtype = bndi_tensor_dtype(t),
                                              .rank = t->shape.rank,
                                              .shape = extents,
                                              .data = t->buffer->data};
    return BND_OK;
}

/* Codes that share bytes, a chunk at a time: it fills whole bytes, as the array does. */
static bnd_status write_packed(const bnd_lab_output *file, const bnd_tensor *t, bnd_error *why)
{
    bndi_walk from;
    bndi_numbers words;
    unsigned char bytes[BNDI_TENSOR_CHUNK];
    size_t n = bndi_count(&t->shape);
    bnd_status status = BND_OK;
    bndi_walk_open(&from, t, &t->shape, BNDI_WORDS_32);
    for (size_t at = 0; status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const bndi_walk to = walk_over(bytes, m, &t->format, BND_PACKING_PACKED);
        bndi_write_codes(&to, 0, m, bndi_read_codes(&from, at, m, &words));
        status = bnd_lab_output_write(file, bytes, m * to.storage.bits / 8, why);
    }
    return status;
}

static bnd_status write_array(const bnd_lab_output *file, const bnd_safetensor *entry, size_t index, void *context,
                              bnd_error *why)
{
    const bnd_tensor *t = ((const saving *)context)->tensors[index];
    if (t == NULL) {
        return bnd_lab_output_write(file, entry->data, (size_t)entry->size, why);
    }
    return entry->bits % 8 == 0 ? bndi_write_elements(file, t, entry->bits / 8, why) : write_packed(file, t, why);
}

static bnd_status save_with(saving *s, const char *path, const bnd_named_tensor *tensors, size_t count, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        status = describe(s, &tensors[i], why);
    }
    if (status != BND_OK) {
        return status;
    }
    return s->summed
               ? bndi_safetensors_save_summed(path, s->entries, s->count, s->metadata, s->pairs, write_array, s, why)
               : bndi_safetensors_save(path, s->entries, s->count, s->metadata, s->pairs, write_array, s, why);
}

static bnd_status save_all(const char *path, const bnd_named_tensor *tensors, size_t count,
                           const bnd_safetensors_pair *metadata, size_t pairs, bool summed, bnd_error *why)
{
    saving s = {.pairs = pairs, .summed = summed};
    size_t room = 1, arrays = 2 * count + 1; /* what shares scales has two */
    for (size_t i = 0; i < count; i++) {
        room += sizeof SCALING_KEY + sizeof SCALES + BNDI_SCALED_TEXT + 2 * strlen(tensors[i].name);
    }
    char *keys = malloc(room);
    s.tensors = calloc(arrays, sizeof *s.tensors);
    s.entries = calloc(arrays, sizeof *s.entries);
    s.metadata = calloc(pairs + arrays, sizeof *s.metadata);
    s.extents = calloc(arrays, BND_TENSOR_RANK_MAX * sizeof *s.extents);
    s.keys = keys;
    bnd_status status = BND_OK;
    if (s.tensors == NULL || s.entries == NULL || s.metadata == NULL || s.extents == NULL || keys == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", count);
    } else {
        if (pairs > 0) {
            memcpy(s.metadata, metadata, pairs * sizeof *metadata);
        }
        status = save_with(&s, path, tensors, count, why);
    }
    free(s.tensors);
    free(s.entries);
    free(s.metadata);
    free(s.extents);
    free(keys);
    return status;
}

bnd_status bnd_tensor_save_all(const char *path, const bnd_named_tensor *tensors, size_t count,
                               const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why)
{
    return save_all(path, tensors, count, metadata, pairs, false, why);
}

bnd_status bndi_tensor_save_summed(const char *path, const bnd_named_tensor *tensors, size_t count,
                                   const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why)
{
    return save_all(path, tensors, count, metadata, pairs, true, why);
}

/* ---- out of a file ---- */

/* What the elements of an array are. */
typedef struct elements {
    bnd_format format; /* of codes, */
    bnd_packing packing;
    bool integers; /* which these are not */
} elements;

static bnd_status find_entry(const bnd_safetensor **out, const bnd_safetensors *file, const char *name, bnd_error *why)
{
    const bnd_safetensor *entry = bnd_safetensors_find(file, name);
    if (entry != NULL) {
        *out = entry;
        return BND_OK;
    }
    bndi_nearest nearest = bndi_nearest_to(name, strlen(name));
    for (size_t i = 0; i < bnd_safetensors_count(file); i++) {
        const char *other = bnd_safetensors_at(file, i)->name;
        bndi_nearest_offer(&nearest, other, strlen(other));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "the file has no tensor", NULL);
}

static bnd_status check_shape(const bnd_tensor *t, const bnd_safetensor *entry, bnd_error *why)
{
    char here[BNDI_SHAPE_TEXT], there[BNDI_SHAPE_TEXT];
    bndi_shape shape = {.rank = entry->rank};
    if (entry->rank > BND_TENSOR_RANK_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\" has %zu dimensions in the file; the limit is %d",
                        entry->name, entry->rank, BND_TENSOR_RANK_MAX);
    }
    for (size_t i = 0; i < shape.rank; i++) {
        shape.extent[i] = (size_t)entry->shape[i];
    }
    return bndi_same_shape(&shape, &t->shape)
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\" has the shape %s in the file; expected %s",
                          entry->name, bndi_shape_text(there, &shape), bndi_shape_text(here, &t->shape));
}

/* The pair of the metadata whose key is the prefix and the name, without a key being made. */
static const char *said(const bnd_safetensors *file, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    size_t low = 0, high = bnd_safetensors_metadata_count(file);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const bnd_safetensors_pair *pair = bnd_safetensors_metadata_at(file, middle);
        int order = strncmp(pair->key, prefix, length);
        order = order == 0 ? strcmp(pair->key + length, name) : order;
        if (order == 0) {
            return pair->value;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

static bnd_status find_elements(elements *out, const bnd_safetensors *file, const bnd_safetensor *entry, bnd_error *why)
{
    const char *name = said(file, FORMAT_KEY, entry->name);
    *out = (elements){.packing = BND_PACKING_PACKED};
    if (name == NULL) {
        out->integers = entry->kind == BND_SAFETENSORS_UNSIGNED || entry->kind == BND_SAFETENSORS_SIGNED;
        return out->integers ? BND_OK : bnd_safetensors_format(&out->format, entry, why);
    }
    bnd_status status = bnd_format_parse(&out->format, name, why);
    if (status != BND_OK) {
        return status;
    }
    out->packing = bnd_npy_packing(&out->format);
    bool words = entry->kind == BND_SAFETENSORS_UNSIGNED || out->packing == BND_PACKING_PACKED;
    if (out->format.width == 0 || !words || bnd_codes_size(&out->format, 1, out->packing) * 8 != entry->bits) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "tensor \"%s\": its dtype %s cannot hold codes of %s, the format in the metadata", entry->name,
                        entry->dtype, out->format.name);
    }
    return BND_OK;
}

static void load_integers(bnd_tensor *t, const bnd_safetensor *entry, bnd_rule rule)
{
    bndi_walk to, from;
    bndi_numbers buffer;
    bndi_width work = entry->bits <= 16 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    size_t n = bndi_count(&t->shape);
    const bndi_store how = bndi_store_given(t->engine, rule);
    bndi_walk_open(&to, t, &t->shape, work);
    from = walk_over(entry->data, n, bnd_lab_format_of_words(work), BND_PACKING_PACKED);
    from.storage = (bndi_storage){.bits = entry->bits};
    from.work = work;
    from.integer = true;
    from.is_signed = entry->kind == BND_SAFETENSORS_SIGNED;
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        bndi_write(&to, at, m, bndi_read(&from, at, m, &buffer), &how);
    }
}

/* Codes of the same format as they are; all others with one rounding. */
static void load_codes(bnd_tensor *t, const bnd_safetensor *entry, const elements *e, bnd_rule rule)
{
    bndi_walk to;
    bndi_numbers words, rounded;
    size_t n = bndi_count(&t->shape);
    bool same = bnd_format_same(&t->format, &e->format);
    const bndi_store numbered = bndi_store_given(t->engine, rule);
    const bndi_walk from = walk_over(entry->data, n, &e->format, e->packing);
    bndi_walk_open(&to, t, &t->shape, BNDI_WORDS_64);
    bnd_array how = {.context = &t->engine->context,
                     .rule = rule,
                     .seed = numbered.seed,
                     .purpose = numbered.purpose,
                     .packing_in = from.storage.packed ? BND_PACKING_UNPACKED : (uint8_t)e->packing,
                     .packing_out = to.storage.packed ? BND_PACKING_UNPACKED : BND_PACKING_PACKED};
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const void *codes = bndi_read_codes(&from, at, m, &words);
        if (!same) {
            how.first = at;
            bnd_status status = bnd_convert_codes(&rounded, &t->format, codes, &e->format, m, &how, NULL, NULL);
            BNDI_VERIFY(status == BND_OK); /* both have codes, and a chunk fits; the rule was checked */
            codes = &rounded;
        }
        bndi_write_codes(&to, at, m, codes);
    }
}

/* Everything that can be refused, before anything is written. */
static bnd_status check_loading(const bnd_tensor *t, const bnd_safetensor *entry, const elements *e, bnd_rule rule,
                                bnd_error *why)
{
    const bnd_array how = {.rule = rule, .packing_in = (uint8_t)e->packing};
    uint64_t code = 0;
    bnd_status status = bndi_check_writable(t, why);
    if (status == BND_OK) {
        status = check_shape(t, entry, why);
    }
    if (status == BND_OK && !e->integers) {
        status = bnd_codes_check(entry->data, (size_t)entry->count, &e->format, &how, why);
    }
    return status == BND_OK ? bnd_convert_codes(&code, &t->format, &code, &t->format, 0, &how, NULL, why) : status;
}

/* Numbers that share scales, into a tensor that shares them in the same way. */
static bnd_status load_scaled(bnd_tensor *t, const bnd_safetensors *file, const bnd_safetensor *codes, const char *how,
                              bnd_error *why)
{
    const bndi_scaled *s = t->buffer->scaled;
    const size_t size = strlen(codes->name) + sizeof SCALES;
    char text[BNDI_SCALED_TEXT] = "none", *name = malloc(size);
    const bnd_safetensor *scales = NULL;
    if (name == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a tensor");
    }
    snprintf(name, size, "%s" SCALES, codes->name);
    bnd_status status = find_entry(&scales, file, name, why);
    free(name);
    if (s != NULL) {
        bndi_scaled_text(text, s);
    }
    if (status == BND_OK && s == NULL) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\" has scales in the file, and has none in this run",
                          codes->name);
    }
    if (status == BND_OK && strcmp(text, how) != 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\": its scaling is %.*s in the file; expected %s",
                          codes->name, (int)strnlen(how, sizeof text), how, text);
    }
    if (status == BND_OK && (codes->size != t->buffer->bytes || scales->size != s->scales->bytes)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "tensor \"%s\" has %llu bytes of codes and %llu of scales in the file; expected %zu and %zu",
                          codes->name, (unsigned long long)codes->size, (unsigned long long)scales->size,
                          t->buffer->bytes, s->scales->bytes);
    }
    if (status == BND_OK) {
        memcpy(t->buffer->data, codes->data, t->buffer->bytes);
        memcpy(s->scales->data, scales->data, s->scales->bytes);
        t->buffer->version++;
    }
    return status;
}

static bnd_status load_numbers(bnd_tensor *t, const bnd_safetensors *file, const bnd_safetensor *entry, bnd_rule rule,
                               bnd_error *why)
{
    elements e = {.integers = false};
    bnd_status status = find_elements(&e, file, entry, why);
    if (status == BND_OK) {
        status = check_loading(t, entry, &e, rule, why);
    }
    if (status != BND_OK) {
        return status;
    }
    if (e.integers) {
        load_integers(t, entry, rule);
    } else {
        load_codes(t, entry, &e, rule);
    }
    t->buffer->version++;
    return BND_OK;
}

bnd_status bnd_tensor_load_into(bnd_tensor *t, const bnd_safetensors *file, const char *name, bnd_rule rule,
                                bnd_error *why)
{
    const bnd_safetensor *entry = NULL;
    bndi_buffer *kept;
    bnd_status status = bndi_check_tensor(t, why);
    status = status == BND_OK ? find_entry(&entry, file, name, why) : status;
    if (status == BND_OK && t->buffer->scaled != NULL && !bndi_scaled_is_whole(t)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "tensor \"%s\": a part of a tensor that shares scales cannot be loaded; load the whole of it",
                          entry->name);
    }
    const char *how = status == BND_OK ? said(file, SCALING_KEY, entry->name) : NULL;
    if (status != BND_OK || how != NULL) {
        return status != BND_OK ? status : load_scaled(t, file, entry, how, why);
    }
    status = bndi_thaw(t, &kept, why); /* what shares scales is stored once it is there */
    if (status != BND_OK) {
        return status;
    }
    status = load_numbers(t, file, entry, rule, why);
    if (status == BND_OK) {
        bndi_freeze(t, kept, kept != NULL ? kept->role : BND_ROLE_PARAM);
    } else if (kept != NULL) {
        bndi_buffer_release(t->buffer);
        t->buffer = kept;
    }
    return status;
}
