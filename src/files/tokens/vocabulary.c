/* model.vocab and model.merges: ids of texts, and which neighbours are merged. */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tokens/tokens.h"

/* ---- bytes as characters ---- */

/* The character that stands for a byte, in UTF-8 with a 0 byte: itself, where that is printable and not a blank;
 * otherwise one from U+0100 on, in the order of such bytes. Returns its bytes, 1 or 2. */
static size_t character_of(char out[3], unsigned char byte)
{
    unsigned point = byte;
    if (byte <= ' ') {
        point = 0x100U + byte;
    } else if (byte >= 0x7f && byte <= 0xa0) {
        point = 0x121U + (byte - 0x7fU);
    } else if (byte == 0xad) {
        point = 0x143;
    }
    size_t bytes = point < 0x80 ? 1 : 2;
    out[0] = (char)(bytes == 1 ? point : 0xc0 | point >> 6);
    out[1] = (char)(bytes == 1 ? 0 : 0x80 | (point & 0x3f));
    out[bytes] = '\0';
    return bytes;
}

static uint32_t id_of(const bndi_tokenizer *t, const char *text)
{
    const json_t *id = json_object_get(t->vocab, text);
    return id != NULL ? (uint32_t)json_integer_value(id) : BNDI_NO_TOKEN;
}

uint32_t bndi_token_of(const bndi_tokenizer *t, const char *piece, size_t length, char *room)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char character[3];
        size_t bytes = character_of(character, (unsigned char)piece[i]);
        if (bytes > t->longest - n) {
            return BNDI_NO_TOKEN;
        }
        memcpy(room + n, character, bytes);
        n += bytes;
    }
    room[n] = '\0';
    return id_of(t, room);
}

/* ---- ids ---- */

/* Every id once, from 0 to below the limit of a vocabulary. */
static bnd_status read_ids(bndi_tokenizer *t, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    const char *text;
    json_t *value;
    unsigned char *seen = calloc(BNDI_TOKENS_MOST / 8, 1);
    if (seen == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the ids of a vocabulary");
    }
    bnd_status status = json_object_size(t->vocab) > 0
                            ? BND_OK
                            : bnd_fail(why, BND_BAD_FILE, 0, "model.vocab must be an object with a token at least");
    json_object_foreach(t->vocab, text, value)
    {
        json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
        size_t length = strlen(text);
        if (status != BND_OK) {
            break;
        }
        if (id < 0 || id >= BNDI_TOKENS_MOST) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "model.vocab: the id of '%s' must be an integer from 0 to %d",
                              bndi_shown(shown, text), BNDI_TOKENS_MOST - 1);
        } else if ((seen[id / 8] >> (id % 8) & 1) != 0) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "model.vocab: two tokens have the id %llu; one of them is '%s'",
                              (unsigned long long)id, bndi_shown(shown, text));
        } else {
            seen[id / 8] = (unsigned char)(seen[id / 8] | 1U << (id % 8));
            t->most = (uint32_t)id > t->most ? (uint32_t)id : t->most;
            t->longest = length > t->longest ? length : t->longest;
        }
    }
    free(seen);
    return status;
}

/* ---- merges ---- */

/* The two sides of a merge, "a b" or ["a", "b"], copied into `room`, one behind the other's 0 byte. */
static bool sides_of(char *room, size_t size, const char **right, const json_t *merge)
{
    const json_t *pair[2] = {json_array_get(merge, 0), json_array_get(merge, 1)};
    const char *text = json_string_value(merge), *blank = text != NULL ? strchr(text, ' ') : NULL;
    const char *a = json_string_value(pair[0]), *b = json_string_value(pair[1]);
    size_t left = a != NULL ? strlen(a) : 0, length = b != NULL ? strlen(b) : 0;
    if (blank != NULL) {
        a = text;
        left = (size_t)(blank - text);
        b = blank + 1;
        length = strlen(b);
    } else if (json_array_size(merge) != 2) {
        return false;
    }
    if (left == 0 || length == 0 || strchr(b, ' ') != NULL || left >= size - 1 || length >= size - 1 - left) {
        return false;
    }
    memcpy(room, a, left);
    room[left] = '\0';
    memcpy(room + left + 1, b, length + 1);
    *right = room + left + 1;
    return true;
}

/* One merge: both sides and what they make are tokens. `room` has `size` bytes, more than two texts of the vocabulary
 * and their 0 bytes. */
static bnd_status read_merge(bndi_tokenizer *t, size_t rank, const json_t *value, char *room, size_t size,
                             bnd_error *why)
{
    char shown[2][BNDI_SHOWN];
    const char *right;
    if (!sides_of(room, size, &right, value)) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "model.merges[%zu] must be two tokens of the vocabulary, \"a b\" or [\"a\", \"b\"]", rank);
    }
    bndi_merge merge = {.left = id_of(t, room), .right = id_of(t, right), .rank = (uint32_t)rank};
    if (merge.left == BNDI_NO_TOKEN || merge.right == BNDI_NO_TOKEN) {
        return bnd_fail(why, BND_BAD_FILE, 0, "model.merges[%zu]: '%s' is not in model.vocab", rank,
                        bndi_shown(shown[0], merge.left == BNDI_NO_TOKEN ? room : right));
    }
    bndi_shown(shown[0], room);
    bndi_shown(shown[1], right);
    memmove(room + (right - room) - 1, right, strlen(right) + 1);
    merge.id = id_of(t, room);
    if (merge.id == BNDI_NO_TOKEN) {
        return bnd_fail(why, BND_BAD_FILE, 0, "model.merges[%zu]: '%s' and '%s' together are not in model.vocab", rank,
                        shown[0], shown[1]);
    }
    return bndi_merges_add(&t->pairs, &merge)
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, 0, "model.merges[%zu]: '%s' and '%s' are merged by an earlier line", rank,
                          shown[0], shown[1]);
}

static bnd_status read_merges(bndi_tokenizer *t, const json_t *merges, bnd_error *why)
{
    size_t count = json_array_size(merges), size = 2 * t->longest + 2;
    if (!json_is_array(merges)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "model.merges must be a list");
    }
    char *room = malloc(size);
    bnd_status status = room != NULL && bndi_merges_make(&t->pairs, count)
                            ? BND_OK
                            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu merges", count);
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        status = read_merge(t, i, json_array_get(merges, i), room, size, why);
    }
    free(room);
    return status;
}

bnd_status bndi_read_vocabulary(bndi_tokenizer *t, const json_t *model, bnd_error *why)
{
    t->vocab = json_object_get(model, "vocab");
    bnd_status status = read_ids(t, why);
    for (unsigned byte = 0; status == BND_OK && byte < 256; byte++) {
        char character[3];
        (void)character_of(character, (unsigned char)byte);
        t->of_byte[byte] = id_of(t, character);
    }
    return status == BND_OK ? read_merges(t, json_object_get(model, "merges"), why) : status;
}
