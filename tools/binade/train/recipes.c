/* The recipes of a training, as given by --recipe and --switch. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

int training_add_recipes(training_options *o, const char *list)
{
    return add_recipes(&o->recipes, o->common.command, list);
}

bool training_put_reference_first(training_options *o)
{
    static const char reference[] = "fp32";
    recipe r;
    bool missing = !has_recipe(&o->recipes, reference);
    if (missing && parse_recipe(&r, o->common.command, reference, strlen(reference)) == GO_ON) {
        add_recipe(&o->recipes, &r);
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
    if (at == NULL || at == value) {
        return complain(o->common.command, "--switch must be RECIPE@STEP, not '%s'", value);
    }
    int status = read_whole_number(&step, &o->common, "switch: the step", at + 1, 0, UINT32_MAX);
    status = status == GO_ON ? parse_recipe(&to, o->common.command, value, (size_t)(at - value)) : status;
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
        add_recipe(&o->recipes, &r);
    }
    return status;
}
