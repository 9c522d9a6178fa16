/* The config against the tensors: what it says is quantized and is not, and the reverse; bit widths, group sizes, the
 * ignore list. */
#include "lint/lint.h"

#include "checkpoint/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weights with the same fault of the config: the first one, and how many there are. */
typedef struct affected {
    const bnd_stored_weight *first;
    size_t count;
} affected;

typedef struct applied {
    bnd_lint *lint;
    const bndi_quantization *q; /* NULL: there is no config */
    const char **words;         /* the last words of modules that are quantized, sorted */
    size_t word_count;
    size_t quantized, plain; /* weights */
    size_t others;           /* tensors of integers and of other types that are not recognized */
    affected foreign;        /* quant_method is of another layout */
    affected unnamed;        /* no group of compressed-tensors names them */
} applied;

/* ---- what a tensor is ---- */

static bool is_plain(const bnd_stored_tensor *t)
{
    return t != NULL && t->kind == BND_STORED_FLOAT && t->bits >= 16;
}

/* Codes of FP8, or integers that are called like a weight. */
bool bndi_looks_quantized(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    if (weight->layout != NULL) {
        return codes != NULL;
    }
    if (codes == NULL || codes->rank < 2) {
        return false;
    }
    size_t length = strlen(codes->name);
    bool packed = length > 7 && strcmp(codes->name + length - 7, "_packed") == 0;
    bool blocks = length > 7 && strcmp(codes->name + length - 7, "_blocks") == 0;
    bool named = length > 7 && strcmp(codes->name + length - 7, ".weight") == 0;
    bool small =
        codes->kind == BND_STORED_FLOAT ? codes->bits <= 8 : codes->kind == BND_STORED_INTEGER && codes->bits == 8;
    return (small && (named || packed || blocks)) || (packed && codes->kind == BND_STORED_INTEGER);
}

static const char *last_word(const char *module)
{
    const char *dot = strrchr(module, '.');
    return dot != NULL ? dot + 1 : module;
}

static int by_word(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "up_proj.weight" of a quantized weight: names are borrowed from the checkpoint. */
static bool gather_words(applied *a)
{
    size_t count = bnd_checkpoint_weights(a->lint->checkpoint);
    a->words = count > 0 ? malloc(count * sizeof *a->words) : NULL;
    if (count > 0 && a->words == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(a->lint->checkpoint, i);
        const char *end = strrchr(weight->name, '.'), *word = weight->name;
        for (const char *p = weight->name; end != NULL && p < end; p++) {
            word = *p == '.' ? p + 1 : word;
        }
        if (bndi_looks_quantized(weight)) {
            a->quantized++;
            a->words[a->word_count++] = word;
        } else if (is_plain(weight->parts[BND_PART_CODES]) && weight->rank == 2) {
            a->plain++;
        } else {
            a->others += weight->rank == 2 && !weight->is_float;
        }
    }
    if (a->word_count > 0) {
        qsort(a->words, a->word_count, sizeof *a->words, by_word);
    }
    return true;
}

static bool is_quantized_elsewhere(const applied *a, const char *weight_name, const char *module)
{
    const char *word = weight_name + (last_word(module) - module);
    return a->word_count > 0 && bsearch(&word, a->words, a->word_count, sizeof *a->words, by_word) != NULL;
}

/* ---- quantized weights ---- */

static int64_t bits_of(const bnd_stored_weight *weight)
{
    return weight->layout == NULL ? 0 : weight->block.integer ? 8 : weight->block.element.width;
}

/* Of compressed-tensors: what its group says about numbers. */
static void check_group(const applied *a, const bnd_stored_weight *weight, const bndi_expected *e)
{
    const char *name = weight->parts[BND_PART_CODES]->name;
    const bnd_block *block = &weight->block;
    bndi_lint_sharing sharing = bndi_lint_sharing_of(block);
    bool packed = weight->layout->suffix[BND_PART_SHAPE] != NULL;
    if (e->bits > 0 && !packed && bits_of(weight) != e->bits) {
        bndi_lint_report(
            a->lint, BNDI_CHECK_codes_width, name,
            "has codes of %lld bits (%s), and the config says num_bits %lld; correct the config, or export again",
            (long long)bits_of(weight), weight->layout->name, (long long)e->bits);
        return;
    }
    if (e->has_type && e->integer != block->integer && !packed) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, name, "is %s, and the config says type %s",
                         weight->layout->title, e->integer ? "int" : "float");
    } else if (e->sharing != BNDI_SHARING_ANY && e->sharing != sharing) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, name, "is %s, and the config names another strategy",
                         weight->layout->title);
    } else if (e->group_size > 0 && (sharing == BNDI_SHARING_GROUP || sharing == BNDI_SHARING_TWO_LEVELS) &&
               (uint64_t)e->group_size != block->along) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, name,
                         "has a scale per %llu elements, and the config says group_size %lld",
                         (unsigned long long)block->along, (long long)e->group_size);
    } else if (e->asymmetric && weight->parts[BND_PART_ZERO_POINTS] == NULL) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, name,
                         "has no zero point, and the config says \"symmetric\": false; correct the config, or export "
                         "again");
    }
}

