/* Numbers in JSON. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "train/train.h"

#include <string.h>

#include <binade/text.h>

void bndi_number_text(char out[BNDI_NUMBER_SIZE], double x)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    bnd_print_shortest(out, BNDI_NUMBER_SIZE, fp64, bnd_exact_double(x != x ? __builtin_nan("") : x));
}

void bndi_json_number(bnd_lab_json *json, const char *key, double x)
{
    char text[BNDI_NUMBER_SIZE], beside[BNDI_KEY_SIZE + 4];
    if (x - x == 0) {
        bndi_number_text(text, x);
        bnd_lab_json_literal(json, key, text);
        return;
    }
    size_t length = strnlen(key, BNDI_KEY_SIZE);
    memcpy(beside, key, length);
    memcpy(beside + length, "_is", sizeof "_is");
    bnd_lab_json_null(json, key);
    bnd_lab_json_string(json, beside, x != x ? "nan" : x > 0 ? "inf" : "-inf");
}

bool bndi_count_of(uint64_t *out, const char *text, size_t length)
{
    uint64_t n = 0;
    bool good = length > 0;
    for (size_t i = 0; good && i < length; i++) {
        good = text[i] >= '0' && text[i] <= '9' && n <= (UINT64_MAX - (uint64_t)(text[i] - '0')) / 10;
        n = good ? 10 * n + (uint64_t)(text[i] - '0') : 0;
    }
    *out = n;
    return good;
}
