/* Text that grows, and numbers in it. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include <binade/text.h>

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
    return bytes->failed || bytes->at == NULL ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for what is to be written")
                                              : BND_OK;
}

void bndi_number(char out[BNDI_NUMBER_SIZE], double x)
{
    bnd_format f;
    bnd_status status = bnd_format_parse(&f, "fp64", NULL);
    (void)status; /* it is in the table */
    bnd_print_shortest(out, BNDI_NUMBER_SIZE, &f, bnd_exact_double(x != x ? __builtin_nan("") : x));
}

void bndi_json_number(bnd_json *json, const char *key, double x)
{
    char text[BNDI_NUMBER_SIZE], beside[BNDI_KEY_SIZE + 4];
    if (x - x == 0) {
        bndi_number(text, x);
        bnd_json_literal(json, key, text);
        return;
    }
    size_t length = strnlen(key, BNDI_KEY_SIZE);
    memcpy(beside, key, length);
    memcpy(beside + length, "_is", sizeof "_is");
    bnd_json_null(json, key);
    bnd_json_string(json, beside, x != x ? "nan" : x > 0 ? "inf" : "-inf");
}
