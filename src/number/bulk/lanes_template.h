/* The body of the vector kernels of conversions: round, encode, decode. It is a template for one type of words and one
 * vector size. Each back end includes it twice, with LANE_BITS 32 (words are fp32 bits) and 64 (fp64 bits), and
 * NAME(fill) puts the results into the back end's table. A format, a mode or a policy is data of the bndi_plan, never
 * code here.
 *
 * Parameters that the including file defines:
 *   LANE_BITS   32 or 64; undefined again at the end of this file
 *   BYTES       size of a vector: 16 (NEON, wasm128), 32 (AVX2), 64 (AVX-512)
 *   GROUP       vectors per step of a loop, 4: one check for special numbers and one packed store of codes per step
 *   SHIFT       optional: the type of a shift count, where the instruction set shifts all lanes by one scalar count
 *   lanes_32    the vector type (may_alias), with signed_lanes_32 and floats_32 of the same size; the same for 64
 * Hooks that the including file defines, for lanes of LANE_BITS:
 *   NAME(select)(m, a, b)       a where the mask m has ones, b elsewhere, bit by bit
 *   NAME(max), NAME(umax)       the larger lane, signed and unsigned
 *   NAME(any_above)(a, b)       is any lane of a above its lane of b, unsigned?
 *   NAME(store_codes)           GROUP vectors of codes to words of 1, 2, 4 or 8 bytes
 *   NAME(load_some)             the other direction, any number of vectors
 *   NAME(stream)                a store past the caches, or an ordinary one where there is none
 * Names made here: V is the vector, LANES its lanes, WORD the type of a lane, FRACTION its fraction bits, NAME(x) is
 * x_32 or x_64. MAGNITUDE, SIGN, HIDDEN (the bit above the fraction) and TOP (infinity) are masks of a word.
 *
 * A number is plain where its magnitude u satisfies u - low <= span, unsigned: one subtraction and one comparison find
 * overflow, infinity and NaN at once, and numbers below `low` wherever the format treats zero or small numbers in a way
 * of its own. Every vector is computed as if it were plain. A group that holds any other number takes the path with
 * blends, `mend`, and the few numbers that no blend gets right are done one by one by the portable kernels (`do_hard`),
 * which hand what they cannot do to the codec. So wrong lanes are always overwritten and never stored.
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

#if LANE_BITS == 32
#define WORD     uint32_t
#define FRACTION 23
#define NAME(x)  x##_32
#else
#define WORD     uint64_t
#define FRACTION 52
#define NAME(x)  x##_64
#endif
/* Masks and sizes of a word, the same for 32 and 64 bits. */
#define BITS      (8 * (int)sizeof(WORD))
#define LANES     (BYTES / (int)sizeof(WORD))
#define MAGNITUDE ((WORD)-1 >> 1)
#define SIGN      (~MAGNITUDE)
#define HIDDEN    ((WORD)1 << FRACTION)
#define TOP       (MAGNITUDE & ~(HIDDEN - 1)) /* infinity; above it are the NaNs */
#define V         NAME(lanes)
#if !defined(SHIFT)
#define SHIFT V
#endif
#define GROUP_LEN ((size_t)GROUP * (size_t)LANES)

/* The same word in all lanes. */
static ALWAYS_INLINE V NAME(all)(uint64_t word)
{
    return (V){0} + (WORD)word;
}

/* A count of bits for all lanes: SHIFT is a vector or a number, whichever the instruction set shifts by in one
 * instruction. */
static ALWAYS_INLINE SHIFT NAME(shift)(unsigned bits)
{
    return (SHIFT){0} + (WORD)bits;
}

/* Loads and stores need no alignment; memcpy becomes one instruction. */
static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

static ALWAYS_INLINE void NAME(store)(void *memory, V v)
{
    __builtin_memcpy(memory, &v, sizeof v);
}

/* Lanes as floating-point numbers, in the rounding mode that environment.h has set to plan->mode_to_set. */
static ALWAYS_INLINE V NAME(sum)(V a, V b)
{
    return (V)((NAME(floats))a + (NAME(floats))b);
}

static ALWAYS_INLINE V NAME(difference)(V a, V b)
{
    return (V)((NAME(floats))a - (NAME(floats))b);
}

