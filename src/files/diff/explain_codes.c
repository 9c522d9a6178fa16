/* Codes as tools compute them from the base and the stored scales. */
#include "diff/explain.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPPED_BITS = 8 };

/* ---- magnitudes ---- */

static bnd_status fill_magnitudes(bndi_code_values *m, const bnd_format *f, bnd_error *why)
{
    uint16_t codes[256];
    const bnd_array how = {.packing_in = BND_PACKING_UNPACKED};
    for (uint32_t at = 0; at < m->count; at += 256) {
        uint32_t n = m->count - at < 256 ? m->count - at : 256;
        unsigned char bytes[256];
        for (uint32_t i = 0; i < n; i++) {
            codes[i] = (uint16_t)(at + i);
            bytes[i] = (unsigned char)(at + i);
        }
        bnd_status status = bnd_decode_f64(m->values + at, f->width > 8 ? (const void *)codes : bytes, n, f, &how, why);
        if (status != BND_OK) {
            return status;
        }
    }
    while (m->finite < m->count && m->values[m->finite] - m->values[m->finite] == 0) {
        m->finite++;
    }
    return BND_OK;
}

/* ---- which counter ---- */

/* A code as magnitude and sign. */
typedef struct parted {
    uint32_t magnitude;
    bool negative;
} parted;

static parted part(const bndi_code_values *m, uint32_t code)
{
    if (m->integer) {
        uint32_t top = 1U << m->bits;
        return (code & top) != 0 ? (parted){2 * top - code, true} : (parted){code, false};
    }
    return (parted){code & ((1U << m->bits) - 1), (code >> m->bits & 1) != 0};
}

enum {
    BEYOND = offsetof(bndi_code_counts, beyond) / sizeof(uint64_t),
    OTHER = offsetof(bndi_code_counts, other) / sizeof(uint64_t),
    CODES = offsetof(bndi_code_counts, codes) / sizeof(uint64_t),
    ZEROS = offsetof(bndi_code_counts, zeros) / sizeof(uint64_t)
};

static size_t zero_at(size_t place, double x, bool code_negative)
{
    const size_t kind = x > 0 ? 2U : x < 0 ? 3U : signbit(x) != 0 ? 1U : 0U;
    return ZEROS + (place * 4 + kind) * 2 + (code_negative ? 1U : 0U);
}

static size_t code_at(size_t place, bool upper, size_t parity, bool negative)
{
    return CODES + ((place * 2 + (upper ? 1U : 0U)) * 2 + parity) * 2 + (negative ? 1U : 0U);
}

size_t bndi_code_counter(const bndi_code_values *m, double x, double a, double unit, uint32_t bits)
{
    const double *v = m->values;
    const parted code = part(m, bits);
    const uint32_t c = code.magnitude;
    const bool negative = signbit(x) != 0, same_sign = code.negative == negative;
    const bool nan = v[c] != v[c] || (m->zero_nan && c == 0 && code.negative);
    if (c >= m->finite || nan || a - a != 0) {
        const bool infinite = x == x && x - x != 0, to_infinity = c >= m->finite && !nan;
        const bool both = (nan && x - x != 0) || (infinite && c + 1 >= m->finite && same_sign) ||
                          (x - x == 0 && to_infinity && same_sign && a >= v[m->finite - 1] * unit);
        return both ? BEYOND : OTHER;
    }
    if (a < 0 || unit < 0 || (c != 0 && !same_sign)) { /* below 0: the scale is */
        return OTHER;
    }
    const double own = v[c] * unit;
    if (a == own && c + 1 < m->finite) {
        return c == 0 ? zero_at(BNDI_ON, x, code.negative) : code_at(BNDI_ON, false, 0, negative);
    }
    if (a >= own && c + (m->integer ? 2U : 1U) >= m->finite) {
        return BEYOND;
    }
    const uint32_t low = a > own ? c : c - 1;
    const double next = v[a > own ? c + 1 : c - 1] * unit, middle = (v[low] + v[low + 1]) * 0.5 * unit;
    if (a > own ? a >= next : a <= next) {
        return OTHER;
    }
    const size_t place = a < middle ? BNDI_BELOW : a == middle ? BNDI_TIE : BNDI_ABOVE;
    return c == 0 ? zero_at(place, x, code.negative) : code_at(place, low != c, low % 2, negative);
}

/* ---- steps: where the counter of a code changes ---- */

static void fill_places(bndi_code_step *step, const bndi_code_values *m, uint32_t code)
{
    for (size_t k = 0; k <= BNDI_STEPS; k++) {
        const double low = k == 0 ? 0 : step->at[k - 1], high = k == BNDI_STEPS ? INFINITY : step->at[k];
        const double inside = high - high == 0 ? low + (high - low) / 2 : low + 1;
        for (size_t negative = 0; negative < 2; negative++) {
            const bool empty = !(inside > low && inside < high && inside > 0);
            const double x = negative != 0 ? -inside : inside;
            step->place[negative][k] = (unsigned char)(empty ? BNDI_APART : bndi_code_counter(m, x, inside, 1, code));
        }
    }
}

