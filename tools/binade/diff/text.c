/* binade diff: the answer as text and as CSV. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TIES = 3 };

static char *count_text(uint64_t n)
{
    return format_text("%llu", (unsigned long long)n);
}

static char *number_text(double x)
{
    char text[32];
    bnd_difference_print(text, sizeof text, x);
    return copy_text(text);
}

/* A name, or a text with one, comes from a file: control characters are escaped. */
static void print_plain(const char *text)
{
    const size_t size = 4 * strlen(text) + 1;
    char *plain = memcpy(allocate(NULL, size, 1), text, strlen(text) + 1);
    make_plain_text(plain, size);
    printf("%s", plain);
    free(plain);
}

static char *shape_text(const bnd_stored_weight *w)
{
    long_text t = {0};
    add_text(&t, "[");
    for (size_t i = 0; w != NULL && i < w->rank; i++) {
        add_text(&t, i == 0 ? "%llu" : ", %llu", (unsigned long long)w->shape[i]);
    }
    add_text(&t, "]");
    return t.text;
}

/* ---- the first lines ---- */

char *diff_line(const diff_question *q, size_t line)
{
    const size_t length = bnd_diff_print_line(NULL, 0, q->diff, line);
    char *text = length > 0 ? allocate(NULL, length + 1, 1) : NULL;
    if (text != NULL) {
        bnd_diff_print_line(text, length + 1, q->diff, line);
    }
    return text;
}

static void print_lines(const diff_question *q)
{
    char *text;
    for (size_t i = 0; (text = diff_line(q, i)) != NULL; i++) {
        printf("%s\n", text);
        free(text);
    }
}

/* ---- explained by ---- */

static char *share_text(uint64_t part, uint64_t of)
{
    if (part == of) {
        return copy_text("100 %");
    }
    double share = 100 * (double)part / (double)of;
    return format_text(share > 99.99 ? "%.6f %%" : "%.2f %%", share > 99.999999 ? 99.999999 : share);
}

static void print_share(const char *before, uint64_t part, uint64_t of, const char *what)
{
    char *share = share_text(part, of);
    if (of > 0) {
        printf("%s%s of %s", before, share, what);
    }
    free(share);
}

/* "also possible" for parts where other rows fit as well. */
static void print_ties(const bnd_explanation *how)
{
    static const char *const titles[] = {"tensor scale", "scale", "quotient", "rounding", "zeros"};
    for (size_t part = 0; part < BND_MADE_COUNT; part++) {
        const uint64_t others = how->fits[part] & ~((uint64_t)1 << (how->row[part] & 63));
        if (how->row[part] == BND_MADE_NONE || others == 0 || part == BND_MADE_ZERO) {
            continue;
        }
        size_t shown = 0, all = 0;
        printf("    %s not told apart from: ", titles[part]);
        for (size_t r = 0; r < 64 && r < bnd_made_count((bnd_made)part); r++) {
            all += others >> r & 1;
            if ((others >> r & 1) != 0 && shown < MOST_TIES) {
                printf("%s%s", shown++ > 0 ? ", " : "", bnd_made_at((bnd_made)part, r)->name);
            }
        }
        if (all > shown) {
            printf(" and %zu more", all - shown);
        }
        printf("\n");
    }
}

bool diff_is_explained(const bnd_explanation *how)
{
    return how->codes_made == how->codes && how->scales_made == how->scales;
}

static void print_group(const diff_question *q, const bnd_explained_group *g)
{
    const bnd_weight_difference *first = bnd_diff_at(q->diff, g->first);
    const bnd_explanation *how = &g->sum;
    char text[512];
    (void)bnd_explanation_print(text, sizeof text, how, first->a);
    printf("%s ", diff_is_explained(how) ? "explained by" : "nearest to");
    put_wrapped(text, 4, 13);
    printf("    ");
    print_share("", how->codes_made, how->codes, "codes");
    print_share(", ", how->scales_made, how->scales, "scales");
    print_share(", ", how->tensors_made, how->tensors, "tensor scales");
    printf(", %zu weight%s", g->weights, g->weights == 1 ? "" : "s");
    if (g->weights == 1) {
        printf(": ");
        print_plain(first->name);
    }
    printf("\n");
    print_ties(how);
}

