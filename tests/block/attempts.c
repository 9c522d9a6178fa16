/* The model of rules that try several scales, mse and 4/6: the squared error under each, in the order of the
 * definition; the first of the least ones is the scale. */
#include "attempts.h"

#include <math.h>
#include <string.h>

/* The lanes of a piece, added in pairs. */
static double sum_of_lanes(double lanes[16])
{
    for (size_t half = 8; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            lanes[i] += lanes[i + half];
        }
        memset(lanes + half, 0, half * sizeof *lanes);
    }
    double sum = lanes[0];
    lanes[0] = 0;
    return sum;
}

/* The squared error of the elements of a group under a scale, in the order of the definition. */
static double error_of(const float *x, bnd_shape shape, const bnd_block *block, size_t group, double scale,
                       double tensor)
{
    const bnd_array nearest = {.rule = {.rounding = BND_ROUND_RNE}};
    const size_t count = shape.outer * shape.length * shape.inner;
    double lanes[16] = {0}, error = 0;
    size_t length = 0; /* of the run of neighbours so far */
    for (size_t i = 0; i < count; i++) {
        if (scale_of(block, shape, i) != group) {
            error += length > 0 ? sum_of_lanes(lanes) : 0;
            length = 0;
            continue;
        }
        double element = model_value_of_element(block, model_element(block, x[i], scale, tensor, &nearest, 0));
        uint32_t bits = model_value(element, scale, tensor);
        float y;
        memcpy(&y, &bits, sizeof y);
        lanes[length++ % 16] += ((double)y - (double)x[i]) * ((double)y - (double)x[i]);
        if (length % 8192 == 0) {
            error += sum_of_lanes(lanes);
            length = 0;
        }
    }
    return error + (length > 0 ? sum_of_lanes(lanes) : 0);
}

uint64_t model_scale(const bnd_block *block, double amax, double tensor, const float *x, bnd_shape shape, size_t group)
{
    const int attempts = block->rule == BND_SCALE_MSE && !model_gives_powers(block)          ? 49
                         : block->rule == BND_SCALE_MSE || block->rule == BND_SCALE_FOUR_SIX ? 2
                                                                                             : 1;
    uint64_t best = model_attempt(block, amax, tensor, 0);
    if (attempts == 1 || !(amax > 0) || isinf(amax)) {
        return best;
    }
    double least = error_of(x, shape, block, group, model_value_of_code(&block->scale, best), tensor);
    for (int k = 1; k < attempts; k++) {
        const uint64_t code = model_attempt(block, amax, tensor, k);
        const double error = error_of(x, shape, block, group, model_value_of_code(&block->scale, code), tensor);
        best = error < least ? code : best;
        least = error < least ? error : least;
    }
    return best;
}
