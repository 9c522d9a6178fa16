/* What every ecosystem calls the rows, in any case; what is not a name; groups. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

/* ---- names ---- */

static const struct {
    const char *row, *names;
} known[] = {
    {"fp64", "fp64 float64 DOUBLE onnx:11 F64 f64 double binary64 d"},
    {"fp32", "fp32 float32 FLOAT onnx:1 F32 f32 single binary32 s"},
    {"fp16", "fp16 float16 FLOAT16 onnx:10 F16 f16 half binary16 h np.float16 torch.half jax.numpy.float16"},
    {"bf16", "bf16 bfloat16 BFLOAT16 onnx:16 BF16 b torch.bfloat16 jnp.bfloat16 ml_dtypes.bfloat16 tf.bfloat16"},
    {"tf32", "tf32 TF32 t"},
    {"e4m3", "e4m3 float8_e4m3fn FLOAT8E4M3FN onnx:17 F8_E4M3 f8E4M3FN fp8_e4m3 ocp_e4m3 q43"},
    {"e5m2", "e5m2 float8_e5m2 FLOAT8E5M2 onnx:19 F8_E5M2 f8E5M2 fp8_e5m2 ocp_e5m2 q52"},
    {"e4m3fnuz", "e4m3fnuz float8_e4m3fnuz FLOAT8E4M3FNUZ onnx:18 F8_E4M3FNUZ f8E4M3FNUZ"},
    {"e5m2fnuz", "e5m2fnuz float8_e5m2fnuz FLOAT8E5M2FNUZ onnx:20 F8_E5M2FNUZ f8E5M2FNUZ"},
    {"e4m3ieee", "e4m3ieee float8_e4m3 f8E4M3"},
    {"e3m4", "e3m4 float8_e3m4 f8E3M4"},
    {"e4m3b11fnuz", "e4m3b11fnuz float8_e4m3b11fnuz f8E4M3B11FNUZ"},
    {"e8m0", "e8m0 float8_e8m0fnu FLOAT8E8M0 onnx:24 F8_E8M0 f8E8M0FNU ocp_e8m0 ue8m0"},
    {"ue5m3", "ue5m3 float8_e5m3fnu e5m3fnu ml_dtypes.float8_e5m3fnu ue5m3fn"},
    {"ue4m3", "ue4m3 ue4m3fn ue4m3b7fn"},
    {"e2m3", "e2m3 float6_e2m3fn F6_E2M3 f6E2M3FN ocp_e2m3"},
    {"e3m2", "e3m2 float6_e3m2fn F6_E3M2 f6E3M2FN ocp_e3m2"},
    {"e2m1", "e2m1 float4_e2m1fn float4_e2m1fn_x2 FLOAT4E2M1 onnx:23 F4 f4E2M1FN ocp_e2m1"},
    {"dlfloat16", "dlfloat16"},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c + 'A' - 'a') : c;
}

/* One name, as it stands, in small letters, in capitals, and with every other letter changed. */
static int wrong_in_some_case(const char *row, const char *name, size_t length)
{
    int wrong = 0;
    for (int form = 0; form < 4; form++) {
        char text[64];
        for (size_t i = 0; i < length; i++) {
            char c = name[i];
            text[i] = form == 0 ? c : form == 1 || (form == 3 && i % 2 == 0) ? lower(c) : upper(c);
        }
        text[length] = '\0';
        bnd_format f = format_named(text);
        if (strcmp(f.name, row) != 0 || f.row < 0) {
            printf("'%s' is '%s', not '%s'\n", text, f.name, row);
            wrong++;
        }
    }
    return wrong;
}

static int wrong_words(const char *row, const char *list)
{
    int wrong = 0;
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        wrong += wrong_in_some_case(row, list, length);
        list += length + strspn(list + length, " ");
    }
    return wrong;
}

static bool is_named_elsewhere(size_t row)
{
    for (unsigned where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
        if (bnd_format_names(row, (bnd_ecosystem)where)[0] != '\0') {
            return true;
        }
    }
    return false;
}

static void test_known_names(void)
{
    int wrong = 0;
    for (size_t i = 0; i < KNOWN; i++) {
        wrong += wrong_words(known[i].row, known[i].names);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    /* Every row that another ecosystem names is known here; rows of this project's own need no second list. */
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bool is_known = !is_named_elsewhere(row);
        for (size_t i = 0; i < KNOWN && !is_known; i++) {
            is_known = strcmp(known[i].row, bnd_format_at(row)->name) == 0;
        }
        CU_ASSERT(is_known);
    }
}

