/* Activations that PyTorch keeps from the forward to the backward pass, one tensor per row. Each norm and each
 * activation function is one operation. tests/cost compares the rows with 25 training steps of PyTorch 2.11.0 on an
 * H200. With dropout, 2 bytes per element, equal numbers of key and query heads and an MLP of width 4 h, a layer has
 * the s b h (34 + 5 a s / h) of Korthikanti et al. 2022 (arXiv 2205.05198, section 4), and the statistics of its norms.
 * The rows that tensor parallelism does not split make up 10 of the 34. */
#include "cost/cost.h"

#include "base/base.h"

enum unit { TOKEN, HEADS, HIDDEN, QUERIES, PRODUCT, INNER, SCORES, VOCABULARY }; /* PRODUCT: queries, keys, values */

/* STREAM: what layers add to, norms and softmax; under autocast it stays in fp32. OPERAND: of matrix products. */
enum size { STREAM, OPERAND, BYTE, FP32, INT64, SIZES };

/* When a row exists: under all of these conditions. COPIED: the operand is not the softmax itself. */
enum {
    ALWAYS = 0,
    DROPOUT = 1,
    EAGER = 2,    /* attention whose scores are stored */
    FLASH = 4,    /* or computed again */
    GATED = 8,    /* the MLP has three matrices */
    CENTRED = 16, /* layer norms */
    GROUPED = 32, /* fewer heads of keys and values than of queries */
    CAST = 64,    /* STREAM and OPERAND differ */
    COPIED = 128
};

typedef struct row {
    enum unit unit;
    enum size size;
    unsigned when;
    bool split; /* by tensor parallelism */
} row;

#define ROW(name, ...)                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    } /* names are for readers only */
static const row layer_rows[] = {
    ROW("input of the first norm", HIDDEN, STREAM, ALWAYS, false),
    ROW("its deviations", TOKEN, FP32, ALWAYS, false),
    ROW("its means", TOKEN, FP32, CENTRED, false),
    ROW("input of queries, keys and values", HIDDEN, OPERAND, ALWAYS, false),
    ROW("queries", QUERIES, OPERAND, EAGER, true),
    ROW("keys, once per head of queries", QUERIES, OPERAND, EAGER, true),
    ROW("values, once per head of queries", QUERIES, OPERAND, EAGER, true),
    ROW("queries, keys and values, one tensor", PRODUCT, OPERAND, FLASH, true),
    ROW("keys, repeated", QUERIES, OPERAND, FLASH | GROUPED, true),
    ROW("values, repeated", QUERIES, OPERAND, FLASH | GROUPED, true),
    ROW("softmax", SCORES, STREAM, EAGER, true),
    ROW("its dropout mask", SCORES, BYTE, EAGER | DROPOUT, true),
    ROW("operand made of it", SCORES, OPERAND, EAGER | COPIED, true),
    ROW("logarithms of its sums", HEADS, FP32, FLASH, true),
    ROW("input of the projection", QUERIES, OPERAND, ALWAYS, true),
    ROW("dropout mask of the projection", HIDDEN, BYTE, DROPOUT, false),
    ROW("input of the second norm", HIDDEN, STREAM, ALWAYS, false),
    ROW("its deviations", TOKEN, FP32, ALWAYS, false),
    ROW("its means", TOKEN, FP32, CENTRED, false),
    ROW("input of the MLP", HIDDEN, OPERAND, ALWAYS, false),
    ROW("it, cast again for the gate", HIDDEN, OPERAND, GATED | CAST, false),
    ROW("input of the activation function", INNER, OPERAND, ALWAYS, true),
    ROW("its result", INNER, OPERAND, GATED, true),
    ROW("what the result is multiplied by", INNER, OPERAND, GATED, true),
    ROW("input of the last matrix product", INNER, OPERAND, ALWAYS, true),
    ROW("dropout mask of the MLP", HIDDEN, BYTE, DROPOUT, false),
};
enum { LAYER_ROWS = sizeof layer_rows / sizeof layer_rows[0] };

