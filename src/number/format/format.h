/* Internal interface of format: the layout that a row or a name describes, and the limits derived from it. */
#ifndef BINADE_SRC_FORMAT_H
#define BINADE_SRC_FORMAT_H

#include "base/base.h"
#include <binade/format.h>

typedef enum bndi_specials {
    BNDI_IEEE,
    BNDI_FN,
    BNDI_FNUZ,
    BNDI_NONE,
    BNDI_P3109_EXTENDED, /* infinity below NaN: at the top of an unsigned format, FNUZ's NaN in a signed one */
    BNDI_P3109_FINITE
} bndi_specials;

typedef struct bndi_layout {
    bool is_signed, no_zero, no_subnormals;
    unsigned exponent_bits, fraction_bits;
    int32_t bias;
    bndi_specials specials;
    bnd_ties ties;
} bndi_layout;

/* The longest fraction that arith/quick.c takes: see GUARD in arith/quick_template.h. */
enum { BNDI_QUICK_FRACTION_MAX = 28 };

/* The built-in formats, by row: direct access for code where a call of bnd_format_at is too slow. */
extern const bnd_format bndi_formats[];

/* Computes all members except the name and the row number. constant.h has the same computation as constant
 * expressions. */
bnd_format bndi_format_of_layout(const bndi_layout *layout);
bnd_format bnd_lab_value_set(unsigned precision, int32_t emin, int32_t emax);

enum { BNDI_P3109_LEAST_WIDTH = 3, BNDI_P3109_MOST_WIDTH = 15 };
bnd_format bndi_p3109(unsigned width, unsigned precision, bool is_signed, bool extended);

/* The i-th format of width `width`, in the order p1se p1sf p1ue p1uf p2se ...; there are 4 * width - 2 of them. */
bnd_format bndi_p3109_at(unsigned width, size_t i);
static inline size_t bndi_p3109_count(unsigned width)
{
    return 4 * (size_t)width - 2;
}

/* The row that has this name in any ecosystem, or -1. */
int bndi_row_named(const char *name, size_t length);

void bndi_offer_row_names(bndi_nearest *nearest);

/* Is it written like the name of a block format, which block/ reads: mxfp8, nvfp4, e4m3/tensor? */
bool bnd_lab_is_block_name(const char *name, size_t length);

#endif
