/* binade cast: the path from the input to the output, one piece at a time. */
#include "cast.h"

#include <stdlib.h>

/* One piece; *elements is 0 at the end. */
static int pass_piece(cast_input *in, cast_output *out, cast_plan *plan, unsigned char *bytes, size_t *elements)
{
    bnd_error why;
    unsigned char *slot = cast_next_slot(out);
    *elements = 0;
    if (slot == NULL) {
        return GO_ON; /* cast_stop_writer reports it */
    }
    int status = cast_read(in, bytes, elements);
    if (status != GO_ON || *elements == 0) {
        return status;
    }
    if (cast_convert(plan, slot, bytes, *elements, &why) != BND_OK) {
        return complain(in->command, "%s: %s", in->name, why.message);
    }
    cast_hand_over(out, cast_piece_size(&plan->to, *elements));
    return GO_ON;
}

int cast_run(cast_input *in, cast_output *out, cast_plan *plan, progress *bar, bool threaded)
{
    unsigned char *bytes = cast_buffer(cast_piece_size(&plan->from, CAST_PIECE));
    cast_start_writer(out, cast_piece_size(&plan->to, CAST_PIECE), threaded);
    int status;
    size_t elements;
    do {
        status = pass_piece(in, out, plan, bytes, &elements);
        progress_at(bar, in->taken);
    } while (status == GO_ON && elements > 0);
    progress_end(bar);
    int written = cast_stop_writer(out);
    free(bytes);
    return status == GO_ON ? written : status;
}