static void check_tile(const applied *a, const bnd_stored_weight *weight, const bndi_expected *e)
{
    const bnd_block *block = &weight->block;
    bool tile = bndi_lint_sharing_of(block) == BNDI_SHARING_TILE && weight->layout->suffix[BND_PART_SCALES] != NULL;
    const json_t *given = json_object_get(a->q->json, "weight_block_size");
    bool unread = given != NULL && !json_is_null(given) && e->block[0] == 0;
    if (!tile || unread || weight->layout->family == BND_LAYOUT_GGUF) {
        return;
    }
    if (e->block[0] > 0 && ((uint64_t)e->block[0] != block->along || (uint64_t)e->block[1] != block->across)) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, weight->parts[BND_PART_CODES]->name,
                         "has a scale per tile of %llu x %llu, and the config says %lld x %lld",
                         (unsigned long long)block->along, (unsigned long long)block->across, (long long)e->block[0],
                         (long long)e->block[1]);
    } else if (e->block[0] == 0 && bndi_is_word(e->method, "fp8")) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, weight->parts[BND_PART_CODES]->name,
                         "has a scale per tile, and the config has no weight_block_size; add [%llu, %llu]",
                         (unsigned long long)block->along, (unsigned long long)block->across);
    }
}

/* Returns false if the config means another layout altogether. */
static bool check_words(const applied *a, const bnd_stored_weight *weight, const bndi_expected *e)
{
    const bndi_layout_row *row = bndi_layout_row_of(weight->layout);
    const char *name = weight->parts[BND_PART_CODES]->name;
    if (e->format != NULL && row->formats[0] != '\0' && !bndi_has_word(row->formats, e->format)) {
        bndi_lint_report(
            a->lint, BNDI_CHECK_config_contradiction, name,
            "is %s, and %s says %.60s; loaders then read other tensors. Correct the config, or export again",
            weight->layout->name, a->q->file, e->format);
        return false;
    }
    return true;
}

static void note_affected(affected *all, const bnd_stored_weight *weight)
{
    all->first = all->first == NULL ? weight : all->first;
    all->count++;
}

static void check_quantized(applied *a, const bnd_stored_weight *weight, const bndi_expected *e)
{
    const char *name = weight->parts[BND_PART_CODES]->name;
    size_t before = a->lint->count;
    const bnd_layout *nearest = bndi_lint_check_parts(a->lint, weight, e);
    if (weight->layout == NULL) {
        if (nearest == NULL) {
            bndi_lint_report(a->lint, BNDI_CHECK_layout_unknown, name,
                             "looks quantized (%s), and no layout has such tensors%s%.200s",
                             weight->parts[BND_PART_CODES]->dtype, weight->why_not != NULL ? ": " : "",
                             weight->why_not != NULL ? weight->why_not : "");
        }
        return;
    }
    if (a->q == NULL || a->lint->count > before) {
        return;
    }
    const bndi_layout_row *row = bndi_layout_row_of(weight->layout);
    bool ours = e->method == NULL || row->methods[0] == '\0' || bndi_has_method(row, e->method);
    bool grouped = bndi_is_word(e->method, "compressed-tensors");
    if (!ours) {
        note_affected(&a->foreign, weight);
    } else if (e->ignored) {
        bndi_lint_report(
            a->lint, BNDI_CHECK_config_contradiction, name,
            "is quantized, and the config leaves this layer out; remove the entry, or export the layer again");
    } else if (grouped && !e->targeted && !e->unsure) {
        note_affected(&a->unnamed, weight);
    } else if (check_words(a, weight, e)) {
        if (grouped && e->targeted) {
            check_group(a, weight, e);
        }
        check_tile(a, weight, e);
    }
}

