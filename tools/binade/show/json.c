/* show --json: one number in one format as an object, and with -v the rounding explained. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>

static void put_value(bnd_lab_json *json, const char *key, bool exists, bnd_exact value, bool plain)
{
    json_owned_string(json, key, exists ? exact_text(value, plain) : NULL);
}

static void put_code(bnd_lab_json *json, const char *key, const bnd_format *f, bool exists, bnd_exact value)
{
    json_owned_string(json, key, exists && f->width != 0 ? code_text(f, bnd_pack(f, value)) : NULL);
}

/* A value of the format, in a few digits for a picture, and its code. */
static void put_end(bnd_lab_json *json, const char *key, const bnd_format *f, bnd_exact value, bool is_value)
{
    bnd_lab_json_object(json, key);
    json_owned_string(json, "value", brief_text(f, value));
    put_code(json, "code", f, is_value, value);
    bnd_lab_json_end(json);
}

/* ---- between two neighbours ---- */

static void put_gap(bnd_lab_json *json, const look *l, const given *v)
{
    look_gap g;
    if (!find_gap_or_end(&g, l, v)) {
        bnd_lab_json_null(json, "gap");
        return;
    }
    bool negative = v->exact.negative;
    bnd_lab_json_object(json, "gap");
    put_end(json, "below", l->format, g.below, !(g.beyond && negative));
    put_end(json, "above", l->format, g.above, !(g.beyond && !negative));
    json_owned_string(json, "middle", brief_text(l->format, g.middle));
    json_owned_literal(json, "part", double_text(g.part));
    bnd_lab_json_integer(json, "side", g.side);
    bnd_lab_json_boolean(json, "beyond", g.beyond);
    bnd_lab_json_end(json);
}

/* The next values of the format below and above the result. */
static void put_next(bnd_lab_json *json, const look *l)
{
    bnd_exact next;
    bool has = bnd_neighbour(&next, l->format, l->rounded.value, -1);
    put_code(json, "previous", l->format, has, next);
    has = bnd_neighbour(&next, l->format, l->rounded.value, 1);
    put_code(json, "next", l->format, has, next);
}

/* ---- stochastic rounding ---- */

static bool same_result(const bnd_format *f, bnd_exact a, bnd_exact b)
{
    return f->width != 0 ? bnd_pack(f, a) == bnd_pack(f, b) : a.kind == b.kind && bnd_exact_compare(a, b) == 0;
}

/* Results grow in magnitude with the random bits: the smallest ones that do not give the result of zero bits, or
 * 2^bits. */
