/* Pages by POSIX's mmap, of a file without a name: anonymous ones are not in POSIX. */
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

pages pages_open(size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pages p = {.room = (room + page - 1) / page * page, .guard = page};
    FILE *file = tmpfile();
    size_t size = p.room + 2 * page;
    void *map = MAP_FAILED;
    if (file != NULL && ftruncate(fileno(file), (off_t)size) == 0) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
    }
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0 ||
        mprotect((unsigned char *)map + page + p.room, page, PROT_NONE) != 0) {
        perror("pages for a test");
        exit(EXIT_FAILURE);
    }
    fclose(file);
    p.map = map;
    p.first = p.map + page;
    memset(p.first, FILL, p.room);
    return p;
}

void pages_close(pages *p)
{
    munmap(p->map, p->room + 2 * p->guard);
}

unsigned char *pages_place(const pages *p, size_t bytes, bool at_end, size_t slack)
{
    memset(p->first, FILL, p->room);
    return at_end ? p->first + p->room - bytes - slack : p->first + slack;
}

static bool is_filled(const unsigned char *bytes, size_t count)
{
    return count == 0 || (bytes[0] == FILL && memcmp(bytes, bytes + 1, count - 1) == 0);
}

bool pages_untouched(const pages *p, const unsigned char *at, size_t bytes)
{
    size_t before = (size_t)(at - p->first);
    return is_filled(p->first, before) && is_filled(at + bytes, p->room - before - bytes);
}
