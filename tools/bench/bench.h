/* Benchmarks: cases, how they are timed, and how results are printed. `binade bench` is made of these. */
#ifndef BINADE_TOOLS_BENCH_H
#define BINADE_TOOLS_BENCH_H

#include <binade-lab.h>

#include "store/json_writer.h"

/* ---- cases ---- */

typedef enum bench_operation {
    BENCH_ENCODE,
    BENCH_DECODE,
    BENCH_ROUND,
    BENCH_CONVERT,
    BENCH_QUANTIZE,
    BENCH_DEQUANTIZE,
    BENCH_OPERATE,
    BENCH_SUM
} bench_operation;

typedef struct bench_case {
    bench_operation operation;
    const char *
        format; /* of the last two a block format; "": a row for any format that is asked for and has none of its own */
    const char *from;         /* of BENCH_CONVERT; of BENCH_OPERATE fp32, where numbers are rounded and not codes */
    bnd_operation arithmetic; /* of BENCH_OPERATE */
    bnd_summation summation;  /* of BENCH_SUM */
    bnd_rule rule;
    bool wide; /* fp64 instead of fp32 */
    bool unpacked, statistics;
} bench_case;

extern const bench_case bench_cases[];
extern const size_t bench_case_count;

enum { BENCH_NAME_SIZE = 96 };
void bench_name(char name[BENCH_NAME_SIZE], const bench_case *what); /* "fp32 to e4m3, saturate" */

/* ---- the machine ---- */

typedef struct bench_machine {
    char cpu[64];
    size_t l1, l2, last; /* bytes of the data caches of one core; `last` is shared */
    unsigned cores;
} bench_machine;
void bench_look(bench_machine *machine);

/* How many elements: fp32, or half as many fp64. */
typedef struct bench_size {
    char name[16]; /* "L1", "L2", "memory", that of a family, or the number as it was written */
    size_t elements;
    bool beyond_caches;
    const struct bench_family *family; /* what is measured instead of arrays; NULL: arrays */
} bench_size;
/* False if the name is not known and not a number from 1 to 2^32. */
bool bench_size_parse(bench_size *out, const char *name, const bench_machine *machine);

/* ---- a case with its arrays ---- */

typedef struct bench_run {
    const bench_case *what;
    bnd_format format, in, out; /* the case's; of the elements read, of those written */
    bnd_array how;
    bnd_context context;
    size_t elements, period, bytes_in, bytes_out; /* scales counted too */
    unsigned char *pattern;                       /* the input's first `period` elements; the rest repeats them */
    unsigned char *from, *to;                     /* the same where it works in place */
    bnd_block block;                              /* where scales are shared */
    unsigned char *scales;
    float tensor_scale;
    bnd_stats stats;
} bench_run;

/* Allocates and fills; false, with a message on standard error, if memory runs out. */
bool bench_open(bench_run *run, const bench_case *what, size_t elements, bool hard);
void bench_close(bench_run *run);
bool bench_refill(bench_run *run);                                        /* the input as it was */
void bench_repeat(unsigned char *to, size_t bytes, const bench_run *run); /* the pattern, again and again */
void bench_pass(void *run);                                               /* one pass over the array */

/* An element as it lies in memory, of any format: fp32 and fp64 are formats too. */
uint64_t bench_element(const unsigned char *memory, const bnd_format *f, size_t i, uint8_t packing);

/* What is different in conversions, where scales are shared, where operations are made, and in sums. */
typedef struct bench_kind {
    bool (*open)(bench_run *run); /* the arrays, and how many bytes they are */
    bool (*fill)(bench_run *run);
    bool (*pass)(bench_run *run, bnd_stats *stats);
    size_t (*wrong)(bench_run *run); /* elements and scales of the pass before that are not what they should be */
} bench_kind;
extern const bench_kind bench_blocks, bench_operations, bench_sums;

enum { BENCH_ALL_OF = 65536, BENCH_STEP = 997 };
/* Looks at the first ones, and at one of many beyond. */
size_t bench_wrong_elements(const bench_run *run, bool (*is_wrong)(const bench_run *run, size_t i));

/* n elements of a format: normally distributed, or (hard) random bits. */
bool bench_fill(void *out, size_t n, const bnd_format *format, bnd_packing packing, bool hard);

