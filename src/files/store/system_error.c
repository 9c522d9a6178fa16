/* The system's error texts in our messages. */
#define _POSIX_C_SOURCE 200809L
#include "store/store.h"

#include <string.h>

bnd_status bndi_fail_system(bnd_error *why, const char *what, int number)
{
    char reason[128];
    if (strerror_r(number, reason, sizeof reason) != 0) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "%s (error %d)", what, number);
    }
    return bnd_fail(why, BND_BAD_STREAM, 0, "%s: %s", what, reason);
}
