/* Benchmarks: what a case is, and how a time is taken. */
#ifndef BINADE_TOOLS_BENCH_H
#define BINADE_TOOLS_BENCH_H

#include <binade.h>

/* What is measured. */
typedef enum bench_kind { BENCH_ENCODE, BENCH_DECODE, BENCH_ROUND } bench_kind;

typedef struct bench_case {
    const char *name;
    bench_kind kind;
    const char *format;
    bnd_array how;
    bool with_stats;
} bench_case;

extern const bench_case bench_cases[];
extern const size_t bench_case_count;

/* A case with its arrays. */
typedef struct bench_run {
    const bench_case *what;
    bnd_format format;
    size_t elements, bytes_in, bytes_out;
    float *values; /* fp32 side */
    void *codes;   /* the other side; for rounding another array of fp32 */
    bnd_stats stats;
} bench_run;

/* Allocates and fills; false, with a message on standard error, where there is no memory. */
bool bench_open(bench_run *run, const bench_case *what, size_t elements);
void bench_close(bench_run *run);

/* One pass over the array. */
void bench_pass(bench_run *run);

/* Elements whose result is not what the codec gives, looking at all of the first ones and a sample of the rest. */
size_t bench_differences(bench_run *run);

/* ---- time ---- */

double bench_now(void); /* seconds */

/* Copies of as many bytes as the case reads and writes together, half of them read: what memory allows. */
typedef struct bench_copy {
    unsigned char *from, *to;
    size_t bytes;
} bench_copy;
bool bench_copy_open(bench_copy *copy, size_t bytes);
void bench_copy_close(bench_copy *copy);
void bench_copy_pass(const bench_copy *copy);
/* The same with stores that go past the caches; false where this machine's compiler has none. */
bool bench_copy_streaming(const bench_copy *copy);

#endif
