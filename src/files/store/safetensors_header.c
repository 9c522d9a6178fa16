/* The header of a .safetensors file: an object with a member for each array, and __metadata__. It is read member by
 * member, and each member's jansson tree is freed before the next. The parsed header takes far less memory than a
 * tree of the whole would (json.h). */
#include "store/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* The text of an array's dtype, shape and offsets: 66 numbers of 20 digits have less than 2 KiB. */
enum { ENTRY_MAX = 1 << 16, MEMBERS = 3 };

typedef struct reader {
    const bndi_json_text *header;
    bnd_safetensors *file;
    const unsigned char *data;
    uint64_t data_size;
    bool has_metadata;
} reader;

/* Grows the array by one element if needed. On failure returns NULL and leaves the array unchanged. */
static void *grown(void *array, size_t *room, size_t needed, size_t size)
{
    size_t more = *room + *room / 2 < needed ? needed + 4 : *room + *room / 2;
    if (needed <= *room) {
        return array;
    }
    void *moved = more <= SIZE_MAX / size ? realloc(array, more * size) : NULL;
    *room = moved != NULL ? more : *room;
    return moved;
}

static bnd_status no_memory(const reader *r, bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the contents of a header of %zu bytes", r->header->length);
}

/* `tensor "name": ` before the message. The name as the header has it: control characters stand in escapes there. */
static bnd_status of_tensor(const reader *r, bndi_json_span key, bnd_status status, bnd_error *why)
{
    enum { SHOWN = 80 };
    if (status != BND_BAD_FILE || why == NULL) {
        return status;
    }
    bnd_error inner = *why;
    size_t length = key.to - key.from;
    const char *name = r->header->bytes + key.from;
    bool cut = length > SHOWN;
    for (length = cut ? SHOWN : length; cut && ((unsigned char)name[length] & 0xc0) == 0x80; length--) {
    }
    return bnd_fail(why, status, inner.where > key.from ? inner.where : key.from, "tensor %.*s%s: %s", (int)length,
                    name, cut ? "...\"" : "", inner.message);
}

void bnd_safetensors_free(bnd_safetensors *file)
{
    if (file != NULL) {
        bnd_lab_map_close(&file->map);
        free(file->entries);
        free(file->by_name);
        free(file->pairs);
        free(file->extents);
        free(file->strings);
        free(file);
    }
}

/* ---- texts ---- */

/* A decoded text with its 0 byte is not longer than the text with its quotes, so the buffer has room for all texts. */
static bnd_status keep_text(reader *r, const char **out, bndi_json_span part, bnd_error *why)
{
    size_t length;
    char *text = r->file->strings + r->file->string_bytes;
    bnd_status status = bndi_json_string(text, &length, r->header, part, why);
    if (status == BND_OK) {
        *out = text;
        r->file->string_bytes += length + 1;
    }
    return status;
}

/* ---- __metadata__ ---- */

static bnd_status read_pair(reader *r, const bndi_json_members *m, bnd_error *why)
{
    bnd_safetensors *file = r->file;
    bnd_safetensors_pair pair;
    if (m->value.from == m->value.to || r->header->bytes[m->value.from] != '"') {
        return bnd_fail(why, BND_BAD_FILE, m->value.from, "the values of its __metadata__ must be strings");
    }
    bnd_safetensors_pair *pairs = grown(file->pairs, &file->pair_room, file->pair_count + 1, sizeof pair);
    if (pairs == NULL) {
        return no_memory(r, why);
    }
    file->pairs = pairs;
    bnd_status status = keep_text(r, &pair.key, m->key, why);
    if (status == BND_OK) {
        status = keep_text(r, &pair.value, m->value, why);
    }
    if (status == BND_OK) {
        pairs[file->pair_count++] = pair;
    }
    return status;
}

static bnd_status read_metadata(reader *r, bndi_json_span value, bnd_error *why)
{
    bndi_json_members m;
    if (r->has_metadata) {
        return bnd_fail(why, BND_BAD_FILE, value.from, "duplicate key __metadata__ in its header");
    }
    r->has_metadata = true;
    bnd_status status = bndi_json_open(&m, r->header, value, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = read_pair(r, &m, why);
    }
    return status == BND_OK ? bndi_json_close(&m, why) : status;
}

/* ---- arrays ---- */

static bool read_size(uint64_t *out, const json_t *value)
{
    bool is_size = json_is_integer(value) && json_integer_value(value) >= 0;
    *out = is_size ? (uint64_t)json_integer_value(value) : 0;
    return is_size;
}

static bnd_status read_dtype(bnd_safetensor *entry, const json_t *value, bnd_error *why)
{
    const char *name = json_string_value(value);
    bool plain = name != NULL && strlen(name) <= 24;
    for (size_t i = 0; plain && name[i] != '\0'; i++) {
        plain = name[i] >= ' ' && name[i] <= '~';
    }
    bndi_dtype dtype = bndi_safetensors_dtype(plain ? name : "");
    if (dtype.bits == 0) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "unknown dtype %s%s%s (available: F64, F32, F16, BF16, F8_E4M3, F4, ..., U8, I8, ..., BOOL)",
                        plain ? "'" : "", plain ? name : "(not a name)", plain ? "'" : "");
    }
    entry->dtype = dtype.name;
    entry->kind = dtype.kind;
    entry->bits = dtype.bits;
    return BND_OK;
}

