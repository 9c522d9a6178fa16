/* Reading and writing rows of a tensor as numbers of a work type. */
#ifndef BINADE_SRC_ROWS_H
#define BINADE_SRC_ROWS_H

#include "tensor/maths.h"
#include "tensor/reader.h"

/* Read where `how` is NULL; else written, from the first row to the last, and stored at the latest when it is closed.
 * Zero it before it is opened: closing what was never opened is nothing. */
typedef struct bndi_rows {
    bndi_walk walk;
    size_t length, rows;
    size_t per_block, first, count; /* the block that is here */
    const bndi_store *how;
    bnd_stats *log;         /* where the next write counts; NULL: where `how` says */
    unsigned char *numbers; /* of the block: where they are in the tensor, or in memory */
    bndi_buffer *memory;
    size_t room; /* of it, bytes for a block */
    bool open;
} bndi_rows;

BND_CHECKED bnd_status bndi_rows_open(bndi_rows *r, const bnd_tensor *t, size_t length, bndi_width work,
                                      const bndi_store *how, bnd_error *why);
const void *bndi_row_read(bndi_rows *r, size_t row);
/* The one double of this row as an index below `limit`; fails, in the name of operation `who`, if it is not one. */
BND_CHECKED bnd_status bndi_row_index(size_t *index, bndi_rows *r, size_t row, size_t limit, const char *who,
                                      bnd_error *why);
void *bndi_row_place(bndi_rows *r, size_t row);
void bndi_rows_close(bndi_rows *r);

/* ---- functions of rows ----
 *
 * Rows run along any axes: those whose bits are set in `along`, moved to the end. */

typedef struct bndi_row_pass {
    const bndi_maths *maths;
    bndi_width work; /* of the rows */
    size_t length;   /* of the row that is reduced or normalized */
    double *scratch; /* as long */
} bndi_row_pass;

/* y from up to three rows; rows of what has been reduced have one element. */
typedef void bndi_row_function(const bndi_row_pass *p, void *y, const void *const *in);

/* A tensor whose rows a function takes; `reduced`: it has one element where the others have a row. */
typedef struct bndi_row_operand {
    const bnd_tensor *tensor;
    bool reduced;
} bndi_row_operand;

enum { BNDI_ROW_OPERANDS = 3 };
BND_CHECKED bnd_status bndi_run_rows(bndi_row_operand out, const bndi_row_operand *in, unsigned count,
                                     const bndi_shape *shape, unsigned along, bndi_width work, bndi_row_function *f,
                                     const bndi_store *how, bnd_error *why);

#endif
