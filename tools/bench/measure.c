/* Times: medians of rounds in which the case and the copies take turns, so that other load on the machine affects
 * all of them alike. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

typedef struct contestant {
    void (*pass)(void *state);
    void *state;
    int passes;
    double seconds; /* a pass, in this round */
} contestant;

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take(contestant *c)
{
    double begun = bench_now();
    for (int i = 0; i < c->passes; i++) {
        c->pass(c->state);
    }
    c->seconds = (bench_now() - begun) / c->passes;
}

/* Finds the number of passes per round. They take at least a millisecond, so that the clock's resolution of some
 * tens of nanoseconds does not matter. They do not take more, since other processes interrupt in slices of
 * milliseconds: most of many short rounds are not interrupted. */
static void warm_up(contestant *c)
{
    const double least = 0.001;
    const int most = 1000000;
    double begun = bench_now(), spent = 0;
    c->passes = 0;
    while (spent < least && c->passes < most) { /* the limit also ends the loop if the clock does not advance */
        c->pass(c->state);
        c->passes++;
        spent = bench_now() - begun;
    }
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

bench_times bench_measure(bench_run *run, bench_copy *copy, bool streaming, int rounds, double seconds)
{
    enum { LEAST_ROUNDS = 3 };
    double own[BENCH_MOST_ROUNDS], to_plain[BENCH_MOST_ROUNDS], to_streaming[BENCH_MOST_ROUNDS];
    contestant plain = {.pass = bench_copy_plain, .state = copy}, past = {.pass = bench_copy_streaming, .state = copy};
    contestant self = {.pass = bench_pass, .state = run};
    double begun = bench_now();
    int done = 0;
    warm_up(&plain);
    warm_up(&self);
    if (streaming) {
        warm_up(&past);
    }
    for (; done < rounds && (done < LEAST_ROUNDS || bench_now() - begun < seconds); done++) {
        take(&plain);
        if (run->to == run->from) {
            bench_refill(run);
        }
        take(&self);
        if (streaming) {
            take(&past);
        }
        own[done] = self.seconds;
        to_plain[done] = plain.seconds / self.seconds;
        to_streaming[done] = past.seconds / self.seconds;
    }
    double pass = bench_median(own, done);
    return (bench_times){.nanoseconds = pass / (double)run->elements * 1e9,
                         .gigabytes = (double)(run->bytes_in + run->bytes_out) / pass * 1e-9,
                         .to_memcpy = bench_median(to_plain, done),
                         .to_streaming = streaming ? bench_median(to_streaming, done) : 0,
                         .rounds = done};
}

void bench_compare(bench_contest *contest, int rounds, double seconds)
{
    enum { LEAST_ROUNDS = 3 };
    double own[BENCH_MOST_ROUNDS], ratios[BENCH_MOST_ROUNDS];
    contestant self = {.pass = contest->pass, .state = contest->state};
    contestant other = {.pass = contest->other, .state = contest->other_state};
    const double begun = bench_now();
    int done = 0;
    warm_up(&self);
    if (contest->other != NULL) {
        warm_up(&other);
    }
    for (; done < rounds && (done < LEAST_ROUNDS || bench_now() - begun < seconds); done++) {
        if (contest->other != NULL) {
            take(&other);
        }
        take(&self);
        own[done] = self.seconds;
        ratios[done] = other.seconds / self.seconds;
    }
    contest->seconds = bench_median(own, done);
    contest->ratio = contest->other != NULL ? bench_median(ratios, done) : 0;
    contest->rounds = done;
}
