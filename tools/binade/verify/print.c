/* The output of `binade verify`: a table, the first counterexamples, JSON. */
#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 12 };

static char *roundings_text(const verify *v, size_t check)
{
    char *all = copy_text(bnd_verify_check_rounds(check) ? "" : "-");
    for (size_t i = 0; bnd_verify_check_rounds(check) && i < v->rule_count; i++) {
        char *one = rounding_text(v->rules[i]), *more = format_text("%s%s%s", all, i > 0 ? " " : "", one);
        free(all);
        free(one);
        all = more;
    }
    return all;
}

uint64_t verify_mismatches(const verify *v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < v->result_count; i++) {
        sum += v->results[i].found.mismatches;
    }
    return sum;
}

static bool has_result(const verify *v, size_t check, size_t format)
{
    bool found = false;
    for (size_t i = 0; i < v->result_count && !found; i++) {
        found = v->results[i].check == check && (format == SIZE_MAX || v->results[i].format == format);
    }
    return found;
}

char *verify_left_out(const verify *v)
{
    char *all = copy_text("");
    for (size_t check = 0; v->checks_given && check < bnd_verify_check_count(); check++) {
        for (size_t i = 0; v->wanted[check] && i < v->common.formats.count; i++) {
            if (!has_result(v, check, i)) {
                char *more = format_text("%s%s%s of %s", all, all[0] != '\0' ? ", " : "", bnd_verify_check_name(check),
                                         v->common.formats.items[i].name);
                free(all);
                all = more;
            }
        }
    }
    return all;
}

static void print_table(const verify *v)
{
    static const column columns[] = {
        {"check", "check", false, false, false, false, 0},         {"format", "format", false, false, false, false, 0},
        {"rounding", "rounding", false, false, false, false, 0},   {"cases", "cases", true, true, false, false, 0},
        {"mismatches", "mismatches", true, true, false, false, 0}, {"seconds", "seconds", true, true, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = v->common.output};
    for (size_t i = 0; i < v->result_count; i++) {
        const result *r = &v->results[i];
        table_add(&t, copy_text(bnd_verify_check_name(r->check)));
        table_add(&t, copy_text(v->common.formats.items[r->format].name));
        table_add(&t, roundings_text(v, r->check));
        table_add(&t, format_text("%" PRIu64, r->found.cases));
        table_add(&t, format_text("%" PRIu64, r->found.mismatches));
        table_add(&t, format_text("%.2f", r->seconds));
    }
    table_end(&t);
}

/* ---- mismatches ---- */

static bool is_integer(const bnd_verify_counterexample *c, unsigned operand)
{
    return operand == 1 && strcmp(c->what, "scalb") == 0;
}

static char *operand_text(const bnd_verify_counterexample *c, unsigned i)
{
    if (is_integer(c, i)) {
        return format_text("%" PRId64, (int64_t)c->codes[i]);
    }
    char *code = code_text(&c->from[i], c->codes[i]), *text = format_text("%s:%s", c->from[i].name, code);
    free(code);
    return text;
}

/* 128 bits that are not rounded, as an integer times a power of two; "..." says that more bits follow. */
static char *unrounded_text(bnd_exact x)
{
    if (x.kind != BND_KIND_FINITE) {
        return copy_text(x.kind == BND_KIND_ZERO ? "0" : x.kind == BND_KIND_INFINITE ? "inf" : "nan");
    }
    return format_text("%s0x%016" PRIx64 "%016" PRIx64 "%sp%+" PRId32, x.negative ? "-" : "", x.high, x.low,
                       x.sticky ? "..." : "", x.exponent);
}

static char *result_text(const bnd_verify_counterexample *c, bool want)
{
    if (c->exact) {
        return unrounded_text(want ? c->exact_want : c->exact_got);
    }
    bnd_result r = want ? c->want : c->got;
    char *code = code_text(&c->to, r.code), *value = shortest_text(&c->to, bnd_unpack(&c->to, r.code));
    char *flags = flags_text(r.flags), *text;
    text = c->code_only ? format_text("%s (%s)", code, value)
                        : format_text("%s (%s), flags %s, ternary %d", code, value, flags[0] != '\0' ? flags : "none",
                                      (int)r.ternary);
    free(code);
    free(value);
    free(flags);
    return text;
}

/* The operation as `binade calc` takes it, or NULL where it does not. */
static char *expression_text(const bnd_verify_counterexample *c)
{
    static const char *const forms[][3] = {
        /* the text before the first operand, and between two */
        {"add", "", " + "},    {"sub", "", " - "},    {"mul", "", " * "},
        {"div", "", " / "},    {"rem", "rem(", ", "}, {"fma", "fma(", ", "},
        {"sqrt", "sqrt(", ""}, {"min", "min(", ", "}, {"max", "max(", ", "},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i][0], c->what) != 0) {
            continue;
        }
        char *text = copy_text(forms[i][1]);
        for (unsigned k = 0; k < c->operands; k++) {
            char *operand = operand_text(c, k), *more = format_text("%s%s%s", text, k > 0 ? forms[i][2] : "", operand);
            free(operand);
            free(text);
            text = more;
        }
        char *whole = format_text("%s%s", text, forms[i][1][0] != '\0' ? ")" : "");
        free(text);
        return whole;
    }
    return NULL;
}

