/* cost memory --svg: a stacked bar per recipe, and the memory of the machine as a line. Parts lie in one order in every
 * bar, dark and light ones in turn, so that the picture can be read without colour. */
#include "cost.h"
#include "common/print.h"
#include "common/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. The picture is narrow, so that it can be read on a telephone. */
static const double WIDTH = 480, MARGIN = 12, BAR = 22, ROW = 54, LINE = 18, SWATCH = 12, MOST_ROWS = 200;

static const struct part {
    const char *step, *class; /* of the answer; of the picture */
    bool dark;                /* its text is white */
} parts[] = {{"param", "p1", true},
             {"grad", "p2", false},
             {"master", "p3", true},
             {"m", "p4", false},
             {"v", "p5", true},
             {"extra", "p6", false},
             {"scales", "p7", true},
             {"transient", "p8", false},
             {"second gradient", "p9", false},
             {"histories", "p10", true},
             {"activations", "p11", false},
             {"rest of the step", "p12", true}}; /* what the others leave of the total */
enum { PARTS = sizeof parts / sizeof parts[0] };

static const char style[] = ".p1{fill:#0072b2}.p2{fill:#9fd0ee}.p3{fill:#b34a00}.p4{fill:#f7c690}.p5{fill:#00775a}"
                            ".p6{fill:#a6dfcb}.p7{fill:#9c4f7d}.p8{fill:#f0cadf}.p9{fill:#ccc}.p10{fill:#666}"
                            ".p11{fill:#f0e442}.p12{fill:#444}text.in{fill:#1a1a1a;stroke:none}text.in.dark{fill:#fff}";

typedef struct picture {
    svg s;
    const asked *a;
    const bnd_cost *answers;
    double most, capacity; /* bytes: the right end of the axis; of the machine, 0: not known */
    double top, bottom;    /* of the bars */
} picture;

static double total_of(const bnd_cost *answer)
{
    return bnd_cost_value(answer, "total");
}

static double step_of(const bnd_cost *answer, size_t part)
{
    double bytes = bnd_cost_value(answer, parts[part].step);
    return bytes > 0 ? bytes : 0;
}

/* 0 where the answer does not have the part. */
static double bytes_of(const bnd_cost *answer, size_t part)
{
    double rest = total_of(answer);
    if (part + 1 < PARTS) {
        return step_of(answer, part);
    }
    for (size_t i = 0; i < part; i++) {
        rest -= step_of(answer, i);
    }
    return rest >= 1 ? rest : 0;
}

static double place_of(const picture *p, double bytes)
{
    return MARGIN + bytes / p->most * (WIDTH - 2 * MARGIN);
}

/* ---- parts of the picture ---- */

static void draw_heading(picture *p)
{
    const asked *a = p->a;
    char *size = cost_short_text(bnd_cost_value(p->answers, "parameters"), "parameter");
    const char *model = a->has_trained ? a->trained.model : a->model != NULL ? a->model->name : NULL;
    char *heading = format_text("Memory %s: %s%s%s", a->has_trained ? "of a run" : "per rank",
                                model != NULL ? model : "", model != NULL ? ", " : "", size);
    svg_label(&p->s, SVG_BOLD, "start", MARGIN, 22, heading);
    long_text plan = {0};
    const char *optimizer = a->text[COST_OPTIMIZER] != NULL ? a->text[COST_OPTIMIZER] : "adamw";
    add_text(&plan, "%s", optimizer);
    if (a->plan.zero > 0) {
        add_text(&plan, ", ZeRO %u over %.0f ranks", a->plan.zero, a->plan.ranks);
    }
    if (a->plan.tensor > 1) {
        add_text(&plan, ", layers on %.0f machines", a->plan.tensor);
    }
    if (a->has_trained || a->model != NULL) {
        add_text(&plan, ", batch %.0f", a->number[COST_BATCH]);
    } else {
        add_text(&plan, ", without activations");
    }
    svg_label(&p->s, SVG_SMALL, "start", MARGIN, 41, plan.text);
    free(plan.text);
    free(heading);
    free(size);
}

/* 1, 2 or 5 times a power of ten; six steps at most. */
static double step_for(double most)
{
    double step = pow(10, floor(log10(most / 6)));
    return most / step <= 6 ? step : most / (2 * step) <= 6 ? 2 * step : most / (5 * step) <= 6 ? 5 * step : 10 * step;
}

static void draw_axis(picture *p)
{
    double step = step_for(p->most);
    for (int i = 0; i * step <= p->most; i++) {
        double x = place_of(p, i * step);
        char *text = i == 0 ? copy_text("0") : cost_short_text(i * step, "B");
        double half = svg_small_width(text) / 2;
        svg_line(&p->s, SVG_GRID, x, p->top, x, p->bottom + 4);
        svg_label(&p->s, SVG_SMALL, "middle", fmax(MARGIN + half, fmin(x, WIDTH - MARGIN - half)), p->bottom + 18,
                  text);
        free(text);
    }
}

