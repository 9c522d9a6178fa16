/* Makes the plan of the kernels from a format and a rule. */
#include "bulk/bulk.h"
#include "bulk/environment.h"
#include "format/format.h"

static const bnd_format *words_format(bndi_width width)
{
    return &bndi_formats[width == BNDI_WORDS_32 ? BND_FORMAT_FP32 : BND_FORMAT_FP64];
}

const bnd_format *bnd_lab_format_of_words(bndi_width width)
{
    return words_format(width);
}

/* Precision and emin say where the lowest bit is. A format whose numbers are all subnormal (e1m3) has an emin above its
 * emax: the kernels need 2^emin to be a number too. */
bool bnd_lab_words_hold(bndi_width width, const bnd_format *f)
{
    const bnd_format *w = words_format(width);
    return f->precision <= w->precision && f->emin >= w->emin && f->emin <= w->emax && f->emax <= w->emax;
}

/* One number below 2^emin of the words is a subnormal word: the only one of E8M0 in fp32, 2^-127 or 00400000. It is the
 * codec's, and the format's code 0. */
static bool holds_but_least(bndi_width width, const bnd_format *f)
{
    const bnd_format *w = words_format(width);
    return f->precision == 1 && !f->has_zero && !f->has_subnormals && f->emin == w->emin - 1 && f->emax <= w->emax;
}

bool bndi_words_convert(bndi_width width, const bnd_format *f)
{
    return bnd_lab_words_hold(width, f) || holds_but_least(width, f);
}

/* significand * 2^quantum, which the words hold. */
static uint64_t word_of_value(const bndi_plan *plan, uint64_t significand, int32_t quantum)
{
    const bnd_format *w = plan->words;
    int32_t above = 63 - __builtin_clzll(significand), exponent = quantum + above;
    if (exponent < w->emin) {
        return significand << (quantum - (w->emin - w->fraction_bits));
    }
    uint64_t fraction = significand - (UINT64_C(1) << above);
    return (uint64_t)(uint32_t)(exponent + w->bias) << w->fraction_bits | fraction << (w->fraction_bits - above);
}

/* The codec's result for x, as a word or as a code. */
static uint64_t ask(const bndi_plan *plan, bool as_code, bnd_exact x)
{
    bnd_exact value = bnd_round_exact(&plan->format, x, plan->rule, 0).value;
    return bnd_pack(as_code ? &plan->format : plan->words, value);
}

void bndi_ask(const bndi_plan *plan, bool as_codes, bndi_results *results)
{
    if (results->asked) {
        return;
    }
    if (plan->known != NULL) {
        *results = as_codes ? plan->known->codes : plan->known->words;
        return;
    }
    for (int negative = 0; negative < 2; negative++) {
        bnd_exact x = {.low = 1, .exponent = plan->format.emax + 2, .kind = BND_KIND_FINITE, .negative = negative != 0};
        results->overflow[negative] = ask(plan, as_codes, x);
        x.kind = BND_KIND_INFINITE;
        results->infinity[negative] = ask(plan, as_codes, x);
        x.kind = BND_KIND_ZERO;
        results->zero[negative] = ask(plan, as_codes, x);
        x.kind = BND_KIND_QUIET_NAN;
        x.high = UINT64_C(1) << 63;
        results->nan[negative] = ask(plan, as_codes, x);
    }
    bnd_exact minus_one = {.low = 1, .kind = BND_KIND_FINITE, .negative = true};
    results->negative = plan->nonnegative_only ? ask(plan, as_codes, minus_one) : 0;
    results->asked = true;
}

/* ---- what the vector kernels do ---- */

/* Bits that FLOAT keeps below the format's last one for the random ones: B adds 2 R + 1 to one bit more. */
static unsigned extra_bits(const bndi_plan *plan)
{
    switch (plan->rule.rounding) {
    case BND_ROUND_RNA: /* is A with one random bit that is 1 */
        return 1;
    case BND_ROUND_SR:
    case BND_ROUND_SRA:
        return plan->random_bits;
    case BND_ROUND_SRB:
        return plan->random_bits + 1;
    default:
        return 0;
    }
}

