/* The header of a .gguf file. Strings are places in the file until all of them are known; then they are copied. */
#include "store/gguf.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static const bndi_gguf_type types[] = {
#define GGUF_TYPE(number, name, kind, elements, bytes, format)                                                         \
    {number, name, BNDI_GGUF_##kind, elements, bytes, format},
#include "store/gguf_types.def"
#undef GGUF_TYPE
};

const bndi_gguf_type *bndi_gguf_type_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].number == number) {
            return &types[i];
        }
    }
    return NULL;
}

/* The types of values; an array has a type and a count before its values. */
enum { UINT32 = 4, FLOAT32 = 6, BOOL = 7, STRING = 8, ARRAY = 9, FLOAT64 = 12 };
static const uint8_t value_sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* ---- bytes ---- */

typedef struct span {
    size_t at, length;
} span;

typedef struct pair {
    span key, value;
    bool is_text; /* the value is a string of UTF-8 */
} pair;

typedef struct reader {
    const unsigned char *bytes;
    size_t size, at;
    bndi_gguf file;
    pair *pairs;
    span *names; /* of the tensors */
    size_t pair_count, pair_room, tensor_room, name_room;
} reader;

static bnd_status no_memory(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the contents of its header");
}

static bnd_status read_number(reader *r, uint64_t *out, size_t bytes, const char *what, bnd_error *why)
{
    uint64_t value = 0;
    if (bytes > r->size - r->at) {
        return bnd_fail(why, BND_BAD_FILE, r->at, "is truncated: it ends within %s", what);
    }
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)r->bytes[r->at + i] << 8 * i;
    }
    r->at += bytes;
    *out = value;
    return BND_OK;
}

static bnd_status read_string(reader *r, span *out, const char *what, bnd_error *why)
{
    uint64_t length = 0;
    bnd_status status = read_number(r, &length, 8, what, why);
    if (status == BND_OK && length > r->size - r->at) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 8, "%s has %llu bytes; %zu are left in the file", what,
                        (unsigned long long)length, r->size - r->at);
    }
    if (status == BND_OK) {
        *out = (span){r->at, (size_t)length};
        r->at += (size_t)length;
    }
    return status;
}

static bool is_text(const reader *r, span s)
{
    const char *text = (const char *)r->bytes + s.at;
    return memchr(text, '\0', s.length) == NULL && bndi_is_utf8(text, s.length);
}

/* A count of things that have at least `least` bytes each. */
static bnd_status read_count(reader *r, uint64_t *out, size_t least, const char *what, bnd_error *why)
{
    bnd_status status = read_number(r, out, 8, what, why);
    if (status == BND_OK && *out > (r->size - r->at) / least) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 8, "%s is %llu, for which %zu bytes are too few", what,
                        (unsigned long long)*out, r->size - r->at);
    }
    return status;
}

/* Grows an array by one element if needed. */
static void *grown(void *array, size_t *room, size_t count, size_t size)
{
    size_t more = *room + *room / 2 + 16;
    if (count < *room) {
        return array;
    }
    void *moved = more <= SIZE_MAX / size ? realloc(array, more * size) : NULL;
    *room = moved != NULL ? more : *room;
    return moved;
}

/* ---- pairs ---- */

static bnd_status skip_array(reader *r, bnd_error *why)
{
    uint64_t type = 0, count = 0;
    bnd_status status = read_number(r, &type, 4, "the type of an array", why);
    if (status == BND_OK && (type >= sizeof value_sizes || type == ARRAY)) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 4, "an array has elements of the unknown type %llu",
                        (unsigned long long)type);
    }
    if (status == BND_OK) {
        status = read_count(r, &count, type == STRING ? 8 : value_sizes[type], "the length of an array", why);
    }
    if (status == BND_OK && type != STRING) {
        r->at += (size_t)count * value_sizes[type];
    }
    for (uint64_t i = 0; status == BND_OK && type == STRING && i < count; i++) {
        span ignored;
        status = read_string(r, &ignored, "a string of an array", why);
    }
    return status;
}

static bool is_key(const reader *r, span key, const char *name)
{
    return key.length == strlen(name) && memcmp(r->bytes + key.at, name, key.length) == 0;
}

