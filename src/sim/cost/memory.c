/* Memory of one rank, by role: what a recipe and an optimizer keep of each parameter, and activations. */
#include "cost/cost.h"
#include "cost/paper.h"
#include "cost/zero_sharing.h"

static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_GRAD, BND_ROLE_ACCUMULATE, BND_ROLE_MASTER,
                                 BND_ROLE_M,     BND_ROLE_V,    BND_ROLE_EXTRA};
enum { ROLES = sizeof roles / sizeof roles[0] };

bnd_status bndi_check_plan(const bnd_plan *plan, bnd_error *why)
{
    bnd_status status = bndi_at_least(plan->ranks, 1, "a number of ranks", why);
    status = status == BND_OK ? bndi_at_least(plan->tensor, 1, "tensor parallelism", why) : status;
    if (status == BND_OK && plan->zero > 3) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the ZeRO stage must be from 0 to 3");
    }
    if (status == BND_OK && plan->policy.layers[0] != 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "settings of layers (%s) cannot be counted on paper; a training run measures them",
                          plan->policy.layers);
    }
    return status;
}

/* Stage 1 shards what the optimizer keeps, 2 gradients, too, 3 parameters, too. */
double bndi_sharers(const bnd_plan *plan, bnd_role role)
{
    unsigned from = role == BND_ROLE_PARAM ? 3 : role == BND_ROLE_GRAD || role == BND_ROLE_ACCUMULATE ? 2 : 1;
    return plan->zero >= from ? plan->ranks : 1;
}

/* The tensors of parameters; of a model without a shape, one large matrix. */
static size_t weights_of(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_cost_of_memory *q)
{
    out[0] = bndi_one_matrix;
    return q->trained != NULL ? bndi_trained_weights(out, q->trained)
           : q->model != NULL ? bnd_architecture_weights(out, q->model)
                              : 1;
}

static bool has_shape(const bnd_cost_of_memory *q)
{
    return q->trained != NULL || q->model != NULL;
}

static void note_one_matrix(bnd_cost *c, const bnd_plan *plan)
{
    if (bndi_states_follow_shapes(plan)) {
        bndi_cost_note(c, "parameters are taken for one large hidden matrix; what this optimizer keeps depends on the "
                          "shapes, and for each parameter of vectors, embeddings and the head it keeps more: name a "
                          "model to count them");
    }
}

/* What a role takes in all tensors of a rank. */
static bnd_status sum_role(bnd_stored *out, const bnd_cost_of_memory *q, bnd_role role, bnd_error *why)
{
    bnd_weight weights[BND_ARCHITECTURE_WEIGHTS_MAX];
    bnd_stored sum = {.bytes = 0};
    size_t n = weights_of(weights, q);
    for (size_t i = 0; i < n; i++) {
        bnd_stored one;
        double copies = has_shape(q) ? (double)weights[i].copies : q->parameters / 0x1p40;
        copies /= !has_shape(q) || weights[i].split ? q->plan.tensor : 1;
        bnd_status status = bnd_plan_stored(&one, &q->plan, role, &weights[i], why);
        if (status != BND_OK) {
            return status;
        }
        sum.bytes += copies * one.bytes;
        sum.scales += copies * one.scales;
        sum.transient = one.transient;
    }
    *out = sum;
    return BND_OK;
}

/* Parameters that a rank works with. */
static double parameters_of_rank(const bnd_cost_of_memory *q)
{
    bnd_weight weights[BND_ARCHITECTURE_WEIGHTS_MAX];
    double sum = 0;
    if (!has_shape(q)) {
        return q->parameters / q->plan.tensor;
    }
    size_t n = weights_of(weights, q);
    for (size_t i = 0; i < n; i++) {
        const bnd_weight *w = &weights[i];
        sum += (double)w->copies * (double)w->rows * (double)(w->columns > 0 ? w->columns : 1) /
               (w->split ? q->plan.tensor : 1);
    }
    return sum;
}

static double all_parameters(const bnd_cost_of_memory *q, double own)
{
    return q->trained != NULL ? own : q->model != NULL ? bnd_architecture_parameters(q->model) : q->parameters;
}