/* A mask: ones where a > b as signed integers. Magnitudes have a clear sign bit, so signed order is their order. */
static ALWAYS_INLINE V NAME(greater)(V a, V b)
{
    return (V)((NAME(signed_lanes))a > (NAME(signed_lanes))b);
}

/* All ones where x is negative: the arithmetic shift copies the sign bit. */
static ALWAYS_INLINE V NAME(signs_of)(V x)
{
    return (V)((NAME(signed_lanes))x >> (BITS - 1));
}

/* The random entries of LANES elements, from element `at` on, widened to lanes. */
static ALWAYS_INLINE V NAME(load_random)(const void *random, unsigned bytes, size_t at)
{
    V r[1];
    NAME(load_some)(r, (const char *)random + at * bytes, bytes, 1);
    return r[0];
}

/* ---- one rounding ---- */

/* The plan as vectors, made once per call. FLOAT steps use bottom, magic, code_magic and code_mask; BITS steps use
 * keep, unit, base, one, flip, plus, left and right, whose meaning depends on the mode (set_constants). */
typedef struct NAME(constants) {
    V bottom, magic, code_magic, keep, unit, magnitude, usable, low, span, one, base, flip, plus;
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
 * zero for SRA, SRB and RNA), the random ones are added there as integers, and code_mask clears what is left of them.
 * Example, 0.3 to e4m3 by SRA with 8 random bits, M = 44800000 (1024):
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
 * nothing stands above it, and stores that narrow with saturation change nothing). */
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
 * without subnormals, subnormals of family BITS, flushed inputs), NaNs that keep their payload, negative numbers of
 * an unsigned format. */
static ALWAYS_INLINE V NAME(hard_lanes)(const bndi_plan *plan, V x, V u)
{
    V hard = NAME(greater)(NAME(all)(plan->portable_below), u) & (V)(u != 0);
    if (plan->keeps_payload) {
        hard |= NAME(greater)(u, NAME(all)(TOP));
    }
    if (!plan->format.is_signed) {
        hard |= NAME(signs_of)(x);
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
 *   4 u > TOP               NaN: the canonical one by sign
 *   5 hard lanes            the portable kernel's result
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
    result = NAME(select)(NAME(greater)(u, NAME(all)(TOP)), NAME(pick)(negative, special->nan), result);
    V hard = NAME(hard_lanes)(plan, x, u);
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

/* ---- groups and arrays ---- */

/* SRB adds 2 R + 1 to one bit more than SRA: `extra` is random_bits + 1, and the addend the middle of R's interval. */
static ALWAYS_INLINE V NAME(addend)(const NAME(constants) * k, bndi_step step, bool by_random, V random)
{
    if (step == FLOAT_ADD && by_random && k->half_more) {
        return random + random + 1;
    }
    return random;
}

/* GROUP vectors from x to y (words, or codes in words of the plan's code_bytes). `check` collects the largest u - low
 * of all vectors, so that the usual case costs one comparison per group. k->usable drops the sign of a signed format;
 * for an unsigned format it keeps it, and a negative number is then larger than any span. In the repair, `rounded` is
 * computed again for codes only, where the word is needed to recognise overflow. */
static ALWAYS_INLINE void NAME(group)(const NAME(constants) * k, bndi_step step, const bndi_plan *plan,
                                      bndi_results *special, bool to_codes, bool by_random, unsigned code_bytes,
                                      bool stream, void *y, const void *in, const void *random)
{
    V x[GROUP], r[GROUP], result[GROUP], check = NAME(all)(0);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = NAME(load)((const char *)in + i * BYTES);
        r[i] = NAME(all)(0);
        if (by_random) {
            r[i] = NAME(load_random)(random, k->bytes, i * (size_t)LANES);
        } else if (step == FLOAT_ADD) {
            r[i] = NAME(all)(1); /* RNA is A with one random bit that is 1 */
        }
        V addend = NAME(addend)(k, step, by_random, r[i]);
        result[i] =
            to_codes ? NAME(coded)(k, step, x[i], addend, by_random) : NAME(rounded)(k, step, x[i], addend, by_random);
        check = NAME(umax)(check, (x[i] & k->usable) - k->low);
    }
    if (NAME(any_above)(check, k->span)) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            V addend = NAME(addend)(k, step, by_random, r[i]);
            V rounded = to_codes ? NAME(rounded)(k, step, x[i], addend, by_random) : result[i];
            result[i] = NAME(mend)(plan, special, to_codes, result[i], x[i], rounded, r[i]);
        }
    }
    if (to_codes) {
        NAME(store_codes)(y, result, code_bytes, k->shift, stream);
        return;
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        if (stream) {
            NAME(stream)((char *)y + i * BYTES, result[i]);
        } else {
            NAME(store)((char *)y + i * BYTES, result[i]);
        }
    }
}