static bnd_status read_alignment(reader *r, uint64_t type, bnd_error *why)
{
    uint64_t value = 0;
    size_t at = r->at;
    if (type != UINT32) {
        return bnd_fail(why, BND_BAD_FILE, at, "general.alignment must be an unsigned integer of 32 bits");
    }
    bnd_status status = read_number(r, &value, 4, "general.alignment", why);
    if (status == BND_OK && (value == 0 || (value & (value - 1)) != 0)) {
        return bnd_fail(why, BND_BAD_FILE, at, "general.alignment must be a power of two, got %llu",
                        (unsigned long long)value);
    }
    r->file.alignment = (uint32_t)value;
    return status;
}

static bnd_status read_value(reader *r, pair *p, bnd_error *why)
{
    uint64_t type = 0, number = 0;
    bnd_status status = read_number(r, &type, 4, "the type of a value", why);
    if (status != BND_OK) {
        return status;
    }
    if (type >= sizeof value_sizes) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 4, "a value has the unknown type %llu", (unsigned long long)type);
    }
    if (is_key(r, p->key, "general.alignment")) {
        return read_alignment(r, type, why);
    }
    if (type == STRING) {
        status = read_string(r, &p->value, "a value", why);
        p->is_text = status == BND_OK && is_text(r, p->value);
        return status;
    }
    if (type == ARRAY) {
        return skip_array(r, why);
    }
    status = read_number(r, &number, value_sizes[type], "a value", why);
    if (status == BND_OK && is_key(r, p->key, "split.count") && type != FLOAT32 && type != BOOL && type != FLOAT64) {
        r->file.parts = number;
    }
    return status;
}

static bnd_status read_pair(reader *r, bnd_error *why)
{
    pair *pairs = grown(r->pairs, &r->pair_room, r->pair_count, sizeof *pairs);
    if (pairs == NULL) {
        return no_memory(why);
    }
    r->pairs = pairs;
    pair p = {.is_text = false};
    bnd_status status = read_string(r, &p.key, "a key", why);
    if (status == BND_OK && (p.key.length == 0 || !is_text(r, p.key))) {
        return bnd_fail(why, BND_BAD_FILE, p.key.at, "a key must be a text of UTF-8");
    }
    if (status == BND_OK) {
        status = read_value(r, &p, why);
    }
    if (status == BND_OK) {
        pairs[r->pair_count++] = p;
    }
    return status;
}

/* ---- tensors ---- */

static bnd_status of_tensor(const reader *r, span name, bnd_status status, bnd_error *why)
{
    enum { SHOWN = 80 };
    if (status != BND_BAD_FILE || why == NULL) {
        return status;
    }
    bnd_error inner = *why;
    const bool cut = name.length > SHOWN;
    int length = cut ? SHOWN : (int)name.length;
    const char *text = (const char *)r->bytes + name.at;
    for (; cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--) {
    }
    bnd_fail(why, status, inner.where, "tensor '%.*s%s': %s", length, text, cut ? "..." : "", inner.message);
    for (char *c = why->message; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    }
    return status;
}

static bnd_status read_shape(reader *r, bndi_gguf_tensor *t, bnd_error *why)
{
    uint64_t rank = 0;
    bnd_status status = read_number(r, &rank, 4, "the number of dimensions", why);
    if (status == BND_OK && (rank == 0 || rank > BNDI_GGUF_RANK_MAX)) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 4, "it must have 1 to %d dimensions, got %llu",
                        (int)BNDI_GGUF_RANK_MAX, (unsigned long long)rank);
    }
    t->rank = (size_t)rank;
    for (size_t i = 0; status == BND_OK && i < t->rank; i++) {
        status = read_number(r, &t->shape[t->rank - 1 - i], 8, "a shape", why);
        if (status == BND_OK && t->shape[t->rank - 1 - i] == 0) {
            return bnd_fail(why, BND_BAD_FILE, r->at - 8, "a dimension must not be 0");
        }
    }
    return status;
}

