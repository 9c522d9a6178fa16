/* 1e-8 in each format of a list: parse a format, parse a value, decode a code. */
#include <binade.h>
#include <stdio.h>

int main(void)
{
    const char *names[] = {"fp16", "bf16", "e4m3", "binary8p3se", "e6m9"};
    const char *text = "1e-8";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format format;
        bnd_result result;
        bnd_error why;
        bnd_rule rule = {.rounding = BND_ROUND_RNE}; /* all zero is the default */
        if (bnd_format_parse(&format, names[i], &why) != BND_OK ||
            bnd_parse(&result, &format, text, rule, 0, &why) != BND_OK) {
            fprintf(stderr, "%s\n", why.message);
            return 1;
        }
        printf("%-12s 0x%04llx = %-16.10g%s\n", format.name, (unsigned long long)result.code,
               bnd_decode(&format, result.code), (result.flags & BND_FLAG_TO_ZERO) != 0 ? "becomes zero" : "");
    }
    return 0;
}
