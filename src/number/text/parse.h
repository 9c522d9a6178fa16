/* Shared by reading and writing: the exact values of decimals. */
#ifndef BINADE_SRC_TEXT_PARSE_H
#define BINADE_SRC_TEXT_PARSE_H

#include "text/powers_of_ten.h"
#include <binade/text.h>

/* The leading 128 bits and a sticky bit. False if the error of the cut leaves them undecided. */
bool bndi_exact_from_cut(bnd_exact *out, bool negative, const bndi_cut *x);

/* m * 10^e, where m is not 0 and |e| at most BNDI_FIVES_IN_WORD. */
bnd_exact bndi_exact_from_short(bool negative, uint64_t m, int64_t e);

#endif
