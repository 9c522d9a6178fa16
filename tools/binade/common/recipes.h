/* Recipes on a command line. */
#ifndef BINADE_TOOLS_RECIPES_H
#define BINADE_TOOLS_RECIPES_H

#include "command.h"

/* A recipe as a table has it, a row. */
typedef struct recipe {
    char name[BND_RECORD_NAME_SIZE]; /* of the library's row, or the settings as they were written */
    bnd_policy policy;
    bool switches; /* from a step on it is another */
    uint64_t switch_at;
    bnd_policy switch_to;
} recipe;

typedef struct recipe_list {
    recipe *items;
    size_t count, capacity;
} recipe_list;

/* A row's name, settings, or a file NAME.json. GO_ON, or the status to leave with. */
int parse_recipe(recipe *out, const command *self, const char *text, size_t length);
bool has_recipe(const recipe_list *list, const char *name);
void add_recipe(recipe_list *list, const recipe *r); /* if its name is new */
/* A list as --recipe takes it: recipes, separated by commas, or all. */
int add_recipes(recipe_list *recipes, const command *self, const char *list);

#endif
