/* Text to tokens: added tokens, then pieces, most of which were met before. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tokens/tokens.h"

/* A piece and its tokens, kept where its hash says. */
enum { KEPT = 1 << 13, KEPT_BYTES = 24, KEPT_IDS = 8 };
typedef struct kept_piece {
    uint8_t length, count; /* length 0: none */
    char text[KEPT_BYTES];
    uint32_t ids[KEPT_IDS];
} kept_piece;

typedef struct encoding {
    const bndi_tokenizer *t;
    const char *text;
    uint32_t *ids;
    size_t count, room;
    kept_piece *kept;
    char *whole; /* room for bndi_token_of */
    bndi_merging merging;
    bnd_error *why;
} encoding;

/* ---- what cannot be encoded ---- */

static bnd_status refuse_byte(size_t at, unsigned char byte, const char *what, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_FILE, at, "byte 0x%llx at offset %zu %s", (unsigned long long)byte, at, what);
}

/* UTF-8 whose bytes have tokens, and that NFC does not change. */
static bnd_status check(const bndi_tokenizer *t, const char *text, size_t length, bnd_error *why)
{
    unsigned class_before = 0;
    for (size_t at = 0; at < length;) {
        unsigned char byte = (unsigned char)text[at];
        uint32_t point = byte;
        size_t bytes = byte < 0x80 ? 1 : bndi_code_point(text + at, length - at, &point);
        if (bytes == 0) {
            return refuse_byte(at, byte, "is not UTF-8", why);
        }
        if (t->nfc && !bndi_nfc_keeps(&class_before, point)) {
            return refuse_byte(at, byte,
                               "begins a character that the normalizer NFC may change, which is not supported; "
                               "normalise the text, and set the normalizer to null",
                               why);
        }
        for (size_t i = 0; i < bytes; i++) {
            if (t->of_byte[(unsigned char)text[at + i]] == BNDI_NO_TOKEN) {
                return refuse_byte(at + i, (unsigned char)text[at + i], "has no token in model.vocab", why);
            }
        }
        at += bytes;
    }
    return BND_OK;
}

/* ---- tokens ---- */

static bnd_status make_room(encoding *e, size_t more)
{
    if (more <= e->room - e->count) {
        return BND_OK;
    }
    size_t room = e->room + e->room / 2 + more;
    uint32_t *ids = room <= SIZE_MAX / sizeof *ids ? realloc(e->ids, room * sizeof *ids) : NULL;
    if (ids == NULL) {
        return bnd_fail(e->why, BND_NO_MEMORY, 0, "no memory for %zu tokens", room);
    }
    e->ids = ids;
    e->room = room;
    return BND_OK;
}

static bnd_status put(encoding *e, const uint32_t *ids, size_t count)
{
    bnd_status status = make_room(e, count);
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        e->ids[e->count++] = ids[i];
    }
    return status;
}

/* A piece that was not met before, or forgotten. */
static bnd_status put_new_piece(encoding *e, const char *piece, size_t length)
{
    uint32_t whole = e->t->whole_first ? bndi_token_of(e->t, piece, length, e->whole) : BNDI_NO_TOKEN;
    if (whole != BNDI_NO_TOKEN) {
        return put(e, &whole, 1);
    }
    bnd_status status = bndi_merge_piece(&e->merging, e->t, piece, length, e->why);
    for (uint32_t at = 0; status == BND_OK && at != BNDI_NO_TOKEN; at = e->merging.symbols[at].after) {
        status = put(e, &e->merging.symbols[at].id, 1);
    }
    return status;
}

static bnd_status put_piece(encoding *e, const char *piece, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (length > KEPT_BYTES) {
        return put_new_piece(e, piece, length);
    }
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)piece[i]) * UINT64_C(0x100000001b3);
    }
    kept_piece *kept = &e->kept[(hash ^ hash >> 32) % KEPT];
    if (kept->length == length && memcmp(kept->text, piece, length) == 0) {
        return put(e, kept->ids, kept->count);
    }
    size_t first = e->count;
    bnd_status status = put_new_piece(e, piece, length);
    if (status == BND_OK && e->count - first <= KEPT_IDS) {
        kept->length = (uint8_t)length;
        kept->count = (uint8_t)(e->count - first);
        memcpy(kept->text, piece, length);
        memcpy(kept->ids, e->ids + first, kept->count * sizeof *kept->ids);
    }
    return status;
}

/* A part of the text without added tokens: a text by itself to the regular expression. */
static bnd_status put_pieces(encoding *e, size_t from, size_t to)
{
    bnd_status status = BND_OK;
    for (size_t at = from; status == BND_OK && at < to;) {
        size_t end = bndi_piece_end(e->t->pattern, e->text, to, at);
        status = put_piece(e, e->text + at, end - at);
        at = end;
    }
    return status;
}

/* A part of the text: first the added tokens that are not normalized, between them those that are, then pieces. */
static bnd_status put_part(encoding *e, size_t from, size_t to, bool normalized)
{
    const bndi_added *added = NULL;
    bnd_status status = BND_OK;
    do {
        size_t at = from;
        added = bndi_find_added(e->t, normalized, e->text, to, &at);
        size_t end = added != NULL ? at : to;
        status = normalized ? put_pieces(e, from, end) : put_part(e, from, end, true);
        if (status == BND_OK && added != NULL) {
            status = put(e, &added->id, 1);
            from = at + added->length;
        }
    } while (status == BND_OK && added != NULL);
    return status;
}

bnd_status bndi_tokenizer_encode(uint32_t **ids, size_t *count, const bndi_tokenizer *t, const char *text,
                                 size_t length, bnd_error *why)
{
    bnd_status status = check(t, text, length, why);
    if (status != BND_OK) {
        return status;
    }
    encoding e = {.t = t, .text = text, .why = why};
    e.kept = calloc(KEPT, sizeof *e.kept);
    e.whole = malloc(t->longest + 1);
    status = e.kept != NULL && e.whole != NULL ? make_room(&e, length / 4 + 1)
                                               : bnd_fail(why, BND_NO_MEMORY, 0, "no memory to encode text");
    if (status == BND_OK) {
        status = put_part(&e, 0, length, false);
    }
    free(e.kept);
    free(e.whole);
    bndi_merging_free(&e.merging);
    if (status == BND_OK) {
        *ids = e.ids;
        *count = e.count;
    } else {
        free(e.ids);
    }
    return status;
}
