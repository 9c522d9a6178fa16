/* The message on a character that cannot stand where it does: its column, and what it is. */
#include "base/base.h"

bnd_status bndi_refuse_character(bnd_error *why, const char *text, size_t length, size_t at, const char *what,
                                 const char *hint)
{
    size_t column = bndi_column_at(text, length, at);
    if (at >= length) {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "column %zu: unexpected end of the %s; %s", column, what, hint);
    }
    size_t bytes = bndi_character(text + at, length - at), taken;
    char meaning = bndi_symbol(text + at, length - at, &taken);
    if (meaning == '\0' || meaning == ' ' || (meaning >= '\t' && meaning <= '\r')) {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "column %zu: unexpected %s; %s", column,
                        meaning == '\0' ? "NUL byte" : "blank", hint);
    }
    if (bytes > 0) {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "column %zu: unexpected '%.*s'; %s", column, (int)bytes, text + at,
                        hint);
    }
    return bnd_fail(why, BND_BAD_SYNTAX, at, "column %zu: unexpected byte 0x%llx; %s", column,
                    (unsigned long long)(unsigned char)text[at], hint);
}
