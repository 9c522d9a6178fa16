/* Recipes: the built-in rows, and the parser of the settings in which rows and callers write them. */
#include "policy/policy.h"

static const struct row {
    const char *name, *title, *settings;
} rows[] = {
#define RECIPE(name, title, settings) {name, title, settings},
#include "policy/recipes.def"
#undef RECIPE
};
enum { ROWS = sizeof rows / sizeof rows[0] };

size_t bnd_recipe_count(void)
{
    return ROWS;
}

const char *bnd_recipe_name(size_t row)
{
    return row < ROWS ? rows[row].name : "";
}

const char *bnd_recipe_title(size_t row)
{
    return row < ROWS ? rows[row].title : "";
}

const char *bnd_recipe_settings(size_t row)
{
    return row < ROWS ? rows[row].settings : "";
}

/* ---- pieces of text ---- */

typedef struct piece {
    const char *text;
    size_t length;
} piece;

static bool is(piece p, const char *word)
{
    return bndi_same_word(p.text, p.length, word);
}

/* Returns the text before the first `c` and sets *rest to the text after it. Without a `c`: returns everything, and
 * sets rest->text to NULL. */
static piece cut(piece *rest, char c)
{
    piece first = *rest;
    for (size_t i = 0; i < rest->length; i++) {
        if (rest->text[i] == c) {
            first.length = i;
            *rest = (piece){rest->text + i + 1, rest->length - i - 1};
            return first;
        }
    }
    *rest = (piece){.text = NULL};
    return first;
}

typedef struct reader {
    const char *whole; /* for offsets */
    bnd_error *why;
} reader;

static bnd_status refuse(const reader *r, piece at, const char *what)
{
    size_t shown = at.length < 64 ? at.length : 64;
    return bnd_fail(r->why, BND_BAD_SYNTAX, (size_t)(at.text - r->whole), "recipe: \"%.*s\": %s", (int)shown, at.text,
                    what);
}

/* Reports an error of a function that parsed a copy of the piece: its offset counts from the piece. */
static bnd_status within(const reader *r, piece at, bnd_status status)
{
    if (status != BND_OK && r->why != NULL) {
        r->why->where += (size_t)(at.text - r->whole);
    }
    return status;
}

static bool copy(char *out, size_t size, piece p)
{
    if (p.length >= size) {
        return false;
    }
    __builtin_memcpy(out, p.text, p.length);
    out[p.length] = 0;
    return true;
}

/* Parses a whole number below 2^53; false if it is not one. */
static bool read_number(double *out, piece p)
{
    double value = 0;
    for (size_t i = 0; i < p.length; i++) {
        if (p.text[i] < '0' || p.text[i] > '9' || value >= 0x1p53 / 10 - 1) {
            return false;
        }
        value = value * 10 + (p.text[i] - '0');
    }
    *out = value;
    return p.length > 0;
}

/* ---- settings ---- */

const bndi_scaled_name *bndi_scaled_name_of(const char *name, size_t length)
{
    /* mxfp4 has OCP's own rule: rounding scales up costs E2M1 more zeros than clamping costs it. Integers are value
     * sets: multiples of 2^-6 below 2, multiples of 1 below 8. */
    static const bndi_scaled_name names[] = {{"mxfp8", "e4m3", "mx"},          {"mxfp8-e5m2", "e5m2", "mx"},
                                             {"mxfp6", "e3m2", "mx"},          {"mxfp6-e2m3", "e2m3", "mx"},
                                             {"mxfp4", "e2m1", "mx:floor"},    {"nvfp4", "e2m1", "nvfp4"},
                                             {"mxint8", "p7emin0emax0", "mx"}, {"nvint4", "p3emin2emax2", "nvfp4"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bndi_same_word(name, length, names[i].name)) {
            return &names[i];
        }
    }
    return NULL;
}

/* The word that a value may begin with; *value moves behind it. */
static bool take_word(piece *value, const char *word)
{
    const size_t length = bndi_length(word);
    const bool there = value->length > length && bndi_same_word(value->text, length, word);
    *value = there ? (piece){value->text + length, value->length - length} : *value;
    return there;
}

