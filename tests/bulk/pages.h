/* Memory that ends where nobody may read or write, on both sides. */
#ifndef TESTS_BULK_PAGES_H
#define TESTS_BULK_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { FILL = 0xa5 };

/* Pages for up to `room` bytes, between two that trap every access. */
typedef struct pages {
    unsigned char *map, *first;
    size_t room, guard;
} pages;

/* Ends the test program where there is no memory. */
pages pages_open(size_t room);
void pages_close(pages *p);

/* `bytes` bytes that begin (or, with `at_end`, end) `slack` bytes from the page that traps; all the rest is filled. */
unsigned char *pages_place(const pages *p, size_t bytes, bool at_end, size_t slack);

/* Is everything but these bytes as it was filled? */
bool pages_untouched(const pages *p, const unsigned char *at, size_t bytes);

#endif
