/* Building trees of JSON values: jansson_read.c reads them, jansson.c keeps them. */
#ifndef BINADE_PAGE_JSON_TREE_H
#define BINADE_PAGE_JSON_TREE_H

#include "jansson.h"

/* Returns NULL without memory. */
json_t *json_tree_new(json_type type);

/* Adds a value to an array or, with its key set, to an object, where it replaces the value of the same key. False
 * without memory; the value is then still the caller's. */
bool json_tree_add(json_t *container, json_t *value);

#endif
