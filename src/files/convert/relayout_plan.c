/* Which layout each weight gets, and how its tensors change. */
#include "convert/relayout.h"

#include "checkpoint/layouts.h"
#include "checkpoint/weights.h"
#include "convert/tensor_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_MOST = 8, NAME_MORE = 64 };

/* ---- the layout of a weight ---- */

static bool codes_can_move(const bnd_layout *layout)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    return (row->coding == BNDI_CODING_ELEMENTS || row->coding == BNDI_CODING_NIBBLES) &&
           (row->flags & BNDI_LAYOUT_UNDECODED) == 0;
}

/* Scales of 16 and 32 bits can be cast into each other; powers of two also to and from e8m0. */
static bool scales_fit(const bnd_block *has, const bnd_block *wanted)
{
    const bool plain_has = has->scale.width >= 16, plain_wanted = wanted->scale.width >= 16;
    const bool tile = has->sharing == BND_SHARE_TILE;
    return plain_has == plain_wanted ? plain_has || bnd_format_same(&has->scale, &wanted->scale) : tile;
}

static bool fits(const bnd_layout *layout, const bnd_stored_weight *w)
{
    bnd_block has;
    const bnd_block *wanted = &w->block;
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    if (layout->block[0] == '\0' || bnd_block_parse(&has, layout->block, NULL) != BND_OK || !codes_can_move(layout)) {
        return false;
    }
    const bool sized = wanted->sharing == BND_SHARE_TILE || (has.along > 0 && wanted->along > 0 && !wanted->tensor);
    const bool same = has.along == wanted->along && has.across == wanted->across;
    const bool scale_parts = w->parts[BND_PART_SCALES] != NULL && layout->suffix[BND_PART_SCALES] != NULL;
    return scale_parts && row->coding == bndi_layout_row_of(w->layout)->coding &&
           bnd_format_same(&has.element, &wanted->element) && has.integer == wanted->integer &&
           has.sharing == wanted->sharing && has.tensor == wanted->tensor && (same || sized) &&
           scales_fit(&has, wanted);
}

static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool has_input(const bnd_stored_weight *w)
{
    return bndi_input_of(w) != NULL;
}

/* A config.json can say that matrices are in this layout, with static input scales or without. */
static bool can_be_written(const bnd_layout *layout, const bnd_stored_weight *w)
{
    const bndi_written *row = bndi_written_row(layout);
    const bool others = layout->family == BND_LAYOUT_GPT_OSS || layout->family == BND_LAYOUT_COMFYUI;
    return row != NULL && !others && bndi_written_word(row, has_input(w))[0] != '\0';
}

/* The families that could have the weight, for messages. */
static void list_families(char *out, size_t size, const bnd_stored_weight *w)
{
    out[0] = '\0';
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        const bnd_layout *layout = bnd_layout_at(i);
        const char *name = bnd_layout_family_name(layout->family);
        const size_t length = strlen(out);
        if (layout->family != w->layout->family && can_be_written(layout, w) && fits(layout, w) &&
            strstr(out, name) == NULL && length + strlen(name) + 3 < size) {
            (void)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "", name);
        }
    }
    if (out[0] == '\0') {
        (void)snprintf(out, size, "none");
    }
}

static bnd_status find_target(const bnd_layout **out, const bndi_relayout_plan *plan, const bnd_stored_weight *w,
                              bnd_error *why)
{
    const char *before = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_FROM) : NULL;
    char families[128];
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        const bnd_layout *layout = bnd_layout_at(i);
        const bool known = plan->restores ? listed(before, layout->name) : can_be_written(layout, w);
        if (layout->family == plan->family && known && fits(layout, w)) {
            *out = layout;
            return BND_OK;
        }
    }
    list_families(families, sizeof families, w);
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s is in %s%s, which %s has no layout for that can be written (available: %s)", w->name,
                    w->layout->name, has_input(w) ? " with a static input scale" : "",
                    bnd_layout_family_name(plan->family), families);
}

static const char *why_refused(const bnd_stored_weight *w)
{
    if (!w->is_float) {
        return w->why_not;
    }
    if (!codes_can_move(w->layout)) {
        return "its codes lie in blocks or words";
    }
    if (w->rank != 2) {
        return "it has experts in one array";
    }
    if (w->parts[BND_PART_ZERO_POINTS] != NULL || w->parts[BND_PART_ORDER] != NULL) {
        return "it has zero points or reordered columns";
    }
    return w->parts[BND_PART_NOTE] != NULL ? "it has a note of ComfyUI's, which no other layout has" : NULL;
}

