/* All 2^32 floats through the calls on arrays, by every back end that is here: encode, round and decode against the
 * codec, bit for bit, and the counts of the statistics against the codec's flags.
 *
 * The codec is asked once for each float; a rounded number is the value of its code, and that value is the codec's too.
 * With a stride every N-th float only. Compiled with options.c, state.c and pool.c; links the library. */
#include <binade/bulk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "common.h"

static const program about = {"bulk", "every float through the arrays' calls, each back end against the codec",
                              "rmojsS", "fp16,bf16,tf32,e4m3,e5m2,e2m1"};

/* A piece is a range of consecutive bit patterns, worked on in chunks. */
enum { PIECE_BITS = 22, PIECES = 1 << (32 - PIECE_BITS), CHUNK = 1 << 14, TABLE_WIDTH = 20 };
static const uint32_t INFINITE = 0x7f800000, SIGN = 0x80000000;

typedef struct plan {
    const request *r;
    task *tasks;
    uint32_t **values; /* of a row's codes, where there are not too many of them; else NULL */
} plan;

/* One row in one mode, and what a chunk holds: inputs, what is wanted, what came. */
typedef struct check {
    bnd_format row, fp32;
    bnd_rule rule;
    unsigned code_bytes;
    bool shares_bytes; /* codes that are packed otherwise than unpacked */
    const uint32_t *values;
    outcome *o;
    size_t n;
    uint32_t x[CHUNK], words[CHUNK], got_words[CHUNK];
    unsigned char codes[8 * CHUNK], got_codes[8 * CHUNK];
    bnd_stats want, first[2]; /* first: what the first back end counted, encoding and rounding */
} check;

/* ---- what is wanted ---- */

static uint32_t value_of(const bnd_format *fp32, const bnd_format *row, uint64_t code)
{
    bnd_rule rule = {.nan = BND_NAN_PROPAGATE};
    return (uint32_t)bnd_encode_exact(fp32, bnd_unpack(row, code), rule, 0).code;
}

/* Counts of one float by the codec's flags. */
static void count(bnd_stats *s, uint32_t bits, uint32_t word, uint32_t flags)
{
    uint32_t magnitude = bits & ~SIGN;
    bool finite = magnitude < INFINITE;
    s->elements++;
    s->nans_in += magnitude > INFINITE;
    s->infinities_in += magnitude == INFINITE;
    s->nans_out += (word & ~SIGN) > INFINITE;
    s->compared += finite && (word & ~SIGN) < INFINITE;
    s->exact += finite && (flags & (BND_FLAG_INEXACT | BND_FLAG_TO_ZERO | BND_FLAG_INVALID)) == 0;
    s->inexact += (flags & BND_FLAG_INEXACT) != 0;
    s->underflows += (flags & BND_FLAG_UNDERFLOW) != 0;
    s->to_zero += (flags & BND_FLAG_TO_ZERO) != 0;
    s->overflows += (flags & BND_FLAG_OVERFLOW) != 0;
    s->saturated += (flags & BND_FLAG_SATURATED) != 0;
    if (finite && magnitude != 0) {
        int bin = (int)(magnitude >> 23) - 127 - BND_HISTOGRAM_LOWEST + 1;
        float x = bndi_float_of_bits(magnitude);
        s->largest = (double)x > s->largest ? (double)x : s->largest;
        s->smallest = s->smallest == 0 || (double)x < s->smallest ? (double)x : s->smallest;
        s->exponents[bin < 0 ? 0 : bin > 63 ? 63 : bin]++;
    }
}

static void ask_the_codec(check *c)
{
    c->want = (bnd_stats){0};
    for (size_t i = 0; i < c->n; i++) {
        float x = bndi_float_of_bits(c->x[i]);
        bnd_result r = bnd_encode_float(&c->row, x, c->rule, 0);
        c->words[i] = c->values != NULL ? c->values[r.code] : value_of(&c->fp32, &c->row, r.code);
        for (unsigned byte = 0; byte < c->code_bytes; byte++) {
            c->codes[i * c->code_bytes + byte] = (unsigned char)(r.code >> 8 * byte);
        }
        count(&c->want, c->x[i], c->words[i], r.flags);
    }
}

/* ---- comparing ---- */

/* Where the arrays differ, says so of the first element that does. `call` is what was called. */
static void compare(check *c, const char *by, const char *call, const void *got, const void *want, size_t bytes)
{
    c->o->checked += c->n;
    if (memcmp(got, want, bytes * c->n) == 0) {
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        const unsigned char *g = (const unsigned char *)got + bytes * i, *w = (const unsigned char *)want + bytes * i;
        uint64_t got_one = 0, want_one = 0;
        for (size_t byte = 0; byte < bytes; byte++) {
            got_one |= (uint64_t)g[byte] << 8 * byte;
            want_one |= (uint64_t)w[byte] << 8 * byte;
        }
        if (got_one != want_one) {
            mismatch(c->o, "%s, %s: float 0x%08" PRIx32 " gives 0x%" PRIx64 "; the codec: 0x%" PRIx64, by, call,
                     c->x[i], got_one, want_one);
        }
    }
}

