/* FLOPs: of a transformer, matrix product by matrix product; of one matrix product; of a number of machines in a number
 * of days. A multiplication and an addition count as two. Element-by-element operations are left out, as is usual:
 * their time depends on the bytes they move. */
#include "cost/cost.h"

#include "base/base.h"

bndi_forward bndi_forward_flops(const bnd_architecture *a, double sequence)
{
    double h = (double)a->hidden, q = (double)(a->heads * a->head_width), k = (double)(a->kv_heads * a->head_width);
    bndi_forward f = {.qkv = 2 * h * (q + 2 * k),
                      .attention = 4 * sequence * q,
                      .projection = 2 * q * h,
                      .perceptron = 2 * (a->gated ? 3 : 2) * h * (double)a->feed_forward,
                      .head = 2 * h * (double)a->vocabulary};
    f.layer = f.qkv + f.attention + f.projection + f.perceptron;
    f.all = (double)a->layers * f.layer + f.head;
    return f;
}

double bndi_training_flops(const bnd_architecture *a, const bndi_forward *f, bnd_recompute recompute)
{
    const double last = a->dropout ? 0 : 2 * (double)a->hidden * (double)a->feed_forward;
    double again = recompute == BND_RECOMPUTE_FULL        ? f->layer - last
                   : recompute == BND_RECOMPUTE_SELECTIVE ? f->attention / 2
                                                          : 0;
    return 3 * f->all + (double)a->layers * again;
}

bnd_status bnd_recompute_parse(bnd_recompute *out, const char *name, bnd_error *why)
{
    static const char *const names[] = {"none", "selective", "full"};
    bndi_nearest nearest = bndi_nearest_to(name, bndi_length(name));
    for (unsigned i = 0; i < 3; i++) {
        if (bndi_same_word(name, bndi_length(name), names[i])) {
            *out = (bnd_recompute)i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, names[i], bndi_length(names[i]));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown recompute mode",
                             "(available: none, selective, full)");
}

static void put_products(bnd_cost *out, const bnd_architecture *a, const bndi_forward *f, double s)
{
    double h = (double)a->hidden, q = (double)(a->heads * a->head_width), k = (double)(a->kv_heads * a->head_width);
    double inner = (double)a->feed_forward, matrices = a->gated ? 3 : 2;
    bndi_cost_step(out, "qkv", "FLOP/token", f->qkv, "2 h (q + 2 k)", "2 x # x (# + 2 x #)", h, q, k);
    bndi_cost_step(out, "attention", "FLOP/token", f->attention, "4 s q", "4 x # x #", s, q);
    bndi_cost_step(out, "projection", "FLOP/token", f->projection, "2 q h", "2 x # x #", q, h);
    bndi_cost_step(out, "mlp", "FLOP/token", f->perceptron, a->gated ? "2 x 3 h f" : "2 x 2 h f", "2 x # x # x #",
                   matrices, h, inner);
    bndi_cost_step(out, "layer", "FLOP/token", f->layer, "their sum", "# + # + # + #", f->qkv, f->attention,
                   f->projection, f->perceptron);
    bndi_cost_step(out, "head", "FLOP/token", f->head, "2 h V", "2 x # x #", h, (double)a->vocabulary);
    bndi_cost_step(out, "forward", "FLOP/token", f->all, "L layer + head", "# x # + #", (double)a->layers, f->layer,
                   f->head);
}

static bnd_status flops_of_parameters(bnd_cost *out, const bnd_cost_of_flops *question, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    double work;
    bnd_status status = bndi_work_by_parameters(&work, &c, question->parameters,
                                                question->tokens > 0 ? question->tokens : 1, question->recompute, why);
    if (status == BND_OK) {
        bndi_cost_answer(&c, "compute", "FLOPs of training");
        *out = c;
    }
    return status;
}

