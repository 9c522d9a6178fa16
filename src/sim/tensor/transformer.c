/* The options of a transformer's blocks: words, defaults, and the sizes that follow. */
#include "tensor/transformer.h"

#include "base/base.h"

#include <string.h>

typedef struct family {
    const char *model, *norm, *position, *mlp;
    double epsilon;
    bool biased, separate, by_inputs;
} family;

static const family families[] = {
    {"transformer", "layernorm", "learned", "gelu", 1e-5, true, false, false},
    {"gpt2", "layernorm", "learned", "gelu_tanh", 1e-5, true, false, true},
    {"llama", "rmsnorm", "rope", "swiglu", 1e-6, false, true, false},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const family *family_of(const char *model)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        if (bndi_same_word(model, bndi_length(model), families[i].model)) {
            return &families[i];
        }
    }
    return NULL;
}

bool bndi_has_blocks(const char *model)
{
    return family_of(model) != NULL;
}

/* ---- words ---- */

static const char *const norms[] = {"layernorm", "rmsnorm", NULL}, *const positions[] = {"learned", "rope", "none",
                                                                                         NULL};

/* Those with a gate stand behind the function that their gate takes. */
static const struct mlp {
    bnd_tensor_operation function;
    bool gated;
} mlp_of[] = {{BND_TENSOR_OP_GELU, false}, {BND_TENSOR_OP_GELU_TANH, false}, {BND_TENSOR_OP_RELU, false},
              {BND_TENSOR_OP_SILU, false}, {BND_TENSOR_OP_SILU, true},       {BND_TENSOR_OP_GELU, true},
              {BND_TENSOR_OP_RELU, true},  {BND_TENSOR_OP_GELU_TANH, true}};
static const char *const mlps[] = {"gelu", "gelu_tanh", "relu", "silu", "swiglu", "geglu", "reglu", "geglu_tanh", NULL};

static bnd_status find_word(size_t *out, const char *word, const char *usual, const char *const *words,
                            const char *what, bnd_error *why)
{
    word = word[0] != '\0' ? word : usual;
    const size_t length = strlen(word);
    bndi_nearest nearest = bndi_nearest_to(word, length);
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0) {
            *out = i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, words[i], strlen(words[i]));
    }
    char all[128];
    bndi_text text = bndi_text_in(all, sizeof all);
    for (size_t i = 0; words[i] != NULL; i++) {
        bndi_text_string(&text, i == 0 ? "(available: " : ", ");
        bndi_text_string(&text, words[i]);
    }
    bndi_text_string(&text, ")");
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, what, all);
}

/* ---- sizes ---- */

enum { SIZE_MOST = 1 << 24 };

static bnd_status check_heads(const bndi_blocks *b, bool given, bnd_error *why)
{
    if (b->heads == 0 || (!given && b->width % b->heads != 0)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "width %zu is not divisible by %zu heads", b->width, b->heads);
    }
    if (b->kv_heads == 0 || b->heads % b->kv_heads != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu heads are not divisible by %zu heads of keys and values",
                        b->heads, b->kv_heads);
    }
    if (b->rotated && b->head % 2 != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "rope turns pairs of numbers: the width of a head must be even, not %zu", b->head);
    }
    return BND_OK;
}

static bnd_status check_sizes(const bndi_blocks *b, size_t context, bnd_error *why)
{
    if (b->width > SIZE_MOST || b->heads > SIZE_MOST || b->head > SIZE_MOST / b->heads || b->inner > SIZE_MOST ||
        b->positions > SIZE_MOST) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the width, the heads together, the MLP and the positions of a transformer must each be at "
                        "most %d wide",
                        SIZE_MOST);
    }
    if (context > b->positions) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a context of %zu is longer than the %zu positions of the model",
                        context, b->positions);
    }
    return BND_OK;
}

