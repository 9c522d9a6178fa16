/* Integers of MLX: neither their bits nor the size of a group is stored with them. config.json has both, for all
 * modules and for some of them by name. The shapes must agree with it. Where it says nothing, the shapes may determine
 * both. */
#include "checkpoint/fit.h"

#include <string.h>

/* What config.json says of one module; 0: nothing. */
typedef struct said {
    int64_t bits, group;
} said;

static const uint8_t bits_of_mlx[] = {4, 8, 2, 3, 5, 6}, groups_of_mlx[] = {64, 32, 128}; /* MLX's defaults first */

static json_t *object_of(const json_t *root, const char *key)
{
    json_t *object = json_object_get(root, key);
    return object != NULL ? object : json_object_get(json_object_get(root, "text_config"), key);
}

bool bndi_read_mlx(bndi_quantizations *all, const json_t *root)
{
    json_t *object = object_of(root, "quantization");
    if (!json_is_object(object)) { /* newer files have it under both names; others use the second one too */
        object = object_of(root, "quantization_config");
        object = json_is_string(json_object_get(object, "quant_method")) ? NULL : object;
    }
    all->mlx.bits = json_integer_value(json_object_get(object, "bits"));
    all->mlx.group_size = json_integer_value(json_object_get(object, "group_size"));
    return bndi_read_layers(&all->mlx, &all->arena, object, "mode");
}

/* A module that is named has MLX's defaults where its own object lacks a number, not those of all modules. */
static said said_of(const bndi_quantization *mlx, const char *codes)
{
    static const size_t suffix = sizeof "weight" - 1;
    const size_t length = strlen(codes);
    const bndi_quantized_layer *layer =
        length > suffix ? bndi_find_layer(mlx, codes, length - suffix - 1) : bndi_find_layer(mlx, "", 0);
    if (layer == NULL || (layer->bits == 0 && layer->group_size == 0)) {
        return (said){mlx->bits, mlx->group_size};
    }
    return (said){layer->bits != 0 ? layer->bits : bits_of_mlx[0],
                  layer->group_size != 0 ? layer->group_size : groups_of_mlx[0]};
}

/* True if the groups of a row have as many bits as its words. */
static bool fills(uint64_t words, uint64_t groups, unsigned bits, unsigned group)
{
    uint64_t stored, needed;
    return !__builtin_mul_overflow(words, 32, &stored) && !__builtin_mul_overflow(groups, bits * group, &needed) &&
           stored == needed;
}

void bndi_size_mlx(bndi_geometry *g, const bnd_stored_tensor *codes, const bnd_stored_tensor *scales,
                   const bndi_quantizations *configurations)
{
    const said says = configurations == NULL ? (said){0} : said_of(&configurations->mlx, codes->name);
    const uint64_t words = codes->rank == 0 ? 0 : codes->shape[codes->rank - 1];
    const uint64_t groups = scales == NULL || scales->rank == 0 ? 0 : scales->shape[scales->rank - 1];
    size_t possible = 0, fitting = 0;
    g->bits = bits_of_mlx[0];
    g->group = groups_of_mlx[0];
    for (size_t i = 0; i < sizeof bits_of_mlx * sizeof groups_of_mlx; i++) {
        const uint8_t bits = bits_of_mlx[i / sizeof groups_of_mlx], group = groups_of_mlx[i % sizeof groups_of_mlx];
        if ((says.bits != 0 && says.bits != bits) || (says.group != 0 && says.group != group)) {
            continue;
        }
        const bool fits = fills(words, groups, bits, group);
        if (possible++ == 0 || (fits && fitting == 0)) {
            g->bits = bits;
            g->group = group;
        }
        fitting += fits;
    }
    g->unclear = possible == 0 ? "config.json says bits or a group size that MLX does not have"
                 : fitting > 1 ? "several bits and group sizes fit it, and config.json does not say which"
                               : NULL;
}
