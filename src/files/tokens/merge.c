/* A piece of text from bytes to tokens. Pairs wait in a heap, the earliest merge first, the leftmost of equal ones; a
 * pair that has changed meanwhile is passed over. So a piece of n bytes takes time n log n, however long it is. */
#include "tokens/tokens.h"

#include <stdlib.h>

void bndi_merging_free(bndi_merging *m)
{
    free(m->symbols);
    free(m->heap);
    *m = (bndi_merging){.symbols = NULL};
}

/* Each of n symbols begins a pair, and each of n - 1 merges makes two more at most. */
static bnd_status make_room(bndi_merging *m, size_t n, bnd_error *why)
{
    enum { LEAST = 64, MOST = 1 << 30 };
    if (n <= m->room) {
        return BND_OK;
    }
    if (n > MOST) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has %zu bytes without a place to split them; the limit is %d", n, MOST);
    }
    size_t room = n < LEAST ? LEAST : n;
    bndi_merging_free(m);
    m->symbols = room <= SIZE_MAX / (3 * sizeof *m->heap) ? malloc(room * sizeof *m->symbols) : NULL;
    m->heap = m->symbols != NULL ? malloc(3 * room * sizeof *m->heap) : NULL;
    if (m->heap == NULL) {
        bndi_merging_free(m);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the tokens of %zu bytes", n);
    }
    m->room = room;
    return BND_OK;
}

/* ---- the heap: the least first ---- */

static void push(bndi_merging *m, uint64_t pair)
{
    size_t at = m->heaped++;
    for (; at > 0 && m->heap[(at - 1) / 2] > pair; at = (at - 1) / 2) {
        m->heap[at] = m->heap[(at - 1) / 2];
    }
    m->heap[at] = pair;
}

static uint64_t pop(bndi_merging *m)
{
    uint64_t least = m->heap[0], last = m->heap[--m->heaped];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < m->heaped) {
        child += child + 1 < m->heaped && m->heap[child + 1] < m->heap[child];
        if (m->heap[child] >= last) {
            break;
        }
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return least;
}

/* ---- merging ---- */

static const bndi_merge *merge_at(const bndi_merging *m, const bndi_tokenizer *t, uint32_t at)
{
    uint32_t after = m->symbols[at].after;
    return after == BNDI_NO_TOKEN ? NULL : bndi_merges_find(&t->pairs, m->symbols[at].id, m->symbols[after].id);
}

static void offer(bndi_merging *m, const bndi_tokenizer *t, uint32_t at)
{
    const bndi_merge *merge = at == BNDI_NO_TOKEN ? NULL : merge_at(m, t, at);
    if (merge != NULL) {
        push(m, (uint64_t)merge->rank << 32 | at);
    }
}

bnd_status bndi_merge_piece(bndi_merging *m, const bndi_tokenizer *t, const char *piece, size_t length, bnd_error *why)
{
    bnd_status status = make_room(m, length, why);
    if (status != BND_OK) {
        return status;
    }
    for (size_t i = 0; i < length; i++) {
        m->symbols[i] = (bndi_link){t->of_byte[(unsigned char)piece[i]], i > 0 ? (uint32_t)i - 1 : BNDI_NO_TOKEN,
                                    i + 1 < length ? (uint32_t)i + 1 : BNDI_NO_TOKEN};
    }
    m->heaped = 0;
    for (size_t i = 0; i < length; i++) {
        offer(m, t, (uint32_t)i);
    }
    while (m->heaped > 0) {
        uint64_t pair = pop(m);
        uint32_t at = (uint32_t)pair;
        bndi_link *left = &m->symbols[at];
        const bndi_merge *merge = left->id != BNDI_NO_TOKEN ? merge_at(m, t, at) : NULL;
        if (merge == NULL || merge->rank != pair >> 32) {
            continue;
        }
        bndi_link *right = &m->symbols[left->after];
        left->id = merge->id;
        left->after = right->after;
        right->id = BNDI_NO_TOKEN;
        if (left->after != BNDI_NO_TOKEN) {
            m->symbols[left->after].before = at;
        }
        offer(m, t, left->before);
        offer(m, t, at);
    }
    return BND_OK;
}
