/* Which weights are quantized, decoded or stay: from names, shapes, the config and the options; data are not read. */
#include "convert/quantize.h"

#include "convert/names.h"

#include <stdlib.h>
#include <string.h>

static const bndi_role kept = {.reason = "kept", .because = "as asked"};

bool bndi_matches(const char *const *patterns, size_t count, const char *weight)
{
    for (size_t i = 0; i < count; i++) {
        if (bndi_glob_weight(patterns[i], weight)) {
            return true;
        }
    }
    return false;
}

/* ---- formats of values ---- */

static const bnd_format *format_of_config(const bndi_model_config *config)
{
    return bnd_format_at(strcmp(config->dtype, "float32") == 0   ? BND_FORMAT_FP32
                         : strcmp(config->dtype, "float16") == 0 ? BND_FORMAT_FP16
                                                                 : BND_FORMAT_BF16);
}

bool bndi_is_plain(const bnd_format *f)
{
    return f != NULL &&
           (bnd_format_same(f, bnd_format_at(BND_FORMAT_FP32)) || bnd_format_same(f, bnd_format_at(BND_FORMAT_BF16)) ||
            bnd_format_same(f, bnd_format_at(BND_FORMAT_FP16)));
}

const bnd_format *bndi_scale_format_of(const bnd_quantize_plan *plan, const bnd_stored_weight *weight)
{
    const bnd_format *stored = weight->layout == NULL ? weight->parts[BND_PART_CODES]->format : NULL;
    return bndi_is_plain(stored) ? stored : format_of_config(&plan->config);
}

static uint64_t bytes_of(const bnd_stored_weight *weight)
{
    uint64_t bytes = 0;
    for (size_t part = 0; part < BND_PART_COUNT; part++) {
        bytes += weight->parts[part] != NULL ? weight->parts[part]->size : 0;
    }
    return bytes;
}

/* ---- one weight ---- */

static void take_role(bnd_planned_weight *out, const bndi_role *role, bnd_conversion conversion)
{
    out->reason = role->reason;
    out->because = role->because;
    out->conversion = conversion;
}

/* A weight whose values stay: the bytes, if it is one tensor of a format that .safetensors has. */
static bnd_status leave(bnd_planned_weight *out, const bnd_quantize_plan *plan, const bndi_role *role, bnd_error *why)
{
    const bnd_stored_weight *weight = out->weight;
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    bool blocks = codes->kind == BND_STORED_BLOCKS || codes->kind == BND_STORED_OTHER;
    if (weight->layout == NULL && !(blocks && bnd_checkpoint_kind_of(plan->in) == BND_CHECKPOINT_GGUF)) {
        take_role(out, role, BND_STAYS);
        return BND_OK;
    }
    if (!weight->is_float) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be decoded: %s", weight->name, weight->why_not);
    }
    take_role(out, role, BND_DECODED);
    return BND_OK;
}

static bnd_status choose_values(bnd_planned_weight *out, const bnd_quantize_plan *plan, const bndi_role *role,
                                bnd_error *why)
{
    static const bndi_role decoded = {.reason = "quantized", .because = "quantized in the input"};
    static const bndi_role matrix = {.reason = "matrix", .because = "a matrix"};
    static const bndi_role same = {.reason = "same", .because = "it has this format"};
    const bnd_stored_weight *weight = out->weight;
    if (weight->layout != NULL || !weight->is_float || weight->rank < 2) {
        return leave(out, plan, weight->layout != NULL ? &decoded : role, why);
    }
    const bnd_format *stored = weight->parts[BND_PART_CODES]->format;
    if (stored != NULL && bnd_format_same(stored, &plan->how.to)) {
        return leave(out, plan, &same, why);
    }
    take_role(out, &matrix, BND_CAST);
    return BND_OK;
}

static bool is_experts(const bnd_quantize_plan *plan, const bnd_planned_weight *weight)
{
    return plan->work[weight - plan->weights].experts;
}

