/* What lines say of casts, by role and by place, against what follows from the weights: those of a perceptron are the
 * operands gemm_fwd.w of its first step, one layer at a place. And lines as CSV. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"
#include "tests/support/operands.h"

#include <binade-lab/oracle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LAYERS = 3, STEPS = 2 };
static const char role_name[] = "gemm_fwd.w";

/* A layer's weights as the run begins, and what becomes of them. */
typedef struct layer {
    float *w;
    size_t rows, columns;
    double flushed, amax, least, squared_error; /* in e4m3, without a scale */
} layer;

static void look_at(layer *l, const bnd_format *e4m3)
{
    const bnd_rule saturating = {.overflow = BND_OVERFLOW_SATURATE};
    l->least = INFINITY;
    for (size_t i = 0; i < l->rows * l->columns; i++) {
        double x = (double)l->w[i], y;
        bnd_oracle_decode(&y, e4m3, bnd_oracle_encode(e4m3, x, saturating, 0).code);
        l->flushed += x != 0 && y == 0;
        l->amax = fmax(l->amax, fabs(x));
        l->least = x != 0 ? fmin(l->least, fabs(x)) : l->least;
        l->squared_error += (y - x) * (y - x);
    }
}

static void open_layers(layer layers[LAYERS], const bnd_training *t)
{
    bnd_run *run = NULL;
    bnd_format e4m3;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_format_parse(&e4m3, "e4m3", &why), &why));
    for (size_t i = 0; i < LAYERS; i++) {
        const bnd_tensor *p = bnd_run_parameter(run, 2 * i, BND_ROLE_PARAM);
        size_t n = bnd_tensor_count(p);
        double *x = malloc(n * sizeof *x);
        layers[i] = (layer){.w = malloc(n * sizeof(float)), .columns = i == 0 ? t->inputs : t->width};
        layers[i].rows = n / layers[i].columns;
        CU_ASSERT_TRUE_FATAL(x != NULL && layers[i].w != NULL);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x, n, p, &why), &why));
        for (size_t k = 0; k < n; k++) {
            layers[i].w[k] = (float)x[k]; /* fp32: exact */
        }
        look_at(&layers[i], &e4m3);
        free(x);
    }
    bnd_run_free(run);
}

static void close_layers(layer layers[LAYERS])
{
    for (size_t i = 0; i < LAYERS; i++) {
        free(layers[i].w);
    }
}

/* The lines of a run; the caller frees them. */
static char *lines_of(const bnd_training *t, bool places)
{
    char path[PATH_SIZE], metrics[PATH_SIZE + 16];
    size_t length;
    bnd_record record;
    bnd_task task;
    bnd_error why;
    bnd_task_default(&task, t);
    task.directory = in_folder(path, places ? "places" : "roles");
    task.statistics = true;
    task.places = places;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&record, &task, 1, NULL, NULL, NULL, &why), &why));
    bnd_record_close(&record);
    snprintf(metrics, sizeof metrics, "%s/metrics.jsonl", path);
    return read_file(&length, metrics);
}

/* "PLACE/gemm_fwd.w/NAME" (without a place: "") of a line from 0; NaN where it is not there. */
static double number_of(const char *lines, size_t line, const char *place, const char *name)
{
    char key[128];
    for (; line > 0; line--) {
        lines = strchr(lines, '\n') + 1;
    }
    snprintf(key, sizeof key, "\"%s%s%s/%s\": ", place, place[0] != '\0' ? "/" : "", role_name, name);
    const char *at = strstr(lines, key);
    return at != NULL && at < strchr(lines, '\n') ? strtod(at + strlen(key), NULL) : NAN;
}

