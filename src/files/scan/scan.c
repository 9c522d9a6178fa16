/* Scans the tensors of a checkpoint, or an array. */
#include "bulk/bulk.h"
#include "checkpoint/wide_numbers.h"
#include "scan/results.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64 };

/* ---- one tensor ---- */

/* What has been done, for the watch: `done` bytes of tensors before this one, and elements of it, all passes together.
 */
typedef struct progress {
    const bnd_watch *watch;
    uint64_t done, total;
    double bytes, elements, read; /* of this tensor; elements times its passes */
} progress;

static bool tell(const progress *p, double bytes)
{
    bool watched = p->watch != NULL && p->watch->at != NULL;
    return !watched || p->watch->at(p->watch->state, p->done + (uint64_t)bytes, p->total);
}

static bool at_elements(void *state, uint64_t elements)
{
    progress *p = state;
    p->read += (double)elements;
    double share = p->elements > 0 && p->read < p->elements ? p->read / p->elements : 1;
    return tell(p, share * p->bytes);
}

static double passes_of(const bndi_scan_job *job)
{
    bool countable = bndi_tensor_has_countable_codes(job->tensor), amax = false, pieces = !countable;
    for (size_t i = 0; i < job->count; i++) {
        amax = amax || bndi_candidate_needs_amax(&job->candidates[i]);
        pieces = pieces || !bndi_candidate_is_by_codes(&job->candidates[i]);
    }
    return countable + pieces + (amax && !countable);
}

static bnd_status scan_tensor(bndi_scan_job *job, bnd_error *why)
{
    bnd_status status = BND_OK;
    bool countable = bndi_tensor_has_countable_codes(job->tensor), left = !countable;
    job->amax = NAN;
    if (countable) {
        status = bndi_scan_by_codes(job, why);
    }
    for (size_t i = 0; i < job->count; i++) {
        left = left || !job->done[i];
    }
    return status == BND_OK && left ? bndi_scan_by_pieces(job, !countable, why) : status;
}

/* ---- results ---- */

/* The figures are those of numbers of fp32, rounded to odd. A candidate with fp32's bits has these, and not what the
 * tensor was. Numbers beyond the largest one were compared as that, and numbers that round to zero as the least one: a
 * candidate that begins or ends elsewhere than fp32 was judged by them. */
static void note_wide(bndi_comparison *c, const bndi_wide_counts *wide, const bnd_candidate *candidate)
{
    const bnd_format *f = &candidate->format, *fp32 = bnd_format_at(BND_FORMAT_FP32);
    if (candidate->shared || f->precision < fp32->precision || bndi_is_wide(f)) {
        return;
    }
    c->exact -= wide->lacking < c->exact ? wide->lacking : c->exact;
    if (f->max_significand == fp32->max_significand && f->max_quantum == fp32->max_quantum) {
        c->overflows += wide->infinite;
        c->broken += f->has_infinity || f->has_nan ? wide->infinite : 0;
    }
    if (f->least_significand == fp32->least_significand && f->least_quantum == fp32->least_quantum) {
        const double least = (double)FLT_TRUE_MIN;
        c->to_zero += wide->to_zero;
        bndi_sum_add_times(&c->squared_error, least * least, wide->to_zero);
    }
}

static void take_results(const bnd_scan *scan, bnd_scanned *out, bnd_loss *losses, const bndi_scan_job *job,
                         const bndi_wide_counts *wide)
{
    out->lacking = wide->lacking;
    out->beyond = wide->beyond;
    out->input = job->input.stats;
    out->zeros = job->input.zeros;
    out->subnormals = job->input.subnormals;
    out->input.squared_input = bndi_sum_rounded(&job->input.squared);
    for (size_t i = 0; i < scan->count; i++) {
        bndi_comparison *c = &job->results[i];
        note_wide(c, wide, &scan->candidates[i]);
        losses[i] = (bnd_loss){.elements = c->elements,
                               .broken = c->broken,
                               .overflows = c->overflows,
                               .to_zero = c->to_zero,
                               .exact = c->exact,
                               .squared_error = bndi_sum_rounded(&c->squared_error),
                               .squared_input = out->input.squared_input,
                               .bytes = bnd_candidate_bytes(&scan->candidates[i], out->shape, out->rank)};
        bndi_judge_loss(&losses[i], out, &scan->candidates[i]);
    }
    out->losses = losses;
}

