/* Error messages: what was wrong, where, and what to do; and the library's version. */
#include "base/base.h"

/* Formats one conversion of bnd_fail's template. Returns its length in the template. */
static size_t convert(bndi_text *text, const char *at, va_list *arguments)
{
    if (at[0] == '.' && at[1] == '*' && at[2] == 's') {
        int length = va_arg(*arguments, int);
        const char *bytes = va_arg(*arguments, const char *);
        bndi_text_bytes(text, bytes, length > 0 ? (size_t)length : 0);
        return 3;
    }
    if (at[0] == 'z' && at[1] == 'u') {
        bndi_text_unsigned(text, va_arg(*arguments, size_t), 10, 1);
        return 2;
    }
    if (at[0] == 'l' && at[1] == 'l' && at[2] == 'd') {
        bndi_text_signed(text, va_arg(*arguments, long long));
        return 3;
    }
    if (at[0] == 'l' && at[1] == 'l' && (at[2] == 'x' || at[2] == 'u')) {
        bndi_text_unsigned(text, va_arg(*arguments, unsigned long long), at[2] == 'x' ? 16 : 10, 1);
        return 3;
    }
    switch (at[0]) {
    case 's':
        bndi_text_string(text, va_arg(*arguments, const char *));
        return 1;
    case 'c':
        bndi_text_char(text, (char)va_arg(*arguments, int));
        return 1;
    case 'd':
        bndi_text_signed(text, va_arg(*arguments, int));
        return 1;
    case 'u':
        bndi_text_unsigned(text, va_arg(*arguments, unsigned), 10, 1);
        return 1;
    case '%':
        bndi_text_char(text, '%');
        return 1;
    default:
        return 0;
    }
}

const char *bnd_status_name(bnd_status status)
{
    static const char *const names[] = {"BND_OK",        "BND_BAD_NAME", "BND_BAD_SYNTAX", "BND_BAD_ARGUMENT",
                                        "BND_NO_MEMORY", "BND_BAD_FILE", "BND_BAD_STREAM"};
    return (unsigned)status < sizeof names / sizeof *names ? names[(unsigned)status] : "";
}

const char *bnd_version(void)
{
    return BND_VERSION_STRING;
}

bnd_status bnd_fail(bnd_error *why, bnd_status status, size_t where, const char *message, ...)
{
    if (why == NULL) {
        return status;
    }
    why->status = status;
    why->where = where;
    bndi_text text = bndi_text_in(why->message, BND_MESSAGE_SIZE);
    va_list arguments;
    va_start(arguments, message);
    for (size_t i = 0; message[i] != '\0'; i++) {
        if (message[i] == '%') {
            i += convert(&text, message + i + 1, &arguments);
        } else {
            bndi_text_char(&text, message[i]);
        }
    }
    va_end(arguments);
    for (size_t i = 0; text.length >= BND_MESSAGE_SIZE && i < 3; i++) {
        why->message[BND_MESSAGE_SIZE - 2 - i] = '.';
    }
    return status;
}
