/* Memory of tensors: counted by role, and kept for the next buffer of its size. */
#include "tensor/buffer.h"
#include "tensor/engine.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static void note_recipe_roles(bnd_account *a)
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        a->by_role_at_recipe_peak[role] = bnd_role_is_of_recipe((bnd_role)role) ? a->bytes[role] : 0;
    }
}

static void note_peaks(bnd_account *a)
{
    if (a->bytes_now > a->bytes_peak) {
        a->bytes_peak = a->bytes_now;
        __builtin_memcpy(a->by_role_at_peak, a->bytes, sizeof a->bytes);
    }
    if (a->recipe_now > a->recipe_peak) {
        a->recipe_peak = a->recipe_now;
        note_recipe_roles(a);
    }
}

static void count_bytes(bnd_account *a, bnd_role role, size_t bytes)
{
    a->bytes[role] += bytes;
    a->bytes_now += bytes;
    a->recipe_now += bnd_role_is_of_recipe(role) ? bytes : 0;
    a->allocations++;
    if (a->bytes[role] > a->peak_by_role[role]) {
        a->peak_by_role[role] = a->bytes[role];
    }
    note_peaks(a);
}

/* ---- memory ---- */

enum { LINE = 64, SPARED_FROM = 1 << 15 };

/* A whole number of lines, and one more: whole vectors are read only within an array, but what they point at must be
 * memory. 0: too much. */
static size_t room_for(size_t bytes)
{
    return bytes <= SIZE_MAX - 2 * LINE ? (bytes + LINE - 1) / LINE * LINE + LINE : 0;
}

static unsigned char *take_room(bnd_engine *engine, size_t room)
{
    for (unsigned i = engine->spare_count; i-- > 0;) {
        bndi_spare spare = engine->spares[i];
        if (spare.room == room) {
            engine->spares[i] = engine->spares[--engine->spare_count];
            engine->spare_bytes -= room;
            return spare.data;
        }
    }
    return room > 0 ? aligned_alloc(LINE, room) : NULL;
}

void *bndi_workspace(bnd_engine *engine, unsigned which, size_t bytes)
{
    bndi_spare *w = &engine->workspace[which];
    if (w->room < bytes) {
        const size_t room = room_for(bytes);
        free(w->data);
        w->data = room > 0 ? aligned_alloc(LINE, room) : NULL;
        w->room = w->data != NULL ? room : 0;
    }
    return w->data;
}

static void free_spares(bnd_engine *engine)
{
    for (unsigned i = 0; i < engine->spare_count; i++) {
        free(engine->spares[i].data);
    }
    engine->spare_count = 0;
    engine->spare_bytes = 0;
}

void bndi_free_spares(bnd_engine *engine)
{
    for (unsigned i = 0; i < BNDI_WORKSPACES; i++) {
        free(engine->workspace[i].data);
        engine->workspace[i] = (bndi_spare){.data = NULL};
    }
    free_spares(engine);
}

/* The oldest spare goes where there are too many, or where they would make it more than twice what the run has ever
 * used: gradients have other sizes than what they free, so that what one step needs is more than it has at a time. */
static void give_room(bnd_engine *engine, unsigned char *data, size_t room)
{
    const bnd_account *a = &engine->account;
    if (room < SPARED_FROM || room > a->bytes_peak) {
        free(data);
        return;
    }
    while (engine->spare_count == BNDI_SPARES ||
           (engine->spare_count > 0 && a->bytes_now + engine->spare_bytes + room > 2 * a->bytes_peak)) {
        free(engine->spares[0].data);
        engine->spare_bytes -= engine->spares[0].room;
        engine->spare_count--;
        memmove(engine->spares, engine->spares + 1, engine->spare_count * sizeof engine->spares[0]);
    }
    engine->spares[engine->spare_count++] = (bndi_spare){data, room};
    engine->spare_bytes += room;
}

bnd_status bndi_buffer_new(bndi_buffer **out, bnd_engine *engine, bnd_role role, size_t bytes, bool zeros,
                           bnd_error *why)
{
    bndi_buffer *buffer = malloc(sizeof *buffer);
    unsigned char *data = take_room(engine, room_for(bytes));
    if (data == NULL && engine->spare_count > 0) { /* spares, not workspaces: one may be in use */
        free_spares(engine);
        data = take_room(engine, room_for(bytes));
    }
    if (buffer == NULL || data == NULL) {
        free(buffer);
        free(data);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a tensor of %zu bytes (%s)", bytes, bnd_role_name(role));
    }
    if (zeros) {
        memset(data, 0, bytes);
    }
    *buffer = (bndi_buffer){.references = 1, .engine = engine, .role = role, .bytes = bytes, .data = data};
    count_bytes(&engine->account, role, bytes);
    *out = buffer;
    return BND_OK;
}

bnd_status bndi_buffer_mapped(bndi_buffer **out, bnd_engine *engine, bnd_role role, const bnd_lab_mapped *map,
                              size_t at, bnd_error *why)
{
    bndi_buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to describe a file of %zu bytes", map->size);
    }
    /* Pages without PROT_WRITE: `constant` keeps everybody from writing. */
    *buffer = (bndi_buffer){.references = 1,
                            .engine = engine,
                            .role = role,
                            .data = (unsigned char *)(uintptr_t)map->bytes + at,
                            .map = *map,
                            .constant = true};
    *out = buffer;
    return BND_OK;
}

void bndi_buffer_release(bndi_buffer *buffer)
{
    if (buffer == NULL || --buffer->references > 0) {
        return;
    }
    if (buffer->scaled != NULL) {
        bndi_buffer_release(buffer->scaled->scales);
        free(buffer->scaled);
    }
    bnd_account *a = &buffer->engine->account;
    a->bytes[buffer->role] -= buffer->bytes;
    a->bytes_now -= buffer->bytes;
    a->recipe_now -= bnd_role_is_of_recipe(buffer->role) ? buffer->bytes : 0;
    if (buffer->map.size > 0) {
        bnd_lab_map_close(&buffer->map);
    } else {
        give_room(buffer->engine, buffer->data, room_for(buffer->bytes));
    }
    free(buffer);
}

/* ---- the account ---- */

void bndi_count_flops(bnd_engine *engine, bnd_tensor_operation operation, uint64_t flops)
{
    engine->account.flops[engine->phase][operation] += flops;
}

void bnd_engine_account(bnd_account *out, const bnd_engine *engine)
{
    *out = engine->account;
}

void bnd_engine_reset_peak(bnd_engine *engine)
{
    bnd_account *a = &engine->account;
    a->bytes_peak = a->bytes_now;
    a->recipe_peak = a->recipe_now;
    a->saved = a->saved_row_statistics = 0;
    note_recipe_roles(a);
    __builtin_memcpy(a->by_role_at_peak, a->bytes, sizeof a->bytes);
    __builtin_memcpy(a->peak_by_role, a->bytes, sizeof a->bytes);
}

void bnd_engine_reset_flops(bnd_engine *engine)
{
    bnd_account *a = &engine->account;
    memset(a->flops, 0, sizeof a->flops);
    a->bytes_read = a->bytes_written = 0;
}

uint64_t bnd_account_flops(const bnd_account *account)
{
    uint64_t sum = 0;
    for (unsigned phase = 0; phase < BND_PHASE_COUNT; phase++) {
        for (unsigned i = 0; i < BND_TENSOR_OP_COUNT; i++) {
            sum += account->flops[phase][i];
        }
    }
    return sum;
}
