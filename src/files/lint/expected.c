/* What a config says about a weight: which group it is in, whether it is left out. */
#include "lint/lint.h"

#include "base/base.h"

#include <string.h>

bool bndi_is_word(const char *word, const char *other)
{
    return word != NULL && bndi_same_word(word, strlen(word), other);
}

/* The module of a weight: its name without ".weight". False if it is too long. */
bool bndi_module_of(char out[BNDI_MODULE_SIZE], const char *weight)
{
    size_t length = strlen(weight);
    if (length > 7 && strcmp(weight + length - 7, ".weight") == 0) {
        length -= 7;
    }
    if (length >= BNDI_MODULE_SIZE) {
        return false;
    }
    memcpy(out, weight, length);
    out[length] = '\0';
    return true;
}

bndi_lint_sharing bndi_lint_sharing_of(const bnd_block *block)
{
    if (block->tensor) {
        return BNDI_SHARING_TWO_LEVELS;
    }
    switch (block->sharing) {
    case BND_SHARE_TENSOR:
        return BNDI_SHARING_TENSOR;
    case BND_SHARE_TILE:
        return BNDI_SHARING_TILE;
    default:
        return block->along == 0 ? BNDI_SHARING_ROW : BNDI_SHARING_GROUP;
    }
}

static bndi_lint_sharing sharing_of_strategy(const char *strategy)
{
    static const struct {
        const char *word;
        bndi_lint_sharing sharing;
    } rows[] = {{"tensor", BNDI_SHARING_TENSOR},
                {"channel", BNDI_SHARING_ROW},
                {"group", BNDI_SHARING_GROUP},
                {"block", BNDI_SHARING_TILE},
                {"tensor_group", BNDI_SHARING_TWO_LEVELS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (bndi_is_word(strategy, rows[i].word)) {
            return rows[i].sharing;
        }
    }
    return BNDI_SHARING_ANY;
}

/* ---- the ignore list ---- */

/* Loaders differ: some compare whole names, some look for the entry within the name. An entry that names the module is
 * certain; one that is a part of its name is unsure. */
static void look_for_ignored(bnd_lint *lint, bndi_expected *out, const bndi_quantization *q, const char *module)
{
    for (size_t i = 0; i < q->ignored_count && !out->ignored; i++) {
        if (lint->budget == 0) {
            out->unsure = true;
            return;
        }
        lint->budget--;
        int matches = bndi_name_matches(q->ignored[i], module);
        out->ignored = matches == 1;
        out->unsure = out->unsure || matches < 0 || strstr(module, q->ignored[i]) != NULL;
    }
}

/* ---- groups of compressed-tensors ---- */

/* May a class of torch or of an engine name linear layers? Only of "Linear" it is sure that it names all of them. */
static bool may_be_linear(const char *target)
{
    static const char *const words[] = {"Linear", "MoE", "Expert", "Conv", "Embed", "Head"};
    bool is_class = strpbrk(target, ".*:") == NULL && target[0] >= 'A' && target[0] <= 'Z', may = false;
    for (size_t i = 0; is_class && i < sizeof words / sizeof words[0]; i++) {
        may = may || strstr(target, words[i]) != NULL;
    }
    return may && strcmp(target, "Linear") != 0;
}

static const bndi_quantization_group *find_group(bnd_lint *lint, bndi_expected *out, const bndi_quantization *q,
                                                 const char *module)
{
    const bndi_quantization_group *by_class = NULL;
    for (size_t i = 0; i < q->group_count; i++) {
        for (size_t k = 0; k < q->groups[i].target_count; k++) {
            const char *target = q->groups[i].targets[k];
            if (lint->budget == 0) {
                out->unsure = true;
                return NULL;
            }
            lint->budget--;
            int matches = bndi_name_matches(target, module);
            if (matches == 1) {
                return &q->groups[i];
            }
            out->unsure = out->unsure || matches < 0 || may_be_linear(target);
            by_class = by_class == NULL && strcmp(target, "Linear") == 0 ? &q->groups[i] : by_class;
        }
    }
    return by_class;
}

static void take_group(bndi_expected *out, const bndi_quantization_group *group)
{
    const bndi_quantization_args *weights = &group->weights;
    out->targeted = weights->given;
    out->format = group->format != NULL ? group->format : out->format;
    out->bits = weights->num_bits;
    out->group_size = weights->group_size > 0 ? weights->group_size : 0;
    out->block[0] = weights->block[0];
    out->block[1] = weights->block[1];
    out->sharing = sharing_of_strategy(weights->strategy);
    out->has_type = weights->type != NULL;
    out->integer = bndi_is_word(weights->type, "int");
    out->asymmetric = weights->given && !weights->symmetric;
}

/* ---- all ---- */

static const char *algorithm_of(const bndi_quantization *q, const char *module)
{
    for (size_t i = 0; i < q->layer_count; i++) {
        if (strcmp(q->layers[i].name, module) == 0) {
            return q->layers[i].algorithm;
        }
    }
    return bndi_is_word(q->algorithm, "MIXED_PRECISION") ? NULL : q->algorithm;
}

bndi_expected bndi_expect(bnd_lint *lint, const bndi_quantization *q, const char *module)
{
    bndi_expected out = {.config = q};
    if (q == NULL) {
        return out;
    }
    out.method = q->quant_method;
    if (out.method == NULL && strcmp(q->file, "hf_quant_config.json") == 0) {
        out.method = "modelopt";
    }
    bool mixed = bndi_is_word(q->format, "mixed-precision") || bndi_is_word(q->format, "dense");
    out.format = q->format != NULL ? (mixed ? NULL : q->format) : algorithm_of(q, module);
    out.block[0] = q->weight_block[0];
    out.block[1] = q->weight_block[1];
    out.group_size = q->group_size > 0 ? q->group_size : 0;
    look_for_ignored(lint, &out, q, module);
    if (json_is_object(json_object_get(q->json, "config_groups")) && bndi_is_word(out.method, "compressed-tensors")) {
        const bndi_quantization_group *group = find_group(lint, &out, q, module);
        if (group != NULL) {
            take_group(&out, group);
        }
    } else {
        out.targeted = true;
    }
    return out;
}
