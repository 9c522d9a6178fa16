/* Which software loads which layout. */
#include "lint/lint.h"

#include <string.h>

typedef struct loader_row {
    const char *layout;
    bnd_loader loader;
    bnd_loader_cell cell;
} loader_row;

static const loader_row rows[] = {
#define LOADS(layout, loader, answer, note, source) {layout, BND_LOADER_##loader, {BND_LOADS_##answer, note, source}},
#include "lint/loaders.def"
#undef LOADS
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const char *bnd_loader_name(bnd_loader loader)
{
    static const char *const names[BND_LOADERS] = {"vLLM",         "SGLang",  "transformers",
                                                   "TensorRT-LLM", "ComfyUI", "llama.cpp"};
    return loader < BND_LOADERS ? names[loader] : "";
}

const char *bnd_loads_name(bnd_loads loads)
{
    static const char *const names[] = {"unknown", "yes", "partly", "no"};
    return loads <= BND_LOADS_NO ? names[loads] : "";
}

/* The row's name, or all names that begin as it does. */
static bool is_for(const char *row, const char *layout)
{
    size_t length = strlen(row);
    bool family = length > 3 && strcmp(row + length - 3, "...") == 0;
    return family ? strncmp(row, layout, length - 3) == 0 : strcmp(row, layout) == 0;
}

bnd_loader_cell bnd_loader_cell_of(const char *layout, bnd_loader loader)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].loader == loader && is_for(rows[i].layout, layout)) {
            return rows[i].cell;
        }
    }
    return (bnd_loader_cell){BND_LOADS_UNKNOWN, "", ""};
}
