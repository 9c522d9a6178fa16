/* One number in one format. */
#include "look.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

static bool is_finite(bnd_exact x)
{
    return x.kind == BND_FINITE || x.kind == BND_ZERO;
}

static int32_t leading_exponent(bnd_exact x)
{
    int32_t bits = 0;
    for (uint64_t rest = x.high != 0 ? x.high : x.low; rest != 0; rest >>= 1) {
        bits++;
    }
    return x.exponent + bits - 1 + (x.high != 0 ? 64 : 0);
}

bnd_exact ulp_at(const bnd_format *f, bnd_exact x)
{
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_FINITE};
    if (x.kind == BND_ZERO || bnd_classify(f, x) == BND_CLASS_SUBNORMAL) {
        return least;
    }
    int32_t exponent = leading_exponent(x);
    return (bnd_exact){
        .low = 1, .exponent = (exponent > f->emin ? exponent : f->emin) - (f->precision - 1), .kind = BND_FINITE};
}

static char *error_text(bnd_exact value, const char *number, bool plain)
{
    bnd_notation notation = plain ? BND_NOTATION_PLAIN : BND_NOTATION_AUTO;
    size_t length;
    if (bnd_print_error(&length, NULL, 0, value, number, strlen(number), notation, NULL) != BND_OK) {
        return NULL;
    }
    char *text = allocate(NULL, length + 1, 1);
    if (bnd_print_error(&length, text, length + 1, value, number, strlen(number), notation, NULL) != BND_OK) {
        free(text);
        return NULL;
    }
    return text;
}

static void measure(look *l, const given *v, bool plain)
{
    l->has_error = is_finite(l->rounded.value) && v->number != NULL;
    if (!l->has_error) {
        return;
    }
    size_t length = strlen(v->number);
    bnd_exact unit = ulp_at(l->format, v->exact);
    unit.negative = false;
    l->error = error_text(l->rounded.value, v->number, plain);
    l->has_relative = v->exact.kind == BND_FINITE &&
                      bnd_relative_error(&l->relative, l->rounded.value, v->number, length, NULL) == BND_OK;
    l->has_ulps = bnd_error_in_units(&l->ulps, l->rounded.value, v->number, length, unit, NULL) == BND_OK;
}

void look_at(look *l, const bnd_format *f, bnd_rule rule, uint64_t random, const given *v, bool plain)
{
    *l = (look){.format = f, .rule = rule, .random = random};
    l->as_given = v->is_code && bnd_format_same(f, &v->format) && !rule.flush_in && !rule.flush_out;
    l->rounded = l->as_given ? (bnd_rounded){.value = v->exact} : round_given(v, f, rule, random);
    l->code = l->as_given ? v->code : bnd_pack(f, l->rounded.value);
    l->has_below = bnd_neighbour(&l->below, f, v->exact, -1);
    l->has_above = bnd_neighbour(&l->above, f, v->exact, 1);
    measure(l, v, plain);
}

void clear_look(look *l)
{
    free(l->error);
    l->error = NULL;
}
