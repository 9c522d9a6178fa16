/* erf and gelu, in 256 bits.
 *
 * With f(t) = e^-t^2 / (z^2 + t^2), erfc z = (z/pi) e^-z^2 times the integral of f over the real line. The trapezoidal
 * rule, the sum of h f(n h) over all integers n, is that integral plus the contribution of the poles at +-iz if they
 * lie within |Im t| < a (Turing 1945; Chiarella and Reichel 1968):
 *     erfc z = (z h/pi) e^-z^2 (1/z^2 + 2 sum over n > 0 of e^-(n h)^2 / (z^2 + (n h)^2))
 *              - [z < a] 2 / (e^(2 pi z/h) - 1)
 * but for (z/pi) e^-z^2 2 / (e^(2 pi a/h) - 1) times the integral of |f| over Im t = a, where |e^-t^2| is e^(a^2) times
 * what it is on the real line. With h = 1/4 and a = 4 pi + 1 for z < 4 pi, 4 pi - 1 for the others, a^2 - 8 pi a is 1 -
 * 16 pi^2, and |z^2 + t^2| = |t - iz| |t + iz| is at least |z - a| (z + a) there, |z - a| at least 1. So the omitted
 * part is below (2 / sqrt(pi)) e^(1 - 16 pi^2) e^-z^2 z / (|z - a| (z + a)) < 2^-226 e^-z^2 / |z - a|. Since erfc z >
 * e^-z^2 / (sqrt(pi) (z + 1)), that is below 2^-225 (z + 1) / |z - a| of it, which is below 2^-220.
 *
 * h = 1/4 makes z^2 + (n h)^2 an integer of one word times a power of two, wherever z^2 is. */
#include "arith/elementary.h"

#include "arith/wide.h"

/* All constants are truncated after the 256th bit. */
static const bndi_wide one_over_4_pi = {
    {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561}, -259, false};
static const bndi_wide eight_pi = {
    {0xc90fdaa22168c234, 0xc4c6628b80dc1cd1, 0x29024e088a67cc74, 0x020bbea63b139b22}, -251, false};
static const bndi_wide two_over_root_of_pi = {
    {0x906eba8214db688d, 0x71d48a7f6bfec344, 0x1409a0ebac3e7517, 0x39a15830cce620b0}, -255, false};
static const bndi_wide root_of_half = {
    {0xb504f333f9de6484, 0x597d89b3754abe9f, 0x1d6f60ba893ba84c, 0xed17ac8583339915}, -256, false};

