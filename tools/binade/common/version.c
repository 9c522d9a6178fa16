/* `binade --version`: the version, the back ends, the threads and the libraries of this build. */
#include "command.h"

static void print_backends(void)
{
    bnd_context context;
    bnd_error why;
    bnd_status status = bnd_context_init(&context, NULL, 1, &why);
    printf("back ends  ");
    for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
        if (bnd_backend_here((bnd_backend)i)) {
            printf("%s%s", i > BND_BACKEND_PORTABLE ? ", " : "", bnd_backend_name((bnd_backend)i));
        }
    }
    if (status == BND_OK) {
        bnd_backend used = context.backend == BND_BACKEND_BEST ? bnd_backend_best() : (bnd_backend)context.backend;
        printf(" (in use: %s)\n", bnd_backend_name(used));
    } else {
        printf(" (in use: none; %s)\n", why.message);
    }
}

static void print_threads(void)
{
    bnd_context context;
    bnd_error why;
    if (!bnd_has_threads()) {
        printf("threads    1, built without OpenMP\n");
    } else if (bnd_context_init(&context, "portable", 0, &why) == BND_OK) {
        printf("threads    %u by default, with OpenMP\n", (unsigned)context.threads);
    } else {
        printf("threads    with OpenMP; %s\n", why.message);
    }
}

void print_version(void)
{
    printf("binade %s\n", PACKAGE_VERSION);
    printf("library    libbinade %s\n", bnd_version());
    print_backends();
    print_threads();
    printf("based on   GMP %s, MPFR %s, jansson %s\n", bnd_gmp_version(), bnd_mpfr_version(), bnd_jansson_version());
    printf("licence    MIT\n");
}
