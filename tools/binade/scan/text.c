/* The text of `binade scan`: the candidates, the worst tensors, and what follows. */
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 7, LEAST_NAME = 16, GOOD_NAME = 32 };

static const enum colour colours[BND_SURVIVALS] = {GREEN, GREEN, YELLOW, RED};

char *shape_text(const bnd_scanned *t)
{
    long_text text = {.length = 0};
    for (size_t i = 0; i < t->rank; i++) {
        add_text(&text, "%s%llu", i > 0 ? "x" : "", (unsigned long long)t->shape[i]);
    }
    return t->rank > 0 ? text.text : copy_text("scalar");
}

static void say(char *owned)
{
    put_wrapped(owned, 0, 0);
    free(owned);
}

/* ---- cells ---- */

static char *db_text(double x)
{
    char text[32];
    bnd_scan_print_sqnr(text, sizeof text, x);
    return copy_text(text);
}

/* The verdict stands behind it where there may be no colour. */
static void put_cell(const scan_options *o, const bnd_loss *loss)
{
    static const char *const marks[BND_SURVIVALS] = {" ", " ", "~", "!"};
    char *text = db_text(loss->sqnr);
    printf("%*s", CELL - 1 - (int)strlen(text), "");
    put_coloured(o->common.colour, colours[loss->verdict], text);
    put_coloured(o->common.colour, colours[loss->verdict], marks[loss->verdict]);
    free(text);
}

static char *share_text(uint64_t part, uint64_t of)
{
    double percent = of > 0 ? 100 * (double)part / (double)of : 0;
    return part == 0         ? copy_text("0")
           : percent < 0.01  ? copy_text("<0.01%")
           : percent < 9.995 ? format_text("%.2f%%", percent)
                             : format_text("%.0f%%", percent);
}

/* Tensors have long names whose beginnings and ends tell them apart. */
static void put_name(const char *name, size_t width)
{
    const size_t size = 4 * strlen(name) + 1;
    char *plain = memcpy(allocate(NULL, size, 1), name, strlen(name) + 1);
    make_plain_text(plain, size);
    const char *gap = writes_utf8() ? "…" : "..";
    const size_t length = strlen(plain), gap_width = writes_utf8() ? 1 : 2;
    if (length <= width) {
        printf("%-*s", (int)width, plain);
    } else { /* bytes, so a character of several bytes may be cut; names are ASCII but for odd ones */
        size_t tail = (width - gap_width) * 2 / 3, head = width - gap_width - tail;
        printf("%.*s%s%s", (int)head, plain, gap, plain + length - tail);
    }
    free(plain);
}

/* ---- candidates ---- */

static void print_candidates(const scan_options *o, const bnd_scan *scan)
{
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    size_t name = 9;
    for (size_t i = 0; i < o->count; i++) {
        name = strlen(o->candidates[i].name) > name ? strlen(o->candidates[i].name) : name;
    }
    printf("  %-*s  bits  saved  SQNR to zero overflow exact floor lossy breaks\n", (int)name, "candidate");
    for (size_t i = 0; i < o->count; i++) {
        const bnd_scan_total *t = &bnd_scan_totals(scan)[i];
        char *db = db_text(t->loss.sqnr), *zero = share_text(t->loss.to_zero, t->loss.elements);
        char *over = share_text(t->loss.overflows, t->loss.elements);
        printf("%c %-*s %5.2f %5.1f%% %5s %7s %8s", (int)('a' + i), (int)name, o->candidates[i].name,
               8 * (double)t->loss.bytes / (double)m->elements, bnd_scan_saved(m, t->loss.bytes), db, zero, over);
        for (size_t v = 0; v < BND_SURVIVALS; v++) {
            char *count = t->verdicts[v] > 0 ? format_text("%llu", (unsigned long long)t->verdicts[v]) : copy_text(".");
            printf("%*s", (v == BND_BREAKS ? 7 : 6) - (int)strlen(count), "");
            put_coloured(o->common.colour && t->verdicts[v] > 0, colours[v], count);
            free(count);
        }
        putchar('\n');
        free(db);
        free(zero);
        free(over);
    }
}

/* ---- tensors ---- */

/* Of what the width leaves, names get all but the columns that still fit. */
typedef struct widths {
    size_t name, shape;
} widths;

