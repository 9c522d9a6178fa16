/* Arrays in place, with strides, in pieces, and codes in memory written down by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "pages.h"
#include "tests.h"

/* ---- in place ---- */

/* round with y == x, side by side and with a stride, in a piece of memory that ends with a page that traps. */
static void check_in_place(comparison *b, const call *c, size_t n, ptrdiff_t stride, const bnd_array *rule)
{
    bnd_array how = *rule;
    size_t bytes = strided_bytes(&c->in, BND_PACKING_UNPACKED, n, stride);
    uint64_t *in = operands_of(c, n, n), *answers = memory_of(n * sizeof *answers);
    pages p = pages_open(bytes + 64);
    unsigned char *want = memory_of(bytes);
    how.stride_in = how.stride_out = stride;
    for (size_t i = 0; i < n; i++) {
        answers[i] = answer_of(c, in[i], &how, i);
    }
    put_strided(want, &c->out, BND_PACKING_UNPACKED, answers, n, stride);
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        how.context = &back_ends_here()->at[k];
        unsigned char *at = pages_place(&p, bytes, true, n % 2 * 3);
        void *origin = put_strided(at, &c->in, BND_PACKING_UNPACKED, in, n, stride);
        bool same = run_call(c, origin, origin, n, &how, NULL) == BND_OK && memcmp(at, want, bytes) == 0;
        if (comparison_note(b, same && pages_untouched(&p, at, bytes))) {
            print_question(c, &how);
            printf("in place, %zu elements, stride %td: %s\n", n, stride, same ? "written outside" : "wrong");
        }
    }
    pages_close(&p);
    free(want);
    free(in);
    free(answers);
}

static void test_in_place(void)
{
    static const ptrdiff_t strides[] = {1, 1, 1, 2, -1, 3};
    comparison b;
    comparison_open(&b, "round, in place");
    for (size_t k = 0; k < LAYOUTS; k++) {
        bnd_format f = layout_at(k);
        for (unsigned wide = 0; wide < 2; wide++) {
            call c = round_call(&f, wide);
            for (size_t n = 0; n <= 1100; n += n < 70 ? 1 : 101) {
                bnd_array how = {.rule = {.rounding = n % 3 == 0 ? BND_ROUND_SR : BND_ROUND_RNE}, .seed = n};
                check_in_place(&b, &c, n, strides[(n + k) % 6], &how);
            }
        }
    }
    comparison_close(&b);
}

/* ---- strides ---- */

/* Every call with its own strides; what lies between the elements stays. */
static void check_strides(comparison *b, const call *c, size_t n, ptrdiff_t in_stride, ptrdiff_t out_stride,
                          const bnd_rule *rule)
{
    bnd_array how = {.rule = *rule, .stride_in = in_stride, .stride_out = out_stride};
    how.packing_in = how.packing_out = BND_PACKING_UNPACKED;
    size_t in_bytes = strided_bytes(&c->in, BND_PACKING_UNPACKED, n, in_stride);
    size_t out_bytes = strided_bytes(&c->out, BND_PACKING_UNPACKED, n, out_stride);
    uint64_t *in = operands_of(c, n, 3), *answers = memory_of(n * sizeof *answers);
    pages source = pages_open(in_bytes), target = pages_open(out_bytes);
    unsigned char *want = memory_of(out_bytes), *x = pages_place(&source, in_bytes, true, 0);
    for (size_t i = 0; i < n; i++) {
        answers[i] = answer_of(c, in[i], &how, i);
    }
    const void *from = put_strided(x, &c->in, BND_PACKING_UNPACKED, in, n, in_stride);
    const unsigned char *first = put_strided(want, &c->out, BND_PACKING_UNPACKED, answers, n, out_stride);
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        how.context = &back_ends_here()->at[k];
        unsigned char *y = pages_place(&target, out_bytes, k % 2 == 0, 0);
        bool same = run_call(c, y + (first - want), from, n, &how, NULL) == BND_OK;
        same = same && memcmp(y, want, out_bytes) == 0;
        if (comparison_note(b, same && pages_untouched(&target, y, out_bytes))) {
            print_question(c, &how);
            printf("%zu elements, strides %td and %td: %s\n", n, in_stride, out_stride,
                   same ? "written outside" : "wrong");
        }
    }
    pages_close(&source);
    pages_close(&target);
    free(want);
    free(in);
    free(answers);
}

