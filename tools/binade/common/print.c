/* Texts, colours and tables. */
#include "print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "store/output_file.h"

char *format_text(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = allocate(NULL, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void add_text(long_text *t, const char *format, ...)
{
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(t->text != NULL ? t->text + t->length : NULL, t->room - t->length, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < t->room - t->length) {
            t->length += (size_t)length;
            return;
        }
        t->room = 2 * t->room + (length > 0 ? (size_t)length : 0) + 256;
        t->text = allocate(t->text, t->room, 1);
    }
}

void add_bytes(void *text, const char *bytes, size_t length)
{
    long_text *t = text;
    if (length >= t->room - t->length) {
        t->room = 2 * (t->room + length) + 256;
        t->text = allocate(t->text, t->room, 1);
    }
    memcpy(t->text + t->length, bytes, length);
    t->length += length;
    t->text[t->length] = '\0';
}

int save_text(const command *self, const char *path, const long_text *text)
{
    bnd_lab_output out;
    bnd_error why;
    bnd_status status = bnd_lab_output_open(&out, path, &why);
    if (status == BND_OK) {
        status = bnd_lab_output_write(&out, text->text, text->length, &why);
        if (status == BND_OK) {
            status = bnd_lab_output_finish(&out, true, &why);
        } else {
            bnd_lab_output_abandon(&out);
        }
    }
    return status == BND_OK ? GO_ON : fail(self, path, status, &why);
}

char *copy_text(const char *text)
{
    return format_text("%s", text);
}

char *exact_text(bnd_exact value, bool plain)
{
    bnd_notation notation = plain ? BND_NOTATION_PLAIN : BND_NOTATION_AUTO;
    size_t length = bnd_print_exact(NULL, 0, value, notation);
    char *text = allocate(NULL, length + 1, 1);
    bnd_print_exact(text, length + 1, value, notation);
    return text;
}

/* The position of a number's exponent: e in a decimal, p in a hexadecimal float; the end if there is none. */
static size_t exponent_at(const char *text)
{
    return strcspn(text, strpbrk(text, "xX") != NULL ? "pP" : "eE");
}

/* Keeps the first 40 significant digits of a decimal, and its exponent. */
char *shorten_text(char *text)
{
    enum { MOST = 40 };
    size_t at = 0, digits = 0, end = exponent_at(text);
    bool leading = true;
    for (; at < end && digits < MOST; at++) {
        leading = leading && (text[at] == '0' || text[at] == '.' || text[at] == '-');
        digits += text[at] != '.' && !leading;
    }
    if (at >= end || memchr(text, '.', at) == NULL) {
        return text;
    }
    char *shorter = format_text("%.*s...%s", (int)at, text, text + end);
    free(text);
    return shorter;
}

char *heading_text(const char *input)
{
    enum { LONGEST = 60, MOST = 40 };
    size_t length = strlen(input), end = exponent_at(input);
    bool short_exponent = length - end < LONGEST - MOST;
    if (length <= LONGEST) {
        return copy_text(input);
    }
    return format_text("%.*s...%s (%zu characters)", MOST, input, short_exponent ? input + end : "", length);
}

char *readable_text(bnd_exact value, bool plain)
{
    char *text = exact_text(value, plain);
    return plain ? text : shorten_text(text);
}

char *shortest_text(const bnd_format *f, bnd_exact value)
{
    char text[128];
    bnd_print_shortest(text, sizeof text, f, value);
    return copy_text(text);
}

char *digits_text(bnd_exact value, int digits)
{
    char text[128];
    bnd_print_digits(text, sizeof text, value, digits);
    return copy_text(text);
}

char *brief_text(const bnd_format *f, bnd_exact value)
{
    enum { SHORT = 16 };
    char *text = exact_text(value, false);
    if (strlen(text) > SHORT) {
        free(text);
        text = digits_text(value, f->precision * 3 / 10 + 4);
    }
    return text;
}

char *real_text(const bnd_real *x, bool plain)
{
    bnd_notation notation = plain ? BND_NOTATION_PLAIN : BND_NOTATION_AUTO;
    size_t length = bnd_print_real(NULL, 0, x, notation);
    char *text = allocate(NULL, length + 1, 1);
    bnd_print_real(text, length + 1, x, notation);
    return text;
}

char *hex_text(bnd_exact value)
{
    char text[128];
    bnd_print_hex(text, sizeof text, value);
    return copy_text(text);
}

char *bits_text(const bnd_format *f, uint64_t code)
{
    char text[128];
    bnd_print_bits(text, sizeof text, f, code);
    return copy_text(text);
}

char *code_text(const bnd_format *f, uint64_t code)
{
    char text[128];
    bnd_print_code(text, sizeof text, f, code);
    return copy_text(text);
}

char *double_text(double x)
{
    return isfinite(x) ? shortest_text(bnd_format_at(BND_FORMAT_FP64), bnd_exact_double(x)) : copy_text("null");
}

char *bytes_text(double bytes)
{
    const size_t length = bnd_bytes_print(NULL, 0, bytes);
    char *text = allocate(NULL, length + 1, 1);
    bnd_bytes_print(text, length + 1, bytes);
    return text;
}

char *rough_text(double x)
{
    return digits_text(bnd_exact_double(x), 3);
}

char *rounding_text(bnd_rule rule)
{
    const char *name = bnd_rounding_name(bnd_rule_rounding(rule));
    bool counted = bnd_rule_random_bits(rule) > 0 && rule.rounding != BND_ROUND_SR_EQUAL;
    return counted ? format_text("%s:%u", name, bnd_rule_random_bits(rule)) : copy_text(name);
}

char *flags_text(uint32_t flags)
{
    char *text = copy_text("");
    for (uint32_t bit = 1; bit <= BND_FLAG_ALL; bit <<= 1) {
        if ((flags & bit) != 0) {
            char *longer = format_text("%s%s%s", text, text[0] != '\0' ? " " : "", bnd_flag_name(bit));
            free(text);
            text = longer;
        }
    }
    return text;
}

char *power_text(bnd_exact value)
{
    if (value.kind != BND_KIND_FINITE || value.high != 0 || (value.low & (value.low - 1)) != 0) {
        return NULL;
    }
    int exponent = value.exponent;
    for (uint64_t rest = value.low; rest > 1; rest >>= 1) {
        exponent++;
    }
    return format_text("%s2^%d", value.negative ? "-" : "", exponent);
}

/* ---- JSON ---- */

static void write_out(void *sink, const char *text, size_t length)
{
    fwrite(text, 1, length, sink);
}

void json_begin(bnd_lab_json *json)
{
    bnd_lab_json_begin(json, write_out, stdout);
}

void json_line_end(void)
{
    putchar('\n');
}

void json_owned_string(bnd_lab_json *json, const char *key, char *text)
{
    if (text == NULL) {
        bnd_lab_json_null(json, key);
    } else {
        bnd_lab_json_string(json, key, text);
        free(text);
    }
}

void json_owned_literal(bnd_lab_json *json, const char *key, char *text)
{
    bnd_lab_json_literal(json, key, text);
    free(text);
}

void json_flags(bnd_lab_json *json, const char *key, uint32_t flags)
{
    bnd_lab_json_array(json, key);
    for (uint32_t bit = 1; bit <= BND_FLAG_ALL; bit <<= 1) {
        if ((flags & bit) != 0) {
            bnd_lab_json_string(json, NULL, bnd_flag_name(bit));
        }
    }
    bnd_lab_json_end(json);
}

/* ---- colours ---- */

void put_coloured(bool on, enum colour colour, const char *text)
{
    static const char *const codes[] = {"0", "31", "32", "33", "34", "35", "36", "1", "2"};
    if (on && colour != PLAIN) {
        printf("\033[%sm%s\033[0m", codes[colour], text);
    } else {
        fputs(text, stdout);
    }
}

/* ---- characters ---- */

static bool always_utf8;

void write_utf8_always(void)
{
    always_utf8 = true;
}

bool writes_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; !always_utf8 && i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') { /* the first that is set decides */
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "utf-8") != NULL;
        }
    }
    return always_utf8;
}

