/* What `binade verify` verifies: the library, or the implementation that a test supplies. */
#ifndef BINADE_TOOLS_VERIFY_CANDIDATE_H
#define BINADE_TOOLS_VERIFY_CANDIDATE_H

#include <binade-lab.h>

extern const bnd_verify_candidate *const verify_candidate;

#endif
