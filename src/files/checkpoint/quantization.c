/* Reading what the files of a checkpoint say about its quantization. A key that is missing or null leaves its member at
 * zero; a value of the wrong kind does so too, with a remark. */
#include "checkpoint/checkpoint.h"
#include "checkpoint/layouts.h"
#include "checkpoint/quantization.h"
#include "store/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 16 << 20, PLACE_MOST = 512 };

/* The keys on the way to a value. */
typedef struct path {
    const struct path *up;
    const char *key;
} path;

typedef struct reader {
    bndi_arena *arena;
    bndi_remark *remarks;
    size_t count, room;
    bool refuses;   /* compressed-tensors, whose models of groups and arguments refuse unknown keys */
    bool no_memory; /* some of it is missing */
} reader;

/* ---- remarks ---- */

static size_t put_place(char *out, size_t size, const path *p)
{
    if (p == NULL) {
        return 0;
    }
    const size_t before = put_place(out, size, p->up);
    const int more = before < size ? snprintf(out + before, size - before, "%s%s", before == 0 ? "" : ".", p->key) : 0;
    const size_t length = before + (more < 0 ? 0 : (size_t)more);
    return length < size ? length : size - 1;
}

static void remark(reader *r, bndi_remark_kind kind, const path *p, const char *expected)
{
    char place[PLACE_MOST];
    const size_t length = put_place(place, sizeof place, p);
    if (r->count == r->room) {
        const size_t room = r->room == 0 ? 8 : r->room * 2;
        bndi_remark *more = bndi_arena_take(r->arena, room, sizeof *more);
        if (more == NULL) {
            r->no_memory = true;
            return;
        }
        if (r->count > 0) {
            memcpy(more, r->remarks, r->count * sizeof *more);
        }
        r->remarks = more;
        r->room = room;
    }
    const char *text = bndi_arena_text(r->arena, place, length);
    r->no_memory = r->no_memory || text == NULL;
    r->remarks[r->count++] =
        (bndi_remark){.kind = kind, .place = text == NULL ? "" : text, .expected = expected == NULL ? "" : expected};
}

/* Remarks on every key that is not among the words. */
static void check_keys(reader *r, const path *p, const json_t *object, const char *words, bndi_remark_kind kind)
{
    json_t *all = (json_t *)(uintptr_t)object; /* only read */
    for (void *at = json_object_iter(all); at != NULL; at = json_object_iter_next(all, at)) {
        const path here = {p, json_object_iter_key(at)};
        if (!bndi_has_word(words, here.key)) {
            remark(r, kind, &here, "");
        }
    }
}

/* ---- values ---- */

/* The value of a key; NULL if there is none or it is null. */
static const json_t *value_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static const char *text_of(reader *r, const path *p, const json_t *object, const char *key)
{
    const path here = {p, key};
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_string(value)) {
        remark(r, BNDI_REMARK_VALUE, &here, "a string");
    }
    return json_string_value(value);
}

static int64_t integer_of(reader *r, const path *p, const json_t *object, const char *key, int64_t otherwise)
{
    const path here = {p, key};
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_integer(value)) {
        remark(r, BNDI_REMARK_VALUE, &here, "an integer");
    }
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static bool bool_of(reader *r, const path *p, const json_t *object, const char *key, bool otherwise)
{
    const path here = {p, key};
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_boolean(value)) {
        remark(r, BNDI_REMARK_VALUE, &here, "true or false");
    }
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* Two positive integers: a list, or a text such as "128x128". */
static void pair_of(reader *r, int64_t out[2], const path *p, const json_t *object, const char *key)
{
    const path here = {p, key};
    const json_t *value = value_of(object, key);
    int64_t a = 0, b = 0;
    if (value == NULL) {
        return;
    }
    if (json_is_array(value) && json_array_size(value) == 2) {
        a = json_integer_value(json_array_get(value, 0));
        b = json_integer_value(json_array_get(value, 1));
    } else if (json_is_string(value)) {
        char *end = NULL;
        a = strtoll(json_string_value(value), &end, 10);
        b = *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
        b = *end == '\0' ? b : 0;
    }
    if (a <= 0 || b <= 0) {
        remark(r, BNDI_REMARK_VALUE, &here, "a list of two positive integers");
        return;
    }
    out[0] = a;
    out[1] = b;
}

