/* cast_through RECIPE PART ROWS COLUMNS SEED STEP <IN >OUT: a matrix of fp32 numbers as the recipe casts it, for a
 * judge to compare. PART is an operand: x of the forward product, x of the weight's gradient (wgrad), or w of the
 * input's (dgrad). The other operand is the identity, and sums of a number and zeros are exact. */
#include <binade-lab/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bnd_error why;

static bnd_tensor *matrix(bnd_engine *engine, const float *x, size_t rows, size_t columns, bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_format f;
    if (bnd_format_parse(&f, "fp32", &why) == BND_OK &&
        bnd_tensor_from_f32(&t, engine, &f, x, (size_t[]){rows, columns}, 2, role, &why) == BND_OK) {
        return t;
    }
    return NULL;
}

/* Forward: x times the identity. Backward: the identity is the gradient of as many results as there are rows; what the
 * other operand of the forward product is does not matter. */
static bnd_status run(float *out, bnd_engine *engine, const float *x, const float *one, const char *part, size_t rows,
                      size_t columns)
{
    const bool forward = strcmp(part, "x") == 0, of_w = strcmp(part, "dgrad") == 0;
    bnd_tensor *y = NULL, *a = matrix(engine, x, rows, columns, BND_ROLE_ACT);
    bnd_tensor *w = forward ? matrix(engine, one, columns, columns, BND_ROLE_PARAM)
                            : matrix(engine, x, rows, columns, BND_ROLE_PARAM);
    if (a == NULL || w == NULL) {
        return BND_NO_MEMORY;
    }
    bnd_tensor_want_gradient(a, !forward);
    bnd_tensor_want_gradient(w, !forward);
    bnd_status status = bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, a, w, &why);
    if (status != BND_OK || forward) {
        return status == BND_OK ? bnd_tensor_read_f32(out, rows * columns, y, &why) : status;
    }
    return bnd_tensor_pull((float *[]){of_w ? out : NULL, of_w ? NULL : out}, 2, y, one, 0, false, &why);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        return 1;
    }
    const size_t rows = strtoul(argv[3], NULL, 10), columns = strtoul(argv[4], NULL, 10);
    const size_t n = rows * columns, most = rows > columns ? rows : columns;
    float *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *one = calloc(most * most, sizeof *one);
    bnd_engine *engine = NULL;
    bnd_policy policy;
    bnd_status status =
        x != NULL && y != NULL && one != NULL && fread(x, sizeof *x, n, stdin) == n ? BND_OK : BND_BAD_FILE;
    const size_t side = strcmp(argv[2], "x") == 0 ? columns : rows;
    for (size_t i = 0; status == BND_OK && i < side; i++) {
        one[i * side + i] = 1;
    }
    if (status == BND_OK) {
        status = bnd_engine_new(&engine, NULL, &why);
    }
    if (status == BND_OK) {
        status = bnd_policy_parse(&policy, argv[1], &why);
    }
    if (status == BND_OK) {
        status = bnd_engine_set_policy(engine, &policy, &why);
    }
    if (status == BND_OK) {
        bnd_engine_set_seed(engine, strtoull(argv[5], NULL, 10), strtoull(argv[6], NULL, 10));
        status = run(y, engine, x, one, argv[2], rows, columns);
    }
    if (status != BND_OK) {
        fprintf(stderr, "%s\n", why.message);
    }
    const int good = status == BND_OK && fwrite(y, sizeof *y, n, stdout) == n;
    bnd_engine_free(engine);
    free(x);
    free(y);
    free(one);
    return good ? 0 : 2;
}
