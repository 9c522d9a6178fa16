/* Files mapped into memory. */
#define _DEFAULT_SOURCE /* madvise */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Advice: a refusal changes nothing. */
void bnd_lab_map_expect(const bnd_lab_mapped *map, bool all)
{
    if (map->size > 0) {
        (void)madvise((void *)(uintptr_t)map->bytes, map->size, all ? MADV_SEQUENTIAL : MADV_RANDOM);
    }
}

static bnd_status map_open_file(bnd_lab_mapped *out, int fd, bnd_error *why)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return bndi_fail_system(why, "its size cannot be read", errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "must be a regular file: other kinds cannot be mapped");
    }
    if ((uintmax_t)about.st_size > SIZE_MAX) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "is larger than this machine's address space");
    }
    bnd_lab_mapped map = {.size = (size_t)about.st_size};
    if (map.size > 0) {
        void *bytes = mmap(NULL, map.size, PROT_READ, MAP_SHARED, fd, 0);
        if (bytes == MAP_FAILED) {
            return bndi_fail_system(why, "cannot be mapped", errno);
        }
        map.bytes = bytes;
        bnd_lab_map_expect(&map, true);
    }
    *out = map;
    return BND_OK;
}

bnd_status bnd_lab_map_open(bnd_lab_mapped *out, const char *path, bnd_error *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, and not waited for */
    if (fd < 0) {
        return bndi_fail_system(why, "cannot be opened", errno);
    }
    bnd_status status = map_open_file(out, fd, why);
    close(fd);
    return status;
}

void bnd_lab_map_close(bnd_lab_mapped *map)
{
    if (map->size > 0) {
        munmap((void *)(uintptr_t)map->bytes, map->size);
    }
    *map = (bnd_lab_mapped){0};
}

void bnd_lab_map_drop(const bnd_lab_mapped *map, size_t end)
{
    long page = sysconf(_SC_PAGESIZE);
    if (page > 0 && end <= map->size && end >= (size_t)page) {
        (void)madvise((void *)(uintptr_t)map->bytes, end - end % (size_t)page, MADV_DONTNEED);
    }
}