/* clamp, or MODE:clamp: values beyond the largest become the largest, without a scale. */
static bool take_clamp(piece *mode)
{
    enum { LENGTH = 5 };
    const char *word = mode->text != NULL && mode->length >= LENGTH ? mode->text + mode->length - LENGTH : "";
    const bool whole = mode->text == word,
               there = bndi_same_word(word, word[0] != 0 ? LENGTH : 0, "clamp") && (whole || word[-1] == ':');
    if (there) {
        *mode = (piece){whole ? NULL : mode->text, whole ? 0 : mode->length - LENGTH - 1};
    }
    return there;
}

/* [transient:|requantized:]FORMAT[:MODE][:clamp]. */
static bnd_status read_number_format(const reader *r, bnd_cast *cast, piece value)
{
    cast->transient = take_word(&value, "transient:");
    cast->requantized = !cast->transient && take_word(&value, "requantized:");
    piece mode = value, format = cut(&mode, ':');
    char text[BND_SCALING_SIZE];
    const bool clamps = take_clamp(&mode);
    const bndi_scaled_name *scaled = bndi_scaled_name_of(format.text, format.length);
    bnd_status status = scaled == NULL
                            ? within(r, format, bnd_format_parse_n(&cast->format, format.text, format.length, r->why))
                            : bnd_format_parse(&cast->format, scaled->format, r->why);
    if (status == BND_OK && scaled != NULL) {
        (void)copy(cast->scaling, sizeof cast->scaling, (piece){scaled->scaling, bndi_length(scaled->scaling)});
    }
    if (status == BND_OK && mode.text != NULL) {
        status = copy(text, sizeof text, mode) ? within(r, mode, bnd_rounding_parse(&cast->rule, text, r->why))
                                               : refuse(r, mode, "unknown rounding mode");
    }
    cast->rule.overflow = clamps ? BND_OVERFLOW_SATURATE : BND_OVERFLOW_FORMAT;
    return status;
}

/* hadamard[:N]; false if it is something else. */
static bool read_hadamard(bnd_cast *cast, piece value)
{
    enum { MOST = 128 };
    piece size = value, word = cut(&size, ':');
    double n = 0;
    const bool sized = size.text != NULL;
    cast->hadamard = is(word, "hadamard") && (!sized || (read_number(&n, size) && n >= 2 && n <= (double)MOST));
    cast->hadamard_size = cast->hadamard ? (uint16_t)n : 0;
    cast->hadamard = cast->hadamard && (cast->hadamard_size & (cast->hadamard_size - 1)) == 0;
    return cast->hadamard;
}

/* [transient:|requantized:]FORMAT[:MODE][:clamp][/SCALING][/hadamard[:N]]. */
static bnd_status read_cast(const reader *r, bnd_cast *out, piece value)
{
    bnd_cast cast = {.given = true};
    piece last = value, number = cut(&last, '/'), scaling = cut(&last, '/');
    if (is(value, "none")) {
        *out = (bnd_cast){.given = false};
        return BND_OK;
    }
    bnd_status status = read_number_format(r, &cast, number);
    if (status == BND_OK && scaling.text != NULL && last.text == NULL && read_hadamard(&cast, scaling)) {
        scaling.text = NULL;
    }
    if (status == BND_OK && last.text != NULL) {
        status = read_hadamard(&cast, last) ? BND_OK
                                            : refuse(r, value,
                                                     "expected hadamard or hadamard:N after the second /, N being a "
                                                     "power of two up to 128");
    }
    if (status == BND_OK && scaling.text != NULL) {
        bool good = cast.scaling[0] == 0 && scaling.length > 0 && copy(cast.scaling, sizeof cast.scaling, scaling);
        status = good ? BND_OK
                      : refuse(r, value,
                               "expected a scaling after the / (available: tensor, row, tile:RxC, mx, nvfp4, current, "
                               "delayed, dynamic:N, linear:N)");
    }
    if (status == BND_OK) {
        *out = cast;
    }
    return status;
}

static bnd_status read_loss_scale(const reader *r, bnd_loss_scale *out, piece value)
{
    enum { USUAL = 65536, STEPS = 2000 };
    piece rest = value, kind = cut(&rest, ':');
    bnd_loss_scale scale = {.given = true, .initial = USUAL, .growth = STEPS};
    double steps = STEPS;
    if (is(value, "none")) {
        *out = (bnd_loss_scale){.given = false};
        return BND_OK;
    }
    scale.dynamic = is(kind, "dynamic");
    bool good = scale.dynamic || (rest.text == NULL && read_number(&scale.initial, kind));
    if (scale.dynamic && rest.text != NULL) {
        good = read_number(&scale.initial, cut(&rest, ':'));
        good = good && (rest.text == NULL || read_number(&steps, rest));
    }
    if (!good || scale.initial < 1 || steps < 1 || steps > 1e9) {
        return refuse(r, value, "loss_scale must be none, a whole number, or dynamic[:NUMBER[:STEPS]]");
    }
    scale.growth = (uint32_t)steps;
    *out = scale;
    return BND_OK;
}

