/* Patterns of names that match no weight: a misspelt one would be ignored. */
#include <binade-lab/checkpoint.h>

#include <stdio.h>
#include <string.h>

static bool matches_any(const bnd_checkpoint *checkpoint, const char *pattern, bnd_name_matches *matches)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(checkpoint); i++) {
        if (matches(pattern, bnd_checkpoint_weight_at(checkpoint, i)->name)) {
            return true;
        }
    }
    return false;
}

/* The way out: the narrowest longer pattern that matches, or a name that there is. */
static bnd_status refuse(const bnd_checkpoint *checkpoint, const char *setting, const char *pattern,
                         bnd_name_matches *matches, bnd_error *why)
{
    static const char *const around[][2] = {{"*.", ""}, {"", ".*"}, {"*.", ".*"}, {"*", "*"}};
    const char *name =
        bnd_checkpoint_weights(checkpoint) > 0 ? bnd_checkpoint_weight_at(checkpoint, 0)->name : "(none)";
    char longer[256];
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        int length = snprintf(longer, sizeof longer, "%s%s%s", around[i][0], pattern, around[i][1]);
        if (length > 0 && (size_t)length < sizeof longer && matches_any(checkpoint, longer, matches)) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s '%s' matches no weight; patterns match whole names: try '%s'",
                            setting, pattern, longer);
        }
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s '%s' matches no weight; patterns match whole names such as '%s'",
                    setting, pattern, name);
}

bnd_status bnd_checkpoint_check_patterns(const bnd_checkpoint *checkpoint, const char *setting,
                                         const char *const *patterns, size_t count, bnd_name_matches *matches,
                                         bnd_error *why)
{
    for (size_t i = 0; i < count; i++) {
        if (!matches_any(checkpoint, patterns[i], matches)) {
            return refuse(checkpoint, setting, patterns[i], matches, why);
        }
    }
    return BND_OK;
}
