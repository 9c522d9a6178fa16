/* The coverage of test vectors, with the values that are missing. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands and results by class ---- */

static uint64_t count_case(const bnd_vector_coverage *c, unsigned kind)
{
    uint64_t count = 0;
    for (unsigned class = 0; class < BND_VECTOR_CLASS_COUNT; class ++) {
        count += c->results[class][kind];
    }
    return count;
}

static uint64_t count_class(const bnd_vector_coverage *c, unsigned class)
{
    uint64_t count = 0;
    for (unsigned kind = 0; kind < BND_VECTOR_CASE_COUNT; kind++) {
        count += c->results[class][kind];
    }
    return count;
}

static void print_operands(const bnd_vector_coverage *c)
{
    column columns[1 + BND_VECTOR_CLASS_COUNT] = {{.heading = "class"}};
    table t = {.columns = columns, .column_count = 1};
    printf("Operands by class:\n");
    table_add(&t, copy_text("count"));
    for (unsigned class = 0; class < BND_VECTOR_CLASS_COUNT; class ++) {
        if (c->operands[class] > 0) {
            columns[t.column_count++] = (column){.heading = bnd_class_name((bnd_class) class), .number = true};
            table_add(&t, format_text("%llu", (unsigned long long)c->operands[class]));
        }
    }
    table_end(&t);
}

/* A row: its name, and a count for each column. Columns are the cases that occurred. */
static void add_counts(table *t, const bnd_vector_coverage *c, const char *name,
                       const uint64_t counts[BND_VECTOR_CASE_COUNT])
{
    table_add(t, copy_text(name));
    for (unsigned kind = 0; kind < BND_VECTOR_CASE_COUNT; kind++) {
        if (count_case(c, kind) > 0) {
            table_add(t, format_text("%llu", (unsigned long long)counts[kind]));
        }
    }
}

static void add_significands(table *t, const bnd_vector_coverage *c, bnd_operation operation)
{
    static const char *const products[] = {"product < 2", "product >= 2"}, *const quotients[] = {"quotient < 1",
                                                                                                 "quotient >= 1"};
    const char *const *names = operation == BND_OP_MUL ? products : quotients;
    for (unsigned carry = 0; carry < 2 && (operation == BND_OP_MUL || operation == BND_OP_DIV); carry++) {
        add_counts(t, c, names[carry], c->significands[carry]);
    }
}

/* Results by class, and by how the exact result lies between two values; products and quotients of significands too,
 * since a unit normalizes one half of them. */
static void print_results(const bnd_vector_coverage *c, const bnd_vectors *described)
{
    static const char *const headings[BND_VECTOR_CASE_COUNT] = {"exact",    "< half",   "tie", "> half",
                                                                "overflow", "infinite", "nan"};
    column columns[1 + BND_VECTOR_CASE_COUNT] = {{.heading = "class"}};
    table t = {.columns = columns, .column_count = 1};
    printf("\nResults by class, and by where the exact result is between two values:\n");
    for (unsigned kind = 0; kind < BND_VECTOR_CASE_COUNT; kind++) {
        if (count_case(c, kind) > 0) {
            columns[t.column_count++] = (column){.heading = headings[kind], .number = true};
        }
    }
    for (unsigned class = 0; class < BND_VECTOR_CLASS_COUNT; class ++) {
        if (count_class(c, class) > 0) {
            add_counts(&t, c, bnd_class_name((bnd_class) class), c->results[class]);
        }
    }
    if (described->kind == BND_VECTOR_KIND_OPERATION) {
        add_significands(&t, c, described->operation);
    }
    table_end(&t);
}

/* ---- ranges ---- */

/* The next run of integers that did not occur, from *at on; false if there is none. */
static bool next_gap(uint32_t *from, uint32_t *to, uint32_t *at, const bnd_vector_covered *r)
{
    while (*at < r->count && r->hit[*at] != 0) {
        ++*at;
    }
    *from = *at;
    while (*at < r->count && r->hit[*at] == 0) {
        ++*at;
    }
    *to = *at - 1;
    return *from < r->count;
}