static bnd_status read_update(const reader *r, bnd_update *out, piece value)
{
    if (!is(value, "rounded") && !is(value, "kahan") && !is(value, "eco")) {
        return refuse(r, value, "update must be rounded, kahan or eco");
    }
    *out = is(value, "kahan") ? BND_UPDATE_KAHAN : is(value, "eco") ? BND_UPDATE_ECO : BND_UPDATE_ROUNDED;
    return BND_OK;
}

/* STEPS for both, or m:STEPS, v:STEPS, m:STEPS/v:STEPS. */
static bnd_status read_reset(const reader *r, bnd_reset *out, piece value)
{
    bnd_reset reset = {0, 0};
    piece rest = value;
    bool good = true;
    for (unsigned i = 0; good && !is(value, "none") && rest.text != NULL; i++) {
        piece steps = cut(&rest, '/'), which = cut(&steps, ':');
        const bool both = steps.text == NULL, m = is(which, "m"), v = is(which, "v");
        double n = 0;
        good = read_number(&n, both ? which : steps) && n >= 1 && n <= 1e9 &&
               (both ? i == 0 && rest.text == NULL : m || v) && (both || (m ? reset.m : reset.v) == 0);
        reset.m = both || m ? (uint32_t)n : reset.m;
        reset.v = both || v ? (uint32_t)n : reset.v;
    }
    if (!good) {
        return refuse(r, value, "reset must be none, a number of steps, or m:STEPS, v:STEPS, m:STEPS/v:STEPS");
    }
    *out = reset;
    return BND_OK;
}

/* As torch calls its two ways. */
static bnd_status read_optimizer(const reader *r, bool *fused, piece value)
{
    if (!is(value, "foreach") && !is(value, "fused")) {
        return refuse(r, value, "optimizer must be foreach or fused");
    }
    *fused = is(value, "fused");
    return BND_OK;
}

/* Settings that are not roles. */
static const char *const settings[] = {"base", "acc", "update", "reset", "optimizer", "loss_scale", "high_last"};

static bnd_status read_high_last(const reader *r, uint8_t *out, piece value)
{
    double share;
    if (!read_number(&share, value) || share > 100) {
        return refuse(r, value, "high_last must be a percentage of the layers, from 0 to 100");
    }
    *out = (uint8_t)share;
    return BND_OK;
}

static bnd_status read_roles(const reader *r, bnd_policy *policy, piece name, piece value)
{
    uint64_t roles;
    bnd_cast cast;
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    if (!bndi_find_roles(&roles, &nearest, name.text, name.length)) {
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            bndi_nearest_offer(&nearest, settings[i], bndi_length(settings[i]));
        }
        return within(r, name, bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown role or setting", NULL));
    }
    bnd_status status = read_cast(r, &cast, value);
    for (unsigned role = 0; status == BND_OK && role < BND_ROLE_COUNT; role++) {
        if ((roles >> role & 1) != 0) {
            policy->cast[role] = cast;
        }
    }
    return status;
}

/* "e4m3/tensor" says how numbers are cast, and is no recipe. */
static bool names_cast(const reader *r, piece name)
{
    bnd_error unused;
    bnd_cast cast;
    return name.length < 64 && read_cast(&(reader){r->whole, &unused}, &cast, name) == BND_OK && cast.given;
}

