/* Memory: allocation and copying. Without a C library (BND_FREESTANDING: see binade.c, which `make amalgamation`
 * writes) only the functions below exist. Such a program may name an allocator: BND_MALLOC(bytes) and
 * BND_FREE(memory). */
#ifndef BINADE_SRC_BASE_MEMORY_H
#define BINADE_SRC_BASE_MEMORY_H

#include <stddef.h>

#if defined(BND_FREESTANDING)
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *memory, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
#else
#include <stdlib.h>
#include <string.h>
#endif

/* NULL if no memory is left or if there is no allocator. */
static inline void *bndi_allocate(size_t bytes)
{
#if defined(BND_MALLOC)
    return BND_MALLOC(bytes);
#elif defined(BND_FREESTANDING)
    (void)bytes;
    return NULL;
#else
    return malloc(bytes);
#endif
}

static inline void bndi_release(void *memory)
{
#if defined(BND_MALLOC)
    BND_FREE(memory);
#elif defined(BND_FREESTANDING)
    (void)memory;
#else
    free(memory);
#endif
}

#endif
