/* Activations that a layer keeps for its backward pass, one per row, after Korthikanti et al. 2022 (arXiv 2205.05198,
 * section 4). With 2 bytes per element, equal numbers of key and query heads, and an MLP of width 4 h, their sum is s b
 * h (34 + 5 a s / h). The rows that tensor parallelism does not split make up 10 of the 34. */
#include "cost/cost.h"

#include "base/base.h"

enum unit { HIDDEN, QUERIES, KEYS, INNER, SCORES };

static const struct saved {
    const char *name;
    enum unit unit;
    bool mask;       /* a dropout mask: one byte per element in every format */
    bool split;      /* by tensor parallelism */
    bool core;       /* not kept under selective recomputation (nor by flash attention) */
    bool gated_only; /* of an MLP with three matrices */
} rows[] = {
    {"input of the first norm", HIDDEN, false, false, false, false},
    {"input of queries, keys and values", HIDDEN, false, false, false, false},
    {"queries", QUERIES, false, true, false, false},
    {"keys", KEYS, false, true, false, false},
    {"values", KEYS, false, true, false, false},
    {"softmax", SCORES, false, true, true, false},
    {"its dropout mask", SCORES, true, true, true, false},
    {"it after dropout", SCORES, false, true, true, false},
    {"input of the projection", QUERIES, false, true, false, false},
    {"dropout mask of the projection", HIDDEN, true, false, false, false},
    {"input of the second norm", HIDDEN, false, false, false, false},
    {"input of the MLP", HIDDEN, false, false, false, false},
    {"input of its activation function", INNER, false, true, false, false},
    {"its gate", INNER, false, true, false, true},
    {"input of its last matrix product", INNER, false, true, false, false},
    {"dropout mask of the MLP", HIDDEN, true, false, false, false},
};

/* Elements of one token. */
static double elements(const bnd_architecture *a, enum unit unit, double sequence)
{
    switch (unit) {
    case HIDDEN:
        return (double)a->hidden;
    case QUERIES:
        return (double)(a->heads * a->head_width);
    case KEYS:
        return (double)(a->kv_heads * a->head_width);
    case INNER:
        return (double)a->feed_forward;
    default:
        return (double)a->heads * sequence;
    }
}

/* Of a recipe: activations are in the format of the role act, or else in what products come out in. */
static double bytes_of_activations(const bnd_policy *p)
{
    const bnd_cast *act = &p->cast[BND_ROLE_ACT], *product = &p->cast[BND_ROLE_FWD_Y];
    const bnd_cast *cast = act->given ? act : product;
    return cast->given ? bndi_bits(&cast->format) / 8 : 4;
}

/* Bytes of a token, by who holds them. */
typedef struct sums {
    double everybody, split, scores;
} sums;

static sums add_up(const bnd_cost_of_memory *q, double sequence, double element)
{
    sums s = {0, 0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct saved *row = &rows[i];
        double bytes = elements(q->model, row->unit, sequence) * (row->mask ? 1 : element);
        if ((row->gated_only && !q->model->gated) || (row->core && q->recompute != BND_RECOMPUTE_NONE)) {
            continue;
        }
        if (row->core) {
            s.scores += bytes;
        } else if (row->split) {
            s.split += bytes;
        } else {
            s.everybody += bytes;
        }
    }
    return s;
}

/* "s b h (10 + 24/t + 5 a s/(h t))" with this plan's numbers. */
static void formula(char *out, size_t size, const sums *s, const bnd_architecture *a, double sequence, double tensor)
{
    char number[32];
    double h = (double)a->hidden;
    bndi_text text = bndi_text_in(out, size);
    bndi_text_string(&text, "s b h (");
    bnd_cost_number(number, sizeof number, (s->everybody + (tensor > 1 ? 0 : s->split)) / h);
    bndi_text_string(&text, number);
    if (tensor > 1) {
        bnd_cost_number(number, sizeof number, s->split / h);
        bndi_text_string(&text, " + ");
        bndi_text_string(&text, number);
        bndi_text_string(&text, " / t");
    }
    if (s->scores > 0) {
        bnd_cost_number(number, sizeof number, s->scores / (double)a->heads / sequence);
        bndi_text_string(&text, " + ");
        bndi_text_string(&text, number);
        bndi_text_string(&text, tensor > 1 ? " a s / (h t)" : " a s / h");
    }
    bndi_text_string(&text, ")");
}

bnd_status bndi_activations(double *bytes, bnd_cost *out, const bnd_cost_of_memory *q, bnd_error *why)
{
    const bnd_architecture *a = q->model;
    double sequence, h = (double)a->hidden;
    double element = bytes_of_activations(&q->plan.policy), t = q->plan.tensor;
    char text[BND_COST_TEXT_SIZE];
    bnd_status status = bndi_sequence(&sequence, a, q->sequence, why);
    if (status != BND_OK) {
        return status;
    }
    double tokens = sequence * q->batch;
    sums s = add_up(q, sequence, element);
    double layer = tokens * (s.everybody + s.split / t + s.scores / t);
    if (q->recompute == BND_RECOMPUTE_FULL) {
        layer = tokens * h * element;
        bndi_cost_step(out, "layer", "B", layer, "s b h (bytes per element)", "# x # x # x #", sequence, q->batch, h,
                       element);
    } else {
        formula(text, sizeof text, &s, a, sequence, t);
        bndi_cost_step(out, "layer", "B", layer, text, "s = #, b = #, h = #, a = #$", sequence, q->batch, h,
                       (double)a->heads, t > 1 ? ", t as given" : "");
    }
    bndi_cost_note(out, "this is what the backward pass of a large model needs, by the formula of Korthikanti et al. "
                        "2022, with dropout; for what a training run measures, choose the model transformer");
    *bytes = (double)a->layers * layer;
    bndi_cost_step(out, "activations", "B", *bytes, "L layer", "# x #", (double)a->layers, layer);
    if (q->recompute == BND_RECOMPUTE_FULL) {
        bndi_cost_note(out, "activations have # bytes per element in this recipe", element);
    } else {
        bndi_cost_note(out, "activations have # bytes per element in this recipe; 2 s b h per layer are dropout masks",
                       element);
    }
    if (q->plan.policy.cast[BND_ROLE_CAREFUL].given && element < 4 && q->recompute != BND_RECOMPUTE_FULL) {
        bndi_cost_note(out, "activations that the recipe keeps wider (norms, softmax) are counted as wide as the rest");
    }
    bndi_cost_note(out, "not counted: activations outside the layers; the logits alone, in fp32, are # bytes",
                   4 * tokens * (double)a->vocabulary / t);
    if (q->recompute == BND_RECOMPUTE_FULL) {
        bndi_cost_note(out, "while a layer is recomputed, its activations are in memory too, one layer at a time");
    } else if (q->recompute == BND_RECOMPUTE_SELECTIVE) {
        bndi_cost_note(out, "attention's scores are recomputed; flash attention does not store them either");
    }
    return BND_OK;
}
