/* Checks of the gradients before an update: their norm, and whether the loss scale skips the step. */
#include "train/train.h"

#include "tensor/engine.h"

double bndi_squares_of_gradients(const bnd_run *run, double unscale)
{
    const bndi_maths *maths = bndi_maths_of(&run->engine->context);
    double sum = 0, scaled[BNDI_TENSOR_CHUNK];
    bndi_numbers buffer;
    for (size_t i = 0; i < run->parameters; i++) {
        const bnd_tensor *g = run->parameter[i].value->gradient;
        bndi_walk walk;
        size_t n = g != NULL ? bndi_count(&g->shape) : 0;
        bool floats = false; /* fp32 where they lie, multiplied by 1 */
        if (n > 0) {
            bndi_walk_open(&walk, g, &g->shape, BNDI_WORDS_32);
            floats = walk.plain && unscale == 1;
        }
        if (n > 0 && !floats) {
            bndi_walk_open(&walk, g, &g->shape, BNDI_WORDS_64);
        }
        for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
            size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
            const void *x = bndi_read(&walk, at, m, &buffer);
            if (floats) {
                sum += maths->squares(x, m);
                continue;
            }
            maths->linear(scaled, x, 0, unscale, m);
            sum += maths->sum_products(scaled, scaled, m);
        }
    }
    return sum;
}

void bndi_begin_loss_scale(bnd_run *run)
{
    const bnd_loss_scale *scale = &run->training.policy.loss_scale;
    run->loss_scale = scale->given ? scale->initial : 1;
    run->good_steps = 0;
}

static bool is_usable(float x)
{
    return x > 0 && x - x == 0;
}

/* It and its reciprocal stay finite numbers above 0 in fp32, however many steps are skipped or made: gradients are
 * multiplied by the reciprocal, and a scale would never return from infinity. */
static void multiply_loss_scale(bnd_run *run, double factor)
{
    const double next = run->loss_scale * factor;
    run->loss_scale = is_usable((float)next) && is_usable((float)(1 / next)) ? next : run->loss_scale;
}

bool bndi_loss_scale_skips(const bnd_run *run, double squares)
{
    return run->training.policy.loss_scale.given && squares - squares != 0; /* infinite, or NaN */
}

void bndi_loss_scale_after(bnd_run *run, bool skipped)
{
    const bnd_loss_scale *scale = &run->training.policy.loss_scale;
    if (!scale->given) {
        return;
    }
    if (skipped) {
        multiply_loss_scale(run, scale->dynamic ? 0.5 : 1);
        run->good_steps = 0;
    } else if (scale->dynamic && ++run->good_steps == scale->growth) {
        multiply_loss_scale(run, 2);
        run->good_steps = 0;
    }
}