/* Methods of loaders that have no row in layouts.def, and whose tensors may be called as those of a row. */
static const char other_methods[] = "quark torchao w8a8_fp8 w8a8_int8 fp_quant auto-round";

/* A quant_method that no loader of these tensors has. */
static void check_foreign(const applied *a)
{
    const affected *all = &a->foreign;
    if (all->count == 0) {
        return;
    }
    char what[120], place[100];
    const bnd_layout *layout = all->first->layout;
    (void)snprintf(what, sizeof what, "%zu weight%s", all->count, all->count == 1 ? " is" : "s are");
    (void)snprintf(place, sizeof place, "%.40s: %.40s.quant_method", a->q->file, a->q->place);
    if (bndi_has_word(other_methods, a->q->quant_method)) {
        bndi_lint_report_as(a->lint, BNDI_CHECK_config_contradiction, BND_SEVERITY_NOTE, place,
                            "is '%.40s', which has no layout here; %s checked as %s, which has the same tensors",
                            a->q->quant_method, what, layout->name);
        return;
    }
    bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, place,
                     "is '%.40s', but %s stored as %s, which needs '%s'; correct the config, or export again",
                     a->q->quant_method, what, layout->name, bndi_layout_row_of(layout)->methods);
}

/* Codes that compressed-tensors would load as an unquantized weight. */
static void check_unnamed(const applied *a)
{
    const affected *all = &a->unnamed;
    char others[60] = "";
    if (all->count > 1) {
        (void)snprintf(others, sizeof others, ", nor %zu other%s with codes", all->count - 1,
                       all->count > 2 ? "s" : "");
    }
    if (all->count > 0) {
        bndi_lint_report(a->lint, BNDI_CHECK_config_contradiction, all->first->parts[BND_PART_CODES]->name,
                         "has codes, but no group in config_groups names this layer%s; name it in the targets, or "
                         "\"Linear\" for all",
                         others);
    }
}

/* ---- weights that are not quantized ---- */

static bool wants_quantized(const applied *a, const bnd_stored_weight *weight, const bndi_expected *e,
                            const char *module)
{
    const char *word = last_word(module);
    size_t length = strlen(word);
    bool linear = length > 5 && strcmp(word + length - 5, "_proj") == 0;
    bool per_layer = a->q->layer_count > 0;
    if (e->ignored || e->unsure || !e->targeted || per_layer || weight->rank != 2) {
        return false;
    }
    linear = linear || strcmp(word, "lm_head") == 0;
    return is_quantized_elsewhere(a, weight->name, module) || (linear && bndi_is_word(e->method, "compressed-tensors"));
}

static void check_plain(const applied *a, const bnd_stored_weight *weight)
{
    char module[BNDI_MODULE_SIZE];
    if (a->q == NULL || !is_plain(weight->parts[BND_PART_CODES]) || !bndi_module_of(module, weight->name)) {
        return;
    }
    const bndi_expected e = bndi_expect(a->lint, a->q, module);
    if (wants_quantized(a, weight, &e, module)) {
        /* vLLM does not count lm_head among linear layers; transformers does. */
        bool head = strcmp(last_word(module), "lm_head") == 0;
        bndi_lint_report_as(a->lint, BNDI_CHECK_config_not_applied, head ? BND_SEVERITY_SUSPECT : BND_SEVERITY_DAMAGE,
                            weight->name,
                            "is %s, and the config says that this layer is quantized; add it to the ignore list, or "
                            "quantize it",
                            weight->parts[BND_PART_CODES]->dtype);
    }
}