static const char *place_of(char name[16], size_t i)
{
    snprintf(name, 16, "layers.%zu", i);
    return name;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static bnd_training perceptron(const char *recipe)
{
    bnd_training t = small_training("mlp", recipe, 3, STEPS);
    t.width = 48;
    t.inputs = 80; /* blocks of 32, and one that is shorter */
    t.depth = LAYERS - 1;
    return t;
}

/* Counts and errors of a cast without a scale. */
static void test_unscaled(void)
{
    bnd_training t = perceptron("fp8-e4m3-unscaled");
    layer layers[LAYERS], all = {.least = INFINITY};
    size_t elements = 0;
    char place[16];
    open_folder();
    open_layers(layers, &t);
    char *lines = lines_of(&t, true);
    for (size_t i = 0; i < LAYERS; i++) {
        const layer *l = &layers[i];
        const double n = (double)(l->rows * l->columns);
        place_of(place, i);
        CU_ASSERT_EQUAL(number_of(lines, 0, place, "underflows%"), 100 * l->flushed / n);
        CU_ASSERT_EQUAL(number_of(lines, 0, place, "overflows%"), 0);
        CU_ASSERT_EQUAL(number_of(lines, 0, place, "cur_amax"), l->amax);
        CU_ASSERT_TRUE(near(number_of(lines, 0, place, "dynamic_range"), log2(l->amax / l->least)));
        CU_ASSERT_TRUE(near(number_of(lines, 0, place, "mse"), l->squared_error / n));
        CU_ASSERT_TRUE(isnan(number_of(lines, 0, place, "scale_inv_min")));
        all.flushed += l->flushed;
        all.squared_error += l->squared_error;
        all.amax = fmax(all.amax, l->amax);
        elements += l->rows * l->columns;
    }
    CU_ASSERT_TRUE(all.flushed > 0);
    CU_ASSERT_EQUAL(number_of(lines, 0, "", "underflows%"), 100 * all.flushed / (double)elements);
    CU_ASSERT_EQUAL(number_of(lines, 0, "", "cur_amax"), all.amax);
    CU_ASSERT_TRUE(near(number_of(lines, 0, "", "mse"), all.squared_error / (double)elements));
    free(lines);
    close_layers(layers);
    close_folder();
}

/* Transformer Engine's formula, in fp32. */
static double inverse(double amax)
{
    float scale = 448.0f / (float)amax;
    return (double)(1 / scale);
}

/* The smallest power of two that brings the block's largest to at most 448; that of zeros is the least of all. */
static double block_scale(const float *w, size_t n)
{
    double amax = 0;
    for (size_t i = 0; i < n; i++) {
        amax = fmax(amax, fabs((double)w[i]));
    }
    return amax > 0 ? exp2(ceil(log2(amax / 448))) : 0x1p-127;
}

static void extremes(double *least, double *most, const layer *l, const char *recipe)
{
    *least = INFINITY;
    *most = 0;
    for (size_t at = 0; at < l->rows * l->columns; at += l->columns) {
        for (size_t k = 0; k < l->columns; k += 32) {
            double scale = block_scale(l->w + at + k, l->columns - k < 32 ? l->columns - k : 32);
            *least = fmin(*least, scale);
            *most = fmax(*most, scale);
        }
    }
    if (strcmp(recipe, "mxfp8") != 0) {
        *least = *most = strcmp(recipe, "fp8-current") == 0 ? inverse(l->amax) : 1;
    }
}

/* Of a tensor, of the last steps' (1 before the first), of blocks. */
static void test_scales(void)
{
    static const char *const recipes[] = {"fp8-current", "fp8-delayed", "mxfp8"};
    for (size_t r = 0; r < sizeof recipes / sizeof recipes[0]; r++) {
        bnd_training t = perceptron(recipes[r]);
        layer layers[LAYERS];
        double all_least = INFINITY, all_most = 0;
        char place[16];
        open_folder();
        open_layers(layers, &t);
        char *lines = lines_of(&t, true);
        for (size_t i = 0; i < LAYERS; i++) {
            double least, most;
            extremes(&least, &most, &layers[i], recipes[r]);
            CU_ASSERT_EQUAL(number_of(lines, 0, place_of(place, i), "scale_inv_min"), least);
            CU_ASSERT_EQUAL(number_of(lines, 0, place, "scale_inv_max"), most);
            if (strcmp(recipes[r], "fp8-delayed") == 0) {
                CU_ASSERT_EQUAL(number_of(lines, 1, place, "scale_inv_max"), inverse(layers[i].amax));
            }
            all_least = fmin(all_least, least);
            all_most = fmax(all_most, most);
        }
        CU_ASSERT_EQUAL(number_of(lines, 0, "", "scale_inv_min"), all_least);
        CU_ASSERT_EQUAL(number_of(lines, 0, "", "scale_inv_max"), all_most);
        free(lines);
        close_layers(layers);
        close_folder();
    }
}

/* Where nobody asks for places there are none, and what is said by role is the same. */
static void test_roles_alone(void)
{
    static const char *const names[] = {"underflows%", "overflows%", "cur_amax", "scale_inv_min", "scale_inv_max"};
    bnd_training t = perceptron("fp8-current");
    open_folder();
    char *by_role = lines_of(&t, false), *by_place = lines_of(&t, true);
    CU_ASSERT_PTR_NULL(strstr(by_role, "layers.0/"));
    CU_ASSERT_PTR_NOT_NULL(strstr(by_place, "layers.0/"));
    CU_ASSERT_PTR_NULL(strstr(by_place, "layers.0/gemm_fwd.w/exponents"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CU_ASSERT_EQUAL(number_of(by_role, 1, "", names[i]), number_of(by_place, 1, "", names[i]));
    }
    free(by_role);
    free(by_place);
    close_folder();
}

/* ---- as CSV ---- */

static void append(void *sink, const char *text, size_t length)
{
    bndi_bytes_write(sink, text, length);
}

/* What a file of these lines is as CSV; the caller frees it. */
static bnd_status csv_of(bndi_bytes *out, const char *text, bnd_error *why)
{
    char path[PATH_SIZE];
    *out = (bndi_bytes){.at = NULL};
    open_folder();
    write_file(in_folder(path, "lines.jsonl"), text, strlen(text));
    bnd_status status = bnd_metrics_write_csv(path, append, out, why);
    close_folder();
    return status;
}

static void csv_is(const char *text, const char *wanted)
{
    bndi_bytes csv;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(csv_of(&csv, text, &why), &why));
    CU_ASSERT_STRING_EQUAL(csv.at != NULL ? csv.at : "", wanted);
    bndi_bytes_free(&csv);
}

#define FIRST  "\"step\": 0, \"loss\": 1.5"
#define SECOND "\"step\": 1, \"loss\": 2"

static void test_csv(void)
{
    csv_is("{\"step\": 0, \"loss\": 1.5}\n{\"step\": 1, \"loss\": -2e-3}\n", "step,loss\n0,1.5\n1,-2e-3\n");
    csv_is("{" FIRST ", \"x\": null, \"x_is\": \"nan\", \"skipped\": true}\n\n{" SECOND
           ", \"skipped\": false ,\"late\": 7, "
           "\"x\": null}\n",
           "step,loss,x,skipped,late\n0,1.5,nan,true,\n1,2,,false,7\n");
    csv_is("{\"a,b\": 1, " FIRST ", \"text\": \"word\", \"list\": [1, 2], \"of\": {\"c\": 1}}\n{" SECOND
           ", \"a,b\": 2}\n"
           "{\"a,b\": 3, \"step\": 2, \"loss\": 3",
           "\"a,b\",step,loss\n1,0,1.5\n2,1,2\n"); /* the last line was cut short */
    csv_is("{" FIRST ", \"x\": null, \"x_is\": \"a, b\", \"y\": null, \"y_is\": \"-inf\"}\n",
           "step,loss,x,y\n0,1.5,,-inf\n");
    csv_is("{" FIRST ", \"say \\\"x\\\"\": 1}\n", "step,loss,\"say \\\"\"x\\\"\"\"\n0,1.5,1\n");
    csv_is("{" FIRST "}\n{" SECOND "}", "step,loss\n0,1.5\n1,2\n"); /* complete, but for its end */
    csv_is("{" FIRST "}", "step,loss\n0,1.5\n");
    csv_is("\xef\xbb\xbf{" FIRST ", \"x\": NaN}\r\n{\"step\": 1, \"loss\": -Infinity, \"x\": Infinity }\n",
           "step,loss,x\n0,1.5,nan\n1,-inf,inf\n"); /* as Python writes them */
}

/* Nothing is written of a file that bnd_record_read would not take, or that has a number twice. */
static void test_csv_refused(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "has no steps"},
        {"\n", "has no steps"},
        {"{\"text\": \"word\"}\n", "line 1: step: is missing"},
        {"{" FIRST ", \"x\": null, \"x_is\": \"\n", "line 1: column "},
        {"{" FIRST "}\n{\"step\"\n", "line 2: column 8 "},
        {"{\"step\": 0, \"loss\": 1--2eE}\n", "line 1: column "},
        {"{" FIRST "}\n{" SECOND "} x\n", "line 2: column 24 "},
        {"{" FIRST "}\n{\"step\": 1, \"loss\": 1e999}\n", "line 2: column "},
        {"{" FIRST ", \"x\": 1e999}\n", "line 1: column "},
        {"{" FIRST ", \"x\": nano}\n", "line 1: column "},
        {"{" FIRST ", \"loss\": 2}\n", "line 1: loss: appears twice"},
        {"{" FIRST "}\n{" SECOND ", \"x\": 2, \"x\": 2}\n", "line 2: x: appears twice"},
        {"{" FIRST "}\n{" SECOND ", \"x\": 2, \"x\": 2}", "line 2: x: appears twice"},
        {"{\"step\": -1, \"loss\": 1}\n", "line 1: step: must be a whole number"},
        {"{\"step\": 0.5, \"loss\": 1}\n", "line 1: step: must be a whole number"},
        {"{" SECOND "}\n{" FIRST "}\n", "line 2: step 0 comes after step 1"},
        {"{" FIRST "}\n{" FIRST "}\n", "line 2: step 0 comes after step 0"},
        {"step,loss\n0,1\n", "line 1: expected a JSON object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bndi_bytes csv;
        bnd_error why;
        CU_ASSERT_TRUE(refuses(csv_of(&csv, cases[i].text, &why), &why, cases[i].says));
        CU_ASSERT_PTR_NULL(csv.at);
        bndi_bytes_free(&csv);
    }
}

