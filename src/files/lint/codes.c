/* A sample of the codes of FP8 weights.
 *
 * In e4m3fn, 7f and ff are NaN, and 80 is -0, which small negative numbers round to. In e4m3fnuz, 7f and ff are the
 * largest numbers, which every scaled tensor reaches, and 80 is NaN, which no sound tensor has. So NaN in many tensors
 * without a single 80 means e4m3fnuz; NaN in a few means NaN. A single tensor must also have zeros, none of them -0. */
#include "lint/lint.h"

#include <string.h>

enum { PAGE = 4096, MOST_PAGES = 4096, MOST_SAMPLED = 16 };

static bool is_e4m3(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    return codes != NULL && codes->size > 0 && strcmp(codes->dtype, "F8_E4M3") == 0 && weight->rank >= 2;
}

static size_t count_tensors(const bnd_lint *lint)
{
    size_t count = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        count += is_e4m3(bnd_checkpoint_weight_at(lint->checkpoint, i));
    }
    return count;
}

/* Pages at equal distances, of which the first is at the beginning. */
static void sample_tensor(bndi_code_sample *out, const bnd_stored_tensor *codes, size_t pages)
{
    uint64_t all = (codes->size + PAGE - 1) / PAGE;
    pages = pages < all ? pages : (size_t)all;
    for (size_t i = 0; i < pages; i++) {
        bndi_sample_bytes(out, codes, all / pages * i * PAGE, PAGE);
    }
}

/* The bits of a byte of codes that are 0 where its numbers are 0 or -0; 0: not known. */
static unsigned char magnitude_bits(const bnd_stored_weight *weight)
{
    bool floats = weight->layout != NULL && !weight->block.integer && weight->parts[BND_PART_SCALES] != NULL;
    unsigned width = floats ? weight->block.element.width : 0;
    return width == 4 ? 0x77 : width == 8 ? 0x7f : 0;
}

bool bndi_lint_is_zero(bnd_lint *lint, const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    unsigned char bits = magnitude_bits(weight);
    if (lint->options.no_codes || bits == 0 || codes == NULL || codes->data == NULL) {
        return false;
    }
    uint64_t all = (codes->size + PAGE - 1) / PAGE, pages = all < MOST_PAGES ? all : MOST_PAGES;
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t from = all / pages * i * PAGE, left = codes->size - from, n = left < PAGE ? left : PAGE;
        unsigned char any = 0;
        for (uint64_t k = 0; k < n; k++) {
            any |= codes->data[from + k] & bits;
        }
        lint->summary.codes_read += n;
        if (any != 0) {
            return false;
        }
    }
    return true;
}

typedef struct sums {
    bndi_code_sample all;
    size_t tensors, with_nan;
    const bnd_stored_tensor *first;
} sums;

static uint64_t nans_of(const bndi_code_sample *s)
{
    return s->counts[0x7f] + s->counts[0xff];
}

static void sample_all(bnd_lint *lint, sums *out, bool report)
{
    size_t count = count_tensors(lint), step = count / MOST_PAGES + 1, seen = 0;
    size_t pages = count < MOST_PAGES / MOST_SAMPLED ? MOST_SAMPLED : count < MOST_PAGES ? MOST_PAGES / count : 1;
    for (size_t i = 0; i < bnd_checkpoint_weights(lint->checkpoint); i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(lint->checkpoint, i);
        if (!is_e4m3(weight) || seen++ % step != 0) {
            continue;
        }
        const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
        bndi_code_sample sample = {0};
        sample_tensor(&sample, codes, pages);
        for (size_t k = 0; k < 256; k++) {
            out->all.counts[k] += sample.counts[k];
        }
        out->all.read += sample.read;
        out->tensors++;
        out->with_nan += nans_of(&sample) > 0;
        out->first = out->first == NULL && nans_of(&sample) > 0 ? codes : out->first;
        if (report && nans_of(&sample) > 0) {
            bndi_lint_report(
                lint, BNDI_CHECK_codes_nan, codes->name,
                "%llu of %llu codes that were read are NaN (7f, ff); quantize the layer again, with values that "
                "are clamped to 448",
                (unsigned long long)nans_of(&sample), (unsigned long long)sample.read);
        }
    }
}

void bndi_lint_check_codes(bnd_lint *lint)
{
    sums first = {.tensors = 0}, second = {.tensors = 0};
    sample_all(lint, &first, false);
    lint->summary.codes_read += first.all.read;
    if (first.with_nan == 0) {
        return;
    }
    const bool many = first.tensors > 1 ? 2 * first.with_nan >= first.tensors : first.all.counts[0] >= 16;
    if (first.all.counts[0x80] == 0 && many) {
        bndi_lint_report(
            lint, BNDI_CHECK_fnuz_as_fn, first.first->name,
            "%llu of %llu tensors that were sampled have the codes 7f or ff, and none has 80: these are codes of "
            "e4m3fnuz, and the dtype says e4m3fn. Quantize the model again as e4m3fn",
            (unsigned long long)first.with_nan, (unsigned long long)first.tensors);
    } else {
        sample_all(lint, &second, true);
    }
}
