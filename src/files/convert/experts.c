/* Experts in one array: which axis is which, and the linear layers that it holds. */
#include "convert/experts.h"

#include "convert/names.h"

#include <stdio.h>
#include <string.h>

enum { HALVES = 1, INTERLEAVED = 0, IN_OUT = 1, AS_STORED = 0 };

static const struct row {
    const char *model_type, *gate_up, *down;
    bool halves;
    const char *layout;
    bool in_first;
} rows[] = {
#define EXPERTS(model_type, gate_up, down, split, layout, decoded) {model_type, gate_up, down, split, layout, decoded},
#include "convert/experts.def"
#undef EXPERTS
};

enum { ROWS = sizeof rows / sizeof *rows, NAME_MOST = 1024 };

/* The last part of a name. */
static const char *last_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

/* The array of the same layer with another last part. */
static const bnd_stored_weight *partner(const bnd_checkpoint *checkpoint, const char *name, const char *last)
{
    char other[NAME_MOST];
    const int length = snprintf(other, sizeof other, "%.*s%s", (int)(last_of(name) - name), name, last);
    return length < 0 || length >= NAME_MOST ? NULL : bnd_checkpoint_find_weight(checkpoint, other);
}

/* The order of axes. No two positive shapes fit both. */
static bool take_order(bool *in_first, const uint64_t *gate_up, const uint64_t *down)
{
    if (gate_up[0] != down[0]) {
        return false;
    }
    *in_first = gate_up[1] == down[2] && gate_up[2] % 2 == 0 && gate_up[2] / 2 == down[1];
    return *in_first || (gate_up[2] == down[1] && gate_up[1] % 2 == 0 && gate_up[1] / 2 == down[2]);
}

bool bndi_find_experts(bndi_experts *out, const bnd_checkpoint *checkpoint, const bnd_stored_weight *weight,
                       const char *model_type)
{
    const char *last = last_of(weight->name);
    for (size_t i = 0; i < ROWS && weight->rank == 3 && weight->count > 0; i++) {
        const struct row *row = &rows[i];
        bool gate_up = strcmp(last, row->gate_up) == 0, down = strcmp(last, row->down) == 0;
        if ((gate_up || down) && bndi_glob(row->model_type, model_type, strlen(model_type))) {
            const bnd_stored_weight *other = partner(checkpoint, weight->name, gate_up ? row->down : row->gate_up);
            *out =
                (bndi_experts){.layout = row->layout, .halves = row->halves, .is_gate_up = gate_up, .partner = other};
            return other != NULL && other->rank == 3 &&
                   take_order(&out->in_first, (gate_up ? weight : other)->shape, (gate_up ? other : weight)->shape);
        }
    }
    return false;
}

bool bndi_decodes_in_first(const bnd_stored_weight *weight)
{
    bool found = false;
    for (size_t i = 0; i < ROWS && weight->layout != NULL && weight->rank == 3; i++) {
        found |= rows[i].in_first && strcmp(rows[i].layout, weight->layout->name) == 0;
    }
    return found;
}

size_t bndi_expert_layers(const bndi_experts *experts, const bnd_stored_weight *weight)
{
    return (size_t)weight->shape[0] * (experts->is_gate_up ? 2 : 1);
}

void bndi_expert_layer_at(bndi_expert_layer *out, char *name, size_t size, const bndi_experts *experts,
                          const bnd_stored_weight *weight, size_t layer)
{
    static const char *const parts[] = {"gate_proj", "up_proj"};
    bool all = layer == SIZE_MAX;
    size_t halves = experts->is_gate_up && !all ? 2 : 1, half = all ? 0 : layer % halves;
    uint64_t expert = all ? 0 : layer / halves, each = weight->shape[1] * weight->shape[2];
    uint64_t outs = weight->shape[experts->in_first ? 2 : 1], ins = weight->shape[experts->in_first ? 1 : 2];
    uint64_t row_step = experts->in_first ? 1 : ins, some = outs / halves;
    *out = (bndi_expert_layer){.rows = all ? weight->shape[0] * outs : some,
                               .columns = ins,
                               .view = {.first = expert * each + half * some * row_step,
                                        .inner = some,
                                        .outer_step = each,
                                        .row_step = row_step,
                                        .column_step = experts->in_first ? outs : 1}};
    if (all) {
        (void)snprintf(name, size, "%s", weight->name);
    } else {
        (void)snprintf(name, size, "%.*s%llu.%s.weight", (int)(last_of(weight->name) - weight->name), weight->name,
                       (unsigned long long)expert, experts->is_gate_up ? parts[half] : "down_proj");
    }
}
