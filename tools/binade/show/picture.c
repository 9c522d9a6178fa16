/* show --svg: one value between its neighbours in each format, as a picture. */
#include "look.h"
#include "common/print.h"
#include "common/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. The neighbours are written in the room on both sides of the line. */
static const double LEFT = 250, LINE = 360, SIDE = 228, GAP = 10, ROW = 64, TOP = 40, MARGIN = 12, TICK = 7, DOT = 9;

/* The ends of the line of a row, and the width of the picture. */
typedef struct frame {
    double left, right, width;
} frame;

static char *value_with_code(const bnd_format *f, bnd_exact value)
{
    char *number = brief_text(f, value), *code = f->width != 0 ? code_text(f, bnd_pack(f, value)) : NULL;
    char *text = code != NULL ? format_text("%s (%s)", number, code) : copy_text(number);
    free(number);
    free(code);
    return text;
}

/* Names, values and codes of wide formats take more room than most need; a label that is longer than its room is made
 * room for. */
static frame frame_for(const look *looks, size_t count, const given *v, const char *input)
{
    double left = LEFT, line = LINE, side = SIDE;
    for (size_t i = 0; i < count; i++) {
        look_gap gap;
        char *flags = flags_text(looks[i].rounded.flags),
             *result = value_with_code(looks[i].format, looks[i].rounded.value);
        if (find_gap(&gap, &looks[i], v)) {
            char *below = value_with_code(looks[i].format, gap.below),
                 *above = value_with_code(looks[i].format, gap.above);
            left = fmax(left, 2 * MARGIN + svg_width(looks[i].format->name) + svg_small_width(below) + GAP);
            side = fmax(side, svg_small_width(above));
            free(below);
            free(above);
        } else {
            line = fmax(line, svg_small_width(flags) + svg_small_width(": ") + svg_small_width(result));
        }
        free(flags);
        free(result);
    }
    frame a = {.left = left, .right = left + line};
    a.width = fmax(a.right + GAP + side + MARGIN, 3 * MARGIN + svg_width(input));
    return a;
}

static void draw_end(svg *s, const look *l, const frame *a, bnd_exact value, bool at_left, double y)
{
    double x = at_left ? a->left : a->right;
    bool result = bnd_exact_compare(value, l->rounded.value) == 0;
    char *text = value_with_code(l->format, value);
    svg_box(s, result ? SVG_SOLID : SVG_LIGHT, x - DOT / 2.0, y - DOT / 2.0, DOT, DOT);
    bool bold = result && svg_width(text) < (at_left ? a->left - GAP - 2 * MARGIN - svg_width(l->format->name)
                                                     : a->width - a->right - GAP - MARGIN);
    svg_label(s, bold ? SVG_BOLD : SVG_SMALL, at_left ? "end" : "start", x + (at_left ? -GAP : GAP), y + 4, text);
    free(text);
}

static void draw_gap(svg *s, const look *l, const frame *a, const look_gap *g, double y)
{
    double middle = (a->left + a->right) / 2.0, x = a->left + g->part * (a->right - a->left);
    if (g->side != 0 && (x - middle) * g->side < 1) {
        x = middle + g->side; /* on its side of the midpoint, however near */
    }
    char *text = brief_text(l->format, g->middle);
    svg_line(s, SVG_GRID, a->left, y, a->right, y);
    svg_line(s, SVG_GRID, middle, y - TICK, middle, y + TICK);
    svg_label(s, SVG_SMALL, "middle", middle, y + 22, text);
    draw_end(s, l, a, g->below, true, y);
    draw_end(s, l, a, g->above, false, y);
    svg_arrow(s, SVG_MARK, x, y - 3);
    free(text);
}

/* What has no place between two neighbours: an exact value, an overflow, a NaN. */
static void draw_result(svg *s, const look *l, const frame *a, double y)
{
    char *value = value_with_code(l->format, l->rounded.value), *flags = flags_text(l->rounded.flags);
    char *text = format_text("%s: %s", flags[0] != '\0' ? flags : "exact", value);
    svg_label(s, SVG_SMALL, "middle", (a->left + a->right) / 2.0, y + 4, text);
    free(text);
    free(flags);
    free(value);
}

/* "e4m3: 0.3125 (0x2a), inexact; ..." for a reader who does not see the picture. */
static char *one_in_words(const char *before, const look *l)
{
    char *value = value_with_code(l->format, l->rounded.value), *flags = flags_text(l->rounded.flags);
    char *text = format_text("%s%s%s: %s, %s", before, before[0] != '\0' ? "; " : "", l->format->name, value,
                             flags[0] != '\0' ? flags : "exact");
    free(flags);
    free(value);
    return text;
}

int show_write_picture(const settings *s, const given *v, size_t index, const format_list *formats, const char *path)
{
    look *looks = allocate(NULL, formats->count, sizeof *looks);
    char *words = copy_text(""), *input = heading_text(v->input);
    for (size_t i = 0; i < formats->count; i++) {
        bnd_rule rule = rule_for(s, &formats->items[i]);
        look_at(&looks[i], &formats->items[i], rule, random_for(s, rule, index), v, false);
        char *longer = one_in_words(words, &looks[i]);
        free(words);
        words = longer;
    }
    char *title = format_text("%s between its neighbours", input);
    frame a = frame_for(looks, formats->count, v, input);
    svg picture;
    svg_begin(&picture, a.width, TOP + ROW * (double)formats->count, title, words);
    svg_arrow(&picture, SVG_MARK, MARGIN + 6, MARGIN + 12);
    svg_label(&picture, SVG_MARK, "start", MARGIN + 18, MARGIN + 12, input);
    for (size_t i = 0; i < formats->count; i++) {
        double y = TOP + ROW * ((double)i + 0.5) - 6;
        look_gap gap;
        svg_label(&picture, SVG_BOLD, "start", MARGIN, y + 4, formats->items[i].name);
        if (find_gap(&gap, &looks[i], v)) {
            draw_gap(&picture, &looks[i], &a, &gap, y);
        } else {
            draw_result(&picture, &looks[i], &a, y);
        }
        clear_look(&looks[i]);
    }
    free(looks);
    free(title);
    free(words);
    free(input);
    return svg_finish(&picture, s->command, path);
}
