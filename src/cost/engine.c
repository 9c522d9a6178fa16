/* What an engine holds at the end of a pass of train/'s transformer. It differs from what the way back needs in that
 * every result stays until the step ends, views aside: rows, in the order in which the model computes, each with the
 * role that its format comes from and the results that it is made of. */
#include "cost/cost.h"

#include <binade/tensor.h>

enum slot { NOTHING, WEIGHT, STREAM, A, B, SLOTS };
enum unit { HIDDEN, ALL_THREE, QUERIES, INNER, SCORES, VOCABULARY, ONE };

typedef struct operation {
    bnd_role role; /* ACT, CAREFUL or FWD_Y */
    enum slot first, second, result;
    enum unit unit;
    bool norm; /* keeps the mean and the deviation of each row, in fp32 */
} operation;

static const operation before[] = {
    {BND_ROLE_ACT, WEIGHT, NOTHING, STREAM, HIDDEN, false}, /* tokens */
    {BND_ROLE_ACT, STREAM, WEIGHT, STREAM, HIDDEN, false},  /* and positions */
};
static const operation block[] = {
    {BND_ROLE_CAREFUL, STREAM, WEIGHT, A, HIDDEN, true},
    {BND_ROLE_FWD_Y, A, WEIGHT, A, ALL_THREE, false},
    {BND_ROLE_FWD_Y, A, A, B, SCORES, false},
    {BND_ROLE_ACT, B, NOTHING, B, SCORES, false},     /* scaled */
    {BND_ROLE_ACT, B, NOTHING, B, SCORES, false},     /* masked */
    {BND_ROLE_CAREFUL, B, NOTHING, B, SCORES, false}, /* softmax */
    {BND_ROLE_FWD_Y, B, A, B, QUERIES, false},
    {BND_ROLE_ACT, B, NOTHING, B, QUERIES, false}, /* heads side by side */
    {BND_ROLE_FWD_Y, B, WEIGHT, B, HIDDEN, false},
    {BND_ROLE_ACT, STREAM, B, STREAM, HIDDEN, false},
    {BND_ROLE_CAREFUL, STREAM, WEIGHT, A, HIDDEN, true},
    {BND_ROLE_FWD_Y, A, WEIGHT, A, INNER, false},
    {BND_ROLE_ACT, A, NOTHING, A, INNER, false}, /* gelu */
    {BND_ROLE_FWD_Y, A, WEIGHT, A, HIDDEN, false},
    {BND_ROLE_ACT, STREAM, A, STREAM, HIDDEN, false},
};
static const operation after[] = {
    {BND_ROLE_CAREFUL, STREAM, WEIGHT, A, HIDDEN, true},
    {BND_ROLE_FWD_Y, A, WEIGHT, A, VOCABULARY, false},
    {BND_ROLE_CAREFUL, A, NOTHING, A, ONE, false}, /* the loss */
};
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

typedef struct pass {
    const bnd_cost_of_memory *q;
    bnd_format format[SLOTS], fp32;
    double sequence, tokens;
} pass;

/* As the engine decides: the role's format, that of the operands where they have one, or fp32. */
static bnd_format format_of(const pass *p, const operation *o)
{
    const bnd_cast *cast = &p->q->plan.policy.cast[o->role];
    if (!cast->given && o->role == BND_ROLE_FWD_Y) {
        cast = &p->q->plan.policy.cast[BND_ROLE_ACT];
    }
    if (cast->given) {
        return cast->format;
    }
    bool same = o->second == NOTHING || bnd_format_same(&p->format[o->first], &p->format[o->second]);
    return same ? p->format[o->first] : p->fp32;
}

static double elements(const pass *p, enum unit unit)
{
    const bnd_architecture *a = p->q->model;
    if (unit == ONE) {
        return 1;
    }
    uint64_t each[] = {[HIDDEN] = a->hidden,
                       [ALL_THREE] = (a->heads + 2 * a->kv_heads) * a->head_width,
                       [QUERIES] = a->heads * a->head_width,
                       [INNER] = a->feed_forward,
                       [SCORES] = a->heads,
                       [VOCABULARY] = a->vocabulary};
    return (double)each[unit] * p->tokens * (unit == SCORES ? p->sequence : 1);
}

static double bytes_of_norm(const pass *p)
{
    return 2 * 4 * p->tokens;
}

static double run(pass *p, const operation *rows, size_t count)
{
    double bytes = 0;
    for (size_t i = 0; i < count; i++) {
        p->format[rows[i].result] = format_of(p, &rows[i]);
        bytes += bndi_bytes_of(&p->format[rows[i].result], elements(p, rows[i].unit));
        bytes += rows[i].norm ? bytes_of_norm(p) : 0;
    }
    return bytes;
}

double bndi_engine_activations(bnd_cost *out, const bnd_cost_of_memory *q, double sequence)
{
    const bnd_architecture *a = q->model;
    pass p = {.q = q, .sequence = sequence};
    p.tokens = p.sequence * q->batch;
    if (bnd_format_parse(&p.fp32, "fp32", NULL) != BND_OK) {
        return 0;
    }
    p.format[WEIGHT] = p.fp32; /* to results whose role is not given, however weights are stored */
    double outside = run(&p, before, COUNT(before)), layer = 0, sum = 0, ends = 0;
    for (uint64_t i = 0; i < a->layers; i++) { /* the stream has another format after the first, perhaps */
        layer = run(&p, block, COUNT(block));
        sum += layer;
        ends += bndi_bytes_of(&p.format[STREAM], elements(&p, HIDDEN));
    }
    outside += run(&p, after, COUNT(after));
    bool again = q->recompute != BND_RECOMPUTE_NONE;
    outside -= again ? bytes_of_norm(&p) : 0; /* the last norm has gone back before a layer is computed again */
    double bytes = outside + (again ? ends + layer : sum);
    bndi_cost_step(out, "layer", "B", layer, "every result of a layer", "# tokens", p.tokens);
    bndi_cost_step(out, "around", "B", outside, "every result around the layers", "# tokens", p.tokens);
    bndi_cost_step(out, "activations", "B", bytes, again ? "L ends + one layer + around" : "L layer + around", "# + #",
                   again ? ends + layer : sum, outside);
    bndi_cost_note(
        out, "the question is what binade train holds (its column activations): every result until the step ends; the "
             "backward pass needs about half of it (--kept saved)");
    return bytes;
}
