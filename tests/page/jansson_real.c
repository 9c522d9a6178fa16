/* jansson itself. */
#include <jansson.h>
#include <stdbool.h>

bool is_the_reference(void);
bool is_the_reference(void)
{
    return JANSSON_VERSION_HEX >> 8 == 0x020e;
}

#define DESCRIBE describe_real
#include "describe_template.h"