static bnd_status csv_of_bytes(bndi_bytes *csv, bndi_bytes *lines, bnd_error *why)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(lines->at);
    bnd_status status = csv_of(csv, lines->at, why);
    bndi_bytes_free(lines);
    return status;
}

/* Brackets in each other. */
static void test_csv_deep(void)
{
    bndi_bytes lines = {.at = NULL}, csv;
    bnd_error why;
    bndi_bytes_write(&lines, "{" FIRST ", \"x\": ", sizeof "{" FIRST ", \"x\": " - 1);
    for (int i = 0; i < 10000; i++) {
        bndi_bytes_write(&lines, i < 5000 ? "[" : "]", 1);
    }
    bndi_bytes_write(&lines, "}\n", 2);
    CU_ASSERT_TRUE(refuses(csv_of_bytes(&csv, &lines, &why), &why, "line 1: column "));
    CU_ASSERT_PTR_NULL(csv.at);
    bndi_bytes_free(&csv);
}

/* A line of `count` keys, step and loss among them; their numbers are those of the columns. */
static void write_wide(bndi_bytes *lines, size_t count)
{
    char key[40];
    bndi_bytes_write(lines, "{\"step\": 0, \"loss\": 1", sizeof "{\"step\": 0, \"loss\": 1" - 1);
    for (size_t i = 2; i < count; i++) {
        /* 40503 is odd: every key once, in no order */
        int length = snprintf(key, sizeof key, ", \"k%u\": %zu", (unsigned)((i * 40503) & 0x3ffff), i);
        bndi_bytes_write(lines, key, (size_t)length);
    }
    bndi_bytes_write(lines, "}\n", 2);
}

