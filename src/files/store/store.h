/* What store/ shares between its files.
 *
 * A header is parsed from bytes in memory, so that it can be fuzzed, and it is accepted only where it agrees with the
 * size of the file. An output is written under a temporary name and renamed, so that a partial file is never visible.
 *
 * JSON is read with jansson. A tree of jansson takes up to 77 times the memory of its text, and a .safetensors header
 * may have 100 MB. So a large text is split member by member, by matching quotes and brackets, and each key and value
 * is a tree of its own, freed before the next. Small files (config.json, a recipe) are one tree, with a limit for
 * their size.
 *
 * In .safetensors every byte belongs to exactly one tensor. The writer makes the header in memory and has the reader
 * read it, so that no rule is written twice. Tensors are ordered by element size, largest first, then by name: the
 * same arrays give the same bytes. */
#ifndef BINADE_SRC_STORE_H
#define BINADE_SRC_STORE_H

#include <binade-lab/store.h>

#include "store/mapped_file.h"
#include "store/output_file.h"
#include "store/output_folder.h"

/* Fails with `what` and the system's words for an error number: "cannot be read: Permission denied". */
bnd_status bndi_fail_system(bnd_error *why, const char *what, int number);

/* A name from a file as messages show it: short, on one line. */
enum { BNDI_SHOWN = 96 };
const char *bndi_shown(char out[BNDI_SHOWN], const char *name);

/* A line of an answer in words: `out` has at most `size` bytes of it, with a final 0 byte; `length` counts all. */
typedef struct bndi_sentence {
    char *out;
    size_t size, length;
} bndi_sentence;
bndi_sentence bndi_sentence_in(char *out, size_t size); /* an empty one */
void bndi_sentence_add(bndi_sentence *line, const char *format, ...) BND_PRINTF(2, 3);
void bndi_sentence_add_bytes(bndi_sentence *line, double bytes); /* as bnd_bytes_print */

/* Writes line `line` of an answer, whose lines are those for which a writer writes something, in the order of the
 * writers. Returns its length; 0, with an empty text: there are no more. */
typedef void bndi_sentence_writer(bndi_sentence *line, const void *answer);
size_t bndi_sentence_print(char *out, size_t size, bndi_sentence_writer *const *writers, size_t count,
                           const void *answer, size_t line);

/* A new file or folder next to `path`, named after it and a number; numbers are tried until one is free. `create`
 * makes it and returns `created`, or -1 with errno. */
BND_CHECKED bnd_status bndi_create_beside(char **temporary, const char *path, int (*create)(const char *path),
                                          int *created, bnd_error *why);

/* Makes a file this long, with room for it on the disk where the system can do that. */
BND_CHECKED bnd_status bndi_reserve(int fd, uint64_t size, bnd_error *why);

/* Writes all of these bytes at an offset. Safe from any number of threads. */
BND_CHECKED bnd_status bndi_write_at(int fd, uint64_t offset, const void *bytes, size_t length, bnd_error *why);

/* Refuses a file or folder that no rename can replace, although it can be written. `path` has no links. */
BND_CHECKED bnd_status bndi_check_replaceable(const char *path, bool is_folder, bnd_error *why);

/* The name `path` is on the disk when the folder that it is in is. Some file systems do not take that. */
void bndi_sync_directory_of(const char *path);

/* Is this text UTF-8? */
bool bndi_is_utf8(const char *text, size_t length);

/* Parses a descr (without its quotes): sets descr, kind, element_size and big_endian. `at` is its offset in the
 * header, for messages. */
bnd_status bndi_npy_element(bnd_npy *out, const char *descr, size_t length, size_t at, bnd_error *why);

/* The elements of a shape; false where they are more than `most`, and a 0 among the extents does not excuse the others.
 */
bool bndi_count_elements(uint64_t *count, const uint64_t *shape, size_t rank, uint64_t most);

/* Elements and bytes from the shape and the size of an element; refused where no file could hold them. */
bnd_status bndi_npy_count(bnd_npy *npy, bnd_error *why);

/* Writes entry->size bytes; `index` is the entry's among those that were given. */
typedef bnd_status bndi_write_data(const bnd_lab_output *file, const bnd_safetensor *entry, size_t index, void *context,
                                   bnd_error *why);

/* Like bnd_safetensors_write, but `write` is called for each entry's data, in the order of the file. */
BND_CHECKED bnd_status bndi_safetensors_save(const char *path, const bnd_safetensor *entries, size_t count,
                                             const bnd_safetensors_pair *metadata, size_t pairs, bndi_write_data *write,
                                             void *context, bnd_error *why);

/* The same, with a checksum of the whole file among its metadata. `write` is called twice for each entry. */
BND_CHECKED bnd_status bndi_safetensors_save_summed(const char *path, const bnd_safetensor *entries, size_t count,
                                                    const bnd_safetensors_pair *metadata, size_t pairs,
                                                    bndi_write_data *write, void *context, bnd_error *why);

/* Refuses a file whose bytes do not match its checksum. A file without one is accepted. */
BND_CHECKED bnd_status bndi_safetensors_check_sum(const bnd_safetensors *file, bnd_error *why);

#endif
