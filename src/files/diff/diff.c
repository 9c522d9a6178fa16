/* Two checkpoints, weight by weight. */
#include "bulk/bulk.h"
#include "diff/search.h"
#include "diff/distance.h"
#include "diff/weight_pair.h"

#include <stdlib.h>
#include <string.h>

struct bnd_diff {
    bnd_weight_difference *weights;
    bndi_search *searches; /* one per weight; NULL: none was asked for */
    size_t count;
    bnd_difference_sums sums;
    size_t kinds[BND_DIFFERENCE_UNKNOWN + 1];
    bnd_explained_group *groups;
    size_t group_count;
    size_t without_base; /* weights of A that the base lacks, if one was given to explain them */
};

static const char *const kind_names[] = {
    [BND_DIFFERENCE_NONE] = "none",     [BND_DIFFERENCE_VALUES] = "values", [BND_DIFFERENCE_ONLY_A] = "only-a",
    [BND_DIFFERENCE_ONLY_B] = "only-b", [BND_DIFFERENCE_SHAPE] = "shape",   [BND_DIFFERENCE_UNKNOWN] = "unknown"};

const char *bnd_difference_name(bnd_difference_kind kind)
{
    return (size_t)kind < sizeof kind_names / sizeof kind_names[0] ? kind_names[kind] : "";
}

/* ---- the list of weights ---- */

/* The weight of this name; of two .npy files the only one, whose name is that of the file. */
static const bnd_stored_weight *counterpart(const bnd_checkpoint *in, const bnd_checkpoint *of, const char *name)
{
    const bool arrays =
        bnd_checkpoint_kind_of(in) == BND_CHECKPOINT_NPY && bnd_checkpoint_kind_of(of) == BND_CHECKPOINT_NPY;
    return arrays ? bnd_checkpoint_weight_at(in, 0) : bnd_checkpoint_find_weight(in, name);
}

static void pair_up(bnd_diff *d, const bnd_checkpoint *a, const bnd_checkpoint *b, const bnd_diff_options *options)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(a); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(a, i);
        d->weights[d->count++] = (bnd_weight_difference){.name = w->name, .a = w, .b = counterpart(b, a, w->name)};
    }
    for (size_t i = 0; i < bnd_checkpoint_weights(b); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(b, i);
        if (counterpart(a, b, w->name) == NULL) {
            d->weights[d->count++] = (bnd_weight_difference){.name = w->name, .b = w};
        }
    }
    for (size_t i = 0; i < d->count; i++) {
        bnd_weight_difference *w = &d->weights[i];
        w->explained.why_not = "it was not asked for";
        w->base = options->base != NULL ? counterpart(options->base, a, w->name) : w->b;
        d->without_base += options->explain && options->base != NULL && w->a != NULL && w->base == NULL;
    }
}

/* ---- progress ---- */

typedef struct told {
    const bnd_watch *watch;
    uint64_t done, total;
} told;

static bool tell(void *state, uint64_t elements)
{
    told *t = state;
    t->done += elements;
    return t->watch->at == NULL || t->watch->at(t->watch->state, t->done, t->total);
}

/* ---- how it was made ---- */

/* The largest magnitude of the weights of A whose tensor scale is stored as the same number, and how many they are. */
static float amax_of_sharers(const bnd_diff *d, const bndi_search *search, size_t *sharers)
{
    float amax = search->amax;
    *sharers = 0;
    for (size_t i = 0; i < d->count; i++) {
        const bndi_search *other = &d->searches[i];
        if (other->found.why_not == NULL && other->stored == search->stored &&
            other->has_second == search->has_second) {
            *sharers += 1;
            amax = other->amax > amax ? other->amax : amax;
        }
    }
    return amax;
}

static bnd_status explain(bnd_diff *d, told *t, const bnd_context *context, bnd_error *why)
{
    const bndi_search_watch watch = {context, tell, t};
    bnd_status status = BND_OK;
    for (size_t i = 0; i < d->count && status == BND_OK; i++) {
        if (d->searches[i].found.why_not == NULL) {
            status = bndi_search_measure(&d->searches[i], &watch, why);
        }
    }
    for (size_t i = 0; i < d->count && status == BND_OK; i++) {
        bndi_search *search = &d->searches[i];
        if (search->found.why_not != NULL) {
            continue;
        }
        if (search->stored != 0 && !bndi_search_tensor(search, search->amax, 0)) {
            size_t sharers;
            float amax = amax_of_sharers(d, search, &sharers);
            (void)(amax > search->amax && bndi_search_tensor(search, amax, sharers));
        }
        status = bndi_search_rest(search, &watch, why);
    }
    return status;
}

