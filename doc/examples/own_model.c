/* Your own model under a recipe: two layers learn y = 4 x^3 - 3 x, forward pass, backward pass and update in the
 * formats of the recipe. */
#include <binade-lab.h>
#include <stdio.h>

enum { POINTS = 64, HIDDEN = 32, STEPS = 200 };

typedef struct network {
    bnd_run *run;
    size_t up, up_bias, down;
} network;

static bool add_parameters(network *n, bnd_error *why)
{
    float up[HIDDEN], bias[HIDDEN], down[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        up[i] = i % 2 == 0 ? 2.0F : -2.0F;
        bias[i] = (float)(i - HIDDEN / 2) / 8;
        down[i] = i % 3 == 0 ? 0.125F : -0.0625F;
    }
    return bnd_run_add_parameter(&n->up, n->run, "up.weight", up, (size_t[]){HIDDEN, 1}, 2, true, why) == BND_OK &&
           bnd_run_add_parameter(&n->up_bias, n->run, "up.bias", bias, (size_t[]){HIDDEN}, 1, false, why) == BND_OK &&
           bnd_run_add_parameter(&n->down, n->run, "down.weight", down, (size_t[]){1, HIDDEN}, 2, true, why) == BND_OK;
}

/* The mean of (down gelu(up x + bias) - y)^2. */
static bool forward(bnd_tensor **loss, const network *n, bnd_error *why)
{
    float x[POINTS], y[POINTS];
    bnd_tensor *in, *wanted, *a, *b, *out, *error, *square;
    bnd_engine *engine = bnd_run_engine(n->run);
    bnd_format fp32;
    for (int i = 0; i < POINTS; i++) {
        x[i] = (float)(2 * i - POINTS) / (float)POINTS;
        y[i] = (4 * x[i] * x[i] - 3) * x[i];
    }
    if (bnd_format_parse(&fp32, "fp32", why) != BND_OK ||
        bnd_tensor_from_f32(&in, engine, &fp32, x, (size_t[]){POINTS, 1}, 2, BND_ROLE_DATA, why) != BND_OK ||
        bnd_tensor_from_f32(&wanted, engine, &fp32, y, (size_t[]){POINTS, 1}, 2, BND_ROLE_DATA, why) != BND_OK) {
        return false;
    }
    bnd_tensor *up[] = {in, bnd_run_use_parameter(n->run, n->up), bnd_run_use_parameter(n->run, n->up_bias)};
    return bnd_tensor_apply(&a, BND_TENSOR_OP_LINEAR, up, 3, NULL, why) == BND_OK &&
           bnd_tensor_map(&b, BND_TENSOR_OP_GELU, a, why) == BND_OK &&
           bnd_tensor_pair(&out, BND_TENSOR_OP_LINEAR, b, bnd_run_use_parameter(n->run, n->down), why) == BND_OK &&
           bnd_tensor_pair(&error, BND_TENSOR_OP_SUB, out, wanted, why) == BND_OK &&
           bnd_tensor_pair(&square, BND_TENSOR_OP_MUL, error, error, why) == BND_OK &&
           bnd_tensor_map(loss, BND_TENSOR_OP_MEAN, square, why) == BND_OK;
}

static bool step(bnd_step *out, const network *n, bnd_error *why)
{
    bnd_tensor *loss = NULL;
    bnd_mark mark = bnd_engine_mark(bnd_run_engine(n->run)); /* all tensors made since then are released below */
    bool good = bnd_run_begin_step(n->run, why) == BND_OK && forward(&loss, n, why) &&
                bnd_run_end_step(out, n->run, loss, why) == BND_OK;
    bnd_engine_release_since(bnd_run_engine(n->run), mark, NULL, 0);
    return good;
}

static bool train(const char *recipe, bnd_error *why)
{
    bnd_training t;
    bnd_step s = {.loss = 0};
    network n = {.run = NULL};
    bool good = bnd_training_default(&t, "own", "adamw", recipe, why) == BND_OK;
    if (good) {
        t.lr = 0.01;
        good = bnd_run_new_own(&n.run, &t, NULL, why) == BND_OK && add_parameters(&n, why);
    }
    for (int i = 0; good && i < STEPS && s.loss - s.loss == 0; i++) {
        good = step(&s, &n, why);
    }
    if (good && s.loss - s.loss != 0) {
        printf("%-10s NaN at step %d\n", recipe, (int)s.step + 1);
    } else if (good) {
        printf("%-10s loss %.2e after %d steps, %.0f %% of updates lost\n", recipe, s.loss, STEPS,
               100 * (double)s.lost / (double)s.updates);
    }
    bnd_run_free(n.run);
    return good;
}

int main(void)
{
    static const char *const recipes[] = {"fp32", "bf16-amp", "bf16-pure", "bf16-sr", "fp16-pure"};
    bnd_error why;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (!train(recipes[i], &why)) {
            fprintf(stderr, "%s\n", why.message);
            return 1;
        }
    }
    return 0;
}
