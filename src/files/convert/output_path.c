/* Where an output may go: not over the input, which would be lost. */
#define _POSIX_C_SOURCE 200809L
#include "convert/output_path.h"

#include "checkpoint/checkpoint.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bnd_status bndi_refuse_input(const bnd_checkpoint *in, const char *path, bnd_error *why)
{
    const char *folder = bnd_checkpoint_folder(in);
    bool same = is_same_file(folder, path);
    for (size_t i = 0; !same && i < bnd_checkpoint_files(in); i++) {
        char *file = bndi_path_in(folder, bnd_checkpoint_file_name(in, i));
        if (file == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path");
        }
        same = is_same_file(file, path);
        free(file);
    }
    return same ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is the input; choose another output", path) : BND_OK;
}
