/* The groups of tests of store/, headers of .npy made of their parts, and a folder to write in. */
#ifndef TESTS_STORE_TESTS_H
#define TESTS_STORE_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/store.h>

extern CU_TestInfo read_tests[];
extern CU_TestInfo refused_tests[];
extern CU_TestInfo write_tests[];
extern CU_TestInfo file_tests[];
extern CU_TestInfo json_writer_tests[];
extern CU_TestInfo safetensors_tests[];
extern CU_TestInfo safetensors_refused_tests[];
extern CU_TestInfo safetensors_write_tests[];
extern CU_TestInfo answer_line_tests[];

typedef struct npy_bytes {
    unsigned char bytes[8192];
    size_t size;
} npy_bytes;

/* A header of this version around a text, which needs no padding to be one. */
npy_bytes npy_header(unsigned version, const char *text);
bnd_status npy_read(bnd_npy *out, const npy_bytes *header, bnd_error *why);

/* A new folder; leaving it, which asks that nothing is left in it; a path in it, good until the fourth after it. */
extern char test_folder[64];
void folder_enter(void);
void folder_leave(void);
const char *folder_path(const char *name);

void file_put(const char *path, const char *text);
bool file_holds(const char *path, const char *text);

/* ---- .safetensors in memory (test_safetensors.c) ---- */

/* A file with this header and this number of bytes of data: 0, 1, 2, ... In memory of just its size, where sanitizers
 * see a byte too many. */
typedef struct whole_file {
    unsigned char *bytes;
    size_t size;
} whole_file;

whole_file file_of_n(const char *text, size_t length, size_t data);
whole_file file_of(const char *text, size_t data);

#endif
