/* Memory for tests. */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include <stddef.h>

/* Zeroed memory, to be freed; ends the test program if there is none. */
void *memory_of(size_t bytes);

#endif
