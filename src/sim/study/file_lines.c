/* Files read: lines one after the other, and small files as a whole. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

/* A line by place has seven numbers of each role at each of up to 513 places: 513 x 14 roles x 7 x 60 bytes at most. */
enum { LONGEST = 1 << 22, FILE_MOST = 1 << 20, FIRST_ROOM = 1 << 14 };

bnd_status bndi_within(bnd_error *why, const char *name, bnd_status status)
{
    if (status != BND_OK && why != NULL) {
        bnd_error inner = *why;
        return bnd_fail(why, status, inner.where, "%s: %s", name, inner.message);
    }
    return status;
}

bnd_status bndi_lines_open(bndi_lines *out, const char *path, bnd_error *why)
{
    bndi_lines lines = {.fd = open(path, O_RDONLY | O_CLOEXEC), .room = FIRST_ROOM};
    if (lines.fd < 0) {
        return bndi_fail_system(why, "cannot be opened", errno);
    }
    lines.buffer = malloc(lines.room + 1);
    if (lines.buffer == NULL) {
        close(lines.fd);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu bytes of a file", lines.room);
    }
    *out = lines;
    return BND_OK;
}

void bndi_lines_close(bndi_lines *lines)
{
    close(lines->fd);
    free(lines->buffer);
}

/* More bytes behind those that are there. */
static bnd_status fill(bndi_lines *l, bnd_error *why)
{
    memmove(l->buffer, l->buffer + l->from, l->to - l->from);
    l->to -= l->from;
    l->from = 0;
    if (l->to == l->room) {
        char *moved = l->room < LONGEST ? realloc(l->buffer, 2 * l->room + 1) : NULL;
        if (l->room >= LONGEST) {
            return bnd_fail(why, BND_BAD_FILE, 0, "line %llu: must have at most %d bytes",
                            (unsigned long long)(l->number + 1), LONGEST);
        }
        if (moved == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a line of more than %zu bytes", l->room);
        }
        l->buffer = moved;
        l->room *= 2;
    }
    ssize_t count;
    do {
        count = read(l->fd, l->buffer + l->to, l->room - l->to);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return bndi_fail_system(why, "cannot be read", errno);
    }
    l->to += (size_t)count;
    l->at_end = count == 0;
    return BND_OK;
}

bnd_status bndi_lines_next(char **line, size_t *length, bndi_lines *l, bnd_error *why)
{
    size_t looked = 0;
    char *end = NULL;
    while (end == NULL && !l->at_end) {
        size_t n = l->to - l->from;
        end = memchr(l->buffer + l->from + looked, '\n', n - looked);
        looked = n;
        if (end == NULL) {
            bnd_status status = fill(l, why);
            if (status != BND_OK) {
                return status;
            }
        }
    }
    char *start = l->buffer + l->from;
    end = end != NULL ? end : memchr(start, '\n', l->to - l->from);
    l->ended = end != NULL;
    size_t n = end != NULL ? (size_t)(end - start) : l->to - l->from;
    *line = l->ended || n > 0 ? start : NULL;
    *length = n;
    start[n] = '\0'; /* there is a byte behind the room */
    l->from += n + l->ended;
    l->offset += n + l->ended;
    l->number += *line != NULL;
    return BND_OK;
}

bnd_status bndi_file_read(bndi_bytes *out, const char *path, bnd_error *why)
{
    bndi_lines lines;
    bndi_bytes bytes = {.at = NULL};
    char *line = NULL;
    size_t length;
    bnd_status status = bndi_lines_open(&lines, path, why);
    if (status != BND_OK) {
        return status;
    }
    do {
        status = bndi_lines_next(&line, &length, &lines, why);
        if (status == BND_OK && line != NULL) {
            bndi_bytes_write(&bytes, line, length);
            bndi_bytes_write(&bytes, "\n", lines.ended);
        }
        if (status == BND_OK && line != NULL && memchr(line, '\0', length) != NULL) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "line %llu: must not have a zero byte",
                              (unsigned long long)lines.number);
        }
        if (status == BND_OK && bytes.length > FILE_MOST) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "must have at most %d bytes", FILE_MOST);
        }
    } while (status == BND_OK && line != NULL);
    bndi_lines_close(&lines);
    if (status == BND_OK && (bytes.length > 0 || bytes.failed)) {
        status = bndi_bytes_check(&bytes, why);
    }
    if (status == BND_OK) {
        *out = bytes;
    } else {
        bndi_bytes_free(&bytes);
    }
    return status;
}
