/* What the files of `binade formats` share: the table of block formats. */
#ifndef BINADE_TOOLS_FORMATS_H
#define BINADE_TOOLS_FORMATS_H

#include "common/print.h"

table block_table(enum output output);
void add_block(table *t, const bnd_block *block);

#endif
