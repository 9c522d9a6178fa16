/* Parts of a policy: the pieces that can be lifted to fp32, or lowered into it, alone. Scales are lifted to exact
   ones. */
#include "policy/policy.h"

#define BIT(role) (UINT64_C(1) << BND_ROLE_##role)
#define GEMMS     (BIT(FWD_X) | BIT(FWD_W) | BIT(DGRAD_DY) | BIT(DGRAD_W) | BIT(WGRAD_X) | BIT(WGRAD_DY))
#define GRADIENTS                                                                                                      \
    (BIT(GRAD) | BIT(ACCUMULATE) | BIT(REDUCE) | OF_DACT | BIT(WGRAD_DW) | BIT(DGRAD_DY) | BIT(WGRAD_DY) |             \
     BIT(ATTN_DO) | BIT(ATTN_DS))
#define ACTIVATIONS (BIT(ACT) | BIT(SAVED) | BIT(CAREFUL) | BIT(FWD_Y) | BIT(ATTN_S) | BIT(ATTN_O))
#define ATTENTION   (BIT(ATTN_Q) | BIT(ATTN_K) | BIT(ATTN_P) | BIT(ATTN_V) | BIT(ATTN_DO) | BIT(ATTN_DS))
#define OF_DACT     (BIT(DACT) | BIT(DGRAD_DX) | BIT(ATTN_DQ) | BIT(ATTN_DK) | BIT(ATTN_DP) | BIT(ATTN_DV))

enum { ACC = 1, SCALAR = 2, UPDATE = 4, LOSS_SCALE = 8, SCALING = 16 };

static const struct part {
    const char *name;
    uint64_t stored, operands; /* roles: in fp32 they are fp32; they are not cast */
    unsigned what;
} parts[] = {
    {"param", BIT(PARAM), 0, 0},
    {"master", BIT(MASTER), 0, 0},
    {"act", ACTIVATIONS | BIT(DATA), 0, 0},
    {"dact", OF_DACT, 0, 0},
    {"grad", BIT(GRAD) | BIT(WGRAD_DW), 0, 0},
    {"m", BIT(M), 0, 0},
    {"v", BIT(V), 0, 0},
    {"gemm_fwd", 0, BIT(FWD_X) | BIT(FWD_W), 0},
    {"gemm_dgrad", 0, BIT(DGRAD_DY) | BIT(DGRAD_W), 0},
    {"gemm_wgrad", 0, BIT(WGRAD_X) | BIT(WGRAD_DY), 0},
    {"norm", 0, BIT(NORM_W), 0},
    {"matmul", BIT(MATMUL) | ATTENTION | BIT(HIGH), 0, 0},
    {"ns", 0, BIT(NS), 0},
    {"accumulate", BIT(ACCUMULATE), 0, 0},
    {"reduce", BIT(REDUCE), 0, 0},
    {"acc", 0, 0, ACC},
    {"scalar", 0, 0, SCALAR},
    {"update", 0, 0, UPDATE},
    {"loss_scale", 0, 0, LOSS_SCALE},
    {"scaling", 0, 0, SCALING},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static const struct part *part_at(size_t part)
{
    static const struct part none = {"", 0, 0, 0};
    return part < PARTS ? &parts[part] : &none;
}

size_t bnd_part_count(void)
{
    return PARTS;
}

const char *bnd_part_name(size_t part)
{
    return part_at(part)->name;
}

uint64_t bnd_part_roles(size_t part)
{
    const struct part *p = part_at(part);
    uint64_t more = p->what == SCALAR       ? BIT(SCALAR)
                    : p->what == LOSS_SCALE ? GRADIENTS
                    : p->what == UPDATE     ? BIT(PARAM) | BIT(EXTRA)
                    : p->what == SCALING    ? (UINT64_C(1) << BND_ROLE_COUNT) - 1
                                            : 0;
    return p->stored | p->operands | more;
}

static bool has(uint64_t roles, unsigned role)
{
    return (roles >> role & 1) != 0;
}

static bnd_cast fp32_cast(void)
{
    return (bnd_cast){.given = true, .format = *bnd_format_at(BND_FORMAT_FP32)};
}

static bool same_cast(const bnd_cast *a, const bnd_cast *b)
{
    if (!a->given || !b->given) {
        return a->given == b->given;
    }
    return a->transient == b->transient && a->hadamard == b->hadamard && a->hadamard_size == b->hadamard_size &&
           a->requantized == b->requantized && bnd_format_same(&a->format, &b->format) &&
           __builtin_memcmp(&a->rule, &b->rule, sizeof a->rule) == 0 &&
           bndi_same_word(a->scaling, bndi_length(a->scaling), b->scaling);
}

static bool same_loss_scale(const bnd_loss_scale *a, const bnd_loss_scale *b)
{
    if (!a->given || !b->given) {
        return a->given == b->given;
    }
    bool same_size = !(a->initial < b->initial) && !(a->initial > b->initial);
    return a->dynamic == b->dynamic && same_size && (!a->dynamic || a->growth == b->growth);
}

bool bnd_policy_same(const bnd_policy *a, const bnd_policy *b)
{
    bool same = bndi_same_word(a->accumulator, bndi_length(a->accumulator), b->accumulator) && a->update == b->update &&
                a->reduction == b->reduction && a->fused == b->fused && a->high_last == b->high_last &&
                a->reset.m == b->reset.m && a->reset.v == b->reset.v &&
                bndi_same_word(a->layers, bndi_length(a->layers), b->layers) &&
                same_loss_scale(&a->loss_scale, &b->loss_scale);
    for (unsigned role = 0; same && role < BND_ROLE_COUNT; role++) {
        same = same_cast(&a->cast[role], &b->cast[role]);
    }
    return same;
}

static void set_name(bnd_policy *policy, const char *name)
{
    bndi_text text = bndi_text_in(policy->name, sizeof policy->name);
    bndi_text_string(&text, name);
}

static bool is_fp32(const bnd_cast *cast)
{
    const bnd_cast fp32 = fp32_cast();
    return bnd_format_same(&cast->format, &fp32.format) && cast->scaling[0] == 0;
}

/* The role has a cast that is not fp32, and, for BND_ROLE_HIGH, at least one layer uses it. */
static bool is_lowered(const bnd_policy *p, unsigned role)
{
    const bnd_cast *cast = &p->cast[role];
    return cast->given && !is_fp32(cast) && (role != BND_ROLE_HIGH || p->high_last > 0);
}

/* Where dact is not given, gradients of activations have the activations' formats. */
static bool dact_follows(const bnd_policy *p)
{
    bool low = false;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        low = low || (has(ACTIVATIONS, role) && is_lowered(p, role));
    }
    return low && !p->cast[BND_ROLE_DACT].given;
}