/* What the table says of itself: every name that it lists leads back to the row. */
static void test_listed_names(void)
{
    int wrong = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        wrong += wrong_words(f.name, f.name);
        for (unsigned where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
            wrong += wrong_words(f.name, bnd_format_names(row, (bnd_ecosystem)where));
        }
        CU_ASSERT(bnd_format_title(row)[0] != '\0');
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_ecosystems(void)
{
    for (unsigned i = 0; i < BND_ECOSYSTEM_COUNT; i++) {
        CU_ASSERT(bnd_ecosystem_name((bnd_ecosystem)i)[0] != '\0');
        for (unsigned j = 0; j < i; j++) {
            CU_ASSERT_STRING_NOT_EQUAL(bnd_ecosystem_name((bnd_ecosystem)i), bnd_ecosystem_name((bnd_ecosystem)j));
        }
    }
    size_t row = (size_t)format_named("e4m3").row;
    CU_ASSERT_STRING_EQUAL(bnd_format_names(row, BND_ECOSYSTEM_ML_DTYPES), "float8_e4m3fn");
    CU_ASSERT_STRING_EQUAL(bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), "F8_E4M3");
    CU_ASSERT_STRING_EQUAL(bnd_format_names(row, BND_ECOSYSTEM_STABLEHLO), "f8E4M3FN");
}

/* Bare E4M3 is OCP's; ml_dtypes and StableHLO mean the IEEE-like one where they leave FN out. */
static void test_e4m3_trap(void)
{
    CU_ASSERT_EQUAL(format_named("e4m3").max_code, 0x7e);
    CU_ASSERT_EQUAL(format_named("F8_E4M3").max_code, 0x7e);
    CU_ASSERT_EQUAL(format_named("float8_e4m3").max_code, 0x77);
    CU_ASSERT_EQUAL(format_named("f8E4M3").max_code, 0x77);
}