static void put_parameters(bnd_cost *c, const bnd_cost_of_memory *q, double all, double own)
{
    double tensor = q->plan.tensor;
    if (!has_shape(q)) {
        bndi_cost_step(c, "parameters", "parameter", all, "N", "as given");
    } else {
        bndi_cost_step(c, "parameters", "parameter", all, "all tensors of its shape", "$",
                       q->trained != NULL ? q->trained->model : q->model->name);
    }
    if (tensor > 1 && !has_shape(q)) {
        bndi_cost_step(c, "per rank", "parameter", own, "N / t", "# / #", all, tensor);
    } else if (tensor > 1) { /* own = split / t + others, and all = split + others */
        double split = (all - own) / (1 - 1 / tensor);
        bndi_cost_step(c, "per rank", "parameter", own, "split tensors / t + the others", "# / # + #", split, tensor,
                       all - split);
    }
}

/* PyTorch adds the gradients of micro-batches into grad, unless the recipe has a format for their sum; binade train has
 * a sum in any case. */
static bool has_role(const bnd_cost_of_memory *q, bnd_role role)
{
    return role != BND_ROLE_ACCUMULATE || q->trained != NULL || q->plan.policy.cast[role].given;
}

static void put_role(bnd_cost *c, const char *name, double bytes, double own, double sharers)
{
    if (sharers > 1) {
        bndi_cost_step(c, name, "B", bytes / sharers, "N b / ranks", "# x # / #", own, bytes / own, sharers);
    } else {
        bndi_cost_step(c, name, "B", bytes, "N b", "# x #", own, bytes / own);
    }
}

/* Bytes: of what is kept between steps, of which `grad` are gradients, and of what a step adds. */
typedef struct parts {
    double states, grad, copies, head;
    bndi_held held;
} parts;

/* The states: a step a role that is kept, then what they share; and what is there for a step alone. */
static bnd_status put_states(parts *out, bnd_cost *c, const bnd_cost_of_memory *q, double own, bnd_error *why)
{
    double scales = 0, passing = 0, sum = 0;
    for (size_t i = 0; i < ROLES; i++) {
        bnd_stored s;
        double sharers = bndi_sharers(&q->plan, roles[i]);
        bnd_status status = sum_role(&s, q, roles[i], why);
        if (status != BND_OK) {
            return status;
        }
        if (s.transient) {
            passing = s.bytes + s.scales;
        } else if (s.bytes > 0 && has_role(q, roles[i])) {
            out->grad = roles[i] == BND_ROLE_GRAD ? (s.bytes + s.scales) / sharers : out->grad;
            put_role(c, bnd_role_name(roles[i]), s.bytes, own, sharers);
            sum += s.bytes / sharers;
            scales += s.scales / sharers;
        }
    }
    if (scales >= 1) {
        bndi_cost_step(c, "scales", "B", scales, "one per block", "$", q->plan.policy.name);
        sum += scales;
    }
    bndi_cost_step(c, "states", "B", sum, "their sum", "$: # bytes per parameter of the rank", q->plan.policy.name,
                   sum / own);
    if (passing > 0) {
        bndi_cost_step(c, "transient", "B", passing, "copies of the master in a step", "# x #", own, passing / own);
    }
    out->states = sum + passing;
    return BND_OK;
}

/* Autocast makes a copy in 16 bits of each wider matrix that a product reads, and keeps it for the backward pass. */
static double bytes_of_a_copy(const bnd_policy *p)
{
    const bnd_cast *operand = &p->cast[BND_ROLE_FWD_W], *param = &p->cast[BND_ROLE_PARAM];
    const bool plain = operand->given && operand->scaling[0] == 0 && operand->format.width == 16;
    return plain && !(param->given && param->format.width <= 16) ? 2 : 0;
}

/* Of all matrices; `head`: of the head alone. */
static void put_copies(parts *out, bnd_cost *c, const bnd_cost_of_memory *q)
{
    bnd_weight weights[BND_ARCHITECTURE_WEIGHTS_MAX];
    const double each = bytes_of_a_copy(&q->plan.policy), t = q->plan.tensor;
    const double head = (double)q->model->vocabulary * (double)q->model->hidden;
    double sum = head;
    size_t n = weights_of(weights, q);
    for (size_t i = 0; i < n; i++) {
        const bnd_weight *w = &weights[i];
        sum += w->hidden ? (double)w->copies * (double)w->rows * (double)w->columns : 0;
    }
    out->copies = each * sum / t;
    out->head = each * head / t;
    if (each > 0) {
        bndi_cost_step(c, "copies", "B", out->copies, "of matrices, by autocast", "# x #", sum / t, each);
    }
}

