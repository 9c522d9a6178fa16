/* Selects the cases, sizes, back ends and numbers of threads to measure. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct selection {
    bench_case *cases;
    size_t count;
} selection;

static void add(selection *to, const bench_case *what, const bench_options *options)
{
    char name[BENCH_NAME_SIZE];
    bench_name(name, what);
    if (bench_has_words(name, options->words)) {
        to->cases[to->count++] = *what;
    }
}

static bool is_of(const bench_case *what, const bnd_format *f)
{
    bnd_format own;
    return what->format[0] != '\0' && bnd_format_parse(&own, what->format, NULL) == BND_OK &&
           (f->width > 0 ? bnd_format_same(&own, f) : strcmp(own.name, f->name) == 0);
}

/* A format's own rows, or those for any format. */
static void add_format(selection *to, const bnd_format *f, const bench_options *options)
{
    bool has_own = false;
    for (size_t i = 0; i < bench_case_count; i++) {
        if (is_of(&bench_cases[i], f)) {
            has_own = true;
            add(to, &bench_cases[i], options);
        }
    }
    for (size_t i = 0; !has_own && i < bench_case_count; i++) {
        bench_case any = bench_cases[i];
        if (any.format[0] == '\0' && (f->width > 0 || any.operation == BENCH_ROUND)) {
            any.format = f->name;
            add(to, &any, options);
        }
    }
}

static bool select_cases(selection *to, const bench_options *options)
{
    size_t most = bench_case_count * (options->format_count + 1);
    *to = (selection){.cases = calloc(most, sizeof *to->cases)};
    if (to->cases == NULL) {
        fprintf(stderr, "binade bench: no memory for a list of %zu cases\n", most);
        return false;
    }
    for (size_t i = 0; i < options->format_count; i++) {
        add_format(to, &options->formats[i], options);
    }
    for (size_t i = 0; options->format_count == 0 && i < bench_case_count; i++) {
        if (bench_cases[i].format[0] != '\0') {
            add(to, &bench_cases[i], options);
        }
    }
    return true;
}

/* ---- one case at one size: every back end, every number of threads ---- */

typedef struct bench_session {
    const bench_options *options;
    const bench_machine *machine;
    bench_report report;
    size_t different, done, total; /* elements; rows */
} bench_session;

/* The library starts no thread that would have less to do than this (doc/dev/performance-notes.md); the copies
 * neither. */
static unsigned worth_threads(const bench_run *run)
{
    enum { WORTH_A_THREAD = 1 << 18 };
    size_t most = run->elements / WORTH_A_THREAD, asked = run->context.threads;
    return most < 2 || asked < 2 ? 1 : (unsigned)(asked < most ? asked : most);
}

static void measure_row(bench_session *s, bench_run *run, bench_copy *copy, const bench_size *size)
{
    bnd_backend backend =
        run->context.backend == BND_BACKEND_BEST ? bnd_backend_best() : (bnd_backend)run->context.backend;
    size_t different = bench_differences(run);
    if (different != 0) {
        char name[BENCH_NAME_SIZE];
        bench_name(name, run->what);
        fflush(stdout);
        fprintf(stderr, "binade bench: %s, %s, %u threads: %zu elements are not what the codec gives\n", name,
                bnd_backend_name(backend), run->context.threads, different);
        s->different += different;
        return;
    }
    copy->threads = worth_threads(run);
    bench_row row = {.run = run, .size = size, .backend = backend, .threads = run->context.threads};
    bool streaming = size->beyond_caches && bench_can_stream();
    row.times = bench_measure(run, copy, streaming, s->options->rounds, s->options->seconds);
    bench_report_row(&s->report, &row);
}

static bool on_all_cores_too(const bench_session *s, const bench_size *size)
{
    return !s->options->threads_given && size->beyond_caches && s->machine->cores > 1;
}

static void measure_threads(bench_session *s, bench_run *run, bench_copy *copy, const bench_size *size)
{
    const bench_options *o = s->options;
    for (int all = 0; all <= (on_all_cores_too(s, size) ? 1 : 0); all++) {
        run->context.threads = all == 1 ? s->machine->cores : o->threads_given ? o->threads : 1;
        measure_row(s, run, copy, size);
        s->done++;
        if (o->progress != NULL) {
            o->progress(o->progress_state, s->done, s->total);
        }
    }
}

static bool measure_case(bench_session *s, const bench_case *what, const bench_size *size)
{
    bench_run run;
    bench_copy copy;
    if (!bench_open(&run, what, size->elements, s->options->hard)) {
        return false;
    }
    bool good = bench_copy_open(&copy, (run.bytes_in + run.bytes_out) / 2);
    if (good) {
        for (size_t i = 0; i < s->options->backend_count || i == 0; i++) {
            run.context.backend = s->options->backend_count > 0 ? s->options->backends[i] : (uint8_t)BND_BACKEND_BEST;
            measure_threads(s, &run, &copy, size);
        }
        bench_copy_close(&copy);
    }
    bench_close(&run);
    return good;
}

static int measure_all(bench_session *s, const selection *chosen)
{
    bool memory = true;
    size_t backends = s->options->backend_count > 0 ? s->options->backend_count : 1;
    int status = 0;
    for (size_t z = 0; z < s->options->size_count; z++) {
        s->total += s->options->sizes[z].family != NULL
                        ? 0
                        : chosen->count * backends * (on_all_cores_too(s, &s->options->sizes[z]) ? 2 : 1);
    }
    bench_report_begin(&s->report, s->machine, s->options);
    for (size_t z = 0; memory && status != 3 && z < s->options->size_count; z++) {
        if (s->options->sizes[z].family != NULL) {
            int of_family = s->options->sizes[z].family->all(&s->report, s->options);
            status = of_family > status ? of_family : status;
            continue;
        }
        for (size_t i = 0; memory && i < chosen->count; i++) {
            memory = measure_case(s, &chosen->cases[i], &s->options->sizes[z]);
        }
    }
    bench_report_end(&s->report);
    return !memory ? 3 : s->different > 0 ? 1 : status;
}

static bool any_of_families(const bench_options *options)
{
    bool any = false;
    for (size_t i = 0; bench_family_at(i) != NULL; i++) {
        any = any || bench_family_count(bench_family_at(i), options) > 0;
    }
    return any;
}

int bench_all(const bench_options *options, const bench_machine *machine)
{
    bench_session s = {.options = options, .machine = machine};
    selection chosen;
    int status = 0;
    if (!select_cases(&chosen, options)) {
        return 3;
    }
    if (chosen.count == 0 && !any_of_families(options)) {
        fprintf(stderr, "binade bench: unknown case '%.64s'; 'binade bench --list' lists the cases\n", options->words);
        status = 2;
    } else if (options->list) {
        bench_list(chosen.cases, chosen.count, options);
    } else {
        status = measure_all(&s, &chosen);
    }
    free(chosen.cases);
    return status;
}
