/* Block formats by name, and their descriptions. */
#include "block/block.h"

typedef struct block_row {
    const char *name, *others, *title, *element;
    size_t length;
    const char *scale;
    bnd_scale_rule rule;
    bool tensor, integer;
    int16_t least;
} block_row;

static const block_row blocks[] = {
#define BLOCK(name, others, title, element, length, scale, rule, tensor, integer, least)                               \
    {name, others, title, element, length, scale, BND_SCALE_##rule, tensor, integer, least},
#include "block/blocks.def"
#undef BLOCK
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

typedef struct rule_row {
    const char *name, *who;
} rule_row;

static const rule_row rules[BND_SCALE_COUNT] = {
    [BND_SCALE_RCEIL] = {"rceil", "cuBLAS, Transformer Engine"},
    [BND_SCALE_FLOOR] = {"floor", "OCP MX, torchao, microxcaling"},
    [BND_SCALE_CEIL] = {"ceil", "torchao"},
    [BND_SCALE_EVEN] = {"even", "torchao"},
    [BND_SCALE_NEAREST] = {"nearest", "amax / max"},
    [BND_SCALE_CT] = {"ct", "compressed-tensors"},
    [BND_SCALE_MSE] = {"mse", "least error of the scales tried"},
    [BND_SCALE_FOUR_SIX] = {"4/6", "Four Over Six"},
};

const char *bnd_scale_rule_name(bnd_scale_rule rule)
{
    return (unsigned)rule < BND_SCALE_COUNT ? rules[rule].name : "";
}

const char *bnd_scale_rule_who(bnd_scale_rule rule)
{
    return (unsigned)rule < BND_SCALE_COUNT ? rules[rule].who : "";
}

size_t bnd_block_count(void)
{
    return BLOCKS;
}

const char *bnd_block_title(size_t i)
{
    return i < BLOCKS ? blocks[i].title : "";
}

static void set_name(bnd_block *block, const char *name)
{
    bndi_text text = bndi_text_in(block->name, sizeof block->name);
    bndi_text_string(&text, name);
}

/* The names in the table are formats: the test of the table parses each row. */
static bnd_format format_of(const char *name)
{
    bnd_format f = {0};
    (void)!bnd_format_parse(&f, name, NULL);
    return f;
}

static bnd_block block_of(const block_row *r)
{
    bnd_block block = {.element = format_of(r->element),
                       .scale = format_of(r->scale),
                       .rule = (uint8_t)r->rule,
                       .sharing = BND_SHARE_BLOCK,
                       .tensor = r->tensor,
                       .integer = r->integer,
                       .least = r->least,
                       .along = r->length,
                       .across = 1};
    set_name(&block, r->name);
    return block;
}

bool bnd_block_at(bnd_block *out, size_t i)
{
    if (i < BLOCKS) {
        *out = block_of(&blocks[i]);
    }
    return i < BLOCKS;
}

/* ---- rules ---- */

/* The rule of this name, or BND_SCALE_COUNT. Recipes use / for something else. */
static unsigned find_rule(const char *name, size_t length)
{
    unsigned rule = 0;
    while (rule < BND_SCALE_COUNT && !bndi_same_word(name, length, rules[rule].name)) {
        rule++;
    }
    return bndi_same_word(name, length, "fouroversix") ? BND_SCALE_FOUR_SIX : rule;
}

static bnd_status set_rule(bnd_block *block, const char *name, size_t length, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, length);
    const unsigned rule = find_rule(name, length);
    for (unsigned i = 0; rule == BND_SCALE_COUNT && i < BND_SCALE_COUNT; i++) {
        bndi_nearest_offer(&nearest, rules[i].name, bndi_length(rules[i].name));
    }
    if (rule == BND_SCALE_COUNT) {
        return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown scale rule",
                                 "(available: floor, ceil, even, rceil, ct, mse; nearest if scales are not powers of "
                                 "two; 4/6 of nvfp4)");
    }
    bnd_block changed = *block;
    changed.rule = (uint8_t)rule;
    const bnd_status status = bndi_check_rule(&changed, why);
    if (status == BND_OK) {
        block->rule = changed.rule;
    }
    return status;
}

bnd_status bnd_scale_rule_parse(bnd_block *block, const char *name, bnd_error *why)
{
    return set_rule(block, name, bndi_length(name), why);
}

/* ---- an element and how it is scaled ---- */

/* The decimal size of a tile; *at moves past the digits. 0 means there is no valid size: no tile has the size 0 or one
 * larger than memory. */
