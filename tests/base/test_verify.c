/* BNDI_VERIFY ends a checked build where an internal precondition does not hold, and says which; a release does not
 * evaluate it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arith/arith.h"
#include "base/bits.h"
#include "base/verify.h"
#include "tests.h"
#include "tests/support/suites.h"

#if defined(BNDI_WITH_VERIFY)
/* Runs the call in a child process: true if SIGABRT ends it after a message with this text. */
static bool aborts(void (*call)(void), const char *text)
{
    int ends[2], status = 0;
    char message[512] = "";
    fflush(NULL);
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    pid_t child = fork();
    CU_ASSERT_FATAL(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        call();
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], message + length, sizeof message - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    close(ends[0]);
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(message, text) != NULL;
}

/* Of a header, compiled into this file. */
static void power_out_of_range(void)
{
    static volatile int exponent = 1024;
    (void)bndi_power_of_two(exponent);
}

/* Of the library. */
static void product_of_zero(void)
{
    const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE}, zero = {.kind = BND_KIND_ZERO};
    bnd_exact product;
    bndi_product(&product, &one, &zero);
}

static void product_of_ones(void)
{
    const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
    bnd_exact product;
    bndi_product(&product, &one, &one);
}

static void test_fires(void)
{
    CU_ASSERT(aborts(power_out_of_range, "bits.h:"));
    CU_ASSERT(aborts(power_out_of_range, "BNDI_VERIFY(exponent >= -1022 && exponent <= 1023) does not hold\n"));
    CU_ASSERT(aborts(product_of_zero, "sum.c:"));
    CU_ASSERT_FALSE(aborts(product_of_ones, ""));
}
#else
static int evaluated;

static bool counts(void)
{
    evaluated++;
    return false;
}

static void test_fires(void)
{
    BNDI_VERIFY(counts());
    CU_ASSERT_FALSE(counts());
    CU_ASSERT_EQUAL(evaluated, 1);
    skip_test("BNDI_VERIFY (configure --enable-verify)");
}
#endif

CU_TestInfo verify_tests[] = {
    {"a precondition that does not hold", test_fires},
    CU_TEST_INFO_NULL,
};
