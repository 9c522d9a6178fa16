/* Fills in a machine's peaks, and describes the machine that this program runs on. */
#ifndef BINADE_SRC_COST_MACHINE_H
#define BINADE_SRC_COST_MACHINE_H

#include "cost/cost.h"

void bndi_peak_add(bnd_machine *m, unsigned bits, const char *formats, double dense, double sparse);

/* Fills in peaks, memory and bandwidth. */
BND_CHECKED bnd_status bndi_machine_measure(bnd_machine *m, bnd_error *why);

#endif
