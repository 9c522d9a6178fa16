/* The answer of a comparison in words, line by line. */
#include "diff/search.h"
#include "store/store.h"

#include <binade-lab/diff.h>

#include <math.h>
#include <string.h>

static void add_number(bndi_sentence *line, double x)
{
    if (isfinite(x)) {
        bndi_sentence_add(line, "%.4g", x);
    } else {
        bndi_sentence_add(line, "%s", isnan(x) ? "-" : "exact");
    }
}

size_t bnd_difference_print(char *out, size_t size, double x)
{
    bndi_sentence line = bndi_sentence_in(out, size);
    add_number(&line, x);
    return line.length;
}

static void same_values(bndi_sentence *line, const void *diff)
{
    const size_t same = bnd_diff_kinds(diff, BND_DIFFERENCE_NONE), all = bnd_diff_count(diff);
    size_t bytes = 0;
    for (size_t i = 0; i < all; i++) {
        bytes += bnd_diff_at(diff, i)->same_bytes;
    }
    bndi_sentence_add(line, "A and B decode to the same values in %zu of %zu weights", same, all);
    if (same == all && all > 0) {
        bndi_sentence_add(line, bytes == all ? ", stored by the same bytes" : ", %zu of them stored by the same bytes",
                          bytes);
    }
    bndi_sentence_add(line, ".");
}

static const char *stored_at(const bnd_diff *diff, size_t i, bool of_b)
{
    const bnd_weight_difference *w = bnd_diff_at(diff, i);
    return bnd_stored_as(of_b ? w->b : w->a);
}

/* Is it the first weight that is stored in this way? Neighbours mostly are alike, so they are looked at first. */
static bool is_first(const bnd_diff *diff, size_t i, bool of_b)
{
    const char *name = stored_at(diff, i, of_b);
    size_t k = i;
    while (k > 0 && strcmp(stored_at(diff, k - 1, of_b), name) != 0) {
        k--;
    }
    return k == 0;
}

/* "compressed-tensors/nvfp4 7, BF16 5": how many weights are stored in which way. */
static void stored(bndi_sentence *line, const bnd_diff *diff, bool of_b)
{
    const size_t all = bnd_diff_count(diff);
    const char *separator = "";
    for (size_t i = 0; i < all; i++) {
        const char *name = stored_at(diff, i, of_b);
        size_t count = 0;
        if (name[0] == '\0' || !is_first(diff, i, of_b)) {
            continue;
        }
        for (size_t k = i; k < all; k++) {
            count += strcmp(stored_at(diff, k, of_b), name) == 0;
        }
        bndi_sentence_add(line, "%s%zu %s", separator, count, name);
        separator = ", ";
    }
}

static void stored_in_a(bndi_sentence *line, const void *diff)
{
    bndi_sentence_add(line, "A: ");
    stored(line, diff, false);
}

static void stored_in_b(bndi_sentence *line, const void *diff)
{
    bndi_sentence_add(line, "B: ");
    stored(line, diff, true);
}

/* "Differences: 7 in values, 1 only in A."; nothing if there are none. */
static void kinds(bndi_sentence *line, const void *diff)
{
    static const char *const words[] = {[BND_DIFFERENCE_VALUES] = "in values",
                                        [BND_DIFFERENCE_ONLY_A] = "only in A",
                                        [BND_DIFFERENCE_ONLY_B] = "only in B",
                                        [BND_DIFFERENCE_SHAPE] = "in shape",
                                        [BND_DIFFERENCE_UNKNOWN] = "not comparable"};
    for (unsigned kind = BND_DIFFERENCE_VALUES; kind <= BND_DIFFERENCE_UNKNOWN; kind++) {
        const size_t n = bnd_diff_kinds(diff, (bnd_difference_kind)kind);
        if (n > 0) {
            bndi_sentence_add(line, "%s%zu %s", line->length == 0 ? "Differences: " : ", ", n, words[kind]);
        }
    }
    if (line->length > 0) {
        bndi_sentence_add(line, ".");
    }
}

static void sums_of_all(bndi_sentence *line, const void *diff)
{
    const bnd_difference_sums *sums = bnd_diff_sums(diff);
    if (sums->elements > sums->equal) {
        bndi_sentence_add(line, "Of %llu elements that were compared, %llu have the same bits.",
                          (unsigned long long)sums->elements, (unsigned long long)sums->equal);
        if (sums->below_fp32 > 0) {
            bndi_sentence_add(line, " %llu differ in fp64 only; all other figures are those of fp32.",
                              (unsigned long long)sums->below_fp32);
        }
        const bool others = sums->elements - sums->equal - sums->below_fp32 > sums->nonfinite;
        if (others) {
            bndi_sentence_add(line, " SQNR ");
            add_number(line, bnd_difference_sqnr(sums));
            bndi_sentence_add(line, " dB, largest error ");
            add_number(line, sums->largest_error);
            bndi_sentence_add(line, ", mean ");
            add_number(line, bnd_difference_mean(sums));
            bndi_sentence_add(line, ".");
        }
        if (sums->nonfinite > 0) {
            const bool one = sums->nonfinite == 1;
            bndi_sentence_add(line, " %llu element%s with a NaN or an infinity differ%s%s.",
                              (unsigned long long)sums->nonfinite, one ? "" : "s", one ? "s" : "",
                              !others ? ""
                              : one   ? ", and is in none of these numbers"
                                      : ", and are in none of these numbers");
        }
    }
}

static size_t weights_of_a(const bnd_diff *diff)
{
    size_t count = 0;
    for (size_t i = 0; i < bnd_diff_count(diff); i++) {
        count += bnd_diff_at(diff, i)->a != NULL;
    }
    return count;
}

static void lacking_base(bndi_sentence *line, const void *diff)
{
    const size_t lacking = bndi_diff_without_base(diff), all = weights_of_a(diff);
    if (lacking > 0) {
        bndi_sentence_add(line, "The base lacks %zu of the %zu weight%s of A: how %s made is not explained.", lacking,
                          all, all == 1 ? "" : "s", lacking == 1 ? "it was" : "they were");
    }
}

size_t bnd_diff_print_line(char *out, size_t size, const bnd_diff *diff, size_t line)
{
    static bndi_sentence_writer *const lines[] = {same_values, stored_in_a, stored_in_b,
                                                  kinds,       sums_of_all, lacking_base};
    return bndi_sentence_print(out, size, lines, sizeof lines / sizeof lines[0], diff, line);
}
