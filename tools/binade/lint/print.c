/* The output of `binade lint`: the answer first, then findings by kind, layouts, and who loads them. */
#include "lint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, PLACES = 3 };

bool next_kind(kind *k, const bnd_lint *found)
{
    k->first += k->count;
    k->count = 0;
    const bnd_lint_finding *first = bnd_lint_finding_at(found, k->first), *next = first;
    while (next != NULL && next->check == first->check && next->severity == first->severity) {
        k->count++;
        next = bnd_lint_finding_at(found, k->first + k->count);
    }
    return k->count > 0;
}

/* ---- texts ---- */

/* A paragraph. Names come from files: control characters are escaped. */
static void put_owned(char *text, size_t indent)
{
    size_t size = 4 * strlen(text) + 1;
    char *plain = allocate(NULL, size, 1);
    memcpy(plain, text, strlen(text) + 1);
    make_plain_text(plain, size);
    printf("%*s", (int)indent, "");
    put_wrapped(plain, indent, indent);
    free(plain);
    free(text);
}

static char *size_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double x = (double)bytes;
    size_t unit = 0;
    while (x >= 999.5 && unit < sizeof units / sizeof units[0] - 1) {
        x /= 1000;
        unit++;
    }
    return format_text(unit == 0 ? "%.0f %s" : "%.3g %s", x, units[unit]);
}

/* ---- the answer ---- */

static char *answer_text(const bnd_lint *found)
{
    const size_t length = bnd_lint_print_answer(NULL, 0, found);
    char *text = allocate(NULL, length + 1, 1);
    bnd_lint_print_answer(text, length + 1, found);
    return text;
}

/* ---- findings ---- */

static void print_kind(const lint *l, const bnd_lint *found, const kind *k)
{
    const bnd_lint_finding *first = bnd_lint_finding_at(found, k->first);
    size_t shown = l->all || k->count <= PLACES + 1 ? k->count : PLACES;
    put_owned(format_text("%s %s: %s%s", bnd_severity_name(first->severity), first->check->code, first->check->title,
                          first->severity == BND_SEVERITY_SUSPECT ? "?" : ""),
              0);
    for (size_t i = 0; i < shown; i++) {
        const bnd_lint_finding *f = bnd_lint_finding_at(found, k->first + i);
        put_owned(format_text("%s: %s", f->where, f->message), INDENT);
    }
    if (shown < k->count) {
        put_owned(format_text("and %zu more (--all prints them)", k->count - shown), INDENT);
    }
    if (first->check->source[0] != '\0') {
        put_owned(format_text("source: %s", first->check->source), INDENT);
    }
    putchar('\n');
}

/* ---- layouts and loaders ---- */