static bnd_rounding mode_of_float(const bndi_plan *plan)
{
    switch (plan->rule.rounding) {
    case BND_ROUND_RNE:
    case BND_ROUND_SR: /* P3109's C rounds the discarded fraction itself to nearest even */
        return BND_ROUND_RNE;
    case BND_ROUND_RUP:
        return BND_ROUND_RUP;
    case BND_ROUND_RDN:
        return BND_ROUND_RDN;
    default:
        return BND_ROUND_RTZ;
    }
}

/* FLOAT needs a number M for the highest binade (that of 2^emin, where all numbers are subnormal), with room for a
 * significand, a carry, the extra bits, and the code's exponent besides. */
static bool float_fits(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    int32_t fraction = plan->words->fraction_bits, top = 2 * plan->words->bias; /* the highest field of a number */
    int32_t kept = f->precision - 1 + (int32_t)plan->extra;
    if (!BNDI_HAS_ENVIRONMENT && plan->mode_to_set != BND_ROUND_RNE) {
        return false;
    }
    int32_t highest = (f->emax > f->emin ? f->emax : f->emin) + plan->words->bias + fraction - kept;
    return kept + 1 <= fraction && highest <= top && (int32_t)bnd_magnitude_bits(f) <= fraction - 2;
}

static void choose_family(bndi_plan *plan)
{
    plan->extra = extra_bits(plan);
    plan->mode_to_set = mode_of_float(plan);
    /* The random bits must fit a lane, from which not all of them can be shifted out. At one bit of precision the only
     * bit is not in the word, so that odd is another matter. */
    const unsigned most_random = plan->drop > 0 ? 32 : 31;
    bool too_random = plan->width == BNDI_WORDS_32 && plan->random_bits > most_random;
    bool one_bit = plan->format.precision < 2;
    if (too_random || (one_bit && plan->rule.rounding == BND_ROUND_RTO)) {
        plan->family = BNDI_PORTABLE;
    } else {
        plan->family = !one_bit && float_fits(plan) ? BNDI_FLOAT : BNDI_UNIFORM;
    }
}

