/* The result table: its texts and columns, and how they are printed. */
#ifndef BINADE_TOOLS_TRAIN_TABLE_H
#define BINADE_TOOLS_TRAIN_TABLE_H

#include "training.h"

/* ---- texts, to be freed (texts.c) ---- */

char *some_text(double x, const char *unit); /* three digits; "-" for NaN */
char *percent_text(double x);
char *whole_text(double x);

char *with_sentence(char *text, char *sentence); /* behind a text, which may be NULL; frees both */

/* ---- notes (notes.c): warnings first, then a legend ---- */

typedef struct result_note {
    const char *word; /* of the table, which the text explains; NULL: a paragraph */
    char *text;
} result_note;

typedef struct result_notes {
    result_note *items;
    size_t count;
} result_notes;

void result_notes_make(result_notes *n, const train_result *r);
void result_notes_clear(result_notes *n);

/* A warning of the library (conclusion.c), to be freed; NULL: there are no more. */
char *note_text(const train_result *r, size_t note);
/* The one on a row that failed. */
char *failure_text(const train_result *r, const train_row *row);

/* ---- columns (columns.c) ---- */

/* A number of a row; NaN: not known. */
typedef double row_number(const train_result *r, const train_row *row);

/* RESULT is always shown, LOST, MEMORY and EMULATION with --details, MEMORY and BY_ROLE with --memory. EMULATION is
 * about this program on this machine, not about recipes. */
enum column_group { RESULT, LOST, MEMORY, BY_ROLE, EMULATION, GROUPS };

/* For people a heading and a text, for programs a key and a number; either may be missing. */
typedef struct train_column {
    const char *key, *heading;
    enum column_group group;
    row_number *number;
    char *(*text)(const train_result *r, const train_row *row);
} train_column;

enum { TRAIN_COLUMNS = 37 };
extern const train_column train_columns[TRAIN_COLUMNS];

/* What programs get; "null" where it is not known. */
char *data_cell(const train_column *c, const train_result *r, const train_row *row);

row_number gap_of, ended_at, bytes_per_parameter, activation_bytes, peak_bytes, recipe_loss;
row_number nan_runs, sum_of_gradients, sum_of_updates;
bool is_compared(const train_row *row, const train_result *r); /* with another row */

/* Bytes by role and in total, and (memory.c) the stacked bars below the table. */
row_number memory_bytes, param_bytes, grad_bytes, master_bytes, m_bytes, v_bytes, extra_bytes, accumulate_bytes;
typedef char *row_text(const train_result *r, const train_row *row);
row_text text_of_param, text_of_grad, text_of_master, text_of_m, text_of_v, text_of_extra, text_of_accumulate;
void print_memory_bars(const train_result *r);

/* Which recipe to use, and which failed (conclusion.c); to be freed. NULL: there is nothing to conclude. */
char *conclusion_text(const train_result *r);
/* The recipe to use: no difference, and less memory than the reference and all others; NULL: there is none. */
const train_row *recommended_row(const train_result *r);

/* The cells of a row as numbers and words, as members of an object (table.c). */
void json_row(bnd_lab_json *json, const train_result *r, const train_row *row);
/* The table as people read it: the member "table" with columns and rows of texts. */
void json_table(bnd_lab_json *json, const train_result *r);

#endif
