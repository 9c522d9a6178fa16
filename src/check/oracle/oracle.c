/* The public calls: a double, a code or a text in, an answer out. */
#include "oracle/oracle.h"

#include <math.h>

_Static_assert(sizeof(unsigned long) == 8, "the oracle hands 64-bit integers to GMP in one piece");

bnd_result bnd_oracle_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bndi_oracle_number number;
    bndi_oracle_work work;
    bndi_oracle_answer answer;
    bndi_oracle_number_open(&number);
    bndi_oracle_work_open(&work);
    bndi_oracle_set_double(&number, x);
    bndi_oracle_apply_rule(&answer, &work, f, &number, rule, random, BNDI_ORACLE_EITHER);
    bndi_oracle_work_close(&work);
    bndi_oracle_number_close(&number);
    return answer.result;
}

bnd_result bnd_oracle_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                              uint64_t random)
{
    bndi_oracle_number number;
    bndi_oracle_work work;
    bndi_oracle_answer answer;
    bndi_oracle_number_open(&number);
    bndi_oracle_work_open(&work);
    bndi_oracle_set_code(&number, from, code);
    bndi_oracle_apply_rule(&answer, &work, to, &number, rule, random, BNDI_ORACLE_EITHER);
    bndi_oracle_work_close(&work);
    bndi_oracle_number_close(&number);
    return answer.result;
}

bnd_oracle_kind bnd_oracle_decode(double *out, const bnd_format *f, uint64_t code)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    bndi_oracle_value value = bndi_oracle_value_of(&shape, code);
    double magnitude;
    if (value.kind == BND_ORACLE_FINITE) {
        /* A code has at most 53 significant bits, so the cast is exact, and ldexp rounds at most once. */
        magnitude = ldexp((double)value.significand, (int)value.quantum);
    } else {
        magnitude = value.kind == BND_ORACLE_INFINITE ? (double)INFINITY : (double)NAN;
    }
    *out = value.negative ? -magnitude : magnitude;
    return value.kind;
}