/* Two bytes of a packed row, whole blocks, whole tiles: what the shapes of a layout need. */
static bnd_status check_shape(const bndi_how *how, const bnd_planned_weight *weight, bnd_error *why)
{
    const bnd_block *block = &how->block;
    bool grouped = block->sharing == BND_SHARE_BLOCK && block->along > 0;
    bool whole_tiles = block->sharing == BND_SHARE_TILE && how->layout->family == BND_LAYOUT_MODELOPT;
    uint64_t rows = weight->shape[weight->rank - 2], columns = weight->shape[weight->rank - 1];
    uint64_t width = grouped ? block->along : whole_tiles ? block->across : 1;
    if (columns % width != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has rows of %llu elements, which %llu does not divide; keep it",
                        weight->name, (unsigned long long)columns, (unsigned long long)width);
    }
    if (whole_tiles && rows % block->along != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has %llu rows, which %zu does not divide; keep it", weight->name,
                        (unsigned long long)rows, block->along);
    }
    return BND_OK;
}

static bnd_status choose_codes(bnd_planned_weight *out, const bnd_quantize_plan *plan, const bndi_role *role,
                               bnd_error *why)
{
    const bnd_stored_weight *weight = out->weight;
    bool head = strcmp(role->reason, "head") == 0 || strcmp(role->reason, "embedding") == 0;
    if ((weight->rank != 2 && !is_experts(plan, out)) || weight->count == 0) {
        return leave(out, plan, role, why);
    }
    if (!weight->is_float) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be decoded: %s", weight->name, weight->why_not);
    }
    if (head && plan->config.tied) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s is tied (tie_word_embeddings in config.json): quantizing one side would separate output head "
            "and embedding",
            weight->name);
    }
    bnd_status status = check_shape(&plan->how, out, why);
    if (status != BND_OK) {
        return status;
    }
    take_role(out, role, BND_QUANTIZED);
    out->block = plan->how.block;
    if (plan->how.scales_as_weight) {
        bndi_set_scale_format(&out->block, bndi_scale_format_of(plan, weight));
    }
    return BND_OK;
}

static bnd_status choose_one(bnd_planned_weight *out, const bnd_quantize_plan *plan, const bnd_quantize *asked,
                             bnd_error *why)
{
    static const bndi_role integers = {.reason = "integers", .because = "not numbers of a floating-point format"};
    static const bndi_role experts = {.reason = "experts", .because = "experts in one array", .quantizes = true};
    static const bndi_role other = {.reason = "linear", .because = "gpt-oss has only experts quantized"};
    static const bndi_role embedding = {.reason = "embedding", .because = "an embedding"};
    static const bndi_role also = {.reason = "asked", .because = "as asked", .quantizes = true, .linear = true};
    const bnd_stored_weight *weight = out->weight;
    bool numbers = weight->is_float || weight->layout != NULL;
    bndi_role role =
        numbers ? bndi_role_of(weight->name, weight->rank, plan->config.model_type, weight->layout != NULL) : integers;
    out->group = SIZE_MAX;
    out->bytes_in = is_experts(plan, out) ? bytes_of(weight) / (weight->count / out->count) : bytes_of(weight);
    if (bndi_matches(asked->keep, asked->keeps, weight->name)) {
        return leave(out, plan, &kept, why);
    }
    if (plan->how.dequantizes) {
        return choose_values(out, plan, &role, why);
    }
    if (is_experts(plan, out) && bndi_matches(asked->keep, asked->keeps, out->name)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a part of %s; keep all of it or nothing", out->name,
                        weight->name);
    }
    if (is_experts(plan, out)) {
        return choose_codes(out, plan, &experts, why);
    }
    bool wanted = weight->is_float && bndi_matches(asked->also, asked->alsos, weight->name);
    if (wanted && weight->rank != 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has %zu dimension%s; only matrices are quantized", weight->name,
                        weight->rank, weight->rank == 1 ? "" : "s");
    }
    if (plan->how.layout->family == BND_LAYOUT_GPT_OSS && (wanted || role.quantizes)) {
        return wanted ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                 "%s is not an array of experts; gpt-oss quantizes only these", weight->name)
                      : leave(out, plan, &other, why);
    }
    if (numbers && plan->how.layout->family != BND_LAYOUT_COMFYUI && bndi_is_embedding(weight->name, weight->rank)) {
        return wanted ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                 "%s is an embedding, which loaders of %s read without quantization only", weight->name,
                                 bnd_layout_family_name(plan->how.layout->family))
                      : leave(out, plan, &embedding, why);
    }
    if (wanted && strcmp(role.reason, "conv1d") == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is %s, which loaders do not take for a linear layer",
                        weight->name, role.because);
    }
    if (wanted && !role.quantizes && strcmp(role.reason, "head") != 0 && strcmp(role.reason, "embedding") != 0) {
        role = also;
    }
    return role.quantizes || wanted ? choose_codes(out, plan, &role, why) : leave(out, plan, &role, why);
}

