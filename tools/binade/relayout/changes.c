/* binade relayout --json: how each tensor changed. */
#include "relayout.h"

#include <string.h>

static void put_shape(bnd_lab_json *json, const char *key, const bnd_stored_tensor *t)
{
    bnd_lab_json_array(json, key);
    for (size_t i = 0; i < t->rank; i++) {
        bnd_lab_json_unsigned(json, NULL, t->shape[i]);
    }
    bnd_lab_json_end(json);
}

static void put_tensor(bnd_lab_json *json, const bnd_relaid_tensor *t)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "weight", t->weight->name);
    bnd_lab_json_string(json, "part", bnd_layout_part_name(t->part));
    bnd_lab_json_string(json, "from", t->from->name);
    bnd_lab_json_string(json, "to", t->to->name);
    bnd_lab_json_string(json, "dtype_from", t->from->dtype);
    bnd_lab_json_string(json, "dtype_to", t->to->dtype);
    put_shape(json, "shape_from", t->from);
    put_shape(json, "shape_to", t->to);
    bnd_lab_json_array(json, "changes");
    for (unsigned c = 0; c < BND_RELAID_CHANGES; c++) {
        if ((t->changes >> c & 1) != 0) {
            bnd_lab_json_string(json, NULL, bnd_relaid_change_name((bnd_relaid_change)c));
        }
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void put_reciprocal(bnd_lab_json *json, const bnd_relaid_tensor *t)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "tensor", t->from->name);
    bnd_lab_json_string(json, "part", bnd_layout_part_name(t->part));
    json_owned_literal(json, "from", double_text((double)t->number_from));
    json_owned_literal(json, "to", double_text((double)t->number_to));
    json_owned_literal(json, "back", double_text((double)t->number_back));
    bnd_lab_json_unsigned(json, "ulps", t->ulps);
    bnd_lab_json_end(json);
}

static void put_kept(bnd_lab_json *json, const bnd_checkpoint *out)
{
    const bnd_safetensors_pair *pair;
    bnd_lab_json_array(json, "kept");
    for (size_t i = 0; (pair = bnd_relayout_kept_at(out, i)) != NULL; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "key", pair->key);
        bnd_lab_json_unsigned(json, "bytes", strlen(pair->value));
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

void json_relayout_changes(bnd_lab_json *json, const bnd_relayout_changes *changes, const bnd_checkpoint *out)
{
    const size_t count = bnd_relayout_changes_count(changes);
    bnd_lab_json_object(json, "changes");
    for (unsigned c = 0; c < BND_RELAID_CHANGES; c++) {
        bnd_lab_json_unsigned(json, bnd_relaid_change_name((bnd_relaid_change)c),
                              bnd_relayout_changes_with(changes, (bnd_relaid_change)c));
    }
    bnd_lab_json_unsigned(json, "unchanged", bnd_relayout_changes_with(changes, BND_RELAID_CHANGES));
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "tensors");
    for (size_t i = 0; i < count; i++) {
        put_tensor(json, bnd_relayout_changes_at(changes, i));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "reciprocals");
    for (size_t i = 0; i < count; i++) {
        const bnd_relaid_tensor *t = bnd_relayout_changes_at(changes, i);
        if (t->is_reciprocal) {
            put_reciprocal(json, t);
        }
    }
    bnd_lab_json_end(json);
    put_kept(json, out);
}
