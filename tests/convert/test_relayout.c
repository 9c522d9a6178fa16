/* relayout: input scales that are compared, what is refused, what is expected of the disk, memory that runs out. */
#include "convert.h"

#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char config[] = "{\n  \"torch_dtype\": \"bfloat16\"\n}\n";

/* ---- input scales ---- */

enum { ROWS = 32, COLUMNS = 64, PARTS = 4, MOST = 4 };

/* A weight in NVFP4. */
typedef struct scaled_weight {
    const char *module;
    bool exists; /* the input scale */
    float scale; /* as it is stored: a factor or a divisor */
} scaled_weight;

static const char *const suffixes[2][PARTS] = {
    {"weight", "weight_scale", "weight_scale_2", "input_scale"},
    {"weight_packed", "weight_scale", "weight_global_scale", "input_global_scale"},
};

/* A checkpoint in one file: NVFP4 of ModelOpt, or of compressed-tensors, whose scales of tensors are divisors. */
static bnd_checkpoint *make_scaled(const char *name, bool divides, const scaled_weight *weights, size_t count)
{
    static const char *const dtypes[PARTS] = {"U8", "F8_E4M3", "F32", "F32"};
    static const uint64_t shapes[PARTS][2] = {{ROWS, COLUMNS / 2}, {ROWS, COLUMNS / 16}, {1, 0}, {1, 0}};
    static const unsigned char codes[ROWS * COLUMNS / 2];
    unsigned char scales[ROWS * COLUMNS / 16];
    const float one = 1;
    bnd_safetensor entries[MOST * PARTS];
    char names[MOST * PARTS][64], path[PATH_SIZE];
    size_t n = 0;
    memset(scales, 0x38, sizeof scales);
    for (size_t i = 0; i < count; i++) {
        const void *const data[PARTS] = {codes, scales, &one, &weights[i].scale};
        const size_t sizes[PARTS] = {sizeof codes, sizeof scales, 4, 4};
        for (size_t p = 0; p < PARTS; p++) {
            if (p == 3 && !weights[i].exists) {
                continue;
            }
            snprintf(names[n], sizeof names[n], "%s.%s", weights[i].module, suffixes[divides][p]);
            entries[n] = (bnd_safetensor){.name = names[n],
                                          .dtype = dtypes[p],
                                          .rank = p < 2 ? 2 : divides,
                                          .shape = shapes[p],
                                          .data = data[p],
                                          .size = sizes[p]};
            n++;
        }
    }
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, name), entries, n, NULL, 0, NULL), BND_OK);
    return open_made(name);
}

static void compare(const char *what, bool b_divides, const scaled_weight *a, size_t in_a, const scaled_weight *b,
                    size_t in_b, size_t count, size_t same)
{
    open_folder();
    bnd_checkpoint *x = make_scaled("a.safetensors", false, a, in_a);
    bnd_checkpoint *y = make_scaled("b.safetensors", b_divides, b, in_b);
    size_t found = 99, of = bnd_relayout_compare_inputs(&found, x, y);
    if (of != count || found != same) {
        printf("    %s: %zu of %zu, expected %zu of %zu\n", what, found, of, same, count);
    }
    CU_ASSERT_EQUAL(of, count);
    CU_ASSERT_EQUAL(found, same);
    bnd_checkpoint_free(x);
    bnd_checkpoint_free(y);
    close_folder();
}

static float reciprocal(float x)
{
    const volatile float y = 1 / x;
    return y;
}

/* Numbers from 1e-4 on whose reciprocal's reciprocal is the number itself, or is not. */
static float number_that(bool comes_back)
{
    float x = 1e-4f;
    while ((reciprocal(reciprocal(x)) == x) != comes_back) {
        x = nextafterf(x, 1);
    }
    return x;
}

static void one_scale(const char *what, float a, bool divides, float b, size_t same)
{
    const scaled_weight x = {"m", true, a}, y = {"m", true, b};
    compare(what, divides, &x, 1, &y, 1, 1, same);
}

static void input_scales_are_compared(void)
{
    const float back = number_that(true), moves = number_that(false);
    one_scale("the same factor", 0.3f, false, 0.3f, 1);
    one_scale("a factor one ulp away", 0.3f, false, nextafterf(0.3f, 1), 0);
    one_scale("a divisor that comes back", back, true, reciprocal(back), 1);
    one_scale("a divisor that does not", moves, true, reciprocal(moves), 0);
    one_scale("a divisor one ulp away", back, true, nextafterf(reciprocal(back), 0), 0);
    one_scale("the factor itself, as a divisor", 0.3f, true, 0.3f, 0);
    one_scale("the factor 1, as a divisor", 1, true, 1, 1);
}

