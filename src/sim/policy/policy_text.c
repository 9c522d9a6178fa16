/* A policy in words. */
#include "policy/policy.h"

#include <binade/text.h>

static void write_cast(bndi_text *text, const bnd_cast *cast)
{
    if (!cast->given) {
        bndi_text_string(text, "none");
        return;
    }
    bndi_text_string(text, cast->transient ? "transient:" : cast->requantized ? "requantized:" : "");
    bndi_text_string(text, cast->format.name);
    if (cast->rule.rounding != BND_ROUND_RNE) {
        bndi_text_char(text, ':');
        bndi_text_string(text, bnd_rounding_name(bnd_rule_rounding(cast->rule)));
    }
    if (cast->rule.random_bits != 0) {
        bndi_text_char(text, ':');
        bndi_text_unsigned(text, cast->rule.random_bits, 10, 1);
    }
    bndi_text_string(text, cast->rule.overflow == BND_OVERFLOW_SATURATE ? ":clamp" : "");
    if (cast->scaling[0] != 0) {
        bndi_text_char(text, '/');
        bndi_text_string(text, cast->scaling);
    }
    bndi_text_string(text, cast->hadamard ? "/hadamard" : "");
    if (cast->hadamard && cast->hadamard_size > 0) {
        bndi_text_char(text, ':');
        bndi_text_unsigned(text, cast->hadamard_size, 10, 1);
    }
}

static void write_name(bndi_text *text, const char *name)
{
    bndi_text_string(text, text->length > 0 ? "," : "");
    bndi_text_string(text, name);
    bndi_text_char(text, '=');
}

/* The shortest decimal that reads back as the same number. */
static void write_number(bndi_text *text, double x)
{
    enum { SIZE = 48 };
    char number[SIZE];
    const bnd_format *f = bnd_format_at(BND_FORMAT_FP64);
    (void)bnd_print_shortest(number, sizeof number, f, bnd_exact_double(x));
    bndi_text_string(text, number);
}

static void write_loss_scale(bndi_text *text, const bnd_loss_scale *scale)
{
    write_name(text, "loss_scale");
    bndi_text_string(text, scale->dynamic ? "dynamic:" : "");
    write_number(text, scale->initial);
    if (scale->dynamic) {
        bndi_text_char(text, ':');
        bndi_text_unsigned(text, scale->growth, 10, 1);
    }
}

static void write_reset(bndi_text *text, const bnd_reset *reset)
{
    write_name(text, "reset");
    if (reset->m == reset->v) {
        bndi_text_unsigned(text, reset->m, 10, 1);
        return;
    }
    if (reset->m > 0) {
        bndi_text_string(text, "m:");
        bndi_text_unsigned(text, reset->m, 10, 1);
    }
    bndi_text_string(text, reset->m > 0 && reset->v > 0 ? "/" : "");
    if (reset->v > 0) {
        bndi_text_string(text, "v:");
        bndi_text_unsigned(text, reset->v, 10, 1);
    }
}

static void write_settings(bndi_text *text, const bnd_policy *p)
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (p->cast[role].given) {
            write_name(text, bnd_role_name((bnd_role)role));
            write_cast(text, &p->cast[role]);
            bndi_text_string(text, role == BND_ROLE_REDUCE ? "/" : "");
            bndi_text_string(text, role == BND_ROLE_REDUCE ? bnd_reduction_name(p->reduction) : "");
        }
    }
    if (p->accumulator[0] != 0) {
        write_name(text, "acc");
        bndi_text_string(text, p->accumulator);
    }
    if (p->fused) {
        write_name(text, "optimizer");
        bndi_text_string(text, "fused");
    }
    if (p->reset.m != 0 || p->reset.v != 0) {
        write_reset(text, &p->reset);
    }
    if (p->high_last != 0) {
        write_name(text, "high_last");
        bndi_text_unsigned(text, p->high_last, 10, 1);
    }
    if (p->loss_scale.given) {
        write_loss_scale(text, &p->loss_scale);
    }
    if (p->layers[0] != 0) {
        bndi_text_string(text, text->length > 0 ? "," : "");
        bndi_text_string(text, p->layers);
    }
    if (p->update != BND_UPDATE_ROUNDED || text->length == 0) { /* no settings at all would be no policy */
        write_name(text, "update");
        bndi_text_string(text, p->update == BND_UPDATE_KAHAN ? "kahan"
                               : p->update == BND_UPDATE_ECO ? "eco"
                                                             : "rounded");
    }
}

/* The row of this name that is this policy. */
static const char *recipe_of(const bnd_policy *policy)
{
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        bnd_policy row;
        const char *name = bnd_recipe_name(i);
        if (bndi_same_word(policy->name, bndi_length(policy->name), name) &&
            bnd_policy_parse(&row, name, NULL) == BND_OK && bnd_policy_same(&row, policy)) {
            return name;
        }
    }
    return NULL;
}

bnd_status bnd_policy_text(char *out, size_t size, const bnd_policy *policy, bnd_error *why)
{
    char whole[BND_POLICY_TEXT_SIZE];
    bndi_text text = bndi_text_in(whole, sizeof whole);
    const char *recipe = recipe_of(policy);
    if (recipe != NULL) {
        bndi_text_string(&text, recipe);
    } else {
        write_settings(&text, policy);
    }
    bnd_policy again;
    bool said = text.length < sizeof whole && bnd_policy_parse(&again, whole, why) == BND_OK;
    if (!said || !bnd_policy_same(&again, policy)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "this recipe cannot be written as settings: a role has a format whose name cannot be read "
                        "back, or a rule with more than a rounding mode");
    }
    if (text.length >= size) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the text of the recipe needs %zu bytes; the buffer has %zu",
                        text.length + 1, size);
    }
    __builtin_memcpy(out, whole, text.length + 1);
    return BND_OK;
}
