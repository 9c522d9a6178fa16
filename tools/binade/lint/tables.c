/* The tables of `binade lint`: the checks, and who loads which layout. */
#include "lint.h"

#include <stdlib.h>

static bool is_json(const lint *l)
{
    return l->common.output == OUTPUT_JSON;
}

void lint_print_checks(const lint *l)
{
    static const column columns[] = {
        {"code", "code", false, false, false, false, 0},     {"severity", "severity", false, false, false, false, 0},
        {"effect", "effect", false, false, false, false, 0}, {"title", "what is wrong", false, false, false, false, 0},
        {"source", "source", false, false, false, true, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = l->common.output};
    t.key = "checks";
    for (size_t i = 0; i < bnd_lint_check_count(); i++) {
        const bnd_lint_check *check = bnd_lint_check_at(i);
        table_add(&t, copy_text(check->code));
        table_add(&t, copy_text(bnd_severity_name(check->severity)));
        table_add(&t, copy_text(bnd_effect_name(check->effect)));
        table_add(&t, copy_text(check->title));
        table_add(&t, copy_text(check->source));
    }
    table_end(&t);
    if (!is_json(l)) {
        printf("\nSources:\n");
        for (size_t i = 0; i < bnd_lint_check_count(); i++) {
            const bnd_lint_check *check = bnd_lint_check_at(i);
            char *line = check->source[0] != '\0' ? format_text("%s: %s", check->code, check->source) : NULL;
            if (line != NULL) {
                put_wrapped(line, 2, 0);
            }
            free(line);
        }
    }
}

static void add_layout(table *t, const char *layout)
{
    table_add(t, copy_text(layout));
    for (unsigned i = 0; i < BND_LOADERS; i++) {
        bnd_loads loads = bnd_loader_cell_of(layout, (bnd_loader)i).loads;
        table_add(t, copy_text(loads != BND_LOADS_UNKNOWN ? bnd_loads_name(loads) : "-"));
    }
}

static const char *name_at(size_t row)
{
    return row < bnd_layout_count() ? bnd_layout_at(row)->name : "unquantized";
}

static void print_sources(const char *layout)
{
    for (unsigned i = 0; i < BND_LOADERS; i++) {
        bnd_loader_cell cell = bnd_loader_cell_of(layout, (bnd_loader)i);
        if (cell.loads != BND_LOADS_UNKNOWN) {
            char *line =
                format_text("%s, %s: %s%s%s: %s", layout, bnd_loader_name((bnd_loader)i), bnd_loads_name(cell.loads),
                            cell.note[0] != '\0' ? ", " : "", cell.note, cell.source);
            put_wrapped(line, 2, 0);
            free(line);
        }
    }
}

static void print_json_cells(void)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_array(&json, "loaders");
    for (size_t row = 0; row <= bnd_layout_count(); row++) {
        for (unsigned i = 0; i < BND_LOADERS; i++) {
            bnd_loader_cell cell = bnd_loader_cell_of(name_at(row), (bnd_loader)i);
            bnd_lab_json_object(&json, NULL);
            bnd_lab_json_string(&json, "layout", name_at(row));
            bnd_lab_json_string(&json, "loader", bnd_loader_name((bnd_loader)i));
            bnd_lab_json_string(&json, "loads", bnd_loads_name(cell.loads));
            bnd_lab_json_string(&json, "note", cell.note);
            bnd_lab_json_string(&json, "source", cell.source);
            bnd_lab_json_end(&json);
        }
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

void lint_print_loaders(const lint *l)
{
    static const column columns[] = {
        {"layout", "layout", false, false, false, false, 0},    {"vllm", "vLLM", false, false, false, false, 0},
        {"sglang", "SGLang", false, false, false, false, 0},    {"transformers", "HF", false, false, false, false, 0},
        {"tensorrt_llm", "TRT", false, false, false, false, 0}, {"comfyui", "Comfy", false, false, false, false, 0},
        {"llama_cpp", "llama", false, false, false, false, 0},
    };
    if (is_json(l)) {
        print_json_cells();
        return;
    }
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    for (size_t row = 0; row <= bnd_layout_count(); row++) {
        add_layout(&t, name_at(row));
    }
    table_end(&t);
    printf("\nHF: transformers, TRT: TensorRT-LLM, Comfy: ComfyUI, llama: llama.cpp. -: not\nverified in the loader's "
           "source.\n\nSources:\n");
    for (size_t row = 0; row <= bnd_layout_count(); row++) {
        print_sources(name_at(row));
    }
}
