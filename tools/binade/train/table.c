/* The result table: as text in groups of columns, as CSV, as JSON. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text: groups of columns, as many side by side as the page is wide ---- */

static enum colour tint(const column *c, const char *cell)
{
    (void)c;
    return strcmp(cell, "no difference") == 0 || strcmp(cell, "better") == 0 ? GREEN
           : strcmp(cell, "worse") == 0                                      ? YELLOW
           : strncmp(cell, "failed", 6) == 0                                 ? RED
                                                                             : PLAIN;
}

static const char *heading_of(const train_column *c, const train_result *r)
{
    bool plain = strcmp(r->rows[r->reference].records->recipe, "fp32") == 0;
    return plain && c->number == gap_of ? "gap to fp32" : c->heading;
}

static size_t cell_width(const train_column *c, const train_result *r, const train_row *row)
{
    char *text = c->text(r, row);
    size_t width = text_width(text);
    free(text);
    return width;
}

static bool is_asked_for(const train_column *c, const train_result *r)
{
    switch (c->group) {
    case RESULT:
        return true;
    case BY_ROLE:
        return r->memory;
    case EMULATION:
        return r->details && !r->untimed;
    case MEMORY:
        return r->memory || r->details;
    default:
        return r->details;
    }
}

/* A column without a value in any row is left out. */
static bool is_shown(const train_column *c, const train_result *r)
{
    bool asked = c->heading != NULL && is_asked_for(c, r);
    bool known = false;
    for (size_t i = 0; asked && !known && i < r->row_count; i++) {
        char *text = c->text(r, &r->rows[i]);
        known = strcmp(text, "-") != 0;
        free(text);
    }
    return known;
}

static size_t column_width(const train_column *c, const train_result *r)
{
    size_t width = text_width(heading_of(c, r));
    for (size_t i = 0; i < r->row_count; i++) {
        size_t cell = cell_width(c, r, &r->rows[i]);
        width = cell > width ? cell : width;
    }
    return width;
}

/* The width without the first column, which every group of the table repeats; 0 if no column of the group is shown. */
static size_t group_width(enum column_group group, const train_result *r)
{
    size_t width = 0;
    for (size_t i = 1; i < TRAIN_COLUMNS; i++) {
        const train_column *c = &train_columns[i];
        width += c->group == group && is_shown(c, r) ? 2 + column_width(c, r) : 0;
    }
    return width;
}

/* Prints the first column and the groups from `from` to before `end`. */
static void print_groups(const train_result *r, enum column_group from, enum column_group end, bool colour)
{
    column shown[TRAIN_COLUMNS];
    const train_column *source[TRAIN_COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < TRAIN_COLUMNS; i++) {
        bool here = train_columns[i].group >= from && train_columns[i].group < end;
        if (i == 0 || (here && is_shown(&train_columns[i], r))) {
            bool number = train_columns[i].number != NULL;
            shown[count] =
                (column){train_columns[i].key, heading_of(&train_columns[i], r), number, number, false, false, 0};
            source[count++] = &train_columns[i];
        }
    }
    table t = {.columns = shown, .column_count = count, .output = OUTPUT_TEXT, .tint = colour ? tint : NULL};
    for (size_t i = 0; i < r->row_count; i++) {
        for (size_t k = 0; k < count; k++) {
            table_add(&t, source[k]->text(r, &r->rows[i]));
        }
    }
    table_end(&t);
}

static void print_text(const train_result *r, bool colour)
{
    size_t page = page_width(), name = column_width(&train_columns[0], r);
    for (enum column_group from = RESULT; from < GROUPS;) {
        enum column_group end = from + 1;
        for (size_t width = name + group_width(from, r); end < GROUPS; end++) {
            width += group_width(end, r);
            if (width > page) {
                break;
            }
        }
        if (from == RESULT || group_width(from, r) > 0) {
            fputs(from == RESULT ? "" : "\n", stdout);
            print_groups(r, from, end, colour);
        }
        from = end;
    }
}

static void print_csv(const train_result *r)
{
    column all[TRAIN_COLUMNS];
    for (size_t i = 0; i < TRAIN_COLUMNS; i++) {
        all[i] = (column){
            train_columns[i].key, train_columns[i].key, false, train_columns[i].number != NULL, false, false, 0};
    }
    table t = {.columns = all, .column_count = TRAIN_COLUMNS, .output = OUTPUT_CSV};
    for (size_t i = 0; i < r->row_count; i++) {
        for (size_t k = 0; k < TRAIN_COLUMNS; k++) {
            char *cell = data_cell(&train_columns[k], r, &r->rows[i]);
            bool missing = train_columns[k].number != NULL && strcmp(cell, "null") == 0;
            table_add(&t, missing ? copy_text("") : copy_text(cell));
            free(cell);
        }
    }
    table_end(&t);
}

void print_result_table(const train_result *r, enum output output, bool colour)
{
    if (output == OUTPUT_CSV) {
        print_csv(r);
    } else {
        print_text(r, colour);
        print_memory_bars(r);
    }
}

void json_row(bnd_lab_json *json, const train_result *r, const train_row *row)
{
    for (size_t k = 0; k < TRAIN_COLUMNS; k++) {
        char *cell = data_cell(&train_columns[k], r, row);
        if (train_columns[k].number != NULL) {
            json_owned_literal(json, train_columns[k].key, cell);
        } else {
            json_owned_string(json, train_columns[k].key, cell);
        }
    }
}

static const char *const group_names[GROUPS] = {"result", "losses", "memory", "memory by role", "emulation"};

void json_table(bnd_lab_json *json, const train_result *r)
{
    bnd_lab_json_object(json, "table");
    bnd_lab_json_array(json, "columns");
    for (size_t i = 0; i < TRAIN_COLUMNS; i++) {
        const train_column *c = &train_columns[i];
        if (is_shown(c, r)) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "key", c->key);
            bnd_lab_json_string(json, "heading", heading_of(c, r));
            bnd_lab_json_string(json, "group", group_names[c->group]);
            bnd_lab_json_boolean(json, "number", c->number != NULL);
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "rows");
    for (size_t k = 0; k < r->row_count; k++) {
        bnd_lab_json_array(json, NULL);
        for (size_t i = 0; i < TRAIN_COLUMNS; i++) {
            if (is_shown(&train_columns[i], r)) {
                json_owned_string(json, NULL, train_columns[i].text(r, &r->rows[k]));
            }
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

void json_result(bnd_lab_json *json, const train_result *r)
{
    bnd_lab_json_string(json, "reference", r->row_count > 0 ? r->rows[r->reference].name : "");
    json_owned_literal(json, "reference_covered",
                       double_text(r->row_count > 0 ? r->rows[r->reference].is.covered : (double)NAN));
    json_owned_literal(json, "margin", double_text(r->margin));
    json_owned_string(json, "conclusion", conclusion_text(r));
    bnd_lab_json_array(json, "recipes");
    for (size_t i = 0; i < r->row_count; i++) {
        bnd_lab_json_object(json, NULL);
        json_row(json, r, &r->rows[i]);
        if (r->autopsied) {
            json_autopsy(json, &r->rows[i]);
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}
