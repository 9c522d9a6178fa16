/* Codes to words, in vectors: the second half of lanes_template.h, whose names and hooks it uses. An array is decoded
 * GROUP vectors at a time, as if every code were plain. A group with a code that is not plain (an infinity, a NaN, a
 * small number of a format without subnormals) is repaired by decode_specials. Codes of fp16, whose infinity is 7c00:
 *
 *                          lane 0        lane 1        lane 2        lane 3
 *   code                   3c00 (1)      fc00 (-inf)   7d01 (NaN)    0001 (2^-24)
 *   magnitude - code_low   3c00          7c00          7d01          0001
 *   above code_span 7bff   no            yes           yes           no           decode_specials
 *   word                   3f800000      ff800000      7fe02000      33800000     the NaN is quiet, with its payload
 */

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
 * above. For e4m3: magnitudes 7f, normal 8, bottom 3c800000 (2^-6), offset 3c0 (120 << 3), to_sign 24, drop 20. */
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

/* An array of codes; the tail goes through a padded copy, as in `loop`. Codes of zero are padding: where zero is not a
 * plain code, decode_specials handles it like any other. */
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
 * The four loops are instances in which both are constants:
 *
 *   by_difference, zero_nan    e4m3fnuz
 *   by_difference              fp16, e4m3, tf32 in words of 64 bits
 *   zero_nan                   a fnuz format with the exponents of the words
 *   neither                    bf16 and tf32 in words of 32 bits; formats without subnormals
 *
 * Formats that the words do not hold, and codes wider than a word, are left to the portable kernel. */
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
