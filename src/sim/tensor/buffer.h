/* Memory of tensors: counted by role, shared by views. */
#ifndef BINADE_SRC_TENSOR_BUFFER_H
#define BINADE_SRC_TENSOR_BUFFER_H

#include <binade/block.h>

#include "store/mapped_file.h"
#include "tensor/scaling.h"

/* How the bytes of a buffer are numbers of fp32, where these share scales (scaled.c). */
typedef struct bndi_scaled {
    bndi_scaling how;
    bnd_shape shape;
    size_t count;
    struct bndi_buffer *scales; /* and, of some block formats, the tensor's as the last fp32 */
} bndi_scaled;

typedef struct bndi_buffer {
    size_t references;
    bnd_engine *engine;
    bnd_role role;
    size_t bytes;
    uint64_t walk;    /* of the tape, that counted it last */
    uint64_t version; /* grows with every write through a handle: what was saved must still be what it was */
    unsigned char *data;
    bnd_lab_mapped map;  /* of a file that the data lie in, where it has a size */
    uint8_t integer;     /* bytes of an element, where these are integers of a file, read as numbers; 0: codes */
    bool is_signed;      /* of integers */
    bool constant;       /* not to be written to through a handle */
    bndi_scaled *scaled; /* NULL: codes (or integers) by themselves; else read as numbers of fp32 */
} bndi_buffer;

/* Memory whose bytes are counted for a role; `zeros`: set to 0. */
BND_CHECKED bnd_status bndi_buffer_new(bndi_buffer **out, bnd_engine *engine, bnd_role role, size_t bytes, bool zeros,
                                       bnd_error *why);
/* The bytes of a mapped file from `at` on: takes no memory, and the buffer owns the map from then on. */
BND_CHECKED bnd_status bndi_buffer_mapped(bndi_buffer **out, bnd_engine *engine, bnd_role role,
                                          const bnd_lab_mapped *map, size_t at, bnd_error *why);
void bndi_buffer_release(bndi_buffer *buffer);

/* Memory that counts for no role, because only emulation needs it: the engine's, valid until the next call for the same
 * one. NULL: out of memory. */
void *bndi_workspace(bnd_engine *engine, unsigned which, size_t bytes);
void bndi_count_flops(bnd_engine *engine, bnd_tensor_operation operation, uint64_t flops);

/* Gives memory back to the system that no tensor uses. */
void bndi_free_spares(bnd_engine *engine);

#endif
