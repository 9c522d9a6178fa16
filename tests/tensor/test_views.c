/* Views against a model that lists, for every element, which one of the base it is. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

typedef struct model {
    size_t rank, shape[BND_TENSOR_RANK_MAX], place[MOST];
} model;

static size_t count_of(const model *m)
{
    size_t count = 1;
    for (size_t i = 0; i < m->rank; i++) {
        count *= m->shape[i];
    }
    return count;
}

/* The place of an index, row-major. */
static size_t flat(const model *m, const size_t *index)
{
    size_t at = 0;
    for (size_t i = 0; i < m->rank; i++) {
        at = at * m->shape[i] + index[i];
    }
    return at;
}

static void index_of(size_t *index, const model *m, size_t at)
{
    for (size_t i = m->rank; i-- > 0;) {
        index[i] = at % m->shape[i];
        at /= m->shape[i];
    }
}

/* ---- one operation on both ---- */

static bnd_status do_permute(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why)
{
    int axes[BND_TENSOR_RANK_MAX];
    model old = *m;
    size_t index[BND_TENSOR_RANK_MAX], from[BND_TENSOR_RANK_MAX];
    for (size_t i = 0; i < m->rank; i++) {
        axes[i] = (int)i;
    }
    for (size_t i = m->rank; i > 1; i--) {
        size_t j = below(i, seed, i);
        int keep = axes[i - 1];
        axes[i - 1] = axes[j];
        axes[j] = keep;
    }
    for (size_t i = 0; i < m->rank; i++) {
        m->shape[i] = old.shape[axes[i]];
    }
    for (size_t at = 0; at < count_of(m); at++) {
        index_of(index, m, at);
        for (size_t i = 0; i < m->rank; i++) {
            from[axes[i]] = index[i];
        }
        m->place[at] = old.place[flat(&old, from)];
    }
    return bnd_tensor_permute(out, t, axes, m->rank, why);
}

static bnd_status do_slice(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why)
{
    if (m->rank == 0) {
        return bnd_tensor_view(out, t, m->shape, 0, why);
    }
    model old = *m;
    size_t index[BND_TENSOR_RANK_MAX], axis = below(m->rank, seed, 1), extent = m->shape[axis];
    size_t first = below(extent, seed, 2);
    ptrdiff_t step = 1 + (ptrdiff_t)below(3, seed, 3);
    size_t room = extent - 1 - first;
    if (below(3, seed, 4) == 0) {
        step = -step;
        room = first;
    }
    size_t count = 1 + below(room / (size_t)llabs(step) + 1, seed, 5);
    m->shape[axis] = count;
    for (size_t at = 0; at < count_of(m); at++) {
        index_of(index, m, at);
        index[axis] = first + (size_t)((ptrdiff_t)index[axis] * step);
        m->place[at] = old.place[flat(&old, index)];
    }
    int named = below(2, seed, 6) == 0 ? (int)axis : (int)axis - (int)old.rank;
    return bnd_tensor_slice(out, t, named, first, count, step, why);
}

static bnd_status do_select(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why)
{
    if (m->rank < 2) {
        return bnd_tensor_view(out, t, m->shape, m->rank, why);
    }
    model old = *m;
    size_t index[BND_TENSOR_RANK_MAX], from[BND_TENSOR_RANK_MAX], axis = below(m->rank, seed, 1);
    size_t which = below(m->shape[axis], seed, 2);
    m->rank--;
    for (size_t i = 0; i < m->rank; i++) {
        m->shape[i] = old.shape[i < axis ? i : i + 1];
    }
    for (size_t at = 0; at < count_of(m); at++) {
        index_of(index, m, at);
        for (size_t i = 0; i < old.rank; i++) {
            from[i] = i == axis ? which : index[i < axis ? i : i - 1];
        }
        m->place[at] = old.place[flat(&old, from)];
    }
    return bnd_tensor_select(out, t, (int)axis, which, why);
}

static bnd_status do_broadcast(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why)
{
    model old = *m;
    size_t index[BND_TENSOR_RANK_MAX], added = m->rank < 5 ? below(2, seed, 1) : 0, extra = 2 + below(2, seed, 2);
    if (count_of(m) * extra * extra > MOST) {
        return bnd_tensor_view(out, t, m->shape, m->rank, why);
    }
    m->rank += added;
    for (size_t i = 0; i < m->rank; i++) {
        m->shape[i] = i < added ? extra : old.shape[i - added];
    }
    for (size_t i = added, done = 0; i < m->rank && done == 0; i++) {
        if (m->shape[i] == 1) {
            m->shape[i] = extra;
            done = 1;
        }
    }
    for (size_t at = 0; at < count_of(m); at++) {
        index_of(index, m, at);
        for (size_t i = added; i < m->rank; i++) {
            index[i] = old.shape[i - added] == 1 ? 0 : index[i];
        }
        m->place[at] = old.place[flat(&old, index + added)];
    }
    return bnd_tensor_broadcast(out, t, m->shape, m->rank, why);
}

