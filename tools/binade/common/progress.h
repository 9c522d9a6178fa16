/* A progress bar on standard error for work that takes more than a second. */
#ifndef BINADE_TOOLS_PROGRESS_H
#define BINADE_TOOLS_PROGRESS_H

#include "command.h"

#include <time.h>

enum progress_unit { PROGRESS_BYTES, PROGRESS_ITEMS, PROGRESS_SHARE }; /* SHARE: amounts mean nothing to people */

typedef struct progress {
    const char *label;
    const char *(*note)(void *state); /* the end of the line; may be NULL */
    void *state;
    enum progress_unit unit;
    uint64_t total; /* 0: not known */
    bool wanted, at_once, terminal, drawn;
    struct timespec began, drawn_at;
    uint64_t done;
} progress;

void progress_begin(progress *p, const settings *s, const char *label, enum progress_unit unit, uint64_t total);
void progress_at(progress *p, uint64_t done); /* so much is done in all; draws at most ten times a second */
void progress_end(progress *p);               /* before any other message */

/* Of a clock that only runs forwards; from any beginning. */
double seconds_now(void);

#endif
