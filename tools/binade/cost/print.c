/* Answers of `binade cost`, as text and as JSON; the lists of machines and of models. */
#include "cost.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers with commas between thousands, where they are long. */
static char *grouped_text(double x)
{
    char digits[32], out[48];
    int length = snprintf(digits, sizeof digits, "%.0f", x), at = 0;
    for (int i = 0; i < length; i++) {
        out[at++] = digits[i];
        out[at] = ',';
        at += (length - i) % 3 == 1 && i + 1 < length;
    }
    out[at] = '\0';
    return copy_text(out);
}

static char *plain_text(double x)
{
    char out[64];
    bnd_cost_number(out, sizeof out, x);
    return copy_text(out);
}

/* "1,120,000,000,000 B (1.12 TB)". */
static char *exact_bytes_text(double x)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    double small = x;
    for (; small >= 1000 && unit + 1 < sizeof units / sizeof units[0]; unit++) {
        small /= 1000;
    }
    char *all = grouped_text(x), *few = digits_text(bnd_exact_double(small), 4);
    char *text = unit == 0 ? format_text("%s B", all) : format_text("%s B (%s %s)", all, few, units[unit]);
    free(few);
    free(all);
    return text;
}

static char *value_text(const bnd_cost_step *s)
{
    if (strcmp(s->unit, "B") == 0) {
        return exact_bytes_text(s->value);
    }
    bool counted = strcmp(s->unit, "parameter") == 0 || strncmp(s->unit, "FLOP", 5) == 0 ||
                   strcmp(s->unit, "FLOP/token") == 0 || s->unit[0] == '\0';
    bool whole = s->value == floor(s->value) && fabs(s->value) < 1e15;
    char *number = counted && whole && s->value >= 1000 ? grouped_text(s->value) : plain_text(s->value);
    char *text = format_text("%s%s%s%s", number, s->unit[0] != '\0' ? " " : "", s->unit,
                             strcmp(s->unit, "day") == 0 || strcmp(s->unit, "parameter") == 0 ? "s" : "");
    free(number);
    return text;
}

/* The step that answers the question. */
static const bnd_cost_step *answer_of(const bnd_cost *cost)
{
    for (size_t i = 0; i < cost->steps; i++) {
        if (strcmp(cost->step[i].name, cost->answer) == 0) {
            return &cost->step[i];
        }
    }
    return &cost->step[cost->steps - 1];
}

/* "  name  formula  = substitution = value", in two lines where one is too long for a page. */
static void print_step(const asked *a, const bnd_cost_step *s, int name, int formula, bool is_answer)
{
    char *value = value_text(s);
    size_t at = (size_t)printf("  %-*s  %-*s  = ", name, s->name, formula, s->formula);
    if (at + text_width(s->substitution) + strlen(" = ") + text_width(value) <= page_width()) {
        printf("%s = ", s->substitution);
    } else {
        put_wrapped(s->substitution, at, at);
        printf("%*s= ", (int)at - 2, "");
    }
    put_coloured(a->common.colour, is_answer ? GREEN : PLAIN, value);
    putchar('\n');
    free(value);
}

/* ---- the answer in one line ---- */

/* x with three digits: "6.3e24", "144". */
static char *three_digits(double x)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.3g", x);
    char *power = strstr(digits, "e+");
    if (power == NULL) {
        return copy_text(digits);
    }
    const char *exponent = power + 2 + (power[2] == '0');
    return format_text("%.*se%s", (int)(power - digits), digits, exponent);
}

/* "16.6 G" for 16.64e9; a unit follows. */
static char *scaled_text(double x)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z"};
    size_t k = 0;
    while (x >= 999.5 && k + 1 < sizeof prefixes / sizeof prefixes[0]) {
        x /= 1000;
        k++;
    }
    char *number = three_digits(x), *text = format_text("%s %s", number, prefixes[k]);
    free(number);
    return text;
}

static char *parameters_text(double x)
{
    const char *word = x >= 1e12 ? " trillion" : x >= 1e9 ? " billion" : x >= 1e6 ? " million" : "";
    char *number = three_digits(x / (x >= 1e12 ? 1e12 : x >= 1e9 ? 1e9 : x >= 1e6 ? 1e6 : 1));
    char *text = format_text("%s%s parameters", number, word);
    free(number);
    return text;
}

/* The value with as many digits as people read, and its unit. */
char *cost_short_text(double value, const char *unit)
{
    bool scaled = strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "FLOP/s") == 0 ||
                  strcmp(unit, "FLOP/token") == 0 || (strcmp(unit, "FLOP") == 0 && value < 1e18);
    if (strcmp(unit, "parameter") == 0) {
        return parameters_text(value);
    }
    if (unit[0] == '\0') {
        return format_text("%.3g %%", 100 * value);
    }
    bool hours = strcmp(unit, "day") == 0 && value < 1;
    char *number = scaled ? scaled_text(value) : three_digits(hours ? 24 * value : value);
    char *text = format_text("%s%s%s", number, scaled ? "" : " ", hours ? "hours" : unit);
    char *all = strcmp(unit, "day") == 0 && !hours ? format_text("%ss", text) : copy_text(text);
    free(number);
    free(text);
    return all;
}

/* ---- notes: first what is not counted, as a list ---- */

enum { INDENT = 4 };

static const char NOT_COUNTED[] = "not counted: ";

static bool is_omission(const char *note)
{
    return strncmp(note, NOT_COUNTED, strlen(NOT_COUNTED)) == 0;
}

