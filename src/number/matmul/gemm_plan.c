/* Chooses the kernels for an accumulator. */
#include "base/bits.h"
#include "matmul/matmul.h"

/* ---- which formats the tiles support; tile_rounded_template.h shows why ---- */

/* 3 2^22 times the least subnormal number must be a number, and the format's numbers fp32's. */
static bool tiles_round(const bnd_accumulator *accumulator)
{
    enum { HIGHEST = 126 };
    const bnd_format *f = &accumulator->format;
    const bnd_rule rule = accumulator->rule;
    bool plain_rule =
        rule.rounding == BND_ROUND_RNE && !rule.flush_in && !rule.flush_out && rule.nan == BND_NAN_CANONICAL;
    bool plain_format = f->is_signed && f->has_zero && f->has_subnormals && f->precision > 1 && f->precision <= 11;
    return plain_rule && plain_format && bnd_lab_words_hold(BNDI_WORDS_32, f) && f->emin - f->precision + 24 <= HIGHEST;
}

static bool is_fp32(const bndi_sum *sum)
{
    const bnd_rule rule = sum->accumulator.rule;
    bool plain =
        rule.rounding == BND_ROUND_RNE && rule.overflow == BND_OVERFLOW_FORMAT && !rule.flush_in && !rule.flush_out;
    return plain && rule.nan == BND_NAN_CANONICAL && bnd_format_same(&sum->accumulator.format, sum->fp32) &&
           sum->accumulator.format.width > 0;
}

static void set_rounding(bndi_sum *sum)
{
    const bnd_format *f = &sum->accumulator.format;
    sum->up = (float)bndi_power_of_two(24 - f->precision);
    sum->lowest = (float)(1.5 * bndi_power_of_two(f->emin - f->precision + 24));
    sum->largest = (float)((double)f->max_significand * bndi_power_of_two(f->max_quantum));
    sum->sign = f->has_negative_zero ? 0x80000000 : 0;
}

/* The way of tile_tensor_words.h needs a group of products in 32 bits: of less than 2^(fraction + 2) units each. */
static const bndi_way *choose_tensor(bndi_sum *sum)
{
    enum { LOWER = 7, BIAS = 127 }; /* measured on an H200: -133 for sums in fp32, -21 for those in fp16 */
    const bnd_format *f = &sum->accumulator.format;
    const int32_t lowest = sum->fp32->least_quantum; /* no operand has a lower exponent */
    const int32_t a = sum->emin_a, b = sum->emin_b;
    sum->tensor = (bndi_tensor_sum){.least_a = bndi_power_of_two(a > lowest ? a : lowest),
                                    .least_b = bndi_power_of_two(b > lowest ? b : lowest),
                                    .least = bndi_power_of_two(f->emin),
                                    .lowest = bndi_power_of_two(f->emin - LOWER),
                                    .beyond = bndi_power_of_two(f->emax + 1),
                                    .fraction = sum->accumulator.fraction,
                                    .toward_zero = f->emin == sum->fp32->emin};
    const int64_t most = (int64_t)sum->group << (sum->accumulator.fraction + 2);
    sum->tensor.wide = most + (most / sum->group) > INT64_C(1) << 24;
    /* The field of a number that is subnormal in fp32 is not its exponent. */
    const bool fields = a >= -BIAS && b >= -BIAS;
    const bool fits = most <= INT64_C(1) << 31 && sum->tensor.toward_zero && fields;
    return fits ? &sum->ways->tensor : &sum->ways->tensor_wide;
}

static void choose_way(bndi_sum *sum, const bnd_context *context)
{
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_ways);
    enum { SHORT = 5 }; /* measured: so few bits that most tiles have a sum of zero, and would be done twice */
    const uint8_t kind = sum->accumulator.kind;
    const bndi_ways *ways = bnd_lab_row_of(context, rows);
    sum->ways = ways;
    if (kind == BND_ACCUMULATE_ALIGNED) {
        sum->way = &ways->aligned;
    } else if (kind == BND_ACCUMULATE_TENSOR) {
        sum->way = choose_tensor(sum);
    } else if (is_fp32(sum)) {
        sum->way = kind == BND_ACCUMULATE_FUSED ? &ways->chain : &ways->plain;
    } else if (tiles_round(&sum->accumulator)) {
        set_rounding(sum);
        const bndi_way *fused = sum->accumulator.format.precision <= SHORT ? &ways->fused_short : &ways->fused;
        sum->way = kind != BND_ACCUMULATE_FUSED ? &ways->each : fused->tile != NULL ? fused : NULL;
    }
}

