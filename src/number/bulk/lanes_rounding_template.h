/* One rounding of a vector, and the results of special numbers and of numbers out of range: the core of
 * lanes_template.h, whose names and hooks it uses.
 *
 * Worked example: four fp32 lanes to e4m3 (3 fraction bits, bias 7, largest 448), nearest even, step FLOAT_MODE. The
 * plan has bottom = 121 << 23 (2^-6, the lowest normal binade), code_magic = 0x0a000038, max = 0x43e00000 (448), drop =
 * 20.
 *
 *                             lane 0        lane 1        lane 2        lane 3
 *   x                         0.3           -17           0.011         1000
 *     bits                    3e99999a      c1880000      3c343958      447a0000
 *   e = max(x & TOP, bottom)  3e800000      41800000      3c800000      44000000     2^-2, 2^4, 2^-6 (not 2^-7), 2^9
 *   m = e + code_magic        48800038      4b800038      46800038      4e000038     2^20 e, and 38 in the low bits
 *     with the sign of x      48800038      cb800038      46800038      4e000038     select(MAGNITUDE, m, x)
 *   t = x + m in fp32         48800042      cb800040      4680003e      4e000048     the processor has rounded x
 *   e >> 20                        3e8           418           3c8           440     the exponent field times 8
 *   t + (e >> 20)             4880042a      cb800458      46800406      4e000488
 *   & 7f, | sign                    2a            d8            06            08     with_sign
 *   u - low > span?                 no            no            no           yes     1000 is not plain
 *   after mend                      2a            d8            06            7f     the overflow code: NaN in e4m3
 *
 * Lane 0: 0.3 = 1.0011001.. 2^-2. The last bit of m is worth 2^-5, the gap of e4m3 in that binade, so t's low bits hold
 * 0.3 in units of 2^-5 = 9.6, rounded to 10 (1.010 in binary with its hidden bit), plus 38. Lane 1 is a tie, 8.5 units:
 * 8 is even. Lane 2 lies below the normal numbers: max() holds its unit at 2^-9, and its code is 6 units without a
 * hidden bit. */

/* ---- one rounding ---- */

/* The plan as vectors, made once per call. FLOAT steps use bottom, magic, code_magic and code_mask; BITS steps use
 * keep, unit, base, one, flip, plus, left and right, whose meaning depends on the mode (set_constants). */
typedef struct NAME(constants) {
    V bottom, magic, code_magic, keep, unit, magnitude, signs, usable, low, span, one, base, flip, plus;
    V code_offset, code_mask;
    SHIFT to_code, drop, extra, to_sign, right, left;
    unsigned bytes, shift;
    bool half_more;
} NAME(constants);

/* BITS_RANDOM: stochastic rounding as an addition. The discarded part has `drop` bits, R has `bits` bits. R 2^(drop -
 * bits) is added below the last bit kept, and a carry out of the discarded part rounds up:
 *
 *   drop = 20, bits = 8: left = 12   x  s eeeeeeee kkk dddddddd dddddddddddd
 *                                   +R              rrrrrrrr 000000000000
 *   bits > drop: the low bits of R cannot matter, right = bits - drop drops them.
 *
 * SRB adds half a unit of R more (`plus`), so that R stands for the middle of its interval. SR (P3109's C) first rounds
 * the discarded part itself to a multiple of 2^left, to nearest even: base, one and flip make that rounding, as
 * BITS_NEAREST does. */
static void NAME(set_random)(NAME(constants) * k, const bndi_plan *plan)
{
    unsigned drop = plan->drop, bits = plan->random_bits;
    unsigned left = bits < drop ? drop - bits : 0;
    k->right = NAME(shift)(bits > drop ? bits - drop : 0);
    k->left = NAME(shift)(left);
    k->plus = NAME(all)(plan->rule.rounding == BND_ROUND_SRB && bits < drop ? (WORD)1 << (drop - bits - 1) : 0);
    /* C rounds to a multiple of 2^left first. */
    bool rounds = plan->rule.rounding == BND_ROUND_SR && bits < drop;
    k->base = NAME(all)(rounds ? ((WORD)1 << left >> 1) - 1 : 0);
    k->one = NAME(all)(rounds);
    k->flip = NAME(all)(rounds ? ~(((WORD)1 << left) - 1) : (WORD)-1);
}

/* For BITS_NEAREST the rule is x + (half - 1) + last, where `last` is the last bit kept: at a tie (discarded part =
 * half) the sum carries only if last is 1, which is round to nearest even. base = half - 1, one = 1, flip inverts
 * `last` where the parity of a one-bit format is that of another field. `drop` = 0 has nothing to round: base and one
 * are then 0. RNA adds half. */
