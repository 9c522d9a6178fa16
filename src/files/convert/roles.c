/* What a weight is, by its name. */
#include "convert/names.h"

#include <string.h>

static const struct stays {
    const char *pattern, *reason, *because;
    bool linear;
} rows[] = {
#define STAYS(pattern, reason, because, linear) {pattern, reason, because, linear},
#include "convert/roles.def"
#undef STAYS
};

/* transformers' Conv1D, [in, out]; its modules in the models that have it. Others have the same names for the class
 * Linear. Sources: huggingface/transformers@00607d42:src/transformers/models/imagegpt/modeling_imagegpt.py and
 * decision_transformer/, @004edfe2: openai/, @0010f602: gpt2/. */
static bool is_conv1d(const char *weight, const char *model_type)
{
    static const char *const models[] = {"gpt2", "openai-gpt", "imagegpt", "decision_transformer"};
    static const char *const modules[] = {"*.c_attn", "*.q_attn", "*.c_fc", "*.c_proj"};
    bool model = false, module = false;
    for (size_t i = 0; i < 4; i++) {
        model = model || strcmp(models[i], model_type) == 0;
        module = module || bndi_glob_weight(modules[i], weight);
    }
    return model && module;
}

bndi_role bndi_role_of(const char *weight, size_t rank, const char *model_type, bool quantized)
{
    bool named = weight[bndi_module_length(weight)] != '\0'; /* it ends in ".weight" */
    if (rank < 2) {
        return (bndi_role){.reason = "vector", .because = "not a matrix"};
    }
    if (quantized) {
        return (bndi_role){.reason = "linear", .because = "quantized in the input", .quantizes = true, .linear = true};
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (bndi_glob_weight(rows[i].pattern, weight)) {
            return (bndi_role){
                .reason = rows[i].reason, .because = rows[i].because, .linear = rows[i].linear && rank == 2 && named};
        }
    }
    if (rank == 2 && named && is_conv1d(weight, model_type)) {
        return (bndi_role){.reason = "conv1d", .because = "a Conv1D of transformers, stored [in, out]", .linear = true};
    }
    if (rank == 2 && named) {
        return (bndi_role){.reason = "linear", .because = "a linear layer", .quantizes = true, .linear = true};
    }
    if (rank == 3 && bndi_glob("*experts*", weight, strlen(weight)) && !bndi_glob("*bias*", weight, strlen(weight))) {
        return (bndi_role){.reason = "experts",
                           .because = "experts in one array, which this layout or model has no row for",
                           .experts = true};
    }
    return (bndi_role){.reason = "other", .because = "not the weight of a linear layer"};
}

bool bndi_is_embedding(const char *weight, size_t rank)
{
    static const char *const names[] = {"*embed_tokens*", "*embed_in",    "*embed_positions*",
                                        "*token_embd*",   "*embeddings*", "*embedding",
                                        "*embed",         "*wte",         "*wpe"};
    bool is = false;
    for (size_t i = 0; rank == 2 && !is && i < sizeof names / sizeof *names; i++) {
        is = bndi_glob_weight(names[i], weight);
    }
    return is;
}
