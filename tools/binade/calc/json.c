/* What `binade calc --json` prints. */
#include "calc.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>

/* Operations whose second operand is a count, which is not a term. */
static bool has_count(const bnd_term *t)
{
    return t->kind == BND_TERM_POWER || t->kind == BND_TERM_SUM ||
           (t->kind == BND_TERM_OPERATION && t->operation == BND_OP_SCALB);
}

static void json_step(bnd_lab_json *json, const calc *c, size_t i)
{
    const bnd_term *t = &c->terms[i];
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "op", bnd_term_name(t));
    bnd_lab_json_array(json, "operands");
    if (t->operands == 0) {
        json_owned_string(json, NULL, calc_number_text(c, t));
    }
    for (size_t k = 0; k < t->operands; k++) {
        json_owned_string(json, NULL, exact_text(calc_value_of(c, t->operand[k]), false));
    }
    if (has_count(t)) {
        json_owned_string(json, NULL, format_text("%lld", (long long)t->integer));
    }
    bnd_lab_json_end(json);
    bnd_format own = calc_format_of(c, i);
    bnd_lab_json_string(json, "format", own.name);
    json_owned_string(json, "code", code_text(&own, c->results[i].code));
    json_owned_string(json, "value", exact_text(calc_value_of(c, i), false));
    json_flags(json, "flags", c->results[i].flags);
    bnd_lab_json_end(json);
}

void calc_print_json(const calc *c)
{
    static const char *const known[] = {"exactly", "digits", "exactly", "exactly", "not", "not"};
    bnd_lab_json json;
    char fraction[64];
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "format", c->format->name);
    bnd_lab_json_string(&json, "expression", c->expression);
    json_owned_string(&json, "code", code_text(c->format, c->results[c->count - 1].code));
    json_owned_string(&json, "value", exact_text(calc_result(c), false));
    bool exact = calc_has_digits(c->exact);
    json_owned_string(&json, "exact", exact ? real_text(c->exact, false) : NULL);
    bnd_print_fraction(fraction, sizeof fraction, c->exact);
    json_owned_string(&json, "fraction", fraction[0] != '\0' ? copy_text(fraction) : NULL);
    bnd_lab_json_string(&json, "known", exact ? known[bnd_real_known(c->exact)] : "not");
    json_owned_string(&json, "error",
                      calc_has_error(c) && calc_has_digits(c->error) ? real_text(c->error, false) : NULL);
    json_owned_literal(&json, "ulp_error", double_text(calc_has_error(c) ? calc_ulps(c) : (double)NAN));
    json_flags(&json, "flags", calc_flags(c));
    bnd_lab_json_array(&json, "steps");
    for (size_t i = 0; i < c->count; i++) {
        if (calc_is_step(c, i)) {
            json_step(&json, c, i);
        }
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}
