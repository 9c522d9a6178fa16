/* Tables: fixed columns, rows added cell by cell; as text, JSON or CSV. */
#include "print.h"

#include <stdlib.h>
#include <string.h>

void table_add(table *t, char *owned_cell)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity == 0 ? 64 : 2 * t->capacity;
        t->cells = allocate(t->cells, t->capacity, sizeof *t->cells);
    }
    t->cells[t->count++] = owned_cell;
}

/* Each column as wide as its heading, its widest cell, and what it is said to need. */
static void fit_columns(table *t)
{
    t->widths = allocate(t->widths, t->column_count, sizeof *t->widths);
    for (size_t c = 0; c < t->column_count; c++) {
        size_t heading = strlen(t->columns[c].heading), least = t->columns[c].least_width;
        t->widths[c] = heading > least ? heading : least;
        for (size_t i = c; i < t->count; i += t->column_count) {
            size_t width = text_width(t->cells[i]);
            t->widths[c] = width > t->widths[c] ? width : t->widths[c];
        }
        t->last = t->columns[c].data_only ? t->last : c;
    }
}

/* ---- text for people: columns side by side as far as the page goes, the others in a table below ---- */

/* The columns of one page: the first `keys` of all, and those from `from` to before `end`. */
typedef struct page {
    size_t keys, from, end;
    size_t last_width; /* of the last column, which is wrapped where it is wider */
} page;

static bool is_on(const page *p, size_t c)
{
    return c < p->keys || (c >= p->from && c < p->end);
}

static const char *cell_of(const table *t, const char *const *cells, size_t c)
{
    return cells != NULL ? cells[c] : t->columns[c].heading;
}

/* The last column of the page with something in it: lines do not end in blanks. */
static size_t last_of(const table *t, const page *p, const char *const *cells)
{
    size_t last = p->end - 1;
    while (last > 0 && (t->columns[last].data_only || !is_on(p, last) || cell_of(t, cells, last)[0] == '\0')) {
        last--;
    }
    return last;
}

static enum colour tint_of(const table *t, size_t c, const char *cell)
{
    return t->tint != NULL ? t->tint(&t->columns[c], cell) : PLAIN;
}

/* `cells` is NULL for the headings. */
static void print_line(const table *t, const page *p, const char *const *cells)
{
    size_t at = 0, last_shown = last_of(t, p, cells);
    for (size_t c = 0; c <= last_shown; c++) {
        if (t->columns[c].data_only || !is_on(p, c)) {
            continue;
        }
        const char *cell = cell_of(t, cells, c);
        bool number = t->columns[c].number, last = c == last_shown;
        size_t width = text_width(cell), room = t->widths[c];
        int blanks = room > width ? (int)(room - width) : 0;
        if (last && width > p->last_width) {
            put_wrapped(cell, at, at);
            return;
        }
        printf("%*s", number ? blanks : 0, "");
        put_coloured(t->tint != NULL, cells != NULL ? tint_of(t, c, cell) : PLAIN, cell);
        printf("%*s%s", number || last ? 0 : blanks, "", last ? "\n" : "  ");
        at += room + 2;
    }
}

static void print_rows(const table *t, const page *p)
{
    for (size_t i = 0; i < t->count; i += t->column_count) {
        print_line(t, p, (const char *const *)t->cells + i);
    }
}

static size_t width_of(const table *t, size_t from, size_t end)
{
    size_t width = 0;
    for (size_t c = from; c < end; c++) {
        width += t->columns[c].data_only ? 0 : t->widths[c] + 2;
    }
    return width;
}

size_t table_width(table *t)
{
    fit_columns(t);
    size_t width = width_of(t, 0, t->column_count);
    return width > 0 ? width - 2 : 0;
}

/* As many columns as fit from `p->from` on, one at least. Text at the end of the table may be wrapped. */
static void fill_page(const table *t, page *p)
{
    enum { LEAST_TEXT = 18 };
    size_t room = page_width() + 2, used = width_of(t, 0, p->keys);
    p->last_width = SIZE_MAX;
    for (p->end = p->from; p->end <= t->last; p->end++) {
        size_t width = width_of(t, p->end, p->end + 1);
        if (used + width > room && p->end > p->from) {
            bool wraps = p->end == t->last && !t->columns[t->last].number && used + LEAST_TEXT + 2 <= room;
            p->last_width = wraps ? room - used - 2 : SIZE_MAX;
            p->end += wraps;
            return;
        }
        used += width;
    }
}

