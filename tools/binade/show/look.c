/* One number in one format. */
#include "look.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_finite(bnd_exact x)
{
    return x.kind == BND_KIND_FINITE || x.kind == BND_KIND_ZERO;
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
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
    if (x.kind == BND_KIND_ZERO || bnd_classify(f, x) == BND_CLASS_SUBNORMAL) {
        return least;
    }
    int32_t exponent = leading_exponent(x);
    return (bnd_exact){
        .low = 1, .exponent = (exponent > f->emin ? exponent : f->emin) - (f->precision - 1), .kind = BND_KIND_FINITE};
}

static void measure(look *l, const given *v, bool plain)
{
    l->has_error = is_finite(l->rounded.value) && is_given_finite(v);
    if (!l->has_error) {
        return;
    }
    bnd_exact unit = ulp_at(l->format, v->exact);
    unit.negative = false;
    l->error = error_from_given(v, l->rounded.value, plain);
    l->has_relative = v->exact.kind == BND_KIND_FINITE && relative_to_given(&l->relative, v, l->rounded.value);
    l->has_ulps = units_from_given(&l->ulps, v, l->rounded.value, unit);
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

/* ---- in words ---- */

/* "normal, exponent field 126 = 2^-1". */
char *class_text(const look *l)
{
    const bnd_format *f = l->format;
    bnd_class class = bnd_classify(f, l->rounded.value);
    const char *name = bnd_class_name(class);
    if (f->width == 0 || (class != BND_CLASS_NORMAL && class != BND_CLASS_SUBNORMAL)) {
        return copy_text(name);
    }
    uint64_t magnitude = l->code & ((UINT64_C(1) << bnd_magnitude_bits(f)) - 1);
    unsigned field = (unsigned)(magnitude >> f->fraction_bits);
    int exponent = (int)field - f->bias + (class == BND_CLASS_SUBNORMAL);
    return format_text("%s, exponent field %u = 2^%d", name, field, exponent);
}

/* Numbers of value sets may have millions of digits; the library gives such ones as a hexadecimal float. */
char *result_text(const look *l, bool plain)
{
    bnd_exact value = l->rounded.value;
    char *text = readable_text(value, plain);
    if (value.kind != BND_KIND_FINITE || strchr(text, 'x') == NULL) {
        return text;
    }
    char *said = format_text("%s (about 100,000 digits or more)", text);
    free(text);
    return said;
}

bool is_exact(const look *l)
{
    return l->rounded.ternary == 0 && l->rounded.flags == 0;
}

char *rough_error_text(const look *l, double error)
{
    if (error == 0 && !is_exact(l)) {
        return copy_text("below 1e-308");
    }
    return isinf(error) ? format_text("beyond %s1e308", error < 0 ? "-" : "") : rough_text(error);
}

char *error_text(const look *l, bool plain)
{
    if (is_exact(l)) {
        return copy_text("0 (exact)");
    }
    if (l->error == NULL) {
        return copy_text("more than 100,000 digits");
    }
    return plain ? copy_text(l->error) : shorten_text(copy_text(l->error));
}
