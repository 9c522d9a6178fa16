/* Settings of a recipe that change nothing in a training, because nothing in it uses them: attn of a model without
 * attention, v of an optimizer that keeps none. Recipes are compared across models and optimizers, so such a setting is
 * not an error; but "no difference" says nothing of it.
 *
 * Each role is looked up at each place of the model, in an outline of the run that has no tensors. */
#include "policy/policy.h"
#include "train/optimizer.h"

#include <string.h>

#include "tensor/engine.h"
#include "tensor/operand.h"

/* Reasons of places that have nothing of the kind; a place that has it, and does not use the setting, knows better. */
static const char no_attention[] = "no attention uses it", no_operands[] = "no operands of matrix products are cast";

/* ---- what a place has ---- */

typedef struct place {
    const bnd_policy *policy;
    bool weights, first, high, attention, norm, hidden, other; /* `first`: its input is data, without a gradient */
} place;

static place place_of(const bnd_run *run, unsigned at)
{
    const bool own = bndi_is_own(run); /* a model of which nothing is known */
    place p = {.policy = &bndi_rules_at(run->engine, at)->policy, .hidden = own, .other = own};
    for (size_t i = 0; i < run->parameters; i++) {
        const bndi_parameter *is = &run->parameter[i];
        if (is->place == at) {
            p.weights = p.weights || is->decays;
            p.first = p.first || (i == 0 && (run->model->has & BNDI_HAS_NUMBERS) != 0);
            p.norm = p.norm || (!is->decays && is->partition.grouped > 0 && (run->model->has & BNDI_HAS_NORMS) != 0);
            p.hidden = p.hidden || is->hidden;
            p.other = p.other || !is->hidden;
        }
    }
    for (size_t block = 0; run->blocks != NULL && block < run->training.depth; block++) {
        p.attention = p.attention || run->parameter[bndi_attention_parameter(run, block)].place == at;
    }
    p.high = p.weights && bndi_is_high(run->engine, at);
    return p;
}

static bool keeps(const bnd_run *run, const place *p, bnd_role part)
{
    static const size_t one[] = {1};
    const bndi_optimizer_row *row = run->optimizer;
    return (p->hidden && bndi_optimizer_keeps(bndi_optimizer_for(row, true), part, one, 1, 1) > 0) ||
           (p->other && bndi_optimizer_keeps(bndi_optimizer_for(row, false), part, one, 1, 1) > 0);
}

static bool has_cast_operands(const bnd_policy *policy)
{
    bool cast = false;
    for (unsigned role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) {
        cast = cast || policy->cast[role].given;
    }
    return cast;
}

/* ---- roles ---- */

static bool attn_replaces_matmul(const bnd_policy *policy)
{
    bool all = true;
    for (unsigned role = BND_ROLE_ATTN_Q; role <= BND_ROLE_ATTN_DS; role++) {
        all = all && policy->cast[role].given;
    }
    return all;
}

static const char *unused_of_products(const place *p, bnd_role role)
{
    const bool backward = role == BND_ROLE_DGRAD_DY || role == BND_ROLE_DGRAD_W || role == BND_ROLE_DGRAD_DX,
               operand = role >= BND_ROLE_FWD_X && role <= BND_ROLE_WGRAD_DY,
               of_attention = p->attention && !(operand && p->policy->cast[BND_ROLE_MATMUL].given);
    return of_attention || (p->weights && !(operand && p->high) && !(backward && p->first)) ? NULL
           : p->weights && operand && p->high && !(backward && p->first) ? "high_last leaves these layers out"
                                                                         : "no matrix product uses it";
}

static const char *unused_of_optimizer(const bnd_run *run, const place *p, bnd_role role)
{
    if (role == BND_ROLE_NS) {
        return run->optimizer->others == NULL ? "the optimizer has no Newton-Schulz iteration"
               : p->hidden                    ? NULL
                                              : "only hidden matrices have a Newton-Schulz iteration";
    }
    return keeps(run, p, role) ? NULL : role == BND_ROLE_M ? "the optimizer keeps no m" : "the optimizer keeps no v";
}

static const char *unused_of_model(const bnd_run *run, const place *p, unsigned at, bnd_role role)
{
    const bool numbers = (run->model->has & BNDI_HAS_NUMBERS) != 0, norms = (run->model->has & BNDI_HAS_NORMS) != 0;
    switch (role) {
    case BND_ROLE_DATA:
        return numbers && at == 0 ? NULL : numbers ? "data belong to no layer" : "the data are tokens";
    case BND_ROLE_ACT: /* norms, and losses of several operations, have results of the role careful only */
        return p->weights || (norms && !p->norm) ? NULL : "all results here are of the role careful";
    case BND_ROLE_NORM_W:
        return p->norm ? NULL : "no norm uses it";
    case BND_ROLE_HIGH:
        return p->high ? NULL : "high_last names no layer";
    case BND_ROLE_MATMUL:
        return p->attention && attn_replaces_matmul(p->policy) ? "attn replaces it"
               : p->attention                                  ? NULL
                                                               : no_attention;
    default:
        break;
    }
    if ((role >= BND_ROLE_ATTN_Q && role <= BND_ROLE_ATTN_DS) ||
        (role >= BND_ROLE_ATTN_S && role <= BND_ROLE_ATTN_DV)) {
        return p->attention ? NULL : no_attention;
    }
    return (role >= BND_ROLE_FWD_X && role <= BND_ROLE_WGRAD_DY) ||
                   (role >= BND_ROLE_FWD_Y && role <= BND_ROLE_WGRAD_DW)
               ? unused_of_products(p, role)
               : NULL;
}

