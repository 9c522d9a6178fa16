/* The scales of a weight in the order of its elements, and the places of swizzled ones.
 *
 * cuBLAS wants the scales of 128 rows by 4 groups in 512 neighbouring bytes. Within them row r, group c is at
 *
 *     r % 32 * 16 + r / 32 * 4 + c
 *
 * and such tiles follow each other along a row of tiles. Rows and groups beyond the weight are zeros. */
#include "checkpoint/weights.h"

enum { PIECE = 256, TILE_ROWS = 128, TILE_GROUPS = 4, TILE = TILE_ROWS * TILE_GROUPS };

static uint64_t rounded_up(uint64_t n, uint64_t size)
{
    return n / size + (n % size != 0);
}

uint64_t bndi_swizzled_place(uint64_t row, uint64_t group, uint64_t rows, uint64_t groups, uint64_t expert)
{
    const uint64_t across = rounded_up(groups, TILE_GROUPS), down = rounded_up(rows, TILE_ROWS);
    const uint64_t tile = (expert * down + row / TILE_ROWS) * across + group / TILE_GROUPS, r = row % TILE_ROWS;
    return tile * TILE + r % 32 * 16 + r / 32 * 4 + group % TILE_GROUPS;
}

/* The bytes of swizzled scales at .. at + n - 1. */
static void gather(unsigned char *out, const bnd_stored_weight *w, uint64_t at, size_t n)
{
    const uint64_t rows = w->rank < 2 ? 1 : w->shape[w->rank - 2];
    const uint64_t groups = rounded_up(w->blocks.length, w->block.along);
    for (size_t i = 0; i < n; i++) {
        const uint64_t row = (at + i) / groups, group = (at + i) % groups;
        out[i] = w->parts[BND_PART_SCALES]->data[bndi_swizzled_place(row % rows, group, rows, groups, row / rows)];
    }
}

void bndi_weight_scale_bytes(unsigned char *out, const bnd_stored_weight *weight, uint64_t at, size_t n)
{
    const size_t size = weight->block.scale.width / 8u;
    if (weight->layout->swizzled) {
        gather(out, weight, at, n);
        return;
    }
    __builtin_memcpy(out, weight->parts[BND_PART_SCALES]->data + at * size, n * size);
}

void bndi_weight_scales(float *out, const bnd_stored_weight *weight, uint64_t at, size_t n)
{
    unsigned char bytes[PIECE * sizeof(float)];
    for (size_t done = 0; done < n;) {
        const size_t m = n - done < PIECE ? n - done : PIECE;
        bndi_weight_scale_bytes(bytes, weight, at + done, m);
        const bnd_status status = bnd_decode_f32(out + done, bytes, m, &weight->block.scale, NULL, NULL);
        (void)status; /* the format has codes of whole bytes */
        done += m;
    }
}

float bndi_weight_second(const bnd_stored_weight *weight, uint64_t expert)
{
    const bnd_stored_tensor *second = weight->parts[BND_PART_SECOND];
    float scale = 1;
    if (second == NULL || second->format == NULL || second->count == 0) {
        return scale;
    }
    const uint64_t index = second->count == 1 ? 0 : expert;
    const bnd_status status =
        bnd_decode_f32(&scale, second->data + index * (second->bits / 8u), 1, second->format, NULL, NULL);
    (void)status;
    return weight->layout->second_divides ? 1 / scale : scale;
}
