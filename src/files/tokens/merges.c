/* The table of merges: from two neighbours to what they become. */
#include "tokens/tokens.h"

#include <stdlib.h>

static size_t place_of(const bndi_merges *pairs, uint32_t left, uint32_t right)
{
    uint64_t key = (uint64_t)left << 32 | right;
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 24) & pairs->mask;
    for (const bndi_merge *m = &pairs->slot[at]; m->left != BNDI_NO_TOKEN && (m->left != left || m->right != right);) {
        at = (at + 1) & pairs->mask;
        m = &pairs->slot[at];
    }
    return at;
}

bool bndi_merges_make(bndi_merges *pairs, size_t count)
{
    size_t room = 16;
    while (room / 2 < count) { /* half of it stays free; a text of 64 MiB has far fewer merges than overflow */
        room *= 2;
    }
    pairs->slot = malloc(room * sizeof *pairs->slot);
    pairs->mask = room - 1;
    for (size_t i = 0; pairs->slot != NULL && i < room; i++) {
        pairs->slot[i].left = BNDI_NO_TOKEN;
    }
    return pairs->slot != NULL;
}

bool bndi_merges_add(bndi_merges *pairs, const bndi_merge *merge)
{
    bndi_merge *slot = &pairs->slot[place_of(pairs, merge->left, merge->right)];
    if (slot->left != BNDI_NO_TOKEN) {
        return false;
    }
    *slot = *merge;
    return true;
}

const bndi_merge *bndi_merges_find(const bndi_merges *pairs, uint32_t left, uint32_t right)
{
    const bndi_merge *slot = &pairs->slot[place_of(pairs, left, right)];
    return slot->left != BNDI_NO_TOKEN ? slot : NULL;
}
