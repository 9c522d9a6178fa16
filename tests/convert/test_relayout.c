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

enum { ROWS = 32, COLUMNS = 64, PARTS = 4, MOST = 4, NAME_SIZE = 640 };

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
    char names[MOST * PARTS][NAME_SIZE], path[PATH_SIZE];
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

/* Numbers without a reciprocal, which no engine could use. */
static void no_reciprocals(void)
{
    static const float numbers[] = {0, -0.5f, INFINITY, NAN, 1e-40f};
    static const char *const words[][2] = {{"m.0.input_scale is 0 and", "m.0.input_global_scale is 0 and"},
                                           {"input_scale is -0.5 and", "input_global_scale is -0.5 and"},
                                           {"input_scale is inf and", "input_global_scale is inf and"},
                                           {"input_scale is ", "input_global_scale is "},
                                           {"input_scale is 9.99995e-41 and", "input_global_scale is 9.99995e-41 and"}};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int divides = 0; divides < 2; divides++) {
            const scaled_weight weight = {"m.0", true, numbers[i]};
            open_folder();
            bnd_checkpoint_free(make_scaled("in.safetensors", divides != 0, &weight, 1));
            refuse("in.safetensors", "out.safetensors", divides != 0 ? "modelopt" : "compressed-tensors",
                   BND_BAD_ARGUMENT, words[i][divides]);
            CU_ASSERT_NOT_EQUAL(access(in_folder(path, "out.safetensors"), F_OK), 0);
            close_folder();
        }
    }
}

/* ---- what configs say ---- */

static bnd_checkpoint *relaid(const char *from, const char *to, const char *layout)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_relayout_result result;
    bnd_checkpoint *in = open_made(from);
    const bnd_relayout how = {.layout = layout};
    if (bnd_checkpoint_relayout(&result, in, in_folder(path, to), &how, false, &why) != BND_OK) {
        printf("    %s to %s: %s\n", from, to, why.message);
    }
    bnd_checkpoint_free(in);
    return open_made(to);
}

static bool says(const bnd_checkpoint *c, const char *file, const char *words)
{
    const char *text = bnd_checkpoint_text(c, file, NULL);
    return text != NULL && strstr(text, words) != NULL;
}

/* ---- originals ---- */

/* Numbers whose reciprocals do not come back are kept under the names of their tensors, however long these are: going
 * back gives the same bytes. Both names are the same but for their ends. */
static void originals_of_long_names(void)
{
    char modules[2][NAME_SIZE];
    const float moves = number_that(false), other = nextafterf(1, 0) * moves;
    for (size_t length = 8; length < 600; length += 148) {
        for (size_t i = 0; i < 2; i++) {
            memset(modules[i], 'n', length);
            snprintf(modules[i] + length, 8, ".%zu", i);
        }
        const scaled_weight weights[] = {{modules[0], true, moves}, {modules[1], true, other}};
        open_folder();
        bnd_checkpoint *in = make_scaled("in.safetensors", false, weights, 2);
        bnd_checkpoint_free(relaid("in.safetensors", "ct.safetensors", "compressed-tensors"));
        bnd_checkpoint *back = relaid("ct.safetensors", "back.safetensors", "modelopt");
        CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_count(back), bnd_checkpoint_count(in));
        for (size_t i = 0; i < bnd_checkpoint_count(in); i++) {
            const bnd_stored_tensor *a = bnd_checkpoint_at(in, i), *b = bnd_checkpoint_at(back, i);
            CU_ASSERT_STRING_EQUAL(a->name, b->name);
            CU_ASSERT_TRUE(a->size == b->size && memcmp(a->data, b->data, (size_t)a->size) == 0);
        }
        bnd_checkpoint_free(in);
        bnd_checkpoint_free(back);
        close_folder();
    }
}

/* Puts other words into a text of a folder. */
static void replace_in(const char *file, const char *words, const char *others)
{
    char path[PATH_SIZE], out[1 << 14];
    size_t length;
    char *text = read_file(&length, in_folder(path, file)), *at = strstr(text, words);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, others, at + strlen(words));
    write_file(path, out, strlen(out));
    free(text);
}

#define KV_OF_CT                                                                                                       \
    "\"kv_cache_scheme\": {\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"tensor\", \"dynamic\": false}"