static bnd_status read_recipe(const reader *r, bnd_policy *policy, piece name)
{
    /* Meant by "bf16" or "fp8": offered first, and so named first. */
    static const char *const usual[] = {"bf16-amp", "fp16-amp", "fp8-current", "fp8-delayed"};
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        bndi_nearest_offer(&nearest, usual[i], bndi_length(usual[i]));
    }
    for (unsigned i = 0; i < ROWS; i++) {
        if (is(name, rows[i].name)) {
            bnd_policy row;
            bnd_status status = bnd_policy_parse(&row, rows[i].settings, r->why);
            if (status == BND_OK) {
                *policy = row;
                (void)copy(policy->name, sizeof policy->name, (piece){rows[i].name, bndi_length(rows[i].name)});
            }
            return status;
        }
        bndi_nearest_offer(&nearest, rows[i].name, bndi_length(rows[i].name));
    }
    char hint[160];
    const bool wants_setting = nearest.count == 0 && names_cast(r, name);
    bndi_text text = bndi_text_in(hint, sizeof hint);
    bndi_text_string(&text, "(as a setting of matrix products: gemm=");
    bndi_text_bytes(&text, name.text, wants_setting ? name.length : 0);
    bndi_text_string(&text, ")");
    return within(r, name,
                  bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown recipe", wants_setting ? hint : NULL));
}

const char *bnd_reduction_name(bnd_reduction order)
{
    static const char *const names[BND_REDUCTION_COUNT] = {"sequential", "tree", "ring"};
    return (unsigned)order < BND_REDUCTION_COUNT ? names[order] : "";
}

/* FORMAT[:MODE][/ORDER]. */
static bnd_status read_reduce(const reader *r, bnd_policy *policy, piece value)
{
    bnd_cast cast;
    piece order = value, number = cut(&order, '/');
    bndi_nearest nearest = bndi_nearest_to(order.text != NULL ? order.text : "", order.length);
    unsigned found = order.text == NULL ? BND_REDUCTION_SEQUENTIAL : BND_REDUCTION_COUNT;
    for (unsigned i = 0; order.text != NULL && i < BND_REDUCTION_COUNT; i++) {
        const char *name = bnd_reduction_name((bnd_reduction)i);
        found = is(order, name) ? i : found;
        bndi_nearest_offer(&nearest, name, bndi_length(name));
    }
    bnd_status status = found < BND_REDUCTION_COUNT
                            ? read_cast(r, &cast, number)
                            : within(r, order,
                                     bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown order of a reduction",
                                                       "(available: sequential, tree, ring)"));
    if (status == BND_OK && cast.given && cast.scaling[0] != 0) {
        status = refuse(r, value, "reduce takes a format without scales");
    }
    if (status == BND_OK) {
        policy->cast[BND_ROLE_REDUCE] = cast;
        policy->reduction = cast.given ? (bnd_reduction)found : BND_REDUCTION_SEQUENTIAL;
    }
    return status;
}

/* A setting that layers can have, too. */
static bnd_status read_one(const reader *r, bnd_policy *policy, piece name, piece value)
{
    if (is(name, "update")) {
        return read_update(r, &policy->update, value);
    }
    if (is(name, "reset")) {
        return read_reset(r, &policy->reset, value);
    }
    if (is(name, "optimizer")) {
        return read_optimizer(r, &policy->fused, value);
    }
    if (is(name, "acc")) {
        return copy(policy->accumulator, sizeof policy->accumulator, value) ? BND_OK
                                                                            : refuse(r, value, "unknown accumulator");
    }
    return read_roles(r, policy, name, value);
}

/* ---- settings of layers ---- */

static bool sets_operands(piece name)
{
    uint64_t roles, operands;
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    return bndi_find_roles(&operands, &nearest, "gemm", sizeof "gemm" - 1) &&
           bndi_find_roles(&roles, &nearest, name.text, name.length) && (roles & operands) != 0;
}

/* What a layer says of the operands of its GEMMs holds, even if high_last names it. */
static bnd_status read_of_layer(const reader *r, bnd_policy *policy, piece name, piece value)
{
    if (is(name, "loss_scale") || is(name, "high_last") || is(name, bnd_role_name(BND_ROLE_REDUCE)) ||
        is(name, bnd_role_name(BND_ROLE_ACCUMULATE))) {
        return refuse(r, name, "belongs to the whole run, not to layers");
    }
    bnd_policy p = *policy;
    const bool base = is(name, "base");
    bnd_status status = base ? read_recipe(r, &p, value) : read_one(r, &p, name, value);
    if (status != BND_OK) {
        return status;
    }
    if (p.update == BND_UPDATE_ECO && policy->update != BND_UPDATE_ECO) {
        return refuse(r, value, "update=eco belongs to the whole run, not to layers");
    }
    __builtin_memcpy(p.name, policy->name, sizeof p.name);
    __builtin_memcpy(p.layers, policy->layers, sizeof p.layers);
    p.loss_scale = policy->loss_scale;
    p.reduction = policy->reduction;
    p.cast[BND_ROLE_REDUCE] = policy->cast[BND_ROLE_REDUCE];
    p.cast[BND_ROLE_ACCUMULATE] = policy->cast[BND_ROLE_ACCUMULATE];
    p.high_last = base || sets_operands(name) ? 0 : policy->high_last;
    *policy = p;
    return BND_OK;
}

