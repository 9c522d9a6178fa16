/* Scales from largest magnitudes, as Transformer Engine computes them: of this tensor, or of the same tensor in the
 * last steps. */
#include "base/verify.h"
#include "tensor/amax_scaling.h"
#include "base/bits.h"
#include "block/partial_array.h"
#include "bulk/environment.h"
#include "bulk/threads.h"
#include "tensor/engine.h"
#include "tensor/reader.h"

#include <stdlib.h>

enum { ORDINALS_MOST = 1 << 24 };

/* ---- the formula ---- */

typedef struct magnitudes {
    const float *x;
    const bnd_context *context;
    uint32_t bits; /* of a magnitude: those of NaN are larger than those of infinity */
} magnitudes;

static void look_at_piece(void *of, size_t at, size_t n)
{
    magnitudes *all = of;
    bndi_raise_to(&all->bits, bnd_lab_part_amax(all->x + at, n, all->context));
}

/* NaN if any of the numbers is NaN. */
static float largest_of(const bnd_engine *engine, const float *x, size_t n)
{
    enum { AT_ONCE = 1 << 14 };
    magnitudes all = {.x = x, .context = &engine->context};
    bndi_each_piece(n, AT_ONCE, bndi_parts_of(engine, n), look_at_piece, &all);
    return bndi_float_of_bits(all.bits);
}

static float largest_number(const bnd_format *f)
{
    return (float)((double)f->max_significand * bndi_power_of_two(f->max_quantum));
}

/* The largest number of the format over amax over 2^margin; amax 0 or no number: as before. Neither it nor its
 * reciprocal is infinite. */
static float scale_for(float amax, float before, const bnd_format *f, int margin)
{
    const float largest = largest_number(f);
    if (!(amax > 0) || amax - amax != 0) {
        return before;
    }
    const float scale = largest / amax / (float)bndi_power_of_two(margin), back = 1 / scale;
    return scale - scale != 0 ? __FLT_MAX__ : back - back != 0 ? __FLT_MIN__ : scale;
}

/* A chunk: scaled, rounded to what the format has (beyond its largest number: that number, as the hardware's
 * conversions saturate), and back. y may be x. `counted` may be NULL. */
static void round_scaled(float *y, const float *x, size_t n, float scale, const bnd_format *format,
                         const bnd_array *how, bndi_counted *counted)
{
    float scaled[BNDI_TENSOR_CHUNK], values[BNDI_TENSOR_CHUNK];
    const float back = 1 / scale;
    bnd_lab_part_times(scaled, x, n, scale, how->context);
    if (counted == NULL || !bnd_lab_counted_round(counted, scaled, n)) {
        bnd_status status =
            bnd_round_f32(scaled, scaled, n, format, how, counted != NULL ? &counted->flags : NULL, NULL);
        BNDI_VERIFY(status == BND_OK); /* a chunk */
    }
    if (counted == NULL) {
        bnd_lab_part_times(y, scaled, n, back, how->context);
        return;
    }
    bnd_lab_part_times(values, scaled, n, back, how->context);
    bnd_lab_counted_values(counted, x, values, scaled, n, largest_number(format));
    __builtin_memcpy(y, values, n * sizeof *y);
}

typedef struct scaling_of_all {
    size_t n;
    float *y, scale;
    const float *x;
    const bnd_format *format;
    bnd_array array;
} scaling_of_all;

static void round_chunk(const scaling_of_all *all, size_t at, size_t n, bndi_counted *counted)
{
    bnd_array array = all->array;
    array.first = at;
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    round_scaled(all->y + at, all->x + at, n, all->scale, all->format, &array, counted);
    bndi_leave(before);
}

static void round_piece(void *of, size_t at, size_t n)
{
    round_chunk(of, at, n, NULL);
}

static void count_piece(void *of, size_t item, bndi_counted *counted)
{
    const scaling_of_all *all = of;
    const size_t at = item * BNDI_TENSOR_CHUNK, left = all->n - at;
    round_chunk(all, at, left < BNDI_TENSOR_CHUNK ? left : BNDI_TENSOR_CHUNK, counted);
}

static void round_all_scaled(bnd_engine *engine, float *y, const float *x, size_t n, float scale,
                             const bnd_format *format, const bndi_store *how)
{
    const size_t threads = bndi_parts_of(engine, n);
    bndi_counted counted;
    scaling_of_all all = {
        .n = n,
        .y = y,
        .scale = scale,
        .x = x,
        .format = format,
        .array = {.context = &engine->context, .rule = how->rule, .seed = how->seed, .purpose = how->purpose}};
    if (all.array.rule.overflow == BND_OVERFLOW_FORMAT) {
        all.array.rule.overflow = BND_OVERFLOW_SATURATE;
    }
    if (how->stats == NULL) {
        bndi_each_piece(n, BNDI_TENSOR_CHUNK, threads, round_piece, &all);
        return;
    }
    bnd_lab_counted_open(&counted, how->stats, format, all.array.rule, &engine->context);
    bnd_lab_count_scale(how->stats, n > 0 ? (double)(1 / scale) : 0);
    bnd_lab_counted_items(&counted, (n + BNDI_TENSOR_CHUNK - 1) / BNDI_TENSOR_CHUNK, BNDI_TENSOR_CHUNK, threads,
                          count_piece, &all);
    bnd_lab_counted_close(&counted);
}

