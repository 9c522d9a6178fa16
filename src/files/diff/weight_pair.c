/* The comparison of two weights of one name. */
#include "diff/weight_pair.h"
#include "bulk/threads.h"
#include "checkpoint/wide_numbers.h"
#include "convert/experts.h"
#include "diff/distance.h"
#include "diff/groups.h"
#include "scan/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };

/* ---- what they are ---- */

static bool is_plain(const bnd_stored_weight *w)
{
    return w->layout == NULL && w->parts[BND_PART_CODES] != NULL && w->parts[BND_PART_CODES]->format != NULL;
}

static const bnd_format *unit_of(const bnd_stored_weight *a, const bnd_stored_weight *b)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    const bnd_format *of_a = is_plain(a) ? a->parts[BND_PART_CODES]->format : NULL;
    const bnd_format *of_b = is_plain(b) ? b->parts[BND_PART_CODES]->format : NULL;
    const bnd_format *unit = of_a == NULL                        ? of_b
                             : of_b == NULL                      ? of_a
                             : of_a->precision > of_b->precision ? of_a
                                                                 : of_b;
    return unit == NULL || unit->precision > fp32->precision ? fp32 : unit;
}

static bool same_tensor(const bnd_stored_tensor *a, const bnd_stored_tensor *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return a->size == b->size && strcmp(a->dtype, b->dtype) == 0 &&
           (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* The same bytes mean the same only if they are read in the same way. */
static bool same_bytes(const bnd_stored_weight *a, const bnd_stored_weight *b)
{
    bool same = (a->layout == NULL) == (b->layout == NULL) && !bndi_is_turned(a, b);
    same = same && (a->layout == NULL ||
                    (a->layout->second_divides == b->layout->second_divides &&
                     a->layout->high_first == b->layout->high_first && a->layout->swizzled == b->layout->swizzled));
    for (size_t i = 0; same && i < BND_PART_COUNT; i++) {
        same = i == BND_PART_INPUT || i == BND_PART_INPUT_SECOND || i == BND_PART_NOTE ||
               same_tensor(a->parts[i], b->parts[i]);
    }
    return same;
}

/* Two tensors that are not decoded, of which other bytes are other values. */
static bool are_comparable(const bnd_stored_weight *a, const bnd_stored_weight *b)
{
    const bnd_stored_tensor *x = a->parts[BND_PART_CODES], *y = b->parts[BND_PART_CODES];
    return !a->is_float && !b->is_float && a->layout == NULL && b->layout == NULL && x != NULL && y != NULL &&
           x->kind != BND_STORED_BLOCKS && strcmp(x->dtype, y->dtype) == 0;
}

/* The shape of a weight when it is decoded, which may be another than that of its codes. */
static void print_shape(char *out, size_t size, const bnd_stored_weight *w)
{
    const bool turned = bndi_decodes_in_first(w);
    size_t length = (size_t)snprintf(out, size, "[");
    for (size_t i = 0; i < w->rank && length < size; i++) {
        const uint64_t dimension = w->shape[turned && i > 0 ? 3 - i : i];
        length +=
            (size_t)snprintf(out + length, size - length, i == 0 ? "%llu" : ", %llu", (unsigned long long)dimension);
    }
    if (length < size) {
        (void)snprintf(out + length, size - length, "]");
    }
}

/* ---- their numbers ---- */

typedef struct compare_job {
    const bnd_weight_difference *pair;
    uint64_t first; /* piece */
    bnd_difference_sums parts[BATCH];
    bndi_comparison errors[BATCH], squares[BATCH]; /* sums of squares, exact: those of scan */
    bool failed[BATCH];
} compare_job;

/* One number in fp64: the stored one, or what was decoded. */
static double number_at(const bnd_stored_tensor *wide, uint64_t at, float decoded)
{
    double x = (double)decoded;
    if (wide != NULL) {
        const bnd_status status =
            bnd_decode_f64(&x, wide->data + at * (wide->format->width / 8U), 1, wide->format, NULL, NULL);
        (void)status; /* a format of whole bytes */
    }
    return x;
}

/* The element of `w` that is element `at` of a weight with the other order of axes. */
static uint64_t turned_place(const bnd_stored_weight *w, uint64_t at)
{
    const uint64_t rows = w->shape[1], columns = w->shape[2], matrix = at / columns / rows;
    return (matrix * rows + at % rows) * columns + at / rows % columns;
}

/* Numbers that fp32 does not tell apart. */
static void tally_below_fp32(bnd_difference_sums *sums, const bnd_weight_difference *pair, const float *a,
                             const float *b, uint64_t at, size_t n)
{
    const bnd_stored_tensor *of_a = bndi_wide_codes(pair->a), *of_b = bndi_wide_codes(pair->b);
    const bool turned = bndi_is_turned(pair->b, pair->a);
    for (size_t i = 0; (of_a != NULL || of_b != NULL) && i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) == 0 && a[i] == a[i]) {
            const uint64_t at_b = turned ? turned_place(pair->b, at + i) : at + i;
            const bool other = number_at(of_a, at + i, a[i]) != number_at(of_b, at_b, b[i]);
            sums->equal -= other;
            sums->below_fp32 += other;
        }
    }
}

