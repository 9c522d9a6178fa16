/* Section 6: models, randomness, data, optimizers. */
#define _XOPEN_SOURCE 700 /* mkdtemp, ftruncate, pwrite */
#include "tests/lecture/lecture.h"

#include <binade/bulk.h>
#include <binade-lab/study.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <stdlib.h>

static double deviation_of(const bnd_tensor *t)
{
    static double x[MOST];
    bnd_error why;
    double sum = 0;
    size_t n = bnd_tensor_count(t);
    CU_ASSERT_FATAL(n <= MOST && succeeds(bnd_tensor_read_f64(x, n, t, &why), &why));
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum / (double)n);
}

static void test_initialization(void)
{
    for (size_t fan_in = 64; fan_in <= 1024; fan_in *= 4) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *x = normal(engine, SHAPE(64, fan_in), 1, 1), *y;
        DO(bnd_tensor_matmul(&y, x, normal(engine, SHAPE(fan_in, 64), 1, 2), &why));
        CU_ASSERT_TRUE(fabs(deviation_of(y) / sqrt((double)fan_in) - 1) < 0.1); /* grows like its root */
        DO(bnd_tensor_matmul(&y, x, normal(engine, SHAPE(fan_in, 64), 1 / sqrt((double)fan_in), 2), &why));
        CU_ASSERT_TRUE(fabs(deviation_of(y) - 1) < 0.1);
        bnd_engine_free(engine);
    }
}

/* A weight, dropout and a stochastic cast: each by its own seed, with so many threads, by one back end. */
typedef struct draws {
    float weight[MOST], dropped[MOST], rounded[MOST];
} draws;

static void draw(draws *d, unsigned threads, bnd_backend backend, const uint64_t *seeds)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bnd_context context = {.backend = (uint8_t)backend, .threads = threads};
    DO(bnd_engine_new(&engine, &context, &why));
    bnd_engine_set_seed(engine, seeds[2], 0);
    bnd_tensor *w = normal(engine, SHAPE(MOST / 64, 64), 1, seeds[0]), *y;
    bnd_attributes dropout = {.number = {0.1}, .seed = seeds[1]};
    bnd_format bf16 = format_named("bf16");
    DO(bnd_tensor_read_f32(d->weight, MOST, w, &why));
    DO(bnd_tensor_apply(&y, BND_TENSOR_OP_DROPOUT, &w, 1, &dropout, &why));
    DO(bnd_tensor_read_f32(d->dropped, MOST, y, &why));
    DO(bnd_tensor_cast(&y, w, &bf16, (bnd_rule){.rounding = BND_ROUND_SR}, &why));
    DO(bnd_tensor_read_f32(d->rounded, MOST, y, &why));
    bnd_engine_free(engine);
}

static void test_seeds(void)
{
    static const bnd_backend backends[] = {BND_BACKEND_PORTABLE, BND_BACKEND_AVX2, BND_BACKEND_AVX512,
                                           BND_BACKEND_BEST};
    static draws first, again;
    uint64_t seeds[] = {1, 2, 3};
    draw(&first, 1, BND_BACKEND_BEST, seeds);
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        if (bnd_backend_here(backends[i])) {
            draw(&again, 1 + (unsigned)i % 2, backends[i], seeds);
            CU_ASSERT_EQUAL(memcmp(&first, &again, sizeof first), 0);
        }
    }
    /* Another seed of one of them is another run of that one, and of no other that does not depend on it. */
    seeds[2]++;
    draw(&again, 1, BND_BACKEND_BEST, seeds);
    CU_ASSERT_EQUAL(memcmp(first.weight, again.weight, sizeof first.weight), 0);
    CU_ASSERT_EQUAL(memcmp(first.dropped, again.dropped, sizeof first.dropped), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first.rounded, again.rounded, sizeof first.rounded), 0);
    seeds[1]++;
    draw(&again, 1, BND_BACKEND_BEST, seeds);
    CU_ASSERT_EQUAL(memcmp(first.weight, again.weight, sizeof first.weight), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first.dropped, again.dropped, sizeof first.dropped), 0);
}

/* An .npy of this many tokens, all 0 but for the last four, that takes no room on the disk; false: not on this one. */
static bool make_large_file(const char *path, uint64_t tokens)
{
    static const unsigned char last[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0, 0, 3, 0, 0, 0};
    char header[128] = "\x93NUMPY\x01";
    header[8] = sizeof header - 10;
    int length = snprintf(header + 10, sizeof header - 10, "{'descr': '<i4', 'fortran_order': False, 'shape': (%llu,)}",
                          (unsigned long long)tokens);
    memset(header + 10 + length, ' ', sizeof header - 10 - (size_t)length);
    off_t size = (off_t)(sizeof header + 4 * tokens);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool made = fd >= 0 && ftruncate(fd, size) == 0 && pwrite(fd, header, sizeof header, 0) == sizeof header &&
                pwrite(fd, last, sizeof last, size - (off_t)sizeof last) == sizeof last;
    close(fd);
    return made;
}

