/* The description of test vectors, and the header line that holds it. */
#include "vectors/vectors.h"

/* ---- operations ---- */

static bnd_status read_pairs(bnd_vectors *v, const char *digits, bnd_error *why)
{
    unsigned pairs = 0;
    size_t i = 0;
    for (; digits[i] >= '0' && digits[i] <= '9' && pairs <= BND_VECTOR_DOT_PAIRS_MAX; i++) {
        pairs = 10 * pairs + (unsigned)(digits[i] - '0');
    }
    if (i == 0 || digits[i] != '\0' || pairs == 0 || pairs > BND_VECTOR_DOT_PAIRS_MAX) {
        return bnd_fail(why, BND_BAD_SYNTAX, 4, "a dot product must be dot:N with N from 1 to %d pairs, not 'dot:%s'",
                        BND_VECTOR_DOT_PAIRS_MAX, digits);
    }
    v->kind = BND_VECTOR_KIND_DOT;
    v->pairs = pairs;
    v->operands = 2 * pairs;
    return BND_OK;
}

static bnd_status read_operation(bnd_vectors *v, const char *name, bnd_error *why)
{
    if (bndi_same_word(name, bndi_length(name), "mxdot")) {
        v->kind = BND_VECTOR_KIND_MXDOT;
        v->pairs = BND_VECTOR_MXDOT_PAIRS;
        v->operands = 2 * BND_VECTOR_MXDOT_PAIRS + 2;
        return BND_OK;
    }
    if (bndi_length(name) >= 4 && bndi_same_word(name, 4, "dot:")) {
        return read_pairs(v, name + 4, why);
    }
    if (bndi_same_word(name, bndi_length(name), "dot")) {
        return bnd_fail(why, BND_BAD_SYNTAX, 0, "a dot product must have a number of pairs: dot:N, as in dot:4");
    }
    bnd_status status = bnd_operation_parse(&v->operation, name, why);
    if (status == BND_OK && v->operation == BND_OP_SCALB) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "scalb cannot be used with vectors, because its second operand is not a code");
    }
    v->operands = bnd_operation_operands(v->operation);
    return status;
}

static unsigned formats_of(const bnd_vectors *v)
{
    return v->kind == BND_VECTOR_KIND_OPERATION ? v->operands : 2;
}

static void note_one_format(bnd_vectors *v)
{
    v->one_format = v->kind == BND_VECTOR_KIND_OPERATION;
    for (unsigned i = 0; i < formats_of(v); i++) {
        v->one_format = v->one_format && bnd_format_same(&v->in[i], &v->out);
    }
}

bnd_rule bnd_vectors_rule(const bnd_vectors *v, bnd_rule rule)
{
    bool converts = v->kind == BND_VECTOR_KIND_OPERATION && v->operation == BND_OP_CONVERT;
    rule.random_bits = (uint8_t)bnd_rule_random_bits(rule);
    return converts ? bnd_rule_of_conversion(rule) : bnd_rule_of_operation(rule);
}

bnd_status bnd_vectors_describe(bnd_vectors *out, const char *operation, const bnd_format *in, size_t in_count,
                                const bnd_format *result, bnd_rule rule, bnd_error *why)
{
    bnd_vectors v = {.kind = BND_VECTOR_KIND_OPERATION};
    bnd_status status = bnd_rule_check(rule, why);
    status = status == BND_OK ? read_operation(&v, operation, why) : status;
    if (status != BND_OK) {
        return status;
    }
    unsigned wanted = formats_of(&v);
    if (in_count != 1 && in_count != wanted) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s takes one format for all its operands, or %u; got %zu", operation,
                        wanted, in_count);
    }
    v.out = result != NULL ? *result : in[0];
    for (unsigned i = 0; i < wanted; i++) {
        v.in[i] = in[in_count == 1 ? 0 : i];
    }
    if (v.kind == BND_VECTOR_KIND_MXDOT) {
        v.in[2] = *bnd_format_at(BND_FORMAT_E8M0);
    }
    for (unsigned i = 0; i <= wanted; i++) {
        const bnd_format *f = i < wanted ? &v.in[i] : &v.out;
        if (f->width == 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes for vectors", f->name);
        }
    }
    const bnd_format *const from[BND_OPERANDS_MAX] = {&v.in[0], &v.in[1], &v.in[2]};
    if (v.kind == BND_VECTOR_KIND_OPERATION && bnd_operation_serves(v.operation, from, why) != BND_OK) {
        return BND_BAD_ARGUMENT;
    }
    v.rule = bnd_vectors_rule(&v, rule);
    note_one_format(&v);
    *out = v;
    return BND_OK;
}