static void test_strides(void)
{
    static const ptrdiff_t strides[] = {1, 2, 3, -1, -2, 7};
    enum { STRIDES = sizeof strides / sizeof strides[0] };
    comparison b;
    comparison_open(&b, "strides");
    bnd_format other = format_named("bf16");
    for (size_t k = 0; k < LAYOUTS * STRIDES * STRIDES; k++) {
        bnd_format f = layout_at(k % LAYOUTS);
        bnd_rule rule = {.rounding = (uint8_t)(k % BND_ROUND_COUNT), .random_bits = 16};
        call calls[CALLS];
        calls_of(calls, &f, &other);
        for (size_t i = 0; i < CALLS; i++) {
            size_t n = (k + i) % 5 == 0 ? 530 + k % 40 : 1 + (k + i) % 60;
            check_strides(&b, &calls[i], n, strides[k / LAYOUTS % STRIDES], strides[k / LAYOUTS / STRIDES], &rule);
        }
    }
    comparison_close(&b);
}

/* ---- in pieces ---- */

/* An array in three pieces, the middle one last, and the pieces at the elements that packed codes can start from. */
static bool pieces_hold(const call *c, const unsigned char *in, size_t n, const size_t cuts[4], const bnd_array *how)
{
    const size_t order[] = {0, 2, 1};
    size_t bytes = stored_bytes(&c->out, how->packing_out, n);
    unsigned char *whole = memory_of(bytes), *parts = memory_of(bytes);
    bool same = run_call(c, whole, in, n, how, NULL) == BND_OK;
    for (size_t k = 0; k < 3; k++) {
        size_t at = cuts[order[k]], count = cuts[order[k] + 1] - at;
        bnd_array piece = *how;
        piece.first += at;
        same &= run_call(c, parts + stored_bytes(&c->out, how->packing_out, at),
                         in + stored_bytes(&c->in, how->packing_in, at), count, &piece, NULL) == BND_OK;
    }
    same &= memcmp(whole, parts, bytes) == 0;
    free(whole);
    free(parts);
    return same;
}

static void check_pieces(comparison *b, const call *c, uint64_t k)
{
    uint64_t random = bnd_random(31, 1, k);
    size_t n = 1 + (size_t)(random % 1500), second = (size_t)(random >> 16) % (n + 1) / 8 * 8;
    const size_t cuts[] = {0, (size_t)(random >> 32) % (second + 1) / 8 * 8, second, n};
    bnd_rule any = random_rule(bnd_random(31, 2, k));
    bnd_array how = {.rule = {.rounding = any.rounding, .random_bits = any.random_bits}, .seed = 99, .purpose = n};
    how.first = k % 3 == 0 ? UINT64_MAX - n / 2 : random;
    uint64_t *operands = operands_of(c, n, k);
    unsigned char *in = memory_of(8 * n);
    put_codes(in, &c->in, how.packing_in, operands, n);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        how.context = &back_ends_here()->at[i];
        if (comparison_note(b, pieces_hold(c, in, n, cuts, &how))) {
            print_question(c, &how);
            printf("%zu elements cut at %zu and %zu\n", n, cuts[1], cuts[2]);
        }
    }
    free(in);
    free(operands);
}

static void test_pieces(void)
{
    comparison b;
    comparison_open(&b, "pieces");
    bnd_format other = format_named("e3m2");
    for (size_t k = 0; k < scaled(1500); k++) {
        bnd_format f = layout_at(k % LAYOUTS);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        check_pieces(&b, &calls[k / LAYOUTS % CALLS], k);
    }
    comparison_close(&b);
}

/* ---- by hand ---- */

