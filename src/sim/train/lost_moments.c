/* Second moments that are zero where the gradient is not, as they are stored: where elements share scales, or v is kept
 * by blocks or as factors, that is known when the whole of v is. Element (i, j) of factors is row[i] column[j]. */
#include "train/optimizer.h"

#include "tensor/engine.h"
#include "tensor/scaled.h"

typedef struct kept {
    const bndi_parameter *p;
    const double *factors; /* NULL: v by element */
    size_t columns;        /* of factors; 0: of blocks, or one number for each element */
    bool by_blocks;
} kept;

static bool is_zero(const kept *k, size_t at)
{
    if (k->by_blocks) {
        return k->factors[bndi_block_of(k->p, at)] == 0;
    }
    const size_t rows = k->columns > 0 ? k->p->value->shape.extent[0] : 0;
    return k->columns > 0 ? k->factors[at / k->columns] == 0 || k->factors[rows + at % k->columns] == 0
                          : k->factors[at] == 0;
}

static bool has_zero(const double *x, size_t n)
{
    size_t i = 0;
    while (i < n && x[i] != 0) {
        i++;
    }
    return i < n;
}

bool bndi_moments_are_whole(const bndi_parameter *p)
{
    return p->factors != NULL || (p->v != NULL && p->v->buffer->scaled != NULL);
}

uint64_t bndi_count_lost_moments(bnd_run *run, const bndi_parameter *p)
{
    const bndi_optimizer_row *optimizer = bndi_optimizer_for(run->optimizer, p->hidden);
    const bndi_shape *shape = &p->value->shape;
    const size_t count = bndi_count(shape);
    const bool factored = (optimizer->states & BNDI_FACTORS) != 0 && shape->rank == 2;
    const kept k = {.p = p,
                    .factors = p->factors != NULL ? run->factor_room : NULL,
                    .columns = factored ? shape->extent[1] : 0,
                    .by_blocks = (optimizer->states & BNDI_BY_BLOCKS) != 0};
    const float unscale = (float)(1 / run->loss_scale);
    bndi_numbers gradients, moments;
    uint64_t lost = 0;
    if (p->factors != NULL) {
        bndi_read_all(run->factor_room, p->factors, BNDI_WORDS_64);
        if (!has_zero(run->factor_room, bndi_count(&p->factors->shape))) { /* as nearly always */
            return 0;
        }
    }
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        const size_t n = count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
        float *g = bndi_take_numbers(&gradients, p->value->gradient, at, n);
        float *v = k.factors == NULL ? bndi_take_numbers(&moments, p->v, at, n) : moments.f32;
        for (size_t i = 0; i < n; i++) {
            g[i] *= unscale;
            v[i] = k.factors == NULL ? v[i] : is_zero(&k, at + i) ? 0 : 1;
        }
        lost += bndi_maths_of(&run->engine->context)->count_lost_moments(v, g, n);
    }
    return lost;
}
