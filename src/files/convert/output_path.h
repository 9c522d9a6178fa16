/* Where an output may go. */
#ifndef BINADE_SRC_CONVERT_OUTPUT_PATH_H
#define BINADE_SRC_CONVERT_OUTPUT_PATH_H

#include <binade-lab/checkpoint.h>

/* Fails if the path is the folder of the input, or one of its files. */
BND_CHECKED bnd_status bndi_refuse_input(const bnd_checkpoint *in, const char *path, bnd_error *why);

#endif