/* ---- tables ---- */

static const column columns[] = {
    {"weight", "weight", false, false, false, false, 0},
    {"difference", "", false, false, false, false, 0},
    {"sqnr_db", "", true, true, false, false, 0},
    {"largest_error", "", true, true, false, false, 0},
    {"mean_error", "", true, true, false, false, 0},
    {"largest_ulps", "", true, true, false, false, 0},
    {"unit", "", false, false, false, false, 0},
    {"equal", "", true, true, false, false, 0},
    {"nonfinite", "", true, true, false, false, 0},
    {"elements", "", true, true, false, false, 0},
    {"a", "", false, false, false, false, 0},
    {"b", "", false, false, false, false, 0},
    {"shape", "", false, false, false, false, 0},
    {"why", "", false, false, false, false, 0},
};

static const column shown_columns[] = {
    {NULL, "weight", false, false, false, false, 0},   {NULL, "SQNR (dB)", true, false, false, false, 0},
    {NULL, "max error", true, false, false, false, 0}, {NULL, "max ulps", true, false, false, false, 0},
    {NULL, "equal", true, false, false, false, 0},     {NULL, "NaN or inf", true, false, false, false, 0},
};

/* A number exactly, or nothing if there is none. */
static char *cell_text(double x, bool compared)
{
    return compared && isfinite(x) ? double_text(x) : copy_text("");
}

static void add_row(table *t, const bnd_weight_difference *w)
{
    const bnd_difference_sums *sums = &w->sums;
    const bool compared = sums->elements > 0;
    const bnd_stored_weight *either = w->a != NULL ? w->a : w->b;
    table_add(t, copy_text(w->name));
    table_add(t, copy_text(bnd_difference_name(w->kind)));
    table_add(t, cell_text(bnd_difference_sqnr(sums), compared));
    table_add(t, cell_text(sums->largest_error, compared));
    table_add(t, cell_text(bnd_difference_mean(sums), compared));
    table_add(t, cell_text(sums->largest_ulps, compared));
    table_add(t, copy_text(compared ? w->unit->name : ""));
    table_add(t, compared ? count_text(sums->equal) : copy_text(""));
    table_add(t, compared ? count_text(sums->nonfinite) : copy_text(""));
    table_add(t, count_text(either->count));
    table_add(t, copy_text(bnd_stored_as(w->a)));
    table_add(t, copy_text(bnd_stored_as(w->b)));
    table_add(t, shape_text(either));
    table_add(t, copy_text(w->why));
}

/* Errors are those of elements that are finite on both sides; where nothing else differs, there are none to show. */
static void add_shown(table *t, const bnd_weight_difference *w, bool counts_nonfinite)
{
    const bnd_difference_sums *sums = &w->sums;
    const bool none = sums->nonfinite > 0 && sums->elements - sums->equal == sums->nonfinite;
    const double nan = (double)NAN, sqnr = none ? nan : bnd_difference_sqnr(sums),
                 ulps = none ? nan : sums->largest_ulps;
    table_add(t, copy_text(w->name));
    table_add(t, isfinite(sqnr) ? format_text("%.2f", sqnr) : number_text(sqnr));
    table_add(t, number_text(none ? nan : sums->largest_error));
    table_add(t, ulps < 1e9 ? format_text("%.10g", ulps >= 10 ? rint(ulps) : ulps) : number_text(ulps));
    table_add(t, share_text(sums->equal, sums->elements));
    if (counts_nonfinite) {
        table_add(t, count_text(sums->nonfinite));
    }
}

typedef struct listed {
    const bnd_weight_difference *weight;
    size_t index;
} listed;