/* ---- strips ---- */

/* Are doubles enough? 53 bits to odd, two of them beyond all that a mode looks at; and far from fp64's own ends. */
static void choose_strips(bndi_sum *sum, const bnd_context *context)
{
    enum { FAR = 900 };
    const bnd_format *f = &sum->accumulator.format;
    const bnd_rule rule = sum->accumulator.rule;
    unsigned random = bnd_rule_random_bits(rule), looked_at = f->precision + random + (random > 0 ? 2 : 0);
    /* The sign of the processor's own NaN is not bnd_operate's, and is seen where NaN becomes a zero. */
    bool sign_of_nan = !f->has_nan && rule.no_nan == BND_NO_NAN_ZERO;
    bool plain_rule = rule.nan == BND_NAN_CANONICAL && !rule.flush_in && !sign_of_nan;
    bnd_rule start = rule;
    start.rounding = BND_ROUND_RNE;
    bndi_plan_make(&sum->plan, BNDI_WORDS_64, f, rule);
    bndi_plan_make(&sum->start, BNDI_WORDS_64, f, start);
    bool fp64 = bnd_format_same(f, bnd_lab_format_of_words(BNDI_WORDS_64)) && f->width == 64;
    sum->native =
        fp64 && plain_rule && rule.rounding == BND_ROUND_RNE && rule.overflow == BND_OVERFLOW_FORMAT && !rule.flush_out;
    sum->in_double = sum->native || (plain_rule && sum->plan.exact && looked_at <= 51 && f->emax <= FAR);
    bndi_kernels kernels = bnd_lab_kernels_of(context);
    sum->round = kernels.round[BNDI_WORDS_64];
    sum->random = kernels.random;
    sum->random_blocks = kernels.random_blocks;
    sum->random_runs = kernels.random_runs;
}

/* ---- sums in lanes, in any rounding mode; tile_kept_template.h shows why ---- */

/* The direction of each mode, and the bits that it keeps below the format's last one. */
static bndi_toward direction_of(const bndi_sum *sum, int32_t *extra)
{
    const bnd_rule rule = sum->accumulator.rule;
    const int32_t random = (int32_t)bnd_rule_random_bits(rule);
    *extra = 0;
    switch (rule.rounding) {
    case BND_ROUND_RTZ:
        return BNDI_ZERO;
    case BND_ROUND_RUP:
        return BNDI_UP;
    case BND_ROUND_RDN:
        return BNDI_DOWN;
    case BND_ROUND_RTO:
        return BNDI_ODD_ONE;
    case BND_ROUND_RNA:
        *extra = 1;
        return BNDI_ZERO;
    case BND_ROUND_SRA:
        *extra = random;
        return BNDI_ZERO;
    case BND_ROUND_SRB:
        *extra = random + 1;
        return BNDI_ZERO;
    case BND_ROUND_SR:
        *extra = random;
        return BNDI_NEAREST;
    case BND_ROUND_SR_EQUAL:
        *extra = 1;
        return BNDI_ODD_ONE;
    default:
        return BNDI_NEAREST;
    }
}

/* Do the lanes have bits enough, two more than are looked at, and numbers small enough? */
static bool lanes_suffice(const bndi_sum *sum, bool doubles, int32_t looked_at)
{
    enum { OF_FLOAT = 22, OF_DOUBLE = 51, RANDOM_OF_FLOAT = 16, LEAST = -900, HIGHEST = 126 };
    const bnd_format *f = &sum->accumulator.format;
    const int32_t random = (int32_t)bnd_rule_random_bits(sum->accumulator.rule);
    const int32_t entry = random <= 16 ? 16 : random <= 32 ? 32 : 64;
    const bool fits = sum->accumulator.rule.rounding != BND_ROUND_SRB || random < entry;
    if (doubles) {
        return fits && looked_at <= OF_DOUBLE && f->emin - f->precision > LEAST;
    }
    return fits && looked_at <= OF_FLOAT && random <= RANDOM_OF_FLOAT && bnd_lab_words_hold(BNDI_WORDS_32, f) &&
           f->emin + 24 - looked_at <= HIGHEST;
}

