/* Rotary positions (Su et al., arXiv:2104.09864), numbers in halves as Hugging Face's rotate_half has them: in a row of
 * e numbers at position t, the pair of element i and element i + e/2 turns by the angle t theta^(-2i/e). If e is odd,
 * the last element stays. Positions are the axis before the last. The backward pass turns back. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/rows.h"

static bnd_status rope_shape(bndi_call *c, bnd_error *why)
{
    const size_t rank = c->in_shape[0].rank;
    c->shape = c->in_shape[0];
    if (rank < 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "rope: the tensor must have at least 2 axes, positions and elements");
    }
    const double *number = c->attributes.number;
    const bool scaled = number[1] >= 1 && number[1] < 1e300 && number[3] >= 0 && number[2] >= number[3];
    if (number[1] != 0 && !scaled) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "rope: the factor must be at least 1 and below 1e300, and its wavelengths must not descend");
    }
    return number[0] >= 1 && number[0] < 1e300
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "rope: theta must be at least 1 and below 1e300");
}

/* ---- angles: the same bits everywhere ---- */

/* 1 - z / (2 3) + z^2 / (2 3 4 5) - ..., for odd 1: sin(x) / x of z = x^2; for odd 0 cos(x): with |x| <= pi/4 what is
 * left out is below 2^-60. */
static double series(double z, int odd)
{
    double sum = 1;
    for (int i = 9; i > 0; i--) {
        sum = 1 - z * sum / (double)((2 * i - 1 + odd) * (2 * i + odd));
    }
    return sum;
}

/* The angle less a multiple of pi/2, of which the first part has 33 bits: its multiples up to 2^20 are exact. */
static void turn_of(double *cosine, double *sine, double angle)
{
    const double first = 0x1.921fb544p0, rest = 0x1.0b4611a626331p-34; /* together pi/2 */
    const double quarters = (double)(int64_t)(angle * 0x1.45f306dc9c883p-1 + 0.5);
    const double x = (angle - quarters * first) - quarters * rest, z = x * x;
    const double c = series(z, 0), s = x * series(z, 1);
    switch ((int64_t)quarters % 4) {
    case 0:
        *cosine = c, *sine = s;
        return;
    case 1:
        *cosine = -s, *sine = c;
        return;
    case 2:
        *cosine = -c, *sine = -s;
        return;
    default:
        *cosine = s, *sine = -c;
    }
}

/* Low frequencies are divided by the factor, high ones stay, those between are mixed (see bnd_transformer). */
static double scaled_frequency(double frequency, const double number[4])
{
    const double factor = number[1], around = 6.28318530717958647692;
    const double wavelength = around / frequency, longest = number[2], shortest = number[3];
    if (factor == 0 || wavelength < shortest) {
        return frequency;
    }
    if (wavelength > longest || longest == shortest) {
        return frequency / factor;
    }
    const double kept = (1 / wavelength - 1 / longest) / (1 / shortest - 1 / longest);
    return (1 - kept) * frequency / factor + kept * frequency;
}

/* For each position and pair: cosine, sine. */
static void fill_turns(double *turns, size_t positions, size_t pairs, const double number[4], const bnd_engine *engine)
{
    bndi_formula *power = bndi_maths_of(&engine->context)->formula[BNDI_WORDS_64][BNDI_F_power];
    for (size_t i = 0; i < pairs; i++) {
        const void *in[] = {&number[0], NULL, NULL};
        double frequency;
        power(&frequency, in, -(double)i / (double)pairs, 1);
        frequency = scaled_frequency(frequency, number);
        for (size_t t = 0; t < positions; t++) {
            double *turn = turns + 2 * (t * pairs + i);
            turn_of(&turn[0], &turn[1], (double)t * frequency);
        }
    }
}

/* ---- rows ---- */

static double rounded(double x, bndi_width work)
{
    return work == BNDI_WORDS_32 ? (double)(float)x : x;
}

static void turn_row(double *y, const double *x, const double *turns, size_t n, double direction, bndi_width work)
{
    const size_t pairs = n / 2;
    y[n - 1] = x[n - 1];
    for (size_t i = 0; i < pairs; i++) {
        const double c = turns[2 * i], s = direction * turns[2 * i + 1], a = x[i], b = x[i + pairs];
        y[i] = rounded(a * c - b * s, work);
        y[i + pairs] = rounded(b * c + a * s, work);
    }
}

static bnd_status turn(bnd_tensor *out, const bnd_tensor *in, const bndi_call *c, double direction,
                       const bndi_store *how, bnd_error *why)
{
    const bndi_shape *s = &c->shape;
    const size_t n = s->extent[s->rank - 1], positions = s->extent[s->rank - 2], pairs = n / 2;
    const size_t rows = n > 0 ? bndi_count(s) / n : 0;
    bndi_rows x = {.memory = NULL}, y = {.memory = NULL};
    bndi_buffer *turns = NULL;
    if (rows == 0) {
        return BND_OK;
    }
    bnd_status status =
        bndi_buffer_new(&turns, c->engine, BND_ROLE_SCRATCH, positions * n * sizeof(double), false, why);
    status = status == BND_OK ? bndi_rows_open(&x, in, n, BNDI_WORDS_64, NULL, why) : status;
    status = status == BND_OK ? bndi_rows_open(&y, out, n, BNDI_WORDS_64, how, why) : status;
    if (status == BND_OK) {
        double *numbers = (double *)(void *)turns->data;
        fill_turns(numbers, positions, pairs, c->attributes.number, c->engine);
        for (size_t row = 0; row < rows; row++) {
            turn_row(bndi_row_place(&y, row), bndi_row_read(&x, row), numbers + row % positions * 2 * pairs, n,
                     direction, c->work);
        }
    }
    bndi_rows_close(&y);
    bndi_rows_close(&x);
    bndi_buffer_release(turns);
    return status;
}

static bnd_status rope_forward(bndi_call *c, bnd_error *why)
{
    const bndi_store how = bndi_store_for(c->engine, c->role);
    return turn(c->saved[BNDI_OUT], c->saved[0], c, 1, &how, why);
}

static bnd_status rope_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    if (status != BND_OK) {
        return status;
    }
    const bndi_store how = bndi_store_for(c->engine, g->role[0]);
    bndi_count_flops(c->engine, c->operation, 3 * bndi_count(&c->shape));
    return turn(g->out[0], d, c, -1, &how, why);
}

/* Two products and a sum. */
static uint64_t rope_flops(const bndi_call *c)
{
    return 3 * bndi_count(&c->shape);
}

const bndi_row bndi_rope_row = {.name = "rope",
                                .least = 1,
                                .most = 1,
                                .shape = rope_shape,
                                .forward = rope_forward,
                                .backward = rope_backward,
                                .flops = rope_flops};