/* The option for an overflow policy that is not the default, or "". */
static char *policy_text(bnd_rule rule)
{
    bnd_overflow policy = bnd_rule_overflow(rule);
    return policy == BND_OVERFLOW_FORMAT ? copy_text("") : format_text(" --overflow %s", bnd_overflow_name(policy));
}

/* A command that reproduces the case: the conversion or the operation itself, or else the check. */
static char *reproduce_text(const verify *v, const result *r, const bnd_verify_counterexample *c)
{
    const char *format = v->common.formats.items[r->format].name;
    bool chance = bnd_rule_random_bits(c->rule) > 0;
    bool converts = strcmp(c->what, "encode") == 0 || strcmp(c->what, "convert") == 0 || strcmp(c->what, "decode") == 0;
    char *mode = rounding_text(c->rule), *text, *expression = chance ? NULL : expression_text(c);
    char *policy = policy_text(c->rule);
    if (expression != NULL) {
        text = format_text("binade calc %s '%s' -r %s%s", format, expression, mode, policy);
    } else if (converts && !chance) {
        char *operand = operand_text(c, 0);
        text = format_text("binade show %s -f %s -r %s%s", operand, format, mode, policy);
        free(operand);
    } else {
        text = format_text("binade verify -f %s -r %s%s --check %s%s", format, mode, policy,
                           bnd_verify_check_name(r->check), v->exhaustive ? " --exhaustive" : "");
    }
    free(policy);
    free(expression);
    free(mode);
    return text;
}

static void print_counterexample(const verify *v, const result *r, const bnd_verify_counterexample *c)
{
    char *mode = rounding_text(c->rule), *got = result_text(c, false), *want = result_text(c, true);
    char *reproduce = reproduce_text(v, r, c);
    bnd_overflow policy = bnd_rule_overflow(c->rule);
    bool told = policy != BND_OVERFLOW_FORMAT;
    printf("%s, %s, %s%s%s: %s", bnd_verify_check_name(r->check), v->common.formats.items[r->format].name, mode,
           told ? ", overflow " : "", told ? bnd_overflow_name(policy) : "", c->what);
    for (unsigned i = 0; i < c->operands; i++) {
        char *operand = operand_text(c, i);
        printf(" %s", operand);
        free(operand);
    }
    if (bnd_rule_random_bits(c->rule) > 0) {
        printf(" with random bits 0x%" PRIx64, c->random);
    }
    printf("\n    got       %s\n    expected  %s\n    reproduce %s\n", got, want, reproduce);
    free(mode);
    free(got);
    free(want);
    free(reproduce);
}

static void print_counterexamples(const verify *v)
{
    unsigned shown = 0;
    for (size_t i = 0; i < v->result_count; i++) {
        const result *r = &v->results[i];
        for (unsigned k = 0; k < r->found.shown && shown < MOST_SHOWN; k++) {
            if (shown++ == 0) {
                printf("\nFirst mismatches:\n");
            }
            print_counterexample(v, r, &r->found.first[k]);
        }
    }
}

