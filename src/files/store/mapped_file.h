/* Files mapped into memory, for the laboratory and the command. */
#ifndef BINADE_SRC_MAPPED_FILE_H
#define BINADE_SRC_MAPPED_FILE_H

#include <binade/base.h>

/* A file in memory, read only. If another process truncates it meanwhile, reading beyond its end raises a signal. */
typedef struct bnd_lab_mapped {
    const unsigned char *bytes; /* NULL where size is 0 */
    size_t size;
} bnd_lab_mapped;
BND_CHECKED bnd_status bnd_lab_map_open(bnd_lab_mapped *out, const char *path, bnd_error *why);
void bnd_lab_map_close(bnd_lab_mapped *map);
/* Says how the bytes will be read: from the beginning to the end, as bnd_lab_map_open expects, or here and there. Then
 * the system does not read ahead. */
void bnd_lab_map_expect(const bnd_lab_mapped *map, bool all);
/* Says that the bytes before `end` are not needed soon: the system may drop them from memory. */
void bnd_lab_map_drop(const bnd_lab_mapped *map, size_t end);

#endif
