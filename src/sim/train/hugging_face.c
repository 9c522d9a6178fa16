/* Hugging Face's config.json of GPT-2 and Llama. Keys and defaults are those of GPT2Config and LlamaConfig in
 * transformers 4.46; what 5.17 writes has the same defaults, sizes aside, which were not compared. A value that this
 * engine cannot follow is refused. Dropout is not applied. */
#include "base/base.h"
#include "store/json.h"
#include "store/mapped_file.h"
#include "store/store.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>

typedef enum kind { SIZE, NUMBER, FLAG, ACTIVATION, MUST_BE, MUST_EQUAL, FULL, ROPE } kind;
enum { GPT2 = 1, LLAMA = 2 };

/* What a key means. MUST_BE: null or `usual`, 0 or 1. MUST_EQUAL: null or the number `usual`. FULL: the kind of each
 * block's attention. ROPE: read when all keys are known. */
static const struct row {
    const char *key;
    uint8_t model, kind;
    size_t at;
    double usual;
} rows[] = {
#define AT(name) offsetof(bnd_training, name)
    {"n_embd", GPT2, SIZE, AT(width), 768},
    {"n_layer", GPT2, SIZE, AT(depth), 12},
    {"n_head", GPT2, SIZE, AT(heads), 12},
    {"n_positions", GPT2, SIZE, AT(blocks.positions), 1024},
    {"vocab_size", GPT2, SIZE, AT(vocabulary), 50257},
    {"n_inner", GPT2, SIZE, AT(blocks.mlp_width), 0},
    {"layer_norm_epsilon", GPT2, NUMBER, AT(blocks.norm_epsilon), 1e-5},
    {"activation_function", GPT2, ACTIVATION, 0, 0},
    {"tie_word_embeddings", GPT2, FLAG, AT(tied), 1},
    {"scale_attn_weights", GPT2, MUST_BE, 0, 1},
    {"scale_attn_by_inverse_layer_idx", GPT2, MUST_BE, 0, 0},
    {"add_cross_attention", GPT2 | LLAMA, MUST_BE, 0, 0},
    {"hidden_size", LLAMA, SIZE, AT(width), 4096},
    {"intermediate_size", LLAMA, SIZE, AT(blocks.mlp_width), 11008},
    {"num_hidden_layers", LLAMA, SIZE, AT(depth), 32},
    {"num_attention_heads", LLAMA, SIZE, AT(heads), 32},
    {"num_key_value_heads", LLAMA, SIZE, AT(blocks.kv_heads), 0},
    {"head_dim", LLAMA, SIZE, AT(blocks.head_width), 0},
    {"vocab_size", LLAMA, SIZE, AT(vocabulary), 32000},
    {"max_position_embeddings", LLAMA, SIZE, AT(blocks.positions), 2048},
    {"rms_norm_eps", LLAMA, NUMBER, AT(blocks.norm_epsilon), 1e-6},
    {"hidden_act", LLAMA, ACTIVATION, 0, 0},
    {"tie_word_embeddings", LLAMA, FLAG, AT(tied), 0},
    {"attention_bias", LLAMA, MUST_BE, 0, 0},
    {"mlp_bias", LLAMA, MUST_BE, 0, 0},
    {"rope_theta", LLAMA, ROPE, 0, 0},
    {"rope_scaling", LLAMA, ROPE, 0, 0},
    {"rope_parameters", LLAMA, ROPE, 0, 0},
    {"partial_rotary_factor", LLAMA, MUST_EQUAL, 0, 1},
    {"rope_interleaved", LLAMA, MUST_BE, 0, 0},
    {"layer_types", GPT2 | LLAMA, FULL, 0, 0},
    {"chunk_size_feed_forward", GPT2 | LLAMA, MUST_EQUAL, 0, 0},
    {"initializer_range", GPT2 | LLAMA, NUMBER, AT(blocks.deviation), 0.02},
    {"is_encoder_decoder", GPT2 | LLAMA, MUST_BE, 0, 0},
#undef AT
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Keys that change no result of a forward pass without dropout, those of generated text among them: names, and with *
 * in front or behind parts of them. */
static const char harmless[] =
    "model_type architectures transformers_version torch_dtype dtype use_cache n_ctx pretraining_tp "
    "reorder_and_upcast_attn task_specific_params gradient_checkpointing auto_map id2label label2id num_labels "
    "problem_type finetuning_task tokenizer_class is_decoder tie_encoder_decoder torchscript use_bfloat16 "
    "tf_legacy_loss prefix return_dict return_dict_in_generate _* summary_* output_* *_token_id *_pdrop *_dropout "
    "max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k "
    "top_p typical_p repetition_penalty length_penalty exponential_decay_length_penalty *no_repeat_ngram_size "
    "num_return_sequences bad_words_ids *suppress_tokens remove_invalid_values";

static bool is_harmless(const char *key)
{
    const size_t length = strlen(key);
    for (const char *word = harmless; *word != '\0';) {
        const size_t n = strcspn(word, " ");
        const bool front = word[n - 1] == '*', back = word[0] == '*';
        const char *from = back ? word + 1 : word;
        const size_t part = n - front - back;
        if (length >= part && (front || back || length == part) &&
            memcmp(back ? key + length - part : key, from, part) == 0) {
            return true;
        }
        word += n + (word[n] == ' ');
    }
    return false;
}

static bnd_status refuse(const char *key, const char *what, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" %s", key, what);
}

