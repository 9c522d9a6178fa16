/* Rounding modes and policies by name. */
#include "format/format.h"

typedef struct choice {
    const char *name;
    uint8_t value;
} choice;

/* The first name of each value is binade's; then the names of other programs. */
static const choice roundings[] = {
    {"rne", BND_ROUND_RNE},
    {"rna", BND_ROUND_RNA},
    {"rtz", BND_ROUND_RTZ},
    {"rup", BND_ROUND_RUP},
    {"rdn", BND_ROUND_RDN},
    {"rto", BND_ROUND_RTO},
    {"sr", BND_ROUND_SR},
    {"sra", BND_ROUND_SRA},
    {"srb", BND_ROUND_SRB},
    {"sr-equal", BND_ROUND_SR_EQUAL},
    {"src", BND_ROUND_SR},
    /* P3109 */
    {"NearestTiesToEven", BND_ROUND_RNE},
    {"NearestTiesToAway", BND_ROUND_RNA},
    {"TowardZero", BND_ROUND_RTZ},
    {"TowardPositive", BND_ROUND_RUP},
    {"TowardNegative", BND_ROUND_RDN},
    {"ToOdd", BND_ROUND_RTO},
    {"StochasticA", BND_ROUND_SRA},
    {"StochasticB", BND_ROUND_SRB},
    {"StochasticC", BND_ROUND_SR},
    /* IEEE 754 */
    {"roundTiesToEven", BND_ROUND_RNE},
    {"roundTiesToAway", BND_ROUND_RNA},
    {"roundTowardZero", BND_ROUND_RTZ},
    {"roundTowardPositive", BND_ROUND_RUP},
    {"roundTowardNegative", BND_ROUND_RDN},
    /* Intel */
    {"rnaz", BND_ROUND_RNA},
    {"rpinf", BND_ROUND_RUP},
    {"rninf", BND_ROUND_RDN},
    {"stochastic", BND_ROUND_SR},
    /* TestFloat */
    {"near_even", BND_ROUND_RNE},
    {"near_maxMag", BND_ROUND_RNA},
    {"minMag", BND_ROUND_RTZ},
    {"max", BND_ROUND_RUP},
    {"min", BND_ROUND_RDN},
    {"odd", BND_ROUND_RTO},
};

static const choice overflows[] = {
    {"format", BND_OVERFLOW_FORMAT},
    {"saturate", BND_OVERFLOW_SATURATE},
    {"propagate", BND_OVERFLOW_PROPAGATE},
    {"format-max", BND_OVERFLOW_FORMAT_MAX},
    {"propagate-max", BND_OVERFLOW_PROPAGATE_MAX},
    /* P3109 */
    {"SatFinite", BND_OVERFLOW_SATURATE},
    {"SatPropagate", BND_OVERFLOW_PROPAGATE_MAX},
    {"SatNone", BND_OVERFLOW_FORMAT_MAX},
};

static const choice nans[] = {
    {"default", BND_NAN_DEFAULT}, {"canonical", BND_NAN_CANONICAL},     {"signed", BND_NAN_SIGNED},
    {"ones", BND_NAN_ONES},       {"signed-ones", BND_NAN_SIGNED_ONES}, {"propagate", BND_NAN_PROPAGATE},
    {"x86", BND_NAN_X86},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const choice *find_choice(const choice *choices, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (bndi_same_word(name, length, choices[i].name)) {
            return &choices[i];
        }
    }
    return NULL;
}

static const char *name_of(const choice *choices, size_t count, unsigned value)
{
    for (size_t i = 0; i < count; i++) {
        if (choices[i].value == value) {
            return choices[i].name;
        }
    }
    return "";
}

static bnd_status no_such(const choice *choices, size_t count, const char *name, size_t length, const char *what,
                          const char *hint, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, length);
    for (size_t i = 0; i < count; i++) {
        bndi_nearest_offer(&nearest, choices[i].name, bndi_length(choices[i].name));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, what, hint);
}

/* The N of sr:N. */
static bool read_bits(const char *digits, uint8_t *out)
{
    unsigned value = 0;
    size_t i = 0;
    for (; digits[i] >= '0' && digits[i] <= '9' && i < 3; i++) {
        value = value * 10 + (unsigned)(digits[i] - '0');
    }
    if (i == 0 || digits[i] != '\0' || value < 1 || value > BND_RANDOM_BITS_MAX) {
        return false;
    }
    *out = (uint8_t)value;
    return true;
}