/* Why a place does not use a role; NULL: it does. Place 0 is what belongs to no parameters. */
static const char *unused_role(const bnd_run *run, const place *p, unsigned at, bnd_role role)
{
    switch (role) {
    case BND_ROLE_NS:
    case BND_ROLE_M:
    case BND_ROLE_V:
        return unused_of_optimizer(run, p, role);
    case BND_ROLE_EXTRA:
        return p->policy->update == BND_UPDATE_KAHAN ? NULL : "only update=kahan uses it";
    case BND_ROLE_ACCUMULATE:
        return run->training.micro_batches > 1 ? NULL : "the batch is not divided into micro-batches";
    case BND_ROLE_REDUCE:
        return run->training.ranks > 1 ? NULL : "there is one rank only";
    default:
        return bndi_is_own(run) ? NULL : unused_of_model(run, p, at, role);
    }
}

/* ---- settings ---- */

/* One of the text: "LAYERS:NAME=VALUE", or without LAYERS. */
typedef struct setting {
    const char *whole, *name;
    size_t whole_length, name_length, length; /* the last: of "NAME=VALUE" */
    bool of_layers;
    bndi_selector layers;
} setting;

static bool is_named(const setting *s, const char *name)
{
    return bndi_same_word(s->name, s->name_length, name);
}

/* False: it sets nothing by itself, as a recipe and "none" do not. */
static bool read_setting(setting *out, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    if (equals == NULL || bndi_same_word(equals + 1, (size_t)(text + length - equals - 1), "none")) {
        return false;
    }
    setting s = {.whole = text, .name = text, .whole_length = (size_t)(equals - text)};
    for (const char *at = text; at < equals; at++) {
        s.name = *at == ':' ? at + 1 : s.name;
    }
    s.of_layers = s.name > text;
    s.name_length = (size_t)(equals - s.name);
    s.length = (size_t)(text + length - s.name);
    *out = s;
    return !is_named(&s, "base") &&
           (!s.of_layers || bndi_selector_read(&out->layers, text, (size_t)(s.name - text - 1)));
}

static const char *unused_reset(const bnd_run *run, const place *p, const bnd_reset *reset)
{
    const bool m = reset->m > 0 && keeps(run, p, BND_ROLE_M), v = reset->v > 0 && keeps(run, p, BND_ROLE_V);
    const uint64_t steps = run->training.steps;
    return !m && !v                                             ? reset->m == 0   ? "the optimizer keeps no v"
                                                                  : reset->v == 0 ? "the optimizer keeps no m"
                                                                                  : "the optimizer keeps no moments"
           : (m && reset->m < steps) || (v && reset->v < steps) ? NULL
                                                                : "the run ends before the first reset";
}

/* Why a place does not use a setting; NULL: it does. */
static const char *unused_at(const bnd_run *run, unsigned at, const setting *s, const bnd_policy *alone)
{
    const place p = place_of(run, at);
    const char *reason = NULL;
    uint64_t roles;
    if (is_named(s, "acc")) {
        return p.weights || p.attention || bndi_is_own(run) ? NULL : "no matrix product uses it";
    }
    if (is_named(s, "reset")) {
        return unused_reset(run, &p, &alone->reset);
    }
    if (is_named(s, "high_last")) {
        return alone->high_last == 0 || bndi_is_own(run) ||
                       (p.high && (has_cast_operands(p.policy) || p.policy->cast[BND_ROLE_HIGH].given))
                   ? NULL
               : p.weights && !p.high && has_cast_operands(p.policy)
                   ? "the layers that it names set their operands themselves"
                   : no_operands;
    }
    if (bnd_role_parse_n(&roles, s->name, s->name_length, NULL) != BND_OK) {
        return NULL;
    }
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if ((roles >> role & 1) != 0) {
            const char *its = unused_role(run, &p, at, (bnd_role)role);
            if (its == NULL) {
                return NULL;
            }
            reason = reason == NULL ? its : reason;
        }
    }
    return reason;
}

/* The reason of the last place that is asked, since place 0 has no parameters; or of the last that knows better. */
static const char *unused(const bnd_run *run, const setting *s)
{
    bnd_policy alone;
    char text[BND_POLICY_LAYERS_SIZE];
    const char *reason = NULL;
    if (s->length >= sizeof text) {
        return NULL;
    }
    memcpy(text, s->name, s->length);
    text[s->length] = '\0';
    if (bnd_policy_parse(&alone, text, NULL) != BND_OK) {
        return NULL;
    }
    const bnd_layer *layers = bndi_layers_of(run);
    for (unsigned at = 0; at < run->places; at++) {
        if (!s->of_layers || bndi_selects(&s->layers, layers, run->places, at)) {
            const char *its = unused_at(run, at, s, &alone);
            if (its == NULL) {
                return NULL;
            }
            const bool nothing = its == no_attention || its == no_operands;
            reason = nothing && reason != NULL ? reason : its;
        }
    }
    return reason;
}

void bndi_unused_settings(const bnd_training *training, const char *recipe, size_t length, bndi_unused_setting *say,
                          void *data)
{
    bnd_run *run = NULL;
    if (memchr(recipe, '=', length) == NULL || bndi_run_outline(&run, training, NULL) != BND_OK) {
        return;
    }
    for (size_t at = 0; at < length;) {
        const char *comma = memchr(recipe + at, ',', length - at);
        const size_t its = comma != NULL ? (size_t)(comma - recipe) - at : length - at;
        setting s;
        const char *reason = read_setting(&s, recipe + at, its) ? unused(run, &s) : NULL;
        if (reason != NULL) {
            say(data, s.whole, s.whole_length, reason);
        }
        at += its + 1;
    }
    bnd_run_free(run);
}
