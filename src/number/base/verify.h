/* Internal preconditions, checked in the builds that the tests run (configure --enable-verify, and with sanitizers). */
#ifndef BINADE_SRC_BASE_VERIFY_H
#define BINADE_SRC_BASE_VERIFY_H

/* BNDI_VERIFY(condition): the condition is true for every possible call of the library. A release does not evaluate it,
 * so it must not have side effects. If it is false in a checked build, the program prints the location and aborts. */
#if defined(BNDI_WITH_VERIFY)
#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void bndi_verify_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: BNDI_VERIFY(%s) does not hold\n", file, line, condition);
    abort();
}
#define BNDI_VERIFY(condition) ((condition) ? (void)0 : bndi_verify_failed(__FILE__, __LINE__, #condition))
#else
#define BNDI_VERIFY(condition) ((void)(0 && (condition))) /* mentions it, so that no variable is unused */
#endif

#endif
