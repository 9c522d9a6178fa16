/* A layer under a recipe, forward and backward: the gradient of its weights, and bytes by role. */
#include <binade-lab.h>
#include <stdio.h>

/* Step 1: a recipe for the engine, and tensors. Data and weights are fp32; the recipe rounds operands of products. */
static bool make(bnd_tensor **x, bnd_tensor **w, bnd_engine *engine, bnd_error *why)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    const float numbers[] = {0.1F, -0.2F, 0.3F, 0.4F, 1, -2, 3, 4, 5, 6, 7, 8};
    bnd_policy policy;
    if (bnd_policy_parse(&policy, "bf16-amp", why) != BND_OK || bnd_engine_set_policy(engine, &policy, why) != BND_OK) {
        return false;
    }
    if (bnd_tensor_from_f32(x, engine, fp32, numbers, (size_t[]){3, 4}, 2, BND_ROLE_DATA, why) != BND_OK) {
        return false;
    }
    if (bnd_tensor_new(w, engine, fp32, (size_t[]){2, 4}, 2, BND_ROLE_PARAM, why) != BND_OK) {
        return false;
    }
    return bnd_tensor_normal(*w, 0, 0.5, 1, 0, why) == BND_OK;
}

/* Step 2: forward, the mean of gelu(x w'). The engine records the operations. */
static bool forward(bnd_tensor **loss, bnd_tensor *x, bnd_tensor *w, bnd_error *why)
{
    bnd_tensor *y, *z;
    bnd_tensor_want_gradient(w, true);
    if (bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, why) != BND_OK) {
        return false;
    }
    if (bnd_tensor_map(&z, BND_TENSOR_OP_GELU, y, why) != BND_OK) {
        return false;
    }
    return bnd_tensor_map(loss, BND_TENSOR_OP_MEAN, z, why) == BND_OK;
}

/* Step 3: backward, from the loss to the gradient of w. */
static bool backward(float gradient[8], bnd_tensor *loss, bnd_tensor *w, bnd_error *why)
{
    if (bnd_tensor_backward(loss, 1, why) != BND_OK) {
        return false;
    }
    return bnd_tensor_read_f32(gradient, 8, bnd_tensor_gradient(w), why) == BND_OK;
}

int main(void)
{
    bnd_engine *engine = NULL;
    bnd_tensor *x = NULL, *w = NULL, *loss = NULL;
    float gradient[8];
    bnd_account account;
    bnd_error why;
    bool good = bnd_engine_new(&engine, NULL, &why) == BND_OK && make(&x, &w, engine, &why) &&
                forward(&loss, x, w, &why) && backward(gradient, loss, w, &why);
    if (!good) {
        fprintf(stderr, "%s\n", why.message);
        bnd_engine_free(engine);
        return 1;
    }
    for (size_t i = 0; i < 8; i++) {
        printf("%10.6f%s", (double)gradient[i], i % 4 == 3 ? "\n" : "");
    }
    bnd_engine_account(&account, engine);
    for (bnd_role role = 0; role < BND_ROLE_COUNT; role++) {
        if (account.peak_by_role[role] > 0) {
            printf("%-13s %3d bytes\n", bnd_role_name(role), (int)account.peak_by_role[role]);
        }
    }
    bnd_engine_free(engine); /* and its tensors */
    return 0;
}
