/* The values of scales, tensor by tensor.
 *
 * A second-level scale of NVFP4 is amax / 2688 as a factor, and 2688 / amax as a divisor. A scale of FP8 is amax / 448.
 * Weights of trained models have an amax between 1e-3 and 1e2, so both ways differ by orders of magnitude: a value on
 * the wrong side is damage where amax would be beyond 2e4, and suspect where it would be beyond 1e2, or 2e2 for FP8. Of
 * several scales all must be on the wrong side, the smallest one, too. */
#include "lint/lint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_AT_MOST = 1 << 18, NAME_SIZE = 512 };
static const double no_weight = 20000; /* is this large */

/* ---- names ---- */

typedef struct scale_name {
    const char *suffix;
    bnd_part part;
} scale_name;

static const scale_name scale_names[] = {
    {"weight_scale", BND_PART_SCALES},
    {"scale", BND_PART_SCALES},
    {"scales", BND_PART_SCALES},
    {"weight_scale_inv", BND_PART_SCALES},
    {"scale_weight", BND_PART_SCALES},
    {"weight_scale_2", BND_PART_SECOND},
    {"weight_global_scale", BND_PART_SECOND},
    {"input_scale", BND_PART_INPUT},
    {"scale_input", BND_PART_INPUT},
    {"k_scale", BND_PART_INPUT},
    {"v_scale", BND_PART_INPUT},
    {"q_scale", BND_PART_INPUT},
    {"kv_scale", BND_PART_INPUT},
    {"output_scale", BND_PART_INPUT},
    {"input_global_scale", BND_PART_INPUT_SECOND},
};

bnd_part bndi_scale_part(const char *name, size_t *length)
{
    const char *dot = strrchr(name, '.'), *suffix = dot != NULL ? dot + 1 : name;
    for (size_t i = 0; i < sizeof scale_names / sizeof scale_names[0]; i++) {
        if (strcmp(suffix, scale_names[i].suffix) == 0) {
            *length = dot != NULL ? (size_t)(dot - name) : 0;
            return scale_names[i].part;
        }
    }
    return BND_PART_COUNT;
}

const char *bndi_scale_suffix(size_t row)
{
    return row < sizeof scale_names / sizeof scale_names[0] ? scale_names[row].suffix : NULL;
}

/* ---- what is wrong with numbers ---- */

typedef struct look {
    bnd_lint *lint;
    const bnd_stored_weight *weight;
    const bnd_stored_tensor *tensor;
    bnd_part part;
    bndi_scale_values numbers;
} look;

static const char *sampled(const bndi_scale_values *n)
{
    return n->read < n->count ? " of those read" : "";
}

static bool is_input(bnd_part part)
{
    return part == BND_PART_INPUT || part == BND_PART_INPUT_SECOND;
}

static void report_bad(const look *l, bndi_check check, const char *what, const bndi_bad_scales *bad,
                       const char *advice)
{
    const bndi_scale_values *n = &l->numbers;
    check = is_input(l->part) ? BNDI_CHECK_input_scale_bad : check;
    if (n->count == 1) {
        bndi_lint_report_as(l->lint, check, BND_SEVERITY_DAMAGE, l->tensor->name, "the scale is %s; %s", what, advice);
    } else {
        bndi_lint_report_as(l->lint, check, BND_SEVERITY_DAMAGE, l->tensor->name,
                            "%llu of %llu scales%s are %s, first at index %llu; %s", (unsigned long long)bad->count,
                            (unsigned long long)n->read, sampled(n), what, (unsigned long long)bad->first, advice);
    }
}

