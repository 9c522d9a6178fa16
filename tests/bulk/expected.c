/* The codec's answers for the elements of an array, and the comparison with what the calls give. */
#include "expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_of(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory for a test\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* ---- operands ---- */

/* Bits of a stratified double as a float, and often one float beside it: midpoints have neighbours too. */
static uint64_t narrowed(double x, uint64_t random)
{
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
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

numbers numbers_for(const bnd_format *f, bool wide, size_t count, uint64_t seed)
{
    numbers n = {.wide = wide, .count = count, .bits = memory_of(count * sizeof(uint64_t))};
    for (size_t i = 0; i < count; i++) {
        uint64_t random = bnd_random(seed, 7, i);
        double x = stratified_double(f, seed, i);
        n.bits[i] = i % 16 == 15 ? special_number(wide, random) : wide ? bits_of_double(x) : narrowed(x, random);
    }
    return n;
}

void numbers_free(numbers *n)
{
    free(n->bits);
    n->bits = NULL;
}

void numbers_write(void *memory, const numbers *n)
{
    for (size_t i = 0; i < n->count; i++) {
        uint32_t narrow = (uint32_t)n->bits[i];
        if (n->wide) {
            memcpy((char *)memory + 8 * i, &n->bits[i], 8);
        } else {
            memcpy((char *)memory + 4 * i, &narrow, 4);
        }
    }
}

uint64_t number_at(const void *memory, bool wide, size_t i)
{
    uint32_t narrow;
    uint64_t number;
    if (wide) {
        memcpy(&number, (const char *)memory + 8 * i, 8);
        return number;
    }
    memcpy(&narrow, (const char *)memory + 4 * i, 4);
    return narrow;
}

/* ---- answers ---- */

static bnd_format type_of(bool wide)
{
    static bnd_format types[2];
    static bool known;
    if (!known) {
        types[0] = format_named("fp32");
        types[1] = format_named("fp64");
        known = true;
    }
    return types[wide];
}

uint64_t random_of(const bnd_array *how, size_t i)
{
    unsigned bits = how->rule.random_bits == 0 ? 32 : how->rule.random_bits;
    if (how->rule.rounding < BND_SR) {
        return 0;
    }
    return bnd_random_bits(how->seed, how->purpose, how->first + i, how->rule.rounding == BND_SR_EQUAL ? 1 : bits);
}

bnd_result expected_code(const bnd_format *f, bool wide, uint64_t bits, const bnd_array *how, size_t i)
{
    uint32_t narrow = (uint32_t)bits;
    float x;
    memcpy(&x, &narrow, sizeof x);
    return wide ? bnd_encode(f, double_of_bits(bits), how->rule, random_of(how, i))
                : bnd_encode_float(f, x, how->rule, random_of(how, i));
}

uint64_t expected_rounded(const bnd_format *f, bool wide, uint64_t bits, const bnd_array *how, size_t i)
{
    bnd_format type = type_of(wide);
    bnd_exact x = bnd_unpack(&type, bits);
    if (how->rule.flush_in && bnd_classify(&type, x) == BND_CLASS_SUBNORMAL) {
        x = (bnd_exact){.kind = BND_ZERO, .negative = x.negative};
    }
    bnd_rounded rounded = bnd_round_exact(f, x, how->rule, random_of(how, i));
    return bnd_encode_exact(&type, rounded.value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

uint64_t expected_decoded(const bnd_format *f, bool wide, uint64_t code)
{
    bnd_format type = type_of(wide);
    return bnd_encode_exact(&type, bnd_unpack(f, code), (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

/* ---- memory ---- */

static bool is_tf32(const bnd_format *f)
{
    return f->width == 19 && f->exponent_bits == 8;
}

unsigned stored_bits(const bnd_format *f, uint8_t packing)
{
    if (packing == BND_PACKED && !is_tf32(f)) {
        return f->width;
    }
    unsigned bits = 8;
    while (bits < f->width) {
        bits *= 2;
    }
    return bits;
}

unsigned stored_shift(const bnd_format *f, uint8_t packing)
{
    return packing == BND_PACKED && is_tf32(f) ? 13 : 0;
}

void put_code(void *memory, const bnd_format *f, uint8_t packing, size_t place, uint64_t code)
{
    size_t start = place * stored_bits(f, packing) + stored_shift(f, packing);
    for (size_t bit = 0; bit < f->width; bit++) {
        unsigned char *byte = (unsigned char *)memory + (start + bit) / 8;
        *byte = (unsigned char)(*byte | (code >> bit & 1) << (start + bit) % 8);
    }
}

uint64_t get_code(const void *memory, const bnd_format *f, uint8_t packing, size_t place)
{
    size_t start = place * stored_bits(f, packing) + stored_shift(f, packing);
    uint64_t code = 0;
    for (size_t bit = 0; bit < f->width; bit++) {
        uint64_t byte = ((const unsigned char *)memory)[(start + bit) / 8];
        code |= (byte >> (start + bit) % 8 & 1) << bit;
    }
    return code;
}

/* ---- the calls ---- */

bnd_status encode_any(bool wide, void *codes, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                      bnd_stats *stats, bnd_error *why)
{
    return wide ? bnd_encode_f64(codes, x, n, f, how, stats, why) : bnd_encode_f32(codes, x, n, f, how, stats, why);
}

bnd_status decode_any(bool wide, void *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                      bnd_error *why)
{
    return wide ? bnd_decode_f64(x, codes, n, f, how, why) : bnd_decode_f32(x, codes, n, f, how, why);
}

bnd_status round_any(bool wide, void *y, const void *x, size_t n, const bnd_format *f, const bnd_array *how,
                     bnd_stats *stats, bnd_error *why)
{
    return wide ? bnd_round_f64(y, x, n, f, how, stats, why) : bnd_round_f32(y, x, n, f, how, stats, why);
}

void print_difference(const char *call, const bnd_format *f, const bnd_array *how, size_t i, uint64_t in, uint64_t got,
                      uint64_t want)
{
    const bnd_rule *rule = &how->rule;
    printf("    %s %s %s overflow=%s nan=%s no_nan=%u negative=%u zero=%u ties=%u N=%u%s%s packing=%u element %zu: "
           "0x%llx gives 0x%llx, not 0x%llx\n",
           call, f->name, bnd_rounding_name(rule->rounding), bnd_overflow_name(rule->overflow), bnd_nan_name(rule->nan),
           rule->no_nan, rule->negative, rule->zero, rule->tie_rule, rule->random_bits,
           rule->flush_in ? " flush_in" : "", rule->flush_out ? " flush_out" : "", how->packing, i,
           (unsigned long long)in, (unsigned long long)got, (unsigned long long)want);
}

static void check_encode(bench *b, const bnd_format *f, const numbers *x, const void *memory, const bnd_array *how)
{
    size_t bytes = (x->count * stored_bits(f, how->packing) + 7) / 8;
    unsigned char *got = memory_of(bytes), *want = memory_of(bytes);
    bool called = encode_any(x->wide, got, memory, x->count, f, how, NULL, NULL) == BND_OK;
    for (size_t i = 0; i < x->count; i++) {
        uint64_t code = expected_code(f, x->wide, x->bits[i], how, i).code;
        uint64_t found = get_code(got, f, how->packing, i);
        put_code(want, f, how->packing, i, code);
        if (bench_note(b, called && found == code)) {
            print_difference(x->wide ? "encode_f64" : "encode_f32", f, how, i, x->bits[i], found, code);
        }
    }
    bench_note(b, memcmp(got, want, bytes) == 0); /* the bits between and behind the codes too */
    free(got);
    free(want);
}

static void check_round(bench *b, const bnd_format *f, const numbers *x, const void *memory, const bnd_array *how)
{
    unsigned char *got = memory_of(x->count * 8);
    bool called = round_any(x->wide, got, memory, x->count, f, how, NULL, NULL) == BND_OK;
    for (size_t i = 0; i < x->count; i++) {
        uint64_t found = number_at(got, x->wide, i), want = expected_rounded(f, x->wide, x->bits[i], how, i);
        if (bench_note(b, called && found == want)) {
            print_difference(x->wide ? "round_f64" : "round_f32", f, how, i, x->bits[i], found, want);
        }
    }
    free(got);
}

void check_numbers(bench *b, const bnd_format *f, const numbers *x, const bnd_array *how)
{
    unsigned char *memory = memory_of(x->count * 8);
    numbers_write(memory, x);
    if (f->width > 0) {
        check_encode(b, f, x, memory, how);
    }
    check_round(b, f, x, memory, how);
    free(memory);
}

void check_decode(bench *b, const bnd_format *f, bool wide, const uint64_t *codes, size_t n, const bnd_array *how)
{
    unsigned char *memory = memory_of(n * 8), *got = memory_of(n * 8);
    for (size_t i = 0; i < n; i++) {
        put_code(memory, f, how->packing, i, codes[i]);
    }
    bool called = decode_any(wide, got, memory, n, f, how, NULL) == BND_OK;
    for (size_t i = 0; i < n; i++) {
        uint64_t found = number_at(got, wide, i), want = expected_decoded(f, wide, codes[i]);
        if (bench_note(b, called && found == want)) {
            print_difference(wide ? "decode_f64" : "decode_f32", f, how, i, codes[i], found, want);
        }
    }
    free(memory);
    free(got);
}

void check_convert(bench *b, const bnd_format *to, const bnd_format *from, const uint64_t *codes, size_t n,
                   const bnd_array *how)
{
    unsigned char *memory = memory_of(n * 8), *got = memory_of(n * 8);
    for (size_t i = 0; i < n; i++) {
        put_code(memory, from, how->packing, i, codes[i]);
    }
    bool called = bnd_convert_codes(got, to, memory, from, n, how, NULL, NULL) == BND_OK;
    for (size_t i = 0; i < n; i++) {
        uint64_t want = bnd_convert(to, from, codes[i], how->rule, random_of(how, i)).code;
        uint64_t found = get_code(got, to, how->packing, i);
        if (bench_note(b, called && found == want)) {
            printf("    from %s\n", from->name);
            print_difference("convert_codes", to, how, i, codes[i], found, want);
        }
    }
    free(memory);
    free(got);
}

/* ---- formats ---- */

format_list all_formats(void)
{
    static const char *const custom[] = {
        "e6m9", "e5m10b12fn", "e5m2nosub", "e3m0",     "e15m48",   "e1m3",  "e11m4",       "e9m5",   "e5m6",
        "e8m3", "e8m7none",   "e8m3nosub", "e8m0none", "e4m0fnuz", "e2m16", "e8m23b120fn", "e11m51", "e10m52b600"};
    static const char *const sets[] = {
        "p11emin-14emax15", "p11", "p1emin-3emax3", "p24", "p5emin-8", "p24emin-126emax127", "p53emin-1022emax1023"};
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