/* ---- histories ---- */

/* A cast's number and its role in one. */
enum { ROLES_OF_OPERANDS = BND_ROLE_NS - BND_ROLE_FWD_X + 1 };
static size_t key_of(uint64_t ordinal, bnd_role role)
{
    return (size_t)ordinal * ROLES_OF_OPERANDS + (role - BND_ROLE_FWD_X);
}

static float *numbers_of(const bndi_history *h)
{
    return (float *)(void *)h->largest->data;
}

static bnd_status make_room(bndi_histories *all, size_t key, bnd_error *why)
{
    if (key >= all->keys) {
        size_t room = key + key / 2 + 64;
        uint32_t *more = realloc(all->of_key, room * sizeof *more);
        if (more == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the numbers of %zu casts", room);
        }
        __builtin_memset(more + all->keys, 0, (room - all->keys) * sizeof *more);
        all->of_key = more;
        all->keys = room;
    }
    if (all->count == all->room) {
        size_t room = all->room + all->room / 2 + 32;
        bndi_history *more = realloc(all->list, room * sizeof *more);
        if (more == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu delayed scales", room);
        }
        all->list = more;
        all->room = room;
    }
    return BND_OK;
}

static void follow(bndi_history *h, const bndi_rules *rules)
{
    h->margin = rules->scaling[h->role].margin;
    h->format = rules->policy.cast[h->role].format;
}

static bnd_status add_history(bnd_engine *engine, const bndi_rules *rules, bnd_role role, uint32_t ordinal,
                              bnd_error *why)
{
    bndi_histories *all = &engine->histories;
    bndi_history h = {.ordinal = ordinal, .role = role, .scale = 1, .steps = rules->scaling[role].steps};
    follow(&h, rules);
    bnd_status status = make_room(all, key_of(ordinal, role), why);
    if (status == BND_OK) {
        size_t bytes = h.steps * sizeof(float);
        status = bndi_buffer_new(&h.largest, engine, BND_ROLE_EXTRA, bytes, true, why);
    }
    if (status == BND_OK) {
        all->list[all->count++] = h;
        all->of_key[key_of(ordinal, role)] = (uint32_t)all->count;
    }
    return status;
}

static bndi_history *history_of(const bndi_histories *all, uint64_t ordinal, bnd_role role)
{
    size_t key = key_of(ordinal, role);
    uint32_t place = ordinal < ORDINALS_MOST && key < all->keys ? all->of_key[key] : 0;
    return place > 0 ? &all->list[place - 1] : NULL;
}

static void note_amax(bndi_history *h, float amax)
{
    h->amax = amax > h->amax || amax != amax ? amax : h->amax;
}

void bndi_histories_seen(float *amax, const bnd_engine *engine)
{
    for (size_t i = 0; i < engine->histories.count; i++) {
        amax[i] = engine->histories.list[i].amax;
    }
}

void bndi_histories_learn(bnd_engine *engine, const float *amax)
{
    for (size_t i = 0; i < engine->histories.count; i++) {
        note_amax(&engine->histories.list[i], amax[i]);
    }
}

bnd_status bndi_scale_by_amax(bnd_engine *engine, float *y, const float *x, size_t n, bnd_role role, uint64_t ordinal,
                              const bndi_store *how, bnd_error *why)
{
    const bndi_scaling *scaling = &engine->here->scaling[role];
    const bnd_cast *cast = bndi_cast_of(engine, role);
    bndi_histories *all = &engine->histories;
    float amax = largest_of(engine, x, n), scale = 1;
    if (scaling->kind == BNDI_CURRENT) {
        scale = scale_for(amax, 1, &cast->format, scaling->margin);
    } else {
        bndi_history *h = history_of(all, ordinal, role);
        if (h == NULL && !all->kept) {
            bnd_status status =
                ordinal < ORDINALS_MOST
                    ? add_history(engine, engine->here, role, (uint32_t)ordinal, why)
                    : bnd_fail(why, BND_BAD_ARGUMENT, 0, "a step can have at most %d casts", ORDINALS_MOST);
            if (status != BND_OK) {
                return status;
            }
            h = history_of(all, ordinal, role);
        }
        if (h != NULL && !all->kept) {
            follow(h, engine->here); /* one that was read from a file may be of other rules with as many steps */
            note_amax(h, amax);
        }
        scale = h != NULL ? h->scale : 1;
    }
    round_all_scaled(engine, y, x, n, scale, &cast->format, how);
    return BND_OK;
}

