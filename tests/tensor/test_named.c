/* einsum, rearrange and reduce against loops over every index. */
#include "gradients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 5, MOST = 4096 };
static const char *const names[NAMES] = {"batch", "s", "t_1", "hidden", "x"};

/* ---- random specifications ---- */

typedef struct operand {
    unsigned count, name[NAMES];
    double x[MOST];
    bnd_tensor *tensor;
} operand;

typedef struct specification {
    size_t extent[NAMES];
    unsigned operands, result_count, result[NAMES];
    operand of[3];
    char text[256];
} specification;

static void shuffle(unsigned *list, unsigned count, uint64_t seed)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j = (unsigned)below(i, seed, i), keep = list[i - 1];
        list[i - 1] = list[j];
        list[j] = keep;
    }
}

static void append(char *text, const char *what)
{
    strncat(text, what, 255 - strlen(text));
}

static void append_names(char *text, const unsigned *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        append(text, i > 0 ? " " : "");
        append(text, names[list[i]]);
    }
}

/* Some of the names in some order. */
static unsigned choose(unsigned *list, unsigned from, uint64_t seed)
{
    unsigned count = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        if ((from >> i & 1) != 0 && below(3, seed, 20 + i) > 0) {
            list[count++] = i;
        }
    }
    shuffle(list, count, seed);
    return count;
}

static void specify(specification *s, bnd_engine *engine, uint64_t seed)
{
    unsigned used = 0;
    memset(s, 0, sizeof *s);
    s->operands = 1 + (unsigned)below(3, seed, 0);
    for (unsigned i = 0; i < NAMES; i++) {
        s->extent[i] = 1 + below(4, seed, 1 + i);
    }
    for (unsigned i = 0; i < s->operands; i++) {
        operand *o = &s->of[i];
        size_t shape[NAMES], n = 1;
        o->count = choose(o->name, (1u << NAMES) - 1, seed * 10 + i);
        for (unsigned j = 0; j < o->count; j++) {
            used |= 1u << o->name[j];
            n *= shape[j] = s->extent[o->name[j]];
        }
        for (size_t j = 0; j < n; j++) {
            o->x[j] = (double)below(9, seed + i, 100 + j) - 4;
        }
        append(s->text, i > 0 ? ", " : "");
        append_names(s->text, o->name, o->count);
        o->tensor = tensor_of(engine, "fp32", o->x, shape, o->count);
    }
    s->result_count = choose(s->result, used, seed * 10 + 9);
    append(s->text, " -> ");
    append_names(s->text, s->result, s->result_count);
}

/* ---- the loop ---- */

static size_t place(const unsigned *list, unsigned count, const size_t *extent, const size_t *index)
{
    size_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        at = at * extent[list[i]] + index[list[i]];
    }
    return at;
}

static void loop(double *result, const specification *s)
{
    size_t index[NAMES], all = 1;
    unsigned used = 0;
    for (unsigned i = 0; i < s->operands; i++) {
        for (unsigned j = 0; j < s->of[i].count; j++) {
            used |= 1u << s->of[i].name[j];
        }
    }
    for (unsigned i = 0; i < NAMES; i++) {
        all *= (used >> i & 1) != 0 ? s->extent[i] : 1;
    }
    memset(result, 0, MOST * sizeof *result);
    for (size_t at = 0; at < all; at++) {
        size_t rest = at;
        double product = 1;
        for (unsigned i = 0; i < NAMES; i++) {
            index[i] = (used >> i & 1) != 0 ? rest % s->extent[i] : 0;
            rest /= (used >> i & 1) != 0 ? s->extent[i] : 1;
        }
        for (unsigned i = 0; i < s->operands; i++) {
            product *= s->of[i].x[place(s->of[i].name, s->of[i].count, s->extent, index)];
        }
        result[place(s->result, s->result_count, s->extent, index)] += product;
    }
}

static void test_einsum(void)
{
    static double expected[MOST], got[MOST];
    static specification s;
    for (uint64_t seed = 0; seed < scaled(1000); seed++) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *y = NULL;
        specify(&s, engine, seed);
        bnd_tensor *in[3] = {s.of[0].tensor, s.of[1].tensor, s.of[2].tensor};
        bool right = succeeds(bnd_tensor_einsum(&y, s.text, in, s.operands, &why), &why);
        loop(expected, &s);
        right = right && bnd_tensor_rank(y) == s.result_count &&
                succeeds(bnd_tensor_read_f64(got, bnd_tensor_count(y), y, &why), &why);
        for (size_t i = 0; right && i < bnd_tensor_count(y); i++) {
            right = got[i] == expected[i]; /* small whole numbers: exact in fp32 */
        }
        if (!right) {
            printf("\n    \"%s\", seed %llu\n", s.text, (unsigned long long)seed);
        }
        CU_ASSERT_TRUE(right);
        bnd_engine_free(engine);
    }
}

