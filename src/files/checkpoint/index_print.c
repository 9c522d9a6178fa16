/* The text of model.safetensors.index.json: as transformers writes it, with two blanks per level and sorted keys
 * (huggingface/transformers, src/transformers/modeling_utils.py, save_pretrained). */
#include "checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/json_writer.h"

void bndi_name_shard(char out[BNDI_SHARD_NAME], size_t shard, size_t shards)
{
    if (shards == 1) {
        snprintf(out, BNDI_SHARD_NAME, "model.safetensors");
    } else {
        snprintf(out, BNDI_SHARD_NAME, "model-%05zu-of-%05zu.safetensors", shard + 1, shards);
    }
}

static void put_text(bnd_lab_json_memory *out, const char *bytes)
{
    bnd_lab_json_to_memory(out, bytes, strlen(bytes));
}

static void put_string(bnd_lab_json_memory *out, const char *string)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bnd_lab_json_to_memory, out);
    bnd_lab_json_string(&json, NULL, string);
}

static void print(bnd_lab_json_memory *out, const bndi_index_lines *lines)
{
    char total[128], name[BNDI_SHARD_NAME];
    snprintf(total, sizeof total, "{\n  \"metadata\": {\n    \"total_size\": %llu\n  },\n  \"weight_map\": {",
             (unsigned long long)lines->total_size);
    put_text(out, total);
    for (size_t i = 0; i < lines->count; i++) {
        bndi_name_shard(name, lines->lines[i].shard, lines->shards);
        put_text(out, i > 0 ? ",\n    " : "\n    ");
        put_string(out, lines->lines[i].tensor);
        put_text(out, ": ");
        put_string(out, name);
    }
    put_text(out, "\n  }\n}\n");
}

bnd_status bndi_index_print(char **out, size_t *length, const bndi_index_lines *lines, bnd_error *why)
{
    bnd_lab_json_memory measured = {.bytes = NULL};
    print(&measured, lines);
    bnd_lab_json_memory made = {.bytes = malloc(measured.length)};
    if (made.bytes == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an index of %zu bytes", measured.length);
    }
    print(&made, lines);
    *out = made.bytes;
    *length = made.length;
    return BND_OK;
}
