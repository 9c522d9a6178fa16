/* The list of cases: those of arrays, then those of families. */
#include "bench.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct listing_as_json {
    bnd_lab_json *json;
    const bench_family *family;
} listing_as_json;

/* The member of a target is the yardstick's name in small letters. */
static void list_one_as_json(void *state, const char *name, double target)
{
    const listing_as_json *l = state;
    char key[16] = "";
    for (size_t i = 0; l->family->yardstick[i] != 0 && i + 1 < sizeof key; i++) {
        key[i] = (char)tolower((unsigned char)l->family->yardstick[i]);
    }
    bnd_lab_json_object(l->json, NULL);
    bnd_lab_json_string(l->json, "case", name);
    bench_json_number(l->json, key, target);
    bnd_lab_json_end(l->json);
}

static void list_one_as_text(void *state, const char *name, double target)
{
    (void)state;
    if (target > 0) {
        printf("%-36s %8.2f\n", name, target);
    } else {
        puts(name);
    }
}

static void list_as_json(const bench_case *cases, size_t count, const bench_options *options)
{
    bnd_lab_json json;
    bench_json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_array(&json, "cases");
    for (size_t i = 0; i < count; i++) {
        char name[BENCH_NAME_SIZE];
        bench_target target = bench_target_of_case(&cases[i]);
        bench_name(name, &cases[i]);
        bnd_lab_json_object(&json, NULL);
        bnd_lab_json_string(&json, "case", name);
        bench_json_number(&json, "memory", target.memory);
        bench_json_number(&json, "L2", target.l2);
        bnd_lab_json_end(&json);
    }
    for (size_t i = 0; bench_family_at(i) != NULL; i++) {
        listing_as_json state = {&json, bench_family_at(i)};
        bench_family_at(i)->each(options, list_one_as_json, &state);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    putchar('\n');
}

static void list_as_text(const bench_case *cases, size_t count)
{
    if (count > 0) {
        printf("%-36s %8s %8s\n", "case", "memory", "L2");
    }
    for (size_t i = 0; i < count; i++) {
        char name[BENCH_NAME_SIZE];
        bench_target target = bench_target_of_case(&cases[i]);
        bench_name(name, &cases[i]);
        if (target.memory > 0 && target.l2 > 0) {
            printf("%-36s %8.2f %8.2f\n", name, target.memory, target.l2);
        } else if (target.memory > 0) {
            printf("%-36s %8.2f\n", name, target.memory);
        } else if (target.l2 > 0) {
            printf("%-36s %8s %8.2f\n", name, "", target.l2);
        } else {
            puts(name);
        }
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
            if (bench_family_count(family, options) > 0) {
                printf("%-36s %8s\n", family->title, family->yardstick);
            }
            family->each(options, list_one_as_text, NULL);
        }
    }
}
