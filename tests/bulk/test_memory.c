/* Where arrays lie: lengths, strides, packing, alignment, what stands beside them, in place, in pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expected.h"
#include "tests.h"

enum { GUARD = 64, FILL = 0xa5 };

/* An array between two guard zones, starting at any byte. */
typedef struct zone {
    unsigned char *block, *at;
    size_t bytes;
} zone;

static zone zone_open(size_t bytes, size_t misaligned)
{
    zone z = {.bytes = bytes, .block = memory_of(bytes + 2 * GUARD + 8)};
    memset(z.block, FILL, bytes + 2 * GUARD + 8);
    z.at = z.block + GUARD + misaligned;
    return z;
}

/* Nothing was written outside? Frees the zone. */
static bool zone_close(zone *z)
{
    bool whole = true;
    for (const unsigned char *p = z->block; p < z->block + z->bytes + 2 * GUARD + 8; p++) {
        whole &= *p == FILL || (p >= z->at && p < z->at + z->bytes);
    }
    free(z->block);
    return whole;
}

/* All of them, the third only where there is one. */
static bool zones_close(zone *a, zone *b, zone *c)
{
    bool whole[] = {zone_close(a), zone_close(b), c == NULL || zone_close(c)};
    return whole[0] && whole[1] && whole[2];
}

static const char *const layouts[] = {"e2m0none", "e2m1", "e3m2",  "e4m3",   "e5m6",   "fp16",       "tf32",
                                      "e8m14",    "fp32", "e7m20", "e11m40", "e11m51", "e10m52b600", "fp64"};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static size_t bytes_of(const bnd_format *f, uint8_t packing, size_t n)
{
    return (n * stored_bits(f, packing) + 7) / 8;
}

/* Codes of n numbers: the call's bytes are those of the naive writer, and the numbers come back. */
static void check_length(bench *b, const bnd_format *f, uint8_t packing, size_t n, size_t misaligned)
{
    bnd_array how = {.packing = packing};
    numbers x = numbers_for(f, true, n, 7 + n);
    size_t bytes = bytes_of(f, packing, n);
    zone in = zone_open(8 * n, misaligned), codes = zone_open(bytes, 7 - misaligned), back = zone_open(8 * n, 3);
    unsigned char *want = memory_of(bytes);
    numbers_write(in.at, &x);
    bool same = bnd_encode_f64((double *)(void *)codes.at, (const void *)in.at, n, f, &how, NULL, NULL) == BND_OK;
    for (size_t i = 0; i < n; i++) {
        put_code(want, f, packing, i, expected_code(f, true, x.bits[i], &how, i).code);
    }
    same &= memcmp(want, codes.at, bytes) == 0 && bnd_codes_size(f, n, (bnd_packing)packing) == bytes;
    same &= bnd_decode_f64((void *)back.at, codes.at, n, f, &how, NULL) == BND_OK;
    for (size_t i = 0; i < n; i++) {
        same &= number_at(back.at, true, i) == expected_decoded(f, true, get_code(want, f, packing, i));
    }
    free(want);
    numbers_free(&x);
    bool whole = zones_close(&in, &codes, &back);
    if (bench_note(b, same && whole)) {
        printf("    %s packing=%u, %zu elements from byte %zu: %s\n", f->name, packing, n, misaligned,
               whole ? "wrong codes" : "written outside");
    }
}

static void test_lengths(void)
{
    static const size_t around[] = {504, 505, 511, 512, 513, 519, 520, 1023, 1024, 1025, 1537};
    bench b;
    bench_open(&b, "lengths");
    for (size_t k = 0; k < LAYOUTS; k++) {
        bnd_format f = format_named(layouts[k]);
        for (uint8_t packing = 0; packing < 2; packing++) {
            for (size_t n = 0; n <= 40; n++) {
                check_length(&b, &f, packing, n, n % 8);
            }
            for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
                check_length(&b, &f, packing, around[i], i % 8);
            }
        }
    }
    bench_close(&b);
}

/* The same for round, of floats and from any byte on; then with y == x. */
static void test_in_place(void)
{
    bench b;
    bench_open(&b, "round, in place");
    for (size_t k = 0; k < LAYOUTS; k++) {
        bnd_format f = format_named(layouts[k]);
        for (size_t n = 0; n <= 1030; n += n < 40 ? 1 : 99) {
            bnd_array how = {.rule = {.rounding = n % 2 ? BND_SR : BND_RNE}, .seed = n};
            numbers x = numbers_for(&f, false, n, n);
            zone in = zone_open(4 * n, n % 4), out = zone_open(4 * n, (n + 1) % 8);
            numbers_write(in.at, &x);
            bool same = bnd_round_f32((void *)out.at, (void *)in.at, n, &f, &how, NULL, NULL) == BND_OK;
            for (size_t i = 0; i < n; i++) {
                same &= number_at(in.at, false, i) == x.bits[i]; /* the input is as it was */
                same &= number_at(out.at, false, i) == expected_rounded(&f, false, x.bits[i], &how, i);
            }
            same &= bnd_round_f32((void *)in.at, (void *)in.at, n, &f, &how, NULL, NULL) == BND_OK;
            same &= memcmp(in.at, out.at, 4 * n) == 0;
            numbers_free(&x);
            bool whole = zones_close(&in, &out, NULL);
            if (bench_note(&b, same && whole)) {
                printf("    %s, %zu elements: %s\n", f.name, n, whole ? "wrong" : "written outside");
            }
        }
    }
    bench_close(&b);
}

