/* The array of the page: drawn, or given piece by piece from a file that was dropped. */
#include "array.h"

#include "answer.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

array the_array;

static bool fp32_holds(const bnd_format *f)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    return f->precision <= fp32->precision && f->least_quantum >= fp32->least_quantum && f->emax <= fp32->emax;
}

bnd_status array_begin(const bnd_format *f, const uint64_t *shape, size_t rank, bnd_error *why)
{
    array a = {.format = *f, .rank = rank, .count = 1, .wide = !fp32_holds(f)};
    free(the_array.x);
    the_array = (array){.x = NULL};
    if (rank > ARRAY_RANK_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "it has %zu dimensions; at most %d are read", rank,
                        (int)ARRAY_RANK_MAX);
    }
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] > ARRAY_COUNT_MAX || a.count * shape[i] > ARRAY_COUNT_MAX) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "it has more than %d elements, the limit of the page; 'binade cast' has no limit",
                            (int)ARRAY_COUNT_MAX);
        }
        a.dimensions[i] = (size_t)shape[i];
        a.count *= (size_t)shape[i];
    }
    a.x = malloc(a.count > 0 ? a.count * (a.wide ? sizeof(double) : sizeof(float)) : 1);
    if (a.x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu elements", a.count);
    }
    the_array = a;
    return BND_OK;
}

/* ---- pieces of a file ---- */

static void swap_words(unsigned char *bytes, size_t size, size_t words)
{
    for (size_t i = 0; i < words && size > 1; i++, bytes += size) {
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char other = bytes[k];
            bytes[k] = bytes[size - 1 - k];
            bytes[size - 1 - k] = other;
        }
    }
}

static bnd_status take_piece(unsigned char *bytes, size_t length, size_t elements, bnd_error *why)
{
    array *a = &the_array;
    bnd_array how = {.packing_in = (uint8_t)a->packing, .first = a->filled};
    size_t word = bnd_codes_size(&a->format, 1, a->packing);
    if (a->x == NULL || elements > a->count - a->filled || bnd_codes_size(&a->format, elements, a->packing) != length) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a piece of %zu bytes does not hold %zu elements", length, elements);
    }
    swap_words(bytes, a->big_endian ? word : 1, elements);
    bnd_status status = bnd_codes_check(bytes, elements, &a->format, &how, why);
    if (status == BND_OK && a->wide) {
        status = bnd_decode_f64((double *)a->x + a->filled, bytes, elements, &a->format, &how, why);
    } else if (status == BND_OK) {
        status = bnd_decode_f32((float *)a->x + a->filled, bytes, elements, &a->format, &how, why);
    }
    a->filled += status == BND_OK ? elements : 0;
    return status;
}

/* The next elements; `bytes` may be changed. Answers how many are there. */
const char *EXPORTED(bnd_page_array_piece)(unsigned char *bytes, uint32_t length, uint32_t elements)
{
    bnd_error why;
    if (take_piece(bytes, length, elements, &why) != BND_OK) {
        return answer_error(why.message);
    }
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "filled", the_array.filled);
    bnd_lab_json_end(json);
    return answer_end();
}

/* Room for an array from a file. `shape` is a list of numbers, separated by commas. */
const char *EXPORTED(bnd_page_array_begin)(const char *format, const char *shape, uint32_t packed, uint32_t big_endian,
                                           uint32_t fortran_order)
{
    uint64_t dimensions[ARRAY_RANK_MAX];
    size_t rank = 0, length;
    char word[32];
    bnd_format f;
    bnd_error why;
    while (rank < ARRAY_RANK_MAX && answer_next_word(&shape, word, sizeof word, &length)) {
        dimensions[rank++] = strtoull(word, NULL, 10);
    }
    bnd_status status = bnd_format_parse(&f, format, &why);
    status = status == BND_OK ? array_begin(&f, dimensions, rank, &why) : status;
    if (status != BND_OK) {
        return answer_error(why.message);
    }
    the_array.packing = packed != 0 ? BND_PACKING_PACKED : BND_PACKING_UNPACKED;
    the_array.big_endian = big_endian != 0;
    the_array.fortran_order = fortran_order != 0;
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "count", the_array.count);
    bnd_lab_json_end(json);
    return answer_end();
}

/* ---- distributions ---- */

