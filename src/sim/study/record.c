/* Records: the lines of a run, summed up. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

const bndi_column bndi_columns[BNDI_COLUMNS] = {
    {"step", BNDI_COLUMN_COUNT, true, offsetof(bnd_point, step)},
    {"loss", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, loss)},
    {"val/loss", BNDI_COLUMN_NUMBER, false, offsetof(bnd_point, validation)},
    {"val/loss_fp32", BNDI_COLUMN_NUMBER, false, offsetof(bnd_point, validation_fp32)},
    {"train/loss", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, loss)},
    {"train/grad_norm", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, gradient_norm)},
    {"train/lr", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, lr)},
    {"train/loss_scale", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, loss_scale)},
    {"train/skipped", BNDI_COLUMN_FLAG, true, offsetof(bnd_point, skipped)},
    {"update/ratio", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, update_ratio)},
    {"update/nonzero", BNDI_COLUMN_COUNT, true, offsetof(bnd_point, updates)},
    {"update/lost", BNDI_COLUMN_COUNT, true, offsetof(bnd_point, lost)},
    {"cast/gradients", BNDI_COLUMN_COUNT, false, offsetof(bnd_point, gradients)},
    {"cast/underflowed", BNDI_COLUMN_COUNT, false, offsetof(bnd_point, underflowed)},
    {"cast/overflows", BNDI_COLUMN_COUNT, false, offsetof(bnd_point, overflows)},
    {"time/step", BNDI_COLUMN_NUMBER, true, offsetof(bnd_point, seconds)},
    {"train/ended", BNDI_COLUMN_FLAG, false, offsetof(bnd_point, ended)},
    {"train/clip_factor", BNDI_COLUMN_NUMBER, false, offsetof(bnd_point, clip_factor)},
};

static bool is_text(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

bool bndi_same_key(const char *a, size_t a_length, const char *b, size_t b_length)
{
    static const struct {
        const char *now, *then;
    } renamed[] = {{"chance_loss", "ignorance"},
                   {"update/lost", "update/cancelled"},
                   {"cast/underflowed", "cast/flushed"},
                   {"memory/row_statistics", "memory/beside"}};
    bool same = a_length == b_length && memcmp(a, b, a_length) == 0;
    for (size_t i = 0; !same && i < sizeof renamed / sizeof renamed[0]; i++) {
        const char *now = renamed[i].now, *then = renamed[i].then;
        same = (is_text(a, a_length, now) && is_text(b, b_length, then)) ||
               (is_text(a, a_length, then) && is_text(b, b_length, now));
    }
    return same;
}

double bndi_column_number(const bnd_point *point, const bndi_column *column)
{
    double x;
    memcpy(&x, (const char *)point + column->at, sizeof x);
    return x;
}

uint64_t bndi_column_count(const bnd_point *point, const bndi_column *column)
{
    uint64_t n;
    bool flag;
    if (column->kind == BNDI_COLUMN_FLAG) {
        memcpy(&flag, (const char *)point + column->at, sizeof flag);
        return flag;
    }
    memcpy(&n, (const char *)point + column->at, sizeof n);
    return n;
}

bnd_point bndi_point_none(void)
{
    double none = __builtin_nan("");
    return (bnd_point){.loss = none,
                       .gradient_norm = none,
                       .lr = none,
                       .loss_scale = none,
                       .update_ratio = none,
                       .seconds = none,
                       .validation = none,
                       .validation_fp32 = none,
                       .clip_factor = none};
}

bool bndi_column_set(bnd_point *point, size_t column, double x)
{
    const bndi_column *c = &bndi_columns[column];
    char *to = (char *)point + c->at;
    if (c->kind == BNDI_COLUMN_NUMBER) {
        memcpy(to, &x, sizeof x);
        point->validated = point->validated || column == BNDI_COLUMN_VALIDATION;
        point->validated_fp32 = point->validated_fp32 || column == BNDI_COLUMN_VALIDATION_FP32;
        point->clips = point->clips || column == BNDI_COLUMN_CLIP_FACTOR;
        return true;
    }
    if (!(x >= 0 && x <= 0x1p53) || x != (double)(uint64_t)x || (c->kind == BNDI_COLUMN_FLAG && x > 1)) {
        return false;
    }
    uint64_t n = (uint64_t)x;
    bool flag = n != 0;
    if (c->kind == BNDI_COLUMN_FLAG) {
        memcpy(to, &flag, sizeof flag);
    } else {
        memcpy(to, &n, sizeof n);
    }
    return true;
}

bool bndi_column_measured(const bnd_point *point, size_t column)
{
    return column == BNDI_COLUMN_VALIDATION        ? point->validated
           : column == BNDI_COLUMN_VALIDATION_FP32 ? point->validated_fp32
           : column == BNDI_COLUMN_ENDED           ? point->ended
           : column == BNDI_COLUMN_CLIP_FACTOR     ? point->clips
                                                   : true;
}

/* ---- what a record adds up ---- */

