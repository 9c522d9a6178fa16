/* The state of a call that applies an operation to arrays. */
#ifndef BINADE_SRC_BULK_OPERATE_H
#define BINADE_SRC_BULK_OPERATE_H

#include "bulk/array_layout.h"

enum {
    BNDI_TABLE_BITS = 12,     /* of a table on the stack */
    BNDI_OPERATE_CHUNK = 1024 /* elements at a time; twice as many where everything is words of 32 bits */
};

typedef struct bndi_array_operand {
    bndi_side side;
    const void *data;
    bndi_plan source; /* codes to words */
    bool decodes, broadcast;
    bool integer;     /* int64_t, not a code */
    uint64_t element; /* an operand that is used for all elements, as it is in memory */
    uint64_t normal;  /* the word of the format's smallest normal number */
} bndi_array_operand;

/* Has pointers into itself, so it must not be moved or copied. */
typedef struct bndi_operate_job {
    bndi_arithmetic what;
    bndi_kernels kernels;
    bnd_array how;
    bnd_stats *stats;
    bnd_format format; /* what results are rounded to */
    bndi_side out;
    void *to;
    bndi_array_operand operand[BND_OPERANDS_MAX];
    const bnd_format *from[BND_OPERANDS_MAX]; /* the operands' */
    bndi_plan plan;                           /* words of exact results to words or codes of `format` */
    bndi_plan narrow;                         /* fp64 to fp32, both of that format */
    bool narrows;
    size_t chunk;          /* elements at a time */
    bool alike;            /* codes of one format */
    const uint16_t *table; /* of every result */
} bndi_operate_job;

/* `how`, `kernels` and `out` are the caller's to set before. */
BND_CHECKED bnd_status bndi_operate_open(bndi_operate_job *j, void *to, bnd_operation operation,
                                         const bnd_operand *operands, size_t n, const bnd_format *f, bnd_stats *stats,
                                         bnd_error *why);
/* A reciprocal as the quotient 1 / x, where that has a kernel; a table has one operand. */
void bndi_operate_by_quotient(bndi_operate_job *j);
void bndi_operate_plan(bndi_operate_job *j);
void bndi_operate_run(bndi_operate_job *j, size_t n);

/* One result, a code or a word of the call's type, by bnd_operate; and the exact one. */
uint64_t bndi_operate_one(const bndi_operate_job *j, const uint64_t *codes, uint64_t random);
bnd_exact bndi_exact_result(const bndi_operate_job *j, const uint64_t *codes, uint64_t random);

/* Tables: the number of index bits (64 or more: no table), the place of codes, and the entries from .. end - 1. */
unsigned bndi_table_bits(const bndi_operate_job *j);
size_t bndi_table_place(const bndi_operate_job *j, const uint64_t *codes);
void bndi_table_fill(const bndi_operate_job *j, uint16_t *table, size_t from, size_t end);

#endif
