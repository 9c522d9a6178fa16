/* The configs themselves: can a loader read them? Rules of compressed-tensors:
 * vllm-project/compressed-tensors@ac8e2ba8:src/compressed_tensors/quantization/quant_args.py, quant_scheme.py,
 * quant_config.py. Rules of fp8: vllm-project/vllm@1436674b:vllm/model_executor/layers/quantization/fp8.py. Rules of
 * ModelOpt: vllm-project/vllm@c9a59901:vllm/model_executor/layers/quantization/modelopt.py. */
#include "lint/lint.h"

#include "base/base.h"
#include "checkpoint/layouts.h"

#include <stdio.h>
#include <string.h>

enum { PLACE_SIZE = 200 };

/* A config, and a place in it: "config.json: quantization_config.config_groups.group_0.weights". */
typedef struct place {
    bnd_lint *lint;
    const bndi_quantization *q;
    char text[PLACE_SIZE];
} place;

static place place_of(bnd_lint *lint, const bndi_quantization *q)
{
    place at = {.lint = lint, .q = q};
    (void)snprintf(at.text, sizeof at.text, "%.40s: %.40s", q->file, q->place);
    return at;
}

static place inside(const place *outer, const char *key)
{
    place at = *outer;
    (void)snprintf(at.text, sizeof at.text, "%.120s.%.60s", outer->text, key);
    return at;
}

static void refuse(const place *at, const char *what)
{
    bndi_lint_report(at->lint, BNDI_CHECK_config_value, at->text, "%s", what);
}

/* One of these words in any case, or not given. */
static void check_word(const place *outer, const char *key, const char *value, const char *words)
{
    const char *list = words;
    size_t length = 1;
    if (value == NULL) {
        return;
    }
    for (const char *one = bndi_next_word(&list, &length); length > 0; one = bndi_next_word(&list, &length)) {
        if (bndi_same_word(one, length, value)) {
            return;
        }
    }
    const place at = inside(outer, key);
    bndi_lint_report(at.lint, BNDI_CHECK_config_value, at.text, "unknown value '%.60s'; use one of: %s", value, words);
}

static void need_key(const place *at, const char *key)
{
    if (json_object_get(at->q->json, key) == NULL) {
        bndi_lint_report(at->lint, BNDI_CHECK_config_missing_key, at->text, "'%s' is missing; loaders need it", key);
    }
}

/* ---- keys: what the reader of configs remarked ---- */

#define NEAREST_KEYS                                                                                                   \
    "config_groups quant_method format quantization_status kv_cache_scheme ignore targets weights input_activations "  \
    "output_activations num_bits type symmetric group_size strategy block_structure dynamic actorder scale_dtype "     \
    "zp_dtype observer observer_kwargs activation_scheme weight_block_size modules_to_not_convert ignored_layers "     \
    "quant_algo kv_cache_quant_algo exclude_modules"

static void nearest_key(char out[80], const char *where)
{
    const char *dot = strrchr(where, '.'), *key = dot != NULL ? dot + 1 : where, *list = NEAREST_KEYS;
    size_t length = 1;
    unsigned least = 4;
    out[0] = '\0';
    for (const char *one = bndi_next_word(&list, &length); length > 0; one = bndi_next_word(&list, &length)) {
        unsigned apart = bndi_name_distance(key, strlen(key), one, length);
        if (apart < least && apart < length / 2) {
            least = apart;
            (void)snprintf(out, 80, " Did you mean %.*s?", (int)length, one);
        }
    }
}

static void check_remarks(const place *at)
{
    for (size_t i = 0; i < at->q->remark_count; i++) {
        const bndi_remark *remark = &at->q->remarks[i];
        char meant[80];
        nearest_key(meant, remark->place);
        if (remark->kind == BNDI_REMARK_VALUE) {
            bndi_lint_report(at->lint, BNDI_CHECK_config_value, remark->place, "must be %s", remark->expected);
        } else if (remark->kind == BNDI_REMARK_REFUSED) {
            bndi_lint_report(
                at->lint, BNDI_CHECK_config_unknown_key, remark->place,
                "compressed-tensors refuses keys that it does not know here.%s Remove it; notes belong into "
                "__metadata__",
                meant);
        } else if (meant[0] != '\0') {
            bndi_lint_report_as(at->lint, BNDI_CHECK_config_unknown_key, BND_SEVERITY_SUSPECT, remark->place,
                                "loaders do not read this key, so it has no effect.%s", meant);
        } else {
            bndi_lint_report_as(at->lint, BNDI_CHECK_config_unknown_key, BND_SEVERITY_NOTE, remark->place,
                                "loaders do not read this key, so it has no effect");
        }
    }
}