/* Every rank has a part of each layer, and the whole history of each operand. */
static double put_histories(bnd_cost *c, const bnd_cost_of_memory *q, double bytes)
{
    if (bytes > 0) {
        bndi_cost_step(c, "histories", "B", bytes, "past maxima of operands", "$", q->plan.policy.name);
    }
    return bytes;
}

/* A table that is the head, too, has two gradients, which are there together while they are added; numbers that share
 * scales are added before they are quantized. */
static bnd_status put_second_gradient(double *bytes, bnd_cost *c, const bnd_cost_of_memory *q, bnd_error *why)
{
    const bnd_weight table = {.rows = q->trained->vocabulary, .columns = q->trained->width, .copies = 1};
    bnd_stored s;
    bnd_status status = bnd_plan_stored(&s, &q->plan, BND_ROLE_GRAD, &table, why);
    if (status == BND_OK && s.scales == 0) {
        *bytes = s.bytes;
        bndi_cost_step(c, "second gradient", "B", *bytes, "of the tied embedding", "# x #", (double)table.rows,
                       (double)table.columns);
    }
    return status;
}

/* Batches are those of one rank here, and those of all ranks in a run; a run shares no states among ranks. */
static void note_measured(bnd_cost *c, const bnd_cost_of_memory *q)
{
    const double ranks = q->plan.ranks, batch = q->batch * q->plan.micro_batches;
    bnd_architecture published;
    if (bnd_architecture_find(&published, q->trained->model, NULL) == BND_OK) {
        bndi_cost_note(c, "this $ is the model of binade train, with the sizes given and its defaults for the others",
                       q->trained->model);
    }
    if (q->plan.zero > 0 && ranks > 1) {
        bndi_cost_note(c,
                       "activations are what binade train measures of each rank with a batch of # for # ranks; it "
                       "does not shard states (ZeRO)",
                       batch * ranks, ranks);
    } else if (ranks > 1) {
        bndi_cost_note(c,
                       "this is what binade train measures of each rank, to the byte (its columns activations and "
                       "total), with a batch of # for # ranks: the batch here is that of one rank",
                       batch * ranks, ranks);
    } else {
        bndi_cost_note(c, "this is what binade train measures, to the byte (its columns activations and total): "
                          "activations saved for the backward pass, as the recipe keeps them");
    }
}

/* Of a model that train trains: what a run measures. */
static bnd_status put_saved(double *bytes, bnd_cost *c, const bnd_cost_of_memory *q, bnd_error *why)
{
    const bool again = q->recompute == BND_RECOMPUTE_FULL;
    const bndi_book b = bndi_trained_saved(q->trained, &q->plan.policy, (size_t)q->batch, again);
    double second = 0;
    bnd_status status = b.tied ? put_second_gradient(&second, c, q, why) : BND_OK;
    put_histories(c, q, b.histories);
    if (b.block > 0) {
        bndi_cost_step(c, "block", "B", b.block, again ? "one block, recomputed" : "one block", "# tokens",
                       q->batch * (double)q->trained->context);
    }
    bndi_cost_step(c, "activations", "B", b.tensors, "saved for the backward pass", "batch #", q->batch);
    note_measured(c, q);
    if (b.beside > 0) {
        bndi_cost_note(c,
                       "not counted: the mean and the deviation of each row that norms keep: # bytes, in fp32 in "
                       "every recipe",
                       b.beside);
    }
    *bytes = second + b.histories + b.tensors;
    return status;
}

/* Whether a number of machines is divided among others without a rest. */
static bool divides(double among, double whole)
{
    double each = whole / among;
    return each == __builtin_floor(each);
}

/* Each machine has whole heads of queries. Fewer heads of keys and values than machines are replicated. */
static bnd_status check_heads(const bnd_architecture *a, double machines, bnd_error *why)
{
    double heads = (double)a->heads, kv = (double)a->kv_heads;
    const char *what = "";
    if (machines > heads) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor parallelism of %llu heads must be at most %llu",
                        (unsigned long long)a->heads, (unsigned long long)a->heads);
    }
    if (!divides(machines, heads)) {
        what = "attention";
    } else if (!divides(machines, kv) && !divides(kv, machines)) {
        what = "key and value";
        heads = kv;
    }
    return what[0] == '\0'
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "%llu %s heads cannot be divided among %llu machines; choose another tensor parallelism",
                          (unsigned long long)heads, what, (unsigned long long)machines);
}

