/* Settings of some layers: kept as text in a policy, and applied when the layers of a model are known. */
#include "policy/policy.h"

/* One of them, "blocks.0.*:gemm=fp32": which layers, and the setting. */
typedef struct exception {
    bndi_selector selector;
    const char *setting;
    size_t length;
} exception;

/* Reads the exception at *at and moves there behind it; false at the end. The text was checked when it was parsed. */
static bool next_exception(exception *out, const char **at)
{
    const char *text = *at;
    size_t length = 0, colon = 0, equals = 0;
    if (text[0] == 0) {
        return false;
    }
    for (; text[length] != 0 && text[length] != ','; length++) {
        colon = text[length] == ':' && equals == 0 ? length : colon;
        equals = text[length] == '=' && equals == 0 ? length : equals;
    }
    *out = (exception){.setting = text + colon + 1, .length = length - colon - 1};
    *at = text + length + (text[length] == ',');
    return bndi_selector_read(&out->selector, text, colon);
}

bool bnd_policy_exception(bnd_policy *out, const bnd_policy *policy, size_t i)
{
    bnd_policy p = *policy;
    const char *at = policy->layers;
    exception e;
    for (size_t k = 0; next_exception(&e, &at); k++) {
        if (k == i) {
            p.layers[0] = 0;
            *out = bndi_policy_set(&p, e.setting, e.length, NULL) == BND_OK ? p : *out;
            return true;
        }
    }
    return false;
}

bnd_status bnd_policy_of_layer(bnd_policy *out, const bnd_policy *policy, const bnd_layer *layers, size_t count,
                               size_t layer, bnd_error *why)
{
    bnd_policy p = *policy;
    const char *at = policy->layers;
    bnd_status status = BND_OK;
    exception e;
    p.layers[0] = 0;
    while (status == BND_OK && next_exception(&e, &at)) {
        if (bndi_selects(&e.selector, layers, count, layer)) {
            status = bndi_policy_set(&p, e.setting, e.length, why);
        }
    }
    if (status == BND_OK) {
        *out = p;
    }
    return status;
}

/* ---- patterns that select nothing ---- */

/* "blocks.0.up" is offered as "blocks.0.*", too. */
static void offer(bndi_nearest *nearest, const char *name)
{
    char group[64];
    bndi_text text = bndi_text_in(group, sizeof group);
    size_t length = bndi_length(name), dot = length;
    bndi_nearest_offer(nearest, name, length);
    while (dot > 0 && name[dot] != '.') {
        dot--;
    }
    bndi_text_bytes(&text, name, dot);
    bndi_text_string(&text, ".*");
    if (dot > 0) {
        bndi_nearest_offer(nearest, group, bndi_length(group));
    }
}

static bnd_status refuse(const bndi_selector *s, const bnd_layer *layers, size_t count, bnd_error *why)
{
    enum { SHOWN = 6 };
    char names[256];
    bndi_text text = bndi_text_in(names, sizeof names);
    bndi_nearest nearest = bndi_nearest_to(s->text, s->length);
    size_t shown = 0;
    bndi_text_string(&text, "(the model has the layers ");
    for (size_t i = 0; i < count; i++) {
        if (layers[i].name[0] != 0) {
            offer(&nearest, layers[i].name);
            bndi_text_string(&text, shown == 0 ? "" : shown <= SHOWN ? ", " : "");
            bndi_text_string(&text, shown < SHOWN ? layers[i].name : shown == SHOWN ? "..." : "");
            shown++;
        }
    }
    bndi_text_string(&text, ")");
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "recipe: no layer is selected by", names);
}

bnd_status bnd_policy_check_layers(const bnd_policy *policy, const bnd_layer *layers, size_t count, bnd_error *why)
{
    const char *at = policy->layers;
    exception e;
    while (next_exception(&e, &at)) {
        bool selects = false;
        for (size_t i = 0; i < count; i++) {
            selects = selects || bndi_selects(&e.selector, layers, count, i);
        }
        if (!selects) {
            return refuse(&e.selector, layers, count, why);
        }
    }
    return BND_OK;
}