/* An array, GROUP_LEN elements at a time. The last few go through a padded copy, with zeros behind them: zero is
 * harmless in every step (it is plain, or mend handles it), and the copy keeps loads and stores inside the caller's
 * arrays. */
static ALWAYS_INLINE void NAME(loop)(bndi_step step, bool by_random, const bndi_plan *plan, bool to_codes, void *y,
                                     const void *x, const void *random, size_t n)
{
    NAME(constants) made;
    NAME(set_constants)(&made, plan);
    const NAME(constants) k = made; /* of its own: nothing that is stored can change it, and it stays in registers */
    bndi_results special = {.asked = false};
    const unsigned code_bytes = plan->code_bytes;
    const bool stream = plan->stream;
    const size_t step_out = GROUP_LEN * (to_codes ? plan->code_bytes : sizeof(WORD));
    const size_t step_random = random != NULL ? GROUP_LEN * plan->random_bytes : 0;
    const char *in = x, *r = random;
    char *out = y;
    for (; n >= GROUP_LEN; n -= GROUP_LEN) {
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, stream, out, in, r);
        in += GROUP_LEN * sizeof(WORD);
        out += step_out;
        r = r != NULL ? r + step_random : NULL;
    }
    if (n > 0) {
        WORD last_in[GROUP * LANES] = {0}, last_out[GROUP * LANES];
        uint64_t last_random[GROUP * LANES] = {0};
        __builtin_memcpy(last_in, in, n * sizeof(WORD));
        if (random != NULL) {
            __builtin_memcpy(last_random, r, n * plan->random_bytes);
        }
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, false, last_out, last_in, last_random);
        __builtin_memcpy(out, last_out, n * (to_codes ? plan->code_bytes : sizeof(WORD)));
    }
}

/* One loop per step: `step` and `by_random` are constants in each, so that the inlined body has no branch on the mode.
 * FLOAT covers RNE, RTZ, RUP and RDN by the processor's own mode; RNA and the stochastic modes are an addition after
 * it. */
static ALWAYS_INLINE void NAME(by_step)(const bndi_plan *plan, bool to_codes, void *y, const void *x,
                                        const void *random, size_t n)
{
    const bool is_float = plan->family == BNDI_FLOAT;
    if (n == 0) {
        return;
    }
    switch (plan->rule.rounding) {
    case BND_ROUND_RNE:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_NEAREST, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTZ:
    case BND_ROUND_RNA:
        if (is_float && plan->rule.rounding == BND_ROUND_RTZ) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else if (is_float) {
            NAME(loop)(FLOAT_ADD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ADD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RUP:
    case BND_ROUND_RDN:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_SIGNED, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTO:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ODD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_SR_EQUAL:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_ODD, true, plan, to_codes, y, x, random, n);
        }
        break;
    default:
        if (is_float) {
            NAME(loop)(FLOAT_ADD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_RANDOM, true, plan, to_codes, y, x, random, n);
        }
        break;
    }
}

/* The kernels of the table. Family PORTABLE has no vector form: one bit of precision with round to odd, too many random
 * bits. */
static void NAME(round)(const bndi_plan *plan, void *y, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_round)(plan, y, x, random, n);
    } else {
        NAME(by_step)(plan, false, y, x, random, n);
    }
}

static void NAME(encode)(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_encode)(plan, codes, x, random, n);
    } else {
        NAME(by_step)(plan, true, codes, x, random, n);
    }
}

/* ---- codes to words ---- */

/* What is not a plain code: infinities and NaNs that look as those of the words do are moved into place and made quiet;
 * others are told apart by their code, as they have no payload; the rest (no zero, or words that cannot hold the
 * format) goes to the portable kernel. */
