/* Finding the weights. Tensors are grouped by module: those of one module that a row of layouts.def can name lie side
 * by side after sorting. Each group goes to the row that fits best; a tensor that no row takes is a weight of its
 * own. */
#include "checkpoint/weights.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, ROWS = 128 };

/* A tensor whose name ends in a suffix of layouts.def. */
typedef struct member {
    const char *name; /* of the tensor; the module is its beginning */
    uint32_t module;  /* the length of that */
    uint8_t word;     /* the suffix, in finder.words */
    size_t index;     /* of the tensor */
} member;

typedef struct finder {
    const bnd_checkpoint *c;
    struct bndi_weights *out;
    const char *words[WORDS]; /* every suffix once */
    uint8_t lengths[WORDS];
    size_t word_count;
    uint8_t word_of[ROWS][BND_PART_COUNT]; /* of a row's part; WORDS: it has no such part */
    member *members;
    size_t member_count;
    bool *taken;              /* tensors that are parts of a weight, but not its codes */
    bnd_stored_weight **made; /* by the tensor that has the codes; NULL: it is not quantized */
    bool no_memory;
} finder;

/* ---- suffixes ---- */

static uint8_t word_number(finder *f, const char *suffix)
{
    for (size_t i = 0; i < f->word_count; i++) {
        if (strcmp(f->words[i], suffix) == 0) {
            return (uint8_t)i;
        }
    }
    f->words[f->word_count] = suffix;
    f->lengths[f->word_count] = (uint8_t)strlen(suffix);
    return (uint8_t)f->word_count++;
}

static void take_words(finder *f)
{
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
            const char *suffix = bnd_layout_at(row)->suffix[part];
            f->word_of[row][part] = suffix == NULL ? WORDS : word_number(f, suffix);
        }
    }
}

/* Splits a name into module and suffix. False if it ends in none. */
static bool split(member *out, const finder *f, const char *name, size_t index)
{
    const size_t length = strlen(name);
    const char *dot = strrchr(name, '.'), *last = dot == NULL ? name : dot + 1;
    const size_t last_length = length - (size_t)(last - name);
    for (size_t i = 0; i < f->word_count; i++) {
        const size_t size = f->lengths[i];
        const bool follows = f->words[i][0] == '_';
        if ((follows ? last_length > size : last_length == size) &&
            memcmp(name + length - size, f->words[i], size) == 0) {
            const size_t module = follows ? length - size : dot == NULL ? 0 : (size_t)(dot - name);
            *out = (member){.name = name, .module = (uint32_t)module, .word = (uint8_t)i, .index = index};
            return module == out->module;
        }
    }
    return false;
}

static int compare_modules(const member *a, const member *b)
{
    const size_t least = a->module < b->module ? a->module : b->module;
    const int order = memcmp(a->name, b->name, least);
    return order != 0 ? order : (a->module > b->module) - (a->module < b->module);
}

static int compare_members(const void *x, const void *y)
{
    const member *a = x, *b = y;
    const int order = compare_modules(a, b);
    return order != 0 ? order : (a->word > b->word) - (a->word < b->word);
}

/* ---- what is said about a module ---- */

static const bndi_quantized_layer *layer_of(const finder *f, const member *m, bool *comfy)
{
    const bndi_quantizations *all = &f->out->configurations;
    for (size_t i = 0; i < all->count; i++) {
        const bndi_quantized_layer *layer = bndi_find_layer(&all->rows[i], m->name, m->module);
        if (layer != NULL) {
            *comfy = all->rows[i].comfy;
            return layer;
        }
    }
    return NULL;
}

static bndi_hint hint_of(finder *f, const member *group, size_t count, bndi_quantized_layer *noted)
{
    bndi_hint hint = {.configurations = &f->out->configurations};
    hint.layer = layer_of(f, group, &hint.comfy);
    for (size_t i = 0; i < count; i++) {
        const bnd_stored_tensor *t = &f->c->tensors[group[i].index];
        if (strcmp(f->words[group[i].word], "comfy_quant") == 0 &&
            bndi_comfy_note(noted, &f->out->arena, t->data, (size_t)t->size)) {
            hint.layer = noted;
            hint.comfy = true;
        }
    }
    return hint;
}

/* ---- the row that fits best ---- */

/* The tensors that a row names. Returns how many there are beside the codes. */
static size_t take_parts(const bnd_stored_tensor *parts[BND_PART_COUNT], const finder *f, size_t row,
                         const member *group, size_t count)
{
    size_t found = 0;
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        parts[part] = NULL;
        for (size_t i = 0; i < count && f->word_of[row][part] != WORDS; i++) {
            if (group[i].word == f->word_of[row][part]) {
                parts[part] = &f->c->tensors[group[i].index];
                found += part != BND_PART_CODES;
            }
        }
    }
    return found;
}

