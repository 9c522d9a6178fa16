/* Pictures as SVG text. A picture is collected in memory and written to its file when it is complete. */
#ifndef BINADE_TOOLS_SVG_H
#define BINADE_TOOLS_SVG_H

#include "print.h"

/* The classes of shapes and texts; the head of the file gives each a colour for light and for dark pages. The colours
 * differ in lightness too, so that they can be told apart without colour. */
#define SVG_SOLID "solid" /* what a format has in full precision */
#define SVG_LIGHT "light" /* what it has in less */
#define SVG_MARK  "mark"  /* the input */
#define SVG_GRID  "grid"
#define SVG_SMALL "small" /* smaller text */
#define SVG_BOLD  "bold"

typedef long_text svg;

/* Starts a picture of this size in pixels. The title and the description are for screen readers. */
void svg_begin(svg *s, double width, double height, const char *title, const char *description);
/* More classes, as CSS: those of one kind of picture. */
void svg_style(svg *s, const char *css);
void svg_box(svg *s, const char *class, double x, double y, double width, double height);
void svg_line(svg *s, const char *class, double x1, double y1, double x2, double y2);
void svg_dot(svg *s, const char *class, double x, double y, double radius);
/* A downward arrow head with its point at x, y. */
void svg_arrow(svg *s, const char *class, double x, double y);
/* Text whose start, middle or end ("start", "middle", "end") is at x; y is the base line. */
void svg_label(svg *s, const char *class, const char *anchor, double x, double y, const char *text);
/* Ends the picture, writes it to `path` ("-": standard output) and frees it. Returns GO_ON, or says why not. */
int svg_finish(svg *s, const command *self, const char *path);

/* About the width of a text in pixels, and that of a text of class SVG_SMALL. */
double svg_width(const char *text);
double svg_small_width(const char *text);
/* The text, or its beginning and "..." where it is wider than `room` pixels; to be freed. */
char *svg_fit(const char *text, double room, bool bold);

#endif
