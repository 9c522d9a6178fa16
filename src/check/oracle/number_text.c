/* Numbers from text, in two simple notations only: enough to check the codec and the parser. */
#include "oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

/* Past this many digits, written out or meant by an exponent, a number is refused: exact integers would fill memory. */
enum { DIGITS_MAX = 100000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count])) {
        count++;
    }
    return count;
}

/* What was read: digits with `point` of them after the decimal point, times 10^exponent; or over a denominator. */
typedef struct reading {
    const char *start;
    size_t whole, fraction; /* digits before and after the point */
    int64_t exponent;
    const char *denominator; /* NULL in a decimal */
    size_t denominator_digits;
} reading;

static bnd_status refuse(bnd_error *why, const char *text, const char *at)
{
    return bnd_fail(why, BND_BAD_SYNTAX, (size_t)(at - text), "expected a decimal number or a fraction, got \"%s\"",
                    text);
}

/* e[-+]digits at `*at`, if it is there; an exponent past the limit is left just past it. */
static bool read_exponent(int64_t *exponent, const char **at)
{
    *exponent = 0;
    if (**at != 'e' && **at != 'E') {
        return true;
    }
    const char *p = *at + 1;
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    size_t count = digits_at(p);
    for (size_t i = 0; i < count; i++) {
        if (*exponent <= DIGITS_MAX) {
            *exponent = *exponent * 10 + (p[i] - '0');
        }
    }
    *exponent = negative ? -*exponent : *exponent;
    *at = p + count;
    return count > 0;
}

static bnd_status read_text(reading *out, const char *text, const char *digits, bnd_error *why)
{
    *out = (reading){.start = digits, .whole = digits_at(digits)};
    const char *at = digits + out->whole;
    if (*at == '/' && out->whole > 0) {
        out->denominator = at + 1;
        out->denominator_digits = digits_at(at + 1);
        at += 1 + out->denominator_digits;
        if (out->denominator_digits == 0 || *at != '\0') {
            return refuse(why, text, at);
        }
        return BND_OK;
    }
    if (*at == '.') {
        out->fraction = digits_at(at + 1);
        at += 1 + out->fraction;
    }
    if (out->whole + out->fraction == 0 || !read_exponent(&out->exponent, &at) || *at != '\0') {
        return refuse(why, text, at);
    }
    return BND_OK;
}

/* The digits of a reading, the point left out, as an integer. `buffer` holds them all and a final 0. */
static void set_digits(mpz_t out, char *buffer, const reading *from)
{
    memcpy(buffer, from->start, from->whole);
    memcpy(buffer + from->whole, from->start + from->whole + 1, from->fraction);
    buffer[from->whole + from->fraction] = '\0';
    mpz_set_str(out, buffer, 10);
}

static bnd_status to_rational(mpq_t out, const reading *from, const char *text, bnd_error *why)
{
    size_t digits = from->whole + from->fraction;
    if (digits > DIGITS_MAX || from->denominator_digits > DIGITS_MAX || from->exponent > DIGITS_MAX ||
        from->exponent < -DIGITS_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a number must have at most %d digits: \"%s\"", DIGITS_MAX, text);
    }
    size_t room = digits > from->denominator_digits ? digits : from->denominator_digits;
    char *buffer = malloc(room + 1);
    if (buffer == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu digits", room);
    }
    set_digits(mpq_numref(out), buffer, from);
    if (from->denominator != NULL) {
        memcpy(buffer, from->denominator, from->denominator_digits);
        buffer[from->denominator_digits] = '\0';
        mpz_set_str(mpq_denref(out), buffer, 10);
    } else {
        int64_t power = from->exponent - (int64_t)from->fraction;
        mpz_ui_pow_ui(mpq_denref(out), 10, (unsigned long)(power < 0 ? -power : power));
        if (power > 0) {
            mpz_mul(mpq_numref(out), mpq_numref(out), mpq_denref(out));
            mpz_set_ui(mpq_denref(out), 1);
        }
    }
    free(buffer);
    if (mpz_sgn(mpq_denref(out)) == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, (size_t)(from->denominator - text),
                        "the denominator of a fraction must not be 0: \"%s\"", text);
    }
    mpq_canonicalize(out);
    return BND_OK;
}

bnd_status bnd_oracle_encode_text(bnd_result *out, const bnd_format *f, const char *text, bnd_rule rule,
                                  uint64_t random, bnd_error *why)
{
    bool negative = text[0] == '-';
    reading from;
    bnd_status status = read_text(&from, text, text + (text[0] == '-' || text[0] == '+'), why);
    if (status != BND_OK) {
        return status;
    }
    mpq_t value;
    mpq_init(value);
    status = to_rational(value, &from, text, why);
    if (status == BND_OK) {
        bndi_oracle_number number;
        bndi_oracle_work work;
        bndi_oracle_answer answer;
        bndi_oracle_number_open(&number);
        bndi_oracle_work_open(&work);
        bndi_oracle_set_rational(&number, value);
        number.negative = negative;
        bndi_oracle_apply_rule(&answer, &work, f, &number, rule, random, BNDI_ORACLE_EITHER);
        bndi_oracle_work_close(&work);
        bndi_oracle_number_close(&number);
        *out = answer.result;
    }
    mpq_clear(value);
    return status;
}