static bnd_status scan_one(bnd_scan *scan, size_t at, const bndi_tensor *tensor, progress *p, bnd_error *why)
{
    const bnd_context *context = scan->options.context;
    bndi_scan_job job = {
        .tensor = tensor, .candidates = scan->candidates, .count = scan->count, .at = at_elements, .state = p};
    bndi_wide_counts wide = {.lacking = 0};
    job.threads = context == NULL || context->threads < 1 ? 1 : context->threads;
    job.threads = job.threads > MOST_THREADS ? MOST_THREADS : job.threads;
    job.results = calloc(scan->count, sizeof *job.results);
    job.done = calloc(scan->count, sizeof *job.done);
    bnd_status status =
        job.results == NULL || job.done == NULL ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the results") : BND_OK;
    if (status == BND_OK) {
        p->bytes = (double)scan->tensors[at].bytes;
        p->elements = passes_of(&job) * (double)tensor->count;
        p->read = 0;
        status = scan_tensor(&job, why);
    }
    if (status == BND_OK && bndi_is_wide(tensor->format)) {
        status = bndi_count_wide(&wide, tensor->codes, tensor->count, tensor->format, why);
    }
    if (status == BND_OK) {
        take_results(scan, &scan->tensors[at], scan->losses + at * scan->count, &job, &wide);
        p->done += scan->tensors[at].bytes;
    }
    free(job.results);
    free(job.done);
    return status;
}

/* Where the error was, if it says something about this tensor. */
static bnd_status name_tensor(bnd_status status, const char *name, bnd_error *why)
{
    if (status == BND_BAD_ARGUMENT && why != NULL) {
        bnd_error inner = *why;
        return bnd_fail(why, status, 0, "%s: %s", name, inner.message);
    }
    return status;
}

/* ---- a scan ---- */

void bnd_scan_free(bnd_scan *scan)
{
    if (scan != NULL) {
        free(scan->candidates);
        free(scan->tensors);
        free(scan->losses);
        free(scan->order);
        free(scan->totals);
        free(scan->name);
        free(scan->shape);
        free(scan);
    }
}

static bnd_status open_scan(bnd_scan **out, size_t tensors, const bnd_candidate *candidates, size_t count,
                            const bnd_scan_options *options, bnd_error *why)
{
    if (count == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a scan needs at least one candidate");
    }
    const bnd_status status = bnd_lab_check_context(options != NULL ? options->context : NULL, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_scan *scan = calloc(1, sizeof *scan);
    bool fits = tensors < SIZE_MAX / sizeof(bnd_loss) / count;
    if (scan != NULL && fits) {
        scan->options = options != NULL ? *options : (bnd_scan_options){.context = NULL};
        scan->count = count;
        scan->candidates = calloc(count, sizeof *scan->candidates);
        scan->totals = calloc(count, sizeof *scan->totals);
        scan->tensors = calloc(tensors + 1, sizeof *scan->tensors);
        scan->order = calloc(tensors + 1, sizeof *scan->order);
        scan->losses = calloc(tensors * count + 1, sizeof *scan->losses);
    }
    if (scan == NULL || scan->candidates == NULL || scan->totals == NULL || scan->tensors == NULL ||
        scan->order == NULL || scan->losses == NULL) {
        bnd_scan_free(scan);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the results of %zu tensors", tensors);
    }
    memcpy(scan->candidates, candidates, count * sizeof *candidates);
    *out = scan;
    return BND_OK;
}

static bnd_status finish(bnd_scan **out, bnd_scan *scan, bnd_status status)
{
    if (status != BND_OK) {
        bnd_scan_free(scan);
        return status;
    }
    bndi_conclude(scan);
    *out = scan;
    return BND_OK;
}

/* ---- a checkpoint ---- */

static uint64_t bytes_of(const bnd_stored_weight *w)
{
    uint64_t bytes = 0;
    for (size_t part = 0; part < BND_PART_COUNT; part++) {
        bytes += w->parts[part] != NULL ? w->parts[part]->size : 0;
    }
    return bytes;
}

static const char *why_it_stays(const bnd_stored_weight *w, const bnd_scan_options *options)
{
    if (!w->is_float) {
        return w->why_not != NULL ? w->why_not : "it does not hold floating-point numbers";
    }
    return w->count == 0                      ? "it has no elements"
           : w->rank < 2 && !options->vectors ? "it has fewer than two dimensions"
                                              : "";
}

static bool is_wanted(const bnd_scan_options *options, const bnd_stored_weight *w)
{
    return options->wanted == NULL || options->wanted(options->state, w->name);
}

/* The tensors that are wanted, before any is read. */
static uint64_t list_tensors(bnd_scan *scan, const bnd_checkpoint *checkpoint)
{
    uint64_t total = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(checkpoint); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(checkpoint, i);
        if (!is_wanted(&scan->options, w)) {
            continue;
        }
        const char *why = why_it_stays(w, &scan->options);
        bnd_scanned *t = &scan->tensors[scan->tensor_count++];
        *t = (bnd_scanned){.name = w->name, .rank = w->rank, .shape = w->shape, .count = w->count, .why = why};
        t->stored = bnd_stored_as(w);
        t->bytes = bytes_of(w);
        t->stays = why[0] != '\0';
        t->smallest = scan->count;
        total += t->stays ? 0 : t->bytes;
    }
    return total;
}

