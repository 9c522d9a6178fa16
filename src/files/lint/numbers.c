/* The numbers of a tensor of scales, and the bytes of a tensor of codes. Only the pages that are read are touched. */
#include "lint/lint.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECE = 4096, AT_ONCE = 1024 };

static void note_first_bad(bndi_scale_values *out, uint64_t index)
{
    if (out->nans + out->infinities + out->zeros + out->negatives == 1) {
        out->first_bad = index;
    }
}

static bool is_power_of_two(double x)
{
    uint64_t bits, fraction = (UINT64_C(1) << 52) - 1;
    memcpy(&bits, &x, sizeof bits);
    return (bits & fraction) == 0; /* no format of scales has subnormal doubles */
}

static void count_bad(bndi_scale_values *out, double x, uint64_t index)
{
    uint64_t *bad = isnan(x) ? &out->nans : isinf(x) ? &out->infinities : x == 0 ? &out->zeros : &out->negatives;
    ++*bad;
    note_first_bad(out, index);
}

static void count_piece(bndi_scale_values *out, const double *x, size_t n, uint64_t at)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0 && x[i] <= DBL_MAX)) {
            count_bad(out, x[i], at + i);
            continue;
        }
        out->powers_of_two += is_power_of_two(x[i]);
        out->integers += x[i] <= 254 && x[i] == (double)(int)x[i];
        out->least = out->least == 0 || x[i] < out->least ? x[i] : out->least;
        out->largest = x[i] > out->largest ? x[i] : out->largest;
    }
}

/* Numbers at .. at + n - 1. */
static bool read_piece(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format, uint64_t at,
                       uint64_t n)
{
    double x[AT_ONCE];
    size_t width = format->width / 8U;
    const bnd_array how = {.packing_in = BND_PACKING_PACKED};
    for (uint64_t done = 0; done < n;) {
        size_t now = n - done < AT_ONCE ? (size_t)(n - done) : AT_ONCE;
        const unsigned char *data = tensor->data + (at + done) * width;
        if (bnd_decode_f64(x, data, now, format, &how, NULL) != BND_OK) {
            return false;
        }
        count_piece(out, x, now, at + done);
        done += now;
    }
    out->read += n;
    return true;
}

static void take_equal(bndi_scale_values *out)
{
    uint64_t bad = out->nans + out->infinities + out->zeros + out->negatives;
    out->equal = out->read > 0 && (bad == 0 ? out->least == out->largest : out->zeros == out->read);
}

bool bndi_read_scale_values(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format,
                            uint64_t most)
{
    *out = (bndi_scale_values){.count = tensor->count};
    if (format == NULL || format->width == 0 || format->width % 8 != 0 || tensor->bits != format->width ||
        tensor->count == 0 || tensor->data == NULL) {
        return false;
    }
    uint64_t width = format->width / 8U, each = PIECE / width, pieces = most / PIECE;
    if (most == 0 || tensor->size <= most || pieces < 2) {
        bool read = read_piece(out, tensor, format, 0, tensor->count);
        take_equal(out);
        return read;
    }
    /* The first and the last number are among those read: pieces stand at equal distances. */
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t room = tensor->count - each, at = room / (pieces - 1) * i + room % (pieces - 1) * i / (pieces - 1);
        if (!read_piece(out, tensor, format, at, each)) {
            return false;
        }
    }
    take_equal(out);
    return true;
}

void bndi_sample_bytes(bndi_code_sample *out, const bnd_stored_tensor *tensor, uint64_t at, uint64_t length)
{
    if (tensor->data == NULL || at >= tensor->size) {
        return;
    }
    uint64_t n = length < tensor->size - at ? length : tensor->size - at;
    for (uint64_t i = 0; i < n; i++) {
        out->counts[tensor->data[at + i]]++;
    }
    out->read += n;
}
