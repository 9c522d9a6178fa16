/* Prints the tokens of a text: encode TOKENIZER.json FILE prints an id per line, or why there are none. */
#include <stdio.h>
#include <stdlib.h>

#include "store/mapped_file.h"
#include "tokens/tokenizer.h"

int main(int argc, char **argv)
{
    bnd_error why = {.status = BND_OK};
    bnd_lab_mapped map = {.size = 0};
    bndi_tokenizer *tokenizer = NULL;
    uint32_t *ids = NULL;
    size_t count = 0;
    bnd_status status = argc == 3 ? bndi_tokenizer_open(&tokenizer, argv[1], &why)
                                  : bnd_fail(&why, BND_BAD_ARGUMENT, 0, "encode TOKENIZER.json FILE");
    if (status == BND_OK) {
        status = bnd_lab_map_open(&map, argv[2], &why);
    }
    if (status == BND_OK) {
        status = bndi_tokenizer_encode(&ids, &count, tokenizer, (const char *)map.bytes, map.size, &why);
    }
    for (size_t i = 0; i < count; i++) {
        printf("%u\n", (unsigned)ids[i]);
    }
    if (status != BND_OK) {
        printf("refused: %s\n", why.message);
    }
    free(ids);
    bnd_lab_map_close(&map);
    bndi_tokenizer_free(tokenizer);
    return 0;
}
