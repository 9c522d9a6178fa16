/* What is told of a relayout: how each tensor changed. The expected changes follow from the names, shapes and dtypes
 * that ModelOpt and compressed-tensors have for NVFP4. */
#include "convert.h"

#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <string.h>

enum { QUANTIZED = 11 }; /* linear layers of small_model */

#define BIT(name) (1u << BND_RELAID_##name)

/* NVFP4 of ModelOpt, and of compressed-tensors with the same codes. */
static void make_both(bnd_checkpoint **in, bnd_checkpoint **out)
{
    char path[PATH_SIZE];
    bnd_relayout_result result;
    make_model("in", small_model, small_model_count, "{}\n");
    *in = quantize_named("in", "mo", &(bnd_quantize){.to = "nvfp4", .layout = "modelopt"});
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_relayout(&result, *in, in_folder(path, "ct"),
                                                  &(bnd_relayout){.layout = "compressed-tensors"}, false, NULL),
                          BND_OK);
    *out = open_made("ct");
}

static float number_of(const bnd_stored_tensor *t)
{
    float x;
    memcpy(&x, t->data, sizeof x);
    return x;
}

static void check_reciprocal(const bnd_relaid_tensor *t)
{
    const volatile float of_from = 1 / number_of(t->from), of_to = 1 / number_of(t->to);
    CU_ASSERT_TRUE(t->is_reciprocal);
    CU_ASSERT_EQUAL(t->number_from, number_of(t->from));
    CU_ASSERT_EQUAL(t->number_to, of_from);
    CU_ASSERT_EQUAL(t->number_back, of_to);
    CU_ASSERT_EQUAL(t->ulps, of_to == number_of(t->from) ? 0 : 1);
}

static void each_tensor_has_its_changes(void)
{
    bnd_checkpoint *in, *out;
    bnd_relayout_changes *changes;
    size_t seen[BND_PART_COUNT] = {0};
    open_folder();
    make_both(&in, &out);
    CU_ASSERT_EQUAL_FATAL(bnd_relayout_changes_new(&changes, in, out, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_relayout_changes_count(changes), 3 * QUANTIZED);
    CU_ASSERT_PTR_NULL(bnd_relayout_changes_at(changes, 3 * QUANTIZED));
    for (size_t i = 0; i < bnd_relayout_changes_count(changes); i++) {
        const bnd_relaid_tensor *t = bnd_relayout_changes_at(changes, i);
        const unsigned expected[BND_PART_COUNT] = {
            [BND_PART_CODES] = BIT(RENAMED), [BND_PART_SECOND] = BIT(RENAMED) | BIT(RESHAPED) | BIT(INVERTED)};
        CU_ASSERT_EQUAL(t->changes, expected[t->part]);
        CU_ASSERT_PTR_EQUAL(t->from, bnd_checkpoint_find_weight(in, t->weight->name)->parts[t->part]);
        CU_ASSERT_PTR_EQUAL(t->to, bnd_checkpoint_find_weight(out, t->weight->name)->parts[t->part]);
        seen[t->part]++;
        if (t->part == BND_PART_SECOND) {
            check_reciprocal(t);
        } else {
            CU_ASSERT_FALSE(t->is_reciprocal);
        }
    }
    CU_ASSERT_TRUE(seen[BND_PART_CODES] == QUANTIZED && seen[BND_PART_SCALES] == QUANTIZED);
    CU_ASSERT_EQUAL(seen[BND_PART_SECOND], QUANTIZED);
    static const size_t counts[BND_RELAID_CHANGES + 1] = {[BND_RELAID_RENAMED] = 2 * QUANTIZED,
                                                          [BND_RELAID_RESHAPED] = QUANTIZED,
                                                          [BND_RELAID_INVERTED] = QUANTIZED,
                                                          [BND_RELAID_CHANGES] = QUANTIZED};
    for (unsigned c = 0; c <= BND_RELAID_CHANGES; c++) {
        CU_ASSERT_EQUAL(bnd_relayout_changes_with(changes, (bnd_relaid_change)c), counts[c]);
    }
    bnd_relayout_changes_free(changes);
    bnd_checkpoint_free(out);
    bnd_checkpoint_free(in);
    close_folder();
}

/* Against itself nothing changed; against the unquantized model there is nothing to compare. */
static void nothing_changed(void)
{
    bnd_checkpoint *in, *out;
    bnd_relayout_changes *changes;
    open_folder();
    make_both(&in, &out);
    bnd_checkpoint *plain = open_made("in"), *const others[] = {in, plain};
    const size_t counts[] = {3 * QUANTIZED, 0};
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_relayout_changes_new(&changes, in, others[i], NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_relayout_changes_count(changes), counts[i]);
        CU_ASSERT_EQUAL(bnd_relayout_changes_with(changes, BND_RELAID_CHANGES), counts[i]);
        bnd_relayout_changes_free(changes);
    }
    bnd_checkpoint_free(plain);
    bnd_checkpoint_free(out);
    bnd_checkpoint_free(in);
    close_folder();
}

