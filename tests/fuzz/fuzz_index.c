/* Any bytes as a model.safetensors.index.json. What is accepted must hold its promises, above all that no name leads
 * out of the folder. The program aborts where one does not hold. */
#include "tests/fuzz/fuzz.h"

#include "checkpoint/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static void require_file_names(const bndi_index *index)
{
    for (size_t i = 0; i < index->file_count; i++) {
        const char *name = index->files[i];
        size_t length = strlen(name);
        require(length > 12 && strcmp(name + length - 12, ".safetensors") == 0, "a file is a .safetensors file");
        require(name[0] != '.' && strchr(name, '/') == NULL && strchr(name, '\\') == NULL, "it is in this folder");
        require(i == 0 || strcmp(index->files[i - 1], name) < 0, "files are in order, each once");
    }
}

static void require_lines(const bndi_index *index, size_t size)
{
    require(index->count > 0 && index->count <= size, "there are lines, each of some bytes");
    for (size_t i = 0; i < index->count; i++) {
        const bndi_index_entry *entry = &index->entries[i];
        require(i == 0 || strcmp(index->entries[i - 1].tensor, entry->tensor) < 0, "tensors are in order, each once");
        require(entry->file_number < index->file_count, "a line has a file");
        require(strcmp(index->files[entry->file_number], entry->file) == 0, "which is the one that it names");
        require(bndi_index_find(index, entry->tensor) == entry->file, "a tensor is found");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = tight_copy(data, size);
    const bndi_json_text text = {(const char *)copy, size};
    bndi_index index = {.count = 0};
    bnd_error why = {.status = BND_OK};
    bnd_status status = bndi_index_read(&index, &text, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(index.count == 0 && index.strings == NULL, "nothing comes of a refusal");
    } else {
        require_file_names(&index);
        require_lines(&index, size);
        bndi_index_free(&index);
    }
    free(copy);
    return 0;
}

/* A good index with up to five bytes replaced, by bytes that mean something to it or by any; one in 32 cut short. One
 * in six is left as it is. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const texts[] = {
        "{\"metadata\":{\"total_size\":24},\"weight_map\":{\"v\":\"2.safetensors\",\"w\":\"1.safetensors\"}}\n",
        "{\"weight_map\":{\"a\\u0041\":\"x.safetensors\",\"a\":\"x.safetensors\"},\"other\":[1,{}]}",
        " { \"metadata\" : { \"total_size\" : 1.5e3 } , \"weight_map\" : { \"b\" : \"model-1.safetensors\" } } ",
        "{\"weight_map\":{\"a\":\"../b.safetensors\"}}",
    };
    static const char alphabet[] = "{}[],:\"\\0123456789 -./esafetnor\n\xff";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[256];
        const char *text = texts[bnd_random(seed, i, 0) % (sizeof texts / sizeof texts[0])];
        size_t size = strlen(text);
        memcpy(data, text, size);
        for (uint64_t k = bnd_random(seed, i, 1) % 6; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            data[r % size] = fuzz_byte(r, alphabet);
        }
        fuzz_input(data, fuzz_cut(size, seed, i));
    }
}