static uint64_t threshold_of(const look *l, const given *v, bnd_exact low, unsigned bits)
{
    uint64_t from = 0, to = UINT64_C(1) << bits;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (same_result(l->format, low, round_given(v, l->format, l->rule, middle).value)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* count / 2^bits, exactly. */
static char *probability_text(uint64_t count, unsigned bits)
{
    bnd_exact p = {.low = count, .exponent = -(int32_t)bits, .kind = count > 0 ? BND_KIND_FINITE : BND_KIND_ZERO};
    return exact_text(p, true);
}

static void put_outcome(bnd_lab_json *json, const char *key, const bnd_format *f, bnd_exact value, uint64_t count,
                        unsigned bits)
{
    bnd_lab_json_object(json, key);
    json_owned_string(json, "value", brief_text(f, value));
    put_code(json, "code", f, true, value);
    json_owned_string(json, "probability", probability_text(count, bits));
    bnd_lab_json_end(json);
}

/* What each choice of the random bits gives: one result below the threshold, the other from it on. */
static void put_random(bnd_lab_json *json, const look *l, const given *v)
{
    unsigned bits = bnd_rule_random_bits(l->rule);
    if (bits == 0 || l->as_given) {
        bnd_lab_json_null(json, "random");
        return;
    }
    uint64_t all = UINT64_C(1) << bits;
    bnd_exact low = round_given(v, l->format, l->rule, 0).value;
    bnd_exact high = round_given(v, l->format, l->rule, all - 1).value;
    uint64_t threshold = threshold_of(l, v, low, bits);
    bnd_lab_json_object(json, "random");
    bnd_lab_json_unsigned(json, "bits", bits);
    json_owned_string(json, "drawn", format_text("%llu", (unsigned long long)l->random));
    json_owned_string(json, "threshold", format_text("%llu", (unsigned long long)threshold));
    put_outcome(json, "low", l->format, low, threshold, bits);
    put_outcome(json, "high", l->format, high, all - threshold, bits);
    bnd_lab_json_end(json);
}

/* ---- the object ---- */

static void put_explanation(bnd_lab_json *json, const look *l, const given *v)
{
    explanation all = {0};
    explain(&all, l, v, 0);
    bnd_lab_json_array(json, "explanation");
    for (size_t i = 0; i < all.count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "label", all.lines[i].label);
        bnd_lab_json_string(json, "text", all.lines[i].text);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    clear_explanation(&all);
}

/* What -v prints for people. */
static void put_words(bnd_lab_json *json, const look *l, bool plain)
{
    bnd_lab_json_object(json, "words");
    json_owned_string(json, "class", class_text(l));
    json_owned_string(json, "value", result_text(l, plain));
    json_owned_string(json, "brief", brief_text(l->format, l->rounded.value));
    json_owned_string(json, "error", l->has_error ? error_text(l, plain) : NULL);
    json_owned_string(json, "relative", l->has_relative ? rough_error_text(l, l->relative) : NULL);
    json_owned_string(json, "ulps", l->has_ulps ? rough_error_text(l, l->ulps) : NULL);
    json_owned_string(json, "below", l->has_below ? brief_text(l->format, l->below) : NULL);
    json_owned_string(json, "above", l->has_above ? brief_text(l->format, l->above) : NULL);
    bnd_lab_json_end(json);
}

static void put_verbose(bnd_lab_json *json, const look *l, const given *v, bool plain)
{
    bnd_exact ulp = is_given_finite(v) ? ulp_at(l->format, v->exact) : (bnd_exact){.kind = BND_KIND_ZERO};
    char *power = is_given_finite(v) ? power_text(ulp) : NULL;
    json_owned_string(json, "ulp", power == NULL && is_given_finite(v) ? exact_text(ulp, false) : power);
    put_code(json, "below_code", l->format, l->has_below, l->below);
    put_code(json, "above_code", l->format, l->has_above, l->above);
    put_next(json, l);
    put_gap(json, l, v);
    put_random(json, l, v);
    put_words(json, l, plain);
    put_explanation(json, l, v);
}

void show_look_as_json(bnd_lab_json *json, const look *l, const given *v, bool plain, bool verbose)
{
    const bnd_format *f = l->format;
    bool codes = f->width != 0;
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "format", f->name);
    json_owned_string(json, "code", codes ? code_text(f, l->code) : NULL);
    json_owned_string(json, "bits", codes ? bits_text(f, l->code) : NULL);
    bnd_lab_json_string(json, "class", bnd_class_name(bnd_classify(f, l->rounded.value)));
    put_value(json, "value", true, l->rounded.value, plain);
    json_owned_string(json, "shortest", shortest_text(f, l->rounded.value));
    json_owned_string(json, "hex", hex_text(l->rounded.value));
    json_owned_string(json, "error", l->error != NULL ? copy_text(l->error) : NULL);
    json_owned_literal(json, "relative_error", l->has_relative ? double_text(l->relative) : copy_text("null"));
    json_owned_literal(json, "ulp_error", l->has_ulps ? double_text(l->ulps) : copy_text("null"));
    json_flags(json, "flags", l->rounded.flags);
    put_value(json, "below", l->has_below, l->below, plain);
    put_value(json, "above", l->has_above, l->above, plain);
    json_owned_string(json, "rounding", rounding_text(l->rule));
    bnd_lab_json_string(json, "overflow", bnd_overflow_name(bnd_rule_overflow(l->rule)));
    if (verbose) {
        put_verbose(json, l, v, plain);
    }
    bnd_lab_json_end(json);
}
