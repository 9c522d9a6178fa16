/* Any bytes as a checkpoint: config.json, a header of .safetensors and its data, each up to a 0 byte. The data get the
 * size that the header asks for, if that is small. The checkpoint is opened in memory, its weights are found and
 * decoded, it is checked (binade lint), and the program aborts where a promise does not hold. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "checkpoint/checkpoint.h"
#include "lint/lint.h"

enum { DATA_MAX = 1 << 16, PART = 600 };

/* ---- the checkpoint ---- */

/* The bytes of data that a header asks for; 0 if it is not one, or asks for many. */
static size_t needed(const char *header, size_t length)
{
    bnd_safetensors *read;
    const bndi_json_text text = {header, length};
    if (bndi_safetensors_read(&read, &text, NULL, BNDI_SAFETENSORS_ANY_SIZE, NULL) != BND_OK) {
        return 0;
    }
    size_t size = read->data_size <= DATA_MAX ? (size_t)read->data_size : 0;
    bnd_safetensors_free(read);
    return size;
}

/* A file: the length of the header, the header, and its data with zeros at the end. */
static unsigned char *file_of(size_t *size, const char *header, size_t length, const void *data, size_t data_size)
{
    size_t needs = needed(header, length);
    unsigned char *bytes = fuzz_memory(8 + length + needs, 1);
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xff);
    }
    data_size = data_size < needs ? data_size : needs;
    memcpy(bytes + 8, length > 0 ? header : "", length);
    memcpy(bytes + 8 + length, data_size > 0 ? data : "", data_size);
    memset(bytes + 8 + length + data_size, 0, needs - data_size);
    *size = 8 + length + needs;
    return bytes;
}

static char *text_of(const char *text, size_t length)
{
    char *copy = fuzz_memory(length + 1, 1);
    memcpy(copy, length > 0 ? text : "", length);
    copy[length] = '\0';
    return copy;
}

/* What bnd_checkpoint_new does with a folder, without the folder. */
static bnd_status open_bytes(bnd_checkpoint *c, const unsigned char *bytes, size_t size, bnd_checkpoint_damage *damage,
                             void *state, bnd_error *why)
{
    const bndi_opening opening = {.checkpoint = c, .damage = damage, .state = state, .alone = "model.safetensors"};
    bnd_status status = bndi_open_bytes(&opening, bytes, size, why);
    return status == BND_OK ? bndi_weights_find(c, why) : status;
}

/* The bytes before the next 0 byte, which is passed over. */
static const char *next_part(const uint8_t **at, size_t *left, size_t *length)
{
    const char *part = (const char *)*at;
    const uint8_t *end = *left > 0 ? memchr(*at, 0, *left) : NULL;
    *length = end != NULL ? (size_t)(end - *at) : *left;
    size_t passed = *length + (end != NULL);
    *at = passed > 0 ? *at + passed : *at; /* NULL where there are no bytes */
    *left -= passed;
    return part;
}

/* ---- promises ---- */

static void ignore(void *state, const char *code, const char *where, const char *message)
{
    (void)where;
    require(code[0] != '\0' && message[0] != '\0', "a report has a word and a message");
    ++*(size_t *)state;
}

static void require_shaped(const bnd_stored_weight *w)
{
    uint64_t count;
    require(bndi_count_elements(&count, w->shape, w->rank, INT64_MAX), "a shape can be counted");
    require(count == w->count, "the count is the product of the shape");
    require(w->is_float == (w->why_not == NULL), "there is a reason where it cannot be decoded");
}

static void require_decoded(const bnd_stored_weight *w)
{
    static const uint32_t mark = 0x7fa5a5a5;
    float y[PART];
    const uint64_t places[] = {0, w->count / BND_WEIGHT_STEP * BND_WEIGHT_STEP};
    for (size_t i = 0; i < 2; i++) {
        uint64_t left = w->count - places[i];
        size_t n = left < PART ? (size_t)left : PART;
        memcpy(y, &mark, sizeof mark);
        bnd_status status = bnd_decode_weight_f32(y, w, places[i], n, NULL, NULL);
        require(status == BND_OK || !w->is_float, "what is a float is decoded");
        require(w->is_float || (status != BND_OK && memcmp(y, &mark, sizeof mark) == 0), "else nothing is written");
        require(bnd_decode_weight_f32(y, w, places[i], (size_t)left + 1, NULL, NULL) != BND_OK, "there is an end");
    }
}

static void require_promises(const bnd_checkpoint *c)
{
    size_t parts = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(c); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(c, i);
        require(bnd_checkpoint_find_weight(c, w->name) != NULL, "a weight is found by its name");
        require_shaped(w);
        require_decoded(w);
        for (size_t k = 0; k < BND_PART_COUNT; k++) {
            const bnd_stored_tensor *t = w->parts[k];
            require(t == NULL || bnd_checkpoint_find(c, t->name) == t, "a part is a tensor");
            parts += t != NULL;
        }
    }
    require(parts == bnd_checkpoint_count(c), "every tensor is a part of one weight");
}

