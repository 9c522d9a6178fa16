/* weights_through CHECKPOINT...: each weight of each as one line: its name, its layout or "-", its shape, and a hash
 * (FNV-1a, 64 bits) of its values in fp32, or why they are not decoded. A checkpoint begins with a line of its path. */
#include <binade-lab/checkpoint.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 3 * BND_WEIGHT_STEP }; /* not a multiple of any block that is used in the fixtures */

static void ignore_damage(void *state, const char *code, const char *where, const char *message)
{
    printf("damage %s %s: %s\n", code, where, message);
    (void)state;
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
    return h;
}

static void print(const bnd_stored_weight *w)
{
    float y[PIECE];
    bnd_error why;
    uint64_t h = 0xcbf29ce484222325;
    printf("%s\t%s\t", w->name, w->layout == NULL ? "-" : w->layout->name);
    for (size_t i = 0; i < w->rank; i++) {
        printf("%s%" PRIu64, i == 0 ? "" : ",", w->shape[i]);
    }
    if (!w->is_float) {
        printf("\t%s\n", w->why_not);
        return;
    }
    for (uint64_t at = 0; at < w->count; at += PIECE) {
        const size_t n = w->count - at < PIECE ? (size_t)(w->count - at) : PIECE;
        if (bnd_decode_weight_f32(y, w, at, n, NULL, &why) != BND_OK) {
            printf("\t%s\n", why.message);
            return;
        }
        h = hash(h, y, n * sizeof *y);
    }
    printf("\t%016" PRIx64 "\n", h);
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        bnd_checkpoint *c = NULL;
        bnd_error why;
        printf("checkpoint %s\n", argv[i]);
        if (bnd_checkpoint_new(&c, argv[i], ignore_damage, NULL, &why) != BND_OK) {
            printf("refused: %s\n", why.message);
            bad = 1;
            continue;
        }
        for (size_t k = 0; k < bnd_checkpoint_weights(c); k++) {
            print(bnd_checkpoint_weight_at(c, k));
        }
        bnd_checkpoint_free(c);
    }
    return bad;
}