/* So that each of the two is a part of its own: what gradients have there, or nothing where only results of GEMMs and
 * the like are low. */
static bnd_cast followed_by_dact(const bnd_policy *p)
{
    return is_lowered(p, BND_ROLE_ACT) ? p->cast[BND_ROLE_ACT] : p->cast[BND_ROLE_DACT];
}

/* The end of lifting and lowering: *out is `made`, named "custom", or `from` with its name if nothing changed. */
static bool finish(bnd_policy *out, bnd_policy *made, const bnd_policy *from)
{
    bool changed = !bnd_policy_same(made, from);
    set_name(made, "custom");
    *out = changed ? *made : *from;
    return changed;
}

/* ---- exact scales ---- */

/* What scales of this word become, by how many share one: given by a size behind the word, or not. */
static const struct exact {
    const char *word, *with_size, *without;
} exacts[] = {{"mx", "tile", "row:32"},    {"nvfp4", "tile", "row:16"},    {"tile", "tile", "tile"},
              {"row", "row", "row"},       {"tensor", "tensor", "tensor"}, {"current", NULL, "current"},
              {"delayed", NULL, "current"}};

static size_t to_colon(const char *text)
{
    size_t n = 0;
    while (text[n] != 0 && text[n] != ':') {
        n++;
    }
    return n;
}

/* The same numbers share a scale, and nothing else is wanted of it than amax / max in fp32. Other words stay. */
static void make_exact(char scaling[BND_SCALING_SIZE])
{
    const size_t word = to_colon(scaling);
    const char *size = scaling + word;
    const bool has_size = size[0] == ':' && size[1] >= '0' && size[1] <= '9';
    for (size_t i = 0; i < sizeof exacts / sizeof exacts[0]; i++) {
        const struct exact *e = &exacts[i];
        if (bndi_same_word(scaling, word, e->word)) {
            char made[BND_SCALING_SIZE] = {0};
            bndi_text text = bndi_text_in(made, sizeof made);
            const bool keeps = has_size && e->with_size != NULL;
            bndi_text_string(&text, keeps ? e->with_size : e->without);
            bndi_text_bytes(&text, size, keeps ? 1 + to_colon(size + 1) : 0);
            __builtin_memcpy(scaling, made, sizeof made);
            return;
        }
    }
}