static void test_pieces(void)
{
    bnd_format f;
    CU_ASSERT_EQUAL(bnd_format_parse_n(&f, "bf16,fp32", 4, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(f.name, "bf16");
    const char no_end[] = {'e', '4', 'm', '3'};
    CU_ASSERT_EQUAL(bnd_format_parse_n(&f, no_end, sizeof no_end, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(f.name, "e4m3");
    CU_ASSERT_EQUAL(bnd_format_parse_n(&f, "fp16", 5, NULL), BND_BAD_NAME);
    CU_ASSERT_EQUAL(bnd_format_parse_n(&f, "e6m9\0b3", 7, NULL), BND_BAD_NAME);
    CU_ASSERT_EQUAL(bnd_format_parse_n(&f, "", 0, NULL), BND_BAD_NAME);
}

/* ---- what is not a name ---- */

static void test_unknown_names(void)
{
    static const char *const names[] = {"",
                                        " ",
                                        "fp16 ",
                                        " fp16",
                                        "fp-16",
                                        "16",
                                        "1",

                                        "e",
                                        "e5",
                                        "e5m",
                                        "m10",
                                        "e5m10x",
                                        "e5m10b",
                                        "e5m10b-",
                                        "e5m10fnn",
                                        "e-5m10",
                                        "e+5m10",
                                        "em",
                                        "e5m-10",
                                        "e5m10nosubfn",
                                        "e5m10fnieee",
                                        "p",
                                        "p11emin",
                                        "p11emax",
                                        "p-11",
                                        "p11emax15emin-14",
                                        "p11,",
                                        "binary",
                                        "binary8",
                                        "binary8p",
                                        "binary8p3x",
                                        "binary8p3s",
                                        "binary8p3es",
                                        "p3109_k8",
                                        "p3109_k8p",
                                        "\xff",
                                        "e5m10\n",
                                        NULL};
    check_refused(names, BND_BAD_NAME);
}

static void test_nearest_names(void)
{
    static const struct {
        const char *asked, *offered;
    } cases[] = {
        {"fp17", "fp16"},
        {"bfloat61", "bfloat16"},
        {"float8_e4m3fnu", "float8_e4m3fn"},
        {"FP46", "fp64"},
        {"e4m3fnuzz", "e4m3fnuz"},
        {"binary8p3s", "binary8p3se"},
        {"dlfloat61", "dlfloat16"},
        {"ocp_e4m2", "ocp_e4m3"},
        {"hafl", "half"},
        {"e5m2nosubfn", "e5m2fnnosub"},
        {"ue5m3b2nosubnone", "ue5m3b2nonenosub"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f;
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_format_parse(&f, cases[i].asked, &why), BND_BAD_NAME);
        if (strstr(why.message, cases[i].offered) == NULL || strstr(why.message, cases[i].asked) == NULL) {
            printf("'%s': %s\n", cases[i].asked, why.message);
            CU_FAIL("the nearest name is not offered");
        }
    }
}

/* A width is not a format, and a block format has no codes of its own. */
#define WITHOUT "expected a format without shared scales, got "
static void test_words_for_several(void)
{
    static const struct {
        const char *asked, *said;
    } cases[] = {
        {"fp8", "'fp8' is ambiguous; use e4m3 or e5m2"},
        {"torch.Float8", "'Float8' is ambiguous; use e4m3 or e5m2"},
        {"fp6", "'fp6' is ambiguous; use e2m3 or e3m2"},
        {"mxfp8", WITHOUT "'mxfp8', which is written like"},
        {"nvfp4", WITHOUT "'nvfp4', which"},
        {"e4m3/row", WITHOUT "'e4m3/row', which"},
        {"mxfp6", WITHOUT "'mxfp6', which"}, /* there is no such block format */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f;
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_format_parse(&f, cases[i].asked, &why), BND_BAD_NAME);
        CU_ASSERT_EQUAL(strncmp(why.message, cases[i].said, strlen(cases[i].said)), 0);
    }
}

/* A message does not grow with what was asked for. */
static void test_long_names(void)
{
    static char name[100001];
    memset(name, 'e', sizeof name - 1);
    CU_ASSERT(is_refused(name, BND_BAD_NAME));
    memset(name, '1', sizeof name - 1);
    memcpy(name, "e5m", 3);
    bnd_format f;
    CU_ASSERT_NOT_EQUAL(bnd_format_parse(&f, name, NULL), BND_OK);
    memcpy(name, "p", 1);
    CU_ASSERT_NOT_EQUAL(bnd_format_parse(&f, name, NULL), BND_OK);
}

/* ---- groups ---- */

static void check_group(const char *name, size_t size)
{
    CU_ASSERT_EQUAL(bnd_group_size(name), size);
    int wrong = 0;
    for (size_t i = 0; i < bnd_group_size(name); i++) {
        bnd_format f;
        CU_ASSERT_FATAL(bnd_group_at(&f, name, i));
        bnd_format again = format_named(f.name);
        wrong += !bnd_format_same(&f, &again) || strcmp(f.name, again.name) != 0;
        for (size_t j = 0; j < i; j++) {
            bnd_format other;
            (void)bnd_group_at(&other, name, j);
            wrong += strcmp(f.name, other.name) == 0;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static bool is_in(const char *group, const char *name)
{
    for (size_t i = 0; i < bnd_group_size(group); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, group, i);
        if (strcmp(f.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void test_groups(void)
{
    check_group("all", bnd_format_count() + 30);
    check_group("ieee", 3);
    check_group("ocp", 6);
    check_group("fnuz", 3);
    check_group("p3109", 30);
    check_group("p3109-all", 442); /* the sum of 4 K - 2 for K from 3 to 15 */
    check_group("mx", 6);
    CU_ASSERT_EQUAL(bnd_group_size("nothing"), 0);
    CU_ASSERT_EQUAL(bnd_group_size(""), 0);
    CU_ASSERT_EQUAL(bnd_group_size("fp16"), 0);
    CU_ASSERT(is_in("ieee", "fp16") && is_in("ieee", "fp32") && is_in("ieee", "fp64"));
    CU_ASSERT(is_in("ocp", "e4m3") && is_in("ocp", "e5m2") && is_in("ocp", "e8m0") && is_in("ocp", "e2m3") &&
              is_in("ocp", "e3m2") && is_in("ocp", "e2m1"));
    CU_ASSERT(is_in("fnuz", "e4m3fnuz") && is_in("fnuz", "e5m2fnuz") && is_in("fnuz", "e4m3b11fnuz"));
    CU_ASSERT(is_in("all", "dlfloat16") && is_in("all", "binary8p1ue") && !is_in("all", "binary7p3se"));
    CU_ASSERT(is_in("p3109-all", "binary3p1se") && is_in("p3109-all", "binary15p15uf"));
}

static void test_same(void)
{
    for (size_t i = 0; i < bnd_group_size("all"); i++) {
        for (size_t j = 0; j < bnd_group_size("all"); j++) {
            bnd_format a, b;
            CU_ASSERT_FATAL(bnd_group_at(&a, "all", i) && bnd_group_at(&b, "all", j));
            /* P3109's finite formats with the bias of FNUZ have the codes of FNUZ: the same formats under two names. */
            bool twins = (strcmp(a.name, "e4m3fnuz") == 0 && strcmp(b.name, "binary8p4sf") == 0) ||
                         (strcmp(b.name, "e4m3fnuz") == 0 && strcmp(a.name, "binary8p4sf") == 0) ||
                         (strcmp(a.name, "e5m2fnuz") == 0 && strcmp(b.name, "binary8p3sf") == 0) ||
                         (strcmp(b.name, "e5m2fnuz") == 0 && strcmp(a.name, "binary8p3sf") == 0);
            if (bnd_format_same(&a, &b) != (i == j || twins)) {
                printf("%s and %s\n", a.name, b.name);
                CU_FAIL("same codes for the same values?");
            }
        }
    }
}

CU_TestInfo name_tests[] = {
    {"names in every ecosystem, in any case", test_known_names},
    {"names that the table lists", test_listed_names},
    {"ecosystems", test_ecosystems},
    {"which E4M3", test_e4m3_trap},
    {"names within a longer text", test_pieces},
    {"what is not a name", test_unknown_names},
    {"the nearest names are offered", test_nearest_names},
    {"widths and block formats", test_words_for_several},
    {"names of 100,000 letters", test_long_names},
    {"groups", test_groups},
    {"which formats are the same", test_same},
    CU_TEST_INFO_NULL,
};