/* Outside the layers; the loss is computed in fp32. */
static const row outside_rows[] = {
    ROW("tokens", TOKEN, INT64, ALWAYS, false),
    ROW("targets", TOKEN, INT64, ALWAYS, false),
    ROW("dropout mask of the embeddings", HIDDEN, BYTE, DROPOUT, false),
    ROW("input of the last norm", HIDDEN, STREAM, ALWAYS, false),
    ROW("its deviations", TOKEN, FP32, ALWAYS, false),
    ROW("its means", TOKEN, FP32, CENTRED, false),
    ROW("input of the head", HIDDEN, OPERAND, ALWAYS, false),
    ROW("logarithms of the softmax of logits", VOCABULARY, FP32, ALWAYS, true),
};
enum { OUTSIDE_ROWS = sizeof outside_rows / sizeof outside_rows[0] };
#undef ROW

/* Elements of one token. */
static double elements(const bnd_architecture *a, enum unit unit, double sequence)
{
    switch (unit) {
    case TOKEN:
        return 1;
    case HEADS:
        return (double)a->heads;
    case HIDDEN:
        return (double)a->hidden;
    case QUERIES:
        return (double)(a->heads * a->head_width);
    case PRODUCT:
        return (double)((a->heads + 2 * a->kv_heads) * a->head_width);
    case INNER:
        return (double)a->feed_forward;
    case SCORES:
        return (double)a->heads * sequence;
    default:
        return (double)a->vocabulary;
    }
}

static double bytes_or(const bnd_cast *cast, double otherwise)
{
    return cast->given ? bndi_bits(&cast->format) / 8 : otherwise;
}

/* What the rows' sizes and conditions are in this question. */
typedef struct sizes {
    double bytes[SIZES];
    unsigned conditions;
} sizes;

static sizes sizes_of(const bnd_cost_of_memory *q, bool flash)
{
    const bnd_architecture *a = q->model;
    const bnd_policy *p = &q->plan.policy;
    const double stream = bytes_or(&p->cast[BND_ROLE_ACT], 4), operand = bytes_or(&p->cast[BND_ROLE_FWD_Y], stream);
    const bool cast = stream < operand || stream > operand;
    return (sizes){{stream, operand, 1, 4, 8},
                   (a->dropout ? DROPOUT : 0U) | (flash ? FLASH : EAGER) | (a->gated ? GATED : 0U) |
                       (a->centred ? CENTRED : 0U) | (a->kv_heads < a->heads ? GROUPED : 0U) | (cast ? CAST : 0U) |
                       (a->dropout || cast ? COPIED : 0U)};
}

/* Bytes of a token, by who holds them. */
typedef struct sums {
    double everybody, split, scores;
} sums;

static sums add_up(const row *rows, size_t count, const bnd_architecture *a, double sequence, const sizes *by)
{
    sums s = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        const double bytes = elements(a, r->unit, sequence) * by->bytes[r->size];
        double *sum = r->unit == SCORES ? &s.scores : r->split ? &s.split : &s.everybody;
        *sum += (r->when & by->conditions) == r->when ? bytes : 0;
    }
    return s;
}

