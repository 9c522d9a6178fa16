/* npy_through IN OUT ROLE [FORMAT]: a tensor loaded from one file and saved to another, for numpy to compare. ROLE is
 * "data" (mapped) or "param" (copied). */
#include <binade-lab/tensor.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    bnd_engine *engine = NULL;
    bnd_tensor *t = NULL;
    bnd_format f;
    bnd_error why;
    if (argc < 4) {
        return 1;
    }
    bnd_role role = strcmp(argv[3], "data") == 0 ? BND_ROLE_DATA : BND_ROLE_PARAM;
    bnd_status status = bnd_engine_new(&engine, NULL, &why);
    if (status == BND_OK && argc > 4) {
        status = bnd_format_parse(&f, argv[4], &why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_load(&t, engine, argv[1], argc > 4 ? &f : NULL, role, &why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_save(t, argv[2], &why);
    }
    if (status != BND_OK) {
        fprintf(stderr, "%s\n", why.message);
    }
    bnd_engine_free(engine);
    return status == BND_OK ? 0 : 2;
}