/* A scale whose codes are somewhere else, or nowhere. Scales of caches and activations have no codes. */
static void check_orphan(const applied *a, const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *tensor = weight->parts[BND_PART_CODES];
    size_t length;
    bnd_part part = tensor != NULL ? bndi_scale_part(tensor->name, &length) : BND_PART_COUNT;
    const char *suffix = tensor != NULL && part != BND_PART_COUNT ? tensor->name + length + (length > 0) : "";
    if (a->lint->incomplete || weight->layout != NULL || part == BND_PART_COUNT ||
        (strncmp(suffix, "weight_", 7) != 0 && strncmp(suffix, "input_", 6) != 0)) {
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        const bnd_stored_tensor *codes =
            bndi_sibling(a->lint, tensor->name, length, i == 0 ? "weight" : "weight_packed");
        if (codes != NULL && codes->bits <= 8) {
            return;
        }
    }
    const bnd_stored_tensor *plain = bndi_sibling(a->lint, tensor->name, length, "weight");
    bndi_lint_report(a->lint, BNDI_CHECK_scale_orphan, tensor->name,
                     "has no codes: the weight of its layer is %s; remove the scale, or export the layer again",
                     plain != NULL ? plain->dtype : "missing");
}

/* An entry of the ignore list that names no module and no beginning of one. Expressions are left alone. A tied lm_head
 * is a module without a tensor of its own. */
static void check_ignored(const applied *a)
{
    size_t count = bnd_checkpoint_weights(a->lint->checkpoint);
    for (size_t i = 0; a->q != NULL && i < a->q->ignored_count; i++) {
        const char *entry = a->q->ignored[i];
        size_t length = strlen(entry);
        bool used = strpbrk(entry, "*?") != NULL || strncmp(entry, "re:", 3) == 0 || a->lint->budget < count ||
                    strcmp(last_word(entry), "lm_head") == 0;
        a->lint->budget -= used ? 0 : count;
        for (size_t k = 0; !used && k < count; k++) {
            used = strstr(bnd_checkpoint_weight_at(a->lint->checkpoint, k)->name, entry) != NULL;
        }
        if (!used && length > 0) {
            bndi_lint_report(a->lint, BNDI_CHECK_ignore_unused, entry, "names no module of the checkpoint");
        }
    }
}

/* ---- all ---- */

static void check_whole(const applied *a)
{
    const bnd_layout *layout = a->lint->layout_count > 0 ? a->lint->layouts[0].layout : NULL;
    for (size_t i = 0; layout == NULL && i < a->lint->layout_count; i++) {
        layout = a->lint->layouts[i].layout;
    }
    bool needed = layout != NULL && bndi_layout_row_of(layout)->methods[0] != '\0';
    if (a->q == NULL && needed && a->lint->has_bad_config == false) {
        bool alone = bnd_checkpoint_text(a->lint->checkpoint, "config.json", NULL) == NULL;
        bndi_lint_report_as(a->lint, BNDI_CHECK_config_absent, alone ? BND_SEVERITY_NOTE : BND_SEVERITY_DAMAGE,
                            "config.json", "%s, and weights are stored as %s; loaders then read the codes as weights",
                            alone ? "is missing" : "has no quantization_config", layout->name);
    }
    bool compressed =
        a->q != NULL && (a->q->quant_method != NULL || a->q->algorithm != NULL) && !bndi_is_word(a->q->format, "dense");
    if (compressed && a->quantized == 0 && a->others == 0 && a->plain > 0) {
        bndi_lint_report(
            a->lint, BNDI_CHECK_config_not_applied, a->q->file,
            "says that the model is quantized (%.60s), but no weight is quantized; remove %s, or quantize the model",
            a->q->quant_method != NULL ? a->q->quant_method : a->q->algorithm, a->q->place);
    }
}

void bndi_lint_check_applied(bnd_lint *lint, const bndi_quantizations *all)
{
    applied a = {.lint = lint, .q = all->count > 0 ? &all->rows[0] : NULL};
    if (!gather_words(&a)) {
        lint->no_memory = true;
        return;
    }
    check_whole(&a);
    check_ignored(&a);
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(lint->checkpoint, i);
        char module[BNDI_MODULE_SIZE];
        if (bndi_looks_quantized(weight)) {
            if (bndi_module_of(module, weight->name)) {
                const bndi_expected e = bndi_expect(lint, a.q, module);
                check_quantized(&a, weight, &e);
            }
        } else {
            check_orphan(&a, weight);
            if (a.quantized > 0) {
                check_plain(&a, weight);
            }
        }
    }
    check_foreign(&a);
    check_unnamed(&a);
    free(a.words);
}
