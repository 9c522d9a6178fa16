/* Groups records into rows: the library's rows, and what the command keeps of each. */
#include "training.h"

#include <math.h>
#include <stdlib.h>

void result_make(train_result *r, bnd_record *records, size_t count, double margin)
{
    *r = (train_result){.records = records, .count = count, .margin = margin, .peak = (double)NAN};
    for (size_t i = 0; i < count; i++) { /* names from files may contain any characters */
        make_plain_text(records[i].recipe, sizeof records[i].recipe);
        make_plain_text(records[i].model, sizeof records[i].model);
        make_plain_text(records[i].optimizer, sizeof records[i].optimizer);
    }
    if (bnd_summary_make(&r->summary, &r->row_count, records, count, margin, NULL) != BND_OK) {
        allocate(NULL, SIZE_MAX, SIZE_MAX); /* reports that memory ran out, and exits */
    }
    r->rows = allocate(NULL, r->row_count + 1, sizeof *r->rows);
    r->count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const bnd_summary_row *of = &r->summary[i];
        r->count += of->count;
        r->rows[i] = (train_row){.name = of->name,
                                 .records = of->records,
                                 .count = of->count,
                                 .reference = of->reference,
                                 .compared = of->compared,
                                 .is = of->is};
    }
    r->reference = r->row_count > 0 ? r->rows[0].reference : 0;
}

double row_value(const train_result *r, const train_row *row, bnd_summary_number number)
{
    return bnd_summary_value(r->summary, (size_t)(row - r->rows), number);
}

void result_clear(train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        free(r->rows[i].autopsy);
    }
    free(r->rows);
    bnd_summary_free(r->summary);
    *r = (train_result){.row_count = 0};
}