/* Names the first count that differs. */
static void describe_counts(check *c, const char *by, const char *call, const bnd_stats *got)
{
    const struct {
        const char *name;
        uint64_t got, want;
    } counts[] = {
        {"elements", got->elements, c->want.elements},    {"exact", got->exact, c->want.exact},
        {"inexact", got->inexact, c->want.inexact},       {"underflows", got->underflows, c->want.underflows},
        {"to_zero", got->to_zero, c->want.to_zero},       {"overflows", got->overflows, c->want.overflows},
        {"saturated", got->saturated, c->want.saturated}, {"infinities in", got->infinities_in, c->want.infinities_in},
        {"NaNs in", got->nans_in, c->want.nans_in},       {"NaNs out", got->nans_out, c->want.nans_out},
        {"compared", got->compared, c->want.compared},    {"of the magnitudes or the histogram", 0, 1},
    };
    size_t i = 0;
    while (counts[i].got == counts[i].want) {
        i++;
    }
    mismatch(c->o, "%s, %s, floats from 0x%08" PRIx32 ": %" PRIu64 " %s, not %" PRIu64, by, call, c->x[0],
             counts[i].got, counts[i].name, counts[i].want);
}

/* The sums are the same to the last bit for every back end. */
static void compare_counts(check *c, const char *by, const char *call, bnd_stats got, bnd_stats *first)
{
    if (first->elements == 0) {
        *first = got;
    }
    bool sums = got.squared_error == first->squared_error && got.squared_input == first->squared_input;
    got.squared_error = got.squared_input = 0;
    c->o->checked++;
    if (memcmp(&got, &c->want, sizeof got) != 0) {
        describe_counts(c, by, call, &got);
    } else if (!sums) {
        mismatch(c->o, "%s, %s, floats from 0x%08" PRIx32 ": other sums than the first back end's", by, call, c->x[0]);
    }
}

/* Says so where a call refuses. */
static void called(check *c, const char *by, const char *call, bnd_status status)
{
    if (status != BND_OK) {
        mismatch(c->o, "%s, %s: refused", by, call);
    }
}

static void check_calls(check *c, const char *by, const bnd_array *how, bnd_stats *stats)
{
    const bnd_format *f = &c->row;
    float *got = (float *)(void *)c->got_words;
    const float *x = (const float *)(const void *)c->x;
    const char *encode = stats != NULL ? "encode with statistics" : "encode";
    const char *round = stats != NULL ? "round with statistics" : "round";
    called(c, by, encode, bnd_encode_f32(c->got_codes, x, c->n, f, how, stats, NULL));
    compare(c, by, encode, c->got_codes, c->codes, c->code_bytes);
    if (stats != NULL) {
        compare_counts(c, by, encode, *stats, &c->first[0]);
        *stats = (bnd_stats){0};
    }
    called(c, by, round, bnd_round_f32(got, x, c->n, f, how, stats, NULL));
    compare(c, by, round, c->got_words, c->words, sizeof c->words[0]);
    if (stats != NULL) {
        compare_counts(c, by, round, *stats, &c->first[1]);
        return;
    }
    called(c, by, "decode", bnd_decode_f32(got, c->codes, c->n, f, how, NULL));
    compare(c, by, "decode", c->got_words, c->words, sizeof c->words[0]);
}

/* Codes that share bytes: there and back again. */
static void check_packed(check *c, const char *by, bnd_array how)
{
    float *got = (float *)(void *)c->got_words;
    const float *x = (const float *)(const void *)c->x;
    how.packing_in = how.packing_out = BND_PACKING_PACKED;
    called(c, by, "packed encode", bnd_encode_f32(c->got_codes, x, c->n, &c->row, &how, NULL, NULL));
    called(c, by, "packed decode", bnd_decode_f32(got, c->got_codes, c->n, &c->row, &how, NULL));
    compare(c, by, "packed and back", c->got_words, c->words, sizeof c->words[0]);
}

/* The statistics of the portable kernels are slow, and ask the codec themselves: they are left to `make check`. */
static void check_chunk(check *c)
{
    ask_the_codec(c);
    memset(c->first, 0, sizeof c->first);
    for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
        const char *by = bnd_backend_name((bnd_backend)i);
        bnd_context context = {.backend = (uint8_t)i, .threads = 1};
        bnd_array how = {.context = &context,
                         .rule = c->rule,
                         .packing_in = BND_PACKING_UNPACKED,
                         .packing_out = BND_PACKING_UNPACKED};
        bnd_stats stats = {0};
        if (!bnd_backend_here((bnd_backend)i)) {
            continue;
        }
        check_calls(c, by, &how, NULL);
        if (i != BND_BACKEND_PORTABLE) {
            check_calls(c, by, &how, &stats);
        }
        if (c->shares_bytes) {
            check_packed(c, by, how);
        }
    }
}

