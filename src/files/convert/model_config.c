/* What config.json says of a model. */
#include "convert/how.h"

#include "store/json.h"

#include <string.h>

/* A member that is a text, of the object or of its text_config, as models of images have one. */
static void take_text(char out[BNDI_WORD], const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    value = value != NULL ? value : json_string_value(json_object_get(json_object_get(object, "text_config"), key));
    if (value != NULL && out[0] == '\0' && strlen(value) < BNDI_WORD) {
        strcpy(out, value);
    }
}

bnd_status bndi_read_model_config(bndi_model_config *out, const char *text, size_t length, bnd_error *why)
{
    bndi_json_text all = {.bytes = text, .length = length};
    json_t *object;
    bnd_error problem;
    bnd_status status = bndi_json_read_config(&object, &all, &problem);
    if (status == BND_OK && !json_is_object(object)) {
        json_decref(object);
        status = bnd_fail(&problem, BND_BAD_FILE, 0, "expected an object");
    }
    if (status != BND_OK) {
        return bnd_fail(why, status, problem.where, "config.json: %s", problem.message);
    }
    *out = (bndi_model_config){
        .tied = json_is_true(json_object_get(object, "tie_word_embeddings")) ||
                json_is_true(json_object_get(json_object_get(object, "text_config"), "tie_word_embeddings")),
        .quantized = json_is_object(json_object_get(object, "quantization_config"))};
    take_text(out->model_type, object, "model_type");
    take_text(out->dtype, object, "dtype");
    take_text(out->dtype, object, "torch_dtype");
    json_decref(object);
    return BND_OK;
}
