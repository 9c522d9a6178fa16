/* One number in one format: all facts that `show` prints about it, computed once for text and JSON. */
#ifndef BINADE_TOOLS_LOOK_H
#define BINADE_TOOLS_LOOK_H

#include "common/print.h"
#include "value.h"

typedef struct look {
    const bnd_format *format;
    bnd_rule rule;
    uint64_t random;
    bnd_rounded rounded;
    uint64_t code;
    bool as_given;             /* the code given on the command line, not a rounding of it */
    bool has_below, has_above; /* the nearest values of the format on either side of the input, */
    bnd_exact below, above;    /* not counting the input itself */
    bool has_error;            /* all that follows: result and input are finite */
    char *error;               /* exact, or NULL where it would take more than 100,000 digits */
    bool has_relative, has_ulps;
    double relative, ulps;
} look;

void look_at(look *l, const bnd_format *f, bnd_rule rule, uint64_t random, const given *v, bool plain);
void clear_look(look *l);

/* For people: "normal, exponent field 126 = 2^-1", the value, and the error of a look that has one. `plain`: with every
 * digit. */
char *class_text(const look *l);
char *result_text(const look *l, bool plain);
char *error_text(const look *l, bool plain);
char *rough_error_text(const look *l, double error); /* relative, or in ulps: three digits, or that they are too few */
bool is_exact(const look *l);                        /* neither rounded nor replaced */

/* The unit in the last place that the format has at x: the distance of its values there, were its exponent unbounded
 * upward. */
bnd_exact ulp_at(const bnd_format *f, bnd_exact x);

/* `show --table`, and its rows as CSV: every value of the command line in every format. */
int show_as_table(const settings *s, bool plain);

/* `show --dialects` of one value. Options of a rule cannot be used with it: GO_ON, or the status to leave with. Formats
 * that no dialect has a rule for are noted. */
int show_dialects(const settings *s, bool plain, const given *v, size_t index);
int refuse_rules(const settings *s);
void note_without_dialect(const settings *s);

/* "0.28125 (0x29) |-----:--x---| 0.3125 (0x2a)": the value x and the midpoint between two values of the format, in
 * at most `room` columns. `part` is the position of x between them, 0 to 1; `side` is -1, 0 or 1: x is below, at or
 * above the midpoint. NULL if it does not fit. */
char *drawn_gap(const bnd_format *f, bnd_exact below, bnd_exact above, double part, int side, size_t room);

/* The two neighbours, the middle between them, and where the input lies, 0 .. 1 from the one below. */
typedef struct look_gap {
    bnd_exact below, above, middle;
    bool beyond; /* the neighbour away from zero is past the largest value: the grid continues, the format does not */
    bool has_part;
    double part;
    int side; /* of the middle: -1 below it, 0 exactly there, 1 above */
} look_gap;

/* False where the input was not rounded to one of two neighbours that the format has. */
bool find_gap(look_gap *out, const look *l, const given *v);
/* The same, also where the outer end is the step past the largest value. */
bool find_gap_or_end(look_gap *out, const look *l, const given *v);

/* What find_gap is made of. inner + steps / 2 * 2^quantum, inner being a whole number of them: */
bnd_exact half_steps_away(bnd_exact inner, int32_t quantum, unsigned steps);
look_gap gap_around(const look *l, const given *v);
/* Was the input rounded to one of two neighbours? */
bool lies_in_gap(const look *l, const given *v);
/* The rule that takes a magnitude: the rest of the explanation is about the number without its sign. */
bool drops_sign(const look *l, const given *v);
/* Subnormals that count as zero; `without` is the look as it would have been without --flush out. */
bool flushed_on_input(const look *l, const given *v);
bool flushed_on_output(const look *l, const given *v, look *without);

/* `show --svg`: the value in each format, as a picture in a file. GO_ON, or the status to leave with. */
int show_write_picture(const settings *s, const given *v, size_t index, const format_list *formats, const char *path);

/* `show --link`: the address of the page with this state. GO_ON, or the status to leave with. */
int show_link(const settings *s, bool dialects, bool exact);

/* -v: the neighbours, the midpoint, how far, which rule decided, and what each flag means. A line has a label. */
typedef struct explanation_line {
    const char *label;
    char *text;
} explanation_line;

typedef struct explanation {
    explanation_line *lines;
    size_t count;
} explanation;

/* `to` starts as all zero. `room` is for the line that draws the value between its neighbours; 0: no such line. */
void explain(explanation *to, const look *l, const given *v, size_t room);
void clear_explanation(explanation *e);

/* `show --json`: one format's object; with `verbose`, what -v explains too. */
void show_look_as_json(bnd_lab_json *json, const look *l, const given *v, bool plain, bool verbose);

#endif
