/* The list of cases: those of arrays, then those of families. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

typedef struct listing_as_json {
    bnd_lab_json *json;
    const char *size; /* "array", or that of a family */
} listing_as_json;

static void list_one_as_json(void *state, const char *name)
{
    const listing_as_json *l = state;
    bnd_lab_json_object(l->json, NULL);
    bnd_lab_json_string(l->json, "case", name);
    bnd_lab_json_string(l->json, "size", l->size);
    bnd_lab_json_end(l->json);
}

static void list_one_as_text(void *state, const char *name)
{
    (void)state;
    puts(name);
}

static void list_as_json(const bench_case *cases, size_t count, const bench_options *options)
{
    bnd_lab_json json;
    bench_json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_array(&json, "cases");
    for (size_t i = 0; i < count; i++) {
        char name[BENCH_NAME_SIZE];
        listing_as_json state = {&json, "array"};
        bench_name(name, &cases[i]);
        list_one_as_json(&state, name);
    }
    for (size_t i = 0; bench_family_at(i) != NULL; i++) {
        listing_as_json state = {&json, bench_family_at(i)->size};
        bench_family_at(i)->each(options, list_one_as_json, &state);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    putchar('\n');
}

static void list_as_text(const bench_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[BENCH_NAME_SIZE];
        bench_name(name, &cases[i]);
        puts(name);
    }
}

void bench_list(const bench_case *cases, size_t count, const bench_options *options)
{
    if (options->json) {
        list_as_json(cases, count, options);
    } else {
        list_as_text(cases, count);
        for (size_t i = 0; bench_family_at(i) != NULL; i++) {
            const bench_family *family = bench_family_at(i);
            family->each(options, list_one_as_text, NULL);
        }
    }
}
