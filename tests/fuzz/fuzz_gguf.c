/* Any bytes as a .gguf file. What is accepted must hold its promises, and the program aborts where it does not. */
#include "tests/checkpoint/gguf_bytes.h"
#include "tests/fuzz/fuzz.h"

#include "store/gguf.h"

#include <stdlib.h>
#include <string.h>

/* The bytes are those that the shape needs, by arithmetic that cannot wrap. */
static void require_counted(const bndi_gguf_tensor *t)
{
    long double product = 1;
    require(t->rank >= 1 && t->rank <= BNDI_GGUF_RANK_MAX, "there are one to four dimensions");
    for (size_t i = 0; i < t->rank; i++) {
        require(t->shape[i] > 0, "a dimension is not 0");
        product *= (long double)t->shape[i];
    }
    require((long double)t->count == product, "the count is the product of the shape");
    require(t->shape[t->rank - 1] % t->type->elements == 0, "rows are whole blocks");
    require((long double)t->size == product / t->type->elements * t->type->bytes, "blocks fill the bytes");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void require_unique(const bndi_gguf *file)
{
    const char **names = fuzz_memory(file->count, sizeof *names);
    for (size_t i = 0; i < file->count; i++) {
        names[i] = file->tensors[i].name;
        require(bndi_is_utf8(names[i], strlen(names[i])), "a name is UTF-8");
    }
    if (file->count > 0) {
        qsort(names, file->count, sizeof *names, by_text);
    }
    for (size_t i = 1; i < file->count; i++) {
        require(strcmp(names[i - 1], names[i]) < 0, "a name is one's own");
    }
    free(names);
}

static void require_placed(const bndi_gguf *file, size_t size)
{
    uint64_t end = 0;
    require(file->alignment > 0 && (file->alignment & (file->alignment - 1)) == 0, "alignments are powers of two");
    for (size_t i = 0; i < file->count; i++) {
        const bndi_gguf_tensor *t = &file->tensors[i];
        require_counted(t);
        require(t->offset % file->alignment == 0 && t->offset >= end, "data are aligned, and in order");
        require(t->offset <= size && t->size <= size - t->offset, "data are in the file");
        end = t->offset + t->size;
    }
    for (size_t i = 0; i < file->string_count; i++) {
        const bnd_safetensors_pair *pair = &file->strings[i];
        require(pair->value != NULL && bndi_is_utf8(pair->value, strlen(pair->value)), "a text is UTF-8");
        require(i == 0 || strcmp(file->strings[i - 1].key, pair->key) < 0, "keys are in order, each once");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = tight_copy(data, size);
    bndi_gguf file = {.version = 0};
    bnd_error why = {.status = BND_OK};
    bnd_status status = bndi_gguf_read(&file, copy, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(file.version == 0 && file.memory == NULL, "nothing comes of a refusal");
    } else {
        require_unique(&file);
        require_placed(&file, size);
        bndi_gguf_free(&file);
    }
    free(copy);
    return 0;
}

/* A good file with up to five bytes replaced, by bytes that mean something to it or by any; one in 32 cut short. One in
 * six is left as it is. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const uint8_t alphabet[] = {0, 0, 0, 1, 2, 3, 4, 8, 9, 12, 31, 32, 39, 40, 64, 127, 128, 255};
    for (uint64_t i = 0; i < count; i++) {
        gguf_bytes g;
        gguf_good(&g);
        size_t header = g.size - 128 - 144, size = g.size;
        for (uint64_t k = bnd_random(seed, i, 0) % 6; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, k);
            g.bytes[r % header] = r >> 60 == 0 ? (uint8_t)(r >> 32) : alphabet[(r >> 32) % sizeof alphabet];
        }
        size -= bnd_random(seed, i, 12) % 32 == 0 ? bnd_random(seed, i, 13) % size : 0;
        fuzz_input(g.bytes, size);
    }
}
