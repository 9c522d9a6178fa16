/* One comparison for every call, and what it prints when it fails. */
#include "compare.h"
#include "pages.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const back_ends *back_ends_here(void)
{
    static back_ends here;
    if (here.count == 0) {
        for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
            if (bnd_backend_here((bnd_backend)i)) {
                here.at[here.count++] = (bnd_context){.backend = (uint8_t)i, .threads = 1};
            }
        }
    }
    return &here;
}

/* ---- what is printed ---- */

const char *context_name(const bnd_context *context)
{
    static char text[64];
    const char *name = context == NULL ? "no context" : bnd_backend_name((bnd_backend)context->backend);
    if (context == NULL || context->threads < 2) {
        return name;
    }
    snprintf(text, sizeof text, "%s, %u threads", name, (unsigned)context->threads);
    return text;
}

void print_question(const call *c, const bnd_array *how)
{
    const bnd_rule *rule = &how->rule;
    printf("    %s: %s%s%s %s %s overflow=%s nan=%s no_nan=%u negative=%u zero=%u ties=%u N=%u%s%s%s packing=%u,%u "
           "strides=%td,%td: ",
           context_name(how->context), c->name, c->kind == CONVERT ? " from " : "",
           c->kind == CONVERT ? c->in.name : "", c->f.name, bnd_rounding_name(rule->rounding),
           bnd_overflow_name(rule->overflow), bnd_nan_name(rule->nan), rule->no_nan, rule->negative, rule->zero,
           rule->tie_rule, rule->random_bits, rule->flush_in ? " flush_in" : "", rule->flush_out ? " flush_out" : "",
           rule->tiny_before ? " tiny_before" : "", how->packing_in, how->packing_out, how->stride_in, how->stride_out);
}

void print_statistics(const char *who, const bnd_stats *s)
{
    printf("    %-5s n %llu exact %llu inexact %llu underflow %llu to_zero %llu overflow %llu saturated %llu inf %llu "
           "nan %llu to %llu compared %llu largest %a smallest %a error %a input %a\n",
           who, (unsigned long long)s->elements, (unsigned long long)s->exact, (unsigned long long)s->inexact,
           (unsigned long long)s->underflows, (unsigned long long)s->to_zero, (unsigned long long)s->overflows,
           (unsigned long long)s->saturated, (unsigned long long)s->infinities_in, (unsigned long long)s->nans_in,
           (unsigned long long)s->nans_out, (unsigned long long)s->compared, s->largest, s->smallest, s->squared_error,
           s->squared_input);
}

