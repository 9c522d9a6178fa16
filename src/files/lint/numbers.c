/* The numbers of a tensor of scales, and the bytes of a tensor of codes. Only the pages that are read are touched. */
#include "lint/lint.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECE = 4096, AT_ONCE = 1024, CODES = 256 };

static bool is_good(double x)
{
    return x > 0 && x <= DBL_MAX;
}

static bool is_power_of_two(double x)
{
    uint64_t bits, fraction = (UINT64_C(1) << 52) - 1;
    memcpy(&bits, &x, sizeof bits);
    return (bits & fraction) == 0; /* no format of scales has subnormal doubles */
}

static uint64_t bad_numbers(const bndi_scale_values *n)
{
    return n->nans.count + n->infinities.count + n->zeros.count + n->negatives.count;
}

/* Counts `times` equal numbers; `index` is the place of the first one in the tensor, which is used if they are bad. */
static void count_number(bndi_scale_values *out, double x, uint64_t times, uint64_t index)
{
    if (!is_good(x)) {
        bndi_bad_scales *bad = isnan(x)   ? &out->nans
                               : isinf(x) ? &out->infinities
                               : x == 0   ? &out->zeros
                                          : &out->negatives;
        bad->first = bad->count == 0 || index < bad->first ? index : bad->first;
        bad->count += times;
        return;
    }
    out->powers_of_two += is_power_of_two(x) ? times : 0;
    out->integers += x <= 254 && x == (double)(int)x ? times : 0;
    out->least = out->least == 0 || x < out->least ? x : out->least;
    out->largest = x > out->largest ? x : out->largest;
}

/* Numbers at .. at + n - 1. */
static bool read_numbers(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format, uint64_t at,
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
        for (size_t i = 0; i < now; i++) {
            count_number(out, x[i], 1, at + done + i);
        }
        done += now;
    }
    return true;
}

/* How often each byte is there. Four tables: equal bytes in a row do not wait for each other. */
static void count_bytes(uint64_t counts[CODES], const unsigned char *data, uint64_t n)
{
    uint64_t more[3][CODES] = {{0}}, i = 0;
    memset(counts, 0, CODES * sizeof *counts);
    for (; i + 4 <= n; i += 4) {
        counts[data[i]]++;
        for (size_t k = 0; k < 3; k++) {
            more[k][data[i + 1 + k]]++;
        }
    }
    for (; i < n; i++) {
        counts[data[i]]++;
    }
    for (size_t code = 0; code < CODES; code++) {
        counts[code] += more[0][code] + more[1][code] + more[2][code];
    }
}

/* The same of codes of 8 bits: each code is looked at once, however often it is there. */
static bool read_codes(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format, uint64_t at,
                       uint64_t n)
{
    const unsigned char *data = tensor->data + at;
    unsigned char codes[CODES];
    double x[CODES];
    uint64_t counts[CODES];
    for (size_t code = 0; code < CODES; code++) {
        codes[code] = (unsigned char)code;
    }
    if (bnd_decode_f64(x, codes, CODES, format, NULL, NULL) != BND_OK) {
        return false;
    }
    count_bytes(counts, data, n);
    for (size_t code = 0; code < CODES; code++) {
        if (counts[code] > 0) {
            const unsigned char *first = is_good(x[code]) ? data : memchr(data, (int)code, n);
            count_number(out, x[code], counts[code], at + (uint64_t)(first - data));
        }
    }
    return true;
}

static bool read_piece(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format, uint64_t at,
                       uint64_t n)
{
    out->read += n;
    return format->width == 8 && n >= CODES ? read_codes(out, tensor, format, at, n)
                                            : read_numbers(out, tensor, format, at, n);
}

static void take_equal(bndi_scale_values *out)
{
    out->equal = out->read > 0 && (bad_numbers(out) == 0 ? out->least == out->largest : out->zeros.count == out->read);
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