/* fp32's or fp64's own sums. */
static bndi_kept_tile *native_tile(const bndi_sum *sum, const bndi_kept_tiles *tiles, bool *doubles)
{
    const bnd_rule rule = sum->accumulator.rule;
    const bnd_format *f = &sum->accumulator.format;
    const bool each = sum->accumulator.kind == BND_ACCUMULATE_EACH;
    const bool plain = rule.overflow == BND_OVERFLOW_FORMAT && !rule.flush_in && !rule.flush_out &&
                       rule.nan == BND_NAN_CANONICAL && f->width > 0;
    int32_t extra;
    const bndi_toward to = direction_of(sum, &extra);
    *doubles = bnd_format_same(f, bnd_lab_format_of_words(BNDI_WORDS_64));
    return plain && extra == 0 && (*doubles || bnd_format_same(f, sum->fp32)) ? tiles->native[*doubles][each][to]
                                                                              : NULL;
}

/* A result as a token of the instruction fixupimm: infinite, NaN, or the largest number with the class's sign (0). */
static bool add_token(uint32_t *tokens, unsigned class, uint64_t word, double largest)
{
    enum { LARGEST_THERE = 0, A_NAN = 3, MINUS_INFINITY = 4, INFINITY_TOKEN = 5 };
    const double x = bndi_double_of_bits(word);
    const uint32_t token = x != x                  ? A_NAN
                           : x == __builtin_inf()  ? INFINITY_TOKEN
                           : x == -__builtin_inf() ? MINUS_INFINITY
                                                   : LARGEST_THERE;
    *tokens |= token << 4 * class;
    return token != LARGEST_THERE || x == largest;
}

/* Tokens for the results of all classes. False where a result has no token, or where M is not finite for a number that
 * does not overflow. Word by word, in the order of the instruction. */
static bool set_special(const bndi_sum *sum, bndi_kept *kept)
{
    enum { A_QUIET_NAN = 0, A_NAN = 1, ONE = 3, MINUS_INFINITY = 4, PLUS_INFINITY = 5, NEGATIVE = 6, POSITIVE = 7 };
    const double largest = kept->largest;
    bndi_results of = {.asked = false};
    bndi_ask(&sum->plan, false, &of);
    kept->special = 0;
    const bool has_m = kept->exact_products || kept->up * largest < bndi_power_of_two(kept->doubles ? 1000 : 125);
    return has_m && add_token(&kept->special, A_QUIET_NAN, of.nan[0], __builtin_nan("")) &&
           add_token(&kept->special, A_NAN, of.nan[1], __builtin_nan("")) &&
           add_token(&kept->special, ONE, of.overflow[0], largest) &&
           add_token(&kept->special, MINUS_INFINITY, of.infinity[1], -largest) &&
           add_token(&kept->special, PLUS_INFINITY, of.infinity[0], largest) &&
           add_token(&kept->special, NEGATIVE, of.overflow[1], -largest) &&
           add_token(&kept->special, POSITIVE, of.overflow[0], largest);
}

/* For modes that look at more bits than doubles have; tile_wide.h shows which there can be. The state is in
 * doubles, and never a strip's: these tiles refuse nothing. */