static void end_of_all(int signal_number)
{
    printf("\n    %s in this call, of %zu elements:\n",
           signal_number == SIGFPE ? "an exception was trapped" : "memory was touched that is not the arrays'",
           latest.n);
    if (latest.c != NULL) {
        print_question(latest.c, &latest.how);
    }
    puts("");
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

void say_what_traps(void)
{
    static const int signals[] = {SIGFPE, SIGSEGV, SIGBUS};
    struct sigaction action = {.sa_handler = end_of_all};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

/* ---- comparing ---- */

/* The relative error of a sum of n terms of one sign, in any order, is below n times that of one addition; twice that
 * for two sums. */
static bool near(double a, double b, uint64_t terms)
{
    return a == b || fabs(a - b) <= 2 * (double)terms * 0x1p-53 * fmax(a, b);
}

bool statistics_agree(const bnd_stats *a, const bnd_stats *b)
{
    bnd_stats x = *a, y = *b;
    x.squared_error = y.squared_error = x.squared_input = y.squared_input = 0;
    return memcmp(&x, &y, sizeof x) == 0 && near(a->squared_error, b->squared_error, a->elements) &&
           near(a->squared_input, b->squared_input, a->elements);
}

/* A call's arrays, and what is wanted of it. */
typedef struct trial {
    const call *c;
    const uint64_t *in;
    size_t n, bytes;
    unsigned char *memory, *got, *want;
    void *from, *to; /* where element 0 stands */
} trial;

static void trial_open(trial *t, const call *c, const uint64_t *in, const uint64_t *answers, size_t n,
                       const bnd_array *how)
{
    *t = (trial){.c = c, .in = in, .n = n};
    t->bytes = strided_bytes(&c->out, how->packing_out, n, how->stride_out);
    t->memory = memory_of(strided_bytes(&c->in, how->packing_in, n, how->stride_in));
    t->got = memory_of(t->bytes);
    t->want = memory_of(t->bytes);
    t->from = put_strided(t->memory, &c->in, how->packing_in, in, n, how->stride_in);
    unsigned char *first = put_strided(t->want, &c->out, how->packing_out, answers, n, how->stride_out);
    t->to = t->got + (first - t->want);
}

static void trial_close(trial *t)
{
    free(t->memory);
    free(t->got);
    free(t->want);
}

static void note_differences(comparison *b, const trial *t, const bnd_array *how)
{
    const bnd_format *out = &t->c->out;
    for (size_t i = 0; i < t->n; i++) {
        size_t place = strided_place(i, t->n, how->stride_out);
        uint64_t got = get_code(t->got, out, how->packing_out, place);
        uint64_t want = get_code(t->want, out, how->packing_out, place);
        if (comparison_note(b, got == want)) {
            print_question(t->c, how);
            printf("element %zu of %zu, 0x%llx, R=0x%llx: 0x%llx, not 0x%llx\n", i, t->n, (unsigned long long)t->in[i],
                   (unsigned long long)random_of(how, i), (unsigned long long)got, (unsigned long long)want);
        }
    }
    comparison_note(b, false); /* or the bits between and behind the codes */
}

static void compare_bits(comparison *b, trial *t, const bnd_array *how, bnd_stats *stats)
{
    memset(t->got, FILL, t->bytes);
    bool called = run_call(t->c, t->to, t->from, t->n, how, stats) == BND_OK;
    if (called && memcmp(t->got, t->want, t->bytes) == 0) {
        b->compared += t->n;
    } else {
        note_differences(b, t, how);
    }
}

static void compare_statistics(comparison *b, trial *t, const bnd_array *how, const bnd_stats *want)
{
    bnd_stats got = {0};
    compare_bits(b, t, how, &got);
    if (comparison_note(b, memcmp(&got, want, sizeof got) == 0)) {
        print_question(t->c, how);
        printf("statistics of %zu elements\n", t->n);
        print_statistics("got", &got);
        print_statistics("want", want);
    }
}

void check_answers(comparison *b, const call *c, const uint64_t *in, const uint64_t *answers, size_t n,
                   const bnd_array *how, const bnd_stats *counts)
{
    const back_ends *here = back_ends_here();
    trial t;
    trial_open(&t, c, in, answers, n, how);
    for (size_t i = 0; i < here->count; i++) {
        bnd_array by = *how;
        by.context = &here->at[i];
        compare_bits(b, &t, &by, NULL);
        if (counts != NULL) {
            compare_statistics(b, &t, &by, counts);
        }
    }
    trial_close(&t);
}

void check_call(comparison *b, const call *c, const uint64_t *in, size_t n, const bnd_array *how, bool with_stats)
{
    uint64_t *answers = memory_of(n * sizeof *answers);
    tally counts = {.stats.elements = 0};
    for (size_t i = 0; i < n; i++) {
        answers[i] = answer_of(c, in[i], how, i);
        if (with_stats) {
            count_element(&counts, c, in[i], answers[i], flags_of(c, in[i], how, i));
        }
    }
    end_tally(&counts);
    check_answers(b, c, in, answers, n, how, with_stats ? &counts.stats : NULL);
    free(answers);
}

void check_numbers(comparison *b, const bnd_format *f, bool wide, const uint64_t *numbers, size_t n,
                   const bnd_array *how, bool with_stats)
{
    call c = round_call(f, wide);
    check_call(b, &c, numbers, n, how, with_stats);
    if (f->width > 0) {
        c = encode_call(f, wide);
        check_call(b, &c, numbers, n, how, with_stats);
    }
}
