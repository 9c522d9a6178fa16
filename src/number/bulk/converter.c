/* Prepared conversions, for callers with many short arrays of one format (tensors are processed in pieces of 2,048
 * numbers). Without this, each array would need a new plan and calls of the codec. */
#include "bulk/bulk.h"
#include "bulk/environment.h"

/* The words of the codes 0 .. 127, by the two bytes that they have where no lower one is set. */
static bool split_words(const bndi_ready *r, uint8_t third[128], uint8_t fourth[128])
{
    uint8_t codes[128];
    uint32_t words[128], lost = 0;
    for (uint8_t i = 0; i < 128; i++) {
        codes[i] = i;
    }
    r->kernels.decode[BNDI_WORDS_32](&r->plan, words, codes, 128);
    for (unsigned i = 0; i < 128; i++) {
        third[i] = (uint8_t)(words[i] >> 16);
        fourth[i] = (uint8_t)(words[i] >> 24);
        lost |= words[i] & 0xffff;
    }
    return lost == 0;
}

bool bnd_lab_ready_make(bndi_ready *r, bndi_width width, const bnd_format *f, bnd_rule rule, const bnd_context *context)
{
    bnd_error why;
    bool simple = bnd_lab_words_hold(width, f) && bnd_rule_random_bits(rule) == 0 && f->width > 0 && !BNDI_BIG_ENDIAN;
    if (!simple || bnd_rule_check(rule, &why) != BND_OK) {
        return false;
    }
    const bndi_storage packed = bnd_lab_storage_of(f, BND_PACKING_PACKED);
    const bndi_storage storage = packed.packed ? bnd_lab_storage_of(f, BND_PACKING_UNPACKED) : packed;
    bndi_plan_make(&r->plan, width, f, rule);
    bndi_plan_codes(&r->plan, storage.bits / 8, storage.shift);
    r->kernels = bnd_lab_kernels_of(context);
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    r->known.words.asked = r->known.codes.asked = false;
    bndi_ask(&r->plan, false, &r->known.words);
    bndi_ask(&r->plan, true, &r->known.codes);
    const bool bytes = width == BNDI_WORDS_32 && r->plan.code_bytes == 1;
    r->known.upper_halves = bytes && split_words(r, r->known.third, r->known.fourth);
    bndi_leave(before);
    r->plan.known = &r->known;
    return true;
}

bool bnd_lab_ready_for(const bndi_ready *r, bndi_width width, const bnd_format *f, bnd_rule rule)
{
    return r->plan.width == width && __builtin_memcmp(&r->plan.rule, &rule, sizeof rule) == 0 &&
           r->plan.format.row == f->row && bnd_format_same(&r->plan.format, f);
}

void bnd_lab_ready_encode(const bndi_ready *r, void *codes, const void *x, size_t n)
{
    bndi_environment before = bndi_enter(r->plan.mode_to_set);
    r->kernels.encode[r->plan.width](&r->plan, codes, x, NULL, n);
    bndi_leave(before);
}

void bnd_lab_ready_decode(const bndi_ready *r, void *x, const void *codes, size_t n)
{
    bndi_environment before = bndi_enter(r->plan.mode_to_set);
    r->kernels.decode[r->plan.width](&r->plan, x, codes, n);
    bndi_leave(before);
}

void bnd_lab_ready_round(const bndi_ready *r, void *y, const void *x, size_t n)
{
    bndi_environment before = bndi_enter(r->plan.mode_to_set);
    r->kernels.round[r->plan.width](&r->plan, y, x, NULL, n);
    bndi_leave(before);
}

void bnd_lab_ready_count(const bndi_ready *r, bndi_tally *tally, const void *x, const void *y, size_t n)
{
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    r->kernels.tally[r->plan.width](&r->plan, tally, x, y, NULL, n);
    bndi_leave(before);
}