/* As many columns as there can be; one more; and so many that searching them all for each would not come to an end. */
static void test_csv_wide(void)
{
    static const size_t counts[] = {BNDI_FIELDS_MOST, BNDI_FIELDS_MOST + 1, 200000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (!in_turn(i, 3)) {
            continue;
        }
        bndi_bytes lines = {.at = NULL}, csv;
        bnd_error why;
        write_wide(&lines, counts[i]);
        bnd_status status = csv_of_bytes(&csv, &lines, &why);
        if (counts[i] <= BNDI_FIELDS_MOST) {
            CU_ASSERT_TRUE(succeeds(status, &why));
            const char *row = csv.at != NULL ? strchr(csv.at, '\n') : NULL;
            CU_ASSERT_PTR_NOT_NULL_FATAL(row);
            row++;
            for (size_t column = 0; column < counts[i] && *row != '\0'; column++) {
                char *end;
                CU_ASSERT_EQUAL(strtoull(row, &end, 10), column);
                CU_ASSERT_EQUAL(*end, column + 1 < counts[i] ? ',' : '\n');
                row = end + 1;
            }
            CU_ASSERT_EQUAL(*row, '\0');
        } else {
            CU_ASSERT_TRUE(refuses(status, &why, "line 1: has too many new keys: the limit is 65536"));
            CU_ASSERT_PTR_NULL(csv.at);
        }
        bndi_bytes_free(&csv);
    }
}

