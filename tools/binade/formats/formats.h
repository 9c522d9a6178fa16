/* What the files of `binade formats` share: the table of block formats. */
#ifndef BINADE_TOOLS_FORMATS_H
#define BINADE_TOOLS_FORMATS_H

#include "common/print.h"

table block_table(enum output output);
void add_block(table *t, const bnd_block *block);

/* The columns of the table of formats, and what the facts of one format are called. The last are names elsewhere, an
 * ecosystem each, and the hardware. */
enum { FORMAT_COLUMNS = 27 + BND_ECOSYSTEM_COUNT, FORMAT_FIRST_NAME = FORMAT_COLUMNS - BND_ECOSYSTEM_COUNT - 1 };
extern const column format_columns[];
extern const char *const format_labels[];
/* `brief`: numbers in few digits; `indented`: the name, too. */
void format_add_row(table *t, const bnd_format *f, bool brief, bool indented);

#endif
