/* The autopsy on recipes whose causes are known by construction (tests/study/causes.c): a line for each, as a table of
 * doc/dev/test-log.md. Fails where more than a tenth of the parts, the mechanisms or the healing sets are
 * wrong. */
#include <stdio.h>

#include "tests/study/causes.h"

static void print_bad(const cause *c)
{
    for (size_t i = 0; i < 3 && c->bad[i].part != NULL; i++) {
        printf("%s%s: %s", i > 0 ? ", " : "", c->bad[i].part, bnd_mechanism_name(c->bad[i].mechanism));
    }
}

int main(int argc, char **argv)
{
    const bnd_context context = {.threads = 2};
    size_t parts = 0, mechanisms = 0, healing = 0, least = cause_count - cause_count / 10;
    if (argc > 1) { /* tests/check-exhaustive.sh asks for --help */
        printf("%s: no options\n", argv[0]);
        return 0;
    }
    printf("| recipe | known cause | the autopsy's set and mechanisms | part | mechanism | set | runs |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < cause_count; i++) {
        diagnosis d;
        bnd_error why;
        if (diagnose(&d, &causes[i], &context, &why) != BND_OK) {
            fprintf(stderr, "%s: %s\n", causes[i].recipe, why.message);
            return 1;
        }
        printf("| `%s` | ", causes[i].recipe);
        print_bad(&causes[i]);
        printf(" | %s | %s | %s | %s | %zu |\n", d.named, d.parts ? "yes" : "**no**", d.mechanisms ? "yes" : "**no**",
               d.healing ? "yes" : "**no**", d.runs);
        fflush(stdout);
        parts += d.parts;
        mechanisms += d.mechanisms;
        healing += d.healing;
    }
    printf("\nOf %zu: part right in %zu, mechanism in %zu, healing set in %zu.\n", cause_count, parts, mechanisms,
           healing);
    return parts < least || mechanisms < least || healing < least;
}
