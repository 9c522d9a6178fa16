/* Each check of a checkpoint on one weight: right, and with one thing changed. The row says which finding the change
 * gives, and the right one gives none. */
#include "tests/support/folder.h"
#include "tests/support/suites.h"

#include <CUnit/CUnit.h>
#include <binade-lab/lint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 6, MOST_BYTES = 4096, MOST_VALUES = 4 };

/* A tensor. `values` are repeated; without any, bytes count up from `byte`, without NaN of e4m3. */
typedef struct tensor {
    const char *name, *dtype;
    size_t rank;
    uint64_t shape[4];
    size_t size;
    unsigned char byte;
    size_t value_count;
    float values[MOST_VALUES];
} tensor;

typedef struct lint_case {
    const char *what, *config, *finds; /* the code; "": none of damage or suspect */
    bnd_severity severity;
    tensor tensors[MOST_TENSORS];
} lint_case;

#define CODES(name, dtype, out, in)                                                                                    \
    {                                                                                                                  \
        name, dtype, 2, {out, in}, (out) * (in), 0x21, 0,                                                              \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define BYTES(name, dtype, out, in, at)                                                                                \
    {                                                                                                                  \
        name, dtype, 2, {out, in}, (out) * (in), at, 0,                                                                \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define SCALAR(name, value)                                                                                            \
    {                                                                                                                  \
        name, "F32", 0, {0}, 4, 0, 1,                                                                                  \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }
#define ONE(name, value)                                                                                               \
    {                                                                                                                  \
        name, "F32", 1, {1}, 4, 0, 1,                                                                                  \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }
#define ROWS(name, out, ...)                                                                                           \
    {                                                                                                                  \
        name, "F32", 2, {out, 1}, 4 * (out), 0, MOST_VALUES,                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define GRID(name, down, across, ...)                                                                                  \
    {                                                                                                                  \
        name, "F32", 2, {down, across}, 4 * (down) * (across), 0, MOST_VALUES,                                         \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define PLAIN(name, out, in)                                                                                           \
    {                                                                                                                  \
        name, "F32", 2, {out, in}, 4 * (out) * (in), 0, 1,                                                             \
        {                                                                                                              \
            0.5F                                                                                                       \
        }                                                                                                              \
    }

#define CONFIG(members) "{\"quantization_config\":{" members "}}"
#define CT(format, weights)                                                                                            \
    CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"" format                                              \
           "\",\"quantization_status\":\"compressed\",\"config_groups\":{\"g\":{\"targets\":[\"Linear\"],\"weights\":" \
           "{" weights "}}},\"ignore\":[]")
#define CT_ROW CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\"")
#define CT_NVFP4                                                                                                       \
    CT("nvfp4-pack-quantized", "\"num_bits\":4,\"type\":\"float\",\"strategy\":\"tensor_group\",\"group_size\":16")
#define FP8       CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\"")
#define FP8_TILES CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"weight_block_size\":[4,4]")
#define UE8M0                                                                                                          \
    CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"weight_block_size\":[4,4],"                   \
           "\"scale_fmt\":\"ue8m0\"")
#define MODELOPT CONFIG("\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\"")

#define ROW_CODES CODES("m.up_proj.weight", "F8_E4M3", 8, 8)
#define GOOD_ROWS ROWS("m.up_proj.weight_scale", 8, 1e-3F, 2e-3F, 1.5e-3F, 3e-3F)
#define NV_CODES  CODES("m.up_proj.weight_packed", "U8", 4, 16)
#define NV_SCALES BYTES("m.up_proj.weight_scale", "F8_E4M3", 4, 2, 0x70)
#define D         BND_SEVERITY_DAMAGE
#define S         BND_SEVERITY_SUSPECT

static const lint_case cases[] = {
    {"fp8 rows", CT_ROW, "", D, {ROW_CODES, GOOD_ROWS}},
    {"nvfp4", CT_NVFP4, "", D, {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000)}},
    {"fp8 of a tensor", FP8, "", D, {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"fp8 of tiles",
     FP8_TILES,
     "",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"powers of two", UE8M0, "", D, {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 0.125F, 0.25F, 0.125F, 0.5F)}},
    {"unquantized", "{}", "", D, {PLAIN("m.up_proj.weight", 4, 4)}},

    {"no scale", FP8, "scale-missing", D, {ROW_CODES}},
    {"another name", FP8, "scale-name", D, {ROW_CODES, SCALAR("m.up_proj.scale_weight", 1e-3F)}},
    {"flat rows",
     CT_ROW,
     "scale-shape",
     D,
     {ROW_CODES, {"m.up_proj.weight_scale", "F32", 1, {8}, 32, 0, 2, {1e-3F, 2e-3F}}}},
    {"another dtype", FP8, "scale-dtype", D, {ROW_CODES, {"m.up_proj.weight_scale", "F16", 0, {0}, 2, 0x21, 0, {0}}}},
    {"a scale without codes",
     CT_ROW,
     "scale-orphan",
     S,
     {ROW_CODES, GOOD_ROWS, PLAIN("n.x.weight", 4, 4), ROWS("n.x.weight_scale", 4, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"NaN", CT_ROW, "scale-nan", D, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, NAN, 1e-3F, 2e-3F)}},
    {"infinity",
     CT_ROW,
     "scale-infinite",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, INFINITY, 1e-3F, 2e-3F)}},
    {"negative",
     CT_ROW,
     "scale-negative",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, -1e-3F, 1e-3F, 2e-3F)}},
    {"all zero", CT_ROW, "scale-zero", D, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 0, 0, 0, 0)}},
    {"one zero", CT_ROW, "scale-zero", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 0, 1e-3F, 1e-3F, 2e-3F)}},
    {"all one", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1, 1, 1, 1)}},
    {"all equal", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, 1e-3F, 1e-3F, 1e-3F)}},
    {"not set", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, 1e-40F, 1e-3F, 2e-3F)}},
    {"reciprocal rows",
     CT_ROW,
     "scale-reciprocal",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 900, 800, 300, 555)}},
    {"perhaps reciprocal", FP8, "scale-reciprocal", S, {ROW_CODES, SCALAR("m.up_proj.weight_scale", 2)}},
    {"a factor for a divisor",
     CT_NVFP4,
     "scale-reciprocal",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 2e-4F)}},
    {"a divisor for a factor",
     MODELOPT,
     "scale-reciprocal",
     D,
     {CODES("m.up_proj.weight", "U8", 4, 16), NV_SCALES, SCALAR("m.up_proj.weight_scale_2", 5000)}},
    {"a small divisor",
     CT_NVFP4,
     "scale-reciprocal",
     S,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5)}},
    {"exponents",
     FP8_TILES,
     "scale-e8m0-as-number",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 120, 119, 121, 118)}},
    {"other than powers of two",
     UE8M0,
     "scale-not-power-of-two",
     S,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 0.125F, 0.3F, 0.125F, 0.5F)}},
    {"a divisor of zero",
     CT_NVFP4,
     "global-scale-zero",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 0)}},
    {"an input scale of zero",
     CT_NVFP4,
     "input-scale-bad",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000), ONE("m.up_proj.input_global_scale", 0)}},
    {"gate and up",
     CT_NVFP4,
     "scale-fused-unequal",
     S,
     {CODES("m.gate_proj.weight_packed", "U8", 4, 16), BYTES("m.gate_proj.weight_scale", "F8_E4M3", 4, 2, 0x70),
      ONE("m.gate_proj.weight_global_scale", 4000), NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000)}},
    {"NaN codes", CT_ROW, "codes-nan", D, {BYTES("m.up_proj.weight", "F8_E4M3", 8, 8, 0x7f), GOOD_ROWS}},
    {"codes of fnuz",
     CT_ROW,
     "fnuz-as-fn",
     D,
     {BYTES("m.up_proj.weight", "F8_E4M3", 8, 8, 0x7f), GOOD_ROWS, BYTES("n.up_proj.weight", "F8_E4M3", 8, 8, 0x7f),
      ROWS("n.up_proj.weight_scale", 8, 1e-3F, 2e-3F, 1.5e-3F, 3e-3F)}},
    {"another width",
     CT("float-quantized", "\"num_bits\":4,\"type\":\"float\",\"strategy\":\"channel\""),
     "codes-width",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"no JSON", "{\"quantization_config\":", "config-bad", D, {ROW_CODES, GOOD_ROWS}},
    {"no config", "{}", "config-absent", D, {ROW_CODES, GOOD_ROWS}},
    {"an unknown key",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\",\"nbits\":8"),
     "config-unknown-key",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"no groups",
     CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\""),
     "config-missing-key",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"an unknown strategy",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"chanel\""),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"a tile without its strategy",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\",\"block_structure\":[4,4]"),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"static tokens",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"token\""),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"tiles with static inputs",
     CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"static\",\"weight_block_size\":[4,4]"),
     "config-value",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"a layer that is not quantized",
     CT_ROW,
     "config-not-applied",
     D,
     {ROW_CODES, GOOD_ROWS, PLAIN("n.up_proj.weight", 4, 4)}},
    {"no layer is quantized", CT_ROW, "config-not-applied", D, {PLAIN("m.up_proj.weight", 4, 4)}},
    {"another algorithm",
     CONFIG("\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\""),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"ignored and quantized",
     CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"modules_to_not_convert\":[\"m.up_proj\"]"),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"tied",
     "{\"tie_word_embeddings\":true,\"quantization_config\":{\"quant_method\":\"fp8\",\"activation_scheme\":"
     "\"dynamic\"}}",
     "lm-head-tied",
     D,
     {CODES("lm_head.weight", "F8_E4M3", 8, 8), SCALAR("lm_head.weight_scale", 1e-3F),
      PLAIN("model.embed_tokens.weight", 8, 8)}},
};

