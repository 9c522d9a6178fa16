/* Outputs of quantize: the same bytes on any number of threads, random bits, what is copied, what is refused. */
#include "convert.h"

#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char config[] = "{\n  \"torch_dtype\": \"bfloat16\"\n}\n";

/* Wide enough for several pieces of each weight. */
static const made_weight wide_model[] = {
    {"m.0.q_proj.weight", "BF16", 700, 1000, 1},
    {"m.0.k_proj.weight", "F32", 300, 992, 2},
    {"m.0.down_proj.weight", "F16", 513, 512, 0.1},
    {"m.norm.weight", "BF16", 0, 70000, 1},
};
enum { WIDE = sizeof wide_model / sizeof *wide_model };

/* Are all tensors of both the same bytes? */
static bool are_same(const bnd_checkpoint *a, const bnd_checkpoint *b)
{
    bool same = bnd_checkpoint_count(a) == bnd_checkpoint_count(b);
    for (size_t i = 0; same && i < bnd_checkpoint_count(a); i++) {
        const bnd_stored_tensor *x = bnd_checkpoint_at(a, i), *y = bnd_checkpoint_find(b, x->name);
        same = y != NULL && x->size == y->size && memcmp(x->data, y->data, x->size) == 0;
    }
    return same;
}

static void threads_change_nothing(void)
{
    static const char *const keep[] = {"*q_proj*", "*k_proj*"};
    static const bnd_quantize hows[] = {{.to = "e4m3"},
                                        {.to = "e4m3", .layout = "fp8"},
                                        {.to = "e4m3", .layout = "fp8-block"},
                                        {.to = "mxfp8", .keep = keep, .keeps = 2},
                                        {.to = "nvfp4", .keep = keep, .keeps = 2},
                                        {.to = "fp16"},
                                        {.to = "e4m3", .rounding = {.rounding = BND_ROUND_SR}, .seed = 9}};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        open_folder();
        make_model("in", wide_model, WIDE, config);
        bnd_checkpoint *out[3];
        static const char *const names[] = {"one", "two", "five"};
        static const uint32_t threads[] = {1, 2, 5};
        for (size_t k = 0; k < 3; k++) {
            bnd_context context = {.threads = threads[k]};
            bnd_quantize how = hows[i];
            how.context = &context;
            out[k] = quantize_named("in", names[k], &how);
        }
        CU_ASSERT_TRUE(are_same(out[0], out[1]));
        CU_ASSERT_TRUE(are_same(out[0], out[2]));
        for (size_t k = 0; k < 3; k++) {
            bnd_checkpoint_free(out[k]);
        }
        close_folder();
    }
}

static void random_bits_follow_the_seed(void)
{
    open_folder();
    make_model("in", wide_model, WIDE, config);
    bnd_quantize how = {.to = "e4m3", .rounding = {.rounding = BND_ROUND_SR}, .seed = 1};
    bnd_checkpoint *a = quantize_named("in", "a", &how), *b = quantize_named("in", "b", &how);
    how.seed = 2;
    bnd_checkpoint *c = quantize_named("in", "c", &how);
    CU_ASSERT_TRUE(are_same(a, b));
    CU_ASSERT_FALSE(are_same(a, c));
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(c, "binade.seed"), "2");
    bnd_checkpoint_free(a);
    bnd_checkpoint_free(b);
    bnd_checkpoint_free(c);
    close_folder();
}

/* A quantized checkpoint, dequantized to fp32: the values of its codes; config.json is that of the input. */
static void there_and_back(void)
{
    static const bnd_quantize hows[] = {{.to = "e4m3"},
                                        {.to = "nvfp4"},
                                        {.to = "nvfp4", .layout = "modelopt"},
                                        {.to = "mxfp4"},
                                        {.to = "mxfp8", .layout = "modelopt"},
                                        {.to = "e4m3", .layout = "fp8"},
                                        {.to = "e4m3", .layout = "fp8-block"},
                                        {.to = "int8"}};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        open_folder();
        make_model("in", small_model, small_model_count, config);
        bnd_checkpoint *quantized = quantize_named("in", "out", &hows[i]);
        bnd_checkpoint *back = quantize_named("out", "back", &(bnd_quantize){.to = "fp32"});
        bnd_checkpoint *in = open_made("in");
        CU_ASSERT_EQUAL(bnd_checkpoint_weights(back), small_model_count);
        for (size_t k = 0; k < small_model_count; k++) {
            size_t n, m;
            float *x = values_of(quantized, small_model[k].name, &n), *y = values_of(back, small_model[k].name, &m);
            CU_ASSERT_EQUAL_FATAL(n, m);
            CU_ASSERT_EQUAL(memcmp(x, y, n * sizeof *x), 0);
            free(x);
            free(y);
        }
        size_t length;
        char *text = read_file(&length, in_folder(path, "back/config.json"));
        CU_ASSERT_STRING_EQUAL(text, config);
        free(text);
        bnd_checkpoint_free(in);
        bnd_checkpoint_free(back);
        bnd_checkpoint_free(quantized);
        close_folder();
    }
}

