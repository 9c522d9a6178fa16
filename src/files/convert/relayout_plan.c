/* How the tensors of each weight change. */
#include "convert/relayout.h"

#include "checkpoint/layouts.h"
#include "checkpoint/weights.h"
#include "convert/tensor_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_MOST = 8, NAME_MORE = 64, PLACE = 40 };

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

/* Where the number stands in the lines "NAME[INDEX]=BITS", each of which begins with '\n'; NULL: nowhere. */
static const char *original_at(const char *lines, const char *name, size_t index)
{
    const size_t length = strlen(name);
    char place[PLACE];
    const size_t more = (size_t)snprintf(place, sizeof place, "[%zu]=", index);
    for (const char *line = strchr(lines, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
        if (strncmp(line + 1, name, length) == 0 && strncmp(line + 1 + length, place, more) == 0) {
            return line + 1 + length + more;
        }
    }
    return NULL;
}

static void put_original(bndi_long_text *lines, const char *name, size_t index, float x)
{
    char place[PLACE];
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    (void)snprintf(place, sizeof place, "[%zu]=%08x", index, (unsigned)bits);
    bndi_long_text_put(lines, "\n");
    bndi_long_text_put(lines, name);
    bndi_long_text_put(lines, place);
}

/* The number that a reciprocal was made from, if the input has it. */
static bool find_original(float *out, const bndi_relayout_plan *plan, const char *name, size_t index)
{
    const char *all = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_ORIGINALS) : NULL;
    const char *at = all != NULL ? original_at(all, name, index) : NULL;
    unsigned bits;
    if (at == NULL || sscanf(at, "%8x", &bits) != 1) {
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
        if (!(isfinite(x) && x > 0 && isfinite(y))) {
            char scale[32];
            free(numbers);
            (void)snprintf(scale, sizeof scale, "%g", (double)x);
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s is %s and cannot scale anything; the other layout would have its reciprocal",
                            from->name, scale);
        }
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
            put_original(&plan->originals, from->name, i, x);
        }
    }
    if (plan->originals.failed) {
        free(numbers);
        return no_memory(why);
    }
    *out = numbers;
    return BND_OK;
}

static const char *first_word(const char *words)
{
    static const char *const known[] = {"F8_E4M3", "F8_E5M2", "F8_E8M0", "U8", "U32", "I8", "F32", "BF16", "F16"};
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
    if (part == BND_PART_SCALES && m->plan->scale_dtype != NULL && bndi_is_listed(dtypes, m->plan->scale_dtype)) {
        return m->plan->scale_dtype;
    }
    if (part == BND_PART_INPUT && m->plan->input_dtype != NULL && bndi_is_listed(dtypes, m->plan->input_dtype)) {
        return m->plan->input_dtype;
    }
    if (part == BND_PART_CODES && m->plan->code_dtype != NULL && bndi_is_listed(dtypes, m->plan->code_dtype)) {
        return m->plan->code_dtype;
    }
    return bndi_is_listed(dtypes, from->dtype) ? from->dtype : first_word(dtypes);
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
    if (status == BND_OK && relaid.kind == BNDI_RELAY_CAST && part != BND_PART_SCALES && from->format == NULL) {
        status =
            bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is %s; expected floating-point numbers", from->name, from->dtype);
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

bnd_status bndi_relayout_plan_make(bndi_relayout_plan *plan, bnd_error *why)
{
    const bnd_checkpoint *in = plan->in;
    const size_t count = bnd_checkpoint_count(in);
    const bndi_quantizations *configs = bndi_checkpoint_quantizations(in);
    bnd_status status = bndi_relayout_family(plan, why);
    if (status != BND_OK) {
        return status;
    }
    if (configs->bad_count > 0 && !plan->restores) { /* what it says of the KV cache would be lost */
        return bnd_fail(why, BND_BAD_FILE, 0, "%s: %s", configs->bad[0].file, configs->bad[0].why.message);
    }
    owner *owners = calloc(count + 1, sizeof *owners);
    plan->layouts = calloc(bnd_checkpoint_weights(in) + 1, sizeof *plan->layouts);
    plan->scheme_of = calloc(bnd_checkpoint_weights(in) + 1, sizeof *plan->scheme_of);
    plan->relaid = calloc(count + 1, sizeof *plan->relaid);
    plan->tensors = calloc(count + 1, sizeof *plan->tensors);
    plan->names = calloc(count + 1, sizeof *plan->names);
    const bool memory = owners != NULL && plan->layouts != NULL && plan->scheme_of != NULL && plan->relaid != NULL &&
                        plan->tensors != NULL && plan->names != NULL;
    status = memory ? bndi_relayout_choose(plan, why) : no_memory(why);
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
    free(plan->scheme_of);
    free(plan->relaid);
    free(plan->tensors);
    free(plan->names);
    bndi_long_text_free(&plan->originals);
}