/* Elements whose result is not what the codec gives, looking at all of the first ones and a sample of the rest. */
size_t bench_differences(bench_run *run);

/* ---- copies of as many bytes as a case reads and writes together, half of them read: what memory allows ---- */

typedef struct bench_copy {
    unsigned char *from, *to;
    size_t bytes;
    unsigned threads;
} bench_copy;
bool bench_copy_open(bench_copy *copy, size_t bytes);
void bench_copy_close(bench_copy *copy);
void bench_copy_plain(void *copy);
bool bench_can_stream(void);
void bench_copy_streaming(void *copy); /* with stores that go past the caches */

/* Memory for an array, with every page touched; NULL, with a message, if memory runs out. */
void *bench_allocate(size_t bytes);

/* ---- time ---- */

typedef struct bench_times {
    double nanoseconds, gigabytes;  /* an element; read and written, a second */
    double to_memcpy, to_streaming; /* the copy's time over the case's; to_streaming is 0 if not measured */
    int rounds;
} bench_times;
enum { BENCH_MOST_ROUNDS = 101 };
double bench_now(void);                         /* seconds */
double bench_median(double *values, int count); /* sorts them */
bench_times bench_measure(bench_run *run, bench_copy *copy, bool streaming, int rounds, double seconds);

/* Two workloads, timed in turns: the median time of a pass, and the median of the other's time divided by it. */
typedef struct bench_contest {
    void (*pass)(void *state);
    void *state;
    void (*other)(void *state); /* NULL: no other workload */
    void *other_state;
    double seconds, ratio; /* out; ratio 0 without another */
    int rounds;
} bench_contest;
void bench_compare(bench_contest *contest, int rounds, double seconds);

/* ---- all of it ---- */

typedef struct bench_options {
    const bnd_format *formats; /* the cases of these; none: the table */
    size_t format_count;
    const char *words; /* the cases with all of these words in their names */
    bench_size sizes[8];
    size_t size_count;
    uint8_t backends[BND_BACKEND_COUNT]; /* bnd_backend; none: the best */
    size_t backend_count;
    bool threads_given; /* otherwise one, and every core beyond the caches */
    unsigned threads;
    bool hard, list, json;
    int rounds;
    double seconds;                                           /* for a row of the table, about */
    void (*progress)(void *state, size_t done, size_t total); /* told after each row; or NULL */
    void *progress_state;
} bench_options;

/* One measured row. */
typedef struct bench_row {
    const bench_run *run;
    const bench_size *size;
    bnd_backend backend;
    unsigned threads;
    bench_times times;
} bench_row;

/* Writes to standard output. */
typedef struct bench_report {
    bnd_lab_json json;
    bool as_json;
    size_t rows;
} bench_report;
/* The names of the cases. */
void bench_list(const bench_case *cases, size_t count, const bench_options *options);
void bench_json_begin(bnd_lab_json *json);                             /* on standard output */
void bench_json_number(bnd_lab_json *json, const char *key, double x); /* null where it is not above 0 */
void bench_report_begin(bench_report *report, const bench_machine *machine, const bench_options *options);
void bench_report_row(bench_report *report, const bench_row *row);
void bench_report_end(bench_report *report);

/* Does the name contain every word of `words`? */
bool bench_has_words(const char *name, const char *words);

/* Cases that are not arrays have a size of their own, and another reference than a copy. A family is a file and a row
 * of bench_families. */
typedef void bench_listing(void *state, const char *name);
typedef struct bench_family {
    const char *size; /* "gemm" */
    void (*each)(const bench_options *options, bench_listing *listing, void *state);
    int (*all)(bench_report *report, const bench_options *options); /* 0; 1 where a result is wrong; 3 without memory */
} bench_family;
extern const bench_family bench_products, bench_models, bench_trainings, bench_calls;
const bench_family *bench_family_at(size_t row);                                     /* NULL behind the last */
size_t bench_family_count(const bench_family *family, const bench_options *options); /* cases chosen */

/* A row of JSON: a figure and a ratio under their keys. */
void bench_report_other(bench_report *report, const char *name, const char *size, const char *backend, unsigned threads,
                        int rounds, const char *figure_key, double figure, const char *ratio_key, double ratio);

/* Measures and reports. 0; 1 where a result is not the codec's; 2 where no case has such a name; 3 without memory. */
int bench_all(const bench_options *options, const bench_machine *machine);

#endif