static void fill(unsigned char *out, const tensor *t)
{
    for (size_t i = 0; t->value_count > 0 && 4 * i < t->size; i++) {
        memcpy(out + 4 * i, &t->values[i % t->value_count], 4);
    }
    for (size_t i = 0; t->value_count == 0 && i < t->size; i++) {
        out[i] = t->byte == 0x7f ? (unsigned char)(0x70 + i % 16) : (unsigned char)(t->byte + i % 8);
    }
}

static void put_case(const lint_case *k)
{
    static unsigned char bytes[MOST_TENSORS][MOST_BYTES];
    bnd_safetensor entries[MOST_TENSORS];
    size_t count = 0;
    bnd_error why = {.message = ""};
    for (; count < MOST_TENSORS && k->tensors[count].name != NULL; count++) {
        const tensor *t = &k->tensors[count];
        fill(bytes[count], t);
        entries[count] = (bnd_safetensor){.name = t->name, .dtype = t->dtype, .rank = t->rank, .shape = t->shape};
        entries[count].data = bytes[count];
    }
    char path[PATH_SIZE];
    write_file(in_folder(path, "config.json"), k->config, strlen(k->config));
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, "model.safetensors"), entries, count, NULL, 0, &why),
                          BND_OK);
}

/* ---- the findings ---- */

