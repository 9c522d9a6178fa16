/* The checksum of a .safetensors file: where it is, and whether it is right. */
#include "store/checksum.h"
#include "store/safetensors.h"

#include <string.h>

enum { START = BNDI_SAFETENSORS_START, DIGITS = BNDI_CHECKSUM_DIGITS };

const char bndi_sum_key[] = "binade.checksum", bndi_sum_zeros[] = "0000000000000000";

/* The key with its quotes, which stand in no string of JSON as they are; then a colon, and the digits in quotes. */
size_t bndi_sum_place(const bndi_json_text *header)
{
    static const char key[] = "\"binade.checksum\"";
    const size_t length = sizeof key - 1;
    for (size_t i = 0; i + length + DIGITS <= header->length; i++) {
        if (header->bytes[i] == key[0] && memcmp(header->bytes + i, key, length) == 0) {
            size_t at = i + length;
            while (at < header->length && (header->bytes[at] == ' ' || header->bytes[at] == ':')) {
                at++;
            }
            return header->length - at > DIGITS ? at + 1 : header->length;
        }
    }
    return header->length;
}

/* Of the file with zeros in the place of the digits, if it has them. */
static uint64_t sum_of(const bnd_safetensors *file, size_t place)
{
    bndi_checksum sum;
    bndi_checksum_begin(&sum);
    bndi_checksum_add(&sum, file->bytes, place);
    if (place < file->header_size) {
        bndi_checksum_add(&sum, bndi_sum_zeros, DIGITS);
        bndi_checksum_add(&sum, file->bytes + place + DIGITS, file->size - place - DIGITS);
    }
    return bndi_checksum_of(&sum);
}

bnd_status bndi_safetensors_check_sum(const bnd_safetensors *file, bnd_error *why)
{
    const char *said = bnd_safetensors_metadata(file, bndi_sum_key);
    const bndi_json_text header = {(const char *)file->bytes + START, file->header_size - START};
    char digits[DIGITS + 1] = "";
    if (said == NULL) {
        return BND_OK;
    }
    bndi_checksum_digits(digits, sum_of(file, START + bndi_sum_place(&header)));
    return strcmp(said, digits) == 0
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, 0,
                          "is damaged: its contents do not match its checksum; restore the file from a copy, or train "
                          "again");
}
