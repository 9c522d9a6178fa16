/* Text as tokens of a byte-level BPE, as a tokenizer.json of Hugging Face's tokenizers describes it: the files of
 * GPT-2, Llama 3 and Qwen 2.
 *
 * Added tokens are found first, wherever the text has their content. What lies between is split into pieces by a
 * regular expression (a row of split.c). A piece begins as one token per byte; of its neighbours that the file merges,
 * the pair that stands first among `merges` becomes one token, the leftmost of several, until no pair is left.
 *
 * The ids are those of encode(text, add_special_tokens=False) there. What would change the text, and is not done here,
 * is refused by its name, and so is an added token whose id is not the one that tokenizers gives it. `post_processor`,
 * which adds tokens around a text, and `decoder` are not read. */
#ifndef BINADE_SRC_TOKENIZER_H
#define BINADE_SRC_TOKENIZER_H

#include <binade/base.h>

typedef struct bndi_tokenizer bndi_tokenizer;

/* On failure: BND_BAD_STREAM or BND_BAD_FILE for the file, BND_NO_MEMORY. */
BND_CHECKED bnd_status bndi_tokenizer_open(bndi_tokenizer **out, const char *path, bnd_error *why);

/* The same from the text of a file. */
BND_CHECKED bnd_status bndi_tokenizer_read(bndi_tokenizer **out, const char *text, size_t length, bnd_error *why);
void bndi_tokenizer_free(bndi_tokenizer *tokenizer);

/* The largest id plus one. */
size_t bndi_tokenizer_vocabulary(const bndi_tokenizer *tokenizer);

/* `ids` receives memory for the caller to free.
 * On failure: BND_BAD_FILE: the text is not UTF-8, or has a byte without a token; why->where is its offset. */
BND_CHECKED bnd_status bndi_tokenizer_encode(uint32_t **ids, size_t *count, const bndi_tokenizer *tokenizer,
                                             const char *text, size_t length, bnd_error *why);

#endif
