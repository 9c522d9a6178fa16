/* binade compare: compares runs, from their directories or from any log with a step and a loss. */
#include "common/process.h"
#include "train/training.h"

#include <stdlib.h>
#include <string.h>

typedef struct compare {
    training_options asked;
    bnd_record *records;
    size_t count;
} compare;

static int check_operands(const compare *c)
{
    const settings *s = &c->asked.common;
    if (s->operand_count == 0) {
        return complain(s->command, "expected a run directory, a directory of runs, or a file with step and loss");
    }
    if (c->asked.steps_of_run && (s->operand_count > 1 || s->output == OUTPUT_JSON)) {
        return complain(s->command, "--steps writes the steps of one run as CSV; name one, and leave --json out (its "
                                    "metrics.jsonl is that already)");
    }
    return GO_ON;
}

static void write_out(void *sink, const char *text, size_t length)
{
    fwrite(text, 1, length, sink);
}

static int print_steps(const compare *c)
{
    const char *run = c->asked.common.operands[0];
    bnd_error why;
    bnd_status status = bnd_metrics_write_csv(strcmp(run, "-") == 0 ? "/dev/stdin" : run, write_out, stdout, &why);
    char *where = format_text("--steps: %s", run);
    int result = status == BND_OK ? FINE : fail(c->asked.common.command, where, status, &why);
    free(where);
    return result;
}

static void print_json(const train_result *r)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    json_result(&json, r);
    bnd_lab_json_array(&json, "logs");
    for (size_t i = 0; i < r->count; i++) {
        const bnd_record *log = &r->records[i];
        if (log->step_column != NULL) {
            bnd_lab_json_object(&json, NULL);
            bnd_lab_json_string(&json, "source", log->source);
            bnd_lab_json_string(&json, "step_column", log->step_column);
            bnd_lab_json_string(&json, "loss_column", log->loss_column);
            bnd_lab_json_end(&json);
        }
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

static void print_all(const compare *c)
{
    train_result r;
    result_make(&r, c->records, c->count, c->asked.margin);
    r.details = c->asked.details;
    r.memory = c->asked.memory;
    if (c->asked.common.output == OUTPUT_JSON) {
        print_json(&r);
    } else if (c->asked.common.output == OUTPUT_CSV) {
        print_result_table(&r, OUTPUT_CSV, false);
    } else {
        print_conclusion(&r, true);
        if (c->asked.plot.steps != PLOT_NONE) {
            plot_losses(&r, &c->asked.plot, c->asked.common.colour);
            putchar('\n');
        }
        print_result_table(&r, OUTPUT_TEXT, c->asked.common.colour);
        print_result_notes(&r);
    }
    result_clear(&r);
}

static int run(const command *self, int argc, char **argv)
{
    compare c = {.count = 0};
    training_begin(&c.asked);
    int status = read_arguments(&c.asked, self, argc, argv);
    status = status == GO_ON ? check_operands(&c) : status;
    status = status == GO_ON && c.asked.steps_of_run ? print_steps(&c) : status;
    status = status == GO_ON ? training_read_runs(&c.records, &c.count, &c.asked) : status;
    if (status == GO_ON) {
        print_all(&c);
    }
    bnd_records_free(c.records, c.count);
    training_clear(&c.asked);
    return status == GO_ON ? FINE : status;
}

static const command_example examples[] = {
    {"every run in a directory", "binade compare runs"},
    {"the same with the time and memory of the emulation", "binade compare runs --details"},
    {"every step of a run, as CSV", "binade compare runs/fp32-0 --steps | head -n 3"},
    {"a run and a log from another program",
     "printf 'step,loss\\n1,3.5\\n20,3.1\\n' > theirs.csv && binade compare runs/fp32-0 theirs.csv"},
    {NULL, NULL},
};

const command command_compare = {
    .name = "compare",
    .summary = "compare training runs: verdicts, gaps, memory, time",
    .group = GROUP_TRAIN,
    .operands = "RUN...",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about =
        "Compares runs with those of fp32, or with the first if none is in fp32. A RUN is a directory that binade "
        "train wrote, a directory of such directories, or a file of JSON lines or CSV with a step and a loss; - is "
        "standard input. The conclusion comes first.",
    .options = training_rows,
    .bit = COMPARE,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "train sweep evaluate",
    .run = run,
};
