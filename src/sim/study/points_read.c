/* Points read: JSON lines, or CSV. */
#include "study/study.h"

#include <string.h>

#include <binade/text.h>

#include "store/json.h"

/* "line 12: " before what is wrong with it. */
static bnd_status refuse(uint64_t line, const char *what, const char *name, size_t length, bnd_error *why)
{
    size_t shown = length < 48 ? length : 48;
    return bnd_fail(why, BND_BAD_FILE, 0, "line %llu: %.*s: %s", (unsigned long long)line, (int)shown, name, what);
}

static bnd_status in_line(uint64_t line, bnd_error *why, bnd_status status)
{
    if (status != BND_OK && why != NULL) {
        static const char first[] = "line 1, "; /* of the text that the line is */
        bnd_error inner = *why;
        bool says = strncmp(inner.message, first, sizeof first - 1) == 0;
        return bnd_fail(why, status, inner.where, "line %llu: %s", (unsigned long long)line,
                        inner.message + (says ? sizeof first - 1 : 0));
    }
    return status;
}

static bool same(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static size_t column_of(const char *key, size_t length)
{
    size_t i = 0;
    while (i < BNDI_COLUMNS && !same(key, length, bndi_columns[i].key)) {
        i++;
    }
    return i;
}

/* The row of bndi_steady of this name; BNDI_STEADY where there is none. */
static size_t steady_of(bnd_record *record, const char *key, size_t length)
{
    char name[BNDI_KEY_SIZE];
    size_t row = 0;
    while (row < BNDI_STEADY && (bndi_steady(record, row, name) == NULL || !same(key, length, name))) {
        row++;
    }
    return row;
}

/* ---- what both kinds of file come to ---- */

typedef struct reading {
    bnd_record *record;
    bnd_point point;
    uint32_t have; /* a bit a column: what the line has said */
    uint64_t line, added;
    bool log;                     /* of another program, perhaps */
    const bnd_log_columns *asked; /* of it; NULL: nothing */
    bndi_log_names names;         /* of it, as soon as a line has both */
    bool refused;                 /* the first line that does not have both: */
    bnd_error refusal;
    bndi_each_line *each; /* NULL: the record keeps the points; otherwise the last one only */
    void *data;
    bnd_error *why;
} reading;

/* The same with the names that a log has; its own step or loss of another name is none. */
static size_t column_for(const reading *r, const char *key, size_t length)
{
    if (r->names.step[0] == '\0') {
        return column_of(key, length);
    }
    size_t known = r->names.only ? BNDI_COLUMNS : column_of(key, length);
    bool other = known == BNDI_COLUMN_STEP || known == BNDI_COLUMN_LOSS || known == BNDI_COLUMN_TRAIN_LOSS;
    return same(key, length, r->names.step)   ? BNDI_COLUMN_STEP
           : same(key, length, r->names.loss) ? BNDI_COLUMN_LOSS
           : other && r->names.foreign        ? BNDI_COLUMNS
                                              : known;
}

static bnd_status set_column(reading *r, size_t column, double x)
{
    const char *key = bndi_columns[column].key;
    if (r->have >> column & 1) {
        return refuse(r->line, "stands there twice", key, strlen(key), r->why);
    }
    r->have |= 1u << column;
    if (!bndi_column_set(&r->point, column, x)) {
        return refuse(r->line, "is no whole number from 0 on, or (of skipped) neither true nor false", key, strlen(key),
                      r->why);
    }
    return BND_OK;
}

static bnd_status add_point(reading *r)
{
    bnd_record *record = r->record;
    if (r->names.foreign && !(r->have >> BNDI_COLUMN_LOSS & 1)) {
        return BND_OK; /* a line about something else */
    }
    for (size_t i = BNDI_COLUMN_STEP; i <= BNDI_COLUMN_LOSS; i++) {
        if (!(r->have >> i & 1)) {
            return refuse(r->line, "is missing", bndi_columns[i].key, strlen(bndi_columns[i].key), r->why);
        }
    }
    if (record->count > 0 && r->point.step <= record->points[record->count - 1].step) {
        return bnd_fail(r->why, BND_BAD_FILE, 0, "line %llu: step %llu comes after step %llu",
                        (unsigned long long)r->line, (unsigned long long)r->point.step,
                        (unsigned long long)record->points[record->count - 1].step);
    }
    r->added++;
    if (r->each != NULL && record->count > 0) {
        record->points[0] = r->point;
        return BND_OK;
    }
    return bndi_record_add(record, &r->point, r->why);
}

/* ---- JSON ---- */

bool bndi_special(double *out, const char *text, size_t length)
{
    static const struct {
        const char *word;
        double sign;
    } words[] = {{"NaN", 0}, {"nan", 0}, {"Infinity", 1}, {"inf", 1}, {"-Infinity", -1}, {"-inf", -1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (same(text, length, words[i].word)) {
            *out = words[i].sign == 0 ? __builtin_nan("") : words[i].sign * __builtin_inf();
            return true;
        }
    }
    return false;
}

static bool number_of(double *out, const json_t *value)
{
    bool good = json_is_number(value) || json_is_boolean(value) || json_is_null(value);
    *out = json_is_number(value)    ? json_number_value(value)
           : json_is_boolean(value) ? (double)json_is_true(value)
                                    : __builtin_nan("");
    return good;
}

/* A member KEY_is: what the null of KEY stands for. */
static void set_kind(reading *r, const char *key, size_t length, const json_t *value)
{
    size_t column = length > 3 && same(key + length - 3, 3, "_is") ? column_for(r, key, length - 3) : BNDI_COLUMNS;
    double x;
    if (column < BNDI_COLUMNS && bndi_columns[column].kind == BNDI_COLUMN_NUMBER && json_is_string(value) &&
        bndi_special(&x, json_string_value(value), json_string_length(value))) {
        memcpy((char *)&r->point + bndi_columns[column].at, &x, sizeof x);
        r->point.validated = r->point.validated || column == BNDI_COLUMN_VALIDATION;
        r->point.validated_fp32 = r->point.validated_fp32 || column == BNDI_COLUMN_VALIDATION_FP32;
    }
}

static bnd_status take_value(reading *r, const char *key, size_t length, const json_t *value)
{
    double x = 0;
    size_t column = column_for(r, key, length), steady;
    bool unmeasured = column == BNDI_COLUMN_VALIDATION || column == BNDI_COLUMN_VALIDATION_FP32 ||
                      (column == BNDI_COLUMN_LOSS && r->names.foreign);
    if (unmeasured && json_is_null(value)) {
        return BND_OK; /* unless val/loss_is says what it was */
    }
    if (column < BNDI_COLUMNS) {
        return number_of(&x, value) ? set_column(r, column, x) : refuse(r->line, "is no number", key, length, r->why);
    }
    set_kind(r, key, length, value);
    steady = json_is_integer(value) && json_integer_value(value) >= 0 ? steady_of(r->record, key, length) : BNDI_STEADY;
    if (steady < BNDI_STEADY) {
        char name[BNDI_KEY_SIZE];
        *bndi_steady(r->record, steady, name) = (uint64_t)json_integer_value(value);
    }
    return BND_OK;
}

/* The key is between quotes; ours have nothing in them that is escaped. */
static bnd_status take_member(reading *r, const bndi_json_members *m)
{
    const char *text = m->text->bytes;
    size_t length = m->key.to - m->key.from;
    const char *key = text + m->key.from + (length >= 2);
    double x;
    json_t *value = NULL;
    bnd_status status = bndi_json_read(&value, m->text, m->key, r->why);
    length = length >= 2 ? length - 2 : 0;
    if (status != BND_OK) {
        return in_line(r->line, r->why, status);
    }
    json_decref(value);
    size_t width = m->value.to - m->value.from;
    while (width > 0 && strchr(" \t\r", text[m->value.from + width - 1]) != NULL) {
        width--;
    }
    if (bndi_special(&x, text + m->value.from, width)) {
        size_t column = column_for(r, key, length);
        return column < BNDI_COLUMNS ? set_column(r, column, x) : BND_OK;
    }
    status = in_line(r->line, r->why, bndi_json_read(&value, m->text, m->value, r->why));
    if (status == BND_OK) {
        status = take_value(r, key, length, value);
        json_decref(value);
    }
    return status;
}

/* The names of a line's members, without quotes. */
static bnd_status collect_keys(bndi_keys *keys, const bndi_json_text *text, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = bndi_keys_add(keys, text->bytes + m.key.from + 1, m.key.to - m.key.from - 2, why);
    }
    return status == BND_OK ? bndi_json_close(&m, why) : status;
}

/* Before the first line with a step and a loss others may come. `chosen`: this is one. */
static bnd_status choose_in_object(bool *chosen, reading *r, const char *line, size_t length)
{
    bndi_keys keys = {.at = NULL};
    bndi_json_text text = {line, length};
    bnd_error why;
    bnd_status status = in_line(r->line, r->why, collect_keys(&keys, &text, r->why));
    *chosen = false;
    if (status == BND_OK) {
        *chosen = bndi_log_choose(&r->names, &keys, r->asked, &why) == BND_OK;
        if (!*chosen && !r->refused) {
            (void)in_line(r->line, &why, BND_BAD_FILE);
            r->refused = true;
            r->refusal = why;
        }
    }
    bndi_keys_free(&keys);
    return status;
}

static bnd_status take_object(reading *r, const char *line, size_t length)
{
    bndi_json_text text = {line, length};
    bndi_json_members members;
    bnd_status status = bndi_json_open(&members, &text, (bndi_json_span){0, length}, r->why);
    while (status == BND_OK) {
        status = bndi_json_next(&members, r->why);
        if (status != BND_OK || !members.more) {
            break;
        }
        status = take_member(r, &members);
        if (status != BND_OK) {
            return status; /* it names the line */
        }
    }
    return in_line(r->line, r->why, status == BND_OK ? bndi_json_close(&members, r->why) : status);
}

/* ---- CSV ---- */

/* Which columns the fields of a file are: BNDI_COLUMNS for those that nobody here knows. */
typedef struct layout {
    uint8_t column[BNDI_FIELDS_MOST];
    size_t count;
    char separator[2];
} layout;

/* A header without commas may have tabs, or semicolons. */
static char separator_of(const char *header)
{
    return strchr(header, ',') != NULL    ? ','
           : strchr(header, '\t') != NULL ? '\t'
           : strchr(header, ';') != NULL  ? ';'
                                          : ',';
}

/* The next field: *at goes behind its separator, and is NULL behind the last one. Quotes around it go, blanks too. */
static bool next_field(char **at, char **field, size_t *length, const char separator[2])
{
    const char *blanks = separator[0] == '\t' ? " " : " \t";
    char *start = *at + strspn(*at, blanks), *end;
    if (*start == '"') {
        start++;
        end = strchr(start, '"');
        if (end == NULL) {
            return false;
        }
        char *behind = end + 1 + strspn(end + 1, separator[0] == '\t' ? " \r" : " \t\r");
        if (*behind != separator[0] && *behind != '\0') {
            return false;
        }
        *at = *behind == separator[0] ? behind + 1 : NULL;
    } else {
        end = start + strcspn(start, separator);
        *at = *end == separator[0] ? end + 1 : NULL;
        while (end > start && strchr(" \t\r", end[-1]) != NULL) {
            end--;
        }
    }
    *field = start;
    *length = (size_t)(end - start);
    return true;
}

static bnd_status collect_fields(bndi_keys *keys, reading *r, char *line, const char separator[2])
{
    while (line != NULL) {
        char *field;
        size_t length;
        if (keys->count == BNDI_FIELDS_MOST || !next_field(&line, &field, &length, separator)) {
            return refuse(r->line, "a quote without an end, or more than 65536 columns", "the header", 10, r->why);
        }
        bnd_status status = bndi_keys_add(keys, field, length, r->why);
        if (status != BND_OK) {
            return status;
        }
    }
    return BND_OK;
}

static bnd_status lay_out(layout *out, reading *r, const bndi_keys *keys)
{
    uint32_t have = 0;
    out->count = keys->count;
    for (size_t i = 0; i < keys->count; i++) {
        size_t column = column_for(r, keys->at[i].at, keys->at[i].length);
        if (column < BNDI_COLUMNS && have >> column & 1) {
            return refuse(r->line, "stands there twice", keys->at[i].at, keys->at[i].length, r->why);
        }
        have |= column < BNDI_COLUMNS ? 1u << column : 0;
        out->column[i] = (uint8_t)column;
    }
    return BND_OK;
}

static bnd_status read_header(layout *out, reading *r, char *line)
{
    bndi_keys keys = {.at = NULL};
    out->separator[0] = separator_of(line);
    bnd_status status = collect_fields(&keys, r, line, out->separator);
    if (status == BND_OK) {
        status = in_line(r->line, r->why, bndi_log_choose(&r->names, &keys, r->asked, r->why));
    }
    if (status == BND_OK) {
        status = lay_out(out, r, &keys);
    }
    bndi_keys_free(&keys);
    return status;
}

static bnd_status read_field(reading *r, size_t column, const char *field, size_t length)
{
    static const bnd_rule nearest = {.rounding = BND_ROUND_RNE};
    bool yes = same(field, length, "true") || same(field, length, "True");
    bool no = same(field, length, "false") || same(field, length, "False");
    bnd_format f;
    bnd_result x;
    if (column == BNDI_COLUMNS || length == 0) {
        return BND_OK; /* not known, or not measured */
    }
    if (yes || no) {
        return set_column(r, column, yes);
    }
    if (bnd_format_parse(&f, "fp64", NULL) != BND_OK || bnd_parse(&x, &f, field, length, nearest, 0, NULL) != BND_OK) {
        return refuse(r->line, "is no number", field, length, r->why);
    }
    return set_column(r, column, bnd_decode(&f, x.code));
}

static bnd_status take_row(reading *r, const layout *columns, char *line)
{
    size_t i = 0, length;
    char *field;
    for (; line != NULL; i++) {
        if (!next_field(&line, &field, &length, columns->separator)) {
            return refuse(r->line, "a quote without an end", "the row", 7, r->why);
        }
        bnd_status status = i < columns->count ? read_field(r, columns->column[i], field, length) : BND_OK;
        if (status != BND_OK) {
            return status;
        }
    }
    if (i != columns->count) {
        return bnd_fail(r->why, BND_BAD_FILE, 0, "line %llu: has %zu fields, and the header has %zu",
                        (unsigned long long)r->line, i, columns->count);
    }
    return BND_OK;
}

/* ---- files ---- */

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t\r") == length;
}