static void note_replicas(bnd_cost *c, const bnd_cost_of_memory *q)
{
    double kv = q->model != NULL ? (double)q->model->kv_heads : 0;
    if (q->model != NULL && q->plan.tensor > kv) {
        bndi_cost_note(c,
                       "not counted: # machines share # key and value heads, so each of these heads is on # machines; "
                       "the figures divide its projections among them",
                       q->plan.tensor, kv, q->plan.tensor / kv);
    }
}

static bnd_status check(const bnd_cost_of_memory *q, bnd_error *why)
{
    bnd_status status = bndi_check_plan(&q->plan, why);
    if (status == BND_OK && q->trained != NULL) {
        return q->plan.tensor == 1 ? bndi_trained_check(q->trained, q->batch, q->recompute, why)
                                   : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                              "tensor parallelism cannot be used with a model that binade train runs; "
                                              "give the shape of a transformer");
    }
    if (status == BND_OK && q->model == NULL) {
        return bndi_at_least(q->parameters, 1, "a number of parameters", why);
    }
    status = status == BND_OK ? bnd_architecture_check(q->model, why) : status;
    status = status == BND_OK ? bndi_at_least(q->batch, 1, "a batch", why) : status;
    return status == BND_OK ? check_heads(q->model, q->plan.tensor, why) : status;
}

static void put_room(bnd_cost *c, const bnd_machine *m, double total)
{
    bndi_cost_step(c, "room", "B", m->memory - total, "memory - total", "# - #", m->memory, total);
    bndi_cost_note(
        c, total <= m->memory ? "it fits $ and uses # of its memory" : "it does not fit $: it needs # times its memory",
        m->title, total / m->memory);
}

/* Activations are those of a micro-batch. */
static bnd_status divide_batch(bnd_cost_of_memory *q, bnd_error *why)
{
    const double micro = q->plan.micro_batches;
    if (micro > 1 && has_shape(q)) {
        const double rows = q->batch / micro;
        if (rows - __builtin_floor(rows) > 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a batch of %llu cannot be divided into %llu micro-batches",
                            (unsigned long long)q->batch, (unsigned long long)micro);
        }
        q->batch = rows;
    }
    return BND_OK;
}

/* With micro-batches, the gradients of earlier ones are there during the next. A table that is the head, too, has two
 * gradients, which PyTorch adds into a third tensor at the end. */
static void put_freed(bnd_cost *c, const bnd_cost_of_memory *q, const parts *p, double total)
{
    const double table = (double)q->model->vocabulary * (double)q->model->hidden / q->plan.tensor;
    const double start = total - p->grad,
                 end = p->states + (q->model->tied ? 2 * table * p->grad / parameters_of_rank(q) : 0);
    if (q->plan.micro_batches > 1) {
        return;
    }
    bndi_cost_step(c, "freed", "B", start > end ? start : end, "max(total - grad, end)", "max(# - #, # + #)", total,
                   p->grad, p->states, end - p->states);
    bndi_cost_note(c,
                   "total: the peak of a step that keeps gradients; freed: of one that starts without them, as after "
                   "zero_grad() in PyTorch; its end has all states$",
                   q->model->tied ? ", and two more gradients of the tied table" : "");
}

/* Layers that are recomputed have no copies left after the forward pass. So the peak of a step is at the end of the
 * forward pass, at the start of the backward pass, or while a layer is recomputed. */
static double put_peak(bnd_cost *c, const parts *p)
{
    const bndi_held *h = &p->held;
    const double forward = p->copies + h->outside + h->logits, backward = p->head + h->outside + h->gradient;
    const double again = p->head + h->again, later = backward > again ? backward : again;
    const double total = p->states + h->layers + (forward > later ? forward : later);
    bndi_cost_step(c, "total", "B", total, "their sum at its peak", "# + # + max(#, #, #)", p->states, h->layers,
                   forward, backward, again);
    return total;
}

static double put_total(bnd_cost *c, const bnd_cost_of_memory *q, const parts *p)
{
    const bndi_held *h = &p->held;
    double total = p->states + p->copies + h->layers + h->outside + h->gradient;
    if (h->again > 0) {
        total = put_peak(c, p);
    } else if (p->copies > 0) {
        bndi_cost_step(c, "total", "B", total, "their sum", "# + # + # + # + #", p->states, p->copies, h->layers,
                       h->outside, h->gradient);
    } else if (h->outside > 0) {
        bndi_cost_step(c, "total", "B", total, "their sum", "# + # + # + #", p->states, h->layers, h->outside,
                       h->gradient);
    } else {
        bndi_cost_step(c, "total", "B", total, "states + activations", "# + #", p->states, h->layers);
    }
    bndi_cost_answer(c, "total", q->trained != NULL ? "memory of a run of binade train" : "memory of one rank");
    return total;
}