#define KV_OF_MODELOPT "\"kv_cache_scheme\": {\"dynamic\": false, \"num_bits\": 8, \"type\": \"float\"}"
#define METHOD         "\"quant_method\": \"modelopt\""
#define NO_KV          "\"kv_cache_scheme\": null"
#define HF             "hf_quant_config.json"

/* A model in NVFP4 with scales of the KV cache, of which its config does not speak. */
static void make_with_kv(const char *name, const char *layout)
{
    static const made_weight weights[] = {{"model.layers.0.self_attn.q_proj.weight", "BF16", 32, 64, 1},
                                          {"model.layers.0.self_attn.k_proj.weight", "BF16", 32, 64, 1},
                                          {"model.layers.0.self_attn.v_proj.weight", "BF16", 32, 64, 1},
                                          {"model.layers.0.self_attn.k_proj.k_scale", "F32", 0, 1, 0.05},
                                          {"model.layers.0.self_attn.v_proj.v_scale", "F32", 0, 1, 0.05}};
    make_model("plain", weights, sizeof weights / sizeof *weights, config);
    bnd_checkpoint_free(quantize_named("plain", name, &(bnd_quantize){.to = "nvfp4", .layout = layout}));
}

static void the_kv_cache_of_modelopt(void)
{
    open_folder();
    make_with_kv("mo", "modelopt");
    bnd_checkpoint *ct = relaid("mo", "ct", "compressed-tensors");
    CU_ASSERT_TRUE(says(ct, "config.json", NO_KV));
    bnd_checkpoint_free(ct);
    replace_in("mo/config.json", METHOD, KV_OF_MODELOPT ", " METHOD);
    replace_in("mo/" HF, "\"kv_cache_quant_algo\": null", "\"kv_cache_quant_algo\": \"FP8\"");
    ct = relaid("mo", "ct-kv", "compressed-tensors");
    CU_ASSERT_FALSE(says(ct, "config.json", NO_KV));
    CU_ASSERT_TRUE(says(ct, "config.json", "\"kv_cache_scheme\": {"));
    CU_ASSERT_TRUE(says(ct, "config.json", "\"strategy\": \"tensor\""));
    bnd_checkpoint *mo = open_made("mo"), *back = relaid("ct-kv", "back", "modelopt");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_text(back, "config.json", NULL),
                           bnd_checkpoint_text(mo, "config.json", NULL));
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_text(back, HF, NULL), bnd_checkpoint_text(mo, HF, NULL));
    bnd_checkpoint *e4m3 = quantize_named("mo", "e4m3", &(bnd_quantize){.to = "e4m3"});
    CU_ASSERT_FALSE(says(e4m3, "config.json", NO_KV));
    bnd_checkpoint_free(e4m3);
    bnd_checkpoint_free(back);
    bnd_checkpoint_free(mo);
    bnd_checkpoint_free(ct);
    replace_in("mo/config.json", KV_OF_MODELOPT, "\"kv_cache_scheme\": \"FP8\""); /* as older files have it */
    ct = relaid("mo", "ct-word", "compressed-tensors");
    CU_ASSERT_FALSE(says(ct, "config.json", NO_KV));
    bnd_checkpoint_free(ct);
    replace_in("mo/" HF, "\"kv_cache_quant_algo\": \"FP8\"", "\"kv_cache_quant_algo\": \"NVFP4\"");
    refuse("mo", "ct-4", "compressed-tensors", BND_BAD_ARGUMENT, "says that the KV cache is quantized");
    close_folder();
}

static void the_kv_cache_of_compressed_tensors(void)
{
    open_folder();
    make_with_kv("ct", "compressed-tensors");
    bnd_checkpoint *mo = relaid("ct", "mo", "modelopt");
    CU_ASSERT_FALSE(says(mo, "config.json", "kv_cache_scheme"));
    CU_ASSERT_TRUE(says(mo, HF, "\"kv_cache_quant_algo\": null"));
    bnd_checkpoint_free(mo);
    replace_in("ct/config.json", NO_KV, KV_OF_CT);
    mo = relaid("ct", "mo-kv", "modelopt");
    CU_ASSERT_TRUE(says(mo, "config.json", "\"kv_cache_scheme\": {"));
    CU_ASSERT_TRUE(says(mo, HF, "\"kv_cache_quant_algo\": \"FP8\""));
    bnd_checkpoint_free(mo);
    replace_in("ct/config.json", "\"strategy\": \"tensor\", \"dynamic\"", "\"strategy\": \"attn_head\", \"dynamic\"");
    refuse("ct", "mo-head", "modelopt", BND_BAD_ARGUMENT, "says that the KV cache is quantized");
    close_folder();
}

