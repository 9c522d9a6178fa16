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

static bnd_status set_rule(bnd_block *block, const char *name, size_t length, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, length);
    unsigned rule = 0;
    while (rule < BND_SCALE_COUNT && !bndi_same_word(name, length, rules[rule].name)) {
        bndi_nearest_offer(&nearest, rules[rule].name, bndi_length(rules[rule].name));
        rule++;
    }
    if (rule == BND_SCALE_COUNT) {
        return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown scale rule",
                                 "(available: floor, ceil, even, rceil, ct; nearest if scales are not powers of two)");
    }
    if (rule == BND_SCALE_NEAREST && block->scale.precision == 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the scales of %s are powers of two; their rule must be floor, ceil, even, rceil or ct",
                        block->name);
    }
    if (rule != BND_SCALE_NEAREST && block->tensor) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the scales of %s are %s numbers; their rule must be nearest",
                        block->name, block->scale.name);
    }
    block->rule = (uint8_t)rule;
    return BND_OK;
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

static void name_parts(bnd_block *block, const char *scale, size_t length)
{
    bndi_text text = bndi_text_in(block->name, sizeof block->name);
    bndi_text_string(&text, block->element.name);
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
            block.least == like->least && block.along == like->along) {
            *out = block;
            return true;
        }
    }
    return false;
}

static bnd_status block_scaled_by(bnd_block *out, const char *scale, size_t length, const bnd_format *element,
                                  bnd_error *why)
{
    bnd_block tile = {.along = 0};
    bool mx_tile = read_tile(&tile, "mx:", scale, length), nvfp4_tile = read_tile(&tile, "nvfp4:", scale, length);
    bool mx = mx_tile || bndi_same_word(scale, length, "mx"), tiled = mx_tile || nvfp4_tile;
    bool nvfp4 = nvfp4_tile || bndi_same_word(scale, length, "nvfp4");
    bnd_block block = {
        .element = *element, .scale = *bnd_format_at(BND_FORMAT_FP32), .rule = BND_SCALE_NEAREST, .across = 1};
    block.least = (int16_t)block.scale.emin;
    if (mx || nvfp4) {
        block = block_of(&blocks[0]);
        for (size_t i = 0; nvfp4 && i < BLOCKS && !block.tensor; i++) {
            block = block_of(&blocks[i]);
        }
        block.element = *element;
        block.sharing = tiled ? BND_SHARE_TILE : block.sharing;
        block.along = tiled ? tile.along : block.along;
        block.across = tiled ? tile.across : block.across;
    } else if (bndi_same_word(scale, length, "tensor")) {
        block.sharing = BND_SHARE_TENSOR;
    } else if (!read_row(&block, scale, length) && !read_tile(&block, "tile:", scale, length)) {
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "unknown scaling '%.*s' (available: tensor, row, row:N as row:32, tile:ROWSxCOLUMNS as "
                        "tile:1x128, mx, nvfp4, nvfp4:16x16)",
                        (int)(length < 64 ? length : 64), scale);
    }
    name_parts(&block, scale, length);
    bnd_status status = bndi_check_block(&block, why);
    if (status == BND_OK && !((mx || nvfp4) && !tiled && find_row(out, &block))) {
        *out = block;
    }
    return status;
}

bnd_status bnd_block_scaled(bnd_block *out, const char *scale, const bnd_format *element, bnd_error *why)
{
    return block_scaled_by(out, scale, bndi_length(scale), element, why);
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
    bndi_nearest nearest = bndi_nearest_to(name, length);
    for (size_t i = 0; i < BLOCKS; i++) {
        if (row_has_name(&blocks[i], name, length)) {
            *out = block_of(&blocks[i]);
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, blocks[i].name, bndi_length(blocks[i].name));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown block format",
                             "(available: mxfp8, mxfp8-e5m2, mxfp6-e2m3, mxfp6-e3m2, mxfp4, mxint8, nvfp4; or a format "
                             "and its scaling, as e4m3/row)");
}

static bnd_status parse_parts(bnd_block *out, const char *name, size_t length, size_t slash, bnd_error *why)
{
    bnd_format element;
    bnd_status status = bnd_format_parse_n(&element, name, slash, why);
    return status == BND_OK ? block_scaled_by(out, name + slash + 1, length - slash - 1, &element, why) : status;
}

bnd_status bnd_block_parse(bnd_block *out, const char *name, bnd_error *why)
{
    size_t length = bndi_length(name), slash = length, colon = length;
    for (size_t i = 0; i < length; i++) {
        slash = name[i] == '/' && slash == length ? i : slash;
        colon = name[i] == ':' ? i : colon;
    }
    /* The last colon begins a rule, unless it belongs to a size. */
    bool of_tile = colon < length && name[colon + 1] >= '0' && name[colon + 1] <= '9';
    colon = of_tile ? length : colon;
    bnd_block block;
    bnd_status status =
        slash < colon ? parse_parts(&block, name, colon, slash, why) : parse_row(&block, name, colon, why);
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

const char *bnd_block_note(const bnd_block *block)
{
    if (block->tensor) {
        return "two codes per byte, the first in the low half; safetensors' F4 counts elements, torch's x2 type counts "
               "pairs; the tensor's scale is a factor here, and some tools store its reciprocal, a divisor";
    }
    if (block->element.width == 4) {
        return "two codes per byte, the first in the low half; safetensors' F4 counts elements, torch's x2 type counts "
               "pairs";
    }
    if (block->integer) {
        return "codes are two's complement in units of 2^-6; -128 (-2) is read but never written";
    }
    if (block->scale.precision > 1 && block->sharing != BND_SHARE_BLOCK) {
        return "the scale is a factor here; some tools store its reciprocal, a divisor";
    }
    return "";
}