/* ---- compressed-tensors ---- */

#define CT_FORMATS                                                                                                     \
    "dense sparse-bitmask sparse-24-bitmask int-quantized float-quantized naive-quantized pack-quantized marlin-24 "   \
    "nvfp4-pack-quantized mxfp4-pack-quantized mxfp8-quantized"

typedef enum role { WEIGHTS, INPUTS, OUTPUTS, CACHE } role;

static void check_sizes(const place *at, const bndi_quantization_args *a)
{
    bool grouped = bndi_is_word(a->strategy, "group") || bndi_is_word(a->strategy, "tensor_group");
    bool blocks = a->block[0] != 0 || a->block[1] != 0, by_blocks = bndi_is_word(a->strategy, "block");
    if (grouped && a->group_size <= 0) {
        refuse(at, "strategy group and tensor_group need a group_size above 0, such as 16 for NVFP4 or 32 for MX");
    } else if (a->group_size < -1) {
        refuse(at, "group_size must be above 0, or -1 for a scale per channel");
    } else if (a->group_size > 0 && !grouped && a->strategy != NULL) {
        refuse(at, "group_size cannot be used with this strategy; use group or tensor_group");
    }
    if (by_blocks && !blocks) {
        refuse(at, "strategy block needs a block_structure, such as [128, 128]");
    } else if (blocks && !by_blocks) {
        refuse(at, "block_structure cannot be used with this strategy; use block");
    } else if (blocks && (a->block[0] < 1 || a->block[1] < 1)) {
        refuse(at, "block_structure must be two integers above 0: [rows, columns]");
    }
}

static void check_args(const place *at, const bndi_quantization_args *a, role what)
{
    bool local = bndi_is_word(a->dynamic, "local"), on = local || bndi_is_word(a->dynamic, "true");
    bool channel = bndi_is_word(a->strategy, "channel"), block = bndi_is_word(a->strategy, "block");
    bool ordered = bndi_is_word(a->actorder, "group") || bndi_is_word(a->actorder, "dynamic");
    if (!a->given) {
        return;
    }
    check_word(at, "type", a->type, "int float");
    check_word(at, "strategy", a->strategy, "tensor channel group block token tensor_group attn_head");
    check_word(at, "dynamic", a->dynamic, "true false local");
    check_word(at, "actorder", a->actorder, "group weight dynamic static true false");
    check_sizes(at, a);
    if (bndi_is_word(a->type, "float") && a->num_bits != 4 && a->num_bits != 8 && a->num_bits != 0) {
        refuse(at, "num_bits of type float must be 4 or 8");
    }
    if (bndi_is_word(a->strategy, "token") && !on) {
        refuse(at, "strategy token needs \"dynamic\": true; a scale per token cannot be stored");
    } else if (local && !bndi_is_word(a->strategy, "tensor_group")) {
        refuse(at, "dynamic \"local\" needs strategy tensor_group");
    } else if (on && (channel || block || bndi_is_word(a->strategy, "attn_head"))) {
        refuse(at, "this strategy cannot be dynamic; use token, tensor, group or tensor_group");
    }
    if (ordered && !bndi_is_word(a->strategy, "group") && !bndi_is_word(a->strategy, "tensor_group")) {
        refuse(at, "actorder group needs strategy group or tensor_group");
    }
    if (what == INPUTS && (channel || block)) {
        refuse(at, "inputs cannot have this strategy; use token, tensor, group, tensor_group or attn_head");
    }
    if ((what == INPUTS || what == OUTPUTS) && a->actorder != NULL && !bndi_is_word(a->actorder, "false")) {
        refuse(at, "activations cannot have an actorder");
    }
}

static void check_group(const place *outer, const bndi_quantization_group *group)
{
    const place at = inside(outer, group->name);
    const place weights = inside(&at, "weights"), inputs = inside(&at, "input_activations");
    const place outputs = inside(&at, "output_activations");
    if (group->preset) {
        return;
    }
    check_args(&weights, &group->weights, WEIGHTS);
    check_args(&inputs, &group->inputs, INPUTS);
    check_args(&outputs, &group->outputs, OUTPUTS);
    check_word(&at, "format", group->format, CT_FORMATS);
    const json_t *groups = json_object_get(at.q->json, "config_groups"), *json = json_object_get(groups, group->name);
    if (json_is_object(json) && json_object_get(json, "targets") == NULL) {
        bndi_lint_report(at.lint, BNDI_CHECK_config_missing_key, at.text,
                         "'targets' is missing; name the layers, such as [\"Linear\"]");
    } else if (json_is_array(json)) {
        refuse(&at, "a list of targets needs the name of a preset, such as FP8_DYNAMIC or NVFP4");
    }
}