static bnd_status check_numbers(const bndi_blocks *b, const bnd_transformer *o, bnd_error *why)
{
    const char *wrong = !(b->epsilon > 0 && b->epsilon < 1)            ? "norm_epsilon must be above 0 and below 1"
                        : !(b->theta >= 1 && b->theta < 1e300)         ? "rope_theta must be at least 1 and below 1e300"
                        : o->rope_theta != 0 && !b->rotated            ? "rope_theta needs position=rope"
                        : !(o->z_loss >= 0 && o->z_loss < 1e300)       ? "z_loss must be at least 0 and below 1e300"
                        : !(o->deviation >= 0 && o->deviation < 1e300) ? "deviation must be at least 0 and below 1e300"
                        : !(o->tau >= 0 && o->tau < 1)                 ? "tau must be above 0 and below 1"
                        : o->tau != 0 && !o->unit                      ? "tau needs unit"
                                                                       : NULL;
    return wrong == NULL ? BND_OK : bnd_fail(why, BND_BAD_ARGUMENT, 0, "blocks: %s", wrong);
}

/* The wavelengths between which rope's frequencies are mixed are those of rope_original positions. */
static bnd_status find_scaling(double out[3], const bnd_transformer *o, bool rotated, bnd_error *why)
{
    const bool linear = strcmp(o->rope_scaling, "linear") == 0, llama3 = strcmp(o->rope_scaling, "llama3") == 0;
    const bool none = o->rope_scaling[0] == '\0',
               bands = o->rope_low != 0 || o->rope_high != 0 || o->rope_original != 0;
    const char *wrong = !none && !linear && !llama3   ? "rope_scaling must be linear or llama3"
                        : !none && !rotated           ? "rope_scaling needs position=rope"
                        : none && o->rope_factor != 0 ? "rope_factor needs rope_scaling"
                        : !llama3 && bands            ? "rope_low, rope_high and rope_original need rope_scaling=llama3"
                        : none                        ? NULL
                        : !(o->rope_factor >= 1 && o->rope_factor < 1e300)
                            ? "rope_factor must be at least 1 and below 1e300"
                        : llama3 && !(o->rope_low > 0 && o->rope_high > o->rope_low && o->rope_high < 1e300)
                            ? "rope_low must be above 0, and rope_high above rope_low"
                        : llama3 && (o->rope_original == 0 || o->rope_original > SIZE_MOST)
                            ? "rope_original must be the positions that the model was first trained with"
                            : NULL;
    if (wrong != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "blocks: %s", wrong);
    }
    out[0] = o->rope_factor;
    out[1] = llama3 ? (double)o->rope_original / o->rope_low : 0;
    out[2] = llama3 ? (double)o->rope_original / o->rope_high : 0;
    return BND_OK;
}

static size_t inner_of(const bnd_transformer *o, size_t width, bool gated)
{
    return o->mlp_width != 0 ? o->mlp_width : gated ? (8 * width / 3 + 31) / 32 * 32 : 4 * width;
}

