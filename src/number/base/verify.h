/* Internal preconditions, checked in the builds that the tests run (configure --enable-verify, and with sanitizers). */
#ifndef BINADE_SRC_BASE_VERIFY_H
#define BINADE_SRC_BASE_VERIFY_H

/* BNDI_VERIFY(condition): the condition holds, whatever a caller of the library does. A release does not evaluate it,
 * so it must have no side effect. If it is false in a checked build, the program prints where and aborts. */
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
#define BNDI_VERIFY(condition) ((void)(0 && (condition))) /* names it, so that nothing is unused */
#endif

#endif