static void files_are_copied(void)
{
    static const char *const copied[] = {"tokenizer.json", "generation_config.json", "modeling.py", "merges.txt"};
    static const char *const left[] = {"pytorch_model.bin", "model.gguf", "recipe.yaml", "hf_quant_config.json"};
    char path[PATH_SIZE], name[64];
    open_folder();
    make_model("in", small_model, small_model_count, config);
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "in/%s", copied[i]);
        write_file(in_folder(path, name), copied[i], strlen(copied[i]));
        snprintf(name, sizeof name, "in/%s", left[i]);
        write_file(in_folder(path, name), "{}", 2);
    }
    bnd_checkpoint *out = quantize_named("in", "out", &(bnd_quantize){.to = "e4m3"});
    for (size_t i = 0; i < 4; i++) {
        size_t length;
        snprintf(name, sizeof name, "out/%s", copied[i]);
        char *text = read_file(&length, in_folder(path, name));
        CU_ASSERT_STRING_EQUAL(text, copied[i]);
        free(text);
        snprintf(name, sizeof name, "out/%s", left[i]);
        CU_ASSERT_NOT_EQUAL(access(in_folder(path, name), F_OK), 0);
    }
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(out, "format"), "pt");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(out, "binade.scale_rule"), "amax");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(out, "binade.scale_format"), "bf16");
    CU_ASSERT_PTR_NULL(bnd_checkpoint_metadata(out, "quantization_config"));
    bnd_checkpoint_free(out);
    out = quantize_named("in", "one.safetensors", &(bnd_quantize){.to = "e4m3"});
    CU_ASSERT_PTR_NOT_NULL(bnd_checkpoint_metadata(out, "quantization_config"));
    bnd_checkpoint_free(out);
    close_folder();
}

static void refuse_run(const bnd_quantize *how, const char *to, bnd_status status, const char *words)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_checkpoint *in = open_made("in");
    bnd_quantize_plan *plan = plan_of(in, how);
    bnd_status got = bnd_checkpoint_quantize(plan, in_folder(path, to), false, NULL, &why);
    if (got != status || strstr(why.message, words) == NULL) {
        printf("    expected '%s', got '%s'\n", words, why.message);
    }
    CU_ASSERT_EQUAL(got, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, words));
    bnd_quantize_plan_free(plan);
    bnd_checkpoint_free(in);
}

static void the_input_is_not_the_output(void)
{
    open_folder();
    make_model("in", small_model, small_model_count, config);
    bnd_quantize how = {.to = "e4m3"};
    refuse_run(&how, "in", BND_BAD_ARGUMENT, "is the input");
    refuse_run(&how, "in/model.safetensors", BND_BAD_ARGUMENT, "is the input");
    close_folder();
}

/* The bf16 word at an element of the first weight of wide_model. */
static void spoil(size_t element, unsigned high, unsigned low)
{
    char path[PATH_SIZE];
    bnd_checkpoint *in = open_made("in");
    const bnd_stored_tensor *first = bnd_checkpoint_at(in, 0);
    const bnd_stored_tensor *t = bnd_checkpoint_find(in, "m.0.q_proj.weight");
    size_t before = (size_t)(t->data - first->data) + 2 * element;
    uint64_t all = bnd_checkpoint_file_size(in, 0), data = 0;
    for (size_t i = 0; i < bnd_checkpoint_count(in); i++) {
        data += bnd_checkpoint_at(in, i)->size;
    }
    bnd_checkpoint_free(in);
    FILE *file = fopen(in_folder(path, "in/model.safetensors"), "r+b");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fseek(file, (long)(all - data + before), SEEK_SET), 0);
    CU_ASSERT_TRUE(fputc((int)low, file) != EOF && fputc((int)high, file) != EOF);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

static void nonfinite_numbers_are_named(void)
{
    char path[PATH_SIZE];
    bnd_quantize hows[] = {
        {.to = "e4m3"}, {.to = "e4m3", .layout = "fp8"}, {.to = "e4m3", .layout = "fp8-block"}, {.to = "fp16"}};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        open_folder();
        make_model("in", wide_model, WIDE, config);
        spoil(412345, 0x7f, 0xc0);
        spoil(112345, 0xff, 0x80);
        for (uint32_t threads = 1; threads < 4; threads++) {
            bnd_context context = {.threads = threads};
            hows[i].context = &context;
            refuse_run(&hows[i], "out", BND_BAD_ARGUMENT, "m.0.q_proj.weight is infinite at row 112, column 345");
            CU_ASSERT_NOT_EQUAL(access(in_folder(path, "out"), F_OK), 0);
        }
        hows[i].allow_nonfinite = true;
        hows[i].context = NULL;
        bnd_checkpoint_free(quantize_named("in", "out", &hows[i]));
        close_folder();
    }
}

