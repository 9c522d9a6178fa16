/* Candidates: their names, their floors, their bytes; and the verdicts. */
#include "scan/scan.h"

#include <stdio.h>
#include <string.h>

const char *bnd_candidate_defaults(void)
{
    return "bf16,e4m3,e4m3/tensor,e4m3/row,e4m3/tile:128x128,mxfp8,nvfp4,mxfp4";
}

/* ---- names ---- */

/* int8: magnitudes of 7 bits, and a sign. */
static unsigned bits_of_integers(const bnd_candidate *c)
{
    return c->block.element.precision + 1u;
}

/* What normally distributed numbers keep, in dB. Floats: measured; each bit more halves the error. Integers: the step
 * is eight standard deviations over 2^b, and an error is uniform within half a step. */
static double floor_of(const bnd_candidate *c)
{
    return c->shared && c->block.integer ? 6.02 * bits_of_integers(c) - 7.3 : 13.5 + 6.02 * (c->format.precision - 1);
}

static bnd_status check_codes(const bnd_candidate *c, bnd_error *why)
{
    if (c->shared && c->block.sharing == BND_SHARE_TENSOR && c->block.rule == BND_SCALE_MSE) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: a scan cannot search the scale of a whole tensor by mse; it can for row, tile and blocks",
                        c->name);
    }
    bool has_codes = c->format.width > 0 || (c->shared && c->block.integer);
    return has_codes ? BND_OK
                     : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes to store", c->name);
}

static bool names_a_scaling(const char *text)
{
    return strpbrk(text, "/:") != NULL || strncmp(text, "mx", 2) == 0 || strncmp(text, "nv", 2) == 0;
}

/* Integers have no format without a scale: "int8" is not one, and "int8/row" is. */
static bool needs_a_scale(const char *name)
{
    char with_scale[BND_BLOCK_NAME_SIZE + sizeof "/row"];
    bnd_block block;
    snprintf(with_scale, sizeof with_scale, "%s/row", name);
    return bnd_block_parse(&block, with_scale, NULL) == BND_OK && block.integer;
}

/* A format, or else a block format; of an unknown name the error is that of what it looks like. */
bnd_status bnd_candidate_parse(bnd_candidate *out, const char *text, bnd_error *why)
{
    bnd_candidate c;
    bnd_error of_format, of_block;
    memset(&c, 0, sizeof c);
    if (strlen(text) >= sizeof c.name) {
        return bnd_fail(why, BND_BAD_NAME, 0, "a candidate's name must be shorter than %zu bytes", sizeof c.name);
    }
    for (size_t i = 0; text[i] != '\0'; i++) {
        c.name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]);
    }
    bnd_status status = bnd_format_parse(&c.format, c.name, &of_format);
    if (status != BND_OK) {
        bnd_status other = bnd_block_parse(&c.block, c.name, &of_block);
        if (other != BND_OK) {
            if (needs_a_scale(c.name)) {
                return bnd_fail(why, BND_BAD_NAME, 0, "%s needs a scale: try %s/row", c.name, c.name);
            }
            bool block = names_a_scaling(c.name);
            if (why != NULL) {
                *why = block ? of_block : of_format;
            }
            return block ? other : status;
        }
        c.shared = true;
        c.format = c.block.element;
    }
    c.floor = floor_of(&c);
    status = check_codes(&c, why);
    if (status == BND_OK) {
        *out = c;
    }
    return status;
}

/* ---- bytes ---- */

static bool to_sizes(size_t *sizes, const uint64_t *shape, size_t rank)
{
    for (size_t i = 0; i < rank; i++) {
        sizes[i] = (size_t)shape[i];
        if (sizes[i] != shape[i]) {
            return false;
        }
    }
    return rank <= BND_SAFETENSORS_RANK_MAX;
}

/* Codes without gaps. */
static uint64_t bytes_of_codes(unsigned bits, const uint64_t *shape, size_t rank)
{
    uint64_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] != 0 && count > UINT64_MAX / 64 / shape[i]) {
            return 0;
        }
        count *= shape[i];
    }
    return (count * bits + 7) / 8;
}

/* A tile needs two dimensions; fewer are one row. */
bool bndi_candidate_shape(bnd_shape *out, const bnd_candidate *c, const uint64_t *shape, size_t rank)
{
    size_t sizes[BND_SAFETENSORS_RANK_MAX + 2] = {1, 1};
    size_t more = rank < 2 ? 2 - rank : 0;
    return rank <= BND_SAFETENSORS_RANK_MAX && to_sizes(sizes + more, shape, rank) &&
           bnd_block_shape(out, &c->block, sizes, rank + more, rank + more - 1, NULL) == BND_OK;
}

uint64_t bnd_candidate_bytes(const bnd_candidate *c, const uint64_t *shape, size_t rank)
{
    bnd_shape blocks;
    if (!c->shared) {
        return bytes_of_codes(c->format.width, shape, rank);
    }
    if (!bndi_candidate_shape(&blocks, c, shape, rank)) {
        return 0;
    }
    const unsigned bits = c->block.integer ? bits_of_integers(c) : c->format.width;
    return bytes_of_codes(bits, shape, rank) + bnd_block_scales_size(&c->block, blocks) +
           (c->block.tensor ? sizeof(float) : 0);
}

/* ---- verdicts ---- */

static const char *const texts[BND_SURVIVALS] = {"exact", "at the format's floor", "lossy", "breaks"};
static const char *const keys[BND_SURVIVALS] = {"exact", "floor", "lossy", "breaks"};

const char *bnd_survival_text(bnd_survival verdict)
{
    return (unsigned)verdict < BND_SURVIVALS ? texts[verdict] : "";
}

const char *bnd_survival_key(bnd_survival verdict)
{
    return (unsigned)verdict < BND_SURVIVALS ? keys[verdict] : "";
}

bnd_survival bnd_loss_verdict(const bnd_candidate *candidate, const bnd_loss *loss, uint64_t nonzero)
{
    if (loss->broken > 0 || loss->sqnr < (double)BND_BREAKS_BELOW || loss->to_zero > nonzero / 2) {
        return BND_BREAKS;
    }
    if (loss->exact == loss->elements) {
        return BND_SURVIVES_EXACT;
    }
    bool near = loss->sqnr >= candidate->floor - (double)BND_FLOOR_MARGIN;
    bool beyond = loss->overflows > 0 && !candidate->shared;
    return near && !beyond ? BND_SURVIVES_FLOOR : BND_SURVIVES_LOSSY;
}
