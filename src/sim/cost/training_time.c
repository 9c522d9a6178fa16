/* How long training takes: its FLOPs divided by the FLOP/s that the machines reach. */
#include "cost/cost.h"

static void work_by_shape(double *work, bnd_cost *c, const bnd_cost_of_time *q, double s)
{
    const bnd_architecture *a = q->model;
    double n = bnd_architecture_parameters(a);
    bndi_forward f = bndi_forward_flops(a, s);
    double each = bndi_training_flops(a, &f, q->recompute), layers = (double)a->layers;
    *work = each * q->tokens;
    bndi_cost_step(c, "parameters", "parameter", n, "all tensors of its shape", "$", a->name);
    bndi_cost_step(c, "6 N D", "FLOP", 6 * n * q->tokens, "rule of thumb", "6 x # x #", n, q->tokens);
    bndi_cost_step(c, "matrices", "FLOP/token", 3 * (f.all - layers * f.attention), "6 (parameters of matrices)",
                   "6 x #", (f.all - layers * f.attention) / 2);
    bndi_cost_step(c, "attention", "FLOP/token", 3 * layers * f.attention, "12 L s d", "12 x # x # x #", layers, s,
                   (double)(a->heads * a->head_width));
    bndi_cost_step(c, "recomputed", "FLOP/token", each - 3 * f.all, "recomputation", "$",
                   q->recompute == BND_RECOMPUTE_NONE        ? "nothing"
                   : q->recompute == BND_RECOMPUTE_SELECTIVE ? "one of attention's two products"
                   : q->model->dropout                       ? "every layer, forward"
                                                             : "every layer, but its last product");
    bndi_cost_step(c, "compute", "FLOP", *work, "D x their sum", "# x #", q->tokens, each);
    bndi_cost_note(c, "attention is counted in full; kernels that skip what a causal mask hides do half of it");
}

/* The FLOPs of the tokens, as steps. */
static bnd_status work_of(double *work, bnd_cost *c, const bnd_cost_of_time *q, bnd_error *why)
{
    double sequence = 0;
    if (q->model == NULL) {
        return bndi_work_by_parameters(work, c, q->parameters, q->tokens, q->recompute, why);
    }
    bnd_status status = bnd_architecture_check(q->model, why);
    status = status == BND_OK ? bndi_sequence(&sequence, q->model, q->sequence, why) : status;
    if (status == BND_OK) {
        work_by_shape(work, c, q, sequence);
    }
    return status;
}

static bnd_status check(double *peak, const bnd_cost_of_time *q, bnd_error *why)
{
    bnd_status status = bndi_at_least(q->tokens, 1e-9, "a number of tokens", why);
    status = status == BND_OK ? bndi_at_least(q->machines, 1, "a number of machines", why) : status;
    if (status == BND_OK && (unsigned)q->recompute > BND_RECOMPUTE_FULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown recomputation %u", (unsigned)q->recompute);
    }
    return status == BND_OK ? bnd_machine_peak(peak, q->machine, q->format, q->sparse, why) : status;
}

bnd_status bnd_cost_time(bnd_cost *out, const bnd_cost_of_time *q, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    double peak, work = 0;
    bnd_status status = check(&peak, q, why);
    status = status == BND_OK ? bndi_at_least(q->tokens, 1, "a number of tokens", why) : status;
    status = status == BND_OK ? bndi_at_least(q->mfu, 1e-9, "an MFU", why) : status;
    if (status == BND_OK && q->mfu > 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an MFU must be at most 1");
    }
    status = status == BND_OK ? work_of(&work, &c, q, why) : status;
    if (status != BND_OK) {
        return status;
    }
    double rate = q->machines * peak * q->mfu, seconds = work / rate;
    bndi_cost_step(&c, "rate", "FLOP/s", rate, "machines x peak x MFU", "# x # x #", q->machines, peak, q->mfu);
    bndi_cost_step(&c, "seconds", "s", seconds, "compute / rate", "# / #", work, rate);
    bndi_cost_step(&c, "days", "day", seconds / 86400, "seconds / 86400", "# / 86400", seconds);
    bndi_cost_answer(&c, "days", "training time");
    bndi_cost_note(
        &c, "the MFU of # is an assumption; it covers work other than matrix products, waiting, and failures", q->mfu);
    bndi_cost_machine_note(&c, q->machine, q->format, peak, q->sparse);
    *out = c;
    return BND_OK;
}

bnd_status bnd_cost_utilization(bnd_cost *out, const bnd_cost_of_time *q, double seconds, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    double peak, work = 0;
    bnd_status status = check(&peak, q, why);
    status = status == BND_OK && !(seconds > 0 && seconds - seconds == 0)
                 ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "a time must be a number of seconds above 0")
                 : status;
    status = status == BND_OK ? work_of(&work, &c, q, why) : status;
    if (status != BND_OK) {
        return status;
    }
    double rate = work / seconds, most = q->machines * peak;
    bndi_cost_step(&c, "rate", "FLOP/s", rate, "compute / seconds", "# / #", work, seconds);
    bndi_cost_step(&c, "peak", "FLOP/s", most, "machines x peak", "# x #", q->machines, peak);
    bndi_cost_step(&c, "mfu", "", rate / most, "rate / peak", "# / #", rate, most);
    bndi_cost_answer(&c, "mfu", "share of the peak that was reached");
    if (rate > most) {
        bndi_cost_note(&c, "above 1, which is impossible: check the format, the number of GPUs and the time");
    }
    if (q->recompute != BND_RECOMPUTE_NONE) {
        bndi_cost_note(&c, "recomputed layers are counted as work: this is the hardware's utilization (HFU)");
    }
    bndi_cost_machine_note(&c, q->machine, q->format, peak, q->sparse);
    *out = c;
    return BND_OK;
}
