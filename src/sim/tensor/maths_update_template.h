/* The loops that the update of parameters is made of: an optimizer's step, sums of two, and what the update did. A part
 * of maths.c. All arrays are fp32 but the sums of sums_of_two, and every formula has the roundings that its parts have
 * one by one. */

typedef int32_t signs __attribute__((vector_size(LANES * sizeof(int32_t)))); /* -1 where something is so */

/* Comparisons are -1 per lane: the count is minus their sum. The counts have 32 bits: callers pass at most a chunk of a
 * tensor, so they cannot overflow. */
static uint64_t count_of(signs found)
{
    uint64_t count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        count += (uint64_t)(int64_t)-found[lane];
    }
    return count;
}

/* Squares of fp32 numbers are exact in double. */
static ALWAYS_INLINE doubles square_of_floats(const float *x, size_t at, size_t left)
{
    doubles v = take_of_floats(x, at, left);
    return v * v;
}

/* In the lanes of sum_products. */
static double squares(const float *x, size_t n)
{
    doubles sums[PARTS] = {{0}};
    EACH_SIXTEEN(n, sums[p] += square_of_floats(x, at, left);)
    return sum_of_lanes(sums);
}

/* A vector of an update, with a rounding to fp32 wherever the formulas scale, add_scaled, mul, sqrt, shift and
 * scaled_quotient have one, so that the same formulas one by one give the same bits. The first step of a weight of 1
 * with the gradient 0.5, rate -0.001, betas 0.9 and 0.999, keep 0.99999:
 *
 *   kept      1 * 0.99999                    0.99999
 *   first     0 * 0.9 + 0.1 * 0.5            0.05
 *   second    0 * 0.999 + 0.001 * 0.25       0.00025
 *   root      0.0158 * 31.6 + 1e-8           0.5
 *   step      -0.01 * 0.05 / 0.5             -0.001      (the rate is divided by 1 - 0.9, too) */
static ALWAYS_INLINE void adam_of_lanes(const bndi_adam *k, float *w, float *m, float *v, const float *g,
                                        float *divisor, float *change)
{
    const floats x = load_of_floats(g, 0);
    floats kept = to_floats(wide(load_of_floats(w, 0)) * k->keep);
    floats first = to_floats(wide(load_of_floats(m, 0)) * k->beta1);
    floats second = to_floats(wide(load_of_floats(v, 0)) * k->beta2), square = to_floats(wide(x * x) * k->rest2);
    first = to_floats(wide(first) + k->rest1 * wide(x));
    second = to_floats(wide(second) + wide(square));
    /* The divisor: the root is correctly rounded, in fp32 as by way of doubles. */
    floats root = to_floats(wide(root_of(second)) * k->correction);
    root = to_floats(wide(root) + k->epsilon);
    const floats step = to_floats(k->rate * wide(first) / wide(root));
    __builtin_memcpy(w, &kept, sizeof kept);
    __builtin_memcpy(m, &first, sizeof first);
    __builtin_memcpy(v, &second, sizeof second);
    __builtin_memcpy(divisor, &root, sizeof root);
    __builtin_memcpy(change, &step, sizeof step);
}

/* The last few go through a copy: what its other lanes become is dropped.
 * With n = 21 and LANES 8: two vectors, then a copy with 5 numbers of each array and 3 zeros.
 * w, m and v are read and written; divisor and change are written only. */
static void adam(const bndi_adam *k, float *w, float *m, float *v, const float *g, float *divisor, float *change,
                 size_t n)
{
    float *const to[] = {w, m, v, divisor, change};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        adam_of_lanes(k, w + i, m + i, v + i, g + i, divisor + i, change + i);
    }
    if (i < n) {
        const size_t bytes = (n - i) * sizeof *w;
        float last[COUNT(to)][LANES] = {{0}}, of_g[LANES] = {0};
        __builtin_memcpy(of_g, g + i, bytes);
        for (size_t j = 0; j < 3; j++) {
            __builtin_memcpy(last[j], to[j] + i, bytes);
        }
        adam_of_lanes(k, last[0], last[1], last[2], of_g, last[3], last[4]);
        for (size_t j = 0; j < COUNT(to); j++) {
            __builtin_memcpy(to[j] + i, last[j], bytes);
        }
    }
}

