/* The table of checks, and findings: added one by one, ordered at the end. */
#include "lint/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static const bnd_lint_check rows[] = {
#define CHECK(word, code, severity, effect, title, source)                                                             \
    {code, BND_SEVERITY_##severity, BND_EFFECT_##effect, title, source},
#include "lint/checks.def"
#undef CHECK
};

size_t bnd_lint_check_count(void)
{
    return BNDI_CHECKS;
}

const bnd_lint_check *bnd_lint_check_at(size_t row)
{
    return row < BNDI_CHECKS ? &rows[row] : NULL;
}

bndi_check bndi_lint_check_of(const char *code)
{
    unsigned row = 0;
    while (row < BNDI_CHECK_file_damage && strcmp(rows[row].code, code) != 0) {
        row++;
    }
    return (bndi_check)row;
}

const char *bnd_severity_name(bnd_severity severity)
{
    static const char *const names[] = {"note", "suspect", "damage"};
    return severity <= BND_SEVERITY_DAMAGE ? names[severity] : "";
}

const char *bnd_effect_name(bnd_effect effect)
{
    static const char *const names[] = {"none", "refused", "wrong"};
    return effect <= BND_EFFECT_WRONG ? names[effect] : "";
}

/* ---- findings ---- */

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *out = malloc(size);
    if (out != NULL) {
        memcpy(out, text, size);
    }
    return out;
}

static bool make_room(bnd_lint *lint)
{
    if (lint->count < lint->capacity) {
        return true;
    }
    size_t capacity = lint->capacity == 0 ? 64 : 2 * lint->capacity;
    bndi_lint_found *found =
        capacity <= SIZE_MAX / sizeof *found ? realloc(lint->found, capacity * sizeof *found) : NULL;
    if (found == NULL) {
        return false;
    }
    lint->found = found;
    lint->capacity = capacity;
    return true;
}

static void add(bnd_lint *lint, bndi_check check, bnd_severity severity, const char *where, const char *message)
{
    char *place = copy(where), *text = copy(message);
    if (place == NULL || text == NULL || !make_room(lint)) {
        free(place);
        free(text);
        lint->no_memory = true;
        return;
    }
    lint->found[lint->count] = (bndi_lint_found){{&rows[check], severity, place, text}, lint->count};
    lint->count++;
}

enum { MESSAGE_SIZE = 600 };

void bndi_lint_report(bnd_lint *lint, bndi_check check, const char *where, const char *message, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, message);
    (void)vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    add(lint, check, rows[check].severity, where, text);
}

void bndi_lint_report_as(bnd_lint *lint, bndi_check check, bnd_severity severity, const char *where,
                         const char *message, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, message);
    (void)vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    add(lint, check, severity, where, text);
}

void bndi_lint_take_back(bnd_lint *lint, size_t count)
{
    while (lint->count > count) {
        bnd_lint_finding *last = &lint->found[--lint->count].finding;
        free((char *)(uintptr_t)last->where);
        free((char *)(uintptr_t)last->message);
    }
}

static int compare(const void *a, const void *b)
{
    const bndi_lint_found *x = a, *y = b;
    if (x->finding.severity != y->finding.severity) {
        return x->finding.severity > y->finding.severity ? -1 : 1;
    }
    if (x->finding.check != y->finding.check) {
        return x->finding.check < y->finding.check ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

void bndi_lint_order(bnd_lint *lint)
{
    bnd_lint_summary *sum = &lint->summary;
    if (lint->count > 0) {
        qsort(lint->found, lint->count, sizeof *lint->found, compare);
    }
    for (size_t i = 0; i < lint->count; i++) {
        const bnd_lint_finding *f = &lint->found[i].finding;
        uint64_t *counts[] = {&sum->note, &sum->suspect, &sum->damage};
        bool counted = f->severity > BND_SEVERITY_NOTE;
        ++*counts[f->severity];
        sum->refused += counted && f->check->effect == BND_EFFECT_REFUSED;
        sum->wrong += counted && f->check->effect == BND_EFFECT_WRONG;
    }
}

size_t bnd_lint_findings(const bnd_lint *lint)
{
    return lint->count;
}

const bnd_lint_finding *bnd_lint_finding_at(const bnd_lint *lint, size_t index)
{
    return index < lint->count ? &lint->found[index].finding : NULL;
}
