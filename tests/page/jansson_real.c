/* jansson itself. */
#include <jansson.h>
#include <stdbool.h>

static const char *key_at(const json_t *object, size_t index)
{
    void *at = json_object_iter((json_t *)object);
    for (; index > 0; index--) {
        at = json_object_iter_next((json_t *)object, at);
    }
    return json_object_iter_key(at);
}

bool is_the_reference(void);
bool is_the_reference(void)
{
    return JANSSON_VERSION_HEX >> 8 == 0x020e;
}

#define KEY      key_at
#define DESCRIBE describe_real
#include "describe_template.h"
