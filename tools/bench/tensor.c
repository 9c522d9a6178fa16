/* Models, forward and backward pass, compared with PyTorch: it runs in its own process, computes the same from the
 * same numbers, measures its own time, and takes turns with ours. */
#include "bench.h"
#include "model.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double tolerance = 1e-4;

static void name_case(char name[BENCH_NAME_SIZE], const model_row *what)
{
    snprintf(name, BENCH_NAME_SIZE, "%s, forward and back", what->name);
}

static bool chosen(const bench_options *options, const model_row *what)
{
    char name[BENCH_NAME_SIZE];
    name_case(name, what);
    return options->format_count == 0 && bench_has_words(name, options->words);
}

static void each(const bench_options *options, bench_listing *listing, void *state)
{
    for (size_t i = 0; i < model_row_count; i++) {
        char name[BENCH_NAME_SIZE];
        name_case(name, &model_rows[i]);
        if (chosen(options, &model_rows[i])) {
            listing(state, name);
        }
    }
}

/* The largest difference between our gradients and theirs, as a share of the largest gradient of the same parameter;
 * infinite where there is nothing to read. */
static double difference(const peer *p, const model *m)
{
    FILE *file = peer_file(p, "gradients", "rb");
    double worst = file != NULL ? 0 : INFINITY;
    for (size_t i = 0; file != NULL && i < m->parameters; i++) {
        const bnd_tensor *g = bnd_tensor_gradient(m->parameter[i]);
        size_t n = bnd_tensor_count(g);
        float *ours = malloc(n * sizeof *ours), *theirs = malloc(n * sizeof *theirs);
        double apart = 0, largest = 0;
        if (ours == NULL || theirs == NULL || bnd_tensor_read_f32(ours, n, g, NULL) != BND_OK ||
            fread(theirs, sizeof *theirs, n, file) != n) {
            worst = INFINITY;
        }
        for (size_t j = 0; worst < INFINITY && j < n; j++) {
            double d = fabs((double)ours[j] - (double)theirs[j]);
            apart = d <= apart ? apart : d; /* a NaN stays */
            largest = fmax(largest, fabs((double)theirs[j]));
        }
        worst = apart / largest <= worst ? worst : apart / largest;
        free(ours);
        free(theirs);
    }
    if (file != NULL) {
        fclose(file);
    }
    return worst;
}

/* ---- times ---- */

typedef struct tensor_row {
    char name[BENCH_NAME_SIZE];
    bnd_backend backend;
    int rounds;
    double seconds, ratio; /* ratio 0: nothing to compare with */
} tensor_row;

static void print_row(bench_report *report, const tensor_row *row)
{
    report->rows++;
    if (report->as_json) {
        bench_report_other(report, row->name, "tensor", bnd_backend_name(row->backend), 1, row->rounds, "milliseconds",
                           row->seconds * 1e3, "ratio_to_pytorch", row->ratio);
        return;
    }
    printf("%-36s %-9s %-8s %7d %9.3f", row->name, "tensor", bnd_backend_name(row->backend), 1, row->seconds * 1e3);
    if (row->ratio > 0) {
        printf(" %10.3f", row->ratio);
    } else {
        printf(" %10s", "-");
    }
    putchar('\n');
    fflush(stdout);
}

static bool passes(model *m, size_t count, double *seconds, double *loss)
{
    const double begun = bench_now();
    bnd_error why;
    for (size_t i = 0; i < count; i++) {
        if (model_pass(loss, m, &why) != BND_OK) {
            fprintf(stderr, "binade bench: %s\n", why.message);
            return false;
        }
        model_drop_gradients(m);
    }
    *seconds = (bench_now() - begun) / (double)count;
    return true;
}

/* Takes turns with PyTorch. A turn has enough passes that its first ones, with the other's data in the caches, do
   not matter. */
static bool measure(tensor_row *row, const bench_options *options, model *m, peer *p)
{
    enum { LEAST_ROUNDS = 3 };
    const double turn = 0.25, begun = bench_now();
    double own[BENCH_MOST_ROUNDS], ratios[BENCH_MOST_ROUNDS], seconds, theirs, loss;
    bool good = passes(m, 3, &seconds, &loss) && passes(m, 3, &seconds, &loss);
    const size_t count = seconds < turn ? (size_t)(turn / seconds) : 1;
    bool beside = good && peer_ask(p, "time", count, &theirs);
    int done = 0;
    for (; good && done < options->rounds && (done < LEAST_ROUNDS || bench_now() - begun < options->seconds); done++) {
        beside = beside && peer_ask(p, "time", count, &theirs);
        good = passes(m, count, &own[done], &loss);
        ratios[done] = beside ? theirs / (double)count / own[done] : 0;
    }
    row->rounds = done;
    row->seconds = good ? bench_median(own, done) : 0;
    row->ratio = beside ? bench_median(ratios, done) : 0;
    return good;
}

/* ---- a case ---- */

/* 0; 1 where what comes out is not what PyTorch computes; 3 without memory. */
static int compare_and_measure(bench_report *report, const bench_options *options, const model_row *what, model *m,
                               bnd_backend backend)
{
    tensor_row row = {.backend = backend};
    peer p;
    double ours = 0, theirs = 0;
    int status = model_pass(&ours, m, NULL) == BND_OK ? 0 : 3;
    name_case(row.name, what);
    peer_open(&p, what, m);
    if (status == 0 && peer_ask(&p, "check", 0, &theirs)) {
        const double apart = difference(&p, m), of_loss = fabs(ours - theirs) / fabs(theirs);
        if (!(apart <= tolerance && of_loss <= tolerance)) {
            fprintf(stderr, "binade bench: %s: loss %.9g, PyTorch's %.9g; gradients are apart by %.2g of the largest\n",
                    what->name, ours, theirs, apart);
            status = 1;
        }
    }
    model_drop_gradients(m);
    if (status == 0) {
        status = measure(&row, options, m, &p) ? 0 : 3;
    }
    peer_close(&p);
    if (status == 0) {
        print_row(report, &row);
    }
    return status;
}

static int measure_all(bench_report *report, const bench_options *options)
{
    int status = 0;
    if (bench_family_count(&bench_models, options) > 0 && !options->json) {
        printf("%-36s %-9s %-8s %7s %9s %10s\n", "model", "size", "backend", "threads", "ms", "vs PyTorch");
    }
    for (size_t i = 0; i < model_row_count; i++) {
        for (size_t b = 0; chosen(options, &model_rows[i]) && (b < options->backend_count || b == 0); b++) {
            bnd_context context = {.threads = 1};
            bnd_error why;
            model m;
            context.backend = options->backend_count > 0 ? options->backends[b] : (uint8_t)BND_BACKEND_BEST;
            const bool best = context.backend == BND_BACKEND_BEST;
            if (model_open(&m, &model_rows[i], &context, &why) != BND_OK) {
                fprintf(stderr, "binade bench: %s\n", why.message);
                return 3;
            }
            const int this = compare_and_measure(report, options, &model_rows[i], &m,
                                                 best ? bnd_backend_best() : (bnd_backend)context.backend);
            status = this > status ? this : status;
            model_close(&m);
        }
    }
    return status;
}

const bench_family bench_models = {"tensor", each, measure_all};
