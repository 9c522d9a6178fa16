/* Checks the outcome of a call, and prints it if it is not the expected one. */
#ifndef TESTS_SUPPORT_OUTCOME_H
#define TESTS_SUPPORT_OUTCOME_H

#include <binade/base.h>

bool succeeds(bnd_status status, const bnd_error *why);
bool refuses(bnd_status status, const bnd_error *why, const char *part_of_message);

#endif
