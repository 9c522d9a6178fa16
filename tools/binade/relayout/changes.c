/* binade relayout: how each tensor changed, from the headers of input and output. Scales that are stored as
 * reciprocals now are read. */
#include "relayout.h"

#include <stdlib.h>
#include <string.h>

/* What can happen to a tensor. */
enum change { RENAMED, RESHAPED, CAST, RETYPED, REORDERED, INVERTED, CHANGES };

static const char *const change_names[CHANGES] = {"renamed", "reshaped", "cast", "retyped", "reordered", "inverted"};

typedef struct moved_tensor {
    const bnd_stored_weight *before, *after;
    bnd_part part, part_after;
    const bnd_stored_tensor *from, *to;
} moved_tensor;

/* Static scales of inputs are another part where they are divisors. */
static bool find_moved(moved_tensor *out, const bnd_stored_weight *before, const bnd_stored_weight *after, size_t part)
{
    size_t at = part;
    if (after->parts[at] == NULL && (part == BND_PART_INPUT || part == BND_PART_INPUT_SECOND)) {
        at = part == BND_PART_INPUT ? BND_PART_INPUT_SECOND : BND_PART_INPUT;
    }
    *out = (moved_tensor){before, after, (bnd_part)part, (bnd_part)at, before->parts[part], after->parts[at]};
    return out->from != NULL && out->to != NULL;
}

static bool is_inverted(const moved_tensor *t)
{
    return t->part == BND_PART_SECOND ? t->before->layout->second_divides != t->after->layout->second_divides
                                      : t->part != t->part_after;
}

static bool is_reordered(const moved_tensor *t)
{
    const bnd_layout *a = t->before->layout, *b = t->after->layout;
    return t->part == BND_PART_CODES ? a->high_first != b->high_first
                                     : t->part == BND_PART_SCALES && a->swizzled != b->swizzled;
}

/* Bit c: change c. */
static unsigned changes_of(const moved_tensor *t)
{
    const bnd_stored_tensor *a = t->from, *b = t->to;
    const bool shape =
        a->rank == b->rank && (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
    const bool dtype = strcmp(a->dtype, b->dtype) == 0, bytes = a->bits == 8 && b->bits == 8;
    return (unsigned)(strcmp(a->name, b->name) != 0) << RENAMED | (unsigned)!shape << RESHAPED |
           (unsigned)(!dtype && !bytes) << CAST | (unsigned)(!dtype && bytes) << RETYPED |
           (unsigned)is_reordered(t) << REORDERED | (unsigned)is_inverted(t) << INVERTED;
}

/* ---- all tensors of weights that are quantized ---- */

typedef void moved_visit(void *state, const moved_tensor *t);

static void visit_moved(const bnd_checkpoint *in, const bnd_checkpoint *out, moved_visit *visit, void *state)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_stored_weight *before = bnd_checkpoint_weight_at(in, i);
        const bnd_stored_weight *after = bnd_checkpoint_find_weight(out, before->name);
        moved_tensor t;
        for (size_t p = 0; p < BND_PART_COUNT && before->layout != NULL; p++) {
            if (after != NULL && after->layout != NULL && find_moved(&t, before, after, p)) {
                visit(state, &t);
            }
        }
    }
}

static void put_shape(bnd_lab_json *json, const char *key, const bnd_stored_tensor *t)
{
    bnd_lab_json_array(json, key);
    for (size_t i = 0; i < t->rank; i++) {
        bnd_lab_json_unsigned(json, NULL, t->shape[i]);
    }
    bnd_lab_json_end(json);
}

static void put_tensor(void *state, const moved_tensor *t)
{
    bnd_lab_json *json = state;
    const unsigned changes = changes_of(t);
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "weight", t->before->name);
    bnd_lab_json_string(json, "part", bnd_layout_part_name(t->part));
    bnd_lab_json_string(json, "from", t->from->name);
    bnd_lab_json_string(json, "to", t->to->name);
    bnd_lab_json_string(json, "dtype_from", t->from->dtype);
    bnd_lab_json_string(json, "dtype_to", t->to->dtype);
    put_shape(json, "shape_from", t->from);
    put_shape(json, "shape_to", t->to);
    bnd_lab_json_array(json, "changes");
    for (unsigned c = 0; c < CHANGES; c++) {
        if ((changes >> c & 1) != 0) {
            bnd_lab_json_string(json, NULL, change_names[c]);
        }
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void count_tensor(void *state, const moved_tensor *t)
{
    uint64_t *counts = state;
    const unsigned changes = changes_of(t);
    for (unsigned c = 0; c < CHANGES; c++) {
        counts[c] += changes >> c & 1;
    }
    counts[CHANGES] += changes == 0;
}

/* ---- reciprocals ---- */

static bool read_number(float *x, const bnd_stored_tensor *t)
{
    return t->count == 1 && t->format != NULL && bnd_decode_f32(x, t->data, 1, t->format, NULL, NULL) == BND_OK;
}

/* Steps from one positive fp32 number to another. */
static uint64_t distance(float x, float y)
{
    uint32_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    return a > b ? a - b : b - a;
}

/* The reciprocal of what was written, which a loader or a relayout back computes; how far it is from the original. */
static void put_reciprocal(void *state, const moved_tensor *t)
{
    bnd_lab_json *json = state;
    float x, y;
    if (!is_inverted(t) || !read_number(&x, t->from) || !read_number(&y, t->to) || !(x > 0) || !(y > 0)) {
        return;
    }
    const volatile float back = 1 / y;
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "tensor", t->from->name);
    bnd_lab_json_string(json, "part", bnd_layout_part_name(t->part));
    json_owned_literal(json, "from", double_text((double)x));
    json_owned_literal(json, "to", double_text((double)y));
    json_owned_literal(json, "back", double_text((double)back));
    bnd_lab_json_unsigned(json, "ulps", distance(x, back));
    bnd_lab_json_end(json);
}

/* ---- the metadata ---- */

static void put_kept(bnd_lab_json *json, const bnd_checkpoint *out)
{
    static const char prefix[] = "binade.relayout.";
    bnd_lab_json_array(json, "kept");
    for (size_t i = 0; i < bnd_checkpoint_metadata_count(out); i++) {
        const bnd_safetensors_pair *pair = bnd_checkpoint_metadata_at(out, i);
        if (strncmp(pair->key, prefix, sizeof prefix - 1) == 0) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "key", pair->key);
            bnd_lab_json_unsigned(json, "bytes", strlen(pair->value));
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

void json_relayout_changes(bnd_lab_json *json, const bnd_checkpoint *in, const bnd_checkpoint *out)
{
    uint64_t counts[CHANGES + 1] = {0};
    visit_moved(in, out, count_tensor, counts);
    bnd_lab_json_object(json, "changes");
    for (unsigned c = 0; c < CHANGES; c++) {
        bnd_lab_json_unsigned(json, change_names[c], counts[c]);
    }
    bnd_lab_json_unsigned(json, "unchanged", counts[CHANGES]);
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "tensors");
    visit_moved(in, out, put_tensor, json);
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "reciprocals");
    visit_moved(in, out, put_reciprocal, json);
    bnd_lab_json_end(json);
    put_kept(json, out);
}
