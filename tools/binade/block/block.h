/* binade block: the numbers of one block, quantized under several scale rules. Scales of the library's rules come from
 * bnd_quantize_given_f32. Elements are computed here one by one from exact quotients, which is what that call promises;
 * tests/cli/block.sh compares both. */
#ifndef BINADE_TOOLS_BLOCK_H
#define BINADE_TOOLS_BLOCK_H

#include "common/print.h"
#include "show/value.h"

/* A number of the block: as it was written, and the fp32 number that is quantized. */
typedef struct block_number {
    char *input;
    float x;
} block_number;

enum block_outcome { OUTCOME_EXACT, OUTCOME_ROUNDED, OUTCOME_SATURATED, OUTCOME_ZERO, OUTCOME_NAN, BLOCK_OUTCOMES };
extern const char *const block_outcomes[BLOCK_OUTCOMES];

typedef struct block_element {
    uint64_t code;
    bnd_exact element; /* in units of the scale */
    float value;       /* dequantized */
    enum block_outcome outcome;
} block_element;

/* `mapped`: what 4/6 maps the largest magnitude to, 4 or 6; 0 for the other rules. */
typedef struct block_result {
    const char *rule, *who;
    unsigned mapped;
    uint64_t scale_code;
    bnd_exact scale;
    bool has_exponents;      /* powers of two: */
    int exponent, unclamped; /* the scale's, and what the rule asks for */
    float tensor;            /* the tensor's scale; 1 if there is none */
    bnd_exact largest;       /* the largest element times the scales */
    bnd_exact factor;        /* the product of both scales */
    double top;              /* amax / factor */
    block_element *elements; /* one per number; to be freed */
    bool finite;             /* the scale is a number; otherwise the counts below are 0 */
    double squared_error, squared_input, largest_error;
    size_t outcomes[BLOCK_OUTCOMES];
    bool best;
} block_result;

enum { MOST_BLOCK_RULES = 8 };

typedef struct block_question {
    settings common;
    bnd_block block;
    bool one_rule; /* the name of the block format has a rule */
    const char *rules;
    const char *tensor_text;
    float tensor_scale; /* 0: none was given */
    block_number *numbers;
    size_t count;
    float amax;  /* of the finite numbers */
    bool finite; /* all are finite */
    const char *wanted[MOST_BLOCK_RULES];
    size_t wanted_count;
    block_result results[MOST_BLOCK_RULES];
} block_question;

/* The rules that a block format can have, in the order in which they are printed; NULL after the last. */
const char *block_rule_at(const bnd_block *block, size_t at);

/* Fills q->results from all else. GO_ON, or the status to leave with. */
int block_answer(block_question *q);

double block_mean_squared_error(const block_question *q, const block_result *r);
bnd_exact block_exact_of_float(float x);
/* Why a scale is as it is, if that is not simply its rule; "" otherwise. To be freed. */
char *block_note(const block_question *q, const block_result *r);

void block_print_text(const block_question *q);
void block_print_json(const block_question *q);
void block_print_csv(const block_question *q);

#endif