bnd_status bnd_cost_memory(bnd_cost *out, const bnd_cost_of_memory *asked, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    bnd_cost_of_memory divided = *asked, *q = &divided;
    parts p = {.states = 0};
    bnd_status status = check(asked, why);
    status = status == BND_OK ? divide_batch(q, why) : status;
    if (status != BND_OK) {
        return status;
    }
    double own = parameters_of_rank(q);
    put_parameters(&c, q, all_parameters(q, own), own);
    status = put_states(&p, &c, q, own, why);
    if (status == BND_OK && q->trained != NULL) {
        status = put_saved(&p.held.layers, &c, q, why);
    } else if (status == BND_OK && q->model != NULL) {
        p.states += put_histories(&c, q, bndi_history_bytes(&q->plan.policy, q->model));
        put_copies(&p, &c, q);
        status = bndi_activations(&p.held, &c, q, why);
    }
    if (status != BND_OK) {
        return status;
    }
    const double total = put_total(&c, q, &p);
    if (q->model != NULL && q->trained == NULL) {
        put_freed(&c, q, &p, total);
    }
    if (q->machine != NULL) {
        put_room(&c, q->machine, total);
    }
    note_replicas(&c, q);
    if (!has_shape(q)) {
        note_one_matrix(&c, &q->plan);
        bndi_cost_note(&c, "not counted: activations, which grow with batch and sequence; give a model to count them");
    }
    bndi_cost_note(
        &c, "not counted: $transient copies of operands, communication buffers, and memory lost by the allocator",
        has_shape(q) ? "gradients of activations, " : "");
    *out = c;
    return BND_OK;
}

/* ---- the largest model ---- */

bnd_status bnd_cost_fit(bnd_cost *out, const bnd_plan *plan, double machines, double memory, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    bnd_plan p = *plan;
    double each = 0, whole = 0;
    bnd_status status = bndi_at_least(machines, 1, "a number of machines", why);
    status = status == BND_OK ? bndi_at_least(memory, 1, "a machine's memory", why) : status;
    status = status == BND_OK ? bndi_at_least(p.tensor, 1, "tensor parallelism", why) : status;
    if (status == BND_OK && machines / p.tensor < 1) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor parallelism must be at most the number of GPUs");
    }
    if (status == BND_OK && !divides(p.tensor, machines)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "%llu GPUs cannot be divided into groups of %llu",
                          (unsigned long long)machines, (unsigned long long)p.tensor);
    }
    p.ranks = machines / p.tensor;
    status = status == BND_OK ? bndi_check_plan(&p, why) : status;
    for (size_t i = 0; status == BND_OK && i < ROLES; i++) {
        double bytes;
        status = bnd_plan_bytes_each(&bytes, &p, roles[i], why);
        bool counted = roles[i] != BND_ROLE_ACCUMULATE || p.policy.cast[roles[i]].given; /* as has_role */
        if (status == BND_OK && bytes > 0 && counted) {
            double sharers = bndi_sharers(&p, roles[i]) * p.tensor;
            bndi_cost_step(&c, bnd_role_name(roles[i]), "B/parameter", bytes / sharers,
                           sharers > 1 ? "b / sharers" : "b", sharers > 1 ? "# / #" : "#", bytes, sharers);
            each += bytes / sharers;
            whole += bytes;
        }
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_cost_step(&c, "bytes", "B/parameter", whole, "their sum over all machines", "$", p.policy.name);
    bndi_cost_step(&c, "per machine", "B/parameter", each, "on one machine", "ZeRO #, # ranks, t = #", (double)p.zero,
                   p.ranks, p.tensor);
    bndi_cost_step(&c, "parameters", "parameter", memory / each, "memory / bytes per machine", "# / #", memory, each);
    bndi_cost_answer(&c, "parameters", "the largest model whose states fit");
    note_one_matrix(&c, &p);
    bndi_cost_note(
        &c, "not counted: activations, which grow with batch and sequence, transient copies and buffers: the model "
            "that fits is smaller");
    *out = c;
    return BND_OK;
}