/* One line; CSV's first one is its header. */
static bnd_status take_line(reading *r, layout *columns, bool *is_csv, char *line, size_t length)
{
    bool first = r->record->count == 0 && columns->count == 0;
    r->point = bndi_point_none();
    r->have = 0;
    if (memchr(line, '\0', length) != NULL) {
        return refuse(r->line, "a zero byte", "the line", 8, r->why);
    }
    if (first && !*is_csv && line[strspn(line, " \t")] != '{') {
        if (r->each != NULL) {
            return bnd_fail(
                r->why, BND_BAD_FILE, 0,
                "line %llu: is no object of JSON; wanted are JSON lines with \"step\" and \"loss\", or a run "
                "directory",
                (unsigned long long)r->line);
        }
        *is_csv = true;
        return read_header(columns, r, line);
    }
    bool chosen = true;
    bnd_status status = BND_OK;
    if (r->log && !*is_csv && r->names.step[0] == '\0') {
        status = choose_in_object(&chosen, r, line, length);
    }
    if (status != BND_OK || !chosen) {
        return status;
    }
    status = *is_csv ? take_row(r, columns, line) : take_object(r, line, length);
    return status == BND_OK ? add_point(r) : status;
}

static bnd_status take_lines(reading *r, uint64_t *end, bndi_lines *lines, uint64_t most)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that some editors put before UTF-8 */
    layout columns = {.count = 0};
    bool is_csv = false;
    char *line;
    size_t length;
    while (r->added < most) {
        uint64_t before = r->added;
        bnd_status status = bndi_lines_next(&line, &length, lines, r->why);
        if (status != BND_OK || line == NULL) {
            return status;
        }
        if (!lines->ended && most != UINT64_MAX && r->each == NULL) {
            return BND_OK; /* nothing can be written behind it */
        }
        r->line = lines->number;
        size_t skipped = r->line == 1 && length >= 3 && memcmp(line, mark, 3) == 0 ? 3 : 0;
        if (is_blank(line + skipped, length - skipped)) {
            continue;
        }
        status = take_line(r, &columns, &is_csv, line + skipped, length - skipped);
        if (status == BND_BAD_FILE && !lines->ended && r->line > 1) {
            return BND_OK; /* the last line was cut short */
        }
        if (status == BND_OK && r->each != NULL) {
            status = in_line(r->line, r->why, r->each(r->data, line + skipped, length - skipped, r->why));
        }
        if (status != BND_OK) {
            return status;
        }
        if (r->added > before) {
            *end = lines->offset;
        }
    }
    return BND_OK;
}

