/* decoded PATH OUT: the weights of a checkpoint, for Python to compare. To OUT goes fp32, one weight after the other;
 * to standard output a line per weight: name, layout, "decoded" or why not, and the shape. Damage goes first, a line
 * each. */
#include <binade-lab/checkpoint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_damage(void *state, const char *code, const char *where, const char *message)
{
    (void)state;
    printf("damage\t%s\t%s\t%s\n", code, where, message);
}

/* The pieces are short, so that scales begin and end within them. */
static bool write_weight(FILE *out, const bnd_stored_weight *weight, bnd_error *why)
{
    enum { PIECE = 3 * BND_WEIGHT_STEP };
    static float piece[PIECE];
    for (uint64_t at = 0; at < weight->count; at += PIECE) {
        size_t n = weight->count - at < PIECE ? (size_t)(weight->count - at) : PIECE;
        if (bnd_decode_weight_f32(piece, weight, at, n, NULL, why) != BND_OK ||
            fwrite(piece, sizeof *piece, n, out) != n) {
            return false;
        }
    }
    return true;
}

static bool print_weights(const bnd_checkpoint *checkpoint, FILE *out, bnd_error *why)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(checkpoint); i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(checkpoint, i);
        printf("weight\t%s\t%s\t%s\t", weight->name, weight->layout != NULL ? weight->layout->name : "",
               weight->is_float ? "decoded" : weight->why_not);
        for (size_t k = 0; k < weight->rank; k++) {
            printf("%s%" PRIu64, k > 0 ? " " : "", weight->shape[k]);
        }
        printf("\n");
        if (weight->is_float && !write_weight(out, weight, why)) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    bnd_checkpoint *checkpoint = NULL;
    bnd_error why = {.message = "cannot write"};
    if (argc < 3) {
        return 1;
    }
    bool good = bnd_checkpoint_new(&checkpoint, argv[1], print_damage, NULL, &why) == BND_OK;
    if (good) {
        FILE *out = fopen(argv[2], "wb");
        good = out != NULL && print_weights(checkpoint, out, &why);
        good = out != NULL && fclose(out) == 0 && good;
        bnd_checkpoint_free(checkpoint);
    }
    if (!good) {
        fprintf(stderr, "%s\n", why.message);
    }
    return good ? 0 : 2;
}
