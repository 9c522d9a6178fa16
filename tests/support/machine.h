/* The machine's own operations on fp32 and fp64, in its rounding modes, with its flags. Shared with the long-running
 * checks. */
#ifndef TESTS_SUPPORT_MACHINE_H
#define TESTS_SUPPORT_MACHINE_H

#include <binade/arith.h>

/* The four rounding modes; SSE also has them with FTZ, and with FTZ and DAZ. */
#if defined(__x86_64__) && defined(__GNUC__)
enum { MACHINE_DIRECTIONS = 12 };
#else
enum { MACHINE_DIRECTIONS = 4 };
#endif

typedef struct machine_answer {
    uint64_t code;
    uint32_t flags; /* the five of IEEE 754 */
    bool known;     /* false: this machine has no such operation */
} machine_answer;

/* width: 32 or 64. direction: 0 .. MACHINE_DIRECTIONS - 1. Leaves the mode and the flags as they were. */
machine_answer machine_operate(bnd_operation operation, unsigned width, const uint64_t *codes, int direction);

/* The rule by which the machine goes in this direction. */
bnd_rule machine_rule(int direction);

/* The same code and the same five flags; where the rule of NaNs is not known, a NaN for a NaN. */
bool machine_agrees(const bnd_format *f, bnd_result got, machine_answer want);

#endif
