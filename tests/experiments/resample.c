/* How often each verdict comes out: pairs of runs of a folder, drawn into groups of 3, 5 and 10 seeds. The folder has
 * runs of fp32, of RECIPE (fp32 too, in another order) and of OTHER (which has a planted loss as well) under the same
 * seeds. Prints rows of a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <binade-lab/study.h>

enum { DRAWS = 1000, LARGEST = 10, PAIRS = 4096 };

typedef struct runs {
    bnd_record *at;
    size_t count;
} runs;

/* The run of a recipe with the seeds of another; NULL: there is none. */
static const bnd_record *partner(const runs *r, const char *recipe, const bnd_record *of)
{
    for (size_t i = 0; i < r->count; i++) {
        const bnd_record *x = &r->at[i];
        if (strcmp(x->recipe, recipe) == 0 && x->seed_init == of->seed_init && x->seed_data == of->seed_data) {
            return x;
        }
    }
    return NULL;
}

/* `size` pairs without repetition, the runs with `planted` of the reference's loss more. Swapped: of two orders of the
 * same sums either can be the reference, and a coin says which. */
static void draw(bnd_record *run, bnd_record *reference, size_t size, double planted, bool swaps,
                 const bnd_record *const *pairs, size_t count, uint64_t number)
{
    bool used[PAIRS] = {false};
    for (size_t k = 0, tries = 0; k < size; tries++) {
        size_t at = (size_t)(bnd_random(1, number << 16 | tries, size) % count);
        if (!used[at]) {
            used[at] = true;
            size_t first = swaps ? (size_t)(bnd_random(2, number << 16 | tries, size) & 1) : 0;
            reference[k] = *pairs[2 * at + first];
            run[k] = *pairs[2 * at + 1 - first];
            run[k].validation_fp32 += planted * reference[k].validation_fp32;
            k++;
        }
    }
}

/* Of groups of 3, 5 and 10 pairs: per cent that are worse, better, without a difference. */
static void print_row(const char *model, const char *recipe, double margin, double planted, bool swaps,
                      const bnd_record *const *pairs, size_t count)
{
    static const size_t sizes[] = {3, 5, LARGEST};
    printf("| %s | `%s` | %g %% | %g %% |", model, recipe, 100 * margin, 100 * planted);
    for (size_t s = 0; s < 3; s++) {
        double verdicts[BND_VERDICT_COUNT] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            bnd_record run[LARGEST], reference[LARGEST];
            bnd_comparison is;
            bnd_error why;
            draw(run, reference, sizes[s], planted, swaps, pairs, count, i);
            if (bnd_records_compare(&is, run, sizes[s], reference, sizes[s], margin, &why) != BND_OK) {
                fprintf(stderr, "resample: %s\n", why.message);
                exit(1);
            }
            verdicts[is.verdict] += 100.0 / (double)DRAWS;
        }
        printf(" %.1f | %.1f | %.1f |", verdicts[BND_VERDICT_WORSE], verdicts[BND_VERDICT_BETTER],
               verdicts[BND_VERDICT_NO_DIFFERENCE]);
    }
    printf("\n");
}

static void print_recipe(const runs *r, const char *model, const char *recipe, bool plants)
{
    static const struct {
        double margin, planted;
    } rows[] = {{0, 0},
                {BND_COMPARISON_MARGIN, 0},
                {BND_COMPARISON_MARGIN, 0.005},
                {BND_COMPARISON_MARGIN, 0.01},
                {BND_COMPARISON_MARGIN, 0.03},
                {0.01, 0},
                {0.01, 0.005},
                {0.01, 0.01},
                {0.01, 0.03}};
    const bnd_record **pairs = calloc(2 * r->count + 1, sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; pairs != NULL && i < r->count; i++) {
        const bnd_record *with = strcmp(r->at[i].recipe, "fp32") == 0 ? partner(r, recipe, &r->at[i]) : NULL;
        if (with != NULL && count < PAIRS) {
            pairs[2 * count] = &r->at[i];
            pairs[2 * count++ + 1] = with;
        }
    }
    for (size_t i = 0; count >= 2 * LARGEST && i < (plants ? sizeof rows / sizeof rows[0] : 2); i++) {
        print_row(model, recipe, rows[i].margin, rows[i].planted, !plants, pairs, count);
    }
    free(pairs);
}

int main(int argc, char **argv)
{
    runs r;
    bnd_error why;
    if (argc != 5) {
        fprintf(stderr, "usage: resample FOLDER MODEL RECIPE OTHER\n");
        return 2;
    }
    if (bnd_records_read(&r.at, &r.count, argv[1], &why) != BND_OK) {
        fprintf(stderr, "resample: %s: %s\n", argv[1], why.message);
        return 1;
    }
    print_recipe(&r, argv[2], argv[3], false);
    print_recipe(&r, argv[2], argv[4], true);
    bnd_records_free(r.at, r.count);
    return 0;
}
