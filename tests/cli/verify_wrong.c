/* `binade verify`, but of a candidate that is wrong here and there: what the command then says is in verify.txt.
 *
 * With VERIFY_END_AT=N in the environment the process waits for longer than a second in the middle of N calls of
 * `operate`, so that the state file is saved, and ends without warning at the N-th. It must run on one thread. */
#include "common/command.h"
#include "verify/candidate.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

static void count_call(void)
{
    static long calls, last = -1;
    if (last < 0) {
        const char *text = getenv("VERIFY_END_AT");
        last = text == NULL ? 0 : strtol(text, NULL, 10);
    }
    calls++;
    if (last > 0 && calls == last / 2) {
        nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 200000000}, NULL);
    }
    if (last > 0 && calls == last) {
        raise(SIGKILL);
    }
}

extern const command command_verify;

static double decode(const bnd_format *f, uint64_t code)
{
    return code == 2 ? 7 : bnd_decode(f, code);
}

static bnd_result operate(const bnd_format *f, bnd_operation operation, const uint64_t *codes, bnd_rule rule,
                          uint64_t random)
{
    count_call();
    bnd_result r = bnd_operate(f, operation, (const bnd_format *const[]){f, f, f}, codes, rule, random);
    r.code ^= operation == BND_OP_ADD && codes[0] == 1 && codes[1] == 3;
    r.flags ^= operation == BND_OP_SCALB && codes[0] == 2 && codes[1] == (uint64_t)-4 ? BND_FLAG_UNDERFLOW : 0;
    r.ternary += operation == BND_OP_FMA && codes[0] == 5 && codes[1] == 6 && codes[2] == 9;
    r.code ^= operation == BND_OP_RINT && codes[0] == 11;
    return r;
}

static bnd_result encode_float(const bnd_format *f, float x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode_float(f, x, rule, random);
    r.code ^= x == 0.75f;
    return r;
}

/* A tie at the top under one policy, and a bit far below the midpoint above 1 that does not count. */
static bnd_result encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bnd_result r = bnd_encode(f, x, rule, random);
    r.flags ^= x == 7 && rule.overflow == BND_OVERFLOW_SATURATE ? BND_FLAG_SATURATED : 0;
    return r;
}

static bnd_result encode_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random)
{
    x.sticky = x.sticky && !(x.exponent == -127 && x.high == UINT64_C(5) << 61 && !x.negative);
    return bnd_encode_exact(f, x, rule, random);
}

/* One unit in the last of 128 places. */
static bnd_exact operate_exact(bnd_operation operation, const bnd_format *f, const bnd_exact *x, bnd_rule rule,
                               uint64_t random, uint32_t *flags)
{
    bnd_exact r = bnd_operate_exact(operation, f, x, rule, random, flags);
    r.low += operation == BND_OP_EXP && !x->negative && x->exponent == -15 && x->low >> 13 == 5;
    return r;
}

static const bnd_verify_candidate wrong = {.decode = decode,
                                           .encode = encode,
                                           .encode_exact = encode_exact,
                                           .operate = operate,
                                           .operate_exact = operate_exact,
                                           .encode_float = encode_float};
const bnd_verify_candidate *const verify_candidate = &wrong;

int main(int argc, char **argv)
{
    return command_verify.run(&command_verify, argc, argv);
}