/* ---- rearrange and reduce ---- */

/* A random grouping of a list of axes: "(a b) c (d)". */
static unsigned group(char *text, size_t *shape, const unsigned *list, unsigned count, const size_t *extent,
                      uint64_t seed)
{
    unsigned groups = 0;
    bool open = false;
    for (unsigned i = 0; i < count; i++) {
        bool starts = i == 0 || below(2, seed, 40 + i) == 0;
        if (starts) {
            bool alone = i + 1 == count || below(2, seed, 40 + i + 1) == 0;
            append(text, open ? ") " : i > 0 ? " " : "");
            open = !alone || below(4, seed, 60 + i) == 0;
            append(text, open ? "(" : "");
            shape[groups++] = 1;
        } else {
            append(text, " ");
        }
        append(text, names[list[i]]);
        shape[groups - 1] *= extent[list[i]];
    }
    append(text, open ? ")" : "");
    return groups;
}

static double combine(bnd_tensor_operation how, double a, double b)
{
    switch (how) {
    case BND_TENSOR_OP_MAX:
        return fmax(a, b);
    case BND_TENSOR_OP_MIN:
        return fmin(a, b);
    default:
        return a + b;
    }
}

static void one_regrouping(uint64_t seed, bnd_tensor_operation how)
{
    static double x[MOST], expected[MOST], got[MOST];
    size_t extent[NAMES], shape[NAMES], wanted[NAMES], index[NAMES], all = 1, left = 1;
    unsigned list[NAMES], count = NAMES, result[NAMES], stays;
    char pattern[256] = "", sizes[256] = "";
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *t, *y = NULL;
    for (unsigned i = 0; i < NAMES; i++) {
        list[i] = i;
        all *= extent[i] = 1 + below(3, seed, i);
        char size[32];
        snprintf(size, sizeof size, "%s%s=%zu", i > 0 ? " " : "", names[i], extent[i]);
        append(sizes, size);
    }
    shuffle(list, NAMES, seed);
    for (size_t i = 0; i < all; i++) {
        x[i] = (double)below(100, seed, 1000 + i);
    }
    unsigned rank = group(pattern, shape, list, NAMES, extent, seed * 2);
    t = tensor_of(engine, "fp32", x, shape, rank);
    append(pattern, " -> ");
    stays = how == BND_TENSOR_OP_NONE ? NAMES : 0;
    memcpy(result, list, sizeof list);
    if (how != BND_TENSOR_OP_NONE) {
        stays = choose(result, (1u << NAMES) - 1, seed);
    }
    shuffle(result, stays, seed + 7);
    unsigned result_rank = group(pattern, wanted, result, stays, extent, seed * 2 + 1);
    for (unsigned i = 0; i < stays; i++) {
        left *= extent[result[i]];
    }
    for (size_t i = 0; i < left; i++) {
        expected[i] = how == BND_TENSOR_OP_MAX ? -1e30 : how == BND_TENSOR_OP_MIN ? 1e30 : 0;
    }
    for (size_t at = 0; at < all; at++) {
        size_t rest = at;
        for (unsigned i = count; i-- > 0;) {
            index[list[i]] = rest % extent[list[i]];
            rest /= extent[list[i]];
        }
        double *to = &expected[place(result, stays, extent, index)];
        *to = combine(how, *to, x[at]);
    }
    bnd_status status = how == BND_TENSOR_OP_NONE ? bnd_tensor_rearrange(&y, t, pattern, sizes, &why)
                                                  : bnd_tensor_reduce(&y, t, pattern, sizes, how, &why);
    bool right = succeeds(status, &why) && bnd_tensor_rank(y) == result_rank && bnd_tensor_count(y) == left &&
                 succeeds(bnd_tensor_read_f64(got, left, y, &why), &why);
    for (unsigned i = 0; right && i < result_rank; i++) {
        right = bnd_tensor_shape(y)[i] == wanted[i];
    }
    for (size_t i = 0; right && i < left; i++) {
        double mean = (double)(float)(expected[i] / ((double)all / (double)left));
        right = how == BND_TENSOR_OP_MEAN ? fabs(got[i] - mean) <= 1e-6 * mean : got[i] == expected[i];
    }
    if (!right) {
        printf("\n    \"%s\" %s, seed %llu\n", pattern, sizes, (unsigned long long)seed);
    }
    CU_ASSERT_TRUE(right);
    bnd_engine_free(engine);
}