static void cut(void *sink, const char *text, size_t length)
{
    (void)text;
    (void)length;
    CU_ASSERT_EQUAL(truncate(sink, 24), 0);
}

/* What cannot be read twice, and what is another thing the second time. */
static void test_csv_twice(void)
{
    char path[PATH_SIZE];
    bndi_bytes csv = {.at = NULL};
    bnd_error why;
    open_folder();
    CU_ASSERT_EQUAL_FATAL(mkfifo(in_folder(path, "pipe"), 0600), 0); /* nobody writes: opening it would not come back */
    CU_ASSERT_TRUE(refuses(bnd_metrics_write_csv(path, append, &csv, &why), &why, "must be a regular file"));
    CU_ASSERT_TRUE(refuses(bnd_metrics_write_csv("/dev/null", append, &csv, &why), &why, "must be a regular file"));
    CU_ASSERT_PTR_NULL(csv.at);
    static const char lines[] = "{" FIRST "}\n{" SECOND "}\n";
    write_file(in_folder(path, "lines.jsonl"), lines, sizeof lines - 1);
    CU_ASSERT_TRUE(refuses(bnd_metrics_write_csv(path, cut, path, &why), &why, "was truncated while it was read"));
    bndi_bytes_free(&csv);
    close_folder();
}

/* Every number of a run, read back. */
static void test_csv_of_run(void)
{
    char path[PATH_SIZE];
    bnd_record from_lines, from_csv;
    bndi_bytes csv = {.at = NULL};
    bnd_error why;
    bnd_training t = perceptron("fp16-pure");
    t.lr = 1e30; /* losses that are no numbers */
    open_folder();
    free(lines_of(&t, true));
    CU_ASSERT_TRUE(succeeds(bnd_metrics_write_csv(in_folder(path, "places"), append, &csv, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&from_lines, path, &why), &why));
    CU_ASSERT_TRUE_FATAL(csv.at != NULL && strstr(csv.at, ",layers.0/gemm_fwd.w/underflows%,") != NULL);
    write_file(in_folder(path, "all.csv"), csv.at, csv.length);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&from_csv, path, &why), &why));
    CU_ASSERT_EQUAL_FATAL(from_csv.count, from_lines.count);
    for (size_t i = 0; i < from_csv.count; i++) {
        CU_ASSERT_TRUE(same_points(&from_csv.points[i], &from_lines.points[i], true));
    }
    CU_ASSERT_TRUE(isnan(from_csv.points[STEPS - 1].loss));
    bnd_record_close(&from_lines);
    bnd_record_close(&from_csv);
    bndi_bytes_free(&csv);
    close_folder();
}

CU_TestInfo statistics_tests[] = {
    {"a cast without a scale", test_unscaled}, {"inverse scales", test_scales},
    {"roles alone", test_roles_alone},         {"lines as CSV", test_csv},
    {"lines refused", test_csv_refused},       {"brackets in brackets", test_csv_deep},
    {"many columns", test_csv_wide},           {"read twice", test_csv_twice},
    {"a run as CSV", test_csv_of_run},         CU_TEST_INFO_NULL,
};