/* e^-(n/4)^2 for n = 1 .. 50; the 51st is below 2^-234. */
enum { TERMS = 50 };
static const bndi_wide weights[TERMS] = {
    {{0xf07d5fde38151e72, 0xf18ff03049ac5d7e, 0xa18e81673270e30b, 0x6a76da7f924bd6a3}, -256, false},
    {{0xc75f7cf564105743, 0x415cbc9d6368f3b9, 0x6071095abeaf430d, 0xbc067f714a3c1787}, -256, false},
    {{0x91dd49860ab457fe, 0x49ecbc03de5c559d, 0x7e5d1f1538548d3e, 0x1431a58142e2c669}, -256, false},
    {{0xbc5ab1b16779be35, 0x75bd8f0520a9f21b, 0xb5300b556ad8ee66, 0x604973a14a0fb5db}, -257, false},
    {{0xd6a45e12bb8e3b4e, 0x4cb1ee118b87d5f8, 0x544ec5ea489a1411, 0x48143c66aa77add7}, -258, false},
    {{0xd7db8c7422bfba73, 0xfdc6e647f3a1b821, 0x001176b3beb34cda, 0xe8e740b856c5c112}, -259, false},
    {{0xbf928d58d7bbdbaa, 0xa611045ef878892c, 0x954c1cf71c6bd17e, 0xeb6a1920200bb5fc}, -260, false},
    {{0x960aadc109e7a3bf, 0x4578099615711ea5, 0x1f286a70f8fba66f, 0x26ac34966857369a}, -261, false},
    {{0xcf6980608450b462, 0x73cfab7549bda4fb, 0x669d402bbafaedb3, 0xf9d01551b6decfd4}, -263, false},
    {{0xfd074ac3575e35c9, 0xcd3343a93fe664ea, 0x166c86ef7b97e381, 0xe542eaa68a1cd375}, -265, false},
    {{0x883411121beb2abf, 0x9d314620bc4e0bc4, 0x1a744993e425948d, 0x132f9ba2f073a216}, -266, false},
    {{0x8167912932a2cc8a, 0xb6d9e082ec1b6425, 0xd25498fb1c77e9d0, 0x7095552994807e81}, -268, false},
    {{0xd8ff527ddc38d274, 0xc7c6024138441e38, 0xec26ca9b1c6b59b5, 0x29a4ace71139e207}, -271, false},
    {{0xa08fd86d03b89b29, 0xd29da02633168b5d, 0xed2a57d7a798f3c9, 0x57f6d4163faaf8af}, -273, false},
    {{0xd1b0257ed84946a7, 0x469c115e33f2969d, 0x60e6618f9b70b16d, 0xe1da5f13347d54d4}, -276, false},
    {{0xf1aaddd7742e56d3, 0x2fb9f997447d9e63, 0x14db84884fabab26, 0xbf059af9bc20b608}, -279, false},
    {{0xf5cbea57e1de98e0, 0xf04f952a40e20899, 0x2feed158ab030680, 0x2532f0a8bd5e4a94}, -282, false},
    {{0xdc9ef0f13e51d695, 0xc3b5423b6598047d, 0x6e03106812d47455, 0x59da57ad564bf9c8}, -285, false},
    {{0xaec1613670e0443f, 0x2d80c596a1aeb08d, 0x36403066cbd700cd, 0xaacfc03a392dd2aa}, -288, false},
    {{0xf451bd22fe196e81, 0x8e4ee1e7635035a9, 0xe14476ae4759b3bf, 0xc40bfcd83bcc82ac}, -292, false},
    {{0x96b81373055aef41, 0x04640098b04ec4bd, 0xdab7d60d61ea342e, 0x756a383b2badacd3}, -295, false},
    {{0xa41ade808520d97a, 0xb2b43c666b4d32d8, 0xe2f9bb6d4d7b6a93, 0x389383787f7a336a}, -299, false},
    {{0x9daf2e435ca1fce5, 0x2cea6b0fac91a3b7, 0x5b930d51e165142c, 0x86e59ece18d7821f}, -303, false},
    {{0x85b61d7eef031c03, 0x688065c5caed9c0c, 0x3b5c5e42aa175183, 0xbd233e9c375ae8e0}, -307, false},
    {{0xc81ed764787d80f8, 0xef8a83e55a6969d9, 0xb99c1f1e821dd1d4, 0xa08c9e0496dd78c5}, -312, false},
    {{0x8428ca2dec8fdd89, 0x2af1f0f14f30bb11, 0xe2e0d5581107ff0f, 0x23f74401220171e3}, -316, false},
    {{0x9a0b7f32911b6d74, 0x606e0218fb84a740, 0xb51cd5f43a025ba0, 0xe85630512d3e6218}, -321, false},
    {{0x9e74dcef3c7c2855, 0xf16b9606901b4f44, 0xb7fe858777cb6e60, 0x8d28a7516c0a1027}, -326, false},
    {{0x8fd7922248e77a5f, 0xe8e9ff7c8516f071, 0xe9816ca43dca095d, 0x068e644e2cec4aff}, -331, false},
    {{0xe6770b300cc79cd1, 0x5a0ae84eeba040ae, 0x3d143ddc5de14445, 0xe6b32dcdd38d91f6}, -337, false},
    {{0xa2eead4cf651c049, 0xcde0c21f8bf507b6, 0xdaede619d8b08790, 0xe9f40e5f7d598a62}, -342, false},
    {{0xcb4ea3990f265d5f, 0x96940384b1d820ca, 0x177e1bab28536098, 0x8c3b0069c009ecb3}, -348, false},
    {{0xdfe0c2d4250f954f, 0x16baf2c089869632, 0x74e52a1dab700ecb, 0x204c1bf96194031e}, -354, false},
    {{0xd98fe44c652af032, 0x2c13e2181b633286, 0xf246a842c08e52f1, 0x05cc0fced436c20c}, -360, false},
    {{0xba94d2f9af3396a4, 0xd9dfd5c195498444, 0xce679e3beb4d2f36, 0x4ad97cc067d8ecfb}, -366, false},
    {{0x8d35d756da7e8589, 0x36b43f202258747f, 0x94c1fabd3a42a4f6, 0xedaee95bf3c2c5e3}, -372, false},
    {{0xbca0f3fa0bf6d6b3, 0xdb1463429674398a, 0xed8030a3c1ab4f4a, 0xb326ed7f34b7e2a8}, -379, false},
    {{0xde5ce9b73080643d, 0x06d5f3ffe7bdea74, 0x369cb286259622a1, 0x91149f5455f76d73}, -386, false},
    {{0xe7543d016809cab2, 0xab48d2a43365f171, 0x8b6319907dfe7d64, 0x6b9bb2558c05bd00}, -393, false},
    {{0xd460f8a7157ae579, 0xeec89bae3a7e5ae6, 0xc05cbc460024fffd, 0x539a3832c4e54f7f}, -400, false},
    {{0xac11ef55a55bec84, 0xef3cc36cfdca19fb, 0x122d3b11cc5e0ca8, 0xa95a93fdeeb0b649}, -407, false},
    {{0xf60f988c9abaebe9, 0xec2c152465f62c47, 0x8c462a393534936a, 0xee2e2a287fca3a8d}, -415, false},
    {{0x9b42e3ad0e269453, 0x3680f46e013275d1, 0x8fa068b57957f4ee, 0xb9b2fb191c3870c5}, -422, false},
    {{0xace9a6ec52a39b63, 0xcee1b04276ab1918, 0x99557abab922ece9, 0x1a9c8010e6c5b0a5}, -430, false},
    {{0xa9f17608351c8a4b, 0x7de822223fdbd1be, 0x195202bccd0ccbee, 0x708a0d1b02b65946}, -438, false},
    {{0x936616e8c3a020ca, 0x0075e38a39b0ec2a, 0xdfad88a909f16aaf, 0x91e3d47e8d812b59}, -446, false},
    {{0xe1a5511e557a0b8b, 0xb21b58275aad3e36, 0x10767a96b65bcb14, 0xe5d14346a59e24db}, -455, false},
    {{0x986bac991ccc5fd3, 0x420e3a3e52760a7b, 0x80ba97aac6269494, 0x278a691e63e16fef}, -463, false},
    {{0xb5b862a59c9ecc20, 0x118b286d1df42d74, 0xaa9379e77ffa75c6, 0xa11d2c7b0fc100d2}, -472, false},
    {{0xbf31e1c1ba6f58ae, 0x6b64e9f59f6f3f40, 0xab848bd16b9bc6e0, 0xcefdc6f30bf8bf60}, -481, false},
};

