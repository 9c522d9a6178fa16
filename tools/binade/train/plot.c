/* Losses over steps, drawn in characters: one mark per recipe, so that no colour is needed. Where curves coincide,
 * the first of them is drawn (the reference is first), and the legend says which recipes are hidden behind others. */
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 12, LEAST_WIDTH = 20, MOST_WIDTH = 100, LABEL = 9 };

typedef struct plot {
    const train_result *r;
    size_t width; /* columns of the drawing */
    bool log_steps, log_loss, colour, utf8;
    double first, last; /* steps at the left and the right edge */
    double low, high;   /* losses at the bottom and the top */
    double *curve;      /* row by row, a loss per place; NaN: none */
} plot;

/* ---- marks ---- */

static const char *mark_of(const plot *p, size_t row)
{
    static const char *const round[] = {"●", "○", "▲", "△", "■", "□", "◆", "◇", "★", "☆"};
    static const char *const plain[] = {"o", "*", "+", "#", "@", "%", "&", "=", "$", "~"};
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                          "n", "p", "q", "r", "s", "t", "u", "v", "w", "y", "z", "A", "B",
                                          "C", "D", "E", "F", "G", "H", "K", "L", "M", "N", "P", "Q"};
    enum { FEW = sizeof plain / sizeof plain[0], LETTERS = sizeof letters / sizeof letters[0] };
    return p->r->row_count > FEW ? letters[row % LETTERS] : p->utf8 ? round[row % FEW] : plain[row % FEW];
}

/* No red and no green: in the table these say how a recipe did. */
static enum colour colour_of(size_t row)
{
    static const enum colour colours[] = {PLAIN, BLUE, MAGENTA, CYAN, YELLOW};
    return colours[row % (sizeof colours / sizeof colours[0])];
}

/* ---- curves ---- */

/* The step at a place's left edge. */
static double step_at(const plot *p, double place)
{
    double share = place / (double)p->width;
    return p->log_steps ? (p->first + 1) * pow((p->last + 2) / (p->first + 1), share) - 1
                        : p->first + (p->last + 1 - p->first) * share;
}

/* A run's loss at a place: the mean of its points there, or linear interpolation if there are none. NaN if one of
 * the losses is NaN. */
static double loss_in(const plot *p, const bnd_record *record, size_t place, size_t *at)
{
    double from = step_at(p, (double)place), to = step_at(p, (double)place + 1), sum = 0;
    size_t n = 0;
    while (*at < record->count && (double)record->points[*at].step < to) {
        if ((double)record->points[*at].step >= from) {
            sum += record->points[*at].loss;
            n++;
        }
        ++*at;
    }
    if (n > 0 || *at == 0 || *at == record->count) {
        return n > 0 ? sum / (double)n : (double)NAN;
    }
    const bnd_point *a = &record->points[*at - 1], *b = a + 1;
    double share = ((from + to) / 2 - (double)a->step) / (double)(b->step - a->step);
    return a->loss + (b->loss - a->loss) * share;
}

static void draw_curves(plot *p)
{
    for (size_t row = 0; row < p->r->row_count; row++) {
        const train_row *of = &p->r->rows[row];
        double *curve = p->curve + row * p->width;
        memset(curve, 0, p->width * sizeof *curve);
        for (size_t k = 0; k < of->count; k++) {
            size_t at = 0;
            for (size_t place = 0; place < p->width; place++) {
                curve[place] += loss_in(p, &of->records[k], place, &at) / (double)of->count;
            }
        }
    }
}

/* ---- axes ---- */

static void find_steps(plot *p)
{
    p->first = HUGE_VAL;
    p->last = 0;
    for (size_t i = 0; i < p->r->count; i++) {
        const bnd_record *record = &p->r->records[i];
        if (record->count > 0) {
            p->first = fmin(p->first, (double)record->points[0].step);
            p->last = fmax(p->last, (double)record->points[record->count - 1].step);
        }
    }
}

