/* The roles: their names, and the names that stand for several. */
#include <binade/policy.h>

#include "base/base.h"

static const char *const names[BND_ROLES] = {
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
    [BND_ROLE_CAREFUL] = "careful",
    [BND_ROLE_SCALAR] = "scalar",
    [BND_ROLE_DATA] = "data",
    [BND_ROLE_SCRATCH] = "scratch",
};

static const struct group {
    const char *name;
    uint32_t roles;
} groups[] = {
    {"gemm_fwd", 1u << BND_ROLE_FWD_X | 1u << BND_ROLE_FWD_W},
    {"gemm_dgrad", 1u << BND_ROLE_DGRAD_DY | 1u << BND_ROLE_DGRAD_W},
    {"gemm_wgrad", 1u << BND_ROLE_WGRAD_X | 1u << BND_ROLE_WGRAD_DY},
    {"gemm", 1u << BND_ROLE_FWD_X | 1u << BND_ROLE_FWD_W | 1u << BND_ROLE_DGRAD_DY | 1u << BND_ROLE_DGRAD_W |
                 1u << BND_ROLE_WGRAD_X | 1u << BND_ROLE_WGRAD_DY},
};

const char *bnd_role_name(bnd_role role)
{
    return (unsigned)role < BND_ROLES ? names[role] : "";
}

bnd_status bnd_role_parse(uint32_t *roles, const char *name, size_t length, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, length);
    for (unsigned role = 0; role < BND_ROLES; role++) {
        if (bndi_same_word(name, length, names[role])) {
            *roles = 1u << role;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, names[role], bndi_length(names[role]));
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (bndi_same_word(name, length, groups[i].name)) {
            *roles = groups[i].roles;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, groups[i].name, bndi_length(groups[i].name));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "no role of this name", NULL);
}
