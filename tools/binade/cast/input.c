/* binade cast: the input, a file or a stream, bare or .npy. No size given in a header is trusted before the data has
   been read. */
#include "cast.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int unreadable(const cast_input *in, int reason)
{
    complain(in->command, "%s cannot be read: %s", in->name, strerror(reason));
    return BAD_STREAM;
}

/* As many bytes as there are, at most `size`. */
static int read_fully(const cast_input *in, unsigned char *bytes, size_t size, size_t *length)
{
    *length = 0;
    while (*length < size) {
        ssize_t count = read(in->fd, bytes + *length, size - *length);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return unreadable(in, errno);
        }
        *length += count > 0 ? (size_t)count : 0;
    }
    return GO_ON;
}

/* ---- opening ---- */

/* Bytes from here to the end, where this is a file; CAST_UNKNOWN elsewhere. */
static uint64_t bytes_left(const cast_input *in)
{
    struct stat about;
    off_t at = lseek(in->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(in->fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        return CAST_UNKNOWN; /* 0 is what files of the kernel say, too */
    }
    return about.st_size > at ? (uint64_t)(about.st_size - at) : 0;
}

static int bad_header(const cast_input *in, const bnd_error *why)
{
    return complain(in->command, "%s: %s", in->name, why->message);
}

/* The rest of a header of which the beginning is held. */
static int read_header(cast_input *in, uint64_t file_size)
{
    size_t size = 0, more = 0;
    bnd_error why;
    if (bnd_npy_measure(&size, in->held, in->held_end, file_size, &why) != BND_OK) {
        return bad_header(in, &why);
    }
    unsigned char *header = allocate(NULL, size, 1);
    size_t have = in->held_end < size ? in->held_end : size;
    memcpy(header, in->held, have);
    in->held_at = have;
    int status = read_fully(in, header + have, size - have, &more);
    if (status == GO_ON && have + more < size) {
        status =
            complain(in->command, "%s ends after %zu bytes, within its header of %zu", in->name, have + more, size);
    } else if (status == GO_ON && bnd_npy_parse(&in->npy, header, size, &why) != BND_OK) {
        status = bad_header(in, &why);
    }
    free(header);
    return status;
}

/* Converting the header of a file as if it were elements writes garbage without an error. */
static int refuse_other_kinds(const cast_input *in, uint64_t file_size)
{
    cast_kind kind = cast_kind_of(in->held, in->held_end, file_size), named = cast_kind_named(in->name);
    if (kind.what != NULL) {
        return complain(in->command, "%s is %s, not an array; %s; use --raw-input to convert its bytes as they are",
                        in->name, kind.what, kind.advice);
    }
    if (named.what != NULL) {
        return complain(in->command,
                        "%s has the name of %s and does not begin like one; use --raw-input to read it as a bare array",
                        in->name, named.what);
    }
    return GO_ON;
}

static int look_inside(cast_input *in)
{
    uint64_t size = bytes_left(in);
    int status = read_fully(in, in->held, CAST_START, &in->held_end);
    in->is_npy = !in->is_bare && (bnd_npy_begins(in->held, in->held_end) || cast_name_ends(in->name, ".npy"));
    in->size = size;
    if (status == GO_ON && !in->is_bare && !in->is_npy) {
        return refuse_other_kinds(in, size);
    }
    if (status == GO_ON && in->is_npy) {
        status = read_header(in, size);
        in->size = size != CAST_UNKNOWN && size >= in->npy.header_size ? size - in->npy.header_size : size;
    }
    return status;
}

int cast_open_input(cast_input *in, const command *self, const char *path, bool is_bare)
{
    bool standard = strcmp(path, "-") == 0;
    *in = (cast_input){.command = self,
                       .name = standard ? "standard input" : path,
                       .is_bare = is_bare,
                       .count = CAST_UNKNOWN,
                       .fd = -1};
    in->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd >= 0 && in->fd <= STDERR_FILENO) { /* a closed standard stream's number: messages must not go here */
        int lower = in->fd;
        in->fd = fcntl(lower, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(lower);
    }
    if (in->fd < 0) {
        return unreadable(in, errno);
    }
    (void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* of a pipe: refused, and no matter */
    return look_inside(in);
}

void cast_close_input(cast_input *in)
{
    if (in->fd >= 0) {
        close(in->fd);
    }
    in->fd = -1;
}

/* ---- lengths ---- */

/* The largest number of elements in this many bytes. */
static uint64_t elements_in(const cast_input *in, uint64_t bytes)
{
    uint64_t bits = cast_piece_size(&in->layout, 8);
    return bytes / bits * 8 + bytes % bits * 8 / bits;
}

static uint64_t bytes_for(const cast_input *in, uint64_t elements)
{
    uint64_t bits = cast_piece_size(&in->layout, 8);
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

/* What has no end of an element at its end. */
static int broken_element(const cast_input *in, uint64_t bytes)
{
    unsigned long long bits = cast_piece_size(&in->layout, 8), all = bytes;
    unsigned long long rest = bytes - bytes_for(in, elements_in(in, bytes));
    bool whole = bits % 8 == 0;
    return complain(in->command,
                    "%s: %llu byte%s %s not a whole number of %s elements of %llu %s; the remainder is %llu byte%s",
                    in->name, all, all == 1 ? "" : "s", all == 1 ? "is" : "are", in->layout.format.name,
                    whole ? bits / 8 : bits, whole ? "bytes" : "bits", rest, rest == 1 ? "" : "s");
}

static int wrong_length(const cast_input *in, const char *has, uint64_t bytes)
{
    unsigned long long needed = bytes_for(in, in->count), count = in->count;
    return complain(in->command, "%s: %llu element%s of %s need%s %llu byte%s, and it has %s%llu", in->name, count,
                    count == 1 ? "" : "s", in->layout.format.name, count == 1 ? "s" : "", needed,
                    needed == 1 ? "" : "s", has, (unsigned long long)bytes);
}

int cast_expect(cast_input *in, uint64_t count)
{
    in->count = in->is_npy ? in->npy.count : count;
    if (in->count != CAST_UNKNOWN && in->count > (UINT64_MAX >> 7)) {
        return complain(in->command, "--count %llu is larger than any file", (unsigned long long)in->count);
    }
    if (in->size == CAST_UNKNOWN) {
        in->size = in->count != CAST_UNKNOWN ? bytes_for(in, in->count) : CAST_UNKNOWN;
        return GO_ON;
    }
    if (in->count != CAST_UNKNOWN) {
        return in->size == bytes_for(in, in->count) ? GO_ON : wrong_length(in, "", in->size);
    }
    return bytes_for(in, elements_in(in, in->size)) == in->size ? GO_ON : broken_element(in, in->size);
}

uint64_t cast_expected(const cast_input *in)
{
    return in->count != CAST_UNKNOWN || in->size == CAST_UNKNOWN ? in->count : elements_in(in, in->size);
}

/* ---- reading ---- */

static int read_piece(cast_input *in, unsigned char *bytes, size_t size, size_t *length)
{
    size_t held = in->held_end - in->held_at;
    held = held < size ? held : size;
    memcpy(bytes, in->held + in->held_at, held);
    in->held_at += held;
    int status = read_fully(in, bytes + held, size - held, length);
    *length += held;
    in->taken += *length;
    return status;
}

/* Nothing may follow the last element. */
static int read_past_end(cast_input *in)
{
    unsigned char one;
    size_t length;
    int status = read_piece(in, &one, 1, &length);
    return status == GO_ON && length > 0 ? wrong_length(in, "at least ", in->taken) : status;
}

int cast_read(cast_input *in, unsigned char *bytes, size_t *elements)
{
    uint64_t most = CAST_PIECE;
    bool counted = in->count != CAST_UNKNOWN;
    if (counted && in->count - in->given < most) {
        most = in->count - in->given;
    }
    *elements = 0;
    if (most == 0) {
        return read_past_end(in);
    }
    size_t length = 0, size = (size_t)bytes_for(in, most);
    int status = read_piece(in, bytes, size, &length);
    if (status != GO_ON) {
        return status;
    }
    if (length < size && counted) {
        return wrong_length(in, "only ", in->taken);
    }
    uint64_t whole = length == size ? most : elements_in(in, length);
    if (bytes_for(in, whole) != length) {
        return broken_element(in, in->taken);
    }
    *elements = (size_t)whole;
    in->given += whole;
    return GO_ON;
}