static size_t take_size(const char *text, size_t length, size_t *at)
{
    size_t value = 0;
    bool fits = true;
    for (; *at < length && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        size_t digit = (size_t)(text[*at] - '0');
        fits = fits && value <= (SIZE_MAX / 2 - digit) / 10;
        value = fits ? 10 * value + digit : 0;
    }
    return value;
}

/* Does a word behind a colon say a size? A sign is that of a size, too, which is refused as one. */
static bool begins_size(const char *word, size_t length)
{
    return length > 0 && ((word[0] >= '0' && word[0] <= '9') || word[0] == '-' || word[0] == '+');
}

/* WORD:RxC; the word includes its colon. */
static bool read_tile(bnd_block *block, const char *word, const char *scale, size_t length)
{
    size_t at = bndi_length(word);
    if (length < at || !bndi_same_word(scale, at, word)) {
        return false;
    }
    block->sharing = BND_SHARE_TILE;
    block->along = take_size(scale, length, &at);
    if (at == length || bndi_lower(scale[at]) != 'x') {
        return false;
    }
    at++;
    block->across = take_size(scale, length, &at);
    return at == length && block->along > 0 && block->across > 0;
}

/* row, or row:N: N neighbours of a row. */
static bool read_row(bnd_block *block, const char *scale, size_t length)
{
    size_t at = bndi_length("row:");
    if (bndi_same_word(scale, length, "row")) {
        return true;
    }
    if (length <= at || !bndi_same_word(scale, at, "row:")) {
        return false;
    }
    block->along = take_size(scale, length, &at);
    return at == length && block->along > 0;
}

static void name_parts(bnd_block *block, const char *element, const char *scale, size_t length)
{
    bndi_text text = bndi_text_in(block->name, sizeof block->name);
    bndi_text_string(&text, element);
    bndi_text_char(&text, '/');
    for (size_t i = 0; i < length; i++) {
        bndi_text_char(&text, bndi_lower(scale[i]));
    }
}

/* Finds the row with this element and with scales like those of `like`. */
static bool find_row(bnd_block *out, const bnd_block *like)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        bnd_block block = block_of(&blocks[i]);
        if (bnd_format_same(&block.element, &like->element) && bnd_format_same(&block.scale, &like->scale) &&
            block.least == like->least && block.along == like->along && block.integer == like->integer) {
            *out = block;
            return true;
        }
    }
    return false;
}

/* The format of scales that a word ends in, as row:bf16; the word becomes shorter. */
static bnd_status take_scale_format(bnd_block *block, const char *scale, size_t *length, bnd_error *why)
{
    size_t colon = *length;
    while (colon > 0 && scale[colon - 1] != ':') {
        colon--;
    }
    if (colon == 0 || colon == *length || begins_size(scale + colon, *length - colon)) {
        return BND_OK;
    }
    const bnd_status status = bnd_format_parse_n(&block->scale, scale + colon, *length - colon, why);
    if (status == BND_OK) {
        block->rule = block->scale.precision > 1 ? BND_SCALE_NEAREST : BND_SCALE_RCEIL;
        *length = colon - 1;
    }
    return status;
}

/* A scaling that is known, with sizes that are not; or none that is known. */
static bnd_status no_such_scaling(const char *scale, size_t length, bnd_error *why)
{
    static const struct {
        const char *word, *wanted;
    } sized[] = {{"row", "row, or row:N as row:32"},
                 {"tile", "tile:ROWSxCOLUMNS as tile:1x128"},
                 {"mx", "mx, or mx:ROWSxCOLUMNS as mx:32x32"},
                 {"nvfp4", "nvfp4, or nvfp4:ROWSxCOLUMNS as nvfp4:16x16"}};
    const int shown = (int)(length < 64 ? length : 64);
    size_t n = 0;
    while (n < length && scale[n] != ':') {
        n++;
    }
    for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
        if (bndi_same_word(scale, n, sized[i].word)) {
            return bnd_fail(why, BND_BAD_SYNTAX, 0,
                            "scaling '%.*s' must be %s, with sizes of at least 1 that fit memory", shown, scale,
                            sized[i].wanted);
        }
    }
    return bnd_fail(why, BND_BAD_NAME, 0,
                    "unknown scaling '%.*s' (available: tensor, row, row:N as row:32, row:bf16 with scales in "
                    "bf16, tile:ROWSxCOLUMNS as tile:1x128, mx, nvfp4, nvfp4:16x16)",
                    shown, scale);
}