/* z > 0, and its square exactly: whole / 2^fraction_bits. */
typedef struct argument {
    bndi_wide z;
    uint64_t whole; /* below 2^57 with TERMS^2 2^(fraction_bits - 4) added to it, where z^2 < 2^31 */
    unsigned fraction_bits;
    int32_t exponent; /* of the leading bit of z^2 */
} argument;

/* z = |x|, or |x| sqrt(1/2), x of at most 16 bits. z^2 is an odd number of at most 32 bits, with a few zeros after it
 * if it is an integer of fewer than 4 binary places; if z^2 >= 1/4 it has at most 35 places. */
static void take_argument(argument *out, const bnd_exact *x, bool halved)
{
    uint64_t m = x->low;
    int32_t q = x->exponent;
    for (; (m & 1) == 0; m >>= 1) {
        q++;
    }
    bnd_exact magnitude = {.low = m, .exponent = q, .kind = BND_KIND_FINITE};
    bndi_wide_of_exact(&out->z, &magnitude);
    if (halved) {
        bndi_wide_multiply(&out->z, &out->z, &root_of_half);
    }
    out->whole = m * m;
    int32_t last = 2 * q - halved; /* the exponent of the last bit of z^2 */
    out->exponent = last + 63 - (int32_t)bndi_leading_zeros(out->whole, 0);
    if (last > -4 && out->exponent < 31) {
        out->whole <<= last + 4;
        last = -4;
    }
    out->fraction_bits = last < 0 ? (unsigned)-last : 0;
}

static void exp_of_less_square(bndi_wide *out, const argument *a)
{
    bndi_wide_of_word(out, a->whole);
    out->exponent -= a->fraction_bits;
    out->negative = true;
    bndi_wide_exp(out, out);
}

/* erfc z for z^2 >= 1/4. All terms have one sign: error 6 u, and with the exponential function's error below 2^-220.
 * The last subtraction removes less than 2e-5 of its larger term. */
