/* The options of a transformer's blocks as text: "norm=rmsnorm,kv_heads=2,qk_norm". */
#include "base/base.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>

#include <binade/text.h>

/* COEFFICIENT: a number that can be 0. In the others 0 means the model's own, which is never written. */
typedef enum kind { WORD, SIZE, NUMBER, COEFFICIENT, FLAG } kind;

static const struct setting {
    const char *key;
    uint8_t kind;
    size_t at;
} settings[] = {
    {"norm", WORD, offsetof(bnd_transformer, norm)},
    {"position", WORD, offsetof(bnd_transformer, position)},
    {"mlp", WORD, offsetof(bnd_transformer, mlp)},
    {"kv_heads", SIZE, offsetof(bnd_transformer, kv_heads)},
    {"head_width", SIZE, offsetof(bnd_transformer, head_width)},
    {"mlp_width", SIZE, offsetof(bnd_transformer, mlp_width)},
    {"positions", SIZE, offsetof(bnd_transformer, positions)},
    {"norm_epsilon", NUMBER, offsetof(bnd_transformer, norm_epsilon)},
    {"rope_theta", NUMBER, offsetof(bnd_transformer, rope_theta)},
    {"z_loss", COEFFICIENT, offsetof(bnd_transformer, z_loss)},
    {"deviation", NUMBER, offsetof(bnd_transformer, deviation)},
    {"no_bias", FLAG, offsetof(bnd_transformer, no_bias)},
    {"qk_norm", FLAG, offsetof(bnd_transformer, qk_norm)},
    {"unit", FLAG, offsetof(bnd_transformer, unit)},
    {"tau", NUMBER, offsetof(bnd_transformer, tau)},
    {"sqrt_softmax", FLAG, offsetof(bnd_transformer, sqrt_softmax)},
    {"rope_scaling", WORD, offsetof(bnd_transformer, rope_scaling)},
    {"rope_factor", NUMBER, offsetof(bnd_transformer, rope_factor)},
    {"rope_low", NUMBER, offsetof(bnd_transformer, rope_low)},
    {"rope_high", NUMBER, offsetof(bnd_transformer, rope_high)},
    {"rope_original", SIZE, offsetof(bnd_transformer, rope_original)},
};
enum { SETTINGS = sizeof settings / sizeof settings[0], VALUE_SIZE = 64 };

/* ---- writing ---- */

/* The value, "" where the model's own holds. */
static void print_value(char out[VALUE_SIZE], const struct setting *s, const bnd_transformer *blocks)
{
    const void *at = (const char *)blocks + s->at;
    const double number = s->kind == NUMBER || s->kind == COEFFICIENT ? *(const double *)at : 0;
    const size_t size = s->kind == SIZE ? *(const size_t *)at : 0;
    out[0] = '\0';
    if (s->kind == WORD) {
        snprintf(out, VALUE_SIZE, "%.*s", BND_TRANSFORMER_WORD_SIZE - 1, (const char *)at);
    } else if (size != 0) {
        snprintf(out, VALUE_SIZE, "%zu", size);
    } else if (number != 0) {
        bndi_number_text(out, number);
    } else if (s->kind == FLAG && *(const bool *)at) {
        strcpy(out, "1");
    }
}

size_t bnd_transformer_print(char *out, size_t size, const bnd_transformer *blocks)
{
    bndi_text text = bndi_text_in(out, size);
    for (size_t i = 0; i < SETTINGS; i++) {
        char value[VALUE_SIZE];
        print_value(value, &settings[i], blocks);
        if (value[0] != '\0') {
            bndi_text_string(&text, text.length > 0 ? "," : "");
            bndi_text_string(&text, settings[i].key);
            bndi_text_string(&text, settings[i].kind == FLAG ? "" : "=");
            bndi_text_string(&text, settings[i].kind == FLAG ? "" : value);
        }
    }
    return text.length;
}

/* ---- reading ---- */