static void NAME(set_constants)(NAME(constants) * k, const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    const WORD unit = (WORD)1 << plan->drop, half = unit >> 1;
    const unsigned magnitude = bnd_magnitude_bits(f), rounding = plan->rule.rounding;
    k->bottom = NAME(all)((WORD)plan->bottom << FRACTION);
    k->magic = NAME(all)(plan->magic);
    k->code_magic = NAME(all)(plan->code_magic);
    k->unit = NAME(all)(unit);
    k->keep = NAME(all)(~(unit - 1));
    k->low = NAME(all)(plan->plain_low);
    k->span = NAME(all)(plan->plain_span);
    k->signs = NAME(all)(f->is_signed || plan->nonnegative_only ? (WORD)-1 : MAGNITUDE); /* what x keeps */
    k->usable = NAME(all)(f->is_signed ? MAGNITUDE : (WORD)-1); /* a sign that may not be makes a number too large */
    k->magnitude = NAME(all)((WORD)(((uint64_t)1 << magnitude) - 1));
    k->to_code = NAME(shift)(FRACTION - f->fraction_bits);
    k->to_sign = NAME(shift)(BITS - 1 - magnitude);
    k->drop = NAME(shift)(plan->drop);
    k->extra = NAME(shift)(plan->extra);
    k->bytes = plan->random_bytes;
    k->shift = plan->code_shift;
    k->half_more = rounding == BND_ROUND_SRB;
    k->code_mask = NAME(all)(plan->family == BNDI_FLOAT ? ~(((WORD)1 << plan->extra) - 1) : 0);
    k->code_offset = NAME(all)(((WORD)plan->code_bottom - 1) << f->fraction_bits);
    /* At one bit of precision ties go up, or to the even code, whose parity is that of the field and an offset. */
    const bool ties_up = f->precision == 1 && !plan->code_parity;
    const WORD last = plan->code_parity ? (WORD)(plan->parity_offset & 1) : 0;
    k->base = NAME(all)(rounding == BND_ROUND_RNE && half != 0 ? half - !ties_up
                        : rounding == BND_ROUND_RNA            ? half
                                                               : 0);
    k->one = NAME(all)(rounding == BND_ROUND_RNE && half != 0 && !ties_up);
    k->flip = NAME(all)(rounding == BND_ROUND_RUP ? (WORD)-1 : rounding == BND_ROUND_RNE ? last : 0);
    k->plus = NAME(all)(0);
    k->right = k->left = NAME(shift)(0);
    if (plan->random_bits > 0 && plan->family == BNDI_UNIFORM) {
        NAME(set_random)(k, plan);
    }
    if (plan->family == BNDI_FLOAT) {
        k->code_offset = NAME(all)((WORD)plan->code_bottom << f->fraction_bits);
    }
}

/* FLOAT: x + M, where M has the sign of x and is 2^(FRACTION - kept) times the power of two of x, so that the sum has
 * no bit below the last one the format keeps: the processor's addition is the rounding. Why the exponents fit:
 * plan->magic adds (FRACTION - kept) to the exponent field of e in place; float_fits checked that the highest binade
 * still gives a number. The sum stays in the binade of M, since |x| < 2 e is far below M. `magic` may carry more in its
 * low bits, below M's own last significant bit: they pass through the sum unchanged (code_magic puts the offset of the
 * code there).
 *
 * FLOAT_ADD adds random bits after the addition: M keeps `extra` bits below the format's last one (the mode is toward
 * zero for SRA, SRB and RNA), the random ones are added there as integers, and code_mask clears their remains. Example,
 * 0.3 to e4m3 by SRA with 8 random bits, M = 44800000 (1024):
 *
 *   t = x + M        44800999      significand 9, discarded part 0x99 of 0x100 (0.6 of a unit)
 *   R = 00           44800999  ->  44800900: 9 units, rounded down
 *   R = 80           44800a19  ->  44800a00: 10 units: carried, as it does for R >= 0x67 (153 of 256 draws) */
static ALWAYS_INLINE V NAME(float_step)(const NAME(constants) * k, bndi_step step, V x, V magic, V random, V *m,
                                        V *exponent)
{
    *exponent = NAME(max)(x & TOP, k->bottom);
    *m = NAME(select)(NAME(all)(MAGNITUDE), *exponent + magic, x);
    V t = NAME(sum)(x, *m);
    if (step == FLOAT_ADD) {
        t = (t + random) & k->code_mask;
    }
    return t;
}