/* Could these codes be of this row? "weight" is also the name of what is not quantized: its dtype must be right, and
 * another part must be there, unless it has blocks of GGUF. */
static bool is_candidate(const bnd_layout *layout, const bnd_stored_tensor *const parts[BND_PART_COUNT], size_t others)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    const bnd_stored_tensor *codes = parts[BND_PART_CODES];
    if (codes == NULL) {
        return false;
    }
    if (strcmp(layout->suffix[BND_PART_CODES], "weight") != 0) {
        return others > 0 || codes->kind == BND_STORED_INTEGER;
    }
    return bndi_has_word(row->part[BND_PART_CODES].dtypes, codes->dtype) &&
           (others > 0 || row->part[BND_PART_SCALES].suffix == NULL);
}

enum { COST_UNEXPLAINED = 100 };

/* False: no row takes the group. */
static bool best_row(bndi_fit *best, finder *f, const member *group, size_t count, const bndi_hint *hint)
{
    const bnd_stored_tensor *parts[BND_PART_COUNT];
    int least = BNDI_COST_UNFIT;
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        const size_t others = take_parts(parts, f, row, group, count);
        const bnd_layout *layout = bnd_layout_at(row);
        if (!is_candidate(layout, parts, others)) {
            continue;
        }
        bndi_fit fit;
        bndi_fit_row(&fit, layout, parts, hint->configurations);
        const int cost = bndi_fit_cost(&fit, hint) + COST_UNEXPLAINED * (int)(count - 1 - others);
        if (cost < least) {
            least = cost;
            *best = fit;
        }
    }
    return least < BNDI_COST_UNFIT;
}

/* ---- weights ---- */

static const char *name_of(finder *f, const bnd_layout *layout, const member *m)
{
    enum { SUFFIX = sizeof ".weight" };
    const char *stored = f->c->tensors[m->index].name;
    const bool bare = (bndi_layout_row_of(layout)->flags & BNDI_LAYOUT_BARE) != 0;
    if (!bare && strcmp(layout->suffix[BND_PART_CODES], "weight") == 0) {
        return stored;
    }
    char *name = bndi_arena_take(&f->out->arena, (size_t)m->module + SUFFIX, 1);
    if (name == NULL) {
        f->no_memory = true;
        return stored;
    }
    memcpy(name, m->name, m->module);
    if (!bare) {
        memcpy(name + m->module, m->module == 0 ? "weight" : ".weight", m->module == 0 ? SUFFIX - 1 : SUFFIX);
    }
    return name;
}

static void make_group(finder *f, const member *group, size_t count)
{
    bndi_quantized_layer noted;
    bndi_fit best;
    const bndi_hint hint = hint_of(f, group, count, &noted);
    if (!best_row(&best, f, group, count, &hint)) {
        return;
    }
    const size_t row = (size_t)(best.layout - bnd_layout_at(0));
    for (size_t i = 0; i < count; i++) {
        if (group[i].word == f->word_of[row][BND_PART_CODES]) {
            bnd_stored_weight *w = bndi_arena_take(&f->out->arena, 1, sizeof *w);
            if (w == NULL || !bndi_weight_from_fit(w, &best, &hint, &f->out->arena)) {
                f->no_memory = true;
                continue;
            }
            w->name = name_of(f, best.layout, &group[i]);
            f->made[group[i].index] = w;
            continue;
        }
        for (bnd_part part = BND_PART_SCALES; part < BND_PART_COUNT; part++) {
            f->taken[group[i].index] = f->taken[group[i].index] || group[i].word == f->word_of[row][part];
        }
    }
}

static void make_groups(finder *f)
{
    for (size_t i = 0; i < f->member_count;) {
        size_t count = 1;
        while (i + count < f->member_count && compare_modules(&f->members[i], &f->members[i + count]) == 0) {
            count++;
        }
        make_group(f, &f->members[i], count);
        i += count;
    }
}