/* A sum that begins at +0 has no -0:
 *
 *   x, y          -0, -0    1, 2^-30
 *   0 + x + y     0         1 + 2^-30       not rounded to fp32 yet */
static void sums_of_two(double *sums, const float *x, const float *y, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        store(sums + i, (0 + wide(load_of_floats(x, i))) + wide(load_of_floats(y, i)));
    }
    for (; i < n; i++) {
        sums[i] = (0 + (double)x[i]) + (double)y[i];
    }
}

/* Sums of two multiples: each product and the sum are rounded to double, and the sum then to fp32.
 *
 *   of_x = 0.1, x = 3    0.30000000000000004       of_y = 1, y = 1    1.3 as a double, 1.29999995 as fp32 */
static void combine(float *x, double of_x, const float *y, double of_y, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const floats sum = to_floats(wide(load_of_floats(x, i)) * of_x + wide(load_of_floats(y, i)) * of_y);
        __builtin_memcpy(x + i, &sum, sizeof sum);
    }
    for (; i < n; i++) {
        x[i] = (float)((double)x[i] * of_x + (double)y[i] * of_y);
    }
}

/* What an update did: the sums of squares of changes and weights, how many changes are not zero, and how many of those
 * rounding lost (the weight is what it was). bf16 weights have steps of 2^-7 from 1 to 2:
 *
 *   change                    2^-6        2^-10       0           -1.5
 *   before                    1           1           1           1.5
 *   now                       1 + 2^-6    1           1           0
 *   is_update (change != 0)   -1          -1          0           -1        updates: 3
 *   & (now == before)         0           -1          0           0         lost: 1 */
static void count_changes(bndi_changes *t, const float *change, const float *before, const float *now, size_t n)
{
    doubles changes[PARTS] = {{0}}, weights[PARTS] = {{0}};
    signs updates = {0}, lost = {0};
    EACH_SIXTEEN(n, changes[p] += square_of_floats(change, at, left);)
    EACH_SIXTEEN(n, weights[p] += square_of_floats(before, at, left);)
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector_of_floats c = load_of_floats(change, i);
        signs is_update = c != 0;
        updates += is_update;
        lost += is_update & (load_of_floats(now, i) == load_of_floats(before, i));
    }
    t->updates += count_of(updates);
    t->lost += count_of(lost);
    for (; i < n; i++) {
        t->updates += change[i] != 0;
        t->lost += change[i] != 0 && now[i] == before[i];
    }
    t->squares_of_changes += sum_of_lanes(changes);
    t->squares_of_weights += sum_of_lanes(weights);
}

/* How many of v are zero where g is not: gradients g whose rounded value v is lost. Both zeros compare equal to zero,
 * and NaNs are different from it. */
static size_t count_lost_moments(const float *v, const float *g, size_t n)
{
    signs lost = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        lost += (load_of_floats(v, i) == 0) & (load_of_floats(g, i) != 0);
    }
    size_t count = (size_t)count_of(lost);
    for (; i < n; i++) {
        count += v[i] == 0 && g[i] != 0;
    }
    return count;
}

/* How many updates changed the exact number but not the stored one: updated is the weight before its rounding. A weight
 * of 1 with the updated value 1 + 2^-10, stored as bf16, is 1 again and counts. */
static size_t count_lost_updates(const float *updated, const float *before, const float *now, size_t n)
{
    signs lost = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector_of_floats old = load_of_floats(before, i);
        lost += (load_of_floats(updated, i) != old) & (load_of_floats(now, i) == old);
    }
    size_t count = (size_t)count_of(lost);
    for (; i < n; i++) {
        count += updated[i] != before[i] && now[i] == before[i];
    }
    return count;
}