const bnd_format *bnd_vectors_format(const bnd_vectors *v, unsigned operand)
{
    if (v->kind == BND_VECTOR_KIND_OPERATION) {
        return &v->in[operand];
    }
    unsigned half = v->operands / 2;
    bool scale = v->kind == BND_VECTOR_KIND_MXDOT && operand % half == 0;
    return &v->in[scale ? 2 : operand >= half];
}

/* ---- the header ---- */

/* The choices of a rule that have no call of their own to read them: a byte each, and its values' names in order. */
static const struct {
    const char *key;
    size_t at;
    const char *values;
} choices[] = {
    {"no-nan", offsetof(bnd_rule, no_nan), "max zero"},
    {"negative", offsetof(bnd_rule, negative), "nan magnitude"},
    {"zero", offsetof(bnd_rule, zero), "least nan"},
    {"ties", offsetof(bnd_rule, tie_rule), "format significand code"},
    {"flush-in", offsetof(bnd_rule, flush_in), "no yes"},
    {"flush-out", offsetof(bnd_rule, flush_out), "no yes tiny"},
    {"tininess", offsetof(bnd_rule, tiny_before), "after before"},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static void write_pair(bndi_text *out, const char *key, const char *value, size_t length)
{
    if (out->length > 0) {
        bndi_text_char(out, ' ');
    }
    bndi_text_string(out, key);
    bndi_text_char(out, '=');
    bndi_text_bytes(out, value, length);
}

static void write_rounding(bndi_text *out, bnd_rule rule)
{
    const char *name = bnd_rounding_name(bnd_rule_rounding(rule));
    write_pair(out, "round", name, bndi_length(name));
    if (rule.rounding >= BND_ROUND_SR && rule.rounding != BND_ROUND_SR_EQUAL) {
        bndi_text_char(out, ':');
        bndi_text_unsigned(out, bnd_rule_random_bits(rule), 10, 1);
    }
}

static void write_choices(bndi_text *out, bnd_rule rule, bnd_rule plain)
{
    const uint8_t *bytes = (const uint8_t *)&rule, *plain_bytes = (const uint8_t *)&plain;
    for (size_t i = 0; i < CHOICES; i++) {
        const char *words = choices[i].values, *word = words;
        size_t length = 0;
        for (unsigned value = 0; value <= bytes[choices[i].at]; value++) {
            word = bndi_next_word(&words, &length);
        }
        if (bytes[choices[i].at] != plain_bytes[choices[i].at]) {
            write_pair(out, choices[i].key, word, length);
        }
    }
}

size_t bnd_vector_print_changes(char *out, size_t size, const bnd_vectors *v, bnd_rule rule)
{
    bndi_text text = bndi_text_in(out, size);
    bnd_rule plain = v->rule;
    if (rule.rounding != plain.rounding) {
        write_rounding(&text, rule);
    }
    if (rule.overflow != plain.overflow) {
        const char *name = bnd_overflow_name(bnd_rule_overflow(rule));
        write_pair(&text, "overflow", name, bndi_length(name));
    }
    if (rule.nan != plain.nan) {
        const char *name = bnd_nan_name(bnd_rule_nan(rule));
        write_pair(&text, "nan", name, bndi_length(name));
    }
    write_choices(&text, rule, plain);
    return text.length;
}

size_t bnd_vectors_print_header(char *out, size_t size, const bnd_vectors *v)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_text_string(&text, "binade-vectors 1 op=");
    if (v->kind == BND_VECTOR_KIND_OPERATION) {
        bndi_text_string(&text, bnd_operation_name(v->operation));
    } else {
        bndi_text_string(&text, v->kind == BND_VECTOR_KIND_DOT ? "dot:" : "mxdot");
    }
    if (v->kind == BND_VECTOR_KIND_DOT) {
        bndi_text_unsigned(&text, v->pairs, 10, 1);
    }
    for (unsigned i = 0; i < formats_of(v); i++) {
        bndi_text_string(&text, i == 0 ? " in=" : ",");
        bndi_text_string(&text, v->in[i].name);
    }
    write_pair(&text, "out", v->out.name, bndi_length(v->out.name));
    write_rounding(&text, v->rule);
    const char *overflow = bnd_overflow_name(bnd_rule_overflow(v->rule)), *nan = bnd_nan_name(bnd_rule_nan(v->rule));
    write_pair(&text, "overflow", overflow, bndi_length(overflow));
    write_pair(&text, "nan", nan, bndi_length(nan));
    write_choices(&text, v->rule, (bnd_rule){0});
    if (v->lab_flags) {
        bndi_text_string(&text, " flags=lab");
    }
    return text.length;
}