/* A finite number that a format has no room for is named, too, unless infinities are allowed. */
static void overflow_is_named(void)
{
    static const made_weight large[] = {{"m.0.q_proj.weight", "F32", 300, 1000, 1},
                                        {"m.0.o_proj.weight", "F32", 1, 8, 1e7}};
    char path[PATH_SIZE];
    bnd_quantize how = {.to = "fp16"};
    open_folder();
    make_model("in", large, 2, config);
    refuse_run(&how, "out", BND_BAD_ARGUMENT, ", which overflows to infinity in fp16; set allow_nonfinite");
    CU_ASSERT_NOT_EQUAL(access(in_folder(path, "out"), F_OK), 0);
    how.to = "bf16"; /* it has room */
    bnd_checkpoint_free(quantize_named("in", "bf16", &how));
    how.to = "fp16";
    how.allow_nonfinite = true;
    bnd_checkpoint_free(quantize_named("in", "out", &how));
    how = (bnd_quantize){.to = "fp16", .rounding = {.rounding = BND_ROUND_RTZ}}; /* the largest number, no infinity */
    bnd_checkpoint_free(quantize_named("in", "toward-zero", &how));
    close_folder();
}

static bool stop_at_once(void *state, uint64_t done, uint64_t total)
{
    (void)state;
    CU_ASSERT_TRUE(done <= total);
    return false;
}

static void work_can_be_stopped(void)
{
    char path[PATH_SIZE];
    open_folder();
    make_model("in", wide_model, WIDE, config);
    bnd_checkpoint *in = open_made("in");
    bnd_quantize_plan *plan = plan_of(in, &(bnd_quantize){.to = "e4m3"});
    bnd_watch watch = {.at = stop_at_once};
    CU_ASSERT_EQUAL(bnd_checkpoint_quantize(plan, in_folder(path, "out"), false, &watch, NULL), BND_BAD_STREAM);
    CU_ASSERT_NOT_EQUAL(access(in_folder(path, "out"), F_OK), 0);
    bnd_quantize_plan_free(plan);
    bnd_checkpoint_free(in);
    close_folder();
}

#ifdef BND_WITH_WRAP
typedef struct quantizing {
    bnd_checkpoint *in;
    const bnd_quantize *how;
    bnd_quantize_plan *plan;
} quantizing;

static bnd_status quantize(void *state, bnd_error *why)
{
    quantizing *q = state;
    char path[PATH_SIZE];
    const bnd_status status = bnd_quantize_plan_new(&q->plan, q->in, q->how, why);
    return status == BND_OK ? bnd_checkpoint_quantize(q->plan, in_folder(path, "out"), false, NULL, why) : status;
}

static void quantized(void *state, bnd_status status)
{
    quantizing *q = state;
    char path[PATH_SIZE];
    bnd_quantize_plan_free(q->plan);
    q->plan = NULL;
    CU_ASSERT_EQUAL(access(in_folder(path, "out"), F_OK) == 0, status == BND_OK);
}

/* One allocation after another fails: a message, nothing lost, nothing left. */
static void memory_may_run_out(void)
{
    static const bnd_quantize hows[] = {{.to = "nvfp4", .layout = "modelopt"}, {.to = "e4m3"}, {.to = "fp32"}};
    static const char *const names[] = {"a", "b", "c"};
    char path[PATH_SIZE], kept[PATH_SIZE];
    open_folder();
    make_model("in", small_model, small_model_count, config);
    quantizing q = {.in = open_made("in")};
    for (size_t i = 0; i < 3; i++) {
        q.how = &hows[i];
        allocations_fail_in_turn(&(failing_work){quantize, quantized, &q, true, 21});
        bnd_checkpoint *out = open_made("out");
        CU_ASSERT_PTR_NOT_NULL(bnd_checkpoint_metadata(out, "binade.to"));
        bnd_checkpoint_free(out);
        CU_ASSERT_EQUAL(rename(in_folder(path, "out"), in_folder(kept, names[i])), 0);
    }
    bnd_checkpoint_free(q.in);
    close_folder();
}
#endif

CU_TestInfo run_tests[] = {{"threads change nothing", threads_change_nothing},
                           {"random bits follow the seed", random_bits_follow_the_seed},
                           {"there and back", there_and_back},
                           {"files are copied", files_are_copied},
                           {"the input is not the output", the_input_is_not_the_output},
                           {"NaN and infinity are named", nonfinite_numbers_are_named},
                           {"overflow is named", overflow_is_named},
                           {"work can be stopped", work_can_be_stopped},
                           MEMORY_MAY_RUN_OUT(memory_may_run_out),
                           CU_TEST_INFO_NULL};
