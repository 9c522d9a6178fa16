/* The evaluation of one expression in one format, as `binade calc` prints it. */
#ifndef BINADE_TOOLS_CALC_H
#define BINADE_TOOLS_CALC_H

#include "common/command.h"

typedef struct calc {
    const settings *common;
    const bnd_format *format;
    bnd_rule rule;
    const char *expression;
    bnd_term *terms;
    bnd_result *results;
    size_t count;
    bnd_real *exact, *error; /* the value without any rounding; the result minus it */
} calc;

bnd_format calc_format_of(const calc *c, size_t term);
bnd_exact calc_value_of(const calc *c, size_t term);
bnd_exact calc_result(const calc *c);
uint32_t calc_flags(const calc *c); /* of all terms */

/* Codes are not steps, nor are numbers that the format has. */
bool calc_is_step(const calc *c, size_t term);
/* The text of a number, as it was written. */
char *calc_number_text(const calc *c, const bnd_term *t);

bool calc_has_error(const calc *c);      /* a number, not a NaN or an infinity */
bool calc_has_digits(const bnd_real *x); /* an irrational number may have so cancelled that none are left */
double calc_ulps(const calc *c);         /* the error, in distances of the format's values around the result */
char *calc_exact_line(const calc *c);
char *calc_error_line(const calc *c);

void calc_print_text(const calc *c);
void calc_print_json(const calc *c);

#endif