/* What Hugging Face's names of functions are here; in Llama's MLP with the gate. */
static bnd_status take_activation(bnd_training *t, unsigned model, const char *key, const json_t *value, bnd_error *why)
{
    static const struct {
        const char *theirs, *ours, *gated;
    } names[] = {{"gelu_new", "gelu_tanh", "geglu_tanh"},
                 {"gelu_pytorch_tanh", "gelu_tanh", "geglu_tanh"},
                 {"gelu", "gelu", "geglu"},
                 {"relu", "relu", "reglu"},
                 {"silu", "silu", "swiglu"},
                 {"swish", "silu", "swiglu"}};
    const char *word = json_string_value(value);
    for (size_t i = 0; word != NULL && i < sizeof names / sizeof names[0]; i++) {
        const char *ours = model == GPT2 ? names[i].ours : names[i].gated;
        if (strcmp(word, names[i].theirs) == 0) {
            strcpy(t->blocks.mlp, ours);
            return BND_OK;
        }
    }
    return refuse(key, "must be gelu_new, gelu_pytorch_tanh, gelu, relu, silu or swish", why);
}

static bool is_number(const json_t *value, double expected)
{
    return json_is_number(value) && !(json_number_value(value) < expected) && !(json_number_value(value) > expected);
}

static bnd_status take_number(double *out, const char *key, const json_t *value, bnd_error *why)
{
    if (!json_is_number(value) || !(json_number_value(value) > 0)) {
        return refuse(key, "must be a number above 0", why);
    }
    *out = json_number_value(value);
    return BND_OK;
}

/* The numbers of a scaling of RoPE's frequencies, by their names there and here. */
static bnd_status take_scaling(bnd_training *t, const char *key, const char *type, const json_t *object, bnd_error *why)
{
    bnd_transformer *b = &t->blocks;
    double original = 0;
    const struct {
        const char *name;
        double *to;
        bool of_linear;
    } numbers[] = {{"factor", &b->rope_factor, true},
                   {"low_freq_factor", &b->rope_low, false},
                   {"high_freq_factor", &b->rope_high, false},
                   {"original_max_position_embeddings", &original, false}};
    const bool linear = strcmp(type, "linear") == 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const json_t *value = json_object_get(object, numbers[i].name);
        if (linear && !numbers[i].of_linear) {
            continue;
        }
        if (value == NULL && numbers[i].to == &original) {
            original = (double)b->positions;
            continue;
        }
        if (value == NULL) {
            return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" of the rope_type %s needs \"%s\"", key, type,
                            numbers[i].name);
        }
        bnd_status status = take_number(numbers[i].to, numbers[i].name, value, why);
        if (status != BND_OK) {
            return status;
        }
    }
    if (original > 1 << 24 || original != (double)(size_t)original) {
        return refuse("original_max_position_embeddings", "must be a whole number from 1 to 2^24", why);
    }
    b->rope_original = (size_t)original;
    strcpy(b->rope_scaling, type);
    return BND_OK;
}