static uint64_t larger_word(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void set_limits(bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    const uint64_t hidden = UINT64_C(1) << plan->words->fraction_bits;
    /* With one bit of precision and ties by the significand every tie goes up, but half the least number to zero. */
    bool ties_up = f->precision == 1 && !plan->code_parity;
    bool same_subnormals = plan->bottom == 1 && f->has_subnormals && !ties_up;
    plan->portable_below = plan->codec_below;
    if (plan->family == BNDI_UNIFORM && !same_subnormals) {
        plan->portable_below = larger_word(plan->portable_below, plan->normal);
    }
    if (plan->rule.flush_in) {
        plan->portable_below = larger_word(plan->portable_below, hidden);
    }
    if (!f->has_zero) {
        plan->portable_below = larger_word(plan->portable_below, plan->least);
    }
    plan->plain_low = plan->portable_below;
    if (!f->has_negative_zero) {
        plan->plain_low = larger_word(plan->plain_low, plan->least);
    }
    if (plan->rule.flush_out) {
        plan->plain_low = larger_word(plan->plain_low, plan->normal);
    }
    plan->plain_span = plan->max - plan->plain_low;
    if (plan->plain_low > plan->max) { /* nothing is plain: e1m1 with flush_out, whose numbers are all subnormal */
        plan->plain_span = 0;
        plan->family = BNDI_PORTABLE;
    }
    int32_t field = f->emax + 1 + plan->words->bias, top = 2 * plan->words->bias + 1;
    plan->overflow_from = (uint64_t)(uint32_t)(field < top ? field : top) << plan->words->fraction_bits;
}

static void set_magic(bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    unsigned fraction = plan->words->fraction_bits, kept = f->precision - 1u + plan->extra;
    uint64_t up = fraction - kept; /* from the exponent of a number to that of its M */
    uint64_t magnitude = (UINT64_C(1) << bnd_magnitude_bits(f)) - 1;
    /* A code is its significand, hidden bit and all, plus (field - code_bottom) << fraction_bits. */
    uint64_t offset = (0 - ((uint64_t)(uint32_t)plan->code_bottom << f->fraction_bits)) & magnitude;
    plan->magic = up << fraction;
    plan->code_magic = plan->magic + (plan->extra == 0 ? offset : 0);
}

static void choose_decoding(bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    bool same_fields = f->has_subnormals && plan->bottom == 1;
    plan->decode_family = f->has_subnormals && !same_fields ? BNDI_FLOAT : BNDI_UNIFORM;
    plan->code_low = f->has_subnormals ? !f->has_zero : UINT64_C(1) << f->fraction_bits;
    if (plan->code_low > f->max_code) { /* nothing is plain */
        plan->code_low = f->max_code;
    }
    plan->code_span = f->max_code - plan->code_low;
}

static unsigned bytes_for(unsigned bits)
{
    return bits == 0 ? 0 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

void bndi_plan_make(bndi_plan *plan, bndi_width width, const bnd_format *f, bnd_rule rule)
{
    *plan = (bndi_plan){.format = *f, .words = words_format(width), .rule = rule, .width = width};
    plan->random_bits = bnd_rule_random_bits(rule);
    plan->random_bytes = bytes_for(plan->random_bits);
    plan->exact = bndi_words_convert(width, f);
    if (!plan->exact) {
        return;
    }
    plan->drop = plan->words->fraction_bits - (f->precision - 1u);
    plan->bottom = f->emin + plan->words->bias;
    plan->code_bottom = plan->bottom + !f->has_subnormals;
    plan->code_parity = f->precision == 1 && bnd_ties_by_code(f, rule);
    plan->parity_offset = (uint32_t)(f->bias - plan->words->bias);
    plan->keeps_payload = f->has_nan && f->ieee_nans && (rule.nan == BND_NAN_PROPAGATE || rule.nan == BND_NAN_X86);
    plan->max = word_of_value(plan, f->max_significand, f->max_quantum);
    plan->normal = word_of_value(plan, f->normal_significand, f->normal_quantum);
    plan->least = word_of_value(plan, f->least_significand, f->least_quantum);
    plan->codec_below = f->has_subnormals ? 0 : plan->least;
    if (f->emin < plan->words->emin) {
        plan->codec_below = UINT64_C(1) << plan->words->fraction_bits;
    }
    if (rule.flush_out == BND_FLUSH_TINY) {
        plan->codec_below = larger_word(plan->codec_below, plan->normal);
    }
    plan->nonnegative_only = !f->is_signed && rule.negative == BND_NEGATIVE_NAN;
    choose_family(plan);
    set_limits(plan);
    set_magic(plan);
    choose_decoding(plan);
}

void bndi_plan_codes(bndi_plan *plan, unsigned code_bytes, unsigned code_shift)
{
    plan->code_bytes = code_bytes;
    plan->code_shift = code_shift;
    /* Such a code has the word's whole exponent field. e7m7b127 has the same exponents at its lower end, and one bit
     * fewer. */
    plan->upper_half = plan->family == BNDI_UNIFORM && plan->drop == 16 && plan->bottom == 1 && code_bytes == 2 &&
                       plan->format.exponent_bits == 8;
}

/* ---- the codec, a word at a time ---- */

uint64_t bndi_round_word(const bndi_plan *plan, uint64_t bits, uint64_t random)
{
    bnd_exact x = bnd_unpack(plan->words, bits);
    if (plan->rule.flush_in && bnd_classify(plan->words, x) == BND_CLASS_SUBNORMAL) {
        x = (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative};
    }
    bnd_rounded r = bnd_round_exact(&plan->format, x, plan->rule, random);
    return bndi_nearest_word(plan->words, r.value);
}

uint64_t bndi_decode_word(const bndi_plan *plan, uint64_t code)
{
    return bndi_nearest_word(plan->words, bnd_unpack(&plan->format, code));
}
