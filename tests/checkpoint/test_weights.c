/* Weights: layouts are recognised and decoded. Each case is a checkpoint of one weight with arbitrary bytes, at an odd
 * address. A model in this file reads code and scales of each element on its own, by bnd_decode, and multiplies them in
 * fp64, where the products are exact. */
#include "files.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"
#include "weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

static uint64_t word_at(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << 8 * i;
    }
    return word;
}

static double number(const char *format, const unsigned char *bytes, size_t index)
{
    bnd_format f;
    CU_ASSERT_FATAL(bnd_format_parse(&f, format, NULL) == BND_OK);
    const size_t size = (f.width + 7u) / 8u;
    return bnd_decode(&f, word_at(bytes + index * size, size));
}

static double code_of(const weight_case *k, size_t row, size_t column)
{
    const size_t at = row * k->in + column;
    const unsigned char *codes = part_bytes(k, "codes");
    const unsigned byte = codes[k->coding == CODES_LOW || k->coding == CODES_HIGH ? at / 2 : at];
    switch (k->coding) {
    case CODES_LOW:
        return bnd_decode(bnd_format_at(BND_FORMAT_E2M1), at % 2 == 0 ? byte & 15 : byte >> 4);
    case CODES_HIGH:
        return bnd_decode(bnd_format_at(BND_FORMAT_E2M1), at % 2 == 0 ? byte >> 4 : byte & 15);
    case CODES_INT8:
        return (double)(int8_t)byte;
    case CODES_WORDS: {
        const size_t words = (k->in * k->bits + 31) / 32;
        double value = 0;
        for (size_t bit = 0; bit < k->bits; bit++) { /* bit by bit, from a row's first word on */
            const size_t place = column * k->bits + bit;
            const uint64_t word = word_at(codes + (row * words + place / 32) * 4, 4);
            value += (double)(word >> place % 32 & 1) * (double)(1u << bit);
        }
        return value - (k->affine ? 0 : (double)(1u << (k->bits - 1)));
    }
    default:
        return number(k->element, codes, at);
    }
}

static size_t rounded_up(size_t n, size_t size)
{
    return (n + size - 1) / size;
}

/* Where the scale of an element is. */
static size_t scale_place(const weight_case *k, size_t expert, size_t row, size_t column)
{
    const size_t groups = rounded_up(k->in, k->across), bands = rounded_up(k->out, k->down);
    if (k->swizzled) {
        const size_t tile = row / 128 * rounded_up(groups, 4) + column / k->across / 4;
        return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column / k->across % 4;
    }
    return (expert * bands + row / k->down) * groups + column / k->across;
}

static float modelled(const weight_case *k, size_t at)
{
    const size_t row = at / k->in, column = at % k->in, expert = row / k->out;
    const size_t place = scale_place(k, expert, row % k->out, column);
    double code = code_of(k, row, column), scale = number(k->scale, part_bytes(k, "scales"), place);
    if (k->affine) {
        return (float)((long double)code * (long double)scale +
                       (long double)number(k->scale, part_bytes(k, "biases"), place));
    }
    if (k->zero_points) {
        code -= (double)(int8_t)part_bytes(k, "zeros")[place];
    }
    if (k->second != NO_SECOND) {
        const float second = (float)number("fp32", part_bytes(k, "second"), k->second == EACH_SECOND ? expert : 0);
        scale *= (double)(k->second == DIVISOR ? 1 / second : second);
    }
    return (float)(code * scale);
}

/* ---- comparing ---- */

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare(const weight_case *k, const float *y, size_t at, size_t n, const char *how)
{
    size_t differences = 0;
    for (size_t i = 0; i < n; i++) {
        const float expected = modelled(k, at + i);
        if (!same(y[i], expected) && differences++ < 3) {
            printf("%s, %s: element %zu is %a; expected %a\n", k->name, how, at + i, (double)y[i], (double)expected);
        }
    }
    CU_ASSERT_EQUAL(differences, 0);
}