/* ---- tasks ---- */

static bnd_format fp32_format(void)
{
    bnd_format fp32;
    if (bnd_format_parse(&fp32, "fp32", NULL) != BND_OK) {
        exit(EXIT_TROUBLE);
    }
    return fp32;
}

static check *open_check(const plan *p, size_t index, outcome *o)
{
    const request *r = p->r;
    size_t row = index / r->mode_count;
    check *c = calloc(1, sizeof *c);
    if (c == NULL) {
        exit(EXIT_TROUBLE);
    }
    c->fp32 = fp32_format();
    c->row = r->rows[row];
    c->rule.rounding = (uint8_t)r->modes[index % r->mode_count];
    c->rule.overflow = (uint8_t)r->overflow;
    c->code_bytes = (unsigned)bnd_codes_size(&c->row, 1, BND_PACKING_UNPACKED);
    c->shares_bytes = bnd_codes_size(&c->row, 8, BND_PACKING_PACKED) != 8 * (size_t)c->code_bytes;
    c->values = p->values[row];
    c->o = o;
    return c;
}

/* What a stride would leave out: both ends of the piece, the infinity and the NaN above it. */
static void add_ends(check *c, uint32_t first, uint32_t last)
{
    uint32_t infinity = (first & SIGN) | INFINITE;
    c->n = 0;
    c->x[c->n++] = first;
    c->x[c->n++] = last;
    if (infinity >= first && infinity <= last) {
        c->x[c->n++] = infinity;
        c->x[c->n++] = infinity + 1;
    }
}

static void check_floats(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    check *c = open_check(p, index, o);
    uint64_t stride = p->r->stride, first = piece << PIECE_BITS, end = (piece + 1) << PIECE_BITS;
    uint64_t bits = (first + stride - 1) / stride * stride;
    while (bits < end) {
        for (c->n = 0; c->n < CHUNK && bits < end; bits += stride) {
            c->x[c->n++] = (uint32_t)bits;
        }
        check_chunk(c);
    }
    if (stride > 1) {
        add_ends(c, (uint32_t)first, (uint32_t)(end - 1));
        check_chunk(c);
    }
    free(c);
}

static void print_back_ends(void)
{
    fputs("back ends:", stdout);
    for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
        if (bnd_backend_here((bnd_backend)i)) {
            printf(" %s", bnd_backend_name((bnd_backend)i));
        }
    }
    puts("");
}

/* The values of every row's codes, which all processes then share. */
static bool make_values(plan *p)
{
    bnd_format fp32 = fp32_format();
    for (size_t i = 0; i < p->r->row_count; i++) {
        const bnd_format *row = &p->r->rows[i];
        if (row->width > TABLE_WIDTH) {
            continue;
        }
        p->values[i] = calloc((size_t)1 << row->width, sizeof *p->values[i]);
        if (p->values[i] == NULL) {
            return false;
        }
        for (uint64_t code = 0; code >> row->width == 0; code++) {
            p->values[i][code] = value_of(&fp32, row, code);
        }
    }
    return true;
}

static int name_tasks(plan *p, size_t count)
{
    const request *r = p->r;
    for (size_t i = 0; i < count; i++) {
        const bnd_format *row = &r->rows[i / r->mode_count];
        if (row->width == 0) {
            fprintf(stderr, "%s: %s is a value set, which has no codes\n", r->program, row->name);
            return EXIT_USAGE;
        }
        p->tasks[i].pieces = PIECES;
        snprintf(p->tasks[i].name, sizeof p->tasks[i].name, "%s %s %s", row->name,
                 bnd_rounding_name(r->modes[i % r->mode_count]), bnd_overflow_name(r->overflow));
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static request r;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    size_t count = r.row_count * r.mode_count;
    plan p = {.r = &r, .tasks = calloc(count, sizeof *p.tasks), .values = calloc(r.row_count, sizeof *p.values)};
    status = EXIT_TROUBLE;
    if (p.tasks != NULL && p.values != NULL) {
        status = name_tasks(&p, count);
    }
    if (status == EXIT_SUCCESS) {
        print_back_ends();
        status = make_values(&p) ? run_tasks(&r, p.tasks, count, check_floats, &p) : EXIT_TROUBLE;
    }
    for (size_t i = 0; p.values != NULL && i < r.row_count; i++) {
        free(p.values[i]);
    }
    free(p.values);
    free(p.tasks);
    return status;
}
