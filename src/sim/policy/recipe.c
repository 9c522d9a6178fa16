/* Recipes: the built-in rows, and the parser of the settings in which rows and callers write them. */
#include "policy/recipe_pieces.h"

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

static bnd_status read_loss_scale(const bndi_recipe_reader *r, bnd_loss_scale *out, bndi_words value)
{
    enum { USUAL = 65536, STEPS = 2000 };
    static const double LEAST = 0x1p-64, MOST = 0x1p64;
    bndi_words rest = value, kind = bndi_words_cut(&rest, ':');
    bnd_loss_scale scale = {.given = true, .initial = USUAL, .growth = STEPS};
    double steps = STEPS;
    if (bndi_words_is(value, "none")) {
        *out = (bnd_loss_scale){.given = false};
        return BND_OK;
    }
    scale.dynamic = bndi_words_is(kind, "dynamic");
    bool good = scale.dynamic || (rest.text == NULL && bndi_words_real(&scale.initial, kind));
    if (scale.dynamic && rest.text != NULL) {
        good = bndi_words_real(&scale.initial, bndi_words_cut(&rest, ':'));
        good = good && (rest.text == NULL || bndi_words_number(&steps, rest));
    }
    if (!good || !(scale.initial >= LEAST && scale.initial <= MOST) || steps < 1 || steps > 1e9) {
        return bndi_recipe_refuse(r, value,
                                  "loss_scale must be none, NUMBER, or dynamic[:NUMBER[:STEPS]], where NUMBER is from "
                                  "2^-64 to 2^64 and STEPS a whole number from 1 to 10^9");
    }
    scale.growth = (uint32_t)steps;
    *out = scale;
    return BND_OK;
}

static bnd_status read_update(const bndi_recipe_reader *r, bnd_update *out, bndi_words value)
{
    if (!bndi_words_is(value, "rounded") && !bndi_words_is(value, "kahan") && !bndi_words_is(value, "eco")) {
        return bndi_recipe_refuse(r, value, "update must be rounded, kahan or eco");
    }
    *out = bndi_words_is(value, "kahan") ? BND_UPDATE_KAHAN
           : bndi_words_is(value, "eco") ? BND_UPDATE_ECO
                                         : BND_UPDATE_ROUNDED;
    return BND_OK;
}

/* STEPS for both, or m:STEPS, v:STEPS, m:STEPS/v:STEPS. */
static bnd_status read_reset(const bndi_recipe_reader *r, bnd_reset *out, bndi_words value)
{
    bnd_reset reset = {0, 0};
    bndi_words rest = value;
    bool good = true;
    for (unsigned i = 0; good && !bndi_words_is(value, "none") && rest.text != NULL; i++) {
        bndi_words steps = bndi_words_cut(&rest, '/'), which = bndi_words_cut(&steps, ':');
        const bool both = steps.text == NULL, m = bndi_words_is(which, "m"), v = bndi_words_is(which, "v");
        double n = 0;
        good = bndi_words_number(&n, both ? which : steps) && n >= 1 && n <= 1e9 &&
               (both ? i == 0 && rest.text == NULL : m || v) && (both || (m ? reset.m : reset.v) == 0);
        reset.m = both || m ? (uint32_t)n : reset.m;
        reset.v = both || v ? (uint32_t)n : reset.v;
    }
    if (!good) {
        return bndi_recipe_refuse(r, value,
                                  "reset must be none, a number of steps, or m:STEPS, v:STEPS, m:STEPS/v:STEPS");
    }
    *out = reset;
    return BND_OK;
}

/* As torch calls its two ways. */
static bnd_status read_optimizer(const bndi_recipe_reader *r, bool *fused, bndi_words value)
{
    if (!bndi_words_is(value, "foreach") && !bndi_words_is(value, "fused")) {
        return bndi_recipe_refuse(r, value, "optimizer must be foreach or fused");
    }
    *fused = bndi_words_is(value, "fused");
    return BND_OK;
}

/* Settings that are not roles. */
static const char *const settings[] = {"base", "acc", "update", "reset", "optimizer", "loss_scale", "high_last"};

static bnd_status read_high_last(const bndi_recipe_reader *r, uint8_t *out, bndi_words value)
{
    double share;
    if (!bndi_words_number(&share, value) || share > 100) {
        return bndi_recipe_refuse(r, value, "high_last must be a percentage of the layers, from 0 to 100");
    }
    *out = (uint8_t)share;
    return BND_OK;
}

