#include "draws.h"

#include <stdio.h>

uint64_t draw_bits(draw *d)
{
    return bnd_random(d->seed, 21, d->at++);
}

uint64_t draw_below(draw *d, uint64_t n)
{
    return draw_bits(d) % n;
}

bool draw_one_in(draw *d, uint64_t n)
{
    return draw_below(d, n) == 0;
}

/* ---- formats ---- */

static unsigned exponent_bits(draw *d)
{
    static const uint8_t usual[] = {8, 11, 8, 11, 5, 4};
    return draw_one_in(d, 3) ? 1 + (unsigned)draw_below(d, 15) : usual[draw_below(d, sizeof usual)];
}

static unsigned fraction_bits(draw *d, unsigned exponent)
{
    switch (draw_below(d, 8)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return 1 + (unsigned)draw_below(d, 3);
    case 3:
    case 4:
        return (unsigned)draw_below(d, 12);
    default:
        return (unsigned)draw_below(d, 64 - exponent);
    }
}

/* So that the least or the largest exponent is near an end of fp32 or fp64; or any. */
static int bias(draw *d, unsigned exponent)
{
    static const int least[] = {-126, -149, -1022, -1074}, largest[] = {127, 1023};
    const int top = (1 << exponent) - 2, aside = (int)draw_below(d, 9) - 4;
    switch (draw_below(d, 3)) {
    case 0:
        return 1 - least[draw_below(d, 4)] + aside;
    case 1:
        return top - largest[draw_below(d, 2)] + aside;
    default:
        return (int)draw_below(d, 2 * (uint64_t)top + 9) - top;
    }
}

static void name_custom(draw *d, char *name, size_t size)
{
    static const char *const specials[] = {"", "", "fn", "fnuz", "none"};
    const unsigned exponent = exponent_bits(d), fraction = fraction_bits(d, exponent);
    const char *special = specials[draw_below(d, 5)], *without = draw_one_in(d, 3) ? "nosub" : "";
    if (draw_one_in(d, 3)) {
        snprintf(name, size, "e%um%ub%d%s%s", exponent, fraction, bias(d, exponent), special, without);
    } else {
        snprintf(name, size, "e%um%u%s%s", exponent, fraction, special, without);
    }
}

static void name_p3109(draw *d, char *name, size_t size)
{
    const unsigned width = 3 + (unsigned)draw_below(d, 13), precision = 1 + (unsigned)draw_below(d, width);
    snprintf(name, size, "binary%up%u%c%c", width, precision, "su"[draw_below(d, 2)], "ef"[draw_below(d, 2)]);
}

static void name_value_set(draw *d, char *name, size_t size)
{
    static const unsigned usual[] = {1, 2, 24, 53, 11, 8};
    const unsigned any = 1 + (unsigned)draw_below(d, 64);
    const unsigned precision = draw_one_in(d, 2) ? usual[draw_below(d, 6)] : any;
    const int least = 1 - bias(d, 11), largest = least + (int)draw_below(d, draw_one_in(d, 2) ? 300 : 2200);
    if (draw_one_in(d, 4)) {
        snprintf(name, size, "p%u", precision);
    } else {
        snprintf(name, size, "p%uemin%demax%d", precision, least, largest);
    }
}

static bnd_format listed(draw *d, bool with_codes)
{
    static format_list list;
    if (list.count == 0) {
        list = all_formats();
    }
    return list.at[draw_below(d, with_codes ? list.with_codes : list.count)];
}

bnd_format draw_format(draw *d, bool with_codes)
{
    for (;;) {
        char name[80];
        bnd_format f;
        switch (draw_below(d, 8)) {
        case 0:
        case 1:
            return listed(d, with_codes);
        case 2:
            name_p3109(d, name, sizeof name);
            break;
        case 3:
            name_value_set(d, name, sizeof name);
            break;
        default:
            name_custom(d, name, sizeof name);
        }
        if (bnd_format_parse(&f, name, NULL) == BND_OK && (f.width > 0 || !with_codes)) {
            return f; /* some names are not a format's: a width beyond 64 bits, no numbers left */
        }
    }
}

/* ---- elements ---- */

uint64_t draw_edge_code(draw *d, const bnd_format *f)
{
    const uint64_t one = UINT64_C(1) << f->fraction_bits, edges[] = {0, 1, one, f->max_code, f->max_code};
    uint64_t code = edges[draw_below(d, 5)] + draw_below(d, 5) - 2;
    if (draw_one_in(d, 2)) {
        code |= UINT64_C(1) << (f->width - 1);
    }
    return code & UINT64_MAX >> (64 - f->width);
}

uint64_t draw_edge_number(draw *d, const bnd_format *f, const bnd_format *type)
{
    const bnd_rule rule = {.rounding = (uint8_t)draw_below(d, BND_ROUND_DETERMINISTIC_COUNT)};
    bnd_exact x = {.kind = BND_KIND_FINITE, .negative = draw_one_in(d, 2)};
    switch (draw_below(d, 4)) {
    case 0: /* beyond the largest by a few quarters of its last place, or not quite */
        x.low =
            f->max_significand >= UINT64_C(1) << 61 ? f->max_significand : 4 * f->max_significand + draw_below(d, 9);
        x.exponent = f->max_quantum - (x.low == f->max_significand ? 0 : 2);
        break;
    case 1:
        x.low = f->normal_significand >= UINT64_C(1) << 62 ? f->normal_significand : 2 * f->normal_significand - 1;
        x.exponent = f->normal_quantum - (x.low == f->normal_significand ? 0 : 1);
        break;
    default: /* a few halves of the least number */
        x.low = f->least_significand >= UINT64_C(1) << 60 ? 1 : f->least_significand * (1 + draw_below(d, 5));
        x.exponent = f->least_quantum - 1;
    }
    uint64_t code = bnd_encode_exact(type, x, rule, 0).code;
    return draw_one_in(d, 2) ? code : (code + draw_below(d, 3) - 1) & UINT64_MAX >> (64 - type->width);
}

/* ---- how ---- */

bnd_rule draw_rule(draw *d)
{
    bnd_rule rule = draw_one_in(d, 4) ? (bnd_rule){.rounding = BND_ROUND_RNE} : random_rule(draw_bits(d));
    if (draw_one_in(d, 4)) {
        rule.rounding = BND_ROUND_RNE;
    }
    if (draw_one_in(d, 3)) {
        rule.flush_in = false;
        rule.flush_out = BND_FLUSH_NONE;
    }
    if (draw_one_in(d, 2)) {
        rule.tie_rule = BND_TIE_RULE_SIGNIFICAND;
    }
    return rule;
}

size_t draw_length(draw *d)
{
    switch (draw_below(d, 16)) {
    case 0:
        return draw_below(d, 5);
    case 1:
    case 2:
    case 3: /* about whole vectors, and groups of them */
        return ((size_t)16 << draw_below(d, 4)) + draw_below(d, 5) - 2;
    case 4:
        return 900 + draw_below(d, 1400);
    default:
        return draw_below(d, 200);
    }
}

ptrdiff_t draw_stride(draw *d, const bnd_format *f, uint8_t packing)
{
    static const int8_t strides[] = {1, 2, 3, 7, -1, -2, -5};
    const unsigned bits = stored_bits(f, packing);
    const bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    const ptrdiff_t stride = strides[draw_below(d, sizeof strides)];
    return whole && draw_one_in(d, 2) ? stride : 0;
}