static void what_is_no_scale_equals_nothing(void)
{
    one_scale("zeros", 0, false, 0, 0);
    one_scale("negative numbers", -0.5f, false, -0.5f, 0);
    one_scale("a negative divisor", -0.5f, true, -2, 0);
    one_scale("NaN", NAN, false, NAN, 0);
    one_scale("zero and an infinite divisor", 0, true, INFINITY, 0);
    one_scale("infinity and the divisor zero", INFINITY, true, 0, 0);
}

static void weights_are_found_by_name(void)
{
    const scaled_weight a[] = {{"m.0", true, 0.25f}, {"m.1", true, 0.5f}, {"m.2", false, 0}, {"m.3", false, 0}};
    const scaled_weight turned[] = {{"m.3", false, 0}, {"m.1", true, 0.5f}, {"m.0", true, 0.25f}};
    const scaled_weight swapped[] = {{"m.0", true, 0.5f}, {"m.1", true, 0.25f}};
    const scaled_weight other[] = {{"m.0", false, 0}, {"m.2", true, 0.25f}};
    compare("another order", false, a, 4, turned, 3, 2, 2);
    compare("swapped", false, a, 4, swapped, 2, 2, 0);
    compare("on one side only", false, a, 4, other, 2, 3, 0);
    compare("none at all", false, a + 2, 2, turned, 1, 0, 0);
}

/* ---- what is refused ---- */

static void refuse(const char *from, const char *to, const char *layout, bnd_status expected, const char *words)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_relayout_result result, before;
    const bnd_relayout how = {.layout = layout};
    memset(&result, 0x5a, sizeof result);
    memcpy(&before, &result, sizeof result);
    bnd_checkpoint *in = open_made(from);
    const bnd_status status = bnd_checkpoint_relayout(&result, in, in_folder(path, to), &how, false, &why);
    if (status != expected || strstr(why.message, words) == NULL) {
        printf("    expected '%s', got %s '%s'\n", words, bnd_status_name(status), why.message);
    }
    CU_ASSERT_EQUAL(status, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, words));
    CU_ASSERT_EQUAL(memcmp(&result, &before, sizeof result), 0);
    bnd_checkpoint_free(in);
}

static void the_input_is_not_the_output(void)
{
    open_folder();
    make_model("in", small_model, small_model_count, config);
    bnd_checkpoint_free(quantize_named("in", "ct", &(bnd_quantize){.to = "nvfp4"}));
    bnd_checkpoint_free(quantize_named("in", "ct.safetensors", &(bnd_quantize){.to = "nvfp4"}));
    refuse("ct", "ct", "modelopt", BND_BAD_ARGUMENT, "is the input");
    refuse("ct", "ct/model.safetensors", "modelopt", BND_BAD_ARGUMENT, "is the input");
    refuse("ct.safetensors", "ct.safetensors", "modelopt", BND_BAD_ARGUMENT, "is the input");
    close_folder();
}

static void refusals_leave_nothing(void)
{
    static const struct {
        const char *from, *layout, *words;
        bnd_status status;
    } cases[] = {
        {"ct", "compressed-tensors", "is in compressed-tensors/nvfp4 already", BND_BAD_ARGUMENT},
        {"ct", "fp8", "which fp8 has no layout for", BND_BAD_ARGUMENT},
        {"ct", "unknown", "unknown layout 'unknown'", BND_BAD_NAME},
        {"in", "modelopt", "no weight is quantized", BND_BAD_ARGUMENT},
    };
    char path[PATH_SIZE];
    open_folder();
    make_model("in", small_model, small_model_count, config);
    bnd_checkpoint_free(quantize_named("in", "ct", &(bnd_quantize){.to = "nvfp4"}));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuse(cases[i].from, "out", cases[i].layout, cases[i].status, cases[i].words);
        CU_ASSERT_NOT_EQUAL(access(in_folder(path, "out"), F_OK), 0);
    }
    close_folder();
}

/* ---- reading ---- */

typedef struct seen {
    const char *file;
    size_t mapped, in_pages; /* maps of the file; those that the system reads page by page */
} seen;

/* What Linux says of the maps of a file: "rr" among the flags is MADV_RANDOM. */
static void look_at_maps(seen *s)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool ours = false;
    s->mapped = s->in_pages = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "VmFlags:") == line) {
            s->mapped += ours;
            s->in_pages += ours && strstr(line, " rr") != NULL;
        } else if (strchr(line, '/') != NULL) {
            ours = strstr(line, s->file) != NULL;
        } else if (strchr(line, '-') != NULL) {
            ours = false;
        }
    }
    if (maps != NULL) {
        CU_ASSERT_EQUAL(fclose(maps), 0);
    }
}

static bool look(void *state, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    look_at_maps(state);
    return true;
}

