/* A child of fork() whose parent has used threads: each call that shares its work out returns, with the same bits. The
 * threads of gcc's OpenMP library do not survive fork(), and a child that waited for them would wait for ever. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <binade/block.h>
#include <binade/matmul.h>
#include <binade-lab/verify.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1 << 20, SIDE = 256, STACK = 4, TIME_LIMIT = 60 };

static const bnd_context four = {.threads = 4};

/* The results of a call, as one number. */
static uint64_t digest_of(uint64_t sum, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
    return sum;
}

static float *numbers(size_t count)
{
    float *x = malloc(count * sizeof *x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    for (size_t i = 0; i < count; i++) {
        x[i] = (float)(i * 2654435761u % 100003) / 1000 - 50;
    }
    return x;
}

static uint64_t encode(bnd_stats *stats)
{
    bnd_array how = {.context = &four};
    bnd_format f;
    bnd_error why;
    float *x = numbers(COUNT);
    unsigned char *codes = malloc(COUNT);
    CU_ASSERT_PTR_NOT_NULL_FATAL(codes);
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, "e4m3", &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_encode_f32(codes, x, COUNT, &f, &how, stats, &why), BND_OK);
    uint64_t sum = digest_of(0, codes, COUNT);
    free(codes);
    free(x);
    return sum;
}

static uint64_t an_array(void)
{
    return encode(NULL);
}

static uint64_t an_array_with_statistics(void)
{
    bnd_stats stats = {.elements = 0};
    uint64_t sum = encode(&stats);
    sum = digest_of(sum, &stats.squared_error, sizeof stats.squared_error);
    return digest_of(sum, &stats.inexact, sizeof stats.inexact);
}

static uint64_t blocks(void)
{
    bnd_array how = {.context = &four};
    bnd_block block;
    bnd_error why;
    float *x = numbers(COUNT);
    CU_ASSERT_EQUAL_FATAL(bnd_block_parse(&block, "mxfp8", &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(x, x, (bnd_shape){1, COUNT, 1}, &block, &how, NULL, &why), BND_OK);
    uint64_t sum = digest_of(0, x, COUNT * sizeof *x);
    free(x);
    return sum;
}

static uint64_t a_product(void)
{
    bnd_gemm how = {.context = &four};
    bnd_error why;
    float *a = numbers(SIDE * SIDE), *b = numbers(SIDE * SIDE), *c = numbers(SIDE * SIDE);
    CU_ASSERT_EQUAL(bnd_gemm_f32(c, SIDE, SIDE, a, b, SIDE, &how, &why), BND_OK);
    uint64_t sum = digest_of(0, c, SIDE * SIDE * sizeof *c);
    free(a);
    free(b);
    free(c);
    return sum;
}

static bnd_tensor *tensor_of(bnd_engine *engine, const size_t shape[3])
{
    bnd_format fp32;
    bnd_error why;
    bnd_tensor *t;
    float *x = numbers(shape[0] * shape[1] * shape[2]);
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&fp32, "fp32", &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_tensor_new(&t, engine, &fp32, shape, 3, BND_ROLE_ACT, &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(
        bnd_tensor_write_f32(t, x, shape[0] * shape[1] * shape[2], (bnd_rule){.rounding = BND_ROUND_RNE}, &why),
        BND_OK);
    free(x);
    return t;
}

/* A stack of products is shared out product by product. */
static uint64_t a_stack_of_products(void)
{
    const size_t shape[3] = {STACK, SIDE, SIDE};
    bnd_engine *engine;
    bnd_tensor *c;
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_engine_new(&engine, &four, &why), BND_OK);
    bnd_tensor *a = tensor_of(engine, shape), *b = tensor_of(engine, shape);
    CU_ASSERT_EQUAL_FATAL(bnd_tensor_matmul(&c, a, b, &why), BND_OK);
    float *x = numbers(STACK * SIDE * SIDE);
    CU_ASSERT_EQUAL(bnd_tensor_read_f32(x, STACK * SIDE * SIDE, c, &why), BND_OK);
    uint64_t sum = digest_of(0, x, STACK * SIDE * SIDE * sizeof *x);
    free(x);
    bnd_tensor_release(a);
    bnd_tensor_release(b);
    bnd_tensor_release(c);
    bnd_engine_free(engine);
    return sum;
}

static uint64_t a_check_of_the_build(void)
{
    bnd_verifier *prover;
    bnd_verify_result proof = {.cases = 0};
    bnd_format f;
    bnd_error why;
    size_t row;
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, "e4m3", &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_verify_check_parse(&row, "two", &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_verifier_new(&prover, (bnd_verify_options){.threads = 4}, &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_verifier_run(&proof, prover, row, &f, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), BND_OK);
    bnd_verifier_free(prover);
    return proof.cases + proof.mismatches;
}

static uint64_t runs(void)
{
    const char *const recipes[2] = {"fp32", "bf16-pure"};
    bnd_task tasks[2];
    bnd_record records[2];
    bnd_error why;
    uint64_t sum = 0;
    for (size_t i = 0; i < 2; i++) {
        bnd_training t = small_training("mlp", recipes[i], 1, 4);
        bnd_task_default(&tasks[i], &t);
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 2, &four, NULL, NULL, &why), &why));
    for (size_t i = 0; i < 2; i++) {
        sum = digest_of(sum, &records[i].loss, sizeof records[i].loss);
        bnd_record_close(&records[i]);
    }
    return sum;
}

/* The parent's result again, in a child that SIGALRM ends where it waits for ever. */
static void child_agrees(uint64_t (*call)(void), uint64_t expected)
{
    int how = 0;
    fflush(stdout);
    pid_t child = fork();
    CU_ASSERT_NOT_EQUAL_FATAL(child, -1);
    if (child == 0) {
        alarm(TIME_LIMIT);
        _exit(call() == expected ? 0 : 1);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &how, 0), child);
    CU_ASSERT_TRUE(WIFEXITED(how));
    CU_ASSERT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void try_call(uint64_t (*call)(void))
{
    uint64_t expected = call();
    child_agrees(call, expected);
    CU_ASSERT_EQUAL(call(), expected); /* the parent goes on with its threads */
}

static void array_after_fork(void)
{
    try_call(an_array);
}

static void statistics_after_fork(void)
{
    try_call(an_array_with_statistics);
}

static void blocks_after_fork(void)
{
    try_call(blocks);
}

static void product_after_fork(void)
{
    try_call(a_product);
}

static void stack_after_fork(void)
{
    try_call(a_stack_of_products);
}

static void proof_after_fork(void)
{
    try_call(a_check_of_the_build);
}

static void runs_after_fork(void)
{
    try_call(runs);
}

CU_TestInfo fork_tests[] = {{"arrays", array_after_fork},
                            {"arrays with statistics", statistics_after_fork},
                            {"blocks", blocks_after_fork},
                            {"products", product_after_fork},
                            {"stacks of products", stack_after_fork},
                            {"proofs", proof_after_fork},
                            {"runs side by side", runs_after_fork},
                            CU_TEST_INFO_NULL};
