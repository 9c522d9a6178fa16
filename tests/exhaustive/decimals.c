/* Decimals against MPFR: the leading 128 bits that are read, and whether more follow. All midpoints between neighbours
 * of every format of at most 16 bits, and a sample of the wider ones, e15m48 and the widest custom formats included:
 * the exact decimal, one unit of its last place and of a far one up and down, with a digit cut off, with half of them;
 * and random decimals. Each is read into the format too, and what MPFR has read rounded to it is the same.
 * 
 * And values there and back: the shortest and the exact decimal of every value read back as it.
 * 
 * Compiled with options.c, state.c and pool.c; links the library, MPFR, GMP. */
#include <binade.h>

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "tests/support/decimals.h"

static const program about = {
    "decimals", "hard and random decimals, read by this library and by MPFR", "rjs",
    "all,p3109-all,e15m48,e15m10,e15m0,e15m48b32767,e15m48b-32767,e11m40fn,e9m20fn,e5m10b12fn"};

/* Codes in a piece, pieces of a format that is too wide for all, random decimals in a piece. */
enum { PIECE = 1024, SAMPLES = 512, SAMPLED_PIECES = 40, FAR_SAMPLES = 16, RANDOM = 20000, RANDOM_PIECES = 250 };

static bool same(bnd_exact a, bnd_exact b)
{
    bool zero = a.kind == BND_KIND_ZERO;
    return a.kind == b.kind && a.negative == b.negative &&
           (zero || (a.high == b.high && a.low == b.low && a.exponent == b.exponent && a.sticky == b.sticky));
}

static void check_text(const bnd_format *f, const char *text, outcome *o)
{
    bnd_exact own = {.kind = BND_KIND_QUIET_NAN}, theirs = decimal_by_mpfr(text);
    o->checked++;
    if (bnd_parse_exact(&own, text, NULL) != BND_OK || !same(own, theirs)) {
        mismatch(o, "%.180s is read as %016" PRIx64 "%016" PRIx64 " 2^%" PRId32, text, own.high, own.low, own.exponent);
    }
    if (f != NULL) {
        bnd_rule rule = {.rounding = BND_ROUND_RNE};
        bnd_result read = {0}, rounded = bnd_encode_exact(f, theirs, rule, 0);
        bool parsed = bnd_parse(&read, f, text, rule, 0, NULL) == BND_OK;
        if (!parsed || read.code != rounded.code || read.flags != rounded.flags || read.ternary != rounded.ternary) {
            mismatch(o, "%.180s in %s is 0x%" PRIx64, text, f->name, read.code);
        }
    }
}

static void check_midpoint(const bnd_format *f, uint64_t magnitude, mpz_t significand, outcome *o)
{
    int64_t exponent;
    if (midpoint_above(significand, &exponent, f, magnitude)) {
        for (move how = STAY; how < MOVES; how++) {
            char *text = decimal_of_dyadic(f->is_signed && (magnitude & 1) != 0, significand, exponent, how);
            check_text(f, text, o);
            free(text);
        }
    }
}

/* A value is written as few digits as read back, and as all of its digits. */
static void check_value(const bnd_format *f, uint64_t code, outcome *o)
{
    static char text[80000];
    bnd_exact value = bnd_unpack(f, code);
    if (value.kind != BND_KIND_FINITE) {
        return;
    }
    bnd_result read = {0};
    o->checked++;
    size_t length = bnd_print_shortest(text, sizeof text, f, value);
    if (bnd_parse_n(&read, f, text, length, (bnd_rule){0}, 0, NULL) != BND_OK || read.code != code) {
        mismatch(o, "%s 0x%" PRIx64 " is written %.180s", f->name, code, text);
    }
    length = bnd_print_exact(text, sizeof text, value, BND_NOTATION_AUTO);
    bnd_exact exact = decimal_by_mpfr(text);
    if (length >= sizeof text || exact.sticky || bnd_exact_compare(exact, value) != 0) {
        mismatch(o, "%s 0x%" PRIx64 " is exactly %.180s", f->name, code, text);
    }
}

static uint64_t draw(uint64_t *state)
{
    ++*state;
    return bnd_random(43, *state >> 32, *state);
}

/* Any number of digits, more often few, and any exponent, more often a small one. */
static void random_decimal(char *out, uint64_t *state)
{
    static const unsigned most_digits[] = {6, 20, 40, 120}, most_exponents[] = {4, 30, 400, 6000, 160000000};
    size_t digits = 1 + (size_t)(draw(state) % most_digits[draw(state) % 4]), at = 0;
    for (size_t i = 0; i < digits; i++) {
        out[at++] = (char)('0' + draw(state) % 10);
    }
    unsigned most = most_exponents[draw(state) % 64 == 0 ? 4 : draw(state) % 4];
    int64_t exponent = (int64_t)(draw(state) % (2 * most + 1)) - most;
    snprintf(out + at, 24, "e%" PRId64, exponent);
}

static bool is_sampled(const bnd_format *f)
{
    return f->width > 16;
}

static void check_piece_of(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const request *r = context;
    if (index == r->row_count) {
        char text[200];
        uint64_t state = (piece + 1) << 32;
        for (unsigned i = 0; i < RANDOM; i++) {
            random_decimal(text, &state);
            check_text(NULL, text, o);
        }
        return;
    }
    const bnd_format *f = &r->rows[index];
    mpz_t significand;
    mpz_init(significand);
    unsigned count = !is_sampled(f) ? PIECE : f->exponent_bits > 12 ? FAR_SAMPLES : SAMPLES;
    for (unsigned i = 0; i < count; i++) {
        uint64_t magnitude = piece * PIECE + i;
        if (is_sampled(f)) {
            uint64_t random = bnd_random(44, index, piece * SAMPLES + i) % (f->max_code + 1);
            magnitude = piece == 0 && i < 4 ? i : piece == 0 && i < 8 ? f->max_code - (i - 4) : random;
        }
        if (magnitude <= f->max_code) {
            check_midpoint(f, magnitude, significand, o);
            check_value(f, magnitude, o);
        }
    }
    mpz_clear(significand);
}

int main(int argc, char **argv)
{
    static request r;
    static task tasks[MOST_ROWS + 1];
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    size_t count = 0; /* value sets have no neighbours by code */
    for (size_t i = 0; i < r.row_count; i++) {
        if (r.rows[i].width > 0) {
            r.rows[count++] = r.rows[i];
        }
    }
    r.row_count = count;
    for (size_t i = 0; i < count; i++) {
        tasks[i].pieces = is_sampled(&r.rows[i]) ? SAMPLED_PIECES : r.rows[i].max_code / PIECE + 1;
        snprintf(tasks[i].name, sizeof tasks[i].name, "%s midpoints and values", r.rows[i].name);
    }
    tasks[count].pieces = RANDOM_PIECES;
    snprintf(tasks[count].name, sizeof tasks[count].name, "random decimals");
    return run_tasks(&r, tasks, count + 1, check_piece_of, &r);
}