static void test_rearrange_and_reduce(void)
{
    static const bnd_tensor_operation hows[] = {BND_TENSOR_OP_NONE, BND_TENSOR_OP_SUM, BND_TENSOR_OP_NONE,
                                                BND_TENSOR_OP_MEAN, BND_TENSOR_OP_MAX, BND_TENSOR_OP_MIN};
    for (uint64_t seed = 0; seed < scaled(2000); seed++) {
        one_regrouping(seed, hows[seed % 6]);
    }
}

/* ---- ellipses, open sizes, refusals ---- */

static void test_ellipses(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    double x[2 * 3 * 8];
    for (int i = 0; i < 48; i++) {
        x[i] = i;
    }
    bnd_tensor *t = tensor_of(engine, "fp32", x, (size_t[]){2, 3, 8}, 3), *heads = NULL, *back = NULL, *sum = NULL;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_rearrange(&heads, t, "... (heads h) -> heads ... h", "heads=2", &why), &why));
    CU_ASSERT_EQUAL(bnd_tensor_shape(heads)[0], 2);
    CU_ASSERT_EQUAL(bnd_tensor_shape(heads)[3], 4);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_rearrange(&back, heads, "heads ... h -> ... (heads h)", NULL, &why), &why));
    double y[48];
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(y, 48, back, &why), &why));
    CU_ASSERT_EQUAL(memcmp(x, y, sizeof x), 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_reduce(&sum, t, "... hidden -> ...", NULL, BND_TENSOR_OP_SUM, &why), &why));
    CU_ASSERT_EQUAL(bnd_tensor_rank(sum), 2);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(y, 6, sum, &why), &why));
    CU_ASSERT_EQUAL(y[1], 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15);
    bnd_engine_free(engine);
}

static void test_refusals(void)
{
    static const struct {
        const char *pattern, *sizes, *message;
        bool rearranges;
    } cases[] = {
        {"b h s d, b h s d -> b h s s", NULL, "an axis of the result is named twice", false},
        {"b b -> b", NULL, "named twice in one operand", false},
        {"a b, b c -> a d", NULL, "no operand has the axis d", false},
        {"a b, b c", NULL, "expected -> and the result", false},
        {"a b -> a b", NULL, "fewer terms than operands", false},
        {"a b, c a, b -> a", NULL, "more terms than operands", false},
        {"a b, b c -> a, c", NULL, "expected the end of the pattern", false},
        {"a (b c), b d -> a", NULL, "expected a name", false},
        {"a b, a c -> b c", NULL, "has 5 elements here and 4 elsewhere", false},
        {"a b c, c d -> a", NULL, "has 2 axes, and its term names 3", false},
        {"a (b c) -> a b c", NULL, "both unknown", true},
        {"a (b c) -> a b c", "b=3", "cannot be split", true},
        {"a (b c) -> a b c", "q=2", "does not name", true},
        {"a (b c) -> a b c", "b=x", "not a size", true},
        {"a (b c) -> a b c", "b=1 b=5", "given twice", true},
        {"a (b c -> a b c", "b=5", "expected names of axes", true},
        {"a (b c", "b=5", "expected ')'", true},
        {"a b -> a", NULL, "is not in the result", true},
    };
    bnd_engine *engine = new_engine();
    const double x[20] = {0};
    bnd_tensor *in[2] = {tensor_of(engine, "fp32", x, (size_t[]){4, 5}, 2),
                         tensor_of(engine, "fp32", x, (size_t[]){5, 4}, 2)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_error why;
        bnd_tensor *y = NULL;
        bnd_status status = cases[i].rearranges
                                ? bnd_tensor_rearrange(&y, in[0], cases[i].pattern, cases[i].sizes, &why)
                                : bnd_tensor_einsum(&y, cases[i].pattern, in, 2, &why);
        CU_ASSERT_TRUE(refuses(status, &why, cases[i].message));
        CU_ASSERT_PTR_NULL(y);
    }
    bnd_error why;
    bnd_tensor *none = tensor_of(engine, "fp32", x, (size_t[]){0, 5}, 2), *y = NULL;
    CU_ASSERT_TRUE(refuses(bnd_tensor_rearrange(&y, none, "a b -> b a", NULL, &why), &why, "no elements"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_einsum(&y, "... i -> ...", &none, 1, &why), &why, "no elements"));
    CU_ASSERT_TRUE(
        refuses(bnd_tensor_reduce(&y, none, "... i -> ...", NULL, BND_TENSOR_OP_MEAN, &why), &why, "no elements"));
    CU_ASSERT_PTR_NULL(y);
    bnd_tensor_release(none);
    bnd_tensor *pair = tensor_of(engine, "fp32", x, (size_t[]){2}, 1),
               *deep = tensor_of(engine, "fp32", x, (size_t[]){2, 1, 1, 1, 1, 1, 1, 1}, 8);
    CU_ASSERT_TRUE(refuses(bnd_tensor_rearrange(&y, pair, "(a b c) -> a b c", "a=4294967296 b=4294967296", &why), &why,
                           "cannot be split"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_rearrange(&y, deep, "(a b c d e f g h) ... -> (a b c d e f g h) ...",
                                                "a=2 b=1 c=1 d=1 e=1 f=1 g=1 h=1", &why),
                           &why, "more than 8 axes"));
    CU_ASSERT_PTR_NULL(y);
    bnd_tensor_release(pair);
    bnd_tensor_release(deep);
    bnd_engine_free(engine);
}