bnd_status bndi_blocks_of(bndi_blocks *out, const char *model, const bnd_transformer *o, size_t width, size_t heads,
                          size_t context, bnd_error *why)
{
    const family *f = family_of(model);
    size_t norm = 0, position = 0, mlp = 0;
    if (f == NULL) {
        return bnd_fail(why, BND_BAD_NAME, 0, "model '%s' has no blocks of a transformer", model);
    }
    bnd_status status = find_word(&norm, o->norm, f->norm, norms, "unknown norm", why);
    status =
        status == BND_OK ? find_word(&position, o->position, f->position, positions, "unknown position", why) : status;
    status = status == BND_OK ? find_word(&mlp, o->mlp, f->mlp, mlps, "unknown mlp", why) : status;
    bndi_blocks b = {.centred = norm == 0,
                     .learned = position == 0,
                     .rotated = position == 1,
                     .gated = mlp_of[mlp].gated,
                     .biased = f->biased && !o->no_bias,
                     .normed = o->qk_norm,
                     .unit = o->unit,
                     .rooted = o->sqrt_softmax,
                     .separate = f->separate,
                     .by_inputs = f->by_inputs,
                     .activation = mlp_of[mlp].function,
                     .width = width,
                     .heads = heads,
                     .kv_heads = o->kv_heads != 0 ? o->kv_heads : heads,
                     .head = o->head_width != 0 ? o->head_width : width / (heads != 0 ? heads : 1),
                     .inner = inner_of(o, width, mlp_of[mlp].gated),
                     .positions = o->positions != 0 ? o->positions : context,
                     .epsilon = o->norm_epsilon != 0 ? o->norm_epsilon : f->epsilon,
                     .theta = o->rope_theta != 0 ? o->rope_theta : 10000,
                     .tau = o->tau != 0 ? o->tau : 0.3};
    status = status == BND_OK ? check_heads(&b, o->head_width != 0, why) : status;
    status = status == BND_OK ? check_sizes(&b, context, why) : status;
    status = status == BND_OK ? check_numbers(&b, o, why) : status;
    status = status == BND_OK ? find_scaling(b.scaling, o, b.rotated, why) : status;
    if (status == BND_OK) {
        *out = b;
    }
    return status;
}

/* ---- parts ---- */

bool bndi_block_part_shape(size_t *outputs, size_t *inputs, const bndi_blocks *b, bndi_block_part part)
{
    const size_t q = b->heads * b->head, kv = b->kv_heads * b->head;
    const struct {
        bool there;
        size_t outputs, inputs;
    } shapes[BNDI_PARTS] = {
        [BNDI_NORM1] = {true, b->width, 0},           [BNDI_Q] = {true, b->separate ? q : q + 2 * kv, b->width},
        [BNDI_K] = {b->separate, kv, b->width},       [BNDI_V] = {b->separate, kv, b->width},
        [BNDI_NORM_Q] = {b->normed, b->head, 0},      [BNDI_NORM_K] = {b->normed, b->head, 0},
        [BNDI_PROJECTION] = {true, b->width, q},      [BNDI_NORM2] = {true, b->width, 0},
        [BNDI_GATE] = {b->gated, b->inner, b->width}, [BNDI_MLP_UP] = {true, b->inner, b->width},
        [BNDI_MLP_DOWN] = {true, b->width, b->inner},
    };
    *outputs = shapes[part].outputs;
    *inputs = shapes[part].inputs;
    return shapes[part].there;
}

bool bndi_block_part_has_bias(const bndi_blocks *b, bndi_block_part part)
{
    const bool is_norm = part == BNDI_NORM1 || part == BNDI_NORM2;
    return b->biased && part != BNDI_NORM_Q && part != BNDI_NORM_K && (!is_norm || b->centred);
}

size_t bndi_block_part_tensors(const bndi_blocks *b, bndi_block_part part)
{
    size_t outputs, inputs;
    return bndi_block_part_shape(&outputs, &inputs, b, part) ? 1 + (size_t)bndi_block_part_has_bias(b, part) : 0;
}

bndi_partition bndi_block_part_partition(const bndi_blocks *b, bndi_block_part part)
{
    const size_t q = b->heads * b->head, kv = b->kv_heads * b->head;
    size_t outputs, inputs;
    bndi_partition p = {.grouped = 0};
    if (!bndi_block_part_shape(&outputs, &inputs, b, part)) {
        return p;
    }
    p.by_columns = b->by_inputs && inputs > 0;
    if (inputs == 0) {
        p.grouped = p.group = outputs;
    } else if (part == BNDI_Q || part == BNDI_K) {
        p.grouped = part == BNDI_K ? kv : b->separate ? q : q + kv;
        p.group = b->head;
    }
    return p;
}

size_t bndi_partition_blocks(const bndi_partition *p, size_t outputs)
{
    return bndi_partition_block(p, outputs);
}
