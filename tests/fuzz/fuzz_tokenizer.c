/* Any bytes as a tokenizer.json, and behind the first 0 byte a text. What is accepted encodes it, or says why not. The
 * program aborts where a promise does not hold. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "tokens/tokenizer.h"

static void encode(const bndi_tokenizer *tokenizer, const char *text, size_t size)
{
    bnd_error why = {.status = BND_OK};
    uint32_t *ids = NULL;
    size_t count = 0;
    bnd_status status = bndi_tokenizer_encode(&ids, &count, tokenizer, text, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(ids == NULL && count == 0, "nothing comes of a refusal");
    } else {
        require(count <= size, "a token has a byte at least");
        for (size_t i = 0; i < count; i++) {
            require(ids[i] < bndi_tokenizer_vocabulary(tokenizer), "an id is of the vocabulary");
        }
        free(ids);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = end != NULL ? (size_t)(end - data) : size, behind = end != NULL ? size - length - 1 : 0;
    char *json = tight_copy(data, length), *text = tight_copy(end != NULL ? end + 1 : data, behind);
    bndi_tokenizer *tokenizer = NULL;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bndi_tokenizer_read(&tokenizer, json, length, &why);
    if (status != BND_OK) {
        require_explained(status, &why, length);
        require(tokenizer == NULL, "nothing comes of a refusal");
    } else {
        encode(tokenizer, text, behind);
        bndi_tokenizer_free(tokenizer);
    }
    free(json);
    free(text);
    return 0;
}

/* A good tokenizer and a text with up to five bytes replaced; one in 32 cut short. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char good[] =
        "{\"added_tokens\":[{\"id\":8,\"content\":\"<b>\"}],\"pre_tokenizer\":{\"type\":\"ByteLevel\","
        "\"add_prefix_space\":false},\"model\":{\"vocab\":{\"a\":0,\"b\":1,\"<\":2,\">\":3,\"\\u0120\":4,\"'\":5,"
        "\"ab\":6,\"aba\":7},\"merges\":[\"a b\",[\"ab\",\"a\"]]}}\0ab aba<b> ''  bab<ba>aaabbb";
    static const char alphabet[] = "{}[],:\"\\0123456789 ab<>'\xc4\xa0\n\xff";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[sizeof good - 1];
        memcpy(data, good, sizeof data);
        for (uint64_t k = bnd_random(seed, i, 1) % 6; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            data[r % sizeof data] = fuzz_byte(r, alphabet);
        }
        fuzz_input(data, fuzz_cut(sizeof data, seed, i));
    }
}
