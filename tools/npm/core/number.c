/* Single numbers. JavaScript first says which number it means (take_...), then what to do with it. */
#include "core.h"

/* The number. A code keeps its format, since flush_in is about the format that a number comes from. */
static struct {
    bnd_number number;
    bool is_code;
    bnd_format format;
    uint64_t code;
} taken;

/* Operands of an operation: codes, each of its own format. */
static bnd_format operand_formats[BND_OPERANDS_MAX];
static uint64_t operand_codes[BND_OPERANDS_MAX];

static void take(const bnd_format *f, uint64_t code)
{
    taken.number = bnd_number_of_exact(bnd_unpack(f, code));
    taken.is_code = true;
    taken.format = *f;
    taken.code = code;
}

/* A NaN of JavaScript has neither sign nor payload that a program could see: it counts as positive and quiet. */
EXPORT(take_number) void core_take_number(double x)
{
    union {
        double x;
        uint64_t code;
    } bits = {x};
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    take(fp64, x != x ? fp64->nan_code : bits.code);
}

EXPORT(take_code) bnd_status core_take_code(uint32_t format, uint64_t code)
{
    const bnd_format *f = core_format(format);
    if (f->width == 0) {
        return bnd_fail(&core_error, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes", f->name);
    }
    if (f->width < 64 && code >> f->width != 0) {
        return bnd_fail(&core_error, BND_BAD_ARGUMENT, 0, "a code of %s must have at most %u bits", f->name,
                        (unsigned)f->width);
    }
    take(f, code);
    return BND_OK;
}

/* The text stays where it is until the answer is complete. */
EXPORT(take_text) bnd_status core_take_text(const char *text, size_t length)
{
    taken.is_code = false;
    return bnd_number_parse_n(&taken.number, text, length, &core_error);
}

static bnd_rounded round_taken(const bnd_format *f, bnd_rule rule, uint64_t random)
{
    return taken.is_code ? bnd_round_code(f, &taken.format, taken.code, rule, random)
                         : bnd_round_exact(f, taken.number.value, bnd_rule_of_conversion(rule), random);
}

/* ---- one number in one format ---- */

static bool is_finite(bnd_exact x)
{
    return x.kind == BND_KIND_FINITE || x.kind == BND_KIND_ZERO;
}

/* The shortest text, the hexadecimal float, and the fields of the code. */
static void tell_more(const bnd_format *f, bnd_exact value)
{
    char *out;
    size_t size;
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_shortest(out, size, f, value)));
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_hex(out, size, value)));
    for (unsigned field = 0; f->width != 0 && field < BND_FIELD_COUNT; field++) {
        do {
            out = core_room(&size);
        } while (core_again(bnd_print_field(out, size, f, core_answered.code, (bnd_field)field)));
    }
}

/* The exact error, and six digits of it. */
static void tell_error(bnd_exact value)
{
    enum { DIGITS = 6 };
    const bnd_number *number = &taken.number;
    char *out;
    size_t size, length = 0;
    bnd_exact error;
    if (!is_finite(value) || !is_finite(number->value)) {
        return;
    }
    bnd_status status;
    do {
        out = core_room(&size);
        status = bnd_print_error(&length, out, size, value, number, BND_NOTATION_AUTO, NULL);
    } while (status == BND_OK && core_again(length));
    if (status != BND_OK || bnd_parse_exact_n(&error, out, length, NULL) != BND_OK) {
        return;
    }
    error.sticky = false;
    do {
        out = core_room(&size);
    } while (core_again(bnd_print_digits(out, size, error, DIGITS)));
    core_answered.has_error = true;
    if (bnd_relative_error(&core_answered.relative, value, number, NULL) != BND_OK) {
        core_answered.relative = __builtin_nan("");
    }
}

/* The number rounded to a format; `more`: with every digit, the fields and the error. */
EXPORT(round) void core_round(uint32_t format, uint32_t rule, uint64_t random, bool more)
{
    const bnd_format *f = core_format(format);
    bnd_rounded r = round_taken(f, core_rule(rule), random);
    core_tell(f, r.value, r.flags, r.ternary);
    if (more) {
        tell_more(f, r.value);
        tell_error(r.value);
    }
}

