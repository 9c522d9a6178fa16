/* The search for how a weight was made, on weights for which there is no rule, or a rule that almost fits. */
#include "tests.h"

#include "tests/support/folder.h"

#include <binade-lab/diff.h>

#include <math.h>
#include <string.h>

enum { WIDE = 128, MOST_TENSORS = 3 };

typedef struct tensor {
    const char *name, *dtype;
    size_t rank;
    uint64_t shape[2];
    const void *data;
} tensor;

static bnd_checkpoint *put(const char *name, const tensor *tensors)
{
    bnd_safetensor entries[MOST_TENSORS];
    char path[PATH_SIZE];
    bnd_checkpoint *c = NULL;
    size_t n = 0;
    for (; n < MOST_TENSORS && tensors[n].name != NULL; n++) {
        const tensor *t = &tensors[n];
        entries[n] =
            (bnd_safetensor){.name = t->name, .dtype = t->dtype, .rank = t->rank, .shape = t->shape, .data = t->data};
    }
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, name), entries, n, NULL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_new(&c, path, NULL, NULL, NULL), BND_OK);
    return c;
}

/* What is found of the one weight that A and B have. */
static bnd_weight_difference compared(const tensor *a, const tensor *b)
{
    bnd_diff *d = NULL;
    open_folder();
    bnd_checkpoint *of_a = put("a.safetensors", a), *of_b = put("b.safetensors", b);
    CU_ASSERT_EQUAL_FATAL(bnd_diff_new(&d, of_a, of_b, &(bnd_diff_options){.explain = true}, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_diff_count(d), 1);
    bnd_weight_difference found = *bnd_diff_at(d, 0);
    found.name = NULL;
    found.a = found.b = found.base = NULL;
    bnd_diff_free(d);
    bnd_checkpoint_free(of_a);
    bnd_checkpoint_free(of_b);
    close_folder();
    return found;
}

/* Code 0 of e8m0 is 2^-127: numbers below it have no lower neighbour. */
static void test_no_zero(void)
{
    static const unsigned char codes[] = {127, 128, 126, 0};
    static const float x[] = {1, 2, 0.5F, 0};
    const tensor a[MOST_TENSORS] = {{"s", "F8_E8M0", 1, {4}, codes}}, b[MOST_TENSORS] = {{"s", "F32", 1, {4}, x}};
    const bnd_weight_difference found = compared(a, b);
    CU_ASSERT_EQUAL(found.kind, BND_DIFFERENCE_VALUES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found.explained.why_not);
    CU_ASSERT_STRING_EQUAL(found.explained.why_not, "its format has no zero");
}

/* Codes of e4m3fnuz that the file calls e4m3: the scale is amax / 448, which is no rule for codes up to 240. */
static void test_other_element(void)
{
    static unsigned char codes[2 * WIDE];
    static float x[2 * WIDE];
    const float scale = 1.0F / 448;
    for (unsigned i = 0; i < 2 * WIDE; i++) {
        codes[i] = (unsigned char)(i == 0x80 ? 0 : i);
        x[i] = (float)bnd_decode(bnd_format_at(BND_FORMAT_E4M3FNUZ), codes[i]) * scale;
    }
    x[0x7f] = 1; /* amax */
    const tensor a[MOST_TENSORS] = {{"w.weight", "F8_E4M3", 2, {2, WIDE}, codes},
                                    {"w.weight_scale", "F32", 0, {0}, &scale}},
                 b[MOST_TENSORS] = {{"w.weight", "F32", 2, {2, WIDE}, x}};
    const bnd_explanation how = compared(a, b).explained;
    CU_ASSERT_PTR_NULL(how.why_not);
    CU_ASSERT_TRUE(how.other_element && bnd_format_same(&how.element, bnd_format_at(BND_FORMAT_E4M3FNUZ)));
    CU_ASSERT_EQUAL(how.codes_made, how.codes);
    CU_ASSERT_EQUAL(how.scales, 1);
    CU_ASSERT_EQUAL(how.scales_made, 0);
    CU_ASSERT_EQUAL(how.row[BND_MADE_SCALE], BND_MADE_NONE);
}

/* Rows of e4m3 with these scales; of row r the largest magnitude is amax[r]. */
static bnd_explanation rows_explained(const float *amax, const float *scales, size_t rows)
{
    enum { MOST_ROWS = 4 };
    static unsigned char codes[MOST_ROWS * WIDE];
    static float x[MOST_ROWS * WIDE];
    const bnd_format *f = bnd_format_at(BND_FORMAT_E4M3);
    make_base(x, rows * WIDE, 3);
    for (size_t i = 0; i < rows * WIDE; i++) {
        x[i] = i % WIDE == 0 ? amax[i / WIDE] : fmaxf(-amax[i / WIDE], fminf(amax[i / WIDE], x[i]));
        codes[i] = (unsigned char)nearest_code(x[i] / scales[i / WIDE], f, TIE_EVEN);
    }
    const tensor a[MOST_TENSORS] = {{"w.weight", "F8_E4M3", 2, {rows, WIDE}, codes},
                                    {"w.weight_scale", "F32", 2, {rows, 1}, scales}},
                 b[MOST_TENSORS] = {{"w.weight", "F32", 2, {rows, WIDE}, x}};
    const bnd_explanation how = compared(a, b).explained;
    CU_ASSERT_PTR_NULL(how.why_not);
    CU_ASSERT_EQUAL(how.scales, rows);
    CU_ASSERT_EQUAL(how.codes_made, how.codes);
    return how;
}

/* The least scale is a rule if several groups have it; of one it would explain any scale. */
static void test_least_scale(void)
{
    static const float amax[] = {0.5F, 0.02F, 0.3F, 0.01F};
    float scales[4];
    for (size_t raised = 0; raised < 3; raised++) {
        for (size_t r = 0; r < 4; r++) {
            const float least = raised == 0 ? 0 : raised == 1 ? 0.015F : 0.03F;
            scales[r] = fmaxf(amax[r], least) / 448;
        }
        const bnd_explanation how = rows_explained(amax, scales, 4);
        CU_ASSERT_EQUAL(how.scales_made, raised == 1 ? 3 : 4);
        CU_ASSERT_EQUAL(how.least, raised == 2 ? scales[1] : 0);
    }
    scales[0] = 3.3F * amax[0] / 448;
    const bnd_explanation how = rows_explained(amax, scales, 1);
    CU_ASSERT_EQUAL(how.scales_made, 0);
    CU_ASSERT_EQUAL(how.least, 0);
}

/* Integers of 2 bits, from -2 to 1. Those of 1 bit have no largest one. */
static void test_short_integers(void)
{
    enum { ROWS = 4 };
    static const int64_t shape[] = {ROWS, WIDE};
    static float x[ROWS * WIDE], scales[ROWS];
    for (unsigned bits = 1; bits <= 2; bits++) {
        const unsigned per_word = 32 / bits, words = WIDE / per_word;
        uint32_t packed[ROWS * WIDE / 16] = {0};
        for (unsigned i = 0; i < ROWS * WIDE; i++) {
            const unsigned row = i / WIDE, column = i % WIDE, code = i % 7 % (1U << bits);
            scales[row] = ldexpf(1.25F, -3 - (int)row);
            x[i] = ((float)code - (float)(1U << (bits - 1))) * scales[row];
            packed[row * words + column / per_word] |= (uint32_t)code << column % per_word * bits;
        }
        const tensor a[MOST_TENSORS] = {{"w.weight_packed", "I32", 2, {ROWS, words}, packed},
                                        {"w.weight_scale", "F32", 2, {ROWS, 1}, scales},
                                        {"w.weight_shape", "I64", 1, {2}, shape}},
                     b[MOST_TENSORS] = {{"w.weight", "F32", 2, {ROWS, WIDE}, x}};
        const bnd_explanation how = compared(a, b).explained;
        if (bits == 1) {
            CU_ASSERT_PTR_NOT_NULL_FATAL(how.why_not);
            CU_ASSERT_STRING_EQUAL(how.why_not, "its integers have too few bits");
        } else {
            CU_ASSERT_PTR_NULL(how.why_not);
            CU_ASSERT_EQUAL(how.codes_made, how.codes);
            CU_ASSERT_EQUAL(how.row[BND_MADE_SCALE], scale_row(BNDI_OF_PLAIN, "amax-next"));
            CU_ASSERT_EQUAL(how.scales_made, ROWS);
        }
    }
}

/* Integers are compared by their bytes, and only if they are of one dtype. */
static void test_not_decoded(void)
{
    static const int64_t wide[] = {1, 2, 3}, other[] = {1, 2, 4};
    static const int32_t narrow[] = {1, 2, 3};
    const tensor a[MOST_TENSORS] = {{"n", "I64", 1, {3}, wide}}, b[MOST_TENSORS] = {{"n", "I64", 1, {3}, other}},
                 c[MOST_TENSORS] = {{"n", "I32", 1, {3}, narrow}};
    CU_ASSERT_EQUAL(compared(a, a).kind, BND_DIFFERENCE_NONE);
    CU_ASSERT_EQUAL(compared(a, b).kind, BND_DIFFERENCE_VALUES);
    CU_ASSERT_EQUAL(compared(a, c).kind, BND_DIFFERENCE_UNKNOWN);
}

CU_TestInfo search_tests[] = {
    {"a format without a zero", test_no_zero},          {"another element than the file says", test_other_element},
    {"a least scale of one group", test_least_scale},   {"integers of 1 and 2 bits", test_short_integers},
    {"weights that are not decoded", test_not_decoded}, CU_TEST_INFO_NULL};
