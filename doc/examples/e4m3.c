/* An array of floats in E4M3: one scale for all, so that the largest magnitude becomes 448. */
#include <binade.h>
#include <stdio.h>

int main(void)
{
    enum { N = 6 };
    const float x[N] = {0.001f, -0.02f, 0.3f, -4, 50, 600};
    uint8_t codes[N];
    float scale;
    bnd_block e4m3;
    if (bnd_block_parse(&e4m3, "e4m3/tensor", NULL) != BND_OK ||
        bnd_quantize_f32(codes, &scale, NULL, x, (bnd_shape){1, N, 1}, &e4m3, NULL, NULL, NULL) != BND_OK) {
        return 1;
    }
    printf("scale %.9g\n", scale);
    for (size_t i = 0; i < N; i++) {
        printf("%7g is %02x, which is worth %.6g\n", x[i], codes[i], bnd_e4m3_to_float(codes[i]) * scale);
    }
    printf("without a scale: %02x %02x, saturated %02x\n", bnd_e4m3_from_float(0.3f), bnd_e4m3_from_float(600),
           bnd_e4m3_from_float_saturated(600));
    return 0;
}
