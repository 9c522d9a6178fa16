/* The runs that a command line names: directories, directories of directories, logs, standard input. */
#include "common/process.h"
#include "training.h"

#include <stdlib.h>
#include <string.h>

/* A run without its configuration says nothing about itself. */
static void note_left_out(const settings *s, const char *path)
{
    const size_t length = bnd_records_print_left_out(NULL, 0, path), size = 4 * length + 1;
    if (length > 0) {
        char *text = allocate(NULL, size, 1);
        bnd_records_print_left_out(text, size, path);
        make_plain_text(text, size);
        note(s->command, "%s", text);
        free(text);
    }
}

int training_read_runs(bnd_record **records, size_t *count, const training_options *o)
{
    const settings *s = &o->common;
    for (size_t i = 0; i < s->operand_count; i++) {
        bnd_record *more;
        size_t n;
        bnd_error why;
        const bool standard = strcmp(s->operands[i], "-") == 0;
        const char *path = standard ? "/dev/stdin" : s->operands[i];
        if (path[0] == '\0') {
            return complain(s->command, "the name of a run is empty");
        }
        if (standard && standard_input_is_closed()) {
            complain(s->command, "-: standard input is closed");
            return BAD_STREAM;
        }
        bnd_status status = bnd_records_read_log(&more, &n, path, &o->columns, &why);
        if (status != BND_OK) {
            return fail(s->command, s->operands[i], status, &why);
        }
        note_left_out(s, path);
        *records = allocate(*records, *count + n + 1, sizeof **records);
        memcpy(*records + *count, more, n * sizeof *more);
        *count += n;
        free(more); /* what they own is in the copies */
    }
    return GO_ON;
}
