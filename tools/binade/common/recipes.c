/* Recipes on a command line: built-in rows, settings, files, lists of them. */
#include "recipes.h"
#include "print.h"

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

int parse_recipe(recipe *out, const command *self, const char *text, size_t length)
{
    bnd_error why;
    *out = (recipe){.switches = false};
    char *name = format_text("%.*s", (int)(length < sizeof out->name ? length : 0), text);
    bool plain = is_plain_text(name);
    if (!plain) {
        complain(self, "a recipe, or the name of its file, has no control characters: '%s'", name);
    }
    free(name);
    bnd_status status = plain ? bnd_recipe_choose_n(&out->policy, out->name, text, length, &why) : BND_OK;
    return !plain ? BAD_USAGE : status == BND_OK ? GO_ON : fail(self, "", status, &why);
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

int add_recipes(recipe_list *recipes, const command *self, const char *list)
{
    for (;;) {
        size_t length = bnd_recipe_list_first(list);
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
