/* Numbers of fp64 on the way to fp32. 1 + 2^-8 + 2^-30 to bf16, by way of fp32:
 *
 *   once                           1 + 2^-7
 *   to nearest, then to nearest    1 + 2^-8, a tie, then 1: wrong
 *   to odd, then to nearest        1 + 2^-8 + 2^-23, then 1 + 2^-7 */
#include "checkpoint/wide_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RUN = 512, MOST_BITS = 24 };

bool bndi_is_wide(const bnd_format *format)
{
    return format != NULL && format->precision > MOST_BITS;
}

const bnd_stored_tensor *bndi_wide_codes(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    return weight->layout == NULL && codes != NULL && bndi_is_wide(codes->format) ? codes : NULL;
}

/* To nearest, and then one step toward zero if that was farther away, with the last bit set. */
static float to_odd(double x)
{
    float nearest = (float)x;
    uint32_t bits;
    if ((double)nearest == x || x - x != 0) {
        return nearest;
    }
    memcpy(&bits, &nearest, sizeof bits);
    bits -= fabs((double)nearest) > fabs(x); /* infinity becomes the largest number */
    bits |= 1;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

bnd_status bndi_decode_to_odd(float *x, const unsigned char *codes, size_t n, const bnd_format *format, bnd_error *why)
{
    double wide[RUN];
    bnd_status status = BND_OK;
    for (size_t at = 0; at < n && status == BND_OK; at += RUN) {
        const size_t run = n - at < RUN ? n - at : RUN;
        status = bnd_decode_f64(wide, codes + at * (format->width / 8U), run, format, NULL, why);
        for (size_t i = 0; i < run && status == BND_OK; i++) {
            x[at + i] = to_odd(wide[i]);
        }
    }
    return status;
}

bnd_status bndi_count_wide(bndi_wide_counts *counts, const unsigned char *codes, uint64_t n, const bnd_format *format,
                           bnd_error *why)
{
    double wide[RUN];
    bnd_status status = BND_OK;
    for (uint64_t at = 0; at < n && status == BND_OK; at += RUN) {
        const size_t run = n - at < RUN ? (size_t)(n - at) : RUN;
        status = bnd_decode_f64(wide, codes + at * (format->width / 8U), run, format, NULL, why);
        for (size_t i = 0; i < run && status == BND_OK; i++) {
            const bool finite = wide[i] - wide[i] == 0;
            const double rounded = (double)(float)wide[i];
            const bool lacks = finite && (rounded < wide[i] || rounded > wide[i]);
            counts->lacking += lacks;
            counts->beyond += finite && fabs(wide[i]) > (double)FLT_MAX;
            counts->infinite += lacks && isinf(rounded);
            counts->to_zero += lacks && fabs(rounded) <= 0;
        }
    }
    return status;
}
