/* Every term rounded, in order. */
#include <binade/calc.h>

/* Read before: it cannot fail again but for memory, and then it is a NaN and says so. */
static bnd_result number(const bnd_term *t, const char *text, const bnd_format *f, bnd_rule rule, uint64_t random)
{
    bnd_exact value;
    if (bnd_parse_exact(&value, text + t->from, t->length, NULL) != BND_OK) {
        value = (bnd_exact){.kind = BND_SIGNALING_NAN, .high = 1};
    }
    value.negative = value.negative != t->negative;
    return bnd_encode_exact(f, value, rule, random);
}

static bnd_result operation(const bnd_term *t, const bnd_result *results, const bnd_format *f, bnd_rule rule,
                            uint64_t random)
{
    const bnd_format *formats[BND_OPERANDS_MAX] = {f, f, f};
    uint64_t codes[BND_OPERANDS_MAX] = {0};
    for (size_t i = 0; i < t->operands; i++) {
        codes[i] = results[t->operand[i]].code;
    }
    codes[1] = t->operation == BND_SCALB ? (uint64_t)t->integer : codes[1];
    return bnd_operate(f, t->operation, formats, codes, rule, random);
}

void bnd_expression_round(bnd_result *results, const bnd_term *terms, size_t count, const char *text,
                          const bnd_format *f, bnd_rule rule, uint64_t seed)
{
    unsigned bits = bnd_rule_random_bits(rule);
    for (size_t i = 0; i < count; i++) {
        const bnd_term *t = &terms[i];
        uint64_t random = bits > 0 ? bnd_random_bits(seed, 0, i, bits) : 0;
        if (t->kind == BND_TERM_CODE) {
            results[i] = (bnd_result){.code = t->code};
        } else if (t->kind == BND_TERM_NUMBER) {
            results[i] = number(t, text, f, rule, random);
        } else {
            results[i] = operation(t, results, f, rule, random);
        }
    }
}