static const char *const *texts_of(reader *r, size_t *count, const path *p, const json_t *value)
{
    *count = 0;
    if (!json_is_array(value)) {
        if (value != NULL && !json_is_null(value)) {
            remark(r, BNDI_REMARK_VALUE, p, "a list of strings");
        }
        return NULL;
    }
    const char **texts = bndi_arena_take(r->arena, json_array_size(value), sizeof *texts);
    if (texts == NULL) {
        r->no_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *text = json_array_get(value, i);
        if (json_is_string(text)) {
            texts[(*count)++] = json_string_value(text);
        } else {
            remark(r, BNDI_REMARK_VALUE, p, "a list of strings");
        }
    }
    return texts;
}

/* ---- groups of compressed-tensors ---- */

static const char *strategy_of(const bndi_quantization_args *args)
{
    if (args->strategy != NULL) {
        return args->strategy;
    }
    return args->group_size == 0 ? "tensor" : args->group_size > 0 ? "group" : "channel";
}

static bndi_quantization_args args_of(reader *r, const path *up, const json_t *object, const char *key)
{
    static const char words[] =
        "num_bits type symmetric group_size strategy block_structure dynamic actorder scale_dtype "
        "zp_dtype observer observer_kwargs";
    const path p = {up, key};
    const json_t *value = value_of(object, key), *dynamic = value_of(value, "dynamic");
    bndi_quantization_args args = {.num_bits = 0};
    if (value == NULL) {
        return args;
    }
    if (!json_is_object(value)) {
        remark(r, BNDI_REMARK_VALUE, &p, "an object");
        return args;
    }
    if (r->refuses) {
        check_keys(r, &p, value, words, BNDI_REMARK_REFUSED);
    }
    args.given = true;
    args.num_bits = integer_of(r, &p, value, "num_bits", 8);
    args.group_size = integer_of(r, &p, value, "group_size", 0);
    pair_of(r, args.block, &p, value, "block_structure");
    args.symmetric = bool_of(r, &p, value, "symmetric", true);
    args.type = text_of(r, &p, value, "type");
    args.type = args.type == NULL ? "int" : args.type;
    args.strategy = text_of(r, &p, value, "strategy");
    args.strategy = r->refuses ? strategy_of(&args) : args.strategy;
    args.dynamic = json_is_string(dynamic) ? json_string_value(dynamic) : json_is_true(dynamic) ? "true" : "false";
    args.actorder = json_is_boolean(value_of(value, "actorder")) ? NULL : text_of(r, &p, value, "actorder");
    args.scale_dtype = text_of(r, &p, value, "scale_dtype");
    args.zp_dtype = text_of(r, &p, value, "zp_dtype");
    args.observer = text_of(r, &p, value, "observer");
    return args;
}

static bndi_quantization_group group_of(reader *r, const path *up, const char *name, const json_t *value)
{
    const path p = {up, name}, targets = {&p, "targets"};
    bndi_quantization_group group = {.name = name};
    if (json_is_array(value)) { /* the name is a preset, the value its targets */
        if (!bndi_quantization_preset(&group, name)) {
            remark(r, BNDI_REMARK_VALUE, &p, "the name of a preset, if its value is a list");
        }
        group.name = name;
        group.targets = texts_of(r, &group.target_count, &p, value);
        return group;
    }
    if (!json_is_object(value)) {
        remark(r, BNDI_REMARK_VALUE, &p, "an object or a list");
        return group;
    }
    if (r->refuses) {
        check_keys(r, &p, value, "targets weights input_activations output_activations format", BNDI_REMARK_REFUSED);
    }
    group.targets = texts_of(r, &group.target_count, &targets, json_object_get(value, "targets"));
    group.weights = args_of(r, &p, value, "weights");
    group.inputs = args_of(r, &p, value, "input_activations");
    group.outputs = args_of(r, &p, value, "output_activations");
    group.format = text_of(r, &p, value, "format");
    return group;
}