/* Everything is read, so the system may read ahead; before the call it reads a page here and there. */
static void all_of_the_input_is_expected(void)
{
    char path[PATH_SIZE];
    open_folder();
    make_model("in", small_model, small_model_count, config);
    bnd_checkpoint *in = quantize_named("in", "ct", &(bnd_quantize){.to = "nvfp4"});
    seen before = {.file = "/ct/model.safetensors"}, during = before;
    bnd_relayout_result result;
    look_at_maps(&before);
    const bnd_relayout how = {.layout = "modelopt", .watch = {look, &during}};
    CU_ASSERT_EQUAL(bnd_checkpoint_relayout(&result, in, in_folder(path, "out"), &how, false, NULL), BND_OK);
    if (before.in_pages > 0) { /* Linux */
        CU_ASSERT_EQUAL(during.mapped, before.mapped);
        CU_ASSERT_EQUAL(during.in_pages, 0);
    }
    bnd_checkpoint_free(in);
    close_folder();
}

/* ---- memory ---- */

#ifdef BND_WITH_WRAP
/* Relays `from` while one allocation after another fails, alone or with all later ones. */
static void run_out(const char *from, const char *layout, const char *to, bool for_good)
{
    char path[PATH_SIZE];
    bnd_checkpoint *in = open_made(from);
    const bnd_relayout how = {.layout = layout};
    bnd_relayout_result result, before;
    bnd_status status = BND_NO_MEMORY;
    uint64_t failures = 0;
    bool reached = true;
    memset(&before, 0x5a, sizeof before);
    for (uint64_t after = 0; reached && after < 5000; after++) {
        const int64_t living = allocations_living();
        const uint64_t first = allocations_asked();
        bnd_error why = {.message = ""};
        memcpy(&result, &before, sizeof result);
        allocations_fail(after, for_good);
        status = bnd_checkpoint_relayout(&result, in, in_folder(path, to), &how, false, &why);
        allocations_fail(UINT64_MAX, false);
        reached = allocations_asked() - first > after;
        failures += status != BND_OK;
        CU_ASSERT_EQUAL(allocations_living(), living);
        CU_ASSERT_EQUAL(access(in_folder(path, to), F_OK) == 0, status == BND_OK);
        if (status != BND_OK) {
            CU_ASSERT_EQUAL(status, BND_NO_MEMORY);
            CU_ASSERT_NOT_EQUAL(why.message[0], '\0');
            CU_ASSERT_EQUAL(memcmp(&result, &before, sizeof result), 0);
        } else if (reached) {
            CU_FAIL("an allocation failed, and the call did not");
        }
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    CU_ASSERT_TRUE(failures > 20);
    bnd_checkpoint_free(in);
}

/* All kinds of work: reciprocals, original numbers, casts, back to the first configs. */
static void memory_may_run_out(void)
{
    const float moves = number_that(false);
    const scaled_weight scaled[] = {{"m.0", true, moves}, {"m.1", true, 0.25f}};
    static const struct {
        const char *from, *layout, *to;
    } ways[] = {{"nvfp4-mo", "compressed-tensors", "nvfp4-ct"},
                {"nvfp4-ct", "modelopt", "nvfp4-back"},
                {"rows-ct", "modelopt", "rows-mo"},
                {"inputs.safetensors", "compressed-tensors", "inputs-ct.safetensors"},
                {"inputs-ct.safetensors", "modelopt", "inputs-back.safetensors"}};
    char path[PATH_SIZE];
    for (int for_good = 0; for_good < 2; for_good++) {
        open_folder();
        make_model("in", small_model, small_model_count, config);
        bnd_checkpoint_free(quantize_named("in", "nvfp4-mo", &(bnd_quantize){.to = "nvfp4", .layout = "modelopt"}));
        bnd_checkpoint_free(quantize_named("in", "rows-ct", &(bnd_quantize){.to = "e4m3"}));
        write_file(in_folder(path, "rows-ct/tokenizer.json"), "tokens", 6);
        bnd_checkpoint_free(make_scaled("inputs.safetensors", false, scaled, 2));
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            run_out(ways[i].from, ways[i].layout, ways[i].to, for_good != 0);
        }
        close_folder();
    }
}
#define MEMORY_MAY_RUN_OUT                                                                                             \
    {                                                                                                                  \
        "memory may run out", memory_may_run_out                                                                       \
    }
#else
#define MEMORY_MAY_RUN_OUT ALLOCATIONS_SKIPPED
#endif

CU_TestInfo relayout_tests[] = {{"input scales are compared", input_scales_are_compared},
                                {"what is no scale equals nothing", what_is_no_scale_equals_nothing},
                                {"weights are found by name", weights_are_found_by_name},
                                {"the input is not the output", the_input_is_not_the_output},
                                {"refusals leave nothing", refusals_leave_nothing},
                                {"all of the input is expected", all_of_the_input_is_expected},
                                MEMORY_MAY_RUN_OUT,
                                CU_TEST_INFO_NULL};
