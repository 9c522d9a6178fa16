/* Texts, colours and tables. */
#include "print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Keeps the first 40 significant digits of a decimal, and its exponent. */
char *shorten_text(char *text)
{
    enum { MOST = 40 };
    size_t at = 0, digits = 0;
    bool leading = true;
    for (; text[at] != '\0' && text[at] != 'e' && digits < MOST; at++) {
        leading = leading && (text[at] == '0' || text[at] == '.' || text[at] == '-');
        digits += text[at] != '.' && !leading;
    }
    size_t end = strcspn(text, "e");
    bool has_point = memchr(text, '.', end) != NULL;
    if (digits < MOST || at >= end || !has_point || memchr(text, '.', at) == NULL) {
        return text;
    }
    char *shorter = format_text("%.*s...%s", (int)at, text, text + end);
    free(text);
    return shorter;
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
    bnd_format fp64;
    if (!isfinite(x) || bnd_format_parse(&fp64, "fp64", NULL) != BND_OK) {
        return copy_text("null");
    }
    return shortest_text(&fp64, bnd_exact_double(x));
}

char *rough_text(double x)
{
    return digits_text(bnd_exact_double(x), 3);
}

char *flags_text(uint32_t flags)
{
    char *text = copy_text("");
    for (uint32_t bit = 1; bit <= BND_FLAGS; bit <<= 1) {
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
    if (value.kind != BND_FINITE || value.high != 0 || (value.low & (value.low - 1)) != 0) {
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

void json_begin(bnd_json *json)
{
    bnd_json_begin(json, write_out, stdout);
}

void json_line_end(void)
{
    putchar('\n');
}

void json_owned_string(bnd_json *json, const char *key, char *text)
{
    if (text == NULL) {
        bnd_json_null(json, key);
    } else {
        bnd_json_string(json, key, text);
        free(text);
    }
}

void json_owned_literal(bnd_json *json, const char *key, char *text)
{
    bnd_json_literal(json, key, text);
    free(text);
}

void json_flags(bnd_json *json, const char *key, uint32_t flags)
{
    bnd_json_array(json, key);
    for (uint32_t bit = 1; bit <= BND_FLAGS; bit <<= 1) {
        if ((flags & bit) != 0) {
            bnd_json_string(json, NULL, bnd_flag_name(bit));
        }
    }
    bnd_json_end(json);
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

/* ---- tables ---- */

void table_add(table *t, char *owned_cell)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity == 0 ? 64 : 2 * t->capacity;
        t->cells = allocate(t->cells, t->capacity, sizeof *t->cells);
    }
    t->cells[t->count++] = owned_cell;
}

static void print_aligned(const table *t)
{
    size_t *widths = allocate(NULL, t->column_count, sizeof *widths), last = 0;
    for (size_t c = 0; c < t->column_count; c++) {
        widths[c] = strlen(t->columns[c].heading);
        for (size_t i = c; i < t->count; i += t->column_count) {
            size_t width = strlen(t->cells[i]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
        last = t->columns[c].data_only ? last : c;
    }
    for (size_t row = 0; row <= t->count / t->column_count; row++) {
        for (size_t c = 0; c <= last; c++) {
            const char *cell = row == 0 ? t->columns[c].heading : t->cells[(row - 1) * t->column_count + c];
            int width = c == last && !t->columns[c].number ? 0 : (int)widths[c];
            if (!t->columns[c].data_only) {
                printf("%*s%s", t->columns[c].number ? width : -width, cell, c == last ? "\n" : "  ");
            }
        }
    }
    free(widths);
}

static void json_words(bnd_json *json, const char *key, const char *text)
{
    bnd_json_array(json, key);
    for (size_t length; text += strspn(text, " "), (length = strcspn(text, " ")) > 0; text += length) {
        bnd_json_string_n(json, NULL, text, length);
    }
    bnd_json_end(json);
}

static void print_json(const table *t, const char *key)
{
    bnd_json json;
    json_begin(&json);
    bnd_json_object(&json, NULL);
    if (t->input != NULL) {
        bnd_json_string(&json, "input", t->input);
    }
    bnd_json_array(&json, key);
    for (size_t i = 0; i < t->count; i++) {
        const column *c = &t->columns[i % t->column_count];
        if (i % t->column_count == 0) {
            bnd_json_object(&json, NULL);
        }
        if (c->key == NULL) {
            /* for people only */
        } else if (c->words) {
            json_words(&json, c->key, t->cells[i]);
        } else if (c->literal) {
            bnd_json_literal(&json, c->key, t->cells[i]);
        } else {
            bnd_json_string(&json, c->key, t->cells[i]);
        }
        if (i % t->column_count == t->column_count - 1) {
            bnd_json_end(&json);
        }
    }
    bnd_json_end(&json);
    bnd_json_end(&json);
    json_line_end();
}

/* RFC 4180: quotes where they are needed. */
static void print_csv_cell(const char *cell)
{
    if (strpbrk(cell, ",\"\n") == NULL) {
        fputs(cell, stdout);
        return;
    }
    putchar('"');
    for (; *cell != '\0'; cell++) {
        fputs(*cell == '"' ? "\"\"" : (char[]){*cell, '\0'}, stdout);
    }
    putchar('"');
}

static void print_csv(const table *t)
{
    for (size_t i = 0; i < t->column_count + t->count; i++) {
        const column *c = &t->columns[i % t->column_count];
        const char *cell = i < t->column_count ? c->key : t->cells[i - t->column_count];
        if (c->key != NULL) {
            fputs(i % t->column_count == 0 ? "" : ",", stdout);
            print_csv_cell(cell);
        }
        fputs(i % t->column_count == t->column_count - 1 ? "\n" : "", stdout);
    }
}

void table_print(table *t, enum output output, const char *json_key)
{
    switch (output) {
    case OUTPUT_JSON:
        print_json(t, json_key);
        break;
    case OUTPUT_CSV:
        print_csv(t);
        break;
    default:
        print_aligned(t);
        break;
    }
    for (size_t i = 0; i < t->count; i++) {
        free(t->cells[i]);
    }
    free(t->cells);
    *t = (table){.columns = t->columns, .column_count = t->column_count};
}
