/* Opens a checkpoint, makes all checks, and keeps the findings. */
#include "lint/lint.h"

#include "checkpoint/checkpoint.h"
#include "store/json.h"

#include <stdlib.h>
#include <string.h>

enum { COMPARISONS = 20000000 };

static void take_damage(void *state, const char *code, const char *where, const char *message)
{
    bnd_lint *lint = state;
    bndi_check check = bndi_lint_check_of(code);
    lint->incomplete = lint->incomplete || check == BNDI_CHECK_shard_missing || check == BNDI_CHECK_shard_truncated ||
                       check == BNDI_CHECK_shard_unreadable;
    if (check == BNDI_CHECK_file_damage) {
        bndi_lint_report(lint, check, where, "%.60s: %.400s", code, message);
    } else {
        bndi_lint_report(lint, check, where, "%.480s", message);
    }
}

/* ---- layouts ---- */

/* Weights that have no layout, by the kind of file that loaders are to read. */
static const char *unquantized(const bnd_lint *lint)
{
    switch (bnd_checkpoint_kind_of(lint->checkpoint)) {
    case BND_CHECKPOINT_GGUF:
        return "gguf/unquantized";
    case BND_CHECKPOINT_NPY:
        return "npy/unquantized";
    default:
        return "unquantized";
    }
}

static bnd_lint_layout *layout_of(bnd_lint *lint, const bnd_layout *layout)
{
    for (size_t i = 0; i < lint->layout_count; i++) {
        if (lint->layouts[i].layout == layout) {
            return &lint->layouts[i];
        }
    }
    lint->layouts[lint->layout_count] =
        (bnd_lint_layout){.layout = layout, .name = layout != NULL ? layout->name : unquantized(lint)};
    return &lint->layouts[lint->layout_count++];
}

static uint64_t bytes_of(const bnd_stored_weight *weight)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < BND_PART_COUNT; i++) {
        bytes += weight->parts[i] != NULL ? weight->parts[i]->size : 0;
    }
    return bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const bnd_lint_layout *x = a, *y = b;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static bool count_layouts(bnd_lint *lint)
{
    size_t rows = bnd_layout_count() + 1;
    lint->layouts = malloc(rows * sizeof *lint->layouts);
    if (lint->layouts == NULL) {
        return false;
    }
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(lint->checkpoint, i);
        bnd_lint_layout *found = layout_of(lint, weight->layout);
        found->weights++;
        found->elements += weight->count;
        found->bytes += bytes_of(weight);
    }
    if (lint->layout_count > 1) {
        qsort(lint->layouts, lint->layout_count, sizeof *lint->layouts, by_bytes);
    }
    return true;
}

static void count_tensors(bnd_lint *lint)
{
    lint->summary.files = bnd_checkpoint_files(lint->checkpoint);
    lint->summary.tensors = bnd_checkpoint_count(lint->checkpoint);
    for (size_t i = 0; i < lint->summary.tensors; i++) {
        lint->summary.bytes += bnd_checkpoint_at(lint->checkpoint, i)->size;
    }
    if (lint->summary.tensors == 0 && lint->summary.files > 0 && !lint->incomplete) {
        bndi_lint_report(lint, BNDI_CHECK_no_tensors, bnd_checkpoint_file_name(lint->checkpoint, 0),
                         lint->summary.files == 1 ? "has no tensor" : "has no tensor, nor has any other file");
    }
}

/* Several quantized layouts are right in some models: loaders must know each. */
static void note_mixed(bnd_lint *lint)
{
    const bnd_layout *first = NULL;
    for (size_t i = 0; i < lint->layout_count; i++) {
        const bnd_layout *layout = lint->layouts[i].layout;
        if (first != NULL && layout != NULL) {
            bndi_lint_report(lint, BNDI_CHECK_layout_mixed, layout->name, "is the layout of %llu weights, next to %s",
                             (unsigned long long)lint->layouts[i].weights, first->name);
        }
        first = first == NULL ? layout : first;
    }
}

/* ---- all checks ---- */

/* At most 512 MiB of scales, unless all are wanted, and two pages of each tensor at least. */
static uint64_t limit_of_scales(const bnd_lint *lint)
{
    enum { ALL = 1 << 29, OF_ONE = 1 << 18, LEAST = 1 << 13 };
    uint64_t tensors = 1, bytes = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        const bnd_stored_tensor *scales = bnd_checkpoint_weight_at(lint->checkpoint, i)->parts[BND_PART_SCALES];
        tensors += scales != NULL;
        bytes += scales != NULL ? scales->size : 0;
    }
    uint64_t each = ALL / tensors;
    bool all = lint->options.every_scale || bytes <= ALL;
    return all ? 0 : each < LEAST ? LEAST : each < OF_ONE ? each : OF_ONE;
}