/* Where element i of n stands, counted from the lowest. */
static size_t place(size_t i, size_t n, ptrdiff_t stride)
{
    return stride > 0 ? i * (size_t)stride : (n - 1 - i) * (size_t)-stride;
}

/* The address of element 0 in memory that holds n elements of `size` bytes, `stride` apart. */
static unsigned char *origin(unsigned char *lowest, size_t n, ptrdiff_t stride, size_t size)
{
    return lowest + place(0, n, stride) * size;
}

static size_t extent(size_t n, ptrdiff_t stride)
{
    return (n - 1) * (size_t)(stride < 0 ? -stride : stride) + 1;
}

/* Encode with strides, decode back with them exchanged; what lies between the elements stays. */
static bool strides_hold(const bnd_format *f, size_t n, ptrdiff_t in_stride, ptrdiff_t out_stride, bool wide)
{
    size_t size = wide ? 8 : 4, code_size = stored_bits(f, BND_UNPACKED) / 8;
    size_t in_bytes = extent(n, in_stride) * size, code_bytes = extent(n, out_stride) * code_size;
    bnd_array how = {.packing = BND_UNPACKED, .stride_in = in_stride, .stride_out = out_stride};
    numbers x = numbers_for(f, wide, n, 3);
    zone in = zone_open(in_bytes, 1), codes = zone_open(code_bytes, 3), back = zone_open(in_bytes, 5);
    for (size_t i = 0; i < n; i++) {
        numbers one = {.wide = wide, .count = 1, .bits = &x.bits[i]};
        numbers_write(in.at + place(i, n, in_stride) * size, &one);
    }
    bool same = encode_any(wide, origin(codes.at, n, out_stride, code_size), origin(in.at, n, in_stride, size), n, f,
                           &how, NULL, NULL) == BND_OK;
    how.stride_in = out_stride;
    how.stride_out = in_stride;
    same &= decode_any(wide, origin(back.at, n, in_stride, size), origin(codes.at, n, out_stride, code_size), n, f,
                       &how, NULL) == BND_OK;
    unsigned char *want_codes = memory_of(code_bytes), *want_back = memory_of(in_bytes);
    memset(want_codes, FILL, code_bytes);
    memset(want_back, FILL, in_bytes);
    for (size_t i = 0; i < n; i++) {
        uint64_t code = expected_code(f, wide, x.bits[i], &how, i).code;
        uint64_t number = expected_decoded(f, wide, code);
        unsigned char *cell = want_codes + place(i, n, out_stride) * code_size;
        memset(cell, 0, code_size);
        put_code(cell, f, BND_UNPACKED, 0, code);
        numbers one = {.wide = wide, .count = 1, .bits = &number};
        numbers_write(want_back + place(i, n, in_stride) * size, &one);
    }
    same &= memcmp(codes.at, want_codes, code_bytes) == 0 && memcmp(back.at, want_back, in_bytes) == 0;
    free(want_codes);
    free(want_back);
    numbers_free(&x);
    return zones_close(&in, &codes, &back) && same;
}

static void test_strides(void)
{
    static const ptrdiff_t strides[] = {1, 2, 3, -1, -2, 7};
    enum { STRIDES = sizeof strides / sizeof strides[0] };
    bench b;
    bench_open(&b, "strides");
    for (size_t k = 0; k < LAYOUTS * STRIDES * STRIDES; k++) {
        bnd_format f = format_named(layouts[k % LAYOUTS]);
        ptrdiff_t in = strides[k / LAYOUTS % STRIDES], out = strides[k / LAYOUTS / STRIDES];
        size_t n = k % 3 == 0 ? 530 : 1 + k % 60;
        if (bench_note(&b, strides_hold(&f, n, in, out, k % 2))) {
            printf("    %s, %zu elements, strides %td and %td\n", f.name, n, in, out);
        }
    }
    bench_close(&b);
}

