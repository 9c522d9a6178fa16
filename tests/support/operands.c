/* Stratified operands. Each depends only on the seed and its index. */
#include "tests/support/operands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double scale(void)
{
    const char *text = getenv("BND_TEST_SCALE");
    double value = text == NULL ? 1.0 : strtod(text, NULL);
    return value > 0.0 && value <= 1e6 ? value : 1.0;
}

uint64_t scaled(uint64_t count)
{
    double many = (double)count * scale();
    return many < 1.0 ? 1 : (uint64_t)many;
}

uint64_t scaled_stride(void)
{
    double value = scale();
    return value >= 1.0 ? 1 : (uint64_t)(1.0 / value);
}

bool in_turn(uint64_t k, uint64_t turns)
{
    return scale() >= 0.5 || k % turns == 0;
}

bnd_format format_named(const char *name)
{
    bnd_format f;
    bnd_error why;
    if (bnd_format_parse(&f, name, &why) != BND_OK) {
        fprintf(stderr, "cannot test %s: %s\n", name, why.message);
        exit(EXIT_FAILURE);
    }
    return f;
}

static double to_double(const bndi_oracle_value *value)
{
    return ldexp((double)value->significand, (int)value->quantum);
}

/* A few units in the last place of a double to either side, most often none. */
static double nudge(double x, uint64_t random)
{
    int steps = (int)(random % 7);
    double target = random & 8 ? (double)INFINITY : 0.0;
    if (steps >= 4) {
        return x;
    }
    for (int i = 0; i < steps; i++) {
        x = nextafter(x, target);
    }
    return x;
}

/* A random significand, often short or nearly a power of two, at an exponent from `low` to `high`. */
static double with_exponent(int64_t low, int64_t high, uint64_t random, uint64_t more)
{
    uint64_t fraction = more >> 12;
    unsigned keep = (unsigned)(random >> 32 & 63);
    if (keep < 52) {
        fraction &= ~(UINT64_MAX >> (12 + keep));
        fraction &= (UINT64_C(1) << 52) - 1;
    }
    if (random >> 40 & 1) {
        fraction ^= (UINT64_C(1) << 52) - 1;
    }
    int64_t exponent = low + (int64_t)((random & 0xffffffff) % (uint64_t)(high - low + 1));
    return ldexp(1.0 + ldexp((double)fraction, -52), (int)exponent);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* A value of the format or the midpoint to the next one, past the largest number too. Value sets have no codes to draw
 * from: short significands within their exponents stand in. */
static double near_value(const bndi_oracle_shape *shape, uint64_t random, uint64_t more)
{
    if (shape->magnitude_bits == 0) {
        int64_t low = clamp(1 - shape->bias - shape->fraction_bits, -1074, 1000);
        int64_t high = clamp(bndi_oracle_exponent(&shape->max), low, 1023);
        double unit = ldexp(1.0, (int)(-1 - (int64_t)shape->fraction_bits));
        double steps = floor(ldexp((double)(more >> 12), -52) / unit);
        int64_t exponent = low + (int64_t)(random % (uint64_t)(high - low + 1));
        return nudge(ldexp(1.0 + steps * unit, (int)exponent), random >> 40);
    }
    uint64_t magnitude = more % (shape->max_code + 2);
    bndi_oracle_value a = bndi_oracle_grid_value(shape, magnitude);
    double x = to_double(&a);
    if (random & 1) {
        bndi_oracle_value b = bndi_oracle_grid_value(shape, magnitude + 1);
        x = x / 2 + to_double(&b) / 2;
    }
    return nudge(x, random >> 8);
}

static double special(uint64_t random)
{
    static const uint64_t bits[] = {
        0,
        UINT64_C(0x7ff0000000000000), /* infinity */
        UINT64_C(0x7ff8000000000000), /* NaN */
        UINT64_C(0x7ffc00000000beef), /* NaN with a payload */
        UINT64_C(0x7ff0000000000001), /* signaling NaNs */
        UINT64_C(0x7ff5555555555555),
        1,                            /* the least double */
        UINT64_C(0x000fffffffffffff), /* the largest subnormal */
        UINT64_C(0x0010000000000000), /* the smallest normal */
        UINT64_C(0x7fefffffffffffff), /* the largest */
        UINT64_C(0x3ff0000000000000), /* 1 */
    };
    return bndi_double_of_bits(bits[random % (sizeof bits / sizeof bits[0])]);
}

double stratified_double(const bnd_format *f, uint64_t seed, uint64_t i)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    uint64_t random = bnd_random(seed, 1, i);
    uint64_t more = bnd_random(seed, 2, i);
    int64_t low = clamp(bndi_oracle_exponent(&shape.least), -1074, 1000);
    int64_t high = clamp(bndi_oracle_exponent(&shape.max), -1073, 1023);
    int64_t normal = clamp(bndi_oracle_exponent(&shape.normal), -1074, 1000);
    double x;
    switch (i % 16) {
    case 0:
        x = bndi_double_of_bits(more);
        break;
    case 1:
    case 2:
        x = with_exponent(clamp(low - 3, -1074, 1020), clamp(high + 2, -1070, 1023), random, more);
        break;
    case 3:
        x = with_exponent(clamp(high - 1, -1074, 1023), clamp(high + 1, -1074, 1023), random, more);
        break;
    case 4:
    case 5:
        x = with_exponent(clamp(low - 2, -1074, 1023), clamp(low + 1, -1074, 1023), random, more);
        break;
    case 6:
        x = with_exponent(clamp(normal - 2, -1074, 1023), clamp(normal, -1074, 1023), random, more);
        break;
    case 7:
        x = nudge(to_double(random & 16 ? &shape.normal : random & 32 ? &shape.least : &shape.max), random);
        break;
    case 8:
        x = i % 256 == 8 ? special(random) : (double)(more >> (random & 63));
        break;
    default:
        x = near_value(&shape, random, more);
        break;
    }
    return random >> 63 ? -x : x;
}
