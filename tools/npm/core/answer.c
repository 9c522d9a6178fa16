/* The answer of a call: a structure, a text of lines, and an error. */
#include "core.h"

enum { SHORT_TEXT = 4096 };

core_answer core_answered;
bnd_error core_error;

static char short_text[SHORT_TEXT]; /* enough for all but the longest numbers */
static struct {
    char *at;
    size_t length, size;
} text;

EXPORT(answer) const core_answer *core_answer_at(void)
{
    return &core_answered;
}

EXPORT(text) const char *core_text_at(void)
{
    return text.at;
}

EXPORT(text_length) size_t core_text_length(void)
{
    return text.length;
}

/* ---- the error ---- */

EXPORT(message) const char *core_message(void)
{
    return core_error.message;
}

EXPORT(where) size_t core_where(void)
{
    return core_error.where;
}

EXPORT(status_name) const char *core_status_name(void)
{
    return bnd_status_name(core_error.status);
}

bnd_status core_no_memory(void)
{
    return bnd_fail(&core_error, BND_NO_MEMORY, 0, "no memory is left");
}

/* ---- the text ---- */

void core_begin(void)
{
    text.at = short_text;
    text.size = sizeof short_text;
    text.length = 0;
}

char *core_room(size_t *size)
{
    *size = text.size - text.length;
    return text.at + text.length;
}

/* True if the part did not fit, and there is more room now. Without memory the part stays as long as it is. */
bool core_again(size_t length)
{
    size_t room = text.size - text.length;
    if (length + 1 < room) {
        text.length += length;
        text.at[text.length++] = '\n';
        return false;
    }
    size_t size = text.length + length + SHORT_TEXT;
    char *larger = core_take(size);
    if (larger == NULL) {
        text.length += room - 1;
        return false;
    }
    memcpy(larger, text.at, text.length);
    text.at = larger;
    text.size = size;
    return true;
}

void core_put(const char *part)
{
    size_t length = 0, size;
    char *out;
    while (part[length] != '\0') {
        length++;
    }
    do {
        out = core_room(&size);
        memcpy(out, part, length < size ? length : 0);
    } while (core_again(length));
}

const char *core_text(const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (from[i] == '\0') {
            (void)bnd_fail(&core_error, BND_BAD_NAME, 0, "a name must not have a NUL byte");
            return NULL;
        }
    }
    char *copy = core_take(length + 1);
    if (copy == NULL) {
        (void)core_no_memory();
        return NULL;
    }
    memcpy(copy, from, length);
    copy[length] = '\0';
    return copy;
}

/* ---- a number ---- */

static void tell_code(const bnd_format *f, uint64_t code)
{
    char *out;
    size_t size;
    core_answered.code = code;
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_bits(out, size, f, code)));
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_code(out, size, f, code)));
}

void core_tell(const bnd_format *f, bnd_exact value, uint32_t flags, int32_t ternary)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    char *out;
    size_t size;
    core_answered.value = bnd_decode(fp64, bnd_pack(fp64, bnd_round_exact(fp64, value, (bnd_rule){0}, 0).value));
    core_answered.flags = flags;
    core_answered.ternary = ternary;
    core_answered.kind = bnd_classify(f, value);
    core_answered.has_error = false;
    core_begin();
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_exact(out, size, value, BND_NOTATION_AUTO)));
    if (f->width != 0) {
        tell_code(f, bnd_pack(f, value));
    }
}
