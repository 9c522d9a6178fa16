/* A line of metrics.jsonl. */
#include "study/study.h"

#include <math.h>
#include <string.h>

/* ---- statistics of casts ---- */

static uint64_t nonzero(const bnd_stats *s)
{
    uint64_t sum = s->infinities_in;
    for (size_t i = 0; i < sizeof s->exponents / sizeof s->exponents[0]; i++) {
        sum += s->exponents[i];
    }
    return sum;
}

static bool is_gradient(bnd_role role)
{
    return role == BND_ROLE_DACT || role == BND_ROLE_GRAD || role == BND_ROLE_DGRAD_DY || role == BND_ROLE_WGRAD_DY ||
           role == BND_ROLE_DGRAD_DX || role == BND_ROLE_WGRAD_DW;
}

void bndi_line_count(bnd_point *point, const bnd_stats *statistics)
{
    for (unsigned role = 0; statistics != NULL && role < BND_ROLES; role++) {
        const bnd_stats *s = &statistics[role];
        point->overflows += s->overflows;
        if (is_gradient((bnd_role)role)) {
            point->gradients += nonzero(s);
            point->flushed += s->flushed;
        }
    }
}

/* "ROLE/NAME". */
static const char *key_of(char key[BNDI_KEY_SIZE], bnd_role role, const char *name)
{
    const char *first = bnd_role_name(role);
    size_t length = strlen(first);
    memcpy(key, first, length);
    key[length] = '/';
    memcpy(key + length + 1, name, strlen(name) + 1);
    return key;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Counts of floor(log2 |x|) from the first that is not 0 to the last. The lowest of them, BND_HISTOGRAM_LOWEST - 1, is
 * everything below, the highest everything above. */
static void write_histogram(bnd_json *json, bnd_role role, const bnd_stats *s)
{
    enum { BINS = sizeof s->exponents / sizeof s->exponents[0] };
    char key[BNDI_KEY_SIZE];
    int first = 0, last = BINS - 1;
    while (first < last && s->exponents[first] == 0) {
        first++;
    }
    while (last > first && s->exponents[last] == 0) {
        last--;
    }
    bnd_json_integer(json, key_of(key, role, "exponents_from"), BND_HISTOGRAM_LOWEST - 1 + first);
    bnd_json_array(json, key_of(key, role, "exponents"));
    for (int i = first; i <= last; i++) {
        bnd_json_unsigned(json, NULL, s->exponents[i]);
    }
    bnd_json_end(json);
}

/* Transformer Engine's names and what it means by them: shares are of all elements. */
static void write_role(bnd_json *json, bnd_role role, const bnd_stats *s)
{
    char key[BNDI_KEY_SIZE];
    bndi_json_number(json, key_of(key, role, "underflows%"), percent(s->flushed, s->elements));
    bndi_json_number(json, key_of(key, role, "overflows%"), percent(s->overflows, s->elements));
    if (s->compared > 0) {
        bndi_json_number(json, key_of(key, role, "mse"), bnd_stats_mean_squared_error(s));
    }
    if (s->smallest > 0) {
        bndi_json_number(json, key_of(key, role, "cur_amax"), s->largest);
        bndi_json_number(json, key_of(key, role, "dynamic_range"), log2(s->largest) - log2(s->smallest));
        write_histogram(json, role, s);
    }
}

/* ---- the line ---- */

static void write_column(bnd_json *json, const bnd_point *point, const bndi_column *column)
{
    if (column->kind == BNDI_COLUMN_NUMBER) {
        bndi_json_number(json, column->key, bndi_column_number(point, column));
    } else if (column->kind == BNDI_COLUMN_FLAG) {
        bnd_json_boolean(json, column->key, bndi_column_count(point, column) != 0);
    } else {
        bnd_json_unsigned(json, column->key, bndi_column_count(point, column));
    }
}

static void write_columns(bnd_json *json, const bnd_point *point, bool counted)
{
    for (size_t i = 0; i < BNDI_COLUMNS; i++) {
        const bndi_column *c = &bndi_columns[i];
        bool is_there = c->always || (i == BNDI_COLUMN_VALIDATION ? point->validated
                                      : i == BNDI_COLUMN_ENDED    ? point->ended
                                                                  : counted);
        if (is_there) {
            write_column(json, point, c);
        }
    }
    bndi_json_number(json, "update/cancelled%", percent(point->cancelled, point->updates));
}

static void write_steady(bnd_json *json, const bnd_record *now, bnd_record *known)
{
    char key[BNDI_KEY_SIZE];
    bnd_record copy = *now;
    for (size_t row = 0; row < BNDI_STEADY; row++) {
        uint64_t value = *bndi_steady(&copy, row, key), *before = bndi_steady(known, row, key);
        if (value != *before) {
            bnd_json_unsigned(json, key, value);
            *before = value;
        }
    }
}

void bndi_line_write(bndi_bytes *out, const bnd_point *point, const bnd_stats *statistics, const bnd_record *now,
                     bnd_record *known)
{
    bnd_json json;
    bnd_json_begin(&json, bndi_bytes_write, out);
    bnd_json_object(&json, NULL);
    write_columns(&json, point, statistics != NULL);
    for (unsigned role = 0; statistics != NULL && role < BND_ROLES; role++) {
        if (statistics[role].elements > 0) {
            write_role(&json, (bnd_role)role, &statistics[role]);
        }
    }
    write_steady(&json, now, known);
    bnd_json_end(&json);
    bndi_bytes_write(out, "\n", 1);
}