typedef struct draw {
    double scale, shape; /* `shape`: sigma of lognormal, degrees of freedom of student-t */
} draw;

/* Two numbers from two uniform ones, of (0, 1]. */
typedef void draw_two(double out[2], double u, double v, const draw *d);

static double turn(double v)
{
    return 2 * 3.14159265358979323846 * v;
}

static void draw_normal(double out[2], double u, double v, const draw *d)
{
    double r = sqrt(-2 * log(u));
    (void)d;
    out[0] = r * cos(turn(v));
    out[1] = r * sin(turn(v));
}

static void draw_lognormal(double out[2], double u, double v, const draw *d)
{
    draw_normal(out, u, v, d);
    out[0] = exp(d->shape * out[0]);
    out[1] = exp(d->shape * out[1]);
}

/* Bailey, "Polar generation of random variates with the t-distribution", 1994: each coordinate has the distribution. */
static void draw_student(double out[2], double u, double v, const draw *d)
{
    double r = sqrt(d->shape * (pow(u, -2 / d->shape) - 1));
    out[0] = r * cos(turn(v));
    out[1] = r * sin(turn(v));
}

static void draw_uniform(double out[2], double u, double v, const draw *d)
{
    (void)d;
    out[0] = 2 * u - 1;
    out[1] = 2 * v - 1;
}

static const struct distribution {
    const char *name;
    draw_two *two;
} distributions[] = {
    {"normal", draw_normal}, {"lognormal", draw_lognormal}, {"student-t", draw_student}, {"uniform", draw_uniform}};

static const struct distribution *distribution_named(const char *name)
{
    for (size_t i = 0; i < sizeof distributions / sizeof distributions[0]; i++) {
        if (strcmp(distributions[i].name, name) == 0) {
            return &distributions[i];
        }
    }
    return NULL;
}

static void fill(float *x, size_t n, const struct distribution *from, const draw *d, uint64_t seed, double outliers,
                 double factor)
{
    enum { CHUNK = 1024, PURPOSE = 11, PURPOSE_OUTLIERS = 12, BITS = 53 };
    static uint64_t random[CHUNK], odd[CHUNK];
    const uint64_t below = (uint64_t)(outliers * 4294967296.0);
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t count = n - at < CHUNK ? n - at : CHUNK;
        bnd_random_fill(random, (count + 1) / 2 * 2, seed, PURPOSE, at, BITS);
        bnd_random_fill(odd, below > 0 ? count : 0, seed, PURPOSE_OUTLIERS, at, 32);
        for (size_t i = 0; i < count; i += 2) {
            double two[2];
            from->two(two, (double)(random[i] + 1) * 0x1p-53, (double)(random[i + 1] + 1) * 0x1p-53, d);
            for (size_t k = i; k < i + 2 && k < count; k++) {
                x[at + k] = (float)(two[k - i] * d->scale * (below > 0 && odd[k] < below ? factor : 1));
            }
        }
    }
}

/* Draws the array. `outliers` of the numbers are multiplied by `factor`. */
const char *EXPORTED(bnd_page_array_draw)(const char *name, double count, uint32_t seed, double scale, double shape,
                                          double outliers, double factor)
{
    const struct distribution *from = distribution_named(name);
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    bnd_error why;
    if (from == NULL) {
        return answer_error("unknown distribution (available: normal, lognormal, student-t, uniform)");
    }
    if (!(count >= 1 && count <= 10e6) || !(outliers >= 0 && outliers <= 1) || !(shape > 0) || !isfinite(scale) ||
        !isfinite(factor)) {
        return answer_error(
            "the number of elements must be from 1 to 10,000,000, the rate of outliers from 0 to 1, and "
            "the shape above 0");
    }
    uint64_t dimensions[1] = {(uint64_t)count};
    if (array_begin(fp32, dimensions, 1, &why) != BND_OK) {
        return answer_error(why.message);
    }
    draw d = {scale, shape};
    fill(the_array.x, the_array.count, from, &d, seed, outliers, factor);
    the_array.filled = the_array.count;
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "count", the_array.count);
    bnd_lab_json_end(json);
    return answer_end();
}

/* Where the floats are, for a view on them; 0 where they are doubles. */
void *EXPORTED(bnd_page_array_floats)(void)
{
    return the_array.wide ? NULL : the_array.x;
}