/* ---- the tensors of a weight ---- */

typedef struct maker {
    bndi_relayout_plan *plan;
    const bnd_stored_weight *weight;
    const bnd_layout *to;
} maker;

static bnd_status no_memory(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of tensors");
}

static bnd_status add_tensor(bndi_relayout_plan *plan, const char *name, const char *dtype, size_t rank,
                             const uint64_t *shape, bndi_relaid relaid, bnd_error *why)
{
    char *memory = malloc(strlen(name) + 1 + (rank + 1) * sizeof *shape);
    if (memory == NULL) {
        free(relaid.numbers);
        return no_memory(why);
    }
    uint64_t *kept = (uint64_t *)(void *)memory; /* shape, then name */
    if (rank > 0) {
        memcpy(kept, shape, rank * sizeof *shape);
    }
    strcpy(memory + (rank + 1) * sizeof *shape, name);
    plan->names[plan->count] = memory;
    plan->tensors[plan->count] =
        (bnd_planned){.name = memory + (rank + 1) * sizeof *shape, .dtype = dtype, .rank = rank, .shape = kept};
    plan->relaid[plan->count++] = relaid;
    return BND_OK;
}

static float number_at(const bnd_stored_tensor *t, size_t i)
{
    const unsigned char *at = t->data + 4 * i;
    const uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The number that a reciprocal was made from, if the input has it. */
static bool find_original(float *out, const bndi_relayout_plan *plan, const char *name, size_t index)
{
    const char *all = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_ORIGINALS) : NULL;
    char key[512];
    unsigned bits;
    if (all == NULL || (size_t)snprintf(key, sizeof key, "\n%s[%zu]=", name, index) >= sizeof key) {
        return false;
    }
    const char *at = strstr(all, key);
    if (at == NULL || sscanf(at + strlen(key), "%8x", &bits) != 1) {
        return false;
    }
    const uint32_t word = bits;
    memcpy(out, &word, sizeof *out);
    return true;
}

/* 1 / x of each number, or what it was made from; those whose reciprocal is another number are kept. */
static bnd_status invert(float **out, maker *m, const bnd_stored_tensor *from, const char *name, bool second,
                         bnd_error *why)
{
    bndi_relayout_plan *plan = m->plan;
    float *numbers = malloc((size_t)(from->count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        return no_memory(why);
    }
    for (size_t i = 0; i < from->count; i++) {
        const float x = number_at(from, i);
        float y = 1 / x, back;
        (void)find_original(&y, plan, name, i);
        back = 1 / y;
        const bool comes_back = back == x;
        numbers[i] = y;
        if (second) {
            plan->result.seconds++;
            plan->result.seconds_moved += m->to->second_divides && !comes_back;
        } else { /* engines use both the scale and its reciprocal */
            plan->result.inputs_inverted++;
            plan->result.inputs_moved += !comes_back;
        }
        if (!comes_back) {
            char line[512];
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            (void)snprintf(line, sizeof line, "\n%s[%zu]=%08x", from->name, i, (unsigned)bits);
            bndi_long_text_put(&plan->originals, line);
        }
    }
    *out = numbers;
    return plan->originals.failed ? no_memory(why) : BND_OK;
}

static bool has_word(const char *words, const char *word)
{
    return listed(words, word);
}

static const char *first_word(const char *words)
{
    static const char *const known[] = {"F8_E4M3", "F8_E5M2", "F8_E8M0", "U8", "I8", "F32", "BF16", "F16"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i]);
        if (strncmp(words, known[i], length) == 0 && (words[length] == ' ' || words[length] == '\0')) {
            return known[i];
        }
    }
    return "F32";
}

/* The dtype of a part in the output: the one that it had before, or has, or the first that the layout writes. */
static const char *dtype_for(const maker *m, bnd_part part, const bnd_stored_tensor *from, const char *dtypes)
{
    if (part == BND_PART_SCALES && m->plan->scale_dtype != NULL && has_word(dtypes, m->plan->scale_dtype)) {
        return m->plan->scale_dtype;
    }
    if (part == BND_PART_INPUT && m->plan->input_dtype != NULL && has_word(dtypes, m->plan->input_dtype)) {
        return m->plan->input_dtype;
    }
    return has_word(dtypes, from->dtype) ? from->dtype : first_word(dtypes);
}