bnd_status bndi_policy_set(bnd_policy *policy, const char *setting, size_t length, bnd_error *why)
{
    const reader r = {setting, why};
    piece value = {setting, length}, name = cut(&value, '=');
    return value.text != NULL ? read_of_layer(&r, policy, name, value) : refuse(&r, name, "expected NAME=VALUE");
}

static bool has_colon(piece p)
{
    for (size_t i = 0; i < p.length; i++) {
        if (p.text[i] == ':') {
            return true;
        }
    }
    return false;
}

/* SELECTOR:NAME=VALUE; without a value, SELECTOR:RECIPE is SELECTOR:base=RECIPE. */
static bnd_status read_exception(const reader *r, bnd_policy *policy, piece name, piece value)
{
    piece last = name;
    while (has_colon(last)) {
        (void)cut(&last, ':');
    }
    const piece which = {name.text, name.length - last.length - 1};
    const piece its = value.text != NULL ? last : (piece){"base", sizeof "base" - 1};
    bndi_selector selector;
    bnd_policy trial = *policy;
    if (!bndi_selector_read(&selector, which.text, which.length)) {
        return refuse(r, which, "expected layers: a pattern such as blocks.0.*, first:N, last:N, first:N% or last:N%");
    }
    value = value.text != NULL ? value : last;
    bnd_status status = read_of_layer(r, &trial, its, value);
    if (status != BND_OK) {
        return status;
    }
    const size_t there = bndi_length(policy->layers);
    bndi_text text = bndi_text_in(trial.layers, sizeof trial.layers);
    bndi_text_string(&text, policy->layers);
    bndi_text_string(&text, there > 0 ? "," : "");
    bndi_text_bytes(&text, which.text, which.length);
    bndi_text_char(&text, ':');
    bndi_text_bytes(&text, its.text, its.length);
    bndi_text_char(&text, '=');
    bndi_text_bytes(&text, value.text, value.length);
    if (text.length >= sizeof trial.layers) {
        return refuse(r, which, "the settings of layers must have less than 512 bytes together");
    }
    __builtin_memcpy(policy->layers, trial.layers, sizeof policy->layers);
    return BND_OK;
}

static bnd_status read_setting(const reader *r, bnd_policy *policy, piece setting, bool first)
{
    piece value = setting, name = cut(&value, '=');
    if (has_colon(name)) {
        return read_exception(r, policy, name, value);
    }
    if (value.text == NULL) {
        return first ? read_recipe(r, policy, name) : refuse(r, setting, "expected NAME=VALUE");
    }
    if (is(name, "base")) {
        return first ? read_recipe(r, policy, value)
                     : refuse(r, setting, "base must be the first setting, because it sets all others");
    }
    if (is(name, bnd_role_name(BND_ROLE_REDUCE))) {
        return read_reduce(r, policy, value);
    }
    if (is(name, "loss_scale")) {
        return read_loss_scale(r, &policy->loss_scale, value);
    }
    if (is(name, "high_last")) {
        return read_high_last(r, &policy->high_last, value);
    }
    return read_one(r, policy, name, value);
}

bnd_status bnd_policy_parse(bnd_policy *out, const char *text, bnd_error *why)
{
    static const char custom[] = "custom";
    const reader r = {text, why};
    bnd_policy policy = {.update = BND_UPDATE_ROUNDED};
    piece rest = {text, bndi_length(text)};
    bool first = true;
    while (rest.text != NULL && bndi_length(text) > 0) {
        piece setting = cut(&rest, ',');
        bnd_status status = read_setting(&r, &policy, setting, first);
        if (status != BND_OK) {
            return status;
        }
        bool is_row = first && policy.name[0] != 0 && rest.text == NULL;
        if (!is_row) {
            __builtin_memcpy(policy.name, custom, sizeof custom);
        }
        first = false;
    }
    *out = policy;
    return BND_OK;
}