static bnd_status refuse(const struct setting *s, const char *value, size_t where, const char *what, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_SYNTAX, where, "blocks: %s must be %s, not '%s'", s->key, what, value);
}

static bnd_status take_number(double *out, const struct setting *s, const char *value, size_t where, bnd_error *why)
{
    const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_64);
    bnd_result r = {.code = 0};
    if (bnd_parse(&r, f, value, (bnd_rule){.rounding = BND_ROUND_RNE}, 0, NULL) != BND_OK ||
        !(bnd_decode(f, r.code) >= 0) || (s->kind == NUMBER && !(bnd_decode(f, r.code) > 0))) {
        return refuse(s, value, where, s->kind == NUMBER ? "a number above 0" : "a number of at least 0", why);
    }
    *out = bnd_decode(f, r.code);
    return BND_OK;
}

static bnd_status take(bnd_transformer *to, const struct setting *s, const char *value, size_t where, bnd_error *why)
{
    void *at = (char *)to + s->at;
    const size_t length = strlen(value);
    uint64_t n = 0;
    switch ((kind)s->kind) {
    case WORD:
        if (length == 0 || length >= BND_TRANSFORMER_WORD_SIZE) {
            return refuse(s, value, where, "a word", why);
        }
        memcpy(at, value, length + 1);
        return BND_OK;
    case SIZE:
        if (!bndi_count_of(&n, value, length) || n == 0 || n > SIZE_MAX) {
            return refuse(s, value, where, "a whole number above 0", why);
        }
        *(size_t *)at = (size_t)n;
        return BND_OK;
    case NUMBER:
    case COEFFICIENT:
        return take_number(at, s, value, where, why);
    case FLAG:
        if (length > 0 && strcmp(value, "1") != 0 && strcmp(value, "0") != 0) {
            return refuse(s, value, where, "0 or 1", why);
        }
        if (s->at == offsetof(bnd_transformer, no_bias) && value[0] == '0') {
            return refuse(s, value, where, "1, or left out for the biases that the model has", why);
        }
        *(bool *)at = length == 0 || value[0] == '1';
        return BND_OK;
    }
    return BND_OK;
}

static bnd_status take_setting(bnd_transformer *to, const char *text, size_t length, size_t where, bnd_error *why)
{
    const char *equals = memchr(text, '=', length);
    const size_t key = equals != NULL ? (size_t)(equals - text) : length, rest = equals != NULL ? key + 1 : length;
    bndi_nearest nearest = bndi_nearest_to(text, key);
    for (size_t i = 0; i < SETTINGS; i++) {
        if (bndi_same_word(text, key, settings[i].key)) {
            char value[VALUE_SIZE + 1];
            snprintf(value, sizeof value, "%.*s", (int)(length - rest < VALUE_SIZE ? length - rest : VALUE_SIZE),
                     text + rest);
            return take(to, &settings[i], value, where + rest, why);
        }
        bndi_nearest_offer(&nearest, settings[i].key, strlen(settings[i].key));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown setting of blocks", NULL);
}

/* The theta of a configuration goes with its rope. */
static void drop_theta(bnd_transformer *changed, const bnd_transformer *from)
{
    const bool turns = changed->position[0] == '\0' || strcmp(changed->position, "rope") == 0,
               same = !(changed->rope_theta < from->rope_theta) && !(changed->rope_theta > from->rope_theta);
    changed->rope_theta = same && !turns && strcmp(changed->position, from->position) != 0 ? 0 : changed->rope_theta;
}

bnd_status bnd_transformer_parse(bnd_transformer *blocks, const char *text, bnd_error *why)
{
    bnd_transformer changed = *blocks;
    bnd_status status = BND_OK;
    for (size_t at = 0; status == BND_OK && text[at] != '\0';) {
        const size_t length = strcspn(text + at, ",");
        status = take_setting(&changed, text + at, length, at, why);
        at += length + (text[at + length] == ',');
    }
    if (status == BND_OK) {
        drop_theta(&changed, blocks);
        *blocks = changed;
    }
    return status;
}