static bnd_status read_type(reader *r, bndi_gguf_tensor *t, bnd_error *why)
{
    uint64_t number = 0;
    bnd_status status = read_number(r, &number, 4, "a type", why);
    if (status != BND_OK) {
        return status;
    }
    t->type = bndi_gguf_type_of((uint32_t)number);
    if (t->type == NULL) {
        return bnd_fail(why, BND_BAD_FILE, r->at - 4, "unknown type %llu", (unsigned long long)number);
    }
    if (!bndi_count_elements(&t->count, t->shape, t->rank, (uint64_t)INT64_MAX / t->type->bytes)) {
        return bnd_fail(why, BND_BAD_FILE, r->at, "its shape has more elements than a file can hold");
    }
    if (t->shape[t->rank - 1] % t->type->elements != 0) {
        return bnd_fail(why, BND_BAD_FILE, r->at, "its rows have %llu elements, not a multiple of the %u of a %s block",
                        (unsigned long long)t->shape[t->rank - 1], (unsigned)t->type->elements, t->type->name);
    }
    t->size = t->count / t->type->elements * t->type->bytes;
    return BND_OK;
}

static bnd_status read_tensor(reader *r, bnd_error *why)
{
    bndi_gguf_tensor *tensors = grown(r->file.tensors, &r->tensor_room, r->file.count, sizeof *tensors);
    r->file.tensors = tensors != NULL ? tensors : r->file.tensors;
    span *names = grown(r->names, &r->name_room, r->file.count, sizeof *names);
    r->names = names != NULL ? names : r->names;
    if (tensors == NULL || names == NULL) {
        return no_memory(why);
    }
    bndi_gguf_tensor t = {.name = NULL};
    span name;
    bnd_status status = read_string(r, &name, "the name of a tensor", why);
    if (status != BND_OK) {
        return status;
    }
    if (!is_text(r, name)) {
        return bnd_fail(why, BND_BAD_FILE, name.at, "the name of a tensor must be a text of UTF-8");
    }
    status = read_shape(r, &t, why);
    if (status == BND_OK) {
        status = read_type(r, &t, why);
    }
    if (status == BND_OK) {
        status = read_number(r, &t.offset, 8, "an offset", why);
    }
    if (status == BND_OK) {
        names[r->file.count] = name;
        tensors[r->file.count++] = t;
    }
    return of_tensor(r, name, status, why);
}

/* ---- data ---- */

static uint64_t padded(uint64_t at, uint32_t alignment)
{
    return (at + alignment - 1) / alignment * alignment;
}

/* Each tensor begins where the one before ends, but for the alignment. Sizes are below 2^63. */
static bnd_status place_data(reader *r, bnd_error *why)
{
    uint64_t begin = padded(r->at, r->file.alignment), next = 0, most = r->size >= begin ? r->size - begin : 0;
    for (size_t i = 0; i < r->file.count; i++) {
        bndi_gguf_tensor *t = &r->file.tensors[i];
        bnd_status status = BND_OK;
        if (t->offset != next) {
            status = bnd_fail(why, BND_BAD_FILE, r->at, "its data must begin at byte %llu of the data, got %llu",
                              (unsigned long long)next, (unsigned long long)t->offset);
        } else if (next > most || t->size > most - next || r->size < begin) {
            status = bnd_fail(why, BND_BAD_FILE, r->at, "the file is truncated: it needs %llu bytes, %llu are left",
                              (unsigned long long)t->size, (unsigned long long)(next < most ? most - next : 0));
        }
        if (status != BND_OK) {
            return of_tensor(r, r->names[i], status, why);
        }
        t->offset += begin;
        next = padded(next + t->size, r->file.alignment);
    }
    return BND_OK;
}

/* ---- texts ---- */

static const char *copy(char **to, const reader *r, span s)
{
    char *text = *to;
    memcpy(text, r->bytes + s.at, s.length);
    text[s.length] = '\0';
    *to += s.length + 1;
    return text;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const bnd_safetensors_pair *)a)->key, ((const bnd_safetensors_pair *)b)->key);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every string has eight bytes of length in front, so copies with a 0 byte need no more than the header. */