static void print_layouts(const lint *l, const bnd_lint *found)
{
    static const column columns[] = {
        {"layout", "layout", false, false, false, false, 0},
        {"weights", "weights", true, true, false, false, 0},
        {"bytes", "size", true, false, false, false, 0},
        {"title", "which is", false, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    (void)l;
    for (size_t i = 0; i < bnd_lint_layouts(found); i++) {
        const bnd_lint_layout *row = bnd_lint_layout_at(found, i);
        table_add(&t, copy_text(row->name));
        table_add(&t, format_text("%" PRIu64, row->weights));
        table_add(&t, size_text(row->bytes));
        table_add(&t, copy_text(row->layout != NULL ? row->layout->title : "tensors as they are"));
    }
    if (t.count > 0) {
        table_end(&t);
    }
}

static void print_loaders(const char *layout)
{
    long_text line = {0};
    add_text(&line, "%s loads in: ", layout);
    size_t known = 0, unknown = 0;
    for (unsigned i = 0; i < BND_LOADERS; i++) {
        bnd_loader_cell cell = bnd_loader_cell_of(layout, (bnd_loader)i);
        unknown += cell.loads == BND_LOADS_UNKNOWN;
        if (cell.loads != BND_LOADS_UNKNOWN) {
            add_text(&line, "%s%s %s%s%s%s", known++ > 0 ? ", " : "", bnd_loader_name((bnd_loader)i),
                     bnd_loads_name(cell.loads), cell.note[0] != '\0' ? " (" : "", cell.note,
                     cell.note[0] != '\0' ? ")" : "");
        }
    }
    if (unknown > 0) {
        add_text(&line, "%snot verified: ", known > 0 ? "; " : "");
        for (unsigned i = 0, k = 0; i < BND_LOADERS; i++) {
            if (bnd_loader_cell_of(layout, (bnd_loader)i).loads == BND_LOADS_UNKNOWN) {
                add_text(&line, "%s%s", k++ > 0 ? ", " : "", bnd_loader_name((bnd_loader)i));
            }
        }
    }
    put_owned(line.text, 0);
}

static bool has_quantized(const bnd_lint *found)
{
    bool has = false;
    for (size_t i = 0; i < bnd_lint_layouts(found); i++) {
        has = has || bnd_lint_layout_at(found, i)->layout != NULL;
    }
    return has;
}

static void print_read(const bnd_lint *found)
{
    const bnd_lint_summary *sum = bnd_lint_summary_of(found);
    char *bytes = size_text(sum->bytes), *read = size_text(sum->scales_read), *of = size_text(sum->scale_bytes);
    char *codes = size_text(sum->codes_read);
    putchar('\n');
    put_owned(format_text("%zu tensor%s in %zu file%s, %s. Read: headers, configs, %s of scales%s%s, %s of codes.",
                          sum->tensors, sum->tensors == 1 ? "" : "s", sum->files, sum->files == 1 ? "" : "s", bytes,
                          read, sum->scales_read < sum->scale_bytes ? " out of " : "",
                          sum->scales_read < sum->scale_bytes ? of : "", codes),
              0);
    free(bytes);
    free(read);
    free(of);
    free(codes);
}

void lint_print_text(const lint *l, const bnd_lint *found)
{
    kind k = {0, 0};
    put_owned(answer_text(found), 0);
    putchar('\n');
    while (next_kind(&k, found)) {
        print_kind(l, found, &k);
    }
    print_layouts(l, found);
    bool quantized = has_quantized(found), begun = false;
    for (size_t i = 0; i < bnd_lint_layouts(found); i++) {
        const bnd_lint_layout *row = bnd_lint_layout_at(found, i);
        if (row->layout != NULL || (!quantized && bnd_lint_summary_of(found)->damage == 0)) {
            printf("%s", begun ? "" : "\n");
            print_loaders(row->name);
            begun = true;
        }
    }
    print_read(found);
}

/* ---- JSON ---- */

static void json_finding(bnd_lab_json *json, const bnd_lint_finding *f)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "code", f->check->code);
    bnd_lab_json_string(json, "severity", bnd_severity_name(f->severity));
    bnd_lab_json_string(json, "effect", bnd_effect_name(f->check->effect));
    bnd_lab_json_string(json, "title", f->check->title);
    bnd_lab_json_string(json, "where", f->where);
    bnd_lab_json_string(json, "message", f->message);
    bnd_lab_json_string(json, "source", f->check->source);
    bnd_lab_json_end(json);
}

static void json_loaders(bnd_lab_json *json, const char *layout)
{
    bnd_lab_json_array(json, "loaders");
    for (unsigned i = 0; i < BND_LOADERS; i++) {
        bnd_loader_cell cell = bnd_loader_cell_of(layout, (bnd_loader)i);
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "loader", bnd_loader_name((bnd_loader)i));
        bnd_lab_json_string(json, "loads", bnd_loads_name(cell.loads));
        bnd_lab_json_string(json, "note", cell.note);
        bnd_lab_json_string(json, "source", cell.source);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_layout(bnd_lab_json *json, const bnd_lint_layout *row)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "layout", row->name);
    bnd_lab_json_string(json, "title", row->layout != NULL ? row->layout->title : "");
    bnd_lab_json_unsigned(json, "weights", row->weights);
    bnd_lab_json_unsigned(json, "elements", row->elements);
    bnd_lab_json_unsigned(json, "bytes", row->bytes);
    json_loaders(json, row->name);
    bnd_lab_json_end(json);
}

void json_lint(bnd_lab_json *json, const char *key, const lint *l, const bnd_lint *found)
{
    const bnd_lint_summary *sum = bnd_lint_summary_of(found);
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "path", l->common.operands[0]);
    json_owned_string(json, "answer", answer_text(found));
    bnd_lab_json_unsigned(json, "damage", sum->damage);
    bnd_lab_json_unsigned(json, "suspect", sum->suspect);
    bnd_lab_json_unsigned(json, "note", sum->note);
    bnd_lab_json_array(json, "findings");
    for (size_t i = 0; i < bnd_lint_findings(found); i++) {
        json_finding(json, bnd_lint_finding_at(found, i));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "layouts");
    for (size_t i = 0; i < bnd_lint_layouts(found); i++) {
        json_layout(json, bnd_lint_layout_at(found, i));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_unsigned(json, "files", sum->files);
    bnd_lab_json_unsigned(json, "tensors", sum->tensors);
    bnd_lab_json_unsigned(json, "bytes", sum->bytes);
    bnd_lab_json_unsigned(json, "scale_bytes", sum->scale_bytes);
    bnd_lab_json_unsigned(json, "scale_bytes_read", sum->scales_read);
    bnd_lab_json_unsigned(json, "code_bytes_read", sum->codes_read);
    bnd_lab_json_end(json);
}

void lint_print_json(const lint *l, const bnd_lint *found)
{
    bnd_lab_json json;
    json_begin(&json);
    json_lint(&json, NULL, l, found);
    json_line_end();
}