/* What a header says, before it is put together. */
typedef struct header {
    char operation[64];
    bnd_format in[BND_OPERANDS_MAX], out;
    size_t in_count;
    bool has_operation, has_out, lab_flags;
    bnd_rule rule;
} header;

static bnd_status read_formats(header *h, const char *list, bnd_error *why)
{
    h->in_count = 0;
    for (;;) {
        size_t length = 0;
        while (list[length] != '\0' && list[length] != ',') {
            length++;
        }
        if (h->in_count == BND_OPERANDS_MAX) {
            return bnd_fail(why, BND_BAD_SYNTAX, 0, "in= must have at most %d formats", BND_OPERANDS_MAX);
        }
        bnd_status status = bnd_format_parse_n(&h->in[h->in_count++], list, length, why);
        if (status != BND_OK || list[length] == '\0') {
            return status;
        }
        list += length + 1;
    }
}

static bnd_status read_choice(header *h, const char *key, size_t key_length, const char *value, bnd_error *why)
{
    size_t length;
    for (size_t i = 0; i < CHOICES; i++) {
        if (!bndi_same_word(key, key_length, choices[i].key)) {
            continue;
        }
        const char *words = choices[i].values;
        uint8_t index = 0;
        for (const char *word; word = bndi_next_word(&words, &length), length > 0; index++) {
            if (bndi_same(word, length, value, bndi_length(value))) {
                ((uint8_t *)&h->rule)[choices[i].at] = index;
                return BND_OK;
            }
        }
        return bnd_fail(why, BND_BAD_SYNTAX, 0, "%s= must be one of: %s; got '%s'", choices[i].key, choices[i].values,
                        value);
    }
    return bnd_fail(why, BND_BAD_SYNTAX, 0,
                    "unknown key '%.*s' in a header of version 1 (available: op, in, out, round, overflow, nan, "
                    "no-nan, negative, zero, ties, flush-in, flush-out, tininess, flags)",
                    key_length < 32 ? (int)key_length : 32, key);
}

