/* What `binade block` prints: tables for people, JSON and CSV. */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bnd_format *fp32(void)
{
    return bnd_format_at(BND_FORMAT_FP32);
}

static char *float_text(float x)
{
    return shortest_text(fp32(), block_exact_of_float(x));
}

/* 2^n, or a decimal. */
static char *scale_text(const bnd_format *f, bnd_exact scale)
{
    char *power = power_text(scale);
    return power != NULL ? power : brief_text(f, scale);
}

static bnd_exact largest_element(const bnd_block *b)
{
    return (bnd_exact){.low = b->element.max_significand, .exponent = b->element.max_quantum, .kind = BND_KIND_FINITE};
}

static char *element_bits(const bnd_block *block, uint64_t code)
{
    char bits[9] = "";
    if (!block->integer) {
        return bits_text(&block->element, code);
    }
    for (unsigned i = 0; i < 8; i++) {
        bits[i] = (code >> (7 - i) & 1) != 0 ? '1' : '0';
    }
    return copy_text(bits);
}

static char *element_code(const bnd_block *block, uint64_t code)
{
    return block->integer ? format_text("0x%02x", (unsigned)code) : code_text(&block->element, code);
}

static char *rule_text(const block_result *r)
{
    return r->mapped > 0 ? format_text("%s (%u)", r->rule, r->mapped) : copy_text(r->rule);
}

/* Six digits: C libraries differ in the last bit of a logarithm. NULL if there is no error. */
static char *decibels_text(const block_result *r)
{
    double ratio = r->squared_input / r->squared_error;
    return r->finite && isfinite(ratio) && ratio > 0 ? digits_text(bnd_exact_double(10 * log10(ratio)), 6) : NULL;
}

/* ---- for people ---- */

static void print_heading(const block_question *q)
{
    const bnd_block *b = &q->block;
    char *largest = brief_text(&b->element, largest_element(b));
    char *amax = float_text(q->amax), *shared = block_text(b);
    put_coloured(q->common.colour, BOLD, b->name);
    char *text = format_text(": %s%s.   Here %zu value%s, amax %s.   Largest element %s.", shared,
                             b->tensor ? ", and a tensor one fp32 scale" : "", q->count, q->count == 1 ? "" : "s", amax,
                             largest);
    put_wrapped(text, 0, strlen(b->name));
    free(text);
    free(shared);
    free(amax);
    free(largest);
}

static void print_rules(const block_question *q)
{
    static const column columns[] = {
        {"rule", "rule", false, false, false, false, 0},     {"scale", "scale", true, false, false, false, 0},
        {"code", "code", false, false, false, false, 0},     {"tensor", "of tensor", true, false, false, false, 0},
        {"top", "amax/scale", true, false, false, false, 0}, {"saturated", "sat.", true, false, false, false, 0},
        {"zero", "to 0", true, false, false, false, 0},      {"error", "squared error", true, false, false, false, 0},
        {"best", "", false, false, false, false, 0},         {"who", "rule of", false, false, false, false, 0},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0], TENSOR = 3 };
    column used[COLUMNS];
    size_t count = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (c != TENSOR || q->block.tensor) {
            used[count++] = columns[c];
        }
    }
    table t = {.columns = used, .column_count = count, .output = OUTPUT_TEXT};
    for (size_t i = 0; i < q->wanted_count; i++) {
        const block_result *r = &q->results[i];
        table_add(&t, rule_text(r));
        table_add(&t, scale_text(&q->block.scale, r->scale));
        table_add(&t, code_text(&q->block.scale, r->scale_code));
        if (q->block.tensor) {
            table_add(&t, digits_text(block_exact_of_float(r->tensor), 4));
        }
        table_add(&t, r->finite ? digits_text(bnd_exact_double(r->top), 4) : copy_text("-"));
        table_add(&t, r->finite ? format_text("%zu", r->outcomes[OUTCOME_SATURATED]) : copy_text("-"));
        table_add(&t, r->finite ? format_text("%zu", r->outcomes[OUTCOME_ZERO]) : copy_text("-"));
        table_add(&t, r->finite ? digits_text(bnd_exact_double(r->squared_error), 4) : copy_text("-"));
        table_add(&t, copy_text(r->best ? "best" : ""));
        table_add(&t, copy_text(r->who));
    }
    table_end(&t);
}