/* Round to odd, or up and down by one random bit, after an addition toward zero: t - m is x cut off, exactly, and it
 * differs from x where anything was discarded. Then the last bit is set (`| lost`), or moved up by the random bit (`+
 * lost & R`). The magnitudes are compared, since t - m may be +0 for a negative x.
 *   0.3  to e4m3, to odd:  t = 48800009, t - m = 0.28125 differs from x:  9 | 1 = 9 units = 0.28125
 *   0.33 to e4m3, to odd:  t = 4880000a, t - m = 0.3125  differs from x: 10 | 1 = 11 units = 0.34375 */
static ALWAYS_INLINE V NAME(odd_step)(const NAME(constants) * k, V x, V t, V m, V random, bool by_random)
{
    V lost = (V)(((NAME(difference)(t, m) ^ x) & MAGNITUDE) != 0) & 1;
    (void)k;
    return by_random ? t + (lost & random) : t | lost;
}

/* BITS (family UNIFORM): the same number of bits, `drop`, is discarded from every finite number in range, so rounding
 * is an integer addition to the word and a mask. A carry out of the fraction enters the exponent field, which is the
 * right result. Four lanes to bf16 (drop = 16) by BITS_NEAREST, base = 7fff:
 *
 *   x                       1.00390625    1.01171875    -3.1415927     1e-40
 *     bits                  3f80 8000     3f81 8000     c049 0fdb      0001 16c2
 *   (x >> drop) & one             0             1             1              1      the last bit kept
 *   x + base + that         3f80 ffff     3f82 0000     c049 8fdb      0001 96c2
 *   & keep                  3f80 0000     3f82 0000     c049 0000      0001 0000    two ties, both to the even word
 *
 * BITS_SIGNED (up, down) adds unit - 1 where the mode moves away from zero for that sign. BITS_ODD: (d + unit - 1) &
 * unit is the unit where the discarded part d is not zero. */
static ALWAYS_INLINE V NAME(bits_step)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    V rest;
    switch (step) {
    case BITS_NEAREST:
        return (x + k->base + (((x >> k->drop) ^ k->flip) & k->one)) & k->keep;
    case BITS_ADD:
        return (x + k->base) & k->keep;
    case BITS_SIGNED:
        return (x + ((NAME(signs_of)(x) ^ k->flip) & ~k->keep)) & k->keep;
    case BITS_ODD:
        rest = ((x & ~k->keep) + ~k->keep) & k->unit; /* the unit, where anything is discarded */
        return by_random ? (x & k->keep) + (rest & ((V){0} - (random & 1))) : (x & k->keep) | rest;
    default:
        x = (x + k->base + ((x >> k->left) & k->one)) & k->flip;
        return (x + ((random >> k->right) << k->left) + k->plus) & k->keep;
    }
}

/* The word of x at the format's precision, with the sign of x, as if the format had no limits. FLOAT takes M away
 * again, which is exact; a result of zero takes the sign of x by the select. */
static ALWAYS_INLINE V NAME(rounded)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    if (step > FLOAT_ODD) {
        return NAME(bits_step)(k, step, x, random, by_random);
    }
    V m, exponent, t = NAME(float_step)(k, step, x, k->magic, random, &m, &exponent);
    if (step == FLOAT_ODD) {
        t = NAME(odd_step)(k, x, t, m, random, by_random);
    }
    return NAME(select)(NAME(all)(MAGNITUDE), NAME(difference)(t, m), x);
}

/* The low magnitude bits are the code's; the sign bit comes from x, shifted down to the code's sign (logically, so that
 * the bits above it are zero, and stores that narrow with saturation change nothing). */
static ALWAYS_INLINE V NAME(with_sign)(const NAME(constants) * k, V code, V x)
{
    return NAME(select)(k->magnitude, code, x >> k->to_sign);
}

/* The code of what `rounded` returns, without computing that word. BITS: the word's upper bits minus the difference of
 * the exponent fields, code_offset. FLOAT: t holds significand + offset in its low bits, and e >> (FRACTION - fraction
 * bits) is the exponent field in the code's place (see the example at the top). The significand includes its hidden
 * bit, which is why a subnormal (no hidden bit) and a carry to the next binade both come out right without a case.
 * FLOAT_ADD has its extra bits to shift out first, so it takes M's own bits away, (t - m) >> extra, and adds the fields
 * afterwards. */
