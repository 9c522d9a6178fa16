/* Dialects: rows of rules, by name and format. */
#include "format/format.h"

typedef struct dialect {
    const char *name, *title;
} dialect;

typedef struct answer {
    const char *dialect, *formats, *source;
    bnd_rule rule;
} answer;

static const dialect dialects[] = {
#define DIALECT(name, title) {name, title},
#include "format/dialects.def"
#undef DIALECT
};

static const answer answers[] = {
#define ANSWER(name, formats, source, ...) {name, formats, source, {__VA_ARGS__}},
#include "format/dialects.def"
#undef ANSWER
};
enum { DIALECTS = sizeof dialects / sizeof dialects[0], ANSWERS = sizeof answers / sizeof answers[0] };

size_t bnd_dialect_count(void)
{
    return DIALECTS;
}

const char *bnd_dialect_name(size_t i)
{
    return i < DIALECTS ? dialects[i].name : "";
}

const char *bnd_dialect_title(size_t i)
{
    return i < DIALECTS ? dialects[i].title : "";
}

static bool lists(const char *formats, const bnd_format *f)
{
    size_t name_length = bndi_length(f->name);
    bool p3109 = name_length > 6 && bndi_same_word(f->name, 6, "binary");
    size_t length;
    for (const char *word; word = bndi_next_word(&formats, &length), length > 0;) {
        if (bndi_same(word, length, f->name, name_length) || (p3109 && bndi_same_word(word, length, "p3109"))) {
            return true;
        }
    }
    return false;
}

/* NULL: the dialect has no rule for the format. */
static const answer *answer_for(size_t i, const bnd_format *f)
{
    for (size_t a = 0; i < DIALECTS && a < ANSWERS; a++) {
        if (bndi_same_word(dialects[i].name, bndi_length(dialects[i].name), answers[a].dialect) &&
            lists(answers[a].formats, f)) {
            return &answers[a];
        }
    }
    return NULL;
}

bool bnd_dialect_rule(bnd_rule *rule, size_t i, const bnd_format *f)
{
    const answer *found = answer_for(i, f);
    if (found == NULL) {
        return false;
    }
    *rule = found->rule;
    return true;
}

const char *bnd_dialect_source(size_t i, const bnd_format *f)
{
    const answer *found = answer_for(i, f);
    return found != NULL ? found->source : "";
}

bnd_status bnd_dialect_parse(size_t *out, const char *name, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, bndi_length(name));
    for (size_t i = 0; i < DIALECTS; i++) {
        if (bndi_same_word(name, nearest.asked_length, dialects[i].name)) {
            *out = i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, dialects[i].name, bndi_length(dialects[i].name));
    }
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown dialect",
                             "(available: ml_dtypes, cuda-satfinite, cuda-nosat, onnx-saturate, torch, ocp-sat, "
                             "p3109-satnone, ...; 'binade show --dialects 1' lists them)");
}