static void fill_steps(bndi_code_step *steps, const bndi_code_values *m)
{
    const double *v = m->values;
    for (uint32_t code = 0; code < 2U << m->bits; code++) {
        const uint32_t top = 1U << m->bits, c = m->integer && (code & top) != 0 ? 2 * top - code : code & (top - 1);
        bndi_code_step *step = &steps[code];
        if (c >= m->finite) {
            memset(step->place, BNDI_APART, sizeof step->place);
            memset(step->at, 0, sizeof step->at);
            continue;
        }
        const bool last = c + 1 >= m->finite;
        step->at[0] = c > 0 ? v[c - 1] : 0;
        step->at[1] = c > 0 ? (v[c - 1] + v[c]) / 2 : 0;
        step->at[2] = v[c];
        step->at[3] = last ? INFINITY : (v[c] + v[c + 1]) / 2;
        step->at[4] = last ? INFINITY : v[c + 1];
        fill_places(step, m, code);
    }
}

/* ---- all codes ---- */

bnd_status bndi_code_values_new(bndi_code_values *out, const bnd_format *element, bool integer, bnd_error *why)
{
    const unsigned bits = integer ? element->precision : bnd_magnitude_bits(element);
    if ((element->width == 0 && !integer) || bits > 15) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "codes of %s are not searched for: they must have 1 to 16 bits",
                        element->name);
    }
    bndi_code_values m = {.count = (1U << bits) + (integer ? 1U : 0U), .integer = integer, .bits = bits};
    m.zero_nan = !integer && element->zero_nan;
    m.values = malloc(m.count * sizeof *m.values);
    if (m.values == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %u numbers", (unsigned)m.count);
    }
    bnd_status status = BND_OK;
    if (integer) {
        m.finite = m.count;
        for (uint32_t i = 0; i < m.count; i++) {
            m.values[i] = i * ldexp((double)element->least_significand, element->least_quantum);
        }
    } else {
        status = fill_magnitudes(&m, element, why);
    }
    if (status == BND_OK && m.bits <= MOST_STEPPED_BITS) {
        m.steps = malloc(((size_t)2 << m.bits) * sizeof *m.steps);
        status = m.steps == NULL ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %u codes", 2U << m.bits) : BND_OK;
    }
    if (status != BND_OK) {
        free(m.values);
        return status;
    }
    if (m.steps != NULL) {
        fill_steps(m.steps, &m);
    }
    *out = m;
    return BND_OK;
}

void bndi_code_values_free(bndi_code_values *m)
{
    free(m->values);
    free(m->steps);
    *m = (bndi_code_values){.values = NULL};
}

/* ---- sums ---- */

void bndi_add_code_counts(bndi_code_counts *sum, const bndi_code_counts *more)
{
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) {
        to[i] += from[i];
    }
}

/* ---- what a rounding gives ---- */

/* Does a rounding give the upper one of the two? */
static bool goes_up(bndi_to_element rounding, size_t place, size_t low_is_odd, size_t negative)
{
    switch (rounding) {
    case BNDI_ROUND_RNE:
        return place == BNDI_ABOVE || (place == BNDI_TIE && low_is_odd != 0);
    case BNDI_ROUND_RNA:
        return place == BNDI_ABOVE || place == BNDI_TIE;
    case BNDI_ROUND_RNZ:
        return place == BNDI_ABOVE;
    case BNDI_ROUND_RAZ:
        return true;
    case BNDI_ROUND_RUP:
        return negative == 0;
    case BNDI_ROUND_RDN:
        return negative != 0;
    case BNDI_ROUND_RTZ:
    case BNDI_ROUND_EITHER:
    case BNDI_ROUNDINGS:
        break;
    }
    return false;
}

/* May a zero have this sign? x: 0, -0, > 0, < 0. */
static bool fits_zero(bndi_zero_sign rule, size_t x, size_t negative)
{
    switch (rule) {
    case BNDI_ZERO_KEEP:
        return negative == (x == 1 || x == 3);
    case BNDI_ZERO_PLUS:
        return negative == 0;
    case BNDI_ZERO_BELOW:
        return negative == (x == 3);
    case BNDI_ZERO_NOT_ABOVE:
        return negative == (x != 2);
    case BNDI_ZEROS:
        break;
    }
    return false;
}

uint64_t bndi_codes_made(const bndi_code_counts *counts, bndi_to_element rounding, bndi_zero_sign zero)
{
    uint64_t made = counts->beyond;
    const bool either = rounding == BNDI_ROUND_EITHER;
    for (size_t place = 0; place < BNDI_PLACES; place++) {
        for (size_t odd = 0; odd < 2; odd++) {
            for (size_t negative = 0; negative < 2; negative++) {
                bool up = place != BNDI_ON && goes_up(rounding, place, odd, negative);
                made += counts->codes[place][up ? 1 : 0][odd][negative];
                made += either ? counts->codes[place][1][odd][negative] : 0;
            }
        }
        for (size_t x = 0; x < 4; x++) {
            bool up = place != BNDI_ON && goes_up(rounding, place, 0, x == 1 || x == 3);
            for (size_t negative = 0; negative < 2; negative++) {
                made += (!up || either) && fits_zero(zero, x, negative) ? counts->zeros[place][x][negative] : 0;
            }
        }
    }
    return made;
}