/* An array in three pieces, the middle one last, and the pieces at the elements that packed codes can start from. */
static bool pieces_hold(const bnd_format *f, size_t n, size_t first_cut, size_t second_cut, bnd_rule rule)
{
    bnd_array how = {.rule = rule, .seed = 99, .purpose = n, .first = UINT64_MAX - n / 2};
    const size_t cuts[] = {0, first_cut, second_cut, n}, order[] = {0, 2, 1};
    numbers x = numbers_for(f, false, n, 5);
    size_t bytes = bytes_of(f, BND_PACKED, n);
    unsigned char *in = memory_of(4 * n), *whole = memory_of(bytes), *parts = memory_of(bytes);
    unsigned char *rounded = memory_of(4 * n), *rounded_parts = memory_of(4 * n);
    numbers_write(in, &x);
    bool same = bnd_encode_f32(whole, (void *)in, n, f, &how, NULL, NULL) == BND_OK;
    same &= bnd_round_f32((void *)rounded, (void *)in, n, f, &how, NULL, NULL) == BND_OK;
    for (size_t k = 0; k < 3; k++) {
        size_t at = cuts[order[k]], count = cuts[order[k] + 1] - at;
        bnd_array piece = how;
        piece.first += at;
        same &= bnd_encode_f32(parts + bytes_of(f, BND_PACKED, at), (void *)(in + 4 * at), count, f, &piece, NULL,
                               NULL) == BND_OK;
        same &= bnd_round_f32((void *)(rounded_parts + 4 * at), (void *)(in + 4 * at), count, f, &piece, NULL, NULL) ==
                BND_OK;
    }
    same &= memcmp(whole, parts, bytes) == 0 && memcmp(rounded, rounded_parts, 4 * n) == 0;
    free(in);
    free(whole);
    free(parts);
    free(rounded);
    free(rounded_parts);
    numbers_free(&x);
    return same;
}

static void test_pieces(void)
{
    bench b;
    bench_open(&b, "pieces");
    for (size_t k = 0; k < scaled(600); k++) {
        uint64_t random = bnd_random(31, 1, k);
        bnd_format f = format_named(layouts[k % LAYOUTS]);
        size_t n = 1 + (size_t)(random % 1500), second = (size_t)(random >> 16) % (n + 1) / 8 * 8;
        size_t first = (size_t)(random >> 32) % (second + 1) / 8 * 8;
        bnd_rule any = random_rule(bnd_random(31, 2, k)),
                 rule = {.rounding = any.rounding, .random_bits = any.random_bits};
        if (bench_note(&b, pieces_hold(&f, n, first, second, rule))) {
            printf("    %s, %zu elements cut at %zu and %zu\n", f.name, n, first, second);
        }
    }
    bench_close(&b);
}

/* tf32 in fp32's place, and as codes of 19 bits in words of 32. */
static void test_tf32_container(void)
{
    bnd_format f = format_named("tf32");
    const float x[2] = {1.0f, -2.5f};
    unsigned char packed[8], unpacked[8];
    const unsigned char want[8] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0};
    const unsigned char codes[8] = {0x00, 0xfc, 0x01, 0, 0x00, 0x01, 0x06, 0};
    bnd_array how = {.packing = BND_PACKED};
    CU_ASSERT_EQUAL(bnd_encode_f32(packed, x, 2, &f, &how, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(packed, want, sizeof want), 0); /* 1 and -2.5 as fp32 writes them */
    how.packing = BND_UNPACKED;
    CU_ASSERT_EQUAL(bnd_encode_f32(unpacked, x, 2, &f, &how, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(unpacked, codes, sizeof codes), 0); /* 0x1fc00 and 0x60100 */
}

/* Five codes of 4 bits and four of 6, by hand: lowest bits first, zeros at the end. */
static void test_packed_by_hand(void)
{
    bnd_format fp4 = format_named("e2m1"), fp6 = format_named("e3m2");
    const float x[5] = {1.0f, -6.0f, 0.5f, 0.0f, -1.5f}; /* e2m1: 2 f 1 0 b */
    const float y[4] = {1.0f, -1.0f, 28.0f, 0.0625f};    /* e3m2: 001100 101100 011111 000001 */
    unsigned char bytes[3];
    const unsigned char want4[3] = {0xf2, 0x01, 0x0b}, want6[3] = {0x0c, 0xfb, 0x05};
    CU_ASSERT_EQUAL(bnd_encode_f32(bytes, x, 5, &fp4, NULL, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(bytes, want4, 3), 0);
    CU_ASSERT_EQUAL(bnd_encode_f32(bytes, y, 4, &fp6, NULL, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(bytes, want6, 3), 0);
}

CU_TestInfo memory_tests[] = {
    {"lengths, guards, any byte", test_lengths},
    {"round, in place", test_in_place},
    {"strides", test_strides},
    {"in pieces", test_pieces},
    {"tf32 in fp32's place", test_tf32_container},
    {"packed by hand", test_packed_by_hand},
    CU_TEST_INFO_NULL,
};