/* Zeros are right for blocks of zeros, and for the padding of scales that are ordered for cuBLAS. */
static void check_zeros(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    const bnd_layout *layout = l->weight->layout;
    bool padded = layout != NULL && layout->swizzled, all = n->zeros.count == n->read;
    if (n->zeros.count == 0 || (padded && !all)) {
        return;
    }
    if (l->part == BND_PART_SECOND) {
        report_bad(l, BNDI_CHECK_global_scale_zero, "zero", &n->zeros,
                   layout != NULL && layout->second_divides ? "loaders divide by it; quantize the layer again"
                                                            : "every weight of the layer is zero; quantize it again");
    } else if (is_input(l->part) || all) {
        report_bad(l, BNDI_CHECK_scale_zero, "zero", &n->zeros, "calibrate or quantize the layer again");
    } else {
        bool blocks = l->tensor->bits == 8;
        bndi_lint_report_as(
            l->lint, BNDI_CHECK_scale_zero, blocks ? BND_SEVERITY_NOTE : BND_SEVERITY_SUSPECT, l->tensor->name,
            "%llu of %llu scales%s are zero, first at index %llu; right only if all their weights are 0",
            (unsigned long long)n->zeros.count, (unsigned long long)n->read, sampled(n),
            (unsigned long long)n->zeros.first);
    }
}

static bool check_bad_numbers(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    if (n->nans.count > 0) {
        report_bad(l, BNDI_CHECK_scale_nan, "NaN", &n->nans, "quantize the layer again, with scales that are clamped");
    }
    if (n->infinities.count > 0) {
        report_bad(l, BNDI_CHECK_scale_infinite, "infinite", &n->infinities, "calibrate or quantize the layer again");
    }
    if (n->negatives.count > 0) {
        report_bad(l, BNDI_CHECK_scale_negative, "negative", &n->negatives,
                   "it looks like a value that was never set; quantize the layer again");
    }
    check_zeros(l);
    return n->nans.count + n->infinities.count + n->negatives.count > 0 || n->largest == 0;
}

/* Exponents of e8m0 around 127, stored as numbers: 120.0 where 2^-7 is meant. */
static bool are_exponents(const bnd_stored_tensor *tensor, const bndi_scale_values *n)
{
    return tensor->kind == BND_STORED_FLOAT && tensor->bits >= 16 && n->read > 0 && n->integers == n->read &&
           n->least >= 64 && n->largest <= 190;
}

bool bndi_has_exponents(const bnd_stored_tensor *tensor)
{
    bndi_scale_values n;
    return tensor->kind == BND_STORED_FLOAT && bndi_read_scale_values(&n, tensor, tensor->format, LOOK_AT_MOST) &&
           are_exponents(tensor, &n);
}

static bool check_exponents(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    if (l->part != BND_PART_SCALES || !are_exponents(l->tensor, n)) {
        return false;
    }
    bndi_lint_report(
        l->lint, BNDI_CHECK_scale_e8m0_as_number, l->tensor->name,
        "every scale%s is a whole number from %g to %g, as exponents of e8m0 are; %g should be 2^%d. Store "
        "the bytes as F8_E8M0 or U8, or the powers of two",
        sampled(n), n->least, n->largest, n->least, (int)n->least - 127);
    return true;
}

static void report_reciprocal(const look *l, bool damage, const char *meant, double amax)
{
    const bndi_scale_values *n = &l->numbers;
    const char *so = damage ? "So" : "Possibly";
    bnd_severity severity = damage ? BND_SEVERITY_DAMAGE : BND_SEVERITY_SUSPECT;
    if (n->count == 1) {
        bndi_lint_report_as(l->lint, BNDI_CHECK_scale_reciprocal, severity, l->tensor->name,
                            "is %.3g; as a %s, weights would reach %.3g. %s the reciprocal was stored: store 1 / scale",
                            n->least, meant, amax, so);
    } else {
        bndi_lint_report_as(
            l->lint, BNDI_CHECK_scale_reciprocal, severity, l->tensor->name,
            "scales%s are from %.3g to %.3g; as a %s, weights would reach %.3g. %s the reciprocals were "
            "stored: store 1 / scale",
            sampled(n), n->least, n->largest, meant, amax, so);
    }
}