static bnd_status read_roles(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words name, bndi_words value)
{
    uint64_t roles;
    bnd_cast cast;
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    if (!bndi_find_roles(&roles, &nearest, name.text, name.length)) {
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            bndi_nearest_offer(&nearest, settings[i], bndi_length(settings[i]));
        }
        return bndi_recipe_within(
            r, name,
            bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown role or setting",
                              nearest.count == 0 ? "(such as param, act, grad, m, v, gemm, acc)" : NULL));
    }
    if (roles == UINT64_C(1) << BND_ROLE_SCRATCH) {
        return bndi_recipe_refuse(r, name, "is memory of the emulation; a recipe cannot change it");
    }
    bnd_status status = bndi_recipe_cast(r, &cast, value);
    for (unsigned role = 0; status == BND_OK && role < BND_ROLE_COUNT; role++) {
        if ((roles >> role & 1) != 0) {
            policy->cast[role] = cast;
        }
    }
    return status;
}

/* "e4m3/tensor" says how numbers are cast, and is no recipe. */
static bool names_cast(const bndi_recipe_reader *r, bndi_words name)
{
    bnd_error unused;
    bnd_cast cast;
    return name.length < 64 && bndi_recipe_cast(&(bndi_recipe_reader){r->whole, &unused}, &cast, name) == BND_OK &&
           cast.given;
}

static bool ends_with(bndi_words name, const char *ending)
{
    const size_t length = bndi_length(ending);
    return name.length > length && bndi_same_word(name.text + name.length - length, length, ending);
}

static bnd_status read_recipe(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words name)
{
    /* Meant by "bf16" or "fp8": offered first, and so named first. */
    static const char *const usual[] = {"bf16-amp", "fp16-amp", "fp8-current", "fp8-delayed"};
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        bndi_nearest_offer(&nearest, usual[i], bndi_length(usual[i]));
    }
    for (unsigned i = 0; i < ROWS; i++) {
        if (bndi_words_is(name, rows[i].name)) {
            bnd_policy row;
            bnd_status status = bnd_policy_parse(&row, rows[i].settings, r->why);
            if (status == BND_OK) {
                *policy = row;
                (void)bndi_words_copy(policy->name, sizeof policy->name,
                                      (bndi_words){rows[i].name, bndi_length(rows[i].name)});
            }
            return status;
        }
        bndi_nearest_offer(&nearest, rows[i].name, bndi_length(rows[i].name));
    }
    if (ends_with(name, ".json")) {
        return bndi_recipe_refuse(r, name, "a recipe in a file takes no other settings; add them to the file");
    }
    char hint[160];
    bndi_text text = bndi_text_in(hint, sizeof hint);
    if (nearest.count == 0 && names_cast(r, name)) {
        bndi_text_string(&text, "(as a setting of matrix products: gemm=");
        bndi_text_bytes(&text, name.text, name.length);
        bndi_text_string(&text, ")");
    } else {
        bndi_text_string(&text, "(such as bf16-amp, bf16-sr, fp16-amp, fp8-current, mxfp8, nvfp4)");
    }
    return bndi_recipe_within(
        r, name, bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown recipe", nearest.count == 0 ? hint : NULL));
}

const char *bnd_reduction_name(bnd_reduction order)
{
    static const char *const names[BND_REDUCTION_COUNT] = {"sequential", "tree", "ring"};
    return (unsigned)order < BND_REDUCTION_COUNT ? names[order] : "";
}

/* FORMAT[:MODE][/ORDER]. */
static bnd_status read_reduce(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words value)
{
    bnd_cast cast;
    bndi_words order = value, number = bndi_words_cut(&order, '/');
    bndi_nearest nearest = bndi_nearest_to(order.text != NULL ? order.text : "", order.length);
    unsigned found = order.text == NULL ? BND_REDUCTION_SEQUENTIAL : BND_REDUCTION_COUNT;
    for (unsigned i = 0; order.text != NULL && i < BND_REDUCTION_COUNT; i++) {
        const char *name = bnd_reduction_name((bnd_reduction)i);
        found = bndi_words_is(order, name) ? i : found;
        bndi_nearest_offer(&nearest, name, bndi_length(name));
    }
    bnd_status status =
        found < BND_REDUCTION_COUNT
            ? bndi_recipe_cast(r, &cast, number)
            : bndi_recipe_within(r, order,
                                 bndi_nearest_fail(&nearest, r->why, BND_BAD_NAME, "unknown order of a reduction",
                                                   "(available: sequential, tree, ring)"));
    if (status == BND_OK && cast.given && cast.scaling[0] != 0) {
        status = bndi_recipe_refuse(r, value, "reduce takes a format without scales");
    }
    if (status == BND_OK) {
        policy->cast[BND_ROLE_REDUCE] = cast;
        policy->reduction = cast.given ? (bnd_reduction)found : BND_REDUCTION_SEQUENTIAL;
    }
    return status;
}

