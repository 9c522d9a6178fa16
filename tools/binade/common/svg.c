/* Pictures as SVG text: see svg.h. Every text is escaped, and numbers have one decimal, so that equal pictures are
 * equal files. */
#include "svg.h"
#include "print.h"
#include "store/output_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "<style>"
    "svg{background:#fff}"
    "text{font:14px ui-sans-serif,system-ui,sans-serif;fill:#1a1a1a;stroke:#fff;stroke-width:3px;paint-order:stroke}"
    ".bold{font-weight:600}text.small{font-size:12px;fill:#555}text.mark{fill:#b3400a}"
    ".solid{fill:#1f5fa8}.light{fill:#9cc3ea}path.mark{fill:#b3400a}"
    "line{stroke-width:1}.grid{stroke:#d5d5d5}line.mark{stroke:#b3400a;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){svg{background:#14171a}text{fill:#e8e8e8;stroke:#14171a}text.small{fill:#a8a8a8}"
    "text.mark{fill:#ff9e5e}.solid{fill:#6ca9e8}.light{fill:#2b527a}path.mark{fill:#ff9e5e}.grid{stroke:#3a3f44}"
    "line.mark{stroke:#ff9e5e}}"
    "</style>\n";

/* Text as XML takes it; control characters, which XML does not have, become question marks. */
static void add_escaped(svg *s, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        switch (c) {
        case '<':
            add_text(s, "&lt;");
            break;
        case '>':
            add_text(s, "&gt;");
            break;
        case '&':
            add_text(s, "&amp;");
            break;
        case '"':
            add_text(s, "&quot;");
            break;
        default:
            add_text(s, "%c", c < ' ' || c == 127 ? '?' : c);
        }
    }
}

void svg_begin(svg *s, double width, double height, const char *title, const char *description)
{
    *s = (svg){0};
    add_text(s,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
             "viewBox=\"0 0 %.0f %.0f\">\n<title>",
             width, height, width, height);
    add_escaped(s, title);
    add_text(s, "</title>\n<desc>");
    add_escaped(s, description);
    add_text(s, "</desc>\n%s", style);
}

void svg_style(svg *s, const char *css)
{
    add_text(s, "<style>%s</style>\n", css);
}

void svg_box(svg *s, const char *class, double x, double y, double width, double height)
{
    add_text(s, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class, x, y, width,
             height);
}

void svg_line(svg *s, const char *class, double x1, double y1, double x2, double y2)
{
    add_text(s, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2);
}

void svg_dot(svg *s, const char *class, double x, double y, double radius)
{
    add_text(s, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, x, y, radius);
}

void svg_arrow(svg *s, const char *class, double x, double y)
{
    add_text(s, "<path class=\"%s\" d=\"M%.1f %.1fl-5 -9h10z\"/>\n", class, x, y);
}

void svg_label(svg *s, const char *class, const char *anchor, double x, double y, const char *text)
{
    add_text(s, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, anchor, x, y);
    add_escaped(s, text);
    add_text(s, "</text>\n");
}

int svg_finish(svg *s, const command *self, const char *path)
{
    add_text(s, "</svg>\n");
    int status = GO_ON;
    if (strcmp(path, "-") == 0) {
        fwrite(s->text, 1, s->length, stdout); /* the end of the program looks at the state of the stream */
    } else {
        bnd_lab_output out;
        bnd_error why;
        bnd_status opened = bnd_lab_output_open(&out, path, &why);
        if (opened == BND_OK) {
            opened = bnd_lab_output_write(&out, s->text, s->length, &why);
            if (opened == BND_OK) {
                opened = bnd_lab_output_finish(&out, false, &why);
            } else {
                bnd_lab_output_abandon(&out);
            }
        }
        status = opened == BND_OK ? GO_ON : fail(self, path, opened, &why);
    }
    free(s->text);
    *s = (svg){0};
    return status;
}

double svg_width(const char *text)
{
    return 8.0 * (double)text_width(text);
}

double svg_small_width(const char *text)
{
    return svg_width(text) * 12 / 14;
}

char *svg_fit(const char *text, double room, bool bold)
{
    static const char dots[] = "...";
    const double most = room / (bold ? 9 : 8); /* columns */
    if ((double)text_width(text) <= most) {
        return copy_text(text);
    }
    size_t length = 0, columns = strlen(dots), width;
    for (size_t bytes; (bytes = character_at(text + length, &width)) > 0; length += bytes) {
        columns += width;
        if ((double)columns > most) {
            break;
        }
    }
    return format_text("%.*s%s", (int)length, text, dots);
}
