/* Curves over steps, thinned: a run of 100,000 steps becomes some hundreds of points, among them every extreme. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 8 };          /* beside the loss, of a run */
enum { POINTS_MOST = 90000 }; /* of all curves of a report */
enum { PIECES_MOST = 400, PIECES_LEAST = 8, OF_A_PIECE = 4 };

static size_t between(size_t x, size_t low, size_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Losses get four times the pieces of the other curves. */
detail detail_for(const train_result *r)
{
    size_t curves = 4 * (r->count + 2 * r->row_count) + CURVES * r->count + 1;
    size_t side = POINTS_MOST / OF_A_PIECE / curves;
    return (detail){.main = between(4 * side, PIECES_LEAST, PIECES_MOST),
                    .side = side >= PIECES_LEAST ? between(side, PIECES_LEAST, PIECES_MOST / 2) : 0};
}

typedef struct piece {
    size_t lowest, highest, lost; /* n: none */
} piece;

static piece look_at(const double *x, size_t from, size_t end, size_t n)
{
    piece p = {n, n, n};
    for (size_t i = from; i < end; i++) {
        if (!isfinite(x[i])) {
            p.lost = p.lost == n ? i : p.lost;
            continue;
        }
        p.lowest = p.lowest == n || x[i] < x[p.lowest] ? i : p.lowest;
        p.highest = p.highest == n || x[i] > x[p.highest] ? i : p.highest;
    }
    return p;
}

size_t *points_to_keep(size_t *count, const double *values, size_t n, size_t pieces)
{
    size_t *out = allocate(NULL, n + 1, sizeof *out);
    *count = 0;
    for (size_t i = 0; n <= OF_A_PIECE * pieces && i < n; i++) {
        out[(*count)++] = i;
    }
    for (size_t k = 0; n > OF_A_PIECE * pieces && k < pieces; k++) {
        size_t from = n / pieces * k + n % pieces * k / pieces;
        size_t end = n / pieces * (k + 1) + n % pieces * (k + 1) / pieces;
        piece p = look_at(values, from, end, n);
        for (size_t i = from; i < end; i++) {
            if (i == from || i + 1 == end || i == p.lowest || i == p.highest || i == p.lost) {
                out[(*count)++] = i;
            }
        }
    }
    return out;
}

static void short_text(char *out, size_t size, double x, int digits)
{
    snprintf(out, size, "%.*g", digits, isfinite(x) ? x : 0);
    if (!isfinite(x)) {
        snprintf(out, size, "null");
    }
}

void json_short(bnd_lab_json *json, const char *key, double x, int digits)
{
    char text[40];
    short_text(text, sizeof text, x, digits);
    bnd_lab_json_literal(json, key, text);
}

static bool same_texts(const curve_values *of, size_t of_count, size_t a, size_t b)
{
    for (size_t k = 0; k < of_count; k++) {
        char x[40], y[40];
        short_text(x, sizeof x, of[k].values[a], of[k].digits);
        short_text(y, sizeof y, of[k].values[b], of[k].digits);
        if (strcmp(x, y) != 0) {
            return false;
        }
    }
    return true;
}

/* Without the points whose neighbours on both sides look the same. */
static size_t thin(size_t *at, size_t count, const curve_values *of, size_t of_count)
{
    size_t kept = count > 0 ? 1 : 0;
    for (size_t i = 1; i < count; i++) {
        bool inside =
            i + 1 < count && same_texts(of, of_count, at[i], at[i - 1]) && same_texts(of, of_count, at[i], at[i + 1]);
        if (!inside) {
            at[kept++] = at[i];
        }
    }
    return kept;
}

void json_curve(bnd_lab_json *json, const char *key, const uint64_t *steps, const curve_values *of, size_t of_count,
                size_t n, size_t pieces, detail *d, size_t window)
{
    size_t count;
    size_t *at = points_to_keep(&count, of[0].values, n, pieces);
    size_t kept = thin(at, count, of, of_count);
    d->steps += n;
    d->kept += kept;
    bnd_lab_json_object(json, key);
    bnd_lab_json_array(json, "step");
    for (size_t i = 0; i < kept; i++) {
        bnd_lab_json_unsigned(json, NULL, steps[at[i]]);
    }
    bnd_lab_json_end(json);
    for (size_t k = 0; k < of_count; k++) {
        bnd_lab_json_array(json, of[k].key);
        for (size_t i = 0; i < kept; i++) {
            json_short(json, NULL, of[k].values[at[i]], of[k].digits);
        }
        bnd_lab_json_end(json);
    }
    if (window > 0) {
        bnd_lab_json_unsigned(json, "window", window);
    }
    bnd_lab_json_end(json);
    free(at);
}
