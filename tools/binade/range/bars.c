/* binade range: one bar per format, on a logarithmic axis. */
#include "range.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 16 };

typedef struct axis {
    double from, to; /* decimal exponents */
    int width, name_width;
} axis;

double range_exponent(bnd_exact x)
{
    double significand = (double)x.high * 0x1p64 + (double)x.low;
    return log10(significand) + (double)x.exponent * log10(2.0);
}

static bnd_exact positive(uint64_t significand, int32_t quantum)
{
    return (bnd_exact){.low = significand, .exponent = quantum, .kind = BND_KIND_FINITE};
}

range_limits range_limits_of(const bnd_format *f)
{
    bnd_exact smallest = positive(f->least_significand, f->least_quantum);
    bnd_exact normal = positive(f->normal_significand, f->normal_quantum);
    bnd_exact largest = positive(f->max_significand, f->max_quantum);
    return (range_limits){.smallest = range_exponent(smallest),
                          .smallest_normal = range_exponent(normal),
                          .largest = range_exponent(largest),
                          .smallest_value = smallest,
                          .largest_value = largest};
}

/* "1.4e-45 to 3.4e+38" */
static char *limits_text(const bnd_format *f)
{
    range_limits l = range_limits_of(f);
    char *low = digits_text(l.smallest_value, 2), *high = digits_text(l.largest_value, 3);
    char *text = format_text("%s to %s", low, high);
    free(low);
    free(high);
    return text;
}

bool range_is_marked(const range *r, size_t i)
{
    return r->common.operand_count > 0 && r->values[i].kind == BND_KIND_FINITE;
}

void range_ends(const range *r, double *from, double *to)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < r->common.formats.count; i++) {
        range_limits l = range_limits_of(&r->common.formats.items[i]);
        low = fmin(low, l.smallest);
        high = fmax(high, l.largest);
    }
    for (size_t i = 0; i < r->value_count; i++) {
        if (range_is_marked(r, i)) {
            double at = range_exponent(r->values[i]);
            low = fmin(low, at);
            high = fmax(high, at);
        }
    }
    *from = floor(low);
    *to = ceil(high) > *from ? ceil(high) : *from + 1;
}

int range_step(double from, double to, double width)
{
    static const int growth[] = {2, 5, 10};
    static const double least = 8, gap = 2; /* in characters */
    enum { LARGEST = 1000000000 };          /* step */
    char *first = format_text("1e%.0f", from), *last = format_text("1e%.0f", to);
    double room = fmax(least, gap + fmax((double)strlen(first), (double)strlen(last)));
    int unit = 1, step = 1;
    for (size_t i = 0; step < LARGEST && step * width < room * (to - from); i = (i + 1) % 3) {
        step = unit * growth[i];
        unit = i == 2 ? step : unit;
    }
    free(first);
    free(last);
    return step;
}

static axis axis_for(const range *r)
{
    axis a = {.name_width = 6};
    size_t limits = 0;
    for (size_t i = 0; i < r->common.formats.count; i++) {
        const bnd_format *f = &r->common.formats.items[i];
        char *text = limits_text(f);
        int name = (int)strlen(f->name);
        limits = strlen(text) > limits ? strlen(text) : limits;
        a.name_width = name > a.name_width ? name : a.name_width;
        free(text);
    }
    range_ends(r, &a.from, &a.to);
    int room = (int)page_width() - a.name_width - (int)limits - 4;
    a.width = room > LEAST_WIDTH ? room : LEAST_WIDTH;
    return a;
}

static int column_of(const axis *a, double exponent)
{
    int at = (int)((exponent - a->from) / (a->to - a->from) * a->width);
    return at < a->width ? at : a->width - 1;
}

static bool has_mark(const range *r, const bnd_format *f, const axis *a, int place)
{
    for (size_t i = 0; i < r->value_count; i++) {
        const bool has_sign = f->is_signed || !r->values[i].negative;
        if (range_is_marked(r, i) && has_sign && column_of(a, range_exponent(r->values[i])) == place) {
            return true;
        }
    }
    return false;
}

enum part { OUTSIDE, SUBNORMAL, NORMAL, MARK };

/* Where subnormal values exist, they have a place of their own, however narrow. */
static enum part part_at(const axis *a, const bnd_format *f, int at)
{
    range_limits l = range_limits_of(f);
    int low = column_of(a, l.smallest), high = column_of(a, l.largest), normal = column_of(a, l.smallest_normal);
    bool subnormals = l.smallest < l.smallest_normal;
    normal += subnormals && normal == low && high > low;
    bool normals = l.smallest_normal <= l.largest;
    return at < low || at > high ? OUTSIDE : at < normal || !normals ? SUBNORMAL : NORMAL;
}

static void print_bar(const range *r, const axis *a, const bnd_format *f, bool blocks)
{
    static const enum colour colours[] = {PLAIN, YELLOW, GREEN, CYAN};
    const char *const signs[] = {" ", blocks ? "\xe2\x96\x91" : "-", blocks ? "\xe2\x96\x88" : "=", "|"};
    char *limits = limits_text(f), *run = copy_text("");
    put_coloured(r->common.colour, BOLD, f->name);
    printf("%*s", a->name_width + 2 - (int)strlen(f->name), "");
    enum part part = OUTSIDE;
    for (int at = 0; at < a->width; at++) {
        enum part next = has_mark(r, f, a, at) ? MARK : part_at(a, f, at);
        if (next != part) {
            put_coloured(r->common.colour && part != OUTSIDE, colours[part], run);
            run[0] = '\0';
        }
        char *longer = format_text("%s%s", run, signs[next]);
        free(run);
        run = longer;
        part = next;
    }
    put_coloured(r->common.colour && part != OUTSIDE, colours[part], run);
    printf("  %s\n", limits);
    free(run);
    free(limits);
}

/* Powers of ten under the bars. */
static void print_scale(const axis *a)
{
    int step = range_step(a->from, a->to, a->width);
    printf("%*s", a->name_width + 2, "");
    int at = 0;
    for (int exponent = (int)ceil(a->from / step) * step; exponent <= (int)a->to; exponent += step) {
        int place = column_of(a, exponent);
        if (place >= at) {
            at = place + printf("%*s1e%d", place - at, "", exponent) - (place - at);
        }
    }
    putchar('\n');
}

static void print_legend(const range *r, bool blocks)
{
    bool subnormals = false;
    for (size_t i = 0; i < r->common.formats.count; i++) {
        range_limits l = range_limits_of(&r->common.formats.items[i]);
        subnormals = subnormals || l.smallest < l.smallest_normal;
    }
    char *text = format_text("%s normal values", blocks ? "\xe2\x96\x88" : "="), *longer = NULL;
    if (subnormals) {
        longer = format_text("%s   %s subnormal values, with fewer bits", text, blocks ? "\xe2\x96\x91" : "-");
        free(text);
        text = longer;
    }
    for (size_t i = 0, count = 0; i < r->value_count; i++) {
        if (range_is_marked(r, i)) {
            longer = format_text("%s%s%s", text, count++ == 0 ? "   | " : ", ", r->headings[i]);
            free(text);
            text = longer;
        }
    }
    putchar('\n');
    put_wrapped(text, 0, 0);
    free(text);
}

void range_print_bars(const range *r)
{
    axis a = axis_for(r);
    bool blocks = writes_utf8();
    for (size_t i = 0; i < r->common.formats.count; i++) {
        print_bar(r, &a, &r->common.formats.items[i], blocks);
    }
    print_scale(&a);
    print_legend(r, blocks);
}