static double of_rank(const sums *s, double tensor)
{
    return s->everybody + (s->split + s->scores) / tensor;
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

/* While a layer is computed again, its activations are in memory, too. */
static void put_again(bnd_cost *c, bndi_held *held, const bnd_cost_of_memory *q, double sequence)
{
    const sizes flash = sizes_of(q, true), eager = sizes_of(q, false);
    const sums of_flash = add_up(layer_rows, LAYER_ROWS, q->model, sequence, &flash);
    const sums of_eager = add_up(layer_rows, LAYER_ROWS, q->model, sequence, &eager);
    const double tokens = sequence * q->batch, t = q->plan.tensor;
    held->again = tokens * of_rank(&of_flash, t);
    bndi_cost_step(c, "one layer", "B", held->again, "recomputed, without scores", "s = #, b = #", sequence, q->batch);
    bndi_cost_note(c,
                   "not counted: scores of attention that are stored while a layer is recomputed: # bytes; flash "
                   "attention stores none",
                   tokens * of_eager.scores / t);
}

static void put_outside(bnd_cost *c, bndi_held *held, const bnd_cost_of_memory *q, double sequence, const sizes *by)
{
    const sums s = add_up(outside_rows, OUTSIDE_ROWS, q->model, sequence, by);
    const double tokens = sequence * q->batch, t = q->plan.tensor, logits = 4 * tokens * (double)q->model->vocabulary;
    held->outside = tokens * of_rank(&s, t);
    held->gradient = 2 * logits / t;
    held->logits = (1 + by->bytes[OPERAND] / 4) * logits / t;
    bndi_cost_step(c, "outside", "B", held->outside, "s b V 4 / t + others", "# + #", logits / t,
                   held->outside - logits / t);
    bndi_cost_step(c, "logits", "B", held->gradient, "gradient, 2 s b V 4 / t", "2 x #", logits / t);
}

static void note_what(bnd_cost *c, const bnd_cost_of_memory *q, const sizes *by)
{
    const bnd_architecture *a = q->model;
    bndi_cost_note(
        c,
        "activations are the tensors that PyTorch 2.11 stores where each norm and activation function is one "
        "operation, $ dropout: # bytes per element between layers, # of operands",
        a->dropout ? "with" : "without", by->bytes[STREAM], by->bytes[OPERAND]);
    if (!a->centred) {
        bndi_cost_note(c,
                       "the library transformers stores more in Llama: 8 s b h per layer in RMS norms, and with eager "
                       "attention in bf16 4 s b a s in softmax");
    }
    if (a->centred && !a->gated) {
        bndi_cost_note(c,
                       "the library transformers stores more with gelu_new, its default for GPT-2: 24 s b h per layer "
                       "in bf16");
    }
    if (q->recompute == BND_RECOMPUTE_SELECTIVE && a->kv_heads < a->heads) {
        bndi_cost_note(c, "keys and values are repeated for the heads of queries; with enable_gqa they are not");
    }
    if (q->recompute == BND_RECOMPUTE_SELECTIVE) {
        bndi_cost_note(c, "attention's scores are recomputed, as flash attention does");
    }
}

bnd_status bndi_activations(bndi_held *held, bnd_cost *out, const bnd_cost_of_memory *q, bnd_error *why)
{
    const bnd_architecture *a = q->model;
    double sequence, h = (double)a->hidden, t = q->plan.tensor;
    char text[BND_COST_TEXT_SIZE];
    bnd_status status = bndi_sequence(&sequence, a, q->sequence, why);
    if (status != BND_OK) {
        return status;
    }
    const double tokens = sequence * q->batch;
    const sizes by = sizes_of(q, q->recompute == BND_RECOMPUTE_SELECTIVE);
    sums s = add_up(layer_rows, LAYER_ROWS, a, sequence, &by);
    double layer = tokens * of_rank(&s, t);
    if (q->recompute == BND_RECOMPUTE_FULL) {
        layer = tokens * h * by.bytes[STREAM];
        bndi_cost_step(out, "layer", "B", layer, "s b h (bytes per element)", "# x # x # x #", sequence, q->batch, h,
                       by.bytes[STREAM]);
    } else {
        formula(text, sizeof text, &s, a, sequence, t);
        bndi_cost_step(out, "layer", "B", layer, text, "s = #, b = #, h = #, a = #$", sequence, q->batch, h,
                       (double)a->heads, t > 1 ? ", t as given" : "");
    }
    *held = (bndi_held){.layers = (double)a->layers * layer};
    bndi_cost_step(out, "activations", "B", held->layers, "L layer", "# x #", (double)a->layers, layer);
    put_outside(out, held, q, sequence, &by);
    note_what(out, q, &by);
    if (q->recompute == BND_RECOMPUTE_FULL) {
        put_again(out, held, q, sequence);
    }
    return BND_OK;
}
