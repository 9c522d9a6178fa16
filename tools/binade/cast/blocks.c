/* binade cast --via a block format. Scales need a whole row, tile or tensor, so the array is in memory, in fp32. */
#include "cast.h"

#include <stdlib.h>

typedef struct numbers {
    float *x;
    size_t count, capacity;
} numbers;

bool cast_fp32_holds(const bnd_format *f)
{
    enum { PRECISION = 24, LEAST = -149, EMAX = 127 };
    return f->precision <= PRECISION && f->least_quantum >= LEAST && f->emax <= EMAX;
}

static cast_layout fp32_layout(void)
{
    return (cast_layout){.format = *bnd_format_at(BND_FORMAT_FP32), .packing = BND_PACKING_PACKED};
}

/* Without memory the output that was begun must go, so that this does not leave as allocate() does. */
static int make_room(numbers *all, size_t more, const cast_input *in)
{
    if (all->capacity - all->count >= more) {
        return GO_ON;
    }
    size_t wanted = all->count + more;
    wanted = wanted > 2 * all->capacity ? wanted : 2 * all->capacity;
    float *x = wanted <= SIZE_MAX / sizeof *x ? realloc(all->x, wanted * sizeof *x) : NULL;
    if (x == NULL) {
        complain(in->command,
                 "out of memory: %s has %zu elements or more, and block formats need all of them at the same time",
                 in->name, all->count + more);
        return BAD_STREAM;
    }
    *all = (numbers){x, all->count, wanted};
    return GO_ON;
}

static int read_all(numbers *all, cast_input *in, const cast_plan *plan, progress *bar)
{
    cast_layout fp32 = fp32_layout();
    cast_plan decode = {.how.context = plan->how.context};
    cast_make_plan(&decode, &in->layout, &fp32, NULL);
    unsigned char *bytes = cast_buffer(cast_piece_size(&in->layout, CAST_PIECE));
    int status;
    size_t elements = 0;
    do {
        bnd_error why;
        status = cast_read(in, bytes, &elements);
        status = status == GO_ON ? make_room(all, elements, in) : status;
        if (status == GO_ON && elements > 0) {
            unsigned char *to = (unsigned char *)(all->x + all->count);
            if (cast_convert(&decode, to, bytes, elements, &why) != BND_OK) {
                status = complain(in->command, "%s: %s", in->name, why.message);
            }
            all->count += elements;
        }
        progress_at(bar, in->taken);
    } while (status == GO_ON && elements > 0);
    free(bytes);
    cast_swap_where_big(all->x, sizeof *all->x, all->count);
    return status;
}

/* Blocks lie along the last axis; a bare array is rows of --columns columns, or one row. */
static int find_shape(bnd_shape *out, const cast_input *in, const cast_blocks *how, size_t count)
{
    size_t dimensions[BND_NPY_RANK_MAX] = {count}, rank = 1;
    if (in->is_npy && in->npy.fortran_order && in->npy.rank > 1) {
        return complain(in->command,
                        "%s is in Fortran order; blocks need C order (numpy.save of numpy.ascontiguousarray(x))",
                        in->name);
    }
    for (size_t i = 0; in->is_npy && i < in->npy.rank; i++) {
        dimensions[i] = (size_t)in->npy.shape[i];
        rank = in->npy.rank;
    }
    if (how->columns > 0) {
        if (count % how->columns != 0) {
            return complain(in->command, "%s: %zu elements are not a whole number of rows of %llu columns", in->name,
                            count, (unsigned long long)how->columns);
        }
        dimensions[0] = count / (size_t)how->columns;
        dimensions[1] = (size_t)how->columns;
        rank = 2;
    }
    bnd_error why;
    if (bnd_block_shape(out, &how->block, dimensions, rank, rank - 1, &why) != BND_OK) {
        return complain(in->command, "%s: %s%s", in->name, why.message,
                        in->is_npy || how->columns > 0 ? "" : "; use --columns to give the length of a row");
    }
    return GO_ON;
}

static int quantize(numbers *all, const cast_input *in, const cast_plan *plan, const cast_blocks *how)
{
    bnd_shape shape;
    bnd_error why;
    int status = all->count > 0 ? find_shape(&shape, in, how, all->count) : GO_ON;
    if (status == GO_ON && all->count > 0 &&
        bnd_fake_quantize_f32(all->x, all->x, shape, &how->block, &plan->how, plan->stats, &why) != BND_OK) {
        status = complain(in->command, "%s: %s", in->name, why.message);
    }
    return status;
}

static int write_all(numbers *all, const cast_input *in, cast_output *out, const cast_plan *plan, bool threaded)
{
    cast_layout fp32 = fp32_layout();
    cast_plan encode = {.how.context = plan->how.context};
    cast_make_plan(&encode, &fp32, &plan->to, NULL);
    cast_swap_where_big(all->x, sizeof *all->x, all->count);
    cast_start_writer(out, cast_piece_size(&plan->to, CAST_PIECE), threaded);
    int status = GO_ON;
    for (size_t at = 0; status == GO_ON && at < all->count; at += CAST_PIECE) {
        size_t elements = all->count - at < CAST_PIECE ? all->count - at : CAST_PIECE;
        unsigned char *slot = cast_next_slot(out);
        bnd_error why;
        if (slot == NULL) {
            break; /* cast_stop_writer reports it */
        }
        if (cast_convert(&encode, slot, (unsigned char *)(all->x + at), elements, &why) != BND_OK) {
            status = complain(in->command, "%s: %s", in->name, why.message);
        } else {
            cast_hand_over(out, cast_piece_size(&plan->to, elements));
        }
    }
    int written = cast_stop_writer(out);
    return status == GO_ON ? written : status;
}

int cast_run_blocks(cast_input *in, cast_output *out, cast_plan *plan, const cast_blocks *how, progress *bar,
                    bool threaded)
{
    numbers all = {NULL, 0, 0};
    int status = read_all(&all, in, plan, bar);
    progress_end(bar);
    status = status == GO_ON ? quantize(&all, in, plan, how) : status;
    status = status == GO_ON ? write_all(&all, in, out, plan, threaded) : status;
    plan->how.first = all.count;
    free(all.x);
    return status;
}