/* Twice the machine's memory, where the disk can say so (or as much of that as it can). */
static void test_data_larger_than_memory(void)
{
    char folder[] = "test-lecture-XXXXXX", path[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tokens.npy", folder);
    uint64_t tokens = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    bool made = make_large_file(path, tokens);
    for (; !made && tokens > 1 << 20; made = make_large_file(path, tokens)) {
        tokens /= 2;
    }
    CU_ASSERT_TRUE_FATAL(made);
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *data, *batch;
    DO(bnd_tensor_load(&data, engine, path, NULL, BND_ROLE_DATA, &why));
    CU_ASSERT_TRUE(has_shape(data, SHAPE((size_t)tokens)));
    CU_ASSERT_EQUAL(bnd_tensor_bytes(data), 4 * tokens);
    CU_ASSERT_TRUE(bytes_now(engine) == 0 && account_of(engine).allocations == 0);
    DO(bnd_tensor_slice(&batch, data, 0, (size_t)tokens - 5, 5, 1, &why));
    CU_ASSERT_TRUE(HOLDS(batch, 0, 1, 2, 65535, 3));
    /* A batch of it picks rows of a table. */
    bnd_tensor *table = tensor_of(engine, "fp32", (double[]){10, 11, 20, 21, 30, 31}, SHAPE(3, 2)), *rows;
    DO(bnd_tensor_slice(&batch, data, 0, (size_t)tokens - 5, 3, 1, &why));
    DO(bnd_tensor_pair(&rows, BND_TENSOR_OP_EMBEDDING, table, batch, &why));
    CU_ASSERT_TRUE(HOLDS(rows, 10, 11, 20, 21, 30, 31));
    bnd_engine_free(engine);
    unlink(path);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* State of an optimizer, in bytes per parameter of fp32, as the run's own memory has it. */
static void test_optimizer_states(void)
{
    static const struct {
        const char *optimizer;
        uint64_t tensors;
    } cases[] = {{"sgd", 0}, {"momentum", 1}, {"adagrad", 1}, {"rmsprop", 1}, {"adam", 2}, {"adamw", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t;
        bnd_run *run = NULL;
        bnd_error why;
        bnd_step step;
        DO(bnd_training_default(&t, "mlp", cases[i].optimizer, "fp32", &why));
        DO(bnd_run_new(&run, &t, NULL, &why));
        DO(bnd_run_step(&step, run, &why));
        bnd_account a = account_of(bnd_run_engine(run));
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M] + a.bytes[BND_ROLE_V], 4 * cases[i].tensors * step.weights);
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM], 4 * step.weights);
        bnd_run_free(run);
    }
}

static double first_loss(uint64_t seed_init, uint64_t seed_data)
{
    bnd_training t;
    bnd_run *run = NULL;
    bnd_error why;
    bnd_step step = {.loss = 0};
    CU_ASSERT_FATAL(succeeds(bnd_training_default(&t, "mlp", "sgd", "fp32", &why), &why));
    t.seed_init = seed_init;
    t.seed_data = seed_data;
    CU_ASSERT_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    bnd_run_free(run);
    return step.loss;
}

static void test_seeds_of_a_run(void)
{
    double loss = first_loss(1, 2);
    CU_ASSERT_EQUAL(first_loss(1, 2), loss);
    CU_ASSERT_NOT_EQUAL(first_loss(1, 3), loss);
    CU_ASSERT_NOT_EQUAL(first_loss(2, 2), loss);
}

static bool stop_after_three(void *data, size_t task, const bnd_record *so_far)
{
    (void)data;
    (void)task;
    return so_far->count < 3;
}

static bnd_record record_of(const char *directory, bool resume, bnd_study_watch *watch)
{
    bnd_record record;
    bnd_error why;
    bnd_training t;
    bnd_task task;
    CU_ASSERT_FATAL(succeeds(bnd_training_default(&t, "mlp", "adamw", "bf16-sr", &why), &why));
    t.steps = 6;
    bnd_task_default(&task, &t);
    task.directory = directory;
    task.resume = resume;
    CU_ASSERT_FATAL(succeeds(bnd_study_run(&record, &task, 1, NULL, watch, NULL, &why), &why));
    return record;
}

/* A checkpoint holds the model and the optimizer: a run that is stopped and gone on with has the bits of one that never
 * was. */
static void test_checkpoint(void)
{
    static const char *const files[] = {"config.json", "metrics.jsonl", "summary.json", "checkpoint.safetensors",
                                        "lock"};
    char folder[] = "test-lecture-XXXXXX", path[80], directory[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(directory, sizeof directory, "%s/run", folder);
    bnd_record whole = record_of(NULL, false, NULL), first = record_of(directory, false, stop_after_three);
    CU_ASSERT_TRUE(!first.complete && first.count < 6);
    bnd_record_close(&first);
    bnd_record rest = record_of(directory, true, NULL);
    CU_ASSERT_TRUE(whole.complete && rest.complete && whole.count == 6 && rest.count == 6);
    for (size_t i = 0; i < 6 && rest.count == 6; i++) {
        CU_ASSERT_EQUAL(rest.points[i].loss, whole.points[i].loss);
        CU_ASSERT_EQUAL(rest.points[i].gradient_norm, whole.points[i].gradient_norm);
    }
    CU_ASSERT_EQUAL(rest.validation, whole.validation);
    bnd_record_close(&whole);
    bnd_record_close(&rest);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    CU_ASSERT_EQUAL(rmdir(directory), 0);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

CU_TestInfo lecture_models[] = {
    {"initialization by 1 / sqrt(fan-in)", test_initialization},
    {"seeds", test_seeds},
    {"seeds of a run", test_seeds_of_a_run},
    {"states of optimizers", test_optimizer_states},
    {"checkpoints", test_checkpoint},
    {"data larger than memory", test_data_larger_than_memory},
    CU_TEST_INFO_NULL,
};
