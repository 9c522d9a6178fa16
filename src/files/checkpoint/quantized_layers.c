/* Layers that are quantized in a way of their own: ModelOpt's `quantized_layers`, ComfyUI's `layers` and notes, and
 * MLX's objects. */
#include "checkpoint/quantization.h"
#include "store/json.h"

#include <stdlib.h>
#include <string.h>

enum { NOTE_MOST = 1 << 16 };

static bndi_quantized_layer layer_of(const char *name, const json_t *value, const char *key)
{
    return (bndi_quantized_layer){
        .name = name,
        .algorithm = json_string_value(json_object_get(value, key)),
        .group_size = json_integer_value(json_object_get(value, "group_size")),
        .bits = json_integer_value(json_object_get(value, "bits")),
        .rotated = json_is_true(json_object_get(value, "convrot")),
    };
}

static int compare_layers(const void *a, const void *b)
{
    return strcmp(((const bndi_quantized_layer *)a)->name, ((const bndi_quantized_layer *)b)->name);
}

bool bndi_read_layers(bndi_quantization *q, bndi_arena *arena, json_t *layers, const char *key)
{
    if (!json_is_object(layers)) {
        return true;
    }
    bndi_quantized_layer *out = bndi_arena_take(arena, json_object_size(layers), sizeof *out);
    if (out == NULL) {
        return false;
    }
    for (void *at = json_object_iter(layers); at != NULL; at = json_object_iter_next(layers, at)) {
        out[q->layer_count++] = layer_of(json_object_iter_key(at), json_object_iter_value(at), key);
    }
    qsort(out, q->layer_count, sizeof *out, compare_layers);
    q->layers = out;
    return true;
}

const bndi_quantized_layer *bndi_find_layer(const bndi_quantization *quantization, const char *name, size_t length)
{
    size_t from = 0, to = quantization->layer_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const char *there = quantization->layers[middle].name;
        const int order = strncmp(there, name, length);
        if (order == 0 && there[length] == '\0') {
            return &quantization->layers[middle];
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

bool bndi_comfy_note(bndi_quantized_layer *out, bndi_arena *arena, const void *bytes, size_t length)
{
    const bndi_json_text text = {bytes, length};
    json_t *root = NULL;
    bool good = length <= NOTE_MOST && bndi_json_read(&root, &text, (bndi_json_span){0, length}, NULL) == BND_OK;
    if (good && json_is_object(root)) {
        *out = layer_of("", root, "format");
        const size_t size = out->algorithm == NULL ? 0 : strlen(out->algorithm);
        out->algorithm = size == 0 ? NULL : bndi_arena_text(arena, out->algorithm, size);
    }
    good = good && json_is_object(root);
    json_decref(root);
    return good;
}
