/* Statistics of casts, by role and by place. */
#include "tensor/engine.h"

#include <stdlib.h>

static size_t size_of(const bnd_engine *engine)
{
    return (size_t)engine->places * BND_ROLE_COUNT * sizeof *engine->statistics;
}

bnd_status bnd_engine_take_statistics(bnd_engine *engine, unsigned places, bnd_error *why)
{
    bnd_stats *statistics = NULL;
    if (places == engine->places) {
        return BND_OK;
    }
    if (places > BND_PLACES_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "statistics can have at most %d places, not %u", BND_PLACES_MAX,
                        places);
    }
    if (places > 0) {
        statistics = calloc((size_t)places * BND_ROLE_COUNT, sizeof *statistics);
        if (statistics == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for statistics of %u places", places);
        }
    }
    free(engine->statistics);
    engine->statistics = statistics;
    engine->places = places;
    return BND_OK;
}

void bnd_engine_set_place(bnd_engine *engine, unsigned place)
{
    bndi_go_to_place(engine, place);
    engine->has_policy = engine->limited ? place == engine->only : engine->has_policy;
}

void bndi_engine_limit(bnd_engine *engine, unsigned place)
{
    engine->has_policy = engine->has_policy || engine->limited;
    engine->limited = place != BND_PLACE_ALL;
    engine->only = place;
}

bnd_stats *bndi_statistics_of(const bnd_engine *engine, bnd_role role)
{
    size_t place = engine->place < engine->places ? engine->place : 0;
    return engine->statistics != NULL ? &engine->statistics[place * BND_ROLE_COUNT + role] : NULL;
}

bnd_stats *bnd_engine_statistics(bnd_stats *out, const bnd_engine *engine, bnd_role role, unsigned place)
{
    bool one = place != BND_PLACE_ALL;
    bnd_stats sum = {.elements = 0};
    if ((unsigned)role >= BND_ROLE_COUNT || engine->places == 0 || (one && place >= engine->places)) {
        return NULL;
    }
    for (unsigned i = one ? place : 0; i < (one ? place + 1 : engine->places); i++) {
        bnd_stats_add(&sum, &engine->statistics[(size_t)i * BND_ROLE_COUNT + role]);
    }
    *out = sum;
    return out;
}

void bnd_engine_reset_statistics(bnd_engine *engine)
{
    if (engine->statistics != NULL) {
        __builtin_memset(engine->statistics, 0, size_of(engine));
    }
}
