/* Metadata, configs and other files of a checkpoint that is laid out anew. */
#include "convert/relayout.h"

#include "checkpoint/checkpoint.h"
#include "convert/names.h"
#include "convert/quantization_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {"config.json", "hf_quant_config.json"};

static bnd_status no_memory(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the configs");
}

/* A key of two parts, which the caller's list owns; NULL: no memory. */
static char *joined(bndi_relayout_around *a, const char *before, const char *after)
{
    char *text = malloc(strlen(before) + strlen(after) + 1);
    if (text != NULL) {
        strcpy(text, before);
        strcat(text, after);
        a->owned[a->owned_count++] = text;
    }
    return text;
}

static void add_pair(bndi_relayout_around *a, const char *key, const char *value)
{
    a->pairs[a->pair_count++] = (bnd_safetensors_pair){key, value};
}

static bool is_text(const char *name)
{
    return strcmp(name, texts[0]) == 0 || strcmp(name, texts[1]) == 0;
}

static bnd_status copy_others(bndi_relayout_around *a, const bnd_checkpoint *in, bnd_error *why)
{
    for (size_t i = 0; i < bnd_checkpoint_others(in); i++) {
        const char *name = bnd_checkpoint_other_name(in, i);
        if (is_text(name)) {
            continue;
        }
        char *path = bndi_path_in(bnd_checkpoint_folder(in), name);
        if (path == NULL) {
            return no_memory(why);
        }
        a->owned[a->owned_count++] = path;
        a->side[a->side_count++] = (bnd_side_file){.name = name, .from = path};
    }
    return BND_OK;
}

/* ---- back to the first layout ---- */

static bnd_status restore(bndi_relayout_around *a, const bnd_checkpoint *in, bool folder)
{
    for (size_t i = 0; i < bnd_checkpoint_metadata_count(in); i++) {
        const bnd_safetensors_pair *pair = bnd_checkpoint_metadata_at(in, i);
        const size_t was = strlen(BNDI_RELAY_WAS), text = strlen(BNDI_RELAY_TEXT);
        if (strncmp(pair->key, BNDI_RELAY_WAS, was) == 0) {
            add_pair(a, pair->key + was, pair->value);
        } else if (folder && strncmp(pair->key, BNDI_RELAY_TEXT, text) == 0 && is_text(pair->key + text)) {
            a->side[a->side_count++] =
                (bnd_side_file){.name = pair->key + text, .text = pair->value, .length = strlen(pair->value)};
        }
    }
    return BND_OK;
}

/* ---- the way there ---- */

/* The layouts of the input, with blanks between them. */
static bool list_layouts(bndi_long_text *out, const bnd_checkpoint *in)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_layout *layout = bnd_checkpoint_weight_at(in, i)->layout;
        if (layout != NULL && (out->bytes == NULL || strstr(out->bytes, layout->name) == NULL)) {
            bndi_long_text_put(out, out->bytes == NULL ? "" : " ");
            bndi_long_text_put(out, layout->name);
        }
    }
    return !out->failed && out->bytes != NULL;
}

/* The dtype of scales of weights or inputs; NULL: there are none, or of several dtypes. Scales of 8 bits count where
 * there are no others: they keep their format. */
static const char *dtype_of(const bndi_relayout_plan *plan, bnd_part part)
{
    const char *dtype = NULL;
    bool wide = false;
    for (size_t i = 0; i < plan->count; i++) {
        const bndi_relaid *r = &plan->relaid[i];
        if (r->weight->layout == NULL || r->from != r->weight->parts[part] || (wide && r->from->bits == 8)) {
            continue;
        }
        if (dtype == NULL || (!wide && r->from->bits > 8)) {
            dtype = r->from->dtype;
            wide = r->from->bits > 8;
        } else if (strcmp(r->from->dtype, dtype) != 0) {
            return NULL;
        }
    }
    return dtype;
}

