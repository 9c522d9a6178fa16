/* Layer 8: what the weights of a checkpoint lose in other formats.
 *
 * A candidate is a format ("e4m3"), or a format with shared scales ("e4m3/row", "mxfp8:floor", "nvfp4"). A scan rounds
 * every tensor to every candidate and compares. Quantized weights are decoded first, so any layout can be scanned.
 *
 * Sums: the square of an error x - y is rounded once to fp64. The squares are then added exactly, and the sum is
 * rounded once to fp64. So the figures do not depend on the order of the work, on the number of threads, or on the way:
 * 8- and 16-bit codes are counted first, and each code is rounded once.
 *
 * Verdicts: see bnd_scan_verdict. They are about weights alone: activations, and the accuracy of a model, do not follow
 * from them. */
#ifndef BINADE_SCAN_H
#define BINADE_SCAN_H

#include <binade-lab/checkpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- candidates ---- */

typedef struct bnd_candidate {
    char name[BND_BLOCK_NAME_SIZE]; /* as it was asked for, in lower case */
    bool shared;                    /* elements share scales: `block` says how */
    bnd_format format;              /* of the elements */
    bnd_block block;
    double floor; /* dB; see bnd_scan_verdict */
} bnd_candidate;

/* Reads a candidate: a format, or what bnd_block_parse reads.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the candidate. `text`: its name. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the name does not exist, or it is a value set, which has no codes. */
BND_CHECKED bnd_status bnd_candidate_parse(bnd_candidate *out, const char *text, bnd_error *why);

/* The candidates that answer "will my weights survive fp8 and fp4, and with which scaling?".
 *
 * Returns: The names, separated by commas. Never NULL. */
const char *bnd_candidate_defaults(void);

/* The bytes of a tensor in a candidate, with its scales.
 *
 * Returns: The number; 0 if it does not fit memory.
 * Arguments: `candidate`: the candidate. `shape`, `rank`: of the tensor. */
uint64_t bnd_candidate_bytes(const bnd_candidate *candidate, const uint64_t *shape, size_t rank);

/* ---- what a tensor loses ---- */

/* The verdict on a tensor in a candidate, the first that holds:
 *
 *   breaks    an element became NaN or infinite, or a NaN or an infinity did not come back; or the SQNR is below
 *             BND_BREAKS_BELOW dB; or more than half of the nonzero elements became zero
 *   exact     every element came back
 *   floor     at the format's floor: the SQNR is at most BND_FLOOR_MARGIN dB below that of the element format; and
 *             no element overflowed, unless there are scales, whose rules may clamp some on purpose
 *   lossy     all else
 *
 * The floor of a format with p significant bits is 13.5 + 6.02 (p - 1) dB: what rounding to nearest leaves of normally
 * distributed numbers within the format's normal range. That of integers of b bits is 6.02 b - 7.3 dB, where the scale
 * is set to four standard deviations. At 10 dB the error has a tenth of the energy of the weights, and its root mean
 * square is a third of theirs. */
typedef enum bnd_survival { BND_SURVIVES_EXACT, BND_SURVIVES_FLOOR, BND_SURVIVES_LOSSY, BND_BREAKS } bnd_survival;
enum { BND_SURVIVALS = 4, BND_FLOOR_MARGIN = 3, BND_BREAKS_BELOW = 10 };

/* The words of a verdict: "at the format's floor", and "floor", for programs.
 *
 * Returns: The text; "" if the verdict does not exist. Never NULL. */
const char *bnd_survival_text(bnd_survival verdict);
const char *bnd_survival_key(bnd_survival verdict);

/* What a tensor, or a model, loses in a candidate. An element that overflowed to an infinity or a NaN counts in broken
 * and in overflows; others count once. Those that are in none were rounded. */
typedef struct bnd_loss {
    uint64_t elements;
    uint64_t broken;    /* finite numbers that became NaN or infinite; NaNs and infinities that did not come back */
    uint64_t overflows; /* finite numbers whose rounding is beyond the largest element; they have become that, with
                           their sign */
    uint64_t to_zero;   /* finite numbers other than zero that became zero */
    uint64_t exact;     /* that came back; NaNs and infinities, too */
    double squared_error, squared_input; /* sums; of finite inputs, the error where the result is finite */
    double sqnr;    /* 10 log10 (squared_input / squared_error), in dB; infinity if nothing was lost; -infinity if
                       `broken` is not 0 */
    uint64_t bytes; /* in the candidate, with its scales */
    bnd_survival verdict;
} bnd_loss;

/* The verdict that follows from the figures.
 *
 * Returns: The verdict. Cannot fail.
 * Arguments: `candidate`: the candidate. `loss`: the figures. `nonzero`: the finite elements other than zero. */
bnd_survival bnd_loss_verdict(const bnd_candidate *candidate, const bnd_loss *loss, uint64_t nonzero);

/* ---- a scan ---- */

/* A tensor that was scanned. */
typedef struct bnd_scanned {
    const char *name, *stored; /* its name, and its dtype or layout: "BF16", "compressed-tensors/nvfp4" */
    size_t rank;
    const uint64_t *shape;
    uint64_t count, bytes;      /* elements, and what they take now, with their scales */
    bool stays;                 /* it is not to be quantized: it has fewer than two dimensions, or no numbers */
    const char *why;            /* why it stays, or "" */
    bnd_stats input;            /* of the numbers as they are: only counts of inputs, magnitudes and squared_input */
    uint64_t zeros, subnormals; /* subnormals of the stored format; of decoded weights, of fp32 */
    uint64_t lacking, beyond;   /* of a tensor in fp64: numbers that fp32 lacks, in which its figures are, and those of
                                   them that are beyond the largest number of fp32 */
    const bnd_loss *losses;     /* one per candidate; NULL if it stays */
    size_t smallest; /* the candidate of the fewest bytes that meets what was asked, of these the one with the
                          highest SQNR; their number: none */
} bnd_scanned;