/* ---- all of them ---- */

/* A pattern of `also` whose tensors all have no floating-point numbers. It matches some. */
static bnd_status check_included(const bnd_quantize_plan *plan, const char *pattern, bnd_error *why)
{
    const bnd_stored_weight *first = NULL;
    for (size_t i = 0; i < bnd_checkpoint_weights(plan->in); i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(plan->in, i);
        if (!bndi_glob_weight(pattern, weight->name)) {
            continue;
        }
        if (weight->is_float || weight->layout != NULL) {
            return BND_OK;
        }
        first = first == NULL ? weight : first;
    }
    return first == NULL ? BND_OK
                         : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                    "include '%s' matches only tensors that cannot be quantized, such as %s: %s",
                                    pattern, first->name, first->why_not);
}

static bnd_status check_patterns(const bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why)
{
    bnd_status status =
        bnd_checkpoint_check_patterns(plan->in, "keep", asked->keep, asked->keeps, bndi_glob_weight, why);
    status = status == BND_OK
                 ? bnd_checkpoint_check_patterns(plan->in, "include", asked->also, asked->alsos, bndi_glob_weight, why)
                 : status;
    for (size_t i = 0; status == BND_OK && i < asked->alsos; i++) {
        status = check_included(plan, asked->also[i], why);
    }
    return status;
}

/* What is decoded has the axes that the unquantized model has. */
static void turn(bnd_planned_weight *out, bndi_weight_work *work)
{
    const uint64_t *stored = out->weight->shape;
    const uint64_t dimensions[3] = {stored[0], stored[2], stored[1]};
    memcpy(work->dimensions, dimensions, sizeof dimensions);
    work->turned = out->count > 0;
    out->shape = work->dimensions;
    out->because = "quantized in the input; now [experts, in, out]";
}

bnd_status bndi_choose(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        bnd_planned_weight *weight = &plan->weights[i];
        bnd_status status = choose_one(weight, plan, asked, why);
        if (status != BND_OK) {
            return status;
        }
        if (weight->conversion == BND_DECODED && bndi_decodes_in_first(weight->weight)) {
            turn(weight, &plan->work[i]);
        }
        plan->totals.weights[weight->conversion]++;
    }
    bnd_status status = check_patterns(plan, asked, why);
    if (status != BND_OK) {
        return status;
    }
    size_t changed = plan->count - plan->totals.weights[BND_STAYS];
    if (plan->how.dequantizes && changed == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "nothing to do: no weight is quantized, and every matrix is %s or stays", plan->how.to.name);
    }
    if (!plan->how.dequantizes && plan->totals.weights[BND_QUANTIZED] == 0) {
        size_t as_asked = 0;
        bool conv1d = false;
        for (size_t i = 0; i < plan->count; i++) {
            as_asked += strcmp(plan->weights[i].reason, kept.reason) == 0;
            conv1d = conv1d || strcmp(plan->weights[i].reason, "conv1d") == 0;
        }
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "none of the %zu tensors is %s to quantize%s%s", plan->count,
                        plan->how.layout->family == BND_LAYOUT_GPT_OSS ? "an array of experts of gpt-oss"
                                                                       : "the weight of a linear layer",
                        conv1d ? "; those of the class Conv1D are stored [in, out], which no layout has" : "",
                        as_asked > 0 ? "; others stay as asked" : "");
    }
    return BND_OK;
}