static bnd_status copy_texts(reader *r, bnd_error *why)
{
    bndi_gguf *file = &r->file;
    file->memory = malloc(r->at);
    file->strings = malloc((r->pair_count + 1) * sizeof *file->strings);
    if (file->memory == NULL || file->strings == NULL) {
        return no_memory(why);
    }
    char *to = file->memory;
    for (size_t i = 0; i < file->count; i++) {
        file->tensors[i].name = copy(&to, r, r->names[i]);
    }
    for (size_t i = 0; i < r->pair_count; i++) {
        bnd_safetensors_pair *text = &file->strings[i];
        text->key = copy(&to, r, r->pairs[i].key);
        text->value = r->pairs[i].is_text ? copy(&to, r, r->pairs[i].value) : NULL;
    }
    qsort(file->strings, r->pair_count, sizeof *file->strings, by_key);
    for (size_t i = 0; i < r->pair_count; i++) {
        if (i > 0 && strcmp(file->strings[i - 1].key, file->strings[i].key) == 0) {
            return bnd_fail(why, BND_BAD_FILE, 0, "a key is there twice");
        }
    }
    for (size_t i = 0; i < r->pair_count; i++) {
        if (file->strings[i].value != NULL) {
            file->strings[file->string_count++] = file->strings[i];
        }
    }
    return BND_OK;
}

static bnd_status check_names(const reader *r, bnd_error *why)
{
    const bndi_gguf *file = &r->file;
    const char **names = malloc((file->count + 1) * sizeof *names);
    bnd_status status = names != NULL ? BND_OK : no_memory(why);
    for (size_t i = 0; status == BND_OK && i < file->count; i++) {
        names[i] = file->tensors[i].name;
    }
    if (status == BND_OK && file->count > 0) {
        qsort(names, file->count, sizeof *names, by_text);
    }
    for (size_t i = 1; status == BND_OK && i < file->count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "two tensors have one name");
        }
    }
    free(names);
    return status;
}

/* ---- files ---- */

enum { MAGIC = 4 };

bool bndi_gguf_begins(const void *bytes, size_t length)
{
    return length >= MAGIC && memcmp(bytes, "GGUF", MAGIC) == 0;
}

static bnd_status read_start(reader *r, uint64_t *tensors, uint64_t *pairs, bnd_error *why)
{
    enum { LEAST_PAIR = 8 + 1 + 4 + 1, LEAST_TENSOR = 8 + 4 + 8 + 4 + 8 };
    uint64_t version = 0;
    if (!bndi_gguf_begins(r->bytes, r->size)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is not a .gguf file: it must begin with GGUF");
    }
    r->at = MAGIC;
    bnd_status status = read_number(r, &version, 4, "its version", why);
    if (status != BND_OK) {
        return status;
    }
    if (version != 2 && version != 3) {
        bool swapped = (version & 0xffff) == 0 && version != 0;
        return bnd_fail(why, BND_BAD_FILE, MAGIC, "must be of version 2 or 3%s, got %llu",
                        swapped ? " and little-endian" : "", (unsigned long long)version);
    }
    r->file.version = (uint32_t)version;
    status = read_count(r, tensors, LEAST_TENSOR, "its number of tensors", why);
    return status == BND_OK ? read_count(r, pairs, LEAST_PAIR, "its number of pairs", why) : status;
}

static bnd_status read_file(reader *r, bnd_error *why)
{
    uint64_t tensors = 0, pairs = 0;
    bnd_status status = read_start(r, &tensors, &pairs, why);
    for (uint64_t i = 0; status == BND_OK && i < pairs; i++) {
        status = read_pair(r, why);
    }
    for (uint64_t i = 0; status == BND_OK && i < tensors; i++) {
        status = read_tensor(r, why);
    }
    if (status == BND_OK) {
        status = place_data(r, why);
    }
    if (status == BND_OK) {
        status = copy_texts(r, why);
    }
    return status == BND_OK ? check_names(r, why) : status;
}

bnd_status bndi_gguf_read(bndi_gguf *out, const unsigned char *bytes, size_t size, bnd_error *why)
{
    enum { ALIGNMENT = 32 };
    reader r = {.bytes = bytes, .size = size, .file = {.alignment = ALIGNMENT}};
    bnd_status status = read_file(&r, why);
    free(r.pairs);
    free(r.names);
    if (status == BND_OK) {
        *out = r.file;
    } else {
        bndi_gguf_free(&r.file);
    }
    return status;
}

void bndi_gguf_free(bndi_gguf *file)
{
    free(file->tensors);
    free(file->strings);
    free(file->memory);
    *file = (bndi_gguf){.version = 0};
}
