/* binade report: runs as one page that opens from the disk, or as one JSON object. */
#include "common/process.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

typedef struct report {
    training_options asked;
    bnd_record *records;
    size_t count;
} report;

static int check(const report *r)
{
    const settings *s = &r->asked.common;
    if (s->operand_count == 0) {
        return complain(s->command, "expected a run directory, a directory of runs, or a file with step and loss");
    }
    if ((r->asked.report == NULL) == (s->output != OUTPUT_JSON)) {
        return complain(s->command, "expected either -o FILE.html, for the page, or --json");
    }
    return report_check(r->asked.report, s->command);
}

static int make(const report *r)
{
    const settings *s = &r->asked.common;
    train_result result;
    int status = GO_ON;
    result_make(&result, r->records, r->count, r->asked.margin);
    result.columns = r->asked.columns;
    if (s->output == OUTPUT_JSON) {
        bnd_lab_json json;
        json_begin(&json);
        json_report(&json, &result, s->operands, s->operand_count);
        json_line_end();
    } else {
        status = report_save(r->asked.report, s->command, &result, s->operands, s->operand_count);
    }
    result_clear(&result);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    report r = {.count = 0};
    training_begin(&r.asked);
    int status = read_arguments(&r.asked, self, argc, argv);
    status = status == GO_ON ? check(&r) : status;
    status = status == GO_ON ? training_read_runs(&r.records, &r.count, &r.asked) : status;
    status = status == GO_ON ? make(&r) : status;
    bnd_records_free(r.records, r.count);
    training_clear(&r.asked);
    return status == GO_ON ? FINE : status;
}

static const command_example examples[] = {
    {"all runs of a directory, as a page", "binade report runs -o report.html"},
    {"the same as JSON, without a page", "binade report runs --json | head -c 200"},
    {"a log of another program", "printf 'step,loss\\n1,3.5\\n20,3.1\\n' > theirs.csv && binade report runs/fp32-0 "
                                 "theirs.csv --json | head -c 200"},
    {NULL, NULL},
};

const command command_report = {
    .name = "report",
    .summary = "write training runs as one page, to read and to share",
    .group = GROUP_TRAIN,
    .operands = "RUN...",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about =
        "Writes a page about runs: conclusion, verdicts, losses and gaps over steps, memory, exponents by role, and "
        "the commands that make the runs again. The page is one file and needs no network. A RUN is what binade "
        "compare takes; - is standard input.",
    .options = training_rows,
    .bit = REPORT,
    .examples = examples,
    .environment = READS_PAGE,
    .see_also = "compare train sweep page",
    .run = run,
};