/* Is the finding there, and nothing else of damage or suspect? The same code may be there several times. */
static bool finds_only(const bnd_lint *lint, const lint_case *k)
{
    bool found = k->finds[0] == '\0', only = true;
    for (size_t i = 0; i < bnd_lint_findings(lint); i++) {
        const bnd_lint_finding *f = bnd_lint_finding_at(lint, i);
        bool same = strcmp(f->check->code, k->finds) == 0;
        found = found || (same && f->severity == k->severity);
        only = only && (same || f->severity == BND_SEVERITY_NOTE);
        if (!same && f->severity != BND_SEVERITY_NOTE) {
            printf("\n  %s: also %s: %s: %s", k->what, f->check->code, f->where, f->message);
        }
    }
    if (!found) {
        printf("\n  %s: %s is not found", k->what, k->finds);
    }
    return found && only;
}

static void test_each_check(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[PATH_SIZE];
        bnd_error why = {.message = ""};
        bnd_lint *lint = NULL;
        open_folder();
        put_case(&cases[i]);
        CU_ASSERT_EQUAL_FATAL(bnd_lint_new(&lint, in_folder(path, ""), NULL, &why), BND_OK);
        CU_ASSERT_TRUE(finds_only(lint, &cases[i]));
        bnd_lint_free(lint);
        close_folder();
    }
}

