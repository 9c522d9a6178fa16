/* Logs of other programs: which of their columns are the step and the loss. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- names ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(const bndi_key *key, const char *word)
{
    bool same = strlen(word) == key->length;
    for (size_t i = 0; same && i < key->length; i++) {
        same = lower(key->at[i]) == word[i];
    }
    return same;
}

static bool is_any(const bndi_key *key, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (is_word(key, *words)) {
            return true;
        }
    }
    return false;
}

/* In the order in which they are looked for. */
static const char *const steps[] = {"step", "global_step", "trainer/global_step", "_step", "iteration", "iter", NULL};
static const char *const losses[] = {"loss", "train/loss", "train_loss", "training_loss", "loss/train", NULL};

/* wandb exports a column per run, "RUN - train/loss", and two more of its minimum and maximum. */
static bool is_loss_of_run(const bndi_key *key)
{
    for (size_t i = 3; i < key->length; i++) {
        bndi_key rest = {key->at + i, key->length - i};
        if (memcmp(key->at + i - 3, " - ", 3) == 0 && is_any(&rest, losses)) {
            return true;
        }
    }
    return false;
}

/* ---- choosing ---- */

static const bndi_key *find_word(const bndi_keys *keys, const char *word)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (is_word(&keys->at[i], word)) {
            return &keys->at[i];
        }
    }
    return NULL;
}

static const bndi_key *find_first(const bndi_keys *keys, const char *const *words)
{
    const bndi_key *found = NULL;
    for (; *words != NULL && found == NULL; words++) {
        found = find_word(keys, *words);
    }
    return found;
}

/* The requested column name, compared exactly. */
static const bndi_key *find_asked(const bndi_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strlen(name) == keys->at[i].length && memcmp(name, keys->at[i].at, keys->at[i].length) == 0) {
            return &keys->at[i];
        }
    }
    return NULL;
}

static size_t count_runs(const bndi_keys *keys, const bndi_key **first)
{
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        if (is_loss_of_run(&keys->at[i])) {
            *first = count == 0 ? &keys->at[i] : *first;
            count++;
        }
    }
    return count;
}

/* TensorBoard exports "Wall time,Step,Value". */
static const bndi_key *find_loss(const bndi_keys *keys, size_t *runs)
{
    const bndi_key *found = find_first(keys, losses);
    *runs = found == NULL ? count_runs(keys, &found) : 0;
    return found == NULL && find_word(keys, "wall time") != NULL ? find_word(keys, "value") : found;
}

static bool keep(char out[BNDI_KEY_SIZE], const bndi_key *key)
{
    if (key == NULL || key->length >= BNDI_KEY_SIZE) {
        return false;
    }
    memcpy(out, key->at, key->length);
    out[key->length] = '\0';
    return true;
}

/* "a", "b" and so on: the names that fit. */
static void list(char *out, size_t size, const bndi_keys *keys, bool of_runs)
{
    bndi_text text = bndi_text_in(out, size);
    for (size_t i = 0, shown = 0; i < keys->count; i++) {
        const bndi_key *key = &keys->at[i];
        if (of_runs && !is_loss_of_run(key)) {
            continue;
        }
        bool fits = text.length + key->length + 12 < size;
        bndi_text_string(&text, shown++ > 0 ? ", " : "");
        if (!fits) {
            bndi_text_string(&text, "...");
            return;
        }
        bndi_text_char(&text, '"');
        for (size_t k = 0; k < key->length; k++) {
            bndi_text_char(&text, key->at[k]);
        }
        bndi_text_char(&text, '"');
    }
}

/* How much of a name is printed. */
static int shown(const char *name)
{
    enum { MOST = 40 };
    return strlen(name) < MOST ? (int)strlen(name) : MOST;
}

bnd_status bndi_log_choose(bndi_log_names *out, const bndi_keys *keys, const bnd_log_columns *asked, bnd_error *why)
{
    char seen[160];
    size_t runs = 0;
    const char *step_name = asked != NULL ? asked->step : NULL, *loss_name = asked != NULL ? asked->loss : NULL;
    const bndi_key *step = step_name != NULL ? find_asked(keys, step_name) : find_first(keys, steps);
    const bndi_key *loss = loss_name != NULL ? find_asked(keys, loss_name) : find_loss(keys, &runs);
    bndi_log_names names = {.step = ""};
    list(seen, sizeof seen, keys, runs > 1);
    if (runs > 1) {
        return bnd_fail(why, BND_BAD_FILE, 0, "several columns may be the loss: %s; name the loss column", seen);
    }
    if (!keep(names.step, step) && step_name == NULL) {
        return bnd_fail(why, BND_BAD_FILE, 0, "found no column for the %s (available: %s); name the %s",
                        loss == NULL ? "step and none for the loss" : "step", seen,
                        loss == NULL ? "step column and the loss column" : "step column");
    }
    if (names.step[0] == '\0') {
        return bnd_fail(why, BND_BAD_FILE, 0, "unknown column '%.*s' (available: %s)", shown(step_name), step_name,
                        seen);
    }
    if (!keep(names.loss, loss)) {
        return loss_name != NULL ? bnd_fail(why, BND_BAD_FILE, 0, "unknown column '%.*s' (available: %s)",
                                            shown(loss_name), loss_name, seen)
                                 : bnd_fail(why, BND_BAD_FILE, 0,
                                            "found no column for the loss (available: %s); name the loss column", seen);
    }
    names.foreign = strcmp(names.step, "step") != 0 || strcmp(names.loss, "loss") != 0;
    names.only = loss_name != NULL;
    *out = names;
    return BND_OK;
}

/* ---- keys ---- */

bnd_status bndi_keys_add(bndi_keys *keys, const char *at, size_t length, bnd_error *why)
{
    if (keys->count == keys->room) {
        size_t room = 2 * keys->room + 16;
        bndi_key *moved = realloc(keys->at, room * sizeof *moved);
        if (moved == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the names of %zu columns", room);
        }
        keys->at = moved;
        keys->room = room;
    }
    keys->at[keys->count++] = (bndi_key){at, length};
    return BND_OK;
}

void bndi_keys_free(bndi_keys *keys)
{
    free(keys->at);
    *keys = (bndi_keys){.at = NULL};
}