/* The code that was taken, as it is: signaling NaNs stay, no flag is raised. */
EXPORT(look) void core_look(bool more)
{
    core_tell(&taken.format, taken.number.value, 0, 0);
    core_answered.code = taken.code;
    if (more) {
        tell_more(&taken.format, taken.number.value);
        tell_error(taken.number.value);
    }
}

/* The next value of the format above (direction 1) or below (-1) the number; false if there is none. */
EXPORT(neighbour) bool core_neighbour(uint32_t format, int direction)
{
    const bnd_format *f = core_format(format);
    bnd_exact next;
    if (!bnd_neighbour(&next, f, taken.number.value, direction)) {
        return false;
    }
    core_tell(f, next, 0, 0);
    return true;
}

/* ---- operations ---- */

/* Keeps the number as an operand: a code as it is, any other number rounded to the format, to nearest even. */
EXPORT(keep_operand) bnd_status core_keep_operand(uint32_t which, uint32_t format, bool as_it_is)
{
    const bnd_format *f = core_format(format);
    which %= BND_OPERANDS_MAX;
    if (as_it_is && taken.is_code) {
        operand_formats[which] = taken.format;
        operand_codes[which] = taken.code;
        return BND_OK;
    }
    if (f->width == 0) {
        return bnd_fail(&core_error, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes", f->name);
    }
    operand_formats[which] = *f;
    operand_codes[which] = bnd_pack(f, round_taken(f, (bnd_rule){0}, 0).value);
    return BND_OK;
}

/* The integer of scalb. */
EXPORT(keep_integer) void core_keep_integer(uint32_t which, uint64_t n)
{
    operand_formats[which % BND_OPERANDS_MAX] = *bnd_format_at(BND_FORMAT_FP64);
    operand_codes[which % BND_OPERANDS_MAX] = n;
}

EXPORT(operands) unsigned core_operands(uint32_t operation)
{
    return bnd_operation_operands((bnd_operation)operation);
}

EXPORT(name_operation) bnd_status core_name_operation(const char *text, size_t length)
{
    bnd_operation operation;
    const char *name = core_text(text, length);
    bnd_status status = name == NULL ? core_error.status : bnd_operation_parse(&operation, name, &core_error);
    if (status == BND_OK) {
        core_answered.integers[0] = (int32_t)operation;
    }
    return status;
}

EXPORT(operate) bnd_status core_operate(uint32_t format, uint32_t operation, uint32_t rule, uint64_t random)
{
    const bnd_format *f = core_format(format);
    const bnd_format *from[BND_OPERANDS_MAX] = {&operand_formats[0], &operand_formats[1], &operand_formats[2]};
    if (f->width == 0) {
        return bnd_fail(&core_error, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes", f->name);
    }
    bnd_status status = bnd_operation_serves((bnd_operation)operation, from, &core_error);
    if (status == BND_OK) {
        bnd_result r = bnd_operate(f, (bnd_operation)operation, from, operand_codes, core_rule(rule), random);
        core_tell(f, bnd_unpack(f, r.code), r.flags, r.ternary);
        core_answered.code = r.code;
    }
    return status;
}

/* The relation of the first two operands as a bnd_relation; the flags are in the answer. */
EXPORT(compare) unsigned core_compare(uint32_t rule, bool signaling)
{
    for (unsigned relation = BND_RELATION_LESS; relation <= BND_RELATION_UNORDERED; relation *= 2) {
        bnd_result r = bnd_compare_mixed(&operand_formats[0], operand_codes[0], &operand_formats[1], operand_codes[1],
                                         relation | (signaling ? BND_RELATION_SIGNALING : 0), core_rule(rule));
        core_answered.flags = r.flags;
        if (r.code != 0) {
            return relation;
        }
    }
    return 0;
}
