/* Codes whose scales are missing, or have another name, dtype or shape than a loader looks for.
 *
 * Recognition takes the row of layouts.def that explains the tensors. Here the config comes first: of the rows that it
 * allows, the one with the fewest differences is what the writer meant, and the differences are the findings. */
#include "lint/lint.h"

#include "checkpoint/fit.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 320 };
enum { MISSING = 8, DIFFERENT = 3, RESHAPED = 2, UNUSED = 1, UNLIKELY = 10 }; /* how much a difference counts */

typedef struct subject {
    bnd_lint *lint;
    const bnd_stored_weight *weight;
    const bndi_expected *expected;
    const bndi_quantizations *configs;
} subject;

/* ---- one row ---- */

static bool is_scale_part(unsigned part)
{
    return part == BND_PART_SCALES || part == BND_PART_SECOND;
}

/* A scale next to the codes that the row has no use for; NULL if there is none. */
static const bnd_stored_tensor *find_unused(const subject *s, const bnd_layout *layout, bnd_part part)
{
    char module[BNDI_MODULE_SIZE];
    size_t length;
    if (!bndi_module_of(module, s->weight->name)) {
        return NULL;
    }
    for (size_t i = 0; bndi_scale_suffix(i) != NULL; i++) {
        const char *suffix = bndi_scale_suffix(i);
        const bnd_stored_tensor *tensor = bndi_sibling(s->lint, module, strlen(module), suffix);
        bool used = tensor == NULL || bndi_scale_part(tensor->name, &length) != part;
        for (unsigned k = 0; !used && k < BND_PART_COUNT; k++) {
            used = layout->suffix[k] != NULL && strcmp(layout->suffix[k], suffix) == 0;
        }
        if (!used) {
            return tensor;
        }
    }
    return NULL;
}

/* One value may be () or [1]: loaders take both. */
static bool is_one(const bndi_fit *fit, unsigned part)
{
    unsigned kind = bndi_layout_row_of(fit->layout)->part[part].shape;
    return kind == BNDI_SHAPE_SCALAR || kind == BNDI_SHAPE_ONE;
}

static unsigned apart_of_part(const bndi_fit *fit, unsigned part)
{
    switch (fit->part[part]) {
    case BNDI_PART_MISSING:
        return MISSING;
    case BNDI_PART_DTYPE:
    case BNDI_PART_SHAPE:
        return DIFFERENT;
    case BNDI_PART_RESHAPED:
        return is_one(fit, part) ? 0 : RESHAPED;
    default:
        return 0;
    }
}

static bndi_lint_sharing sharing_of_row(const bnd_layout *layout)
{
    bnd_block block;
    switch (bndi_layout_row_of(layout)->part[BND_PART_SCALES].shape) {
    case BNDI_SHAPE_SCALAR:
    case BNDI_SHAPE_ONE:
        return BNDI_SHARING_TENSOR;
    case BNDI_SHAPE_ROWS:
    case BNDI_SHAPE_ROWS_1:
        return BNDI_SHARING_ROW;
    case BNDI_SHAPE_GRID:
    case BNDI_SHAPE_GRID_4:
        return BNDI_SHARING_TILE;
    default:
        return bnd_block_parse(&block, layout->block, NULL) == BND_OK && block.tensor ? BNDI_SHARING_TWO_LEVELS
                                                                                      : BNDI_SHARING_GROUP;
    }
}

/* How far the row is from what the config says. */
static unsigned unlikely(const bnd_layout *layout, const bndi_expected *e)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    bndi_lint_sharing sharing = sharing_of_row(layout);
    unsigned apart = 0;
    apart += e->method != NULL && !bndi_has_method(row, e->method) ? 2 * UNLIKELY : 0;
    apart += e->format != NULL && row->formats[0] != '\0' && !bndi_has_word(row->formats, e->format) ? UNLIKELY : 0;
    apart += e->sharing != BNDI_SHARING_ANY && e->sharing != sharing ? UNLIKELY : 0;
    bool tiles = e->config != NULL && json_is_array(json_object_get(e->config->json, "weight_block_size"));
    apart += bndi_is_word(e->method, "fp8") && (sharing == BNDI_SHARING_TILE) != tiles ? UNLIKELY : 0;
    return apart;
}

/* False: the codes cannot be of this row. */
static bool measure(const subject *s, bndi_fit *fit, unsigned *apart, const bnd_layout *layout, bool unused)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    const bnd_stored_tensor *codes = s->weight->parts[BND_PART_CODES];
    const char *dot = strrchr(codes->name, '.'), *word = dot != NULL ? dot + 1 : codes->name;
    const char *suffix = layout->suffix[BND_PART_CODES];
    size_t length = strlen(word), tail = strlen(suffix);
    bool named =
        suffix[0] == '_' ? length > tail && strcmp(word + length - tail, suffix) == 0 : strcmp(word, suffix) == 0;
    if (!named || !bndi_has_word(row->part[BND_PART_CODES].dtypes, codes->dtype)) {
        return false;
    }
    bndi_fit_weight(fit, layout, s->lint->checkpoint, s->weight, s->configs);
    *apart = unlikely(layout, s->expected);
    for (unsigned part = BND_PART_SCALES; part < BND_PART_COUNT; part++) {
        *apart += apart_of_part(fit, part);
        *apart += unused && is_scale_part(part) && find_unused(s, layout, (bnd_part)part) != NULL ? UNUSED : 0;
    }
    return true;
}