/* ---- ways that weights have in common ---- */

static bool same_scheme(const bndi_search *a, const bndi_search *b)
{
    const bnd_stored_weight *x = a->weight, *y = b->weight;
    if ((x->layout == NULL) != (y->layout == NULL) || !bnd_format_same(&a->found.element, &b->found.element) ||
        a->found.inverted != b->found.inverted || a->found.other_element != b->found.other_element) {
        return false;
    }
    return x->layout == NULL ||
           (bnd_format_same(&x->block.scale, &y->block.scale) && x->block.sharing == y->block.sharing &&
            x->block.along == y->block.along && x->block.across == y->block.across && a->has_second == b->has_second &&
            a->second_divides == b->second_divides);
}

/* Narrows `sets` to the rows that both have; false, with `sets` unchanged, if a part has none in common. */
static bool meet(bndi_made_sets *sets, const bndi_made_sets *other)
{
    bndi_made_sets both = {.tensor = sets->tensor & other->tensor, .scale = sets->scale & other->scale};
    bool any = false;
    for (size_t i = 0; i < BNDI_WAY_WORDS; i++) {
        both.ways[i] = sets->ways[i] & other->ways[i];
        any = any || both.ways[i] != 0;
    }
    if (!any || (both.tensor == 0 && sets->tensor != other->tensor) ||
        (both.scale == 0 && sets->scale != other->scale)) {
        return false;
    }
    *sets = both;
    return true;
}

static void add_found(bnd_explanation *sum, const bnd_explanation *more)
{
    sum->tensors += more->tensors;
    sum->tensors_made += more->tensors_made;
    sum->scales += more->scales;
    sum->scales_made += more->scales_made;
    sum->codes += more->codes;
    sum->codes_made += more->codes_made;
    sum->nearest_made += more->nearest_made;
    sum->fused = more->fused > sum->fused ? more->fused : sum->fused;
    sum->least = more->least > sum->least ? more->least : sum->least;
}

static int more_first(const void *a, const void *b)
{
    const bnd_explained_group *x = a, *y = b;
    return x->weights != y->weights ? (x->weights > y->weights ? -1 : 1) : x->first < y->first ? -1 : 1;
}

/* Weights whose best rows have some in common are one group, and have these rows. */
static bnd_status group(bnd_diff *d, bnd_error *why)
{
    size_t *group_of = malloc((d->count + 1) * sizeof *group_of);
    bndi_made_sets *sets = malloc((d->count + 1) * sizeof *sets);
    d->groups = calloc(d->count + 1, sizeof *d->groups);
    if (group_of == NULL || sets == NULL || d->groups == NULL) {
        free(group_of);
        free(sets);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the explanations of %zu weights", d->count);
    }
    for (size_t i = 0; i < d->count; i++) {
        const bndi_search *search = &d->searches[i];
        size_t g = 0;
        group_of[i] = d->count;
        if (search->found.why_not != NULL) {
            continue;
        }
        while (g < d->group_count &&
               !(same_scheme(search, &d->searches[d->groups[g].first]) && meet(&sets[g], &search->sets))) {
            g++;
        }
        if (g == d->group_count) {
            sets[g] = search->sets;
            d->groups[d->group_count++] = (bnd_explained_group){.first = i, .sum = search->found};
        } else {
            add_found(&d->groups[g].sum, &search->found);
        }
        d->groups[g].weights++;
        group_of[i] = g;
    }
    for (size_t i = 0; i < d->count; i++) {
        d->weights[i].explained = d->searches[i].found;
        if (group_of[i] < d->count) {
            bndi_search_choose(&d->weights[i].explained, &sets[group_of[i]]);
        }
    }
    for (size_t g = 0; g < d->group_count; g++) {
        bndi_search_choose(&d->groups[g].sum, &sets[g]);
    }
    qsort(d->groups, d->group_count, sizeof *d->groups, more_first);
    free(group_of);
    free(sets);
    return BND_OK;
}