/* Splits an axis, or joins two, by reshape: the model does not move. A copy would not share: then only a view's refusal
 * is asked for, and the shape stays. */
static bnd_status do_view(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why)
{
    model wanted = *m;
    size_t axis = m->rank > 0 ? below(m->rank, seed, 1) : 0;
    if (m->rank > 1 && axis + 1 < m->rank && below(2, seed, 2) == 0) {
        wanted.shape[axis] *= wanted.shape[axis + 1];
        wanted.rank--;
        memmove(wanted.shape + axis + 1, wanted.shape + axis + 2, (wanted.rank - axis - 1) * sizeof wanted.shape[0]);
    } else if (m->rank > 0 && m->rank < 6 && wanted.shape[axis] % 2 == 0) {
        memmove(wanted.shape + axis + 1, wanted.shape + axis, (m->rank - axis) * sizeof wanted.shape[0]);
        wanted.rank++;
        wanted.shape[axis] = 2;
        wanted.shape[axis + 1] /= 2;
    }
    bnd_status status = bnd_tensor_view(out, t, wanted.shape, wanted.rank, why);
    if (status == BND_OK) {
        *m = wanted;
        return status;
    }
    CU_ASSERT(strstr(why->message, "do not follow") != NULL);
    return bnd_tensor_view(out, t, m->shape, m->rank, why);
}

typedef bnd_status operation(bnd_tensor **out, bnd_tensor *t, model *m, uint64_t seed, bnd_error *why);
static operation *const operations[] = {do_permute, do_slice, do_select, do_broadcast, do_view};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- chains of them ---- */

static bool all_as_the_model(bnd_tensor *t, const model *m, const double *base, const char *when)
{
    double x[MOST];
    bnd_error why;
    size_t n = count_of(m);
    bool right = bnd_tensor_rank(t) == m->rank && bnd_tensor_count(t) == n &&
                 memcmp(bnd_tensor_shape(t), m->shape, m->rank * sizeof m->shape[0]) == 0 &&
                 succeeds(bnd_tensor_read_f64(x, n, t, &why), &why);
    for (size_t i = 0; right && i < n; i++) {
        right = x[i] == base[m->place[i]];
        if (!right) {
            printf("\n    %s: element %zu is %g, not %g\n", when, i, x[i], base[m->place[i]]);
        }
    }
    return right;
}

static void chain(const char *format, uint64_t seed)
{
    static const size_t shapes[][4] = {{4, 6, 5}, {8, 8}, {2, 3, 4, 5}, {120}, {1, 7, 1, 8}, {16, 1, 2}};
    static const size_t ranks[] = {3, 2, 4, 1, 4, 3};
    double base[MOST];
    bnd_error why;
    bnd_engine *engine = new_engine();
    model m = {.rank = 0};
    size_t which = below(6, seed, 100);
    m.rank = ranks[which];
    memcpy(m.shape, shapes[which], sizeof shapes[which]);
    bnd_format f = format_named(format);
    unsigned distinct = f.width < 8 ? 4 : f.width < 16 ? 16 : 256;
    for (size_t i = 0; i < count_of(&m); i++) {
        m.place[i] = i;
        base[i] = (double)(i % distinct);
    }
    size_t of_base = count_of(&m);
    bnd_tensor *root = tensor_of(engine, format, base, m.shape, m.rank), *t = root;
    bnd_account before, after;
    bnd_engine_account(&before, engine);
    for (uint64_t step = 0; step < 10; step++) {
        uint64_t own = seed * 100 + step;
        bnd_tensor *next = NULL;
        bnd_status status = operations[below(OPERATIONS, own, 0)](&next, t, &m, own, &why);
        if (!succeeds(status, &why)) {
            CU_FAIL("an operation is refused");
            break;
        }
        t = next;
        CU_ASSERT_TRUE(bnd_tensor_shares(t, root));
        CU_ASSERT_TRUE(all_as_the_model(t, &m, base, format));
    }
    /* A write through the last is seen through the first. */
    size_t at = below(count_of(&m), seed, 200), index[BND_TENSOR_RANK_MAX];
    index_of(index, &m, at);
    base[m.place[at]] = 3 - base[m.place[at]] > 0 ? 3 : 0;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_set(t, index, m.rank, base[m.place[at]], &why), &why));
    CU_ASSERT_TRUE(all_as_the_model(t, &m, base, "after a write"));
    double x[MOST];
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(x, of_base, root, &why), &why));
    CU_ASSERT_EQUAL(memcmp(x, base, of_base * sizeof x[0]), 0);
    bnd_engine_account(&after, engine);
    CU_ASSERT_EQUAL(after.allocations, before.allocations);
    CU_ASSERT_EQUAL(after.bytes_now, before.bytes_now);
    bnd_engine_free(engine);
}

