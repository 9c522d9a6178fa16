/* --memory: bytes by role for each recipe: columns of the table, and stacked bars below it. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the bars are stacked of, in the order of the lecture's sum. */
static const struct part {
    bnd_role role;
    char letter;
    const char *what;
} parts[] = {{BND_ROLE_PARAM, 'w', "weights"},
             {BND_ROLE_GRAD, 'g', "gradients"},
             {BND_ROLE_ACCUMULATE, 's', "sums of gradients"},
             {BND_ROLE_MASTER, 'M', "master"},
             {BND_ROLE_M, 'm', "momentum"},
             {BND_ROLE_V, 'v', "squares"},
             {BND_ROLE_EXTRA, 'x', "extra"},
             {BND_ROLE_ACT, 'a', "activations"}};
enum { PARTS = sizeof parts / sizeof parts[0], WIDEST = 60, NARROWEST = 10 };

/* ---- columns ---- */

static double bytes_of(const train_row *row, bnd_role role)
{
    const bnd_record *record = row->records;
    return isnan(bnd_record_memory(record)) ? (double)NAN : (double)bnd_record_memory_of(record, role);
}

static char *text_of(const train_row *row, bnd_role role)
{
    double bytes = bytes_of(row, role);
    return bytes > 0 ? bytes_text(bytes) : copy_text("-");
}

#define COLUMN_OF(name, role)                                                                                          \
    char *text_of_##name(const train_result *r, const train_row *row)                                                  \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        return text_of(row, role);                                                                                     \
    }
COLUMN_OF(param, BND_ROLE_PARAM)
COLUMN_OF(grad, BND_ROLE_GRAD)
COLUMN_OF(master, BND_ROLE_MASTER)
COLUMN_OF(m, BND_ROLE_M)
COLUMN_OF(v, BND_ROLE_V)
COLUMN_OF(extra, BND_ROLE_EXTRA)
COLUMN_OF(accumulate, BND_ROLE_ACCUMULATE)
#undef COLUMN_OF

/* ---- bars ---- */

static double largest(const train_result *r)
{
    double most = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        most = fmax(most, memory_bytes(r, &r->rows[i])); /* of a NaN and a number, the number */
    }
    return most;
}

/* Each part ends where the sum so far does, so that the bar has the length of the whole. */
static void print_bar(const train_row *row, double letters_per_byte)
{
    double sum = 0;
    int at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        sum += bytes_of(row, parts[i].role);
        for (; at < (int)lround(sum * letters_per_byte); at++) {
            putchar(parts[i].letter);
        }
    }
}

static bool occurs(const train_result *r, bnd_role role)
{
    bool does = false;
    for (size_t i = 0; i < r->row_count; i++) {
        does = does || bytes_of(&r->rows[i], role) > 0;
    }
    return does;
}

static void print_key(const train_result *r)
{
    char *key = copy_text("");
    for (size_t i = 0; i < PARTS; i++) {
        if (occurs(r, parts[i].role)) {
            char *longer = format_text("%s%s%c %s", key, key[0] != '\0' ? ", " : "", parts[i].letter, parts[i].what);
            free(key);
            key = longer;
        }
    }
    printf("\n");
    fill_text(key, 0, 0);
    free(key);
}

void print_memory_bars(const train_result *r)
{
    const double most = largest(r);
    size_t name = 0, total = 0, page = page_width();
    for (size_t i = 0; i < r->row_count; i++) {
        char *bytes = bytes_text(memory_bytes(r, &r->rows[i]));
        total = strlen(bytes) > total ? strlen(bytes) : total;
        name = text_width(r->rows[i].name) > name ? text_width(r->rows[i].name) : name;
        free(bytes);
    }
    size_t taken = name + total + 4;
    if (!r->memory || most == 0) {
        return;
    }
    size_t bar = page > taken + NARROWEST ? page - taken : NARROWEST;
    bar = bar < WIDEST ? bar : WIDEST;
    print_key(r);
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        char *bytes = bytes_text(memory_bytes(r, row));
        printf("%s%*s  %*s  ", row->name, (int)(name - text_width(row->name)), "", (int)total, bytes);
        if (!isnan(memory_bytes(r, row))) {
            print_bar(row, (double)bar / most);
        }
        printf("\n");
        free(bytes);
    }
}