/* tf32 in fp32's place, and as codes of 19 bits in words of 32. */
static void test_tf32_container(void)
{
    bnd_format f = format_named("tf32");
    const float x[2] = {1.0f, -2.5f};
    unsigned char packed[8], unpacked[8];
    const unsigned char want[8] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0};
    const unsigned char codes[8] = {0x00, 0xfc, 0x01, 0, 0x00, 0x01, 0x06, 0};
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        bnd_array how = {.context = &back_ends_here()->at[k]};
        CU_ASSERT_EQUAL(bnd_encode_f32(packed, x, 2, &f, &how, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(packed, want, sizeof want), 0); /* 1 and -2.5 as fp32 writes them */
        how.packing_in = how.packing_out = BND_PACKING_UNPACKED;
        CU_ASSERT_EQUAL(bnd_encode_f32(unpacked, x, 2, &f, &how, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(unpacked, codes, sizeof codes), 0); /* 0x1fc00 and 0x60100 */
    }
}

/* ue4m3 has 7 bits and a byte of its own, packed or not, as in PTX. */
static void test_ue4m3_container(void)
{
    bnd_format f = format_named("ue4m3"), e5m3 = format_named("ue5m3");
    const float x[4] = {1.0f, 448.0f, 0x1p-9f, -1.0f};
    const unsigned char want[4] = {0x38, 0x7e, 0x01, 0x7f}, want_e5m3[4] = {0x78, 0xbe, 0x30, 0xff};
    unsigned char codes[4];
    float y[4];
    CU_ASSERT_EQUAL(bnd_codes_size(&f, 4, BND_PACKING_PACKED), 4);
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        for (uint8_t packing = 0; packing < 2; packing++) {
            bnd_array how = {.context = &back_ends_here()->at[k], .packing_in = packing, .packing_out = packing};
            CU_ASSERT_EQUAL(bnd_encode_f32(codes, x, 4, &f, &how, NULL, NULL), BND_OK);
            CU_ASSERT_EQUAL(memcmp(codes, want, sizeof want), 0);
            CU_ASSERT_EQUAL(bnd_decode_f32(y, codes, 4, &f, &how, NULL), BND_OK);
            CU_ASSERT_EQUAL(memcmp(y, x, 3 * sizeof *x), 0);
            CU_ASSERT_EQUAL(bnd_encode_f32(codes, x, 4, &e5m3, &how, NULL, NULL), BND_OK);
            CU_ASSERT_EQUAL(memcmp(codes, want_e5m3, sizeof want_e5m3), 0);
        }
    }
}

/* Five codes of 4 bits and four of 6, by hand: lowest bits first, zeros at the end. */
static void test_packed_by_hand(void)
{
    bnd_format fp4 = format_named("e2m1"), fp6 = format_named("e3m2");
    const float x[5] = {1.0f, -6.0f, 0.5f, 0.0f, -1.5f}; /* e2m1: 2 f 1 0 b */
    const float y[4] = {1.0f, -1.0f, 28.0f, 0.0625f};    /* e3m2: 001100 101100 011111 000001 */
    unsigned char bytes[3];
    const unsigned char want4[3] = {0xf2, 0x01, 0x0b}, want6[3] = {0x0c, 0xfb, 0x05};
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        bnd_array how = {.context = &back_ends_here()->at[k]};
        CU_ASSERT_EQUAL(bnd_encode_f32(bytes, x, 5, &fp4, &how, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(bytes, want4, 3), 0);
        CU_ASSERT_EQUAL(bnd_encode_f32(bytes, y, 4, &fp6, &how, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(bytes, want6, 3), 0);
    }
}

CU_TestInfo memory_tests[] = {
    {"round, in place", test_in_place},
    {"strides", test_strides},
    {"in pieces", test_pieces},
    {"tf32 in fp32's place", test_tf32_container},
    {"ue4m3 in a byte", test_ue4m3_container},
    {"packed by hand", test_packed_by_hand},
    CU_TEST_INFO_NULL,
};
