/* Faults of units, compared with the lines of a check. */
#ifndef BINADE_SRC_VECTORS_FAULTS_H
#define BINADE_SRC_VECTORS_FAULTS_H

#include "vectors/vectors.h"

enum { BNDI_FAULTS_MAX = 80 };

/* A fault that lines have not ruled out. */
typedef struct bndi_fault {
    unsigned row;     /* of the table in faults.c */
    bnd_format other; /* the format that the row needs */
    uint64_t left_over;
} bndi_fault;

typedef struct bndi_faults {
    bndi_fault items[BNDI_FAULTS_MAX];
    unsigned count;
} bndi_faults;

/* A line, and what is known of it. */
typedef struct bndi_fault_line {
    const bnd_vectors *vectors;
    const bnd_format *unlimited; /* the result's format without an upper limit */
    const bnd_vector_line *line;
    const bnd_exact *exact;    /* the exact result */
    bnd_vector_case_kind lies; /* where that is */
    uint64_t want;             /* the code by the rule */
} bndi_fault_line;

/* All faults that a unit of this description can have; none if the rule takes random bits. */
void bndi_faults_open(bndi_faults *faults, const bnd_vectors *v);
/* The code that a fault makes of a line. */
uint64_t bndi_fault_code(const bndi_fault *fault, const bndi_fault_line *line);
/* "rounds twice: first to fp16": the length of the whole text, as snprintf. */
size_t bndi_fault_print(char *out, size_t size, const bndi_fault *fault);

#endif
