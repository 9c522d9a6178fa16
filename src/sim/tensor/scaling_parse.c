/* The parser of a policy's scaling options. */
#include "base/base.h"
#include "tensor/handle.h"

enum { HISTORY = 1024, HISTORY_MOST = 1 << 20, MARGIN_MOST = 64 };

bool bndi_is_stored(bnd_role role)
{
    return role == BND_ROLE_PARAM || role == BND_ROLE_MASTER || role == BND_ROLE_GRAD || role == BND_ROLE_ACCUMULATE ||
           role == BND_ROLE_M || role == BND_ROLE_V || role == BND_ROLE_EXTRA;
}

bool bndi_is_operand_role(bnd_role role)
{
    return role >= BND_ROLE_FWD_X && role <= BND_ROLE_NS;
}

/* Parses :NUMBER and moves *at behind it; false if the text there is something else. */
static bool take_number(uint32_t *out, const char *text, size_t *at)
{
    uint64_t value = 0;
    size_t i = *at + 1;
    if (text[*at] != ':') {
        return text[*at] == 0;
    }
    for (; text[i] >= '0' && text[i] <= '9' && value <= UINT32_MAX; i++) {
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    bool good = i > *at + 1 && value <= UINT32_MAX;
    *at = i;
    *out = (uint32_t)value;
    return good;
}

typedef struct kind_row {
    const char *name;
    bndi_scaling_kind kind;
    bool is_signed, is_linear;
} kind_row;

static const kind_row kinds[] = {
    {"current", BNDI_CURRENT, false, false}, {"delayed", BNDI_DELAYED, false, false},
    {"dynamic", BNDI_DYNAMIC, true, false},  {"udynamic", BNDI_DYNAMIC, false, false},
    {"linear", BNDI_DYNAMIC, true, true},    {"ulinear", BNDI_DYNAMIC, false, true},
};

static bool read_kind(bndi_scaling *out, const char *text, bool *good)
{
    enum { BLOCK = 256 };
    size_t at = 0;
    while (text[at] != 0 && text[at] != ':') {
        at++;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!bndi_same_word(text, at, kinds[i].name)) {
            continue;
        }
        uint32_t first = kinds[i].kind == BNDI_DELAYED   ? HISTORY
                         : kinds[i].kind == BNDI_DYNAMIC ? BLOCK
                                                         : 0,
                 margin = 0;
        *good = take_number(&first, text, &at);
        *good = *good && (kinds[i].kind != BNDI_DELAYED || take_number(&margin, text, &at)) && text[at] == 0;
        margin = kinds[i].kind == BNDI_CURRENT ? first : margin;
        *good = *good && margin <= MARGIN_MOST && first <= HISTORY_MOST && (first > 0 || kinds[i].kind == BNDI_CURRENT);
        *out = (bndi_scaling){
            .kind = kinds[i].kind,
            .dynamic = {.block = first, .is_signed = kinds[i].is_signed, .is_linear = kinds[i].is_linear},
            .steps = first,
            .margin = (int)margin};
        return true;
    }
    return false;
}

/* A word that begins no scaling: what is near it. */
static bool begins_scaling(bndi_nearest *nearest, const char *text)
{
    static const char *const of_blocks[] = {"tensor", "row", "tile", "mx", "nvfp4"};
    enum { BLOCKS = sizeof of_blocks / sizeof of_blocks[0], KINDS = sizeof kinds / sizeof kinds[0] };
    size_t length = 0;
    bool found = false;
    while (text[length] != 0 && text[length] != ':') {
        length++;
    }
    *nearest = bndi_nearest_to(text, length);
    for (size_t i = 0; i < BLOCKS + KINDS; i++) {
        const char *name = i < BLOCKS ? of_blocks[i] : kinds[i - BLOCKS].name;
        found = found || bndi_same_word(text, length, name);
        bndi_nearest_offer(nearest, name, bndi_length(name));
    }
    return found;
}

