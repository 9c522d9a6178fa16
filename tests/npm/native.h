/* What the files of tests/npm/native share. */
#ifndef BINADE_TESTS_NPM_NATIVE_H
#define BINADE_TESTS_NPM_NATIVE_H

#include <binade.h>

#include <stdio.h>

/* A rule by the names that a program would write. */
typedef struct rule_names {
    const char *dialect, *rounding, *overflow, *nan;
    unsigned choices; /* 1 flush in, 2 flush out, 4 tiny before */
    bnd_rule rule;
} rule_names;

/* Random numbers: below count, or 64 bits for 0. */
uint64_t any(uint64_t count);
const bnd_format *any_format(void);
uint64_t any_code(const bnd_format *f);
double any_double(void);
rule_names any_rule(const bnd_format *f);
bool take_rule(rule_names *names, const bnd_format *f);

void print_rule(FILE *out, const rule_names *names);
void print_result(FILE *out, const bnd_format *f, bnd_result r);
void print_value(FILE *out, const bnd_format *f, uint64_t code);

void write_specials(FILE *out, const bnd_format *f);
void write_numbers(FILE *out);
void write_operations(FILE *out);
void write_explanations(FILE *out);
bool write_arrays(FILE *out, const char *folder, const bnd_format *formats, size_t count);
void write_blocks(FILE *out);
int write_codes(char **argv);

#endif
