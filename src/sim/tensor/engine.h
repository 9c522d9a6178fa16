/* The engine: what the tensors of a run share. */
#ifndef BINADE_SRC_TENSOR_ENGINE_H
#define BINADE_SRC_TENSOR_ENGINE_H

#include <binade/matmul.h>

#include "bulk/bulk.h"
#include "tensor/amax_scaling.h"

/* Memory that was given back and waits for the next buffer of its size: a run asks for the same sizes step after step,
 * and the system gives large pieces page by page, each cleared. */
typedef struct bndi_spare {
    unsigned char *data;
    size_t room;
} bndi_spare;
enum { BNDI_SPARES = 512, BNDI_WORKSPACES = 2, BNDI_CONVERSIONS = 16 };

/* What holds at a place: a policy, and what is read of it. */
typedef struct bndi_rules {
    bnd_policy policy;
    bnd_accumulator accumulator;
    bndi_scaling scaling[BND_ROLE_COUNT];
} bndi_rules;

/* The rules of all places: one for all, or others where the policy has exceptions. */
typedef struct bndi_rulebook {
    bndi_rules all;
    bndi_rules *others; /* NULL: there are none */
    size_t count;
    uint16_t *of_place; /* 1 + the number of those that hold at a place; 0: all */
    size_t places;
} bndi_rulebook;

struct bnd_engine {
    bnd_context context;
    bndi_spare spares[BNDI_SPARES];
    unsigned spare_count;
    size_t spare_bytes;
    bndi_spare workspace[BNDI_WORKSPACES];
    bndi_ready conversions[BNDI_CONVERSIONS]; /* those made last */
    unsigned conversion_count, next_conversion;
    bndi_rulebook book;
    const bndi_rules *here; /* at the place at hand */
    bndi_histories histories;
    unsigned high_from; /* the place from which on products with weights are not cast; 0: nowhere */
    bool has_policy, tape;
    bool limited;  /* the policy holds at one place only; everywhere else numbers stay as they are: */
    unsigned only; /* this one */
    bnd_phase phase;
    uint64_t seed, step, casts; /* the purpose of a stochastic cast is made of the last two */
    uint64_t serial, walks;
    bnd_tensor *first, *last;
    struct bndi_node *newest; /* of the nodes that live, by age */
    bnd_account account;
    bnd_stats *statistics; /* BND_ROLE_COUNT for each of the places, or NULL */
    unsigned places, place;
};

/* Sets the policy of all places, and those of places of which `layers` gives others: place i is layer i. */
BND_CHECKED bnd_status bndi_engine_set_layers(bnd_engine *engine, const bnd_policy *policy, const bnd_layer *layers,
                                              size_t count, bnd_error *why);

const bndi_rules *bndi_rules_at(const bnd_engine *engine, unsigned place);
void bndi_go_to_place(bnd_engine *engine, unsigned place);
bool bndi_places_differ(const bnd_engine *engine); /* is there a place at which other rules hold? */

/* Takes the rules out of the engine, which has none afterwards; puts such into it; frees what was taken out. */
bndi_rulebook bndi_rules_take(bnd_engine *engine);
void bndi_rules_put(bnd_engine *engine, const bndi_rulebook *book);
void bndi_rules_free(bndi_rulebook *book);

/* The policy holds at this place only; BND_PLACE_ALL: at all. It is in force from the next bnd_engine_set_place on. */
void bndi_engine_limit(bnd_engine *engine, unsigned place);

/* Where casts to a role at the engine's place are counted; NULL: they are not. */
bnd_stats *bndi_statistics_of(const bnd_engine *engine, bnd_role role);

#endif