/* All tensors that do not stay, in a candidate. */
typedef struct bnd_scan_total {
    bnd_loss loss;                    /* sums; the verdict is the worst of a tensor */
    uint64_t verdicts[BND_SURVIVALS]; /* tensors with each */
    uint64_t meeting;                 /* tensors that meet what was asked */
    size_t worst;                     /* the tensor with the lowest SQNR */
} bnd_scan_total;

/* All zero: every tensor of at least two dimensions, one thread; asked is a verdict of at least "floor". */
typedef struct bnd_scan_options {
    const bnd_context *context;
    const bnd_watch *watch;
    bool asks_sqnr, asks_underflow;                /* what every tensor must meet: */
    double sqnr;                                   /* at least, in dB */
    double underflow;                              /* at most: the share of nonzero elements that became zero, 0 .. 1 */
    bool vectors;                                  /* tensors with fewer than two dimensions do not stay */
    bool (*wanted)(void *state, const char *name); /* NULL: all; the others are left out */
    void *state;
} bnd_scan_options;

typedef struct bnd_scan bnd_scan;

/* Scans a checkpoint. In addition to the checkpoint, which is mapped, it takes at most 256 MiB and the results.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT, BND_BAD_STREAM or BND_NO_MEMORY.
 * Arguments: `out` (out): the results, until bnd_scan_free. `checkpoint`: stays open as long as they are used.
 *     `candidates`, `count`: at least one. `options`: the choices, or NULL. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: there are no candidates, a tile has more than BND_SCAN_PIECE elements, or the watch
 *     ended it (BND_BAD_STREAM). */
enum { BND_SCAN_PIECE = 1 << 22 };
BND_CHECKED bnd_status bnd_scan_new(bnd_scan **out, const bnd_checkpoint *checkpoint, const bnd_candidate *candidates,
                                    size_t count, const bnd_scan_options *options, bnd_error *why);

/* Scans one array of codes.
 *
 * Returns: As bnd_scan_new.
 * Arguments: `codes`, `format`: packed codes. `name`: what it is called. `shape`, `rank`: of the array. The others: as
 *     in bnd_scan_new.
 * On failure: As bnd_scan_new; or the format is a value set, or the shape overflows. */
BND_CHECKED bnd_status bnd_scan_new_of_array(bnd_scan **out, const char *name, const void *codes,
                                             const bnd_format *format, const uint64_t *shape, size_t rank,
                                             const bnd_candidate *candidates, size_t count,
                                             const bnd_scan_options *options, bnd_error *why);

/* Releases a scan.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `scan`: the scan, or NULL. */
void bnd_scan_free(bnd_scan *scan);

/* The tensors, in the order of the checkpoint; with bnd_scan_worst, those that do not stay come first, the worst of
 * them first: by the smallest distance to the floor that any candidate leaves.
 *
 * Returns: Their number; one of them, or NULL if `at` is not below their number.
 * Arguments: `scan`: the scan. `at`: the place. */
size_t bnd_scan_tensors(const bnd_scan *scan);
const bnd_scanned *bnd_scan_at(const bnd_scan *scan, size_t at);
const bnd_scanned *bnd_scan_worst(const bnd_scan *scan, size_t at);

/* What the model loses in each candidate.
 *
 * Returns: A total per candidate.
 * Arguments: `scan`: the scan. */
const bnd_scan_total *bnd_scan_totals(const bnd_scan *scan);

/* The model as a whole. */
typedef struct bnd_scan_model {
    uint64_t tensors, elements, bytes; /* that were scanned: those that do not stay */
    uint64_t staying, staying_elements, staying_bytes;
    uint64_t damaged; /* tensors with NaNs or infinities */
    size_t smallest;  /* the candidate of the fewest bytes that every tensor meets; the number of candidates: none */
    uint64_t mixed_bytes;   /* if each tensor takes the smallest candidate that it meets, or stays */
    uint64_t mixed_staying; /* of these, the tensors that meet none */
} bnd_scan_model;

/* Returns: The figures of the model.
 * Arguments: `scan`: the scan. */
const bnd_scan_model *bnd_scan_model_of(const bnd_scan *scan);

/* Writes a line of the answer in words: what every tensor must keep, the smallest candidate for each width of elements,
 * and what it saves if each tensor takes its smallest candidate.
 *
 * Returns: The length of the whole line, as snprintf; 0, with an empty text: there are no more lines.
 * Arguments: `out`, `size`: at most `size` bytes are written, with a final 0 byte. `scan`: the scan. `candidates`,
 *     `count`, `options`: those of the scan. `line`: from 0 on. */
size_t bnd_scan_print_line(char *out, size_t size, const bnd_scan *scan, const bnd_candidate *candidates, size_t count,
                           const bnd_scan_options *options, size_t line);

/* What a scan does not show.
 *
 * Returns: A sentence. */
const char *bnd_scan_limits(void);

/* Writes an SQNR for people: "31.9"; "exact" for an infinity, "nan" for the negative one, "-" for NaN.
 *
 * Returns: The length of the whole text, as snprintf.
 * Arguments: `out`, `size`: at most `size` bytes are written, with a final 0 byte. `x`: the decibels. */
size_t bnd_scan_print_sqnr(char *out, size_t size, double x);

/* What is saved if the tensors of a model take so many bytes.
 *
 * Returns: Per cent of what they take now; 0 if there are none.
 * Arguments: `model`: the figures of the model. `bytes`: the bytes. */
double bnd_scan_saved(const bnd_scan_model *model, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