/* The checks take any config and any tensors, and say something about each finding. */
static void require_linted(const bnd_checkpoint *c)
{
    bnd_lint *lint = NULL;
    require(bndi_lint_opened(&lint, c, NULL) == BND_OK, "what is open can be checked");
    for (size_t i = 0; i < bnd_lint_findings(lint); i++) {
        const bnd_lint_finding *f = bnd_lint_finding_at(lint, i);
        require(f->message[0] != '\0' && f->check->code[0] != '\0', "a finding has a code and a message");
    }
    bnd_lint_free(lint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t config_length, length, file_size, reports = 0;
    const char *config = next_part(&data, &size, &config_length), *header = next_part(&data, &size, &length);
    unsigned char *bytes = file_of(&file_size, header, length, data, size);
    bnd_checkpoint *c = fuzz_memory(1, sizeof *c);
    bnd_error why = {.status = BND_OK};
    *c = (bnd_checkpoint){.texts = {{text_of(config, config_length), config_length}}}; /* the first is config.json */
    if (open_bytes(c, bytes, file_size, ignore, &reports, &why) == BND_OK) {
        require_promises(c);
        require_linted(c);
    } else {
        require(why.message[0] != '\0', "a refusal says why");
    }
    bnd_checkpoint_free(c);
    free(bytes);
    return 0;
}

/* ---- inputs ---- */

#define TENSOR(name, dtype, shape, from, to)                                                                           \
    "\"l." name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" #from "," #to "]}"
#define QUANTIZED(members) "{\"quantization_config\":{" members "}}"
#define CT(format, weights)                                                                                            \
    QUANTIZED("\"quant_method\":\"compressed-tensors\",\"format\":\"" format                                           \
              "\",\"config_groups\":{\"g\":{\"targets\":[\"Linear\"],\"weights\":{" weights "}}},\"ignore\":[\"m\"]")

static const struct {
    const char *config, *header;
} inputs[] = {
    {CT("nvfp4-pack-quantized", "\"num_bits\":4,\"type\":\"float\",\"strategy\":\"tensor_group\",\"group_size\":16"),
     "{" TENSOR("weight_packed", "U8", "4,16", 0, 64) "," TENSOR("weight_scale", "F8_E4M3", "4,2", 64, 72) "," TENSOR(
         "weight_global_scale", "F32", "1", 72, 76) "}"},
    {CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\""),
     "{" TENSOR("weight", "F8_E4M3", "4,8", 0, 32) "," TENSOR("weight_scale", "BF16", "4,1", 32, 40) "}"},
    {CT("pack-quantized", "\"num_bits\":4,\"type\":\"int\",\"strategy\":\"group\",\"group_size\":8"),
     "{" TENSOR("weight_packed", "I32", "4,2", 0, 32) "," TENSOR("weight_scale", "BF16", "4,2", 32, 48) "," TENSOR(
         "weight_shape", "I64", "2", 48, 64) "}"},
    {QUANTIZED("\"quant_method\":\"fp8\",\"weight_block_size\":[2,4]"),
     "{" TENSOR("weight", "F8_E4M3", "3,8", 0, 24) "," TENSOR("weight_scale_inv", "F32", "2,2", 24, 40) "}"},
    {QUANTIZED("\"quant_method\":\"mxfp4\""), "{" TENSOR("down_proj_blocks", "U8", "2,3,1,16", 0, 96) "," TENSOR(
                                                  "down_proj_scales", "U8", "2,3,1", 96, 102) "}"},
    {QUANTIZED("\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\""),
     "{" TENSOR("weight", "U8", "4,16", 0, 64) "," TENSOR("weight_scale", "F8_E4M3", "4,2", 64, 72) "," TENSOR(
         "weight_scale_2", "F32", "", 72, 76) "," TENSOR("input_scale", "F32", "", 76, 80) "}"},
    {"{\"quantization\":{\"group_size\":32,\"bits\":4}}",
     "{" TENSOR("weight", "U32", "4,4", 0, 64) "," TENSOR("scales", "BF16", "4,1", 64,
                                                          72) "," TENSOR("biases", "BF16", "4,1", 72, 80) "}"},
    {"", "{\"__metadata__\":{\"_quantization_metadata\":\"{\\\"layers\\\":{\\\"l\\\":{\\\"format\\\":"
         "\\\"nvfp4\\\"}}}\"}," TENSOR("weight", "U8", "16,16", 0, 256) "," TENSOR(
             "weight_scale", "F8_E4M3", "128,4", 256, 768) "," TENSOR("weight_scale_2", "F32", "", 768, 772) "}"},
    {"{}", "{" TENSOR("a", "F4", "2,2", 0, 4) "," TENSOR("b", "F64", "3", 4, 28) "}"},
};

/* One of these with up to seven bytes replaced, by bytes that mean something to it or by any. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char alphabet[] = "{}[],:\"\\0123456789 -.eUFIuB_\xff";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[1024];
        size_t row = bnd_random(seed, i, 0) % (sizeof inputs / sizeof inputs[0]);
        size_t config = strlen(inputs[row].config) + 1, header = strlen(inputs[row].header) + 1;
        size_t text = config + header, size = text + bnd_random(seed, i, 1) % 100;
        require(size <= sizeof data, "an input fits");
        memcpy(data, inputs[row].config, config);
        memcpy(data + config, inputs[row].header, header);
        for (size_t k = text; k < size; k++) {
            data[k] = (uint8_t)bnd_random(seed, i, k);
        }
        for (uint64_t k = bnd_random(seed, i, 2) % 8; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 2000 + k);
            data[r % text] = fuzz_byte(r, alphabet);
        }
        fuzz_input(data, size);
    }
}