/* RoPE's type, and what the type needs; nothing else. */
static bnd_status take_rope_object(bnd_training *t, const char *key, const json_t *value, bnd_error *why)
{
    static const char *const all[] = {"rope_type",        "type",
                                      "rope_theta",       "partial_rotary_factor",
                                      "factor",           "low_freq_factor",
                                      "high_freq_factor", "original_max_position_embeddings"};
    enum { OF_DEFAULT = 4, OF_LINEAR = 5, ALL = sizeof all / sizeof all[0] };
    const json_t *of_now = json_object_get(value, "rope_type"), *of_old = json_object_get(value, "type");
    const json_t *type = of_now != NULL ? of_now : of_old, *part = json_object_get(value, "partial_rotary_factor");
    const char *word = type != NULL ? json_string_value(type) : "default";
    const size_t known = word == NULL                   ? 0
                         : strcmp(word, "default") == 0 ? OF_DEFAULT
                         : strcmp(word, "linear") == 0  ? OF_LINEAR
                         : strcmp(word, "llama3") == 0  ? ALL
                                                        : 0;
    char shown[BNDI_SHOWN];
    size_t count = 0;
    if (word == NULL) {
        return refuse(key, "has a rope_type that is not a string; it must be default, linear or llama3", why);
    }
    if (known == 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" has the rope_type '%s'; it must be default, linear or llama3",
                        key, bndi_shown(shown, word));
    }
    for (size_t i = 0; i < known; i++) {
        count += json_object_get(value, all[i]) != NULL;
    }
    if (count < json_object_size(value)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "\"%s\" of the rope_type %s has a member that is not known", key, word);
    }
    if (part != NULL && !is_number(part, 1)) {
        return refuse("partial_rotary_factor", "is supported as 1 only", why);
    }
    return known != OF_DEFAULT ? take_scaling(t, key, word, value, why) : BND_OK;
}

/* RoPE, as transformers 5 decides among keys that contradict each other: rope_scaling holds unless it is null or empty,
 * then rope_parameters; a rope_theta inside holds before the one outside. */
static bnd_status take_rope(bnd_training *t, const json_t *config, bnd_error *why)
{
    enum { USUAL_THETA = 10000 };
    static const char *const keys[] = {"rope_parameters", "rope_scaling"};
    const char *key = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *value = json_object_get(config, keys[i]);
        if (value != NULL && !json_is_null(value) && !json_is_object(value)) {
            return refuse(keys[i], "must be an object or null", why);
        }
        key = json_object_size(value) > 0 ? keys[i] : key;
    }
    const json_t *object = key != NULL ? json_object_get(config, key) : NULL;
    const json_t *inside = json_object_get(object, "rope_theta"), *outside = json_object_get(config, "rope_theta");
    const json_t *theta = inside != NULL ? inside : outside;
    bnd_status status = BND_OK;
    t->blocks.rope_theta = USUAL_THETA;
    if (outside != NULL && !json_is_null(outside)) {
        status = take_number(&t->blocks.rope_theta, "rope_theta", outside, why);
    }
    if (status == BND_OK && theta != NULL) {
        status = take_number(&t->blocks.rope_theta, "rope_theta", theta, why);
    }
    return status == BND_OK && object != NULL ? take_rope_object(t, key, object, why) : status;
}

static bool are_all_full(const json_t *list)
{
    bool all = json_is_array(list);
    for (size_t i = 0; all && i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        all = word != NULL && strcmp(word, "full_attention") == 0;
    }
    return all;
}

static bnd_status take(bnd_training *t, unsigned model, const struct row *r, const json_t *value, bnd_error *why)
{
    void *at = (char *)t + r->at;
    const bool no_value = json_is_null(value);
    switch ((kind)r->kind) {
    case SIZE:
        if (no_value && r->usual == 0) {
            return BND_OK;
        }
        if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > 1 << 24) {
            return refuse(r->key, "must be a whole number from 1 to 2^24", why);
        }
        *(size_t *)at = (size_t)json_integer_value(value);
        return BND_OK;
    case NUMBER:
        return take_number(at, r->key, value, why);
    case FLAG:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) ? BND_OK : refuse(r->key, "must be true or false", why);
    case ACTIVATION:
        return take_activation(t, model, r->key, value, why);
    case MUST_BE:
        return no_value || (json_is_boolean(value) && json_is_true(value) == (r->usual != 0))
                   ? BND_OK
                   : refuse(r->key, r->usual != 0 ? "is supported as true only" : "is supported as false only", why);
    case MUST_EQUAL:
        return no_value || is_number(value, r->usual)
                   ? BND_OK
                   : refuse(r->key, r->usual > 0 ? "is supported as 1 only" : "is supported as 0 only", why);
    case FULL:
        return no_value || are_all_full(value) ? BND_OK : refuse(r->key, "is supported as full_attention only", why);
    case ROPE:
        return BND_OK;
    }
    return BND_OK;
}