static bool check_second(const look *l)
{
    double v = l->numbers.largest, reach = 6.0 * 448.0;
    const bnd_layout *layout = l->weight->layout;
    bool divides = layout != NULL ? layout->second_divides : strstr(l->tensor->name, "global") != NULL;
    double amax = divides ? reach / v : reach * v;
    if (layout != NULL && layout->family == BND_LAYOUT_GGUF && v == 1) {
        return false;
    }
    if (amax > 100) {
        report_reciprocal(l, amax > no_weight, divides ? "divisor" : "factor", amax);
    }
    return amax > 100;
}

/* The largest magnitude of an element; of e4m3 if its format is not known. */
static double largest_element(const bnd_stored_weight *weight)
{
    const bnd_format *f = &weight->block.element;
    const bool known = weight->layout != NULL && (f->width == 8 || weight->block.integer);
    return known ? ldexp((double)f->max_significand, f->max_quantum) : 448;
}

static bool check_factor(const look *l)
{
    const double element = largest_element(l->weight), amax = l->numbers.least * element;
    bool numbers = l->tensor->kind == BND_STORED_FLOAT && l->tensor->bits >= 16;
    if (!numbers || l->numbers.equal || amax <= 200) {
        /* One scale for all is unset rather than a reciprocal, unless it is one scale. */
        if (!(numbers && l->numbers.count == 1 && amax > 200 && l->numbers.least != 1)) {
            return false;
        }
    }
    report_reciprocal(l, amax > no_weight, "factor", l->numbers.largest * element);
    return true;
}

static void check_unset(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    bool one = n->equal && n->least == 1, powers = n->powers_of_two == n->read;
    const bnd_layout *layout = l->weight->layout;
    bool comfy = layout != NULL && layout->family == BND_LAYOUT_COMFYUI,
         gguf = layout != NULL && layout->family == BND_LAYOUT_GGUF;
    if (one && !gguf) {
        bndi_lint_report_as(l->lint, BNDI_CHECK_scale_unset,
                            comfy && n->count == 1 ? BND_SEVERITY_NOTE : BND_SEVERITY_SUSPECT, l->tensor->name,
                            "%s 1, the value before a scale is set; compare with the unquantized weight",
                            n->count == 1 ? "the scale is" : "all scales are");
    } else if (n->equal && n->count >= 4 && !powers && l->tensor->bits >= 16) {
        bndi_lint_report(l->lint, BNDI_CHECK_scale_unset, l->tensor->name,
                         "all %llu scales%s are %g; scales of weights differ, so they may be unset",
                         (unsigned long long)n->read, sampled(n), n->least);
    } else if (l->tensor->bits >= 16 && (n->least < 1e-25 || n->largest > 1e25)) {
        bndi_lint_report(l->lint, BNDI_CHECK_scale_unset, l->tensor->name,
                         "scales%s reach from %.3g to %.3g; values like these look like memory that was never set",
                         sampled(n), n->least, n->largest);
    } else if (l->tensor->bits == 8 && l->tensor->kind == BND_STORED_INTEGER && n->largest < 1e-38) {
        bndi_lint_report(l->lint, BNDI_CHECK_scale_unset, l->tensor->name,
                         "every exponent byte%s is 0, which is 2^-127; the scales may be unset", sampled(n));
    }
}

/* scale_fmt ue8m0: scales of tiles are powers of two, stored as fp32. */
static void check_powers(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    bool tiles = l->weight->layout != NULL && bndi_lint_sharing_of(&l->weight->block) == BNDI_SHARING_TILE;
    if (l->lint->ue8m0 && tiles && l->part == BND_PART_SCALES && n->powers_of_two < n->read) {
        bndi_lint_report(
            l->lint, BNDI_CHECK_scale_not_power_of_two, l->tensor->name,
            "%llu of %llu scales%s are not powers of two, and the config says scale_fmt ue8m0; loaders that "
            "store exponents only round them",
            (unsigned long long)(n->read - n->powers_of_two), (unsigned long long)n->read, sampled(n));
    }
}