/* NaN and infinity that differ first, then the least SQNR. */
static int worst_first(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    const double p = bnd_difference_sqnr(&x->weight->sums), q = bnd_difference_sqnr(&y->weight->sums);
    const bool of_p = !isnan(p), of_q = !isnan(q);
    const uint64_t n = x->weight->sums.nonfinite, m = y->weight->sums.nonfinite;
    if ((n > 0) != (m > 0)) {
        return n > 0 ? -1 : 1;
    }
    if (of_p != of_q) {
        return of_p ? -1 : 1;
    }
    return of_p && p < q ? -1 : of_p && p > q ? 1 : x->index < y->index ? -1 : 1;
}

/* Weights without a comparison of numbers: a line each. Returns how many lines of `most` are left. */
static uint64_t print_uncompared(const diff_question *q, uint64_t most)
{
    size_t hidden = 0;
    for (size_t i = 0; i < bnd_diff_count(q->diff); i++) {
        const bnd_weight_difference *w = bnd_diff_at(q->diff, i);
        if (w->kind == BND_DIFFERENCE_NONE || w->sums.elements > 0) {
            continue;
        }
        if (most == 0) {
            hidden++;
            continue;
        }
        most--;
        printf("%-8s ", bnd_difference_name(w->kind));
        print_plain(w->name);
        printf("%s", w->why[0] != '\0' ? ": " : "");
        print_plain(w->why);
        printf("\n");
    }
    if (hidden > 0) {
        printf("%zu more were not compared.\n", hidden);
    }
    return most;
}

static void print_weights(const diff_question *q)
{
    const size_t all = bnd_diff_count(q->diff);
    const uint64_t most = print_uncompared(q, q->most);
    listed *list = allocate(NULL, all + 1, sizeof *list);
    const bool counts_nonfinite = bnd_diff_sums(q->diff)->nonfinite > 0;
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        const bnd_weight_difference *w = bnd_diff_at(q->diff, i);
        if (w->sums.elements > 0 && (q->all || w->kind != BND_DIFFERENCE_NONE)) {
            list[count++] = (listed){w, i};
        }
    }
    qsort(list, count, sizeof *list, worst_first);
    const size_t shown = count < most ? count : (size_t)most;
    if (shown > 0) {
        table t = {.columns = shown_columns,
                   .column_count = sizeof shown_columns / sizeof shown_columns[0] - !counts_nonfinite,
                   .output = OUTPUT_TEXT};
        printf("\n");
        for (size_t i = 0; i < shown; i++) {
            add_shown(&t, list[i].weight, counts_nonfinite);
        }
        table_end(&t);
    }
    if (shown < count) {
        printf("%zu more; --most %zu lists them.\n", count - shown, all);
    }
    free(list);
}

static void print_histogram(const diff_question *q)
{
    static const column bins[] = {{"ulps", "distance in ulps", false, false, false, false, 0},
                                  {"elements", "elements", true, true, false, false, 0}};
    const bnd_difference_sums *sums = bnd_diff_sums(q->diff);
    table t = {.columns = bins, .column_count = 2, .output = OUTPUT_TEXT};
    printf("\n");
    for (size_t i = 0; i < BND_DIFFERENCE_BINS; i++) {
        if (sums->bins[i] > 0) {
            table_add(&t, i == 0   ? copy_text("0")
                          : i == 1 ? copy_text("up to 1/2")
                                   : format_text("up to %llu", 1ULL << (i - 2)));
            table_add(&t, count_text(sums->bins[i]));
        }
    }
    if (sums->nonfinite > 0) {
        table_add(&t, copy_text("NaN or infinity"));
        table_add(&t, count_text(sums->nonfinite));
    }
    table_end(&t);
}

void diff_print_text(const diff_question *q)
{
    print_lines(q);
    for (size_t i = 0; i < bnd_diff_groups(q->diff); i++) {
        print_group(q, bnd_diff_group_at(q->diff, i));
    }
    print_weights(q);
    if (q->histogram) {
        print_histogram(q);
    }
}

void diff_print_csv(const diff_question *q)
{
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_CSV};
    for (size_t i = 0; i < bnd_diff_count(q->diff); i++) {
        add_row(&t, bnd_diff_at(q->diff, i));
    }
    table_end(&t);
}