/* What each check in the table compares. */
static void print_titles(const verify *v)
{
    printf("\n");
    for (size_t i = 0; i < bnd_verify_check_count(); i++) {
        if (has_result(v, i, SIZE_MAX)) {
            size_t at = (size_t)printf("%-10s  ", bnd_verify_check_name(i));
            put_wrapped(bnd_verify_check_title(i), at, at);
        }
    }
}

static void print_left_out(const verify *v)
{
    char *left_out = verify_left_out(v);
    if (left_out[0] != '\0') {
        printf("\nnot compared, because there are no cases: %s\n", left_out);
    }
    free(left_out);
}

static void print_summary(const verify *v)
{
    uint64_t cases = 0, mismatches = verify_mismatches(v);
    double seconds = 0;
    for (size_t i = 0; i < v->result_count; i++) {
        cases += v->results[i].found.cases;
        seconds += v->results[i].seconds;
    }
    printf("%s: %" PRIu64 " cases, %" PRIu64 " mismatch%s, %.1f s\n\n", mismatches == 0 ? "PASS" : "FAIL", cases,
           mismatches, mismatches == 1 ? "" : "es", seconds);
}

/* ---- JSON ---- */

static void json_result(bnd_lab_json *json, const char *key, const bnd_verify_counterexample *c, bool want)
{
    bnd_result r = want ? c->want : c->got;
    bnd_lab_json_object(json, key);
    if (c->exact) {
        json_owned_string(json, "bits", result_text(c, want));
        bnd_lab_json_end(json);
        return;
    }
    json_owned_string(json, "code", code_text(&c->to, r.code));
    json_owned_string(json, "value", shortest_text(&c->to, bnd_unpack(&c->to, r.code)));
    if (!c->code_only) {
        json_flags(json, "flags", r.flags);
        bnd_lab_json_integer(json, "ternary", r.ternary);
    }
    bnd_lab_json_end(json);
}

static void json_counterexample(bnd_lab_json *json, const verify *v, const result *r,
                                const bnd_verify_counterexample *c)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "operation", c->what);
    json_owned_string(json, "rounding", rounding_text(c->rule));
    bnd_lab_json_string(json, "overflow", bnd_overflow_name(bnd_rule_overflow(c->rule)));
    bnd_lab_json_array(json, "operands");
    for (unsigned i = 0; i < c->operands; i++) {
        json_owned_string(json, NULL, operand_text(c, i));
    }
    bnd_lab_json_end(json);
    json_result(json, "got", c, false);
    json_result(json, "expected", c, true);
    json_owned_string(json, "reproduce", reproduce_text(v, r, c));
    bnd_lab_json_end(json);
}

static void json_row(bnd_lab_json *json, const verify *v, const result *r)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "check", bnd_verify_check_name(r->check));
    bnd_lab_json_string(json, "format", v->common.formats.items[r->format].name);
    bnd_lab_json_array(json, "rounding");
    for (size_t i = 0; bnd_verify_check_rounds(r->check) && i < v->rule_count; i++) {
        json_owned_string(json, NULL, rounding_text(v->rules[i]));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_unsigned(json, "cases", r->found.cases);
    bnd_lab_json_unsigned(json, "mismatches", r->found.mismatches);
    json_owned_literal(json, "seconds", format_text("%.3f", r->seconds));
    bnd_lab_json_array(json, "counterexamples");
    for (unsigned k = 0; k < r->found.shown; k++) {
        json_counterexample(json, v, r, &r->found.first[k]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void print_json(const verify *v)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_boolean(&json, "exhaustive", v->exhaustive);
    bnd_lab_json_boolean(&json, "passed", verify_mismatches(v) == 0);
    bnd_lab_json_array(&json, "checks");
    for (size_t i = 0; i < v->result_count; i++) {
        json_row(&json, v, &v->results[i]);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

void verify_print(const verify *v)
{
    if (v->common.output == OUTPUT_JSON) {
        print_json(v);
        return;
    }
    if (v->common.output == OUTPUT_TEXT) {
        print_summary(v);
    }
    print_table(v);
    if (v->common.output == OUTPUT_TEXT) {
        print_counterexamples(v);
        print_left_out(v);
        print_titles(v);
    }
}