/* The dtype of codes that have another one in the output; NULL: there are none. */
static const char *dtype_of_codes(const bndi_relayout_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const bndi_relaid *r = &plan->relaid[i];
        if (r->weight->layout != NULL && r->from == r->weight->parts[BND_PART_CODES] &&
            strcmp(plan->tensors[i].dtype, r->from->dtype) != 0) {
            return r->from->dtype;
        }
    }
    return NULL;
}

static bool has_part(const bndi_relayout_plan *plan, bnd_part part)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(plan->in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(plan->in, i);
        if (w->layout != NULL && w->parts[part] != NULL) {
            return true;
        }
    }
    return false;
}

static bnd_status describe(bndi_relayout_around *a, const bndi_relayout_plan *plan, bnd_error *why)
{
    const bnd_checkpoint *in = plan->in;
    const char *scales = dtype_of(plan, BND_PART_SCALES), *inputs = dtype_of(plan, BND_PART_INPUT);
    if ((scales == NULL && plan->result.scales_cast > 0) || (inputs == NULL && has_part(plan, BND_PART_INPUT))) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "scales have several dtypes, which the other layout cannot hold");
    }
    add_pair(a, "format", "pt");
    for (size_t i = 0; i < bnd_checkpoint_metadata_count(in); i++) {
        const bnd_safetensors_pair *pair = bnd_checkpoint_metadata_at(in, i);
        char *key = joined(a, BNDI_RELAY_WAS, pair->key);
        if (key == NULL) {
            return no_memory(why);
        }
        add_pair(a, key, pair->value);
    }
    if (!list_layouts(&a->second, in)) {
        return no_memory(why);
    }
    add_pair(a, BNDI_RELAY_FROM, a->second.bytes);
    add_pair(a, BNDI_RELAY_FAMILY, bnd_layout_family_name(plan->from->family));
    if (scales != NULL) {
        add_pair(a, BNDI_RELAY_SCALES, scales);
    }
    if (inputs != NULL) {
        add_pair(a, BNDI_RELAY_INPUTS, inputs);
    }
    const char *codes = dtype_of_codes(plan);
    if (codes != NULL) {
        add_pair(a, BNDI_RELAY_CODES, codes);
    }
    if (plan->originals.bytes != NULL) {
        add_pair(a, BNDI_RELAY_ORIGINALS, plan->originals.bytes);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = bnd_checkpoint_text(in, texts[i], NULL);
        char *key = text == NULL ? NULL : joined(a, BNDI_RELAY_TEXT, texts[i]);
        if (text != NULL && key == NULL) {
            return no_memory(why);
        }
        if (text != NULL) {
            add_pair(a, key, text);
        }
    }
    return BND_OK;
}

/* What is not quantized, and would be taken to be. */
static bndi_ignored list_ignored(const char **names, const char **experts, const bnd_checkpoint *in)
{
    bndi_ignored out = {.names = names, .experts = experts};
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(in, i);
        const bool stays = w->layout == NULL && w->is_float;
        const bndi_role role = bndi_role_of(w->name, w->rank, "", false);
        if (stays && role.linear) {
            names[out.count++] = w->name;
        } else if (stays && role.experts) {
            experts[out.expert_count++] = w->name;
        }
    }
    return out;
}

static bnd_status set_config(bndi_relayout_around *a, const bnd_checkpoint *in, bnd_error *why)
{
    size_t length = 0;
    const char *given = bnd_checkpoint_text(in, texts[0], &length);
    return bndi_config_quantized(&a->config, given, length, a->quantization.bytes, why);
}

/* The weights of each scheme, one after the other in `names`; and whether the output head is one of them. */
static bool list_schemes(bndi_scheme *out, const char **names, const bndi_relayout_plan *plan)
{
    const char **next = names;
    bool head = false;
    for (size_t s = 0; s < plan->scheme_count; s++) {
        out[s] = (bndi_scheme){.how = &plan->schemes[s], .names = next};
        for (size_t i = 0; i < bnd_checkpoint_weights(plan->in); i++) {
            if (plan->layouts[i] != NULL && plan->scheme_of[i] == s) {
                *next = bnd_checkpoint_weight_at(plan->in, i)->name;
                head = bndi_is_head(*next++) || head;
                out[s].count++;
            }
        }
    }
    return head;
}

