/* What tokens/ shares between its files. The JSON of the file is kept: its object of the vocabulary is the table that
 * finds an id by its text. There, a byte is a character (GPT-2's bytes_to_unicode), so that a token is a text. */
#ifndef BINADE_SRC_TOKENS_H
#define BINADE_SRC_TOKENS_H

#include "store/json.h"
#include "tokens/tokenizer.h"

#define BNDI_NO_TOKEN UINT32_MAX
enum { BNDI_TOKENS_MOST = 1 << 24 };

/* ---- characters (unicode.c) ---- */

typedef enum bndi_class { BNDI_SIGN, BNDI_LETTER, BNDI_DIGIT, BNDI_BLANK, BNDI_NOTHING } bndi_class;

/* The class of the character at `at`, and its bytes; BNDI_NOTHING and 0 at the end. The text is UTF-8. */
typedef struct bndi_spot {
    bndi_class is;
    uint32_t point;
    size_t bytes;
} bndi_spot;
bndi_spot bndi_look(const char *text, size_t length, size_t at);

/* Does NFC keep a character behind one of the class *last (0 at the beginning), which becomes its class? */
bool bndi_nfc_keeps(unsigned *last, uint32_t point);

/* ---- pieces (split.c) ---- */

/* A regular expression that splits a text, by hand. */
typedef struct bndi_splitter {
    const char *name, *regex;
    bool llama;    /* cases of contractions are one, any sign may precede letters, and line ends stay together */
    size_t digits; /* at most, in a piece */
} bndi_splitter;
const bndi_splitter *bndi_splitter_of(const char *regex); /* NULL: not known */
extern const bndi_splitter *const bndi_splitter_gpt2;

/* Where the piece ends that begins at `at`, before the end of the text. */
size_t bndi_piece_end(const bndi_splitter *pattern, const char *text, size_t length, size_t at);

/* ---- merges (merges.c) ---- */

/* What two neighbouring tokens become, and how early: a hash table with open addressing. */
typedef struct bndi_merge {
    uint32_t left, right, rank, id;
} bndi_merge;
typedef struct bndi_merges {
    bndi_merge *slot; /* free where left is BNDI_NO_TOKEN */
    size_t mask;
} bndi_merges;

/* Room for `count` pairs; false: no memory. */
bool bndi_merges_make(bndi_merges *pairs, size_t count);
bool bndi_merges_add(bndi_merges *pairs, const bndi_merge *merge); /* false: these neighbours are there */
const bndi_merge *bndi_merges_find(const bndi_merges *pairs, uint32_t left, uint32_t right);

/* ---- the tokenizer ---- */

typedef struct bndi_added {
    const char *content;
    size_t length;
    uint32_t id;
    bool normalized;
} bndi_added;

struct bndi_tokenizer {
    json_t *root, *vocab;
    const bndi_splitter *pattern;
    bool nfc;         /* the file normalises text: what that could change is refused */
    bool whole_first; /* a piece that is a token is not merged: `ignore_merges` */
    size_t longest;   /* of the texts of the vocabulary, in bytes */
    uint32_t most;    /* the largest id */
    uint32_t of_byte[256];
    bndi_merges pairs;
    bndi_added *added; /* longest first */
    size_t added_count;
    bool begins[2][256]; /* by `normalized`: an added token begins with this byte */
};

/* Ids and merges of model.vocab and model.merges (vocabulary.c), and the added tokens (added.c). */
BND_CHECKED bnd_status bndi_read_vocabulary(bndi_tokenizer *t, const json_t *model, bnd_error *why);
BND_CHECKED bnd_status bndi_read_added(bndi_tokenizer *t, bnd_error *why);

/* The token that is this piece; BNDI_NO_TOKEN. `room` has t->longest + 1 bytes. */
uint32_t bndi_token_of(const bndi_tokenizer *t, const char *piece, size_t length, char *room);

/* The first added token of the text from `at` on, of those that are normalized or not; `at` becomes its place. NULL:
 * none. */
const bndi_added *bndi_find_added(const bndi_tokenizer *t, bool normalized, const char *text, size_t length,
                                  size_t *at);

/* ---- merging a piece (merge.c) ---- */

typedef struct bndi_link {
    uint32_t id, before, after; /* BNDI_NO_TOKEN: none, and of `id`: merged with the one before */
} bndi_link;
typedef struct bndi_merging {
    bndi_link *symbols;
    uint64_t *heap; /* of pairs: rank, then position of the left one */
    size_t room, heaped;
} bndi_merging;

/* Merges the bytes of a piece, which all have tokens: symbol 0 is the first, `after` leads to the next. */
BND_CHECKED bnd_status bndi_merge_piece(bndi_merging *m, const bndi_tokenizer *t, const char *piece, size_t length,
                                        bnd_error *why);
void bndi_merging_free(bndi_merging *m);

#endif
