/* Shapes, FLOPs, bytes and gradients: operations on tensors are counted as they run. */
#include <binade-lab.h>
#include <stdio.h>

static bnd_tensor *normal(bnd_engine *engine, const size_t *shape, size_t rank, double deviation, uint64_t seed)
{
    bnd_tensor *t = NULL;
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    bool good = bnd_tensor_new(&t, engine, fp32, shape, rank, BND_ROLE_ACT, NULL) == BND_OK &&
                bnd_tensor_normal(t, 0, deviation, seed, 0, NULL) == BND_OK;
    return good ? t : NULL;
}

static bool shapes(bnd_engine *engine, bnd_error *why)
{
    bnd_tensor *w = normal(engine, (size_t[]){32, 2}, 2, 1, 1), *y, *scores;
    bnd_tensor *q = normal(engine, (size_t[]){4, 8, 16, 32}, 4, 1, 2), *both[] = {q, q};
    if (w == NULL || q == NULL || bnd_tensor_matmul(&y, q, w, why) != BND_OK) {
        return false;
    }
    printf("(4, 8, 16, 32) @ (32, 2) has shape (%d, %d, %d, %d)\n", (int)bnd_tensor_shape(y)[0],
           (int)bnd_tensor_shape(y)[1], (int)bnd_tensor_shape(y)[2], (int)bnd_tensor_shape(y)[3]);
    if (bnd_tensor_einsum(&scores, "b h s d, b h s d -> b h s s", both, 2, why) != BND_OK) {
        printf("refused: %s\n", why->message);
    }
    if (bnd_tensor_einsum(&scores, "b h s1 d, b h s2 d -> b h s1 s2", both, 2, why) != BND_OK ||
        bnd_tensor_rearrange(&y, q, "b h s (heads d) -> b h s heads d", "heads=4", why) != BND_OK) {
        return false;
    }
    printf("split into 4 heads of %d\n", (int)bnd_tensor_shape(y)[4]);
    return true;
}

/* Two layers, x w1 w2: the backward pass takes twice the FLOPs of the forward pass. */
static bool flops(bnd_engine *engine, bnd_error *why)
{
    bnd_tensor *x = normal(engine, (size_t[]){1024, 256}, 2, 1, 1), *h1, *h2, *loss;
    bnd_tensor *w1 = normal(engine, (size_t[]){256, 256}, 2, 1.0 / 16, 2);
    bnd_tensor *w2 = normal(engine, (size_t[]){256, 64}, 2, 1.0 / 16, 3);
    if (x == NULL || w1 == NULL || w2 == NULL) {
        return false;
    }
    bnd_tensor_want_gradient(x, true);
    bnd_tensor_want_gradient(w1, true);
    bnd_tensor_want_gradient(w2, true);
    bnd_engine_reset_flops(engine);
    if (bnd_tensor_matmul(&h1, x, w1, why) != BND_OK || bnd_tensor_matmul(&h2, h1, w2, why) != BND_OK ||
        bnd_tensor_map(&loss, BND_TENSOR_OP_MEAN, h2, why) != BND_OK || bnd_tensor_backward(loss, 1, why) != BND_OK) {
        return false;
    }
    bnd_account a;
    bnd_engine_account(&a, engine);
    const double forward = (double)a.flops[BND_PHASE_FORWARD][BND_TENSOR_OP_MATMUL];
    const double backward = (double)a.flops[BND_PHASE_BACKWARD][BND_TENSOR_OP_MATMUL];
    printf("forward %.0f FLOP, %g per row and parameter; backward %g\n", forward,
           forward / 1024 / (256 * 256 + 256 * 64), backward / 1024 / (256 * 256 + 256 * 64));
    printf("gradient of w1: %s; of h1, which is not a leaf: %s\n", bnd_tensor_gradient(w1) != NULL ? "kept" : "none",
           bnd_tensor_gradient(h1) != NULL ? "kept" : "none");
    return true;
}

/* The mean square of the elements of x w, with weights of deviation 1 and of 1 / sqrt(fan-in). */
static bool initialization(bnd_engine *engine, bnd_error *why)
{
    for (size_t root = 8; root <= 32; root *= 2) {
        const double deviation[] = {1, 1 / (double)root};
        double mean[] = {0, 0};
        for (int scaled = 0; scaled < 2; scaled++) {
            bnd_tensor *x = normal(engine, (size_t[]){64, root * root}, 2, 1, 1), *y;
            bnd_tensor *w = normal(engine, (size_t[]){root * root, 64}, 2, deviation[scaled], 2);
            float out[64 * 64];
            if (x == NULL || w == NULL || bnd_tensor_matmul(&y, x, w, why) != BND_OK ||
                bnd_tensor_read_f32(out, 64 * 64, y, why) != BND_OK) {
                return false;
            }
            for (size_t i = 0; i < 64 * 64; i++) {
                mean[scaled] += (double)out[i] * (double)out[i] / (64 * 64);
            }
        }
        printf("fan-in %4d: mean square of outputs %4.0f, with scaled weights %.2f\n", (int)(root * root), mean[0],
               mean[1]);
    }
    return true;
}

int main(void)
{
    bnd_engine *engine = NULL;
    bnd_error why = {.message = "no memory"};
    bool good = bnd_engine_new(&engine, NULL, &why) == BND_OK && shapes(engine, &why) && flops(engine, &why) &&
                initialization(engine, &why);
    if (!good) {
        fprintf(stderr, "%s\n", why.message);
    }
    bnd_engine_free(engine);
    return good ? 0 : 1;
}
