/* From a format and a rule to what the kernels work with. */
#include "bulk/bulk.h"
#include "format/format.h"

static bnd_format format_of_words(bndi_width width)
{
    const bndi_layout fp32 = {.is_signed = true, .exponent_bits = 8, .fraction_bits = 23, .bias = 127};
    const bndi_layout fp64 = {.is_signed = true, .exponent_bits = 11, .fraction_bits = 52, .bias = 1023};
    return bndi_format_of_layout(width == BNDI_WORDS_32 ? &fp32 : &fp64);
}

/* Are all values of f values of the words' format? (Precision and emin say where the lowest bit is.) */
static bool holds(const bnd_format *words, const bnd_format *f)
{
    return f->precision <= words->precision && f->emin >= words->emin && f->emax <= words->emax;
}

static uint64_t word(const bndi_plan *plan, uint64_t significand, int32_t quantum)
{
    bnd_exact value = {.low = significand, .exponent = quantum, .kind = BND_FINITE};
    return bnd_pack(&plan->words, value);
}

/* What the codec makes of x, as a word. */
static uint64_t rounded_word(const bndi_plan *plan, bnd_exact x)
{
    return bnd_pack(&plan->words, bnd_round_exact(&plan->format, x, plan->rule, 0).value);
}

static void ask_the_codec(bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    for (int negative = 0; negative < 2; negative++) {
        bnd_exact x = {.low = 1, .exponent = f->emax + 2, .kind = BND_FINITE, .negative = negative != 0};
        plan->overflow[negative] = rounded_word(plan, x);
        x.kind = BND_INFINITE;
        plan->infinity[negative] = rounded_word(plan, x);
        x.kind = BND_ZERO;
        plan->zero[negative] = rounded_word(plan, x);
        x.kind = BND_QUIET_NAN;
        x.high = UINT64_C(1) << 63;
        plan->nan[negative] = rounded_word(plan, x);
    }
    bnd_exact minus_one = {.low = 1, .kind = BND_FINITE, .negative = true};
    plan->nonnegative_only = !f->is_signed && plan->rule.negative == BND_NEGATIVE_NAN;
    plan->negative = plan->nonnegative_only ? rounded_word(plan, minus_one) : 0;
}

void bndi_plan_make(bndi_plan *plan, bndi_width width, const bnd_format *f, bnd_rule rule)
{
    *plan = (bndi_plan){.format = *f, .words = format_of_words(width), .rule = rule, .width = width};
    plan->random_bits = bnd_rule_random_bits(rule);
    plan->exact = holds(&plan->words, f);
    if (!plan->exact) {
        return;
    }
    plan->drop = plan->words.fraction_bits - (f->precision - 1u);
    plan->bottom = f->emin + plan->words.bias;
    plan->code_parity = f->precision == 1 && bnd_ties_by_code(f, rule);
    plan->parity_offset = (uint32_t)(f->bias - plan->words.bias);
    plan->keeps_payload = f->has_nan && f->ieee_nans && (rule.nan == BND_NAN_PROPAGATE || rule.nan == BND_NAN_X86);
    plan->max = word(plan, f->max_significand, f->max_quantum);
    plan->normal = word(plan, f->normal_significand, f->normal_quantum);
    plan->least = word(plan, f->least_significand, f->least_quantum);
    plan->difficult = f->has_subnormals ? 0 : plan->least;
    ask_the_codec(plan);
}

/* The word nearest to any value; NaNs keep sign and payload, and are quiet. */
static uint64_t nearest_word(const bndi_plan *plan, bnd_exact value)
{
    return bnd_encode_exact(&plan->words, value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

uint64_t bndi_round_word(const bndi_plan *plan, uint64_t bits, uint64_t random)
{
    bnd_exact x = bnd_unpack(&plan->words, bits);
    if (plan->rule.flush_in && bnd_classify(&plan->words, x) == BND_CLASS_SUBNORMAL) {
        x = (bnd_exact){.kind = BND_ZERO, .negative = x.negative};
    }
    bnd_rounded r = bnd_round_exact(&plan->format, x, plan->rule, random);
    return nearest_word(plan, r.value);
}

uint64_t bndi_decode_word(const bndi_plan *plan, uint64_t code)
{
    return nearest_word(plan, bnd_unpack(&plan->format, code));
}
