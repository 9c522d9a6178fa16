/* `binade verify`, but of a candidate that is wrong here and there: what the command then says is in verify.txt. */
#include "common/command.h"
#include "verify/candidate.h"

extern const command command_verify;

static double decode(const bnd_format *f, uint64_t code)
{
    return code == 2 ? 7 : bnd_decode(f, code);
}

static bnd_result operate(const bnd_format *f, bnd_operation operation, const uint64_t *codes, bnd_rule rule,
                          uint64_t random)
{
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

static const bnd_verify_candidate wrong = {.decode = decode, .operate = operate, .encode_float = encode_float};
const bnd_verify_candidate *const verify_candidate = &wrong;

int main(int argc, char **argv)
{
    return command_verify.run(&command_verify, argc, argv);
}