static void take_defaults(bnd_training *t, unsigned model)
{
    for (size_t i = 0; i < ROWS; i++) {
        void *at = (char *)t + rows[i].at;
        if ((rows[i].model & model) == 0) {
            continue;
        }
        if (rows[i].kind == SIZE) {
            *(size_t *)at = (size_t)rows[i].usual;
        } else if (rows[i].kind == NUMBER) {
            *(double *)at = rows[i].usual;
        } else if (rows[i].kind == FLAG) {
            *(bool *)at = rows[i].usual != 0;
        }
    }
}

static bnd_status take_member(bnd_training *t, unsigned model, const char *key, const json_t *value, bnd_error *why)
{
    size_t i = 0;
    while (i < ROWS && (strcmp(rows[i].key, key) != 0 || (rows[i].model & model) == 0)) {
        i++;
    }
    if (i < ROWS) {
        return take(t, model, &rows[i], value, why);
    }
    const bool empty = json_is_object(value) && json_object_size(value) == 0;
    return is_harmless(key) || json_is_null(value) || empty
               ? BND_OK
               : refuse(key, "is not known; remove it if it does not change what the model computes", why);
}

static bnd_status take_all(bnd_training *t, unsigned model, const bndi_json_text *text, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    while (status == BND_OK) {
        json_t *key = NULL, *value = NULL;
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = bndi_json_read(&key, text, m.key, why);
        status = status == BND_OK ? bndi_json_read(&value, text, m.value, why) : status;
        status = status == BND_OK ? take_member(t, model, json_string_value(key), value, why) : status;
        json_decref(key);
        json_decref(value);
    }
    return status;
}

static bnd_status check_layer_types(const bnd_training *t, const json_t *object, bnd_error *why)
{
    const json_t *types = json_object_get(object, "layer_types");
    return !json_is_array(types) || json_array_size(types) == t->depth
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, 0, "\"layer_types\" has %zu entries, and the model has %zu layers",
                          json_array_size(types), t->depth);
}

static bnd_status find_model(unsigned *out, const char **name, const char *asked, const json_t *object, bnd_error *why)
{
    const char *type = json_string_value(json_object_get(object, "model_type"));
    const char *model = asked != NULL ? asked : type != NULL ? type : "";
    *out = strcmp(model, "gpt2") == 0 ? GPT2 : strcmp(model, "llama") == 0 ? LLAMA : 0;
    *name = *out == GPT2 ? "gpt2" : "llama";
    if (*out == 0 || (type != NULL && strcmp(type, model) != 0)) {
        const char *known = *out != 0 ? *name : "gpt2 or llama";
        return type != NULL ? bnd_fail(why, BND_BAD_FILE, 0, "\"model_type\" is '%s'; it must be %s", type, known)
                            : bnd_fail(why, BND_BAD_FILE, 0, "\"model_type\" is missing; it must be %s", known);
    }
    return BND_OK;
}

static bnd_status read_text(bnd_training *out, const char *model, const char *optimizer, const bndi_json_text *text,
                            bnd_error *why)
{
    enum { USUAL_CONTEXT = 32, TEXT_MOST = 1 << 20 };
    json_t *object = NULL;
    bnd_training t;
    unsigned which = 0;
    const char *name = "";
    if (text->length > TEXT_MOST) {
        return bnd_fail(why, BND_BAD_FILE, TEXT_MOST, "has %zu bytes; the limit is %d", text->length, TEXT_MOST);
    }
    bnd_status status = bndi_json_read(&object, text, (bndi_json_span){0, text->length}, why);
    if (status == BND_OK && !json_is_object(object)) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "must be a JSON object");
    }
    status = status == BND_OK ? find_model(&which, &name, model, object, why) : status;
    status = status == BND_OK ? bnd_training_default(&t, name, optimizer, "fp32", why) : status;
    if (status == BND_OK) {
        take_defaults(&t, which);
        status = take_all(&t, which, text, why);
    }
    status = status == BND_OK ? check_layer_types(&t, object, why) : status;
    if (status == BND_OK && which == LLAMA) {
        status = take_rope(&t, object, why);
    }
    json_decref(object);
    if (status == BND_OK) {
        t.context = t.blocks.positions < USUAL_CONTEXT ? t.blocks.positions : USUAL_CONTEXT;
        *out = t;
    }
    return status;
}

bnd_status bnd_training_of_config(bnd_training *out, const char *model, const char *optimizer, const char *path,
                                  bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status == BND_OK) {
        status = read_text(out, model, optimizer, &(bndi_json_text){(const char *)map.bytes, map.size}, why);
        bnd_lab_map_close(&map);
    }
    return bndi_in_file(status, path, why);
}