bnd_status bnd_rounding_parse(bnd_rule *rule, const char *name, bnd_error *why)
{
    size_t length = 0;
    while (name[length] != '\0' && name[length] != ':') {
        length++;
    }
    const choice *found = find_choice(roundings, COUNT(roundings), name, length);
    if (found == NULL && name[0] >= '0' && name[0] <= '9') {
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "rounding mode '%.*s' must be a name, because libraries number the modes differently "
                        "(available: rne, rna, rtz, rup, rdn, rto, sr:N, sra:N, srb:N, sr-equal)",
                        length < 16 ? (int)length : 16, name);
    }
    if (found == NULL) {
        return no_such(roundings, COUNT(roundings), name, length, "unknown rounding mode",
                       "(available: rne, rna, rtz, rup, rdn, rto, sr:N, sra:N, srb:N, sr-equal)", why);
    }
    uint8_t bits = 0;
    if (name[length] == ':') {
        if (found->value < BND_ROUND_SR || found->value == BND_ROUND_SR_EQUAL) {
            return bnd_fail(why, BND_BAD_SYNTAX, length, "rounding mode '%s': only sr, sra and srb take random bits",
                            name);
        }
        if (!read_bits(name + length + 1, &bits)) {
            return bnd_fail(why, BND_BAD_SYNTAX, length + 1,
                            "rounding mode '%s': the number of random bits must be from 1 to %d", name,
                            BND_RANDOM_BITS_MAX);
        }
    }
    rule->rounding = found->value;
    rule->random_bits = bits;
    return BND_OK;
}

static bnd_status parse_choice(uint8_t *out, const choice *choices, size_t count, const char *name, const char *what,
                               const char *hint, bnd_error *why)
{
    const choice *found = find_choice(choices, count, name, bndi_length(name));
    if (found == NULL) {
        return no_such(choices, count, name, bndi_length(name), what, hint, why);
    }
    *out = found->value;
    return BND_OK;
}

bnd_status bnd_overflow_parse(bnd_rule *rule, const char *name, bnd_error *why)
{
    return parse_choice(&rule->overflow, overflows, COUNT(overflows), name, "unknown overflow policy",
                        "(available: format, saturate, propagate, format-max, propagate-max)", why);
}

bnd_status bnd_nan_parse(bnd_rule *rule, const char *name, bnd_error *why)
{
    return parse_choice(&rule->nan, nans, COUNT(nans), name, "unknown NaN policy",
                        "(available: default, canonical, signed, ones, signed-ones, propagate, x86)", why);
}

bnd_status bnd_rule_check(bnd_rule rule, bnd_error *why)
{
    const struct {
        const char *name;
        uint8_t value, last;
    } members[] = {
        {"rounding", rule.rounding, BND_ROUND_COUNT - 1},
        {"overflow", rule.overflow, BND_OVERFLOW_COUNT - 1},
        {"nan", rule.nan, BND_NAN_COUNT - 1},
        {"no_nan", rule.no_nan, BND_NO_NAN_ZERO},
        {"negative", rule.negative, BND_NEGATIVE_MAGNITUDE},
        {"zero", rule.zero, BND_ZERO_NAN},
        {"tie_rule", rule.tie_rule, BND_TIE_RULE_CODE},
        {"flush_out", rule.flush_out, BND_FLUSH_TINY},
        {"random_bits", rule.random_bits, BND_RANDOM_BITS_MAX},
    };
    for (size_t i = 0; i < sizeof rule.reserved; i++) {
        if (rule.reserved[i] != 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "bnd_rule.reserved must be zero; set the whole structure to zero first");
        }
    }
    for (size_t i = 0; i < COUNT(members); i++) {
        if (members[i].value > members[i].last) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s of a rule is %u; it must be at most %u", members[i].name,
                            (unsigned)members[i].value, (unsigned)members[i].last);
        }
    }
    return BND_OK;
}

const char *bnd_rounding_name(bnd_rounding rounding)
{
    return name_of(roundings, COUNT(roundings), rounding);
}

const char *bnd_rounding_title(bnd_rounding rounding)
{
    static const char *const titles[BND_ROUND_COUNT] = {
        [BND_ROUND_RNE] = "to nearest, ties to even",
        [BND_ROUND_RNA] = "to nearest, ties away from zero",
        [BND_ROUND_RTZ] = "toward zero",
        [BND_ROUND_RUP] = "toward plus infinity",
        [BND_ROUND_RDN] = "toward minus infinity",
        [BND_ROUND_RTO] = "to odd",
        [BND_ROUND_SR] = "stochastic, unbiased (P3109 C)",
        [BND_ROUND_SRA] = "stochastic (P3109 A)",
        [BND_ROUND_SRB] = "stochastic (P3109 B)",
        [BND_ROUND_SR_EQUAL] = "up or down with equal chance",
    };
    return (unsigned)rounding < BND_ROUND_COUNT ? titles[rounding] : "";
}

const char *bnd_overflow_name(bnd_overflow overflow)
{
    return name_of(overflows, COUNT(overflows), overflow);
}

const char *bnd_nan_name(bnd_nan nan)
{
    return name_of(nans, COUNT(nans), nan);
}

const char *bnd_flag_name(uint32_t flags)
{
    static const char *const names[] = {"inexact", "underflow", "overflow", "divbyzero",
                                        "invalid", "saturated", "to-zero"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if ((flags >> i & 1) != 0) {
            return names[i];
        }
    }
    return "";
}
