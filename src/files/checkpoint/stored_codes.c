/* Codes and scales of weights, one by one. */
#include "checkpoint/stored_codes.h"
#include "checkpoint/layouts.h"
#include "checkpoint/weights.h"

static bndi_coding coding_of(const bnd_stored_weight *weight)
{
    return weight->layout == NULL ? BNDI_CODING_ELEMENTS : (bndi_coding)bndi_layout_row_of(weight->layout)->coding;
}

unsigned bndi_stored_code_bits(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    if (weight->layout == NULL) {
        return codes->bits;
    }
    if (!weight->block.integer) {
        return weight->block.element.width;
    }
    const bool words = coding_of(weight) == BNDI_CODING_WORDS;
    return words ? bndi_bits_of_words(weight->shape[weight->rank - 1], codes->shape[codes->rank - 1]) : 8;
}

const char *bndi_no_stored_codes(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    if (codes == NULL) {
        return "it has no codes";
    }
    if (!weight->is_float) {
        return weight->why_not != NULL ? weight->why_not : "its elements are not floating-point numbers";
    }
    const unsigned bits = bndi_stored_code_bits(weight);
    if (bits == 0 || bits > 16) {
        return "its elements have more than 16 bits";
    }
    if (coding_of(weight) == BNDI_CODING_WORDS && 32 % bits != 0) {
        return "its elements do not fill words of 32 bits";
    }
    return coding_of(weight) == BNDI_CODING_GGUF_Q4_0 ? "its scales have a sign (Q4_0)" : NULL;
}

/* ---- codes ---- */

/* Code i of codes that lie back to back, lowest bits first. */
static uint16_t packed_code(const unsigned char *data, uint64_t i, unsigned bits)
{
    const uint64_t at = i * bits;
    uint32_t word = data[at / 8];
    if (at % 8 + bits > 8) {
        word |= (uint32_t)data[at / 8 + 1] << 8;
    }
    return (uint16_t)(word >> at % 8 & ((1U << bits) - 1));
}

/* Codes of rows of whole 32-bit words. Integers are stored with an offset that makes them positive. */
static uint16_t code_in_words(const bnd_stored_weight *weight, uint64_t i)
{
    const bnd_stored_tensor *codes = weight->parts[BND_PART_CODES];
    const uint64_t columns = weight->shape[weight->rank - 1], words = codes->shape[codes->rank - 1];
    const unsigned bits = bndi_stored_code_bits(weight);
    const uint16_t code = packed_code(codes->data + i / columns * words * 4, i % columns, bits);
    return weight->block.integer ? (uint16_t)(code ^ 1U << (bits - 1)) : code;
}

static uint16_t code_of_gguf(bndi_coding coding, const unsigned char *data, uint64_t i)
{
    if (coding == BNDI_CODING_GGUF_Q8_0) {
        return data[i / 32 * 34 + 2 + i % 32];
    }
    if (coding == BNDI_CODING_GGUF_MXFP4) {
        const unsigned char *nibbles = data + i / 32 * 17 + 1;
        return i % 32 < 16 ? nibbles[i % 16] & 15 : nibbles[i % 16] >> 4;
    }
    const unsigned char *nibbles = data + i / 64 * 36 + 4 + i % 64 / 16 * 8;
    return i % 16 < 8 ? nibbles[i % 8] & 15 : nibbles[i % 8] >> 4;
}

void bndi_stored_codes(uint16_t *codes, const bnd_stored_weight *weight, uint64_t at, size_t n)
{
    const bndi_coding coding = coding_of(weight);
    const unsigned char *data = weight->parts[BND_PART_CODES]->data;
    const unsigned bits = bndi_stored_code_bits(weight),
                   flip = weight->layout != NULL && weight->layout->high_first ? 1 : 0;
    for (size_t k = 0; k < n; k++) {
        const uint64_t i = at + k;
        switch (coding) {
        case BNDI_CODING_ELEMENTS:
        case BNDI_CODING_NIBBLES:
        case BNDI_CODING_BLOCKS:
            codes[k] = bits == 8    ? data[i]
                       : bits == 16 ? (uint16_t)(data[2 * i] | data[2 * i + 1] << 8)
                                    : packed_code(data, bits == 4 ? i ^ flip : i, bits);
            break;
        case BNDI_CODING_WORDS:
            codes[k] = code_in_words(weight, i);
            break;
        case BNDI_CODING_GGUF_Q4_0:
        case BNDI_CODING_GGUF_Q8_0:
        case BNDI_CODING_GGUF_MXFP4:
        case BNDI_CODING_GGUF_NVFP4:
            codes[k] = code_of_gguf(coding, data, i);
            break;
        }
    }
}

/* ---- scales ---- */

uint64_t bndi_stored_scale_count(const bnd_stored_weight *weight)
{
    return weight->layout == NULL ? 0 : bnd_block_scales(&weight->block, weight->blocks);
}

static uint32_t scale_of_gguf(const bnd_stored_weight *weight, bndi_coding coding, uint64_t i)
{
    const unsigned char *data = weight->parts[BND_PART_CODES]->data;
    if (coding == BNDI_CODING_GGUF_Q8_0) {
        return (uint32_t)(data[i * 34] | data[i * 34 + 1] << 8);
    }
    return coding == BNDI_CODING_GGUF_MXFP4 ? data[i * 17] : data[i / 4 * 36 + i % 4];
}

void bndi_stored_scales(float *scales, const bnd_stored_weight *weight, uint64_t first, size_t n)
{
    const bndi_coding coding = coding_of(weight);
    if (coding < BNDI_CODING_GGUF_Q4_0) {
        bndi_weight_scales(scales, weight, first, n);
        return;
    }
    const unsigned size = weight->block.scale.width / 8U;
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = scale_of_gguf(weight, coding, first + i);
        const unsigned char bytes[2] = {(unsigned char)word, (unsigned char)(word >> 8)};
        if (size > 2 || bnd_decode_f32(&scales[i], bytes, 1, &weight->block.scale, NULL, NULL) != BND_OK) {
            scales[i] = 0;
        }
    }
}