static bndi_relay kind_for(const maker *m, bnd_part part, const bnd_stored_tensor *from, const char *dtype)
{
    const bnd_layout *a = m->weight->layout, *b = m->to;
    const bool byte = from->bits == 8 && from->size == from->count;
    const bool to_byte = strcmp(dtype, "U8") == 0 || strncmp(dtype, "F8_", 3) == 0 || strcmp(dtype, "I8") == 0;
    if (part == BND_PART_CODES) {
        return a->high_first != b->high_first ? BNDI_RELAY_SWAP : BNDI_RELAY_COPY;
    }
    if (part == BND_PART_SCALES && a->swizzled != b->swizzled) {
        return a->swizzled ? BNDI_RELAY_UNSWIZZLE : BNDI_RELAY_SWIZZLE;
    }
    return strcmp(from->dtype, dtype) == 0 || (byte && to_byte) ? BNDI_RELAY_COPY : BNDI_RELAY_CAST;
}

/* Where a part goes: static scales of the input have another name and are divisors in compressed-tensors' NVFP4. */
static bnd_part target_part(const maker *m, bnd_part part)
{
    const bool second = part == BND_PART_INPUT_SECOND;
    if (m->to->suffix[part] != NULL || (!second && part != BND_PART_INPUT)) {
        return part;
    }
    return second ? BND_PART_INPUT : BND_PART_INPUT_SECOND;
}

static bnd_status add_part(maker *m, bnd_part part, const bnd_stored_tensor *from, bnd_error *why)
{
    const bnd_part at = target_part(m, part);
    const bndi_part_rule *rule = &bndi_layout_row_of(m->to)->part[at];
    const bnd_stored_weight *w = m->weight;
    char *name = malloc(strlen(w->name) + NAME_MORE);
    uint64_t shape[RANK_MOST];
    if (name == NULL) {
        return no_memory(why);
    }
    if (rule->suffix == NULL) {
        free(name);
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: %s has no place for %s", w->name, m->to->name, from->name);
    }
    (void)bndi_part_name(name, strlen(w->name) + NAME_MORE, m->to, w->name, at);
    const char *dtype = dtype_for(m, part, from, rule->dtypes);
    bndi_relaid relaid = {.weight = w, .from = from, .kind = kind_for(m, part, from, dtype)};
    const bool of_tensor = part == BND_PART_SECOND || part == BND_PART_INPUT || part == BND_PART_INPUT_SECOND;
    bnd_block block = w->block;
    size_t rank =
        bndi_shape_of_part(shape, (bndi_part_shape)rule->shape, &block, (size_t)w->shape[0], (size_t)w->shape[1]);
    bnd_status status = BND_OK;
    if (of_tensor && from->count != 1) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s must have one number", from->name);
    } else if (of_tensor &&
               (part == BND_PART_SECOND ? w->layout->second_divides != m->to->second_divides : at != part)) {
        relaid.kind = BNDI_RELAY_NUMBERS;
        status = strcmp(from->dtype, "F32") == 0 ? invert(&relaid.numbers, m, from, name, part == BND_PART_SECOND, why)
                                                 : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s must be F32", from->name);
    }
    if (status == BND_OK && relaid.kind == BNDI_RELAY_CAST) {
        relaid.in = part == BND_PART_SCALES ? w->block.scale : *from->format;
        if (strcmp(dtype, "U8") == 0 || bnd_format_parse(&relaid.out, dtype, NULL) != BND_OK) {
            relaid.out = *bnd_format_at(BND_FORMAT_E8M0);
        }
    }
    status = status == BND_OK ? add_tensor(m->plan, name, dtype, rank, shape, relaid, why) : status;
    m->plan->result.inputs += status == BND_OK && of_tensor && part != BND_PART_SECOND;
    m->plan->result.scales_cast += status == BND_OK && relaid.kind == BNDI_RELAY_CAST;
    free(name);
    return status;
}

/* ---- all ---- */

/* The part of a weight that a tensor is, and the weight: tensors keep their order. */
typedef struct owner {
    size_t weight;
    bnd_part part;
} owner;

static void find_owners(owner *owners, const bnd_checkpoint *in)
{
    const bnd_stored_tensor *first = bnd_checkpoint_at(in, 0);
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(in, i);
        for (size_t p = 0; p < BND_PART_COUNT; p++) {
            if (w->parts[p] != NULL) {
                owners[w->parts[p] - first] = (owner){i, (bnd_part)p};
            }
        }
    }
}

