/* Writes digits as text: in positional or exponent notation, or in the one that is easier to read. */
#include "text/decimal.h"
#include "text/scanned.h"

/* ---- piece by piece ---- */

/* Writes digits in the order given, with the point at its place. */
static void put(bndi_decimal_writer *w, const char *digits, size_t count)
{
    if (w->written < w->before && count > w->before - w->written) {
        size_t first = (size_t)(w->before - w->written);
        bndi_text_bytes(w->out, digits, first);
        digits += first;
        count -= first;
        w->written += first;
    }
    if (w->written == w->before && w->before > 0 && count > 0) {
        bndi_text_char(w->out, '.');
    }
    bndi_text_bytes(w->out, digits, count);
    w->written += count;
}

static void put_zeros(bndi_decimal_writer *w, uint64_t count)
{
    static const char zeros[] = "00000000000000000000000000000000";
    for (size_t piece; count > 0; count -= piece) {
        piece = count < sizeof zeros - 1 ? (size_t)count : sizeof zeros - 1;
        put(w, zeros, piece);
    }
}

bndi_decimal_writer bndi_decimal_begin(bndi_text *out, bool negative, int64_t exponent, bool exponent_form)
{
    bool small = exponent < 0 && !exponent_form;
    bndi_decimal_writer w = {.out = out,
                             .exponent_form = exponent_form,
                             .exponent = exponent,
                             .before = exponent_form ? 1
                                       : small       ? 0
                                                     : (uint64_t)exponent + 1};
    if (negative) {
        bndi_text_char(out, '-');
    }
    if (small) {
        bndi_text_string(out, "0.");
        put_zeros(&w, (uint64_t)(-exponent - 1));
    }
    return w;
}

void bndi_decimal_digits(bndi_decimal_writer *w, const char *digits, size_t count)
{
    size_t kept = count;
    while (kept > 0 && digits[kept - 1] == '0') {
        kept--;
    }
    if (kept > 0) {
        put_zeros(w, w->waiting);
        put(w, digits, kept);
        w->waiting = 0;
    }
    w->waiting += count - kept;
}

/* At least two digits of exponent and always its sign, as C and Python write it. */
void bndi_decimal_end(bndi_decimal_writer *w)
{
    if (w->exponent_form) {
        bndi_text_string(w->out, w->exponent < 0 ? "e-" : "e+");
        bndi_text_unsigned(w->out, (uint64_t)(w->exponent < 0 ? -w->exponent : w->exponent), 10, 2);
    } else if (w->written < w->before) {
        put_zeros(w, w->before - w->written);
    }
}

/* ---- all at once ---- */

bndi_decimal bnd_lab_decimal_of_digits(bool negative, const char *digits, size_t count, int64_t last_place)
{
    while (count > 1 && digits[count - 1] == '0') {
        count--;
        last_place++;
    }
    return (bndi_decimal){
        .negative = negative, .digits = digits, .count = count, .exponent = last_place + (int64_t)count - 1};
}

void bnd_lab_write_decimal(bndi_text *out, const bndi_decimal *decimal, bool exponent_form)
{
    bndi_decimal_writer w = bndi_decimal_begin(out, decimal->negative, decimal->exponent, exponent_form);
    put(&w, decimal->digits, decimal->count);
    bndi_decimal_end(&w);
}

bool bnd_lab_has_exponent_form(bnd_notation notation, uint64_t count, int64_t exponent)
{
    enum { MOST_PLAIN_DIGITS = 40 };
    if (notation != BND_NOTATION_AUTO) {
        return notation == BND_NOTATION_EXPONENT;
    }
    uint64_t before = exponent < 0 ? 0 : (uint64_t)exponent + 1;
    uint64_t plain = exponent < 0 ? (uint64_t)-exponent + count : before > count ? before : count;
    return exponent < -4 || plain > MOST_PLAIN_DIGITS;
}

static unsigned trailing_zeros(uint64_t chunk)
{
    unsigned zeros = 0;
    for (; chunk % 10 == 0; chunk /= 10) {
        zeros++;
    }
    return zeros;
}

bndi_chunks bndi_chunks_of(const uint64_t *chunk, size_t count, int64_t last_place)
{
    bndi_chunks c = {.chunk = chunk, .count = count};
    for (uint64_t first = chunk[0]; first < BNDI_CHUNK_POWER / 10; first *= 10) {
        c.skip++;
    }
    size_t last = count - 1;
    while (chunk[last] == 0) {
        last--;
        c.zeros += BNDI_CHUNK_DIGITS;
    }
    c.zeros += trailing_zeros(chunk[last]);
    c.exponent = last_place + (int64_t)(count * BNDI_CHUNK_DIGITS - c.skip) - 1;
    return c;
}

void bndi_write_chunks(bndi_text *out, bool negative, const bndi_chunks *chunks, bool exponent_form)
{
    bndi_decimal_writer w = bndi_decimal_begin(out, negative, chunks->exponent, exponent_form);
    size_t skip = chunks->skip, written = chunks->count - chunks->zeros / BNDI_CHUNK_DIGITS;
    for (size_t i = 0; i < written; i++, skip = 0) {
        char digits[BNDI_CHUNK_DIGITS];
        bndi_chunk_digits(digits, chunks->chunk[i]);
        bndi_decimal_digits(&w, digits + skip, BNDI_CHUNK_DIGITS - skip);
    }
    bndi_decimal_end(&w);
}

void bndi_write_natural(bndi_text *out, bool negative, bndi_natural *natural, size_t capacity, int64_t last_place,
                        bnd_notation notation)
{
    size_t chunks;
    const uint64_t *chunk = bndi_natural_to_chunks(natural, capacity, &chunks);
    bndi_chunks c = bndi_chunks_of(chunk, chunks, last_place);
    uint64_t count = c.count * BNDI_CHUNK_DIGITS - c.skip - c.zeros;
    bndi_write_chunks(out, negative, &c, bnd_lab_has_exponent_form(notation, count, c.exponent));
}

/* ---- NaNs, infinities and zeros ---- */

/* The payload is written unless it is the usual one: 0 for a quiet NaN, 1 for a signaling NaN. */
static void write_nan(bndi_text *out, bnd_exact value)
{
    bool quiet = value.kind == BND_KIND_QUIET_NAN;
    uint64_t payload = value.high << 1 >> (64 - BNDI_PAYLOAD_BITS);
    bndi_text_string(out, quiet ? "nan" : "snan");
    if (payload != (quiet ? 0 : 1)) {
        bndi_text_string(out, "(0x");
        bndi_text_unsigned(out, payload, 16, 1);
        bndi_text_char(out, ')');
    }
}

bool bndi_write_special(bndi_text *out, bnd_exact value)
{
    bool zero = value.kind == BND_KIND_ZERO || (value.kind == BND_KIND_FINITE && (value.high | value.low) == 0);
    if (value.kind == BND_KIND_FINITE && !zero) {
        return false;
    }
    if (value.negative) {
        bndi_text_char(out, '-');
    }
    if (zero) {
        bndi_text_char(out, '0');
    } else if (value.kind == BND_KIND_INFINITE) {
        bndi_text_string(out, "inf");
    } else {
        write_nan(out, value);
    }
    return true;
}
