/* The same bits for any number of threads, any back end, any split, and in a hostile floating-point environment. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"
#include "tests/support/operands.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { ROWS = 300, COLUMNS = 608 }; /* more than threads start at */

typedef struct result {
    unsigned char *codes, *scales;
    float *values, *fake;
    float tensor;
    size_t codes_size, scales_size, count;
} result;

static float *sample(size_t n)
{
    float *x = memory_of(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = i % 97 == 5 ? 1e-41f : normal_number(3, i);
    }
    return x;
}

static result run(const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    result r = {.count = shape.outer * shape.length * shape.inner};
    r.codes_size = bnd_block_codes_size(block, shape, (bnd_packing)how->packing_out);
    r.scales_size = bnd_block_scales_size(block, shape);
    r.codes = memory_of(r.codes_size);
    r.scales = memory_of(r.scales_size);
    r.values = memory_of(r.count * 4);
    r.fake = memory_of(r.count * 4);
    CU_ASSERT_EQUAL(bnd_quantize_f32(r.codes, r.scales, &r.tensor, x, shape, block, how, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_dequantize_f32(r.values, r.codes, r.scales, r.tensor, shape, block, how, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(r.fake, x, shape, block, how, NULL, NULL), BND_OK);
    return r;
}

static void release(result *r)
{
    free(r->codes);
    free(r->scales);
    free(r->values);
    free(r->fake);
}

static bool same(const result *a, const result *b)
{
    return memcmp(a->codes, b->codes, a->codes_size) == 0 && memcmp(a->scales, b->scales, a->scales_size) == 0 &&
           memcmp(&a->tensor, &b->tensor, 4) == 0 && memcmp(a->values, b->values, 4 * a->count) == 0 &&
           memcmp(a->fake, b->fake, 4 * a->count) == 0 && memcmp(a->values, a->fake, 4 * a->count) == 0;
}

static const char *const blocks[] = {"mxfp8",
                                     "mxfp4:floor",
                                     "mxfp6-e3m2",
                                     "mxint8",
                                     "nvfp4",
                                     "e4m3/tensor",
                                     "e4m3/tile:64x64",
                                     "e2m1/row",
                                     "e2m1/tile:7x9",
                                     "e2m1/nvfp4:16x16",
                                     "nvfp4:4/6",
                                     "e4m3/row:mse",
                                     "int8/tile:1x128:mse",
                                     "int8/row",
                                     "e4m3/tensor:bf16:mse",
                                     "mxfp4:mse"};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static const bnd_shape shapes[] = {
    {ROWS, COLUMNS, 1}, {1, ROWS, COLUMNS}, {1, COLUMNS, ROWS + 1}, {1, ROWS *COLUMNS, 1}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bnd_array how_in(const bnd_context *context, bnd_rounding rounding)
{
    return (bnd_array){
        .context = context, .rule = {.rounding = (uint8_t)rounding, .random_bits = 8}, .seed = 99, .purpose = 4};
}

static bnd_array stochastic(const bnd_context *context)
{
    return how_in(context, BND_ROUND_SR);
}

/* Threads, and back ends. */
static void test_contexts(void)
{
    float *x = sample((ROWS + 1) * COLUMNS);
    bnd_context one = {.threads = 1, .backend = BND_BACKEND_PORTABLE};
    for (size_t k = 0; k < 2 * BLOCKS; k++) {
        if (!in_turn(k, 3)) {
            continue;
        }
        bnd_block block = block_named(blocks[k / 2]);
        const bnd_shape shape = shapes[k / 2 % SHAPES];
        const bnd_rounding rounding = k % 2 ? BND_ROUND_SR : k % 4 ? BND_ROUND_RNE : BND_ROUND_RTZ;
        const bnd_array how_one = how_in(&one, rounding);
        result want = run(x, shape, &block, &how_one);
        for (unsigned backend = 0; backend < BND_BACKEND_COUNT; backend++) {
            bnd_context other = {.threads = 2 + backend, .backend = (uint8_t)backend};
            if (!bnd_backend_here((bnd_backend)backend) || !in_turn(k + backend, 2)) {
                continue;
            }
            const bnd_array how = how_in(&other, rounding);
            result got = run(x, shape, &block, &how);
            CU_ASSERT(same(&want, &got));
            release(&got);
        }
        release(&want);
    }
    free(x);
}

/* Normally distributed blocks, times powers of two: all there are, or fewer where a scale of the tensor spans them.
 * Every eleventh block is quarters of what its scale will be; every seventeenth is zeros; and there may be a NaN. */
static float *sample_of_blocks(size_t n, const bnd_block *format, bool with_nan)
{
    const size_t across = format->along, powers = format->tensor ? 29 : 276;
    const int lowest = format->tensor ? -20 : -150;
    float *x = memory_of(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const size_t block = i / across;
        if (block % 11 == 3) {
            x[i] = i % across == 0 ? 6 : (float)(int)(i * 7 % 49 - 24) / 4;
        } else {
            x[i] = block % 17 == 5 ? -0.0f : ldexpf(normal_number(8, i), (int)(block * 37 % powers) + lowest);
        }
    }
    x[0] = 2688; /* the tensor's scale of nvfp4 is then 1 */
    if (with_nan) {
        x[n / 2] = NAN;
    }
    return x;
}

static float quantize_at(unsigned char *codes, unsigned char *scales, const float *x, size_t n, const bnd_block *block,
                         const bnd_array *how)
{
    float tensor = 1;
    CU_ASSERT_EQUAL(bnd_quantize_f32(codes, scales, &tensor, x, (bnd_shape){1, n, 1}, block, how, NULL, NULL), BND_OK);
    return tensor;
}

/* There and back in one call is what the codes are worth: the same bits, in place, too. */
static void check_fake(const unsigned char *codes, const unsigned char *scales, float tensor, const float *x, size_t n,
                       const bnd_block *block, const bnd_array *how)
{
    const bnd_shape shape = {1, n, 1};
    const bnd_array read = {.packing_in = how->packing_out};
    float *values = memory_of(n * sizeof *values), *fake = memory_of(n * sizeof *fake);
    CU_ASSERT_EQUAL(bnd_dequantize_f32(values, codes, scales, tensor, shape, block, &read, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(fake, x, shape, block, how, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(fake, values, n * sizeof *fake), 0);
    memcpy(fake, x, n * sizeof *fake);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(fake, fake, shape, block, how, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(fake, values, n * sizeof *fake), 0);
    free(values);
    free(fake);
}

/* Every way to quantize in fewer passes gives what the portable back end does, wherever the codes begin in a line, and
 * touches nothing beside them. */
static void test_short_ways(void)
{
    static const char *const names[] = {
        "mxfp8",        "mxfp8:floor", "mxfp8-e5m2:even", "mxfp6-e2m3:floor", "mxfp6-e3m2",  "mxfp4",
        "mxfp4:floor",  "mxint8",      "mxint8:floor",    "mxint8:even",      "nvfp4",       "nvfp4-subnormal",
        "e4m3/mx:ceil", "mxfp8:mse",   "nvfp4:mse",       "nvfp4:4/6",        "int8/row:32", "int4/row:16:mse"};
    static const size_t lengths[] = {512, 1024, 2048 + 33, 3 * 512 + 17, 8192 + 512, 2 * 8192 + 500};
    enum { MOST = 2 * 8192 + 500, BESIDE = 128 };
    const bnd_context portable = {.backend = BND_BACKEND_PORTABLE};
    unsigned char *codes[2] = {memory_of(MOST + 2 * BESIDE), memory_of(MOST + 2 * BESIDE)};
    unsigned char *scales[2] = {memory_of(MOST), memory_of(MOST)};
    size_t k = 0;
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        const bnd_block block = block_named(names[name]);
        for (size_t i = 0; i < 4 * sizeof lengths / sizeof lengths[0]; i++, k++) {
            if (!in_turn(k, 5)) {
                continue;
            }
            const size_t n = lengths[i / 4], offset = k * 5 % 64;
            const bnd_rule rule = {.rounding = k % 3 == 2 ? BND_ROUND_RTZ : BND_ROUND_RNE};
            float *x = sample_of_blocks(n, &block, i % 4 == 3);
            for (unsigned backend = 0; backend < BND_BACKEND_COUNT; backend++) {
                const bnd_context context = {.backend = (uint8_t)backend};
                if (!bnd_backend_here((bnd_backend)backend)) {
                    continue;
                }
                for (size_t turn = 0; turn < 2; turn++) {
                    const bnd_array how = {.context = turn ? &context : &portable,
                                           .rule = rule,
                                           .packing_out = i % 4 == 2 ? BND_PACKING_UNPACKED : BND_PACKING_PACKED};
                    memset(codes[turn], 0xa5, MOST + 2 * BESIDE);
                    memset(scales[turn], 0xa5, MOST);
                    const float tensor = quantize_at(codes[turn] + offset, scales[turn], x, n, &block, &how);
                    check_fake(codes[turn] + offset, scales[turn], tensor, x, n, &block, &how);
                }
                CU_ASSERT_EQUAL(memcmp(codes[0], codes[1], MOST + 2 * BESIDE), 0);
                CU_ASSERT_EQUAL(memcmp(scales[0], scales[1], MOST), 0);
            }
            free(x);
        }
    }
    for (size_t turn = 0; turn < 2; turn++) {
        free(codes[turn]);
        free(scales[turn]);
    }
}

/* Half of the least number of p4emin-126emax10 in units of the scale, 2^20 for floor, and the float above: products in
 * fp32 would lose the difference. */
static void put_halves(float *x, size_t n)
{
    x[0] = 0x1p30f;
    for (size_t i = 1; i < n; i++) {
        x[i] = (i % 2 != 0 ? 0x1p-110f : 0x1.000002p-110f) * (float)(i % 3 + 1);
    }
}

/* There and back without statistics goes ways of its own, elements with no codes too; with them it does not. */
static void test_there_and_back(void)
{
    static const char *const names[] = {"mxfp8:floor",
                                        "mxfp4:even",
                                        "mxint8:floor",
                                        "e4m3fnuz/mx:floor",
                                        "bf16/mx:floor",
                                        "p4emin-126emax10/mx:floor",
                                        "p22emin-14emax15/mx:floor",
                                        "p23emin-14emax15/mx:floor",
                                        "p24emin-14emax15/mx:floor",
                                        "e4m3/tile:1x16",
                                        "e4m3/tile:32x1",
                                        "e4m3/tile:16x40",
                                        "e5m2/row",
                                        "p24emin-14emax15/tile:1x16",
                                        "e4m3/row:floor",
                                        "nvfp4"};
    enum { DOWN = 96, ACROSS = 160, COUNT = DOWN * ACROSS };
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        const bnd_block block = block_named(names[name]), blocks_of_32 = block_named("mxfp8");
        for (size_t backend = 0; backend < BND_BACKEND_COUNT; backend++) {
            if (!bnd_backend_here((bnd_backend)backend)) {
                continue;
            }
            const bnd_context context = {.backend = (uint8_t)backend};
            const bnd_array how = {.context = &context};
            float *x = sample_of_blocks(COUNT, block.tensor ? &block : &blocks_of_32, backend % 2 != 0);
            float *alone = memory_of(COUNT * sizeof *x), *counted = memory_of(COUNT * sizeof *x);
            const bnd_shape shape = backend % 3 == 2 ? (bnd_shape){DOWN, ACROSS, 1} : (bnd_shape){1, DOWN, ACROSS};
            bnd_stats stats = {.elements = 0};
            put_halves(x + 32, 32);
            CU_ASSERT_EQUAL(bnd_fake_quantize_f32(alone, x, shape, &block, &how, NULL, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_fake_quantize_f32(counted, x, shape, &block, &how, &stats, NULL), BND_OK);
            CU_ASSERT_EQUAL(memcmp(alone, counted, COUNT * sizeof *x), 0);
            CU_ASSERT_EQUAL(stats.elements, COUNT);
            free(x);
            free(alone);
            free(counted);
        }
    }
}

/* Numbers of the format and middles between them, times a scale: of 12 bits, so that they are quotients exactly, or of
 * 24, so that quotients are nearer to them than fp32 could tell; and the floats beside them. Scales from the smallest
 * on, where what a quotient leaves over cannot be seen in fp32. */
static void test_quotients(void)
{
    static const char *const names[] = {"e4m3/tensor", "e5m2/tensor", "fp16/tensor", "e2m1/tensor"};
    enum { COUNT = 4096 + 5, LOWEST = -140, HIGHEST = 100 };
    const bnd_context portable = {.backend = BND_BACKEND_PORTABLE}, best = {.backend = BND_BACKEND_BEST};
    const bnd_array one = {.context = &portable}, other = {.context = &best};
    const bnd_shape shape = {1, COUNT, 1};
    float *x = memory_of(COUNT * sizeof *x);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const bnd_block block = block_named(names[k]);
        const bnd_format *f = &block.element;
        const double largest = bnd_decode(f, f->max_code);
        for (int exponent = LOWEST; exponent <= HIGHEST; exponent += 3) {
            const int significand = exponent % 2 ? 0x800000 + 0x3001 * (exponent & 0x1ff) : 0x801000;
            const float amax = (float)(largest * ldexp(significand, exponent - 23));
            const double scale = (double)(float)((double)amax / largest);
            for (size_t i = 0; i < COUNT; i++) {
                const uint64_t code = bnd_random(7, 1, i) % f->max_code;
                const double number = bnd_decode(f, code), next = bnd_decode(f, code + 1);
                const float middle = (float)((i % 2 ? number : (number + next) / 2) * scale);
                x[i] = i % 3 == 0 ? middle : nextafterf(middle, i % 3 == 1 ? 0 : INFINITY);
                x[i] = i % 5 == 0 ? -x[i] : x[i];
            }
            x[COUNT / 2] = amax;
            result want = run(x, shape, &block, &one), got = run(x, shape, &block, &other);
            CU_ASSERT(same(&want, &got));
            release(&want);
            release(&got);
        }
    }
    free(x);
}

/* Beyond the caches, where codes may be written past them: the same as in pieces that no cache minds. An odd address,
 * and a NaN here and there. */
static void test_beyond_the_caches(void)
{
    enum { COUNT = (9 << 20) + 77, PIECE = 1 << 20 };
    const bnd_context context = {.threads = 3};
    const bnd_array how = {.context = &context};
    bnd_block block = block_named("mxfp8:floor");
    unsigned char *codes = memory_of(COUNT + 1), *scales = memory_of(COUNT / 32 + 1);
    unsigned char *wanted = memory_of(COUNT), *wanted_scales = memory_of(COUNT / 32 + 1);
    float *x = memory_of(COUNT * sizeof *x);
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t bits = (uint32_t)i * 2654435761u;
        bits = i % 1000003 == 5 ? 0x7fc00000 : 0x3e000000 | bits >> 7;
        memcpy(&x[i], &bits, sizeof bits);
    }
    CU_ASSERT_EQUAL(bnd_quantize_f32(codes + 1, scales, NULL, x, (bnd_shape){1, COUNT, 1}, &block, &how, NULL, NULL),
                    BND_OK);
    for (size_t at = 0; at < COUNT; at += PIECE) {
        const bnd_shape piece = {1, COUNT - at < PIECE ? COUNT - at : PIECE, 1};
        CU_ASSERT_EQUAL(
            bnd_quantize_f32(wanted + at, wanted_scales + at / 32, NULL, x + at, piece, &block, &how, NULL, NULL),
            BND_OK);
    }
    CU_ASSERT_EQUAL(codes[0], 0);
    CU_ASSERT_EQUAL(memcmp(codes + 1, wanted, COUNT), 0);
    CU_ASSERT_EQUAL(memcmp(scales, wanted_scales, COUNT / 32 + 1), 0);
    free(codes);
    free(scales);
    free(wanted);
    free(wanted_scales);
    free(x);
}

/* Two halves with `first` where the second begins. */
static void test_split(void)
{
    enum { HALF = 150 * COLUMNS };
    float *x = sample(2 * HALF), tensor;
    bnd_block block = block_named("mxfp4");
    bnd_array how = stochastic(NULL);
    result whole = run(x, (bnd_shape){2 * 150, COLUMNS, 1}, &block, &how);
    unsigned char *codes = memory_of(whole.codes_size), *scales = memory_of(whole.scales_size);
    const bnd_shape half = {150, COLUMNS, 1};
    CU_ASSERT_EQUAL(bnd_quantize_f32(codes, scales, &tensor, x, half, &block, &how, NULL, NULL), BND_OK);
    how.first = HALF;
    CU_ASSERT_EQUAL(
        bnd_quantize_f32(codes + HALF / 2, scales + HALF / 32, &tensor, x + HALF, half, &block, &how, NULL, NULL),
        BND_OK);
    CU_ASSERT_EQUAL(memcmp(codes, whole.codes, whole.codes_size), 0);
    CU_ASSERT_EQUAL(memcmp(scales, whole.scales, whole.scales_size), 0);
    release(&whole);
    free(codes);
    free(scales);
    free(x);
}

/* The scales of a call, in order of size: what is stored, times the tensor's. */
static bool scales_are_counted(const bnd_stats *stats, const result *r, const bnd_block *block)
{
    double least = INFINITY, most = 0, tensor = block->tensor ? (double)r->tensor : 1;
    for (size_t g = 0; g < r->scales_size / (block->scale.width / 8u); g++) {
        double scale = scale_value(block, r->scales, g) * tensor;
        least = scale < least ? scale : least;
        most = scale > most ? scale : most;
    }
    return stats->scale_smallest == least && stats->scale_largest == most;
}

/* Statistics change no bit; and do not depend on the way that elements take. */
static void test_with_statistics(void)
{
    float *x = sample(ROWS * COLUMNS);
    for (size_t k = 0; k < BLOCKS; k++) {
        bnd_block block = block_named(blocks[k]);
        const bnd_shape shape = shapes[k % 2];
        const bnd_array how = stochastic(NULL);
        result r = run(x, shape, &block, &how);
        bnd_stats stats = {.elements = 0}, fake = {.elements = 0};
        unsigned char *codes = memory_of(r.codes_size), *scales = memory_of(r.scales_size);
        float *y = memory_of(r.count * 4);
        CU_ASSERT_EQUAL(bnd_quantize_f32(codes, scales, &r.tensor, x, shape, &block, &how, &stats, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_fake_quantize_f32(y, x, shape, &block, &how, &fake, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(codes, r.codes, r.codes_size), 0);
        CU_ASSERT_EQUAL(memcmp(scales, r.scales, r.scales_size), 0);
        CU_ASSERT_EQUAL(memcmp(y, r.values, 4 * r.count), 0);
        CU_ASSERT_EQUAL(stats.elements, r.count);
        CU_ASSERT_EQUAL(stats.exact + stats.inexact, r.count);
        CU_ASSERT_EQUAL(stats.inexact, fake.inexact);
        CU_ASSERT_EQUAL(stats.to_zero, fake.to_zero);
        CU_ASSERT_TRUE(scales_are_counted(&stats, &r, &block));
        CU_ASSERT_TRUE(scales_are_counted(&fake, &r, &block));
        CU_ASSERT_EQUAL(stats.smallest, (double)1e-41f);
        release(&r);
        free(codes);
        free(scales);
        free(y);
    }
    free(x);
}

static void count_with(bnd_stats counted[2], result *r, const float *x, bnd_shape shape, const bnd_block *block,
                       const bnd_array *how)
{
    memset(counted, 0, 2 * sizeof *counted);
    CU_ASSERT_EQUAL(bnd_quantize_f32(r->codes, r->scales, &r->tensor, x, shape, block, how, &counted[0], NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(r->fake, x, shape, block, how, &counted[1], NULL), BND_OK);
}

/* What threads count is what one counts, sums of squares to the last bit. A tile of 300 x 608 is more than threads keep
 * squares of; tiles of 1 x 9 codes of 4 bits do not end at whole bytes. There are NaNs, in groups longer than a chunk,
 * too, whose scale is chosen by trial. */
static void test_statistics_of_threads(void)
{
    static const char *const more[] = {"e4m3/tile:300x608", "e5m2/row", "e2m1/tile:1x9"};
    enum { MORE = sizeof more / sizeof more[0] };
    float *x = sample((ROWS + 1) * COLUMNS);
    x[1234] = x[98765] = __builtin_nanf("");
    for (size_t k = 0; k < BLOCKS + MORE; k++) {
        if (!in_turn(k, 3)) {
            continue;
        }
        const bnd_block block = block_named(k < BLOCKS ? blocks[k] : more[k - BLOCKS]);
        const bnd_shape shape = shapes[k % SHAPES];
        const bnd_context one = {.threads = 1};
        const bnd_array how_one = how_in(&one, k % 2 ? BND_ROUND_SR : BND_ROUND_RNE);
        bnd_stats want[2], got[2];
        result a = run(x, shape, &block, &how_one);
        count_with(want, &a, x, shape, &block, &how_one);
        for (uint32_t threads = 2; threads <= 7; threads += 5) {
            const bnd_context several = {.threads = threads};
            const bnd_array how = how_in(&several, (bnd_rounding)how_one.rule.rounding);
            result b = run(x, shape, &block, &how_one);
            count_with(got, &b, x, shape, &block, &how);
            CU_ASSERT_EQUAL(memcmp(want, got, sizeof want), 0);
            CU_ASSERT_EQUAL(memcmp(a.codes, b.codes, a.codes_size), 0);
            CU_ASSERT_EQUAL(memcmp(a.fake, b.fake, 4 * a.count), 0);
            release(&b);
        }
        release(&a);
    }
    free(x);
}

static void check_came_back(const char *name, const float *x, size_t n, bool all)
{
    const bnd_block block = block_named(name);
    const bnd_shape shape = {1, n, 1};
    bnd_stats stats = {.elements = 0};
    float y[64];
    uint64_t same = 0;
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(y, x, shape, &block, NULL, &stats, NULL), BND_OK);
    for (size_t i = 0; i < n; i++) {
        same += y[i] == x[i];
    }
    CU_ASSERT_EQUAL(stats.exact, same);
    CU_ASSERT_EQUAL(stats.exact + stats.inexact, n);
    CU_ASSERT_EQUAL(same == n, all);
    CU_ASSERT_EQUAL(bnd_stats_mean_squared_error(&stats) == 0, all);
    CU_ASSERT_EQUAL(isinf(bnd_stats_signal_to_noise_ratio(&stats)), all);
    CU_ASSERT_FALSE(isnan(bnd_stats_mean_squared_error(&stats)) || isnan(bnd_stats_signal_to_noise_ratio(&stats)));
}

/* Exact is what comes back as it was, even where its quotient by a scale is not a number of the element's format:
 * 1 / (1 / 448) in fp32 is a little less than 448. */
static void test_what_comes_back(void)
{
    static const char *const names[] = {"e4m3/tensor", "e4m3/row",  "e5m2/tensor", "e3m2/row",
                                        "nvfp4",       "mxfp8e4m3", "mxint8"};
    float ones[64], some[64];
    for (size_t i = 0; i < 64; i++) {
        ones[i] = 1;
        some[i] = i % 3 == 0 ? 1 : 0.7f + (float)i * 0.001f;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        check_came_back(names[k], ones, 64, true);
        check_came_back(names[k], some, 64, false);
    }
}

/* Rounding downward, subnormals flushed in and out: nothing changes, and the environment stays. */
static void test_environment(void)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    float *x = sample(ROWS * COLUMNS);
    for (size_t k = 0; k < BLOCKS; k++) {
        bnd_block block = block_named(blocks[k]);
        const bnd_array how = {.packing_in = BND_PACKING_PACKED, .packing_out = BND_PACKING_PACKED};
        result want = run(x, shapes[k % 2], &block, &how);
        CU_ASSERT_EQUAL(fesetround(modes[k % 3]), 0);
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() | 0x8040);
        unsigned before = _mm_getcsr();
#endif
        result got = run(x, shapes[k % 2], &block, &how);
#if defined(__SSE2__)
        bool stayed = _mm_getcsr() == before;
        _mm_setcsr(_mm_getcsr() & ~0x8040u);
        CU_ASSERT(stayed);
#endif
        CU_ASSERT_EQUAL(fegetround(), modes[k % 3]);
        CU_ASSERT_EQUAL(fesetround(FE_TONEAREST), 0);
        CU_ASSERT(same(&want, &got));
        release(&want);
        release(&got);
    }
    free(x);
}

CU_TestInfo same_tests[] = {
    {"threads and back ends", test_contexts},
    {"quotients", test_quotients},
    {"beyond the caches", test_beyond_the_caches},
    {"in pieces", test_split},
    {"short ways", test_short_ways},
    {"there and back", test_there_and_back},
    {"with statistics", test_with_statistics},
    {"statistics of threads", test_statistics_of_threads},
    {"what comes back is exact", test_what_comes_back},
    {"a hostile environment", test_environment},
    CU_TEST_INFO_NULL,
};
