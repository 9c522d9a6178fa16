/* Any bytes as the header of a .npy file. What is accepted must hold its promises, and the program aborts where it does
 * not. */
#include "tests/fuzz/fuzz.h"

#include <binade-lab/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An accepted array has the elements that its shape says, by arithmetic that cannot wrap. */
static void require_counted(const bnd_npy *npy)
{
    long double product = 1;
    require(npy->rank <= BND_NPY_RANK_MAX, "there is a limit to dimensions");
    for (size_t i = 0; i < npy->rank; i++) {
        product *= (long double)npy->shape[i];
    }
    require((long double)npy->count == product, "the count is the product of the shape");
    require(npy->data_size == npy->count * npy->element_size && npy->data_size <= INT64_MAX, "no product wraps");
    unsigned size = npy->element_size;
    require(size == 1 || size == 2 || size == 4 || size == 8, "elements are words");
    require(memchr(npy->descr, '\0', sizeof npy->descr) != NULL && npy->kind <= BND_NPY_OPAQUE, "a descr is a text");
    require(bnd_npy_check_size(npy, npy->header_size + npy->data_size, NULL) == BND_OK &&
                bnd_npy_check_size(npy, npy->header_size + npy->data_size + 1, NULL) == BND_BAD_FILE,
            "one size is right");
}

/* As what it is it can be written, and reads back. */
static void require_writable(const bnd_npy *npy)
{
    static const char *const names[] = {"", "e4m3", "bf16", "", "fp32", "", "", "", "fp64"};
    char header[4096];
    bnd_format f, own;
    bnd_npy made = *npy, again;
    require(bnd_format_parse(&f, names[npy->element_size], NULL) == BND_OK, "the formats are there");
    require((bnd_npy_format(&own, npy, NULL, NULL) == BND_OK) == (npy->kind == BND_NPY_FLOAT),
            "floats say what they are");
    require(bnd_npy_describe(&made, &f, NULL) == BND_OK, "what was read can be described");
    size_t length = bnd_npy_print(header, sizeof header, &made);
    require(length <= sizeof header && bnd_npy_parse(&again, header, length, NULL) == BND_OK, "what is written reads");
    require(again.count == npy->count && again.rank == npy->rank && again.fortran_order == npy->fortran_order &&
                memcmp(again.shape, npy->shape, sizeof again.shape) == 0,
            "the shape survives");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t start = size < BND_NPY_START ? size : BND_NPY_START, header = 0;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_npy_measure(&header, data, start, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        return 0;
    }
    require(header <= size, "a header is within its file");
    uint8_t *copy = tight_copy(data, header);
    bnd_npy npy;
    status = bnd_npy_parse(&npy, copy, header, &why);
    if (status != BND_OK) {
        require_explained(status, &why, header);
    } else {
        require(npy.header_size == header, "both agree about the header");
        require_counted(&npy);
        require_writable(&npy);
    }
    free(copy);
    return 0;
}

/* A good header with up to seven bytes replaced, by bytes that mean something to the grammar or by any, and perhaps cut
 * short; one in eight is left as it is. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const texts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }      \n",
        "{'descr': '|V1', 'fortran_order': True, 'shape': (7,), } \n",
        "{\"shape\": (2L, 99999999, 3), 'descr': '>f8', 'fortran_order': False}",
        "{'fortran_order': False, 'shape': (), 'descr': 'bfloat16'}",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (4294967295, 1073741824,)}",
    };
    static const char alphabet[] = "{}()[],:'\"0123456789LTF<>|=fuVO \n\\-";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[256] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)(1 + i % 3)};
        const char *text = texts[bnd_random(seed, i, 0) % 5];
        size_t length = strlen(text), start = data[6] == 1 ? 10 : 12, size = start + length;
        data[8] = (uint8_t)length;
        memcpy(data + start, text, length);
        for (size_t k = bnd_random(seed, i, 1) % 8; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 2 + k);
            size_t at = r % 16 == 0 ? r / 16 % size : start + r / 16 % length;
            data[at] = fuzz_byte(r, alphabet);
        }
        size -= bnd_random(seed, i, 10) % 32 == 0 ? bnd_random(seed, i, 11) % size : 0;
        fuzz_input(data, size);
    }
}
