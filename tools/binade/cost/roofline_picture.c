/* cost roofline --svg: what a machine reaches over the intensity of a product, on two logarithmic axes: a roof per peak
 * of the machine, the ridge of the format that was asked for, and a numbered point per product. */
#include "cost.h"
#include "common/print.h"
#include "common/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. The picture is narrow, so that it can be read on a telephone. */
static const double WIDTH = 480, MARGIN = 12, LEFT = 62, TOP = 74, HEIGHT = 250, LINE = 17, LETTER = 14, DOT = 5;

static const char style[] = "line.roof{stroke:#6b7785;stroke-width:1.5}line.asked{stroke:#1f5fa8;stroke-width:3}"
                            "circle{fill:#b3400a;stroke:#fff;stroke-width:1.5}"
                            "@media(prefers-color-scheme:dark){line.roof{stroke:#8f9aa6}line.asked{stroke:#6ca9e8}"
                            "circle{fill:#ff9e5e;stroke:#14171a}}";

/* The decimal logarithms that the axes begin and end with. */
typedef struct picture {
    svg s;
    const asked *a;
    double from, to, low, high;
    double right;       /* of the plot */
    const char *format; /* that was asked for */
    double peak;        /* of this format */
} picture;

static double peak_at(const asked *a, size_t i)
{
    return (a->given & GIVEN(COST_SPARSE)) != 0 ? a->machine.peak[i].sparse : a->machine.peak[i].dense;
}

/* Formats of one peak are named together, by the first of them: NULL for the others. "fp16, bf16"; to be freed. */
static char *formats_at(const asked *a, size_t at)
{
    long_text names = {0};
    for (size_t i = 0; i < a->machine.peaks; i++) {
        if (peak_at(a, i) == peak_at(a, at)) {
            if (i < at) {
                return NULL;
            }
            const char *formats = a->machine.peak[i].formats;
            add_text(&names, "%s%.*s", names.length > 0 ? ", " : "", (int)strcspn(formats, " "), formats);
        }
    }
    return names.text;
}

static double x_of(const picture *p, double logarithm)
{
    return LEFT + (logarithm - p->from) / (p->to - p->from) * (p->right - LEFT);
}

static double y_of(const picture *p, double logarithm)
{
    return TOP + (p->high - logarithm) / (p->high - p->low) * HEIGHT;
}

/* The axes have room for all points and ridges; the slope begins in the corner at the left and below. */
static void set_ends(picture *p, const bnd_cost *answers, size_t count)
{
    double bandwidth = p->a->machine.bandwidth, least = HUGE_VAL, most = 0, highest = 0, names = 0;
    for (size_t i = 0; i < p->a->machine.peaks; i++) {
        double peak = peak_at(p->a, i);
        char *formats = peak > 0 ? formats_at(p->a, i) : NULL;
        highest = fmax(highest, peak);
        least = peak > 0 ? fmin(least, peak / bandwidth) : least;
        names = formats != NULL ? fmax(names, svg_small_width(formats)) : names;
        free(formats);
    }
    most = highest / bandwidth;
    for (size_t i = 0; i < count; i++) {
        double intensity = bnd_cost_value(&answers[i], "intensity");
        least = fmin(least, intensity);
        most = fmax(most, intensity);
    }
    p->to = log10(most) + 0.5;
    p->from = fmin(log10(least) - 0.5, p->to - 3); /* three decades at least */
    p->low = p->from + log10(bandwidth);
    p->high = log10(highest) + 0.15;
    p->right = WIDTH - MARGIN - names - 6;
}

