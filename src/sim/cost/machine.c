/* Machines by name, and their peaks. */
#include "cost/machine.h"

#include "base/base.h"

#define TERA(x) ((x)*1e12)

static const struct row {
    const char *name, *others, *title;
    double memory, bandwidth;
    const char *source;
    struct peak {
        unsigned bits;
        const char *formats;
        double dense, sparse;
    } peak[BND_MACHINE_PEAKS_MAX];
} rows[] = {
#define PEAK(bits, formats, dense, sparse)                                                                             \
    {                                                                                                                  \
        bits, formats, TERA(dense), TERA(sparse)                                                                       \
    }
#define MACHINE(name, others, title, memory, bandwidth, source, ...)                                                   \
    {name, others, title, memory, bandwidth, source, {__VA_ARGS__}},
#include "cost/hardware.def"
#undef MACHINE
#undef PEAK
};
enum { ROWS = sizeof rows / sizeof rows[0] };

size_t bnd_machine_count(void)
{
    return ROWS;
}

static void copy(char *out, size_t size, const char *from)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_text_string(&text, from);
}

static bnd_machine machine_of(const struct row *r)
{
    bnd_machine m = {.memory = r->memory, .bandwidth = r->bandwidth};
    copy(m.name, sizeof m.name, r->name);
    copy(m.title, sizeof m.title, r->title);
    copy(m.source, sizeof m.source, r->source);
    for (size_t i = 0; i < BND_MACHINE_PEAKS_MAX && r->peak[i].dense > 0; i++) {
        bndi_peak_add(&m, r->peak[i].bits, r->peak[i].formats, r->peak[i].dense, r->peak[i].sparse);
    }
    return m;
}

bool bnd_machine_at(bnd_machine *out, size_t row)
{
    if (row >= ROWS) {
        return false;
    }
    *out = machine_of(&rows[row]);
    return true;
}

static bool is_among(const char *name, size_t length, const char *list)
{
    size_t word_length;
    for (const char *word = bndi_next_word(&list, &word_length); word_length > 0;
         word = bndi_next_word(&list, &word_length)) {
        if (bndi_same(name, length, word, word_length)) {
            return true;
        }
    }
    return false;
}

static void offer_all(bndi_nearest *nearest, const char *list)
{
    size_t length;
    for (const char *word = bndi_next_word(&list, &length); length > 0; word = bndi_next_word(&list, &length)) {
        bndi_nearest_offer(nearest, word, length);
    }
}

bnd_status bnd_machine_find(bnd_machine *out, const char *name, bnd_error *why)
{
    size_t length = bndi_length(name);
    bndi_nearest nearest = bndi_nearest_to(name, length);
    char known[BND_MESSAGE_SIZE];
    bndi_text text = bndi_text_in(known, sizeof known);
    bndi_text_string(&text, "(known:");
    for (size_t i = 0; i < ROWS; i++) {
        if (bndi_same_word(name, length, rows[i].name) || is_among(name, length, rows[i].others)) {
            bnd_machine m = machine_of(&rows[i]);
            bnd_status status = m.peaks == 0 ? bndi_machine_measure(&m, why) : BND_OK;
            if (status == BND_OK) {
                *out = m;
            }
            return status;
        }
        bndi_nearest_offer(&nearest, rows[i].name, bndi_length(rows[i].name));
        offer_all(&nearest, rows[i].others);
        bndi_text_char(&text, ' ');
        bndi_text_string(&text, rows[i].name);
    }
    bndi_text_char(&text, ')');
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown machine", known);
}

/* fp8, fp6, fp4: names of peaks that are not formats. */
static double bits_of_family(const char *name)
{
    bool is_family = (name[0] == 'f' || name[0] == 'F') && (name[1] == 'p' || name[1] == 'P') && name[2] >= '4' &&
                     name[2] <= '8' && name[3] == 0;
    return is_family ? name[2] - '0' : 0;
}

/* Scales of MX and NVFP4 change within a product, so that only a matrix unit made for them applies them. Scales of
 * rows, tensors and tiles are applied to sums, by any machine. */
