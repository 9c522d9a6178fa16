/* Formats and rules by name, kept in slots that JavaScript counts, and the tables of names. */
#include "core.h"

static bnd_format formats[CORE_SLOTS];
static bnd_rule rules[CORE_SLOTS];

const bnd_format *core_format(uint32_t slot)
{
    return &formats[slot % CORE_SLOTS];
}

bnd_rule core_rule(uint32_t slot)
{
    return rules[slot % CORE_SLOTS];
}

EXPORT(name_format) bnd_status core_name_format(uint32_t slot, const char *name, size_t length)
{
    bnd_format *f = &formats[slot % CORE_SLOTS];
    bnd_status status = bnd_format_parse_n(f, name, length, &core_error);
    core_begin();
    core_put(f->name);
    return status;
}

/* ---- rules ---- */

/* Cuts the first line off a text of lines. */
static char *next_line(char **rest)
{
    char *line = *rest, *end = line;
    while (*end != '\n' && *end != '\0') {
        end++;
    }
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return line;
}

static bnd_status take_dialect(bnd_rule *rule, const char *name, const bnd_format *f)
{
    size_t dialect;
    bnd_status status = bnd_dialect_parse(&dialect, name, &core_error);
    if (status != BND_OK || bnd_dialect_rule(rule, dialect, f)) {
        return status;
    }
    return bnd_fail(&core_error, BND_BAD_ARGUMENT, 0, "dialect %s has no rule for %s", bnd_dialect_name(dialect),
                    f->name);
}

/* The names are lines: dialect, rounding mode, overflow policy, NaN policy; an empty line is the default. The
 * dialect comes first, and what is named otherwise replaces its choices. */
EXPORT(name_rule)
bnd_status core_name_rule(uint32_t slot, uint32_t format, const char *lines, size_t length, bool flush_in,
                          unsigned flush_out, bool tiny_before)
{
    bnd_rule rule = {0};
    bnd_status status = BND_OK;
    char *rest = (char *)core_text(lines, length); // NOLINT
    if (rest == NULL) {
        return core_error.status;
    }
    const char *dialect = next_line(&rest), *rounding = next_line(&rest), *overflow = next_line(&rest);
    const char *nan = next_line(&rest);
    if (dialect[0] != '\0') {
        status = take_dialect(&rule, dialect, core_format(format));
    }
    if (status == BND_OK && rounding[0] != '\0') {
        status = bnd_rounding_parse(&rule, rounding, &core_error);
    }
    if (status == BND_OK && overflow[0] != '\0') {
        status = bnd_overflow_parse(&rule, overflow, &core_error);
    }
    if (status == BND_OK && nan[0] != '\0') {
        status = bnd_nan_parse(&rule, nan, &core_error);
    }
    rule.flush_in = flush_in;
    rule.flush_out = (uint8_t)flush_out;
    rule.tiny_before = tiny_before;
    if (status == BND_OK) {
        rules[slot % CORE_SLOTS] = rule;
    }
    return status;
}

EXPORT(random_bits_of) unsigned core_random_bits_of(uint32_t rule)
{
    return bnd_rule_random_bits(core_rule(rule));
}

EXPORT(random_bits) uint64_t core_random_bits(uint64_t seed, uint64_t purpose, uint64_t element, unsigned bits)
{
    return bnd_random_bits(seed, purpose, element, bits);
}

/* ---- the tables, each as lines ---- */

typedef struct table {
    size_t count;
    const char *(*name)(size_t row), *(*title)(size_t row);
} table;

static const char *format_name(size_t row)
{
    return bnd_format_at(row)->name;
}

static const char *rounding_name(size_t row)
{
    return bnd_rounding_name((bnd_rounding)row);
}

static const char *rounding_title(size_t row)
{
    return bnd_rounding_title((bnd_rounding)row);
}

static const char *overflow_name(size_t row)
{
    return bnd_overflow_name((bnd_overflow)row);
}

static const char *nan_name(size_t row)
{
    return bnd_nan_name((bnd_nan)row);
}

static const char *scale_rule_name(size_t row)
{
    return bnd_scale_rule_name((bnd_scale_rule)row);
}

static const char *scale_rule_who(size_t row)
{
    return bnd_scale_rule_who((bnd_scale_rule)row);
}

static const char *block_name(size_t row)
{
    static bnd_block block;
    (void)bnd_block_at(&block, row);
    return block.name;
}

static const char *operation_name(size_t row)
{
    return bnd_operation_name((bnd_operation)row);
}

static const char *flag_name(size_t row)
{
    return bnd_flag_name(UINT32_C(1) << row);
}

static const char *class_name(size_t row)
{
    return bnd_class_name((bnd_class)row);
}

static const char *backend_name(size_t row)
{
    (void)row;
    return bnd_backend_name(bnd_backend_best());
}

static const char *version(size_t row)
{
    (void)row;
    return bnd_version();
}

static const char *no_title(size_t row)
{
    (void)row;
    return "";
}

/* Names and titles of a table, line after line. The order of the tables is that of tools/npm/lib/tables.js. */
EXPORT(list) size_t core_list(uint32_t which)
{
    enum { FLAGS = 7, CLASSES = BND_CLASS_SIGNALING_NAN + 1 };
    const table tables[] = {
        {bnd_format_count(), format_name, bnd_format_title},
        {bnd_dialect_count(), bnd_dialect_name, bnd_dialect_title},
        {BND_ROUND_COUNT, rounding_name, rounding_title},
        {BND_OVERFLOW_COUNT, overflow_name, no_title},
        {BND_NAN_COUNT, nan_name, no_title},
        {bnd_block_count(), block_name, bnd_block_title},
        {BND_SCALE_COUNT, scale_rule_name, scale_rule_who},
        {BND_OP_COUNT, operation_name, no_title},
        {FLAGS, flag_name, no_title},
        {CLASSES, class_name, no_title},
        {1, backend_name, no_title},
        {1, version, no_title},
    };
    core_begin();
    if (which >= sizeof tables / sizeof tables[0]) {
        return 0;
    }
    for (size_t row = 0; row < tables[which].count; row++) {
        core_put(tables[which].name(row));
        core_put(tables[which].title(row));
    }
    return tables[which].count;
}

/* The formats of a group as lines of names. */
EXPORT(list_group) size_t core_list_group(const char *name, size_t length)
{
    const char *group = core_text(name, length);
    bnd_format f;
    size_t count = group == NULL ? 0 : bnd_group_size(group);
    core_begin();
    for (size_t i = 0; i < count && bnd_group_at(&f, group, i); i++) {
        core_put(f.name);
    }
    return count;
}