static void choose_wide(bndi_sum *sum)
{
    enum { BITS_BELOW = 48, LEAST = -900, HIGHEST = 900 };
    const bndi_kept_tiles *tiles = sum->ways->kept;
    const bnd_format *f = &sum->accumulator.format;
    const bnd_rule rule = sum->accumulator.rule;
    const bool each = sum->accumulator.kind == BND_ACCUMULATE_EACH;
    const bool fp64 = bnd_format_same(f, bnd_lab_format_of_words(BNDI_WORDS_64));
    const int32_t random = (int32_t)bnd_rule_random_bits(rule), entry = random <= 16 ? 16 : random <= 32 ? 32 : 64;
    int32_t extra;
    const bndi_toward to = direction_of(sum, &extra);
    const bool fits = extra > 0 && extra <= BITS_BELOW && !(rule.rounding == BND_ROUND_SRB && random == entry);
    const bool small = f->precision < 53 && f->emax <= HIGHEST && f->emin - f->precision > LEAST;
    if (!fits || !sum->plan.exact || !(fp64 || small)) {
        return;
    }
    bndi_kept kept = {.tile = fp64 ? tiles->wide_native[to] : tiles->wide[each][to],
                      .rows = tiles->rows[1],
                      .extra = (uint8_t)extra,
                      .random_bits = (uint8_t)random,
                      .mode = tiles->wide_mode[to],
                      .doubles = true,
                      .doubled = rule.rounding == BND_ROUND_SRB,
                      .has_negative_zero = f->has_negative_zero,
                      .exact_products = fp64,
                      .up = bndi_power_of_two(53 - f->precision),
                      .lowest = bndi_power_of_two(f->emin + 53 - f->precision),
                      .largest = (double)f->max_significand * bndi_power_of_two(f->max_quantum),
                      .below = (fp64 ? 1.5 : 1.0) * bndi_power_of_two(-extra),
                      .constant = rule.rounding == BND_ROUND_RNA};
    if (fp64 && rule.overflow != BND_OVERFLOW_FORMAT) {
        return; /* infinite products and sums stay what they are there */
    }
    if (fp64 && rule.rounding == BND_ROUND_RNA) {
        kept.tile = tiles->away[1];
        kept.mode = BND_ROUND_RNE;
    }
    if (kept.tile != NULL && set_special(sum, &kept)) {
        sum->kept = kept;
        sum->in_double = true;
    }
}

/* A number at a time costs too much for these: product and sum of fp32, to nearest away. Its doubles are ready. */
static void choose_away(bndi_sum *sum)
{
    const bndi_kept_tiles *tiles = sum->ways->kept;
    const bnd_accumulator *accumulator = &sum->accumulator;
    if (accumulator->kind == BND_ACCUMULATE_EACH && accumulator->rule.rounding == BND_ROUND_RNA &&
        accumulator->rule.overflow == BND_OVERFLOW_FORMAT && bnd_format_same(&accumulator->format, sum->fp32) &&
        accumulator->format.width > 0 && sum->kept.doubles && sum->kept.mended != NULL && tiles->away[0] != NULL) {
        sum->kept.tile = tiles->away[0];
        sum->kept.mended = NULL; /* this one goes on to it by itself */
        sum->kept.rows = tiles->rows[0];
        sum->kept.mode = BND_ROUND_RNE;
        sum->kept.doubles = false;
    }
}

static void choose_kept(bndi_sum *sum)
{
    const bndi_kept_tiles *tiles = sum->ways->kept;
    const bnd_format *f = &sum->accumulator.format;
    const bnd_rule rule = sum->accumulator.rule;
    const bool each = sum->accumulator.kind == BND_ACCUMULATE_EACH;
    bool doubles;
    int32_t extra;
    const bndi_toward to = direction_of(sum, &extra);
    const int32_t looked_at = f->precision + extra;
    if (tiles == NULL) {
        return;
    }
    sum->kept.tile = sum->way == NULL ? native_tile(sum, tiles, &doubles) : NULL;
    if (sum->kept.tile != NULL) {
        sum->kept.doubles = doubles;
        sum->kept.rows = tiles->native_rows[doubles];
        sum->kept.mode = to == BNDI_NEAREST ? BND_ROUND_RNE : tiles->mode[to];
        sum->in_double = sum->native = true; /* strips begin and end sums, and never go on with them */
        return;
    }
    const bool plain_rule = !rule.flush_in && !rule.flush_out && rule.nan == BND_NAN_CANONICAL;
    const bool plain_format = f->is_signed && f->has_zero && f->has_subnormals && f->precision > 1;
    doubles = !lanes_suffice(sum, false, looked_at);
    if (!plain_rule || !plain_format) {
        return;
    }
    if (!sum->in_double || (doubles && !lanes_suffice(sum, true, looked_at))) {
        choose_wide(sum);
        return;
    }
    const int32_t precision = doubles ? 53 : 24;
    sum->kept = (bndi_kept){.tile = sum->way == NULL ? tiles->tile[doubles][each][extra > 0][to] : NULL,
                            .rows = tiles->rows[doubles],
                            .extra = (uint8_t)extra,
                            .random_bits = (uint8_t)bnd_rule_random_bits(rule),
                            .mode = tiles->mode[to],
                            .doubles = doubles,
                            .doubled = rule.rounding == BND_ROUND_SRB,
                            .has_negative_zero = f->has_negative_zero,
                            .up = bndi_power_of_two(precision - looked_at),
                            .lowest = bndi_power_of_two(f->emin + precision - looked_at),
                            .largest = (double)f->max_significand * bndi_power_of_two(f->max_quantum),
                            .constant = rule.rounding == BND_ROUND_RNA};
    sum->kept.mended = set_special(sum, &sum->kept) ? tiles->mended[doubles][each][extra > 0][to] : NULL;
    choose_away(sum);
}

