/* bench: every case checked against the codec, then timed beside a copy of the same bytes in the same run. */
#include "bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 101 };

typedef struct size_row {
    const char *name;
    size_t elements;
} size_row;

/* 2 Ki elements stay in the first cache, 32 Ki in the second; 64 Mi (256 MiB of fp32) in none. */
static const size_row sizes[] = {{"L1", 2048}, {"L2", 32768}, {"memory", 67108864}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef struct options {
    const char *only, *size;
    int rounds;
    bool json;
} options;

typedef struct measured {
    double nanoseconds, to_memcpy, to_streaming; /* an element; ratios: the copy's time over the case's */
} measured;

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* How many passes take a fiftieth of a second. */
static int passes_needed(bench_run *run)
{
    double begun = bench_now();
    int passes = 0;
    do {
        bench_pass(run);
        passes++;
    } while (bench_now() - begun < 0.02);
    return passes;
}

/* The three take turns, so that what disturbs the machine disturbs all of them. */
static measured take_times(bench_run *run, const bench_copy *copy, int rounds)
{
    double own[MOST_ROUNDS], plain[MOST_ROUNDS], streaming[MOST_ROUNDS];
    int passes = passes_needed(run);
    bool can_stream = true;
    for (int r = 0; r < rounds; r++) {
        double t0 = bench_now();
        for (int i = 0; i < passes; i++) {
            bench_copy_pass(copy);
        }
        double t1 = bench_now();
        for (int i = 0; i < passes; i++) {
            bench_pass(run);
        }
        double t2 = bench_now();
        for (int i = 0; i < passes && can_stream; i++) {
            can_stream = bench_copy_streaming(copy);
        }
        double t3 = bench_now();
        own[r] = t2 - t1;
        plain[r] = (t1 - t0) / (t2 - t1);
        streaming[r] = can_stream ? (t3 - t2) / (t2 - t1) : 0;
    }
    return (measured){.nanoseconds = median(own, rounds) / passes / (double)run->elements * 1e9,
                      .to_memcpy = median(plain, rounds),
                      .to_streaming = median(streaming, rounds)};
}

static void print_result(const options *o, const bench_case *what, const size_row *size, measured m, bool first)
{
    if (o->json) {
        printf("%s{\"case\": \"%s\", \"size\": \"%s\", \"elements\": %zu, \"ns_per_element\": %.4f, "
               "\"ratio_to_memcpy\": %.4f, \"ratio_to_streaming_copy\": %.4f}",
               first ? "" : ",\n ", what->name, size->name, size->elements, m.nanoseconds, m.to_memcpy, m.to_streaming);
    } else {
        printf("%-32s %-7s %10.3f %10.3f %10.3f\n", what->name, size->name, m.nanoseconds, m.to_memcpy, m.to_streaming);
    }
    fflush(stdout);
}

/* False where the results are not the codec's, or there is no memory. */
static bool measure(const options *o, const bench_case *what, const size_row *size, bool first)
{
    bench_run run;
    bench_copy copy;
    if (!bench_open(&run, what, size->elements)) {
        return false;
    }
    size_t different = bench_differences(&run);
    bool good = different == 0 && bench_copy_open(&copy, (run.bytes_in + run.bytes_out) / 2);
    if (different != 0) {
        fprintf(stderr, "bench: %s: %zu elements are not what the codec gives\n", what->name, different);
    }
    if (good) {
        int rounds = size->elements > 1000000 && o->rounds > 5 ? 5 : o->rounds;
        print_result(o, what, size, take_times(&run, &copy, rounds), first);
        bench_copy_close(&copy);
    }
    bench_close(&run);
    return good;
}

static void usage(FILE *out)
{
    fputs("usage: bench [OPTION...]\n\n"
          "Times conversions of arrays beside a copy of as many bytes, in the same run; each case is compared with\n"
          "the codec first. A ratio of 1 is the speed of memcpy, or of a copy with streaming stores.\n\n"
          "  --case TEXT     the cases whose name has TEXT in it (default all)\n"
          "  --size NAME     L1, L2 or memory (default all three)\n"
          "  --rounds N      medians of N rounds, 1 to 101 (default 21; at most 5 beyond the caches)\n"
          "  --json          JSON instead of text\n"
          "  --help          this text\n",
          out);
}

static int read_options(options *o, int argc, char **argv)
{
    static const struct option longs[] = {
        {"case", required_argument, NULL, 'c'},   {"size", required_argument, NULL, 's'},
        {"rounds", required_argument, NULL, 'r'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *o = (options){.only = "", .size = "", .rounds = 21};
    for (int found; (found = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (found) {
        case 'c':
            o->only = optarg;
            break;
        case 's':
            o->size = optarg;
            break;
        case 'r':
            o->rounds = atoi(optarg);
            break;
        case 'j':
            o->json = true;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    }
    if (optind < argc || o->rounds < 1 || o->rounds > MOST_ROUNDS) {
        usage(stderr);
        return 2;
    }
    return -1;
}

int main(int argc, char **argv)
{
    options o;
    int status = read_options(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    bool good = true, first = true;
    printf(o.json ? "[" : "%-32s %-7s %10s %10s %10s\n", "case", "size", "ns", "/memcpy", "/streaming");
    for (size_t s = 0; s < SIZES; s++) {
        for (size_t c = 0; c < bench_case_count; c++) {
            bool wanted = strstr(bench_cases[c].name, o.only) != NULL &&
                          (o.size[0] == '\0' || strcmp(o.size, sizes[s].name) == 0);
            if (wanted) {
                good = measure(&o, &bench_cases[c], &sizes[s], first) && good;
                first = false;
            }
        }
    }
    fputs(o.json ? "]\n" : "", stdout);
    return good && !first ? 0 : 1;
}
