/* Operands of the calls, and the formats that they are asked about. */
#include "expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a stratified double as a float, and often one float beside it: midpoints have neighbours too. */
static uint64_t narrowed(double x, uint64_t random)
{
    float narrow = (float)x;
    uint32_t bits = bndi_bits_of_float(narrow);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0 && magnitude < 0x7f800000 && (random & 1) != 0) {
        bits += random & 2 ? 1 : UINT32_MAX;
    }
    return bits;
}

static uint64_t special_number(bool wide, uint64_t random)
{
    uint64_t infinity = wide ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    uint64_t sign = wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    uint64_t fraction = random >> 16 & (wide ? UINT64_C(0x000fffffffffffff) : UINT64_C(0x007fffff));
    uint64_t bits = infinity;
    switch (random & 3) {
    case 0:
        bits |= fraction | (fraction == 0); /* any NaN */
        break;
    case 1:
        bits = 0;
        break;
    case 2:
        bits = fraction; /* subnormal */
        break;
    default:
        break;
    }
    return random & 4 ? bits | sign : bits;
}

static uint64_t number_for(const call *c, uint64_t seed, uint64_t i)
{
    uint64_t random = bnd_random(seed, 7, i);
    if (i % 16 == 15) {
        return special_number(c->wide, random);
    }
    double x = stratified_double(&c->f, seed, i);
    return c->wide ? bndi_bits_of_double(x) : narrowed(x, random);
}

static uint64_t code_for(const bnd_format *f, uint64_t seed, uint64_t i)
{
    uint64_t exponent_field = ((UINT64_C(1) << f->exponent_bits) - 1) << f->fraction_bits;
    uint64_t random = bnd_random(seed, 13, i), code = random;
    code = i % 8 == 0 ? code & ~exponent_field : i % 8 == 1 ? code | exponent_field : code;
    code = i % 32 < 8 ? code & ~((UINT64_C(1) << f->fraction_bits) - 1 - (random >> 58)) : code;
    return code & UINT64_MAX >> (64 - f->width);
}

uint64_t *operands_of(const call *c, size_t count, uint64_t seed)
{
    uint64_t *operands = memory_of(count * sizeof *operands);
    bool numbers = c->kind == ENCODE || c->kind == ROUND;
    for (size_t i = 0; i < count; i++) {
        operands[i] = numbers ? number_for(c, seed, i) : code_for(&c->in, seed, i);
    }
    return operands;
}

unsigned char *many_operands(const call *c, uint8_t packing, size_t n, uint64_t seed)
{
    enum { PERIOD = 4096 }; /* a multiple of 8: whole bytes of any packing */
    uint64_t *some = operands_of(c, PERIOD, seed);
    size_t period = stored_bytes(&c->in, packing, PERIOD), bytes = stored_bytes(&c->in, packing, n);
    unsigned char *in = memory_of(bytes + period);
    for (size_t at = 0; at < bytes; at += period) {
        if (at % (16 * period) == 0) {
            some[at / period % PERIOD] = some[(at / period + 7) % PERIOD]; /* the next sixteen are others */
            put_codes(in + at, &c->in, packing, some, PERIOD);
        } else {
            memcpy(in + at, in + at - period, period);
        }
    }
    free(some);
    return in;
}

/* Odd ones: one bit of fraction or of exponent, no subnormals, no specials, and ranges that touch, cross or leave the
 * ends of fp32's and fp64's. */
static const char *const custom[] = {"e6m9",           "e5m10b12fn",
                                     "e5m2nosub",      "e3m0",
                                     "e15m48",         "e1m3",
                                     "e11m4",          "e9m5",
                                     "e5m6",           "e8m3",
                                     "e8m7none",       "e8m3nosub",
                                     "e8m0none",       "e4m0fnuz",
                                     "e2m16",          "e8m23b120fn",
                                     "e11m51",         "e10m52b600",
                                     "e1m2",           "e1m2fn",
                                     "e1m1none",       "e5m0",
                                     "e8m3b122",       "e8m3b130",
                                     "e5m10b140",      "e5m10b150",
                                     "e4m3b-110",      "e5m10b140nosub",
                                     "e8m23nosub",     "e8m23none",
                                     "e8m23fn",        "e8m22",
                                     "e7m23b63",       "e8m10b126",
                                     "e8m9nosub",      "e11m52nosub",
                                     "e11m52fn",       "e5m3fnuz",
                                     "e6m25",          "e11m52b1020",
                                     "e11m20b1060",    "e7m16b130",
                                     "e8m23b140",      "e8m23b128",
                                     "e4m3b132",       "binary12p1uf",
                                     "binary9p1sf",    "binary12p4ue",
                                     "binary15p14se",  "binary15p2ue",
                                     "e15m0",          "e4m11b16384",
                                     "e8m10none",      "e8m10b5",
                                     "e8m10fnuz",      "e4m3fnuznosub",
                                     "e8m14fnuznosub", "e11m40fnuznosub",
                                     "e8m0fn",         "e11m0",
                                     "e11m0fn",        "e11m30",
                                     "e11m8nosub",     "e1m3b-1023",
                                     "e1m19b-123",     "e1m5b-127",
                                     "e1m1",           "ue1m1",
                                     "ue1m3",          "ue3m3",
                                     "ue8m10"};
static const char *const sets[] = {"p11emin-14emax15",
                                   "p11",
                                   "p1emin-3emax3",
                                   "p24",
                                   "p5emin-8",
                                   "p24emin-126emax127",
                                   "p53emin-1022emax1023",
                                   "p24emin-149emax127",
                                   "p12emin-130emax100",
                                   "p2emin0emax0",
                                   "p64",
                                   "p4emin-140emax-127"};

bnd_format layout_at(size_t i)
{
    static const char *const names[LAYOUTS] = {"e2m0none",   "e2m1", "e3m2",      "e4m3", "e5m6",  "fp16",
                                               "tf32",       "bf16", "e8m14",     "fp32", "e7m20", "e11m40",
                                               "e10m52b600", "fp64", "e5m2nosub", "e8m0"};
    return format_named(names[i]);
}

void calls_of(call calls[CALLS], const bnd_format *f, const bnd_format *other)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        calls[wide] = encode_call(f, wide);
        calls[2 + wide] = decode_call(f, wide);
        calls[4 + wide] = round_call(f, wide);
    }
    calls[6] = convert_call(f, other);
    calls[7] = convert_call(other, f);
}

format_list all_formats(void)
{
    enum { CUSTOM = sizeof custom / sizeof custom[0], SETS = sizeof sets / sizeof sets[0] };
    size_t count = small_formats(NULL, 64, 8);
    format_list list = {.with_codes = count + CUSTOM, .count = count + CUSTOM + SETS};
    list.at = memory_of(list.count * sizeof *list.at);
    small_formats(list.at, 64, 8);
    for (size_t i = 0; i < CUSTOM; i++) {
        list.at[count + i] = format_named(custom[i]);
    }
    for (size_t i = 0; i < SETS; i++) {
        list.at[list.with_codes + i] = format_named(sets[i]);
    }
    return list;
}
