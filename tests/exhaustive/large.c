/* Arrays so large that the calls write them past the caches: by every back end, on one thread and on two, into memory
 * that begins at any byte. They must hold what the same call gives for them in small parts, and those are compared with
 * the codec elsewhere (tests/bulk, bulk.c).
 *
 * Compiled with options.c, state.c and pool.c; links the library. */
#include "bulk/bulk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const program about = {"large", "arrays beyond the caches, whole against in parts", "rjs", "fp16,e4m3,tf32"};

enum { GUARD = 256, FILL = 0xa5, PLACES = 5, CALLS = 3, PART = 1 << 12 };

/* One call of one back end for one row. */
typedef enum kind { ENCODE, ROUND, DECODE } kind;

typedef struct check {
    kind what;
    bnd_format row;
    bnd_context context;
    size_t in_bytes, out_bytes, n; /* of an element; elements */
} check;

typedef struct plan {
    const request *r;
    size_t bytes;
    bnd_context contexts[2 * BND_BACKEND_COUNT];
    size_t context_count;
} plan;

/* Bytes, read and written, that are beyond the caches. */
static size_t large_enough(void)
{
    size_t bytes = (size_t)8 << 20;
    while (!bndi_beyond_the_caches(bytes)) {
        bytes *= 2;
    }
    return bytes;
}

static check check_of(const plan *p, size_t index)
{
    check c = {.what = (kind)(index % CALLS), .context = p->contexts[index / CALLS % p->context_count]};
    c.row = p->r->rows[index / CALLS / p->context_count];
    size_t code = bnd_codes_size(&c.row, 1, BND_PACKING_UNPACKED);
    c.in_bytes = c.what == DECODE ? code : sizeof(float);
    c.out_bytes = c.what == ENCODE ? code : sizeof(float);
    c.n = (p->bytes + ((size_t)4 << 20)) / (c.in_bytes + c.out_bytes) + 61;
    return c;
}

static bnd_status call(const check *c, void *out, const void *in, size_t n, const bnd_context *context)
{
    bnd_array how = {.context = context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    switch (c->what) {
    case ENCODE:
        return bnd_encode_f32(out, in, n, &c->row, &how, NULL, NULL);
    case ROUND:
        return bnd_round_f32(out, in, n, &c->row, &how, NULL, NULL);
    default:
        return bnd_decode_f32(out, in, n, &c->row, &how, NULL);
    }
}

/* Numbers of a few binades around one, a special one now and then; codes of every kind. */
static void fill(const check *c, unsigned char *in)
{
    uint64_t state = 1;
    for (size_t i = 0; i < c->n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t bits = (uint32_t)(state >> 32);
        if (c->what != DECODE && i % 64 != 0) {
            bits = (bits & 0x80ffffff) | (bits & 0x08000000 ? 0x3f000000 : 0x3c000000);
        }
        memcpy(in + i * c->in_bytes, &bits, c->in_bytes);
    }
}

static void compare(const check *c, const unsigned char *in, const unsigned char *out, outcome *o)
{
    const bnd_context one = {.backend = c->context.backend, .threads = 1};
    unsigned char want[PART * sizeof(float)];
    for (size_t at = 0; at < c->n; at += PART) {
        size_t n = c->n - at < PART ? c->n - at : PART;
        bool called = call(c, want, in + at * c->in_bytes, n, &one) == BND_OK;
        o->checked += n;
        if (!called || memcmp(want, out + at * c->out_bytes, n * c->out_bytes) != 0) {
            mismatch(o, "elements %zu to %zu of %zu differ", at, at + n - 1, c->n);
        }
    }
}

static bool is_filled(const unsigned char *bytes, size_t count)
{
    bool filled = true;
    for (size_t i = 0; i < count; i++) {
        filled &= bytes[i] == FILL;
    }
    return filled;
}

/* A piece is a place: how far the output stands from a line of the cache. */
static void check_array(const void *context, size_t index, uint64_t piece, outcome *o)
{
    static const size_t places[PLACES] = {0, 4, 13, 32, 62};
    check c = check_of(context, index);
    unsigned char *in = malloc(c.n * c.in_bytes), *block = malloc(c.n * c.out_bytes + (size_t)2 * GUARD);
    if (in == NULL || block == NULL) {
        fprintf(stderr, "large: no memory for an array of %zu elements\n", c.n);
        exit(EXIT_TROUBLE);
    }
    size_t to_line = (64 - (uintptr_t)block % 64) % 64, before = 64 + to_line + places[piece];
    unsigned char *out = block + before, *end = out + c.n * c.out_bytes;
    size_t behind = (size_t)(block + c.n * c.out_bytes + (size_t)2 * GUARD - end);
    fill(&c, in);
    memset(block, FILL, before);
    memset(end, FILL, behind);
    if (call(&c, out, in, c.n, &c.context) != BND_OK) {
        mismatch(o, "the call refuses %zu elements", c.n);
    }
    compare(&c, in, out, o);
    if (!is_filled(block, before) || !is_filled(end, behind)) {
        mismatch(o, "something outside of %zu elements was written", c.n);
    }
    free(in);
    free(block);
}

static size_t list_tasks(plan *p, task *tasks)
{
    static const char *const names[CALLS] = {"encode", "round", "decode"};
    size_t count = CALLS * p->context_count * p->r->row_count;
    for (size_t i = 0; tasks != NULL && i < count; i++) {
        check c = check_of(p, i);
        tasks[i].pieces = PLACES;
        snprintf(tasks[i].name, sizeof tasks[i].name, "%s %s %s, %" PRIu32 " thread%s", c.row.name, names[c.what],
                 bnd_backend_name((bnd_backend)c.context.backend), c.context.threads, c.context.threads > 1 ? "s" : "");
    }
    return count;
}

int main(int argc, char **argv)
{
    static request r;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    plan p = {.r = &r, .bytes = large_enough()};
    for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
        for (uint32_t threads = 1; threads <= 2 && bnd_backend_here((bnd_backend)i); threads++) {
            p.contexts[p.context_count++] = (bnd_context){.backend = (uint8_t)i, .threads = threads};
        }
    }
    task *tasks = calloc(list_tasks(&p, NULL), sizeof *tasks);
    if (tasks == NULL) {
        return EXIT_TROUBLE;
    }
    status = run_tasks(&r, tasks, list_tasks(&p, tasks), check_array, &p);
    free(tasks);
    return status;
}
