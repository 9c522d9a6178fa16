/* Error messages: what was wrong, where, and what to do; and the library's version. */
#include "base/base.h"

/* A text that is not binade's own. Control characters, and those that change the direction of writing, stand as \xNN:
 * they would change how the message is shown, or end it. */
static void add_foreign(bndi_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t point = 0;
        size_t size = bndi_code_point(bytes + i, length - i, &point);
        const bool controls = size > 0 && bndi_character(bytes + i, length - i) == 0;
        for (size_t end = i + (size > 0 ? size : 1); i < end; i++) {
            if (controls) {
                bndi_text_string(text, "\\x");
                bndi_text_unsigned(text, (unsigned char)bytes[i], 16, 2);
            } else {
                bndi_text_char(text, bytes[i]);
            }
        }
    }
}

/* Formats one conversion of bnd_fail's template. Returns its length in the template. */
static size_t convert(bndi_text *text, const char *at, va_list *arguments)
{
    if (at[0] == '.' && at[1] == '*' && at[2] == 's') {
        int length = va_arg(*arguments, int);
        const char *bytes = va_arg(*arguments, const char *);
        add_foreign(text, bytes, length > 0 ? (size_t)length : 0);
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
    case 's': {
        const char *string = va_arg(*arguments, const char *);
        add_foreign(text, string, bndi_length(string));
        return 1;
    }
    case 'c': {
        const char c = (char)va_arg(*arguments, int);
        add_foreign(text, &c, 1);
        return 1;
    }
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
