/* The recipes of a training, as given by --recipe and --switch: built-in rows, settings, files. */
#include "store/mapped_file.h"
#include "training.h"

#include <stdlib.h>
#include <string.h>

static bool has_recipe(const training_options *o, const char *name)
{
    for (size_t i = 0; i < o->recipes.count; i++) {
        if (strcmp(o->recipes.items[i].name, name) == 0) {
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
static int check_policy(const recipe *r, const training_options *o)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bnd_status status = bnd_engine_new(&engine, NULL, &why);
    if (status == BND_OK) {
        status = bnd_engine_set_policy(engine, &r->policy, &why);
        bnd_engine_free(engine);
    }
    return status == BND_OK ? GO_ON : complain(o->common.command, "%s: %s", r->name, why.message);
}

/* A recipe in a file is called as it says, or as the file where that would be another's name. */
static int read_recipe(recipe *r, const training_options *o)
{
    bnd_lab_mapped map;
    bnd_error why;
    bnd_status status = bnd_lab_map_open(&map, r->name, &why);
    if (status == BND_OK) {
        status = bnd_recipe_read_n(&r->policy, (const char *)map.bytes, map.size, &why);
        bnd_lab_map_close(&map);
    }
    if (status != BND_OK) {
        return fail(o->common.command, r->name, status, &why);
    }
    if (check_policy(r, o) != GO_ON) {
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

static int parse_recipe(recipe *out, const training_options *o, const char *text, size_t length)
{
    bnd_error why;
    *out = (recipe){.switches = false};
    if (length >= sizeof out->name) {
        return complain(o->common.command, "a recipe has at most %zu characters, not %zu: '%.40s...'",
                        sizeof out->name - 1, length, text);
    }
    memcpy(out->name, text, length);
    out->name[length] = '\0';
    if (!is_plain_text(out->name)) {
        return complain(o->common.command, "a recipe, or the name of its file, has no control characters: '%s'",
                        out->name);
    }
    if (length == 0) {
        return complain(o->common.command, "a recipe is missing in the list; write names separated by commas");
    }
    if (is_file(text, length)) {
        return read_recipe(out, o);
    }
    if (bnd_policy_parse(&out->policy, out->name, &why) != BND_OK) {
        return complain(o->common.command, "%s", why.message);
    }
    if (strcmp(out->policy.name, "custom") != 0) {
        snprintf(out->name, sizeof out->name, "%s", out->policy.name); /* as its row has it */
    }
    return check_policy(out, o);
}

static void add_recipe(training_options *o, const recipe *r)
{
    recipe_list *list = &o->recipes;
    if (has_recipe(o, r->name)) {
        return;
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        list->items = allocate(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = *r;
}

static int add_all(training_options *o)
{
    int status = GO_ON;
    for (size_t i = 0; status == GO_ON && i < bnd_recipe_count(); i++) {
        recipe r;
        status = parse_recipe(&r, o, bnd_recipe_name(i), strlen(bnd_recipe_name(i)));
        if (status == GO_ON) {
            add_recipe(o, &r);
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

int training_add_recipes(training_options *o, const char *list)
{
    for (;;) {
        size_t length = recipe_length(list);
        recipe r;
        int status = length == 3 && strncmp(list, "all", 3) == 0 ? add_all(o) : parse_recipe(&r, o, list, length);
        if (status != GO_ON) {
            return status;
        }
        if (!(length == 3 && strncmp(list, "all", 3) == 0)) {
            add_recipe(o, &r);
        }
        if (list[length] == '\0') {
            return GO_ON;
        }
        list += length + 1;
    }
}

bool training_put_reference_first(training_options *o)
{
    static const char reference[] = "fp32";
    recipe r;
    bool missing = !has_recipe(o, reference);
    if (missing && parse_recipe(&r, o, reference, strlen(reference)) == GO_ON) {
        add_recipe(o, &r);
    }
    size_t at = 0;
    while (strcmp(o->recipes.items[at].name, reference) != 0) {
        at++;
    }
    r = o->recipes.items[at];
    memmove(o->recipes.items + 1, o->recipes.items, at * sizeof r);
    o->recipes.items[0] = r;
    return missing;
}

int training_add_switched(training_options *o, const char *value, size_t kept)
{
    const char *at = strrchr(value, '@');
    uint64_t step;
    recipe to;
    if (at == NULL) {
        return complain(o->common.command, "--switch takes RECIPE@STEP, not '%s'", value);
    }
    int status = read_whole_number(&step, &o->common, "switch", at + 1, 0, UINT32_MAX);
    status = status == GO_ON ? parse_recipe(&to, o, value, (size_t)(at - value)) : status;
    for (size_t i = kept, count = o->recipes.count; status == GO_ON && i < count; i++) {
        recipe r = o->recipes.items[i];
        int length =
            snprintf(r.name, sizeof r.name, "%s>%s@%llu", o->recipes.items[i].name, to.name, (unsigned long long)step);
        if (length < 0 || (size_t)length >= sizeof r.name) {
            return complain(o->common.command, "the names of a recipe and of --switch are too long together");
        }
        r.switches = true;
        r.switch_at = step;
        r.switch_to = to.policy;
        add_recipe(o, &r);
    }
    return status;
}
