/* Lines of answers in words. */
#include "store/store.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bndi_sentence bndi_sentence_in(char *out, size_t size)
{
    if (size > 0) {
        out[0] = '\0';
    }
    return (bndi_sentence){out, size, 0};
}

void bndi_sentence_add(bndi_sentence *line, const char *format, ...)
{
    const bool fits = line->length < line->size;
    va_list arguments;
    va_start(arguments, format);
    const int more =
        vsnprintf(fits ? line->out + line->length : NULL, fits ? line->size - line->length : 0, format, arguments);
    va_end(arguments);
    line->length += more > 0 ? (size_t)more : 0;
}

/* Three digits, in the largest unit that leaves at least one before the point. */
void bndi_sentence_add_bytes(bndi_sentence *line, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; unit < 4 && fabs(bytes) >= 1023.5; unit++) {
        bytes /= 1024;
    }
    if (isnan(bytes)) {
        bndi_sentence_add(line, "-");
    } else {
        const int decimals = unit == 0 ? 0 : fabs(bytes) < 9.995 ? 2 : fabs(bytes) < 99.95 ? 1 : 0;
        bndi_sentence_add(line, "%.*f %s", decimals, bytes, units[unit]);
    }
}

size_t bndi_sentence_print(char *out, size_t size, bndi_sentence_writer *const *writers, size_t count,
                           const void *answer, size_t line)
{
    for (size_t i = 0; i < count; i++) {
        bndi_sentence text = bndi_sentence_in(out, size);
        writers[i](&text, answer);
        if (text.length > 0 && line-- == 0) {
            return text.length;
        }
    }
    (void)bndi_sentence_in(out, size);
    return 0;
}

size_t bnd_bytes_print(char *out, size_t size, double bytes)
{
    bndi_sentence line = bndi_sentence_in(out, size);
    bndi_sentence_add_bytes(&line, bytes);
    return line.length;
}
