/* binade range --svg: one bar per format on a logarithmic axis, as a picture. */
#include "range.h"
#include "common/print.h"
#include "common/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. The ends of a bar are written in the room on both sides of the axis. */
static const double WIDTH = 860, ROW = 30, BAR = 16, ENDS = 80, GAP = 6, MARGIN = 12, MARK_ROW = 20, AXIS = 46;

typedef struct frame {
    double from, to;    /* decimal exponents */
    double left, right; /* their places */
    double top, bottom; /* of the bars */
} frame;

static double place_of(const frame *a, double exponent)
{
    return a->left + (exponent - a->from) / (a->to - a->from) * (a->right - a->left);
}

static frame frame_for(const range *r)
{
    frame a = {0};
    range_ends(r, &a.from, &a.to);
    double names = 0, ends = ENDS;
    for (size_t i = 0; i < r->common.formats.count; i++) {
        double width = svg_width(r->common.formats.items[i].name);
        range_limits l = range_limits_of(&r->common.formats.items[i]);
        char *low = digits_text(l.smallest_value, 2), *high = digits_text(l.largest_value, 3);
        names = fmax(names, width);
        ends = fmax(ends, 2 * GAP + fmax(svg_small_width(low), svg_small_width(high)));
        free(low);
        free(high);
    }
    a.left = MARGIN + names + ends;
    a.right = WIDTH - MARGIN - ends;
    size_t marks = 0;
    for (size_t i = 0; i < r->value_count; i++) {
        marks += range_is_marked(r, i);
    }
    a.top = MARGIN + MARK_ROW * (double)(marks > 0 ? 2 : 0);
    a.bottom = a.top + ROW * (double)r->common.formats.count;
    return a;
}

static void draw_axis(svg *s, const frame *a)
{
    int step = range_step(a->from, a->to, (a->right - a->left) / svg_small_width("0"));
    for (int exponent = (int)ceil(a->from / step) * step; exponent <= (int)a->to; exponent += step) {
        char *text = format_text("1e%d", exponent);
        double x = place_of(a, exponent);
        svg_line(s, SVG_GRID, x, a->top, x, a->bottom + 4);
        svg_label(s, SVG_SMALL, "middle", x, a->bottom + 18, text);
        free(text);
    }
}

static double top_of(const frame *a, size_t i)
{
    return a->top + ROW * (double)i + (ROW - BAR) / 2.0;
}

static void draw_bar(svg *s, const frame *a, const bnd_format *f, double y)
{
    range_limits l = range_limits_of(f);
    double low = place_of(a, l.smallest), high = place_of(a, l.largest);
    bool normals = l.smallest_normal <= l.largest;
    double normal = normals ? place_of(a, l.smallest_normal) : high;
    if (normal > low) {
        svg_box(s, SVG_LIGHT, low, y, normal - low, BAR);
    }
    if (normals) {
        svg_box(s, SVG_SOLID, normal, y, high > normal ? high - normal : 1, BAR);
    }
}

/* After the marks, whose lines would cross them. */
static void draw_words(svg *s, const frame *a, const bnd_format *f, double y)
{
    range_limits l = range_limits_of(f);
    char *from = digits_text(l.smallest_value, 2), *to = digits_text(l.largest_value, 3);
    double base = y + BAR - 3;
    svg_label(s, SVG_BOLD, "start", MARGIN, base, f->name);
    svg_label(s, SVG_SMALL, "end", place_of(a, l.smallest) - GAP, base, from);
    svg_label(s, SVG_SMALL, "start", place_of(a, l.largest) + GAP, base, to);
    free(from);
    free(to);
}

/* Labels of marks lie in two rows in turn, so that two neighbours seldom meet. */
static void draw_marks(svg *s, const range *r, const frame *a)
{
    size_t count = 0;
    for (size_t i = 0; i < r->value_count; i++) {
        if (range_is_marked(r, i)) {
            double x = place_of(a, range_exponent(r->values[i])), y = MARGIN + MARK_ROW * (double)(count++ % 2);
            svg_line(s, SVG_MARK, x, y + MARK_ROW - 4, x, a->bottom);
            double half = svg_small_width(r->headings[i]) / 2; /* the label stays in the picture */
            double middle = fmax(MARGIN + half, fmin(x, WIDTH - MARGIN - half));
            svg_label(s, SVG_SMALL " " SVG_MARK, "middle", middle, y + MARK_ROW - 8, r->headings[i]);
        }
    }
}

static void draw_legend(svg *s, const range *r, const frame *a)
{
    double x = a->left, y = a->bottom + AXIS - 12;
    bool subnormals = false;
    for (size_t i = 0; i < r->common.formats.count; i++) {
        range_limits l = range_limits_of(&r->common.formats.items[i]);
        subnormals = subnormals || l.smallest < l.smallest_normal;
    }
    svg_box(s, SVG_SOLID, x, y, 12, 12);
    svg_label(s, SVG_SMALL, "start", x + 18, y + 10, "normal values");
    if (subnormals) {
        svg_box(s, SVG_LIGHT, x + 120, y, 12, 12);
        svg_label(s, SVG_SMALL, "start", x + 138, y + 10, "subnormal values, with fewer bits");
    }
}

/* The limits in words, for a reader who does not see the picture. */
static char *description(const range *r)
{
    char *text = copy_text("");
    for (size_t i = 0; i < r->common.formats.count; i++) {
        const bnd_format *f = &r->common.formats.items[i];
        range_limits l = range_limits_of(f);
        char *from = digits_text(l.smallest_value, 2), *to = digits_text(l.largest_value, 3);
        char *longer = format_text("%s%s%s: %s to %s", text, i > 0 ? "; " : "", f->name, from, to);
        free(text);
        free(from);
        free(to);
        text = longer;
    }
    return text;
}

int range_write_picture(const range *r, const char *path)
{
    frame a = frame_for(r);
    svg s;
    char *words = description(r);
    svg_begin(&s, WIDTH, a.bottom + AXIS + MARGIN, "Ranges of number formats", words);
    draw_axis(&s, &a);
    for (size_t i = 0; i < r->common.formats.count; i++) {
        draw_bar(&s, &a, &r->common.formats.items[i], top_of(&a, i));
    }
    draw_marks(&s, r, &a);
    for (size_t i = 0; i < r->common.formats.count; i++) {
        draw_words(&s, &a, &r->common.formats.items[i], top_of(&a, i));
    }
    draw_legend(&s, r, &a);
    free(words);
    return svg_finish(&s, r->common.command, path);
}