static widths fit(const bnd_scan *scan, size_t rows, size_t others)
{
    widths w = {.name = 6, .shape = 5};
    const size_t page = page_width() > 40 ? page_width() : 40;
    for (size_t i = 0; i < rows; i++) {
        const bnd_scanned *t = bnd_scan_worst(scan, i);
        char *shape = shape_text(t);
        w.name = strlen(t->name) > w.name ? strlen(t->name) : w.name;
        w.shape = strlen(shape) > w.shape ? strlen(shape) : w.shape;
        free(shape);
    }
    size_t left = page > others + LEAST_NAME ? page - others : LEAST_NAME;
    w.shape = left > w.shape + (w.name < GOOD_NAME ? w.name : GOOD_NAME) ? w.shape : 0;
    left -= w.shape > 0 ? w.shape + 1 : 0;
    w.name = w.name < left ? w.name : left;
    return w;
}

static void put_row_start(const bnd_scanned *t, widths w)
{
    put_name(t->name, w.name);
    if (w.shape > 0) {
        char *shape = shape_text(t);
        printf(" %*s", (int)w.shape, shape);
        free(shape);
    }
}

static size_t rows_of(const scan_options *o, const bnd_scan *scan)
{
    const size_t most = (size_t)bnd_scan_model_of(scan)->tensors;
    return o->all || o->rows > most ? most : (size_t)o->rows;
}

static void print_tensors(const scan_options *o, const bnd_scan *scan)
{
    const size_t rows = rows_of(o, scan);
    const widths w = fit(scan, rows, CELL * o->count);
    if (rows == 0) {
        return;
    }
    const unsigned long long all = bnd_scan_model_of(scan)->tensors;
    say(rows < all ? format_text("\nSQNR in dB of the %zu worst of %llu tensors (--all prints every tensor)", rows, all)
                   : format_text("\nSQNR in dB, the worst tensors first"));
    printf("%-*s", (int)w.name, "tensor");
    if (w.shape > 0) {
        printf(" %*s", (int)w.shape, "shape");
    }
    for (size_t i = 0; i < o->count; i++) {
        printf("%*c ", CELL - 1, (int)('a' + i));
    }
    putchar('\n');
    for (size_t i = 0; i < rows; i++) {
        const bnd_scanned *t = bnd_scan_worst(scan, i);
        put_row_start(t, w);
        for (size_t k = 0; k < o->count; k++) {
            put_cell(o, &t->losses[k]);
        }
        putchar('\n');
    }
    say(format_text("%s  lossy;  !  breaks;  no mark: exact, or at the format's floor", "~"));
}

/* ---- ranges ---- */

enum { BINS = 64, BARS = 16 };

/* The exponents from -40 up, four to a bar; the height is that of the share's logarithm. */
static void put_exponents(const bnd_scanned *t)
{
    static const char *const utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ".", ":", ":", "|", "|", "#", "#"};
    putchar(' ');
    for (size_t bar = 0; bar < BARS; bar++) {
        uint64_t count = 0;
        for (size_t bin = 4 * bar; bin < 4 * bar + 4; bin++) {
            count += t->input.exponents[bin];
        }
        double share = count > 0 ? (double)count / (double)t->input.elements : 0;
        int height = count == 0 ? 0 : share >= 0.5 ? 8 : 8 + (int)floor(log2(2 * share) / 3);
        height = count > 0 && height < 1 ? 1 : height;
        fputs(writes_utf8() ? utf8[height] : ascii[height], stdout);
    }
}

static void print_ranges(const scan_options *o, const bnd_scan *scan)
{
    const size_t rows = rows_of(o, scan);
    const widths w = fit(scan, rows, 49);
    printf("\n%-*s", (int)w.name, "tensor");
    if (w.shape > 0) {
        printf(" %*s", (int)w.shape, "shape");
    }
    printf(" %9s %9s %7s  2^-40 %9s\n", "smallest", "largest", "zeros", "2^20");
    for (size_t i = 0; i < rows; i++) {
        const bnd_scanned *t = bnd_scan_worst(scan, i);
        char *zeros = share_text(t->zeros, t->input.elements);
        put_row_start(t, w);
        printf(" %9.2e %9.2e %7s ", t->input.smallest, t->input.largest, zeros);
        put_exponents(t);
        putchar('\n');
        free(zeros);
    }
    say(copy_text(
        "Bars: how many weights have which exponent, from 2^-40 on the left; a step of the height is a factor of "
        "eight."));
}