static bndi_tensor tensor_of(const bnd_stored_weight *w)
{
    bndi_tensor t = {.weight = w, .rank = w->rank, .shape = w->shape, .count = w->count};
    const bnd_stored_tensor *codes = w->parts[BND_PART_CODES];
    if (w->layout == NULL && codes != NULL && codes->kind == BND_STORED_FLOAT) {
        t.format = codes->format;
        t.codes = codes->data;
    }
    bndi_tensor_view(&t);
    return t;
}

bnd_status bnd_scan_new(bnd_scan **out, const bnd_checkpoint *checkpoint, const bnd_candidate *candidates, size_t count,
                        const bnd_scan_options *options, bnd_error *why)
{
    bnd_scan *scan;
    bnd_status status = open_scan(&scan, bnd_checkpoint_weights(checkpoint), candidates, count, options, why);
    if (status != BND_OK) {
        return status;
    }
    progress p = {.watch = scan->options.watch, .total = list_tensors(scan, checkpoint)};
    bnd_checkpoint_expect_all(checkpoint);
    for (size_t i = 0; status == BND_OK && i < scan->tensor_count; i++) {
        if (!scan->tensors[i].stays) {
            bndi_tensor t = tensor_of(bnd_checkpoint_find_weight(checkpoint, scan->tensors[i].name));
            status = name_tensor(scan_one(scan, i, &t, &p, why), scan->tensors[i].name, why);
        }
    }
    return finish(out, scan, status);
}

/* ---- an array ---- */

static bnd_status name_array(bnd_scan *scan, const char *name, const uint64_t *shape, size_t rank, bnd_error *why)
{
    const size_t length = strlen(name) + 1;
    scan->name = malloc(length);
    scan->shape = calloc(rank + 1, sizeof *scan->shape);
    if (scan->name == NULL || scan->shape == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a name and a shape");
    }
    memcpy(scan->name, name, length);
    if (rank > 0) {
        memcpy(scan->shape, shape, rank * sizeof *shape);
    }
    return BND_OK;
}

static bnd_status count_elements(uint64_t *count, const bnd_format *format, const uint64_t *shape, size_t rank,
                                 bnd_error *why)
{
    bool fits = rank <= BND_SAFETENSORS_RANK_MAX;
    *count = 1;
    for (size_t i = 0; i < rank && fits; i++) {
        fits = shape[i] == 0 || *count <= (uint64_t)PTRDIFF_MAX / 64 / shape[i];
        *count *= fits ? shape[i] : 1;
    }
    if (!fits || format->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        fits ? "%s is a value set and has no codes" : "the shape of this array of %s overflows",
                        format->name);
    }
    return BND_OK;
}

bnd_status bnd_scan_new_of_array(bnd_scan **out, const char *name, const void *codes, const bnd_format *format,
                                 const uint64_t *shape, size_t rank, const bnd_candidate *candidates, size_t count,
                                 const bnd_scan_options *options, bnd_error *why)
{
    bnd_scan *scan;
    bndi_tensor t = {.format = format, .codes = codes, .rank = rank};
    bnd_status status = count_elements(&t.count, format, shape, rank, why);
    status = status == BND_OK ? open_scan(&scan, 1, candidates, count, options, why) : status;
    if (status != BND_OK) {
        return status;
    }
    status = name_array(scan, name, shape, rank, why);
    if (status == BND_OK) {
        t.shape = scan->shape;
        bndi_tensor_view(&t);
        const uint64_t bytes = (t.count * format->width + 7) / 8;
        progress p = {.watch = scan->options.watch, .total = bytes};
        bool vector = rank < 2 && !scan->options.vectors;
        scan->tensor_count = 1;
        scan->tensors[0] = (bnd_scanned){.name = scan->name,
                                         .stored = format->name,
                                         .rank = rank,
                                         .shape = scan->shape,
                                         .count = t.count,
                                         .bytes = bytes,
                                         .smallest = count};
        scan->tensors[0].why = t.count == 0 ? "it has no elements" : vector ? "it has fewer than two dimensions" : "";
        scan->tensors[0].stays = scan->tensors[0].why[0] != '\0';
        status = scan->tensors[0].stays ? BND_OK : scan_one(scan, 0, &t, &p, why);
    }
    return finish(out, scan, status);
}

/* ---- what it found ---- */

size_t bnd_scan_tensors(const bnd_scan *scan)
{
    return scan->tensor_count;
}

const bnd_scanned *bnd_scan_at(const bnd_scan *scan, size_t at)
{
    return at < scan->tensor_count ? &scan->tensors[at] : NULL;
}

const bnd_scanned *bnd_scan_worst(const bnd_scan *scan, size_t at)
{
    return at < scan->tensor_count ? &scan->tensors[scan->order[at].at] : NULL;
}

const bnd_scan_total *bnd_scan_totals(const bnd_scan *scan)
{
    return scan->totals;
}

const bnd_scan_model *bnd_scan_model_of(const bnd_scan *scan)
{
    return &scan->model;
}
