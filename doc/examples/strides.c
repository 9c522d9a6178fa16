/* Tensors are pointers with strides: views are free, and share what they look at. */
#include <binade-lab.h>
#include <stdio.h>

static bool look(bnd_engine *engine, bnd_error *why)
{
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    bnd_tensor *x, *column, *turned, *copy, *view;
    bnd_format fp32;
    double seen;
    bnd_account before, after;
    if (bnd_format_parse(&fp32, "fp32", why) != BND_OK ||
        bnd_tensor_from_f32(&x, engine, &fp32, numbers, (size_t[]){2, 3}, 2, BND_ROLE_DATA, why) != BND_OK) {
        return false;
    }
    bnd_engine_account(&before, engine);
    if (bnd_tensor_select(&column, x, 1, 1, why) != BND_OK || bnd_tensor_transpose(&turned, x, 0, 1, why) != BND_OK ||
        bnd_tensor_set(column, (size_t[]){0}, 1, 100, why) != BND_OK ||
        bnd_tensor_get(&seen, turned, (size_t[]){1, 0}, 2, why) != BND_OK) {
        return false;
    }
    bnd_engine_account(&after, engine);
    printf("strides (%d, %d), of its transpose (%d, %d)\n", (int)bnd_tensor_strides(x)[0],
           (int)bnd_tensor_strides(x)[1], (int)bnd_tensor_strides(turned)[0], (int)bnd_tensor_strides(turned)[1]);
    printf("written through a column: %g; seen through the transpose: %g\n", 100.0, seen);
    printf("bytes that two views took: %d\n", (int)(after.bytes_now - before.bytes_now));
    if (bnd_tensor_view(&view, turned, (size_t[]){2, 3}, 2, why) != BND_OK) {
        printf("refused: %s\n", why->message);
    }
    if (bnd_tensor_contiguous(&copy, turned, why) != BND_OK ||
        bnd_tensor_view(&view, copy, (size_t[]){2, 3}, 2, why) != BND_OK) {
        return false;
    }
    bnd_engine_account(&after, engine);
    printf("bytes that a contiguous copy took: %d\n", (int)(after.bytes_now - before.bytes_now));
    return true;
}

int main(void)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bool good = bnd_engine_new(&engine, NULL, &why) == BND_OK && look(engine, &why);
    if (!good) {
        fprintf(stderr, "%s\n", why.message);
    }
    bnd_engine_free(engine);
    return good ? 0 : 1;
}