/* Configs list the output head as ignored unless it is quantized itself. */
static void the_output_head(void)
{
    static const char *const head[] = {"lm_head"};
    static const struct {
        const char *to, *layout, *other;
    } cases[] = {{"nvfp4", "compressed-tensors", "modelopt"},
                 {"nvfp4", "modelopt", "compressed-tensors"},
                 {"e4m3", "modelopt", "compressed-tensors"},
                 {"e4m3/tile:128x128", "fp8", "compressed-tensors"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 2; k++) {
            open_folder();
            make_model("in", small_model, small_model_count, config);
            const bnd_quantize how = {.to = cases[i].to, .layout = cases[i].layout, .also = head, .alsos = k};
            bnd_checkpoint *a = quantize_named("in", "a", &how), *b = relaid("a", "b", cases[i].other);
            bnd_checkpoint *const both[] = {a, b};
            for (size_t n = 0; n < 2; n++) {
                const bnd_stored_weight *w = bnd_checkpoint_find_weight(both[n], "lm_head.weight");
                CU_ASSERT_TRUE(w != NULL && (w->layout != NULL) == (k == 1));
                CU_ASSERT_EQUAL(says(both[n], "config.json", "\"lm_head\""), k == 0);
                CU_ASSERT_TRUE(bnd_checkpoint_text(both[n], HF, NULL) == NULL ||
                               says(both[n], HF, "\"lm_head\"") == (k == 0));
            }
            bnd_checkpoint_free(a);
            bnd_checkpoint_free(b);
            close_folder();
        }
    }
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
    const bnd_relayout how = {.layout = "modelopt", .watch = {.at = look, .state = &during}};
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
typedef struct relaying {
    bnd_checkpoint *in;
    const char *layout, *to;
    bnd_relayout_result result, before;
} relaying;

static bnd_status relay(void *state, bnd_error *why)
{
    relaying *r = state;
    char path[PATH_SIZE];
    memcpy(&r->result, &r->before, sizeof r->result);
    return bnd_checkpoint_relayout(&r->result, r->in, in_folder(path, r->to), &(bnd_relayout){.layout = r->layout},
                                   false, why);
}

static void relayed(void *state, bnd_status status)
{
    const relaying *r = state;
    char path[PATH_SIZE];
    CU_ASSERT_EQUAL(access(in_folder(path, r->to), F_OK) == 0, status == BND_OK);
    CU_ASSERT_TRUE(status == BND_OK || memcmp(&r->result, &r->before, sizeof r->result) == 0);
}

static void run_out(const char *from, const char *layout, const char *to, bool for_good)
{
    relaying r = {.in = open_made(from), .layout = layout, .to = to};
    memset(&r.before, 0x5a, sizeof r.before);
    allocations_fail_in_turn(&(failing_work){relay, relayed, &r, for_good, 21});
    bnd_checkpoint_free(r.in);
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
#endif

CU_TestInfo relayout_tests[] = {{"input scales are compared", input_scales_are_compared},
                                {"what is no scale equals nothing", what_is_no_scale_equals_nothing},
                                {"weights are found by name", weights_are_found_by_name},
                                {"the input is not the output", the_input_is_not_the_output},
                                {"refusals leave nothing", refusals_leave_nothing},
                                {"no reciprocals", no_reciprocals},
                                {"originals of long names", originals_of_long_names},
                                {"the KV cache of ModelOpt", the_kv_cache_of_modelopt},
                                {"the KV cache of compressed-tensors", the_kv_cache_of_compressed_tensors},
                                {"the output head", the_output_head},
                                {"all of the input is expected", all_of_the_input_is_expected},
                                MEMORY_MAY_RUN_OUT(memory_may_run_out),
                                CU_TEST_INFO_NULL};