static bnd_status take_file(reading *r, uint64_t *end, const char *path, uint64_t most)
{
    bndi_lines lines;
    bnd_status status = bndi_lines_open(&lines, path, r->why);
    if (status == BND_OK) {
        status = take_lines(r, end, &lines, most);
        bndi_lines_close(&lines);
    }
    return status;
}

bnd_status bndi_points_read(bnd_record *record, uint64_t *end, const char *path, uint64_t most, bnd_error *why)
{
    uint64_t unused = 0;
    reading r = {.record = record, .why = why};
    return take_file(&r, end != NULL ? end : &unused, path, most);
}

bnd_status bndi_log_read(bnd_record *record, const char *path, const bnd_log_columns *asked, bnd_error *why)
{
    uint64_t unused = 0;
    reading r = {.record = record, .why = why, .log = true, .asked = asked};
    bnd_status status = take_file(&r, &unused, path, UINT64_MAX);
    if (status == BND_OK && record->count == 0 && r.refused) {
        return bnd_fail(why, BND_BAD_FILE, 0, "%s", r.refusal.message);
    }
    return status;
}

bnd_status bndi_points_each(const char *path, uint64_t most, bndi_each_line *each, void *data, bnd_error *why)
{
    uint64_t unused = 0;
    bnd_record last;
    bndi_record_none(&last);
    reading r = {.record = &last, .each = each, .data = data, .why = why};
    bnd_status status = take_file(&r, &unused, path, most);
    bnd_record_close(&last);
    return status;
}
