/* An array in E4M3, as two libraries convert it: the codes, and what the conversion lost. */
#include <binade.h>
#include <stdio.h>

enum { N = 5 };

static bnd_status convert(const float x[N], const char *dialect, bnd_error *why)
{
    const bnd_format *e4m3 = bnd_format_at(BND_FORMAT_E4M3);
    bnd_array how = {.seed = 0}; /* all zero is the default */
    bnd_stats stats = {.elements = 0};
    uint8_t codes[N];
    size_t row;

    bnd_status status = bnd_dialect_parse(&row, dialect, why);
    if (status != BND_OK) {
        return status;
    }
    if (!bnd_dialect_rule(&how.rule, row, e4m3)) {
        printf("%s has no rule for e4m3\n", dialect);
        return BND_OK;
    }
    status = bnd_encode_f32(codes, x, N, e4m3, &how, &stats, why);
    if (status != BND_OK) {
        return status;
    }
    printf("%-15s", dialect);
    for (int i = 0; i < N; i++) {
        printf(" %02x", codes[i]);
    }
    printf("   %d inexact, %d overflow, %d saturated, %d to zero\n", (int)stats.inexact, (int)stats.overflows,
           (int)stats.saturated, (int)stats.to_zero);
    return BND_OK;
}

int main(void)
{
    const float x[N] = {1, 0.3f, 465, -7e4f, 1e-8f};
    bnd_error why;
    if (convert(x, "cuda-satfinite", &why) != BND_OK || convert(x, "ml_dtypes", &why) != BND_OK) {
        fprintf(stderr, "%s\n", why.message);
        return 1;
    }
    /* One value has its flags, too. */
    bnd_result r = bnd_encode(bnd_format_at(BND_FORMAT_E4M3), 465, (bnd_rule){.overflow = BND_OVERFLOW_SATURATE}, 0);
    printf("465 is %02x; overflow: %s, saturated: %s\n", (unsigned)r.code,
           (r.flags & BND_FLAG_OVERFLOW) != 0 ? "yes" : "no", (r.flags & BND_FLAG_SATURATED) != 0 ? "yes" : "no");
    return 0;
}
