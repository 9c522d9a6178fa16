/* Bytes of a tensor. */
#include "cost/cost.h"

#include "base/base.h"

static double product_of(const double *shape, size_t rank)
{
    double n = 1;
    for (size_t i = 0; i < rank; i++) {
        n *= shape[i];
    }
    return n;
}

static void put_shape(char *out, size_t size, const double *shape, size_t rank)
{
    char number[48];
    bndi_text text = bndi_text_in(out, size);
    for (size_t i = 0; i < rank; i++) {
        bnd_cost_number(number, sizeof number, shape[i]);
        bndi_text_string(&text, i > 0 ? " x " : "");
        bndi_text_string(&text, number);
    }
}

/* Scales of the last two axes, as often as there are matrices. */
static bnd_status scales_of(double *out, const bnd_block *block, const double *shape, size_t rank, bnd_error *why)
{
    uint64_t columns = (uint64_t)shape[rank - 1], rows = rank > 1 ? (uint64_t)shape[rank - 2] : 1;
    double scales, matrices = product_of(shape, rank > 2 ? rank - 2 : 0), tensor = block->tensor ? 4 : 0;
    bnd_status status = bndi_scale_bytes(&scales, block, rows, columns, why);
    if (status == BND_OK) {
        bool whole = block->sharing == BND_SHARE_TENSOR;
        *out = whole ? scales : (scales - tensor) * matrices + tensor;
    }
    return status;
}

bnd_status bnd_cost_tensor(bnd_cost *out, const double *shape, size_t rank, const char *format, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    bnd_format f;
    bnd_block block;
    bool scaled;
    char text[BND_COST_TEXT_SIZE];
    bnd_status status = bndi_element_parse(&f, &block, &scaled, format, why);
    if (status == BND_OK && (rank < 1 || rank > 8)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor must have 1 to 8 axes");
    }
    for (size_t i = 0; status == BND_OK && i < rank; i++) {
        status = bndi_at_least(shape[i], 1, "an extent", why);
    }
    double n = status == BND_OK ? product_of(shape, rank) : 0, scales = 0;
    if (status == BND_OK && n > 0x1p53) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor must have at most 2^53 elements");
    }
    status = status == BND_OK && scaled ? scales_of(&scales, &block, shape, rank, why) : status;
    if (status != BND_OK) {
        return status;
    }
    double bits = bndi_bits(&f), codes = bndi_bytes_of(&f, n), bytes = codes + scales;
    const char *part = codes * 8 > n * bits ? "elements x bits / 8, rounded up" : "elements x bits / 8";
    put_shape(text, sizeof text, shape, rank);
    bndi_cost_step(&c, "elements", "", n, "all extents", "$", text);
    if (scaled) {
        bndi_cost_step(&c, "codes", "B", codes, part, "# x # / 8", n, bits);
        bndi_cost_step(&c, "scales", "B", scales, "one per block", "$", block.name);
        bndi_cost_step(&c, "bytes", "B", bytes, "codes + scales", "# + #", codes, scales);
        bndi_cost_step(&c, "bits", "bit/element", 8 * bytes / n, "8 bytes / elements", "8 x # / #", bytes, n);
    } else {
        bndi_cost_step(&c, "bytes", "B", bytes, part, "# x # / 8", n, bits);
    }
    bndi_cost_step(&c, "mebibytes", "MiB", bytes / 0x1p20, "bytes / (1024 x 1024)", "# / 1048576", bytes);
    bndi_cost_step(&c, "saved", "", 4 * n / bytes, "bytes in fp32 / bytes", "# / #", 4 * n, bytes);
    bndi_cost_answer(&c, "bytes", format);
    *out = c;
    return BND_OK;
}