/* Neighbours in the table that have the same note share a line. */
static void print_notes(const block_question *q)
{
    bool any = false;
    for (size_t i = 0, next; i < q->wanted_count; i = next) {
        char *why = block_note(q, &q->results[i]), *names = copy_text(q->results[i].rule), *other = NULL;
        for (next = i + 1; next < q->wanted_count; next++) {
            other = block_note(q, &q->results[next]);
            bool same = strcmp(why, other) == 0;
            free(other);
            if (!same) {
                break;
            }
            char *longer = format_text("%s, %s", names, q->results[next].rule);
            free(names);
            names = longer;
        }
        if (why[0] != '\0') {
            bool of_all = i == 0 && next == q->wanted_count;
            char *text = of_all ? copy_text(why) : format_text("%s: %s", names, why);
            fputs(any ? "" : "\n", stdout);
            put_wrapped(text, 2, 0);
            free(text);
            any = true;
        }
        free(names);
        free(why);
    }
}

static const char *mark_of(const block_element *e)
{
    return e->outcome == OUTCOME_SATURATED ? ">" : e->outcome == OUTCOME_ZERO ? "<" : "";
}

/* The dequantized values of the block, a column per rule. */
static void print_elements(const block_question *q)
{
    column columns[1 + MOST_BLOCK_RULES] = {{"value", "value", true, false, false, false, 0}};
    size_t seen[BLOCK_OUTCOMES] = {0};
    for (size_t i = 0; i < q->wanted_count; i++) {
        columns[i + 1] = (column){q->results[i].rule, q->results[i].rule, true, false, false, false, 0};
    }
    table t = {.columns = columns, .column_count = 1 + q->wanted_count, .output = OUTPUT_TEXT};
    for (size_t k = 0; k < q->count; k++) {
        table_add(&t, heading_text(q->numbers[k].input));
        for (size_t i = 0; i < q->wanted_count; i++) {
            const block_element *e = &q->results[i].elements[k];
            char *value = float_text(e->value);
            table_add(&t, format_text("%s%s", mark_of(e), value));
            free(value);
            seen[e->outcome]++;
        }
    }
    putchar('\n');
    table_end(&t);
    if (seen[OUTCOME_SATURATED] + seen[OUTCOME_ZERO] > 0) {
        puts("");
    }
    if (seen[OUTCOME_SATURATED] > 0) {
        puts("  > saturated: beyond the largest element times the scale");
    }
    if (seen[OUTCOME_ZERO] > 0) {
        puts("  < underflowed to zero");
    }
}

void block_print_text(const block_question *q)
{
    print_heading(q);
    putchar('\n');
    print_rules(q);
    print_notes(q);
    print_elements(q);
}

/* ---- JSON ---- */

/* A double as a string; null where it is not finite. */
static void json_double(bnd_lab_json *json, const char *key, double x)
{
    json_owned_string(json, key, isfinite(x) ? double_text(x) : NULL);
}

static void json_count(bnd_lab_json *json, const char *key, long long n)
{
    json_owned_string(json, key, format_text("%lld", n));
}

static void json_float(bnd_lab_json *json, const char *key, float x)
{
    bnd_lab_json_object(json, key);
    json_owned_string(json, "value", exact_text(block_exact_of_float(x), false));
    json_owned_string(json, "shortest", float_text(x));
    json_owned_string(json, "hex", hex_text(block_exact_of_float(x)));
    bnd_lab_json_end(json);
}

static void json_element(bnd_lab_json *json, const block_question *q, const block_element *e, float x)
{
    const bnd_exact value = block_exact_of_float(e->value), input = block_exact_of_float(x);
    const given from = {.number = bnd_number_of_exact(input), .exact = input};
    bool has_error = isfinite(e->value) && isfinite(x);
    bnd_lab_json_object(json, NULL);
    json_owned_string(json, "code", element_code(&q->block, e->code));
    json_owned_string(json, "bits", element_bits(&q->block, e->code));
    json_owned_string(json, "element", exact_text(e->element, false));
    json_owned_string(json, "value", exact_text(value, false));
    json_owned_string(json, "shortest", float_text(e->value));
    json_owned_string(json, "hex", hex_text(value));
    json_owned_string(json, "error", has_error ? error_from_given(&from, value, false) : NULL);
    json_owned_string(json, "rough_error", has_error ? rough_text((double)e->value - (double)x) : NULL);
    bnd_lab_json_string(json, "outcome", block_outcomes[e->outcome]);
    bnd_lab_json_end(json);
}

static void json_scale(bnd_lab_json *json, const block_question *q, const block_result *r)
{
    const bnd_format *f = &q->block.scale;
    bnd_lab_json_object(json, "scale");
    json_owned_string(json, "code", code_text(f, r->scale_code));
    json_owned_string(json, "bits", bits_text(f, r->scale_code));
    json_owned_string(json, "value", exact_text(r->scale, false));
    json_owned_string(json, "brief", scale_text(f, r->scale));
    json_owned_string(json, "exponent", r->has_exponents ? format_text("%d", r->exponent) : NULL);
    json_owned_string(json, "exponent_before_clamping", r->has_exponents ? format_text("%d", r->unclamped) : NULL);
    bnd_lab_json_end(json);
}

