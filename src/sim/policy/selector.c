/* Which layers of a model a setting is for: by a pattern of their names, by their depth, or by their share. */
#include "policy/policy.h"

enum { DIGITS_MOST = 6 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Of names and patterns: what needs no quotes in a setting. */
static bool is_of_pattern(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '_' || c == '-' ||
           c == '*' || c == '?';
}

/* Parses N or N%. */
static bool read_count(bndi_selector *out, const char *text, size_t length)
{
    out->percent = length > 0 && text[length - 1] == '%';
    length -= out->percent;
    out->n = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) {
            return false;
        }
        out->n = 10 * out->n + (unsigned)(text[i] - '0');
    }
    return length > 0 && length <= DIGITS_MOST && out->n > 0 && (!out->percent || out->n <= 100);
}

bool bndi_selector_read(bndi_selector *out, const char *text, size_t length)
{
    enum { FIRST_LENGTH = 6, LAST_LENGTH = 5 };
    bndi_selector s = {.kind = BNDI_BY_NAME, .text = text, .length = length};
    if (length > FIRST_LENGTH && bndi_same_word(text, FIRST_LENGTH, "first:")) {
        s.kind = BNDI_FIRST;
    } else if (length > LAST_LENGTH && bndi_same_word(text, LAST_LENGTH, "last:")) {
        s.kind = BNDI_LAST;
    }
    bool good = length > 0;
    if (s.kind == BNDI_BY_NAME) {
        for (size_t i = 0; i < length; i++) {
            good = good && is_of_pattern(text[i]);
        }
    } else {
        size_t word = s.kind == BNDI_FIRST ? FIRST_LENGTH : LAST_LENGTH;
        good = read_count(&s, text + word, length - word);
    }
    if (good) {
        *out = s;
    }
    return good;
}

/* `*` is any run of characters, `?` any one. Where two differ, the last `*` takes one character more. */
static bool matches(const char *pattern, size_t length, const char *name)
{
    size_t p = 0, star = length, resume = 0;
    for (size_t i = 0; name[i] != 0;) {
        if (p < length && pattern[p] == '*') {
            star = p++;
            resume = i;
        } else if (p < length && (pattern[p] == '?' || pattern[p] == name[i])) {
            p++;
            i++;
        } else if (star < length) {
            p = star + 1;
            i = ++resume;
        } else {
            return false;
        }
    }
    while (p < length && pattern[p] == '*') {
        p++;
    }
    return p == length;
}

/* The number of the block that a layer belongs to, "blocks.3.up": 3; -1: none. */
static int64_t block_of(const char *name)
{
    int64_t block = 0;
    for (size_t i = 0; name[i] != 0; i++) {
        bool begins = is_digit(name[i]) && (i == 0 || name[i - 1] == '.');
        for (size_t j = i; begins && j < i + DIGITS_MOST; j++) {
            if (!is_digit(name[j])) {
                begins = false;
                if (name[j] == '.' || name[j] == 0) {
                    return block;
                }
                break;
            }
            block = 10 * block + (name[j] - '0');
        }
        block = 0;
    }
    return -1;
}

static int64_t blocks_of(const bnd_layer *layers, size_t count)
{
    int64_t last = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t block = block_of(layers[i].name);
        last = block > last ? block : last;
    }
    return last + 1;
}

static uint64_t share_of(const bnd_layer *layers, size_t count, unsigned percent)
{
    uint64_t weights = 0;
    for (size_t i = 0; i < count; i++) {
        weights += layers[i].weights;
    }
    return (weights * percent + 99) / 100;
}

size_t bnd_layers_last(const bnd_layer *layers, size_t count, unsigned percent)
{
    uint64_t wanted = share_of(layers, count, percent);
    size_t from = count;
    for (size_t i = count; wanted > 0 && i-- > 0;) {
        if (layers[i].weights > 0) {
            from = i;
            wanted -= wanted < layers[i].weights ? wanted : layers[i].weights;
        }
    }
    return from;
}

/* The layers with weights of the first N per cent, and those between them. */
static bool is_of_first(const bnd_layer *layers, size_t count, unsigned percent, size_t layer)
{
    uint64_t wanted = share_of(layers, count, percent), before = 0;
    for (size_t i = 0; i < layer; i++) {
        before += layers[i].weights;
    }
    return before < wanted;
}

bool bndi_selects(const bndi_selector *s, const bnd_layer *layers, size_t count, size_t layer)
{
    const char *name = layers[layer].name;
    if (s->kind == BNDI_BY_NAME) {
        return matches(s->text, s->length, name);
    }
    if (s->percent) {
        return s->kind == BNDI_LAST ? layer >= bnd_layers_last(layers, count, s->n)
                                    : name[0] != 0 && is_of_first(layers, count, s->n, layer);
    }
    int64_t block = block_of(name), blocks = blocks_of(layers, count);
    return block >= 0 && (s->kind == BNDI_FIRST ? block < (int64_t)s->n : block >= blocks - (int64_t)s->n);
}
