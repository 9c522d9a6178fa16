/* Text in memory that grows. */
#include "answer.h"

#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct answer {
    char *text;
    size_t length, room;
    bool failed;
    bnd_lab_json json;
} last;

static const char no_memory[] = "{\"error\": \"out of memory\"}";

static void append(void *sink, const char *text, size_t length)
{
    struct answer *a = sink;
    if (a->room - a->length <= length && !a->failed) {
        size_t room = 2 * (a->room + length) + 1024;
        char *moved = room > length ? realloc(a->text, room) : NULL;
        a->failed = moved == NULL;
        a->text = moved != NULL ? moved : a->text;
        a->room = moved != NULL ? room : a->room;
    }
    if (!a->failed) {
        memcpy(a->text + a->length, text, length);
        a->length += length;
        a->text[a->length] = '\0';
    }
}

bnd_lab_json *answer_begin(void)
{
    last.length = 0;
    last.failed = false;
    bnd_lab_json_begin(&last.json, append, &last);
    return &last.json;
}

const char *answer_end(void)
{
    return last.failed || last.text == NULL ? no_memory : last.text;
}

const char *answer_error(const char *message)
{
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "error", message);
    bnd_lab_json_end(json);
    return answer_end();
}

void answer_double(bnd_lab_json *json, const char *key, double x)
{
    json_owned_literal(json, key, double_text(x));
}

void answer_digits(bnd_lab_json *json, const char *key, double x, int digits)
{
    json_owned_string(json, key, isnan(x) ? copy_text("-") : digits_text(bnd_exact_double(x), digits));
}

bool answer_next_word(const char **list, char *word, size_t size, size_t *length)
{
    *length = strcspn(*list, ",");
    if (**list == '\0') {
        return false;
    }
    size_t kept = *length < size ? *length : size - 1;
    memcpy(word, *list, kept);
    word[kept] = '\0';
    *list += *length + ((*list)[*length] == ',');
    return true;
}
