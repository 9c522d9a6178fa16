/* The options and the results of `binade verify`. */
#ifndef BINADE_TOOLS_VERIFY_H
#define BINADE_TOOLS_VERIFY_H

#include "common/print.h"
#include "common/progress.h"

enum { MOST_RULES = 16, MOST_CHECKS = 32 };

/* A row of the table: one check of one format, under all rules. */
typedef struct result {
    size_t check, format;
    bnd_verify_result found;
    double seconds;
    size_t rules_done; /* and within the next one: */
    uint64_t place;    /* what a checkpoint was given */
} result;

/* The same from a state file. */
typedef struct saved_result {
    char format[BND_FORMAT_NAME_SIZE];
    result result;
} saved_result;

typedef struct verify {
    settings common;
    bnd_rule rules[MOST_RULES];
    size_t rule_count;
    bool wanted[MOST_CHECKS], checks_given, exhaustive;
    result *results;
    size_t result_count;
    progress bar;
    uint64_t before; /* effort of what is done */
    result *current; /* what is being verified, since when */
    double current_began;
    const char *state; /* a file, or NULL */
    uint64_t build;    /* a hash of this program */
    saved_result *saved;
    size_t saved_count;
    double saved_at;
    bool save_failed;
} verify;

void verify_print(const verify *v);
uint64_t verify_mismatches(const verify *v);
char *verify_left_out(const verify *v); /* checks that were named, where a format has no cases: "bits of e4m3, ..." */

/* ---- state.c; without --state these do nothing ---- */

int verify_load_state(verify *v);            /* GO_ON, or the status to leave with after a message */
int verify_take_saved(verify *v, result *r); /* a new row of the table continues where it was; the same */
void verify_save_state(verify *v);           /* once per second */
void verify_remove_state(const verify *v);

#endif