static void metadata_are_kept(void)
{
    bnd_checkpoint *in, *out;
    open_folder();
    make_both(&in, &out);
    const bnd_safetensors_pair *first = bnd_relayout_kept_at(out, 0), *pair;
    size_t kept = 0, from = 0;
    for (size_t i = 0; (pair = bnd_relayout_kept_at(out, i)) != NULL; i++) {
        CU_ASSERT_EQUAL(strncmp(pair->key, "binade.relayout.", 16), 0);
        CU_ASSERT_STRING_EQUAL(pair->value, bnd_checkpoint_metadata(out, pair->key));
        from += strcmp(pair->key, "binade.relayout.from") == 0;
        kept++;
    }
    CU_ASSERT_TRUE(first != NULL && kept > 1 && from == 1);
    CU_ASSERT_PTR_NULL(bnd_relayout_kept_at(in, 0));
    bnd_checkpoint_free(out);
    bnd_checkpoint_free(in);
    close_folder();
}

static void files_are_counted(void)
{
    bnd_checkpoint *in, *out;
    uint64_t bytes = 1, all = 0;
    open_folder();
    make_both(&in, &out);
    for (size_t i = 0; i < bnd_checkpoint_count(in); i++) {
        all += bnd_checkpoint_at(in, i)->size;
    }
    CU_ASSERT_EQUAL(bnd_checkpoint_files(in), 1);
    CU_ASSERT_EQUAL(bnd_checkpoint_file_tensors(&bytes, in, 0), bnd_checkpoint_count(in));
    CU_ASSERT_EQUAL(bytes, all);
    CU_ASSERT_EQUAL(bnd_checkpoint_file_tensors(&bytes, in, 1), 0);
    CU_ASSERT_EQUAL(bytes, 0);
    bnd_checkpoint_free(out);
    bnd_checkpoint_free(in);
    close_folder();
}

static void names_of_changes(void)
{
    CU_ASSERT_STRING_EQUAL(bnd_relaid_change_name(BND_RELAID_RENAMED), "renamed");
    CU_ASSERT_STRING_EQUAL(bnd_relaid_change_name(BND_RELAID_INVERTED), "inverted");
    CU_ASSERT_STRING_EQUAL(bnd_relaid_change_name(BND_RELAID_CHANGES), "");
}

#ifdef BND_WITH_WRAP
typedef struct changing {
    bnd_checkpoint *in, *out;
    bnd_relayout_changes *made;
} changing;

static bnd_status change(void *state, bnd_error *why)
{
    changing *c = state;
    c->made = NULL;
    return bnd_relayout_changes_new(&c->made, c->in, c->out, why);
}

static void changed(void *state, bnd_status status)
{
    changing *c = state;
    CU_ASSERT_EQUAL(c->made != NULL, status == BND_OK);
    bnd_relayout_changes_free(c->made);
}

static void memory_may_run_out(void)
{
    changing c;
    open_folder();
    make_both(&c.in, &c.out);
    allocations_fail_in_turn(&(failing_work){change, changed, &c, true, 1});
    bnd_checkpoint_free(c.out);
    bnd_checkpoint_free(c.in);
    close_folder();
}
#endif

CU_TestInfo change_tests[] = {{"each tensor has its changes", each_tensor_has_its_changes},
                              {"nothing changed", nothing_changed},
                              {"metadata are kept", metadata_are_kept},
                              {"files are counted", files_are_counted},
                              {"names of changes", names_of_changes},
                              MEMORY_MAY_RUN_OUT(memory_may_run_out),
                              CU_TEST_INFO_NULL};
