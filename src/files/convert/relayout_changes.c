/* How relayout changed each tensor of quantized weights, from the headers of input and output. Of scales that are
 * stored as reciprocals in the output, the numbers are read. */
#include "convert/relayout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bnd_relayout_changes {
    size_t count, with[BND_RELAID_CHANGES + 1]; /* the last one: of tensors without a change */
    bnd_relaid_tensor tensors[];
};

const char *bnd_relaid_change_name(bnd_relaid_change change)
{
    static const char *const names[] = {
        [BND_RELAID_RENAMED] = "renamed", [BND_RELAID_RESHAPED] = "reshaped",   [BND_RELAID_CAST] = "cast",
        [BND_RELAID_RETYPED] = "retyped", [BND_RELAID_REORDERED] = "reordered", [BND_RELAID_INVERTED] = "inverted"};
    return change < BND_RELAID_CHANGES ? names[change] : "";
}

/* ---- one tensor ---- */

/* A static input scale is another part where it is a divisor. */
static bnd_part part_after(const bnd_stored_weight *after, bnd_part part)
{
    const bool input = part == BND_PART_INPUT || part == BND_PART_INPUT_SECOND;
    return !input || after->parts[part] != NULL ? part
           : part == BND_PART_INPUT             ? BND_PART_INPUT_SECOND
                                                : BND_PART_INPUT;
}

static bool is_inverted(const bnd_stored_weight *before, const bnd_stored_weight *after, bnd_part part)
{
    return part == BND_PART_SECOND ? before->layout->second_divides != after->layout->second_divides
                                   : part != part_after(after, part);
}

static bool is_reordered(const bnd_layout *a, const bnd_layout *b, bnd_part part)
{
    return part == BND_PART_CODES ? a->high_first != b->high_first
                                  : part == BND_PART_SCALES && a->swizzled != b->swizzled;
}

static bool have_same_shape(const bnd_stored_tensor *a, const bnd_stored_tensor *b)
{
    return a->rank == b->rank && (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

/* A positive number that is stored alone; 0: there is none. */
static float positive_number(const bnd_stored_tensor *t)
{
    float x = 0;
    const bool read =
        t->count == 1 && t->format != NULL && bnd_decode_f32(&x, t->data, 1, t->format, NULL, NULL) == BND_OK;
    return read && x > 0 ? x : 0;
}

/* Steps from one positive fp32 number to another. */
static uint64_t distance(float x, float y)
{
    uint32_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    return a > b ? a - b : b - a;
}

static void find_reciprocal(bnd_relaid_tensor *t)
{
    const float x = positive_number(t->from), y = positive_number(t->to);
    if (x > 0 && y > 0) {
        const volatile float back = 1 / y;
        t->is_reciprocal = true;
        t->number_from = x;
        t->number_to = y;
        t->number_back = back;
        t->ulps = distance(x, back);
    }
}

/* False: a weight has no such part in input or output. */
static bool find_tensor(bnd_relaid_tensor *out, const bnd_stored_weight *before, const bnd_stored_weight *after,
                        bnd_part part)
{
    const bnd_stored_tensor *a = before->parts[part], *b = after->parts[part_after(after, part)];
    if (a == NULL || b == NULL) {
        return false;
    }
    const bool dtype = strcmp(a->dtype, b->dtype) == 0, bytes = a->bits == 8 && b->bits == 8;
    const bool inverted = is_inverted(before, after, part);
    *out = (bnd_relaid_tensor){.weight = before, .part = part, .from = a, .to = b};
    out->changes = (unsigned)(strcmp(a->name, b->name) != 0) << BND_RELAID_RENAMED |
                   (unsigned)!have_same_shape(a, b) << BND_RELAID_RESHAPED |
                   (unsigned)(!dtype && !bytes) << BND_RELAID_CAST | (unsigned)(!dtype && bytes) << BND_RELAID_RETYPED |
                   (unsigned)is_reordered(before->layout, after->layout, part) << BND_RELAID_REORDERED |
                   (unsigned)inverted << BND_RELAID_INVERTED;
    if (inverted) {
        find_reciprocal(out);
    }
    return true;
}

/* ---- all tensors ---- */

static void add_weight(bnd_relayout_changes *all, const bnd_stored_weight *before, const bnd_stored_weight *after)
{
    for (unsigned part = 0; part < BND_PART_COUNT; part++) {
        bnd_relaid_tensor *t = &all->tensors[all->count];
        if (find_tensor(t, before, after, (bnd_part)part)) {
            for (unsigned c = 0; c < BND_RELAID_CHANGES; c++) {
                all->with[c] += t->changes >> c & 1;
            }
            all->with[BND_RELAID_CHANGES] += t->changes == 0;
            all->count++;
        }
    }
}

bnd_status bnd_relayout_changes_new(bnd_relayout_changes **out, const bnd_checkpoint *in, const bnd_checkpoint *after,
                                    bnd_error *why)
{
    const size_t most = bnd_checkpoint_count(in); /* each is a part of one weight */
    if (most > (SIZE_MAX - sizeof(bnd_relayout_changes)) / sizeof(bnd_relaid_tensor)) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the changes of %zu tensors", most);
    }
    bnd_relayout_changes *all = calloc(1, sizeof *all + most * sizeof *all->tensors);
    if (all == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the changes of %zu tensors", most);
    }
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_stored_weight *a = bnd_checkpoint_weight_at(in, i), *b = bnd_checkpoint_find_weight(after, a->name);
        if (a->layout != NULL && b != NULL && b->layout != NULL) {
            add_weight(all, a, b);
        }
    }
    *out = all;
    return BND_OK;
}

void bnd_relayout_changes_free(bnd_relayout_changes *changes)
{
    free(changes);
}

size_t bnd_relayout_changes_count(const bnd_relayout_changes *changes)
{
    return changes->count;
}

const bnd_relaid_tensor *bnd_relayout_changes_at(const bnd_relayout_changes *changes, size_t index)
{
    return index < changes->count ? &changes->tensors[index] : NULL;
}

size_t bnd_relayout_changes_with(const bnd_relayout_changes *changes, bnd_relaid_change change)
{
    return change <= BND_RELAID_CHANGES ? changes->with[change] : 0;
}

/* ---- what the metadata keep ---- */

const bnd_safetensors_pair *bnd_relayout_kept_at(const bnd_checkpoint *checkpoint, size_t index)
{
    for (size_t i = 0; i < bnd_checkpoint_metadata_count(checkpoint); i++) {
        const bnd_safetensors_pair *pair = bnd_checkpoint_metadata_at(checkpoint, i);
        if (strncmp(pair->key, BNDI_RELAY_PREFIX, sizeof BNDI_RELAY_PREFIX - 1) == 0 && index-- == 0) {
            return pair;
        }
    }
    return NULL;
}
