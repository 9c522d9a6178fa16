/* The formats and rules in settings. */
#include "command.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

void add_format(format_list *list, const bnd_format *f)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        list->items = allocate(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = *f;
}

bool has_format(const format_list *list, const bnd_format *f)
{
    for (size_t i = 0; i < list->count; i++) {
        if (bnd_format_same(&list->items[i], f)) {
            return true;
        }
    }
    return false;
}

const char *block_element_name(const bnd_block *b)
{
    static const char *const integers[] = {"int1", "int2", "int3", "int4", "int5", "int6", "int7", "int8"};
    const size_t bits = b->element.precision;
    return b->integer && bits < sizeof integers / sizeof integers[0] ? integers[bits] : b->element.name;
}

char *block_text(const bnd_block *b)
{
    const char *element = block_element_name(b), *scale = b->scale.name;
    if (b->sharing == BND_SHARE_TENSOR) {
        return format_text("all %s values of a tensor share one %s scale", element, scale);
    }
    if (b->sharing == BND_SHARE_TILE) {
        return format_text("tiles of %zux%zu %s values share one %s scale", b->along, b->across, element, scale);
    }
    return b->along == 0 ? format_text("the %s values of a row share one %s scale", element, scale)
                         : format_text("%zu %s values share one %s scale", b->along, element, scale);
}

int parse_format(const command *self, bnd_format *out, const char *name)
{
    bnd_error why, of_block;
    bnd_block block;
    if (bnd_format_parse(out, name, &why) == BND_OK) {
        return GO_ON;
    }
    if (bnd_block_parse(&block, name, &of_block) != BND_OK) {
        bool like_one = strchr(name, '/') != NULL || strncmp(name, "mx", 2) == 0 || strncmp(name, "nv", 2) == 0;
        return complain(self, "%s", (like_one ? &of_block : &why)->message);
    }
    char *shared = block_text(&block);
    int status = complain(self,
                          "%s is a block format: %s, so a single value has no code; use the element format %s, or "
                          "'binade cast --via %s' for arrays ('binade formats %s' describes it)",
                          name, shared, block.element.name, name, name);
    free(shared);
    return status;
}

static int add_named(settings *s, const char *name)
{
    size_t group = bnd_group_size(name);
    for (size_t i = 0; i < group; i++) {
        bnd_format f;
        (void)bnd_group_at(&f, name, i);
        add_format(&s->formats, &f);
    }
    bnd_format f;
    int status = group == 0 ? parse_format(s->command, &f, name) : GO_ON;
    if (status == GO_ON && group == 0) {
        add_format(&s->formats, &f);
    }
    return status;
}

int add_formats(settings *s, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        char name[128];
        if (length == 0) {
            return complain(s->command, "a name is missing in the list of formats; write names separated by commas");
        }
        if (length >= sizeof name) {
            return complain(s->command, "unknown format '%.64s...'", list);
        }
        memcpy(name, list, length);
        name[length] = '\0';
        int status = add_named(s, name);
        if (status != GO_ON || list[length] == '\0') {
            return status;
        }
        list += length + 1;
    }
}

int default_formats(settings *s, const char *list)
{
    return s->formats_given ? GO_ON : add_formats(s, list);
}

/* ---- rules ---- */

bnd_rule rule_with(const settings *s, bnd_rule rule)
{
    if (s->rounding_given) {
        rule.rounding = s->rule.rounding;
        rule.random_bits = s->rule.random_bits;
    }
    if (s->flush_given) {
        rule.flush_in = s->rule.flush_in;
        rule.flush_out = s->rule.flush_out;
    }
    rule.overflow = s->overflow_given ? s->rule.overflow : rule.overflow;
    rule.nan = s->nan_given ? s->rule.nan : rule.nan;
    rule.tiny_before = s->tininess_given ? s->rule.tiny_before : rule.tiny_before;
    return rule;
}

bnd_rule rule_for(const settings *s, const bnd_format *f)
{
    bnd_rule from_dialect;
    bool has_rule = s->dialect_given && bnd_dialect_rule(&from_dialect, s->dialect, f);
    return has_rule ? rule_with(s, from_dialect) : s->rule;
}

/* What is wrong, and the dialects that have a rule for the format; to be freed. */
static char *silent_text(const settings *s, const bnd_format *f)
{
    bnd_rule rule;
    char *text = format_text("dialect %s has no rule for %s; leave --dialect out for the default rule",
                             bnd_dialect_name(s->dialect), f->name);
    const char *before = ", or choose one of";
    for (size_t i = 0; i < bnd_dialect_count(); i++) {
        if (bnd_dialect_rule(&rule, i, f)) {
            char *longer = format_text("%s%s %s", text, before, bnd_dialect_name(i));
            free(text);
            text = longer;
            before = ",";
        }
    }
    return text;
}

int refuse_silent_dialect(const settings *s, const bnd_format *f)
{
    bnd_rule rule;
    if (!s->dialect_given || bnd_dialect_rule(&rule, s->dialect, f)) {
        return GO_ON;
    }
    char *why = silent_text(s, f);
    int status = complain(s->command, "%s", why);
    free(why);
    return status;
}

void note_silent_dialect(const settings *s)
{
    for (size_t i = 0; s->dialect_given && i < s->formats.count; i++) {
        bnd_rule rule;
        if (!bnd_dialect_rule(&rule, s->dialect, &s->formats.items[i])) {
            note(s->command, "dialect %s has no rule for %s; the default rule is used", bnd_dialect_name(s->dialect),
                 s->formats.items[i].name);
        }
    }
}

uint64_t random_for(const settings *s, bnd_rule rule, size_t index)
{
    unsigned bits = bnd_rule_random_bits(rule);
    return bits == 0 ? 0 : s->random_given ? s->random : bnd_random_bits(s->seed, 0, index, bits);
}
