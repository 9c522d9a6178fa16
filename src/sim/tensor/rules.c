/* The rules of places: a policy as the engine has read it, one for all places or one per layer. */
#include "tensor/engine.h"

#include <stdlib.h>

void bndi_rules_free(bndi_rulebook *book)
{
    free(book->others);
    free(book->of_place);
    *book = (bndi_rulebook){.others = NULL};
}

bndi_rulebook bndi_rules_take(bnd_engine *engine)
{
    bndi_rulebook book = engine->book;
    engine->book = (bndi_rulebook){.others = NULL};
    engine->here = &engine->book.all;
    return book;
}

void bndi_rules_put(bnd_engine *engine, const bndi_rulebook *book)
{
    bndi_rules_free(&engine->book);
    engine->book = *book;
    engine->here = bndi_rules_at(engine, engine->place);
}

const bndi_rules *bndi_rules_at(const bnd_engine *engine, unsigned place)
{
    const bndi_rulebook *book = &engine->book;
    size_t other = place < book->places ? book->of_place[place] : 0;
    return other > 0 ? &book->others[other - 1] : &book->all;
}

bool bndi_places_differ(const bnd_engine *engine)
{
    return engine->limited || engine->book.count > 0;
}

void bndi_go_to_place(bnd_engine *engine, unsigned place)
{
    engine->place = place;
    engine->here = bndi_rules_at(engine, place);
}