/* ---- layers that engines join ---- */

/* All matrices of linear layers, by their places in the plan. */
typedef struct linears {
    const char **names;
    size_t *places, *groups, count;
} linears;

static bool is_linear(const bnd_quantize_plan *plan, const bnd_planned_weight *weight)
{
    const bnd_stored_weight *stored = weight->weight;
    return weight->conversion == BND_QUANTIZED ||
           (stored->rank == 2 && stored->is_float &&
            bndi_role_of(stored->name, stored->rank, plan->config.model_type, stored->layout != NULL).quantizes);
}

/* Engines join either quantized matrices or others. */
static bnd_status refuse_halves(const bnd_quantize_plan *plan, const linears *all, size_t groups, bnd_error *why)
{
    size_t *first = malloc((groups + 1) * sizeof *first);
    if (first == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu groups of weights", groups);
    }
    for (size_t i = 0; i < groups; i++) {
        first[i] = SIZE_MAX;
    }
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < all->count; i++) {
        if (all->groups[i] == SIZE_MAX) {
            continue;
        }
        size_t *partner = &first[all->groups[i]];
        *partner = *partner == SIZE_MAX ? i : *partner;
        const bnd_planned_weight *a = &plan->weights[all->places[*partner]], *b = &plan->weights[all->places[i]];
        if ((a->conversion == BND_QUANTIZED) != (b->conversion == BND_QUANTIZED)) {
            bool kept_first = a->conversion != BND_QUANTIZED;
            status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                              "%s stays, but engines join it to %s, which is quantized; keep both or none",
                              (kept_first ? a : b)->name, (kept_first ? b : a)->name);
        }
    }
    free(first);
    return status;
}

/* Groups of all linear layers, or of those that are quantized; SIZE_MAX: no memory. */
static size_t fuse(const bnd_quantize_plan *plan, linears *all, bool quantized)
{
    all->count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (quantized ? plan->weights[i].conversion == BND_QUANTIZED : is_linear(plan, &plan->weights[i])) {
            all->places[all->count] = i;
            all->names[all->count++] = plan->weights[i].name;
        }
    }
    return bndi_fuse(all->groups, all->names, all->count, plan->config.model_type);
}

static bnd_status group_all(bnd_quantize_plan *plan, linears *all, bool refuses, bnd_error *why)
{
    size_t joined = refuses ? fuse(plan, all, false) : 0;
    bnd_status status = joined != SIZE_MAX && refuses ? refuse_halves(plan, all, joined, why) : BND_OK;
    size_t groups = status == BND_OK && plan->how.shares ? fuse(plan, all, true) : 0;
    if (joined == SIZE_MAX || groups == SIZE_MAX) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu weights", plan->count);
    }
    for (size_t i = 0; status == BND_OK && plan->how.shares && i < all->count; i++) {
        plan->weights[all->places[i]].group = all->groups[i];
    }
    plan->totals.groups = groups;
    return status;
}

bnd_status bndi_group(bnd_quantize_plan *plan, bool refuses, bnd_error *why)
{
    size_t most = plan->count + 1;
    linears all = {malloc(most * sizeof *all.names), malloc(most * sizeof *all.places),
                   malloc(most * sizeof *all.groups), 0};
    bnd_status status = BND_OK;
    if (all.names == NULL || all.places == NULL || all.groups == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu weights", plan->count);
    } else if (!plan->how.dequantizes) {
        status = group_all(plan, &all, refuses, why);
    }
    free(all.names);
    free(all.places);
    free(all.groups);
    return status;
}