void bndi_record_none(bnd_record *record)
{
    double none = __builtin_nan("");
    *record = (bnd_record){.lr = none,
                           .loss = none,
                           .validation = none,
                           .validation_fp32 = none,
                           .floor = none,
                           .chance_loss = none,
                           .seconds = none};
}

void bnd_record_close(bnd_record *record)
{
    free(record->points);
    free(record->source);
    free(record->step_column);
    free(record->loss_column);
    free(record->config);
    free(record->autopsy);
    free(record->histograms);
    bndi_record_none(record);
}

void bnd_records_free(bnd_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bnd_record_close(&records[i]);
    }
    free(records);
}

/* Is there a number k with 4^k = step + 1? */
static bool is_sampled(uint64_t step)
{
    uint64_t power = 1;
    while (power < step + 1 && power <= UINT64_MAX / 4) {
        power *= 4;
    }
    return power == step + 1;
}

bnd_status bndi_record_add_histogram(bnd_record *record, const bnd_histogram *histogram, bnd_error *why)
{
    size_t n = record->histogram_count;
    uint64_t last = n > 0 ? record->histograms[n - 1].step : 0;
    while (last != histogram->step && !is_sampled(last) && n > 0 && record->histograms[n - 1].step == last) {
        n--; /* it was the last step, and is not any more */
    }
    bool full = (n & (n - 1)) == 0; /* there is room up to the next power of two */
    size_t room = n == 0 ? 1 : 2 * n;
    if (full) {
        bnd_histogram *moved = realloc(record->histograms, room * sizeof *moved);
        if (moved == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the histograms of step %llu",
                            (unsigned long long)histogram->step);
        }
        record->histograms = moved;
    }
    record->histograms[n] = *histogram;
    record->histogram_count = n + 1;
    return BND_OK;
}

static bool grow(bnd_record *record)
{
    size_t n = record->count;
    if ((n & (n - 1)) != 0) { /* there is room up to the next power of two */
        return true;
    }
    size_t room = n == 0 ? 1 : 2 * n;
    bnd_point *moved = room <= SIZE_MAX / sizeof *moved ? realloc(record->points, room * sizeof *moved) : NULL;
    if (moved != NULL) {
        record->points = moved;
    }
    return moved != NULL;
}

bnd_status bndi_record_add(bnd_record *record, const bnd_point *point, bnd_error *why)
{
    if (!grow(record)) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the record of step %llu",
                        (unsigned long long)point->step);
    }
    record->points[record->count++] = *point;
    record->updates += point->updates;
    record->lost += point->lost;
    record->skipped += point->skipped;
    record->gradients += point->gradients;
    record->underflowed += point->underflowed;
    record->overflows += point->overflows;
    record->loss = point->loss;
    record->seconds = point->seconds;
    record->validated = point->validated;
    record->validation = point->validation;
    record->validated_fp32 = point->validated_fp32;
    record->validation_fp32 = point->validation_fp32;
    record->ended = point->ended;
    return BND_OK;
}

static int by_size(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* NaN where nothing was measured; the mean of the two in the middle of an even number. */
static bnd_status median_of_seconds(double *out, const bnd_record *record, bnd_error *why)
{
    double *x = malloc((record->count > 0 ? record->count : 1) * sizeof *x);
    size_t n = 0;
    if (x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the times of %zu steps", record->count);
    }
    for (size_t i = 0; i < record->count; i++) {
        double seconds = record->points[i].seconds;
        x[n] = seconds;
        n += seconds == seconds;
    }
    qsort(x, n, sizeof *x, by_size);
    *out = n > 0 ? (x[(n - 1) / 2] + x[n / 2]) / 2 : __builtin_nan("");
    free(x);
    return BND_OK;
}

bnd_status bndi_record_finish(bnd_record *record, bnd_error *why)
{
    size_t n = record->count, tenth = n >= 10 ? n / 10 : n > 0;
    double sum = 0;
    for (size_t i = n - tenth; i < n; i++) {
        sum += record->points[i].loss;
    }
    record->loss = n > 0 ? sum / (double)tenth : __builtin_nan("");
    return median_of_seconds(&record->seconds, record, why);
}

/* ---- what does not change from step to step ---- */

uint64_t *bndi_steady(bnd_record *record, size_t row, char key[BNDI_KEY_SIZE])
{
    enum { TABLES = 6, TABLE_ROWS = TABLES * BND_ROLE_COUNT };
    static const char *const names[TABLES] = {
        "memory/", "memory/peak/", "memory/at_peak/", "memory/at_recipe_peak/", "first_overflow/", "first_underflow/"};
    static const char *const single_names[] = {"memory/peak", "memory/recipe_peak", "memory/activations",
                                               "memory/row_statistics", "flops/step"};
    uint64_t *const tables[TABLES] = {record->bytes,          record->peak_by_role,  record->bytes_at_peak,
                                      record->recipe_at_peak, record->overflow_from, record->underflow_from};
    uint64_t *const singles[] = {&record->bytes_peak, &record->recipe_peak, &record->saved,
                                 &record->saved_row_statistics, &record->flops};
    bool by_role = row < TABLE_ROWS;
    const char *first = by_role ? names[row / BND_ROLE_COUNT] : single_names[row - TABLE_ROWS];
    const char *second = by_role ? bnd_role_name((bnd_role)(row % BND_ROLE_COUNT)) : "";
    uint64_t *found = by_role ? &tables[row / BND_ROLE_COUNT][row % BND_ROLE_COUNT] : singles[row - TABLE_ROWS];
    size_t length = strlen(first), more = strlen(second);
    memcpy(key, first, length);
    memcpy(key + length, second, more + 1);
    return found;
}

/* ---- what it comes to ---- */

uint64_t bnd_record_memory_of(const bnd_record *record, bnd_role role)
{
    switch (role) {
    case BND_ROLE_ACT:
        return record->saved;
    case BND_ROLE_PARAM:
    case BND_ROLE_MASTER:
    case BND_ROLE_GRAD:
    case BND_ROLE_ACCUMULATE:
    case BND_ROLE_M:
    case BND_ROLE_V:
    case BND_ROLE_EXTRA:
        return record->peak_by_role[role];
    default:
        return 0;
    }
}

static uint64_t sum_of_memory(const bnd_record *record)
{
    uint64_t sum = 0;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        sum += bnd_record_memory_of(record, (bnd_role)role);
    }
    return sum;
}

