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