bnd_status bnd_cost_flops(bnd_cost *out, const bnd_cost_of_flops *question, bnd_error *why)
{
    if (question->model == NULL) {
        return flops_of_parameters(out, question, why);
    }
    const bnd_architecture *a = question->model;
    bnd_cost c = {.steps = 0};
    double s;
    bnd_status status = bnd_architecture_check(a, why);
    status = status == BND_OK ? bndi_sequence(&s, a, question->sequence, why) : status;
    double tokens = question->tokens > 0 ? question->tokens : 1;
    if (status != BND_OK) {
        return status;
    }
    bndi_forward f = bndi_forward_flops(a, s);
    double n = bnd_architecture_parameters(a), each = bndi_training_flops(a, &f, question->recompute);
    bndi_cost_step(&c, "parameters", "parameter", n, "all tensors of its shape", "$", a->name);
    put_products(&c, a, &f, s);
    if (question->recompute == BND_RECOMPUTE_NONE) {
        bndi_cost_step(&c, "training", "FLOP/token", each, "3 forward", "3 x #", f.all);
    } else {
        bndi_cost_step(&c, "training", "FLOP/token", each, "3 forward + recomputation", "3 x # + #", f.all,
                       each - 3 * f.all);
    }
    bndi_cost_step(&c, "6 N", "FLOP/token", 6 * n, "rule of thumb", "6 x #", n);
    bndi_cost_step(&c, "ratio", "", each / (6 * n), "training / 6 N", "# / #", each, 6 * n);
    if (question->tokens > 0) {
        bndi_cost_step(&c, "compute", "FLOP", each * tokens, "training x D", "# x #", each, tokens);
        bndi_cost_step(&c, "6 N D", "FLOP", 6 * n * tokens, "rule of thumb", "6 x # x #", n, tokens);
    }
    bndi_cost_answer(&c, question->tokens > 0 ? "compute" : "training", "FLOPs of a transformer, by matrix product");
    bndi_cost_note(
        &c, "not counted: elementwise operations (norms, softmax, activation functions, the optimizer): few FLOPs, but "
            "much time");
    bndi_cost_note(&c, "attention is counted in full; kernels that skip what a causal mask hides do half of it");
    if (question->recompute != BND_RECOMPUTE_SELECTIVE) {
        bndi_cost_note(&c, "flash attention recomputes scores in its backward pass: # FLOP/token more",
                       (double)a->layers * f.attention / 2);
    }
    *out = c;
    return BND_OK;
}

bnd_status bnd_cost_product(bnd_cost *out, double m, double k, double n, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    bnd_status status = bndi_at_least(m, 1, "a side of a matrix", why);
    status = status == BND_OK ? bndi_at_least(k, 1, "a side of a matrix", why) : status;
    status = status == BND_OK ? bndi_at_least(n, 1, "a side of a matrix", why) : status;
    if (status != BND_OK) {
        return status;
    }
    bndi_cost_step(&c, "forward", "FLOP", 2 * m * k * n, "2 B D K", "2 x # x # x #", m, k, n);
    bndi_cost_step(&c, "backward", "FLOP", 4 * m * k * n, "2 B D K for each operand", "2 x 2 x # x # x #", m, k, n);
    bndi_cost_step(&c, "training", "FLOP", 6 * m * k * n, "6 (points) (parameters)", "6 x # x (# x #)", m, k, n);
    bndi_cost_answer(&c, "training", "FLOPs of a matrix product and of its gradients");
    bndi_cost_note(&c, "a multiplication and an addition are two FLOPs");
    bndi_cost_note(&c, "where the gradient of the input is not needed, as in a first layer, backward is half of it");
    *out = c;
    return BND_OK;
}

bnd_status bnd_cost_budget(bnd_cost *out, double machines, double days, double mfu, const bnd_machine *machine,
                           const char *format, bool sparse, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    double peak, seconds = days * 86400;
    bnd_status status = bndi_at_least(machines, 1, "a number of machines", why);
    status = status == BND_OK ? bndi_at_least(days, 0, "a number of days", why) : status;
    status = status == BND_OK ? bndi_at_least(mfu, 0, "an MFU", why) : status;
    status = status == BND_OK ? bnd_machine_peak(&peak, machine, format, sparse, why) : status;
    if (status != BND_OK) {
        return status;
    }
    double rate = machines * peak * mfu;
    bndi_cost_step(&c, "rate", "FLOP/s", rate, "machines x peak x MFU", "# x # x #", machines, peak, mfu);
    bndi_cost_step(&c, "seconds", "s", seconds, "days x 24 x 60 x 60", "# x 86400", days);
    bndi_cost_step(&c, "compute", "FLOP", rate * seconds, "rate x time", "# x #", rate, seconds);
    bndi_cost_answer(&c, "compute", "FLOPs of these machines in this time");
    bndi_cost_machine_note(&c, machine, format, peak, sparse);
    *out = c;
    return BND_OK;
}

/* 6 N D: two FLOPs forward and four back for each parameter and token. Layers that are computed again take two more. */
bnd_status bndi_work_by_parameters(double *work, bnd_cost *c, double parameters, double tokens, bnd_recompute recompute,
                                   bnd_error *why)
{
    double factor = recompute == BND_RECOMPUTE_FULL ? 8 : 6;
    bnd_status status = bndi_at_least(parameters, 1, "a number of parameters", why);
    status = status == BND_OK ? bndi_at_least(tokens, 1e-9, "a number of tokens", why) : status;
    if (status == BND_OK && recompute == BND_RECOMPUTE_SELECTIVE) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "selective recomputation cannot be used with a number of parameters, because its cost "
                          "depends on the shape; give a model");
    }
    if (status != BND_OK) {
        return status;
    }
    *work = factor * parameters * tokens;
    bndi_cost_step(c, "compute", "FLOP", *work, factor == 6 ? "6 N D" : "8 N D", "# x # x #", factor, parameters,
                   tokens);
    bndi_cost_note(
        c, "not counted: attention's own matrix products (12 L s d FLOP per token), and that the token embedding needs "
           "none; give a model to count both");
    return BND_OK;
}
