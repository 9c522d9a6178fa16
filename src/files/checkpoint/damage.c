/* What is wrong with the files of a checkpoint. */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

bnd_status bndi_report(const bndi_opening *opening, const char *code, const char *where, const bnd_error *what,
                       bnd_error *why)
{
    char shown[BNDI_SHOWN];
    if (opening->damage != NULL && what->status != BND_NO_MEMORY) {
        opening->damage(opening->state, code, where, what->message);
        return BND_OK;
    }
    if (opening->alone != NULL && strcmp(opening->alone, where) == 0) {
        return bnd_fail(why, what->status, what->where, "%s", what->message);
    }
    return bnd_fail(why, what->status, what->where, "%s: %s", bndi_shown(shown, where), what->message);
}

char *bndi_path_in(const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    char *path = malloc(a + b + 2);
    if (path != NULL) {
        memcpy(path, folder, a);
        path[a] = '/';
        memcpy(path + a + 1, name, b + 1);
    }
    return path;
}

bool bndi_ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}