/* The extents go behind those of the arrays before; they count when the array does. */
static bnd_status read_shape(reader *r, bnd_safetensor *entry, const json_t *value, bnd_error *why)
{
    bnd_safetensors *file = r->file;
    size_t rank = json_array_size(value);
    if (!json_is_array(value) || rank > BND_SAFETENSORS_RANK_MAX) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its shape must be a list of at most %d sizes",
                        (int)BND_SAFETENSORS_RANK_MAX);
    }
    uint64_t *extents = grown(file->extents, &file->extent_room, file->extent_count + rank + 1, sizeof *extents);
    if (extents == NULL) {
        return no_memory(r, why);
    }
    file->extents = extents;
    for (size_t i = 0; i < rank; i++) {
        if (!read_size(&extents[file->extent_count + i], json_array_get(value, i))) {
            return bnd_fail(why, BND_BAD_FILE, 0, "entry %zu of its shape must be an integer of at least 0", i);
        }
    }
    entry->rank = rank;
    entry->shape = extents + file->extent_count;
    return BND_OK;
}

/* PyTorch counts its 4-bit type in pairs. Written as they are, such shapes have half the elements of the data. */
static bool count_pairs(const reader *r, bndi_safetensor *made, uint64_t size)
{
    bnd_safetensor *entry = &made->entry;
    bool in_pairs = r->data_size == BNDI_SAFETENSORS_ANY_SIZE && entry->bits == 4 && entry->rank > 0 &&
                    entry->size > 0 && size == 2 * entry->size;
    if (in_pairs) {
        r->file->extents[made->first_extent + entry->rank - 1] *= 2;
        entry->count *= 2;
        entry->size *= 2;
        made->in_pairs = true;
    }
    return in_pairs;
}

static bnd_status read_range(const reader *r, bndi_safetensor *made, const json_t *value, bnd_error *why)
{
    uint64_t begin = 0, end = 0;
    bool sizes = read_size(&begin, json_array_get(value, 0)) && read_size(&end, json_array_get(value, 1));
    if (json_array_size(value) != 2 || !sizes) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its data_offsets must be two integers of at least 0");
    }
    if (begin > end) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its data_offsets, %llu and %llu, must be in order",
                        (unsigned long long)begin, (unsigned long long)end);
    }
    if (end > r->data_size) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "its data_offsets, %llu and %llu, must be within the file's %llu bytes of data",
                        (unsigned long long)begin, (unsigned long long)end, (unsigned long long)r->data_size);
    }
    if (end - begin != made->entry.size && !count_pairs(r, made, end - begin)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its shape needs %llu bytes; its data_offsets cover %llu",
                        (unsigned long long)made->entry.size, (unsigned long long)(end - begin));
    }
    made->begin = begin;
    made->entry.data = r->data != NULL ? r->data + begin : NULL;
    return BND_OK;
}

static bnd_status read_members(reader *r, bndi_safetensor *made, const json_t *tree, bnd_error *why)
{
    static const char *const names[MEMBERS] = {"dtype", "shape", "data_offsets"};
    const json_t *values[MEMBERS];
    for (size_t i = 0; i < MEMBERS; i++) {
        values[i] = json_object_get(tree, names[i]);
        if (values[i] == NULL) {
            return bnd_fail(why, BND_BAD_FILE, 0, "its %s is missing", names[i]);
        }
    }
    if (json_object_size(tree) != MEMBERS) {
        return bnd_fail(why, BND_BAD_FILE, 0, "it must have no member but dtype, shape and data_offsets");
    }
    bnd_status status = read_dtype(&made->entry, values[0], why);
    if (status == BND_OK) {
        status = read_shape(r, &made->entry, values[1], why);
    }
    if (status == BND_OK) {
        status = bndi_safetensors_size(&made->entry, why);
    }
    return status == BND_OK ? read_range(r, made, values[2], why) : status;
}

static bnd_status read_entry(reader *r, bndi_safetensor *made, bndi_json_span value, bnd_error *why)
{
    json_t *tree;
    if (value.from == value.to || r->header->bytes[value.from] != '{') {
        return bnd_fail(why, BND_BAD_FILE, value.from, "expected an object with dtype, shape and data_offsets");
    }
    if (value.to - value.from > ENTRY_MAX) {
        return bnd_fail(why, BND_BAD_FILE, value.from, "its description has %zu bytes; the limit is %d",
                        value.to - value.from, (int)ENTRY_MAX);
    }
    bnd_status status = bndi_json_read(&tree, r->header, value, why);
    if (status == BND_OK) {
        status = read_members(r, made, tree, why);
        json_decref(tree);
    }
    return status;
}