static bnd_status choose_layouts(bndi_relayout_plan *plan, bnd_error *why)
{
    const bnd_layout *to = NULL;
    for (size_t i = 0; i < bnd_checkpoint_weights(plan->in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(plan->in, i);
        if (w->layout == NULL) {
            continue;
        }
        if (w->layout->family == plan->family) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is in %s already", w->name, w->layout->name);
        }
        const char *refused = why_refused(w);
        if (refused != NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be laid out anew: %s", w->name, refused);
        }
        bnd_status status = find_target(&plan->layouts[i], plan, w, why);
        if (status != BND_OK) {
            return status;
        }
        if (to != NULL && to != plan->layouts[i] && !plan->restores) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s needs %s, and weights before it %s; one config cannot say both", w->name,
                            plan->layouts[i]->name, to->name);
        }
        if (to == NULL) {
            to = plan->layouts[i];
            plan->from = w->layout;
            plan->written = (bndi_how){.layout = to, .block = w->block, .written = bndi_written_row(to)};
            plan->written.with_inputs = has_input(w);
            plan->written.dynamic =
                !has_input(w) && plan->written.written != NULL && plan->written.written->dynamic[0] != '\0';
        }
        if (has_input(w) != plan->written.with_inputs && !plan->restores) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s %s a static input scale, unlike weights before it; one config cannot say both", w->name,
                            has_input(w) ? "has" : "does not have");
        }
        plan->result.weights++;
    }
    if (to == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "no weight is quantized: there is nothing to lay out anew");
    }
    if (plan->written.written != NULL) {
        plan->written.word = bndi_written_word(plan->written.written, plan->written.with_inputs);
    }
    plan->result.from = plan->from;
    plan->result.to = to;
    return BND_OK;
}

static bnd_status find_family(bndi_relayout_plan *plan, bnd_error *why)
{
    const char *name = plan->how->layout, *before = bnd_checkpoint_metadata(plan->in, BNDI_RELAY_FAMILY);
    plan->family = name == NULL ? BND_LAYOUT_FAMILIES : bnd_layout_family_of(name);
    if (plan->family == BND_LAYOUT_FAMILIES) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown layout '%s' (available: compressed-tensors, fp8, modelopt)",
                        name == NULL ? "" : name);
    }
    if (bnd_checkpoint_kind_of(plan->in) != BND_CHECKPOINT_SAFETENSORS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "only .safetensors files can be laid out anew");
    }
    plan->restores = before != NULL && strcmp(before, bnd_layout_family_name(plan->family)) == 0;
    plan->scale_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_SCALES) : NULL;
    plan->input_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_INPUTS) : NULL;
    plan->result.restored = plan->restores;
    return BND_OK;
}

bnd_status bndi_relayout_plan_make(bndi_relayout_plan *plan, bnd_error *why)
{
    const bnd_checkpoint *in = plan->in;
    const size_t count = bnd_checkpoint_count(in);
    bnd_status status = find_family(plan, why);
    if (status != BND_OK) {
        return status;
    }
    owner *owners = calloc(count + 1, sizeof *owners);
    plan->layouts = calloc(bnd_checkpoint_weights(in) + 1, sizeof *plan->layouts);
    plan->relaid = calloc(count + 1, sizeof *plan->relaid);
    plan->tensors = calloc(count + 1, sizeof *plan->tensors);
    plan->names = calloc(count + 1, sizeof *plan->names);
    const bool memory =
        owners != NULL && plan->layouts != NULL && plan->relaid != NULL && plan->tensors != NULL && plan->names != NULL;
    status = memory ? choose_layouts(plan, why) : no_memory(why);
    if (status == BND_OK) {
        find_owners(owners, in);
    }
    for (size_t i = 0; i < count && status == BND_OK; i++) {
        const bnd_stored_tensor *from = bnd_checkpoint_at(in, i);
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(in, owners[i].weight);
        maker m = {plan, w, plan->layouts[owners[i].weight]};
        if (m.to == NULL) {
            const bndi_relaid same = {.weight = w, .from = from};
            status = add_tensor(plan, from->name, from->dtype, from->rank, from->shape, same, why);
        } else {
            status = add_part(&m, owners[i].part, from, why);
        }
    }
    free(owners);
    return status;
}

void bndi_relayout_plan_free(bndi_relayout_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->relaid[i].numbers);
        free(plan->names[i]);
    }
    free(plan->layouts);
    free(plan->relaid);
    free(plan->tensors);
    free(plan->names);
    bndi_long_text_free(&plan->originals);
}