static void json_errors(bnd_lab_json *json, const block_question *q, const block_result *r)
{
    json_double(json, "squared_error", r->finite ? r->squared_error : NAN);
    json_double(json, "mean_squared_error", r->finite ? block_mean_squared_error(q, r) : NAN);
    json_double(json, "largest_error", r->finite ? r->largest_error : NAN);
    json_owned_string(json, "signal_to_noise_db", decibels_text(r));
    bool rough = r->finite && isfinite(r->squared_error);
    json_owned_string(json, "rough_squared_error", rough ? digits_text(bnd_exact_double(r->squared_error), 4) : NULL);
    json_owned_string(json, "rough_largest_error", rough ? digits_text(bnd_exact_double(r->largest_error), 4) : NULL);
    for (int i = 0; i < BLOCK_OUTCOMES - 1; i++) {
        json_count(json, block_outcomes[i], (long long)r->outcomes[i]);
    }
}

static void json_result(bnd_lab_json *json, const block_question *q, const block_result *r)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "rule", r->rule);
    bnd_lab_json_string(json, "of", r->who);
    bnd_lab_json_boolean(json, "best", r->best);
    json_owned_string(json, "largest_maps_to", r->mapped > 0 ? format_text("%u", r->mapped) : NULL);
    json_scale(json, q, r);
    if (q->block.tensor) {
        json_float(json, "tensor_scale", r->tensor);
    } else {
        bnd_lab_json_null(json, "tensor_scale");
    }
    json_owned_string(json, "amax_over_scale", r->finite ? digits_text(bnd_exact_double(r->top), 6) : NULL);
    bnd_lab_json_object(json, "largest_value");
    json_owned_string(json, "value", exact_text(r->largest, false));
    json_owned_string(json, "hex", hex_text(r->largest));
    bnd_lab_json_end(json);
    json_errors(json, q, r);
    json_owned_string(json, "note", block_note(q, r));
    bnd_lab_json_array(json, "elements");
    for (size_t i = 0; i < q->count; i++) {
        json_element(json, q, &r->elements[i], q->numbers[i].x);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void json_numbers(bnd_lab_json *json, const block_question *q)
{
    bnd_lab_json_array(json, "numbers");
    for (size_t i = 0; i < q->count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "input", q->numbers[i].input);
        json_float(json, "fp32", q->numbers[i].x);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

void block_print_json(const block_question *q)
{
    const bnd_block *b = &q->block;
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "block_format", b->name);
    json_owned_string(&json, "shares", block_text(b));
    bnd_lab_json_string(&json, "element", block_element_name(b));
    json_owned_string(
        &json, "largest_element",
        exact_text(
            (bnd_exact){.low = b->element.max_significand, .exponent = b->element.max_quantum, .kind = BND_KIND_FINITE},
            false));
    bnd_lab_json_string(&json, "scale", b->scale.name);
    json_owned_string(&json, "length", b->along > 0 ? format_text("%zu", b->along * b->across) : NULL);
    json_count(&json, "count", (long long)q->count);
    json_float(&json, "amax", q->amax);
    bnd_lab_json_boolean(&json, "finite", q->finite);
    json_numbers(&json, q);
    bnd_lab_json_array(&json, "rules");
    for (size_t i = 0; i < q->wanted_count; i++) {
        json_result(&json, q, &q->results[i]);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

/* ---- CSV ---- */

void block_print_csv(const block_question *q)
{
    static const column columns[] = {
        {"rule", "rule", false, false, false, false, 0},
        {"scale_code", "scale_code", false, false, false, false, 0},
        {"scale", "scale", false, false, false, false, 0},
        {"tensor_scale", "tensor_scale", false, false, false, false, 0},
        {"index", "index", false, true, false, false, 0},
        {"fp32", "fp32", false, false, false, false, 0},
        {"code", "code", false, false, false, false, 0},
        {"element", "element", false, false, false, false, 0},
        {"value", "value", false, false, false, false, 0},
        {"outcome", "outcome", false, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_CSV};
    for (size_t i = 0; i < q->wanted_count * q->count; i++) {
        const block_result *r = &q->results[i / q->count];
        const block_element *e = &r->elements[i % q->count];
        table_add(&t, copy_text(r->rule));
        table_add(&t, code_text(&q->block.scale, r->scale_code));
        table_add(&t, exact_text(r->scale, false));
        table_add(&t, q->block.tensor ? float_text(r->tensor) : copy_text(""));
        table_add(&t, format_text("%zu", i % q->count));
        table_add(&t, float_text(q->numbers[i % q->count].x));
        table_add(&t, element_code(&q->block, e->code));
        table_add(&t, exact_text(e->element, false));
        table_add(&t, float_text(e->value));
        table_add(&t, copy_text(block_outcomes[e->outcome]));
    }
    table_end(&t);
}
