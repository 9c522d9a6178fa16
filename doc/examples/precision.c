/* What low precision wins and what it risks, measured: a small transformer, twelve steps under each recipe. */
#include <binade-lab.h>
#include <stdio.h>

enum { STEPS = 12 };

/* Bytes of what a recipe keeps: weights, gradients, optimizer state, and activations for the backward pass. */
static double bytes_of(const bnd_account *a)
{
    const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_GRAD, BND_ROLE_MASTER, BND_ROLE_M, BND_ROLE_V, BND_ROLE_EXTRA};
    double sum = (double)a->saved;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        sum += (double)a->peak_by_role[roles[i]];
    }
    return sum;
}

typedef struct worst {
    double to_zero; /* the share of gradients of activations that became zero */
    double signal;  /* power of the numbers over that of their rounding errors, forward; 0: nothing is rounded */
} worst;

/* Of what goes into products and of what comes out, the worse. */
static worst worst_of(const bnd_run *run)
{
    const bnd_role forward[] = {BND_ROLE_FWD_X, BND_ROLE_FWD_Y}, back[] = {BND_ROLE_DGRAD_DY, BND_ROLE_DGRAD_DX};
    worst w = {0, 0};
    for (int i = 0; i < 2; i++) {
        bnd_stats s;
        if (bnd_engine_statistics(&s, bnd_run_engine(run), back[i], BND_PLACE_ALL) && s.elements > 0) {
            double share = (double)s.to_zero / (double)s.elements;
            w.to_zero = share > w.to_zero ? share : w.to_zero;
        }
        if (bnd_engine_statistics(&s, bnd_run_engine(run), forward[i], BND_PLACE_ALL) && s.squared_error > 0) {
            double signal = s.squared_input / s.squared_error;
            w.signal = w.signal == 0 || signal < w.signal ? signal : w.signal;
        }
    }
    return w;
}

static bool measure(const char *recipe, double *of_fp32, bnd_error *why)
{
    bnd_training t;
    bnd_run *run = NULL;
    bnd_step step = {.loss = 0};
    bnd_account account;
    bool good = bnd_training_default(&t, "transformer", "adamw", recipe, why) == BND_OK;
    t.lr = 5e-3;
    t.batch = 8;
    good = good && bnd_run_new(&run, &t, NULL, why) == BND_OK &&
           bnd_engine_take_statistics(bnd_run_engine(run), 1, why) == BND_OK;
    for (int i = 0; good && i < STEPS && step.loss - step.loss == 0; i++) {
        good = bnd_run_step(&step, run, why) == BND_OK;
    }
    if (good) {
        worst w = worst_of(run);
        bnd_engine_account(&account, bnd_run_engine(run));
        *of_fp32 = *of_fp32 > 0 ? *of_fp32 : bytes_of(&account);
        printf("%-18s memory %3.0f %%   to zero %5.2f %%   ", recipe, 100 * bytes_of(&account) / *of_fp32,
               100 * w.to_zero);
        if (w.signal > 0) {
            printf("signal to noise %7.1e   ", w.signal);
        } else {
            printf("nothing is rounded        ");
        }
        if (step.loss - step.loss == 0) {
            printf("loss %.2f\n", step.loss);
        } else {
            printf("NaN at step %d\n", (int)step.step + 1);
        }
    }
    bnd_run_free(run);
    return good;
}

int main(void)
{
    static const char *const recipes[] = {"fp32",        "fp16-pure",   "bf16-pure",        "e4m3-pure",
                                          "e5m2-pure",   "bf16-amp",    "fp16-amp-noscale", "fp16-amp",
                                          "fp8-current", "fp8-delayed", "fp8-e4m3-unscaled"};
    double of_fp32 = 0;
    bnd_error why;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (!measure(recipes[i], &of_fp32, &why)) {
            fprintf(stderr, "%s\n", why.message);
            return 1;
        }
    }
    return 0;
}