/* What a finding says is complete, and the counts are those of the findings. */
static void test_summary(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[PATH_SIZE];
        bnd_lint *lint = NULL;
        uint64_t counts[3] = {0}, weights = 0;
        open_folder();
        put_case(&cases[i]);
        CU_ASSERT_EQUAL_FATAL(bnd_lint_new(&lint, in_folder(path, ""), NULL, NULL), BND_OK);
        const bnd_lint_summary *sum = bnd_lint_summary_of(lint);
        for (size_t k = 0; k < bnd_lint_findings(lint); k++) {
            const bnd_lint_finding *f = bnd_lint_finding_at(lint, k), *next = bnd_lint_finding_at(lint, k + 1);
            counts[f->severity]++;
            CU_ASSERT_TRUE(f->where[0] != '\0' && f->message[0] != '\0' && f->check->title[0] != '\0');
            CU_ASSERT_TRUE(next == NULL || next->severity <= f->severity);
        }
        for (size_t k = 0; k < bnd_lint_layouts(lint); k++) {
            weights += bnd_lint_layout_at(lint, k)->weights;
        }
        CU_ASSERT_TRUE(counts[0] == sum->note && counts[1] == sum->suspect && counts[2] == sum->damage);
        CU_ASSERT_TRUE(weights > 0 && weights <= sum->tensors && sum->files == 1 &&
                       sum->scales_read <= sum->scale_bytes);
        CU_ASSERT_PTR_NULL(bnd_lint_layout_at(lint, bnd_lint_layouts(lint)));
        bnd_lint_free(lint);
        close_folder();
    }
}

static void test_refused(void)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_lint *lint = NULL;
    open_folder();
    CU_ASSERT_EQUAL(bnd_lint_new(&lint, in_folder(path, "none"), NULL, &why), BND_BAD_STREAM);
    CU_ASSERT_TRUE(why.message[0] != '\0' && lint == NULL);
    write_file(in_folder(path, "text.safetensors"), "no checkpoint", 13);
    CU_ASSERT_NOT_EQUAL(bnd_lint_new(&lint, path, NULL, &why), BND_OK);
    CU_ASSERT_PTR_NULL(lint);
    bnd_lint_free(NULL);
    close_folder();
}

/* ---- the tables ---- */

static void test_tables(void)
{
    for (size_t i = 0; i < bnd_lint_check_count(); i++) {
        const bnd_lint_check *check = bnd_lint_check_at(i);
        CU_ASSERT_TRUE(check->code[0] != '\0' && check->title[0] != '\0');
        CU_ASSERT_TRUE(bnd_severity_name(check->severity)[0] != '\0' && bnd_effect_name(check->effect)[0] != '\0');
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_STRING_NOT_EQUAL(check->code, bnd_lint_check_at(k)->code);
        }
    }
    CU_ASSERT_PTR_NULL(bnd_lint_check_at(bnd_lint_check_count()));
    for (unsigned loader = 0; loader < BND_LOADERS; loader++) {
        CU_ASSERT_TRUE(bnd_loader_name((bnd_loader)loader)[0] != '\0');
        for (size_t i = 0; i < bnd_layout_count(); i++) {
            bnd_loader_cell cell = bnd_loader_cell_of(bnd_layout_at(i)->name, (bnd_loader)loader);
            CU_ASSERT_EQUAL(cell.loads == BND_LOADS_UNKNOWN, cell.source[0] == '\0');
        }
    }
    CU_ASSERT_EQUAL(bnd_loader_cell_of("fp8/block", BND_LOADER_VLLM).loads, BND_LOADS_YES);
    CU_ASSERT_EQUAL(bnd_loader_cell_of("compressed-tensors/nvfp4", BND_LOADER_TENSORRT_LLM).loads, BND_LOADS_NO);
    CU_ASSERT_EQUAL(bnd_loader_cell_of("none", BND_LOADER_VLLM).loads, BND_LOADS_UNKNOWN);
}

CU_TestInfo lint_tests[] = {
    {"each check, right and damaged", test_each_check},
    {"counts and order of findings", test_summary},
    {"files that are not checkpoints", test_refused},
    {"tables of checks and loaders", test_tables},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {SUITE("lint", lint_tests), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