/* ---- what follows ---- */

char *scan_line(const scan_options *o, const bnd_scan *scan, size_t line)
{
    const size_t length = bnd_scan_print_line(NULL, 0, scan, o->candidates, o->count, &o->how, line);
    char *text = length > 0 ? allocate(NULL, length + 1, 1) : NULL;
    if (text != NULL) {
        bnd_scan_print_line(text, length + 1, scan, o->candidates, o->count, &o->how, line);
    }
    return text;
}

/* Figures are those of fp32 numbers. */
static void print_wide(const bnd_scan *scan)
{
    const bnd_scanned *first = NULL;
    uint64_t lacking = 0, beyond = 0;
    for (size_t i = 0; i < bnd_scan_tensors(scan); i++) {
        const bnd_scanned *t = bnd_scan_at(scan, i);
        first = first == NULL && t->lacking > 0 ? t : first;
        lacking += t->lacking;
        beyond += t->beyond;
    }
    if (first != NULL) {
        say(format_text(
            "fp32 lacks %llu numbers that are stored in fp64, the first in %s: the figures are those of numbers "
            "of fp32 next to them.",
            (unsigned long long)lacking, first->name));
    }
    if (beyond > 0) {
        say(format_text("%llu of them are beyond the largest number of fp32.", (unsigned long long)beyond));
    }
}

static void add_count(long_text *text, uint64_t n, const char *one, const char *several)
{
    add_text(text, "%llu %s", (unsigned long long)n, n == 1 ? one : several);
}

/* "2 tensors hold NaNs or infinities: a.weight (1 NaN), b.weight (2 NaNs, 1 infinity)." */
static void print_damaged(const bnd_scan *scan)
{
    enum { NAMED = 3 };
    const uint64_t damaged = bnd_scan_model_of(scan)->damaged;
    long_text text = {0};
    uint64_t named = 0;
    if (damaged == 0) {
        return;
    }
    add_count(&text, damaged, "tensor holds", "tensors hold");
    add_text(&text, " NaNs or infinities");
    for (size_t i = 0; i < bnd_scan_tensors(scan) && named < NAMED; i++) {
        const bnd_scanned *t = bnd_scan_worst(scan, i);
        const uint64_t nans = t->input.nans_in, infinities = t->input.infinities_in;
        if (nans + infinities == 0) {
            continue;
        }
        add_text(&text, "%s%s (", named++ == 0 ? ": " : ", ", t->name);
        if (nans > 0) {
            add_count(&text, nans, "NaN", "NaNs");
            add_text(&text, "%s", infinities > 0 ? ", " : "");
        }
        if (infinities > 0) {
            add_count(&text, infinities, "infinity", "infinities");
        }
        add_text(&text, ")");
    }
    if (damaged > named) {
        add_text(&text, " and %llu more", (unsigned long long)(damaged - named));
    }
    add_text(&text, ".");
    say(text.text);
}

static void print_notes(const bnd_scan *scan)
{
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    print_damaged(scan);
    print_wide(scan);
    if (m->staying > 0) {
        char *bytes = bytes_text((double)m->staying_bytes);
        say(format_text("Not scanned: %llu tensor%s with fewer than two dimensions or without numbers (%s).",
                        (unsigned long long)m->staying, m->staying == 1 ? "" : "s", bytes));
        free(bytes);
    }
    say(copy_text(bnd_scan_limits()));
}

void scan_print_text(const scan_options *o, const bnd_scan *scan)
{
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    char *bytes = bytes_text((double)m->bytes), *line;
    say(format_text("%s: %llu tensor%s, %llu weight%s, %s", o->path, (unsigned long long)m->tensors,
                    m->tensors == 1 ? "" : "s", (unsigned long long)m->elements, m->elements == 1 ? "" : "s", bytes));
    free(bytes);
    putchar('\n');
    print_candidates(o, scan);
    print_tensors(o, scan);
    if (o->ranges) {
        print_ranges(o, scan);
    }
    putchar('\n');
    for (size_t i = 0; (line = scan_line(o, scan, i)) != NULL; i++) {
        say(line);
    }
    print_notes(scan);
}
