/* A .gguf file as a checkpoint. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

static bnd_stored_tensor stored(const bnd_checkpoint *c, const bndi_gguf_tensor *t)
{
    static const bnd_stored_kind kinds[] = {[BNDI_GGUF_FLOAT] = BND_STORED_FLOAT,
                                            [BNDI_GGUF_INTEGER] = BND_STORED_INTEGER,
                                            [BNDI_GGUF_BLOCKS] = BND_STORED_BLOCKS,
                                            [BNDI_GGUF_OTHER] = BND_STORED_OTHER};
    return (bnd_stored_tensor){.name = t->name,
                               .dtype = t->type->name,
                               .kind = kinds[t->type->kind],
                               .is_signed = t->type->kind == BNDI_GGUF_INTEGER,
                               .bits = t->type->elements == 1 ? (uint8_t)(8 * t->type->bytes) : 0,
                               .gguf_type = t->type->number,
                               .format = t->type->format >= 0 ? bnd_format_at((size_t)t->type->format) : NULL,
                               .rank = t->rank,
                               .shape = t->shape,
                               .count = t->count,
                               .size = t->size,
                               .data = c->map.bytes + t->offset};
}

bnd_status bndi_open_gguf(const bndi_opening *opening, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    c->kind = BND_CHECKPOINT_GGUF;
    bnd_status status = bndi_gguf_read(&c->gguf, c->map.bytes, c->map.size, why);
    if (status != BND_OK) {
        return status;
    }
    if (c->gguf.parts > 1) { /* llama.cpp reads all of them when the first is named */
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "is one of %llu parts of a model; merge them with llama-gguf-split, and name the merged file",
                        (unsigned long long)c->gguf.parts);
    }
    c->files = calloc(1, sizeof *c->files);
    c->tensors = malloc((c->gguf.count + 1) * sizeof *c->tensors);
    char *name = strdup(opening->alone);
    if (c->files == NULL || c->tensors == NULL || name == NULL) {
        free(name);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", c->gguf.count);
    }
    c->files[0] = (bndi_checkpoint_file){.name = name, .size = c->map.size};
    c->file_count = 1;
    for (size_t i = 0; i < c->gguf.count; i++) {
        c->tensors[c->count++] = stored(c, &c->gguf.tensors[i]);
    }
    c->metadata = c->gguf.strings;
    c->pairs = c->gguf.string_count;
    c->gguf.strings = NULL;
    return bndi_take_names(opening, NULL, why);
}