static void test_chains(void)
{
    static const char *const formats[] = {"fp32", "fp64", "fp16", "e4m3", "e2m1", "e3m2", "tf32", "e6m9nosub"};
    for (uint64_t seed = 0; seed < scaled(4000); seed++) {
        chain(formats[seed % 8], seed);
    }
}

/* ---- of no tensor, as where there is no gradient ---- */

static bnd_status pass_on(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    (void)count, (void)data;
    return bnd_tensor_pair(out, BND_TENSOR_OP_ADD, in[0], in[1], why);
}

/* One element has no next one, however far away that would be. */
static void test_one_element_of_any_step(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *some = tensor_of(engine, "fp32", (double[]){1, 2, 3, 4}, (size_t[]){2, 2}, 2);
    static const ptrdiff_t steps[] = {PTRDIFF_MIN, PTRDIFF_MAX, 7, -1};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        bnd_tensor *row = NULL;
        float numbers[2] = {0};
        CU_ASSERT_EQUAL(bnd_tensor_slice(&row, some, 0, 1, 1, steps[i], NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_tensor_read_f32(numbers, 2, row, NULL), BND_OK);
        CU_ASSERT_TRUE(numbers[0] == 3 && numbers[1] == 4);
        bnd_tensor_release(row);
    }
    bnd_tensor_release(some);
    bnd_engine_free(engine);
}

/* 0 elements of any extent: which one is not said, so it is not chosen. */
static void test_extents_that_do_not_follow(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *none = tensor_of(engine, "fp32", (double[]){0}, (size_t[]){0, 5}, 2), *out = NULL;
    static bnd_status (*const calls[])(bnd_tensor **, bnd_tensor *, const size_t *, size_t,
                                       bnd_error *) = {bnd_tensor_view, bnd_tensor_reshape};
    for (size_t i = 0; i < 2; i++) {
        bnd_error why = {.message = ""};
        CU_ASSERT_EQUAL(calls[i](&out, none, (size_t[]){BND_TENSOR_INFER, 0}, 2, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_PTR_NULL(out);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "axis 0 cannot be inferred, because another extent is 0"));
        CU_ASSERT_EQUAL(calls[i](&out, none, (size_t[]){BND_TENSOR_INFER, 7}, 2, &why), BND_OK);
        CU_ASSERT(bnd_tensor_shape(out)[0] == 0 && bnd_tensor_shape(out)[1] == 7);
        bnd_tensor_release(out);
        out = NULL;
    }
    bnd_tensor_release(none);
    bnd_engine_free(engine);
}

static void test_no_tensor(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *some = tensor_of(engine, "fp32", (double[]){1, 2}, (size_t[]){2}, 1), *out = NULL;
    bnd_tensor *const pair[] = {some, NULL};
    const bnd_format fp32 = format_named("fp32");
    bnd_error why;
    const bnd_status statuses[] = {
        bnd_tensor_slice(&out, NULL, 0, 0, 1, 1, &why),
        bnd_tensor_select(&out, NULL, 0, 0, &why),
        bnd_tensor_transpose(&out, NULL, 0, 0, &why),
        bnd_tensor_permute(&out, NULL, (int[]){0}, 1, &why),
        bnd_tensor_broadcast(&out, NULL, (size_t[]){2}, 1, &why),
        bnd_tensor_squeeze(&out, NULL, 0, &why),
        bnd_tensor_unsqueeze(&out, NULL, 0, &why),
        bnd_tensor_view(&out, NULL, (size_t[]){2}, 1, &why),
        bnd_tensor_view_as(&out, NULL, &fp32, &why),
        bnd_tensor_reshape(&out, NULL, (size_t[]){2}, 1, &why),
        bnd_tensor_contiguous(&out, NULL, &why),
        bnd_tensor_rearrange(&out, NULL, "a -> a", NULL, &why),
        bnd_tensor_reduce(&out, NULL, "a ->", NULL, BND_TENSOR_OP_SUM, &why),
        bnd_tensor_einsum(&out, "a, a -> a", pair, 2, &why),
        bnd_tensor_checkpoint(&out, pass_on, NULL, pair, 2, &why),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        CU_ASSERT_EQUAL(statuses[i], BND_BAD_ARGUMENT);
    }
    CU_ASSERT_PTR_NULL(out);
    CU_ASSERT_STRING_EQUAL(why.message, "checkpoint: operand 2 is missing");
    bnd_engine_free(engine);
}

CU_TestInfo view_tests[] = {
    {"random chains of ten views", test_chains},
    {"one element of any step", test_one_element_of_any_step},
    {"extents that do not follow", test_extents_that_do_not_follow},
    {"no tensor", test_no_tensor},
    CU_TEST_INFO_NULL,
};