static bnd_status scaled_in_parts(bnd_block *block, const char *scale, size_t length, bnd_error *why)
{
    const char *const whole = scale;
    const size_t all = length;
    block->scale = *bnd_format_at(BND_FORMAT_FP32);
    block->rule = BND_SCALE_NEAREST;
    bnd_status status = take_scale_format(block, scale, &length, why);
    block->least = (int16_t)(block->scale.precision > 1 ? block->scale.emin : 0);
    if (status != BND_OK) {
        return status;
    }
    if (bndi_same_word(scale, length, "tensor")) {
        block->sharing = BND_SHARE_TENSOR;
    } else if (!read_row(block, scale, length) && !read_tile(block, "tile:", scale, length)) {
        return no_such_scaling(whole, all, why);
    }
    return BND_OK;
}

/* `like` has the element. */
static bnd_status block_scaled_by(bnd_block *out, const char *scale, size_t length, const bnd_block *like,
                                  bnd_error *why)
{
    bnd_block tile = {.along = 0}, block = *like;
    bool mx_tile = read_tile(&tile, "mx:", scale, length), nvfp4_tile = read_tile(&tile, "nvfp4:", scale, length);
    bool mx = mx_tile || bndi_same_word(scale, length, "mx"), tiled = mx_tile || nvfp4_tile;
    bool nvfp4 = nvfp4_tile || bndi_same_word(scale, length, "nvfp4");
    bnd_status status = BND_OK;
    block.across = 1;
    if (mx || nvfp4) {
        block = block_of(&blocks[0]);
        for (size_t i = 0; nvfp4 && i < BLOCKS && !block.tensor; i++) {
            block = block_of(&blocks[i]);
        }
        block.element = like->element;
        block.integer = like->integer;
        block.sharing = tiled ? BND_SHARE_TILE : block.sharing;
        block.along = tiled ? tile.along : block.along;
        block.across = tiled ? tile.across : block.across;
    } else {
        status = scaled_in_parts(&block, scale, length, why);
    }
    name_parts(&block, like->name, scale, length);
    status = status == BND_OK ? bndi_check_block(&block, why) : status;
    if (status == BND_OK && !((mx || nvfp4) && !tiled && find_row(out, &block))) {
        *out = block;
    }
    return status;
}

/* Where the rule begins that a text ends in, or its length: the word after the last colon, unless that is a size or the
 * format of scales after a scaling. A word that is neither is a rule with a wrong name. */
static size_t rule_at(const char *text, size_t length, bool may_name_scales)
{
    size_t colon = length;
    for (size_t i = 0; i < length; i++) {
        colon = text[i] == ':' ? i : colon;
    }
    if (colon == length) {
        return length;
    }
    const char *const word = text + colon + 1;
    const size_t rest = length - colon - 1;
    const bool is_size = begins_size(word, rest);
    bnd_format unused;
    bool other = is_size || (may_name_scales && bnd_format_parse_n(&unused, word, rest, NULL) == BND_OK);
    return other && find_rule(word, rest) == BND_SCALE_COUNT ? length : colon;
}

static bnd_status scaled_with_rule(bnd_block *out, const char *scale, size_t length, const bnd_block *like,
                                   bnd_error *why)
{
    const size_t colon = rule_at(scale, length, true);
    bnd_block block;
    bnd_status status = block_scaled_by(&block, scale, colon, like, why);
    if (status == BND_OK && colon < length) {
        status = set_rule(&block, scale + colon + 1, length - colon - 1, why);
    }
    if (status == BND_OK) {
        *out = block;
    }
    return status;
}

bnd_status bnd_block_scaled(bnd_block *out, const char *scale, const bnd_format *element, bnd_error *why)
{
    bnd_block like = {.element = *element};
    set_name(&like, element->name);
    return scaled_with_rule(out, scale, bndi_length(scale), &like, why);
}

/* ---- names ---- */

static bool row_has_name(const block_row *r, const char *name, size_t length)
{
    const char *others = r->others;
    size_t other_length;
    if (bndi_same_word(name, length, r->name)) {
        return true;
    }
    for (const char *other; other = bndi_next_word(&others, &other_length), other_length > 0;) {
        if (bndi_same(name, length, other, other_length)) {
            return true;
        }
    }
    return false;
}

static bnd_status parse_row(bnd_block *out, const char *name, size_t length, bnd_error *why)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        if (row_has_name(&blocks[i], name, length)) {
            *out = block_of(&blocks[i]);
            return BND_OK;
        }
    }
    bndi_nearest nearest = bndi_nearest_to(name, length);
    char all[256]; /* more than the names take */
    bndi_text text = bndi_text_in(all, sizeof all);
    for (size_t i = 0; i < BLOCKS; i++) {
        bndi_nearest_offer(&nearest, blocks[i].name, bndi_length(blocks[i].name));
        bndi_text_string(&text, i == 0 ? "(available: " : ", ");
        bndi_text_string(&text, blocks[i].name);
    }
    bndi_text_string(&text, "; or a format and its scaling, as e4m3/row)");
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown block format", all);
}

