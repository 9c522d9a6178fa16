/* A progress bar on standard error: the share done, the speed, and the time left. */
#include "progress.h"

#include <string.h>
#include <unistd.h>

static double seconds_since(const struct timespec *then)
{
    struct timespec now = *then;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void progress_begin(progress *p, const settings *s, const char *label, enum progress_unit unit, uint64_t total)
{
    bool terminal = isatty(STDERR_FILENO) != 0, always = s->progress == WHEN_ALWAYS;
    *p = (progress){.label = label,
                    .unit = unit,
                    .total = total,
                    .wanted = always || (s->progress == WHEN_AUTO && terminal),
                    .at_once = always,
                    .terminal = terminal};
    clock_gettime(CLOCK_MONOTONIC, &p->began);
    p->drawn_at = p->began;
    if (p->wanted && p->at_once) {
        progress_at(p, 0);
    }
}

/* An amount with three digits and its unit. */
static void put_amount(const progress *p, double amount)
{
    static const char *const of_bytes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    static const char *const of_items[] = {"", "k", "M", "G", "T"};
    double step = p->unit == PROGRESS_BYTES ? 1024 : 1000;
    size_t i = 0;
    for (; i < 4 && amount >= step; i++) {
        amount /= step;
    }
    fprintf(stderr, "%.*f%s%s",
            i == 0 || amount >= 99.95 ? 0
            : amount >= 9.995         ? 1
                                      : 2,
            amount, p->unit == PROGRESS_ITEMS && i == 0 ? "" : " ",
            p->unit == PROGRESS_BYTES ? of_bytes[i] : of_items[i]);
}

static void put_bar(double part)
{
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    size_t full = (size_t)(part * (double)WIDTH);
    memset(bar, '#', full);
    memset(bar + full, '.', WIDTH - full);
    bar[WIDTH] = '\0';
    fprintf(stderr, " [%s] %3.0f%%", bar, 100 * part);
}

static void put_time(double seconds)
{
    unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
    if (whole >= 3600) {
        fprintf(stderr, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        fprintf(stderr, "%lu:%02lu", whole / 60, whole % 60);
    }
}

static void put_amounts(const progress *p, double done, double total, double elapsed)
{
    fputs("  ", stderr);
    put_amount(p, done);
    if (p->total > 0) {
        fputs(" of ", stderr);
        put_amount(p, total);
    }
    if (elapsed > 0 && p->done > 0) {
        fputs(", ", stderr);
        put_amount(p, done / elapsed);
        fputs("/s", stderr);
    }
}

static void draw(progress *p, double elapsed)
{
    double done = (double)p->done, total = (double)p->total;
    fprintf(stderr, "\r%s%s", p->terminal ? "\033[?7l" : "", p->label); /* a narrow terminal cuts the line off */
    if (p->total > 0) {
        put_bar(done < total ? done / total : 1);
    }
    if (p->unit != PROGRESS_SHARE) {
        put_amounts(p, done, total, elapsed);
    }
    if (p->total > 0 && p->done > 0 && done < total) {
        fputs(", ", stderr);
        put_time(elapsed * (total - done) / done);
        fputs(" left", stderr);
    }
    if (p->note != NULL) {
        fprintf(stderr, "  %s", p->note(p->state));
    }
    fputs(p->terminal ? "\033[K\033[?7h" : "    ", stderr);
    fflush(stderr);
    p->drawn = true;
}

void progress_at(progress *p, uint64_t done)
{
    p->done = done;
    if (!p->wanted) {
        return;
    }
    double elapsed = seconds_since(&p->began);
    bool first = !p->drawn && (p->at_once || elapsed >= 1);
    if (first || (p->drawn && seconds_since(&p->drawn_at) >= 0.1)) {
        draw(p, elapsed);
        clock_gettime(CLOCK_MONOTONIC, &p->drawn_at);
    }
}

void progress_end(progress *p)
{
    if (p->drawn && p->at_once) {
        draw(p, seconds_since(&p->began));
        fputc('\n', stderr);
    } else if (p->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->drawn = false;
    p->wanted = false;
}

double seconds_now(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
