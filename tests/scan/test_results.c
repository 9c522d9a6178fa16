/* Totals, the smallest candidate, what stays, the watch, a checkpoint. */
#include "model.h"
#include "tests.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 4 };
static const char *const names[CANDIDATES] = {"bf16", "e4m3", "e4m3/row", "mxfp4"};

static void parse_all(bnd_candidate *out)
{
    for (size_t i = 0; i < CANDIDATES; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&out[i], names[i], NULL), BND_OK);
    }
}

/* Tensors of several kinds in a file: two matrices, one of which has tiny numbers, a vector, integers. */
static example matrix, tiny;

static const char *put_checkpoint(char path[PATH_SIZE])
{
    static const uint64_t shape[] = {64, 96}, ids[] = {6, 2}, gain[] = {64};
    static const int64_t integers[12] = {0};
    matrix = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, PLAIN, 1);
    tiny = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, PLAIN, 2);
    for (size_t i = 0; i < tiny.count; i++) { /* 2^-20 of it: exponents of bf16 are in bits 7 to 14 */
        uint16_t code;
        memcpy(&code, tiny.codes + 2 * i, 2);
        code = (uint16_t)((code & 0x7f80) > 20 << 7 ? code - (20 << 7) : 0);
        memcpy(tiny.codes + 2 * i, &code, 2);
    }
    const bnd_safetensor entries[] = {
        {.name = "a.weight", .dtype = "BF16", .rank = 2, .shape = shape, .data = matrix.codes},
        {.name = "b.weight", .dtype = "BF16", .rank = 2, .shape = shape, .data = tiny.codes},
        {.name = "norm.weight", .dtype = "BF16", .rank = 1, .shape = gain, .data = matrix.codes},
        {.name = "ids", .dtype = "I64", .rank = 2, .shape = ids, .data = (const unsigned char *)integers},
    };
    in_folder(path, "model.safetensors");
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(path, entries, 4, NULL, 0, NULL), BND_OK);
    return path;
}

typedef struct opened {
    bnd_checkpoint *checkpoint;
    bnd_candidate candidates[CANDIDATES];
} opened;

static opened open_all(void)
{
    opened o = {.checkpoint = NULL};
    char path[PATH_SIZE];
    open_folder();
    parse_all(o.candidates);
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_new(&o.checkpoint, put_checkpoint(path), NULL, NULL, NULL), BND_OK);
    return o;
}

static void close_all(opened *o)
{
    bnd_checkpoint_free(o->checkpoint);
    example_free(&matrix);
    example_free(&tiny);
    close_folder();
}

static const bnd_scanned *named(const bnd_scan *scan, const char *name)
{
    for (size_t i = 0; i < bnd_scan_tensors(scan); i++) {
        if (strcmp(bnd_scan_at(scan, i)->name, name) == 0) {
            return bnd_scan_at(scan, i);
        }
    }
    return NULL;
}

static void test_a_checkpoint(void)
{
    opened o = open_all();
    bnd_scan *scan;
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, NULL, NULL), BND_OK);
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    CU_ASSERT_EQUAL(bnd_scan_tensors(scan), 4);
    CU_ASSERT_EQUAL(m->tensors, 2);
    CU_ASSERT_EQUAL(m->staying, 2);
    CU_ASSERT_EQUAL(m->elements, 2 * 64 * 96);
    CU_ASSERT_EQUAL(m->bytes, 2 * 2 * 64 * 96);
    CU_ASSERT_EQUAL(m->staying_bytes, 2 * 64 + 8 * 12);
    CU_ASSERT_TRUE(named(scan, "norm.weight")->stays && named(scan, "ids")->stays);
    CU_ASSERT_STRING_EQUAL(bnd_scan_worst(scan, 0)->name, "b.weight");
    CU_ASSERT_STRING_EQUAL(bnd_scan_worst(scan, 1)->name, "a.weight");
    CU_ASSERT_PTR_NULL(bnd_scan_worst(scan, 4));
    CU_ASSERT_PTR_NULL(bnd_scan_at(scan, 4));
    for (size_t i = 0; i < CANDIDATES; i++) {
        const bnd_loss a = model_loss(&matrix, &o.candidates[i]), *found = &named(scan, "a.weight")->losses[i];
        const bnd_scan_total *total = &bnd_scan_totals(scan)[i];
        CU_ASSERT_EQUAL(found->squared_error, a.squared_error);
        CU_ASSERT_EQUAL(found->exact, a.exact);
        CU_ASSERT_EQUAL(found->sqnr, a.squared_error > 0 ? 10 * log10(a.squared_input / a.squared_error) : INFINITY);
        CU_ASSERT_EQUAL(total->loss.exact, a.exact + named(scan, "b.weight")->losses[i].exact);
        CU_ASSERT_EQUAL(total->verdicts[0] + total->verdicts[1] + total->verdicts[2] + total->verdicts[3], 2);
    }
    /* bf16 is exact; e4m3 makes all of b zero; rows keep it, and so do blocks of 32, which take the fewest bytes. */
    CU_ASSERT_EQUAL(bnd_scan_totals(scan)[0].verdicts[BND_SURVIVES_EXACT], 2);
    CU_ASSERT_EQUAL(bnd_scan_totals(scan)[1].verdicts[BND_BREAKS], 1);
    CU_ASSERT_STRING_EQUAL(bnd_scan_at(scan, bnd_scan_totals(scan)[1].worst)->name, "b.weight");
    CU_ASSERT_EQUAL(bnd_scan_totals(scan)[2].verdicts[BND_SURVIVES_FLOOR], 2);
    CU_ASSERT_EQUAL(m->smallest, 3);
    CU_ASSERT_EQUAL(m->mixed_bytes, 2 * (64 * 96 / 2 + 64 * 3));
    bnd_scan_free(scan);
    close_all(&o);
}

