/* What is wrong with the files of a checkpoint, and how messages name things of files. */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* Control characters would do things to a terminal: each byte of one is a '?'. Those from U+0080 to U+009F have two
 * bytes, 0xc2 first. */
const char *bndi_shown(char out[BNDI_SHOWN], const char *name)
{
    static const char dots[] = "...";
    size_t length = strlen(name), most = BNDI_SHOWN - sizeof dots;
    bool cut = length > most;
    for (length = cut ? most : length; cut && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--) {
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i], before = i > 0 ? (unsigned char)name[i - 1] : 0;
        bool controls = c < ' ' || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0);
        out[i] = name[i];
        if (controls) {
            out[i] = '?';
            out[i - (before == 0xc2)] = '?';
        }
    }
    memcpy(out + length, cut ? dots : "", cut ? sizeof dots : 1);
    return out;
}

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
