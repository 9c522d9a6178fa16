/* How runs are kept on the disk: as train/ keeps them. */
#include "study/study.h"

const bndi_keeper bndi_checkpoints = {.save = bnd_run_save, .load = bnd_run_load, .change = bnd_run_switch};