static void compare_piece(void *state, size_t i, bool in_order)
{
    compare_job *job = state;
    const bnd_weight_difference *pair = job->pair;
    const uint64_t at = (job->first + i) * BNDI_GROUP_PIECE, left = pair->a->count - at;
    const size_t n = left < BNDI_GROUP_PIECE ? (size_t)left : BNDI_GROUP_PIECE;
    float *room = malloc(2 * (n + BND_WEIGHT_STEP) * sizeof *room), *zeros = calloc(n + 1, sizeof *zeros);
    uint64_t *bins = calloc(BNDI_BINS_SIZE, sizeof *bins);
    (void)in_order;
    const float *a = room == NULL ? NULL : bndi_decode_range(room, pair->a, pair->a, at, n);
    const float *b = a == NULL ? NULL : bndi_decode_range(room + n + BND_WEIGHT_STEP, pair->b, pair->a, at, n);
    memset(&job->parts[i], 0, sizeof job->parts[i]);
    memset(&job->errors[i], 0, sizeof job->errors[i]);
    memset(&job->squares[i], 0, sizeof job->squares[i]);
    job->failed[i] = b == NULL || zeros == NULL || bins == NULL;
    if (!job->failed[i]) {
        bndi_tally_differences(&job->parts[i], a, b, at, n, pair->unit);
        tally_below_fp32(&job->parts[i], pair, a, b, at, n);
        bndi_compare(&job->errors[i], bins, b, a, n);
        bndi_compare(&job->squares[i], bins, b, zeros, n);
    }
    free(room);
    free(zeros);
    free(bins);
}

static bnd_status compare_numbers(bnd_weight_difference *pair, const bndi_pair_watch *watch, bnd_error *why)
{
    compare_job *job = malloc(sizeof *job);
    bndi_comparison *sums = calloc(2, sizeof *sums);
    const uint64_t pieces = (pair->a->count + BNDI_GROUP_PIECE - 1) / BNDI_GROUP_PIECE;
    const size_t threads = watch->context == NULL || watch->context->threads == 0 ? 1 : watch->context->threads;
    bnd_status status = BND_OK;
    if (job == NULL || sums == NULL) {
        free(job);
        free(sums);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %s", pair->name);
    }
    job->pair = pair;
    for (uint64_t first = 0; first < pieces && status == BND_OK; first += BATCH) {
        const size_t parts = pieces - first < BATCH ? (size_t)(pieces - first) : BATCH;
        uint64_t elements = 0;
        job->first = first;
        bnd_lab_parallel(threads, BNDI_AS_ASKED, compare_piece, job, parts);
        for (size_t i = 0; i < parts && status == BND_OK; i++) {
            status = job->failed[i] ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %s", pair->name) : BND_OK;
            bndi_add_differences(&pair->sums, &job->parts[i]);
            bndi_comparison_add(&sums[0], &job->errors[i]);
            bndi_comparison_add(&sums[1], &job->squares[i]);
            elements += job->parts[i].elements;
        }
        if (status == BND_OK && watch->at != NULL && !watch->at(watch->state, elements)) {
            status = bnd_fail(why, BND_BAD_STREAM, 0, "stopped");
        }
    }
    pair->sums.squared_error = bndi_sum_rounded(&sums[0].squared_error);
    pair->sums.squared_b = bndi_sum_rounded(&sums[1].squared_error);
    free(sums);
    free(job);
    return status;
}

bnd_status bndi_compare_weights(bnd_weight_difference *pair, const bndi_pair_watch *watch, bnd_error *why)
{
    const bnd_stored_weight *a = pair->a, *b = pair->b;
    char shapes[2][96];
    pair->unit = bnd_format_at(BND_FORMAT_FP32);
    if (a == NULL || b == NULL) {
        pair->kind = a == NULL ? BND_DIFFERENCE_ONLY_B : BND_DIFFERENCE_ONLY_A;
        return BND_OK;
    }
    pair->unit = unit_of(a, b);
    pair->same_bytes = same_bytes(a, b);
    if (!bndi_same_axes(a, b)) {
        print_shape(shapes[0], sizeof shapes[0], a);
        print_shape(shapes[1], sizeof shapes[1], b);
        pair->kind = BND_DIFFERENCE_SHAPE;
        (void)snprintf(pair->why, sizeof pair->why, "%s and %s", shapes[0], shapes[1]);
        return BND_OK;
    }
    if (!a->is_float || !b->is_float) {
        const bnd_stored_weight *undecoded = a->is_float ? b : a;
        pair->kind = pair->same_bytes       ? BND_DIFFERENCE_NONE
                     : are_comparable(a, b) ? BND_DIFFERENCE_VALUES
                                            : BND_DIFFERENCE_UNKNOWN;
        if (!pair->same_bytes) {
            (void)snprintf(pair->why, sizeof pair->why, "%s: %s", undecoded == a ? "A" : "B",
                           undecoded->why_not != NULL ? undecoded->why_not : "it cannot be decoded");
        }
        return BND_OK;
    }
    bnd_status status = compare_numbers(pair, watch, why);
    pair->kind = pair->sums.equal == pair->sums.elements ? BND_DIFFERENCE_NONE : BND_DIFFERENCE_VALUES;
    return status;
}