/* The whole weight, and ranges that begin at steps and end anywhere, by every back end. */
static void check_values(const weight_case *k, const bnd_stored_weight *w)
{
    const size_t count = (size_t)w->count;
    float *y = malloc((count + 1) * sizeof *y);
    CU_ASSERT_PTR_NOT_NULL_FATAL(y);
    for (bnd_backend backend = BND_BACKEND_BEST; backend < BND_BACKEND_COUNT; backend++) {
        const bnd_context context = {.backend = (uint8_t)backend};
        if (!bnd_backend_here(backend)) {
            continue;
        }
        y[count] = 42;
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(y, w, 0, count, &context, NULL), BND_OK);
        CU_ASSERT_EQUAL(y[count], 42);
        compare(k, y, 0, count, bnd_backend_name(backend));
        for (size_t at = 0; at < count; at += BND_WEIGHT_STEP) {
            const size_t n = count - at < 333 ? count - at : 333;
            y[n] = 42;
            CU_ASSERT_EQUAL(bnd_decode_weight_f32(y, w, at, n, &context, NULL), BND_OK);
            CU_ASSERT_EQUAL(y[n], 42);
            compare(k, y, at, n, "a part");
        }
    }
    free(y);
}

/* ---- the rows ---- */

static void check_case(const weight_case *k)
{
    bnd_error why = {.message = ""};
    open_folder();
    put_case(k);
    bnd_checkpoint *c = open_named("", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    const bnd_stored_weight *w = bnd_checkpoint_find_weight(c, k->weight);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w->layout);
    if (strcmp(w->layout->name, k->layout) != 0) {
        printf("%s: the layout is %s\n", k->name, w->layout->name);
        CU_FAIL("another layout");
    }
    if (k->why_not != NULL) {
        CU_ASSERT_FALSE(w->is_float);
        CU_ASSERT_PTR_NOT_NULL_FATAL(w->why_not);
        CU_ASSERT_STRING_EQUAL(w->why_not, k->why_not);
    } else if (!w->is_float) {
        printf("%s: %s\n", k->name, w->why_not);
        CU_FAIL("it is not decoded");
    } else {
        CU_ASSERT_EQUAL(w->count, k->experts * k->out * k->in);
        check_values(k, w);
    }
    bnd_checkpoint_free(c);
    close_folder();
}

static void test_every_row(void)
{
    for (size_t i = 0; i < weight_case_count; i++) {
        check_case(&weight_cases[i]);
    }
}

/* No row without a case, but for those of GGUF, whose files the model in Python makes. */
static void test_no_row_is_left_out(void)
{
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        const bnd_layout *layout = bnd_layout_at(row);
        bool found = layout->family == BND_LAYOUT_GGUF;
        for (size_t i = 0; i < weight_case_count; i++) {
            found = found || strcmp(weight_cases[i].layout, layout->name) == 0;
        }
        if (!found) {
            printf("%s has no case\n", layout->name);
            CU_FAIL("a layout without a case");
        }
        CU_ASSERT_PTR_EQUAL(bnd_layout_find(layout->name), layout);
        CU_ASSERT_TRUE(layout->source[0] != '\0' && layout->title[0] != '\0');
        const char *slash = strchr(layout->name, '/');
        char family[40] = "";
        CU_ASSERT_PTR_NOT_NULL_FATAL(slash);
        snprintf(family, sizeof family, "%.*s", (int)(slash - layout->name), layout->name);
        CU_ASSERT_EQUAL(bnd_layout_family_of(family), layout->family);
        CU_ASSERT_STRING_EQUAL(bnd_layout_family_name(layout->family), family);
    }
    CU_ASSERT_PTR_NULL(bnd_layout_find("modelopt"));
    CU_ASSERT_EQUAL(bnd_layout_family_of("modelop"), BND_LAYOUT_FAMILIES);
}

CU_TestInfo weight_tests[] = {
    {"every row of layouts.def, decoded", test_every_row},
    {"no row is left out", test_no_row_is_left_out},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("weights", weight_tests),
        SUITE("recognition", recognition_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
