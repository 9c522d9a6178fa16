/* Running sums of the page: a series of terms, added in several formats and ways at once. */
#ifndef BINADE_PAGE_SUM_H
#define BINADE_PAGE_SUM_H

#include "exact_total.h"
#include "store/json_writer.h"
#include <binade/arith.h>
#include <binade/bulk.h>

enum { SUM_COUNT_MAX = 10000000, SUM_TEXT_MAX = 400, SUM_DEPTH = 64, SUM_NAME_SIZE = 80, SUM_POINTS = 256 };

/* ---- the terms ---- */

typedef enum sum_series_kind { SERIES_CONSTANT, SERIES_HARMONIC, SERIES_RANDOM } sum_series_kind;

typedef struct sum_series {
    sum_series_kind kind;
    const char *text; /* of a constant */
    uint64_t count, seed;
    bnd_exact value;   /* of a constant */
    uint64_t total[6]; /* so far, of the others: in units of 2^-256 (harmonic) or 2^-24 (random) */
} sum_series;

/* "1/k", "random", or a number. */
BND_CHECKED bnd_status sum_series_open(sum_series *out, const char *text, uint64_t count, uint64_t seed,
                                       bnd_error *why);
/* The k-th term, counted from 0, rounded once to a format. */
uint64_t sum_series_term(const sum_series *s, uint64_t k, const bnd_format *f, bnd_rule rule);
/* Adds the k-th term to the exact total. The double is the total up to this term. */
void sum_series_add(sum_series *s, uint64_t k);
double sum_series_total(const sum_series *s, uint64_t terms);
/* The exact total of all terms, to be freed, or its certain digits and "..."; NULL without memory. `number` refers to
 * it, or to nothing. */
char *sum_series_exact(const sum_series *s, bnd_number *number);

/* ---- the formats and ways ---- */

/* Purposes of random bits: those of `binade calc 'sum(x, n)'`. */
enum { SUM_PURPOSE_TERMS = 0, SUM_PURPOSE_ADDITIONS = 2 };

typedef struct sum_line sum_line;

/* A way of adding: a row. */
typedef struct sum_way {
    const char *name, *title;
    bool fp32, stochastic;
    void (*add)(sum_line *line, uint64_t k);
    uint64_t (*total)(const sum_line *line); /* of the terms so far */
} sum_way;

struct sum_line {
    char name[SUM_NAME_SIZE];
    const sum_way *way;
    bnd_format in, to; /* of the terms; of the sum */
    bnd_rule rule, term_rule;
    uint64_t seed, term, sum, rest; /* codes; `rest` is Kahan's */
    uint32_t flags;
    uint64_t stack[SUM_DEPTH + 1], starts[SUM_DEPTH + 1]; /* of pairwise sums */
    unsigned depth;
    bool settled;                               /* every addition that follows changes nothing */
    uint64_t first_unchanged, moved, unchanged; /* steps from 1; 0 where there is none */
};

/* "bf16", "bf16:kahan": the format of the terms, and a way. */
BND_CHECKED bnd_status sum_line_open(sum_line *out, const char *name, bnd_rule rule, uint64_t seed, bnd_error *why);
void sum_line_add(sum_line *line, const sum_series *s, uint64_t k);
uint64_t sum_line_total(const sum_line *line);

/* Members of an answer: the exact error of a total, its size relative to the exact one, how many of `precision` bits
 * are right, and how many are lost. */
void sum_put_error(bnd_lab_json *json, bnd_exact value, const bnd_number *exact, unsigned precision);

#endif
