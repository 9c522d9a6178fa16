/* Points being read from a file: the current line, and the meaning of its columns. */
#ifndef BINADE_SRC_STUDY_POINTS_H
#define BINADE_SRC_STUDY_POINTS_H

#include "study/study.h"

typedef struct bndi_reading {
    bnd_record *record;
    bnd_point point;
    uint32_t have; /* a bit a column: what the line has said */
    uint64_t line, added;
    bool log;                     /* of another program, perhaps */
    const bnd_log_columns *asked; /* of it; NULL: nothing */
    bndi_log_names names;         /* of it, as soon as a line has both */
    bool refused;                 /* the first line that does not have both: */
    bnd_error refusal;
    int first_bin[BND_ROLE_COUNT]; /* what ROLE/exponents_from says, from 0; -1: nothing */
    uint64_t has_histogram;        /* a bit a role: */
    bnd_histogram histogram[BND_ROLE_COUNT];
    bndi_each_line *each; /* NULL: the record keeps the points; otherwise the last one only */
    void *data;
    bnd_error *why;
} bndi_reading;

/* Fails with "line 12: NAME: WHAT". */
bnd_status bndi_line_refuse(uint64_t line, const char *what, const char *name, size_t length, bnd_error *why);

/* Puts "line 12: " before the message of a failed status. */
bnd_status bndi_in_line(uint64_t line, bnd_error *why, bnd_status status);

bool bndi_is_key(const char *text, size_t length, const char *word);

/* The column of a key; BNDI_COLUMNS if it has none. In a log of another program, the log's own names of the step and
 * the loss are recognised. */
size_t bndi_reading_column(const bndi_reading *r, const char *key, size_t length);

/* Sets a column of the point; fails if the line has set it already. */
bnd_status bndi_reading_set(bndi_reading *r, size_t column, double x);

/* ---- JSON ---- */

/* Before the first line with a step and a loss others may come. `chosen`: this is one. */
bnd_status bndi_object_choose(bool *chosen, bndi_reading *r, const char *line, size_t length);

/* Reads all members of the line. */
bnd_status bndi_object_read(bndi_reading *r, const char *line, size_t length);

/* ---- CSV ---- */

/* Which columns the fields of a file are: BNDI_COLUMNS for unknown ones. */
typedef struct bndi_fields {
    uint8_t column[BNDI_FIELDS_MOST];
    size_t count;
    char separator[2];
} bndi_fields;

/* The header: which columns its fields are. */
bnd_status bndi_fields_read(bndi_fields *out, bndi_reading *r, char *line);

/* Reads the fields of a row. */
bnd_status bndi_row_of_fields(bndi_reading *r, const bndi_fields *columns, char *line);

#endif
