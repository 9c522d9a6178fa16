/* Selects cases by the words of --case. */
#include "bench.h"

#include <string.h>

bool bench_has_words(const char *name, const char *words)
{
    char word[BENCH_NAME_SIZE];
    while (*(words += strspn(words, " ")) != '\0') {
        size_t length = strcspn(words, " ");
        if (length >= sizeof word) {
            return false;
        }
        memcpy(word, words, length);
        word[length] = '\0';
        if (strstr(name, word) == NULL) {
            return false;
        }
        words += length;
    }
    return true;
}

static void count_one(void *state, const char *name)
{
    (void)name;
    ++*(size_t *)state;
}

size_t bench_family_count(const bench_family *family, const bench_options *options)
{
    size_t count = 0;
    family->each(options, count_one, &count);
    return count;
}
