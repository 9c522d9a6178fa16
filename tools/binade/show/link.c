/* show --link: the address of the page with the state of this command. doc/reference/links.md says how the fragment is
 * written; tests/page/links.tsv has examples. Both are kept for ever. */
#include "look.h"
#include "common/page.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

/* What a fragment is made of: its lists as they grow. */
typedef struct parts {
    const settings *s;
    bool dialects;
    format_list codes_of; /* formats of codes that the settings do not list */
    long_text formats, values;
} parts;

static void add_item(long_text *list, const char *text)
{
    add_text(list, "%s", list->length > 0 ? "," : "");
    add_encoded(list, text, ",:"); /* commas are in parentheses only */
}

/* The format of a code is shown first where no formats were given (cmd_show.c); a link lists it for all its values. */
static int add_value(void *state, const given *v, size_t index)
{
    parts *p = state;
    (void)index;
    bool listed = p->dialects || p->s->formats_given || !v->is_code || has_format(&p->s->formats, &v->format) ||
                  has_format(&p->codes_of, &v->format);
    if (!listed) {
        add_format(&p->codes_of, &v->format);
        add_item(&p->formats, v->format.name);
    }
    add_item(&p->values, v->input);
    if (!v->is_code && !page_evaluates(v->input, strlen(v->input))) {
        note(p->s->command, "the page does not evaluate '%.80s%s'; it evaluates quotients of integers", v->input,
             strlen(v->input) > 80 ? "..." : "");
    }
    return GO_ON;
}

static void add_key(long_text *out, const char *key, const char *value)
{
    add_text(out, "%c%s=", out->length == 0 ? '?' : '&', key);
    add_encoded(out, value, ",:");
}

/* What was given of the rule, in the order of the page's table. */
static void add_rule(long_text *out, const settings *s)
{
    const bnd_rule rule = s->rule;
    if (s->rounding_given) {
        char *rounding = rounding_text(rule);
        add_key(out, "round", rounding);
        free(rounding);
    }
    if (s->overflow_given) {
        add_key(out, "overflow", bnd_overflow_name(bnd_rule_overflow(rule)));
    }
    if (s->nan_given) {
        add_key(out, "nan", bnd_nan_name(bnd_rule_nan(rule)));
    }
    if (rule.flush_in || rule.flush_out) {
        add_key(out, "flush", flush_word(rule));
    }
    if (rule.tiny_before) {
        add_key(out, "tininess", "before");
    }
    if (s->dialect_given) {
        add_key(out, "dialect", bnd_dialect_name(s->dialect));
    }
    if (s->seed != 0) {
        char *seed = format_text("%llu", (unsigned long long)s->seed);
        add_key(out, "seed", seed);
        free(seed);
    }
    if (s->random_given) {
        char *random = format_text("%llu", (unsigned long long)s->random);
        add_key(out, "random", random);
        free(random);
    }
}

int show_link(const settings *s, bool dialects, bool exact)
{
    parts p = {.s = s, .dialects = dialects};
    long_text keys = {0};
    int status = for_each_value(s, add_value, &p);
    if (status == GO_ON && p.values.length == 0) {
        status = complain(s->command, "standard input has no value to link to");
    }
    if (status == GO_ON) {
        char *address = page_address();
        for (size_t i = 0; i < s->formats.count; i++) {
            add_item(&p.formats, s->formats.items[i].name);
        }
        if (!dialects) {
            add_rule(&keys, s);
        }
        if (exact) {
            add_key(&keys, "exact", "1");
        }
        printf("%s#%s/%s/%s%s\n", address, dialects ? "libraries" : "number", p.formats.text, p.values.text,
               keys.text != NULL ? keys.text : "");
        free(address);
    }
    free(p.codes_of.items);
    free(p.formats.text);
    free(p.values.text);
    free(keys.text);
    return status;
}