/* Factors with more axes in all than a term can have: none is summed before the last that has it. */
static void test_many_axes(void)
{
    static const size_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, last[8] = {1, 1, 1, 1, 1, 1, 1, 2};
    bnd_engine *engine = new_engine();
    bnd_tensor *in[4] = {tensor_of(engine, "fp32", (double[]){1, 2}, (size_t[]){2, 1}, 2),
                         tensor_of(engine, "fp32", (double[]){1, 1}, (size_t[]){2, 1}, 2),
                         tensor_of(engine, "fp32", (double[]){1}, ones, 8),
                         tensor_of(engine, "fp32", (double[]){10, 100}, last, 8)},
               *y = NULL;
    bnd_error why;
    double got = 0;
    must(bnd_tensor_einsum(&y, "q r, q r, a b c d e f g h, i j k l m n o q -> r", in, 4, &why), &why);
    must(bnd_tensor_read_f64(&got, 1, y, &why), &why);
    CU_ASSERT_EQUAL(got, 210);
    bnd_engine_free(engine);
}

static void test_extremes_of_no_elements(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *none = tensor_of(engine, "fp32", (double[]){0}, (size_t[]){0, 5}, 2);
    static const bnd_tensor_operation operations[] = {BND_TENSOR_OP_MAX, BND_TENSOR_OP_MIN};
    for (size_t i = 0; i < 2; i++) {
        bnd_tensor *y = NULL;
        bnd_error why;
        double got[5] = {0};
        must(bnd_tensor_apply(&y, operations[i], &none, 1, &(bnd_attributes){.axis = {0}, .axes = 1}, &why), &why);
        must(bnd_tensor_read_f64(got, 5, y, &why), &why);
        for (size_t k = 0; k < 5; k++) {
            CU_ASSERT_EQUAL(got[k], i == 0 ? -INFINITY : INFINITY);
        }
        bnd_tensor_release(y);
    }
    bnd_tensor_release(none);
    bnd_engine_free(engine);
}

/* ---- gradients ---- */

static bnd_status by_pattern(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    return bnd_tensor_einsum(out, data, in, 2, why);
}

static void test_gradients(void)
{
    leaf leaves[2] = {{.shape = {2, 3, 4}, .rank = 3, .low = -1, .high = 1, .layout = TRANSPOSED},
                      {.shape = {2, 5, 4}, .rank = 3, .low = -1, .high = 1, .layout = STRIDED}};
    static const char *const patterns[] = {"b s h, b t h -> b s t", "b s h, b t k -> s t b", "b s h, b t h -> h b",
                                           "... s h, ... t h -> ... s t", "b s h, c t h -> c s"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        double worst = worst_difference(by_pattern, patterns[i], leaves, 2, i);
        CU_ASSERT_TRUE(worst < 1e-6);
    }
}

CU_TestInfo named_tests[] = {
    {"einsum on random specifications", test_einsum},
    {"rearrange and reduce on random groupings", test_rearrange_and_reduce},
    {"ellipses", test_ellipses},
    {"what is refused", test_refusals},
    {"many axes", test_many_axes},
    {"extremes of no elements", test_extremes_of_no_elements},
    {"gradients", test_gradients},
    CU_TEST_INFO_NULL,
};
