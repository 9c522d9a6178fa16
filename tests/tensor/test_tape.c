/* The tape. */
#include "tests.h"

/* y = sum of views of x, counted by hand. */
static void test_views_and_copies(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    double x[12];
    for (int i = 0; i < 12; i++) {
        x[i] = i;
    }
    bnd_tensor *leaf = tensor_of(engine, "fp32", x, (size_t[]){3, 4}, 2), *t, *u, *v;
    bnd_tensor_want_gradient(leaf, true);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_transpose(&t, leaf, 0, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_contiguous(&u, t, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_select(&v, u, 0, 2, &why), &why)); /* column 2 of the leaf */
    CU_ASSERT_TRUE(succeeds(bnd_tensor_select(&t, v, 0, 1, &why), &why)); /* its row 1 */
    CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(t, 5, &why), &why));
    double d[12];
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(leaf));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(d, 12, bnd_tensor_gradient(leaf), &why), &why));
    for (int i = 0; i < 12; i++) {
        CU_ASSERT_EQUAL(d[i], i == 6 ? 5 : 0);
    }
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(t, 1, &why), &why, "gone back through already"));
    bnd_engine_free(engine);
}

CU_TestInfo tape_tests[] = {
    {"views and copies", test_views_and_copies},
    CU_TEST_INFO_NULL,
};