static void draw_grid(picture *p)
{
    for (int i = (int)ceil(p->from); i <= (int)floor(p->to); i++) {
        char number[32];
        bnd_cost_number(number, sizeof number, pow(10, i));
        svg_line(&p->s, SVG_GRID, x_of(p, i), TOP, x_of(p, i), TOP + HEIGHT + 4);
        svg_label(&p->s, SVG_SMALL, "middle", x_of(p, i), TOP + HEIGHT + 18, number);
    }
    for (int i = (int)ceil(p->low); i <= (int)floor(p->high); i++) {
        char *text = cost_short_text(pow(10, i), "FLOP/s");
        *strstr(text, "FLOP") = '\0'; /* the axis has it: "10 T" */
        svg_line(&p->s, SVG_GRID, LEFT - 4, y_of(p, i), p->right, y_of(p, i));
        svg_label(&p->s, SVG_SMALL, "end", LEFT - 6, y_of(p, i) + 4, text);
        free(text);
    }
    svg_label(&p->s, SVG_SMALL, "start", MARGIN, TOP - 8, "FLOP/s");
    svg_label(&p->s, SVG_SMALL, "middle", (LEFT + p->right) / 2, TOP + HEIGHT + 35, "intensity: FLOP per byte moved");
}

/* ---- roofs ---- */

/* The roof of the asked format comes last, on top of the slope that all share. */
static void draw_roof(picture *p, double peak, const char *class)
{
    double ridge = log10(peak / p->a->machine.bandwidth), y = y_of(p, log10(peak));
    svg_line(&p->s, class, LEFT, y_of(p, p->low), x_of(p, ridge), y);
    svg_line(&p->s, class, x_of(p, ridge), y, p->right, y);
}

/* The highest peak below `limit`; the machine's number of peaks where there is none. */
static size_t next_peak(const asked *a, double limit)
{
    size_t best = a->machine.peaks;
    for (size_t i = 0; i < a->machine.peaks; i++) {
        if (peak_at(a, i) > 0 && peak_at(a, i) < limit &&
            (best == a->machine.peaks || peak_at(a, i) > peak_at(a, best))) {
            best = i;
        }
    }
    return best;
}

/* From the highest on, each at its roof or as far below as the one above it needs. */
static void name_roofs(picture *p)
{
    double last = -HUGE_VAL;
    for (size_t i = next_peak(p->a, HUGE_VAL); i < p->a->machine.peaks; i = next_peak(p->a, peak_at(p->a, i))) {
        char *formats = formats_at(p->a, i);
        last = fmax(y_of(p, log10(peak_at(p->a, i))) + 4, last + LETTER);
        svg_label(&p->s, peak_at(p->a, i) == p->peak ? SVG_SMALL " " SVG_BOLD : SVG_SMALL, "start", p->right + 6, last,
                  formats != NULL ? formats : "");
        free(formats);
    }
}

static void draw_ridge(picture *p, double ridge)
{
    double x = x_of(p, log10(ridge));
    char number[32];
    bnd_cost_number(number, sizeof number, ridge);
    char *text = format_text("ridge %s", number);
    bool left = x - svg_small_width(text) - 6 > LEFT;
    svg_line(&p->s, SVG_MARK, x, y_of(p, log10(p->peak)), x, TOP + HEIGHT);
    svg_label(&p->s, SVG_SMALL " " SVG_MARK, left ? "end" : "start", left ? x - 6 : x + 6, TOP + HEIGHT - 8, text);
    free(text);
}

/* ---- products ---- */

static void draw_point(picture *p, const bnd_cost *answer, size_t number)
{
    double x = x_of(p, log10(bnd_cost_value(answer, "intensity")));
    double y = y_of(p, log10(bnd_cost_value(answer, "reachable")));
    char *text = format_text("%zu", number);
    svg_dot(&p->s, "", x, y, DOT);
    svg_label(&p->s, SVG_BOLD, "middle", x, number % 2 == 1 ? y - 10 : y + 20, text); /* neighbours seldom meet */
    free(text);
}

/* "1365.3 FLOP/B, bound by compute: 990 TFLOP/s (the peak)"; to be freed. */
static char *result_text(const bnd_cost *answer, double peak)
{
    char intensity[32];
    double reachable = bnd_cost_value(answer, "reachable");
    bnd_cost_number(intensity, sizeof intensity, bnd_cost_value(answer, "intensity"));
    char *most = cost_short_text(reachable, "FLOP/s");
    char *share = reachable < peak ? cost_short_text(reachable / peak, "") : copy_text("the peak");
    char *text = format_text("%s FLOP/B, bound by %s: %s (%s)", intensity, reachable < peak ? "bandwidth" : "compute",
                             most, share);
    free(share);
    free(most);
    return text;
}