static void check_values(const look *l)
{
    check_powers(l);
    bool second = l->part == BND_PART_SECOND;
    if ((second && l->weight->layout != NULL && check_second(l)) || (l->part == BND_PART_SCALES && check_factor(l))) {
        return;
    }
    if (!is_input(l->part)) {
        check_unset(l);
    }
}

/* Where all weights are 0, any scale is right that is a number and is not divided by while it is 0: codes are looked at
 * only where a scale is suspected. */
static bool is_excused(const look *l)
{
    const bndi_scale_values *n = &l->numbers;
    const bnd_layout *layout = l->weight->layout;
    bool divides = l->part == BND_PART_SECOND && layout != NULL && layout->second_divides && n->zeros.count > 0;
    bool numbers = n->nans.count + n->infinities.count + n->negatives.count == 0;
    return numbers && !divides && !is_input(l->part) && bndi_lint_is_zero(l->lint, l->weight);
}

static void check_numbers(const look *l)
{
    size_t before = l->lint->count;
    if (!check_bad_numbers(l) && !check_exponents(l)) {
        check_values(l);
    }
    if (l->lint->count > before && is_excused(l)) {
        bndi_lint_take_back(l->lint, before);
    }
}

/* ---- tensors ---- */

/* Bytes of scales are exponents if the layout says so; otherwise only floats are numbers. */
static const bnd_format *format_of(const bnd_stored_weight *weight, const bnd_stored_tensor *tensor, bnd_part part)
{
    if (tensor->kind == BND_STORED_FLOAT) {
        return tensor->format;
    }
    bool bytes = tensor->kind == BND_STORED_INTEGER && tensor->bits == 8;
    return part == BND_PART_SCALES && bytes && weight->layout != NULL && weight->block.scale.width == 8
               ? &weight->block.scale
               : NULL;
}

static void check_tensor(bnd_lint *lint, const bnd_stored_weight *weight, const bnd_stored_tensor *tensor,
                         bnd_part part)
{
    look l = {lint, weight, tensor, part, {0}};
    const bnd_format *format = format_of(weight, tensor, part);
    lint->summary.scale_bytes += tensor->size;
    if (bndi_read_scale_values(&l.numbers, tensor, format, lint->scale_limit)) {
        lint->summary.scales_read += l.numbers.read * tensor->bits / 8;
        check_numbers(&l);
    }
}

const bnd_stored_tensor *bndi_sibling(const bnd_lint *lint, const char *name, size_t length, const char *suffix)
{
    char sibling[NAME_SIZE];
    int all = length >= NAME_SIZE
                  ? -1
                  : snprintf(sibling, sizeof sibling, "%.*s%s%s", (int)length, name, length > 0 ? "." : "", suffix);
    return all > 0 && all < NAME_SIZE ? bnd_checkpoint_find(lint->checkpoint, sibling) : NULL;
}

/* "scale" alone may be the name of anything: it is a scale next to codes. */
static bool is_scale(const bnd_lint *lint, const char *name, size_t length)
{
    const char *suffix = name + length + (length > 0);
    const bnd_stored_tensor *codes = bndi_sibling(lint, name, length, "weight");
    bool common = strcmp(suffix, "scale") == 0 || strcmp(suffix, "scales") == 0;
    return !common || (codes != NULL && codes->bits <= 8);
}

void bndi_lint_check_scales(bnd_lint *lint, const bnd_stored_weight *weight)
{
    static const bnd_part parts[] = {BND_PART_SCALES, BND_PART_SECOND, BND_PART_INPUT, BND_PART_INPUT_SECOND};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const bnd_stored_tensor *tensor = weight->parts[parts[i]];
        if (tensor != NULL) {
            check_tensor(lint, weight, tensor, parts[i]);
        }
    }
    const bnd_stored_tensor *alone = weight->parts[BND_PART_CODES];
    size_t length;
    if (weight->layout == NULL && alone != NULL) {
        bnd_part part = bndi_scale_part(alone->name, &length);
        if (part != BND_PART_COUNT && is_scale(lint, alone->name, length)) {
            check_tensor(lint, weight, alone, part);
        }
    }
}