static void draw_bar(picture *p, size_t row)
{
    const bnd_cost *answer = &p->answers[row];
    double y = p->top + ROW * (double)row + LINE + 6, sum = 0;
    for (size_t i = 0; i < PARTS; i++) {
        double from = place_of(p, sum), to = place_of(p, sum += bytes_of(answer, i));
        if (to - from < 0.05) {
            continue;
        }
        svg_box(&p->s, parts[i].class, from, y, fmax(to - from - 1, 0.5), BAR); /* a gap of one pixel */
        if (svg_small_width(parts[i].step) + 4 < to - from) {
            svg_label(&p->s, parts[i].dark ? SVG_SMALL " in dark" : SVG_SMALL " in", "middle", (from + to - 1) / 2,
                      y + BAR - 7, parts[i].step);
        }
    }
}

static void draw_capacity(picture *p)
{
    if (p->capacity > 0) {
        char *size = cost_short_text(p->capacity, "B"), *text = format_text("%s: %s", size, p->a->machine.title);
        double x = place_of(p, p->capacity), half = svg_small_width(text) / 2;
        svg_line(&p->s, SVG_MARK, x, p->top - 4, x, p->bottom);
        svg_label(&p->s, SVG_SMALL " " SVG_MARK, "middle", fmax(MARGIN + half, fmin(x, WIDTH - MARGIN - half)),
                  p->top - 8, text);
        free(text);
        free(size);
    }
}

/* After the lines, which would cross them. */
static void draw_words(picture *p, size_t row)
{
    double total = total_of(&p->answers[row]), y = p->top + ROW * (double)row + LINE;
    char *size = cost_short_text(total, "B");
    char *text = format_text("%s%s", size, p->capacity > 0 && total > p->capacity ? ", does not fit" : "");
    char *name = svg_fit(p->a->recipes.items[row].name, WIDTH - 3 * MARGIN - svg_width(text), true);
    svg_label(&p->s, SVG_BOLD, "start", MARGIN, y, name);
    svg_label(&p->s, "", "end", WIDTH - MARGIN, y, text);
    free(name);
    free(text);
    free(size);
}

/* The parts that occur, in their order; with their bytes where there is one recipe. Returns the y of the last line. */
static double draw_legend(picture *p, bool drawn)
{
    size_t count = p->a->recipes.count;
    double x = MARGIN, y = p->bottom + 42;
    const char *order = "From left to right:";
    if (drawn) {
        svg_label(&p->s, SVG_SMALL, "start", x, y, order);
    }
    x += svg_small_width(order) + 6;
    for (size_t i = 0; i < PARTS; i++) {
        double bytes = 0;
        for (size_t row = 0; row < count; row++) {
            bytes = fmax(bytes, bytes_of(&p->answers[row], i));
        }
        char *size = cost_short_text(bytes, "B");
        char *text = format_text("%s%s%s", parts[i].step, count == 1 ? " " : "", count == 1 ? size : "");
        double width = SWATCH + 4 + svg_small_width(text) + 10;
        if (bytes > 0 && x + width > WIDTH) {
            x = MARGIN;
            y += LINE;
        }
        if (bytes > 0 && drawn) {
            svg_box(&p->s, parts[i].class, x, y - SWATCH + 2, SWATCH, SWATCH);
            svg_label(&p->s, SVG_SMALL, "start", x + SWATCH + 4, y, text);
        }
        x += bytes > 0 ? width : 0;
        free(size);
        free(text);
    }
    return y;
}

/* "fp32: 112 GB (param 28 GB, grad 28 GB); ..." for a reader who does not see the picture. */
static char *in_words(const picture *p)
{
    long_text all = {0};
    for (size_t row = 0; row < p->a->recipes.count; row++) {
        char *total = cost_short_text(total_of(&p->answers[row]), "B");
        const char *before = " (";
        add_text(&all, "%s%s: %s", row > 0 ? "; " : "", p->a->recipes.items[row].name, total);
        for (size_t i = 0; i < PARTS; i++) {
            double bytes = bytes_of(&p->answers[row], i);
            if (bytes > 0) {
                char *part = cost_short_text(bytes, "B");
                add_text(&all, "%s%s %s", before, parts[i].step, part);
                before = ", ";
                free(part);
            }
        }
        add_text(&all, ")");
        free(total);
    }
    return all.text;
}

int cost_draw_memory(const asked *a, const bnd_cost *answers)
{
    size_t rows = a->recipes.count;
    picture p = {.a = a, .answers = answers, .capacity = (a->given & GIVEN(COST_GPU)) != 0 ? a->machine.memory : 0};
    if (rows > (size_t)MOST_ROWS) {
        return complain(a->common.command, "--svg draws at most %.0f recipes, got %zu", MOST_ROWS, rows);
    }
    p.most = p.capacity;
    for (size_t row = 0; row < rows; row++) {
        p.most = fmax(p.most, total_of(&answers[row]));
    }
    p.top = p.capacity > 0 ? 72 : 48;
    p.bottom = p.top + ROW * (double)rows;
    char *words = in_words(&p);
    svg_begin(&p.s, WIDTH, draw_legend(&p, false) + MARGIN, "Memory by role and recipe", words);
    svg_style(&p.s, style);
    draw_heading(&p);
    draw_axis(&p);
    for (size_t row = 0; row < rows; row++) {
        draw_bar(&p, row);
    }
    draw_capacity(&p);
    for (size_t row = 0; row < rows; row++) {
        draw_words(&p, row);
    }
    (void)draw_legend(&p, true);
    free(words);
    int status = svg_finish(&p.s, a->common.command, a->text[COST_SVG]);
    return status == GO_ON ? FINE : status;
}
