#include "tests/support/outcome.h"

#include <stdio.h>
#include <string.h>

bool succeeds(bnd_status status, const bnd_error *why)
{
    if (status != BND_OK) {
        printf("\n    refused: %s\n", why->message);
    }
    return status == BND_OK;
}

bool refuses(bnd_status status, const bnd_error *why, const char *part_of_message)
{
    bool does = status != BND_OK && strstr(why->message, part_of_message) != NULL;
    if (!does) {
        printf("\n    status %d: %s\n    instead of: ... %s ...\n", (int)status, status != BND_OK ? why->message : "",
               part_of_message);
    }
    return does;
}