/* A format of the whole config, and others of its groups. */
static void check_formats(const place *groups)
{
    const bndi_quantization *q = groups->q;
    const char *all = q->format;
    bool open = all == NULL || bndi_is_word(all, "mixed-precision") || bndi_is_word(all, "dense") ||
                bndi_is_word(all, "fakequant");
    for (size_t i = 0; !open && i < q->group_count; i++) {
        const char *one = q->groups[i].format;
        if (one != NULL && !bndi_is_word(one, "dense") && !bndi_is_word(one, all)) {
            const place at = inside(groups, q->groups[i].name);
            bndi_lint_report(at.lint, BNDI_CHECK_config_contradiction, at.text,
                             "says format %.40s, and the config as a whole says %.40s; loaders read one or the other",
                             one, all);
        }
    }
}

static void check_compressed_tensors(const place *at)
{
    const bndi_quantization *q = at->q;
    const place groups = inside(at, "config_groups"), cache = inside(at, "kv_cache_scheme");
    need_key(at, "config_groups");
    check_word(at, "format", q->format, CT_FORMATS " mixed-precision fakequant");
    check_word(at, "quantization_status", q->status, "initialized calibration frozen compressed decompressed");
    for (size_t i = 0; i < q->group_count; i++) {
        check_group(&groups, &q->groups[i]);
    }
    check_formats(&groups);
    check_args(&cache, &q->kv_cache, CACHE);
}

/* ---- the others ---- */

static void check_fp8(const place *at)
{
    const bndi_quantization *q = at->q;
    const json_t *blocks = json_object_get(q->json, "weight_block_size");
    need_key(at, "activation_scheme");
    check_word(at, "activation_scheme", q->activation_scheme, "static dynamic");
    if (blocks != NULL && !json_is_null(blocks) && (q->weight_block[0] < 1 || q->weight_block[1] < 1)) {
        refuse(at, "weight_block_size must be two integers above 0: [rows, columns]");
    } else if (q->weight_block[0] > 0 && bndi_is_word(q->activation_scheme, "static")) {
        refuse(at, "weight_block_size needs \"activation_scheme\": \"dynamic\"");
    }
}

static void check_method(const place *at)
{
    const char *method = at->q->quant_method;
    if (bndi_is_word(method, "compressed-tensors")) {
        check_compressed_tensors(at);
    } else if (bndi_is_word(method, "fp8")) {
        check_fp8(at);
    } else if (method != NULL && strncmp(method, "modelopt", 8) == 0 && at->q->algorithm == NULL) {
        bndi_lint_report(at->lint, BNDI_CHECK_config_missing_key, at->text, "'quant_algo' is missing; loaders need it");
    } else if (method == NULL && strcmp(at->q->file, "config.json") == 0 &&
               json_object_get(at->q->json, "bits") == NULL) {
        bndi_lint_report(at->lint, BNDI_CHECK_config_missing_key, at->text,
                         "'quant_method' is missing; loaders need it");
    }
}

/* config.json and hf_quant_config.json should say the same. */
static void check_agreement(bnd_lint *lint, const bndi_quantization *a, const bndi_quantization *b)
{
    const place at = place_of(lint, b);
    if (a->algorithm != NULL && b->algorithm != NULL && !bndi_is_word(a->algorithm, b->algorithm)) {
        bndi_lint_report(lint, BNDI_CHECK_config_contradiction, at.text,
                         "says quant_algo %.40s, and %.40s says %.40s; loaders read one or the other", b->algorithm,
                         a->file, a->algorithm);
    }
    if (a->group_size > 0 && b->group_size > 0 && a->group_size != b->group_size) {
        bndi_lint_report(lint, BNDI_CHECK_config_contradiction, at.text,
                         "says group_size %lld, and %.40s says %lld; loaders read one or the other",
                         (long long)b->group_size, a->file, (long long)a->group_size);
    }
}

void bndi_lint_check_configs(bnd_lint *lint, const bndi_quantizations *all)
{
    for (size_t i = 0; i < all->bad_count; i++) {
        bndi_lint_report(lint, BNDI_CHECK_config_bad, all->bad[i].file, "%.300s", all->bad[i].why.message);
    }
    for (size_t i = 0; i < all->count; i++) {
        const place at = place_of(lint, &all->rows[i]);
        check_remarks(&at);
        check_method(&at);
        for (size_t k = 0; k < i; k++) {
            check_agreement(lint, &all->rows[k], &all->rows[i]);
        }
    }
}