static NOT_INLINE V NAME(decode_specials)(const bndi_plan *plan, V codes, V words, V special)
{
    const bnd_format *f = &plan->format;
    V magnitude = codes & (WORD)(((uint64_t)1 << bnd_magnitude_bits(f)) - 1);
    V above = NAME(greater)(magnitude, NAME(all)(f->max_code));
    if (f->ieee_nans) {
        V nan = NAME(greater)(magnitude, NAME(all)(f->infinity_code));
        V word = (words & SIGN) | TOP | ((magnitude << plan->drop) & (HIDDEN - 1)) | (nan & (HIDDEN >> 1));
        words = NAME(select)(above, word, words);
        special &= ~above;
    } else {
        V infinite = f->has_infinity ? (V)(magnitude == (WORD)f->infinity_code) : NAME(all)(0);
        V nan = above & ~infinite;
        words = NAME(select)(above | infinite, (words & SIGN) | TOP | (nan & (HIDDEN >> 1)), words);
        special &= ~(above | infinite);
        if (f->zero_nan) { /* the whole code: without subnormals +0 needs the fallback, too */
            V negative_zero = (V)((codes & (WORD)(((uint64_t)2 << (f->width - 1)) - 1)) == (WORD)f->nan_code);
            words = NAME(select)(negative_zero, NAME(all)(TOP | HIDDEN >> 1), words);
            special &= ~negative_zero;
        }
    }
    if (!NAME(any_above)(special, NAME(all)(0))) {
        return words;
    }
    WORD in[LANES], out[LANES], which[LANES];
    bndi_plan one = *plan;
    one.code_bytes = sizeof(WORD);
    one.code_shift = 0;
    NAME(store)(in, codes);
    NAME(store)(out, words);
    NAME(store)(which, special);
    for (int i = 0; i < LANES; i++) {
        if (which[i] != 0) {
            NAME(bndi_decode)(&one, out + i, in + i, 1);
        }
    }
    return NAME(load)(out);
}

/* The plan of decoding as vectors: masks and shifts of the code's fields, and code_low, code_span as low and span
 * above. */
typedef struct NAME(decoding) {
    V magnitudes, signs, low, span, offset, normal, bottom, width, nan;
    SHIFT to_sign, drop, shift;
    unsigned bytes;
} NAME(decoding);

static void NAME(set_decoding)(NAME(decoding) * d, const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    const unsigned magnitude_bits = bnd_magnitude_bits(f);
    d->magnitudes = NAME(all)(((uint64_t)1 << magnitude_bits) - 1);
    d->normal = NAME(all)((uint64_t)1 << f->fraction_bits);
    d->bottom = NAME(all)((WORD)plan->bottom << FRACTION);
    d->signs = NAME(all)(f->is_signed ? SIGN : 0);
    d->low = NAME(all)(plan->code_low);
    d->span = NAME(all)(plan->code_span);
    d->offset = NAME(all)(((WORD)plan->code_bottom - 1) << f->fraction_bits);
    d->width = NAME(all)(((uint64_t)2 << (f->width - 1)) - 1);
    d->nan = NAME(all)(f->nan_code);
    d->to_sign = NAME(shift)(BITS - 1 - magnitude_bits);
    d->drop = NAME(shift)(plan->drop);
    d->shift = NAME(shift)(plan->code_shift);
    d->bytes = plan->code_bytes;
}

/* Decode: the code's exponent and fraction are shifted into place and the difference of the biases is added, in one
 * step. A subnormal 0.f 2^e is computed as 1.f 2^e - 2^e, which needs no subnormal operand (those cost some processors
 * a hundred cycles); where the words have the format's own exponents (`by_difference` false) it stays as it is. Codes
 * of e4m3, drop = 20, offset = (121 - 1) << 3 = 3c0, normal = 8:
 *
 *   c                            01               2a               d9               7f
 *   magnitude                    01               2a               59               7f
 *   (magnitude + 3c0) << 20      3c100000         3ea00000         41900000         43f00000
 *   subnormal (< 8)?             yes: + HIDDEN    no               no               no
 *   minus 2^-6 there             0.0175781-2^-6   0.3125           18               480
 *   with the sign of c           3b000000 2^-9    3ea00000 0.3125  c1900000 -18     above code_span 7e: a NaN
 *
 * zero_nan: formats whose NaN is the code of negative zero (fnuz) are checked in a second running maximum. */
