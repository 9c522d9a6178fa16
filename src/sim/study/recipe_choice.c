/* Recipes as people choose them: built-in ones by name, settings, files, and lists of them. */
#include "study/study.h"

#include <stdio.h>
#include <string.h>

#include "store/mapped_file.h"

/* Is it what its name says? A file may call anything by the name of a row. */
static bool is_row(const bnd_policy *policy)
{
    bnd_policy row;
    return bnd_policy_parse(&row, policy->name, NULL) == BND_OK && bnd_policy_same(&row, policy);
}

/* Reports errors of a recipe that no run can have when the recipe is read, with its name. */
static bnd_status check_policy(const bnd_policy *policy, const char *name, bnd_error *why)
{
    bnd_engine *engine = NULL;
    bnd_error its;
    bnd_status status = bnd_engine_new(&engine, NULL, why);
    if (status == BND_OK) {
        bnd_policy one = *policy;
        one.layers[0] = '\0';
        status = bnd_engine_set_policy(engine, &one, &its);
        for (size_t i = 0; status == BND_OK && bnd_policy_exception(&one, policy, i); i++) {
            status = bnd_engine_set_policy(engine, &one, &its);
        }
        bnd_engine_free(engine);
        status = status == BND_OK ? BND_OK : bnd_fail(why, status, its.where, "%s: %s", name, its.message);
    }
    return status;
}

/* A recipe in a file is called as it says, or as the file where that would be another's name. */
static bnd_status read_file(bnd_policy *policy, char name[BND_RECORD_NAME_SIZE], bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_error its;
    bnd_status status = bnd_lab_map_open(&map, name, &its);
    if (status == BND_OK) {
        status = bnd_recipe_read_n(policy, (const char *)map.bytes, map.size, &its);
        bnd_lab_map_close(&map);
    }
    if (status != BND_OK) {
        return bnd_fail(why, status, its.where, "%s: %s", name, its.message);
    }
    status = check_policy(policy, name, why);
    bool of_its_own = bnd_policy_parse(&(bnd_policy){.update = 0}, policy->name, NULL) != BND_OK;
    if (status == BND_OK && strcmp(policy->name, "custom") != 0 && (of_its_own || is_row(policy))) {
        snprintf(name, BND_RECORD_NAME_SIZE, "%s", policy->name);
    }
    return status;
}

static bool is_file(const char *text, size_t length)
{
    static const char ending[] = ".json";
    return length > sizeof ending - 1 && memcmp(text + length - (sizeof ending - 1), ending, sizeof ending - 1) == 0;
}

static bnd_status choose(bnd_policy *policy, char name[BND_RECORD_NAME_SIZE], bnd_error *why)
{
    if (is_file(name, strlen(name))) {
        return read_file(policy, name, why);
    }
    bnd_status status = bnd_policy_parse(policy, name, why);
    if (status == BND_OK && strcmp(policy->name, "custom") != 0) {
        snprintf(name, BND_RECORD_NAME_SIZE, "%s", policy->name); /* as its row has it */
    }
    return status == BND_OK ? check_policy(policy, name, why) : status;
}

bnd_status bnd_recipe_choose_n(bnd_policy *out, char name[BND_RECORD_NAME_SIZE], const char *text, size_t length,
                               bnd_error *why)
{
    char its[BND_RECORD_NAME_SIZE];
    bnd_policy policy;
    if (length >= sizeof its) {
        return bnd_fail(why, BND_BAD_SYNTAX, 0, "a recipe has at most %zu characters, not %zu: '%.*s...'",
                        sizeof its - 1, length, 40, text);
    }
    if (length == 0) {
        return bnd_fail(why, BND_BAD_SYNTAX, 0, "a recipe is missing in the list; write names separated by commas");
    }
    memcpy(its, text, length);
    its[length] = '\0';
    bnd_status status = choose(&policy, its, why);
    if (status == BND_OK) {
        *out = policy;
        memcpy(name, its, sizeof its);
    }
    return status;
}

size_t bnd_recipe_list_first(const char *list)
{
    size_t length = strcspn(list, ",;");
    while (list[length] == ',') {
        const char *next = list + length + 1;
        size_t more = strcspn(next, ",;");
        const bool sets = memchr(next, '=', more) != NULL || memchr(next, ':', more) != NULL;
        if (!sets || strncmp(next, "base=", 5) == 0) {
            break;
        }
        length += 1 + more;
    }
    return length;
}