static void erfc_of_large(bndi_wide *out, const argument *a)
{
    bndi_wide sum, term, factor;
    if (a->exponent >= 31) { /* below every format's range, like e^x */
        bndi_wide_of_word(out, 1);
        out->exponent = -BNDI_WIDE_FAR;
        return;
    }
    bndi_wide_of_word(&sum, 1);
    bndi_wide_divide(&sum, &sum, a->whole);
    for (uint64_t n = TERMS; n >= 1; n--) {
        bndi_wide_divide(&term, &weights[n - 1], a->whole + (n * n << (a->fraction_bits - 4)));
        term.exponent++;
        bndi_wide_add(&sum, &sum, &term);
    }
    sum.exponent += a->fraction_bits;
    exp_of_less_square(&factor, a);
    bndi_wide_multiply(&sum, &sum, &factor);
    bndi_wide_multiply(&sum, &sum, &a->z);
    bndi_wide_multiply(&sum, &sum, &one_over_4_pi);
    if (a->whole >> a->fraction_bits < 157) { /* z < 4 pi. Beyond, the pole's part is below 2^-222 of the rest */
        bndi_wide_multiply(&factor, &eight_pi, &a->z);
        bndi_wide_exp(&factor, &factor);
        bndi_wide_of_word(&term, 1);
        term.negative = true;
        bndi_wide_add(&factor, &factor, &term);
        bndi_wide_reciprocal(&factor, &factor);
        factor.exponent++;
        factor.negative = true;
        bndi_wide_add(&sum, &sum, &factor);
    }
    *out = sum;
}

/* erf z for z^2 < 1/4: 2/sqrt(pi) z e^-z^2 (1 + 2w/3 (1 + 2w/5 (1 + 2w/7 ...))), w = z^2. All terms have one sign. With
 * w < 2^-k, the terms after n of them are less than 2^-(k n) 2^n / (2 n + 1)!!, which is 2^-242 for k = 2 and n = 40,
 * and always less than 2^-((k - 1) n). */
static void erf_of_small(bndi_wide *out, const argument *a)
{
    int32_t k = -1 - a->exponent;
    uint64_t terms = k < 240 ? (uint64_t)(k <= 6 ? 40 : 240 / (k - 1) + 1) : 2;
    bndi_wide one, sum, factor;
    bndi_wide_of_word(&one, 1);
    sum = one;
    for (uint64_t n = terms; n >= 1; n--) {
        bndi_wide_scale(&sum, &sum, a->whole);
        bndi_wide_divide(&sum, &sum, 2 * n + 1);
        sum.exponent += 1 - (int64_t)a->fraction_bits;
        bndi_wide_add(&sum, &sum, &one);
    }
    exp_of_less_square(&factor, a);
    bndi_wide_multiply(&sum, &sum, &factor);
    bndi_wide_multiply(&sum, &sum, &a->z);
    bndi_wide_multiply(out, &sum, &two_over_root_of_pi);
}

/* 1 - y, 1 + y. */
static void from_one(bndi_wide *out, const bndi_wide *y, bool less)
{
    bndi_wide one;
    bndi_wide_of_word(&one, 1);
    *out = *y;
    out->negative = less;
    bndi_wide_add(out, &one, out);
}

/* Above 9.5, erfc < e^-90.25 / (9.5 sqrt(pi)) < 2^-134. The relative error of 1 - erfc z, where erfc z < 0.48, is less
 * than that of erfc z. */
bool bndi_erf(bnd_exact *out, const bnd_exact *x)
{
    if (bndi_is_at_least(x, 38)) {
        *out = bndi_nudged((bnd_exact){.low = 1, .kind = BND_KIND_FINITE, .negative = x->negative}, false);
        return true;
    }
    argument a;
    bndi_wide y;
    take_argument(&a, x, false);
    if (a.exponent < -2) {
        erf_of_small(&y, &a);
    } else {
        erfc_of_large(&y, &a);
        from_one(&y, &y, true);
    }
    y.negative = x->negative;
    return bndi_wide_decide(out, &y);
}

/* x Phi(x), Phi(x) = (1 + erf(x sqrt(1/2))) / 2. Below 2^-128 this is x/2 (1 + 0.8 x): the second term is less than the
 * last of 128 places. From 13.5 on 1 - Phi(x) < e^-91.1 / (13.5 sqrt(2 pi)) < 2^-136. For negative x the factor is 1 -
 * erf > 0.47 or erfc itself, so the error does not grow. */
bool bndi_gelu(bnd_exact *out, const bnd_exact *x)
{
    bnd_exact half = *x;
    half.exponent--;
    if (bndi_exponent(x) < -128) {
        *out = bndi_nudged(half, !x->negative);
        return true;
    }
    if (!x->negative && bndi_is_at_least(x, 54)) {
        *out = bndi_nudged(*x, false);
        return true;
    }
    argument a;
    bndi_wide y, phi;
    take_argument(&a, x, true);
    if (a.exponent < -2) {
        erf_of_small(&phi, &a);
        from_one(&phi, &phi, x->negative);
    } else {
        erfc_of_large(&phi, &a);
        if (!x->negative) {
            phi.exponent--;
            from_one(&phi, &phi, true);
            phi.exponent++;
        }
    }
    bndi_wide_of_exact(&y, &half);
    bndi_wide_multiply(&y, &y, &phi);
    return bndi_wide_decide(out, &y);
}
