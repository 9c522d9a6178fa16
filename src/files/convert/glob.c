/* Patterns of names: * and ?. */
#include "convert/names.h"

#include <string.h>

bool bndi_glob(const char *pattern, const char *text, size_t length)
{
    size_t at = 0, resumed = 0;
    const char *star = NULL; /* the last one: it takes one byte more each time that the rest does not match */
    while (at < length) {
        if (*pattern == '*') {
            star = ++pattern;
            resumed = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == text[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star;
            at = ++resumed;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

size_t bndi_module_length(const char *weight)
{
    static const char end[] = ".weight";
    size_t length = strlen(weight);
    bool ends = length > strlen(end) && strcmp(weight + length - strlen(end), end) == 0;
    return ends ? length - strlen(end) : length;
}

bool bndi_glob_weight(const char *pattern, const char *weight)
{
    return bndi_glob(pattern, weight, strlen(weight)) || bndi_glob(pattern, weight, bndi_module_length(weight));
}