static size_t smallest_for(const opened *o, const bnd_scan_options *options)
{
    bnd_scan *scan;
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o->checkpoint, o->candidates, CANDIDATES, options, NULL), BND_OK);
    size_t smallest = bnd_scan_model_of(scan)->smallest;
    bnd_scan_free(scan);
    return smallest;
}

static void test_what_is_asked(void)
{
    opened o = open_all();
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_sqnr = true, .sqnr = 15}), 3);
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_sqnr = true, .sqnr = 25}), 2);
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_sqnr = true, .sqnr = 60}), 0);
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_underflow = true, .underflow = 0}), 2);
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_underflow = true, .underflow = 0.001}), 2);
    CU_ASSERT_EQUAL(smallest_for(&o, &(bnd_scan_options){.asks_underflow = true, .underflow = 1}), 3);
    opened without = o; /* bf16 in place of the first by e4m3: no tensor reaches 60 dB */
    without.candidates[0] = o.candidates[1];
    CU_ASSERT_EQUAL(smallest_for(&without, &(bnd_scan_options){.asks_sqnr = true, .sqnr = 60}), CANDIDATES);
    close_all(&o);
}

static bool is_b(void *state, const char *name)
{
    (void)state;
    return name[0] == 'b';
}

static bool is_norm(void *state, const char *name)
{
    (void)state;
    return name[0] == 'n';
}

/* Where no tensor is scanned, no candidate is the smallest: a line per number of bits says so. */
static void test_nothing_scanned(void)
{
    opened o = open_all();
    bnd_scan *scan;
    char line[200];
    const bnd_scan_options options = {.wanted = is_norm};
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, &options, NULL), BND_OK);
    CU_ASSERT_TRUE(bnd_scan_tensors(scan) == 1 && bnd_scan_model_of(scan)->tensors == 0);
    CU_ASSERT_EQUAL(bnd_scan_model_of(scan)->smallest, CANDIDATES);
    static const char *const expected[] = {"16 bits: none.", "8 bits: none.", "4 bits: none.", ""};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const size_t length = bnd_scan_print_line(line, sizeof line, scan, o.candidates, CANDIDATES, &options, i + 1);
        CU_ASSERT_EQUAL(length, strlen(expected[i]));
        CU_ASSERT_STRING_EQUAL(line, expected[i]);
    }
    bnd_scan_free(scan);
    close_all(&o);
}

static void test_choices(void)
{
    opened o = open_all();
    bnd_scan *scan;
    bnd_scan_options options = {.wanted = is_b};
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, &options, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_scan_tensors(scan), 1);
    bnd_scan_free(scan);
    options = (bnd_scan_options){.vectors = true};
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, &options, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_scan_model_of(scan)->tensors, 3);
    bnd_scan_free(scan);
    scan = (bnd_scan *)&o;
    CU_ASSERT_EQUAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, 0, &options, NULL), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_EQUAL(scan, (bnd_scan *)&o);
    close_all(&o);
}

typedef struct watched {
    uint64_t last, total, calls, most_calls;
    bool falls;
} watched;

static bool watch(void *state, uint64_t done, uint64_t total)
{
    watched *w = state;
    w->falls = w->falls || done < w->last || done > total;
    w->last = done;
    w->total = total;
    return ++w->calls < w->most_calls;
}

static void test_watch(void)
{
    opened o = open_all();
    bnd_scan *scan = NULL;
    watched w = {.most_calls = 1000};
    const bnd_watch how = {.at = watch, .state = &w};
    const bnd_scan_options options = {.watch = &how};
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, &options, NULL), BND_OK);
    CU_ASSERT_TRUE(!w.falls && w.calls >= 2);
    CU_ASSERT_EQUAL(w.last, w.total);
    CU_ASSERT_EQUAL(w.total, bnd_scan_model_of(scan)->bytes);
    bnd_scan_free(scan);
    for (uint64_t most = 1; most < 4; most++) { /* ended at each of its calls */
        w = (watched){.most_calls = most};
        CU_ASSERT_EQUAL(bnd_scan_new(&scan, o.checkpoint, o.candidates, CANDIDATES, &options, NULL), BND_BAD_STREAM);
        CU_ASSERT_EQUAL(w.calls, most);
    }
    close_all(&o);
}

#ifdef BND_WITH_WRAP
/* Each allocation fails in turn: the answer is BND_NO_MEMORY, and nothing is lost. */
static void test_no_memory(void)
{
    const uint64_t shape[] = {40, 40};
    bnd_candidate candidates[CANDIDATES];
    parse_all(candidates);
    example e = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, PLAIN, 1);
    bnd_status status = BND_NO_MEMORY;
    uint64_t n = 0;
    for (; status == BND_NO_MEMORY && n < 100; n++) {
        bnd_scan *scan = NULL;
        const int64_t living = allocations_living();
        allocations_fail(n, false);
        status = bnd_scan_new_of_array(&scan, "x", e.codes, e.format, e.shape, 2, candidates, CANDIDATES, NULL, NULL);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_EQUAL(scan != NULL, status == BND_OK);
        bnd_scan_free(scan);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    CU_ASSERT_TRUE(n > 10);
    example_free(&e);
}
#endif

CU_TestInfo result_tests[] = {
    {"a checkpoint", test_a_checkpoint},
    {"what is asked", test_what_is_asked},
    {"choices", test_choices},
    {"nothing scanned", test_nothing_scanned},
    {"the watch", test_watch},
#ifdef BND_WITH_WRAP
    {"no memory", test_no_memory},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