static void print_list(const bnd_cost *answer, const char *heading, bool omissions)
{
    bool begun = false;
    for (size_t i = 0; i < answer->notes; i++) {
        const char *note = answer->note[i];
        if (is_omission(note) == omissions) {
            printf("%s%s%s- ", begun ? "" : "\n", begun ? "" : heading, begun ? "" : "\n");
            put_wrapped(note + (omissions ? strlen(NOT_COUNTED) : 0), 2, 2);
            begun = true;
        }
    }
}

static void print_text(const asked *a, const char *headline, const bnd_cost *answer)
{
    int name = 0, formula = 0;
    const bnd_cost_step *last = answer_of(answer);
    for (size_t i = 0; i < answer->steps; i++) {
        int n = (int)strlen(answer->step[i].name), f = (int)strlen(answer->step[i].formula);
        name = n > name ? n : name;
        formula = f > formula && f <= 34 ? f : formula;
    }
    char *first = cost_short_text(last->value, last->unit);
    put_coloured(a->common.colour, GREEN, first);
    putchar(' ');
    put_wrapped(headline, INDENT, text_width(first) + 1);
    putchar('\n');
    free(first);
    for (size_t i = 0; i < answer->steps; i++) {
        print_step(a, &answer->step[i], name, formula, &answer->step[i] == last);
    }
    print_list(answer, "Not counted:", true);
    print_list(answer, "Notes:", false);
}

static void print_json(const char *question, const char *about, const bnd_cost *answer)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "question", question);
    bnd_lab_json_string(&json, "about", about);
    bnd_lab_json_string(&json, "answer", answer_of(answer)->name);
    bnd_lab_json_array(&json, "steps");
    for (size_t i = 0; i < answer->steps; i++) {
        const bnd_cost_step *s = &answer->step[i];
        bnd_lab_json_object(&json, NULL);
        bnd_lab_json_string(&json, "name", s->name);
        bnd_lab_json_string(&json, "formula", s->formula);
        bnd_lab_json_string(&json, "substitution", s->substitution);
        json_owned_literal(&json, "value", double_text(s->value));
        bnd_lab_json_string(&json, "unit", s->unit);
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_array(&json, "notes");
    for (size_t i = 0; i < answer->notes; i++) {
        bnd_lab_json_string(&json, NULL, answer->note[i]);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

int cost_print(const asked *a, const char *question, const char *about, const char *headline, const bnd_cost *answer)
{
    if (a->common.output == OUTPUT_JSON) {
        print_json(question, about, answer);
    } else {
        print_text(a, headline, answer);
    }
    return FINE;
}

/* ---- lists ---- */

/* "fp32 67, bf16 989.5", in TFLOP/s. */
static char *peaks_text(const bnd_machine *m)
{
    char *text = copy_text("");
    for (size_t i = 0; i < m->peaks; i++) {
        const bnd_peak *p = &m->peak[i];
        char *rate = plain_text(p->dense / 1e12);
        char *longer =
            format_text("%s%s%.*s %s", text, i > 0 ? ", " : "", (int)strcspn(p->formats, " "), p->formats, rate);
        free(rate);
        free(text);
        text = longer;
    }
    return text;
}

int cost_list_machines(const asked *a)
{
    static const column columns[] = {
        {"name", "name", false, false, false, false, 0},
        {"memory_gb", "memory (GB)", true, true, false, false, 0},
        {"bandwidth_gb_s", "bandwidth (GB/s)", true, true, false, false, 0},
        {"dense_tflops", "dense peaks (TFLOP/s)", false, false, false, false, 0},
        {"source", "source", false, false, false, true, 0},
    };
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .output = a->common.output,
               .key = "machines"};
    for (size_t i = 0; i < bnd_machine_count(); i++) {
        bnd_machine m;
        if (!bnd_machine_at(&m, i) || m.peaks == 0) {
            continue; /* this machine: it has none until it is measured */
        }
        table_add(&t, copy_text(m.name));
        table_add(&t, plain_text(m.memory / 1e9));
        table_add(&t, plain_text(m.bandwidth / 1e9));
        table_add(&t, peaks_text(&m));
        table_add(&t, copy_text(m.source));
    }
    table_end(&t);
    return FINE;
}

int cost_list_models(const asked *a)
{
    static const column columns[] = {
        {"name", "name", false, false, false, false, 0},
        {"parameters", "parameters", true, true, false, false, 0},
        {"layers", "layers", true, true, false, false, 0},
        {"hidden", "hidden", true, true, false, false, 0},
        {"heads", "heads", true, true, false, false, 0},
        {"kv_heads", "of k, v", true, true, false, false, 0},
        {"vocabulary", "vocabulary", true, true, false, false, 0},
        {"title", "what it is", false, false, false, false, 0},
    };
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .output = a->common.output,
               .key = "models"};
    for (size_t i = 0; i < bnd_architecture_count(); i++) {
        const bnd_architecture *m = bnd_architecture_at(i);
        const uint64_t sizes[] = {m->layers, m->hidden, m->heads, m->kv_heads, m->vocabulary};
        table_add(&t, copy_text(m->name));
        table_add(&t, format_text("%.0f", bnd_architecture_parameters(m)));
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            table_add(&t, format_text("%llu", (unsigned long long)sizes[k]));
        }
        table_add(&t, copy_text(bnd_architecture_title(i)));
    }
    table_end(&t);
    return FINE;
}
