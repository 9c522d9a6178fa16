/* Messages on standard error, and allocation that ends with a message if memory runs out. */
#include "command.h"
#include "print.h"

#include <stdarg.h>
#include <stdlib.h>

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

size_t letters_shared(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n]) {
        n++;
    }
    return n;
}
