/* The options of the curves: --plot, --plot-scale, --plot-range. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

/* Which word of a list it is; GO_ON, or the status to leave with. */
static int read_word(unsigned *out, const settings *s, const option_row *row, const char *value)
{
    unsigned i = 0;
    for (const char *word = row->words; *word != '\0'; i++) {
        size_t length = strcspn(word, " ");
        if (strlen(value) == length && memcmp(word, value, length) == 0) {
            *out = i;
            return GO_ON;
        }
        word += length + (word[length] == ' ');
    }
    return complain(s->command, "--%s takes one of: %s; not '%s'", row->name, row->words, value);
}

/* "100..200", and "100.." to the end. */
static int read_range(plot_options *out, const settings *s, const char *value)
{
    static const uint64_t MOST = UINT64_C(1) << 53;
    const char *dots = strstr(value, "..");
    if (dots == NULL || dots == value) {
        return complain(s->command, "--plot-range takes FROM..TO, as in 100..200, not '%s'", value);
    }
    char *from = format_text("%.*s", (int)(dots - value), value);
    int status = read_whole_number(&out->from, s, "--plot-range", from, 0, MOST);
    out->to = MOST;
    if (status == GO_ON && dots[2] != '\0') {
        status = read_whole_number(&out->to, s, "--plot-range", dots + 2, 0, MOST);
    }
    free(from);
    out->ranged = true;
    return status != GO_ON || out->from < out->to
               ? status
               : complain(s->command, "--plot-range must begin before it ends: '%s'", value);
}

int read_plot_option(plot_options *out, const settings *s, int id, const char *value)
{
    unsigned word = 0;
    if (id == OPTION_PLOT_RANGE) {
        return read_range(out, s, value);
    }
    int status = read_word(&word, s, id == OPTION_PLOT ? &row_plot : &row_plot_scale, value);
    if (status == GO_ON && id == OPTION_PLOT) {
        out->steps = (enum plot_steps)word;
    } else if (status == GO_ON) {
        out->losses = (enum plot_losses)word;
    }
    return status;
}

const option_row row_plot = {
    OPTION_PLOT, 0, "plot", "STEPS", "of losses: linear log none (default linear)", COMPLETES_WORDS, "linear log none"};
const option_row row_plot_scale = {OPTION_PLOT_SCALE,
                                   0,
                                   "plot-scale",
                                   "LOSSES",
                                   "the axis of losses: auto linear log (default auto: log where they span a factor "
                                   "of 30)",
                                   COMPLETES_WORDS,
                                   "auto linear log"};
const option_row row_plot_range = {
    OPTION_PLOT_RANGE, 0, "plot-range", "FROM..TO", "draws these steps only, and the losses that they have",
    COMPLETES_NOTHING, ""};
