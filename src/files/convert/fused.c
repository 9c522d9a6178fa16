/* Which weights share a tensor scale. */
#include "convert/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct fused {
    const char *model_type, *parts;
} rows[] = {
#define FUSED(model_type, parts) {model_type, parts},
#include "convert/fused.def"
#undef FUSED
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A weight whose name has such an end. Partners have the same row, and the same text before that end. */
typedef struct candidate {
    const char *name;
    size_t prefix, row, index;
} candidate;

static bool is_among(const char *words, const char *word, size_t length)
{
    for (;;) {
        size_t n = strcspn(words, " ");
        if (n == length && memcmp(words, word, n) == 0) {
            return true;
        }
        if (words[n] == '\0') {
            return false;
        }
        words += n + 1;
    }
}

static bool find_row(candidate *out, const char *name, size_t index, const char *model_type)
{
    size_t module = bndi_module_length(name), last = module;
    while (last > 0 && name[last - 1] != '.') {
        last--;
    }
    for (size_t row = 0; row < ROWS; row++) {
        if (is_among(rows[row].parts, name + last, module - last) &&
            bndi_glob(rows[row].model_type, model_type, strlen(model_type))) {
            *out = (candidate){.name = name, .prefix = last, .row = row, .index = index};
            return true;
        }
    }
    return false;
}

/* The order of partners, 0 if they are. */
static int compare_group(const candidate *a, const candidate *b)
{
    if (a->row != b->row) {
        return a->row < b->row ? -1 : 1;
    }
    if (a->prefix != b->prefix) {
        return a->prefix < b->prefix ? -1 : 1;
    }
    return memcmp(a->name, b->name, a->prefix);
}

static int compare(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    int order = compare_group(x, y);
    return order != 0 ? order : x->index < y->index ? -1 : 1;
}

size_t bndi_fuse(size_t *groups, const char *const *names, size_t count, const char *model_type)
{
    size_t n = 0, made = 0;
    candidate *all = malloc((count > 0 ? count : 1) * sizeof *all);
    if (all == NULL) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        groups[i] = SIZE_MAX;
        n += find_row(&all[n], names[i], i, model_type != NULL ? model_type : "");
    }
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && compare_group(&all[i], &all[next]) == 0; next++) {
        }
        for (size_t k = i; next - i > 1 && k < next; k++) {
            groups[all[k].index] = made;
        }
        made += next - i > 1;
    }
    free(all);
    return made;
}
