/* Whole calls against the answers, by every back end that is here. */
#ifndef TESTS_BULK_COMPARE_H
#define TESTS_BULK_COMPARE_H

#include "expected.h"

/* The back ends that this build has and this machine can run, each with one thread, the portable one first. */
typedef struct back_ends {
    size_t count;
    bnd_context at[BND_BACKEND_COUNT];
} back_ends;
const back_ends *back_ends_here(void);

/* "avx2", and "avx2, 2 threads"; valid until the next call. */
const char *context_name(const bnd_context *context);

/* n elements through a call, by every back end, with the strides and packings of `how`: each has to give the answers,
 * bit for bit, and nothing between and behind the codes. With statistics it is called once more, and has to give the
 * same bits again, and the model's counts and sums, these too bit for bit. */
void check_call(comparison *b, const call *c, const uint64_t *in, size_t n, const bnd_array *how, bool with_stats);

/* The same with answers that the caller has, and counts where there are to be statistics. */
void check_answers(comparison *b, const call *c, const uint64_t *in, const uint64_t *answers, size_t n,
                   const bnd_array *how, const bnd_stats *counts);

/* Encoding and rounding numbers (value sets: rounding only) of either type. */
void check_numbers(comparison *b, const bnd_format *f, bool wide, const uint64_t *numbers, size_t n,
                   const bnd_array *how, bool with_stats);

/* The statistics of one array, counted in one call and in several: the same counts, magnitudes and histogram, and sums
 * that differ by no more than the order of their terms can make out, at most `elements` and none below zero. */
bool statistics_agree(const bnd_stats *a, const bnd_stats *b);

/* Nothing can go on after a trap, or after what lies between pages that trap was left: from here on such a signal says
 * which call that was, and ends the program. */
void say_what_traps(void);

/* A failure in words: the call and all that was asked of it. */
void print_question(const call *c, const bnd_array *how);
void print_statistics(const char *who, const bnd_stats *s);

#endif
