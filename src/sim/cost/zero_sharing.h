/* Which ranks share which states under ZeRO. */
#ifndef BINADE_SRC_COST_ZERO_SHARING_H
#define BINADE_SRC_COST_ZERO_SHARING_H

#include "cost/cost.h"

BND_CHECKED bnd_status bndi_check_plan(const bnd_plan *plan, bnd_error *why);

/* How many ranks a role is spread over. */
double bndi_sharers(const bnd_plan *plan, bnd_role role);

#endif
