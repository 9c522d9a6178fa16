#include "tests/support/memory.h"

#include <stdio.h>
#include <stdlib.h>

void *memory_of(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory for a test\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}
