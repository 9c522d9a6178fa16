/* The roles: their names, and the names that stand for several. */
#include <binade-lab/policy.h>

#include "policy/policy.h"

static const char *const names[BND_ROLE_COUNT] = {
    [BND_ROLE_PARAM] = "param",
    [BND_ROLE_MASTER] = "master",
    [BND_ROLE_ACT] = "act",
    [BND_ROLE_DACT] = "dact",
    [BND_ROLE_GRAD] = "grad",
    [BND_ROLE_M] = "m",
    [BND_ROLE_V] = "v",
    [BND_ROLE_EXTRA] = "extra",
    [BND_ROLE_FWD_X] = "gemm_fwd.x",
    [BND_ROLE_FWD_W] = "gemm_fwd.w",
    [BND_ROLE_DGRAD_DY] = "gemm_dgrad.dy",
    [BND_ROLE_DGRAD_W] = "gemm_dgrad.w",
    [BND_ROLE_WGRAD_X] = "gemm_wgrad.x",
    [BND_ROLE_WGRAD_DY] = "gemm_wgrad.dy",
    [BND_ROLE_MATMUL] = "matmul",
    [BND_ROLE_NORM_W] = "norm.w",
    [BND_ROLE_HIGH] = "high",
    [BND_ROLE_ATTN_Q] = "attn.q",
    [BND_ROLE_ATTN_K] = "attn.k",
    [BND_ROLE_ATTN_P] = "attn.p",
    [BND_ROLE_ATTN_V] = "attn.v",
    [BND_ROLE_ATTN_DO] = "attn.do",
    [BND_ROLE_ATTN_DS] = "attn.ds",
    [BND_ROLE_NS] = "ns",
    [BND_ROLE_FWD_Y] = "gemm_fwd.y",
    [BND_ROLE_DGRAD_DX] = "gemm_dgrad.dx",
    [BND_ROLE_WGRAD_DW] = "gemm_wgrad.dw",
    [BND_ROLE_ATTN_S] = "attn.s",
    [BND_ROLE_ATTN_O] = "attn.o",
    [BND_ROLE_ATTN_DQ] = "attn.dq",
    [BND_ROLE_ATTN_DK] = "attn.dk",
    [BND_ROLE_ATTN_DP] = "attn.dp",
    [BND_ROLE_ATTN_DV] = "attn.dv",
    [BND_ROLE_SAVED] = "saved",
    [BND_ROLE_CAREFUL] = "careful",
    [BND_ROLE_SCALAR] = "scalar",
    [BND_ROLE_DATA] = "data",
    [BND_ROLE_ACCUMULATE] = "accumulate",
    [BND_ROLE_REDUCE] = "reduce",
    [BND_ROLE_SCRATCH] = "scratch",
};

#define BIT(role) (UINT64_C(1) << BND_ROLE_##role)
#define OPERANDS  (BIT(FWD_X) | BIT(FWD_W) | BIT(DGRAD_DY) | BIT(DGRAD_W) | BIT(WGRAD_X) | BIT(WGRAD_DY))
#define KEPT      (BIT(PARAM) | BIT(ACT) | BIT(DACT) | BIT(GRAD) | BIT(M) | BIT(V) | BIT(CAREFUL) | BIT(DATA))

static const struct group {
    const char *name;
    uint64_t roles;
} groups[] = {
    {"gemm", OPERANDS},
    {"gemm_fwd", BIT(FWD_X) | BIT(FWD_W)},
    {"gemm_dgrad", BIT(DGRAD_DY) | BIT(DGRAD_W)},
    {"gemm_wgrad", BIT(WGRAD_X) | BIT(WGRAD_DY)},
    {"gemm_out", BIT(FWD_Y) | BIT(DGRAD_DX) | BIT(WGRAD_DW)},
    {"attn", BIT(ATTN_Q) | BIT(ATTN_K) | BIT(ATTN_P) | BIT(ATTN_V) | BIT(ATTN_DO) | BIT(ATTN_DS)},
    {"attn_out", BIT(ATTN_S) | BIT(ATTN_O) | BIT(ATTN_DQ) | BIT(ATTN_DK) | BIT(ATTN_DP) | BIT(ATTN_DV)},
    {"pure", OPERANDS | BIT(NS) | KEPT},
};

const char *bnd_role_name(bnd_role role)
{
    return (unsigned)role < BND_ROLE_COUNT ? names[role] : "";
}

bnd_role bnd_role_followed(bnd_role role)
{
    static const bnd_role followed[BND_ROLE_COUNT] = {
        [BND_ROLE_FWD_Y] = BND_ROLE_ACT,        [BND_ROLE_DGRAD_DX] = BND_ROLE_DACT,
        [BND_ROLE_ATTN_Q] = BND_ROLE_MATMUL,    [BND_ROLE_ATTN_K] = BND_ROLE_MATMUL,
        [BND_ROLE_ATTN_P] = BND_ROLE_MATMUL,    [BND_ROLE_ATTN_V] = BND_ROLE_MATMUL,
        [BND_ROLE_ATTN_DO] = BND_ROLE_MATMUL,   [BND_ROLE_ATTN_DS] = BND_ROLE_MATMUL,
        [BND_ROLE_ATTN_S] = BND_ROLE_FWD_Y,     [BND_ROLE_ATTN_O] = BND_ROLE_FWD_Y,
        [BND_ROLE_ATTN_DQ] = BND_ROLE_DGRAD_DX, [BND_ROLE_ATTN_DK] = BND_ROLE_DGRAD_DX,
        [BND_ROLE_ATTN_DP] = BND_ROLE_DGRAD_DX, [BND_ROLE_ATTN_DV] = BND_ROLE_DGRAD_DX,
    };
    return (unsigned)role < BND_ROLE_COUNT && followed[role] != BND_ROLE_PARAM ? followed[role] : role;
}

bool bnd_role_is_of_recipe(bnd_role role)
{
    static const uint64_t roles =
        BIT(PARAM) | BIT(MASTER) | BIT(GRAD) | BIT(ACCUMULATE) | BIT(M) | BIT(V) | BIT(EXTRA) | BIT(ACT) | BIT(DACT);
    return (unsigned)role < BND_ROLE_COUNT && (roles >> role & 1) != 0;
}

bool bndi_find_roles(uint64_t *roles, bndi_nearest *nearest, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) { /* offered first: "gem" means gemm */
        if (bndi_same_word(name, length, groups[i].name)) {
            *roles = groups[i].roles;
            return true;
        }
        bndi_nearest_offer(nearest, groups[i].name, bndi_length(groups[i].name));
    }
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (bndi_same_word(name, length, names[role])) {
            *roles = UINT64_C(1) << role;
            return true;
        }
        bndi_nearest_offer(nearest, names[role], bndi_length(names[role]));
    }
    return false;
}

bnd_status bnd_role_parse_n(uint64_t *roles, const char *name, size_t length, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, length);
    return bndi_find_roles(roles, &nearest, name, length)
               ? BND_OK
               : bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown role", NULL);
}