/* Only the steps of --plot-range; false, with a sentence instead of the plot, where there are none. */
static bool choose_steps(plot *p, const plot_options *how)
{
    const double first = fmax(p->first, (double)how->from), last = fmin(p->last, (double)how->to);
    if (how->ranged && p->first <= p->last && first > last) {
        const bool late = (double)how->from > p->last;
        char *text =
            format_text("Nothing is plotted: --plot-range %s at step %llu, and the runs have the steps %.0f to "
                        "%.0f.",
                        late ? "begins" : "ends", (unsigned long long)(late ? how->from : how->to), p->first, p->last);
        fill_text(text, 0, 0);
        free(text);
        return false;
    }
    p->first = how->ranged ? first : p->first;
    p->last = how->ranged ? last : p->last;
    return p->first <= p->last;
}

/* What is above the reference's first loss and above chance level is drawn at the upper edge. */
static double highest_shown(const plot *p)
{
    const bnd_record *reference = p->r->rows[p->r->reference].records;
    double first = reference->count > 0 ? reference->points[0].loss : (double)NAN;
    double most = fmax(first, reference->chance_loss); /* fmax leaves NaN out */
    return isnan(most) ? HUGE_VAL : most * 1.1;
}

/* The irreducible loss is shown where that leaves the curves half of the height. */
static void show_floor(plot *p)
{
    double floor_of = p->r->rows[p->r->reference].records->floor;
    if (!p->log_loss && floor_of < p->low && p->low - floor_of <= p->high - p->low) { /* false for NaN */
        p->low = floor_of;
    }
}

/* False where there is nothing to draw. Losses beyond MOST are drawn at the edge: their differences overflow. */
#define MOST 1e307
static bool find_losses(plot *p, enum plot_losses scale)
{
    double limit = highest_shown(p);
    p->low = HUGE_VAL;
    p->high = -HUGE_VAL;
    for (size_t i = 0; i < p->r->row_count * p->width; i++) {
        if (isfinite(p->curve[i])) {
            const double x = fmin(fmax(p->curve[i], -MOST), MOST);
            p->low = fmin(p->low, x);
            p->high = fmax(p->high, fmin(x, limit));
        }
    }
    if (!(p->low <= p->high)) {
        return false;
    }
    p->log_loss = p->low > 0 && (scale == LOSSES_LOG || (scale == LOSSES_AUTO && p->high / p->low > 30));
    show_floor(p);
    if (p->low == p->high) {
        p->low -= fabs(p->low) / 100 + 1e-30;
        p->high += fabs(p->high) / 100 + 1e-30;
    }
    return true;
}

/* The line of a loss, counted from the top. */
static size_t line_of(const plot *p, double loss)
{
    double x = fmin(fmax(loss, p->low), p->high);
    double share = p->log_loss ? log(p->high / x) / log(p->high / p->low) : (p->high - x) / (p->high - p->low);
    return (size_t)(share * (HEIGHT - 1) + 0.5);
}

static double loss_at(const plot *p, size_t line)
{
    double share = (double)line / (HEIGHT - 1);
    return p->log_loss ? p->high * pow(p->low / p->high, share) : p->high + (p->low - p->high) * share;
}

/* ---- drawing ---- */

static void put_label(const plot *p, size_t line)
{
    if (line % 4 != 0 && line != HEIGHT - 1) {
        printf("%*s ", LABEL, "");
        return;
    }
    char text[32];
    double x = loss_at(p, line);
    snprintf(text, sizeof text, fabs(x) >= 1e-2 && fabs(x) < 1e5 ? "%.4g" : "%.2e", x);
    printf("%*s ", LABEL, text);
}

/* The first row whose curve passes through this place of this line; the number of rows if none does. */
static size_t row_at(const plot *p, size_t line, size_t place)
{
    size_t rows = p->r->row_count, row = 0;
    while (row < rows &&
           (isnan(p->curve[row * p->width + place]) || line_of(p, p->curve[row * p->width + place]) != line)) {
        row++;
    }
    return row;
}

