/* Memory of the module: a stack that grows from the end of the data, and the four functions that the number wing needs
 * in place of a C library. JavaScript notes the top before a call and goes back to it afterwards, so nothing is freed
 * one by one. */
#include "core.h"

enum { PAGE = 65536, ALIGNMENT = 16 };

extern unsigned char __heap_base; /* wasm-ld: where the data and the stack end */

static uintptr_t top;

static uintptr_t first(void)
{
    return ((uintptr_t)&__heap_base + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
}

static bool grow_to(uintptr_t end)
{
    size_t pages = __builtin_wasm_memory_size(0);
    size_t wanted = end / PAGE + (end % PAGE != 0);
    return wanted <= pages || __builtin_wasm_memory_grow(0, wanted - pages) != SIZE_MAX;
}

EXPORT(take) void *core_take(size_t bytes)
{
    uintptr_t at = top == 0 ? first() : top;
    if (bytes > UINTPTR_MAX - at - ALIGNMENT) {
        return NULL;
    }
    uintptr_t end = (at + bytes + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    if (!grow_to(end)) {
        return NULL;
    }
    top = end;
    return (void *)at; // NOLINT
}

EXPORT(mark) uintptr_t core_mark(void)
{
    return top == 0 ? first() : top;
}

EXPORT(release) void core_release(uintptr_t mark)
{
    top = mark;
}

/* ---- what the compiler calls; memory.copy and memory.fill are single instructions ---- */

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    __builtin_memcpy(to, from, n);
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    __builtin_memmove(to, from, n);
    return to;
}

void *memset(void *memory, int byte, size_t n)
{
    __builtin_memset(memory, byte, n);
    return memory;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}
