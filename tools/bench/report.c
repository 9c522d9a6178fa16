/* The output: one line per row, or one JSON object. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* ---- JSON ---- */

static void write_out(void *sink, const char *text, size_t length)
{
    (void)sink;
    fwrite(text, 1, length, stdout);
}

void bench_json_begin(bnd_lab_json *json)
{
    bnd_lab_json_begin(json, write_out, NULL);
}

static void number(bnd_lab_json *json, const char *key, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4f", x);
    bnd_lab_json_literal(json, key, text);
}

void bench_json_number(bnd_lab_json *json, const char *key, double x)
{
    if (x > 0) {
        number(json, key, x);
    } else {
        bnd_lab_json_null(json, key);
    }
}

/* The core whose kernels OpenBLAS uses; NULL where nothing is compared with it, or it does not tell. */
static const char *openblas_core(const bench_options *options)
{
    bool compared = false;
    for (size_t i = 0; i < options->size_count; i++) {
        compared = compared || options->sizes[i].family == &bench_products;
    }
    const char *name = compared ? bnd_cblas_core() : "";
    return name[0] != '\0' ? name : NULL;
}

/* Would kernels for a newer core run here? A release of OpenBLAS that does not know the processor chooses old ones. */
static const char *better_core(const char *name)
{
    static const char *const with_avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    static const char *const with_avx2[] = {"Haswell", "Zen", "Excavator"};
    const bnd_backend best = bnd_backend_best();
    bool new_enough = best != BND_BACKEND_AVX512 && best != BND_BACKEND_AVX2;
    for (size_t i = 0; i < 3; i++) {
        new_enough = new_enough || strcmp(name, with_avx512[i]) == 0 || strcmp(name, with_avx2[i]) == 0;
    }
    return new_enough ? NULL : best == BND_BACKEND_AVX512 ? with_avx512[0] : with_avx2[0];
}

static void begin_json(bnd_lab_json *json, const bench_machine *machine, const bench_options *options)
{
    bench_json_begin(json);
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_object(json, "machine");
    bnd_lab_json_string(json, "cpu", machine->cpu);
    bnd_lab_json_unsigned(json, "cores", machine->cores);
    bnd_lab_json_unsigned(json, "l1_bytes", machine->l1);
    bnd_lab_json_unsigned(json, "l2_bytes", machine->l2);
    bnd_lab_json_unsigned(json, "last_cache_bytes", machine->last);
    bnd_lab_json_string(json, "best_backend", bnd_backend_name(bnd_backend_best()));
    const char *core = openblas_core(options);
    if (core != NULL) {
        bnd_lab_json_string(json, "openblas_core", core);
    } else {
        bnd_lab_json_null(json, "openblas_core");
    }
    bnd_lab_json_end(json);
    bnd_lab_json_string(json, "data", options->hard ? "hard" : "normal");
    bnd_lab_json_array(json, "results");
}

static void row_json(bnd_lab_json *json, const bench_row *row, const char *name)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "case", name);
    bnd_lab_json_string(json, "format", row->run->what->format);
    bnd_lab_json_string(json, "size", row->size->name);
    bnd_lab_json_unsigned(json, "elements", row->run->elements);
    bnd_lab_json_string(json, "backend", bnd_backend_name(row->backend));
    bnd_lab_json_unsigned(json, "threads", row->threads);
    bnd_lab_json_integer(json, "rounds", row->times.rounds);
    number(json, "ns_per_element", row->times.nanoseconds);
    number(json, "gigabytes_per_second", row->times.gigabytes);
    number(json, "ratio_to_memcpy", row->times.to_memcpy);
    bench_json_number(json, "ratio_to_streaming_copy", row->times.to_streaming);
    bnd_lab_json_end(json);
}

void bench_report_other(bench_report *report, const char *name, const char *size, const char *backend, unsigned threads,
                        int rounds, const char *figure_key, double figure, const char *ratio_key, double ratio)
{
    bnd_lab_json *json = &report->json;
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "case", name);
    bnd_lab_json_string(json, "size", size);
    bnd_lab_json_string(json, "backend", backend);
    bnd_lab_json_unsigned(json, "threads", threads);
    bnd_lab_json_integer(json, "rounds", rounds);
    number(json, figure_key, figure);
    bench_json_number(json, ratio_key, ratio);
    bnd_lab_json_end(json);
}

/* ---- text ---- */

static void put_bytes(size_t bytes)
{
    printf("%zu %s", bytes >> 20 > 0 ? bytes >> 20 : bytes >> 10, bytes >> 20 > 0 ? "MiB" : "KiB");
}

static void begin_text(const bench_machine *machine, const bench_options *options)
{
    printf("%s; caches ", machine->cpu);
    put_bytes(machine->l1);
    printf(", ");
    put_bytes(machine->l2);
    printf(", ");
    put_bytes(machine->last);
    printf("; %s\n", options->hard ? "random bits" : "normally distributed numbers");
    printf("Ratios are speeds, relative to the reference: higher is faster, 2 is twice as fast.\n");
    const char *core = openblas_core(options);
    if (core != NULL) {
        const char *better = better_core(core);
        printf("OpenBLAS uses its kernels for %s%s%s%s.\n", core,
               better != NULL ? ", an older core: OPENBLAS_CORETYPE=" : "", better != NULL ? better : "",
               better != NULL ? " chooses newer ones" : "");
    }
    putchar('\n');
    if (options->sizes[0].family != NULL) {
        return;
    }
    printf("%-36s %-9s %-8s %7s %10s %7s %10s %17s\n", "case", "size", "backend", "threads", "ns/element", "GB/s",
           "vs memcpy", "vs streaming copy");
}

static void row_text(const bench_row *row, const char *name)
{
    char streaming[16] = "-";
    if (row->times.to_streaming > 0) {
        snprintf(streaming, sizeof streaming, "%.3f", row->times.to_streaming);
    }
    printf("%-36s %-9s %-8s %7u %10.3f %7.2f %10.3f %17s\n", name, row->size->name, bnd_backend_name(row->backend),
           row->threads, row->times.nanoseconds, row->times.gigabytes, row->times.to_memcpy, streaming);
}

/* ---- both ---- */

void bench_report_begin(bench_report *report, const bench_machine *machine, const bench_options *options)
{
    *report = (bench_report){.as_json = options->json};
    if (options->json) {
        begin_json(&report->json, machine, options);
    } else {
        begin_text(machine, options);
    }
}

void bench_report_row(bench_report *report, const bench_row *row)
{
    char name[BENCH_NAME_SIZE];
    bench_name(name, row->run->what);
    report->rows++;
    if (report->as_json) {
        row_json(&report->json, row, name);
    } else {
        row_text(row, name);
    }
    fflush(stdout);
}

void bench_report_end(bench_report *report)
{
    if (report->as_json) {
        bnd_lab_json_end(&report->json);
        bnd_lab_json_end(&report->json);
        putchar('\n');
    }
}
