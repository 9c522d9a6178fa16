/* A layer under a recipe, and back: the gradient of its weights, and the bytes by what they are for. */
#include <binade-lab.h>
#include <stdio.h>

/* The mean of gelu(x w'), and back to w. Operands and results of products are bf16, weights and gradients fp32. */
static bool layer(float gradient[8], bnd_engine *engine, bnd_error *why)
{
    const float numbers[] = {0.1F, -0.2F, 0.3F, 0.4F, 1, -2, 3, 4, 5, 6, 7, 8};
    bnd_tensor *x, *w, *y, *z, *loss;
    bnd_policy policy;
    bnd_format fp32;
    if (bnd_policy_parse(&policy, "bf16-amp", why) != BND_OK || bnd_engine_set_policy(engine, &policy, why) != BND_OK ||
        bnd_format_parse(&fp32, "fp32", why) != BND_OK ||
        bnd_tensor_from_f32(&x, engine, &fp32, numbers, (size_t[]){3, 4}, 2, BND_ROLE_DATA, why) != BND_OK ||
        bnd_tensor_new(&w, engine, &fp32, (size_t[]){2, 4}, 2, BND_ROLE_PARAM, why) != BND_OK ||
        bnd_tensor_normal(w, 0, 0.5, 1, 0, why) != BND_OK) {
        return false;
    }
    bnd_tensor_want_gradient(w, true);
    return bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, why) == BND_OK &&
           bnd_tensor_map(&z, BND_TENSOR_OP_GELU, y, why) == BND_OK &&
           bnd_tensor_map(&loss, BND_TENSOR_OP_MEAN, z, why) == BND_OK && bnd_tensor_backward(loss, 1, why) == BND_OK &&
           bnd_tensor_read_f32(gradient, 8, bnd_tensor_gradient(w), why) == BND_OK;
}

int main(void)
{
    float gradient[8];
    bnd_engine *engine = NULL;
    bnd_account account;
    bnd_error why;
    if (bnd_engine_new(&engine, NULL, &why) != BND_OK || !layer(gradient, engine, &why)) {
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