/* The configs of the other layout; in one file, what config.json would say goes into the metadata. */
static bnd_status configure(bndi_relayout_around *a, const bndi_relayout_plan *plan, bool folder, bnd_error *why)
{
    const size_t weights = bnd_checkpoint_weights(plan->in) + 1;
    const char **names = calloc(3, weights * sizeof *names);
    bndi_scheme listed[BNDI_SCHEMES_MOST];
    bndi_long_text line = {0}, *lines = NULL;
    bool memory = names != NULL;
    bnd_status status = BND_OK;
    const bndi_kv_cache kv = bndi_kv_cache_of(plan->in);
    if (kv == BNDI_KV_OTHER) {
        free(names);
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the config says that the KV cache is quantized, and not as FP8 with static scales of tensors; "
                        "configs of other layouts cannot say this");
    }
    if (memory) {
        const bool head = list_schemes(listed, names, plan);
        const bndi_schemes schemes = {listed, plan->scheme_count, kv == BNDI_KV_FP8};
        bndi_ignored ignored = list_ignored(names + weights, names + 2 * weights, plan->in);
        ignored.but_head = head;
        bndi_quantization_config(&a->quantization, &schemes, &ignored);
        if (folder && bndi_hf_quant_config(&line, &schemes, &ignored)) {
            lines = malloc(sizeof *lines);
            memory = lines != NULL;
        }
        memory = memory && !a->quantization.failed && !line.failed;
    }
    if (memory && lines != NULL) {
        *lines = (bndi_long_text){0};
        bndi_json_indent(lines, line.bytes, line.length, "    ", 4, 0);
        bndi_long_text_put(lines, "\n");
        memory = !lines->failed;
        a->owned[a->owned_count++] = lines->bytes;
        a->side[a->side_count++] = (bnd_side_file){.name = texts[1], .text = lines->bytes, .length = lines->length};
    }
    if (memory && folder) {
        status = set_config(a, plan->in, why);
        a->side[a->side_count++] =
            (bnd_side_file){.name = texts[0], .text = a->config.bytes, .length = a->config.length};
    } else if (memory) {
        add_pair(a, "quantization_config", a->quantization.bytes);
    }
    free(lines);
    free(names);
    bndi_long_text_free(&line);
    return memory ? status : no_memory(why);
}

/* ---- both ---- */

bnd_status bndi_relayout_around_make(bndi_relayout_around *a, const bndi_relayout_plan *plan, const char *path,
                                     bnd_error *why)
{
    const size_t pairs = bnd_checkpoint_metadata_count(plan->in) + 16, files = bnd_checkpoint_others(plan->in) + 4;
    const bool folder = !bndi_ends_with(path, ".safetensors");
    *a = (bndi_relayout_around){.pairs = calloc(pairs, sizeof *a->pairs),
                                .side = calloc(files, sizeof *a->side),
                                .owned = calloc(pairs + files, sizeof *a->owned)};
    if (a->pairs == NULL || a->side == NULL || a->owned == NULL) {
        return no_memory(why);
    }
    bnd_status status = folder ? copy_others(a, plan->in, why) : BND_OK;
    if (plan->restores) {
        return status == BND_OK ? restore(a, plan->in, folder) : status;
    }
    status = status == BND_OK ? describe(a, plan, why) : status;
    return status == BND_OK ? configure(a, plan, folder, why) : status;
}

void bndi_relayout_around_free(bndi_relayout_around *a)
{
    for (size_t i = 0; i < a->owned_count; i++) {
        free(a->owned[i]);
    }
    free(a->owned);
    free(a->pairs);
    free(a->side);
    bndi_long_text_free(&a->config);
    bndi_long_text_free(&a->second);
    bndi_long_text_free(&a->quantization);
}
