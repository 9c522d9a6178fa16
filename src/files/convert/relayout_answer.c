/* What relayout did, in words, line by line. */
#include "store/store.h"

#include <binade-lab/convert.h>

/* What a line is made of. */
typedef struct question {
    const bnd_relayout_result *result;
    const char *path;
    const bnd_relayout_compared *compared;
} question;

static void weights(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const bnd_relayout_result *r = q->result;
    bndi_sentence_add(line, "%zu weight%s: %s -> %s, written to %s", r->weights, r->weights == 1 ? "" : "s",
                      r->from->name, r->to->name, q->path);
}

static void values(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const bnd_relayout_compared *c = q->compared;
    if (c != NULL && c->weights == 1 && c->weights_same == 1) {
        bndi_sentence_add(line, "identical: the weight decodes to the same values");
    } else if (c != NULL) {
        bndi_sentence_add(line,
                          c->weights_same == c->weights ? "identical: all %zu weights decode to the same values"
                                                        : "%zu weights, of which %zu decode to the same values",
                          c->weights, c->weights_same);
    }
}

static void second_scales(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (q->result->seconds_moved > 0) {
        bndi_sentence_add(
            line,
            "second-level scale moved in %zu of %zu: 1 / (1 / x) is not x for it; the originals are in the metadata",
            q->result->seconds_moved, q->result->seconds);
    }
}

static void inputs(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const bnd_relayout_compared *c = q->compared;
    if (c != NULL && c->inputs > 0) {
        bndi_sentence_add(
            line,
            c->inputs_same == c->inputs
                ? "static input scales: all %zu are the same"
                : "static input scales: %zu, of which %zu are the same; 1 / (1 / x) is not x for the others, "
                  "and the originals are in the metadata",
            c->inputs, c->inputs_same);
    }
}

static void restored(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (q->result->restored) {
        bndi_sentence_add(line,
                          "names, dtypes, configs and metadata are those from before the input was laid out anew");
    }
}

size_t bnd_relayout_print_line(char *out, size_t size, const bnd_relayout_result *result, const char *path,
                               const bnd_relayout_compared *compared, size_t line)
{
    static bndi_sentence_writer *const lines[] = {weights, values, second_scales, inputs, restored};
    const question q = {result, path, compared};
    return bndi_sentence_print(out, size, lines, sizeof lines / sizeof lines[0], &q, line);
}