static bool is_of_units(const bnd_block *block)
{
    return block->tensor || (block->scale.fraction_bits == 0 && block->along > 0 && block->along <= 32);
}

/* The format that a machine computes in, where operands are of this element, with the scales of this block. */
static const char *peak_name(const bnd_format *element, const bnd_block *block, bool scaled)
{
    return scaled && is_of_units(block) ? block->name : element->name;
}

bnd_status bnd_machine_given(bnd_machine *out, const char *format, double peak, double memory, double bandwidth,
                             bnd_error *why)
{
    bnd_machine m = {.memory = memory, .bandwidth = bandwidth};
    bnd_format element;
    bnd_block block;
    bool scaled, good = peak > 0 && peak - peak == 0 && memory >= 0 && memory - memory == 0 && bandwidth >= 0 &&
                        bandwidth - bandwidth == 0;
    if (!good) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a machine needs a peak above 0, and a memory and a bandwidth of at least 0");
    }
    double bits = bits_of_family(format);
    bnd_status status = bits == 0 ? bndi_element_parse(&element, &block, &scaled, format, why) : BND_OK;
    if (status != BND_OK) {
        return status;
    }
    copy(m.name, sizeof m.name, "given");
    copy(m.title, sizeof m.title, "the given machine");
    copy(m.source, sizeof m.source, "as given");
    if (bits > 0) {
        bndi_peak_add(&m, (unsigned)bits, format, peak, 0);
    } else {
        bndi_peak_add(&m, (unsigned)bndi_bits(&element), peak_name(&element, &block, scaled), peak, 0);
    }
    *out = m;
    return BND_OK;
}

/* ---- peaks ---- */

static const bnd_peak *peak_named(const bnd_machine *m, const char *name)
{
    for (size_t i = 0; i < m->peaks; i++) {
        if (is_among(name, bndi_length(name), m->peak[i].formats)) {
            return &m->peak[i];
        }
    }
    return NULL;
}

/* Of those that the machine has, the one whose elements are nearest in size; the larger of two. */
static const bnd_peak *peak_near(const bnd_machine *m, double bits)
{
    const bnd_peak *best = &m->peak[0];
    double least = __builtin_inf();
    for (size_t i = 0; i < m->peaks; i++) {
        double distance = (double)m->peak[i].bits - bits;
        distance = distance < 0 ? -distance : distance;
        if (distance < least) {
            best = &m->peak[i];
            least = distance;
        }
    }
    return best;
}

static bnd_status no_peak(const bnd_machine *m, const char *format, double bits, bnd_error *why)
{
    const bnd_peak *near = peak_near(m, bits);
    size_t length = bndi_length(format), first = 0;
    while (near->formats[first] != 0 && near->formats[first] != ' ') {
        first++;
    }
    const char *others = near->formats + first;
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s does not compute in %.*s; the nearest format that it computes in is %.*s%s%s%s", m->title,
                    (int)(length < 40 ? length : 40), format, (int)first, near->formats, others[0] != 0 ? " (" : "",
                    others[0] != 0 ? others + 1 : "", others[0] != 0 ? ")" : "");
}

bnd_status bnd_machine_peak(double *out, const bnd_machine *m, const char *format, bool sparse, bnd_error *why)
{
    bnd_format element = {.width = 0};
    bnd_block block;
    bool scaled;
    const bnd_peak *peak = peak_named(m, format);
    double bits = bits_of_family(format);
    if (peak == NULL && bits == 0) {
        bnd_status status = bndi_element_parse(&element, &block, &scaled, format, why);
        if (status != BND_OK) {
            return status;
        }
        peak = peak_named(m, peak_name(&element, &block, scaled));
        bits = bndi_bits(&element);
    }
    if (peak == NULL) {
        return no_peak(m, format, bits, why);
    }
    if (sparse && peak->sparse == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has no sparse peak in %s; ask for the dense one", m->title,
                        format);
    }
    *out = sparse ? peak->sparse : peak->dense;
    return BND_OK;
}