double bnd_record_memory(const bnd_record *record)
{
    return record->saved > 0 ? (double)sum_of_memory(record) : __builtin_nan("");
}

double bnd_record_bytes_per_parameter(const bnd_record *record)
{
    uint64_t sum = sum_of_memory(record) - bnd_record_memory_of(record, BND_ROLE_ACT);
    return record->parameters > 0 && sum > 0 ? (double)sum / (double)record->parameters : __builtin_nan("");
}

double bndi_record_cap(const bnd_record *record)
{
    if (record->chance_loss - record->chance_loss == 0) {
        return record->chance_loss;
    }
    for (size_t i = 0; i < record->count; i++) {
        double loss = record->points[i].loss;
        if (loss - loss == 0) {
            return loss;
        }
    }
    return __builtin_inf();
}

static bool same_or_unknown(uint64_t a, uint64_t b)
{
    return a == b || a == 0 || b == 0;
}

bool bndi_record_same_model(const bnd_record *a, const bnd_record *b)
{
    const bool known = a->model[0] != '\0' && b->model[0] != '\0';
    return (!known || strcmp(a->model, b->model) == 0) && same_or_unknown(a->parameters, b->parameters);
}

bool bndi_record_has_steps(const bnd_record *record)
{
    return record->count > 0 || record->ended || record->validated;
}

/* A run that ended has every later step, as NaN; one that has just begun has none. */
bool bndi_record_same_steps(const bnd_record *a, const bnd_record *b)
{
    const bool none = a->count == 0 || b->count == 0;
    if (!bndi_record_has_steps(a) || !bndi_record_has_steps(b)) {
        return false;
    }
    return none || ((b->ended || a->points[0].step <= b->points[b->count - 1].step) &&
                    (a->ended || b->points[0].step <= a->points[a->count - 1].step));
}

/* Data that are drawn have no hash: the irreducible loss, which is computed alike for each run, tells them apart. */
bool bndi_record_same_data(const bnd_record *a, const bnd_record *b)
{
    const double apart = a->seed_data == b->seed_data ? a->floor - b->floor : 0; /* NaN: not known */
    const double most = 1e-9 * (a->floor > 0 ? a->floor : -a->floor);
    return same_or_unknown(a->data_hash, b->data_hash) && same_or_unknown(a->tokenizer_hash, b->tokenizer_hash) &&
           !(apart > most || -apart > most);
}

/* Is its model one of binade, whose seeds say which run it is? */
static bool has_seeds(const bnd_record *record)
{
    return record->model[0] != '\0' && strcmp(record->model, "own") != 0;
}

/* Bit by bit: NaN is the same as NaN. */
static bool same_losses(const bnd_record *a, const bnd_record *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const bnd_point *p = &a->points[i], *q = &b->points[i];
        same = p->step == q->step && memcmp(&p->loss, &q->loss, sizeof p->loss) == 0;
    }
    return same;
}

bool bndi_record_repeats(const bnd_record *a, const bnd_record *b)
{
    return a->seed_init == b->seed_init && a->seed_data == b->seed_data && a->init_hash == b->init_hash &&
           a->order_hash == b->order_hash && ((has_seeds(a) && has_seeds(b)) || same_losses(a, b));
}

double bnd_record_result(const bnd_record *record)
{
    double most = bndi_record_cap(record);
    double result = record->validated && record->validated_fp32 ? record->validation_fp32
                    : record->validated                         ? record->validation
                                                                : record->loss;
    return result < most ? result : most; /* NaN is not below it */
}
