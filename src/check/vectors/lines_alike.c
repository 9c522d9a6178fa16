/* Finds equivalent lines, and the place where they are counted. */
#include "vectors/lines_alike.h"

#include <stdlib.h>

#include "codec/codec.h"

enum zone { FAR_BELOW, NORMAL, FAR_BEYOND, INFINITE, ZONES };

/* The exponent that represents all exponents of a zone. Only in the zone NORMAL is the position of the number within
 * the format's range recorded. There a number below 2^emax rounds to at most 2^emax, and all these results are
 * adjacent values of the format. Without subnormals, the code of 2^emin is zero, so that its binade is not such a
 * range. From 4 * 2^emax on, every number is beyond the largest in every rounding mode. Up to a quarter of the
 * smallest value, every number has zero as its neighbour. Returns false between the zones. */
static bool zone_of(enum zone *zone, int32_t *stands_for, const bnd_format *f, int32_t exponent)
{
    int32_t least = f->least_quantum + 63 - (int32_t)bndi_leading_zeros(f->least_significand, 0);
    int32_t first = f->emin + (f->has_zero && !f->has_subnormals);
    if (exponent >= first && exponent < f->emax) {
        *zone = NORMAL;
        *stands_for = f->emin + (f->emax - f->emin) / 2;
    } else if (exponent > f->emax + 1) {
        *zone = FAR_BEYOND;
        *stands_for = f->emax + 2;
    } else if (exponent < least - 2) {
        *zone = FAR_BELOW;
        *stands_for = least - 3;
    } else {
        return false;
    }
    return true;
}

/* What the rounding of a number depends on: its sign, and three bits, the last one that stays, the first one that does
 * not, and whether anything follows. */
static bool stand_in(bndi_likeness *out, const bnd_format *f, bnd_exact x)
{
    enum zone zone;
    int32_t exponent;
    bndi_normalize(&x);
    if (!zone_of(&zone, &exponent, f, x.exponent + 127)) {
        return false;
    }
    unsigned p = f->precision;
    uint64_t stays = x.high >> (64 - p), half = x.high >> (63 - p) & 1;
    uint64_t rest = x.high << (p + 1) != 0 || x.low != 0 || x.sticky, first = UINT64_C(1) << (p - 1);
    uint64_t kept = first | (stays & 1);
    out->shift = zone == NORMAL ? ((uint64_t)(int64_t)(x.exponent + 127 - exponent) << (p - 1)) + stays - kept : 0;
    out->exact = (bnd_exact){.low = kept << 2 | half << 1 | rest,
                             .exponent = exponent - (int32_t)p - 1,
                             .kind = BND_KIND_FINITE,
                             .negative = x.negative};
    out->look = (uint32_t)((stays & 1) << 2 | half << 1 | rest) * ZONES + zone;
    return true;
}

bool bndi_alike(bndi_likeness *out, const bnd_vectors *v, const bnd_vector_line *line, const bnd_exact *exact,
                uint32_t raised)
{
    enum { LEAST_PRECISION = 2, MOST_PRECISION = 62 }; /* ties by code; bits of one word */
    const bnd_format *f = &v->out;
    if (f->precision < LEAST_PRECISION || f->precision > MOST_PRECISION || f->emax - f->emin < 2 ||
        (exact->negative && !f->is_signed)) {
        return false;
    }
    *out = (bndi_likeness){.raised = raised, .flags = line->flags, .has_flags = line->has_flags};
    if (exact->kind == BND_KIND_INFINITE) {
        out->exact = *exact;
        out->look = INFINITE;
    } else if (exact->kind != BND_KIND_FINITE || !stand_in(out, f, *exact)) {
        return false;
    }
    out->look = out->look << 1 | exact->negative;
    out->code = line->code - out->shift;
    return true;
}

/* ---- counts ---- */

static bool same(const bndi_likeness *a, const bndi_likeness *b)
{
    return a->code == b->code && a->look == b->look && a->raised == b->raised && a->flags == b->flags &&
           a->has_flags == b->has_flags;
}

bndi_line_kind **bndi_kinds_place(bndi_kinds *kinds, const bndi_likeness *like)
{
    enum { TRIES = 8 };
    uint64_t mixed = like->code << 20 ^ (uint64_t)like->raised << 14 ^ (uint64_t)like->flags << 7 ^ like->look;
    mixed *= UINT64_C(0x9e3779b97f4a7c15); /* 2^64 by the golden ratio spreads what differs in few bits */
    for (unsigned i = 0; i < TRIES; i++) {
        bndi_line_kind **at = &kinds->slots[((mixed >> 40) + i) % BNDI_KINDS_MAX];
        if (*at == NULL || same(&(*at)->like, like)) {
            return at;
        }
    }
    return NULL;
}

void bndi_kinds_close(bndi_kinds *kinds)
{
    for (unsigned i = 0; i < BNDI_KINDS_MAX; i++) {
        if (kinds->slots[i] != NULL) {
            free(kinds->slots[i]->disagrees);
        }
        free(kinds->slots[i]);
    }
}
