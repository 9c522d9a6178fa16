/* Records: what is written is read back, every bit of it. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/operands.h"

/* All kinds of doubles, NaN and infinities among them. */
static double number(uint64_t i, unsigned what)
{
    static const double corners[] = {0,        -0.0,      1,   0.1,       1e-8,     1e300,     5e-324, -2.5e-310,
                                     INFINITY, -INFINITY, NAN, 0x1p-1022, 0x1p1023, 123456789, 1e22,   1e23};
    uint64_t bits = bnd_random_bits(5, what, i, 64);
    double x;
    if (bits % 5 == 0) {
        return corners[bits / 5 % (sizeof corners / sizeof corners[0])];
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bnd_point point_of(uint64_t i)
{
    bnd_point p = {.step = i * i + 3,
                   .loss = number(i, 1),
                   .gradient_norm = number(i, 2),
                   .lr = number(i, 3),
                   .loss_scale = number(i, 4),
                   .update_ratio = number(i, 5),
                   .seconds = number(i, 6),
                   .validation = NAN,
                   .validation_fp32 = NAN,
                   .updates = bnd_random_bits(5, 7, i, 53),
                   .lost = bnd_random_bits(5, 8, i, 20),
                   .skipped = i % 3 == 0,
                   .validated = i % 4 == 0,
                   .validated_fp32 = i % 8 == 0};
    p.validation = p.validated ? number(i, 9) : NAN;
    p.validation_fp32 = p.validated_fp32 ? number(i, 11) : NAN;
    return p;
}

static void test_numbers(void)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < scaled(20000); i++) {
        char text[BNDI_NUMBER_SIZE];
        double x = number(i, 10);
        bndi_number_text(text, x);
        double back = strtod(text, NULL);
        bool same = memcmp(&x, &back, sizeof x) == 0 || (isnan(x) && strcmp(text, "nan") == 0);
        if (!same && ++wrong < 5) {
            printf("\n    %a is %s\n", x, text);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Points as lines, and back. */
static void test_lines(void)
{
    char path[PATH_SIZE];
    bndi_bytes text = {.at = NULL};
    bnd_record written, known, read;
    bnd_error why;
    bndi_record_none(&written);
    bndi_record_none(&known);
    bndi_record_none(&read);
    for (uint64_t i = 0; i < 300; i++) {
        bnd_point p = point_of(i);
        written.bytes[BND_ROLE_PARAM] = 1000;
        written.bytes_peak = 5000 + i / 100;
        written.flops = UINT64_C(1) << 60;
        bndi_line_write(&text, &p, &(bndi_counts){.at = NULL}, &written, &known);
        CU_ASSERT_TRUE(succeeds(bndi_record_add(&written, &p, &why), &why));
    }
    const char *first = strstr(text.at, "memory/param"); /* what stays is said once */
    CU_ASSERT_TRUE(first != NULL && strstr(first + 1, "memory/param") == NULL);
    open_folder();
    write_file(in_folder(path, "a.jsonl"), text.at, text.length);
    CU_ASSERT_TRUE(succeeds(bnd_record_read(&read, path, &why), &why));
    CU_ASSERT_STRING_EQUAL(read.recipe, "a.jsonl");
    written.steps = written.count;
    written.complete = true;
    strcpy(written.recipe, "a.jsonl");
    CU_ASSERT_TRUE(succeeds(bndi_record_finish(&written, &why), &why));
    CU_ASSERT_TRUE(same_records(&written, &read, true));
    close_folder();
    bndi_bytes_free(&text);
    bnd_record_close(&written);
    bnd_record_close(&read);
}

/* The same by CSV. */
static void test_csv(void)
{
    char path[PATH_SIZE];
    bnd_record written, read;
    bnd_error why;
    bndi_record_none(&written);
    for (uint64_t i = 0; i < 300; i++) {
        bnd_point p = point_of(i);
        CU_ASSERT_TRUE(succeeds(bndi_record_add(&written, &p, &why), &why));
    }
    open_folder();
    CU_ASSERT_TRUE(succeeds(bnd_record_write_csv(&written, in_folder(path, "a.csv"), &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&read, path, &why), &why));
    CU_ASSERT_EQUAL_FATAL(read.count, written.count);
    for (size_t i = 0; i < read.count; i++) {
        CU_ASSERT_TRUE(same_points(&read.points[i], &written.points[i], true));
    }
    close_folder();
    bnd_record_close(&written);
    bnd_record_close(&read);
}

/* The keys of older versions are read, from lines and from CSV. */
static void test_old_keys(void)
{
    static const char *const files[][2] = {
        {"a.jsonl",
         "{\"step\": 0, \"loss\": 2, \"update/nonzero\": 9, \"update/cancelled\": 4, \"cast/gradients\": 20, "
         "\"cast/flushed\": 6, \"memory/activations\": 100, \"memory/beside\": 8}\n"},
        {"b.jsonl", "{\"step\": 0, \"loss\": 2, \"update/nonzero\": 9, \"update/lost\": 4, \"cast/gradients\": 20, "
                    "\"cast/underflowed\": 6, \"memory/activations\": 100, \"memory/row_statistics\": 8}\n"},
        {"a.csv", "step,loss,update/nonzero,update/cancelled,cast/gradients,cast/flushed\n0,2,9,4,20,6\n"},
        {"b.csv", "step,loss,update/nonzero,update/lost,cast/gradients,cast/underflowed\n0,2,9,4,20,6\n"}};
    open_folder();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[PATH_SIZE];
        bnd_record read;
        bnd_error why;
        write_file(in_folder(path, files[i][0]), files[i][1], strlen(files[i][1]));
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&read, path, &why), &why));
        CU_ASSERT_TRUE(read.updates == 9 && read.lost == 4 && read.gradients == 20 && read.underflowed == 6);
        CU_ASSERT_EQUAL(read.saved_row_statistics, i < 2 ? 8 : 0);
        bnd_record_close(&read);
    }
    close_folder();
}