static ALWAYS_INLINE V NAME(coded)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    if (step > FLOAT_ODD) {
        V y = NAME(bits_step)(k, step, x, random, by_random);
        return NAME(with_sign)(k, (y >> k->drop) - k->code_offset, x);
    }
    V m, exponent;
    if (step == FLOAT_ADD) {
        V t = NAME(float_step)(k, step, x, k->magic, random, &m, &exponent);
        return NAME(with_sign)(k, ((t - m) >> k->extra) + (exponent >> k->to_code) - k->code_offset, x);
    }
    V t = NAME(float_step)(k, step, x, k->code_magic, random, &m, &exponent);
    if (step == FLOAT_ODD) {
        t = NAME(odd_step)(k, x, t, m, random, by_random);
    }
    return NAME(with_sign)(k, t + (exponent >> k->to_code), x);
}

/* ---- special numbers and numbers out of range ---- */

/* The result for negative or positive numbers, per lane. */
static ALWAYS_INLINE V NAME(pick)(V negative, const uint64_t by_sign[2])
{
    return NAME(select)(negative, NAME(all)(by_sign[1]), NAME(all)(by_sign[0]));
}

/* Lanes that no blend gets right: nonzero magnitudes below plan->portable_below (the uneven lowest gap of a format
 * without subnormals, subnormals of family BITS, flushed inputs), NaNs that keep their payload. */
static ALWAYS_INLINE V NAME(hard_lanes)(const bndi_plan *plan, V u)
{
    V hard = NAME(greater)(NAME(all)(plan->portable_below), u) & (V)(u != 0);
    if (plan->keeps_payload) {
        hard |= NAME(greater)(u, NAME(all)(TOP));
    }
    return hard;
}

/* The hard lanes, one at a time, by the portable kernel and the same plan; codes and random entries are words here. */
static NOT_INLINE void NAME(do_hard)(const bndi_plan *plan, bool to_codes, WORD *results, const WORD *x,
                                     const WORD *hard, const WORD *random)
{
    bndi_plan one = *plan;
    one.code_bytes = sizeof(WORD);
    one.code_shift = 0;
    one.random_bytes = sizeof(WORD);
    for (int i = 0; i < LANES; i++) {
        const WORD *r = plan->random_bits > 0 ? random + i : NULL;
        if (hard[i] == 0) {
            continue;
        }
        if (to_codes) {
            NAME(bndi_encode)(&one, results + i, x + i, r, 1);
        } else {
            NAME(bndi_round)(&one, results + i, x + i, r, 1);
        }
    }
}

/* The blends for a vector with special numbers or numbers out of range. `result` is right for all others, y is x
 * rounded as if without limits. The order matters, later blends overwrite earlier ones:
 *
 *   1 y < least             a result of zero, or one that flush_out makes zero: the codec's zero by sign
 *   2 u >= beyond, or       overflow. Both comparisons of the second line are needed: u > max alone may still round
 *     u > max and y > max   down to max, and y > max alone could be the garbage that an infinity or NaN makes of x + M
 *   3 u == TOP              infinity: what the rule makes of it
 *   4 x < 0                 what the rule makes of negative numbers, in a format that has none
 *   5 u > TOP               NaN: the canonical one by sign
 *   6 hard lanes            the portable kernel's result
 *
 * What each becomes was asked of the codec once (bndi_ask), so no policy is written here a second time. */
static NOT_INLINE V NAME(mend)(const bndi_plan *plan, bndi_results *special, bool to_codes, V result, V x, V y,
                               V random)
{
    V u = x & MAGNITUDE, negative = NAME(signs_of)(x), size = y & MAGNITUDE, max = NAME(all)(plan->max);
    V least = NAME(all)(plan->rule.flush_out ? plan->normal : 1);
    bndi_ask(plan, to_codes, special);
    result = NAME(select)(NAME(greater)(least, size), NAME(pick)(negative, special->zero), result);
    V over = ~NAME(greater)(NAME(all)(plan->overflow_from), u) | (NAME(greater)(u, max) & NAME(greater)(size, max));
    result = NAME(select)(over, NAME(pick)(negative, special->overflow), result);
    result = NAME(select)((V)(u == TOP), NAME(pick)(negative, special->infinity), result);
    if (plan->nonnegative_only) {
        result = NAME(select)(negative & (V)(u != 0), NAME(all)(special->negative), result);
    }
    result = NAME(select)(NAME(greater)(u, NAME(all)(TOP)), NAME(pick)(negative, special->nan), result);
    V hard = NAME(hard_lanes)(plan, u);
    if (NAME(any_above)(hard, NAME(all)(0))) {
        WORD results[LANES], words[LANES], which[LANES], bits[LANES];
        NAME(store)(results, result);
        NAME(store)(words, x);
        NAME(store)(which, hard);
        NAME(store)(bits, random);
        NAME(do_hard)(plan, to_codes, results, words, which, bits);
        result = NAME(load)(results);
    }
    return result;
}
