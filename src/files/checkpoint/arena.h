/* Memory that is freed all at once. */
#ifndef BINADE_SRC_ARENA_H
#define BINADE_SRC_ARENA_H

#include <stddef.h>

/* All zero: empty. */
typedef struct bndi_arena {
    struct bndi_arena_chunk *chunks; /* the newest first */
} bndi_arena;

/* `count` elements of `size` bytes, of zeros, aligned for any type; NULL if there is no memory. */
void *bndi_arena_take(bndi_arena *arena, size_t count, size_t size);

/* A copy of a text of this length, with a 0 byte; NULL if there is no memory. */
char *bndi_arena_text(bndi_arena *arena, const char *text, size_t length);

void bndi_arena_free(bndi_arena *arena);

#endif