/* config.json, or NULL. What is wrong with it is reported elsewhere. */
static json_t *config_of(bnd_lint *lint)
{
    json_t *config = NULL;
    bnd_error why;
    bndi_json_text text = {NULL, 0};
    text.bytes = bnd_checkpoint_text(lint->checkpoint, "config.json", &text.length);
    if (text.bytes != NULL && bndi_json_read_config(&config, &text, &why) != BND_OK) {
        lint->no_memory = lint->no_memory || why.status == BND_NO_MEMORY;
        return NULL;
    }
    return config;
}

static void check_all(bnd_lint *lint)
{
    const bndi_quantizations *configs = bndi_checkpoint_quantizations(lint->checkpoint);
    json_t *config = config_of(lint);
    lint->has_bad_config = configs->bad_count > 0;
    lint->scale_limit = limit_of_scales(lint);
    lint->ue8m0 = configs->count > 0 && bndi_is_word(configs->rows[0].scale_fmt, "ue8m0");
    note_mixed(lint);
    bndi_lint_check_configs(lint, configs);
    bndi_lint_check_applied(lint, configs);
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        bndi_lint_check_scales(lint, bnd_checkpoint_weight_at(lint->checkpoint, i));
    }
    bndi_lint_check_fused(lint);
    bndi_lint_check_tied(lint, config);
    if (!lint->options.no_codes) {
        bndi_lint_check_codes(lint);
    }
    json_decref(config);
}

static bnd_lint *new_lint(const bnd_lint_options *options, bnd_error *why)
{
    bnd_lint *lint = calloc(1, sizeof *lint);
    if (lint == NULL) {
        (void)bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the findings");
        return NULL;
    }
    lint->options = options != NULL ? *options : (bnd_lint_options){.every_scale = false};
    lint->budget = COMPARISONS;
    return lint;
}

/* Checks what was opened. Takes `lint`. */
static bnd_status check_opened(bnd_lint **out, bnd_lint *lint, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    lint->checkpoint = checkpoint;
    count_tensors(lint);
    lint->no_memory = lint->no_memory || !count_layouts(lint);
    check_all(lint);
    lint->checkpoint = NULL;
    if (lint->no_memory) {
        bnd_lint_free(lint);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the findings");
    }
    bndi_lint_order(lint);
    *out = lint;
    return BND_OK;
}

bnd_status bndi_lint_opened(bnd_lint **out, const bnd_checkpoint *checkpoint, bnd_error *why)
{
    bnd_lint *lint = new_lint(NULL, why);
    return lint != NULL ? check_opened(out, lint, checkpoint, why) : BND_NO_MEMORY;
}

/* An index that cannot be read is damage, and nothing else can be checked. Takes `lint`. */
static bnd_status without_checkpoint(bnd_lint **out, bnd_lint *lint, const char *bad_index, bnd_error *why)
{
    bnd_status status = why->status;
    if (bad_index[0] != '\0') {
        const size_t named = strlen(bad_index);
        const bool twice = strncmp(why->message, bad_index, named) == 0 && strncmp(why->message + named, ": ", 2) == 0;
        bndi_lint_report(lint, BNDI_CHECK_index_bad, bad_index, "%.300s", why->message + (twice ? named + 2 : 0));
        status = lint->no_memory ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the findings") : BND_OK;
    }
    if (status != BND_OK) {
        bnd_lint_free(lint);
        return status;
    }
    bndi_lint_order(lint);
    *out = lint;
    return BND_OK;
}

bnd_status bnd_lint_new(bnd_lint **out, const char *path, const bnd_lint_options *options, bnd_error *why)
{
    char bad_index[BNDI_SHOWN] = "";
    bnd_checkpoint *checkpoint;
    bnd_error inner;
    why = why != NULL ? why : &inner;
    bnd_lint *lint = new_lint(options, why);
    if (lint == NULL) {
        return BND_NO_MEMORY;
    }
    bndi_opening opening = {.damage = take_damage, .state = lint, .bad_index = bad_index};
    bnd_status status = bndi_checkpoint_open(&checkpoint, &opening, path, why);
    if (status != BND_OK) {
        return without_checkpoint(out, lint, bad_index, why);
    }
    status = check_opened(out, lint, checkpoint, why);
    bnd_checkpoint_free(checkpoint);
    return status;
}

void bnd_lint_free(bnd_lint *lint)
{
    if (lint == NULL) {
        return;
    }
    bndi_lint_take_back(lint, 0);
    free(lint->found);
    free(lint->layouts);
    free(lint);
}

const bnd_lint_summary *bnd_lint_summary_of(const bnd_lint *lint)
{
    return &lint->summary;
}

size_t bnd_lint_layouts(const bnd_lint *lint)
{
    return lint->layout_count;
}

const bnd_lint_layout *bnd_lint_layout_at(const bnd_lint *lint, size_t index)
{
    return index < lint->layout_count ? &lint->layouts[index] : NULL;
}
