/* How runs are kept: nothing is yet, and a run that is gone on with begins again. */
#include "study/study.h"

const bndi_keeper bndi_checkpoints = {.save = NULL};