static ALWAYS_INLINE void NAME(decode_group)(bool by_difference, bool zero_nan, const bndi_plan *plan,
                                             const NAME(decoding) * d, bool stream, void *y, const void *codes)
{
    V c[GROUP], word[GROUP], check = NAME(all)(0), check_nan = NAME(all)(0);
    NAME(load_some)(c, codes, d->bytes, GROUP);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        c[i] >>= d->shift;
        V magnitude = c[i] & d->magnitudes;
        V value = (magnitude + d->offset) << d->drop;
        if (by_difference) {
            V subnormal = NAME(greater)(d->normal, magnitude);
            value = NAME(difference)(value + (subnormal & HIDDEN), subnormal & d->bottom);
        }
        word[i] = NAME(select)(NAME(all)(SIGN), (c[i] << d->to_sign) & d->signs, value); /* a difference may be -0 */
        check = NAME(umax)(check, magnitude - d->low);
        if (zero_nan) {
            check_nan =
                NAME(umax)(check_nan, ((c[i] & d->width) ^ d->nan) - 1); /* the NaN wraps around to the largest */
        }
    }
    if (NAME(any_above)(check, d->span) || (zero_nan && NAME(any_above)(check_nan, NAME(all)(MAGNITUDE)))) {
        for (size_t i = 0; i < GROUP; i++) {
            V special = (V)((c[i] & d->magnitudes) - d->low > d->span);
            if (zero_nan) {
                special |= (V)((c[i] & d->width) == d->nan);
            }
            word[i] = NAME(decode_specials)(plan, c[i], word[i], special);
        }
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        if (stream) {
            NAME(stream)((char *)y + i * BYTES, word[i]);
        } else {
            NAME(store)((char *)y + i * BYTES, word[i]);
        }
    }
}

/* An array of codes; the tail goes through a padded copy, as in `loop`. */
static ALWAYS_INLINE void NAME(decode_loop)(bool by_difference, bool zero_nan, const bndi_plan *plan, void *y,
                                            const void *codes, size_t n)
{
    NAME(decoding) made;
    NAME(set_decoding)(&made, plan);
    const NAME(decoding) d = made;
    const size_t step_in = GROUP_LEN * plan->code_bytes;
    const bool stream = plan->stream;
    const char *in = codes;
    char *out = y;
    for (; n >= GROUP_LEN; n -= GROUP_LEN) {
        NAME(decode_group)(by_difference, zero_nan, plan, &d, stream, out, in);
        in += step_in;
        out += GROUP_LEN * sizeof(WORD);
    }
    if (n > 0) {
        uint64_t last_in[GROUP * LANES] = {0};
        WORD last_out[GROUP * LANES];
        __builtin_memcpy(last_in, in, n * plan->code_bytes);
        NAME(decode_group)(by_difference, zero_nan, plan, &d, false, last_out, last_in);
        __builtin_memcpy(out, last_out, n * sizeof(WORD));
    }
}

/* Codes to words: by fields with or without the difference for subnormals, with or without the check for the fnuz NaN.
 */
static void NAME(decode)(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    if (!plan->exact || plan->code_bytes > sizeof(WORD)) {
        NAME(bndi_decode)(plan, y, codes, n);
    } else if (plan->decode_family == BNDI_FLOAT) {
        if (plan->format.zero_nan) {
            NAME(decode_loop)(true, true, plan, y, codes, n);
        } else {
            NAME(decode_loop)(true, false, plan, y, codes, n);
        }
    } else if (plan->format.zero_nan) {
        NAME(decode_loop)(false, true, plan, y, codes, n);
    } else {
        NAME(decode_loop)(false, false, plan, y, codes, n);
    }
}

/* The slots that this body can fill. */
static void NAME(fill)(bndi_kernels *kernels)
{
    const bndi_width width = LANE_BITS == 32 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    kernels->round[width] = NAME(round);
    kernels->encode[width] = NAME(encode);
    kernels->decode[width] = NAME(decode);
}

#undef BITS
#undef LANES
#undef MAGNITUDE
#undef SIGN
#undef HIDDEN
#undef TOP
#undef V
#undef SHIFT
#undef GROUP_LEN
#undef WORD
#undef FRACTION
#undef NAME
#undef LANE_BITS
