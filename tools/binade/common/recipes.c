/* Recipes on a command line: built-in rows, settings, files, lists of them. */
#include "recipes.h"
#include "print.h"
#include "store/mapped_file.h"

#include <stdlib.h>
#include <string.h>

bool has_recipe(const recipe_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is it what its name says? A file may call anything by the name of a row. */
static bool is_row(const bnd_policy *policy)
{
    bnd_policy row;
    return bnd_policy_parse(&row, policy->name, NULL) == BND_OK && bnd_policy_same(&row, policy);
}

/* Reports errors of a recipe that no run can have when the recipe is read, with its name. */
static int check_policy(const recipe *r, const command *self)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bnd_status status = bnd_engine_new(&engine, NULL, &why);
    if (status == BND_OK) {
        status = bnd_engine_set_policy(engine, &r->policy, &why);
        bnd_engine_free(engine);
    }
    return status == BND_OK ? GO_ON : complain(self, "%s: %s", r->name, why.message);
}

/* A recipe in a file is called as it says, or as the file where that would be another's name. */
static int read_recipe(recipe *r, const command *self)
{
    bnd_lab_mapped map;
    bnd_error why;
    bnd_status status = bnd_lab_map_open(&map, r->name, &why);
    if (status == BND_OK) {
        status = bnd_recipe_read_n(&r->policy, (const char *)map.bytes, map.size, &why);
        bnd_lab_map_close(&map);
    }
    if (status != BND_OK) {
        return fail(self, r->name, status, &why);
    }
    if (check_policy(r, self) != GO_ON) {
        return BAD_USAGE;
    }
    bool of_its_own = bnd_policy_parse(&(bnd_policy){.update = 0}, r->policy.name, NULL) != BND_OK;
    if (strcmp(r->policy.name, "custom") != 0 && (of_its_own || is_row(&r->policy))) {
        snprintf(r->name, sizeof r->name, "%s", r->policy.name);
    }
    return GO_ON;
}

static bool is_file(const char *text, size_t length)
{
    static const char ending[] = ".json";
    return length > sizeof ending - 1 && memcmp(text + length - (sizeof ending - 1), ending, sizeof ending - 1) == 0;
}

int parse_recipe(recipe *out, const command *self, const char *text, size_t length)
{
    bnd_error why;
    *out = (recipe){.switches = false};
    if (length >= sizeof out->name) {
        return complain(self, "a recipe has at most %zu characters, not %zu: '%.40s...'", sizeof out->name - 1, length,
                        text);
    }
    memcpy(out->name, text, length);
    out->name[length] = '\0';
    if (!is_plain_text(out->name)) {
        return complain(self, "a recipe, or the name of its file, has no control characters: '%s'", out->name);
    }
    if (length == 0) {
        return complain(self, "a recipe is missing in the list; write names separated by commas");
    }
    if (is_file(text, length)) {
        return read_recipe(out, self);
    }
    if (bnd_policy_parse(&out->policy, out->name, &why) != BND_OK) {
        return complain(self, "%s", why.message);
    }
    if (strcmp(out->policy.name, "custom") != 0) {
        snprintf(out->name, sizeof out->name, "%s", out->policy.name); /* as its row has it */
    }
    return check_policy(out, self);
}

void add_recipe(recipe_list *list, const recipe *r)
{
    if (has_recipe(list, r->name)) {
        return;
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        list->items = allocate(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = *r;
}

static int add_all(recipe_list *list, const command *self)
{
    int status = GO_ON;
    for (size_t i = 0; status == GO_ON && i < bnd_recipe_count(); i++) {
        recipe r;
        status = parse_recipe(&r, self, bnd_recipe_name(i), strlen(bnd_recipe_name(i)));
        if (status == GO_ON) {
            add_recipe(list, &r);
        }
    }
    return status;
}

/* The length of the first recipe in `text`: up to a semicolon, or up to a comma that another recipe follows. A
 * setting (with "=" in it) belongs to the recipe before it, except base=, which begins a recipe. */
static size_t recipe_length(const char *text)
{
    size_t length = strcspn(text, ",;");
    while (text[length] == ',') {
        const char *next = text + length + 1;
        size_t more = strcspn(next, ",;");
        if (memchr(next, '=', more) == NULL || strncmp(next, "base=", 5) == 0) {
            break;
        }
        length += 1 + more;
    }
    return length;
}

int add_recipes(recipe_list *recipes, const command *self, const char *list)
{
    for (;;) {
        size_t length = recipe_length(list);
        recipe r;
        int status =
            length == 3 && strncmp(list, "all", 3) == 0 ? add_all(recipes, self) : parse_recipe(&r, self, list, length);
        if (status != GO_ON) {
            return status;
        }
        if (!(length == 3 && strncmp(list, "all", 3) == 0)) {
            add_recipe(recipes, &r);
        }
        if (list[length] == '\0') {
            return GO_ON;
        }
        list += length + 1;
    }
}