/* A setting that layers can have, too. */
static bnd_status read_one(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words name, bndi_words value)
{
    if (bndi_words_is(name, "update")) {
        return read_update(r, &policy->update, value);
    }
    if (bndi_words_is(name, "reset")) {
        return read_reset(r, &policy->reset, value);
    }
    if (bndi_words_is(name, "optimizer")) {
        return read_optimizer(r, &policy->fused, value);
    }
    if (bndi_words_is(name, "acc")) {
        return bndi_words_copy(policy->accumulator, sizeof policy->accumulator, value)
                   ? BND_OK
                   : bndi_recipe_refuse(r, value, "unknown accumulator");
    }
    return read_roles(r, policy, name, value);
}

/* ---- settings of layers ---- */

static bool sets_operands(bndi_words name)
{
    uint64_t roles, operands;
    bndi_nearest nearest = bndi_nearest_to(name.text, name.length);
    return bndi_find_roles(&operands, &nearest, "gemm", sizeof "gemm" - 1) &&
           bndi_find_roles(&roles, &nearest, name.text, name.length) && (roles & operands) != 0;
}

/* What a layer says of the operands of its GEMMs holds, even if high_last names it. */
static bnd_status read_of_layer(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words name, bndi_words value)
{
    if (bndi_words_is(name, "loss_scale") || bndi_words_is(name, "high_last") ||
        bndi_words_is(name, bnd_role_name(BND_ROLE_REDUCE)) ||
        bndi_words_is(name, bnd_role_name(BND_ROLE_ACCUMULATE))) {
        return bndi_recipe_refuse(r, name, "belongs to the whole run, not to layers");
    }
    bnd_policy p = *policy;
    const bool base = bndi_words_is(name, "base");
    bnd_status status = base ? read_recipe(r, &p, value) : read_one(r, &p, name, value);
    if (status != BND_OK) {
        return status;
    }
    if (p.update == BND_UPDATE_ECO && policy->update != BND_UPDATE_ECO) {
        return bndi_recipe_refuse(r, value, "update=eco belongs to the whole run, not to layers");
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
    const bndi_recipe_reader r = {setting, why};
    bndi_words value = {setting, length}, name = bndi_words_cut(&value, '=');
    return value.text != NULL ? read_of_layer(&r, policy, name, value)
                              : bndi_recipe_refuse(&r, name, "expected NAME=VALUE");
}

static bool has_colon(bndi_words p)
{
    for (size_t i = 0; i < p.length; i++) {
        if (p.text[i] == ':') {
            return true;
        }
    }
    return false;
}

/* SELECTOR:NAME=VALUE; without a value, SELECTOR:RECIPE is SELECTOR:base=RECIPE. */
static bnd_status read_exception(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words name, bndi_words value)
{
    bndi_words last = name;
    while (has_colon(last)) {
        (void)bndi_words_cut(&last, ':');
    }
    const bndi_words which = {name.text, name.length - last.length - 1};
    const bndi_words its = value.text != NULL ? last : (bndi_words){"base", sizeof "base" - 1};
    bndi_selector selector;
    bnd_policy trial = *policy;
    if (!bndi_selector_read(&selector, which.text, which.length)) {
        return bndi_recipe_refuse(
            r, which, "expected layers: a pattern such as blocks.0.*, first:N, last:N, first:N% or last:N%");
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
        return bndi_recipe_refuse(r, which, "the settings of layers must have less than 512 bytes together");
    }
    __builtin_memcpy(policy->layers, trial.layers, sizeof policy->layers);
    return BND_OK;
}

static bnd_status read_setting(const bndi_recipe_reader *r, bnd_policy *policy, bndi_words setting, bool first)
{
    bndi_words value = setting, name = bndi_words_cut(&value, '=');
    if (has_colon(name)) {
        return read_exception(r, policy, name, value);
    }
    if (value.text == NULL) {
        return first ? read_recipe(r, policy, name) : bndi_recipe_refuse(r, setting, "expected NAME=VALUE");
    }
    if (bndi_words_is(name, "base")) {
        return first ? read_recipe(r, policy, value)
                     : bndi_recipe_refuse(r, setting, "base must be the first setting, because it sets all others");
    }
    if (bndi_words_is(name, bnd_role_name(BND_ROLE_REDUCE))) {
        return read_reduce(r, policy, value);
    }
    if (bndi_words_is(name, "loss_scale")) {
        return read_loss_scale(r, &policy->loss_scale, value);
    }
    if (bndi_words_is(name, "high_last")) {
        return read_high_last(r, &policy->high_last, value);
    }
    return read_one(r, policy, name, value);
}

bnd_status bnd_policy_parse(bnd_policy *out, const char *text, bnd_error *why)
{
    static const char custom[] = "custom";
    const bndi_recipe_reader r = {text, why};
    bnd_policy policy = {.update = BND_UPDATE_ROUNDED};
    bndi_words rest = {text, bndi_length(text)};
    bool first = true;
    while (rest.text != NULL && bndi_length(text) > 0) {
        bndi_words setting = bndi_words_cut(&rest, ',');
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