/* One tensor as it is. */
static bnd_stored_weight *single(finder *f, const bnd_stored_tensor *tensor)
{
    static const char *const why_not[] = {
        [BND_STORED_FLOAT] = NULL,
        [BND_STORED_INTEGER] = "its elements are integers",
        [BND_STORED_BLOCKS] = "blocks of this type are not decoded",
        [BND_STORED_OTHER] = "elements of this type are not decoded",
    };
    bnd_stored_weight *w = bndi_arena_take(&f->out->arena, 1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    w->name = tensor->name;
    w->tensor_scale = 1;
    w->parts[BND_PART_CODES] = tensor;
    w->rank = tensor->rank;
    w->shape = tensor->shape;
    w->count = tensor->count;
    w->is_float = tensor->kind == BND_STORED_FLOAT;
    w->why_not = why_not[tensor->kind];
    w->bits_per_element = tensor->count == 0 ? tensor->bits : (double)tensor->size * 8 / (double)tensor->count;
    return w;
}

static int compare_names(const void *x, const void *y)
{
    const bnd_stored_weight *const *a = x, *const *b = y;
    const int order = strcmp((*a)->name, (*b)->name);
    const bnd_stored_tensor *first = (*a)->parts[BND_PART_CODES], *second = (*b)->parts[BND_PART_CODES];
    return order != 0 ? order : (first > second) - (first < second);
}

/* "x.weight" and "x.weight_packed" are weights with the same name, "x.weight": neither is used. */
static void refuse_doubles(struct bndi_weights *all)
{
    for (size_t i = 1; i < all->count; i++) {
        bnd_stored_weight *const pair[] = {all->by_name[i - 1], all->by_name[i]};
        const bool same = strcmp(pair[0]->name, pair[1]->name) == 0;
        for (size_t k = 0; same && k < 2; k++) {
            pair[k]->why_not = pair[k]->is_float ? "other tensors are a weight of the same name" : pair[k]->why_not;
            pair[k]->is_float = false;
        }
    }
}

/* The list, in the order of the codes, and the same by name. */
static bool make_list(finder *f)
{
    struct bndi_weights *out = f->out;
    size_t count = 0;
    for (size_t i = 0; i < f->c->count; i++) {
        count += !f->taken[i];
    }
    out->list = bndi_arena_take(&out->arena, count, sizeof *out->list);
    out->by_name = bndi_arena_take(&out->arena, count, sizeof *out->by_name);
    if (out->list == NULL || out->by_name == NULL) {
        return false;
    }
    for (size_t i = 0; i < f->c->count; i++) {
        if (f->taken[i]) {
            continue;
        }
        bnd_stored_weight *w = f->made[i] != NULL ? f->made[i] : single(f, &f->c->tensors[i]);
        if (w == NULL) {
            return false;
        }
        out->list[out->count] = out->by_name[out->count] = w;
        out->count++;
    }
    qsort(out->by_name, out->count, sizeof *out->by_name, compare_names);
    refuse_doubles(out);
    return true;
}

static bnd_status find(finder *f, bnd_error *why)
{
    take_words(f);
    for (size_t i = 0; i < f->c->count; i++) {
        f->member_count += split(&f->members[f->member_count], f, f->c->tensors[i].name, i);
    }
    qsort(f->members, f->member_count, sizeof *f->members, compare_members);
    make_groups(f);
    return !f->no_memory && make_list(f)
               ? BND_OK
               : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the weights of %zu tensors", f->c->count);
}

bnd_status bndi_weights_find(bnd_checkpoint *checkpoint, bnd_error *why)
{
    const size_t count = checkpoint->count + 1;
    finder *f = calloc(1, sizeof *f);
    struct bndi_weights *out = calloc(1, sizeof *out);
    member *members = calloc(count, sizeof *members);
    bool *taken = calloc(count, sizeof *taken);
    bnd_stored_weight **made = calloc(count, sizeof *made);
    bnd_status status = BND_NO_MEMORY;
    if (f != NULL && out != NULL && members != NULL && taken != NULL && made != NULL) {
        *f = (finder){.c = checkpoint, .out = out, .members = members, .taken = taken, .made = made};
        status = bndi_quantizations_read(&out->configurations, checkpoint, why);
        status = status == BND_OK ? find(f, why) : status;
    } else {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the weights of %zu tensors", checkpoint->count);
    }
    free(f);
    free(members);
    free(taken);
    free(made);
    if (status == BND_OK) {
        checkpoint->weights = out;
    } else {
        bndi_weights_free(out);
    }
    return status;
}

void bndi_weights_free(struct bndi_weights *weights)
{
    if (weights != NULL) {
        bndi_quantizations_free(&weights->configurations);
        bndi_arena_free(&weights->arena);
        free(weights);
    }
}

/* ---- what is found ---- */

const bndi_quantizations *bndi_checkpoint_quantizations(const bnd_checkpoint *checkpoint)
{
    return &checkpoint->weights->configurations;
}

size_t bnd_checkpoint_weights(const bnd_checkpoint *checkpoint)
{
    return checkpoint->weights->count;
}

const bnd_stored_weight *bnd_checkpoint_weight_at(const bnd_checkpoint *checkpoint, size_t index)
{
    return index < checkpoint->weights->count ? checkpoint->weights->list[index] : NULL;
}

const char *bnd_stored_as(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight == NULL ? NULL : weight->parts[BND_PART_CODES];
    return weight != NULL && weight->layout != NULL ? weight->layout->name : codes != NULL ? codes->dtype : "";
}

const bnd_stored_weight *bnd_checkpoint_find_weight(const bnd_checkpoint *checkpoint, const char *name)
{
    const struct bndi_weights *all = checkpoint->weights;
    size_t from = 0, to = all->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (strcmp(all->by_name[middle]->name, name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < all->count && strcmp(all->by_name[from]->name, name) == 0 ? all->by_name[from] : NULL;
}
