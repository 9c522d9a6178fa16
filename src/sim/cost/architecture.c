/* Transformers by their shape: rows, tensors of parameters, how many parameters there are. */
#include "cost/cost.h"

#include "base/base.h"

static const struct row {
    const char *title;
    bnd_architecture shape;
} rows[] = {
#define MODEL(name, title, layers, hidden, heads, kv_heads, head_width, feed_forward, vocabulary, positions, context,  \
              gated, tied, centred, biases, dropout)                                                                   \
    {title,                                                                                                            \
     {name, layers, hidden, heads, kv_heads, head_width, feed_forward, vocabulary, positions, context, gated, tied,    \
      centred, BND_BIASES_##biases, dropout}},
#include "cost/models.def"
#undef MODEL
};
enum { ROWS = sizeof rows / sizeof rows[0] };

size_t bnd_architecture_count(void)
{
    return ROWS;
}

const bnd_architecture *bnd_architecture_at(size_t row)
{
    return row < ROWS ? &rows[row].shape : NULL;
}

const char *bnd_architecture_title(size_t row)
{
    return row < ROWS ? rows[row].title : "";
}

bnd_status bnd_architecture_find(bnd_architecture *out, const char *name, bnd_error *why)
{
    size_t length = bndi_length(name);
    bndi_nearest nearest = bndi_nearest_to(name, length);
    for (size_t i = 0; i < ROWS; i++) {
        if (bndi_same_word(name, length, rows[i].shape.name)) {
            *out = rows[i].shape;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, rows[i].shape.name, bndi_length(rows[i].shape.name));
    }
    char list[256];
    bndi_text text = bndi_text_in(list, sizeof list);
    for (size_t i = 0; i < ROWS; i++) {
        bndi_text_string(&text, i == 0 ? "(available: " : ", ");
        bndi_text_string(&text, rows[i].shape.name);
    }
    bndi_text_string(&text, ")");
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown model", list);
}

bnd_status bnd_architecture_check(const bnd_architecture *a, bnd_error *why)
{
    /* So that no product of two of them, and no count of parameters, leaves 2^63. */
    const uint64_t most = UINT64_C(1) << 24, layers_most = UINT64_C(1) << 14;
    const uint64_t sizes[] = {a->hidden,       a->heads,      a->kv_heads, a->head_width,
                              a->feed_forward, a->vocabulary, a->context};
    bool fits = a->layers >= 1 && a->layers <= layers_most && a->positions <= most;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fits = fits && sizes[i] >= 1 && sizes[i] <= most;
    }
    if (!fits) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a transformer must have 1 to 16384 layers; its hidden size, heads, MLP width, vocabulary and "
                        "context must be from 1 to 2^24");
    }
    if (a->heads % a->kv_heads != 0 || a->heads * a->head_width > most) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "heads must be a multiple of the heads of keys and values, and at most 2^24 wide together");
    }
    return BND_OK;
}

bnd_status bnd_architecture_usual(bnd_architecture *out, uint64_t layers, uint64_t hidden, uint64_t heads,
                                  uint64_t vocabulary, uint64_t context, bnd_error *why)
{
    if (heads == 0 || hidden % heads != 0) {
        uint64_t near = heads;
        while (near > 1 && hidden % near != 0) {
            near--;
        }
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "hidden size %llu is not divisible by %llu heads; try %llu",
                        (unsigned long long)hidden, (unsigned long long)heads,
                        (unsigned long long)(near > 0 ? near : 1));
    }
    bnd_architecture a = {.name = "custom",
                          .layers = layers,
                          .hidden = hidden,
                          .heads = heads,
                          .kv_heads = heads,
                          .head_width = hidden / heads,
                          .feed_forward = 4 * hidden,
                          .vocabulary = vocabulary,
                          .positions = context,
                          .context = context,
                          .centred = true,
                          .biases = BND_BIASES_ALL,
                          .dropout = true};
    bnd_status status = bnd_architecture_check(&a, why);
    if (status == BND_OK) {
        *out = a;
    }
    return status;
}

bnd_status bndi_sequence(double *out, const bnd_architecture *a, double asked, bnd_error *why)
{
    double sequence = asked != 0 ? asked : (double)a->context;
    bnd_status status = bndi_at_least(sequence, 1, "a sequence", why);
    if (status == BND_OK && a->positions > 0 && sequence > (double)a->positions) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has %llu learned positions; the sequence must not be longer",
                          a->name, (unsigned long long)a->positions);
    }
    if (status == BND_OK) {
        *out = sequence;
    }
    return status;
}

/* ---- tensors ---- */

typedef struct list {
    bnd_weight *out;
    size_t count;
} list;

static void add(list *l, bool there, const char *name, uint64_t rows_, uint64_t columns, uint64_t copies, bool split)
{
    if (there) {
        l->out[l->count++] = (bnd_weight){name, rows_, columns, copies, split, false, 0};
    }
}

/* Splits them as Megatron does: heads, the inside of the MLP, and the vocabulary are divided; norms and what is
 * added after a sum over machines are kept by every machine. */
size_t bnd_architecture_weights(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_architecture *a)
{
    list l = {out, 0};
    uint64_t h = a->hidden, q = a->heads * a->head_width, k = a->kv_heads * a->head_width, f = a->feed_forward;
    uint64_t layers = a->layers, norms = 2 * a->layers + 1;
    bool all = a->biases == BND_BIASES_ALL, qkv = a->biases != BND_BIASES_NONE;
    add(&l, true, "tokens", a->vocabulary, h, 1, true);
    add(&l, a->positions > 0, "positions", a->positions, h, 1, false);
    size_t first = l.count; /* of the layers */
    add(&l, true, "queries, keys, values", q + 2 * k, h, layers, true);
    out[l.count - 1].blocks = a->heads + a->kv_heads + k;
    add(&l, qkv, "their biases", q + 2 * k, 0, layers, true);
    add(&l, true, "projection", h, q, layers, true);
    add(&l, all, "its bias", h, 0, layers, false);
    add(&l, a->gated, "gate", f, h, layers, true);
    add(&l, true, "up", f, h, layers, true);
    add(&l, all, "its bias", f, 0, layers, true);
    add(&l, true, "down", h, f, layers, true);
    add(&l, all, "its bias", h, 0, layers, false);
    add(&l, true, "norms", h, 0, norms, false);
    out[l.count - 1].blocks = 1;
    add(&l, a->centred, "their biases", h, 0, norms, false);
    for (size_t i = first; i < l.count; i++) {
        out[i].hidden = out[i].columns > 0;
    }
    add(&l, !a->tied, "head", a->vocabulary, h, 1, true);
    return l.count;
}

double bnd_architecture_parameters(const bnd_architecture *a)
{
    bnd_weight weights[BND_ARCHITECTURE_WEIGHTS_MAX];
    double sum = 0;
    size_t n = bnd_architecture_weights(weights, a);
    for (size_t i = 0; i < n; i++) {
        const bnd_weight *w = &weights[i];
        sum += (double)w->copies * (double)w->rows * (double)(w->columns > 0 ? w->columns : 1);
    }
    return sum;
}