/* ---- the accumulator ---- */

static void complete(bnd_accumulator *accumulator)
{
    if (accumulator->format.precision == 0) {
        accumulator->format = *bnd_format_at(BND_FORMAT_FP32);
    }
    if (accumulator->group == 0) {
        accumulator->group = BND_GROUP_DEFAULT;
    }
    accumulator->rule = bnd_rule_of_operation(accumulator->rule);
}

/* Groups of products, of both kinds. */
static bnd_status check_group(const bnd_accumulator *accumulator, bnd_error *why)
{
    if (accumulator->group > BND_GROUP_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "aligned groups of %u products: the number must be from 1 to %d",
                        (unsigned)accumulator->group, BND_GROUP_MAX);
    }
    return BND_OK;
}

static bnd_status check_tensor(const bnd_accumulator *accumulator, bnd_error *why)
{
    const bnd_status status = bndi_check_tensor_format(&accumulator->format, why);
    if (status != BND_OK) {
        return status;
    }
    if (accumulator->fraction < 1 || accumulator->fraction > BND_TENSOR_FRACTION_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "an accumulator of tensor cores with a fraction of %u bits: the number must be from 1 to %d",
                        (unsigned)accumulator->fraction, BND_TENSOR_FRACTION_MAX);
    }
    return check_group(accumulator, why);
}

static bnd_status check_aligned(const bnd_accumulator *accumulator, bnd_error *why)
{
    const bnd_format *f = &accumulator->format;
    if (!bndi_has_exponents_of_fp32(f)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "an accumulator of aligned groups must have fp32's exponents and 2 to %d bits (e8m1 to e8m23), not %s",
            BND_ALIGNED_BITS_MAX, f->name);
    }
    return check_group(accumulator, why);
}

static bnd_status check_accumulator(const bnd_accumulator *accumulator, bnd_error *why)
{
    if (accumulator->kind >= BND_ACCUMULATE_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown accumulation %u", (unsigned)accumulator->kind);
    }
    const bnd_status status = bnd_rule_check(accumulator->rule, why);
    if (status != BND_OK) {
        return status;
    }
    return accumulator->kind == BND_ACCUMULATE_ALIGNED  ? check_aligned(accumulator, why)
           : accumulator->kind == BND_ACCUMULATE_TENSOR ? check_tensor(accumulator, why)
                                                        : BND_OK;
}

bnd_status bndi_sum_make(bndi_sum *sum, const bnd_gemm *how, const bnd_format *a_format, const bnd_format *b_format,
                         bnd_error *why)
{
    *sum = (bndi_sum){.accumulator = how->accumulator,
                      .fp32 = bnd_format_at(BND_FORMAT_FP32),
                      .seed = how->seed,
                      .purpose = how->purpose};
    complete(&sum->accumulator);
    bnd_status status = check_accumulator(&sum->accumulator, why);
    if (status != BND_OK) {
        return status;
    }
    sum->a_format = a_format != NULL && a_format->width > 0 ? *a_format : *sum->fp32;
    sum->b_format = b_format != NULL && b_format->width > 0 ? *b_format : *sum->fp32;
    sum->emin_a = (a_format != NULL ? a_format : sum->fp32)->emin; /* also of a value set */
    sum->emin_b = (b_format != NULL ? b_format : sum->fp32)->emin;
    sum->bits = sum->accumulator.format.precision;
    sum->group = sum->accumulator.group;
    choose_strips(sum, how->context);
    choose_way(sum, how->context);
    choose_kept(sum);
    return BND_OK;
}
