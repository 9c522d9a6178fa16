/* Where the page is: see page.h. */
#define _POSIX_C_SOURCE 200809L
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PKGDATADIR
#define PKGDATADIR "/" /* the WebAssembly: it has no installed files */
#endif

static const char *given_page(void)
{
    const char *given = getenv("BINADE_PAGE");
    return given != NULL && given[0] != '\0' ? given : NULL;
}

/* The folder of this program, NULL where it is not known. libtool keeps programs of a build folder in its .libs. */
static char *own_folder(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return NULL;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return NULL;
    }
    *slash = '\0';
    char *libs = strrchr(path, '/');
    if (libs != NULL && strcmp(libs, "/.libs") == 0) {
        *libs = '\0';
    }
    return copy_text(path);
}

static char *absolute(const char *path)
{
    char folder[4096];
    bool relative = path[0] != '/' && getcwd(folder, sizeof folder) != NULL;
    return relative ? format_text("%s/%s", folder, path) : copy_text(path);
}

static bool is_address(const char *page)
{
    return strstr(page, "://") != NULL;
}

char *page_path(void)
{
    if (given_page() != NULL && !is_address(given_page())) {
        return absolute(given_page());
    }
    char *folder = own_folder(), *built = folder != NULL ? format_text("%s/tools/page/binade.html", folder) : NULL;
    free(folder);
    if (built != NULL && access(built, F_OK) == 0) {
        return built;
    }
    free(built);
    return copy_text(PKGDATADIR "/binade.html");
}

char *page_address(void)
{
    if (given_page() != NULL && is_address(given_page())) {
        return copy_text(given_page());
    }
    char *path = page_path();
    long_text address = {0};
    add_text(&address, "file://");
    add_encoded(&address, path, "/");
    free(path);
    return address.text;
}

void add_encoded(long_text *out, const char *text, const char *plain)
{
    static const char always[] = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (; *text != '\0'; text++) {
        bool kept = strchr(always, *text) != NULL || strchr(plain, *text) != NULL;
        add_text(out, kept ? "%c" : "%%%02X", (unsigned char)*text);
    }
}

/* ---- expressions ---- */

bool page_has_operation(bnd_operation operation)
{
    static const bnd_operation known[] = {
        BND_OP_ADD, BND_OP_SUB, BND_OP_MUL,        BND_OP_DIV, BND_OP_FMA,        BND_OP_SQRT,       BND_OP_NEG,
        BND_OP_ABS, BND_OP_MIN, BND_OP_MIN_NUMBER, BND_OP_MAX, BND_OP_MAX_NUMBER, BND_OP_RECIPROCAL, BND_OP_SCALB};
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        found = found || known[i] == operation;
    }
    return found;
}

static bool is_quotient(const bnd_term *terms, size_t count, const char *text)
{
    bnd_real *value = NULL;
    bool known = bnd_real_new_of_expression(&value, terms, count, text, NULL, NULL) == BND_OK &&
                 bnd_real_known(value) == BND_KNOWN_EXACTLY;
    bnd_real_free(value);
    return known;
}

/* May the value be something else although the operands are quotients of integers? */
static bool may_leave(const bnd_term *term)
{
    const bnd_operation o = term->operation;
    bool leaves = o == BND_OP_SQRT || o == BND_OP_DIV || o == BND_OP_RECIPROCAL;
    return term->kind == BND_TERM_POWER || (term->kind == BND_TERM_OPERATION && leaves);
}

/* The term i; those before it are known. */
static bool is_known_term(const bnd_term *terms, size_t i, const char *text)
{
    const bnd_term *term = &terms[i];
    bnd_number number;
    if (term->kind == BND_TERM_NUMBER) {
        return bnd_number_parse_n(&number, text + term->from, term->length, NULL) == BND_OK &&
               (number.value.kind == BND_KIND_FINITE || number.value.kind == BND_KIND_ZERO);
    }
    return (term->kind != BND_TERM_OPERATION || page_has_operation(term->operation)) &&
           (!may_leave(term) || is_quotient(terms, i + 1, text));
}

bool page_evaluates(const char *text, size_t length)
{
    bnd_number number;
    if (bnd_number_parse_n(&number, text, length, NULL) == BND_OK) {
        return true; /* infinities and NaNs, too */
    }
    bnd_term *terms = allocate(NULL, length + 1, sizeof *terms);
    size_t count = 0;
    bool known = bnd_expression_parse_n(terms, length + 1, &count, text, length, NULL, NULL) == BND_OK;
    for (size_t i = 0; known && i < count; i++) {
        known = is_known_term(terms, i, text);
    }
    known = known && is_quotient(terms, count, text);
    free(terms);
    return known;
}
