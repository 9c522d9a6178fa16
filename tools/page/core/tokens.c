/* The page trains on bytes and on tokens, not on text of a tokenizer: the tables for that are left out. */
#include "tokens/tokenizer.h"

bnd_status bndi_tokenizer_open(bndi_tokenizer **out, const char *path, bnd_error *why)
{
    (void)out;
    (void)path;
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the page does not have tokenizers; use the command");
}

void bndi_tokenizer_free(bndi_tokenizer *tokenizer)
{
    (void)tokenizer;
}

size_t bndi_tokenizer_vocabulary(const bndi_tokenizer *tokenizer)
{
    (void)tokenizer;
    return 0;
}

bnd_status bndi_tokenizer_encode(uint32_t **ids, size_t *count, const bndi_tokenizer *tokenizer, const char *text,
                                 size_t length, bnd_error *why)
{
    (void)ids;
    (void)count;
    (void)tokenizer;
    (void)text;
    return bnd_fail(why, BND_BAD_ARGUMENT, length, "the page does not have tokenizers");
}