/* Bytes 10xxxxxx continue a character. */
/* U+0080 to U+009F are control characters, too: two bytes each. */
static size_t control_length(const unsigned char *s)
{
    return *s < 0x20 || *s == 0x7f ? 1 : s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0 ? 2 : 0;
}

bool is_plain_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (control_length((const unsigned char *)text) > 0) {
            return false;
        }
    }
    return true;
}

void make_plain_text(char *text, size_t size)
{
    char *old = copy_text(text);
    size_t length = 0;
    for (const unsigned char *s = (const unsigned char *)old; *s != 0;) {
        size_t controls = control_length(s), bytes = controls > 0 ? controls : 1;
        if (length + (controls > 0 ? 4 * bytes : 1) >= size) {
            break;
        }
        for (size_t i = 0; i < bytes; i++, s++) {
            length += (size_t)snprintf(text + length, size - length, controls > 0 ? "\\x%02x" : "%c", *s);
        }
    }
    text[length] = '\0';
    free(old);
}

unsigned page_width(void)
{
    enum { USUAL = 80, LEAST = 40, MOST = 1000 };
    const char *columns = getenv("COLUMNS");
    long width = columns != NULL ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (width <= 0 && isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    return width <= 0 ? USUAL : width < LEAST ? LEAST : width > MOST ? MOST : (unsigned)width;
}

void put_wrapped(const char *text, size_t indent, size_t at)
{
    size_t page = page_width();
    for (bool fresh = true; *text != '\0'; fresh = false) {
        size_t blanks = strspn(text, " ");
        const char *word = text + blanks, *end = strstr(word, "   ");
        size_t length = strcspn(word, " \n"), whole = end != NULL ? (size_t)(end - word) : strlen(word);
        bool part = fresh || blanks >= 3; /* a part stays together where it has room on a line */
        size_t needed = part && indent + whole <= page ? whole : length;
        if (*word == '\n' || (!fresh && at + blanks + needed > page)) {
            printf("\n%*s", (int)indent, "");
            at = indent;
            blanks = 0;
        }
        printf("%*s%.*s", (int)blanks, "", (int)length, word);
        at += blanks + length;
        text = word + length + (*word == '\n');
    }
    putchar('\n');
}
