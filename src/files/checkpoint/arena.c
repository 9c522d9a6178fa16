/* Memory in chunks, each of which is handed out from its beginning on. */
#include "checkpoint/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CHUNK = 1 << 16, MOST_CHUNK = 1 << 22 };

typedef struct bndi_arena_chunk {
    struct bndi_arena_chunk *older;
    size_t size, used;
    alignas(max_align_t) unsigned char bytes[];
} chunk;

static chunk *grow(bndi_arena *arena, size_t need)
{
    chunk *newest = arena->chunks;
    size_t size = newest == NULL ? LEAST_CHUNK : newest->size < MOST_CHUNK ? newest->size * 2 : MOST_CHUNK;
    size = size < need ? need : size;
    chunk *made = size > SIZE_MAX - sizeof *made ? NULL : calloc(1, sizeof *made + size);
    if (made != NULL) {
        made->size = size;
        made->older = newest;
        arena->chunks = made;
    }
    return made;
}

void *bndi_arena_take(bndi_arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 2 - align) / size) {
        return NULL;
    }
    const size_t need = (count * size + align - 1) / align * align;
    chunk *c = arena->chunks;
    if (c == NULL || c->size - c->used < need) {
        c = grow(arena, need);
    }
    if (c == NULL) {
        return NULL;
    }
    void *taken = c->bytes + c->used;
    c->used += need;
    return taken;
}

char *bndi_arena_text(bndi_arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : bndi_arena_take(arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

void bndi_arena_free(bndi_arena *arena)
{
    chunk *c = arena->chunks;
    while (c != NULL) {
        chunk *older = c->older;
        free(c);
        c = older;
    }
    arena->chunks = NULL;
}