static void put_line(const plot *p, size_t line)
{
    double floor_of = p->r->rows[p->r->reference].records->floor;
    bool is_floor = floor_of >= p->low && floor_of <= p->high && line_of(p, floor_of) == line;
    size_t rows = p->r->row_count, blanks = 0;
    put_label(p, line);
    fputs(p->utf8 ? "│" : "|", stdout);
    for (size_t place = 0; place < p->width; place++) {
        size_t found = row_at(p, line, place);
        if (found == rows && !is_floor) {
            blanks++;
            continue;
        }
        printf("%*s", (int)blanks, "");
        blanks = 0;
        put_coloured(p->colour, found == rows ? DIM : colour_of(found),
                     found < rows ? mark_of(p, found)
                     : p->utf8    ? "┄"
                                  : ".");
    }
    fputs(is_floor ? " floor\n" : "\n", stdout);
}

static void put_steps_axis(const plot *p)
{
    printf("%*s %s", LABEL, "", p->utf8 ? "└" : "+");
    for (size_t place = 0; place < p->width; place++) {
        fputs(p->utf8 ? "─" : "-", stdout);
    }
    char middle[48], right[48];
    snprintf(middle, sizeof middle, "%.0f", step_at(p, (double)p->width / 2));
    int end = snprintf(right, sizeof right, "%sstep %.0f", p->log_steps ? "(log) " : "", p->last);
    int half = (int)(p->width / 2), gap = (int)p->width - half - (int)strlen(middle) - end;
    printf("\n%*s  %-*.0f%s%*s%s\n", LABEL, "", half, p->first, middle, gap > 1 ? gap : 1, "", right);
}

/* The first step from which the loss is not finite up to the end; false if the last loss is finite. */
static bool lost_at(const bnd_record *record, uint64_t *step)
{
    size_t i = record->count;
    while (i > 0 && !isfinite(record->points[i - 1].loss)) {
        i--;
    }
    if (i == record->count) {
        return false;
    }
    *step = record->points[i].step;
    return true;
}

/* The row behind which most of a row's curve lies, where most of it cannot be seen; otherwise the row itself. */
static size_t hidden_behind(const plot *p, size_t row)
{
    size_t drawn = 0, hidden = 0, by = row;
    for (size_t place = 0; place < p->width; place++) {
        double x = p->curve[row * p->width + place];
        size_t seen = isnan(x) ? row : row_at(p, line_of(p, x), place);
        drawn += isnan(x) ? 0 : 1;
        hidden += seen != row;
        by = seen != row ? seen : by;
    }
    return 2 * hidden > drawn ? by : row;
}

static void put_legend(const plot *p, bool drawn)
{
    for (size_t row = 0; row < p->r->row_count; row++) {
        uint64_t step = 0;
        const train_row *of = &p->r->rows[row];
        printf("%*s ", LABEL, "");
        put_coloured(p->colour, colour_of(row), mark_of(p, row));
        printf(" %.60s", of->name);
        if (lost_at(of->records, &step)) {
            printf(", NaN from step %llu on", (unsigned long long)step);
        }
        size_t behind = drawn ? hidden_behind(p, row) : row;
        if (behind != row) {
            printf(" (mostly behind %s)", mark_of(p, behind));
        }
        putchar('\n');
    }
}

void plot_losses(const train_result *r, const plot_options *how, bool colour)
{
    enum { BESIDE = LABEL + 2 + 6 }; /* the label, the axis, " floor" */
    size_t page = page_width() - 1, width = page > BESIDE + LEAST_WIDTH ? page - BESIDE : LEAST_WIDTH;
    plot p = {.r = r,
              .width = width < MOST_WIDTH ? width : MOST_WIDTH,
              .log_steps = how->steps == PLOT_LOG,
              .colour = colour,
              .utf8 = writes_utf8()};
    find_steps(&p);
    p.curve = allocate(NULL, r->row_count * p.width + 1, sizeof *p.curve);
    if (choose_steps(&p, how)) {
        draw_curves(&p);
        bool drawn = find_losses(&p, how->losses);
        if (drawn) {
            printf("loss%s\n", p.log_loss ? " (log)" : "");
            for (size_t line = 0; line < HEIGHT; line++) {
                put_line(&p, line);
            }
            put_steps_axis(&p);
        }
        put_legend(&p, drawn);
    }
    free(p.curve);
}