/* ---- reports ---- */

static void report_missing(const subject *s, const bndi_fit *fit, bnd_part part)
{
    const char *suffix = fit->layout->suffix[part];
    const bnd_stored_tensor *other = find_unused(s, fit->layout, part);
    if (other != NULL) {
        bndi_lint_report(s->lint, BNDI_CHECK_scale_name, other->name,
                         "loaders of %s look for '%s' here, and skip this name; rename it, or correct the config",
                         fit->layout->name, suffix);
    } else if (!s->lint->incomplete) {
        bndi_lint_report(
            s->lint, BNDI_CHECK_scale_missing, s->weight->parts[BND_PART_CODES]->name,
            "has codes of %s and no '%s'; without it the weights are wrong by that factor. Export the layer "
            "again",
            fit->layout->name, suffix);
    }
}

static const char *shape_advice(const bndi_fit *fit, bnd_part part)
{
    uint64_t wanted[BND_SAFETENSORS_RANK_MAX + 2];
    const bnd_stored_tensor *tensor = fit->parts[part];
    size_t rank = bndi_expected_shape(wanted, fit, part);
    if (fit->part[part] == BNDI_PART_RESHAPED) {
        return "the numbers fit, so reshape the tensor";
    }
    if (rank == 2 && tensor->rank == 2 && tensor->shape[0] == wanted[1] && tensor->shape[1] == wanted[0]) {
        return "it has the shape of the transposed weight, so transpose it";
    }
    return "the codes, their bit width or the group size do not belong to these scales";
}

/* Scales of tiles of a usual size, which the config does not name. */
static bool report_tile(const subject *s, const bndi_fit *fit)
{
    static const uint64_t usual[] = {128, 64, 32, 256, 512};
    const bnd_stored_tensor *scales = fit->parts[BND_PART_SCALES];
    const bndi_geometry *g = &fit->geometry;
    const int64_t *said = s->expected->block;
    bool grid = bndi_layout_row_of(fit->layout)->part[BND_PART_SCALES].shape == BNDI_SHAPE_GRID && fit->sized;
    for (size_t i = 0; grid && said[0] > 0 && scales->rank == 2 && i < sizeof usual / sizeof usual[0]; i++) {
        uint64_t size = usual[i], rows = g->out / size + (g->out % size != 0),
                 columns = g->in / size + (g->in % size != 0);
        if (scales->shape[0] == rows && scales->shape[1] == columns) {
            bndi_lint_report(s->lint, BNDI_CHECK_config_contradiction, scales->name,
                             "has a scale per tile of %llu x %llu, and the config says %lld x %lld; correct the config",
                             (unsigned long long)size, (unsigned long long)size, (long long)said[0],
                             (long long)said[1]);
            return true;
        }
    }
    return false;
}

static void report_part(const subject *s, const bndi_fit *fit, bnd_part part)
{
    char what[TEXT_SIZE];
    const bnd_stored_tensor *tensor = fit->parts[part];
    bnd_severity severity = is_scale_part(part) ? BND_SEVERITY_DAMAGE : BND_SEVERITY_SUSPECT;
    if (apart_of_part(fit, part) == 0) {
        return;
    }
    if (fit->part[part] == BNDI_PART_MISSING) {
        report_missing(s, fit, part);
        return;
    }
    if (part == BND_PART_SCALES && fit->part[part] == BNDI_PART_SHAPE && report_tile(s, fit)) {
        return;
    }
    bndi_put_misfit(what, sizeof what, fit, part);
    if (fit->part[part] != BNDI_PART_DTYPE) {
        bndi_lint_report_as(s->lint, BNDI_CHECK_scale_shape, severity, tensor->name, "%s by loaders of %s; %s", what,
                            fit->layout->name, shape_advice(fit, part));
    } else if (!bndi_has_exponents(tensor)) {
        bndi_lint_report_as(s->lint, BNDI_CHECK_scale_dtype, severity, tensor->name,
                            "%s by loaders of %s; convert the values, not the bytes", what, fit->layout->name);
    }
}

const bnd_layout *bndi_lint_check_parts(bnd_lint *lint, const bnd_stored_weight *weight, const bndi_expected *expected)
{
    const subject s = {lint, weight, expected, bndi_checkpoint_quantizations(lint->checkpoint)};
    bndi_fit best = {.layout = NULL}, fit;
    unsigned least = UINT32_MAX, apart;
    if (weight->layout != NULL && measure(&s, &fit, &apart, weight->layout, false) && apart == 0) {
        return weight->layout;
    }
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        if (measure(&s, &fit, &apart, bnd_layout_at(i), true) && apart < least) {
            least = apart;
            best = fit;
        }
    }
    /* Without a config that says otherwise, recognition knows best: it has seen marks and metadata. */
    bool marked = weight->layout != NULL && expected->method == NULL;
    if (marked) {
        bndi_fit_weight(&best, weight->layout, lint->checkpoint, weight, s.configs);
        least = 1;
    }
    for (unsigned part = BND_PART_SCALES; best.layout != NULL && least > 0 && part < BND_PART_COUNT; part++) {
        report_part(&s, &best, (bnd_part)part);
    }
    return best.layout;
}