/* SCALING:unclamped, SCALING:eden: the name without the word is that of blocks. */
static bndi_unbiased_way take_unbiased(char rest[BND_SCALING_SIZE], const char *text)
{
    static const char *const words[] = {[BNDI_UNCLAMPED] = ":unclamped", [BNDI_EDEN] = ":eden"};
    const size_t length = bndi_length(text);
    bndi_text all = bndi_text_in(rest, BND_SCALING_SIZE);
    for (unsigned way = BNDI_UNCLAMPED; way <= BNDI_EDEN; way++) {
        const size_t word = bndi_length(words[way]);
        if (length > word && bndi_same_word(text + length - word, word, words[way])) {
            bndi_text_bytes(&all, text, length - word);
            return (bndi_unbiased_way)way;
        }
    }
    bndi_text_bytes(&all, text, length);
    return BNDI_BIASED;
}

/* MS-EDEN: blocks of elements with codes. Unclamped ones: those too, or scales that are powers of two, rounded down. */
static bnd_status check_unbiased(bndi_scaling *s, const char *scaling, bnd_role role, bnd_error *why)
{
    bnd_block *block = &s->block;
    const bool nvfp4 = block->tensor && block->scale.precision == 4,
               powers = !block->tensor && block->scale.precision == 1;
    const bool blocks = block->sharing == BND_SHARE_BLOCK && block->along > 0;
    const bool fits = s->unbiased == BNDI_EDEN ? nvfp4 && block->element.width > 0 : nvfp4 || powers;
    if (s->unbiased == BNDI_BIASED) {
        return BND_OK;
    }
    if (!blocks || !fits || !bndi_is_operand_role(role)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "role %s: scaling '%s' is not available; of operands of GEMMs, nvfp4:eden (elements with codes), "
            "nvfp4:unclamped and mx:unclamped are",
            bnd_role_name(role), scaling);
    }
    block->rule = powers ? BND_SCALE_FLOOR : block->rule;
    return BND_OK;
}

bnd_status bndi_scaling_parse(bndi_scaling *out, const bnd_cast *cast, bnd_role role, bnd_error *why)
{
    bndi_scaling scaling = {.kind = BNDI_BLOCKS};
    const char *name = bnd_role_name(role);
    bool good = true;
    if (cast->scaling[0] == 0) {
        *out = (bndi_scaling){.kind = BNDI_UNSCALED};
        return BND_OK;
    }
    if (!read_kind(&scaling, cast->scaling, &good)) {
        char blocks[BND_SCALING_SIZE];
        bndi_nearest nearest;
        scaling.unbiased = take_unbiased(blocks, cast->scaling);
        bnd_status status =
            begins_scaling(&nearest, cast->scaling)
                ? bnd_block_scaled(&scaling.block, blocks, &cast->format, why)
                : bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown scaling",
                                    "(available: tensor, row[:N], tile:RxC, mx, nvfp4, current, delayed, dynamic, "
                                    "udynamic, linear, ulinear)");
        status = status == BND_OK ? check_unbiased(&scaling, cast->scaling, role, why) : status;
        if (status != BND_OK) {
            return status;
        }
    }
    bool of_operands = scaling.kind == BNDI_CURRENT || scaling.kind == BNDI_DELAYED;
    if (!good) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "role %s: scaling '%s' must be current[:MARGIN], delayed[:STEPS[:MARGIN]], dynamic[:N], "
                        "udynamic[:N], linear[:N] or ulinear[:N], with STEPS and N up to 2^20 and MARGIN up to 2^64",
                        name, cast->scaling);
    }
    bool operand = bndi_is_operand_role(role), stored = bndi_is_stored(role);
    bool serves = operand ? scaling.kind != BNDI_DYNAMIC : stored && !of_operands;
    if (!serves) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "scaling '%s' is not available for role %s (available: %s)",
                        cast->scaling, name,
                        operand  ? "tensor, row[:N], tile:RxC, mx, nvfp4, current, delayed"
                        : stored ? "tensor, row[:N], tile:RxC, mx, nvfp4, dynamic:N, udynamic:N, linear:N, ulinear:N"
                                 : "none");
    }
    *out = scaling;
    return BND_OK;
}
