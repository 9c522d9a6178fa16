/* The value of a role in a recipe: a format, and how numbers are cast to it. */
#include "policy/recipe_pieces.h"

const bndi_scaled_name *bndi_scaled_name_of(const char *name, size_t length)
{
    /* mxfp4 has OCP's own rule: rounding scales up costs E2M1 more zeros than clamping costs it. Integers are value
     * sets: multiples of 2^-6 below 2, multiples of 1 below 8. */
    static const bndi_scaled_name names[] = {{"mxfp8", "e4m3", "mx"},          {"mxfp8-e5m2", "e5m2", "mx"},
                                             {"mxfp6", "e3m2", "mx"},          {"mxfp6-e2m3", "e2m3", "mx"},
                                             {"mxfp4", "e2m1", "mx:floor"},    {"nvfp4", "e2m1", "nvfp4"},
                                             {"mxint8", "p7emin0emax0", "mx"}, {"nvint4", "p3emin2emax2", "nvfp4"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bndi_same_word(name, length, names[i].name)) {
            return &names[i];
        }
    }
    return NULL;
}

/* The word that a value may begin with; *value moves behind it. */
static bool take_word(bndi_words *value, const char *word)
{
    const size_t length = bndi_length(word);
    const bool there = value->length > length && bndi_same_word(value->text, length, word);
    *value = there ? (bndi_words){value->text + length, value->length - length} : *value;
    return there;
}

/* clamp, or MODE:clamp: values beyond the largest become the largest, without a scale. */
static bool take_clamp(bndi_words *mode)
{
    enum { LENGTH = 5 };
    const char *word = mode->text != NULL && mode->length >= LENGTH ? mode->text + mode->length - LENGTH : "";
    const bool whole = mode->text == word,
               there = bndi_same_word(word, word[0] != 0 ? LENGTH : 0, "clamp") && (whole || word[-1] == ':');
    if (there) {
        *mode = (bndi_words){whole ? NULL : mode->text, whole ? 0 : mode->length - LENGTH - 1};
    }
    return there;
}

/* [transient:|requantized:]FORMAT[:MODE][:clamp]. */
static bnd_status read_number_format(const bndi_recipe_reader *r, bnd_cast *cast, bndi_words value)
{
    cast->transient = take_word(&value, "transient:");
    cast->requantized = !cast->transient && take_word(&value, "requantized:");
    bndi_words mode = value, format = bndi_words_cut(&mode, ':');
    char text[BND_SCALING_SIZE];
    const bool clamps = take_clamp(&mode);
    const bndi_scaled_name *scaled = bndi_scaled_name_of(format.text, format.length);
    bnd_status status =
        scaled == NULL
            ? bndi_recipe_within(r, format, bnd_format_parse_n(&cast->format, format.text, format.length, r->why))
            : bnd_format_parse(&cast->format, scaled->format, r->why);
    if (status == BND_OK && scaled != NULL) {
        (void)bndi_words_copy(cast->scaling, sizeof cast->scaling,
                              (bndi_words){scaled->scaling, bndi_length(scaled->scaling)});
    }
    if (status == BND_OK && mode.text != NULL) {
        status = bndi_words_copy(text, sizeof text, mode)
                     ? bndi_recipe_within(r, mode, bnd_rounding_parse(&cast->rule, text, r->why))
                     : bndi_recipe_refuse(r, mode, "unknown rounding mode");
    }
    cast->rule.overflow = clamps ? BND_OVERFLOW_SATURATE : BND_OVERFLOW_FORMAT;
    return status;
}

/* hadamard[:N]; false if it is something else. */
static bool read_hadamard(bnd_cast *cast, bndi_words value)
{
    enum { MOST = 128 };
    bndi_words size = value, word = bndi_words_cut(&size, ':');
    double n = 0;
    const bool sized = size.text != NULL;
    cast->hadamard =
        bndi_words_is(word, "hadamard") && (!sized || (bndi_words_number(&n, size) && n >= 2 && n <= (double)MOST));
    cast->hadamard_size = cast->hadamard ? (uint16_t)n : 0;
    cast->hadamard = cast->hadamard && (cast->hadamard_size & (cast->hadamard_size - 1)) == 0;
    return cast->hadamard;
}

static bool begins_hadamard(bndi_words value)
{
    return bndi_words_is(bndi_words_cut(&value, ':'), "hadamard");
}

/* "mxfp8/mx:floor": a name that has a scaling, and another one. */
static bnd_status refuse_second_scaling(const bndi_recipe_reader *r, bndi_words value, const bnd_cast *cast,
                                        bndi_words scaling)
{
    char what[160];
    bndi_text text = bndi_text_in(what, sizeof what);
    bndi_text_string(&text, "this name has a scaling of its own, ");
    bndi_text_string(&text, cast->scaling);
    bndi_text_string(&text, "; with another one write ");
    bndi_text_string(&text, cast->format.name);
    bndi_text_char(&text, '/');
    bndi_text_bytes(&text, scaling.text, scaling.length < BND_SCALING_SIZE ? scaling.length : BND_SCALING_SIZE);
    return bndi_recipe_refuse(r, value, what);
}

/* [transient:|requantized:]FORMAT[:MODE][:clamp][/SCALING][/hadamard[:N]]. */
bnd_status bndi_recipe_cast(const bndi_recipe_reader *r, bnd_cast *out, bndi_words value)
{
    bnd_cast cast = {.given = true};
    bndi_words last = value, number = bndi_words_cut(&last, '/'), scaling = bndi_words_cut(&last, '/');
    if (bndi_words_is(value, "none")) {
        *out = (bnd_cast){.given = false};
        return BND_OK;
    }
    bnd_status status = read_number_format(r, &cast, number);
    if (status == BND_OK && scaling.text != NULL && last.text == NULL && read_hadamard(&cast, scaling)) {
        scaling.text = NULL;
    }
    if (status == BND_OK && (last.text != NULL || (scaling.text != NULL && begins_hadamard(scaling)))) {
        status = last.text != NULL && read_hadamard(&cast, last)
                     ? BND_OK
                     : bndi_recipe_refuse(r, value,
                                          last.text != NULL
                                              ? "expected hadamard or hadamard:N after the second /, N being a power "
                                                "of two from 2 to 128"
                                              : "hadamard:N needs an N that is a power of two from 2 to 128");
    }
    if (status == BND_OK && scaling.text != NULL && scaling.length > 0 && cast.scaling[0] != 0) {
        return refuse_second_scaling(r, value, &cast, scaling);
    }
    if (status == BND_OK && scaling.text != NULL) {
        bool good = scaling.length > 0 && bndi_words_copy(cast.scaling, sizeof cast.scaling, scaling);
        status = good ? BND_OK
                      : bndi_recipe_refuse(
                            r, value,
                            "expected a scaling after the / (available: tensor, row, tile:RxC, mx, nvfp4, current, "
                            "delayed, dynamic:N, linear:N)");
    }
    if (status == BND_OK) {
        *out = cast;
    }
    return status;
}
