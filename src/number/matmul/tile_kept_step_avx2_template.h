/* A step of tile_kept_template.h with AVX2: its two roundings, by the processor's mode and both directions. Once for
 * each type of lanes.
 *
 * M is not 2^(P - p - N) times the power of two in d, but 3/2 of that, and positive unless zero is the direction or
 * something is added to w: so w stays in the binade of M whatever the sign of d is. The format's numbers are q apart at
 * x, the exact number; RD and RU are roundings down and up to multiples of q, which adding M does.
 *
 *   up, down, to zero    d + M in the mode: two roundings in one direction are one
 *   to odd               RD(x) and RU(x): the odd one as a word; the same where nothing is rounded
 *   to nearest           RD(x + q/2), which takes ties up, and RU(x - q/2), which takes them down. They differ in a tie
 *                        only, there by q, and one of the two is even: that one
 *
 * The number d before these is RD of x to P bits, and `minus_up` RD of -x. RD(d + q/2) is RD(x + q/2), since q/2 and q
 * are multiples of the last place of d: both are the largest multiple of q that is not above. RU(x) is -RD(-x).
 *
 * The power of two is that of d, although d can be a power of two that x is below: what is rounded away from zero to it
 * in P bits is rounded to it in fewer, be q that of x or twice as much. Not so to odd, which takes the lower power of
 * the two directions.
 *
 * bf16, x = 1 + 2^-8 + 2^-30, q = 2^-7: d = 3f808000, RD(d + q/2) = 1 + 2^-7; -x = -1 - 2^-8 - 2^-30, minus_up =
 * bf808001, plus q/2 and down to q: -1 - 2^-7. Without the 2^-30: 1 + 2^-7 (odd) and 1 (even), which is the result.
 *
 * Instructions for eight sums in fp32 with one rounding, without loads: up 11, down 12, toward zero 13, to nearest 19,
 * to odd 20, and 2 to 4 more where something is added. */

/* Constants of the second rounding, in all lanes. `over`, `infinite`: results for those classes, positive and negative
 * ones. */
typedef struct NAME(constants) {
    NAME(vector) up, half, least, sign, largest, over[2], infinite[2], not_a_number;
    NAME(words) keep, constant;
} NAME(constants);

/* x in the mode of the tile, and where both directions are looked at -x, too. */
typedef struct NAME(pair) {
    NAME(vector) d, minus_up;
} NAME(pair);

/* The result of a class; gemm_plan.c has the tokens. */
static ALWAYS_INLINE NAME(vector) NAME(result_of)(const bndi_kept *kept, unsigned class, bool negative)
{
    enum { A_NAN = 3, MINUS_INFINITY = 4, INFINITY_TOKEN = 5 };
    const uint32_t token = kept->special >> 4 * class & 15;
    const double largest = negative ? -kept->largest : kept->largest;
    return NAME(all)(token == A_NAN            ? __builtin_nan("")
                     : token == MINUS_INFINITY ? -__builtin_inf()
                     : token == INFINITY_TOKEN ? __builtin_inf()
                                               : largest);
}

static ALWAYS_INLINE NAME(constants) NAME(constants_of)(const bndi_kept *kept)
{
    enum { A_NAN = 0, MINUS_INFINITY = 4, PLUS_INFINITY = 5, NEGATIVE = 6, POSITIVE = 7 };
    const double of_lanes = sizeof(LANE) == sizeof(float) ? 0x1p-24 : 0x1p-53;
    return (NAME(constants)){
        .up = NAME(all)(1.5 * kept->up),
        .half = NAME(all)(kept->up * of_lanes),
        .least = NAME(all)(kept->lowest / kept->up),
        .sign = NAME(all)(kept->has_negative_zero ? -0.0 : 0.0),
        .largest = NAME(all)(kept->largest),
        .over = {NAME(result_of)(kept, POSITIVE, false), NAME(result_of)(kept, NEGATIVE, true)},
        .infinite = {NAME(result_of)(kept, PLUS_INFINITY, false), NAME(result_of)(kept, MINUS_INFINITY, true)},
        .not_a_number = NAME(result_of)(kept, A_NAN, false),
        .keep = NAME(all_words)(~UINT64_C(0) << kept->extra),
        .constant = NAME(all_words)(kept->constant)};
}

static ALWAYS_INLINE bool NAME(is_down)(bndi_toward to)
{
    return to != BNDI_ZERO && to != BNDI_UP;
}

static ALWAYS_INLINE bool NAME(has_pair)(bndi_toward to)
{
    return to == BNDI_NEAREST || to == BNDI_ODD_ONE;
}

