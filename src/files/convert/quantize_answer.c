/* What quantize did or would do, in words, line by line. */
#include "store/store.h"

#include <binade-lab/convert.h>

/* What a line is made of. */
typedef struct question {
    const bnd_quantize_plan *plan;
    const char *path;
    bnd_plan_totals sums;
    size_t *label; /* (out) */
} question;

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Begins a line. */
static void begin(bndi_sentence *line, const question *q, const char *text)
{
    bndi_sentence_add(line, "%s", text);
    *q->label = line->length;
    bndi_sentence_add(line, " ");
}

static void weights(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    static const char *const words[] = {"stay as they are", "decoded", "cast", "quantized"};
    const char *separator = "";
    begin(line, q, "weights:");
    for (size_t i = BND_CONVERSIONS; i-- > 0;) {
        if (q->sums.weights[i] > 0) {
            const bool one = i == BND_STAYS && q->sums.weights[i] == 1;
            bndi_sentence_add(line, "%s%zu %s", separator, q->sums.weights[i], one ? "stays as it is" : words[i]);
            separator = ", ";
        }
    }
}

static void layout(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const bnd_layout *row = bnd_quantize_plan_layout(q->plan);
    if (row != NULL) {
        begin(line, q, "layout:");
        bndi_sentence_add(line, "%s, %s", row->name, row->title);
    }
}

static void scales(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const size_t groups = q->sums.groups;
    if (bnd_quantize_plan_layout(q->plan) != NULL) {
        begin(line, q, "scales:");
        bndi_sentence_add(line, "%s, rule %s", bnd_quantize_plan_scale_format(q->plan),
                          bnd_quantize_plan_rule(q->plan));
        if (groups > 0) {
            bndi_sentence_add(line, "; %zu group%s of fused weights with one tensor scale", groups, plural(groups));
        }
    }
}

static void inputs(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (bnd_quantize_plan_layout(q->plan) != NULL && q->sums.inputs > 0) {
        begin(line, q, "inputs:");
        bndi_sentence_add(line, "static input scales of %zu weight%s %s", q->sums.inputs, plural(q->sums.inputs),
                          q->sums.inputs_kept > 0 ? "are carried over" : "are dropped");
    }
}

static double bits(uint64_t bytes, uint64_t parameters)
{
    return parameters > 0 ? 8.0 * (double)bytes / (double)parameters : 0;
}

static void tensors(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    const bnd_plan_totals *sums = &q->sums;
    begin(line, q, "tensors:");
    bndi_sentence_add_bytes(line, (double)sums->bytes_in);
    bndi_sentence_add(line, " -> ");
    bndi_sentence_add_bytes(line, (double)sums->bytes_out);
    bndi_sentence_add(line, ", %.2f -> %.2f bits per parameter", bits(sums->bytes_in, sums->parameters),
                      bits(sums->bytes_out, sums->parameters));
}

static void written(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (q->path != NULL) {
        begin(line, q, "written to");
        bndi_sentence_add(line, "%s", q->path);
    }
}

static void memory(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (q->path == NULL) {
        begin(line, q, "memory:");
        bndi_sentence_add_bytes(line, (double)q->sums.memory);
        bndi_sentence_add(line, " in addition to mapped files");
    }
}

static void dry_run(bndi_sentence *line, const void *answer)
{
    const question *q = answer;
    if (q->path == NULL) {
        begin(line, q, "dry run:");
        bndi_sentence_add(line, "nothing is written");
    }
}

size_t bnd_quantize_plan_print_line(char *out, size_t size, size_t *label, const bnd_quantize_plan *plan,
                                    const char *path, size_t line)
{
    static bndi_sentence_writer *const lines[] = {weights, layout, scales, inputs, tensors, written, memory, dry_run};
    size_t length = 0;
    const question q = {plan, path, bnd_quantize_plan_totals(plan), label != NULL ? label : &length};
    return bndi_sentence_print(out, size, lines, sizeof lines / sizeof lines[0], &q, line);
}
