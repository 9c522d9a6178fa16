/* Messages on standard error, and allocation that ends with a message if memory runs out. */
#include "command.h"
#include "print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What came from outside may hold anything: only characters that can be printed go to the terminal as they are. */
static void put_plain(const char *text)
{
    while (*text != '\0') {
        size_t width, bytes = character_at(text, &width);
        if (bytes > 0) {
            fwrite(text, 1, bytes, stderr);
        } else {
            fprintf(stderr, "\\x%02x", (unsigned char)*text);
        }
        text += bytes > 0 ? bytes : 1;
    }
}

static void say(const command *self, const char *kind, const char *message, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, message, arguments);
    fflush(stdout);
    fprintf(stderr, "binade%s%s: %s", self != NULL ? " " : "", self != NULL ? self->name : "", kind);
    put_plain(text);
    fputc('\n', stderr);
}

int complain(const command *self, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    say(self, "", message, arguments);
    va_end(arguments);
    return BAD_USAGE;
}

void note(const command *self, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    say(self, "note: ", message, arguments);
    va_end(arguments);
}

int fail(const command *self, const char *where, bnd_status status, const bnd_error *why)
{
    complain(self, "%s%s%s", where, where[0] != '\0' ? ": " : "", why->message);
    return status == BND_BAD_STREAM || status == BND_NO_MEMORY ? BAD_STREAM : BAD_USAGE;
}

void *allocate(void *old, size_t count, size_t size)
{
    void *memory = count <= SIZE_MAX / size ? realloc(old, count * size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "binade: out of memory (%zu times %zu bytes were needed)\n", count, size);
        exit(BAD_STREAM);
    }
    return memory;
}

enum { LONGEST_NAME = 63 };

/* How many letters must be written, left out, replaced or swapped with the next one to make one word of the other: by
 * rows of the usual table, of which three are enough. */
static size_t letters_apart(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t other = above[j - 1] + (a[i - 1] != b[j - 1]);
            size_t one_more = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = other < one_more ? other : one_more;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            row[j] = swapped && above2[j - 2] + 1 < row[j] ? above2[j - 2] + 1 : row[j];
        }
    }
    return rows[a_length % 3][b_length];
}

bool offer_name(nearest *best, const char *asked, size_t asked_length, const char *name, size_t length)
{
    size_t longer = asked_length > length ? asked_length : length;
    if (asked_length == 0 || longer > LONGEST_NAME) {
        return false;
    }
    bool begins = asked_length > 1 && asked_length < length && memcmp(asked, name, asked_length) == 0;
    size_t apart = begins ? 0 : letters_apart(asked, asked_length, name, length);
    if (apart > (longer + 1) / 3 || (apart >= longer && !begins) || (best->name != NULL && apart >= best->apart)) {
        return false;
    }
    *best = (nearest){.name = name, .length = length, .apart = apart};
    return true;
}