/* ---- all ---- */

static uint64_t elements_to_go(const bnd_diff *d)
{
    uint64_t n = 0;
    for (size_t i = 0; i < d->count; i++) {
        const bnd_weight_difference *w = &d->weights[i];
        n += w->a != NULL && w->b != NULL && w->a->is_float && w->b->is_float ? w->a->count : 0;
        n += d->searches != NULL && d->searches[i].found.why_not == NULL
                 ? w->a->count * (d->searches[i].groups.band != 0 ? 3 : 2)
                 : 0;
    }
    return n;
}

static bnd_status run(bnd_diff *d, const bnd_diff_options *options, bnd_error *why)
{
    told t = {.watch = &options->watch};
    const bndi_pair_watch watch = {options->context, tell, &t};
    bnd_status status = BND_OK;
    if (options->explain) {
        d->searches = calloc(d->count + 1, sizeof *d->searches);
        if (d->searches == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the explanations of %zu weights", d->count);
        }
        for (size_t i = 0; i < d->count; i++) {
            if (d->weights[i].a == NULL) {
                d->searches[i].found.why_not = "A does not have it";
            } else {
                bndi_search_begin(&d->searches[i], d->weights[i].a, d->weights[i].base);
            }
        }
    }
    t.total = elements_to_go(d);
    for (size_t i = 0; i < d->count && status == BND_OK; i++) {
        status = bndi_compare_weights(&d->weights[i], &watch, why);
        bndi_add_differences(&d->sums, &d->weights[i].sums);
        d->kinds[d->weights[i].kind]++;
    }
    if (status == BND_OK && options->explain) {
        status = explain(d, &t, options->context, why);
        status = status == BND_OK ? group(d, why) : status;
    }
    free(d->searches);
    d->searches = NULL;
    return status;
}

bnd_status bnd_diff_new(bnd_diff **out, const bnd_checkpoint *a, const bnd_checkpoint *b,
                        const bnd_diff_options *options, bnd_error *why)
{
    const bnd_diff_options none = {.base = NULL};
    const size_t most = bnd_checkpoint_weights(a) + bnd_checkpoint_weights(b);
    bnd_status status = bnd_lab_check_context(options != NULL ? options->context : NULL, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_diff *d = calloc(1, sizeof *d);
    bnd_weight_difference *weights = calloc(most + 1, sizeof *weights);
    if (d == NULL || weights == NULL) {
        free(d);
        free(weights);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu weights", most);
    }
    d->weights = weights;
    options = options == NULL ? &none : options;
    pair_up(d, a, b, options);
    bnd_checkpoint_expect_all(a);
    bnd_checkpoint_expect_all(b);
    if (options->base != NULL) {
        bnd_checkpoint_expect_all(options->base);
    }
    status = run(d, options, why);
    if (status != BND_OK) {
        bnd_diff_free(d);
        return status;
    }
    *out = d;
    return BND_OK;
}

void bnd_diff_free(bnd_diff *diff)
{
    if (diff != NULL) {
        free(diff->weights);
        free(diff->groups);
        free(diff);
    }
}

size_t bnd_diff_count(const bnd_diff *diff)
{
    return diff->count;
}

const bnd_weight_difference *bnd_diff_at(const bnd_diff *diff, size_t index)
{
    return index < diff->count ? &diff->weights[index] : NULL;
}

const bnd_difference_sums *bnd_diff_sums(const bnd_diff *diff)
{
    return &diff->sums;
}

size_t bnd_diff_kinds(const bnd_diff *diff, bnd_difference_kind kind)
{
    return (size_t)kind <= BND_DIFFERENCE_UNKNOWN ? diff->kinds[kind] : 0;
}

size_t bndi_diff_without_base(const bnd_diff *diff)
{
    return diff->without_base;
}

size_t bnd_diff_groups(const bnd_diff *diff)
{
    return diff->group_count;
}

const bnd_explained_group *bnd_diff_group_at(const bnd_diff *diff, size_t index)
{
    return index < diff->group_count ? &diff->groups[index] : NULL;
}
