/* The presets of compressed-tensors by name. */
#include "checkpoint/quantization.h"

typedef struct args {
    uint8_t bits;
    const char *type, *strategy;
    uint8_t group, rows, columns;
    const char *dynamic;
} args;

typedef struct preset {
    const char *name;
    args weights, inputs;
} preset;

#define NONE (0, NULL, NULL, 0, 0, 0, NULL)
#define ARGS(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define PRESET(name, weights, inputs) {name, ARGS weights, ARGS inputs},
static const preset presets[] = {
#include "checkpoint/presets.def"
};

static bool same_but_case(const char *a, const char *b)
{
    for (; *a != '\0' || *b != '\0'; a++, b++) {
        const char upper = *b >= 'a' && *b <= 'z' ? (char)(*b - 'a' + 'A') : *b;
        if (*a != upper) {
            return false;
        }
    }
    return true;
}

static bndi_quantization_args args_of(const args *a)
{
    return (bndi_quantization_args){
        .given = a->bits != 0,
        .num_bits = a->bits,
        .group_size = a->group,
        .block = {a->rows, a->columns},
        .symmetric = true,
        .type = a->type,
        .strategy = a->strategy,
        .dynamic = a->dynamic,
    };
}

bool bndi_quantization_preset(bndi_quantization_group *out, const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        if (same_but_case(presets[i].name, name)) {
            *out = (bndi_quantization_group){.name = presets[i].name, .preset = true};
            out->weights = args_of(&presets[i].weights);
            out->inputs = args_of(&presets[i].inputs);
            out->weights.symmetric = !same_but_case("W4A16_ASYM", name);
            return true;
        }
    }
    return false;
}
