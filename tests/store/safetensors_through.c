/* safetensors_through IN OUT: a file read and written again, for Python to compare. */
#include <binade-lab/store.h>
#include <stdio.h>
#include <stdlib.h>

static bnd_status write_again(const bnd_safetensors *file, const char *path, bnd_error *why)
{
    size_t count = bnd_safetensors_count(file), pairs = bnd_safetensors_metadata_count(file);
    bnd_safetensor *entries = calloc(count + 1, sizeof *entries);
    bnd_safetensors_pair *metadata = calloc(pairs + 1, sizeof *metadata);
    bnd_status status = BND_NO_MEMORY;
    if (entries != NULL && metadata != NULL) {
        for (size_t i = 0; i < count; i++) {
            entries[i] = *bnd_safetensors_at(file, i);
        }
        for (size_t i = 0; i < pairs; i++) {
            metadata[i] = *bnd_safetensors_metadata_at(file, i);
        }
        status = bnd_safetensors_write(path, entries, count, metadata, pairs, why);
    }
    free(entries);
    free(metadata);
    return status;
}

int main(int argc, char **argv)
{
    bnd_safetensors *file = NULL;
    bnd_error why = {.message = "no memory"};
    if (argc < 3) {
        return 1;
    }
    bnd_status status = bnd_safetensors_new(&file, argv[1], &why);
    if (status == BND_OK) {
        status = write_again(file, argv[2], &why);
        bnd_safetensors_free(file);
    }
    if (status != BND_OK) {
        fprintf(stderr, "%s\n", why.message);
    }
    return status == BND_OK ? 0 : 2;
}
