/* Groups of weights: layers that loaders fuse, and tied embeddings. */
#include "lint/lint.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 512, MOST_FUSED = 3 };

/* The last words of the names of modules that become one matrix when they are loaded. */
static const char *const fused_words[][MOST_FUSED] = {
    {"q_proj", "k_proj", "v_proj"},
    {"gate_proj", "up_proj", NULL},
    {"w1", "w3", NULL},
    {"q_a_proj", "kv_a_proj_with_mqa", NULL},
};

/* The length of a module's name before its last word, and that word; ".weight" at the end is not part of it. */
static size_t split(const char *name, const char **word, size_t *length)
{
    size_t end = strlen(name);
    if (end > 7 && strcmp(name + end - 7, ".weight") == 0) {
        end -= 7;
    }
    size_t begin = end;
    while (begin > 0 && name[begin - 1] != '.') {
        begin--;
    }
    *word = name + begin;
    *length = end - begin;
    return begin;
}

static const bnd_stored_weight *find_sibling(const bnd_lint *lint, const bnd_stored_weight *weight, const char *word)
{
    char name[NAME_SIZE];
    const char *own;
    size_t length, before = split(weight->name, &own, &length);
    int all = snprintf(name, sizeof name, "%.*s%s%s", (int)(before < NAME_SIZE ? before : NAME_SIZE), weight->name,
                       word, own + length);
    return all > 0 && all < NAME_SIZE ? bnd_checkpoint_find_weight(lint->checkpoint, name) : NULL;
}

static bool read_one(double *x, const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *second = weight->parts[BND_PART_SECOND];
    const bnd_array how = {.packing_in = BND_PACKING_PACKED};
    return second != NULL && second->kind == BND_STORED_FLOAT && second->count == 1 && second->data != NULL &&
           bnd_decode_f64(x, second->data, 1, second->format, &how, NULL) == BND_OK;
}

static void check_row(bnd_lint *lint, const bnd_stored_weight *weight, const char *const *words)
{
    double first, other;
    if (!read_one(&first, weight)) {
        return;
    }
    for (size_t i = 1; i < MOST_FUSED && words[i] != NULL; i++) {
        const bnd_stored_weight *sibling = find_sibling(lint, weight, words[i]);
        if (sibling != NULL && read_one(&other, sibling) && other != first) {
            bndi_lint_report(
                lint, BNDI_CHECK_scale_fused_unequal, weight->parts[BND_PART_SECOND]->name,
                "is %.6g, and that of %s is %.6g; loaders fuse these layers and keep one scale, so the other "
                "layer is wrong by the ratio. Quantize both with one second-level scale",
                first, words[i], other);
            return;
        }
    }
}

void bndi_lint_check_fused(bnd_lint *lint)
{
    size_t count = bnd_checkpoint_weights(lint->checkpoint);
    for (size_t i = 0; i < count; i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(lint->checkpoint, i);
        const char *word;
        size_t length;
        split(weight->name, &word, &length);
        bool fused = weight->parts[BND_PART_SECOND] != NULL && weight->layout != NULL &&
                     weight->layout->family != BND_LAYOUT_GGUF; /* llama.cpp keeps a scale per tensor */
        for (size_t k = 0; fused && k < sizeof fused_words / sizeof fused_words[0]; k++) {
            if (strlen(fused_words[k][0]) == length && strncmp(word, fused_words[k][0], length) == 0) {
                check_row(lint, weight, fused_words[k]);
            }
        }
    }
}

/* ---- tied embeddings ---- */

static const bnd_stored_weight *find_last(const bnd_lint *lint, const char *last)
{
    size_t count = bnd_checkpoint_weights(lint->checkpoint);
    for (size_t i = 0; i < count; i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(lint->checkpoint, i);
        const char *word;
        size_t length;
        split(weight->name, &word, &length);
        if (weight->rank == 2 && length == strlen(last) && strncmp(word, last, length) == 0) {
            return weight;
        }
    }
    return NULL;
}

void bndi_lint_check_tied(bnd_lint *lint, const json_t *config)
{
    if (!json_is_true(json_object_get(config, "tie_word_embeddings"))) {
        return;
    }
    const bnd_stored_weight *head = find_last(lint, "lm_head"), *embedding = find_last(lint, "embed_tokens");
    if (head != NULL && embedding != NULL && (head->layout != NULL) != (embedding->layout != NULL)) {
        const bnd_stored_weight *quantized = head->layout != NULL ? head : embedding;
        bndi_lint_report(
            lint, BNDI_CHECK_lm_head_tied, quantized->name,
            "is quantized, and %.200s is not, but tie_word_embeddings says that they are one tensor; loaders "
            "keep one of them. Leave lm_head out of the quantization",
            quantized == head ? embedding->name : head->name);
    }
}
