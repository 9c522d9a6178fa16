/* Whether a checkpoint can be loaded into a run: whether both have the same numbers in the same places. */
#include "train/train.h"

#include <stdio.h>
#include <string.h>

static bnd_status other_run(const char *what, const char *there, const char *here, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "is the checkpoint of another run: its %s is %s, not %s; use the settings of that run", what, there,
                    here);
}

typedef struct size {
    const char *what;
    uint64_t there, here;
} size;

static bnd_status same_numbers(const size *sizes, size_t count, bnd_error *why)
{
    for (size_t i = 0; i < count; i++) {
        if (sizes[i].there != sizes[i].here) {
            char there[24], here[24];
            snprintf(there, sizeof there, "%llu", (unsigned long long)sizes[i].there);
            snprintf(here, sizeof here, "%llu", (unsigned long long)sizes[i].here);
            return other_run(sizes[i].what, there, here, why);
        }
    }
    return BND_OK;
}

/* Numbers that change what the model computes, and the shape of no tensor. */
static bnd_status same_reals(const bndi_blocks *a, const bndi_blocks *b, bnd_error *why)
{
    const struct {
        const char *what;
        bool used;
        double there, here;
    } reals[] = {{"epsilon of norms", true, a->epsilon, b->epsilon},
                 {"theta of rope", a->rotated, a->theta, b->theta},
                 {"factor of rope's frequencies", a->rotated, a->scaling[0], b->scaling[0]},
                 {"wavelength of rope from which its factor holds", a->rotated, a->scaling[1], b->scaling[1]},
                 {"wavelength of rope up to which its factor does not hold", a->rotated, a->scaling[2], b->scaling[2]},
                 {"tau", a->unit, a->tau, b->tau}};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        if (reals[i].used && reals[i].there != reals[i].here) {
            char there[BNDI_NUMBER_SIZE], here[BNDI_NUMBER_SIZE];
            bndi_number_text(there, reals[i].there);
            bndi_number_text(here, reals[i].here);
            return other_run(reals[i].what, there, here, why);
        }
    }
    return BND_OK;
}

static bnd_status same_blocks(const bnd_training *t, const bnd_run *run, bnd_error *why)
{
    const bndi_blocks *b = &run->shape;
    bndi_blocks a;
    bnd_status status = bndi_blocks_of(&a, t->model, &t->blocks, t->width, t->heads, t->context, why);
    if (status != BND_OK) {
        return status;
    }
    const size sizes[] = {{"number of heads of keys and values", a.kv_heads, b->kv_heads},
                          {"width of a head", a.head, b->head},
                          {"width of the MLP", a.inner, b->inner},
                          {"function of the MLP", a.activation, b->activation},
                          {"gate of the MLP (1) or none (0)", a.gated, b->gated},
                          {"layer norm (1) or RMS norm (0)", a.centred, b->centred},
                          {"learned positions (1) or none (0)", a.learned, b->learned},
                          {"number of positions", a.positions, b->positions},
                          {"rope (1) or none (0)", a.rotated, b->rotated},
                          {"biases (1) or none (0)", a.biased, b->biased},
                          {"qk_norm (1) or none (0)", a.normed, b->normed},
                          {"unit scaling (1) or none (0)", a.unit, b->unit},
                          {"sqrt_softmax (1) or none (0)", a.rooted, b->rooted}};
    status = same_numbers(sizes, sizeof sizes / sizeof sizes[0], why);
    return status == BND_OK ? same_reals(&a, b, why) : status;
}

bnd_status bndi_checkpoint_check_same(const bnd_training *there, const bnd_run *run, bnd_error *why)
{
    const bnd_training *a = there, *b = &run->training;
    const size sizes[] = {{"inputs", a->inputs, b->inputs},
                          {"width", a->width, b->width},
                          {"depth", a->depth, b->depth},
                          {"number of heads", a->heads, b->heads},
                          {"context", a->context, b->context},
                          {"vocabulary", a->vocabulary, b->vocabulary},
                          {"head tied to its embedding (1) or not (0)", a->tied, b->tied},
                          {"seed_data", a->seed_data, b->seed_data}};
    if (strcmp(a->model, b->model) != 0) {
        return other_run("model", a->model, b->model, why);
    }
    if (strcmp(a->optimizer, b->optimizer) != 0) {
        return other_run("optimizer", a->optimizer, b->optimizer, why);
    }
    if (strcmp(a->source, b->source) != 0 && a->data[0] == 0 && b->data[0] == 0) {
        return other_run("source", a->source, b->source, why);
    }
    bnd_status status = same_numbers(sizes, sizeof sizes / sizeof sizes[0], why);
    return status == BND_OK && bndi_has_blocks(a->model) ? same_blocks(a, run, why) : status;
}
