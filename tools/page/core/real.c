/* Values of expressions (1/3, pi) need GMP and MPFR, which are not in the WebAssembly: they are refused in words. */
#include <binade-lab.h>

#include <math.h>

bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length, bnd_error *why)
{
    (void)value;
    (void)exact;
    (void)text;
    (void)length;
    if (why != NULL) {
        *why = (bnd_error){.message = "not a number; only the command 'binade' reads expressions"};
    }
    return BND_BAD_SYNTAX;
}

bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why)
{
    (void)value;
    (void)exact;
    (void)why;
    *out = NULL;
    return BND_OK;
}

void bnd_real_free(bnd_real *x)
{
    (void)x;
}

bnd_known bnd_real_known(const bnd_real *x)
{
    (void)x;
    return BND_KNOWN_NOT;
}

int bnd_real_sign(const bnd_real *x)
{
    (void)x;
    return 0;
}

double bnd_real_in_units(const bnd_real *x, bnd_exact unit)
{
    (void)x;
    (void)unit;
    return NAN;
}

size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation)
{
    (void)x;
    (void)notation;
    if (size > 0) {
        out[0] = '\0';
    }
    return 0;
}

size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x)
{
    return bnd_print_real(out, size, x, BND_NOTATION_AUTO);
}