static void print_pages(const table *t)
{
    page p = {.keys = t->keys > 0 ? t->keys : 1};
    p.from = p.keys;
    do {
        while (p.from < t->last && t->columns[p.from].data_only) {
            p.from++;
        }
        fill_page(t, &p);
        fputs(p.from > p.keys ? "\n" : "", stdout);
        print_line(t, &p, NULL);
        print_rows(t, &p);
        p.from = p.end;
    } while (p.from <= t->last);
}

static page all_columns(const table *t)
{
    return (page){.end = t->last + 1, .last_width = SIZE_MAX};
}

/* ---- data ---- */

static void json_words(bnd_lab_json *json, const char *key, const char *text)
{
    bnd_lab_json_array(json, key);
    for (size_t length; text += strspn(text, " "), (length = strcspn(text, " ")) > 0; text += length) {
        bnd_lab_json_string_n(json, NULL, text, length);
    }
    bnd_lab_json_end(json);
}

static void json_row(bnd_lab_json *json, const table *t, const char *const *cells)
{
    bnd_lab_json_object(json, NULL);
    for (size_t i = 0; i < t->column_count; i++) {
        const column *c = &t->columns[i];
        if (c->key == NULL) {
            continue;
        }
        if (c->words) {
            json_words(json, c->key, cells[i]);
        } else if (c->literal) {
            bnd_lab_json_literal(json, c->key, cells[i]);
        } else {
            bnd_lab_json_string(json, c->key, cells[i]);
        }
    }
    bnd_lab_json_end(json);
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

static void csv_line(const table *t, const char *const *cells)
{
    bool first = true;
    for (size_t c = 0; c < t->column_count; c++) {
        if (t->columns[c].key != NULL) {
            fputs(first ? "" : ",", stdout);
            print_csv_cell(cells != NULL ? cells[c] : t->columns[c].key);
            first = false;
        }
    }
    putchar('\n');
}

static void begin(table *t)
{
    t->begun = true;
    if (t->output == OUTPUT_JSON) {
        json_begin(&t->json);
        bnd_lab_json_object(&t->json, NULL);
        if (t->input != NULL) {
            bnd_lab_json_string(&t->json, "input", t->input);
        }
        bnd_lab_json_array(&t->json, t->key);
    } else if (t->output == OUTPUT_CSV) {
        csv_line(t, NULL);
    } else {
        page p = all_columns(t);
        print_line(t, &p, NULL);
    }
}

void table_forget(table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->cells[i]);
    }
    t->count = 0;
}

bool table_flush(table *t)
{
    if (!t->begun) {
        fit_columns(t);
        begin(t);
    }
    const page p = all_columns(t);
    for (size_t i = 0; i < t->count; i += t->column_count) {
        const char *const *cells = (const char *const *)t->cells + i;
        if (t->output == OUTPUT_JSON) {
            json_row(&t->json, t, cells);
        } else if (t->output == OUTPUT_CSV) {
            csv_line(t, cells);
        } else {
            print_line(t, &p, cells);
        }
    }
    table_forget(t);
    return !ferror(stdout);
}

static void json_also(table *t)
{
    const table *also = t->also;
    if (also == NULL) {
        return;
    }
    bnd_lab_json_array(&t->json, also->key);
    for (size_t i = 0; i < also->count; i += also->column_count) {
        json_row(&t->json, also, (const char *const *)also->cells + i);
    }
    bnd_lab_json_end(&t->json);
}

void table_end(table *t)
{
    if (t->output == OUTPUT_TEXT && !t->begun) {
        fit_columns(t);
        print_pages(t);
        table_forget(t);
    } else {
        table_flush(t);
    }
    if (t->output == OUTPUT_JSON) {
        bnd_lab_json_end(&t->json);
        json_also(t);
        bnd_lab_json_end(&t->json);
        json_line_end();
    }
    free(t->cells);
    free(t->widths);
    *t = (table){.columns = t->columns, .column_count = t->column_count};
}