static bnd_status read_member(reader *r, const bndi_json_members *m, bnd_error *why)
{
    bnd_safetensors *file = r->file;
    bndi_safetensor made = {.key = m->key, .first_extent = file->extent_count};
    bnd_status status = keep_text(r, &made.entry.name, m->key, why);
    if (status != BND_OK) {
        return status;
    }
    if (strcmp(made.entry.name, "__metadata__") == 0) {
        return read_metadata(r, m->value, why);
    }
    status = of_tensor(r, m->key, read_entry(r, &made, m->value, why), why);
    if (status != BND_OK) {
        return status;
    }
    bndi_safetensor *entries = grown(file->entries, &file->room, file->count + 1, sizeof made);
    if (entries == NULL) {
        return no_memory(r, why);
    }
    file->entries = entries;
    file->extent_count += made.entry.rank;
    entries[file->count++] = made;
    return BND_OK;
}

/* ---- all of them together ---- */

static int by_data(const void *a, const void *b)
{
    const bndi_safetensor *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->entry.size != y->entry.size) { /* what has no bytes, before what begins there */
        return x->entry.size < y->entry.size ? -1 : 1;
    }
    return (x->key.from > y->key.from) - (x->key.from < y->key.from);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const bnd_safetensor *const *)a)->name, (*(const bnd_safetensor *const *)b)->name);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const bnd_safetensors_pair *)a)->key, ((const bnd_safetensors_pair *)b)->key);
}

static bnd_status check_cover(const reader *r, bnd_error *why)
{
    uint64_t end = 0;
    for (size_t i = 0; i < r->file->count; i++) {
        const bndi_safetensor *t = &r->file->entries[i];
        if (t->begin != end) {
            bnd_status status =
                bnd_fail(why, BND_BAD_FILE, 0, "its data begin at byte %llu; the data before it end at %llu: %s",
                         (unsigned long long)t->begin, (unsigned long long)end,
                         t->begin < end ? "they overlap" : "there is a gap");
            return of_tensor(r, t->key, status, why);
        }
        end += t->entry.size;
    }
    r->file->data_size = end;
    if (end != r->data_size && r->data_size != BNDI_SAFETENSORS_ANY_SIZE) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its tensors need %llu bytes of data; the file has %llu",
                        (unsigned long long)end, (unsigned long long)r->data_size);
    }
    return BND_OK;
}

static bnd_status check_names(const reader *r, bnd_error *why)
{
    const bnd_safetensors *file = r->file;
    for (size_t i = 1; i < file->count; i++) {
        if (strcmp(file->by_name[i - 1]->name, file->by_name[i]->name) == 0) {
            const bndi_safetensor *twice = (const bndi_safetensor *)(const void *)file->by_name[i];
            return of_tensor(r, twice->key, bnd_fail(why, BND_BAD_FILE, 0, "duplicate name"), why);
        }
    }
    for (size_t i = 1; i < file->pair_count; i++) {
        if (strcmp(file->pairs[i - 1].key, file->pairs[i].key) == 0) {
            return bnd_fail(why, BND_BAD_FILE, 0, "duplicate key in its __metadata__");
        }
    }
    return BND_OK;
}

static bnd_status put_in_order(const reader *r, bnd_error *why)
{
    bnd_safetensors *file = r->file;
    if (file->pair_count > 0) {
        qsort(file->pairs, file->pair_count, sizeof *file->pairs, by_key);
    }
    if (file->count > 0) {
        file->by_name = malloc(file->count * sizeof *file->by_name);
        if (file->by_name == NULL) {
            return no_memory(r, why);
        }
        qsort(file->entries, file->count, sizeof *file->entries, by_data);
        for (size_t i = 0; i < file->count; i++) {
            file->entries[i].entry.shape = file->extents + file->entries[i].first_extent;
            file->by_name[i] = &file->entries[i].entry;
        }
        qsort(file->by_name, file->count, sizeof *file->by_name, by_name);
    }
    bnd_status status = check_names(r, why);
    return status == BND_OK ? check_cover(r, why) : status;
}

static bnd_status read_header(reader *r, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, r->header, (bndi_json_span){0, r->header->length}, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = read_member(r, &m, why);
    }
    if (status == BND_OK) {
        status = bndi_json_close(&m, why);
    }
    return status == BND_OK ? put_in_order(r, why) : status;
}

bnd_status bndi_safetensors_read(bnd_safetensors **out, const bndi_json_text *header, const unsigned char *data,
                                 uint64_t data_size, bnd_error *why)
{
    reader r = {.header = header, .data = data, .data_size = data_size};
    bnd_safetensors *file = calloc(1, sizeof *file);
    if (file != NULL) {
        file->strings = malloc(header->length + 1);
    }
    if (file == NULL || file->strings == NULL) {
        free(file);
        return no_memory(&r, why);
    }
    r.file = file;
    bnd_status status = read_header(&r, why);
    if (status != BND_OK) {
        bnd_safetensors_free(file);
        return status;
    }
    *out = file;
    return BND_OK;
}
