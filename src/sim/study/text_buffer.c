/* Text that grows. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

void bndi_bytes_write(void *sink, const char *text, size_t length)
{
    bndi_bytes *bytes = sink;
    if (bytes->failed || length >= SIZE_MAX / 4 - bytes->length) {
        bytes->failed = true;
        return;
    }
    if (bytes->length + length + 1 > bytes->room) {
        size_t room = 2 * (bytes->length + length) + 256;
        char *moved = realloc(bytes->at, room);
        if (moved == NULL) {
            bytes->failed = true;
            return;
        }
        bytes->at = moved;
        bytes->room = room;
    }
    memcpy(bytes->at + bytes->length, text, length);
    bytes->length += length;
    bytes->at[bytes->length] = '\0';
}

void bndi_bytes_free(bndi_bytes *bytes)
{
    free(bytes->at);
    *bytes = (bndi_bytes){.at = NULL};
}

bnd_status bndi_bytes_check(const bndi_bytes *bytes, bnd_error *why)
{
    return bytes->failed || bytes->at == NULL ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the output") : BND_OK;
}
