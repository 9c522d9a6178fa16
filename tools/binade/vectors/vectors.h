/* What the files of `binade vectors` share: its options, and the comparison of lines. */
#ifndef BINADE_TOOLS_VECTORS_H
#define BINADE_TOOLS_VECTORS_H

#include "common/print.h"
#include "common/progress.h"

enum { SHOWN_DEFAULT = 10 };

typedef struct vectors {
    settings common;
    const char *op;
    format_list in;
    bnd_format out;
    bool out_given, memh, lab_flags, coverage;
    uint64_t count, shown;
    bnd_vector_level level;
    const char *nan, *flags; /* how answers are compared: "bits" or "any"; "none", "ieee", "all"; NULL: not said */
    char **command;          /* what to drive, ends with NULL; NULL where lines are read */
} vectors;

/* The cells kept per mismatch: those of the JSON object, then two texts for people. */
enum mismatch_cell {
    MISMATCH_LINE,
    MISMATCH_OPERANDS,
    MISMATCH_GOT_CODE,
    MISMATCH_GOT_FLAGS,
    MISMATCH_EXPECTED_CODE,
    MISMATCH_EXPECTED_FLAGS,
    MISMATCH_REASON,
    MISMATCH_GOT,
    MISMATCH_EXPECTED,
    MISMATCH_CELLS
};

/* Compares lines from any source with a rule. */
typedef struct judge {
    const vectors *asked;
    bnd_vectors described;
    bool has_description;
    bnd_vector_check *check;
    uint64_t shown;
    table mismatches; /* the first ones, MISMATCH_CELLS each */
    bool reported;
} judge;

/* What --op, --in, --out and the rule say. */
int describe(bnd_vectors *out, vectors *v);

/* Starts with a description; GO_ON, or the status to leave with. */
int judge_begin(judge *j, const bnd_vectors *described);
/* A line; `number` is its number, for people. */
int judge_line(judge *j, const bnd_vector_line *line, uint64_t number);
void judge_end(judge *j);

/* ---- report.c ---- */

/* Prints the verdict, the first mismatches, the rules that match, and the coverage: FINE or DOES_NOT_HOLD. */
int judge_report(judge *j);
/* Prints only the coverage: FINE. */
int judge_covers(const judge *j);
void judge_print_mismatches(const judge *j);

/* Coverage: classes of operands and results, exponents, distances, shifts. */
void print_vector_coverage(const bnd_vector_check *check, const bnd_vectors *described);
void json_vector_coverage(bnd_lab_json *json, const bnd_vector_check *check);

/* Lines of a file or standard input; answers of a command. */
int check_stream(vectors *v);
int check_command(vectors *v);

#endif