static void read_groups(reader *r, bndi_quantization *q, const path *up, const json_t *object)
{
    const path p = {up, "config_groups"};
    json_t *groups = json_object_get(object, p.key);
    if (groups == NULL || json_is_null(groups)) {
        return;
    }
    if (!json_is_object(groups)) {
        remark(r, BNDI_REMARK_VALUE, &p, "an object");
        return;
    }
    bndi_quantization_group *out = bndi_arena_take(r->arena, json_object_size(groups), sizeof *out);
    r->no_memory = r->no_memory || out == NULL;
    q->groups = out;
    for (void *at = json_object_iter(groups); out != NULL && at != NULL; at = json_object_iter_next(groups, at)) {
        out[q->group_count++] = group_of(r, &p, json_object_iter_key(at), json_object_iter_value(at));
    }
}

/* ---- one configuration ---- */

static void read_ignored(reader *r, bndi_quantization *q, const path *up, const json_t *object)
{
    static const char *const keys[] = {"ignore", "exclude_modules", "ignored_layers", "modules_to_not_convert"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && q->ignored_count == 0; i++) {
        const path p = {up, keys[i]};
        q->ignored = texts_of(r, &q->ignored_count, &p, json_object_get(object, keys[i]));
    }
}

static void read_one(reader *r, bndi_quantization *q, const json_t *object)
{
    static const char words[] =
        "config_groups quant_method kv_cache_scheme format quantization_status "
        "global_compression_ratio ignore run_compressed sparsity_config transform_config version";
    const path p = {NULL, q->place};
    const char *method = text_of(r, &p, object, "quant_method");
    q->json = object;
    q->quant_method = method == NULL ? q->quant_method : method;
    r->refuses = q->quant_method != NULL && strcmp(q->quant_method, "compressed-tensors") == 0;
    if (r->refuses) {
        check_keys(r, &p, object, words, BNDI_REMARK_UNKNOWN);
    }
    q->format = text_of(r, &p, object, "format");
    q->status = text_of(r, &p, object, "quantization_status");
    q->algorithm = text_of(r, &p, object, "quant_algo");
    q->kv_algorithm = text_of(r, &p, object, "kv_cache_quant_algo");
    q->activation_scheme = text_of(r, &p, object, "activation_scheme");
    q->fmt = text_of(r, &p, object, "fmt");
    q->scale_fmt = text_of(r, &p, object, "scale_fmt");
    q->expert_dtype = text_of(r, &p, object, "expert_dtype");
    q->group_size = integer_of(r, &p, object, "group_size", 0);
    q->bits = integer_of(r, &p, object, "bits", 0);
    pair_of(r, q->weight_block, &p, object, "weight_block_size");
    if (!json_is_string(json_object_get(object, "kv_cache_scheme"))) { /* of ModelOpt: "FP8" */
        q->kv_cache = args_of(r, &p, object, "kv_cache_scheme");
    }
    read_groups(r, q, &p, object);
    read_ignored(r, q, &p, object);
    r->no_memory =
        !bndi_read_layers(q, r->arena, json_object_get(object, "quantized_layers"), "quant_algo") || r->no_memory;
}

/* ---- all of a checkpoint ---- */

static bndi_quantization *add(bndi_quantizations *all, const char *file, const char *place)
{
    bndi_quantization *q = &all->rows[all->count++];
    *q = (bndi_quantization){.file = file, .place = place};
    return q;
}

static bnd_status finish(bndi_quantization *q, const reader *r, bnd_error *why)
{
    q->remarks = r->remarks;
    q->remark_count = r->count;
    return r->no_memory ? bnd_fail(why, BND_NO_MEMORY, 0, "%s: no memory for what it says", q->file) : BND_OK;
}

/* Keeps a value as long as `all`. */
static void keep(bndi_quantizations *all, json_t *root)
{
    all->roots[all->root_count++] = root;
}

static void note_bad(bndi_quantizations *all, const char *file, const bnd_error *why)
{
    if (all->bad_count < BNDI_QUANTIZATIONS) {
        all->bad[all->bad_count++] = (bndi_bad_text){.file = file, .why = *why};
    }
}

