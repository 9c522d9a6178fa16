/* Text into pieces: the regular expressions of published tokenizers, by hand. Each alternative is tried in its order,
 * and takes as much as it can. */
#include "tokens/tokens.h"

#include <string.h>

/* GPT-2: openai/gpt-2, src/encoder.py. Llama 3: meta-llama/llama3, llama/tokenizer.py. Qwen 2: tokenization_qwen2.py of
 * Hugging Face's transformers. */
static const bndi_splitter patterns[] = {
    {"GPT-2", "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", false, SIZE_MAX},
    {"Llama 3",
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
     "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     true, 3},
    {"Qwen 2",
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
     "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     true, 1},
};
const bndi_splitter *const bndi_splitter_gpt2 = &patterns[0];

const bndi_splitter *bndi_splitter_of(const char *regex)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (strcmp(patterns[i].regex, regex) == 0) {
            return &patterns[i];
        }
    }
    return NULL;
}

static bool is_line_end(uint32_t point)
{
    return point == '\r' || point == '\n';
}

/* A letter of a contraction; without cases, the long s is an s, too. */
static char folded(const bndi_splitter *p, bndi_spot spot)
{
    enum { LONG_S = 0x17f };
    return p->llama && spot.point == LONG_S                     ? 's'
           : p->llama && spot.point >= 'A' && spot.point <= 'Z' ? (char)(spot.point + ('a' - 'A'))
           : spot.is == BNDI_LETTER && spot.point < 0x80        ? (char)spot.point
                                                                : '\0';
}

/* Behind 's 't 're 've 'm 'll 'd; `at` where there is none of them. */
static size_t behind_contraction(const bndi_splitter *p, const char *text, size_t length, size_t at)
{
    static const char words[][3] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (text[at] != '\'') {
        return at;
    }
    bndi_spot first = bndi_look(text, length, at + 1), second = bndi_look(text, length, at + 1 + first.bytes);
    char a = folded(p, first), b = folded(p, second);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (a == words[i][0] && (words[i][1] == '\0' || b == words[i][1])) {
            return at + 1 + first.bytes + (words[i][1] == '\0' ? 0 : second.bytes);
        }
    }
    return at;
}

/* Behind at most `most` characters of a class. */
static size_t behind(bndi_class is, size_t most, const char *text, size_t length, size_t at)
{
    for (bndi_spot spot = bndi_look(text, length, at); spot.is == is && most > 0; most--) {
        at += spot.bytes;
        spot = bndi_look(text, length, at);
    }
    return at;
}

/* Blanks. Llama's pattern ends them behind the last line end among them. Otherwise the last one is left to what
 * follows, unless it is the only one or nothing follows. */
static size_t behind_blanks(const bndi_splitter *p, const char *text, size_t length, size_t at)
{
    size_t end = at, last = at, lines = at;
    for (bndi_spot spot = bndi_look(text, length, at); spot.is == BNDI_BLANK; spot = bndi_look(text, length, end)) {
        last = end;
        end += spot.bytes;
        lines = is_line_end(spot.point) ? end : lines;
    }
    if (p->llama && lines > at) {
        return lines;
    }
    return end == length || last == at ? end : last;
}

size_t bndi_piece_end(const bndi_splitter *p, const char *text, size_t length, size_t at)
{
    size_t end = behind_contraction(p, text, length, at);
    bndi_spot first = bndi_look(text, length, at), second = bndi_look(text, length, at + first.bytes);
    bool blank = first.point == ' ', leads = p->llama ? !is_line_end(first.point) && first.is != BNDI_DIGIT : blank;
    if (end > at) {
        return end;
    }
    if (first.is == BNDI_LETTER || (leads && second.is == BNDI_LETTER)) {
        return behind(BNDI_LETTER, SIZE_MAX, text, length, at + first.bytes);
    }
    if (first.is == BNDI_DIGIT || (!p->llama && blank && second.is == BNDI_DIGIT)) {
        return behind(BNDI_DIGIT, p->digits - (first.is == BNDI_DIGIT), text, length, at + first.bytes);
    }
    if (first.is == BNDI_SIGN || (blank && second.is == BNDI_SIGN)) {
        end = behind(BNDI_SIGN, SIZE_MAX, text, length, at + first.bytes);
        while (p->llama && end < length && is_line_end((unsigned char)text[end])) {
            end++;
        }
        return end;
    }
    return behind_blanks(p, text, length, at);
}
