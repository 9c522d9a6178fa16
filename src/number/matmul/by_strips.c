/* Products by strips, which support every accumulator: a row of C, BNDI_STRIP columns at a time, all k in blocks of
 * depth. Every element is summed in order of k from +0 or from C; with promotion the running sum is added to C in fp32
 * every `promote` steps and starts again at zero:
 *
 *   promote = 4, k = 10:   steps 0-3 | add to C | steps 4-7 | add to C | steps 8-9 | add to C
 *   depth                  smaller of a block's depth and the steps left to the next promotion */
#include "matmul/gemm_job.h"

/* n columns of one row of C. With promotion the running sum begins at `zeros`, and c collects the promoted ones in
 * fp32; without it the sum begins at c and replaces it at the end. */
static void do_strip(const bndi_job *j, bndi_buffers *w, size_t row, size_t column, size_t n)
{
    const size_t apart = j->sum.accumulator.promote;
    static const float zeros[BNDI_STRIP] = {0};
    float c[BNDI_STRIP] = {0};
    bndi_state state;
    if (j->add) {
        load_c(j, c, row, column, n);
    }
    bndi_strip_open(&j->sum, &state, apart > 0 ? zeros : c, n);
    /* A block of steps ends at a promotion or at the depth of a panel, whichever comes first. promote = 4 and k = 6:
     * to_promotion = 4 - 2 = 2 steps are left. */
    for (size_t k = 0; k < j->k;) {
        const size_t to_promotion = apart > 0 ? apart - k % apart : BNDI_TILE_DEPTH;
        const size_t depth = bndi_smaller(bndi_smaller(BNDI_TILE_DEPTH, to_promotion), j->k - k);
        bndi_pack_panel(j, w, k, depth, column, n, BNDI_STRIP);
        bndi_load_run(j, &j->a, w->block, row, k, true, depth);
        bndi_strip strip = {.a = w->block, .b = w->panels, .b_step = BNDI_STRIP, .row = row};
        strip.column = column;
        strip.first = k;
        strip.n = n;
        strip.k = depth;
        bndi_strip_steps(&j->sum, &state, &strip);
        k += depth;
        /* The running sum goes into C and begins again at zero. */
        if (apart > 0 && (k % apart == 0 || k == j->k)) {
            bndi_strip_promote(&j->sum, c, &state, n);
            bndi_strip_open(&j->sum, &state, zeros, n);
        }
    }
    if (apart == 0) {
        bndi_strip_close(&j->sum, c, &state, n);
    }
    store_c(j, c, row, column, n);
}

/* A region of C. Every element has its own sum, so rows and strips may come in any order. */
void bndi_by_strips(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    for (size_t row = p.top; row < p.bottom; row++) {
        for (size_t column = p.left; column < right_of(p, row + 1); column += BNDI_STRIP) {
            do_strip(j, w, row, column, bndi_smaller(BNDI_STRIP, p.right - column));
        }
    }
}