static void lift_what(bnd_policy *p, unsigned what)
{
    if (what == ACC) {
        p->accumulator[0] = 0;
    } else if (what == SCALAR) {
        p->cast[BND_ROLE_SCALAR].given = false;
    } else if (what == UPDATE) {
        p->update = BND_UPDATE_ROUNDED;
        p->reset = (bnd_reset){0, 0};
        p->cast[BND_ROLE_EXTRA].given = false;
        p->cast[BND_ROLE_PARAM].rule = (bnd_rule){.rounding = BND_ROUND_RNE};
    } else if (what == LOSS_SCALE) {
        p->loss_scale.given = false;
    }
    for (unsigned role = 0; what == SCALING && role < BND_ROLE_COUNT; role++) {
        make_exact(p->cast[role].scaling);
    }
}

bnd_policy *bnd_policy_lift(bnd_policy *out, const bnd_policy *policy, size_t part)
{
    const struct part *row = part_at(part);
    const bnd_cast fp32 = fp32_cast();
    bnd_policy p = *policy;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        bnd_cast *cast = &p.cast[role];
        if (has(row->stored, role) && is_lowered(policy, role)) {
            bnd_rule rule = cast->rule;
            *cast = fp32;
            cast->rule = role == BND_ROLE_PARAM ? rule : fp32.rule; /* that is the update's */
        } else if (has(row->operands, role)) {
            cast->given = false;
        }
    }
    if (has(row->stored, BND_ROLE_DACT) && dact_follows(policy)) {
        p.cast[BND_ROLE_DACT] = fp32;
    } else if (has(row->stored, BND_ROLE_ACT) && dact_follows(policy)) {
        p.cast[BND_ROLE_DACT] = followed_by_dact(policy);
    }
    lift_what(&p, row->what);
    return finish(out, &p, policy) ? out : NULL;
}

static void lower_what(bnd_policy *p, const bnd_policy *from, unsigned what)
{
    if (what == ACC) {
        __builtin_memcpy(p->accumulator, from->accumulator, sizeof p->accumulator);
    } else if (what == SCALAR) {
        p->cast[BND_ROLE_SCALAR] = from->cast[BND_ROLE_SCALAR];
    } else if (what == UPDATE) {
        p->reset = from->reset;
        if (from->update != BND_UPDATE_ROUNDED) {
            p->update = from->update;
            p->cast[BND_ROLE_EXTRA] = from->cast[BND_ROLE_EXTRA];
        }
    } else if (what == LOSS_SCALE) {
        p->loss_scale = from->loss_scale;
    }
}

bnd_policy *bnd_policy_lower(bnd_policy *out, const bnd_policy *policy, size_t part)
{
    const struct part *row = part_at(part);
    bnd_policy p = {.update = BND_UPDATE_ROUNDED};
    set_name(&p, "fp32");
    p.fused = policy->fused; /* the way in which fp32 is worked out, too */
    const bnd_policy fp32 = p;
    bool low = false;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (has(row->stored | row->operands, role)) {
            p.cast[role] = policy->cast[role];
            low = low || is_lowered(policy, role);
        }
    }
    if (has(row->stored, BND_ROLE_DACT) && dact_follows(policy)) {
        p.cast[BND_ROLE_DACT] = followed_by_dact(policy);
        low = low || p.cast[BND_ROLE_DACT].given;
    }
    p.reduction = has(row->stored, BND_ROLE_REDUCE) ? policy->reduction : p.reduction;
    p = low ? p : fp32; /* what is given as fp32 changes nothing by itself */
    if (has(row->stored, BND_ROLE_PARAM) && low) {
        p.cast[BND_ROLE_PARAM].rule = (bnd_rule){.rounding = BND_ROUND_RNE};
        if (policy->cast[BND_ROLE_MASTER].given) {
            p.cast[BND_ROLE_MASTER] = fp32_cast();
        }
    }
    if (dact_follows(&p)) {
        p.cast[BND_ROLE_DACT] = fp32_cast();
    }
    if ((row->operands & GEMMS) != 0 && low) { /* which GEMMs these are casts of */
        for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
            bool own = has(BIT(MATMUL) | ATTENTION, role) && policy->cast[role].given;
            p.cast[role] = own ? fp32_cast() : p.cast[role];
        }
        p.high_last = policy->high_last;
    }
    p.cast[BND_ROLE_HIGH].given = p.cast[BND_ROLE_HIGH].given && policy->high_last > 0;
    if (p.cast[BND_ROLE_HIGH].given) {
        p.high_last = policy->high_last;
    }
    lower_what(&p, policy, row->what);
    return finish(out, &p, &fp32) ? out : NULL;
}