/* Reads a text as one object. *out is NULL where there is no text, or where it is not one object, which is noted. */
static bnd_status read_object(json_t **out, bndi_quantizations *all, const char *file, const char *bytes, size_t length,
                              bnd_error *why)
{
    const bndi_json_text text = {bytes, length};
    bnd_error bad = {0};
    json_t *root = NULL;
    *out = NULL;
    if (bytes == NULL) {
        return BND_OK;
    }
    bnd_status status = length > TEXT_MOST
                            ? bnd_fail(&bad, BND_BAD_FILE, 0, "it has %zu bytes; the most is %d", length, TEXT_MOST)
                            : bndi_json_read_config(&root, &text, &bad);
    if (status == BND_OK && !json_is_object(root)) {
        status = bnd_fail(&bad, BND_BAD_FILE, 0, "expected an object");
        json_decref(root);
    }
    if (status == BND_NO_MEMORY) {
        return bnd_fail(why, status, bad.where, "%s: %s", file, bad.message);
    }
    if (status != BND_OK) {
        note_bad(all, file, &bad);
        return BND_OK;
    }
    keep(all, root);
    *out = root;
    return BND_OK;
}

static bnd_status read_config(bndi_quantizations *all, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    static const char *const keys[] = {"quantization_config", "compression_config", "quantization"};
    static const char file[] = "config.json";
    size_t length = 0;
    json_t *root;
    const char *text = bnd_checkpoint_text(checkpoint, file, &length);
    bnd_status status = read_object(&root, all, file, text, length, why);
    if (root == NULL) {
        return status;
    }
    if (!bndi_read_mlx(all, root)) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "%s: no memory for what it says", file);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *object = json_object_get(root, keys[i]), *inner = json_object_get(object, "quantization_config");
        if (object == NULL) { /* models of text and images */
            object = json_object_get(json_object_get(root, "text_config"), keys[i]);
        }
        object = json_is_object(inner) ? inner : object; /* older versions of compressed-tensors */
        if (json_is_object(object)) {
            reader r = {.arena = &all->arena};
            bndi_quantization *q = add(all, file, keys[i]);
            read_one(&r, q, object);
            return finish(q, &r, why);
        }
    }
    return BND_OK;
}

static bnd_status read_modelopt(bndi_quantizations *all, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    static const char file[] = "hf_quant_config.json";
    size_t length = 0;
    json_t *root;
    const char *text = bnd_checkpoint_text(checkpoint, file, &length);
    bnd_status status = read_object(&root, all, file, text, length, why);
    if (root == NULL) {
        return status;
    }
    reader r = {.arena = &all->arena};
    bndi_quantization *q = add(all, file, "quantization");
    q->quant_method = "modelopt";
    read_one(&r, q, json_object_get(root, "quantization"));
    return finish(q, &r, why);
}

static bnd_status read_comfy(bndi_quantizations *all, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    static const char key[] = "_quantization_metadata";
    json_t *root;
    const char *text = NULL;
    for (size_t i = 0; i < checkpoint->pairs; i++) {
        text = strcmp(checkpoint->metadata[i].key, key) == 0 ? checkpoint->metadata[i].value : text;
    }
    bnd_status status = read_object(&root, all, key, text, text != NULL ? strlen(text) : 0, why);
    if (root == NULL) {
        return status;
    }
    reader r = {.arena = &all->arena};
    bndi_quantization *q = add(all, key, "layers");
    q->json = root;
    q->comfy = true;
    r.no_memory = !bndi_read_layers(q, r.arena, json_object_get(root, "layers"), "format");
    return finish(q, &r, why);
}

bnd_status bndi_quantizations_read(bndi_quantizations *out, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    bnd_status status = read_config(out, checkpoint, why);
    status = status == BND_OK ? read_modelopt(out, checkpoint, why) : status;
    return status == BND_OK ? read_comfy(out, checkpoint, why) : status;
}

void bndi_quantizations_free(bndi_quantizations *quantizations)
{
    for (size_t i = 0; i < quantizations->root_count; i++) {
        json_decref(quantizations->roots[i]);
    }
    bndi_arena_free(&quantizations->arena);
    *quantizations = (bndi_quantizations){.count = 0};
}
