/* Static input scales of two checkpoints. */
#include "convert/how.h"

#include <stddef.h>

typedef struct input_scale {
    bool exists, divides;
    float x;
} input_scale;

static input_scale input_of(const bnd_stored_weight *w)
{
    const bnd_stored_tensor *t = w == NULL ? NULL : bndi_input_of(w);
    input_scale s = {.exists = t != NULL, .divides = t != NULL && t != w->parts[BND_PART_INPUT], .x = 0};
    if (t != NULL &&
        (t->count != 1 || t->format == NULL || bnd_decode_f32(&s.x, t->data, 1, t->format, NULL, NULL) != BND_OK)) {
        s.x = 0; /* no scale: it equals nothing */
    }
    return s;
}

static bool are_same(input_scale a, input_scale b)
{
    if (!a.exists || !b.exists || !(a.x > 0) || !(b.x > 0)) {
        return false;
    }
    if (a.divides == b.divides) {
        return a.x == b.x;
    }
    const volatile float of_a = 1 / a.x, of_b = 1 / b.x;
    return of_a == b.x && of_b == a.x;
}

size_t bnd_relayout_compare_inputs(size_t *same, const bnd_checkpoint *a, const bnd_checkpoint *b)
{
    size_t count = 0;
    *same = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(a); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(a, i);
        const input_scale x = input_of(w), y = input_of(bnd_checkpoint_find_weight(b, w->name));
        count += x.exists || y.exists;
        *same += are_same(x, y);
    }
    return count;
}