/* int2 ... int8: the integers of that many bits, without the lowest. They are numbers of one exponent with one bit
 * less, and the subnormal numbers below it: the multiples of 1. */
static bool read_integer(bnd_block *out, const char *name, size_t length)
{
    static const char word[] = "int";
    const size_t at = sizeof word - 1;
    if (length != at + 1 || !bndi_same_word(name, at, word) || name[at] < '2' || name[at] > '8') {
        return false;
    }
    char element[BND_BLOCK_NAME_SIZE];
    const unsigned bits = (unsigned)(name[at] - '0') - 1, top = bits - 1;
    bndi_text text = bndi_text_in(element, sizeof element);
    bndi_text_char(&text, 'p');
    bndi_text_unsigned(&text, bits, 10, 1);
    bndi_text_string(&text, "emin");
    bndi_text_unsigned(&text, top, 10, 1);
    bndi_text_string(&text, "emax");
    bndi_text_unsigned(&text, top, 10, 1);
    *out = (bnd_block){.element = format_of(element), .integer = true};
    text = bndi_text_in(out->name, sizeof out->name);
    bndi_text_string(&text, word);
    bndi_text_char(&text, name[at]);
    return true;
}

static bnd_status parse_parts(bnd_block *out, const char *name, size_t length, size_t slash, bnd_error *why)
{
    bnd_block like = {.integer = false};
    bnd_status status = BND_OK;
    if (!read_integer(&like, name, slash)) {
        status = bnd_format_parse_n(&like.element, name, slash, why);
        set_name(&like, like.element.name);
    }
    return status == BND_OK ? scaled_with_rule(out, name + slash + 1, length - slash - 1, &like, why) : status;
}

bnd_status bnd_block_parse(bnd_block *out, const char *name, bnd_error *why)
{
    const size_t length = bndi_length(name);
    size_t slash = 0, colon = length;
    while (slash < length && name[slash] != '/' && name[slash] != ':') {
        slash++;
    }
    if (slash < length && name[slash] == '/') {
        return parse_parts(out, name, length, slash, why);
    }
    colon = rule_at(name, length, false);
    bnd_block block;
    bnd_status status = parse_row(&block, name, colon, why);
    if (status == BND_OK && colon < length) {
        status = set_rule(&block, name + colon + 1, length - colon - 1, why);
    }
    if (status == BND_OK) {
        *out = block;
    }
    return status;
}

size_t bnd_block_print(char *out, size_t size, const bnd_block *block)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_text_string(&text, block->name);
    bndi_text_string(&text, " (");
    bndi_text_string(&text, bnd_scale_rule_name((bnd_scale_rule)block->rule));
    bndi_text_string(&text, "; ");
    bndi_text_string(&text, bnd_scale_rule_who((bnd_scale_rule)block->rule));
    bndi_text_char(&text, ')');
    return text.length;
}

/* ---- notes: one on codes, one on scales ---- */

#define TENSOR_NOTE "the tensor's scale is a factor here, and some tools store its reciprocal, a divisor"
#define SCALE_NOTE  "the scale is a factor here; some tools store its reciprocal, a divisor"
#define NOTES_OF_CODES(text)                                                                                           \
    {                                                                                                                  \
        text, text "; " TENSOR_NOTE, text "; " SCALE_NOTE                                                              \
    }

const char *bnd_block_note(const bnd_block *block)
{
    static const char *const notes[][3] = {
        {"", TENSOR_NOTE, SCALE_NOTE},
        NOTES_OF_CODES(
            "two codes per byte, the first in the low half; safetensors' F4 counts elements, torch's x2 type "
            "counts pairs"),
        NOTES_OF_CODES("codes are two's complement; the lowest one (-128 of int8) is read but never written"),
        NOTES_OF_CODES("codes are two's complement in units of 2^-6; -128 (-2) is read but never written"),
    };
    const bool factors = block->scale.precision > 1 && block->sharing != BND_SHARE_BLOCK;
    const unsigned codes = block->integer ? (block->element.least_quantum == 0 ? 2 : 3) : block->element.width == 4;
    return notes[codes][block->tensor ? 1 : factors ? 2 : 0];
}