static bnd_status read_pair(header *h, const char *key, size_t key_length, const char *value, bnd_error *why)
{
    if (bndi_same_word(key, key_length, "op")) {
        h->has_operation = true;
        bndi_text text = bndi_text_in(h->operation, sizeof h->operation);
        bndi_text_string(&text, value);
        return BND_OK;
    }
    if (bndi_same_word(key, key_length, "in")) {
        return read_formats(h, value, why);
    }
    if (bndi_same_word(key, key_length, "out")) {
        h->has_out = true;
        return bnd_format_parse(&h->out, value, why);
    }
    if (bndi_same_word(key, key_length, "round")) {
        return bnd_rounding_parse(&h->rule, value, why);
    }
    if (bndi_same_word(key, key_length, "overflow")) {
        return bnd_overflow_parse(&h->rule, value, why);
    }
    if (bndi_same_word(key, key_length, "nan")) {
        return bnd_nan_parse(&h->rule, value, why);
    }
    if (bndi_same_word(key, key_length, "flags")) {
        h->lab_flags = bndi_same_word(value, bndi_length(value), "lab");
        return h->lab_flags ? BND_OK : bnd_fail(why, BND_BAD_SYNTAX, 0, "flags= must be lab, not '%s'", value);
    }
    return read_choice(h, key, key_length, value, why);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* One word of the header, key=value. */
static bnd_status read_word(header *h, const char *word, size_t length, size_t where, bnd_error *why)
{
    char value[128];
    size_t key = 0;
    while (key < length && word[key] != '=') {
        key++;
    }
    if (key == length || key == 0 || length - key > sizeof value) {
        return bnd_fail(why, BND_BAD_SYNTAX, where, "expected key=value in the header, got '%.*s'",
                        length < 64 ? (int)length : 64, word);
    }
    for (size_t i = key + 1; i < length; i++) {
        value[i - key - 1] = word[i];
        if (word[i] == '\0') {
            return bnd_fail(why, BND_BAD_SYNTAX, where, "the header must not have a NUL byte");
        }
    }
    value[length - key - 1] = '\0';
    bnd_error what;
    bnd_status status = read_pair(h, word, key, value, &what);
    return status == BND_OK ? BND_OK : bnd_fail(why, status, where, "header: %s", what.message);
}

static size_t next_word(const char *text, size_t length, size_t *at)
{
    while (*at < length && is_blank(text[*at])) {
        ++*at;
    }
    size_t end = *at;
    while (end < length && !is_blank(text[end])) {
        end++;
    }
    return end - *at;
}

/* Refuses the word at `at`, key=value, if one before it has the same key. `first`: where the words begin. */
static bnd_status check_new_key(const char *text, size_t first, size_t at, bnd_error *why)
{
    size_t key = 0;
    while (text[at + key] != '=') {
        key++;
    }
    for (size_t other = first, word; (word = next_word(text, at, &other)) > 0; other += word) {
        if (word > key && text[other + key] == '=' && bndi_same(text + other, key, text + at, key)) {
            return bnd_fail(why, BND_BAD_SYNTAX, at, "header: '%.*s' appears twice", (int)key, text + at);
        }
    }
    return BND_OK;
}

bnd_status bnd_vectors_parse_header_n(bnd_vectors *out, const char *text, size_t length, bnd_error *why)
{
    header h = {.has_operation = false};
    size_t at = 0;
    text = length > 0 ? text : ""; /* NULL may stand for no text */
    while (at < length && (is_blank(text[at]) || text[at] == '#' || text[at] == '/')) {
        at++;
    }
    size_t word = next_word(text, length, &at);
    if (!bndi_same_word(text + at, word, "binade-vectors")) {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "expected a header that begins with 'binade-vectors 1'");
    }
    at += word;
    word = next_word(text, length, &at);
    if (word != 1 || text[at] != '1') {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "unknown version '%.*s' of vectors (available: 1)",
                        word < 16 ? (int)word : 16, text + at);
    }
    at++;
    const size_t first = at;
    while ((word = next_word(text, length, &at)) > 0) {
        bnd_status status = read_word(&h, text + at, word, at, why);
        status = status == BND_OK ? check_new_key(text, first, at, why) : status;
        if (status != BND_OK) {
            return status;
        }
        at += word;
    }
    if (!h.has_operation || h.in_count == 0) {
        return bnd_fail(why, BND_BAD_SYNTAX, at, "%s is missing from the header", h.has_operation ? "in=" : "op=");
    }
    bnd_vectors v;
    bnd_status status = bnd_vectors_describe(&v, h.operation, h.in, h.in_count, h.has_out ? &h.out : NULL, h.rule, why);
    if (status == BND_OK) {
        v.lab_flags = h.lab_flags;
        *out = v;
    }
    return status;
}
