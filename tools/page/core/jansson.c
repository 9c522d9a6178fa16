/* Trees of JSON values: made, looked into and released. No call recurses, however deep the tree is. */
#include "jansson.h"
#include "json_tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *jansson_version_str(void)
{
    return "2.14 (calls of the page)";
}

static bool is_container(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

json_t *json_tree_new(json_type type)
{
    json_t *value = calloc(1, sizeof *value);
    if (value != NULL) {
        value->type = type;
    }
    return value;
}

/* ---- members by their keys ---- */

/* The slot that holds the key, or the empty one where it belongs. */
static size_t slot_of(const json_t *object, const char *key)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (const unsigned char *at = (const unsigned char *)key; *at != 0; at++) {
        hash = (hash ^ *at) * 1099511628211U;
    }
    size_t slots = 2 * object->is.all.room;
    size_t slot = (size_t)((hash ^ hash >> 29) % slots);
    while (object->is.all.slots[slot] != 0 &&
           strcmp(object->is.all.items[object->is.all.slots[slot] - 1]->key, key) != 0) {
        slot = slot + 1 < slots ? slot + 1 : 0;
    }
    return slot;
}

json_t *json_object_get(const json_t *object, const char *key)
{
    if (!json_is_object(object) || object->is.all.count == 0) {
        return NULL;
    }
    size_t index = object->is.all.slots[slot_of(object, key)];
    return index != 0 ? object->is.all.items[index - 1] : NULL;
}

static bool grow(json_t *container)
{
    size_t room = container->is.all.room == 0 ? 4 : 2 * container->is.all.room;
    if (room > SIZE_MAX / (2 * sizeof *container->is.all.slots)) {
        return false;
    }
    size_t *slots = container->type == JSON_OBJECT ? calloc(2 * room, sizeof *slots) : NULL;
    json_t **items = realloc(container->is.all.items, room * sizeof *items);
    if (items != NULL) {
        container->is.all.items = items;
    }
    if (items == NULL || (slots == NULL && container->type == JSON_OBJECT)) {
        free(slots);
        return false;
    }
    free(container->is.all.slots);
    container->is.all.slots = slots;
    container->is.all.room = room;
    for (size_t i = 0; slots != NULL && i < container->is.all.count; i++) {
        slots[slot_of(container, items[i]->key)] = i + 1;
    }
    return true;
}

bool json_tree_add(json_t *container, json_t *value)
{
    if (container->is.all.count == container->is.all.room && !grow(container)) {
        return false;
    }
    size_t index = container->is.all.count;
    if (container->type == JSON_OBJECT) {
        size_t *slot = &container->is.all.slots[slot_of(container, value->key)];
        index = *slot != 0 ? *slot - 1 : index;
        *slot = index + 1;
    }
    if (index < container->is.all.count) {
        json_decref(container->is.all.items[index]);
    }
    container->is.all.count += index == container->is.all.count;
    container->is.all.items[index] = value;
    value->parent = container;
    return true;
}

/* ---- released ---- */

void json_decref(json_t *value)
{
    json_t *outside = value != NULL ? value->parent : NULL;
    while (value != NULL && value != outside) {
        if (is_container(value) && value->is.all.count > 0) {
            value = value->is.all.items[--value->is.all.count]; /* its contents first */
            continue;
        }
        json_t *next = value->parent;
        if (is_container(value)) {
            free(value->is.all.items);
            free(value->is.all.slots);
        } else if (value->type == JSON_STRING) {
            free(value->is.text.bytes);
        }
        free(value->key);
        free(value);
        value = next;
    }
}

/* ---- looked into ---- */

const char *json_string_value(const json_t *value)
{
    return json_is_string(value) ? value->is.text.bytes : NULL;
}

size_t json_string_length(const json_t *value)
{
    return json_is_string(value) ? value->is.text.length : 0;
}

json_int_t json_integer_value(const json_t *value)
{
    return json_is_integer(value) ? value->is.integer : 0;
}

double json_number_value(const json_t *value)
{
    return json_is_integer(value) ? (double)value->is.integer : json_is_real(value) ? value->is.real : 0;
}

size_t json_array_size(const json_t *value)
{
    return json_is_array(value) ? value->is.all.count : 0;
}

json_t *json_array_get(const json_t *value, size_t at)
{
    return at < json_array_size(value) ? value->is.all.items[at] : NULL;
}

size_t json_object_size(const json_t *value)
{
    return json_is_object(value) ? value->is.all.count : 0;
}

/* A place among the members is a pointer into `items`. */
void *json_object_iter(json_t *object)
{
    return json_object_size(object) == 0 ? NULL : object->is.all.items;
}

void *json_object_iter_next(json_t *object, void *at)
{
    json_t **next = (json_t **)at + 1;
    return next < object->is.all.items + object->is.all.count ? next : NULL;
}

const char *json_object_iter_key(void *at)
{
    return (*(json_t **)at)->key;
}

json_t *json_object_iter_value(void *at)
{
    return *(json_t **)at;
}