/* What other programs write. */
static void test_foreign(void)
{
    static const struct {
        const char *text;
        size_t count;
        double last; /* loss */
        uint64_t step;
    } cases[] = {
        {"{\"loss\": 2.5, \"step\": 1}\n{\"step\": 10, \"loss\": 1e0, \"tags\": [1, {\"a\": null}], \"name\": \"x\"}\n",
         2, 1, 10},
        {"{\"step\": 1, \"loss\": NaN}\n", 1, NAN, 1},
        {"{\"step\": 1, \"loss\": -Infinity, \"other\": NaN}", 1, -INFINITY, 1},
        {"{\"step\": 1, \"loss\": null}\n\n  \n{\"step\": 2.0, \"loss\": 3}\r\n", 2, 3, 2},
        {"\xef\xbb\xbf{\"step\": 1, \"loss\": 4}\n", 1, 4, 1},
        {"\xef\xbb\xbfstep,loss\n1,4\n", 1, 4, 1},
        {"time,step,loss\n\"Monday, 3\",7,0.5\nTuesday,9,0x1p-3\n", 2, 0.125, 9},
        {"step , loss, train/skipped\r\n1, 2 ,True\r\n2,nan,False\r\n", 2, NAN, 2},
        {"\"step\",\"loss\",\"note\"\n1,inf,\n", 1, INFINITY, 1},
        {"loss,step\n2,1\n3,2", 2, 3, 2},
        {"step,loss\n1,2\n2,1e-40", 2, 1e-40, 2},
    };
    char path[PATH_SIZE];
    open_folder();
    in_folder(path, "log");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_record r;
        bnd_error why;
        write_file(path, cases[i].text, strlen(cases[i].text));
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&r, path, &why), &why));
        CU_ASSERT_EQUAL_FATAL(r.count, cases[i].count);
        double loss = r.points[r.count - 1].loss;
        CU_ASSERT_TRUE(loss == cases[i].last || (isnan(loss) && isnan(cases[i].last)));
        CU_ASSERT_EQUAL(r.points[r.count - 1].step, cases[i].step);
        CU_ASSERT_TRUE(r.complete && isnan(r.seconds) && isnan(bnd_record_bytes_per_parameter(&r)));
        bnd_record_close(&r);
    }
    close_folder();
}

/* The end: the last tenth; the time: the median. */
static void test_totals(void)
{
    bnd_record r;
    bnd_error why;
    bndi_record_none(&r);
    for (uint64_t i = 0; i < 25; i++) {
        bnd_point p = bndi_point_none();
        p.step = i;
        p.loss = (double)i;
        p.seconds = i == 3 ? NAN : (double)((i * 7) % 25);
        p.skipped = i < 4;
        CU_ASSERT_TRUE(succeeds(bndi_record_add(&r, &p, &why), &why));
    }
    CU_ASSERT_TRUE(succeeds(bndi_record_finish(&r, &why), &why));
    CU_ASSERT_EQUAL(r.loss, 23.5);
    CU_ASSERT_EQUAL(r.seconds, 11.5); /* 0 .. 24 without 21 */
    CU_ASSERT_EQUAL(r.skipped, 4);
    bnd_record_close(&r);
    CU_ASSERT_TRUE(r.points == NULL && r.count == 0);
}

static void test_names(void)
{
    static const struct {
        const char *recipe, *name;
    } cases[] = {{"bf16-amp", "bf16-amp-3"}, {"fp16", "fp16-3"}};
    char name[256], other[256], cut[8];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(bnd_task_name(name, sizeof name, cases[i].recipe, 3), strlen(cases[i].name));
        CU_ASSERT_STRING_EQUAL(name, cases[i].name);
    }
    CU_ASSERT_EQUAL(bnd_task_name(cut, sizeof cut, "bf16-amp", 3), 10);
    CU_ASSERT_STRING_EQUAL(cut, "bf16-am");
    static const char *const unsafe[] = {
        "base=fp32,v=e4m3/mx", "base=fp32,v=e4m3:mx", "..", "-x", "", ".hidden", "a b", "a/b", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
        (void)bnd_task_name(name, sizeof name, unsafe[i], 1);
        CU_ASSERT_TRUE(strpbrk(name, "/: ,\xc3") == NULL && name[0] != '.' && name[0] != '-');
        for (size_t j = 0; j < i; j++) {
            (void)bnd_task_name(other, sizeof other, unsafe[j], 1);
            CU_ASSERT_STRING_NOT_EQUAL(name, other);
        }
    }
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[299] = '\0';
    CU_ASSERT_TRUE(bnd_task_name(name, sizeof name, longest, UINT64_MAX) < 120);
}

CU_TestInfo record_tests[] = {
    {"numbers", test_numbers},        {"lines", test_lines},   {"CSV", test_csv},     {"old keys", test_old_keys},
    {"other programs", test_foreign}, {"totals", test_totals}, {"names", test_names}, CU_TEST_INFO_NULL,
};