static void list_product(picture *p, const char *product, const bnd_cost *answer, size_t number, double y)
{
    char *shape = svg_fit(product, WIDTH - 2 * MARGIN - 24, true), *name = format_text("%zu: %s", number, shape);
    char *result = result_text(answer, p->peak);
    svg_label(&p->s, SVG_BOLD, "start", MARGIN, y, name);
    svg_label(&p->s, SVG_SMALL, "start", MARGIN + 18, y + LINE, result);
    free(result);
    free(name);
    free(shape);
}

/* ---- the picture ---- */

static char *machine_text(const picture *p)
{
    return (p->a->given & GIVEN(COST_PEAK)) != 0 ? copy_text("a machine") : copy_text(p->a->machine.title);
}

static void draw_heading(picture *p, const char *machine)
{
    char *heading = format_text("Roofline of %s", machine), *peak = cost_short_text(p->peak, "FLOP/s");
    char *bandwidth = cost_short_text(p->a->machine.bandwidth, "B/s");
    char *facts = format_text("%s: peak %s%s, bandwidth %s", p->format, peak,
                              (p->a->given & GIVEN(COST_SPARSE)) != 0 ? " (sparse)" : "", bandwidth);
    svg_label(&p->s, SVG_BOLD, "start", MARGIN, 22, heading);
    svg_label(&p->s, SVG_SMALL, "start", MARGIN, 41, facts);
    free(facts);
    free(bandwidth);
    free(peak);
    free(heading);
}

static char *in_words(const picture *p, char *const *products, const bnd_cost *answers, size_t count)
{
    long_text all = {0};
    for (size_t i = 0; i < count; i++) {
        char *result = result_text(&answers[i], p->peak);
        add_text(&all, "%s%s: %s", i > 0 ? "; " : "", products[i], result);
        free(result);
    }
    return all.text;
}

int cost_draw_roofline(const asked *a, char *const *products, const bnd_cost *answers, size_t count)
{
    picture p = {.a = a, .format = a->text[COST_FORMAT] != NULL ? a->text[COST_FORMAT] : "bf16"};
    double ridge = bnd_cost_value(&answers[0], "ridge");
    bnd_error why;
    bool sparse = (a->given & GIVEN(COST_SPARSE)) != 0;
    if (bnd_machine_peak(&p.peak, &a->machine, p.format, sparse, &why) != BND_OK) {
        return complain(a->common.command, "%s", why.message);
    }
    set_ends(&p, answers, count);
    char *machine = machine_text(&p), *title = format_text("Roofline of %s", machine);
    char *words = in_words(&p, products, answers, count);
    double list = TOP + HEIGHT + 62;
    svg_begin(&p.s, WIDTH, list + (2 * LINE + 8) * (double)count - LINE + MARGIN, title, words);
    svg_style(&p.s, style);
    draw_heading(&p, machine);
    draw_grid(&p);
    for (size_t i = 0; i < a->machine.peaks; i++) {
        if (peak_at(a, i) > 0 && peak_at(a, i) != p.peak) {
            draw_roof(&p, peak_at(a, i), "roof");
        }
    }
    draw_roof(&p, p.peak, "asked");
    draw_ridge(&p, ridge);
    name_roofs(&p);
    for (size_t i = 0; i < count; i++) {
        draw_point(&p, &answers[i], i + 1);
        list_product(&p, products[i], &answers[i], i + 1, list + (2 * LINE + 8) * (double)i);
    }
    free(words);
    free(title);
    free(machine);
    int status = svg_finish(&p.s, a->common.command, a->text[COST_SVG]);
    return status == GO_ON ? FINE : status;
}
