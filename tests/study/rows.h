/* Records of three steps, and their rows, for the tests of summaries and settings. */
#ifndef TESTS_STUDY_ROWS_H
#define TESTS_STUDY_ROWS_H

#include <CUnit/CUnit.h>

#include "study/study.h"
#include "tests/support/outcome.h"

/* Completes a record: steps 0 to 2 with this training loss, and a validation loss. */
static inline void end_record(bnd_record *r, uint64_t seed, double loss, double validation)
{
    bnd_error why;
    r->seed_init = r->seed_data = seed;
    r->chance_loss = 4;
    for (uint64_t i = 0; i < 3; i++) {
        bnd_point p = bndi_point_none();
        p.step = i;
        p.loss = loss;
        CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_add(r, &p, &why), &why));
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_finish(r, &why), &why));
    r->complete = r->validated = true;
    r->steps = 3;
    r->validation = validation;
}

static inline bnd_summary_row *rows_of(size_t *n, bnd_record *records, size_t count)
{
    bnd_summary_row *rows = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_summary_make(&rows, n, records, count, BND_COMPARISON_MARGIN, &why), &why));
    return rows;
}

static inline void end(bnd_summary_row *rows, bnd_record *records, size_t count)
{
    bnd_summary_free(rows);
    for (size_t i = 0; i < count; i++) {
        bnd_record_close(&records[i]);
    }
}

#endif
