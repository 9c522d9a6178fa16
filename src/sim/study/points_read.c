/* Points read from files: JSON lines, or CSV. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "study/points.h"

#include <string.h>

static bnd_status add_histograms(bndi_reading *r)
{
    bnd_status status = BND_OK;
    for (unsigned role = 0; status == BND_OK && role < BND_ROLE_COUNT; role++) {
        if ((r->has_histogram >> role & 1) != 0) {
            r->histogram[role].step = r->point.step;
            status = bndi_record_add_histogram(r->record, &r->histogram[role], r->why);
        }
    }
    return status;
}

static bnd_status add_point(bndi_reading *r)
{
    bnd_record *record = r->record;
    if (r->names.foreign && !(r->have >> BNDI_COLUMN_LOSS & 1)) {
        return BND_OK; /* a line about something else */
    }
    for (size_t i = BNDI_COLUMN_STEP; i <= BNDI_COLUMN_LOSS; i++) {
        if (!(r->have >> i & 1)) {
            return bndi_line_refuse(r->line, "is missing", bndi_columns[i].key, strlen(bndi_columns[i].key), r->why);
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
    bnd_status status = r->each == NULL ? add_histograms(r) : BND_OK;
    return status == BND_OK ? bndi_record_add(record, &r->point, r->why) : status;
}

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t\r") == length;
}

/* One line; CSV's first one is its header. */
static bnd_status take_line(bndi_reading *r, bndi_fields *columns, bool *is_csv, char *line, size_t length)
{
    bool first = r->record->count == 0 && columns->count == 0;
    r->point = bndi_point_none();
    r->have = 0;
    r->has_histogram = 0;
    memset(r->first_bin, -1, sizeof r->first_bin);
    if (memchr(line, '\0', length) != NULL) {
        return bndi_line_refuse(r->line, "must not have a zero byte", "the line", 8, r->why);
    }
    if (first && !*is_csv && line[strspn(line, " \t")] != '{') {
        if (r->each != NULL) {
            return bnd_fail(r->why, BND_BAD_FILE, 0,
                            "line %llu: expected a JSON object with \"step\" and \"loss\" per line, or a run directory",
                            (unsigned long long)r->line);
        }
        *is_csv = true;
        return bndi_fields_read(columns, r, line);
    }
    bool chosen = true;
    bnd_status status = BND_OK;
    if (r->log && !*is_csv && r->names.step[0] == '\0') {
        status = bndi_object_choose(&chosen, r, line, length);
    }
    if (status != BND_OK || !chosen) {
        return status;
    }
    status = *is_csv ? bndi_row_of_fields(r, columns, line) : bndi_object_read(r, line, length);
    const bool empty = *is_csv && r->log && !(r->have >> BNDI_COLUMN_LOSS & 1); /* a row about another column */
    return status == BND_OK && !empty ? add_point(r) : status;
}

static bnd_status take_lines(bndi_reading *r, uint64_t *end, bndi_lines *lines, uint64_t most)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that some editors put before UTF-8 */
    bndi_fields columns = {.count = 0};
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
            status = bndi_in_line(r->line, r->why, r->each(r->data, line + skipped, length - skipped, r->why));
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

static bnd_status take_file(bndi_reading *r, uint64_t *end, const char *path, uint64_t most)
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
    bndi_reading r = {.record = record, .why = why};
    return take_file(&r, end != NULL ? end : &unused, path, most);
}

bnd_status bndi_log_read(bnd_record *record, const char *path, const bnd_log_columns *asked, bnd_error *why)
{
    uint64_t unused = 0;
    bndi_reading r = {.record = record, .why = why, .log = true, .asked = asked};
    bnd_status status = take_file(&r, &unused, path, UINT64_MAX);
    if (status == BND_OK && record->count == 0 && r.refused) {
        return bnd_fail(why, BND_BAD_FILE, 0, "%s", r.refusal.message);
    }
    if (status == BND_OK) {
        record->step_column = strdup(r.names.step);
        record->loss_column = strdup(r.names.loss);
        if (record->step_column == NULL || record->loss_column == NULL) {
            status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the names of columns");
        }
    }
    return status;
}

bnd_status bndi_points_each(const char *path, uint64_t most, bndi_each_line *each, void *data, bnd_error *why)
{
    uint64_t unused = 0;
    bnd_record last;
    bndi_record_none(&last);
    bndi_reading r = {.record = &last, .each = each, .data = data, .why = why};
    bnd_status status = take_file(&r, &unused, path, most);
    bnd_record_close(&last);
    return status;
}
