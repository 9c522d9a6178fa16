/* What speed.mjs measures, by the native library in one thread: a line "name seconds" per measurement, in time of the
 * processor. speed [BACKEND] */
#include <binade.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ELEMENTS = 10000000, CALLS = 1000000 };

static bnd_context context;
static float *x, *y;
static unsigned char *codes, *scales;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const char *name, double began, double count)
{
    printf("%s\t%.3g\n", name, (now() - began) / count);
}

static bool quantize(const char *name, const char *label, bool whole)
{
    bnd_format f;
    bnd_array how = {.context = &context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    bnd_stats stats = {0};
    if (bnd_format_parse(&f, name, NULL) != BND_OK) {
        return false;
    }
    double began = now();
    bool good = bnd_encode_f32(codes, x, ELEMENTS, &f, &how, whole ? &stats : NULL, NULL) == BND_OK &&
                (!whole || bnd_decode_f32(y, codes, ELEMENTS, &f, &how, NULL) == BND_OK);
    report(label, began, 1);
    return good;
}

static bool quantize_block(const char *label, bool whole)
{
    bnd_block block;
    bnd_array how = {.context = &context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    bnd_shape shape = {1, ELEMENTS, 1};
    bnd_stats stats = {0};
    float tensor = 1;
    if (bnd_block_parse(&block, "mxfp4", NULL) != BND_OK) {
        return false;
    }
    double began = now();
    bool good =
        bnd_quantize_f32(codes, scales, &tensor, x, shape, &block, &how, whole ? &stats : NULL, NULL) == BND_OK &&
        (!whole || bnd_dequantize_f32(y, codes, scales, tensor, shape, &block, &how, NULL) == BND_OK);
    report(label, began, 1);
    return good;
}

/* A number with the texts that the package gives too: every digit, bits and hexadecimal code. */
static uint64_t describe(const bnd_format *f, uint64_t code)
{
    char text[64];
    return bnd_print_exact(text, sizeof text, bnd_unpack(f, code), BND_NOTATION_AUTO) +
           bnd_print_bits(text, sizeof text, f, code) + bnd_print_code(text, sizeof text, f, code);
}

static uint64_t numbers(void)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_E4M3), *bf16 = bnd_format_at(BND_FORMAT_BF16);
    uint64_t sum = 0;
    bnd_result r;
    double began = now();
    for (int i = 0; i < CALLS; i++) {
        sum += describe(f, bnd_encode(f, (double)x[i], (bnd_rule){0}, 0).code);
    }
    report("encode one number, e4m3", began, CALLS);
    began = now();
    for (int i = 0; i < CALLS && bnd_parse(&r, bf16, "3.14159265358979", (bnd_rule){0}, 0, NULL) == BND_OK; i++) {
        sum += describe(bf16, r.code);
    }
    report("parse 3.14159265358979, bf16", began, CALLS);
    return sum;
}

int main(int argc, char **argv)
{
    x = malloc(ELEMENTS * sizeof *x);
    y = malloc(ELEMENTS * sizeof *y);
    codes = malloc(2 * ELEMENTS);
    scales = malloc(ELEMENTS / 32 + 1);
    if (x == NULL || y == NULL || codes == NULL || scales == NULL ||
        bnd_context_init(&context, argc > 1 ? argv[1] : "best", 1, NULL) != BND_OK) {
        return 99;
    }
    for (size_t i = 0; i < ELEMENTS; i++) {
        x[i] = (float)(int32_t)bnd_random(1, 0, i) * 0x1p-29F;
    }
    bool good = true;
    for (int run = 0; run < 2 && good; run++) { /* the second run finds its memory there */
        good = quantize("e4m3", "fp32 to e4m3, codes", false) && quantize("e4m3", "fp32 to e4m3, all", true) &&
               quantize("bf16", "fp32 to bf16, codes", false) && quantize("bf16", "fp32 to bf16, all", true) &&
               quantize_block("fp32 to mxfp4, codes", false) && quantize_block("fp32 to mxfp4, all", true);
    }
    return good && numbers() != 0 ? 0 : 1;
}