/* "3-21 27-45 51", as much of it as there is room for. */
static char *gaps_text(const bnd_vector_covered *r)
{
    enum { ROOM = 26 };
    char *text = copy_text("");
    uint32_t at = 0, from, to;
    while (next_gap(&from, &to, &at, r)) {
        const char *blank = text[0] != '\0' ? " " : "";
        long first = r->first + (long)from, last = r->first + (long)to;
        char *longer = first == last ? format_text("%s%s%ld", text, blank, first)
                                     : format_text("%s%s%ld-%ld", text, blank, first, last);
        bool fits = strlen(longer) <= ROOM;
        if (!fits) {
            free(longer);
            longer = format_text("%s ...", text);
        }
        free(text);
        text = longer;
        if (!fits) {
            break;
        }
    }
    if (text[0] == '\0') {
        free(text);
        return copy_text("none");
    }
    return text;
}

static void print_ranges(const bnd_vector_check *check)
{
    static const column columns[] = {{.heading = "coverage"},
                                     {.heading = "covered", .number = true},
                                     {.heading = "of", .number = true},
                                     {.heading = "missing"}};
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    bnd_vector_covered r;
    putchar('\n');
    for (size_t i = 0; bnd_vector_check_covered(&r, check, i); i++) {
        table_add(&t, copy_text(r.what));
        table_add(&t, format_text("%u", (unsigned)r.met));
        table_add(&t, format_text("%u", (unsigned)r.count));
        table_add(&t, gaps_text(&r));
    }
    table_end(&t);
}

void print_vector_coverage(const bnd_vector_check *check, const bnd_vectors *described)
{
    const bnd_vector_coverage *c = bnd_vector_check_coverage(check);
    if (c->lines > 0) {
        print_operands(c);
        print_results(c, described);
        print_ranges(check);
    }
}

/* ---- JSON ---- */

static void json_ranges(bnd_lab_json *json, const bnd_vector_check *check)
{
    bnd_vector_covered r;
    bnd_lab_json_array(json, "ranges");
    for (size_t i = 0; bnd_vector_check_covered(&r, check, i); i++) {
        uint32_t at = 0, from, to;
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "what", r.what);
        bnd_lab_json_integer(json, "first", r.first);
        bnd_lab_json_unsigned(json, "of", r.count);
        bnd_lab_json_unsigned(json, "covered", r.met);
        bnd_lab_json_array(json, "missing");
        while (next_gap(&from, &to, &at, &r)) {
            bnd_lab_json_array(json, NULL);
            bnd_lab_json_integer(json, NULL, r.first + (int64_t)from);
            bnd_lab_json_integer(json, NULL, r.first + (int64_t)to);
            bnd_lab_json_end(json);
        }
        bnd_lab_json_end(json);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_significands(bnd_lab_json *json, const bnd_vector_coverage *c)
{
    bnd_lab_json_array(json, "significands");
    for (unsigned i = 0; i < 2 * BND_VECTOR_CASE_COUNT; i++) {
        uint64_t count = c->significands[i / BND_VECTOR_CASE_COUNT][i % BND_VECTOR_CASE_COUNT];
        if (count > 0) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_unsigned(json, "carry", i / BND_VECTOR_CASE_COUNT);
            bnd_lab_json_string(json, "case", bnd_vector_case_name((bnd_vector_case_kind)(i % BND_VECTOR_CASE_COUNT)));
            bnd_lab_json_unsigned(json, "count", count);
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

void json_vector_coverage(bnd_lab_json *json, const bnd_vector_check *check)
{
    const bnd_vector_coverage *c = bnd_vector_check_coverage(check);
    bnd_lab_json_object(json, "operands");
    for (unsigned class = 0; class < BND_VECTOR_CLASS_COUNT; class ++) {
        bnd_lab_json_unsigned(json, bnd_class_name((bnd_class) class), c->operands[class]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "coverage");
    for (unsigned i = 0; i < (unsigned)BND_VECTOR_CLASS_COUNT * BND_VECTOR_CASE_COUNT; i++) {
        uint64_t count = c->results[i / BND_VECTOR_CASE_COUNT][i % BND_VECTOR_CASE_COUNT];
        if (count > 0) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "class", bnd_class_name((bnd_class)(i / BND_VECTOR_CASE_COUNT)));
            bnd_lab_json_string(json, "case", bnd_vector_case_name((bnd_vector_case_kind)(i % BND_VECTOR_CASE_COUNT)));
            bnd_lab_json_unsigned(json, "count", count);
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
    json_significands(json, c);
    json_ranges(json, check);
}