static ALWAYS_INLINE NAME(vector)
    NAME(to_format)(bndi_toward to, bool adds, const NAME(constants) * is, NAME(pair) x, NAME(words) r)
{
    const NAME(vector) signs = NAME(all)(-0.0);
    NAME(vector) power = NAME(power_of)(x.d, is->least);
    if (to == BNDI_ODD_ONE) {
        power = NAME(lower)(power, NAME(power_of)(x.minus_up, is->least));
    }
    NAME(vector) m = NAME(scaled)(power, is->up), w;
    if (adds || to == BNDI_ZERO) {
        m = NAME(with_sign)(m, x.d, signs);
    }
    if (to == BNDI_NEAREST) {
        w = NAME(fma)(power, is->half, x.d) + m;
        w = NAME(unless_odd)(w, NAME(minus)(NAME(fma)(power, is->half, x.minus_up) - m));
    } else if (to == BNDI_ODD_ONE) {
        w = NAME(odd_of)(x.d + m, NAME(minus)(x.minus_up - m));
    } else {
        w = x.d + m;
    }
    w = adds ? NAME(plus_bits)(w, r, is->keep) : w;
    if (NAME(is_down)(to)) {
        w = NAME(minus)(m - w); /* +0 where they are the same */
    } else {
        w = w - m;
    }
    return NAME(has_pair)(to) ? NAME(with_other_sign)(w, x.minus_up, is->sign) : NAME(with_sign)(w, x.d, is->sign);
}

/* What `special` has for the class of a number that was rounded toward zero; where that is asked for. */
static ALWAYS_INLINE NAME(vector)
    NAME(mended)(const NAME(constants) * is, NAME(vector) r, NAME(vector) where, NAME(vector) x)
{
    const NAME(vector) infinite =
        NAME(not_within)(x, NAME(all)(sizeof(LANE) == 4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023));
    NAME(vector)
    of = NAME(by_sign)(infinite, NAME(by_sign)(x, is->infinite[1], is->infinite[0]),
                       NAME(by_sign)(x, is->over[1], is->over[0]));
    of = NAME(by_sign)(NAME(are_nan)(x), is->not_a_number, of);
    return NAME(by_sign)(where, of, r);
}

/* Of d and the other direction the one that is nearer to zero. */
static ALWAYS_INLINE NAME(vector) NAME(nearer)(bndi_toward to, NAME(vector) d, NAME(vector) minus_other)
{
    const NAME(vector) other = NAME(minus)(minus_other);
    return to == BNDI_ZERO ? d : to == BNDI_UP ? NAME(by_sign)(d, d, other) : NAME(by_sign)(d, other, d);
}

/* x y, s + p and x y + s, rounded. */
static ALWAYS_INLINE NAME(vector)
    NAME(rounded_product)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is, NAME(vector) x,
                          NAME(vector) y, NAME(words) r)
{
    NAME(pair) d = {x * y, y};
    if (NAME(has_pair)(to)) {
        d.minus_up = NAME(opaque)(NAME(minus)(x) * y);
    }
    const NAME(vector) w = NAME(to_format)(to, adds, is, d, r), where = NAME(not_within)(w, is->largest);
    if (mends && NAME(any)(where)) {
        return NAME(mended)(is, w, where, NAME(nearer)(to, d.d, NAME(opaque)(NAME(minus)(x) * y)));
    }
    return w;
}

static ALWAYS_INLINE NAME(vector) NAME(rounded_sum)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is,
                                                    NAME(vector) s, NAME(vector) p, NAME(words) r)
{
    NAME(pair) d = {s + p, p};
    if (NAME(has_pair)(to)) {
        d.minus_up = NAME(opaque)(NAME(minus)(s) - p);
    }
    const NAME(vector) w = NAME(to_format)(to, adds, is, d, r), where = NAME(not_within)(w, is->largest);
    if (mends && NAME(any)(where)) {
        return NAME(mended)(is, w, where, NAME(nearer)(to, d.d, NAME(opaque)(NAME(minus)(s) - p)));
    }
    return w;
}

static ALWAYS_INLINE NAME(vector) NAME(rounded_fma)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is,
                                                    NAME(vector) x, NAME(vector) y, NAME(vector) s, NAME(words) r)
{
    NAME(pair) d = {NAME(fma)(x, y, s), y};
    if (NAME(has_pair)(to)) {
        d.minus_up = NAME(minus_fma)(x, y, s);
    }
    const NAME(vector) w = NAME(to_format)(to, adds, is, d, r), where = NAME(not_within)(w, is->largest);
    if (mends && NAME(any)(where)) {
        return NAME(mended)(is, w, where, NAME(nearer)(to, d.d, NAME(minus_fma)(x, y, s)));
    }
    return w;
}
