/* The dtypes of .safetensors: the formats that have a dtype in formats.def, and those of `others`. */
#include "store/safetensors.h"

#include <string.h>

static const bndi_dtype others[] = {
    {"BOOL", BND_SAFETENSORS_BOOL, 8},     {"U8", BND_SAFETENSORS_UNSIGNED, 8},   {"I8", BND_SAFETENSORS_SIGNED, 8},
    {"U16", BND_SAFETENSORS_UNSIGNED, 16}, {"I16", BND_SAFETENSORS_SIGNED, 16},   {"U32", BND_SAFETENSORS_UNSIGNED, 32},
    {"I32", BND_SAFETENSORS_SIGNED, 32},   {"U64", BND_SAFETENSORS_UNSIGNED, 64}, {"I64", BND_SAFETENSORS_SIGNED, 64},
    {"C64", BND_SAFETENSORS_COMPLEX, 64},
};

/* The row of the table of formats, or their count. */
static size_t row_of(const char *dtype)
{
    size_t row = 0;
    for (; row < bnd_format_count(); row++) {
        if (dtype[0] != '\0' && strcmp(bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), dtype) == 0) {
            break;
        }
    }
    return row;
}

bndi_dtype bndi_safetensors_dtype(const char *name)
{
    size_t row = row_of(name);
    if (row < bnd_format_count()) {
        return (bndi_dtype){bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), BND_SAFETENSORS_FLOAT,
                            bnd_format_at(row)->width};
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].name, name) == 0) {
            return others[i];
        }
    }
    return (bndi_dtype){"", 0, 0};
}

bnd_status bnd_safetensors_format(bnd_format *out, const bnd_safetensor *entry, bnd_error *why)
{
    size_t row = row_of(entry->dtype);
    if (row >= bnd_format_count()) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "its dtype %s is not a floating-point format", entry->dtype);
    }
    *out = *bnd_format_at(row);
    return BND_OK;
}

const char *bnd_safetensors_dtype(const bnd_format *f)
{
    for (size_t row = 0; row < bnd_format_count(); row++) {
        if (bnd_format_same(f, bnd_format_at(row))) {
            return bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS);
        }
    }
    return "";
}

bnd_status bndi_safetensors_size(bnd_safetensor *entry, bnd_error *why)
{
    uint64_t count;
    if (!bndi_count_elements(&count, entry->shape, entry->rank, (uint64_t)INT64_MAX / entry->bits)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its shape has more elements than a file can hold");
    }
    if (count * entry->bits % 8 != 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its %llu elements of %u bits must fill whole bytes",
                        (unsigned long long)count, (unsigned)entry->bits);
    }
    entry->count = count;
    entry->size = count * entry->bits / 8;
    return BND_OK;
}