void bndi_histories_begin(bnd_engine *engine)
{
    for (size_t i = 0; i < engine->histories.count; i++) {
        engine->histories.list[i].amax = 0;
    }
}

void bnd_engine_end_step(bnd_engine *engine)
{
    for (size_t i = 0; i < engine->histories.count; i++) {
        bndi_history *h = &engine->histories.list[i];
        numbers_of(h)[h->at] = h->amax;
        h->at = (h->at + 1) % h->steps;
        h->amax = 0;
        h->scale = scale_for(largest_of(engine, numbers_of(h), h->steps), h->scale, &h->format, h->margin);
    }
}

void bndi_histories_clear(bnd_engine *engine)
{
    bndi_histories *all = &engine->histories;
    for (size_t i = 0; i < all->count; i++) {
        bndi_buffer_release(all->list[i].largest);
    }
    free(all->list);
    free(all->of_key);
    *all = (bndi_histories){.list = NULL};
}

/* ---- histories as numbers: ordinal, role, scale and steps of each, then its largest magnitudes, oldest first ---- */

enum { HEAD = 4 };

size_t bnd_engine_state_count(const bnd_engine *engine)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->histories.count; i++) {
        count += HEAD + engine->histories.list[i].steps;
    }
    return count;
}

void bnd_engine_state_get(double *x, const bnd_engine *engine)
{
    for (size_t i = 0; i < engine->histories.count; i++) {
        const bndi_history *h = &engine->histories.list[i];
        uint32_t steps = h->steps;
        *x++ = (double)h->ordinal;
        *x++ = (double)h->role;
        *x++ = (double)h->scale;
        *x++ = (double)steps;
        for (uint32_t k = 0; k < steps; k++) {
            *x++ = (double)numbers_of(h)[(h->at + k) % steps];
        }
    }
}

static bool whole_below(double x, double limit)
{
    return x >= 0 && x < limit && x - __builtin_floor(x) == 0;
}

/* The rules that a record may be of: with as many steps for its role. */
static const bndi_rules *rules_of(const bnd_engine *engine, bnd_role role, double steps)
{
    const bndi_rulebook *book = &engine->book;
    for (size_t i = 0; i <= book->count; i++) {
        const bndi_rules *rules = i == 0 ? &book->all : &book->others[i - 1];
        const bndi_scaling *scaling = &rules->scaling[role];
        if (scaling->kind == BNDI_DELAYED && whole_below(steps, 4294967296.0) && (uint32_t)steps == scaling->steps) {
            return rules;
        }
    }
    return NULL;
}

/* A record is one of the policy at hand. */
static bool is_record(const bnd_engine *engine, const double *x, size_t n)
{
    bool good = n >= HEAD && whole_below(x[0], ORDINALS_MOST) && whole_below(x[1], BND_ROLE_COUNT) && x[2] > 0 &&
                x[2] <= (double)__FLT_MAX__;
    if (!good) {
        return false;
    }
    return rules_of(engine, (bnd_role)(unsigned)x[1], x[3]) != NULL && n - HEAD >= (size_t)x[3];
}

static bnd_status read_record(bnd_engine *engine, const double *x, bnd_error *why)
{
    bnd_role role = (bnd_role)(unsigned)x[1];
    bnd_status status = add_history(engine, rules_of(engine, role, x[3]), role, (uint32_t)x[0], why);
    if (status == BND_OK) {
        bndi_history *h = &engine->histories.list[engine->histories.count - 1];
        h->scale = (float)x[2];
        for (uint32_t k = 0; k < h->steps; k++) {
            numbers_of(h)[k] = (float)x[HEAD + k];
        }
    }
    return status;
}

bnd_status bnd_engine_state_set(bnd_engine *engine, const double *x, size_t n, bnd_error *why)
{
    bndi_histories before = engine->histories;
    bnd_status status = BND_OK;
    engine->histories = (bndi_histories){.kept = before.kept};
    for (size_t at = 0, length; status == BND_OK && at < n; at += length) {
        bool good = is_record(engine, x + at, n - at);
        length = good ? HEAD + (size_t)x[at + 3] : 0;
        good = good && history_of(&engine->histories, (uint64_t)x[at], (bnd_role)(unsigned)x[at + 1]) == NULL;
        status = good ? read_record(engine, x + at, why)
                      : bnd_fail(why, BND_BAD_ARGUMENT, at,
                                 "number %zu of the run's state does not begin a delayed scale of this recipe: the "
                                 "state belongs to another recipe or is damaged",
                                 at);
    }
    bndi_histories made = engine->histories;
    engine->histories = status == BND_OK ? before : made; /* which are not wanted any more */
    bndi_histories_clear(engine);
    engine->histories = status == BND_OK ? made : before;
    return status;
}
