/* The choices and the statistics of calls on arrays, which blocks share. */
#ifndef BINADE_NPM_ARRAY_H
#define BINADE_NPM_ARRAY_H

#include "core.h"

const bnd_array *core_how(void);
bnd_stats *core_counted(void);

#endif
