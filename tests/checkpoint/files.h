/* Small checkpoints in the test's folder, and what is reported when one is opened. */
#ifndef TESTS_CHECKPOINT_FILES_H
#define TESTS_CHECKPOINT_FILES_H

#include <CUnit/CUnit.h>
#include <binade-lab/checkpoint.h>

extern CU_TestInfo opening_tests[];
extern CU_TestInfo damage_tests[];
extern CU_TestInfo kind_tests[];
extern CU_TestInfo broken_tests[];
extern CU_TestInfo writer_tests[];

/* A file in the folder. */
void put_text(const char *name, const char *text);
/* A .safetensors file with this header and `data` bytes 0, 1, 2, ... */
void put_shard(const char *name, const char *header, size_t data);

/* The codes and places that were reported: "shard-missing x.safetensors; ". */
typedef struct reports {
    char text[2000];
    size_t count;
} reports;
void take_report(void *state, const char *code, const char *where, const char *message);

/* Opens a name of the folder, "" being the folder itself. NULL: refused, with the message in `why`. */
bnd_checkpoint *open_named(const char *name, reports *out, bnd_error *why);

/* Two files with three tensors each, and their index. */
void put_two_shards(void);
/* m.gguf and w.npy. */
void put_other_kinds(void);
#define SHARD_1                                                                                                        \
    "{\"__metadata__\":{\"format\":\"pt\",\"a\":\"1\"},"                                                               \
    "\"w.a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"                                            \
    "\"w.b\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[12,16]}}"
#define SHARD_2                                                                                                        \
    "{\"__metadata__\":{\"format\":\"tf\",\"b\":\"2\"},"                                                               \
    "\"w.c\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[4,8]},"                                                 \
    "\"v\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"
#define INDEX_OF(total, lines) "{\"metadata\":{\"total_size\":" total "},\"weight_map\":{" lines "}}"
#define LINES_1                "\"w.a\":\"1.safetensors\",\"w.b\":\"1.safetensors\""
#define LINES_2                "\"v\":\"2.safetensors\",\"w.c\":\"2.safetensors\""
#define LINES                  LINES_1 "," LINES_2

#endif
