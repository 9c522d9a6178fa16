/* Names of runs that are also valid file names. */
#include "study/study.h"

#include "base/base.h"

enum { LONGEST = 64 };

static bool is_safe(char c)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    return letter || digit || c == '.' || c == '_' || c == '-' || c == '+' || c == '=';
}

/* A number of 32 bits that tells texts apart. */
static uint64_t digest(const char *text)
{
    uint64_t sum = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        sum = bnd_random(sum, (unsigned char)text[i], i);
    }
    return sum & 0xffffffff;
}

/* What a file cannot be called, or what hides it, becomes a _; where that happens, or something is cut, the digest
 * tells it from others that come to the same. */
size_t bnd_task_name(char *out, size_t size, const char *recipe, uint64_t seed)
{
    bndi_text text = bndi_text_in(out, size);
    bool changed = recipe[0] == '\0';
    for (size_t i = 0; recipe[i] != '\0'; i++) {
        bool keeps = is_safe(recipe[i]) && !(i == 0 && (recipe[i] == '.' || recipe[i] == '-'));
        changed = changed || !keeps || i >= LONGEST;
        if (i < LONGEST) {
            bndi_text_char(&text, keeps ? recipe[i] : '_');
        }
    }
    if (recipe[0] == '\0') {
        bndi_text_char(&text, '_');
    }
    if (changed) {
        bndi_text_char(&text, '-');
        bndi_text_unsigned(&text, digest(recipe), 16, 8);
    }
    bndi_text_char(&text, '-');
    bndi_text_unsigned(&text, seed, 10, 1);
    return text.length;
}
