/* Any bytes as a .safetensors file. What is accepted must hold its promises, and the program aborts where it does not.
 */
#include "tests/fuzz/fuzz.h"

#include "store/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes are those that the shape needs, by arithmetic that cannot wrap. */
static void require_counted(const bnd_safetensor *t)
{
    long double product = 1;
    bnd_format f;
    require(t->rank <= BND_SAFETENSORS_RANK_MAX, "there is a limit to dimensions");
    for (size_t i = 0; i < t->rank; i++) {
        product *= (long double)t->shape[i];
    }
    require((long double)t->count == product, "the count is the product of the shape");
    require((long double)t->size * 8 == product * t->bits && t->bits > 0, "elements fill whole bytes");
    require((t->kind == BND_SAFETENSORS_FLOAT) == (bnd_safetensors_format(&f, t, NULL) == BND_OK),
            "floats have a format");
    require(t->kind != BND_SAFETENSORS_FLOAT ||
                (f.width == t->bits && strcmp(bnd_safetensors_dtype(&f), t->dtype) == 0),
            "a dtype is its format's");
}

/* The data are one range after the other, from the header to the end; each name is one's own. */
static void require_covered(const bnd_safetensors *file, const uint8_t *bytes, size_t size)
{
    size_t count = bnd_safetensors_count(file), pairs = bnd_safetensors_metadata_count(file), at = 8;
    for (size_t i = 0; i < 8; i++) {
        at += (size_t)bytes[i] << 8 * i;
    }
    for (size_t i = 0; i < count; i++) {
        const bnd_safetensor *t = bnd_safetensors_at(file, i);
        require_counted(t);
        require(t->data == bytes + at && t->size <= size - at, "data stand where the one before ends");
        require(bnd_safetensors_find(file, t->name) == t, "a name is found");
        at += (size_t)t->size;
    }
    require(at == size, "every byte belongs to something");
    for (size_t i = 0; i < pairs; i++) {
        const bnd_safetensors_pair *pair = bnd_safetensors_metadata_at(file, i);
        require(bnd_safetensors_metadata(file, pair->key) == pair->value, "a key is found");
    }
    require(bnd_safetensors_at(file, count) == NULL && bnd_safetensors_metadata_at(file, pairs) == NULL,
            "there is an end");
}

/* What was read can be written: the writer reads its own header. */
static void require_writable(const bnd_safetensors *file)
{
    size_t count = bnd_safetensors_count(file), pairs = bnd_safetensors_metadata_count(file);
    bnd_safetensor *entries = fuzz_memory(count, sizeof *entries);
    bnd_safetensors_pair *metadata = fuzz_memory(pairs, sizeof *metadata);
    for (size_t i = 0; i < count; i++) {
        entries[i] = *bnd_safetensors_at(file, count - 1 - i);
    }
    for (size_t i = 0; i < pairs; i++) {
        metadata[i] = *bnd_safetensors_metadata_at(file, i);
    }
    require(bnd_safetensors_write("/dev/null", entries, count, metadata, pairs, NULL) == BND_OK, "it can be written");
    free(entries);
    free(metadata);
}

/* The header alone, of a file whose size is not known: checkpoints are opened so, to say what is wrong with a shard. It
 * takes no less, and it takes the same. */
static void require_same_header(const uint8_t *copy, size_t size, const bnd_safetensors *file)
{
    size_t length = 0;
    bnd_safetensors *header = NULL;
    bnd_error why = {.status = BND_OK};
    if (bndi_safetensors_measure(&length, copy, size, &why) != BND_OK) {
        require(file == NULL, "a file has a header");
        return;
    }
    const bndi_json_text text = {(const char *)copy + BNDI_SAFETENSORS_START, length};
    bnd_status status = bndi_safetensors_read(&header, &text, NULL, BNDI_SAFETENSORS_ANY_SIZE, &why);
    require(status == BND_OK || file == NULL, "a header is read without its data");
    uint64_t end = 0;
    for (size_t i = 0; status == BND_OK && i < header->count; i++) {
        const bndi_safetensor *t = &header->entries[i];
        require_counted(&t->entry);
        require(t->begin == end, "data stand where the one before ends");
        require(!t->in_pairs || file == NULL, "pairs are not taken for elements");
        require(file == NULL || t->entry.size == bnd_safetensors_at(file, i)->size, "both are of one size");
        end += t->entry.size;
    }
    require(status != BND_OK || header->data_size == end, "the data end behind the last tensor");
    bnd_safetensors_free(header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = tight_copy(data, size);
    bnd_safetensors *file = NULL;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_safetensors_new_of_bytes(&file, copy, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(file == NULL, "nothing comes of a refusal");
    } else {
        require_covered(file, copy, size);
        require_writable(file);
    }
    require_same_header(copy, size, file);
    bnd_safetensors_free(file);
    free(copy);
    return 0;
}

/* A good file with up to five bytes of its header replaced, by bytes that mean something to it or by any; one in 32 cut
 * short, one in 16 with another length of header. One in six is left as it is. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const struct {
        const char *text;
        size_t data;
    } files[] = {
        {"{\"w\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]}}  ", 12},
        {"{\"__metadata__\":{\"step\":\"1\",\"a\":\"b\"},\"x\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}"
         "}",
         1},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
         "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
         "\"a\\u0041\\n\":{\"shape\":[9,0],\"data_offsets\":[8,8],\"dtype\":\"F32\"}}",
         11},
        {" {\"e\":{\"dtype\":\"F6_E3M2\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0},
        {"{\"s\" : {\"dtype\" : \"C64\", \"shape\" : [1, 2, 1], \"data_offsets\" : [0, 16]}}\n", 16},
        {"{\"p\":{\"dtype\":\"F4\",\"shape\":[2,2],\"data_offsets\":[0,4]}}", 4}, /* counted in pairs */
        {"{}", 0},
    };
    static const char alphabet[] = "{}[],:\"\\0123456789 -.eUFIu\n_B\xff";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[512] = {0};
        size_t row = bnd_random(seed, i, 0) % (sizeof files / sizeof files[0]), length = strlen(files[row].text);
        size_t size = 8 + length + files[row].data;
        data[0] = (uint8_t)length;
        memcpy(data + 8, files[row].text, length);
        for (uint64_t k = bnd_random(seed, i, 1) % 6; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            data[8 + r % length] = fuzz_byte(r, alphabet);
        }
        if (bnd_random(seed, i, 10) % 16 == 0) {
            uint64_t r = bnd_random(seed, i, 11);
            data[r % 8] = (uint8_t)(r >> 8);
        }
        fuzz_input(data, fuzz_cut(size, seed, i));
    }
}
