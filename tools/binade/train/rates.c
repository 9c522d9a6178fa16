/* Learning rates of a sweep: a list, or a range with a number of points. */
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int bad_rates(const training_options *o, const char *value)
{
    return complain(
        o->common.command,
        "--lr must be learning rates above 0 separated by commas, or a range with a number of points, as in "
        "1e-4..1e-1:7, not '%.64s'",
        value);
}

/* A rate that is there already is the same runs again. */
static void add_rate(training_options *o, double lr)
{
    for (size_t i = 0; i < o->rates.count; i++) {
        if (o->rates.items[i] == lr) {
            return;
        }
    }
    o->rates.items = allocate(o->rates.items, o->rates.count + 1, sizeof *o->rates.items);
    o->rates.items[o->rates.count++] = lr;
}

static int read_list_of_rates(training_options *o, const char *value)
{
    for (const char *at = value;; at++) {
        char *end = NULL;
        double x = strtod(at, &end);
        if (end == at || (*end != '\0' && *end != ',') || !(x > 0) || x - x != 0) {
            return bad_rates(o, value);
        }
        add_rate(o, x);
        if (*end == '\0') {
            return GO_ON;
        }
        at = end;
    }
}

/* Two points per decade, and both ends, where no number of points is given. */
static int read_range(training_options *o, const char *value)
{
    enum { MOST = 1000 };
    char *end = NULL;
    bnd_error why;
    uint64_t points = 0;
    double low = strtod(value, &end), high = 0;
    if (end == value || strncmp(end, "..", 2) != 0) {
        return bad_rates(o, value);
    }
    const char *from = end + 2;
    high = strtod(from, &end);
    if (end == from || (*end != '\0' && *end != ':') || !(low > 0 && high > 0 && high <= 1e15)) {
        return bad_rates(o, value);
    }
    if (high < low) {
        return complain(o->common.command, "--lr: the rates of a range must ascend, as in 1e-4..1e-1:7, not '%.64s'",
                        value);
    }
    int status = *end == ':' ? read_whole_number(&points, &o->common, "lr: the number of points", end + 1,
                                                 low < high ? 2 : 1, MOST)
                             : GO_ON;
    if (status == GO_ON) {
        points = *end == ':' ? points : low == high ? 1 : (uint64_t)(2 * log10(high / low) + 1.5);
        points = *end != ':' && low < high && points < 2 ? 2 : points;
        double *lr = allocate(NULL, (size_t)points + 1, sizeof *lr);
        if (bnd_grid_rates(lr, (size_t)points, low, high, &why) != BND_OK) {
            status = complain(o->common.command, "%s", why.message);
        }
        for (size_t i = 0; status == GO_ON && i < points; i++) {
            add_rate(o, lr[i]);
        }
        free(lr);
    }
    return status;
}

int training_set_rates(training_options *o, const char *value)
{
    free(o->rates.items);
    o->rates = (rate_list){.count = 0};
    return strstr(value, "..") != NULL ? read_range(o, value) : read_list_of_rates(o, value);
}
