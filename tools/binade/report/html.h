/* A report as a page: the installed page with JSON in the place that it has for a report. */
#ifndef BINADE_TOOLS_REPORT_HTML_H
#define BINADE_TOOLS_REPORT_HTML_H

#include "common/print.h"

/* Fails early, before long work: is the page there, and can FILE.html be written? NULL is nothing to write. GO_ON, or
 * the status to leave with. */
int report_check(const char *file, const command *self);

/* Begins the object of a report, with the members that every report has. */
void report_begin(bnd_lab_json *json, const char *kind);

/* Writes one JSON value, the report. */
typedef void report_content(bnd_lab_json *json, const void *state);

/* Writes FILE.html: the installed page with the report inside. GO_ON, or the status to leave with. */
int report_write(const char *file, const command *self, report_content *write, const void *state);

#endif
