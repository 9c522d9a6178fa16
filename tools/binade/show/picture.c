/* show --svg: one value between its neighbours in each format, as a picture. */
#include "look.h"
#include "common/print.h"
#include "common/svg.h"

#include <stdlib.h>
#include <string.h>

/* In pixels. The neighbours are written in the room on both sides of the line. */
enum { WIDTH = 860, ROW = 64, TOP = 40, MARGIN = 12, LINE_FROM = 250, LINE_TO = 610, TICK = 7, DOT = 9 };

static char *value_with_code(const bnd_format *f, bnd_exact value)
{
    char *number = brief_text(f, value), *code = f->width != 0 ? code_text(f, bnd_pack(f, value)) : NULL;
    char *text = code != NULL ? format_text("%s (%s)", number, code) : copy_text(number);
    free(number);
    free(code);
    return text;
}

static void draw_end(svg *s, const look *l, bnd_exact value, bool at_left, double y)
{
    double x = at_left ? LINE_FROM : LINE_TO;
    bool result = bnd_exact_compare(value, l->rounded.value) == 0;
    char *text = value_with_code(l->format, value);
    svg_box(s, result ? SVG_SOLID : SVG_LIGHT, x - DOT / 2.0, y - DOT / 2.0, DOT, DOT);
    bool bold = result && svg_width(text) < (double)(WIDTH - LINE_TO - 2 * MARGIN);
    svg_label(s, bold ? SVG_BOLD : SVG_SMALL, at_left ? "end" : "start", x + (at_left ? -10 : 10), y + 4, text);
    free(text);
}

static void draw_gap(svg *s, const look *l, const look_gap *g, double y)
{
    double middle = (LINE_FROM + LINE_TO) / 2.0, x = LINE_FROM + g->part * (LINE_TO - LINE_FROM);
    if (g->side != 0 && (x - middle) * g->side < 1) {
        x = middle + g->side; /* on its side of the midpoint, however near */
    }
    char *text = brief_text(l->format, g->middle);
    svg_line(s, SVG_GRID, LINE_FROM, y, LINE_TO, y);
    svg_line(s, SVG_GRID, middle, y - TICK, middle, y + TICK);
    svg_label(s, SVG_SMALL, "middle", middle, y + 22, text);
    draw_end(s, l, g->below, true, y);
    draw_end(s, l, g->above, false, y);
    svg_arrow(s, SVG_MARK, x, y - 3);
    free(text);
}

/* What has no place between two neighbours: an exact value, an overflow, a NaN. */
static void draw_result(svg *s, const look *l, double y)
{
    char *value = value_with_code(l->format, l->rounded.value), *flags = flags_text(l->rounded.flags);
    char *text = format_text("%s: %s", flags[0] != '\0' ? flags : "exact", value);
    svg_label(s, SVG_SMALL, "middle", (LINE_FROM + LINE_TO) / 2.0, y + 4, text);
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
    svg picture;
    svg_begin(&picture, WIDTH, TOP + (double)ROW * (double)formats->count, title, words);
    svg_arrow(&picture, SVG_MARK, MARGIN + 6, MARGIN + 12);
    svg_label(&picture, SVG_MARK, "start", MARGIN + 18, MARGIN + 12, input);
    for (size_t i = 0; i < formats->count; i++) {
        double y = TOP + (double)ROW * ((double)i + 0.5) - 6;
        look_gap gap;
        svg_label(&picture, SVG_BOLD, "start", MARGIN, y + 4, formats->items[i].name);
        if (find_gap(&gap, &looks[i], v)) {
            draw_gap(&picture, &looks[i], &gap, y);
        } else {
            draw_result(&picture, &looks[i], y);
        }
        clear_look(&looks[i]);
    }
    free(looks);
    free(title);
    free(words);
    free(input);
    return svg_finish(&picture, s->command, path);
}
