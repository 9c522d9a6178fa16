/* The report of runs: one JSON object with everything that the page draws, and the page with it inside. */
#ifndef BINADE_TOOLS_REPORT_H
#define BINADE_TOOLS_REPORT_H

#include "report/html.h"
#include "train/training.h"

/* Writes FILE.html: the installed page with the report of these runs inside. `words` are the arguments that name the
 * runs on a command line (NULL: they are not on the disk). GO_ON, or the status to leave with. */
int report_save(const char *file, const command *self, const train_result *r, char *const *words, size_t word_count);

/* The report as JSON. */
void json_report(bnd_lab_json *json, const train_result *r, char *const *words, size_t word_count);

#endif
