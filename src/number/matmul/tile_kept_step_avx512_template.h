/* A step of tile_kept_template.h with AVX-512: its two roundings, with the rounding mode in the instruction. Once for
 * each type of lanes. */

/* Constants of the second rounding, in all lanes. */
typedef struct NAME(constants) {
    NAME(vector) up, lowest, sign, largest;
    NAME(words) keep, constant, special;
} NAME(constants);

static ALWAYS_INLINE NAME(constants) NAME(constants_of)(const bndi_kept *kept)
{
    return (NAME(constants)){.up = NAME(all)(kept->up),
                             .lowest = NAME(all)(kept->lowest),
                             .sign = NAME(all)(kept->has_negative_zero ? -0.0 : 0.0),
                             .largest = NAME(all)(kept->largest),
                             .keep = NAME(all_words)(~UINT64_C(0) << kept->extra),
                             .constant = NAME(all_words)(kept->constant),
                             .special = NAME(all_words)(kept->special)};
}

/* w without M, with the sign of d. */
static ALWAYS_INLINE NAME(vector)
    NAME(finished)(bool adds, const NAME(constants) * is, NAME(vector) w, NAME(vector) m, NAME(vector) d, NAME(words) r)
{
    w = adds ? NAME(plus_bits)(w, r, is->keep) : w;
    return NAME(with_sign)(w - m, d, is->sign);
}

static ALWAYS_INLINE NAME(vector)
    NAME(to_format)(bndi_toward to, bool adds, const NAME(constants) * is, NAME(vector) d, NAME(words) r)
{
    const NAME(vector) m = NAME(farther)(is->lowest, NAME(power_in)(d) * is->up);
    NAME(vector) w = d + m;
    if (to != BNDI_NEAREST) {
        w = NAME(sum_by)(to, d, m);
    }
    return NAME(finished)(adds, is, w, m, d, r);
}

/* x y: M needs no more of it than its exponent, so that w is one rounding. */
static ALWAYS_INLINE NAME(vector)
    NAME(rounded_product)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is, NAME(vector) x,
                          NAME(vector) y, NAME(words) r)
{
    const NAME(vector) d = NAME(product)(x, y), m = NAME(farther)(is->lowest, NAME(power_in)(d) * is->up);
    NAME(vector) w = NAME(fma)(x, y, m);
    if (to != BNDI_NEAREST) {
        w = NAME(fma_by)(to, x, y, m);
    }
    w = NAME(finished)(adds, is, w, m, d, r);
    return mends ? NAME(mended)(w, d, is->largest, is->special) : w;
}

/* The same of s + p and of x y + s. */
static ALWAYS_INLINE NAME(vector) NAME(rounded_sum)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is,
                                                    NAME(vector) s, NAME(vector) p, NAME(words) r)
{
    const NAME(vector) d = NAME(sum_by)(to, s, p), w = NAME(to_format)(to, adds, is, d, r);
    return mends ? NAME(mended)(w, d, is->largest, is->special) : w;
}

static ALWAYS_INLINE NAME(vector) NAME(rounded_fma)(bndi_toward to, bool adds, bool mends, const NAME(constants) * is,
                                                    NAME(vector) x, NAME(vector) y, NAME(vector) s, NAME(words) r)
{
    const NAME(vector) w = NAME(to_format)(to, adds, is, NAME(fma_by)(to, x, y, s), r);
    return mends ? NAME(mended)(w, NAME(fma_by)(BNDI_ZERO, x, y, s), is->largest, is->special) : w;
}
