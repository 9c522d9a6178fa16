/* What a weight is, by its name. */
#include "convert/names.h"

#include <string.h>

static const struct stays {
    const char *pattern, *reason, *because;
    bool linear;
} rows[] = {
#define STAYS(pattern, reason, because, linear) {pattern, reason, because, linear},
#include "convert/roles.def"
#undef STAYS
};

bndi_role bndi_role_of(const char *weight, size_t rank, bool quantized)
{
    bool named = weight[bndi_module_length(weight)] != '\0'; /* it ends in ".weight" */
    if (rank < 2) {
        return (bndi_role){.reason = "vector", .because = "not a matrix"};
    }
    if (quantized) {
        return (bndi_role){.reason = "linear", .because = "quantized in the input", .quantizes = true, .linear = true};
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (bndi_glob_weight(rows[i].pattern, weight)) {
            return (bndi_role){
                .reason = rows[i].reason, .because = rows[i].because, .linear = rows[i].linear && rank == 2 && named};
        }
    }
    if (rank == 2 && named) {
        return (bndi_role){.reason = "linear", .because = "a linear layer", .quantizes = true, .linear = true};
    }
    if (rank == 3 && bndi_glob("*experts*", weight, strlen(weight)) && !bndi_glob("*bias*", weight, strlen(weight))) {
        return (bndi_role){.reason = "experts",
                           .because = "experts in one array, which this layout or model has no row for"};
    }
    return (bndi_role){.reason = "other", .because = "not the weight of a linear layer"};
}
