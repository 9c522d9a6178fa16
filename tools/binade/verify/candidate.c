/* The candidate of `binade verify`: the library itself. */
#include "candidate.h"

const bnd_verify_candidate *const verify_candidate = NULL;
